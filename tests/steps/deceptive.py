"""Something that misleads everybody: presence, how far absent birds differ, linked cells and their trials."""

from __future__ import annotations

from functools import cache, partial
from itertools import pairwise

import numpy as np
from scipy import stats
from scipy.special import expit

import joint
import naive
import portals
from checks import half_normal_p
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.design import Design
from dawnchorus.model.distributions import HalfNormal, Normal
from dawnchorus.model.expertise.deceptive import draws as deceptive
from dawnchorus.model.expertise.deceptive import linked, silences
from dawnchorus.model.expertise.sides import Side, SidePrior

from .presence import COMMON, LIKELY, OWN, RARE, SHARED, case, cells_p

SPREAD = 2.0


def presence_p(reported, probability, options, faint=0.0, odds=1.0, first=1.0, later=1.0, draws=300):
    """Draw cells with a report, or without."""
    given = case(probability, **options, faint=faint, deceptive=SPREAD)
    return cells_p(reported, given, odds, 1.0, first, later, faint, draws, SPREAD)


LOGITS = np.array([-0.5, -1.5, -2.5, -1.0])
"""Of false reports by four annotators, in an average recording."""
VISITS = (0, 1), (0, 1, 2), (2, 3), (0, 1, 2, 3), (3,)


@cache
def recordings(copies):
    """Give the design of many recordings with one species, its votes, and the kind of each recording."""
    kind = np.tile(np.arange(len(VISITS)), copies)
    visits = {(i, j): (0,) for i, at in enumerate(kind) for j in VISITS[at]}
    design = Design(portals.lay_out(visits, sizes=(len(kind), 4, 1)), by_species=True)
    return design, joint.Votes.of(design), kind


def nobody(design, votes):
    """Give presence of no bird at all."""
    return joint.as_presence(np.zeros((design.annotations.n_recordings, 1), bool), design, votes)


def deceived(rng, spread, votes):
    """Give votes on absent birds that differ by this spread."""
    z, share = naive.loudness()
    away = spread * rng.choice(z, len(votes.cell_recording), p=share)
    return rng.random(len(votes.rate)) < expit(LOGITS[votes.rate] + away[votes.cell])


def deception_p(logits=1.0, scale=1.0, draws=5000):
    """Move spreads from their prior, given votes that were drawn from them."""
    rng, found = np.random.default_rng(1), []
    empty, votes, _ = recordings(1)
    prior = SidePrior(Normal(0, 1), HalfNormal(1), varied=HalfNormal(SPREAD * scale))
    told, one = LOGITS + 14 * (logits - 1), np.ones(1)
    for spread in np.abs(rng.normal(0, SPREAD, draws)):
        design = joint.with_reports(empty, votes, deceived(rng, spread, votes))
        side, presence = Side(one, one[0], told, one, one, varied=np.array(spread)), nobody(design, votes)
        for _ in range(8):
            side, *_ = deceptive.draw_deceptive(rng, presence, design, prior, side, 0.0, stretch=False)
        found.append(float(side.varied))
    return half_normal_p(found, SPREAD)


def silence(logit, spread):
    """Give the probability of silence in each class."""
    return expit(-logit - spread * naive.loudness()[0])


def silences_told(logits, spread):
    """Give what steps are told of silences on absent cells."""
    return deceptive._silences(LOGITS + 3 * (logits - 1), SPREAD * spread, 0.0)


def linked_p(logits=1.0, spread=1.0, draws=60):
    """Draw which silent cells are linked, and compare how many of each kind with what is expected."""
    design, votes, kind = recordings(400)
    share, rng = naive.loudness()[1], np.random.default_rng(2)
    wanted = np.zeros(len(VISITS))
    for at, who in enumerate(VISITS):
        g = np.array([silence(LOGITS[j], SPREAD) for j in who])
        wanted[at] = 1 - np.prod(g @ share) / (share @ g.prod(axis=0))
    by_votes, found, told = dict(zip(VISITS, range(5), strict=True)), [], silences_told(logits, spread)
    of, presence = design.derived(linked.visits_of), nobody(design, votes)
    for _ in range(draws):
        start, item = linked.draw_linked(rng, design.layout, of, presence, told)
        found += [by_votes[tuple(sorted(item[low:high]))] for low, high in pairwise(start)]
    found, n = np.bincount(found, minlength=5), draws * np.bincount(kind)
    assert wanted[4] == 0 == found[4]
    off = (found - n * wanted)[:4] / np.sqrt(n * wanted * (1 - wanted))[:4]
    return 8 * stats.norm.sf(np.abs(off).max())


@cache
def odd_chances():
    """Give the probability that a silence is odd and of each class, by annotator."""
    z, share = naive.loudness()
    factor, y = np.exp(SPREAD * z), np.exp(LOGITS)[:, None]
    g, mean = np.array([silence(x, SPREAD) for x in LOGITS]), share @ factor
    odd = share * ((mean - factor) * y / (1 + mean * y)) ** 2 * g
    assert np.allclose(g @ share, 1 / (1 + mean * y[:, 0]) + odd.sum(axis=1))
    return odd / (g @ share)[:, None]


@cache
def wanted_trials():
    """Give how many trials of each class, trials of the mean factor, and successes a linked cell has.

    All four annotators voted on it. Everything is summed over all ways to choose k, l, r and s.
    """
    share, odd = naive.loudness()[1], odd_chances()
    g, n = np.array([silence(x, SPREAD) for x in LOGITS]), len(share)
    quiet, total, mean = g @ share, 0.0, np.zeros((4, n + 2))
    for k in range(1, 4):
        after = np.zeros((4, n + 2))
        after[k + 1 :, :n] = odd[k + 1 :]
        after[k + 1 :, n] = 1 + odd[k + 1 :].sum(axis=1)
        after[k + 1 :, n + 1] = 2 * odd[k + 1 :].sum(axis=1)
        for r, s in zip(*np.triu_indices(n, 1), strict=True):
            both = np.prod(quiet[k + 1 :]) * share[r] * share[s] * (g[k, r] - g[k, s])
            for first in range(k):
                weight = both * np.prod(g[:first, r]) * (g[first, r] - g[first, s])
                weight *= np.prod(g[first + 1 : k, s])
                one = after.copy()
                one[: first + 1, r] += 1
                one[first:k, s] += 1
                one[k, [r, s]] += 1
                one[[first, k], n + 1] += 1
                total, mean = total + weight, mean + weight * one
    assert np.isclose(total, share @ g.prod(axis=0) - np.prod(quiet))
    return mean / total


def trials_p(logits=1.0, spread=1.0, batches=80, cells=800):
    """Draw the trials of linked cells, and compare their numbers with what is expected."""
    wanted, rng, told = wanted_trials(), np.random.default_rng(3), silences_told(logits, spread)
    votes = Ragged(np.arange(0, 4 * cells + 1, 4), np.tile(np.arange(4), cells))
    found = np.zeros((batches, *wanted.shape))
    for one in found:
        rate, drawn, plain, successes = silences.draw_trials(rng, votes, np.full(4, cells), told)
        np.add.at(one, (rate, drawn), 1)
        one[:, -2], one[:, -1] = plain, successes
    often = (found.mean(axis=0) > 10) & (found.std(axis=0) > 0)
    off = (found.mean(axis=0) - cells * wanted)[often] / found.std(axis=0)[often] * np.sqrt(batches)
    return 2 * often.sum() * stats.t.sf(np.abs(off).max(), batches - 1)


def odd_p(logits=1.0, spread=1.0, n=200_000):
    """Draw which silences of cells that are not linked are odd, and of which class."""
    chance, told = odd_chances(), silences_told(logits, spread)
    nothing = Ragged(np.zeros(1, np.int64), np.zeros(0, np.int64))
    rate, drawn, plain, successes = silences.draw_trials(
        np.random.default_rng(4), nothing, np.full(4, n), told
    )
    found = np.zeros(chance.shape)
    np.add.at(found, (rate, drawn), 1)
    assert np.array_equal(successes, 2 * found.sum(axis=1))
    assert np.array_equal(plain, n + found.sum(axis=1))
    off = (found - n * chance) / np.sqrt(n * chance * (1 - chance))
    return 2 * chance.size * stats.norm.sf(np.abs(off[n * chance > 20]).max())


STEPS = {
    "reported cells, deceptive birds": partial(presence_p, True, LIKELY, {}, draws=200),
    "reported cells, faint and deceptive birds, by species": partial(presence_p, True, LIKELY, OWN, SPREAD),
    "silent cells, candidates, deceptive birds": partial(presence_p, False, RARE, OWN, draws=200),
    "silent cells, candidates, deceptive birds, a shared list": partial(
        presence_p, False, RARE, SHARED, draws=200
    ),
    "silent cells, candidates, deceptive birds, silence raises the odds": partial(
        presence_p, False, RARE, {"raised": True}, draws=200
    ),
    "silent cells, candidates, faint and deceptive birds": partial(presence_p, False, RARE, OWN, SPREAD),
    "silent cells, all, deceptive birds": partial(presence_p, False, COMMON, {}, draws=100),
    "how far absent birds differ": deception_p,
    "linked cells": linked_p,
    "trials of linked cells": trials_p,
    "odd silences": odd_p,
}
