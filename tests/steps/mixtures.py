"""Mixtures: components of recordings, occurrence in each, the concentration, and what nobody voted on."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from scipy import stats
from scipy.special import gammaln

import joint
import naive
import portals
from checks import grid_cdf, ks_p
from dawnchorus.common.compiled import ZERO
from dawnchorus.model.design import Design
from dawnchorus.model.distributions.priors import Gamma
from dawnchorus.model.occurrence import components
from dawnchorus.model.occurrence.dirichlet_process import draw_concentration
from dawnchorus.model.occurrence.filling import draw_unvoted
from dawnchorus.model.occurrence.voted_patterns import voted_patterns
from loops import compiled

GROUPS = 7
"""More than there are tables of candidates (OWN_TABLES)."""
TIMES = 30_000


@cache
def portal():
    """Give a wild design, what was voted on, presence as a table, and components of recordings."""
    design, rng = Design(portals.wild(), by_species=False), np.random.default_rng(11)
    voted = (design.annotations.to_cube() >= 0).any(axis=1)
    group = np.arange(len(voted)).astype(np.int32) % GROUPS
    group[:9] = 0
    return design, voted, rng.random(voted.shape) < 0.4, group


def present_species(design, table):
    """Give the present species of each recording, among those that were voted on."""
    drawn = joint.as_presence(table, design, joint.Votes.of(design))
    silent = components.Cells(drawn.recording, drawn.species)
    return components.gather(design.layout.reported.cells, drawn.reported, silent, components.NONE)


@compiled
def join(rng, times, i, group, occurrence, present, voted, alone, prior, weights):
    """Count how often recording i, the only one in `alone`, joins each component, and a new one last."""
    found = np.zeros(len(occurrence) + 1)
    for _ in range(times):
        now = group.copy()
        made = components.with_room(components.make_components(group, occurrence, voted))
        components.assign_recordings(rng, now, present, made, alone, prior, weights, ZERO)
        found[min(now[i], len(occurrence))] += 1
    return found


def joining_p(weights, told_weights, occurrence, a, b, members):
    """Assign single recordings, many times."""
    design, voted, table, group = portal()
    rng, patterns = np.random.default_rng(12), design.derived(voted_patterns)
    right = rng.uniform(0.1, 0.6, (GROUPS, voted.shape[1]))
    odds = right / (1 - right) * occurrence
    told = group.copy()
    if members != 1:  # one of ten moves into the largest component, or out of it
        to, away = (0, 1) if members > 1 else (1, 0)
        told[np.flatnonzero(told == away)[-1]] = to
    present, p_values = present_species(design, table), []
    joining = {
        i: naive.joining_probabilities(i, table, voted, group, right, *weights, 1.2, 2.0)
        for i in patterns.recordings
        if told[i] == group[i]
    }
    undecided = sorted(joining, key=lambda i: joining[i][0] * joining[i][-1])[-3:]
    for i in undecided:
        wanted = TIMES * joining[i]
        alone = patterns._replace(recordings=np.array([i]))
        found = join(
            rng, TIMES, i, told, odds / (1 + odds), present, patterns, alone, (1.2 * a, 2.0 * b), told_weights
        )
        likely = wanted > 0
        assert not found[~likely].any()
        p_values.append(stats.chisquare(found[likely], wanted[likely]).pvalue)
    return min(p_values) * len(p_values)


def process_p(occurrence=1.0, a=1.0, b=1.0, members=1.0, total=1.0):
    """Assign recordings in a Dirichlet process."""
    told = components.Weights(0.0, 2.5 * total)
    return joining_p(components.Weights(0.0, 2.5), told, occurrence, a, b, members)


def finite_p(occurrence=1.0, a=1.0, b=1.0, members=1.0, each=1.0, total=1.0):
    """Assign recordings in a finite mixture of ten components."""
    told = components.Weights(1.0 * each, 10.0 * total)
    return joining_p(components.Weights(1.0, 10.0), told, occurrence, a, b, members)


def component_occurrence_p(a=1.0, b=1.0, present=1.0):
    """Draw occurrence in components, and compare it with Beta distributions, cell counts by a loop."""
    design, voted, table, group = portal()
    rng, counts = np.random.default_rng(13), np.zeros((2, GROUPS, voted.shape[1]))
    for i, k in np.argwhere(voted):
        counts[int(table[i, k]), group[i], k] += 1
    told = table.copy()
    if present != 1:  # a tenth of present cells is absent, or as many more are present
        cells = np.argwhere((table if present < 1 else ~table) & voted)
        told[tuple(rng.permutation(cells)[: (table & voted).sum() // 10].T)] = present > 1
    given, patterns = present_species(design, told), design.derived(voted_patterns)
    drawn = [
        components.draw_occurrence(
            rng, group, given, patterns, np.array([1.5 * a, 2.0 * b]), np.empty(0), GROUPS, voted.shape[1]
        )[0]
        for _ in range(2000)
    ]
    return ks_p(stats.beta.cdf(drawn, 1.5 + counts[1], 2.0 + counts[0]).ravel(), stats.uniform.cdf)


def filling_p(rates=1.0):
    """Draw what nobody voted on; rates are those of the Poisson process."""
    design, voted, _, group = portal()
    rng = np.random.default_rng(14)
    occurrence = rng.uniform(0.05, 0.9, (GROUPS, voted.shape[1])) ** 2
    told, recordings = 1 - (1 - occurrence) ** rates, design.derived(voted_patterns).recordings
    total, draws = np.zeros(voted.shape), 3000
    for _ in range(draws):
        cells = draw_unvoted(rng, design.layout, group, told, recordings)
        assert np.all(np.diff(cells.recording) >= 0)
        np.add.at(total, (cells.recording, cells.species), 1)
    free = ~voted & np.isin(np.arange(len(voted)), recordings)[:, None]
    assert not total[~free].any()
    assert set(group[recordings]) == set(range(GROUPS))
    wanted = draws * occurrence[group]
    squares = (total - wanted)[free] ** 2 / (wanted * (1 - occurrence[group]))[free]
    return stats.chi2.sf(squares.sum(), free.sum())


def concentration_p(components, n, prior, shape=1.0, rate=1.0, components_=1.0, n_=1.0):
    """Draw the concentration given components of n recordings."""

    def density(log):
        c = np.exp(log)
        return (components + prior.shape) * log - prior.rate * c + gammaln(c) - gammaln(c + n)

    cdf, inverse = grid_cdf(density, -40, 6)
    rng, told = np.random.default_rng(9), Gamma(prior.shape * shape, prior.rate * rate)
    values = np.exp(inverse(rng.random(10_000)))
    for _ in range(3):
        values = [
            float(draw_concentration(rng, value, round(components * components_), round(n * n_), told))
            for value in values
        ]
    return ks_p(np.log(values), cdf)


STEPS = {
    "assignments in a Dirichlet process": process_p,
    "assignments in a finite mixture": finite_p,
    "occurrence in components": component_occurrence_p,
    "filling in what nobody voted on": filling_p,
    "concentration": partial(concentration_p, 10, 30, Gamma(5, 2)),
}
