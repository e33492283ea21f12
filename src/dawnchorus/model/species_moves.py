"""Moves of a species: how often it occurs and how hard it is, together, with all presence summed out.

A species that is rarely reported may be rare, or common and hard for everyone; its reports may all be true,
or all be false. Drawn in turn, occurrence, rates and presence would take long from one to the other. Here all
logits of the true (or of the false) positive rates of a species move by the same step, and its log-odds of
being in a recording by another one, accepted with the ratio of priors and of

    ∏ over recordings i with a vote on the species   P(votes | absent) · (1 + odds·ratio[i]) / (1 + odds),

with ratio[i] the likelihood ratio of all votes there (see audibility.py for faint birds); where a species is
known to be present, or absent, only that term of 1 + odds·ratio stays. This is the last
step before presence is drawn again: nothing may use the old presence afterwards (see sweep.py).

If true positive rates p move, log-odds move in half of the steps by as much as the mean of p falls, on the
scale of logarithms: the expected number of reports stays. In all others they move by a random part of the
step, in the other direction. Both ways back are as likely as there.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit, log_expit

from ..common.compiled import compiled
from ..common.ragged import Floats, Ints, Ragged
from .audibility import ALIKE, Audibility, Evidence, absent_together, cell_odds, evidence_from_logits
from .design import Design, Layout
from .lookups import gained_with_further, has_voted, rate_of
from .presence.odds import Odds, odds_at
from .rates import pack_vote, reports_by_rate, silences_by_rate

WORK = 120_000
"""So many visits are gone through in a sweep, each once for every species that moves."""
LARGEST = 2.0
"""The standard deviation of the largest steps; each time it is a random part of that."""


@runtime_checkable
class OccurrenceBySpecies(Protocol):
    """An occurrence in which the log-odds of a species can move by the same step in all recordings."""

    def raised(self, state: Any, species: Ints, step: Floats) -> tuple[Any, Floats]:
        """Return the state with log-odds of these species raised, and the gains in log density."""
        ...


@runtime_checkable
class ExpertiseBySpecies(Protocol):
    """An expertise in which the rates of a species can move by the same step for all annotators."""

    def movable(self, state: Any) -> bool:
        """Return whether they can."""
        ...

    def logits(self, state: Any) -> tuple[Floats, Floats]:
        """Return the logits of true and of false positive rates."""
        ...

    def audibility(self, state: Any) -> Audibility:
        """Return the classes of birds that differ in how audible they are."""
        ...

    def unsure(self, state: Any) -> float:
        """Return how many unsure marks there are for a report; 0 if they are no votes."""
        ...

    def deception(self, state: Any) -> Audibility:
        """Return the classes of absent birds that differ in how deceptive they are."""
        ...

    def raised(
        self, state: Any, side: int, species: Ints, step: Floats, design: Design
    ) -> tuple[Any, Floats]:
        """Return the state with logits of one side (0: true, 1: false) raised, and gains in log density."""
        ...


def move_species(
    rng: np.random.Generator, sides: tuple[Any, Any], states: tuple[Any, Any], odds: Odds, design: Design
) -> tuple[tuple[Any, Any], dict[str, float]]:
    """Return the states of occurrence and expertise after moves of some species, and the share that moved."""
    occurrence, expertise = sides
    if not (isinstance(occurrence, OccurrenceBySpecies) and isinstance(expertise, ExpertiseBySpecies)):
        return states, {}
    if not expertise.movable(states[1]):
        return states, {}
    species, side = _chosen(rng, design), int(rng.random() < 0.5)
    if not len(species):
        return states, {}
    step = LARGEST * rng.random(len(species)) * rng.standard_normal(len(species))
    logits = expertise.logits(states[1])
    then, gain = expertise.raised(states[1], side, species, step, design)
    raised = expertise.logits(then)
    back = -rng.random() * step
    if side == 0 and rng.random() < 0.5:
        before, after = (_mean_rates(design, now)[species] for now in (logits[0], raised[0]))
        back = np.log(before / after)
    gain = gain + occurrence.raised(states[0], species, back)[1]
    how = expertise.audibility(states[1]), expertise.unsure(states[1]), expertise.deception(states[1])
    gain = gain + log_votes(design, odds, species, np.exp(back), logits, raised, *how)
    moved = rng.standard_exponential(len(species)) > -gain
    chosen = species[moved]
    states = (
        occurrence.raised(states[0], chosen, back[moved])[0],
        expertise.raised(states[1], side, chosen, step[moved], design)[0],
    )
    return states, {"species_moved": float(moved.mean())}


def _chosen(rng: np.random.Generator, design: Design) -> Ints:
    """Return the species that move in this sweep; sometimes none if visits are many."""
    a = design.annotations
    number = WORK / max(a.n_visits, 1)
    whole = int(number) + int(rng.random() < number % 1)
    return rng.permutation(a.n_species)[:whole]


def _mean_rates(design: Design, logits: Floats) -> Floats:
    """Return the mean of rates by species, weighed by votes."""
    votes = design.reports + design.silences
    total = np.bincount(design.pairs.item, votes * expit(logits), minlength=design.annotations.n_species)
    return np.maximum(total, 1e-300)


def log_votes(
    design: Design,
    odds: Odds,
    species: Ints,
    times: Floats,
    now: tuple[Floats, Floats],
    then: tuple[Floats, Floats],
    heard: Audibility = ALIKE,
    unsure: float = 0.0,
    deception: Audibility = ALIKE,
) -> Floats:
    """Return by how much votes on these species become more likely, all presence summed out.

    Odds are multiplied by `times`, and logits of true and false positive rates change from `now` to `then`.
    """
    rates = np.arange(design.n_rates)
    says = tuple(evidence_from_logits(rates, *logits, heard, unsure, deception) for logits in (now, then))
    gain = np.zeros(len(species))
    if then[1] is not now[1]:
        reports, silences = design.totals
        if len(deception.factor):
            before, after = (np.log(one.absent) for one in says)
            each = reports * reports_by_rate(after - before) + silences * silences_by_rate(after - before)
        else:
            each = reports * (log_expit(then[1]) - log_expit(now[1]))
            step = math.log1p(unsure)
            each += silences * (log_expit(-then[1] - step) - log_expit(-now[1] - step))
        gain += np.bincount(design.pairs.item, each, minlength=design.annotations.n_species)[species]
    return gain + _ratios_gained(design.layout, design.derived(cells_by_species), odds, species, times, *says)


def cells_by_species(design: Design) -> Ragged:
    """Return the places of the reported cells of each species."""
    item = design.layout.reported.cells.item
    return Ragged.from_pairs(item, np.arange(len(item)), rows=design.annotations.n_species)


@compiled
def _ratios_gained(
    layout: Layout,
    cells: Ragged,
    odds: Odds,
    species: Ints,
    times: Floats,
    now: Evidence,
    then: Evidence,
) -> Floats:
    """Return for each species by how much Σ log((1 + odds·ratio) / (1 + odds)) over recordings grows.

    If absent birds may be deceptive, this is with P(votes | absent) over the product of that of each vote.
    """
    visits, reported = layout.visits, layout.reported
    n, gains = len(visits.start) - 1, np.zeros(len(species))
    done, code = np.full(n, -1), np.empty(np.diff(visits.start).max(), np.int64)
    for place in range(len(species)):
        k, product, gain = species[place], 1.0, 0.0
        for at in range(cells.start[k], cells.start[k + 1]):
            cell = cells.item[at]
            i = reported.recording[cell]
            done[i] = place
            low, high = reported.vote_start[cell], reported.vote_start[cell + 1]
            before = odds_at(odds.factor, odds.row, i, k)
            after = before * times[place]
            w = cell_odds(before, now, reported.vote, low, high)
            v = cell_odds(after, then, reported.vote, low, high)
            gain += gained_with_further(w, v, reported.further, cell)
            together = absent_together(then, reported.vote, low, high)
            gain += math.log(together / absent_together(now, reported.vote, low, high))
            product *= (1 + before) / (1 + after)
        for i in range(n):
            if done[i] == place:
                continue
            votes = 0
            for visit in range(visits.start[i], visits.start[i + 1]):
                if has_voted(visits, visit, k):
                    code[votes] = pack_vote(rate_of(layout.rates, visits.annotator[visit], k), 0)
                    votes += 1
            if votes > 0:
                before = odds_at(odds.factor, odds.row, i, k)
                after = before * times[place]
                w = cell_odds(before, now, code, 0, votes)
                v = cell_odds(after, then, code, 0, votes)
                product *= (1 + v) * (1 + before) / ((1 + w) * (1 + after))
                product *= absent_together(then, code, 0, votes) / absent_together(now, code, 0, votes)
                if not 1e-200 < product < 1e200:
                    gain, product = gain + math.log(product), 1.0
        gains[place] = gain + math.log(product)
    return gains
