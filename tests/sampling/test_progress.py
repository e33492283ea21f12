"""What a running fit says of itself: what is done, what is left to reach, and how long it may take."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

import dawnchorus as dc
from dawnchorus.common.showing import bars
from dawnchorus.sampling.convergence import Diagnostics
from dawnchorus.sampling.progress import SamplingProgress, shown_sampling
from dawnchorus.sampling.settings import Settings


@pytest.fixture(scope="module")
def annotations():
    return dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations


def test_the_time_left_comes_from_what_is_worst():
    def left(**look):
        worst = Diagnostics(**({"max_rhat": 1.0, "min_ess": 400, "worst_rhat": "", "worst_ess": ""} | look))
        return SamplingProgress(4000, 4000, worst, Settings(), rate=100.0, looked=4000).seconds_left

    assert left() == 0
    assert left(min_ess=200) == 20  # twice 2,000 sweeps after the warm-up
    assert left(max_mcse=0.02) == 60  # half the error needs four times the sweeps
    assert left(min_ess=0.001) == 760  # at most max_sweeps


def test_only_what_is_left_to_reach_is_told():
    look = Diagnostics(1.005, 350, "", "", max_mcse=0.02)
    words = SamplingProgress(4000, 8000, look, Settings(), rate=100.0, looked=4000).in_words()
    assert words == (
        "4,000 of 8,000 sweeps; R-hat 1.005, effective sample size 350 (400 are wanted), "
        "probabilities known to ± 0.020 (± 0.01 is wanted); about 60 s to go, if it goes on like this"
    )
    early = SamplingProgress(100, 8000, None, Settings())
    assert early.in_words() == "100 of 8,000 sweeps; no look yet at how well the chains agree"
    assert "look" not in SamplingProgress(100, 8000, None, Settings(min_ess=None)).in_words()


def test_a_log_gets_lines_now_and_then(annotations, monkeypatch):
    monkeypatch.setattr(bars, "FIRST_LINE", 0.2)
    console = Console(file=io.StringIO(), force_terminal=False, width=500)
    with shown_sampling("Fitting base", console) as show, pytest.warns(dc.ConvergenceWarning):
        dc.fit(annotations, "base", min_ess=10**6, max_sweeps=10**7, seconds=3, progress=show)
    lines = [line for line in console.file.getvalue().splitlines() if "compiling" not in line]
    assert 2 <= len(lines) <= 12
    for words in ("Fitting base: ", " sweeps; R-hat 1.", "(1,000,000 are wanted)", "to go"):
        assert words in lines[-1]


def test_python_shows_a_bar_if_asked(annotations, monkeypatch, capsys):
    monkeypatch.setattr(bars, "FIRST_LINE", 0.0)
    monkeypatch.setattr(bars, "LONGEST_GAP", 0.0)  # or the last line may not be due yet
    short = {"warmup": 30, "draws": 40, "min_ess": None}
    dc.fit(annotations, "base", progress=True, **short)
    assert "Fitting base: 280 of 280 sweeps" in capsys.readouterr().err
    for silent in (None, False):
        dc.fit(annotations, "base", progress=silent, **short)
        assert capsys.readouterr().err == ""
    with pytest.raises(dc.AnnotationError, match="progress is 'yes'"):
        dc.fit(annotations, "base", progress="yes", **short)


def test_the_last_look_is_told(annotations):
    seen = []
    dc.fit(annotations, "base", warmup=30, draws=40, min_ess=None, progress=seen.append)
    assert seen[-1].diagnostics is not None
    assert seen[-1].done == seen[-1].total == 280
