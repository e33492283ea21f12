"""Confusions: which species were taken for which other, as far as the evidence holds against chance.

Who takes species k for species l misses k and reports l in the same visit. Errors of both kinds also meet by
chance, and among thousands of pairs of species some meet often. So each pair is tested.

Whether a species is present where visit v listened is judged by the votes of the *other* visitors on that
species, at the mean rates and occurrence of the fit. Look at the visits where k is so judged to be present,
with a probability of at least SURE. In such a visit, s[v] = 1 if it is silent about k, and w[v] = 1 if it
reports l *against the others*: where l is so judged to be less probable than not.

**Without confusion**, the votes on k and on l are independent given presence. As k is present in all these
visits, s[v] has the same probability, 1 − tpr[j, k], in all visits of annotator j, whatever was voted on l
and however the two species occur together. So, given how many of j's n visits are silent (m) and how many
report l against the others (r), the number that do both is hypergeometric(n, m, r). It has no parameter: it
does not matter how hard the species are and how careful the annotator is. Summed over annotators,

    T = Σ_v s[v] w[v]

is a sum of hypergeometric numbers, and its exact distribution gives the p-value: Fisher's test, stratified
by annotator (Mantel and Haenszel 1959). If the odds of missing k are θ times as high in visits that report l,
the probability of T = t is proportional to θ^t times that for θ = 1, which gives an exact interval.

**Many pairs.** Pairs that could not differ from chance whatever happened are left out; n, m and r tell which
(Tarone 1990, Gilbert 2005). Among the others, those are listed at which the false discovery rate is at most
the one asked for (Benjamini and Hochberg 1995), and intervals are widened for this selection (Benjamini and
Yekutieli 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from scipy.special import gammaln, logit, logsumexp

from ...annotations.arrays import VoteArrays
from ...common.lazy import lazy
from ...common.ragged import Bools, Floats, Ints
from ...model.design import Design
from ...model.rates import all_inside, ratios

OPTIMIZE = lazy("scipy.optimize")
"""Only needed where a confusion is found."""

SURE = 0.9
"""A species is taken to be present if, by the votes of others, it is at least so probable."""
LARGEST = 1e9
"""Odds ratios are between this and its inverse."""


class Votes(NamedTuple):
    """The votes on cells that anybody reported."""

    visit: Ints
    species: Ints
    present: Bools
    by_others: Floats
    """The log-odds of presence in the cell by the votes of everybody else."""


class Strata(NamedTuple):
    """Annotators by pair of species, in order of pairs: visits, those silent, those against, and both."""

    pair: Ints
    visits: Ints
    silent: Ints
    against: Ints
    both: Ints


class Meetings(NamedTuple):
    """How often two species met in a visit of an annotator: one that is surely present, one reported alone.

    `key` stands for both species and the annotator, ascending. `against` are the visits in which the second
    was reported against the others, and `both` those of them that missed the first.
    """

    key: Ints
    against: Ints
    both: Ints


class Sure(NamedTuple):
    """The visits of an annotator in which a species is surely present, and how many of them missed it.

    `key` stands for the annotator and the species, ascending.
    """

    key: Ints
    visits: Ints
    silent: Ints


Counts = TypeVar("Counts", Meetings, Sure)


class Confusions(NamedTuple):
    """Pairs of a species that was missed and one that was reported in its place, by their places.

    Of `visits` that reported the second, against the others, where the first is present, `times` missed the
    first; `chance` are expected to have by chance. `odds` are those of missing it over those in other visits.
    """

    species: Ints
    reported: Ints
    visits: Ints
    times: Ints
    chance: Floats
    odds: Floats
    lower: Floats
    upper: Floats
    q_value: Floats


def votes_on_reported(design: Design, tpr: Floats, fpr: Floats, unsure: float, occurrence: Floats) -> Votes:
    """Return the votes on reported cells, and the log-odds of presence that they lead to at these means.

    Unsure marks that are votes count in log-odds, but are neither hit nor miss.
    """
    a, cells = design.annotations, design.layout.reported.cells
    visits = a.visits_by_recording.take(cells.row_of_item())
    cell = visits.row_of_item()
    voted = a.has_voted(visits.item, cells.item[cell])
    visit, cell = visits.item[voted], cell[voted]
    species = cells.item[cell]
    parts = 1 + design.marks.contains(visit, species)  # a mark is a report and a silence
    evidence = np.bincount(
        np.repeat(np.arange(len(visit)), parts),
        np.log(ratios(tpr, fpr, unsure))[design.layout.reported.vote],
        len(visit),
    )
    log_odds = logit(all_inside(occurrence))[cells.item] + np.bincount(cell, evidence, len(cells.item))
    present, sure = a.reports.contains(visit, species), parts == 1
    found = visit, species, present, log_odds[cell] - evidence
    return Votes(*(part[sure] for part in found))


def confusions(
    a: VoteArrays, met: Meetings, sure: Sure, false_discovery_rate: float, level: float
) -> Confusions:
    """Return the pairs that stand out from chance, those with the largest excess first."""
    species, reported, strata = _strata(a, met, sure)
    tested = _testable(_smallest_p(strata, len(species)), false_discovery_rate)
    edges = np.searchsorted(strata.pair, np.arange(len(species) + 1))
    parts = [Strata(*(part[edges[p] : edges[p + 1]] for part in strata)) for p in tested]
    sums = [_null_distribution(part) for part in parts]
    times = np.array([part.both.sum() for part in parts], np.int64)
    p_value = np.array([_tail(*null, t) for null, t in zip(sums, times, strict=True)])
    q_value = _q_values(p_value)
    listed = np.flatnonzero(q_value <= false_discovery_rate)
    outside = (1 - level) * len(listed) / max(len(tested), 1)
    odds = np.array([_odds(*sums[n], int(times[n]), outside) for n in listed]).reshape(-1, 3)
    chance = np.array([(parts[n].against * parts[n].silent / parts[n].visits).sum() for n in listed])
    visits = np.array([parts[n].against.sum() for n in listed], np.int64)
    pair = tested[listed]
    found = Confusions(
        species=species[pair],
        reported=reported[pair],
        visits=visits,
        times=times[listed],
        chance=chance,
        odds=odds[:, 0],
        lower=odds[:, 1],
        upper=odds[:, 2],
        q_value=q_value[listed],
    )
    order = np.lexsort((found.reported, found.species, chance - found.times))
    return Confusions(*(part[order] for part in found))


def confusion_table(species: pd.Index, found: Confusions) -> pd.DataFrame:
    """Return the table of `Findings.confusions`."""
    names = {name: species[getattr(found, name)] for name in ("species", "reported")}
    table = pd.DataFrame({**found._asdict(), **names})
    return table.rename(columns={"lower": "odds_lower", "upper": "odds_upper"})


def meetings(a: VoteArrays, votes: Votes) -> Meetings:
    """Return how often two species met in visits of each annotator."""
    there = votes.by_others >= logit(SURE)
    visit, k, silent = votes.visit[there], votes.species[there], ~votes.present[there]
    against = votes.present & (votes.by_others < 0)
    # Each vote on a species that is there, beside each report against others in the same visit.
    order = np.argsort(votes.visit[against], kind="stable")
    of_visit, said = votes.visit[against][order], votes.species[against][order]
    start, end = np.searchsorted(of_visit, visit), np.searchsorted(of_visit, visit, side="right")
    vote = np.repeat(np.arange(len(visit)), end - start)
    place = np.arange(len(vote)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
    said = said[place + start[vote]]
    annotator = a.visit_annotator[visit[vote]]
    key = (k[vote].astype(np.int64) * a.n_species + said) * a.n_annotators + annotator
    return Meetings(*_counted(key, silent[vote]))


def sure_visits(a: VoteArrays, votes: Votes, wanted: Ints | None = None) -> Sure:
    """Return the visits in which species are surely present, by annotator; those of these keys only."""
    there = votes.by_others >= logit(SURE)
    key = a.visit_annotator[votes.visit[there]].astype(np.int64) * a.n_species + votes.species[there]
    silent = ~votes.present[there]
    if wanted is not None:
        some = np.isin(key, wanted)
        key, silent = key[some], silent[some]
    return Sure(*_counted(key, silent))


def added(parts: Sequence[Counts]) -> Counts:
    """Return the counts of several parts of the data together."""
    keys, here = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    sums = (
        np.bincount(here, np.concatenate([part[n] for part in parts]), len(keys)).astype(np.int64)
        for n in (1, 2)
    )
    return type(parts[0])(keys, *sums)


def sure_keys(a: VoteArrays, met: Meetings) -> Ints:
    """Return the keys of the annotators and of the first species in meetings, as those of sure visits."""
    pair, annotator = np.divmod(met.key, a.n_annotators)
    return annotator * a.n_species + pair // a.n_species


def _counted(key: Ints, silent: Bools) -> tuple[Ints, Ints, Ints]:
    """Return the distinct keys, how often each occurs, and how often with silence."""
    keys, here = np.unique(key, return_inverse=True)
    return keys, np.bincount(here, minlength=len(keys)), np.bincount(here, silent, len(keys)).astype(np.int64)


def _strata(a: VoteArrays, met: Meetings, sure: Sure) -> tuple[Ints, Ints, Strata]:
    """Return pairs of species that met in a visit, one sure, one reported against others; and strata."""
    pairs, pair = np.unique(met.key // a.n_annotators, return_inverse=True)
    at = np.searchsorted(sure.key, sure_keys(a, met))
    strata = Strata(pair, sure.visits[at], sure.silent[at], met.against, met.both)
    return *np.divmod(pairs, a.n_species), strata


def _smallest_p(strata: Strata, pairs: int) -> Floats:
    """Return the smallest p-value that each pair could have: that of as many together as possible."""
    most = np.minimum(strata.silent, strata.against)
    log_p = _log_hypergeometric(most, strata.visits, strata.silent, strata.against)
    return np.exp(np.bincount(strata.pair, log_p, pairs))


def _testable(smallest: Floats, rate: float) -> Ints:
    """Return the pairs that could be found among as many as could be: the fewest K with p ≤ rate / K."""
    order = np.argsort(smallest, kind="stable")
    number = np.arange(1, len(order) + 1)
    enough = np.searchsorted(smallest[order], rate / number, side="right") <= number
    if not len(order):
        return order
    return np.sort(order[: np.searchsorted(smallest[order], rate / number[np.argmax(enough)], side="right")])


def _log_hypergeometric(both: Ints, visits: Ints, silent: Ints, against: Ints) -> Floats:
    rest = _log_choose(visits - silent, against - both)
    return _log_choose(silent, both) + rest - _log_choose(visits, against)


def _log_choose(n: Ints, k: Ints) -> Floats:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _null_distribution(strata: Strata) -> tuple[int, Floats]:
    """Return the smallest possible sum over annotators, and the probabilities of it and all larger ones."""
    least, total = 0, np.ones(1)
    for visits, silent, against in zip(strata.visits, strata.silent, strata.against, strict=True):
        low, high = max(0, against + silent - visits), min(silent, against)
        probability = np.exp(_log_hypergeometric(np.arange(low, high + 1), visits, silent, against))
        least, total = least + int(low), np.convolve(total, probability)
    return least, total / total.sum()


def _tail(least: int, probability: Floats, times: int) -> float:
    return float(min(probability[times - least :].sum(), 1.0))


def _q_values(p: Floats) -> Floats:
    """Return the smallest false discovery rate at which each is listed (Benjamini and Hochberg 1995)."""
    order = np.argsort(p, kind="stable")
    raised = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(raised[::-1])[::-1].clip(max=1)
    return q


def _odds(least: int, probability: Floats, times: int, outside: float) -> tuple[float, float, float]:
    """Return the odds ratio that makes `times` the mean, and its interval with `outside` left out."""
    t = least + np.arange(len(probability))
    with np.errstate(divide="ignore"):
        log_p = np.log(probability)

    def tilted(log_ratio: float) -> Floats:
        weight = log_p + t * log_ratio
        return np.exp(weight - logsumexp(weight))

    def solved(value: Any, wanted: float) -> float:
        ends = -np.log(LARGEST), np.log(LARGEST)
        return float(np.exp(OPTIMIZE.brentq(lambda x: value(tilted(x)) - wanted, *ends)))

    some, every = times > t[0], times == t[-1]
    at = times - least
    return (
        np.inf if every else solved(lambda p: p @ t, times) if some else 0.0,
        solved(lambda p: p[at:].sum(), outside / 2) if some else 0.0,
        np.inf if every else solved(lambda p: p[: at + 1].sum(), outside / 2),
    )
