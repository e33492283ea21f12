"""Rare species: their occurrence, with presence in reported cells summed out.

Given all rates, and presence in cells that nobody reported, the probability p = σ(x) of a species has the
density

    f(x) = p^(a + m) · (1 − p)^(b + n − m) · ∏ over its reported cells (p · r + 1 − p),

with m the present ones among the n cells that were voted on and that nobody reported, or that are known, and
r the likelihood ratio of all votes on a cell, P(votes | present) / P(votes | absent). A few lone reports of a
rare species are mostly all true or all false: either it occurs or it does not. Drawn in turn, occurrence and
presence would take long from one to the other. So x is reflected on a grid (see ../reflection.py), and a
value beyond the grid stays where it is. Many reports determine the occurrence of a species well, and need no
such move.

The grid does not depend on x. The map from p to its mean given the presence that p lets one expect,

    T(p) = (a + m + Σ p·r / (p·r + 1 − p)) / (a + b + n + number of reported cells),

increases, so a few steps from the least and from the largest possible p bracket its fixed points, which are
about where f is largest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints, Ragged
from ..audibility import Evidence, cell_odds
from ..design import Design, ReportedCells
from ..lookups import accepted, given_further, weighed
from ..presence.draw import Presence
from ..rates import FEW, MAX_LOGIT, inside
from ..reflection import reflection

RARE = 60
"""A species with at most so many reported cells is rare."""
TURNS = 2
"""Every second rare species moves in a sweep, beginning with the first or the second at random."""
POINTS = 14
"""The number of grid points."""
STEPS = 2
"""How many steps of the map narrow the bracket from either side."""
WIDE, TAIL = 4.5, 5.0
"""The grid extends beyond the bracket by so many standard deviations, and so far into a tail as e^−TAIL."""


class RareSpecies(NamedTuple):
    """Species with few reported cells, and at least one."""

    species: Ints
    cells: Ragged
    """The places of the reported cells of each."""
    candidates: Ints
    """Of every species, how many candidates its draw given presence has: rare ones are reflected later."""


def rare_species(design: Design) -> RareSpecies:
    """Return the species with few reported cells whose truth is not known, and these."""
    cell = np.arange(len(design.layout.reported.cells.item))
    if design.known is not None and design.known.known_as == "truth":
        cell = np.setdiff1d(cell, design.derived(Design.known_places))
    item = design.layout.reported.cells.item[cell]
    by_species = np.bincount(item, minlength=design.annotations.n_species)
    rare = (by_species > 0) & (by_species <= RARE)
    cells = Ragged.from_pairs(item, cell, rows=len(rare)).take(np.flatnonzero(rare))
    return RareSpecies(np.flatnonzero(rare), cells, np.where(rare, 1, FEW))


@compiled
def reflect_occurrence(
    rng: np.random.Generator,
    occurrence: Floats,
    rare: RareSpecies,
    reported: ReportedCells,
    ratio: Floats,
    together: Evidence | None,
    presence: Presence,
    voted: Ints,
    prior: Floats,
) -> int:
    """Move the probability of rare species whose turn it is, in place; return how many have moved."""
    vote_start, vote, further = reported.vote_start, reported.vote, reported.further
    start, places = rare.cells
    present, by_species = presence.reported, presence.by_species
    moved = 0
    r, grid = np.empty(RARE), np.empty((4, POINTS))
    for place in range(int(rng.random() * TURNS), len(rare.species), TURNS):
        k, n = rare.species[place], start[place + 1] - start[place]
        silent, unreported = by_species[k], voted[k] - n
        for c in range(n):
            cell = places[start[place] + c]
            silent -= present[cell]
            low, high = vote_start[cell], vote_start[cell + 1]
            if together is None:
                r[c] = weighed(1.0, ratio, vote, low, high)
            else:
                r[c] = cell_odds(1.0, together, vote, low, high)
            r[c] = given_further(r[c], further, cell)
        p = inside(occurrence[k])
        new = reflect_one(rng, p, r[:n], prior[0] + silent, prior[1] + unreported - silent, grid)
        moved += new != p
        occurrence[k] = new
    return moved


@compiled
def reflect_one(rng: np.random.Generator, p: float, r: Floats, a: float, b: float, grid: Floats) -> float:
    """Return a new probability, or the same, given ratios of reported cells, and shapes from all other cells.

    `grid` is room for four values at every point.
    """
    value, product, there, gone = grid
    bottom, top = _bracket(r, a, b)
    spacing = (top - bottom) / (POINTS - 1)
    x = math.log(p / (1 - p))
    at = math.floor((x - bottom) / spacing)
    if not 0 <= at < POINTS - 1:
        return p
    # Densities are relative to the present one; products become logarithms before they are too large.
    log_gone = math.log(1 - p)
    for g in range(POINTS):
        away = bottom + g * spacing
        odds = math.exp(away)
        gone[g], product[g] = 1 / (1 + odds), 1.0
        there[g] = odds * gone[g]
        value[g] = a * (away - x) + (a + b) * (-math.log1p(odds) - log_gone)
    left, often = 0, int(300 / (top - bottom + 1)) + 1
    for ratio in r:
        share = 1 / (p * ratio + 1 - p)
        for g in range(POINTS):
            product[g] *= there[g] * (ratio * share) + gone[g] * share
        left += 1
        if left == often:
            left = 0
            for g in range(POINTS):
                value[g] += math.log(product[g])
                product[g] = 1.0
    for g in range(POINTS):
        value[g] = product[g] * math.exp(min(value[g], 300.0)) + 1e-300
    to, part, times = reflection(rng, value, POINTS, at, (x - bottom) / spacing - at)
    new = 1 / (1 + math.exp(-(bottom + (to + part) * spacing)))
    gain = a * math.log(new / p) + b * math.log((1 - new) / (1 - p))
    left = 0
    for ratio in r:
        times *= (new * ratio + 1 - new) / (p * ratio + 1 - p)
        left += 1
        if left == often:
            gain, times, left = gain + math.log(times), 1.0, 0
    return new if accepted(rng, gain + math.log(times)) else p


@inlined
def _bracket(r: Floats, a: float, b: float) -> tuple[float, float]:
    """Return logits between which nearly all of the density lies."""
    total = a + b + len(r)
    least, most = a / total, (a + len(r)) / total
    unsure_least = unsure_most = 0.0
    for _ in range(STEPS):
        few = many = unsure_least = unsure_most = 0.0
        for ratio in r:
            few_here = least * ratio / (least * ratio + 1 - least)
            many_here = most * ratio / (most * ratio + 1 - most)
            few, many = few + few_here, many + many_here
            unsure_least += few_here * (1 - few_here)
            unsure_most += many_here * (1 - many_here)
        least, most = (a + few) / total, (a + many) / total
    bottom = math.log(least / (1 - least)) - _beyond(least, total, unsure_least, a)
    top = math.log(most / (1 - most)) + _beyond(most, total, unsure_most, b)
    return max(bottom, -MAX_LOGIT), min(top, MAX_LOGIT)


@inlined
def _beyond(p: float, total: float, unsure: float, shape: float) -> float:
    """Return how far the grid extends beyond a fixed point.

    The information is that of the counts, less what is unsure; the tails are powers of p and 1 − p.
    """
    full = total * p * (1 - p)
    return WIDE / math.sqrt(max(full - unsure, 0.3 * full)) + TAIL / shape
