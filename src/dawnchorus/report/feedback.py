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

import numpy as np
import pandas as pd

from ..annotations.labels import Names, in_table, places
from ..common.checked import yes_or_no
from ..common.errors import AnnotationError
from ..common.files.whole import check_page, whole_files
from ..common.showing.progress import Progress
from ..results.parts.presence_in_parts import needs_votes
from ..results.posterior import Posterior
from . import one_annotator
from .one_annotator import FEWEST, SPECIES
from .report import render, write_page
from .subject import Subject, self_rating_column


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
    needs_votes(posterior, "feedback")
    yes_or_no(rank=rank)
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
    with whole_files(folder) as draft:
        for name, page in zip(files, pages, strict=True):
            write_page(page, draft / name)
    return index


def feedback_html(subject: Subject, j: int, *, rank: bool = False) -> str:
    """Return the page of annotator `j` as text."""
    posterior, a = subject.whole, subject.annotations
    row = subject.people.iloc[j]
    visited = a.visits_of_annotators > 0
    others = int(visited.sum()) - int(visited[j])
    missed = one_annotator.missed(subject, j)
    doubtful = one_annotator.doubtful(subject, j)
    return render(
        "feedback.html",
        name=str(a.annotators.index[j]),
        row=row.to_dict(),
        hierarchical=posterior.draws.by_pair,
        others=others if others >= FEWEST else 0,
        alone=others == 0,
        several=a.n_species > 1,
        met=one_annotator.encounters(subject, j),
        figure=one_annotator.figure(subject, j, others),
        rank=one_annotator.rank(subject, j, visited) if rank else None,
        stronger=one_annotator.stronger(subject, j),
        missed=missed,
        doubtful=doubtful[:SPECIES],
        doubtful_shown=in_table(
            min(len(doubtful), SPECIES), len(doubtful), "improbable report", "the least probable first"
        ),
        rating=one_annotator.rating(subject, j, visited),
        help=one_annotator.contribution(subject, j),
        model=posterior.name,
    )


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
