"""Many votes are not many witnesses: chains agree, with each other and with another sampler."""

from __future__ import annotations

import runpy
from pathlib import Path

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
