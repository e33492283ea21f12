"""Moves of all rates, spreads and occurrence, with all presence summed out, against sums over every cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, expit, logit, ndtr, ndtri

import joint
import naive
import portals
from checks import FALSE_ALARM, ks_p
from dawnchorus.annotations.known import KnownCells
from dawnchorus.model.distributions import HalfNormal
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
from dawnchorus.model.learning import settled_shapes
from dawnchorus.model.rates import ratios
from dawnchorus.model.sweep import Model
from dawnchorus.model.together import moves, votes
from dawnchorus.model.together.centres import Centres, answer, density, draw_levels, momentum
from dawnchorus.model.together.scales import move_scales
from dawnchorus.model.together.trajectories import Position, log_density, logits_at

LEARNED = joint.TOGETHER["independent, per annotator and species, difficulty, faint and deceptive, learned"]
IN_CONTEXT = joint.TOGETHER["in context, per annotator and species, faint and deceptive"]


@pytest.fixture(autouse=True)
def _in_every_sweep(monkeypatch):
    """Few votes on a cell are no reason not to move."""
    monkeypatch.setattr(moves, "DENSE", 1)


def marked(model):
    """Give the model with unsure marks that are votes."""
    return replace(model, expertise=replace(model.expertise, step=HalfNormal(0.8)))


def drawn(model, annotations, known=None, seed=1):
    """Give a state from the prior, a design with votes drawn from it, and these votes as a table."""
    rng = np.random.default_rng(seed)
    model = joint.made_for(model, annotations.n_recordings, annotations.n_annotators)
    design = model.design(annotations, known)
    cast = joint.Votes.of(design)
    occurrence, present = model.occurrence.simulate(rng, design)
    expertise = model.expertise.simulate(rng, design)
    said = joint.draw_votes(rng, model, expertise, present, cast)
    a = annotations
    cube = np.full((a.n_recordings, a.n_annotators, a.n_species), -1)
    cube[cast.recording, design.rate_annotator[cast.rate], cast.species] = said
    return model, (occurrence, expertise), joint.with_reports(design, cast, said), cube


def by_hand(model, states, design, cube, ratios=None):
    """Give the log probability of all votes, by a sum over both truths in every cell with a vote.

    That of unsure marks is without a factor that depends on their step alone.
    """
    odds, expertise = model.occurrence.odds(states[0]).table(), states[1]
    rates = np.full((design.annotations.n_annotators, design.annotations.n_species), -1)
    rates[design.rate_annotator, design.pairs.item] = np.arange(design.n_rates)
    total, step = 0.0, float(expertise.step)
    for i, k in np.ndindex(odds.shape):
        who = np.flatnonzero(cube[i, :, k] >= 0)
        told = None if ratios is None else ratios.get((i, k))
        if len(who) == 0 and told is None:
            continue
        there, gone = (
            naive.faint_likelihood(cube[i, who, k], side.logit[rates[who, k]], float(side.varied), step)
            for side in expertise.sides
        )
        there, gone = there * odds[i, k] / (1 + odds[i, k]), gone / (1 + odds[i, k])
        if told is not None:
            there, gone = (there, 0.0) if told == np.inf else (there * told, gone)
        total += np.log(there + gone)
    return total - (design.n_marks * np.log(np.expm1(step)) if step else 0.0)


def log_votes_of(model, states, design):
    """Give the log probability of votes alone, as trajectories have it."""
    cells, n = design.derived(votes.all_cells), design.n_rates
    odds, sides = votes.odds_in(cells, model.occurrence.odds(states[0])), states[1].sides
    slopes = [votes.Slopes(np.empty(n), np.empty(1)) for _ in sides]
    both = (part for side in sides for part in (side.logit, float(side.varied)))
    told = design.layout.reported.further
    return votes.log_votes(cells, odds, told, *both, states[1].unsure, *slopes, np.empty(len(odds)))


@pytest.mark.parametrize(
    "model", [LEARNED, marked(LEARNED), IN_CONTEXT], ids=["sure", "unsure", "in context"]
)
def test_votes_are_as_likely_as_a_sum_over_every_cell_says(model):
    model, states, design, cube = drawn(model, portals.wild(1))
    assert len(design.derived(votes.all_cells).recording) == (cube >= 0).any(axis=1).sum()
    assert np.isclose(log_votes_of(model, states, design), by_hand(model, states, design, cube))


@pytest.mark.parametrize("known_as", ["truth", "votes"])
def test_votes_on_known_cells_are_as_likely_as_a_sum_says(known_as):
    """Of these, some have a report, some have silences only, and recording 6 has no visit."""
    cells = {(0, 3): True, (1, 1): False, (2, 0): True, (5, 2): False, (6, 1): True, (6, 2): False}
    recording, species = np.array(sorted(cells)).T
    present = np.array([cells[cell] for cell in sorted(cells)])
    known = KnownCells.of(recording, species, present, rows=7, known_as=known_as)
    design = joint.made_for(LEARNED, 7, 4).design(portals.small(), known)
    rates = np.array([0.8, 0.3])
    if known_as == "votes":
        design = design.told(ratios(rates[:1], rates[1:], 0.0))
    ratio = {True: np.inf, False: 0.0} if known_as == "truth" else {True: 0.8 / 0.3, False: 0.2 / 0.7}
    rng = np.random.default_rng(1)
    states = LEARNED.occurrence.simulate(rng, design)[0], LEARNED.expertise.simulate(rng, design)
    by_cell = {cell: ratio[there] for cell, there in cells.items()}
    found = log_votes_of(LEARNED, states, design)
    assert np.isclose(found, by_hand(LEARNED, states, design, portals.small().to_cube(), by_cell))


@pytest.mark.parametrize(
    "model", [LEARNED, marked(LEARNED), IN_CONTEXT, joint.TOGETHER[list(joint.TOGETHER)[-1]]]
)
def test_slopes_are_those_of_the_density(model):
    model, states, design, _ = drawn(model, portals.small(), seed=2)
    cells = design.derived(votes.all_cells)
    given, at = moves.starting((model.occurrence, model.expertise), states, design, cells)
    _, slope = log_density(given, at)
    for name, values in at._asdict().items():
        if name == "size" and not given.tpr.scales[0]:
            continue
        for place in range(len(values)):
            densities = []
            for step in (1e-5, -1e-5):
                there = values.copy()
                there[place] += step
                densities.append(log_density(given, at._replace(**{name: there}))[0])
            assert np.isclose((densities[0] - densities[1]) / 2e-5, getattr(slope, name)[place], atol=1e-4)


START = np.array([0, 3, 3, 4, 7])
"""Of four annotators, the second has no logit."""


def around(rng, width):
    """Give what logits lie around, and their mean and covariance."""
    given = Centres(rng.normal(size=7), rng.uniform(0.5, 3, 7), START, 0.7, width)
    owner = np.repeat(np.arange(4), np.diff(START))
    return given, np.diag(1 / given.tight) + 0.49 * (owner[:, None] == owner) + width**2


@pytest.mark.parametrize("width", [0.0, 1.3])
def test_the_density_of_logits_is_normal(width):
    rng = np.random.default_rng(1)
    given, covariance = around(rng, width)
    x, slope, constant = rng.normal(size=7), np.empty(7), -3.5 * np.log(2 * np.pi)
    expected = stats.multivariate_normal(given.centre, covariance)
    found, grows = density(given, x, slope)
    assert np.isclose(found + constant, expected.logpdf(x))
    assert np.allclose(slope, -np.linalg.solve(covariance, x - given.centre))
    wider = [
        stats.multivariate_normal(given.centre, covariance + (times - 1) * (covariance - width**2)).logpdf(x)
        for times in np.exp([2e-5, -2e-5])
    ]
    assert np.isclose(grows, (wider[0] - wider[1]) / 2e-5, rtol=1e-5)


@pytest.mark.parametrize("width", [0.0, 1.3])
def test_momenta_have_the_mass_that_velocities_have(width):
    rng = np.random.default_rng(2)
    given, covariance = around(rng, width)
    more, push, n = rng.uniform(0.5, 5, 7), rng.normal(size=7), 20_000
    mass = np.linalg.inv(covariance) + np.diag(more)
    assert np.allclose(answer(given, more, push), np.linalg.solve(mass, push))
    drawn = np.array([momentum(rng, given, more) for _ in range(n)])
    scaled = np.linalg.solve(np.linalg.cholesky(mass), drawn.T)
    off = np.sqrt(n) * np.abs(scaled @ scaled.T / n - np.eye(7)) / np.sqrt(1 + np.eye(7))
    assert off.max() < 4.5


@pytest.mark.parametrize("width", [0.0, 1.3])
def test_levels_are_drawn_given_logits(width):
    rng = np.random.default_rng(3)
    given, covariance = around(rng, width)
    x, n = rng.normal(size=7), 20_000
    owner = np.repeat(np.arange(4), np.diff(START))
    # Levels, then their mean, with logits: all are normal.
    all_levels = 0.49 * np.eye(4) + width**2
    with_logits = np.hstack([0.49 * (np.arange(4)[:, None] == owner) + width**2, all_levels])
    gain = np.linalg.solve(covariance, with_logits[:, :7].T).T
    left = all_levels - gain @ with_logits[:, :7].T
    found, means = zip(*(draw_levels(rng, given, x) for _ in range(n)), strict=True)
    scaled = np.linalg.solve(np.linalg.cholesky(left), (np.array(found) - gain @ (x - given.centre)).T)
    assert np.sqrt(n) * np.abs(scaled.mean(axis=1)).max() < 4.5
    off = np.sqrt(n) * np.abs(scaled @ scaled.T / n - np.eye(4)) / np.sqrt(1 + np.eye(4))
    assert off.max() < 4.5
    pull = np.full(7, width**2) @ np.linalg.inv(covariance)
    sd = np.sqrt(max(width**2 - pull @ np.full(7, width**2), 0.0))
    assert np.sqrt(n) * abs(np.mean(means) - pull @ (x - given.centre)) <= 4.5 * sd
    assert abs(np.std(means) - sd) <= 0.03 * sd


@pytest.mark.parametrize("still", [None, 0, 1])
def test_scales_keep_their_prior_given_logits(still):
    """Spreads from their priors, then logits: given these, moved spreads are still from their priors."""
    rng, found, scales = np.random.default_rng(4), [], [0.8, 1.4]
    owner = np.repeat(np.arange(4), np.diff(START))
    own = np.array([1.0, 2.0, 0.5, 1.3])[owner]
    if still is not None:
        scales[still] = 0.0
    for _ in range(3000):
        sd, spread = (abs(rng.normal(0, scale)) if scale else 0.9 for scale in scales)
        mean = rng.normal(0, 1.1)
        x = rng.normal(rng.normal(mean, sd, 4)[owner], spread * own)
        given = Centres(np.zeros(7), (spread * own) ** -2, START, sd, 1.1)
        given, spread = move_scales(rng, given, x, spread, tuple(scales), 12)
        assert np.allclose(given.tight, (spread * own) ** -2)
        found.append([given.sd, spread])
    for values, scale in zip(np.array(found).T, scales, strict=True):
        if scale:
            assert ks_p(values, stats.halfnorm(scale=scale).cdf) > FALSE_ALARM
        else:
            assert np.allclose(values, 0.9)


def test_shapes_keep_their_prior_given_probabilities():
    rng, prior, found = np.random.default_rng(5), LEARNED.occurrence.prior, []
    middle, width, strength, factor = prior.numbers
    for _ in range(4000):
        mean, total = expit(rng.normal(middle, width)), np.exp(rng.normal(strength, factor))
        shapes = np.array([mean * total, (1 - mean) * total])
        a, b = settled_shapes(rng, prior, shapes, rng.beta(*shapes, 3))
        found.append([np.log(a / b), np.log(a + b)])
    for values, centre, sd in zip(np.array(found).T, (middle, strength), (width, factor), strict=True):
        assert ks_p(values, stats.norm(centre, sd).cdf) > FALSE_ALARM


def scores(model, states, design):
    """Give what has a standard normal distribution before any vote."""
    values, expertise = {}, states[1]
    for name, side, prior in zip(
        ("tpr", "fpr"), expertise.sides, (model.expertise.tpr, model.expertise.fpr), strict=True
    ):
        halves = {"spread": prior.spread.scale, "varied": prior.varied.scale}
        parts = {part: getattr(side, part) / scale for part, scale in halves.items()}
        mean, sd = side.among
        values |= {f"{name} level": (side.level[0] - mean) / sd, f"{name} last": (side.level[-1] - mean) / sd}
        if hasattr(prior.level, "width"):
            parts["sd"] = sd / prior.level.spread
            values[f"{name} mean"] = (mean - prior.level.centre) / prior.level.width
        values |= {f"{name} {part}": ndtri(2 * ndtr(x) - 1) for part, x in parts.items()}
        offset = side.offset(design) if len(side.shift) else 0.0
        away = side.logit - side.level[design.rate_annotator] - offset
        away /= side.spread * side.own[design.rate_annotator]
        values |= {f"{name} logit": away[0], f"{name} last logit": away[-1]}
    occurrence = states[0]
    if hasattr(occurrence, "shapes"):
        values["occurrence"] = ndtri(betainc(*occurrence.shapes, occurrence.occurrence[0]))
        if hasattr(model.occurrence.prior, "centre"):
            middle, width, strength, factor = model.occurrence.prior.numbers
            a, b = occurrence.shapes
            values["shapes"] = (np.log(a / b) - middle) / width
            values["strength"] = (np.log(a + b) - strength) / factor
    else:
        away = occurrence.effect[0, 0] - occurrence.common[0]
        values["occurrence"] = away / occurrence.scale[0]
    return values


@pytest.mark.parametrize(
    "model",
    [LEARNED, IN_CONTEXT, joint.DECEPTIVE["independent, per annotator and species, faint and deceptive"]],
    ids=["learned", "in context", "given"],
)
def test_moves_keep_the_prior_given_votes(model):
    """Parameters from the prior, then presence and votes: after moves given votes, they are still from it."""
    visits = portals.with_scopes([(i, j) for i in range(6) for j in range(3)], [(0, 1, 2), (0, 1), (1, 2)])
    annotations = portals.lay_out(visits, sizes=(6, 3, 3))
    model = joint.made_for(model, 6, 3)
    design = model.design(annotations)
    cast, rng, found, moved = joint.Votes.of(design), np.random.default_rng(6), [], []
    for _ in range(1500):
        state, told = joint.simulate(rng, model, design, cast)
        states = state.occurrence, state.expertise
        for _ in range(4):
            states, share = moves.move_together(rng, (model.occurrence, model.expertise), states, told)
            moved.append(share["moved_together"])
        found.append(scores(model, states, told))
    assert np.mean(moved) > 0.3
    for name in found[0]:
        values = np.array([one[name] for one in found])
        assert ks_p(values, stats.norm.cdf) > FALSE_ALARM / len(found[0]), name


def test_only_models_with_faint_and_deceptive_birds_move_all_together():
    rng = np.random.default_rng(1)
    for parts, there in (((1.5, 1.5), True), ((1.5, None), False), ((None, 1.5), False)):
        sides = (
            side._replace(varied=HalfNormal(scale) if scale else None)
            for side, scale in zip(joint.SIDES, parts, strict=True)
        )
        model = Model(joint.OCCURRENCES["independent"], PerAnnotatorSpecies(*sides))
        design = model.design(portals.small())
        _, accepted = model.sweep(rng, model.init(rng, design), design)
        assert ("moved_together" in accepted) == there


def test_nothing_is_listed_where_votes_are_many(monkeypatch):
    model, states, design, _ = drawn(LEARNED, portals.small())
    sides, rng = (model.occurrence, model.expertise), np.random.default_rng(1)
    assert moves.move_together(rng, sides, states, design)[1]["moved_together"] in (0, 1)
    cells = design.derived(votes.all_cells)
    for name, half in (
        ("WORK", 10 * len(cells.votes.item)),
        ("DENSE", 2 * len(cells.votes.item) / len(cells.recording)),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(moves, name, half)
            tried = [moves.move_together(rng, sides, states, design)[1]["moved_together"] for _ in range(400)]
            assert 0.4 < np.isfinite(tried).mean() < 0.6
    monkeypatch.setattr(votes, "MOST", 30)
    design._derived.clear()
    assert len(design.derived(votes.all_cells).recording) == 0
    assert np.isnan(moves.move_together(rng, sides, states, design)[1]["moved_together"])


def test_logits_are_where_they_were_if_nothing_moves():
    model, states, design, _ = drawn(LEARNED, portals.small(), seed=3)
    cells = design.derived(votes.all_cells)
    given, at = moves.starting((model.occurrence, model.expertise), states, design, cells)
    assert isinstance(at, Position)
    for side, moving, v, size in zip(states[1].sides, (given.tpr, given.fpr), at[:2], at.size, strict=True):
        assert np.allclose(logits_at(moving, v, size), side.logit)
        assert np.isclose(np.hypot(moving.around.sd, moving.spread), 1)
    assert np.allclose(logit(states[0].occurrence[cells.moving]), given.before.at)
