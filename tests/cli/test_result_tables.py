"""What people see in the terminal, to the letter."""

from __future__ import annotations

import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.cli import result_tables as show
from dawnchorus.cli import terminal


@pytest.fixture
def shown(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "out", terminal.Console(width=100, highlight=False, legacy_windows=False))
    return lambda: [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def rows(lines, title):
    """Give the cells of the table under a title."""
    start = lines.index(title)
    body = [line for line in lines[start:] if line.startswith("│")]
    ends = [i for i, line in enumerate(lines[start:]) if line.startswith("└")]
    body = [line for line in lines[start : start + ends[0]] if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in body]


def test_scores(shown):
    labels = {"recording": list("aaabbb"), "species": [1, 2, 3] * 2}
    presence = pd.DataFrame(labels | {"probability": [0.9, 0.2, 0.0, 0.6, 0.0, 0.0]})
    truth = pd.DataFrame(labels | {"present": [1, 0, 0, 0, 1, 0]})
    show.show_scores(dc.evaluate(presence, truth))
    lines = shown()
    assert rows(lines, "Against the truth")[:2] == [
        ["AUC", "0.625", "0.500", "1"],
        ["average precision", "0.667", "0.333", "1"],
    ]
    which = "the probability that a species is present"
    assert rows(lines, f"Calibration: the share of cells present, by {which}") == [
        ["0.0 to 0.1", "3", "0.000", "0.333"],
        ["0.2 to 0.3", "1", "0.200", "0.000"],
        ["0.6 to 0.7", "1", "0.600", "0.000"],
        ["0.9 to 1.0", "1", "0.900", "1.000"],
    ]
    assert rows(lines, "If a species counts as present from this probability on") == [
        ["0.10", "0.500", "0.500", "0.500"],
        ["0.25", "0.500", "0.750", "0.667"],
        ["0.50", "0.500", "0.750", "0.667"],
        ["0.75", "0.500", "1.000", "0.833"],
        ["0.90", "0.500", "1.000", "0.833"],
    ]
    show.show_scores(dc.evaluate(presence, truth, bootstrap=20))
    assert "lower" in "".join(shown())


def test_scores_of_reports_do_not_speak_of_presence(shown):
    labels = {"recording": list("aaabbb"), "species": [1, 2, 3] * 2}
    said = pd.DataFrame(labels | {"would_report": [0.9, 0.2, 0.0, 0.6, 0.0, 0.0]})
    scores = dc.evaluate(said, pd.DataFrame(labels | {"present": [1, 0, 0, 0, 1, 0]}), as_="report")
    show.show_scores(scores)
    text = " ".join(" ".join(shown()).replace("│", " ").split())
    which = "the probability that a typical annotator would report it"
    assert f"Calibration: the share of cells that the truth marks, by {which}" in text
    assert "2 that the truth marks; compared" in text
    assert "If a species counts as reported from this probability on" in text
    assert "present" not in text
    assert dc.plots.calibration(scores).get_ylabel() == "share of cells that the truth marks"
    assert "2 that the truth marks" in str(scores)


def test_result(shown, tmp_path, table):
    names = pd.DataFrame({"species": ["wren", "owl"], "name": ["Eurasian Wren", "Ural Owl"]})
    annotations = dc.Annotations.from_frame(table, absence="checklist", species=names)
    result = dc.fit(annotations, model="majority-vote")
    dc.write_result(result, tmp_path / "fit")
    show.show_result(result, tmp_path / "fit")
    lines = shown()
    assert sorted(rows(lines, "Most reported species")) == [
        ["Eurasian Wren", "1", "0.167"],
        ["Ural Owl", "1", "0.167"],
        ["robin", "1", "0.167"],
    ]
    assert any("cells without a vote" in line and "0 of 9 cells" in line for line in lines)
