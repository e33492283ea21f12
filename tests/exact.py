"""Exact answers on tiny data: every presence and every partition listed, continuous parameters integrated."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.polynomial.legendre import leggauss
from scipy import stats
from scipy.special import betaln, expit, gammaincinv, gammaln

import contexts
import joint
import naive
import portals
from checks import z_of_mean
from dawnchorus.annotations.labelled import Scores
from dawnchorus.model.audibility import CLASSES, SHARE
from dawnchorus.model.distributions import Beta
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
from dawnchorus.model.occurrence.dirichlet_process import DirichletProcess
from dawnchorus.model.occurrence.in_context import InContext
from dawnchorus.model.occurrence.independent import Independent
from dawnchorus.model.sweep import Model

VISITS = {
    (0, 0): (0,),
    (0, 1): (1,),
    (0, 2): (1,),
    (1, 0): (0,),
    (1, 1): (0, 1),
    (1, 2): (0,),
    (2, 0): (0, 1),
    (2, 2): (),
}
"""In recording 0 the first scope, as wide as any, lacks species 1, which both others have; one is empty."""
FEWER = {(0, 0): (0, 1), (0, 1): (0,), (1, 1): (0,), (2, 0): (0, 1)}
"""Nobody votes on species 1 in recording 1."""
REPORTS = {(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 0, 0), (2, 0, 1)}
MARKS = {(0, 1, 1), (1, 1, 0), (2, 0, 1)}
"""If unsure marks are votes; one of them is in place of a report."""
SIZES = 3, 3, 2
SCORES = {(0, 0): 1.3, (1, 0): -0.4, (2, 0): 0.5, (2, 1): -1.2}
"""By recording and species: the scores of the first annotator's reports, if it is a machine."""


def tiny_design(model: Model, visits=VISITS, known=None):
    """Give the design of three recordings, three annotators and two species, and the cube of votes.

    Annotators know both species, whether they vote on them or not. Species 1 is silent in two recordings.
    `known` are cells that are known from elsewhere.
    """
    lists = dict.fromkeys(range(3), (0, 1))
    if known is not None:
        reports = [(i, j, k) for i, j, k in sorted(REPORTS) if k in visits.get((i, j), ())]
        annotations = portals.lay_out(visits, known=lists, reports=reports, sizes=SIZES)
        cube = np.full(SIZES, -1)
        for (i, j), scope in visits.items():
            cube[i, j, list(scope)] = [(i, j, k) in REPORTS for k in scope]
        return with_scores(model, model.design(annotations, known), cube), cube
    annotations = portals.lay_out(visits, known=lists, sizes=SIZES)
    design = model.design(annotations)
    votes = joint.Votes.of(design)
    annotator = annotations.visit_annotator[votes.visit]
    triples = list(zip(votes.recording, annotator, votes.species, strict=True))
    cube = np.full(SIZES, -1)
    for triple in triples:
        marked = model.marks_vote and triple in MARKS
        cube[triple] = 2 if marked else triple in REPORTS
    design = joint.with_reports(design, votes, np.array([cube[triple] for triple in triples]))
    return with_scores(model, design, cube), cube


def scored_cells(cube):
    """Give the cells that the first annotator reported, in order."""
    return [cell for cell in sorted(SCORES) if cube[cell[0], 0, cell[1]] == 1]


def with_scores(model: Model, design, cube):
    """Give the design with scores, if the first annotator is a machine."""
    if model.scored:
        recording, species = np.array(scored_cells(cube)).T
        score = np.array([SCORES[cell] for cell in scored_cells(cube)])
        design.scores = Scores(recording, species, np.zeros(len(score), int), score)
    return design


def partitions(n):
    """Give every way to put n recordings into components, as labels in order of appearance."""
    ways = [[0]]
    for _ in range(n - 1):
        ways = [[*way, r] for way in ways for r in range(max(way) + 2)]
    return [np.array(way) for way in ways]


def exact_means(model: Model, cube, known=None, points: int = 2**16) -> dict[str, np.ndarray]:
    """Give the posterior mean of presence and of every parameter that `chain` follows.

    Where nothing better is known, integrals are means over so many points.
    """
    voted = (cube >= 0).any(axis=1)
    if known is not None:
        voted[known.recording, known.species] = True
    cells = np.argwhere(voted)
    log_weights, means = [], []
    for there in product([False, True], repeat=len(cells)):
        present = np.zeros(voted.shape, bool)
        present[tuple(cells.T)] = there
        log_three, three = known_means(model, known, present)
        if log_three == -np.inf:
            continue
        log_one, one = occurrence_means(model, present, voted, points)
        log_two, two = expertise_means(model, cube, present, points)
        log_four, four = scored_means(model, cube, present, points)
        log_weights.append(log_one + log_two + log_three + log_four)
        means.append(with_presence({"presence": present.astype(float)} | one | two | three | four))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    return {name: np.average([mean[name] for mean in means], axis=0, weights=weights) for name in means[0]}


def known_means(model: Model, known, present):
    """Give the log probability of what is known given presence, and the means of an expert's rates."""
    if known is None:
        return 0.0, {}
    there = present[known.recording, known.species]
    if known.known_as == "truth":
        return (0.0 if (there == known.present).all() else -np.inf), {}
    log, means = 0.0, []
    for prior, among in ((model.known_votes.tpr, there), (model.known_votes.fpr, ~there)):
        one, mean = beta_means(prior, np.array([(among & known.present).sum()]), np.array([among.sum()]))
        log += one
        means.append(mean[0])
    return log, {"known rates": np.array(means)}


@cache
def score_draws(points):
    """Give draws from the prior, evenly spread: means, precisions (both draws × side × species), centres."""
    k = SIZES[2]
    u = stats.qmc.Sobol(2 * (4 + 2 * k), seed=1).random(points).reshape(-1, 2, 4 + 2 * k)
    z = stats.norm.ppf(u)
    centre = np.sort(z[..., 0], axis=1)[:, ::-1]
    width, alike = 0.5 * np.abs(z[..., 1]), np.exp(np.log(5) + 0.7 * z[..., 2])
    typical = gammaincinv(2.0, u[..., 3]) / 4
    mean = centre[..., None] + width[..., None] * z[..., 4 : 4 + k]
    precision = gammaincinv(alike[..., None], u[..., 4 + k :]) / (alike * typical)[..., None]
    return mean, precision, centre


def scored_means(model: Model, cube, present, points):
    """Give the log probability of scores given presence, and the means of what they depend on."""
    if not model.scored:
        return 0.0, {}
    cells = tuple((i, k, 0 if present[i, k] else 1) for i, k in scored_cells(cube))
    scored = model.scored
    return means_of_scores(*scored.middle, *scored.unit, scored.cuts[0], cells, points)


@cache
def means_of_scores(middle, unit, cut, cells, points):
    """Give the same, given the side of each cell with a score: many presences have the same ones."""
    mean, precision, centre = score_draws(points)
    weight = np.ones(len(mean))
    for i, k, side in cells:
        z = (SCORES[i, k] - middle) / unit
        of = stats.norm(mean[:, side, k], precision[:, side, k] ** -0.5)
        weight *= of.pdf(z) / of.sf((cut - middle) / unit)
    values = {"score mean": mean, "score sd": np.log(precision), "score centre": centre}
    means = {name: np.tensordot(weight, value, 1) / weight.sum() for name, value in values.items()}
    return np.log(weight.mean()), means


def with_presence(values):
    """Give values, and products of rates and occurrence with presence: sweeps draw these together."""
    products = {
        f"{name} and presence": values[name] * values["presence"].sum()
        for name in ("tpr rate", "fpr rate", "occurrence")
    }
    if "score mean" in values:  # where scores are high, presence raises it; where they are low, it lowers it
        products["score mean and presence"] = values["score mean"][:, None] * values["presence"]
    return values | products


def occurrence_means(model: Model, present, voted, points):
    """Give the log probability of presence, and the means of occurrence given it."""
    if isinstance(model.occurrence, InContext):
        return context_means(model.occurrence, present, voted, points)
    prior = model.occurrence.prior
    if isinstance(model.occurrence, Independent):
        log, mean = component_means(present, voted, prior)
        return log, {"occurrence": mean}
    log_weights, means = [], []
    for way in partitions(len(present)):
        log, concentration = log_partition(model.occurrence, way)
        for r in range(max(way) + 1):
            log_component, mean = component_means(present[way == r], voted[way == r], prior)
            log += log_component
            if way[0] == r:
                first = mean
        log_weights.append(log)
        means.append({"occurrence": first, "components": max(way) + 1.0, "concentration": concentration})
    highest = max(log_weights)
    weights = np.exp(np.array(log_weights) - highest)
    averages = {name: np.average([m[name] for m in means], axis=0, weights=weights) for name in means[0]}
    return highest + np.log(weights.sum()), averages


@cache
def context_draws(occurrence, points):
    """Give draws from the prior, evenly spread, by name, and log probabilities of absence and presence."""
    basis, term = contexts.design_matrix(occurrence.context), np.array([0, 1, 1, 2, 2, 2])
    n, k = len(term), SIZES[2]
    z = stats.norm.ppf(stats.qmc.Sobol(3 + n + n * k, seed=1).random(points))
    scale = np.abs(z[:, :3]) * [occurrence.spread.scale, occurrence.scale.scale, occurrence.scale.scale]
    prior = [occurrence.mean, *[occurrence.common] * (n - 1)]
    common = z[:, 3 : 3 + n] * [p.sd for p in prior] + [p.mean for p in prior]
    effect = common[:, None] + scale[:, None, term] * z[:, 3 + n :].reshape(-1, k, n)
    x = np.einsum("dkb,ib->dik", effect, basis)
    values = {"occurrence": expit(x[:, 0]), "effects": effect, "common": common, "scale": scale}
    return values, [-np.logaddexp(0, x), -np.logaddexp(0, -x)]


def context_means(occurrence, present, voted, points):
    """Give the log probability of presence, and the means of what it depends on."""
    values, (absent, there) = context_draws(occurrence, points)
    weight = np.exp(there[:, present & voted].sum(axis=1) + absent[:, ~present & voted].sum(axis=1))
    means = {name: np.tensordot(weight, value, 1) / weight.sum() for name, value in values.items()}
    return np.log(weight.mean()), means


def component_means(present, voted, prior):
    there, looked = (present & voted).sum(axis=0), voted.sum(axis=0)
    return beta_means(prior, there, looked)


def beta_means(prior, s, n):
    """Give the log probability of counts, and the means of their probabilities, over all shapes."""
    a, b, weight = shape_nodes(prior)
    log = (betaln(a + s, b + n - s) - betaln(a, b)).sum(axis=1) + np.log(weight)
    share = np.exp(log - log.max())
    mean = np.average((a + s) / (a + b + n), axis=0, weights=share)
    return log.max() + np.log(share.sum()), mean


def shape_nodes(prior):
    """Give shapes, nodes × 1, and their weights: one node if the shapes are given."""
    if isinstance(prior, Beta):
        return np.array([[prior.a]]), np.array([[prior.b]]), np.ones(1)
    z, weight = hermegauss(40)
    middle, width, usual, factor = prior.numbers
    mean, total = expit(middle + width * z)[:, None], np.exp(usual + factor * z)
    weights = np.outer(weight, weight).ravel() / weight.sum() ** 2
    return (mean * total).reshape(-1, 1), ((1 - mean) * total).reshape(-1, 1), weights


def log_partition(occurrence, way):
    """Give the log probability of a partition, and the mean of the concentration given it."""
    sizes, n = np.bincount(way), len(way)
    if isinstance(occurrence, DirichletProcess):
        prior = occurrence.concentration
        log, mean = concentration_means(prior.shape, prior.rate, len(sizes), n)
        return log + gammaln(sizes).sum(), mean
    most = occurrence.components
    if len(sizes) > most:
        return -np.inf, 1.0
    labelled = (gammaln(sizes + 1 / most) - gammaln(1 / most)).sum() - gammaln(1 + n)
    return labelled + gammaln(most + 1) - gammaln(most - len(sizes) + 1), 1.0


@cache
def concentration_means(shape, rate, components, n):
    """Give the log probability of a number of components, but for their sizes, and the concentration's mean.

    All presences have the same few.
    """
    grid = np.linspace(-30, 5, 20_001)
    c = np.exp(grid)
    each = stats.gamma(shape, scale=1 / rate).pdf(c) * c
    each *= np.exp(components * grid + gammaln(c) - gammaln(c + n))
    return np.log(each.sum()) + np.log(grid[1] - grid[0]), (each * c).sum() / each.sum()


def expertise_means(model: Model, cube, present, points):
    """Give the log probability of votes given presence, and the means of the rates given both."""
    if model.marks_vote:
        return marked_means(model.expertise, cube, present)
    log, means, counts = 0.0, {}, naive.votes_by_truth(cube, present)
    for name, success, failure in (("tpr", "hits", "misses"), ("fpr", "false", "true")):
        s, n = counts[success], counts[success] + counts[failure]
        if isinstance(model.expertise, PerAnnotatorSpecies):
            prior = getattr(model.expertise, name)
            if prior.varied:
                there = present if name == "tpr" else ~present
                one, mean = rich_means(prior, faint_likelihood(prior, cube, there, points))
            else:
                one, mean = side_means(prior, tuple(s.ravel()), tuple(n.ravel()), points)
            means |= {f"{name} {what}": value for what, value in mean.items()}
        else:
            prior = getattr(model.expertise, name)
            one, means[f"{name} rate"] = beta_means(prior, s.sum(axis=1), n.sum(axis=1))
        log += one
    return log, means


def marked_means(expertise, cube, present):
    """Give the same if unsure marks are votes: given the step, both sides are as without marks."""
    counts, log_weights, means = naive.votes_by_truth(cube, present), [], []
    nodes = step_nodes(expertise.step.scale)
    for step, weight in zip(*nodes, strict=True):
        log, found = np.log(weight) + (cube == 2).sum() * np.log(np.expm1(step)), {"unsure step": step}
        for name, success, failure in (("tpr", "hits", "misses"), ("fpr", "false", "true")):
            s, n = counts[success], counts[success] + counts[failure]
            one, mean = side_means(getattr(expertise, name), tuple(s.ravel()), tuple(n.ravel()), 0, step)
            log, found = log + one, found | {f"{name} {what}": value for what, value in mean.items()}
        log_weights.append(log)
        means.append(found)
    highest = max(log_weights)
    weights = np.exp(np.array(log_weights) - highest)
    averages = {name: np.average([m[name] for m in means], axis=0, weights=weights) for name in means[0]}
    return highest + np.log(weights.sum()), averages


@cache
def step_nodes(scale):
    t, weight = leggauss(20)
    step = 2.5 * scale * (t + 1)
    weight = weight * np.exp(-0.5 * (step / scale) ** 2)
    return step, weight / weight.sum()


@cache
def rich_draws(prior, points):
    """Give draws of a side from its prior, evenly spread: logits, their rates and what they depend on."""
    j, k = SIZES[1:]
    columns = len(prior.skill.columns) if prior.skill else 0
    sizes = [len(prior.scales), columns, j, k if prior.difficulty else 0, j * k]
    z = stats.norm.ppf(stats.qmc.Sobol(sum(sizes), seed=1).random(points))
    scales, effect, level, shift, x = np.split(z, np.cumsum(sizes)[:-1], axis=1)
    scales = np.abs(scales) * prior.scales
    level = prior.level.mean + prior.level.sd * level
    found = {"spread": scales[:, 0]}
    if prior.skill:
        effect = effect * scales[:, 3 + prior.skill.term]
        level = level + sum(effect[:, [b]] * prior.skill.matrix[:, b] for b in range(columns))
        found |= {"effect": effect, "effect scale": scales[:, 3:]}
    x = level[:, :, None] + scales[:, :1, None] * x.reshape(-1, j, k)
    if prior.difficulty:
        shift = scales[:, 1:2] * shift
        x += shift[:, None]
        found |= {"shift": shift, "difficulty": scales[:, 1]}
    if prior.varied:
        found["faintness"] = scales[:, 2]
    return x, found | {"level": level, "rate": expit(x).reshape(len(x), -1)}


def faint_likelihood(prior, cube, present, points):
    """Give the probability of votes on these cells, by draw: a sum over classes of birds for each cell."""
    weight = np.ones(points)
    for i, k in np.argwhere(present):
        weight *= likelihood_of_cell(prior, k, tuple(cube[i, :, k]), points)
    return weight


@cache
def likelihood_of_cell(prior, k, votes, points):
    """Give the probability of what each annotator said of a species in a recording, by draw."""
    x, values = rich_draws(prior, points)
    of_class = np.tile(SHARE, (len(x), 1))
    for j, said in enumerate(votes):
        if said >= 0:
            rate = expit(x[:, j, k, None] + values["faintness"][:, None] * CLASSES)
            of_class *= rate if said else 1 - rate
    return of_class.sum(axis=1)


def rich_means(prior, weight):
    """Integrate over everything, shifts of species and effects on levels included."""
    _, values = rich_draws(prior, len(weight))
    means = {name: np.tensordot(weight, value, 1) / weight.sum() for name, value in values.items()}
    return np.log(weight.mean()), means


@cache
def side_means(prior, s, n, points, step=0.0):
    """Integrate over logits, levels and the spread; the tiny design has all pairs on the lists."""
    s, n = np.reshape(s, SIZES[1:]), np.reshape(n, SIZES[1:])
    if prior.difficulty or prior.skill:
        x, _ = rich_draws(prior, points)
        return rich_means(prior, np.exp((s * x - n * np.logaddexp(0, x)).sum(axis=(1, 2))))
    (spread, spread_weight), (level, level_weight) = spread_nodes(prior), level_nodes(prior)

    share, times, higher = prior.even or (0.0, 1.0, 0.0)
    kinds = (1.0, 0.0, 1 - share), (times, higher, share)
    """What the spread of an annotator is multiplied by, what is added to the level, and how often."""
    level = np.array([level + more for _, more, _ in kinds])

    def by_annotator(s, n):
        each = [
            [
                weight * np.prod([likelihood(prior, *c, step, own, more) for c in zip(*of, strict=True)], 0)
                for own, more, weight in kinds
            ]
            for of in zip(s, n, strict=True)
        ]
        return np.moveaxis(each, 1, 2)  # annotators × spreads × kinds × levels

    def integral(given, level_of=-1, of_spread=1.0):
        each = [
            (one * level_weight * (level if j == level_of else 1.0)).sum(axis=(1, 2))
            for j, one in enumerate(given)
        ]
        return (np.prod(each, axis=0) * of_spread) @ spread_weight

    given = by_annotator(s, n)
    total = integral(given)
    rates = []
    for pair in np.ndindex(s.shape):
        more = np.zeros_like(s)
        more[pair] = 1
        rates.append(integral(by_annotator(s + more, n + more)) / total)
    means = {
        "rate": np.array(rates),
        "level": np.array([integral(given, j) / total for j in range(len(s))]),
        "spread": integral(given, of_spread=spread) / total,
    }
    if prior.even:
        even = np.repeat(given[None], len(s), axis=0)
        for j in range(len(s)):
            even[j, j, :, 0] = 0
        means["even"] = np.array([integral(one) / total for one in even])
    return np.log(total), means


@cache
def likelihood(prior, s, n, step=0.0, own=1.0, higher=0.0):
    """Give the probability of s successes in n trials, in one order, by spread and level.

    `own` is what the annotator's spread is multiplied by, and `higher` what is added to the level.
    """
    z, weight = hermegauss(32)
    x = level_nodes(prior)[0][:, None] + higher + own * spread_nodes(prior)[0][:, None, None] * z
    return (expit(x) ** s * expit(-x - step) ** (n - s)) @ (weight / weight.sum())


def level_nodes(prior):
    z, weight = hermegauss(32)
    return prior.level.mean + prior.level.sd * z, weight / weight.sum()


def spread_nodes(prior):
    t, weight = leggauss(48)
    spread = 4 * prior.spread.scale * (t + 1)
    weight = weight * np.exp(-0.5 * (spread / prior.spread.scale) ** 2)
    return spread, weight / weight.sum()


def chain(model: Model, visits, known=None, *, sweeps: int, seed: int) -> dict[str, np.ndarray]:
    """Give the draws of a chain."""
    design, _ = tiny_design(model, visits, known)
    rng = np.random.default_rng(seed)
    state = model.init(rng, design)
    draws = []
    for at in range(sweeps + 100):
        state, _ = model.sweep(rng, state, design)
        if at >= 100:
            draws.append(follow(model, state, design))
    return {name: np.array([draw[name] for draw in draws]) for name in draws[0]}


def follow(model, state, design):
    values = {"presence": joint.as_table(state.presence, design)}
    if model.known_votes:
        values["known rates"] = state.known
    if model.scored:
        mean, precision, common = (part[:, 0] for part in state.scored)
        values |= {"score mean": mean, "score sd": np.log(precision), "score centre": common[:, 0]}
    if isinstance(model.occurrence, Independent):
        values["occurrence"] = state.occurrence.occurrence
    elif isinstance(model.occurrence, InContext):
        odds = model.occurrence.odds(state.occurrence).table()[0]
        effect, common, scale = state.occurrence
        values |= {"occurrence": odds / (1 + odds), "effects": effect, "common": common, "scale": scale}
    else:
        values["occurrence"] = state.occurrence.occurrence[state.occurrence.group[0]]
        values["components"] = len(state.occurrence.occurrence)
        values["concentration"] = state.occurrence.concentration
    for name, rate in zip(("tpr", "fpr"), model.expertise.rates(state.expertise)[:2], strict=True):
        values[f"{name} rate"] = rate
        if isinstance(model.expertise, PerAnnotatorSpecies):
            side = getattr(state.expertise, name)
            values |= {f"{name} level": side.level, f"{name} spread": side.spread}
            if getattr(model.expertise, name).even:
                values[f"{name} even"] = side.own < 1
            if len(side.shift):
                values |= {f"{name} shift": side.shift, f"{name} difficulty": side.hard}
            if getattr(model.expertise, name).varied:
                values[f"{name} faintness"] = side.varied
            if model.expertise.step:
                values["unsure step"] = state.expertise.step
            if len(side.effect):
                values |= {f"{name} effect": side.effect, f"{name} effect scale": side.effect_scale}
    return with_presence(values)


def worst_z(model: Model, visits=VISITS, known=None, *, sweeps: int, seed: int) -> tuple[float, str]:
    """Give how many standard errors the chain's means are off at worst, and which."""
    model = joint.made_for(model, *SIZES[:2])
    _, cube = tiny_design(model, visits, known)
    exact = exact_means(model, cube, known, 2**16 if sweeps < 10_000 else 2**19)
    draws = chain(model, visits, known, sweeps=sweeps, seed=seed)
    assert exact.keys() == draws.keys()
    return max((float(np.abs(z_of_mean(draws[name], exact[name])).max()), name) for name in exact)
