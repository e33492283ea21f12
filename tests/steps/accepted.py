"""Whether moves are accepted, one by one: by the density and the way back, both worked out plainly.

Of a proposal that is close to the density, a wrong ratio may hardly be seen in what is drawn. If it is wrong
by a factor that is the same on the way back, it only makes acceptance rarer. Here the random number that
decides is known, so that each decision is right or wrong, and one that is wrong is enough: p is 1 or 0.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial

import numpy as np
from scipy import stats
from scipy.special import expit, log_expit, logsumexp

import naive
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.distributions import HalfNormal, Normal
from dawnchorus.model.expertise import by_cell, faint
from dawnchorus.model.expertise.sides import Side, SidePrior
from dawnchorus.model.occurrence.effects import moves as effect_moves
from dawnchorus.model.occurrence.effects import species
from dawnchorus.model.rates import pack_vote

from .effects import (
    BLOCKS,
    COLUMNS,
    DESIGN,
    POOL,
    TERM_OF,
    TERMS,
    VOTED,
    move,
    present_given,
    told_counts,
    voted_in,
)

SMOOTH, LEVELS = range(2)
"""The blocks of effects: intercepts with smooth ones, which move together, and levels, each on its own."""


def newton(basis, slope, curvature, pull, precision):
    """Give Newton's step, which is shortened, and the precision of moves around it."""
    total = basis.T @ (np.maximum(curvature, 0)[:, None] * basis) + np.diag(precision)
    step = np.linalg.solve(total, basis.T @ slope + pull)
    return step * min(1, effect_moves.REACH / np.abs(basis @ step).max()), total


def log_proposal(move, *given):
    """Give the log density of a move, which is normal."""
    step, total = newton(*given)
    return 0.5 * np.linalg.slogdet(total)[1] - 0.5 * (move - step) @ total @ (move - step)


def log_ratio(move, basis, now, new, pull, precision):
    """Give the log ratio that a move is accepted by; `now` and `new` have value, slope and curvature."""
    gain = (new[0] - now[0]).sum() + (pull * move - precision * move**2 / 2).sum()
    there = log_proposal(move, basis, *now[1:], pull, precision)
    return gain + log_proposal(-move, basis, *new[1:], pull - precision * move, precision) - there


def part_of(t):
    """Give rows and columns of a block, its basis, and which of its rows and columns move together."""
    rows, columns = (slice(*start[t : t + 2]) for start in (BLOCKS.row_start, BLOCKS.column_start))
    basis = np.zeros((int(BLOCKS.row_start[-1]), int(BLOCKS.column_start[-1])))
    basis[np.repeat(np.arange(len(basis)), np.diff(BLOCKS.basis_start)), BLOCKS.basis_column] = BLOCKS.basis
    basis = basis[rows, columns]
    one_by_one = [(slice(b, b + 1), slice(b, b + 1)) for b in range(len(basis))]
    return rows, columns, basis, one_by_one if t == LEVELS else [(slice(None), slice(None))]


def moves_p(t, fixed, value=1.0, slope=1.0, curvature=1.0, pull=1.0, precision=1.0, draws=160):
    """Move effects given made-up sums by row, with one curvature or two: just above the ratio, or below."""
    rng, right = np.random.default_rng(11), True
    here, columns, basis, alone = part_of(t)
    rows, moves = int(BLOCKS.row_start[-1]), effect_moves.make_moves(BLOCKS, int(BLOCKS.row_start[-1]))
    for draw in range(draws):
        now, new = rng.normal(0, [[1], [2], [1]], (2, 3, rows))
        now[2], new[2] = rng.uniform(-0.5, 3, (2, rows))
        new[2] = now[2] if fixed else new[2]
        prior = rng.normal(0, 1.5, COLUMNS), rng.uniform(0.3, 3, COLUMNS)
        moves.pull[:], moves.precision[:] = pull * prior[0], precision * prior[1]
        times, product = np.array([value, slope, curvature])[:, None], rng.uniform(0.1, 10, (2, rows))
        sums = np.vstack([now * times, product[0] ** value])
        effect_moves.propose_moves(rng, BLOCKS, t, sums, moves)
        proposed, decides = moves.column[columns].copy(), deepcopy(rng).standard_exponential(len(alone))
        off = 1e-6 if draw % 2 else -1e-6
        for (some, block), least in zip(alone, decides, strict=True):
            sums_here = (part[:, here][:, some] for part in (now, new))
            given = (part[columns][block] for part in prior)
            gain = log_ratio(proposed[block], basis[some, block], *sums_here, *given)
            new[0, here][some][:1] += off - least - gain
        # a product's logarithm is taken off the value
        now[0], new[0] = now[0] + np.log(product[0]), new[0] + np.log(product[1])
        told = (np.vstack([s * times, p**value]) for s, p in zip((now, new), product, strict=True))
        effect_moves.accept_moves(rng, BLOCKS, t, *told, moves, fixed)
        right = right and ((moves.column[columns] != 0) == (off > 0)).all()
    return float(right)


def sums_by_row(row, rows, x, y, n):
    """Give the log likelihood by row, and its slope and curvature, of log-odds by context."""
    p = expit(x)
    by_context = y * x - n * np.logaddexp(0, x), y - n * p, n * p * (1 - p)
    return np.stack([np.bincount(row, values, rows) for values in by_context])


def expected_curvature(row, rows, y, n):
    """Give a curvature by row that depends on counts alone."""
    voted, present = np.bincount(row, n, rows), np.bincount(row, y, rows)
    share = (present + (y.sum() + 0.5) / (n.sum() + 1)) / (voted + 1)
    return voted * share * (1 - share)


def draw_plainly(rng, effect, common, precision, y, n):
    """Draw the effects on one species, in place, with the same random numbers."""
    for t in (SMOOTH, LEVELS):
        here, columns, basis, alone = part_of(t)
        row, rows = BLOCKS.row[t] - here.start, here.stop - here.start
        now = sums_by_row(row, rows, DESIGN @ effect, y, n)
        if fixed := rng.random() < species.FIXED:
            now[2] = expected_curvature(row, rows, y, n)
        prior = ((common - effect) * precision)[columns], precision[columns]
        move = rng.standard_normal(len(prior[0]))
        for some, block in alone:
            step, total = newton(basis[some, block], *now[1:, some], *(part[block] for part in prior))
            move[block] = step + np.linalg.solve(np.linalg.cholesky(total).T, move[block])
        new = sums_by_row(row, rows, DESIGN @ effect + (basis @ move)[row], y, n)
        new[2] = now[2] if fixed else new[2]
        for some, block in alone:
            given = now[:, some], new[:, some], *(part[block] for part in prior)
            if rng.standard_exponential() <= -log_ratio(move[block], basis[some, block], *given):
                move[block] = 0
        effect[columns] += move


def effects_p(present=1.0, voted=1.0, common=1.0, scale=1.0, draws=3200):
    """Draw effects on species with random numbers that are known, once more and plainly."""
    right, rng = np.array([0.7, 0.9, 0.8]), np.random.default_rng(13)
    effect = POOL.mean + right[TERM_OF] * rng.standard_normal((draws, 2, COLUMNS))
    counts, plain, same = present_given(rng, effect), effect.copy(), deepcopy(rng)
    y, n = told_counts(present, voted, counts)
    told = np.tile(POOL.mean * common, (draws, 1)), np.tile(right * scale, (draws, 1))
    move(0, 0, 1, rng, effect, *told, TERMS, BLOCKS, POOL, y, voted_in(n, 2), 0)
    for d, k in np.ndindex(draws, 2):
        draw_plainly(same, plain[d, k], POOL.mean, right[TERM_OF] ** -2, counts[d, k], VOTED)
    return float(np.allclose(effect, plain, rtol=1e-9, atol=1e-9))


class Known:
    """Random numbers that are known."""

    def __init__(self, uniform, normal, exponentials):
        self.random, self.standard_normal = lambda: uniform, lambda: normal
        self.standard_exponential = iter(exponentials).__next__


VOTES = np.tile([2, 4], 6)
"""How many of four annotators voted on each bird."""
LISTENER = np.concatenate([np.arange(votes) for votes in VOTES])


def birds_log_density(reports, level, around, logits, spread):
    """Give the log density of level, spread and logits, of how far birds differ, and of votes on them."""
    z, share = naive.loudness()
    total = stats.norm.logpdf(level, 0.5, 0.8) + stats.halfnorm.logpdf(around, scale=1.0)
    total += stats.norm.logpdf(logits, level, around).sum() + stats.halfnorm.logpdf(spread, scale=2.0)
    x = np.where(reports, 1, -1)[:, None] * (logits[LISTENER][:, None] + spread * z)
    bird = np.repeat(np.arange(len(VOTES)), VOTES)
    by_bird = np.zeros((len(VOTES), len(z)))
    np.add.at(by_bird, bird, log_expit(x))
    return total + logsumexp(by_bird, axis=1, b=share / share.sum()).sum()


def birds_differ_p(stretch, logits=1.0, level=1.0, sd=1.0, spread=1.0, varied=1.0, draws=160):
    """Move how far birds differ, with all logits or alone: just above the ratio, and just below."""
    rng, one, right = np.random.default_rng(12), np.ones(1), True
    prior = SidePrior(Normal(0.5, 0.8), HalfNormal(spread), varied=HalfNormal(2 * varied))
    told, start = np.array([0.5 * level, 0.8 * sd]), np.append(0, np.cumsum(VOTES))
    for _ in range(draws):
        at, around, now = rng.normal(0.5, 0.8), abs(rng.normal()), abs(rng.normal(0, 2))
        x, reports = rng.normal(at, around, 4), rng.random(len(LISTENER)) < 0.6
        uniform, normal = rng.random(), rng.standard_normal()
        new = now * np.exp(by_cell.LARGEST * uniform**2 * normal)
        times = np.sqrt((1 + by_cell.FLATTER * new**2) / (1 + by_cell.FLATTER * now**2)) if stretch else 1.0
        then = birds_log_density(reports, times * at, times * around, times * x, new)
        gain = then - birds_log_density(reports, at, around, x, now)
        gain += np.log(new / now) + 6 * np.log(times)  # a level, a spread and four logits
        side = Side(np.array([at]), np.array(around), logits * x, one, told, varied=np.array(now))
        votes = Ragged(start, pack_vote(LISTENER, reports))
        for off in (1e-6, -1e-6):
            known = Known(uniform, normal, [off - gain, *[-np.inf] * stretch])
            moved, _ = faint.update_faintness(known, votes, prior, side, 0.0, stretch=stretch)
            right = right and (moved.varied != now) == (off > 0)
    return float(right)


def alone_p(logits=1.0, varied=1.0, draws=160):
    """Move how far birds differ alone, which the prior of logits has no say in."""
    return birds_differ_p(False, logits=logits, varied=varied, draws=draws)


STEPS = {
    "accepting smooth effects": partial(moves_p, SMOOTH, False),
    "accepting smooth effects, the same curvature": partial(moves_p, SMOOTH, True),
    "accepting levels": partial(moves_p, LEVELS, False),
    "accepting levels, the same curvature": partial(moves_p, LEVELS, True),
    "effects on species, move by move": effects_p,
    "accepting how far birds differ": alone_p,
    "accepting how far birds differ, with logits": partial(birds_differ_p, True),
}
