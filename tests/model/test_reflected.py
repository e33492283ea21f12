"""Rates that are moved with presence in reported cells summed out, against their density."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import joint
import portals
from checks import FALSE_ALARM, grouped, ks_p, reflected_p
from dawnchorus.model import design as design_module
from dawnchorus.model.design import Design
from dawnchorus.model.distributions.priors import Beta, HalfNormal
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies, Side, State
from dawnchorus.model.expertise.summed_out import by_species
from dawnchorus.model.occurrence.independent import Independent
from dawnchorus.model.sweep import Model


@pytest.mark.parametrize("name", ["tpr", "fpr"])
def test_reflected_rates_keep_their_density(name):
    assert reflected_p(name) > FALSE_ALARM


@pytest.mark.parametrize("step", [0.0, 0.7])
def test_refine_keeps_the_density_of_rates_given_votes_and_silent_cells(step):
    assert refined_p(step) > FALSE_ALARM


@pytest.mark.parametrize("step", [0.0, 0.7])
def test_refine_in_blocks_of_species_keeps_this_density(step, monkeypatch):
    monkeypatch.setattr(design_module, "BLOCK", 8)
    monkeypatch.setattr(by_species, "VOTES", 4)
    assert refined_p(step, blocks=True) > FALSE_ALARM


def refined_p(step, *, blocks=False):
    """Rates from the prior, then presence and votes: given these, refined rates are still from the prior."""
    visits = portals.with_scopes([(i, j) for i in range(12) for j in range(2)], [(0, 1, 2)] * 2)
    model = PerAnnotatorSpecies(*joint.SIDES, step=HalfNormal(1) if step else None)
    design = Design(portals.lay_out(visits, sizes=(12, 2, 3)), by_species=True, marks_vote=step > 0)
    assert design.in_blocks == blocks
    votes, rng = joint.Votes.of(design), np.random.default_rng(3)
    found, jumped = [], []
    occurrence = np.array([[0.3, 0.45, 0.6]])
    odds, spread = grouped(occurrence / (1 - occurrence), np.zeros(12, np.int32)), 1.1
    prior = stats.norm(model.fpr.level.mean, model.fpr.level.sd)
    for _ in range(1500):
        levels = np.full(2, 0.8), prior.rvs(2, random_state=rng)
        logits = [rng.normal(np.repeat(level, 3), spread) for level in levels]
        given = np.array(spread), np.ones(2), np.array([model.fpr.level.mean, model.fpr.level.sd])
        sides = [
            Side(level, given[0], logit, *given[1:]) for level, logit in zip(levels, logits, strict=True)
        ]
        state, present = State(*sides, np.array(step)), rng.random((12, 3)) < occurrence
        reported = joint.draw_votes(rng, Model(Independent(Beta(1, 1)), model), state, present, votes)
        drawn = joint.with_reports(design, votes, reported)
        for _ in range(4):
            state, _ = model.refine(rng, state, odds, joint.as_presence(present, drawn, votes), drawn)
        found.append([side.logit - np.repeat(side.level, 3) for side in state.sides])
        jumped.append(state.fpr.level)
    offsets = np.array(found).transpose(1, 0, 2)
    worst = min(ks_p(one.ravel(), stats.norm(0, spread).cdf) for one in offsets)
    return min(worst, ks_p(np.ravel(jumped), prior.cdf))


def swap_presence_and_absence(given):
    return given | {"w": 1 / given["w"]}


@pytest.mark.parametrize("name", ["tpr", "fpr"])
def test_reflected_rates_know_presence_from_absence(name):
    assert reflected_p(name, swap_presence_and_absence) < FALSE_ALARM
