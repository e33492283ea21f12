"""Tables of results in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

import pandas as pd
from scipy.special import entr

from ..annotations.labels import counted
from ..evaluation.evaluation import MARKED, MEASURES, WORDS, Evaluation
from ..results.parts.posterior_in_parts import PosteriorInParts
from ..results.result import Result
from .terminal import say, show_pairs, show_table


def show_result(result: Result | PosteriorInParts, out: Path) -> None:
    """Print the main results of a fit, and where they were written."""
    told = result if isinstance(result, PosteriorInParts) else result.annotations
    show_pairs("Annotations", told.summary().as_rows())
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
        caption="occurrence: the probability that the species is present in a recording"
        if words
        else "occurrence: mean share of votes for present; missed species are not corrected for",
    )
    if isinstance(result, HasDraws) and words:
        _show_annotators(result)
        say(words)
    say(f"Fitted {result.name}. Written to {out}/: {_files(out)}")
    say()


def _files(out: Path) -> str:
    return ", ".join(sorted(file.name + "/" * file.is_dir() for file in out.glob("[!.]*")))


@runtime_checkable
class HasDraws(Protocol):
    """A result with posterior draws."""

    def in_words(self) -> str:
        """Return sentences on the model, its priors, and whether the chains have converged."""
        ...

    def annotators(self) -> pd.DataFrame:
        """Return a row for each annotator."""
        ...


def _show_annotators(result: HasDraws) -> None:
    table = result.annotators().sort_values("recordings", ascending=False).head(8)
    show_table(
        "Most active annotators",
        ("annotator", "recordings", "true positives", "from", "to", "false positives"),
        zip(
            *(table[name] for name in ("annotator", "recordings", "tpr", "tpr_lower", "tpr_upper", "fpr")),
            strict=True,
        ),
        caption="share of present species reported, with 90 % interval; share of absent species reported"
        + (", at the annotator's overall level" if "mean_tpr" in table else ""),
    )


def show_scores(scores: Evaluation) -> None:
    """Print scores of presence probabilities against the truth."""
    share, marked = scores.present / scores.cells, MARKED[scores.compared]
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
        caption=f"{counted(scores.cells, 'cell')} in {counted(scores.recordings, 'recording')}, "
        f"{scores.present:,} {marked}; compared: {WORDS[scores.compared]}; "
        "guessing: the same probability for all cells",
    )
    table = scores.calibration[scores.calibration["cells"] > 0]
    show_table(
        f"Calibration: the share of cells {marked}, by {WORDS[scores.compared]}",
        ("probability", "cells", "mean probability", f"share {marked}"),
        [
            (f"{r['from']:.1f} to {r['to']:.1f}", int(r["cells"]), r["probability"], r["observed"])
            for r in table.to_dict("records")
        ],
    )
    table = scores.thresholds[scores.thresholds["threshold"].isin([0.1, 0.25, 0.5, 0.75, 0.9])]
    show_table(
        f"If a species counts as {'reported' if scores.compared == 'report' else 'present'} "
        "from this probability on",
        ("from", "sensitivity", "specificity", "accuracy"),
        [
            (f"{r['threshold']:.2f}", r["sensitivity"], r["specificity"], r["accuracy"])
            for r in table.to_dict("records")
        ],
        caption=f"sensitivity: of the cells {marked}, the share that is found; "
        "specificity: of the others, the share that is not",
    )
    if scores.unlisted:
        say(
            f"Not listed in presence.csv: {counted(scores.unlisted, 'cell')} of the truth, "
            "given the mean probability of all unlisted cells."
        )
