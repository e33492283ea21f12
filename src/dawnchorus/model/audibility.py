"""Audibility: some birds are faint for everybody, so that votes on a cell depend on each other.

Given that species k is present in recording i, all who listen have the same effect g[i, k] on their logits,

    P(report of j | present) = σ(x[j, k] + g[i, k]),   g[i, k] ~ Normal(0, spread²),

summed out by quadrature: g = spread·z for *classes* z, evenly spaced from −REACH to REACH, with shares in
proportion to the normal density. In a class, the odds of a report are multiplied by the factor exp(spread·z).
Given that it is absent, something else may deceive everybody in the same way, with a spread and classes of
its own. What all votes on a cell say of presence is then no product of what each of them says, but

    Σ over classes share · ∏ over votes P(vote | present, class)
    / Σ over classes share · ∏ over votes P(vote | absent, class),

with one class of factor 1 on a side where cells are all alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..common.arithmetic import exp_of
from ..common.compiled import compiled, inlined
from ..common.ragged import Floats, Ints
from .lookups import FEW, odds_from, weighed
from .rates import inside, inside_logit, pack_vote, ratios, ratios_from_logits, silence_of, unpack_vote

REACH = 3.6
"""Classes lie within so many standard deviations of the mean."""
CLASSES = np.linspace(-REACH, REACH, 15)
"""How loud birds of each class are, in standard deviations. With n votes on a cell, more classes than √n in a
standard deviation would make no difference."""
SHARE = np.exp(-0.5 * CLASSES**2) / np.exp(-0.5 * CLASSES**2).sum()
NONE = np.empty(0)


class Audibility(NamedTuple):
    """The factor of odds of a report in each class, and its share; empty if all cells are alike."""

    factor: Floats
    share: Floats


ALIKE = Audibility(NONE, NONE)


class VoteRates(NamedTuple):
    """What votes depend on: true positive rates, for a bird of average loudness; false ones; loudness.

    False positive rates are for an absent bird of average deception.
    """

    tpr: Floats
    fpr: Floats
    audibility: Audibility = ALIKE
    unsure: float = 0.0
    """How many unsure marks there are for a report, where both are rare; 0 if marks are no votes."""
    deception: Audibility = ALIKE


def audibility(spread: float) -> Audibility:
    """Return classes of birds that differ in how audible they are, by a spread on the logit scale.

    >>> heard = audibility(2.0)
    >>> z = np.log(heard.factor) / 2
    >>> len(z), round(float(heard.share @ z**2), 3)
    (15, 0.998)
    """
    return Audibility(np.exp(spread * CLASSES), SHARE)


@compiled
def heard_rates(logit: Floats, heard: Audibility) -> Floats:
    """Return rates over birds of all classes; `logit` is for a bird of average loudness."""
    rate = np.empty(len(logit))
    for p in range(len(logit)):
        rate[p] = exp_of(inside_logit(logit[p]))  # odds, so far
    if len(heard.factor) == 0:
        for p in range(len(logit)):
            rate[p] /= 1 + rate[p]
        return rate
    for p in range(len(logit)):
        total = 0.0
        for c in range(len(heard.factor)):
            there = rate[p] * heard.factor[c]
            total += heard.share[c] * there / (1 + there)
        rate[p] = total
    return rate


@compiled
def kept_rates(logit: Floats, start: Ints, heard: Audibility) -> tuple[Floats, Floats]:
    """Return rates in single precision, and their mean over each annotator's list; 0 if that is empty."""
    rate, mean = heard_rates(logit, heard), np.zeros(len(start) - 1)
    for j in range(len(mean)):
        for p in range(start[j], start[j + 1]):
            mean[j] += rate[p]
        mean[j] /= max(start[j + 1] - start[j], 1)
    return rate.astype(np.float32), mean


class Varied(NamedTuple):
    """What votes on a cell depend on together, given presence or given absence; empty if on nothing."""

    odds: Floats
    """By rate, odds of a report for a bird of average loudness, or of average deception."""
    classes: Audibility
    room: Floats
    """For a number of each class."""


class Evidence(NamedTuple):
    """What votes say of presence, for kernels."""

    ratio: Floats
    """P(vote | present) / P(vote | absent) of a single vote, by code."""
    absent: Floats
    """P(vote | absent) of a single vote, by code; empty if all cells are alike."""
    present: Varied
    """Empty if all cells are alike; with one class if absent ones only differ."""
    gone: Varied
    """The same given absence; empty if absent cells are alike."""
    unsure: float
    """As in `VoteRates`."""

    @property
    def together(self) -> Evidence | None:
        """All this, or None if cells are alike: then `ratio` is all that matters.

        Kernels take both, and what is None is not even compiled.
        """
        return self if len(self.absent) > 0 else None

    def with_own_room(self) -> Evidence:
        """Return the same with room of its own, for a thread of its own."""
        present, gone = (one._replace(room=one.room.copy()) for one in (self.present, self.gone))
        return self._replace(present=present, gone=gone)


def _one_by_one(ratio: Floats, unsure: float) -> Evidence:
    """Return what votes say where cells are all alike."""
    return Evidence(ratio, NONE, Varied(NONE, ALIKE, NONE), Varied(NONE, ALIKE, NONE), unsure)


@compiled
def varied(classes: Audibility, rates: int) -> Varied:
    """Return room for what votes depend on together."""
    return Varied(np.empty(rates), classes, np.empty(len(classes.factor)))


@compiled
def _two_sides(ratio: Floats, heard: Audibility, deception: Audibility, unsure: float, n: int) -> Evidence:
    """Return room for what votes say, where cells differ on one side or on both."""
    if len(heard.factor) == 0:
        heard = Audibility(np.ones(1), np.ones(1))
    gone = varied(deception, n if len(deception.factor) > 0 else 0)
    return Evidence(ratio, np.empty(2 * n), varied(heard, n), gone, unsure)


def evidence(rates: VoteRates) -> Evidence:
    """Return what votes say of presence."""
    ratio = ratios(rates.tpr, rates.fpr, rates.unsure)
    if len(rates.audibility.factor) == 0 and len(rates.deception.factor) == 0:
        return _one_by_one(ratio, rates.unsure)
    return _evidence(ratio, rates)


@compiled
def _evidence(ratio: Floats, rates: VoteRates) -> Evidence:
    """Return the same where cells differ."""
    says = _two_sides(ratio, rates.audibility, rates.deception, rates.unsure, len(rates.tpr))
    for rate in range(len(says.present.odds)):
        p, q = inside(rates.tpr[rate]), inside(rates.fpr[rate])
        _set(says, rate, p / (1 - p), q, q / (1 - q))
    return says


def evidence_from_logits(
    which: Ints, tpr: Floats, fpr: Floats, heard: Audibility, unsure: float, deception: Audibility
) -> Evidence:
    """Return what votes that depend on some of the rates say; of others it is not set."""
    ratio = ratios_from_logits(which, tpr, fpr, unsure)
    if len(heard.factor) == 0 and len(deception.factor) == 0:
        return _one_by_one(ratio, unsure)
    return _from_logits(ratio, which, tpr, fpr, heard, unsure, deception)


@compiled
def _from_logits(
    ratio: Floats,
    which: Ints,
    tpr: Floats,
    fpr: Floats,
    heard: Audibility,
    unsure: float,
    deception: Audibility,
) -> Evidence:
    """Return the same where cells differ."""
    says = _two_sides(ratio, heard, deception, unsure, len(tpr))
    for rate in which:
        x = inside_logit(fpr[rate])
        _set(says, rate, math.exp(inside_logit(tpr[rate])), 1 / (1 + math.exp(-x)), math.exp(x))
    return says


@inlined
def _set(says: Evidence, rate: int, report: float, q: float, wrong: float) -> None:
    """Set what is known of a rate: odds of a report given presence, P(report | absent) and odds of that."""
    says.present.odds[rate] = report
    quiet = silence_of(q, says.unsure)
    if len(says.gone.odds) > 0:
        says.gone.odds[rate] = wrong
        quiet, q = over_classes(wrong, says.gone.classes, says.unsure)
    silence, hit = over_classes(report, says.present.classes, says.unsure)
    says.absent[pack_vote(rate, 0)], says.absent[pack_vote(rate, 1)] = quiet, q
    says.ratio[pack_vote(rate, 0)], says.ratio[pack_vote(rate, 1)] = silence / quiet, hit / q


@inlined
def over_classes(odds: float, classes: Audibility, unsure: float) -> tuple[float, float]:
    """Return the probabilities of silence and of a report over cells of all classes."""
    silence, hit = 0.0, 0.0
    for c in range(len(classes.factor)):
        there = odds * classes.factor[c]
        silence += classes.share[c] / (1 + (1 + unsure) * there)
        hit += classes.share[c] * there / (1 + there)
    return silence, hit


@compiled
def cell_odds(prior: float, says: Evidence, vote: Ints, low: int, high: int) -> float:
    """Return the odds of presence in a cell, given its votes from `low` to `high`, by code."""
    if len(says.absent) == 0 or high - low == 1:
        return weighed(prior, says.ratio, vote, low, high)
    return odds_from(prior * votes_on_cell(says, vote, low, high), 0)


@inlined
def votes_on_cell(says: Evidence, vote: Ints, low: int, high: int) -> float:
    """Return P(votes | present) / P(votes | absent) of a cell."""
    far = add_votes(says.present, says.absent, says.unsure, vote, low, high)
    if len(says.gone.odds) == 0:
        return _scaled(says.present.room.sum(), far)
    far -= add_votes(says.gone, says.absent, says.unsure, vote, low, high)
    return _scaled(says.present.room.sum() / says.gone.room.sum(), far)


@inlined
def absent_together(says: Evidence, vote: Ints, low: int, high: int) -> float:
    """Return P(votes | absent) of a cell over the product of that of each vote."""
    if len(says.gone.odds) == 0 or high - low == 1:
        return 1.0
    far = add_votes(says.gone, says.absent, says.unsure, vote, low, high)
    return _scaled(says.gone.room.sum(), far)


@inlined
def _scaled(value: float, log: float) -> float:
    """Return a number times exp(log), kept from overflow."""
    return value * (math.exp(min(max(log, -550.0), 550.0)) if log != 0.0 else 1.0)


@inlined
def over_all_classes(share: Floats, chance: Floats, which: Ints, low: int, high: int) -> float:
    """Return Σ share · ∏ chance over classes, of the rows of `chance` in `which` from `low` to `high`."""
    total = 0.0
    for c in range(len(share)):
        product = share[c]
        for v in range(low, high):
            product *= chance[which[v], c]
        total += product
    return total


@inlined
def few_votes(
    room: Floats,
    share: Floats,
    factor: Floats,
    by_rate: Floats,
    over: Floats,
    unsure: float,
    vote: Ints,
    low: int,
    high: int,
) -> float:
    """Return Σ share · ∏ P(vote | class) / over[vote] over classes, of fewer than FEW votes.

    For loops that take all these arrays out of their tuples once. `room` is working memory.
    """
    _start(room, share)
    for v in range(low, high):
        add_vote(room, factor, by_rate, over, unsure, vote[v], False)
    total = 0.0
    for c in range(len(room)):
        total += room[c]
    return total


@inlined
def add_votes(side: Varied, over: Floats, unsure: float, vote: Ints, low: int, high: int) -> float:
    """Set `room` to share · ∏ P(vote | class) / over[vote], and return the log that it was divided by."""
    room, factor, share, by_rate, far = side.room, side.classes.factor, side.classes.share, side.odds, 0.0
    _start(room, share)
    for v in range(low, high):
        far += add_vote(room, factor, by_rate, over, unsure, vote[v], (v - low) % FEW == FEW - 1)
    return far


@inlined
def _start(room: Floats, share: Floats) -> None:
    """Set `room` to what it is without a vote."""
    for c in range(len(room)):
        room[c] = share[c]


@inlined
def add_vote(
    room: Floats, factor: Floats, by_rate: Floats, over: Floats, unsure: float, code: int, rescale: bool
) -> float:
    """Multiply `room` by what a vote says of each class, over a number.

    `factor` and `by_rate`, the odds, are of one side. If asked to, keep it from overflow, and return the
    logarithm that it was divided by.
    """
    rate, said = unpack_vote(code)
    odds, part = by_rate[rate], 1 / over[code]
    if not said:
        odds *= 1 + unsure
    for c in range(len(room)):
        there = odds * factor[c]
        room[c] *= (there if said else 1.0) * part / (1 + there)
    if not rescale:
        return 0.0
    most = room.max()
    room /= most
    return math.log(most)
