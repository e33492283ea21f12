"""What a deliberate fault is."""

from __future__ import annotations

from typing import NamedTuple

TESTS = "tests/model/test_"
CELLS = TESTS + "presence.py::test_each_cell_is_present_as_often_as_it_should_be"
COUNTS = TESTS + "presence.py::test_counts_are_those_of_the_draw"
BY_TRUTH = TESTS + "conditionals.py::test_votes_are_counted_by_truth"
EXACT = TESTS + "exact.py::test_chains_agree_with_enumeration"
CALIBRATION = TESTS + "calibration.py::test_truth_ranks_evenly_among_draws"
JOINT = TESTS + "geweke.py::test_sweeps_keep_the_joint_distribution"


class Fault(NamedTuple):
    """A line of a file in src/dawnchorus/model, what it becomes, and the test that sees it."""

    words: str
    file: str
    old: str
    new: str
    seen_by: str
    """A test, or nothing if the fault survives."""
    why: str = ""
    """Why it survives."""


def step(name: str) -> str:
    """Give the test of a step's density."""
    return f"{TESTS}steps.py::test_each_step_keeps_its_density[{name}]"


def case(test: str, name: str) -> str:
    """Give one case of a test."""
    return f"{test}[{name}]"
