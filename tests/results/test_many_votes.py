"""Many votes are not many witnesses: chains agree and probabilities hold where 39 people vote on a cell."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

PICTURES = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "many_votes.py"))
EXACT = {0: 0.153, 1: 0.590, 2: 0.102}
"""Log scores by data set of a sampler of its own, with presence, classes and levels summed out: parallel
tempering with 12 temperatures, 8,000 sweeps. It is sure to about 0.04 in the second data set, and 0.003."""


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "off"), [(0, 0.015), (1, 0.08), (2, 0.015)])
@pytest.mark.filterwarnings("ignore::dawnchorus.ConvergenceWarning")
def test_chains_agree_with_each_other_and_with_another_sampler(seed, off):
    pictures = PICTURES["simulated"](seed)
    probability, rhat = PICTURES["fitted"](pictures, PICTURES["BOTH"], draws=2000)
    assert rhat < 1.05
    assert abs(PICTURES["log_score"](probability, pictures.present) - EXACT[seed]) < off


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dawnchorus.ConvergenceWarning")
def test_probabilities_hold_over_data_sets():
    """The log score is at most 0.4 on average, and as many birds are there as probabilities say."""
    found, truth, sure = [], [], []
    for seed in range(3, 9):
        pictures = PICTURES["simulated"](seed)
        probability, rhat = PICTURES["fitted"](pictures, PICTURES["BOTH"], draws=2000)
        assert rhat < 1.05
        found.append(probability)
        truth.append(pictures.present)
        sure.append(pictures.best)
    p, present, best = (np.concatenate(part) for part in (found, truth, sure))
    assert PICTURES["log_score"](p, present) < 0.4
    assert PICTURES["log_score"](best, present) < PICTURES["log_score"](p, present)
    for low, high in ((0, 0.2), (0.2, 0.8), (0.8, 1)):
        those = (p >= low) & (p <= high)
        # Cells of a data set are wrong together, so that this is no binomial test.
        assert abs(p[those].mean() - present[those].mean()) < 0.1
