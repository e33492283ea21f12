"""Kinds of trials: votes differ in how audible the bird is, and in whether they are reports or silences.

Both multiply the odds of a report by a factor (logits/trials.py). That of silences is 1 + unsure, if unsure
marks are votes (unsure.py). It is drawn given how many trials of each kind there are, and comes in last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints
from ..rates import pack_vote, unpack_vote
from .logits.trials import ONE_CLASS, Classes


class Kinds(NamedTuple):
    """Trials by rate and class, silences apart from reports; empty if they are all alike."""

    classes: Classes
    """With the factors of audibility."""
    silent: Bools
    """Which of them are silences."""


ONE_KIND = Kinds(ONE_CLASS, np.zeros(0, np.bool_))
NO_MORE = np.zeros(0, np.int64)


@compiled
def reports_and_silences(reports: Ints, trials: Ints) -> Kinds:
    """Return the reports and the silences of each rate, as two kinds."""
    n = len(trials)
    start, at = np.zeros(n + 1, np.int64), 0
    number, silent = np.empty(2 * n, np.int64), np.empty(2 * n, np.bool_)
    for rate in range(n):
        for quiet in (False, True):
            times = trials[rate] - reports[rate] if quiet else reports[rate]
            if times > 0:
                number[at], silent[at] = times, quiet
                at += 1
        start[rate + 1] = at
    return Kinds(Classes(start, number[:at].copy(), np.ones(at)), silent[:at].copy())


@compiled
def by_rate(votes: Ints, drawn: Ints, n_rates: int, factor: Floats, apart: bool, more: Ints) -> Kinds:
    """Return votes, given by code, as trials by rate; `drawn` is the class of each, `factor` that of each.

    Unless silences are to be kept apart, they count as reports. If `more` are given, these are further
    silences of each rate, of the last class.
    """
    start = np.zeros(n_rates + 1, np.int64)
    for code in votes:
        start[unpack_vote(code)[0] + 1] += 1
    start = np.cumsum(start)
    place, ordered = start.copy(), np.empty(len(drawn), np.int64)
    for v in range(len(drawn)):
        rate, said = unpack_vote(votes[v])
        ordered[place[rate]] = pack_vote(drawn[v], said if apart else 1)
        place[rate] += 1
    begin, room = np.zeros(len(start), np.int64), len(drawn) + len(more)
    trials, which = np.empty(room, np.int64), np.empty(room, np.int64)
    number, at = np.zeros(2 * len(factor), np.int64), 0
    last = pack_vote(len(factor) - 1, 0 if apart else 1)
    for rate in range(n_rates):
        for v in range(start[rate], start[rate + 1]):
            number[ordered[v]] += 1
        if len(more) > 0:
            number[last] += more[rate]
        # Most rates have but one kind, the last.
        for kind in range(0 if start[rate + 1] > start[rate] else last, len(number)):
            if number[kind] > 0:
                trials[at], which[at], number[kind] = number[kind], kind, 0
                at += 1
        begin[rate + 1] = at
    of_class, said = unpack_vote(which[:at])
    return Kinds(Classes(begin, trials[:at].copy(), factor[of_class]), said == 0)


@compiled
def with_unsure(kinds: Kinds, unsure: float) -> Classes:
    """Return trials by class, with the factor of silences."""
    start, trials, factor = kinds.classes
    factor = factor.copy()
    for at in range(len(factor)):
        if kinds.silent[at]:
            factor[at] *= 1 + unsure
    return Classes(start, trials, factor)
