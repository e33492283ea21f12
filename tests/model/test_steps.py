"""Every conditional step keeps its density, and a tenth off in any of its terms is noticed."""

from __future__ import annotations

import pytest

from checks import FALSE_ALARM
from steps import STEPS, lengths, terms


@pytest.mark.parametrize("name", STEPS)
def test_each_step_keeps_its_density(name):
    assert STEPS[name]() > FALSE_ALARM


TERMS = [(name, term) for name in STEPS for term in terms(STEPS[name])]
OFF = [
    pytest.param(name, term, times, marks=[pytest.mark.slow] if (at + many) % 2 else [])
    for at, (name, term) in enumerate(TERMS)
    for many, times in enumerate((0.9, 1.1))
]
"""Too little of one term and too much of the next; the other way round in slow tests."""


@pytest.mark.parametrize(("name", "term", "times"), OFF)
def test_a_tenth_off_in_any_term_is_noticed(name, term, times):
    """Most are noticed in few draws; the others, in as many as show that the step keeps its density."""
    step = STEPS[name]
    assert any(step(**{term: times}, **draws) < FALSE_ALARM for draws in lengths(step))
