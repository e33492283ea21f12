"""Comparisons of models with long names are shown whole: in the figure and in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import pytest
from rich.console import Console

import dawnchorus as dc
from dawnchorus.cli import terminal
from dawnchorus.cli.comparing import shown
from dawnchorus.evaluation.held_out.specs import read_spec

mpl.use("Agg")
LONG = "base-hierarchical + difficulty + faint + unsure + context(site + cc(hour, df=6) + bs(date, df=5))"


@pytest.fixture(scope="module")
def compared():
    annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=3, seed=1).annotations
    short = {"folds": 2, "draws": 20, "warmup": 20, "workers": 1, "loo": False}
    found = dc.compare(annotations, "base, base + learned", **short)
    first, second = found.models
    others = (replace(second, spec=read_spec(text)) for text in (LONG, f"{LONG} + deceptive"))
    return replace(found, models=(first, second, *others))


def test_names_are_inside_the_figure_and_do_not_overlap(compared):
    for figure in (dc.plots.compared(compared).figure, shown.figure_of(compared)):
        figure.draw_without_rendering()
        boxes = [tick.get_window_extent() for tick in figure.axes[0].get_yticklabels()]
        assert min(box.x0 for box in boxes) >= 0
        assert all(above.y0 > below.y1 for above, below in pairwise(boxes))
        assert figure.axes[0].xaxis.label.get_window_extent().y0 >= 0
        assert figure.axes[0].get_window_extent().width > figure.bbox.width / 4


def test_a_narrow_terminal_shows_all_of_every_name(compared, monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(terminal, "out", Console(file=text, width=80))
    shown.show_comparison(compared, None)
    table = text.getvalue().partition("held out:")[0]
    assert max(map(len, table.splitlines())) <= 80
    first = " ".join(line.split("│")[1].strip() for line in table.splitlines() if line.count("│") > 2)
    for one in compared.models:
        assert one.spec.text in " ".join(first.split())
