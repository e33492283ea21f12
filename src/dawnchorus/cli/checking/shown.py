"""Shown: posterior predictive checks in the terminal, and as files."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from ...common.files.whole import add_to_manifest, check_new, check_place, whole_file
from ...common.wording import for_command_line
from ...evaluation.checks.outcome import TOO_FEW, UNMODELLED, Found, PredictiveChecks
from ...io.writers.csv_tables import write_table
from ...plots.predictive_checks import draw_checks
from ..terminal import say, show_table

TABLE, FIGURE = "checks.csv", "checks.png"
COLUMNS = 3


def check_files(folder: Path, *, overwrite: bool) -> None:
    """Raise `OutputError` if the files cannot be written, before any work is done."""
    for name in (TABLE, FIGURE):
        check_new(folder / name, overwrite=overwrite)
        check_place(folder / name)


def show_checks(found: PredictiveChecks, out: Path | None) -> None:
    """Print what checks found, what to try, and where it was written."""
    show_table(
        f"Does {found.model} describe the data?",
        ("looked at", "observed", "as expected", "p-value", "verdict"),
        [_row(one) for one in found.found()],
        caption=f"{found.simulations:,} simulations from the fit; as expected: what is no surprise; p-value: "
        "how rarely a simulation is as far from what is expected",
    )
    say(for_command_line(found.advice()))
    if out is not None:
        say(f"Written to {out}/: {TABLE}, {FIGURE}")


def _row(one: Found) -> tuple[str, ...]:
    said = "", ""
    if one.verdict not in (TOO_FEW, UNMODELLED):
        said = f"{one.shown(one.lower)} to {one.shown(one.upper)}", f"{one.p_value:.3f}"
    return one.title, one.shown(one.observed), *said, one.verdict


def write_checks(found: PredictiveChecks, folder: Path) -> None:
    """Write the table and a figure into the folder of a fit."""
    with whole_file(folder / TABLE) as draft:
        write_table(found.table(), draft, exact_labels=True)
    rows = max(-(-len(found.checked) // COLUMNS), 1)
    figure = Figure(figsize=(3.4 * COLUMNS, 2.5 * rows), layout="constrained")
    draw_checks(found, list(figure.subplots(rows, COLUMNS, squeeze=False).ravel()))
    with whole_file(folder / FIGURE) as draft:
        figure.savefig(draft, format="png", dpi=120)
    add_to_manifest(folder / TABLE, folder / FIGURE)
