"""The draw of presence: reported cells, and silent ones by candidates or one by one.

Many recordings have the same few sets of visits, so that one draw has many cells of each kind.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy import stats

import joint
import naive
import portals
from checks import grouped, rate_table
from dawnchorus.model import design as design_module
from dawnchorus.model.audibility import ALIKE, VoteRates, audibility
from dawnchorus.model.design import Design
from dawnchorus.model.presence import draw as presence
from dawnchorus.model.presence.odds import Odds

N_SPECIES = 8
"""Nobody votes on the last."""
SCOPES = (0, 1, 2, 3), (2, 3, 4, 5), (3, 4, 5, 6)
"""Of three annotators. The first scope is the widest, since the others come later."""
VISITS = (0,), (0, 1), (0, 1, 2), (1, 2), (2,), (0, 2)
REPORTS = {(0, 0), (1, 2), (2, 4)}
"""Annotator and species: reports in every second recording. In every fourth, species 3 is reported too."""
COPIES = 280
"""Recordings with the same visits; a multiple of the four ways to report."""


@cache
def portal(by_species: bool, own_list: int):
    """Give the design, and the kind of each recording by visits and reports."""
    visits, reports, kinds = {}, [], []
    for i in range(COPIES * len(VISITS)):
        kind, way = i // COPIES, i % 4
        kinds.append(4 * kind + way)
        for j in VISITS[kind]:
            visits[i, j] = SCOPES[j]
            reports += [(i, j, k) for k in SCOPES[j] if (j, k) in REPORTS and way % 2]
            reports += [(i, j, 3)] if way == 3 and j != 1 else []
    annotations = portals.lay_out(visits, reports=reports, sizes=(len(kinds), 3, N_SPECIES))
    right = design_module.OWN_LIST
    design_module.OWN_LIST = own_list
    try:
        return Design(annotations, by_species=by_species), np.array(kinds)
    finally:
        design_module.OWN_LIST = right


def told_rates(tpr, fpr, reports, silences):
    """Give rates whose ratios of reports and of silences are so many times those of others."""
    report, silence = tpr / fpr * reports, (1 - tpr) / (1 - fpr) * silences
    wrong = (1 - silence) / (report - silence)
    return report * wrong, wrong


class Case(NamedTuple):
    """What is right: odds and rates, and how often each cell is present."""

    design: Design
    odds: Odds
    rates: tuple
    chance: np.ndarray
    kind: np.ndarray
    """Of each recording, by its visits, its reports and its group."""
    reported: np.ndarray


@cache
def case(probability, by_species=False, own_list=8, groups=1, raised=False, faint=0.0, deceptive=0.0) -> Case:
    """Give odds and rates at random; `probability` are the least and largest occurrence.

    If some birds are `faint`, it is how far they differ, and so for `deceptive`.
    """
    design, kind = portal(by_species, own_list)
    rng = np.random.default_rng(15)
    rates = rng.uniform(0.45, 0.7, design.n_rates), rng.uniform(0.1, 0.25, design.n_rates)
    if raised:
        rates = rates[::-1]
    occurrence = rng.uniform(*probability, (groups, N_SPECIES))
    # The last group is the largest, so that tables are not in the order of groups.
    group = np.minimum(np.arange(len(kind)) % (groups + 3), groups - 1).astype(np.int32)
    odds, cube = grouped(occurrence / (1 - occurrence), group), design.annotations.to_cube()
    tables = [rate_table(design, rate) for rate in rates]
    chance = naive.dense_presence_probabilities(cube, naive.odds_table(odds), *tables)
    if faint or deceptive:
        spreads = faint, deceptive
        chance = naive.faint_presence_probabilities(cube, naive.odds_table(odds), *tables, *spreads)
    return Case(design, odds, rates, chance, kind * groups + group, (cube == 1).any(axis=1))


def cells_p(reported, given: Case, odds, reports, first, later, faint=0.0, draws=150, deceptive=0.0):
    """Compare how often cells of each kind, with a report or without, are present with their probability.

    `first` and `later` are the terms of silences of the first and of later annotators, `faint` is how far
    birds are told to differ, and `deceptive` the same of absent ones.
    """
    design, rng = given.design, np.random.default_rng(16)
    told = told_rates(*given.rates, reports, np.where(design.rate_annotator == 0, first, later))
    assert 0 < min(map(np.min, told)) < max(map(np.max, told)) < 1
    told_odds = grouped(given.odds.factor * odds, given.odds.group)
    heard, deception = (audibility(far) if far else ALIKE for far in (faint, deceptive))
    found, told = np.zeros(given.chance.shape), VoteRates(*told, heard, 0.0, deception)
    for _ in range(draws):
        found += joint.as_table(presence.draw(rng, design.layout, told_odds, told), design)
    chosen = (given.reported == reported) & ~np.isnan(given.chance)
    kind = (given.kind[:, None] * N_SPECIES + np.arange(N_SPECIES))[chosen]
    chance, there = given.chance[chosen], np.bincount(kind, found[chosen])
    wanted, variance = (np.bincount(kind, draws * each) for each in (chance, chance * (1 - chance)))
    some = variance > 0
    squares = (there - wanted)[some] ** 2 / variance[some]
    z = (there - wanted).sum() / np.sqrt(variance.sum())
    return 2 * min(stats.chi2.sf(squares.sum(), some.sum()), 2 * stats.norm.sf(abs(z)))


def reported_p(probability, options, odds=1.0, reports=1.0, first=1.0, later=1.0):
    """Draw cells with a report."""
    return cells_p(True, case(probability, **options), odds, reports, first, later)


def silent_p(probability, options, odds=1.0, first=1.0, later=1.0):
    """Draw cells without a report."""
    return cells_p(False, case(probability, **options), odds, 1.0, first, later)


RARE, COMMON, LIKELY = (0.01, 0.06), (0.55, 0.8), (0.3, 0.5)
MANY, OWN, SHARED = {"groups": 7}, {"by_species": True}, {"by_species": True, "own_list": 0}
STEPS = {
    "reported cells, presence likely": partial(reported_p, LIKELY, {}),
    "reported cells, presence likely, by species": partial(reported_p, LIKELY, OWN),
    "reported cells, absence likely": partial(reported_p, (0.05, 0.15), {}),
    "silent cells, candidates": partial(silent_p, RARE, {}),
    "silent cells, candidates, many groups": partial(silent_p, RARE, MANY),
    "silent cells, candidates, own lists": partial(silent_p, RARE, OWN),
    "silent cells, candidates, a shared list": partial(silent_p, RARE, SHARED),
    "silent cells, candidates, a shared list, many groups": partial(silent_p, RARE, MANY | SHARED),
    "silent cells, candidates, silence raises the odds": partial(silent_p, RARE, {"raised": True}),
    "silent cells, all": partial(silent_p, COMMON, {}),
    "silent cells, all, own lists": partial(silent_p, COMMON, OWN),
}
