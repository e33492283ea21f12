"""Show: results in the terminal, as an ecologist would read them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

import pandas as pd
from scipy.special import entr

from ..annotations.labels import counted
from ..evaluation.evaluation import MEASURES, Evaluation
from ..results.result import Result
from .terminal import say, show_pairs, show_table


def show_result(result: Result, out: Path) -> None:
    """Show what was fitted and where it was written."""
    show_pairs("Annotations", result.annotations.summary().as_rows())
    names = result.annotations.species.get("name")
    table = result.species().sort_values("reports", ascending=False).head(8)
    label = table["species"]
    if names is not None:
        label = label.map(names).fillna(label)
    words = result.in_words() if isinstance(result, HasDraws) else None
    show_table(
        "Most reported species",
        ("species", "reports", "occurrence"),
        zip(label, table["reports"], table["occurrence"], strict=True),
        caption="occurrence: the probability that a recording holds it"
        if words
        else "occurrence: mean share of votes for it, where somebody voted; misses are not corrected for",
    )
    if isinstance(result, HasDraws) and words:
        _show_annotators(result)
        say(words)
    files = ", ".join(sorted(file.name for file in out.glob("[!.]*")))
    say(f"Fitted {result.name}. Written to {out}/: {files}")
    say()


@runtime_checkable
class HasDraws(Protocol):
    """A result that was sampled."""

    def in_words(self) -> str:
        """Say what was fitted, with which priors, and whether the chains have converged."""
        ...

    def annotators(self) -> pd.DataFrame:
        """Return a row for each annotator."""
        ...


def _show_annotators(result: HasDraws) -> None:
    table = result.annotators().sort_values("recordings", ascending=False).head(8)
    show_table(
        "Most active annotators",
        ("annotator", "recordings", "reports what is there", "from", "to", "reports what is not"),
        zip(
            *(table[name] for name in ("annotator", "recordings", "tpr", "tpr_lower", "tpr_upper", "fpr")),
            strict=True,
        ),
        caption="true positive rate with its 90 % interval, and false positive rate"
        + (", at the annotator's overall level" if "mean_tpr" in table else ""),
    )


def show_scores(scores: Evaluation) -> None:
    """Show how the probabilities compare with the truth."""
    share = scores.present / scores.cells
    guess = {
        "auc": (0.5, 1),
        "average_precision": (share, 1),
        "brier": (share * (1 - share), 0),
        "log_score": (float(entr(share) + entr(1 - share)), 0),
        "calibration_error": (None, 0),
    }
    rows = [
        (title, getattr(scores, name), *scores.intervals.get(name, ()), *guess[name])
        for name, title in MEASURES.items()
    ]
    show_table(
        "Against the truth",
        ("measure", "value", *(("lower", "upper") if scores.intervals else ()), "guessing", "perfect"),
        rows,
        caption=f"{scores.cells:,} cells in {counted(scores.recordings, 'recording')}, {scores.present:,} "
        "present; guessing: the same probability everywhere",
    )
    table = scores.calibration[scores.calibration["cells"] > 0]
    show_table(
        "Calibration: of the cells with such a probability, how many are really present",
        ("probability", "cells", "mean probability", "share present"),
        [
            (f"{r['from']:.1f} to {r['to']:.1f}", int(r["cells"]), r["probability"], r["observed"])
            for r in table.to_dict("records")
        ],
    )
    table = scores.thresholds[scores.thresholds["threshold"].isin([0.1, 0.25, 0.5, 0.75, 0.9])]
    show_table(
        "If a species counts as present from this probability on",
        ("from", "sensitivity", "specificity", "accuracy"),
        [
            (f"{r['threshold']:.2f}", r["sensitivity"], r["specificity"], r["accuracy"])
            for r in table.to_dict("records")
        ],
        caption="sensitivity: share of present cells found; specificity: share of absent cells left alone",
    )
    if scores.unlisted:
        say(
            f"{scores.unlisted:,} cells are not listed in presence.csv; "
            "they count with the mean probability of all such cells."
        )
