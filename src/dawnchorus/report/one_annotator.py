"""One annotator: what a feedback page says of them, among others who are not named."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import plots
from ..common.intervals import interval
from ..common.ragged import Bools, Floats, Ints
from ..results.findings.information import in_doubt
from ..results.posterior import Posterior
from ..results.presence.presence_table import MOST_DRAWS
from .figures import draw_panels
from .subject import Subject
from .words import percent, percent_below

SURE = 0.8
"""A species counts as missed if it is at least so probable, and a report as doubtful below 1 − SURE."""
STRONGER = 0.9
"""An annotator is said to find more, or less, than others if that is at least so probable."""
SPECIES, RECORDINGS = 12, 5
ANY = 0.5
"""With fewer expected encounters than this, an annotator is taken to have had none."""
FEWEST = 3
"""Groups of fewer others than this are not mentioned, since one could tell who they are."""


def encounters(subject: Subject, j: int) -> dict[str, bool]:
    """Return whether the annotator voted on any species that is present, and any that is absent, so far."""
    design, met = subject.whole.design, float(subject.findings.met[j].sum())
    reports, silences = design.sure
    votes = int((reports + silences)[design.rate_annotator == j].sum())
    return {"present": met >= ANY, "absent": votes - met >= ANY}


def _rate_draws(posterior: Posterior, rate: str) -> Floats:
    return posterior.draws.flat(rate)


def figure(subject: Subject, j: int, others: int) -> Any:
    """Draw the annotator's rates among those of others without names; alone if these are too few."""
    name = subject.annotations.annotators.index[j]

    def fill(*axes: Any) -> None:
        for rate, ax in zip(("tpr", "fpr"), axes, strict=True):
            plots.among_others(subject.whole, name, rate, others=others >= FEWEST, ax=ax)
        axes[1].get_legend().remove()

    among = ", among the rates of all annotators" if others >= FEWEST else ""
    words = f"Your true and false positive rate with their 90 % intervals{among}."
    return draw_panels(fill, words, 2, columns=2, height=2.0)


def rank(subject: Subject, j: int, visited: Bools) -> dict[str, Any] | None:
    """Return the annotator's place among those who visited any recording, or None if these are too few.

    Where it may be any place, the votes have not told it.
    """
    tpr = _rate_draws(subject.whole, "tpr")[:, visited]
    if tpr.shape[1] <= FEWEST:
        return None
    mine = _rate_draws(subject.whole, "tpr")[:, [j]]
    low, high = interval((tpr > mine).sum(axis=1) + 1)
    first, last, among = int(np.floor(low)), int(np.ceil(high)), tpr.shape[1]
    return {"low": first, "high": last, "of": among, "told": (first, last) != (1, among)}


def stronger(subject: Subject, j: int) -> list[dict[str, Any]]:
    """Return the species of which the annotator very probably finds more than others do on average."""
    posterior, d, findings = subject.whole, subject.whole.design, subject.findings
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


def missed(subject: Subject, j: int) -> list[dict[str, Any]]:
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


def doubtful(subject: Subject, j: int) -> list[dict[str, Any]]:
    """Return the annotator's reports that are improbable, the least probable first."""
    a, findings = subject.annotations, subject.findings
    visits = a.visits_by_annotator.row(j)
    reports = a.reports.take(visits)
    visit, species = visits[reports.row_of_item()], reports.item
    probability = findings.at(a.visit_recording[visit], species)
    order = np.argsort(probability, kind="stable")
    order = order[probability[order] < 1 - SURE]
    return [
        {
            "name": subject.species[species[r]],
            "recording": str(a.recordings.index[a.visit_recording[visit[r]]]),
            "probability": float(probability[r]),
            "shown": percent_below(float(probability[r]), 1 - SURE),
        }
        for r in order
    ]


def rating(subject: Subject, j: int, visited: Bools) -> dict[str, Any] | None:
    """Return a comparison of the annotator with others of the same self-rating, or None without a rating."""
    level = subject.self_ratings[j]
    if not level:
        return None
    draws = _rate_draws(subject.whole, "tpr")
    alike = (
        np.array([other == level for other in subject.self_ratings])
        & visited
        & (np.arange(len(visited)) != j)
    )
    if np.count_nonzero(alike) < FEWEST:
        return {"level": level, "alike": 0}
    rates = draws.mean(axis=0)
    low = float(np.quantile(rates[alike], 0.1, method="lower"))  # so that most are between, also of three
    high = float(np.quantile(rates[alike], 0.9, method="higher"))
    more, less = (draws[:, j] > high).mean() >= STRONGER, (draws[:, j] < low).mean() >= STRONGER
    mine, bounds = float(rates[j]), (percent(low), percent(high))
    word = "as much"
    if percent(mine) not in bounds and not low <= mine <= high:
        word = "perhaps more" if mine > high else "perhaps less"
    return {
        "level": level,
        "alike": int(np.count_nonzero(alike)),
        "low": low,
        "high": high,
        "mine": mine,
        "word": "more" if more else "less" if less else word,
    }


def contribution(subject: Subject, j: int) -> dict[str, Any]:
    """Return what the annotator's visits contributed: presence with and without them."""
    posterior, a, findings = subject.whole, subject.annotations, subject.findings
    visits = a.visits_by_annotator.row(j)
    mine = a.visit_recording[visits]
    alone = int(np.count_nonzero(a.visits_by_recording.sizes[mine] == 1))
    confirmed = int(np.count_nonzero(findings.right[visits].data >= 0.95))
    after = np.zeros(a.n_recordings, bool)
    after[findings.cells.recording[in_doubt(findings.cells.probability)]] = True
    made_certain = int(np.count_nonzero(_doubtful_without(posterior, j, mine) & ~after[mine]))
    return {
        "recordings": len(visits),
        "alone_words": _alone_words(alone, len(visits)),
        "made_certain": made_certain,
        "confirmed": confirmed,
        "reports": int(a.reports.sizes[visits].sum()),
    }


def _alone_words(alone: int, recordings: int) -> str:
    """Return how many of the recordings nobody else has heard, in words."""
    if alone == 0:
        return "somebody else has heard it too" if recordings == 1 else "others have heard all of them too"
    if alone == recordings:
        return "nobody else has heard it" if recordings == 1 else "nobody else has heard any of them"
    return f"{alone:,} of them by nobody but you"


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
