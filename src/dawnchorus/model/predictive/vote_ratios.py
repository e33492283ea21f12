"""Vote ratios: P(vote | present) / P(vote | absent) of every vote and draw, as arrays for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.compiled import compiled
from ...common.ragged import Floats, Ints
from ..rates import inside, pack_vote, unpack_vote
from .loudness import Loudness, loudness
from .parameters import Parameters

TABLE = 1 << 29
"""A table of all rates may take so many bytes; if it is larger, each block of recordings has its own."""
TILE = 32
REACH = 200.0
"""Products that stay within 10^±REACH are computed directly, others as sums of logarithms."""
MANY = 60
"""Products of more votes than this are sums of logarithms too, since ratios are in single precision."""


class Ratios(NamedTuple):
    """Ratios, codes × draws, and for each code the largest absolute logarithm (to base 10) of its ratios.

    Where they are needed, natural logarithms: `log_ratio` of some codes, in the rows that `log_place` names,
    and `log_absent`, of P(vote | absent), of all. `draws` are the draws among all.
    """

    ratio: Floats
    reach: Floats
    draws: Ints
    log_place: Ints
    log_ratio: Floats
    log_absent: Floats
    loudness: Loudness


def products_reach(ratios: Ratios, start: Ints, code: Ints, many: int = MANY) -> tuple[Floats, Ints]:
    """Return bounds of products of ratios, as logarithms to base 10, and the codes in those above REACH.

    Product i is that of `code[start[i] : start[i + 1]]`; those of more than `many` count as above REACH.
    """
    total = np.append(0.0, np.cumsum(ratios.reach[code]))
    reach = total[start[1:]] - total[start[:-1]]
    sizes = np.diff(start)
    reach[sizes > many] = 2 * REACH
    return reach, code[np.repeat(reach > REACH, sizes)]


class RatioTable:
    """Ratios in some of the draws, of all rates or, where these are many, of those that are asked for."""

    def __init__(self, parameters: Parameters, draws: Ints) -> None:
        self.tpr, self.fpr, self.faintness = parameters.tpr, parameters.fpr, parameters.faintness
        self.draws = draws
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
            logs = vote_logs(self.tpr, self.fpr, self.draws, rate, far, False)
            ratios = ratios._replace(log_place=place, log_ratio=logs)
        if absent:
            every = np.arange(len(ratios.ratio))
            logs = vote_logs(self.tpr, self.fpr, self.draws, rate, every, True)
            ratios = ratios._replace(log_absent=logs)
        return ratios

    def _table(self, rate: Ints) -> Ratios:
        ratio, reach = vote_ratios(self.tpr, self.fpr, self.draws, rate)
        nothing, few = np.empty((0, len(self.draws))), np.empty((0, len(self.draws)), np.float32)
        loud = Loudness(few, nothing, nothing)
        if len(self.faintness):
            loud = loudness(self.tpr, self.fpr, self.draws, rate, self.faintness)
        return Ratios(ratio, reach, self.draws, np.empty(0, np.int32), nothing, nothing, loud)


@compiled
def vote_ratios(tpr: Floats, fpr: Floats, draws: Ints, rate: Ints) -> tuple[Floats, Floats]:
    """Return the ratios of silence and report for these rates and draws, and their reach."""
    ratio = np.empty((2 * len(rate), len(draws)), np.float32)
    for first in range(0, len(draws), TILE):
        last = min(first + TILE, len(draws))
        for slot in range(len(rate)):
            for d in range(first, last):
                there = inside(np.float64(tpr[draws[d], rate[slot]]))
                absent = inside(np.float64(fpr[draws[d], rate[slot]]))
                ratio[pack_vote(slot, 0), d] = (1 - there) / (1 - absent)
                ratio[pack_vote(slot, 1), d] = there / absent
    reach = np.zeros(len(ratio))
    for code in range(len(ratio)):
        low, high = np.float32(1), np.float32(1)
        for d in range(len(draws)):
            low, high = min(low, ratio[code, d]), max(high, ratio[code, d])
        reach[code] = max(-np.log10(low), np.log10(high))
    return ratio, reach


@compiled
def vote_logs(tpr: Floats, fpr: Floats, draws: Ints, rate: Ints, codes: Ints, absent: bool) -> Floats:
    """Return logarithms of the ratio of votes, or of P(vote | absent): codes × draws."""
    logs = np.empty((len(codes), len(draws)))
    for row in range(len(codes)):
        slot, said = unpack_vote(codes[row])
        j = rate[slot]
        for d in range(len(draws)):
            there = inside(np.float64(tpr[draws[d], j]))
            not_there = inside(np.float64(fpr[draws[d], j]))
            logs[row, d] = np.log(not_there) if said else np.log1p(-not_there)
            if not absent:
                logs[row, d] = (np.log(there) if said else np.log1p(-there)) - logs[row, d]
    return logs
