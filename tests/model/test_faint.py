"""Faint birds: the steps that the common tests do not see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import contexts
import joint
import naive
import portals
from dawnchorus.model.distributions import HalfNormal, LearnedNormal, Normal
from dawnchorus.model.expertise.faint import present_votes
from dawnchorus.model.expertise.logits.levels import Skill
from dawnchorus.model.expertise.sides import SidePrior
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.listening.vote_chances import report_probabilities
from dawnchorus.model.predictive.parameters import Parameters
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
@pytest.mark.parametrize("level", [Normal(0.8, 0.8), LearnedNormal(0.8, 0.7, 0.6)])
def test_stretching_all_logits_gains_what_the_prior_says(annotations, level, difficulty, skill):
    prior = SidePrior(level, HalfNormal(0.8), difficulty, skill, HalfNormal(1.5))
    design, rng = MODEL.design(annotations), np.random.default_rng(1)
    among = np.array([0.5, 0.7])
    side = prior.draw(rng, design, among, np.abs(rng.normal(0, prior.scales)))
    then, gain = prior.stretched(side, 1.3)
    assert np.allclose(then.logit, 1.3 * side.logit)
    learned = isinstance(level, LearnedNormal)
    parts = [then.logit, then.level, then.shift, then.effect, then.effect_scale, then.spread]
    parts += [then.hard] * bool(difficulty) + [then.among] * learned
    volume = sum(np.size(part) for part in parts) * np.log(1.3)
    assert np.isclose(gain, log_density(prior, then, design) - log_density(prior, side, design) + volume)


def test_votes_on_present_birds_are_all_there(annotations):
    rng, design = np.random.default_rng(2), MODEL.design(annotations)
    votes = joint.Votes.of(design)
    for _ in range(20):
        state, drawn = joint.simulate(rng, MODEL, design, votes)
        found = present_votes(drawn.layout, state.presence)
        by_code = np.bincount(found.item, minlength=2 * design.n_rates)
        assert np.array_equal(reports_by_rate(by_code), reports_by_rate(state.presence.votes))
        misses = silences_by_rate(state.presence.votes) + state.presence.misses
        assert np.array_equal(silences_by_rate(by_code), misses)
        assert len(found.start) - 1 == state.presence.by_species.sum()


@pytest.mark.parametrize("components", [1, 2])
def test_votes_on_a_bird_tell_how_likely_one_more_report_is(components):
    annotations = portals.wild(1, recordings=12, annotators=9, species=14)
    design, rng, n = MODEL.design(annotations), np.random.default_rng(4), 7
    weight = rng.dirichlet(np.ones(components), n)
    occurrence = rng.beta(1, 2, (n, components, 14))
    rates = rng.beta(5, 2, (n, design.n_rates)), rng.beta(1, 9, (n, design.n_rates))
    number, spread = np.full(n, components), rng.uniform(0.2, 3, n)
    given = Parameters(*rates, number, weight, occurrence, faintness=spread)
    cube = annotations.to_cube()
    present, _ = naive.cell_draws(cube, design.rates_at, given)
    asked = [(i, k, p) for i in range(12) for p, k in enumerate(design.pairs.item) if (i + p) % 9 == 0]
    found = report_probabilities(votes_of(annotations), design.pairs, given, tuple(np.array(asked).T))
    for (i, k, p), chance in zip(asked, found, strict=True):
        wanted = []
        for d in range(n):
            voters = np.flatnonzero(cube[i, :, k] >= 0)
            tpr = given.tpr[d, [*design.rates_at(voters, np.full(len(voters), k)), p]]
            logits = [naive.average_logit(rate, spread[d]) for rate in tpr]
            said = [vote == 1 for vote in cube[i, voters, k]]
            hit = naive.faint_likelihood([*said, True], logits, spread[d])
            hit /= naive.faint_likelihood(said, logits[:-1], spread[d])
            wanted.append(present[i, k, d] * hit + (1 - present[i, k, d]) * given.fpr[d, p])
        assert np.isclose(chance, np.mean(wanted), atol=2e-4)
