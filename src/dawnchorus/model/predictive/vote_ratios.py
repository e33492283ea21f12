"""Vote ratios: P(vote | present) / P(vote | absent) of every vote and draw, as arrays for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled, inlined
from ...common.ragged import Floats, Ints
from ..rates import all_inside, inside, pack_vote, reports_by_rate, silence_of, unpack_vote
from .cell_votes import CellScores
from .loudness import Together, together
from .parameters import Parameters, ScoreDraws

TABLE = 1 << 29
"""A table of all rates may take so many bytes; if it is larger, each block of recordings has its own."""
TILE = 32
REACH = 200.0
"""Products that stay within 10^±REACH are computed directly, others as sums of logarithms."""
MANY = 60
"""Products of more votes than this are sums of logarithms too, since ratios are in single precision."""
STATES, ABSENT, PRESENT = 3, 1, 2
"""What is known of a cell; 0 if nothing is."""
TRUTH = 1000.0
"""The logarithm of the ratio, if the truth is known: larger than that of any votes."""


class Ratios(NamedTuple):
    """Ratios, codes × draws, and for each code the largest absolute logarithm (to base 10) of its ratios.

    Where they are needed, natural logarithms: `log_ratio` of some codes, in the rows that `log_place` names,
    and `log_absent`, of P(vote | absent), of all. `draws` are the draws among all. `known` has the logarithms
    of the ratio, and of P(it | absent), of what is known of a cell: of nothing, "absent" and "present".
    `together` is what votes on a cell depend on together, None if on nothing; `scores` tells what scores of
    machines are like, in all draws, None if there are none.
    """

    ratio: Floats
    reach: Floats
    draws: Ints
    log_place: Ints
    log_ratio: Floats
    log_absent: Floats
    together: Together | None
    known: Floats
    scores: ScoreDraws | None


def products_reach(
    ratios: Ratios, start: Ints, code: Ints, known: Ints, scores: CellScores, many: int = MANY
) -> tuple[Floats, Ints]:
    """Return bounds of products of ratios, as logarithms to base 10, and the codes in those above REACH.

    Product i is that of `code[start[i] : start[i + 1]]`; those of more than `many`, and of cells that are
    `known` or have scores, count as above REACH.
    """
    total = np.append(0.0, np.cumsum(ratios.reach[code]))
    reach = total[start[1:]] - total[start[:-1]]
    sizes = np.diff(start)
    reach[sizes > many] = 2 * REACH
    reach[np.flatnonzero(known)] = 2 * REACH
    reach[np.flatnonzero(scores.any)] = 2 * REACH
    return reach, code[np.repeat(reach > REACH, sizes)]


class RatioTable:
    """Ratios in some of the draws, of all rates or, where these are many, of those that are asked for."""

    def __init__(self, parameters: Parameters, draws: Ints) -> None:
        self.tpr, self.fpr = parameters.tpr, parameters.fpr
        self.spreads = parameters.faintness, parameters.deception
        self.unsure, self.marks_vote = parameters.unsure_marks, len(parameters.unsure) > 0
        self.draws = draws
        self.known = known_logs(parameters.known[..., draws] if parameters.known.size else None, len(draws))
        self.scores = parameters.scores if parameters.scores.mean.size else None
        self.whole: Ratios | None = None

    @property
    def fits(self) -> bool:
        """Whether there is one table of all rates."""
        return 8 * self.tpr.shape[1] * len(self.draws) <= TABLE

    def of(self, *codes: Ints) -> tuple[Ratios, list[Ints], Ints]:
        """Return ratios, the codes as these have them, and the rate behind every second of theirs."""
        if self.fits:
            every = np.arange(self.tpr.shape[1])
            if self.whole is None:
                self.whole = self._table(every)
            return self.whole, list(codes), every
        unpacked = [unpack_vote(code) for code in codes]
        rate = np.unique(np.concatenate([place for place, _ in unpacked]))
        again = [pack_vote(np.searchsorted(rate, place).astype(np.int32), said) for place, said in unpacked]
        return self._table(rate), again, rate

    def with_logs(self, ratios: Ratios, rate: Ints, far: Ints, *, absent: bool = False) -> Ratios:
        """Return ratios with the logarithms of the codes in `far` and, if wanted, of P(vote | absent)."""
        if len(far):
            place = np.full(len(ratios.ratio), -1, np.int32)
            place[far] = np.arange(len(far))
            logs = vote_logs(self.tpr, self.fpr, self.unsure, self.draws, rate, far, False)
            ratios = ratios._replace(log_place=place, log_ratio=logs)
        if absent:
            every = np.arange(len(ratios.ratio))
            logs = vote_logs(self.tpr, self.fpr, self.unsure, self.draws, rate, every, True)
            ratios = ratios._replace(log_absent=logs)
        return ratios

    def _table(self, rate: Ints) -> Ratios:
        ratio, reach = vote_ratios(self.tpr, self.fpr, self.unsure, self.draws, rate)
        both = self.together(self.tpr, self.fpr, rate) if self.votes_depend else None
        if both and len(
            both.deceived.odds
        ):  # what all votes say given absence may be 1 / P(report | absent) for each
            reports = reports_by_rate(reach)
            reports[:] = np.maximum(reports, -np.log10(both.absent.min(axis=1)))
        nothing = np.empty((0, len(self.draws)))
        return Ratios(
            ratio, reach, self.draws, np.empty(0, np.int32), nothing, nothing, both, self.known, self.scores
        )

    def together(self, tpr: Floats, fpr: Floats, rate: Ints) -> Together:
        """Return what votes of some of these rates, all draws × rates, depend on together."""
        joint = self.votes_depend and self.marks_vote
        wider = 1 + self.unsure[self.draws] if joint else np.empty(0)
        return together((tpr, fpr), self.spreads, self.draws, rate, wider)

    @property
    def votes_depend(self) -> bool:
        """Whether votes on a cell depend on each other, given presence or given absence."""
        return any(len(spread) for spread in self.spreads)


def known_logs(expert: Floats | None, n_draws: int) -> Floats:
    """Return the logarithms of what is known: of its ratio and of P(it | absent) × 3 states × draws.

    Without the rates of an expert, it is the truth.
    """
    logs = np.zeros((2, STATES, n_draws))
    if expert is None:
        logs[0, ABSENT], logs[0, PRESENT], logs[1, PRESENT] = -TRUTH, TRUTH, -TRUTH
        return logs
    tpr, fpr = all_inside(expert)
    for state, one, other in ((ABSENT, 1 - tpr, 1 - fpr), (PRESENT, tpr, fpr)):
        logs[0, state], logs[1, state] = np.log(one / other), np.log(other)
    return logs


def with_truth(chances: Floats, known: Ints) -> Floats:
    """Return the chances of cells × draws, which are 0 or 1 where the truth is known."""
    chances[known == ABSENT], chances[known == PRESENT] = 0, 1
    return chances


@compiled
def vote_ratios(tpr: Floats, fpr: Floats, unsure: Floats, draws: Ints, rate: Ints) -> tuple[Floats, Floats]:
    """Return the ratios of silence and report for these rates and draws, and their reach."""
    ratio = np.empty((2 * len(rate), len(draws)), np.float32)
    for first in range(0, len(draws), TILE):
        last = min(first + TILE, len(draws))
        for slot in range(len(rate)):
            for d in range(first, last):
                there = inside(np.float64(tpr[draws[d], rate[slot]]))
                absent = inside(np.float64(fpr[draws[d], rate[slot]]))
                more = unsure[draws[d]]
                ratio[pack_vote(slot, 0), d] = silence_of(there, more) / silence_of(absent, more)
                ratio[pack_vote(slot, 1), d] = there / absent
    reach = np.zeros(len(ratio))
    for code in range(len(ratio)):
        low, high = np.float32(1), np.float32(1)
        for d in range(len(draws)):
            low, high = min(low, ratio[code, d]), max(high, ratio[code, d])
        reach[code] = max(-np.log10(low), np.log10(high))
    return ratio, reach


@compiled
def vote_logs(
    tpr: Floats, fpr: Floats, unsure: Floats, draws: Ints, rate: Ints, codes: Ints, absent: bool
) -> Floats:
    """Return logarithms of the ratio of votes, or of P(vote | absent): codes × draws."""
    logs = np.empty((len(codes), len(draws)))
    for row in range(len(codes)):
        slot, said = unpack_vote(codes[row])
        j = rate[slot]
        for d in range(len(draws)):
            there = inside(np.float64(tpr[draws[d], j]))
            not_there = inside(np.float64(fpr[draws[d], j]))
            logs[row, d] = _log_vote(not_there, said, unsure[draws[d]])
            if not absent:
                logs[row, d] = _log_vote(there, said, unsure[draws[d]]) - logs[row, d]
    return logs


@inlined
def _log_vote(probability: float, said: int, unsure: float) -> float:
    """Return the logarithm of the probability of a report or, from that, of silence."""
    return np.log(probability) if said else np.log1p(-probability) - np.log1p(unsure * probability)
