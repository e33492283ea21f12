"""The Kerttu application: the paper's five methods on its data, compared with the expert's labels."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ..annotations.annotations import Annotations
from ..common.checked import whole_number
from ..evaluation.against_truth import evaluate
from ..io.writers.csv_tables import write_table
from ..results.fitting import fit
from . import kerttu_page
from .fits import Bar, kept_fit, open_study
from .pages import Page
from .published import METHODS


class Length(NamedTuple):
    """The smallest numbers of warm-up sweeps and draws of a chain."""

    warmup: int
    draws: int


PAPER = {name: Length(2000, 5000) if "hierarchical" in name else Length(1500, 1500) for name in METHODS[1:]}
"""As in the paper: 3,000 sweeps, half of them warm-up; hierarchical models: 7,000, of them 2,000 warm-up."""
QUICK = dict.fromkeys(METHODS[1:], Length(200, 200))


def reproduce_kerttu(
    annotations: Annotations,
    out: str | Path,
    *,
    gold: Any = None,
    lengths: dict[str, Length] = PAPER,
    min_ess: float | None = 400,
    bootstrap: int = 1000,
    seed: int = 1,
    command: str = "dawnchorus.studies.reproduce_kerttu(…)",
    bar: Bar | None = None,
    working: Bar | None = None,
) -> Path:
    """Fit the paper's five methods to Kerttu with its priors, and write a page that compares them.

    Parameters
    ----------
    annotations
        The Kerttu archive, from `dc.read(path, format="kerttu")` or `dc.datasets.kerttu()`.
    out
        Folder for the page, its figures and tables. Finished fits are kept in `out/fits` and not run again.
    gold
        The expert's labels, a frame with columns recording, species, present; without them, the parts of the
        page that need them are left out.
    lengths
        Warm-up and draws of each model.
    min_ess
        Sample until every parameter has this effective sample size; none to stop after the draws.
    bootstrap
        Number of bootstrap samples of clips.
    seed
        The seed of all fits.
    command
        The command that the page names as its origin.
    bar, working
        Functions that take a title and return a context manager: a progress bar for a fit, and a spinner for
        work of unknown length.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    AnnotationError
        If `out` contains a study with other settings or data.
    """
    seed, bootstrap = whole_number("seed", seed, least=0), whole_number("bootstrap", bootstrap, least=0)
    out, started = Path(out), time.perf_counter()
    open_study(out, "kerttu", annotations, seed=seed, lengths=lengths, min_ess=min_ess)
    fits = {
        name: kept_fit(
            annotations,
            out / "fits" / f"{name}.nc",
            name,
            bar,
            model=name,
            priors="paper-kerttu",
            chains=3,
            warmup=length.warmup,
            draws=length.draws,
            min_ess=min_ess,
            seed=seed,
        )
        for name, length in lengths.items()
    }
    page = Page("The Kerttu application, again", "kerttu", out)
    results = {METHODS[0]: fit(annotations, model=METHODS[0]), **fits}
    how = (
        f"at least as many sweeps as in the paper, and more until every parameter has an effective size of "
        f"{min_ess:.0f} and R-hat ≤ 1.01"
        if min_ess
        else "in short chains that have not converged, for a quick look"
    )
    kerttu_page.add_fits(page, fits, how)
    look = working or nullcontext
    if gold is not None:
        scores = {}
        for name, result in results.items():
            with look(f"Evaluating {name}"):
                scores[name] = evaluate(result, gold, bootstrap=bootstrap, level=0.95, seed=seed)
        write_table(kerttu_page.add_scores(page, scores), out / "scores.csv")
    with look("Predictive criteria"):
        write_table(kerttu_page.add_criteria(page, fits), out / "criteria.csv")
    with look("Figures"):
        kerttu_page.add_annotators(page, fits)
        if gold is not None:
            kerttu_page.add_uncertain(page, fits["base"], pd.unique(gold["recording"]))
        kerttu_page.add_diagnostics(page, fits, seed)
    return page.write_with_origin(command, seed, started)
