"""Effects of context, drawn with all presence summed out.

A species that is hard to hear is present in many recordings where nobody reported it. Given presence, its
effects could hardly move, and presence given effects neither. With presence summed out, the log density of
the effects on species k, given the votes, is

    Σ over recordings i   log(1 + odds[i, k]·ratio[i, k]) − log(1 + odds[i, k])   + log prior,

where ratio is what all votes say of presence (../../presence/recording_ratios.py). It takes the place of the
density given counts in all moves: species.py, pooling.py, stretching.py.

This costs visits × species, so that a sweep in many moves them all, and where visits are many some species.
"""

from __future__ import annotations

import math

import numpy as np

from ....common.compiled import inlined
from ....common.ragged import Bools, Floats, Ints
from ...design import Design
from .terms import LARGE, Terms

WORK = 160_000
"""So many visits are gone through in a sweep on average, each once for every species that moves."""
AT_ONCE = 1_000_000
"""So many visits × species at a time: scales move best if all species move with them."""
ROUNDS = 3
"""So many blocks and scales are moved with effects each time."""
FEW = 3
"""With fewer recordings than so many times their distinct contexts, counts by context save nothing: then
effects are drawn in this way only."""
DOUBTFUL = 30
"""If a species has no more reported cells than this, all of them may be false."""


def species_in_turn(rng: np.random.Generator, design: Design) -> Ints:
    """Return the species that move in this sweep: often none."""
    a = design.annotations
    visits = max(a.n_visits, 1)
    number = min(max(AT_ONCE // visits, 1), a.n_species)
    if rng.random() * number * visits >= WORK:
        return np.empty(0, np.int64)
    return np.sort(rng.permutation(a.n_species)[:number])


def report_curvature(design: Design, blocks: Terms) -> tuple[Floats, Floats, Bools]:
    """Return about the curvature of rows of levels, and of the first block, if it is none of levels.

    And which species are doubtful: see species.py.

    It is that of the share of recordings with a report, taken with one more recording that has one as often
    as all recordings do: what votes tell of a species grows with its reports. Proposals are made of it.
    """
    a, reported = design.annotations, design.layout.reported
    rows = np.zeros((a.n_species, blocks.row_start[-1]))
    seen = np.zeros(blocks.row_start[-1])
    for row in blocks.row:
        np.add.at(rows, (reported.cells.item, row[reported.recording]), 1.0)
        seen += np.bincount(row, minlength=len(seen))
    cells = np.bincount(reported.cells.item, minlength=a.n_species)
    often, doubtful = (cells + 0.5) / (a.n_recordings + 1), cells <= DOUBTFUL
    share = (rows + often[:, None]) / (seen + 1)
    curvature = seen * share * (1 - share)
    if blocks.levels[0]:
        return curvature, np.empty((0, 0, 0)), doubtful
    first, columns = int(blocks.row_start[1]), int(blocks.column_start[1])
    basis = np.zeros((first, columns))
    row = np.repeat(np.arange(first), np.diff(blocks.basis_start[: first + 1]))
    basis[row, blocks.basis_column[: len(row)]] = blocks.basis[: len(row)]
    return curvature, np.stack([basis.T @ (one[:first, None] * basis) for one in curvature]), doubtful


def by_recording(terms: Terms) -> Terms:
    """Return the same terms with every recording as a context of its own."""
    rows = np.ascontiguousarray(terms.row[:, terms.context])
    return terms._replace(context=np.arange(len(terms.context), dtype=terms.context.dtype), row=rows)


@inlined
def weigh_ratios(
    row: Ints, odds: Floats, times: Floats, ratio: Floats, room: Floats, curved: bool, out: Floats
) -> None:
    """Add up the log likelihood, its slope and, if asked to, its curvature by row of a term, after moves.

    With p = P(present) and q = P(present | votes) the slope is q − p, the curvature p·(1 − p) − q·(1 − q).
    Odds are multiplied by `times` of their row; `room` is working memory. `out` is as in `weigh_rows`.
    """
    value, slope, curvature, product = out
    at, slopes, curvatures = room
    _moved_odds(row, odds, times, at)
    # In a loop of its own, and in place: a compiler computes several recordings at once then.
    for i in range(len(at)):
        new = at[i]
        either, there = 1 + new, 1 + new * ratio[i]
        both = 1 / (either * there)
        absent, less = there * both, either * both
        p, q = new * absent, new * ratio[i] * less
        slopes[i] = q - p
        curvatures[i] = p * absent - q * less
        at[i] = either * less
    if curved:
        for i in range(len(at)):
            curvature[row[i]] += curvatures[i]
    for i in range(len(at)):
        r = row[i]
        slope[r] += slopes[i]
        product[r] *= at[i]
        if not 1 / LARGE < product[r] < LARGE:
            value[r] -= math.log(product[r])
            product[r] = 1.0


@inlined
def ratios_gained(row: Ints, odds: Floats, times: Floats, ratio: Floats, room: Floats) -> float:
    """Return by how much the log likelihood grows if odds are multiplied by `times` of their row."""
    at = room[0]
    _moved_odds(row, odds, times, at)
    for i in range(len(at)):
        new, now = at[i], min(odds[i], LARGE)
        at[i] = (1 + new * ratio[i]) * (1 + now) / ((1 + now * ratio[i]) * (1 + new))
    gain, product = 0.0, 1.0
    for i in range(len(at)):
        product *= at[i]
        if not 1 / LARGE < product < LARGE:
            gain, product = gain + math.log(product), 1.0
    return gain + math.log(product)


@inlined
def _moved_odds(row: Ints, odds: Floats, times: Floats, out: Floats) -> None:
    """Fill in the odds after moves."""
    for i in range(len(out)):
        out[i] = min(odds[i] * times[row[i]], LARGE)
