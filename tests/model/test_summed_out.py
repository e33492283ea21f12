"""Effects of context and faintness, moved with all presence summed out: the prior stays the prior.

Parameters are drawn from the prior, then presence and votes. After moves given votes, parameters are still
distributed as the prior says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import joint
import portals
from checks import FALSE_ALARM, ks_p
from dawnchorus.model.distributions import HalfNormal
from dawnchorus.model.occurrence.effects import summed_out
from dawnchorus.model.sweep import Model
from dawnchorus.model.together import faintness as faintness_moves
from dawnchorus.model.together import species as species_moves

RECORDINGS = 12
DRAWS = 1500


@pytest.fixture
def always(monkeypatch):
    """Everything moves in every sweep."""
    monkeypatch.setattr(summed_out, "WORK", 10**9)
    monkeypatch.setattr(faintness_moves, "WORK", 10**9)


def annotations(species=3):
    visits = [(i, j) for i in range(RECORDINGS) for j in range(2)]
    scopes = [tuple(range(species)), tuple(range(species - 1))]
    return portals.lay_out(portals.with_scopes(visits, scopes), sizes=(RECORDINGS, 2, species))


def effects_after_moves(*, draws=DRAWS, rounds=5, told=1.0):
    """Give effects on the last species, common effects and scales, each as the prior's z or its p-value.

    Votes say `told` times as much, on the scale of odds, as they should.
    """
    model = joint.made_for(
        Model(joint.OCCURRENCES["in context"], joint.EXPERTISES["per annotator"]), RECORDINGS, 2
    )
    design = model.design(annotations())
    votes, rng, found = joint.Votes.of(design), np.random.default_rng(3), []
    occurrence = model.occurrence
    for _ in range(draws):
        state, drawn = joint.simulate(rng, model, design, votes)
        rates, effects = model.expertise.rates(state.expertise), state.occurrence
        rates = rates._replace(tpr=np.minimum(rates.tpr * told, 0.999))
        for _ in range(rounds):
            effects, _ = occurrence.refine(rng, effects, rates, state.presence, drawn)
        found.append(effects)
    pool, term = occurrence._pool, np.repeat(np.arange(3), np.diff(occurrence._terms.column_start))
    effect, common, scale = (np.array(part) for part in zip(*found, strict=True))
    z = [(effect[:, k, b] - common[:, b]) / scale[:, term[b]] for k in range(3) for b in range(len(term))]
    z += [(common[:, b] - pool.mean[b]) / pool.sd[b] for b in range(len(term))]
    p = [ks_p(values, stats.norm.cdf) for values in z]
    p += [ks_p(scale[:, t], stats.halfnorm(scale=pool.scale[t]).cdf) for t in range(3)]
    return len(p) * min(p)


@pytest.mark.parametrize("at_once", [1, 10**9])
def test_effects_keep_the_prior_given_votes(at_once, always, monkeypatch):
    monkeypatch.setattr(summed_out, "AT_ONCE", at_once)
    assert effects_after_moves() > FALSE_ALARM


def test_effects_that_are_told_other_rates_are_seen(always):
    assert effects_after_moves(told=0.5, rounds=4) < FALSE_ALARM


def test_all_species_move_at_once_in_few_of_many_sweeps(monkeypatch):
    model = joint.made_for(
        Model(joint.OCCURRENCES["in context"], joint.EXPERTISES["per annotator"]), RECORDINGS, 2
    )
    design, rng = model.design(annotations()), np.random.default_rng(1)
    visits = design.annotations.n_visits
    monkeypatch.setattr(summed_out, "WORK", 0.75 * visits)
    sizes = [len(summed_out.species_in_turn(rng, design)) for _ in range(400)]
    assert set(sizes) == {0, 3}
    assert 0.2 < np.mean(np.array(sizes) > 0) < 0.3
    monkeypatch.setattr(summed_out, "AT_ONCE", 2 * visits)
    assert {len(summed_out.species_in_turn(rng, design)) for _ in range(400)} == {0, 2}


def test_where_contexts_are_many_effects_are_never_drawn_given_presence():
    for recordings, alone in ((12, True), (60, False)):
        model = joint.made_for(
            Model(joint.OCCURRENCES["in context"], joint.EXPERTISES["per annotator"]), recordings, 2
        )
        assert model.occurrence._terms.row.shape[1] == 9
        assert model.occurrence._summed_out_alone == alone


@pytest.mark.parametrize("part", ["", "difficulty"])
def test_faintness_keeps_its_prior_given_votes(part, always):
    model = joint.FAINT["independent, per annotator and species, faint"]
    if part:
        hard = (
            side._replace(difficulty=HalfNormal(0.9)) for side in (model.expertise.tpr, model.expertise.fpr)
        )
        model = replace(model, expertise=type(model.expertise)(*hard))
    design = model.design(annotations(2))
    votes, rng, found, sides = (
        joint.Votes.of(design),
        np.random.default_rng(5),
        [],
        (model.occurrence, model.expertise),
    )
    moved = []
    for _ in range(DRAWS):
        state, drawn = joint.simulate(rng, model, design, votes)
        states, odds = (state.occurrence, state.expertise), model.occurrence.odds(state.occurrence)
        for _ in range(10):
            states, share = faintness_moves.move_faintness(rng, sides, states, odds, drawn)
            moved.append(share["faintness_summed_out"])
        tpr = states[1].tpr
        found.append((float(tpr.varied) / 1.5, (tpr.level[0] - 0.8) / 0.8, float(tpr.spread) / 0.8))
    spread, level, around = np.array(found).T
    assert 0.2 < np.mean(moved) < 0.99
    assert ks_p(spread, stats.halfnorm.cdf) > FALSE_ALARM
    assert ks_p(around, stats.halfnorm.cdf) > FALSE_ALARM
    assert ks_p(level, stats.norm.cdf) > FALSE_ALARM


def test_faintness_takes_notice_of_votes(always):
    """Moves that ignore votes would keep the prior too, but votes would become less likely by them."""
    model = joint.FAINT["independent, per annotator and species, faint"]
    visits = portals.with_scopes([(i, j) for i in range(60) for j in range(4)], [(0, 1)] * 4)
    design, rng = model.design(portals.lay_out(visits, sizes=(60, 4, 2))), np.random.default_rng(5)
    votes, sides, species = joint.Votes.of(design), (model.occurrence, model.expertise), np.arange(2)
    likelier, wider, same, draws = [], [], np.ones(2), 600
    for _ in range(draws):
        state, drawn = joint.simulate(rng, model, design, votes)
        states, odds = (state.occurrence, state.expertise), model.occurrence.odds(state.occurrence)
        for _ in range(10):
            states, _ = faintness_moves.move_faintness(rng, sides, states, odds, drawn)
        wider.append(np.log(states[1].tpr.varied / state.expertise.tpr.varied))
        said = []
        for one in (state.expertise, states[1]):
            besides = species_moves.besides_logits(model.expertise, one)
            said.append(species_moves.what_votes_say(drawn, species, model.expertise.logits(one), *besides))
        likelier.append(species_moves.votes_gained(odds, species, (same, same), *said).sum())
    for gains in (likelier, wider):
        assert abs(np.mean(gains)) < 4 * np.std(gains) / np.sqrt(draws)
