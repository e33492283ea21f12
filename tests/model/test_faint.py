"""Faint birds: the steps that the common tests do not see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import contexts
import joint
import naive
import portals
from checks import FALSE_ALARM, grouped, marked_cube
from dawnchorus.model.audibility import VoteRates, audibility
from dawnchorus.model.design import Design
from dawnchorus.model.distributions import HalfNormal, HalfNormalForMost, LearnedNormal, Normal
from dawnchorus.model.expertise.faint import present_votes
from dawnchorus.model.expertise.logits.levels import Skill
from dawnchorus.model.expertise.sides import SidePrior
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.listening.vote_chances import report_probabilities
from dawnchorus.model.predictive.parameters import Parameters
from dawnchorus.model.presence import draw as presence
from dawnchorus.model.rates import reports_by_rate, silences_by_rate

MODEL = joint.FAINT["independent, per annotator and species, faint"]


@pytest.fixture(scope="module")
def annotations():
    visits = [(i, j) for i in range(10) for j in range(3) if (i + j) % 3 or i % 4 == 0]
    visits = portals.with_scopes(visits, [(0, 1, 2, 3), (1, 3), (0, 1, 2)])
    return portals.lay_out(visits, [(0, 0, 1), (1, 1, 3)], {1: (0,)}, sizes=(10, 3, 4))


def log_density(prior, side, design):
    """Give the log density of a side by its prior, own spreads left out."""
    owner, level = design.rate_annotator, side.level
    centre = side.among[0] + (prior.skill.matrix @ side.effect if prior.skill else 0)
    if prior.even:
        centre = centre + prior.even.higher * (side.own < 1)
    total = stats.norm.logpdf(level, centre, side.among[1]).sum()
    shift = side.shift[design.pairs.item] if prior.difficulty else 0
    total += stats.norm.logpdf(side.logit, level[owner] + shift, side.spread * side.own[owner]).sum()
    total += stats.halfnorm.logpdf(side.spread, scale=prior.spread.scale)
    if prior.difficulty:
        total += stats.norm.logpdf(side.shift, 0, side.hard).sum()
        total += stats.halfnorm.logpdf(side.hard, scale=prior.difficulty.scale)
    if prior.skill:
        total += stats.norm.logpdf(side.effect, 0, side.effect_scale[prior.skill.term]).sum()
        total += stats.halfnorm.logpdf(side.effect_scale, scale=prior.skill.scale.scale).sum()
    if isinstance(prior.level, LearnedNormal):
        total += stats.norm.logpdf(side.among[0], prior.level.centre, prior.level.width)
        total += stats.halfnorm.logpdf(side.among[1], scale=prior.level.spread)
    return total


@pytest.mark.parametrize("skill", [None, Skill(contexts.made_up_ratings(3), HalfNormal(0.8))])
@pytest.mark.parametrize("difficulty", [None, HalfNormal(0.9)])
@pytest.mark.parametrize(
    ("level", "spread"),
    [
        (Normal(0.8, 0.8), HalfNormal(0.8)),
        (LearnedNormal(0.8, 0.7, 0.6), HalfNormal(0.8)),
        (Normal(0.8, 0.8), HalfNormalForMost(0.8, even=0.6)),
    ],
)
def test_stretching_all_logits_gains_what_the_prior_says(annotations, level, spread, difficulty, skill):
    prior = SidePrior(level, spread, difficulty, skill, HalfNormal(1.5))
    design, rng = MODEL.design(annotations), np.random.default_rng(1)
    among = np.array([0.5, 0.7])
    side = prior.draw(rng, design, among, np.abs(rng.normal(0, prior.scales)))
    assert (side.own < 1).any() or not prior.even
    then, gain = prior.stretched(side, 1.3)
    assert np.allclose(then.logit, 1.3 * side.logit)
    learned = isinstance(level, LearnedNormal)
    parts = [then.logit, then.level, then.shift, then.effect, then.effect_scale, then.spread]
    parts += [then.hard] * bool(difficulty) + [then.among] * learned
    volume = sum(np.size(part) for part in parts) * np.log(1.3)
    assert np.isclose(gain, log_density(prior, then, design) - log_density(prior, side, design) + volume)


@pytest.mark.parametrize("stretch", [False, True])
def test_fainter_birds_gain_what_the_prior_says(annotations, stretch):
    design, rng, expertise = MODEL.design(annotations), np.random.default_rng(2), MODEL.expertise
    state, prior = expertise.simulate(rng, design), expertise.tpr
    then, gain = expertise.fainter(state, 1.4, stretch=stretch)
    times = then.tpr.logit / state.tpr.logit
    assert np.allclose(times, times[0])
    assert (times[0] > 1) == (stretch and expertise.spread == "sampled") == stretch
    assert not isinstance(prior.level, LearnedNormal)
    assert not prior.difficulty
    assert not prior.skill
    expected = log_density(prior, then.tpr, design) - log_density(prior, state.tpr, design)
    expected += (then.tpr.logit.size + then.tpr.level.size + 1) * np.log(times[0]) + np.log(1.4)
    of_spread = stats.halfnorm(scale=prior.varied.scale)
    expected += of_spread.logpdf(then.tpr.varied) - of_spread.logpdf(state.tpr.varied)
    assert np.isclose(gain, expected)


def test_votes_on_present_birds_are_all_there(annotations):
    rng, design = np.random.default_rng(2), MODEL.design(annotations)
    votes = joint.Votes.of(design)
    for _ in range(20):
        state, drawn = joint.simulate(rng, MODEL, design, votes)
        found = present_votes(drawn.layout, state.presence)
        assert found.start[-1] == len(found.item)
        by_code = np.bincount(found.item, minlength=2 * design.n_rates)
        assert np.array_equal(reports_by_rate(by_code), reports_by_rate(state.presence.votes))
        misses = silences_by_rate(state.presence.votes) + state.presence.misses
        assert np.array_equal(silences_by_rate(by_code), misses)
        assert len(found.start) - 1 == state.presence.by_species.sum()


@pytest.mark.parametrize("spreads", [("faintness",), ("deception",), ("faintness", "deception")])
@pytest.mark.parametrize("marks", [False, True])
@pytest.mark.parametrize("components", [1, 2])
def test_votes_on_a_bird_tell_how_likely_one_more_report_is(components, marks, spreads):
    annotations = portals.wild(1, recordings=12, annotators=9, species=14)
    design, rng, n = Design(annotations, by_species=True, marks_vote=marks), np.random.default_rng(4), 7
    weight = rng.dirichlet(np.ones(components), n)
    occurrence = rng.beta(1, 2, (n, components, 14))
    rates = rng.beta(5, 2, (n, design.n_rates)), rng.beta(1, 9, (n, design.n_rates))
    number, spread = np.full(n, components), {name: rng.uniform(0.2, 3, n) for name in spreads}
    steps = rng.uniform(0.1, 1.5, n) if marks else np.zeros(n)
    unsure = np.expm1(steps) if marks else np.empty(0)
    given = Parameters(*rates, number, weight, occurrence, unsure=unsure, **spread)
    cube = marked_cube(design)
    present, _ = naive.cell_draws(cube, design.rates_at, given)
    asked = [(i, k, p) for i in range(12) for p, k in enumerate(design.pairs.item) if (i + p) % 9 == 0]
    found = report_probabilities(
        votes_of(design.annotations, design.marks), design.pairs, given, tuple(np.array(asked).T)
    )
    for (i, k, p), chance in zip(asked, found, strict=True):
        reports, surely = [], []
        for d, step in enumerate(steps):
            voters = np.flatnonzero(cube[i, :, k] >= 0)
            which = [*design.rates_at(voters, np.full(len(voters), k)), p]
            said, there, told = cube[i, voters, k].tolist(), present[i, k, d], np.zeros(2)
            for name, rate, weigh in (
                ("faintness", given.tpr, there),
                ("deception", given.fpr, 1 - there),
            ):
                far = spread[name][d] if name in spread else 0.0
                so_far = naive.over_classes(said, rate[d, which[:-1]], far, step)
                for vote in (0, 1):
                    both = naive.over_classes([*said, vote], rate[d, which], far, step)
                    told[vote] += weigh * both / so_far
            reports.append(told[1])
            surely.append(told.sum())
        assert np.isclose(chance, np.mean(reports) / np.mean(surely), atol=2e-4)


def test_the_bound_on_silent_cells_holds_if_later_silences_speak_for_a_faint_bird():
    """One who hears nearly all is silent: a bird that is there is faint, and other silences no wonder."""
    n, tpr, fpr, spread = 3000, np.array([0.9, 0.5, 0.5]), np.array([0.02, 0.45, 0.45]), 3.0
    visits = {(i, j): (0,) for i in range(n) for j in range(3)}
    design = Design(portals.lay_out(visits, sizes=(n, 3, 1)), by_species=True)
    odds = grouped(np.array([[0.02]]), np.zeros(n, np.int32), False)
    rng, rates = np.random.default_rng(1), VoteRates(tpr, fpr, audibility(spread))
    logits = np.log(tpr / (1 - tpr)).tolist()
    there = 0.02 * naive.faint_likelihood([0, 0, 0], logits, spread) / np.prod(1 - fpr)
    chance, draws = there / (1 + there), 40
    found = sum(len(presence.draw(rng, design.layout, odds, rates).recording) for _ in range(draws))
    assert stats.binomtest(found, draws * n, chance).pvalue > FALSE_ALARM
