"""Shown: a comparison of models as tables in the terminal, and as files."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from ... import plots
from ...common.files.whole import whole_file
from ...evaluation.held_out.outcome import ModelComparison
from ...io.writers.csv_tables import write_table
from ..terminal import say, show_table

FILES = ("models.csv", "differences.csv", "models.png")


def show_comparison(found: ModelComparison, out: Path | None) -> None:
    """Print how models compare, the advice, and where everything was written."""
    table = found.table()
    show_table(
        "How well models predict votes that were held out",
        ("model", "log score × 100", "±", "gain", "±", "AUC", "±", "average precision", "±", "seconds"),
        table[
            [
                *("model", "log_score_x100", "log_score_x100_se", "gain", "gain_se", "auc", "auc_se"),
                *("average_precision", "average_precision_se", "seconds"),
            ]
        ].itertuples(index=False),
        caption=f"held out: {found.held_out}; log score: smaller is better; gain: over the first model; "
        "±: one standard error",
    )
    if "loo" in table:
        show_table(
            "Leave-one-out over recordings (PSIS-LOO)",
            ("model", "log density", "±", "gain", "±", "unreliable"),
            table[["model", "loo", "loo_se", "loo_gain", "loo_gain_se", "unreliable"]].itertuples(
                index=False
            ),
            caption="larger is better; unreliable: the share of recordings with a Pareto k above 0.7",
        )
    say(found.advice())
    if out is not None:
        say(f"Written to {out}/: {', '.join(FILES)}, and every finished fold")


def write_comparison(found: ModelComparison, out: Path) -> None:
    """Write tables and a figure beside the folds."""
    for name, table in zip(FILES, (found.table(), found.differences()), strict=False):
        with whole_file(out / name) as draft:
            write_table(table, draft, exact_labels=True)
    figure = Figure(figsize=(7, 1.2 + 0.4 * len(found.models)), layout="constrained")
    plots.compared(found, ax=figure.add_subplot())
    with whole_file(out / FILES[-1]) as draft:
        figure.savefig(draft, format="png", dpi=120)
