"""Calibration: truth ranks among draws of a fit as it should. `calibration` says how."""

from __future__ import annotations

import numpy as np
import pytest

import calibration
import joint
from checks import FALSE_ALARM

RICHEST = (
    "independent, per annotator, learned",
    "dirichlet process, per annotator and species, learned",
    "mixture, per annotator and species, difficulty and skill, learned",
    "mixture, per annotator and species, difficulty, faint and unsure, learned",
    "independent, per annotator and species, difficulty, faint, deceptive and unsure",
)
"""Together they have every part."""
NAMES = [
    pytest.param(name, marks=[] if name in (*joint.MODELS, *RICHEST) else [pytest.mark.slow])
    for name in calibration.MODELS
]
"""The others have the parts of the richest. All are calibrated with many replications in slow tests, whose
page has to be of the samplers as they are."""


@pytest.mark.parametrize("name", NAMES)
def test_truth_ranks_evenly_among_draws(name):
    p = calibration.smallest_p(calibration.MODELS[name], calibration.SMALL, replications=48, seed=1)
    assert p > FALSE_ALARM


@pytest.mark.slow
def test_truth_ranks_evenly_in_many_replications():
    table = calibration.calibrate_changed()
    assert table["p"].min() * len(table) > FALSE_ALARM


def test_ranks_that_are_not_even_are_caught():
    rng, plan = np.random.default_rng(1), calibration.FULL
    even = rng.integers(0, plan.draws + 1, 1000)
    assert calibration.uniformity(even, plan)[2] > FALSE_ALARM
    assert calibration.uniformity(np.maximum(even, rng.integers(0, 3, 1000)), plan)[2] < FALSE_ALARM
    assert calibration.uniformity(np.where(rng.random(1000) < 0.1, 0, even), plan)[2] < FALSE_ALARM


def test_the_page_is_of_the_samplers_as_they_are():
    changed = [] if calibration.is_of_these_samplers() else calibration.changed_models()
    assert not changed, f"draws changed: run `make test-slow` to calibrate {', '.join(changed)}"
    commits = {commit for commit, _ in calibration.read_page()[1].values()}
    assert not any("dirty" in commit for commit in commits), "commit the samplers, then run `make test-slow`"


def test_the_report_says_what_was_found(tmp_path):
    plan, path = calibration.Plan(draws=3, thin=1, warmup=1, bins=4), tmp_path / "results" / "calibration.md"
    first, second = list(calibration.MODELS)[:2]
    table = calibration.calibrate(plan, replications=8, seed=1, processes=1, names=(second,))
    calibration.write_report(path, table, plan)
    more = calibration.calibrate(plan, replications=16, seed=1, processes=1, names=(first,))
    calibration.write_report(path, more, plan)
    found, made_of = calibration.read_page(path)
    assert found["model"].unique().tolist() == list(made_of) == [first, second]
    assert found["replications"].unique().tolist() == [16, 8]
    assert len(found) == len(table) + len(more)
    assert calibration.is_of_these_samplers(path)
    assert made_of[first][1] == calibration.draws_digest(first) != calibration.draws_digest(second)
