"""Moves of a species: how often it occurs and how hard it is, together, with all presence summed out.

A species that is rarely reported may be rare, or common and hard for everyone; its reports may all be true,
or all be false. Drawn in turn, occurrence, rates and presence would take long from one to the other. Here all
logits of the true (or of the false) positive rates of a species move by the same step, and its log-odds of
being in a recording by another one, accepted with the ratio of priors and of

    ∏ over recordings i with a vote on the species   P(votes | absent) · (1 + odds·ratio[i]) / (1 + odds),

with ratio[i] the likelihood ratio of all votes there (see audibility.py for faint birds); where a species is
known to be present, or absent, only that term of 1 + odds·ratio stays. This is the last
step before presence is drawn again: nothing may use the old presence afterwards (see sweep.py).

If true positive rates move, log-odds a mostly move so that the expected number of reports stays: that is
p·n(a), with p the mean of rates over birds of all classes and n(a) = Σ_i P(present | a). For a given step,
da'/da = p·n'(a) / (p'·n'(a')), by which the density is multiplied. In all other moves log-odds move by a
random part of the step, in the other direction. Both ways back are as likely as there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy.special import log_expit

from ...common.compiled import compiled, inlined
from ...common.protocols import offers
from ...common.ragged import Floats, Ints
from ..audibility import ALIKE, Audibility, evidence_from_logits, heard_rates
from ..design import Design
from ..expertise.logits.difficulty import logits_by_species
from ..lookups import FAR, odds_from
from ..presence.odds import Odds
from ..presence.recording_ratios import RecordingRatios, grouped, recording_ratios
from ..rates import reports_by_rate, silences_by_rate

WORK = 120_000
"""So many visits are gone through in a sweep, each once for every species that moves."""
TRIES = 3
"""So many moves are tried of each of these species."""
FALSE, BALANCED = 0.25, 0.75
"""The share of moves that are of false positive rates; and, of all others, of those in which the expected
number of reports stays."""
REACH = 12.0
"""Log-odds move by at most so much."""
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
    if not (offers(occurrence, OccurrenceBySpecies) and offers(expertise, ExpertiseBySpecies)):
        return states, {}
    if not expertise.movable(states[1]):
        return states, {}
    species = _chosen(rng, design)
    if not len(species):
        return states, {}
    how = besides_logits(expertise, states[1])
    now = what_votes_say(design, species, expertise.logits(states[1]), *how)
    times, share = np.ones(len(species)), 0.0
    for _ in range(TRIES):
        side = int(rng.random() < FALSE)
        step = LARGEST * rng.random(len(species)) * rng.standard_normal(len(species))
        logits = expertise.logits(states[1])
        after, gain = expertise.raised(states[1], side, species, step, design)
        raised = expertise.logits(after)
        if side == 0 and rng.random() < BALANCED:
            before, later = (_mean_rates(design, species, one[0], how[0]) for one in (logits, raised))
            back, volume = balance(odds, species, times, before / later)
            gain = gain + volume
        else:
            back = -rng.random() * step
        gain = gain + occurrence.raised(states[0], species, back)[1]
        then = what_votes_say(design, species, raised, *how)
        gain = gain + votes_gained(odds, species, (times, times * np.exp(back)), now, then)
        moved = rng.standard_exponential(len(species)) > -gain
        states = (
            occurrence.raised(states[0], species[moved], back[moved])[0],
            expertise.raised(states[1], side, species[moved], step[moved], design)[0],
        )
        times = np.where(moved, times * np.exp(back), times)
        for one, other in zip(now, then, strict=True):
            if len(one):
                one[moved] = other[moved]
        share += float(moved.mean()) / TRIES
    return states, {"species_moved": share}


def besides_logits(expertise: ExpertiseBySpecies, state: Any) -> tuple[Audibility, float, Audibility]:
    """Return what votes depend on besides logits."""
    return expertise.audibility(state), expertise.unsure(state), expertise.deception(state)


def _chosen(rng: np.random.Generator, design: Design) -> Ints:
    """Return the species that move in this sweep; sometimes none if visits are many."""
    a = design.annotations
    number = WORK / max(a.n_visits, 1)
    whole = int(number) + int(rng.random() < number % 1)
    return rng.permutation(a.n_species)[:whole]


def _mean_rates(design: Design, species: Ints, logits: Floats, heard: Audibility) -> Floats:
    """Return the mean of rates by species, weighed by votes, over birds of all classes."""
    rates = design.derived(logits_by_species).take(species)
    votes = (design.reports + design.silences)[rates.item]
    found = np.bincount(rates.row_of_item(), votes * heard_rates(logits[rates.item], heard), len(species))
    return np.maximum(found, 1e-300)


@compiled
def balance(odds: Odds, species: Ints, now: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Return by how much log-odds of species have to be raised for `times` as many presences, and a volume.

    Odds are multiplied by `now` already. The volume is the logarithm of d(log-odds after) / d(log-odds
    before). Where no step leads to so many, it is −∞.
    """
    steps, volume = np.zeros(len(species)), np.full(len(species), -math.inf)
    row, here = odds.row, np.empty(len(odds.row))
    for place in range(len(species)):
        factor = odds.factor[:, species[place]].copy()
        for i in range(len(row)):
            here[i] = now[place] * factor[row[i, 0]]
            for term in range(1, row.shape[1]):
                here[i] *= factor[row[i, term]]
        expected, spread = _expected(here, 1.0)
        wanted, low, high = expected * times[place], -REACH, REACH
        fewer = times[place] < 1  # then the most that there can be is more than is wanted
        end = _expected(here, math.exp(low if fewer else high))[0]
        if not (end < wanted if fewer else wanted < end):
            continue
        step, slope = min(max(math.log(times[place]), low), high), math.nan
        for _ in range(100):
            found, slope = _expected(here, math.exp(step))
            if abs(found - wanted) < 1e-12 * wanted:
                break
            if found < wanted:
                low = step
            else:
                high = step
            step += (wanted - found) / max(slope, 1e-300)
            if not low < step < high:
                step = 0.5 * (low + high)
        steps[place] = step
        volume[place] = math.log(times[place] * spread / slope)
    return steps, volume


@inlined
def _expected(odds: Floats, times: float) -> tuple[float, float]:
    """Return the expected number of presences, and its variance, if odds are multiplied by `times`."""
    mean, variance = 0.0, 0.0
    for i in range(len(odds)):
        w = odds[i] * times
        absent = 1 / (1 + w)
        mean += w * absent
        variance += w * absent * absent
    return mean, variance


class VotesSay(NamedTuple):
    """What votes on some species say, species by species; relative to the same votes on absent birds."""

    ratio: Floats
    together: Floats
    """As in `RecordingRatios`."""
    absent: Floats
    """The log probability of all votes on the species if each were on an absent bird, one by one."""


def what_votes_say(
    design: Design,
    species: Ints,
    logits: tuple[Floats, Floats],
    heard: Audibility = ALIKE,
    unsure: float = 0.0,
    deception: Audibility = ALIKE,
) -> VotesSay:
    """Return what votes on these species say, given logits of true and false positive rates."""
    rates = design.derived(logits_by_species).take(species)
    says = evidence_from_logits(rates.item, *logits, heard, unsure, deception)
    reports, silences = (number[rates.item] for number in design.totals)
    if len(deception.factor):
        each = reports * np.log(reports_by_rate(says.absent)[rates.item])
        each += silences * np.log(silences_by_rate(says.absent)[rates.item])
    else:
        x = logits[1][rates.item]
        each = reports * log_expit(x) + silences * log_expit(-x - math.log1p(unsure))
    absent = np.bincount(rates.row_of_item(), each, len(species))
    return VotesSay(*recording_ratios(design.layout, design.derived(grouped), species, says), absent)


def votes_gained(
    odds: Odds, species: Ints, times: tuple[Floats, Floats], now: VotesSay, then: VotesSay
) -> Floats:
    """Return by how much votes on these species become more likely, all presence summed out.

    Odds are multiplied by the first of `times` now, and by the second then.
    """
    ratios = (RecordingRatios(one.ratio, one.together) for one in (now, then))
    return then.absent - now.absent + _ratios_gained(odds, species, times, *ratios)


@compiled
def _ratios_gained(
    odds: Odds, species: Ints, times: tuple[Floats, Floats], now: RecordingRatios, then: RecordingRatios
) -> Floats:
    """Return for each species by how much Σ log((1 + odds·ratio) / (1 + odds)) over recordings grows.

    If absent birds may be deceptive, this is with P(votes | absent) over the product of that of each vote.
    """
    row, gains, deceptive = odds.row, np.zeros(len(species)), len(now.together) > 0
    for place in range(len(species)):
        factor, product, gain = odds.factor[:, species[place]].copy(), 1.0, 0.0
        before_ratio, after_ratio = now.ratio[place], then.ratio[place]
        for i in range(len(row)):
            here = factor[row[i, 0]]
            for term in range(1, row.shape[1]):
                here *= factor[row[i, term]]
            before, after = here * times[0][place], here * times[1][place]
            w, v = odds_from(before * before_ratio[i], 0), odds_from(after * after_ratio[i], 0)
            if v > FAR or w > FAR:
                gain += math.log1p(v) - math.log1p(w)
                w, v = 0.0, 0.0
            product *= (1 + v) * (1 + before) / ((1 + w) * (1 + after))
            if deceptive:
                product *= then.together[place, i] / now.together[place, i]
            if not 1e-80 < product < 1e80:
                gain, product = gain + math.log(product), 1.0
        gains[place] = gain + math.log(product)
    return gains
