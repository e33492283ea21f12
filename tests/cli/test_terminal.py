"""Bars say what is being done, to people who are looking; elsewhere, work that is soon done says nothing."""

from __future__ import annotations

import io
import re
import time

import pytest
from rich.console import Console

from commands import run
from dawnchorus.cli import terminal


def shown_by(monkeypatch, interactive):
    text = io.StringIO()
    console = Console(file=text, force_terminal=interactive, force_interactive=interactive, width=100)
    monkeypatch.setattr(terminal, "err", console)
    with terminal.working("Reading"):
        pass
    with terminal.phases("Writing results") as bar:
        for phase in (("Probabilities", 0, 0), ("Probabilities", 5000, 10_000), ("Draws", 0, 0)):
            bar(*phase)
            time.sleep(0.3 * interactive)  # bars are drawn ten times a second
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.getvalue())


def test_bars_say_the_phase_and_how_much_of_it_is_done(monkeypatch):
    shown = shown_by(monkeypatch, True)
    for words in ("Reading", "Writing results", "Probabilities", "5,000/10,000", "Draws"):
        assert words in shown
    assert "10,000" not in shown[shown.index("Draws") :]  # how much there was of the phase before


def test_bars_are_silent_without_a_terminal(monkeypatch):
    assert shown_by(monkeypatch, False) == ""


@pytest.mark.parametrize("words", [("--model", "base", "--min-ess", 0), ("--model", "majority-vote")])
def test_a_command_in_a_pipe_prints_results_alone(tmp_path, words):
    run("simulate", "--recordings", 30, "--out", tmp_path / "data")
    done = run(
        "fit", tmp_path / "data/annotations.csv", "--absence", "checklist", *words, "--out", tmp_path / "fit"
    )
    assert done.stderr == ""
