"""Shown: a comparison of models as tables in the terminal, and as files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from ... import plots
from ...common.files.whole import whole_files
from ...evaluation.held_out.outcome import ModelComparison
from ...io.writers.csv_tables import write_table
from ...plots.comparisons import size_of
from ..terminal import say, show_table

FILES = ("models.csv", "differences.csv", "models.png")


def show_comparison(found: ModelComparison, out: Path | None) -> None:
    """Print how models compare, the advice, and where everything was written."""
    table = found.table()
    measures = ("log_score_x100", "gain", "auc", "average_precision")
    show_table(
        "How well models predict votes that were held out",
        ("model", "log score × 100", "gain", "AUC", "average precision", "seconds"),
        zip(
            table["model"],
            *(_with_errors(table, name, 3) for name in measures),
            table["seconds"].round().astype(int),
            strict=True,
        ),
        caption=f"held out: {found.held_out}; log score: smaller is better; gain: over the first model; "
        "±: one standard error",
        room=62,
    )
    if "loo" in table:
        show_table(
            "Leave-one-out over recordings (PSIS-LOO)",
            ("model", "log density", "gain", "unreliable"),
            zip(
                table["model"],
                *(_with_errors(table, name, 0) for name in ("loo", "loo_gain")),
                table["unreliable"],
                strict=True,
            ),
            caption="larger is better; unreliable: the share of recordings with a Pareto k above 0.7",
            room=50,
        )
    say(found.advice())
    if out is not None:
        say(f"Written to {out}/: {', '.join(FILES)}, and every finished fold")


def _with_errors(table: pd.DataFrame, name: str, digits: int) -> list[str]:
    """Return values with their standard errors; nothing for the first model's gain over itself."""
    pairs = zip(table[name], table[f"{name}_se"], strict=True)
    return [f"{value:,.{digits}f} ± {se:,.{digits}f}" if se else "" for value, se in pairs]


def write_comparison(found: ModelComparison, out: Path) -> None:
    """Write tables and a figure beside the folds."""
    with whole_files(out) as draft:
        for name, table in zip(FILES, (found.table(), found.differences()), strict=False):
            write_table(table, draft / name, exact_labels=True)
        figure_of(found).savefig(draft / FILES[-1], format="png", dpi=120)


def figure_of(found: ModelComparison) -> Figure:
    """Return the figure of the comparison, with room for the names of all models."""
    figure = Figure(figsize=size_of(found), layout="constrained")
    plots.compared(found, ax=figure.add_subplot())
    return figure
