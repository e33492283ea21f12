"""Feedback: a page for one annotator, fit to be sent to them.

It is about this annotator only: others appear as a typical rate or as dots without names, and there is no
ranking unless it is asked for.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import plots
from ..annotations.labels import Names, places
from ..common.errors import AnnotationError
from ..common.intervals import interval
from ..common.progress import Progress
from ..common.ragged import Bools, Floats, Ints
from ..common.whole_files import check_page
from ..results.findings.information import in_doubt
from ..results.posterior import Posterior
from ..results.presence_table import MOST_DRAWS
from .figures import draw
from .report import render, write_page
from .subject import Subject, self_rating_column

SURE = 0.8
"""A species counts as missed if it is at least so probable, and a report as doubtful below 1 − SURE."""
STRONGER = 0.9
"""An annotator is called stronger than most if that is at least so probable."""
SPECIES, RECORDINGS = 12, 5
FEWEST = 3
"""Groups of fewer others than this are not mentioned, since one could tell who they are."""


def write_feedback(
    posterior: Posterior,
    folder: str | Path,
    annotators: Names | None = None,
    *,
    self_rating: str | None = None,
    rank: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Write a page for each of these annotators, or for all.

    Parameters
    ----------
    posterior
        The result of `fit`.
    folder
        Where to write; it is made if it does not exist.
    annotators
        Their names, or a single one; by default all who visited a recording.
    self_rating
        The column of the annotators' metadata with their self-rated level; by default, one with a usual name,
        such as `skill_level`, if there is any.
    rank
        Whether to tell annotators their place among all.
    overwrite
        Whether existing pages may be replaced.
    progress
        Called with pages done and in all.

    Returns
    -------
    pandas.DataFrame
        Columns annotator and file.

    Raises
    ------
    AnnotationError
        If there is no such annotator or column, or an annotator did not visit any recording.
    OutputError
        If a page exists and may not be replaced, or cannot be written.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> annotations = dc.simulate_paper(recordings=40, annotators=3, species=3, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None)
    >>> with TemporaryDirectory() as home:
    ...     pages = dc.write_feedback(posterior, f"{home}/feedback")
    >>> pages["file"].tolist()
    ['a1.html', 'a2.html', 'a3.html']
    """
    a = posterior.annotations
    visits = a.visits_of_annotators
    if annotators is None:
        people = np.flatnonzero(visits)
    else:
        people = places(a.annotators.index, annotators)
        for j in people[visits[people] == 0]:
            raise AnnotationError(
                f"annotator '{a.annotators.index[j]}' did not visit any recording",
                "name one who did",
            )
    subject = Subject(posterior, self_rating=self_rating_column(a, self_rating))
    everybody = file_names([str(name) for name in a.annotators.index])
    files = [everybody[j] for j in people]
    index = pd.DataFrame({"annotator": a.annotators.index[people], "file": files})
    folder = Path(folder)
    for name in files:
        check_page(folder / name, overwrite=overwrite)
    pages = []
    for done, j in enumerate(people, start=1):
        pages.append(feedback_html(subject, int(j), rank=rank))
        if progress:
            progress(done, len(people))
    for name, page in zip(files, pages, strict=True):
        write_page(page, folder / name)
    return index


def feedback_html(subject: Subject, j: int, *, rank: bool = False) -> str:
    """Return the page of annotator `j` as text."""
    posterior, a = subject.posterior, subject.annotations
    row = subject.people.iloc[j]
    visited = a.visits_of_annotators > 0
    others = int(visited.sum()) - int(visited[j])
    return render(
        "feedback.html",
        name=str(a.annotators.index[j]),
        row=row.to_dict(),
        hierarchical=posterior.draws.by_pair,
        others=others if others >= FEWEST else 0,
        figure=_figure(subject, j, others),
        rank=_rank(subject, j, visited) if rank else None,
        stronger=_stronger(subject, j),
        missed=_missed(subject, j),
        doubtful=_doubtful(subject, j),
        rating=_rating(subject, j, visited),
        help=_help(subject, j),
        model=posterior.name,
    )


def _rate_draws(posterior: Posterior, rate: str) -> Floats:
    return posterior.draws.flat(rate)


def _figure(subject: Subject, j: int, others: int) -> Any:
    """Draw the annotator's rates among those of others without names; alone if these are too few."""
    name = subject.annotations.annotators.index[j]

    def fill(*axes: Any) -> None:
        for rate, ax in zip(("tpr", "fpr"), axes, strict=True):
            plots.among_others(subject.posterior, name, rate, others=others >= FEWEST, ax=ax)
        axes[1].get_legend().remove()

    among = ", among the rates of all annotators" if others >= FEWEST else ""
    words = f"Your true and false positive rate with their 90 % intervals{among}."
    return draw(fill, words, size=(8.5, 2.0), grid=(1, 2), even=True)


def _rank(subject: Subject, j: int, visited: Bools) -> dict[str, Any] | None:
    """Return the annotator's place among those who visited any recording, or None if these are too few."""
    tpr = _rate_draws(subject.posterior, "tpr")[:, visited]
    if tpr.shape[1] <= FEWEST:
        return None
    mine = _rate_draws(subject.posterior, "tpr")[:, [j]]
    low, high = interval((tpr > mine).sum(axis=1) + 1)
    return {"low": int(low), "high": int(high), "of": tpr.shape[1]}


def _stronger(subject: Subject, j: int) -> list[dict[str, Any]]:
    """Return the species of which the annotator very probably finds more than others do on average."""
    posterior, d, findings = subject.posterior, subject.posterior.design, subject.findings
    if not len(posterior.draws.limited):
        return []
    rates = posterior.parameters(MOST_DRAWS).tpr
    found: list[dict[str, Any]] = []
    for mine in range(d.pairs.start[j], d.pairs.start[j + 1]):
        k = int(d.pairs.item[mine])
        others = np.flatnonzero((d.pairs.item == k) & (d.rate_annotator != j) & (d.reports + d.silences > 0))
        if findings.met[j, k] < 1 or len(others) < FEWEST:
            continue
        typical = rates[:, others].mean(axis=1)
        if (rates[:, mine] > typical).mean() >= STRONGER:
            found.append(
                {
                    "name": subject.species[k],
                    "mine": float(rates[:, mine].mean()),
                    "others": float(typical.mean()),
                    "met": float(findings.met[j, k]),
                }
            )
    return sorted(found, key=lambda row: row["others"] - row["mine"])[:SPECIES]


def _missed(subject: Subject, j: int) -> list[dict[str, Any]]:
    """Return the species that the annotator is expected to have missed most often, and where."""
    a, findings = subject.annotations, subject.findings
    visits = a.visits_by_annotator.row(j)
    silent = (findings.voted[visits] - findings.right[visits]).tocoo()
    row, species = silent.coords
    times = np.bincount(species, silent.data, a.n_species)
    sure = silent.data >= SURE
    order = np.argsort(-times, kind="stable")
    found = []
    for k in order[np.isin(order, species[sure])][:SPECIES]:
        here = sure & (species == k)
        best = np.argsort(-silent.data[here], kind="stable")[:RECORDINGS]
        found.append(
            {
                "name": subject.species[k],
                "times": float(times[k]),
                "met": float(findings.met[j, k]),
                "recordings": [
                    (str(a.recordings.index[a.visit_recording[visits[v]]]), float(p))
                    for v, p in zip(row[here][best], silent.data[here][best], strict=True)
                ],
                "surely": int(here.sum()),
            }
        )
    return found


def _doubtful(subject: Subject, j: int) -> list[dict[str, Any]]:
    """Return the annotator's reports that are improbable."""
    a, findings = subject.annotations, subject.findings
    visits = a.visits_by_annotator.row(j)
    reports = a.reports.take(visits)
    visit, species = visits[reports.row_of_item()], reports.item
    probability = findings.at(a.visit_recording[visit], species)
    order = np.argsort(probability, kind="stable")
    order = order[probability[order] < 1 - SURE][:SPECIES]
    return [
        {
            "name": subject.species[species[r]],
            "recording": str(a.recordings.index[a.visit_recording[visit[r]]]),
            "probability": float(probability[r]),
        }
        for r in order
    ]


def _rating(subject: Subject, j: int, visited: Bools) -> dict[str, Any] | None:
    """Return a comparison of the annotator with others of the same self-rating, or None without a rating."""
    level = subject.self_ratings[j]
    if not level:
        return None
    draws = _rate_draws(subject.posterior, "tpr")
    alike = (
        np.array([other == level for other in subject.self_ratings])
        & visited
        & (np.arange(len(visited)) != j)
    )
    if np.count_nonzero(alike) < FEWEST:
        return {"level": level, "alike": 0}
    low, high = np.quantile(draws.mean(axis=0)[alike], [0.1, 0.9])
    more, less = (draws[:, j] > high).mean() >= STRONGER, (draws[:, j] < low).mean() >= STRONGER
    return {
        "level": level,
        "alike": int(np.count_nonzero(alike)),
        "low": float(low),
        "high": float(high),
        "mine": float(draws[:, j].mean()),
        "word": "more" if more else "less" if less else "as much",
    }


def _help(subject: Subject, j: int) -> dict[str, Any]:
    """Return what the annotator's visits contributed: presence with and without them."""
    posterior, a, findings = subject.posterior, subject.annotations, subject.findings
    visits = a.visits_by_annotator.row(j)
    mine = a.visit_recording[visits]
    alone = int(np.count_nonzero(a.visits_by_recording.sizes[mine] == 1))
    confirmed = int(np.count_nonzero(findings.right[visits].data >= 0.95))
    after = np.zeros(a.n_recordings, bool)
    after[findings.cells.recording[in_doubt(findings.cells.probability)]] = True
    made_certain = int(np.count_nonzero(_doubtful_without(posterior, j, mine) & ~after[mine]))
    return {
        "recordings": len(visits),
        "alone": alone,
        "made_certain": made_certain,
        "confirmed": confirmed,
        "reports": int(a.reports.sizes[visits].sum()),
    }


def _doubtful_without(posterior: Posterior, j: int, recordings: Ints) -> Bools:
    """Return in which recordings some species would be in doubt without the votes of annotator `j`."""
    a = posterior.annotations
    others = a.annotators.index[np.arange(a.n_annotators) != j]
    rest = a.select(recordings=a.recordings.index[recordings], annotators=others)
    if not rest.n_votes:  # then occurrence is all that is known
        return np.full(len(recordings), in_doubt(posterior.species()["occurrence"].to_numpy()).any())
    without = posterior.predict(rest)
    doubtful = without["recording"][in_doubt(without["probability"].to_numpy())]
    return np.asarray(np.isin(a.recordings.index[recordings], doubtful.unique()))


def file_names(people: Sequence[str]) -> list[str]:
    """Return a file name of plain letters for each annotator, all different.

    Pass all annotators, so that names do not depend on whose pages are written.

    >>> file_names(["Väinö", "Vaino 2", "Vaino", "<script>", "../x", "Илья"])
    ['vaino.html', 'vaino-2.html', 'vaino-3.html', 'script.html', 'x.html', 'annotator-6.html']
    """
    names: list[str] = []
    for number, person in enumerate(people, start=1):
        plain = unicodedata.normalize("NFKD", person).encode("ascii", "ignore").decode()
        plain = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:60] or f"annotator-{number}"
        tries = (f"{plain}{f'-{n}' if n > 1 else ''}.html" for n in itertools.count(1))
        names.append(next(name for name in tries if name not in names))
    return names
