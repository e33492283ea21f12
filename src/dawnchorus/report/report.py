"""The report: one page of several sections, written whole or not at all."""

from __future__ import annotations

import platform
import re
import warnings
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .._version import __version__
from ..annotations.counting import ALL_CELLS
from ..annotations.truth import Truth, truth_frame
from ..common.errors import AnnotationWarning
from ..common.files.whole import check_page, whole_file
from ..common.showing.progress import Phases
from ..common.warn import warn
from ..evaluation.against_truth import evaluate
from ..evaluation.evaluation import Evaluation
from ..evaluation.given_tables import cells_in_parts
from ..evaluation.known_in_fit import without_known
from ..model.registry import PLAIN_OPTIONS
from ..results.parts.any_posterior import AnyPosterior
from ..results.parts.posterior_in_parts import PosteriorInParts
from ..results.result import COLUMNS
from ..sampling.settings import Settings
from .sections import (
    against_truth,
    checks,
    communities,
    known,
    listening,
    machines,
    overview,
    people,
    predictive,
    recordings,
    species,
    where_and_when,
)
from .subject import Subject, self_rating_column
from .words import number, percent

SECTIONS: dict[str, tuple[str, Callable[[Subject], Any]]] = {
    "overview": ("In short", overview.section),
    "species": ("Species", species.section),
    "where_and_when": ("Where and when", where_and_when.section),
    "recordings": ("Recordings", recordings.section),
    "listening": ("Present or reported", listening.section),
    "annotators": ("Annotators", people.section),
    "machines": ("Machines", machines.section),
    "communities": ("Communities", communities.section),
    "known": ("What was known", known.section),
    "truth": ("Against the truth", against_truth.section),
    "predictive": ("Does it fit", predictive.section),
    "checks": ("Diagnostics", checks.section),
}
IN_MEMORY = {"where_and_when", "machines", "communities", "known", "predictive"}
"""The sections that data in parts do not have."""


def write_report(
    posterior: AnyPosterior,
    path: str | Path,
    *,
    truth: Any = None,
    self_rating: str | None = None,
    record: dict[str, Any] | None = None,
    overwrite: bool = False,
    progress: Phases | None = None,
) -> None:
    """Write one self-contained HTML page about a fit, to be looked at, printed and sent.

    Parameters
    ----------
    posterior
        The result of `fit`.
    path
        The file to write, such as `"report.html"`.
    truth
        What is really present, if that is known: a `Truth`, or a frame (recording, species, present). Cells
        that were known in the fit are not compared, and counted.
    self_rating
        The column of the annotators' metadata with their self-rated level; by default, one with a usual name,
        such as `skill_level`, if there is any.
    record
        Further entries about the fit, such as the command; as in fit.json.
    overwrite
        Whether an existing file may be replaced.
    progress
        Called with sections done and in all.

    Raises
    ------
    OutputError
        If the file exists and may not be replaced, or cannot be written.
    AnnotationError
        If there is no column `self_rating`.

    Warns
    -----
    AnnotationWarning
        If all cells of the truth were known in the fit.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> simulation = dc.simulate_paper(recordings=40, species=3, visits=2, seed=1)
    >>> posterior = dc.fit(simulation.annotations, model="base", draws=50, warmup=50, min_ess=None)
    >>> with TemporaryDirectory() as home:
    ...     dc.write_report(posterior, f"{home}/report.html", truth=simulation.truth)
    """
    path = Path(path)
    check_page(path, overwrite=overwrite)
    page = report_html(
        posterior, truth=truth, self_rating=self_rating, record=record, folder=path.parent, progress=progress
    )
    write_page(page, path)


def report_html(
    posterior: AnyPosterior,
    *,
    truth: Any = None,
    self_rating: str | None = None,
    record: dict[str, Any] | None = None,
    folder: Path | None = None,
    progress: Phases | None = None,
) -> str:
    """Return the report as text."""
    scores, frame, left_out = ({}, None, 0) if truth is None else _evaluated(posterior, truth)
    subject = Subject(
        posterior,
        {**posterior.record, **(record or {})},
        self_rating_column(posterior.annotations, self_rating),
        scores.get("present"),
        scores.get("report"),
        frame,
        left_out,
        folder,
    )
    found: dict[str, Any] = {}
    for done, (name, (title, make)) in enumerate(SECTIONS.items()):
        if progress:
            progress(f"Report: {title}", done, len(SECTIONS))
        found[name] = None if subject.in_parts and name in IN_MEMORY else make(subject)
    if progress:
        progress("Report: page", len(SECTIONS), len(SECTIONS))
    titles = {name: title for name, (title, _) in SECTIONS.items() if found[name] is not None}
    return render("report.html", titles=titles, about=_about(subject), **found)


def _evaluated(posterior: AnyPosterior, truth: Any) -> tuple[dict[str, Evaluation], pd.DataFrame | None, int]:
    """Return the comparison of presence and of reports with the truth, which is returned as a frame.

    If the truth is large, some recordings are compared. Cells that were known in the fit are left out, and
    their number is returned.
    """
    a = posterior.annotations
    if isinstance(truth, Truth):
        step = -(-len(truth.recordings) * len(truth.species) // ALL_CELLS)
        truth = truth.to_frame(truth.recordings[:: max(step, 1)])
    told = truth_frame(
        truth, fold_case=a.provenance.fold_case, species=a.species.index, names=a.provenance.names
    )
    if isinstance(posterior, PosteriorInParts):
        return _compared(posterior, told, {}), cells_in_parts(posterior, told).fillna({"probability": 0.0}), 0
    frame = without_known(told, posterior.known())
    left_out = len(told) - len(frame)
    if not len(frame):
        warn("all cells of the truth were known in the fit: the report compares nothing with it")
        return {}, None, left_out
    some = None
    if posterior.presence_table.many:
        some = a.select(recordings=a.recordings.index.intersection(frame["recording"].unique()))
    cells = posterior.would_report(annotations=some)
    names: dict[str, Any] = {"recordings": a.recordings.index, "species": a.species.index, "unlisted": 0.0}
    found = _compared(cells, frame, names)
    i, k = (
        index.get_indexer(frame[word])
        for word, index in (("recording", a.recordings.index), ("species", a.species.index))
    )
    known = (i >= 0) & (k >= 0)
    probability = np.full(len(frame), np.nan)
    probability[known] = posterior.findings.at(i[known], k[known])
    return found, frame.assign(probability=probability), left_out


def _compared(cells: Any, truth: pd.DataFrame, options: dict[str, Any]) -> dict[str, Evaluation]:
    """Return the comparison with the truth of presence and of reports."""
    found = {}
    with warnings.catch_warnings():  # what is not known is told once
        for as_ in COLUMNS:
            found[as_] = evaluate(cells, truth, as_=as_, **options)
            warnings.simplefilter("ignore", AnnotationWarning)
    return found


def render(template: str, **values: Any) -> str:
    """Fill in a template."""
    return _environment().get_template(template).render(**values)


def write_page(text: str, path: Path) -> None:
    """Write a page, whole or not at all."""
    with whole_file(path) as draft:
        draft.write_bytes(text.encode("utf-8", errors="replace"))


@cache
def _environment() -> Any:

    folder = Path(__file__).with_name("templates")
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "number": number}
    environment.globals |= {
        "version": __version__,
        "style": Markup((folder / "style.css").read_text(encoding="utf-8")),
        "script": Markup((folder / "script.js").read_text(encoding="utf-8")),
    }
    return environment


def _about(subject: Subject) -> dict[str, Any]:
    """Return how the fit was made and can be made again."""
    record = subject.record
    shown = {
        "version": record.get("version", __version__),
        "model": subject.posterior.name,
        "seed": record.get("seed"),
        "chains": record.get("chains"),
        "warm-up sweeps": record.get("warmup"),
        "sweeps": record.get("sweeps"),
        "kept every": record.get("thin"),
        "seconds": record.get("seconds"),
        "python": platform.python_version(),
    }
    return {
        "settings": [(name, value) for name, value in shown.items() if value is not None],
        "command": record.get("command"),
        "recipe": _recipe(subject),
    }


def _recipe(subject: Subject) -> list[tuple[str, str]]:
    """Return the arguments of `fit` that make the same draws again, as code."""
    record, posterior = subject.record, subject.posterior
    beliefs = ", ".join(f"{name}={prior!r}" for name, prior in posterior.priors.items())
    beliefs = re.sub(r"\b([A-Z]\w+)\(", r"dc.\1(", beliefs)
    priors = f"dc.Priors.expecting(n_species={posterior.annotations.n_species}).replace({beliefs})"
    usual = {**asdict(Settings()), "seed": None, "spread": "sampled", "update": "direct"}
    given = record.get("settings", {}) | {
        name: record[name] for name in (*PLAIN_OPTIONS, "skill") if name in record
    }
    if posterior.known_cells is not None:
        given |= {"known": "known.csv", "known_as": posterior.known_cells.known_as}
    unusual = [(name, repr(value)) for name, value in given.items() if value != usual.get(name)]
    return [("model", repr(posterior.name)), ("priors", priors), *unusual]
