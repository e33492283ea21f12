"""Show: results in the terminal, as an ecologist would read them."""

from __future__ import annotations

from pathlib import Path

from .evaluation import MEASURES, Evaluation
from .models import Result
from .terminal import say, show_pairs, show_table


def show_result(result: Result, out: Path) -> None:
    """Show what was fitted and where it was written."""
    show_pairs("Annotations", result.annotations.summary().as_rows())
    names = result.annotations.species.get("name")
    table = result.species().sort_values("reports", ascending=False).head(8)
    label = table["species"]
    if names is not None:
        label = label.map(names).fillna(label)
    show_table(
        "Most reported species",
        ("species", "reports", "occurrence"),
        zip(label, table["reports"], table["occurrence"], strict=True),
        caption="occurrence: mean probability of presence in a recording",
    )
    files = ", ".join(sorted(file.name for file in out.glob("[!.]*")))
    say(f"Fitted {result.name}. Written to {out}/: {files}")
    say()


def show_scores(scores: Evaluation) -> None:
    """Show how the probabilities compare with the truth."""
    good = {"auc": "1", "average_precision": "1"}
    rows = [
        (
            title,
            getattr(scores, name),
            *scores.intervals.get(name, (None, None)),
            good.get(name, "0"),
        )
        for name, title in MEASURES.items()
    ]
    if scores.intervals:
        columns: tuple[str, ...] = ("measure", "value", "lower", "upper", "perfect")
    else:
        columns, rows = ("measure", "value", "perfect"), [(r[0], r[1], r[4]) for r in rows]
    show_table(
        "Against the truth",
        columns,
        rows,
        caption=f"{scores.cells:,} cells in {scores.recordings:,} recordings, {scores.present:,} present",
    )
    table = scores.calibration[scores.calibration["cells"] > 0]
    show_table(
        "When the model says … the species is there in …",
        ("probability", "cells", "mean probability", "observed"),
        [
            (f"{r['from']:.1f} to {r['to']:.1f}", int(r["cells"]), r["probability"], r["observed"])
            for r in table.to_dict("records")
        ],
    )
    table = scores.thresholds[scores.thresholds["threshold"].isin([0.1, 0.25, 0.5, 0.75, 0.9])]
    show_table(
        "If a species counts as present from this probability on",
        ("threshold", "sensitivity", "specificity", "accuracy"),
        table[["threshold", "sensitivity", "specificity", "accuracy"]].to_numpy().tolist(),
    )
    if scores.unlisted:
        say(
            f"{scores.unlisted:,} cells are not listed in presence.csv; "
            "they count with the mean probability of all such cells."
        )
