"""Predictive: presence given the votes on a recording, for every draw of the parameters.

With components r of weight[r] (one, if species are independent), the votes on recording i have the
probability

    ∏ over votes P(vote | absent) · Σ_r weight[r] ∏_k (1 − occurrence[r, k] + occurrence[r, k] · m[k]),

m[k] being the product of P(vote | present) / P(vote | absent) over the votes on species k, 1 if there are
none: presence is summed out. Given component r, species k is present with probability
occurrence[r, k] · m[k] / (1 − occurrence[r, k] + occurrence[r, k] · m[k]), and r has a share in proportion
to its term of the sum. So probabilities are averaged as probabilities, for fitted recordings and for new
ones alike. In a Dirichlet process, all components that nothing belongs to yet are one, with the mean
occurrence of the prior: exact for the likelihood and for new recordings, and for fitted ones off by the order
of concentration over recordings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import numpy as np

from ...annotations.annotations import Annotations
from ...common.compiled import compiled
from ...common.ragged import Floats, Ints, Ragged
from ..design import Design
from ..lookups import FAR, odds_from, times
from ..rates import absent_probabilities, all_inside, pack_vote, ratios, silences_by_rate

BLOCK = 2_000_000
"""So many probabilities, cells × draws, are laid out at a time."""
INTERVAL = (0.05, 0.95)


class Parameters(NamedTuple):
    """Draws of all that presence depends on; rates are in the order of a design.

    Draws may differ in their number of components.
    """

    tpr: Floats
    fpr: Floats
    components: Ints
    weight: Floats
    occurrence: Floats


class Ballot(NamedTuple):
    """The votes, as the kernel walks through them."""

    visits: Ints
    annotator: Ints
    scope: Ints
    scopes: Ragged
    reports: Ragged
    unsure: Ragged
    pairs: Ragged


class Cells(NamedTuple):
    """Cells of a block of recordings: which, and what is known of them."""

    recording: Ints
    species: Ints
    probability: Floats
    lower: Floats
    upper: Floats


def ballot(design: Design) -> Ballot:
    """Lay the votes out."""
    a = design.annotations
    start = a.visits_by_recording.start
    return Ballot(start, a.visit_annotator, a.visit_scope, a.scopes, a.reports, a.unsure, design.pairs)


def predict_cells(
    design: Design,
    parameters: Parameters,
    wanted: Ragged | None = None,
    *,
    likelihood: bool = True,
    threads: int | None = None,
) -> Iterator[tuple[Cells, Floats]]:
    """Give, block by block of recordings, cells and the log likelihood of the recordings by draw.

    `wanted` lists the species of each recording that are asked for; by default, all. Without `likelihood`,
    and if species are independent, nothing but these is looked at, and the log likelihood is that of their
    votes.
    """
    a, votes = design.annotations, ballot(design)
    tables = _tables(parameters)
    n_draws = len(parameters.weight)
    per_recording = n_draws * (a.n_species if wanted is None else max(float(wanted.sizes.mean()), 1.0))
    size = max(int(BLOCK // max(per_recording, 1)), 1)
    starts = iter(range(0, a.n_recordings, size))

    def block(first: int) -> tuple[Cells, Floats]:
        last = min(first + size, a.n_recordings)
        if wanted is None:
            recording = np.repeat(np.arange(first, last), a.n_species)
            species = np.tile(np.arange(a.n_species), last - first)
        else:
            part = wanted.take(np.arange(first, last))
            recording, species = part.row_of_item() + first, part.item
        probability = np.empty((len(species), n_draws), np.float32)
        log_likelihood = np.empty((last - first, n_draws))
        begin = np.searchsorted(recording, np.arange(first, last + 1))
        _predict(votes, parameters, tables, first, begin, species, probability, log_likelihood, likelihood)
        low, high = _quantiles(probability)
        return Cells(recording, species, probability.mean(axis=1), low, high), log_likelihood

    # The first block compiles, alone; then as many at a time as there are cores.
    yield from map(block, islice(starts, 1))
    n = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(n) as pool:
        while some := list(islice(starts, n)):
            yield from pool.map(block, some)


def conditional_waic(design: Design, parameters: Parameters) -> dict[str, float]:
    """Give the paper's WAIC: over single votes, conditional on presence as sampled.

    Presence is not sampled again but averaged over: the mean of P(vote), and mean and variance of its
    logarithm, are those that any number of samples of presence would lead to.
    """
    a = design.annotations
    votes, tables = ballot(design), _tables(parameters)
    ratio, absent = tables
    densities = np.stack([absent * ratio, absent, np.log(absent * ratio), np.log(absent)])
    every = np.arange(a.n_species)
    begin = np.array([0, a.n_species])
    probability = np.empty((a.n_species, len(parameters.weight)), np.float32)
    total = np.zeros(3)
    for i in range(a.n_recordings):
        unused = np.empty((1, probability.shape[1]))
        _predict(votes, parameters, tables, i, begin, every, probability, unused, True)
        _add_waic(votes, densities, i, probability, total)
    lppd, p_waic, n_votes = total
    waic = -2 * (lppd - p_waic)
    return {"lppd": float(lppd), "p_waic": float(p_waic), "waic": float(waic), "votes": int(n_votes)}


def _tables(parameters: Parameters) -> tuple[Floats, Floats]:
    """Return for each draw and code of a vote the ratio and P(vote | absent)."""
    n, rates = parameters.tpr.shape
    ratio, absent = np.empty((n, 2 * rates)), np.empty((n, 2 * rates))
    for d in range(n):  # one by one: all at once would take many times as much memory
        tpr, fpr = all_inside(parameters.tpr[d]), all_inside(parameters.fpr[d])
        ratio[d], absent[d] = ratios(tpr, fpr), absent_probabilities(fpr)
    return ratio, absent


def _quantiles(probability: Floats) -> tuple[Floats, Floats]:
    n = probability.shape[1]
    low, high = (round(q * (n - 1)) for q in INTERVAL)
    # One place at a time is several times faster than both at once.
    return np.partition(probability, low, axis=1)[:, low], np.partition(probability, high, axis=1)[:, high]


@compiled
def _predict(
    votes: Ballot,
    parameters: Parameters,
    tables: tuple[Floats, Floats],
    first: int,
    begin: Ints,
    species: Ints,
    probability: Floats,
    log_likelihood: Floats,
    likelihood: bool,
) -> None:
    """Fill in probabilities of cells and log likelihoods of recordings, from recording `first` on."""
    ratio, absent = tables
    components, weight, occurrence = parameters.components, parameters.weight, parameters.occurrence
    n_species = occurrence.shape[2]
    factor, far = np.ones(n_species), np.zeros(n_species, np.int64)
    asked, top, beyond = np.zeros(n_species, np.bool_), np.empty(n_species, np.int64), np.empty(n_species)
    share = np.empty(occurrence.shape[1])
    alone = occurrence.shape[1] == 1 and not likelihood
    for row in range(len(begin) - 1):
        kinds, codes = _votes_of(votes, first + row)
        if alone:
            asked[species[begin[row] : begin[row + 1]]] = True
            keep = asked[kinds]
            kinds, codes = kinds[keep], codes[keep]
            asked[species[begin[row] : begin[row + 1]]] = False
        for d in range(len(weight)):
            for v in range(len(kinds)):
                factor[kinds[v]] = 1.0
            log_absent, product, tops = 0.0, 1.0, 0
            for v in range(len(kinds)):
                k = kinds[v]
                factor[k], far[k] = times(factor[k], far[k], ratio[d, codes[v]])
                product *= absent[d, codes[v]]
                if product < 1e-200:
                    log_absent += np.log(product)
                    product = 1.0
            log_absent += np.log(product)
            for v in range(len(kinds)):  # hundreds of votes: what is beyond FAR is added as a logarithm
                k = kinds[v]
                if far[k] != 0:
                    log_factor = np.log(factor[k]) + far[k] * np.log(FAR)
                    factor[k], far[k] = min(max(odds_from(factor[k], far[k]), 1 / FAR), FAR), 0
                    if factor[k] == FAR:
                        top[tops], beyond[tops] = k, log_factor
                        tops += 1
            highest = -np.inf
            for r in range(components[d]):
                total, product = np.log(max(weight[d, r], 1e-300)), 1.0
                for k in range(0 if alone else n_species):
                    o = occurrence[d, r, k]
                    product *= 1 - o + o * factor[k]
                    if not 1 / FAR < product < FAR:
                        total += np.log(product)
                        product = 1.0
                for t in range(0 if alone else tops):
                    o = occurrence[d, r, top[t]]
                    total += np.logaddexp(np.log1p(-o), np.log(o) + beyond[t]) - np.log(1 - o + o * FAR)
                share[r] = total + np.log(product)
                highest = max(highest, share[r])
            total = 0.0
            for r in range(components[d]):
                share[r] = np.exp(share[r] - highest)
                total += share[r]
            log_likelihood[row, d] = log_absent + highest + np.log(total)
            for r in range(components[d]):
                share[r] /= total
            for cell in range(begin[row], begin[row + 1]):
                k = species[cell]
                p = 0.0
                for r in range(components[d]):
                    there = occurrence[d, r, k] * factor[k]
                    p += share[r] * there / (1 - occurrence[d, r, k] + there)
                probability[cell, d] = p
        for v in range(len(kinds)):
            factor[kinds[v]] = 1.0


@compiled
def _votes_of(votes: Ballot, i: int) -> tuple[Ints, Ints]:
    """List the votes on a recording: species and code."""
    size = 0
    for visit in range(votes.visits[i], votes.visits[i + 1]):
        scope = votes.scope[visit]
        size += votes.scopes.start[scope + 1] - votes.scopes.start[scope]
    kinds, codes = np.empty(size, np.int32), np.empty(size, np.int32)
    found = 0
    for visit in range(votes.visits[i], votes.visits[i + 1]):
        scope, j = votes.scope[visit], votes.annotator[visit]
        report, report_end = votes.reports.start[visit], votes.reports.start[visit + 1]
        mark, mark_end = votes.unsure.start[visit], votes.unsure.start[visit + 1]
        pair = votes.pairs.start[j] if len(votes.pairs.start) > 1 else 0
        for place in range(votes.scopes.start[scope], votes.scopes.start[scope + 1]):
            k = votes.scopes.item[place]
            while report < report_end and votes.reports.item[report] < k:
                report += 1
            while mark < mark_end and votes.unsure.item[mark] < k:
                mark += 1
            if mark < mark_end and votes.unsure.item[mark] == k:
                continue
            rate = j
            if len(votes.pairs.start) > 1:
                while votes.pairs.item[pair] < k:
                    pair += 1
                rate = pair
            said = report < report_end and votes.reports.item[report] == k
            kinds[found], codes[found] = k, pack_vote(rate, said)
            found += 1
    return kinds[:found], codes[:found]


@compiled
def _add_waic(votes: Ballot, densities: Floats, i: int, probability: Floats, total: Floats) -> None:
    """Add the votes on a recording: log mean density, variance of the log density, and how many.

    `densities` are P(vote | present), P(vote | absent) and their logarithms, by draw and vote.
    """
    kinds, codes = _votes_of(votes, i)
    n = probability.shape[1]
    for v in range(len(kinds)):
        density, mean, square = 0.0, 0.0, 0.0
        for d in range(n):
            p, log_there, log_not = (
                probability[kinds[v], d],
                densities[2, d, codes[v]],
                densities[3, d, codes[v]],
            )
            density += p * densities[0, d, codes[v]] + (1 - p) * densities[1, d, codes[v]]
            mean += p * log_there + (1 - p) * log_not
            square += p * log_there**2 + (1 - p) * log_not**2
        total[0] += np.log(density / n)
        total[1] += (square - mean * mean / n) / (n - 1)
        total[2] += 1


def likely_species(design: Design, parameters: Parameters, least: float) -> Ints:
    """Give the species that may be as probable as `least` in some recording that nobody reported them in."""
    raised = np.ones((len(parameters.tpr), 1))
    for d, (tpr, fpr) in enumerate(zip(parameters.tpr, parameters.fpr, strict=True)):
        raised[d] = max(silences_by_rate(ratios(all_inside(tpr), all_inside(fpr))).max(initial=0), 1)
    visits = int(np.diff(design.annotations.visits_by_recording.start).max(initial=1))
    most = np.where(
        np.arange(parameters.occurrence.shape[1])[None, :, None] < parameters.components[:, None, None],
        parameters.occurrence,
        0,
    ).max(axis=1)
    odds = np.minimum(most / np.maximum(1 - most, 1e-15), 1e15) * np.minimum(raised**visits, 1e15)
    return np.flatnonzero((odds / (1 + odds)).mean(axis=0) >= least)


def listed_cells(annotations: Annotations, species: Ints) -> Ragged:
    """Give for each recording these species and those that were reported in it."""
    a = annotations
    visit = a.reports.row_of_item()
    row = np.concatenate([a.visit_recording[visit], np.repeat(np.arange(a.n_recordings), len(species))])
    item = np.concatenate([a.reports.item, np.tile(species, a.n_recordings)])
    return Ragged.from_pairs(row, item, rows=a.n_recordings)
