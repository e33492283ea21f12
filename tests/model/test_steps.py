"""Every conditional step keeps its density, and a tenth off in any of its terms is noticed."""

from __future__ import annotations

import pytest

from checks import FALSE_ALARM
from steps import STEPS, terms


@pytest.mark.parametrize("name", STEPS)
def test_each_step_keeps_its_density(name):
    assert STEPS[name]() > FALSE_ALARM


@pytest.mark.parametrize("times", [0.9, 1.1])
@pytest.mark.parametrize(("name", "term"), [(name, term) for name in STEPS for term in terms(STEPS[name])])
def test_a_tenth_off_in_any_term_is_noticed(name, term, times):
    assert STEPS[name](**{term: times}) < FALSE_ALARM
