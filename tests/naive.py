"""Slow, obvious twins of what the package does fast: dictionaries and loops over every cell."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from scipy import stats

from dawnchorus.common.compiled import compiled
from dawnchorus.model.distributions.priors import Gamma
from dawnchorus.model.expertise.logits.draws import draw_levels, draw_spread
from dawnchorus.model.expertise.logits.tangents import draw_logit
from dawnchorus.model.expertise.logits.trials import Counts, Trials
from dawnchorus.model.occurrence.dirichlet_process import draw_concentration


def votes(rows, absence, scope=()):
    """Give {(recording, annotator): {species: 1, 0 or None for unsure}} from rows of a long table.

    `rows` are (recording, annotator, species or "", present 1, 0 or None); `scope` are (annotator, species).
    """
    every_species = {row[2] for row in rows if row[2]} | {k for _, k in scope}
    visits = {}
    for recording, annotator, species, present in rows:
        visit = visits.setdefault((recording, annotator), {})
        if species:
            visit[species] = present
    for (_, annotator), visit in visits.items():
        if absence == "checklist":
            silent = every_species
        elif absence == "scope":
            silent = {k for j, k in scope if j == annotator}
        else:
            silent = set()
        for species in silent:
            visit.setdefault(species, 0)
    return visits


def cube(visits, recordings, annotators, species):
    """Lay the votes out: 1, 0, and −1 for no vote."""
    cells = np.full((len(recordings), len(annotators), len(species)), -1)
    for i, recording in enumerate(recordings):
        for j, annotator in enumerate(annotators):
            for k, name in enumerate(species):
                vote = visits.get((recording, annotator), {}).get(name)
                if vote is not None:
                    cells[i, j, k] = vote
    return cells


def majority_vote(cells):
    """Give the share of votes for present in each cell; without a vote, the mean of all such shares."""
    shares = np.full((cells.shape[0], cells.shape[2]), np.nan)
    for i in range(cells.shape[0]):
        for k in range(cells.shape[2]):
            cast = [vote for vote in cells[i, :, k] if vote >= 0]
            if cast:
                shares[i, k] = sum(cast) / len(cast)
    shares[np.isnan(shares)] = np.nanmean(shares)
    return shares


def vote_counts(cells):
    """Count votes and reports in each cell."""
    return (cells >= 0).sum(axis=1), (cells == 1).sum(axis=1)


def auc(present, probability):
    """Give the share of (present, absent) pairs in which the present cell has the higher probability."""
    wins = 0.0
    positives = [p for y, p in zip(present, probability, strict=True) if y]
    negatives = [p for y, p in zip(present, probability, strict=True) if not y]
    for p in positives:
        for q in negatives:
            wins += 1.0 if p > q else 0.5 if p == q else 0.0
    return wins / (len(positives) * len(negatives))


def predictive(cells, rates_at, parameters):
    """Give presence probabilities, averaged over draws, and log likelihoods, recordings × draws."""
    n_recordings, n_annotators, n_species = cells.shape
    n_draws = len(parameters.weight)
    mean = np.zeros((n_recordings, n_species))
    likelihood = np.zeros((n_recordings, n_draws))
    for i in range(n_recordings):
        for d in range(n_draws):
            shares, chances = [], []
            for r in range(parameters.components[d]):
                share, chance = float(parameters.weight[d, r]), []
                for k in range(n_species):
                    there, not_there = parameters.occurrence[d, r, k], 1 - parameters.occurrence[d, r, k]
                    for j in range(n_annotators):
                        if cells[i, j, k] >= 0:
                            rate = j if rates_at is None else int(rates_at([j], [k])[0])
                            tpr, fpr = float(parameters.tpr[d, rate]), float(parameters.fpr[d, rate])
                            there *= tpr if cells[i, j, k] else 1 - tpr
                            not_there *= fpr if cells[i, j, k] else 1 - fpr
                    share *= there + not_there
                    chance.append(there / (there + not_there))
                shares.append(share)
                chances.append(chance)
            likelihood[i, d] = np.log(sum(shares))
            mean[i] += np.array(shares) @ np.array(chances) / sum(shares) / n_draws
    return mean, likelihood


def conditional_waic(cells, parameters):
    """Give lppd and penalty over votes, conditional on presence; rates by annotator, one component."""
    lppd, penalty = 0.0, 0.0
    tpr, fpr, occurrence = parameters.tpr, parameters.fpr, parameters.occurrence[:, 0]
    for i in range(cells.shape[0]):
        for k in range(cells.shape[2]):
            there, not_there = occurrence[:, k].copy(), 1 - occurrence[:, k]
            voters = [j for j in range(cells.shape[1]) if cells[i, j, k] >= 0]
            for j in voters:
                there *= tpr[:, j] if cells[i, j, k] else 1 - tpr[:, j]
                not_there *= fpr[:, j] if cells[i, j, k] else 1 - fpr[:, j]
            p = there / (there + not_there)
            for j in voters:
                one, other = (tpr[:, j], fpr[:, j]) if cells[i, j, k] else (1 - tpr[:, j], 1 - fpr[:, j])
                lppd += np.log(np.mean(p * one + (1 - p) * other))
                mean = p * np.log(one) + (1 - p) * np.log(other)
                square = p * np.log(one) ** 2 + (1 - p) * np.log(other) ** 2
                penalty += (square.sum() - mean.sum() ** 2 / len(p)) / (len(p) - 1)
    return lppd, penalty


# Compiled dense yardsticks: the same samplers as plain loops over every recording × species cell
#
# `cells` is the cube as int8; `visits` and `annotator` list the annotators of each recording. Presence is
# drawn in every cell, voted on or not, as in the paper. Rates are annotators × species throughout; without a
# hierarchy, all columns are the same. All beta priors are pairs (a, b).


class DenseState(NamedTuple):
    presence: np.ndarray
    """Recordings × species."""
    group: np.ndarray
    occurrence: np.ndarray
    """Components × species."""
    concentration: float
    tpr: np.ndarray
    fpr: np.ndarray


class DenseSide(NamedTuple):
    """Logits of true or of false positive rates, by pair of annotator and species, with levels and spread."""

    logit: np.ndarray
    level: np.ndarray
    spread: float


def dense_start(rng, cells, occurrence, tpr, fpr, components=1):
    """Give a state to start from: prior means, and recordings in components at random."""
    recordings, annotators, species = cells.shape
    return DenseState(
        np.zeros((recordings, species), np.bool_),
        rng.integers(components, size=recordings),
        np.full((components, species), occurrence[0] / sum(occurrence)),
        1.0,
        np.full((annotators, species), tpr),
        np.full((annotators, species), fpr),
    )


def dense_sweep_base(rng, state, cells, visits, annotator, priors):
    """Sweep once: presence cell by cell, votes by truth, then Beta draws. `priors`: occurrence, tpr, fpr."""
    present, counts = dense_presence(rng, state, cells, visits, annotator)
    tpr, fpr = dense_rates(rng, counts, priors[1], priors[2])
    (a, b), n = priors[0], present.sum(axis=0)
    occurrence = rng.beta(a + n, b + len(present) - n)[None]
    return state._replace(presence=present, occurrence=occurrence, tpr=tpr, fpr=fpr)


def dense_sweep_dp(rng, state, cells, visits, annotator, priors, concentration):
    """Sweep the mixture once: as above, with collapsed Gibbs over assignments."""
    present, counts = dense_presence(rng, state, cells, visits, annotator)
    tpr, fpr = dense_rates(rng, counts, priors[1], priors[2])
    return dense_mixture(rng, state._replace(presence=present, tpr=tpr, fpr=fpr), priors[0], concentration)


def dense_sweep_hierarchical(rng, state, sides, cells, visits, annotator, pairs, occurrence, levels, scale):
    """Sweep rates by annotator and species once: counts by pair, every pair's logit, levels and spread.

    `pairs` are (annotator, species) of each pair; `levels` the (mean, sd) of both sides' levels.
    """
    present, counts = dense_presence(rng, state, cells, visits, annotator)
    (tpr, fpr), sides = dense_logits(rng, counts, sides, pairs, levels, scale, state)
    (a, b), n = occurrence, present.sum(axis=0)
    drawn = rng.beta(a + n, b + len(present) - n)[None]
    return state._replace(presence=present, occurrence=drawn, tpr=tpr, fpr=fpr), sides


def dense_sweep_dp_hierarchical(
    rng, state, sides, cells, visits, annotator, pairs, occurrence, levels, scale, concentration
):
    """Sweep the mixture with rates by annotator and species once."""
    present, counts = dense_presence(rng, state, cells, visits, annotator)
    (tpr, fpr), sides = dense_logits(rng, counts, sides, pairs, levels, scale, state)
    state = state._replace(presence=present, tpr=tpr, fpr=fpr)
    return dense_mixture(rng, state, occurrence, concentration), sides


@compiled
def dense_presence(rng, state, cells, visits, annotator):
    """Draw presence in each cell, and count silences and reports by truth, annotator and species."""
    recordings, annotators, species = cells.shape
    occurrence, group, tpr, fpr = state.occurrence, state.group, state.tpr, state.fpr
    present = np.zeros((recordings, species), np.bool_)
    counts = np.zeros((2, 2, annotators, species), np.int64)
    for i in range(recordings):
        for k in range(species):
            chance = occurrence[group[i], k]
            yes, no = chance, 1 - chance
            for v in range(visits[i], visits[i + 1]):
                j = annotator[v]
                if cells[i, j, k] == 1:
                    yes, no = yes * tpr[j, k], no * fpr[j, k]
                elif cells[i, j, k] == 0:
                    yes, no = yes * (1 - tpr[j, k]), no * (1 - fpr[j, k])
            truth = rng.random() * (yes + no) < yes
            present[i, k] = truth
            for v in range(visits[i], visits[i + 1]):
                vote = cells[i, annotator[v], k]
                if vote >= 0:
                    counts[int(truth), vote, annotator[v], k] += 1
    return present, counts


def dense_rates(rng, counts, tpr, fpr):
    """Draw one true and one false positive rate for each annotator."""
    total = counts.sum(axis=3)
    drawn = (rng.beta(a + n[1], b + n[0]) for (a, b), n in ((tpr, total[1]), (fpr, total[0])))
    return tuple(np.repeat(rate[:, None], counts.shape[3], axis=1) for rate in drawn)


def dense_logits(rng, votes, sides, pairs, levels, scale, state):
    """Draw the logits of all pairs on both sides, then levels and spreads."""
    rates, drawn = [], []
    for side, n, (mean, sd), rate in zip(sides, votes[::-1], levels, (state.tpr, state.fpr), strict=True):
        trials, hits = n.sum(axis=0)[pairs], n[1][pairs]
        start = np.searchsorted(pairs[0], np.arange(len(side.level) + 1))
        counts = Trials(hits, trials, pairs[0], start, np.empty(0))
        logit, level = dense_pairs(rng, side.logit, counts, side.level, side.spread)
        given = Trials(hits, np.ones_like(trials), pairs[0], start, np.empty(0))
        same = np.ones(len(level))
        draw_levels(rng, logit, given, level, side.spread, same, mean * same, sd)
        spread = draw_spread(rng, logit, given, level, side.spread, np.ones(len(level)), scale)
        new = rate.copy()
        new[pairs] = 1 / (1 + np.exp(-logit))
        rates.append(new)
        drawn.append(DenseSide(logit, level, spread))
    return rates, drawn


@compiled
def dense_pairs(rng, logit, counts, level, spread):
    """Draw every pair's logit given its counts."""
    new = logit.copy()
    for p in range(len(logit)):
        of_one = Counts(counts.successes[p], counts.trials[p], 0, 0)
        none = np.empty(0, np.int64), np.empty(0)
        new[p] = draw_logit(rng, logit[p], of_one, *none, level[counts.owner[p]], 1 / spread**2)
    return new, level.copy()


def dense_mixture(rng, state, occurrence, concentration):
    """Draw components, the occurrence in each and the concentration. Priors: (a, b) and (shape, rate)."""
    group = state.group.copy()
    dense_assign(rng, group, state.presence, state.concentration, *occurrence)
    _, group = np.unique(group, return_inverse=True)
    n, members = np.zeros((group.max() + 1, state.presence.shape[1])), np.bincount(group)
    np.add.at(n, group, state.presence)
    a, b = occurrence
    drawn = rng.beta(a + n, b + members[:, None] - n)
    new = draw_concentration(rng, state.concentration, len(n), len(group), Gamma(*concentration))
    return state._replace(group=group, occurrence=drawn, concentration=float(new))


@compiled
def dense_assign(rng, group, presence, concentration, a, b):
    """Draw each recording's component given all others', with occurrence and weights integrated out."""
    recordings, species = presence.shape
    slots = group.max() + 20
    members, counts = np.zeros(slots, np.int64), np.zeros((slots, species), np.int64)
    for i in range(recordings):
        members[group[i]] += 1
        for k in range(species):
            counts[group[i], k] += presence[i, k]
    score = np.empty(slots)
    for i in range(recordings):
        members[group[i]] -= 1
        for k in range(species):
            counts[group[i], k] -= presence[i, k]
        empty = -1
        for r in range(slots):
            score[r] = -np.inf
            if members[r] == 0 and empty >= 0:
                continue
            if members[r] == 0:
                empty = r
            score[r] = np.log(members[r] if members[r] > 0 else concentration)
            score[r] -= species * np.log(a + b + members[r])
            for k in range(species):
                if presence[i, k]:
                    score[r] += np.log(a + counts[r, k])
                else:
                    score[r] += np.log(b + members[r] - counts[r, k])
        score = np.exp(score - score.max())
        u = rng.random() * score.sum()
        r = 0
        while r < slots - 1 and u >= score[r]:
            u -= score[r]
            r += 1
        group[i] = r
        members[r] += 1
        for k in range(species):
            counts[r, k] += presence[i, k]


def odds_table(odds):
    """Give the odds of each recording and species: the product of its terms."""
    table = np.ones((len(odds.row), odds.factor.shape[1]))
    for i, k in np.ndindex(table.shape):
        for row in odds.row[i]:
            table[i, k] *= odds.factor[row, k]
        assert table[i, k] <= odds.max_odds[odds.group[i], k] * (1 + 1e-12)
    return table


def vote_ratios(tpr, fpr, margin=1e-15):
    """Give P(vote | present) / P(vote | absent) of silence and report for each rate, one after the other."""
    found = []
    for p, q in zip(tpr, fpr, strict=True):
        p, q = (margin if x < margin else 1 - margin if x > 1 - margin else x for x in (p, q))
        for report in (False, True):
            found.append(p / q if report else (1 - p) / (1 - q))
    return found


def vote_probability(said, rate, step=0.0):
    """Give the probability of silence, 0, a report, 1, or an unsure mark, 2: an ordered logistic vote."""
    more = rate * np.exp(step)
    or_unsure = more / (1 - rate + more)
    return [1 - or_unsure, rate, or_unsure - rate][int(said)]


def dense_presence_probabilities(cells, odds, tpr, fpr, step=0.0):
    """Give the probability of presence in every cell; without a vote it is left empty (nan).

    `odds` go by recording and species, rates by annotator and species.
    """
    probabilities = np.full(odds.shape, np.nan)
    for i, j, k in np.ndindex(cells.shape):
        if cells[i, j, k] < 0:
            continue
        if np.isnan(probabilities[i, k]):
            probabilities[i, k] = odds[i, k]
        there, gone = (vote_probability(cells[i, j, k], rate[j, k], step) for rate in (tpr, fpr))
        probabilities[i, k] *= there / gone
    return probabilities / (1 + probabilities)


@cache
def loudness():
    """Give how loud the classes of birds are, in standard deviations, and their shares."""
    z = np.array([-3.6 + c * 7.2 / 14 for c in range(15)])
    return z, np.exp(-z * z / 2) / sum(np.exp(-z * z / 2))


@cache
def average_logit(rate, spread):
    """Give the logit for a bird of average loudness, by halving, if `rate` is over all birds."""
    low, high, (z, share) = -60.0, 60.0, loudness()
    for _ in range(80):
        middle = (low + high) / 2
        of_all = (share / (1 + np.exp(-middle - spread * z))).sum()
        low, high = (middle, high) if of_all < rate else (low, middle)
    return low


def faint_likelihood(votes, logits, spread, step=0.0):
    """Give the probability of votes on a present cell, by voters' logits for a bird of average loudness."""
    z, share = loudness()
    for vote, x in zip(votes, logits, strict=True):
        share = share * vote_probability(vote, 1 / (1 + np.exp(-(x + spread * z))), step)
    return share.sum()


def over_classes(votes, rates, spread, step=0.0):
    """Give the probability of votes on a cell by voters' rates, which are over all classes."""
    if spread == 0:
        return np.prod([vote_probability(vote, rate, step) for vote, rate in zip(votes, rates, strict=True)])
    logits = [average_logit(rate, float(spread)) for rate in rates]
    return faint_likelihood(votes, logits, float(spread), step)


def faint_presence_probabilities(cells, odds, tpr, fpr, spread, deception=0.0):
    """Give the same where cells differ for everybody: birds in how audible, absent ones in how deceptive.

    Rates are for birds of average loudness, and of average deception.
    """
    probabilities = np.full(odds.shape, np.nan)
    for i, k in np.ndindex(odds.shape):
        voters = [j for j in range(cells.shape[1]) if cells[i, j, k] >= 0]
        if voters:
            reports = [cells[i, j, k] == 1 for j in voters]
            there, gone = (
                faint_likelihood(reports, [np.log(rate[j, k] / (1 - rate[j, k])) for j in voters], far)
                for rate, far in ((tpr, spread), (fpr, deception))
            )
            probabilities[i, k] = odds[i, k] * there / (gone + odds[i, k] * there)
    return probabilities


def votes_by_truth(cells, present):
    """Count by annotator and species the reports and silences on present cells, and those on absent ones.

    An unsure mark, 2, is one of each.
    """
    counts = {name: np.zeros(cells.shape[1:], int) for name in ("hits", "misses", "false", "true")}
    for i, j, k in np.ndindex(cells.shape):
        if cells[i, j, k] in (1, 2):
            counts["hits" if present[i, k] else "false"][j, k] += 1
        if cells[i, j, k] in (0, 2):
            counts["misses" if present[i, k] else "true"][j, k] += 1
    return counts


def joining_probabilities(i, present, voted, group, occurrence, each, total, a, b):
    """Give the probability that recording i joins each component that others are in, and a new one last."""
    others = [r for place, r in enumerate(group) if place != i and voted[place].any()]
    weights = []
    for r in range(len(occurrence)):
        weight = others.count(r) + each if r in others else 0.0
        for k in np.flatnonzero(voted[i]):
            weight *= occurrence[r, k] if present[i, k] else 1 - occurrence[r, k]
        weights.append(weight)
    new = total - each * len(set(others))
    for k in np.flatnonzero(voted[i]):
        new *= a / (a + b) if present[i, k] else b / (a + b)
    weights.append(new)
    return np.array(weights) / sum(weights)


def false_rate_log_density(x, cells, odds, tpr, fpr, j, k, present, level, spread):
    """Give the log density of a false positive rate's logit, with presence in reported cells summed out."""
    q = 1 / (1 + np.exp(-x))
    density = -0.5 * (x - level) ** 2 / spread**2
    for i in range(len(cells)):
        if cells[i, j, k] < 0:
            continue
        if not (cells[i, :, k] == 1).any():
            if not present[i, k]:
                density = density + np.log(1 - q)
            continue
        if_present, if_absent = odds[i, k], 1.0
        for other in range(cells.shape[1]):
            false = q if other == j else fpr[other, k]
            if cells[i, other, k] == 1:
                if_present, if_absent = if_present * tpr[other, k], if_absent * false
            elif cells[i, other, k] == 0:
                if_present, if_absent = if_present * (1 - tpr[other, k]), if_absent * (1 - false)
        density = density + np.log(if_present + if_absent)
    return density


def cell_draws(cells, rates_at, parameters, occurrence=None, known=None, scores=()):
    """Give presence in every cell, one draw at a time, and log likelihoods: recordings × species × draws.

    `occurrence` goes by draw, component, recording and species, if it differs by recording; `known` says of
    cells that are known, {(recording, species): present}, if they are; as the truth, or by an expert.
    `scores` are (recording, species, machine, score).
    """
    n_recordings, n_annotators, n_species = cells.shape
    n_draws = len(parameters.weight)
    chance = np.zeros((n_recordings, n_species, n_draws))
    likelihood = np.zeros((n_recordings, n_draws))
    rate_of = {
        (int(j), int(k)): int(j) if rates_at is None else int(rates_at([j], [k])[0])
        for _, j, k in np.argwhere(cells >= 0)
    }
    for i, d in np.ndindex(n_recordings, n_draws):
        shares, chances = [], []
        for r in range(parameters.components[d]):
            share, given = float(parameters.weight[d, r]), []
            for k in range(n_species):
                there = float(
                    parameters.occurrence[d, r, k] if occurrence is None else occurrence[d, r, i, k]
                )
                not_there, voted, step = 1 - there, [], np.log1p(parameters.unsure_marks[d])
                for j in range(n_annotators):
                    if cells[i, j, k] >= 0:
                        rate = rate_of[j, k]
                        tpr, fpr = float(parameters.tpr[d, rate]), float(parameters.fpr[d, rate])
                        voted.append((cells[i, j, k], tpr, fpr))
                if voted:
                    votes, *rates = zip(*voted, strict=True)
                    spreads = parameters.faintness, parameters.deception
                    sides = (
                        over_classes(votes, of, spread[d] if len(spread) else 0.0, step)
                        for of, spread in zip(rates, spreads, strict=True)
                    )
                    there, not_there = (a * b for a, b in zip((there, not_there), sides, strict=True))
                if known and (i, k) in known:
                    tpr, fpr = parameters.known[:, d] if parameters.known.size else (1.0, 0.0)
                    there *= tpr if known[i, k] else 1 - tpr
                    not_there *= fpr if known[i, k] else 1 - fpr
                for _, _, machine, score in (s for s in scores if (s[0], s[1]) == (i, k)):
                    mean, sd, kept = (part[:, d, machine, k].astype(float) for part in parameters.scores)
                    density = np.exp(-0.5 * ((score - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
                    density /= np.exp(kept)
                    there, not_there = there * density[0], not_there * density[1]
                share *= there + not_there
                given.append(there / (there + not_there))
            shares.append(share)
            chances.append(given)
        likelihood[i, d] = np.log(sum(shares))
        chance[i, :, d] = np.array(shares) @ np.array(chances) / sum(shares)
    return chance, likelihood


def score_density(mean, precision, common, scores, cut, other, side):
    """Give the log density of one side of a machine: what is believed of it, and scores by species.

    It is that of means, logarithms of precisions, the centre, and logarithms of width, alike and typical.
    Species without scores take no part; all scores are at or above the cut-off.
    """
    centre, width, alike, typical = common
    if (centre < other) if side == 0 else (centre > other):
        return -np.inf
    density = stats.norm.logpdf(centre)
    density += stats.halfnorm(scale=0.5).logpdf(width) + np.log(width)
    density += stats.norm(np.log(5), 0.7).logpdf(np.log(alike))
    density += stats.gamma(2, scale=1 / 4).logpdf(typical) + np.log(typical)
    for k, mine in enumerate(scores):
        if len(mine):
            sd = precision[k] ** -0.5
            density += stats.norm(centre, width).logpdf(mean[k])
            density += stats.gamma(alike, scale=1 / (alike * typical)).logpdf(precision[k])
            density += np.log(precision[k])
            for score in mine:
                density += stats.norm(mean[k], sd).logpdf(score) - stats.norm(mean[k], sd).logsf(cut)
    return density


def monte_carlo_error(draws):
    """Give the error of the mean of chains × draws, by means of batches and of their thirds."""
    length = draws.shape[1]
    mean, n = draws.mean(), draws.size
    third = max(round(np.sqrt(length) / 3), 1)
    batches = length // (3 * third)

    def variance(size, number):
        means = [draw[b * size : (b + 1) * size].mean() for draw in draws for b in range(number)]
        return size * sum((m - mean) ** 2 for m in means) / (len(means) - 1)

    long, short = variance(3 * third, batches), variance(third, 3 * batches)
    return np.sqrt(max(draws.var(ddof=1), long, 2 * long - short) / n)


def true_rate_log_density(x, cells, odds, tpr, fpr, j, k, present, level, spread):
    """Give the log density of a true positive rate's logit, with presence in reported cells summed out."""
    p = 1 / (1 + np.exp(-x))
    density = -0.5 * (x - level) ** 2 / spread**2
    for i in range(len(cells)):
        if cells[i, j, k] < 0:
            continue
        if not (cells[i, :, k] == 1).any():
            if present[i, k]:
                density = density + np.log(1 - p)
            continue
        if_present, if_absent = odds[i, k], 1.0
        for other in range(cells.shape[1]):
            true = p if other == j else tpr[other, k]
            if cells[i, other, k] == 1:
                if_present, if_absent = if_present * true, if_absent * fpr[other, k]
            elif cells[i, other, k] == 0:
                if_present, if_absent = if_present * (1 - true), if_absent * (1 - fpr[other, k])
        density = density + np.log(if_present + if_absent)
    return density


def agreement(annotations):
    """Give how often a second, and a third annotator reports what others did or did not, by loops."""
    pairs, thirds = [0, 0], {2: [0, 0], 1: [0, 0], 0: [0, 0]}
    for i in range(annotations.n_recordings):
        visits = annotations.visits_by_recording.row(i)
        votes = [dict(zip(*map(list, annotations.visit_votes(v)), strict=True)) for v in visits]
        for k in range(annotations.n_species):
            said = [int(vote[k]) for vote in votes if k in vote]
            for one, other in permutations(range(len(said)), 2):
                if said[one]:
                    pairs[0] += said[other]
                    pairs[1] += 1
            for one, other, third in permutations(range(len(said)), 3):
                thirds[said[one] + said[other]][0] += said[third]
                thirds[said[one] + said[other]][1] += 1
    names = {"pair_agreement": pairs, "third_after_two": thirds[2]}
    names |= {"third_after_one": thirds[1], "third_after_none": thirds[0]}
    return {name: part / whole if whole else np.nan for name, (part, whole) in names.items()}
