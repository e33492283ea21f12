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
    plan = calibration.FULL
    table = calibration.calibrate(plan, replications=1000, seed=2)
    calibration.write_report(calibration.ROOT / "docs" / "results" / "calibration.md", table, plan)
    assert table["p"].min() * len(table) > FALSE_ALARM


def test_ranks_that_are_not_even_are_caught():
    rng, plan = np.random.default_rng(1), calibration.FULL
    even = rng.integers(0, plan.draws + 1, 1000)
    assert calibration.uniformity(even, plan)[2] > FALSE_ALARM
    assert calibration.uniformity(np.maximum(even, rng.integers(0, 3, 1000)), plan)[2] < FALSE_ALARM
    assert calibration.uniformity(np.where(rng.random(1000) < 0.1, 0, even), plan)[2] < FALSE_ALARM


def test_the_page_is_of_the_samplers_as_they_are():
    page = (calibration.ROOT / "docs" / "results" / "calibration.md").read_text(encoding="utf-8")
    assert f"of samplers {calibration.samplers_digest()}." in page, "samplers changed: run `make test-slow`"
    assert "dirty" not in page, "commit the samplers, then run `make test-slow`"


def test_the_report_says_what_was_found(tmp_path):
    plan = calibration.Plan(draws=3, thin=1, warmup=1, bins=4)
    table = calibration.calibrate(plan, replications=8, seed=1, processes=1)
    calibration.write_report(tmp_path / "results" / "calibration.md", table, plan)
    page = (tmp_path / "results" / "calibration.md").read_text(encoding="utf-8")
    assert set(table["model"]) == set(calibration.MODELS)
    assert page.count("\n| ") == len(table) + 1
    assert "commit" in page
