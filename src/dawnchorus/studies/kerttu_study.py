"""The Kerttu application: the paper's five methods on its data, compared with the expert's labels."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .._version import __version__
from ..annotations.annotations import Annotations
from ..common.checked import whole_number
from ..common.errors import ConvergenceWarning
from ..evaluation.evaluation import evaluate
from ..io.writers.csv_tables import write_table
from ..results.fitting import fit
from ..results.posterior import Posterior
from ..sampling.checkpoint import fingerprint
from . import kerttu_page
from .grid import same_study
from .pages import Page
from .published import METHODS


class Length(NamedTuple):
    """The smallest numbers of warm-up sweeps and draws of a chain."""

    warmup: int
    draws: int


PAPER = {name: Length(2000, 5000) if "hierarchical" in name else Length(1500, 1500) for name in METHODS[1:]}
"""As in the paper: 3,000 sweeps, half of them warm-up; hierarchical models: 7,000, of them 2,000 warm-up."""
QUICK = dict.fromkeys(METHODS[1:], Length(200, 200))

Bar = Callable[[str], AbstractContextManager[Any]]


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
    (out / "fits").mkdir(parents=True, exist_ok=True)
    about = {"study": "kerttu", "version": __version__, "seed": seed, "lengths": lengths, "min_ess": min_ess}
    about["data"] = fingerprint(annotations)
    same_study(out / "fits" / "about.json", about)
    fits = {
        name: _fitted(name, annotations, out / "fits" / f"{name}.nc", length, min_ess, seed, bar)
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
    page.made_by(
        command, seed, time.perf_counter() - started, "Fits that were already there are not counted."
    )
    page.parts.insert(1, page.parts.pop())
    return page.write()


def _fitted(
    name: str,
    annotations: Annotations,
    path: Path,
    length: Length,
    min_ess: float | None,
    seed: int,
    bar: Bar | None,
) -> Posterior:
    """Return the saved fit of a model, or fit it; an interrupted fit is continued."""
    if path.exists():
        return Posterior.load(path)
    checkpoint = path.with_suffix(".checkpoint")
    with bar(f"Fitting {name}") if bar else nullcontext() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the page reports it
        posterior = fit(
            annotations,
            name,
            priors="paper-kerttu",
            chains=3,
            warmup=length.warmup,
            draws=length.draws,
            min_ess=min_ess,
            seed=seed,
            checkpoint=checkpoint,
            resume=checkpoint.exists(),
            keep_checkpoint=True,
            progress=progress,
        )
    posterior.save(path)
    checkpoint.unlink()
    return posterior
