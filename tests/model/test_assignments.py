"""Mixtures: which components recordings join, and the occurrence in these."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import joint
import naive
import portals
from checks import FALSE_ALARM, ks_p
from dawnchorus.model.design import Design
from dawnchorus.model.distributions.priors import Beta
from dawnchorus.model.occurrence import assignments
from dawnchorus.model.occurrence import components as seating
from dawnchorus.model.occurrence.voted_patterns import voted_patterns


@pytest.mark.parametrize("weights", [assignments.Weights(0.0, 1.7), assignments.Weights(1 / 4, 1.0)])
def test_a_recording_joins_components_by_their_weights(weights):
    annotations, prior = portals.small(), Beta(2, 3)
    design, rng = Design(annotations, by_species=False), np.random.default_rng(11)
    voted = (annotations.to_cube() >= 0).any(axis=1)
    patterns, table = design.derived(voted_patterns), rng.random((7, 5)) < 0.4
    drawn = joint.as_presence(table, design, joint.Votes.of(design))
    nothing = seating.Cells(*np.empty((2, 0), np.int32))
    silent = seating.Cells(drawn.recording, drawn.species)
    present = seating.gather(design.layout.reported.cells, drawn.reported, silent, nothing)
    for i in range(7):
        assert sorted(present.row(i)) == np.flatnonzero(table[i] & voted[i]).tolist()
    group = np.array([0, 1, 1, 0, 2, 2, 0], np.int32)
    occurrence = rng.uniform(0.2, 0.8, (3, 5))
    for i in (0, 1, 5):
        wanted = naive.joining_probabilities(
            i, table, voted, group, occurrence, weights.each, weights.total, prior.a, prior.b
        )
        found, opened = np.zeros(4), []
        for _ in range(2000):
            now = group.copy()
            components = seating.with_room(seating.make_components(group, occurrence, patterns))
            seating.assign_recordings(
                rng, now, present, components,
                patterns._replace(recordings=np.array([i], np.int32)), (2.0, 3.0), weights, 0,
            )  # fmt: skip
            found[min(now[i], 3)] += 1
            if now[i] == 3:
                opened.append(components.occurrence[3])
        likely = wanted > 0
        assert found[~likely].sum() == 0
        assert stats.chisquare(found[likely], 2000 * wanted[likely]).pvalue > FALSE_ALARM
        for k in range(5):
            a, b = prior.a + (voted[i, k] and table[i, k]), prior.b + (voted[i, k] and not table[i, k])
            assert ks_p(np.array(opened)[:, k], stats.beta(a, b).cdf) > FALSE_ALARM


def test_occurrence_in_components_is_drawn_given_their_recordings():
    annotations, prior = portals.small(), Beta(2, 3)
    design, rng = Design(annotations, by_species=False), np.random.default_rng(12)
    voted = (annotations.to_cube() >= 0).any(axis=1)
    table = rng.random((7, 5)) < 0.4
    drawn = joint.as_presence(table, design, joint.Votes.of(design))
    one = assignments.Weights(1.0, 1.0)  # a mixture of a single component
    start = np.zeros(7, np.int32), np.full((1, 5), 0.4), np.array([prior.a, prior.b], float)
    draws = np.array([assignments.reassign(rng, *start, drawn, design, prior, one)[1] for _ in range(2000)])
    assert draws.shape == (2000, 1, 5)
    for k in range(5):
        present, absent = (table & voted)[:, k].sum(), (~table & voted)[:, k].sum()
        assert ks_p(draws[:, 0, k], stats.beta(prior.a + present, prior.b + absent).cdf) > FALSE_ALARM


def test_when_all_components_have_members_nothing_is_left_for_another():
    for components in range(1, 300):
        weights = seating.Weights(1 / components, 1.0)
        assert weights.empty(components) == 0
        assert weights.empty(components - 1) == pytest.approx(1 / components)
    assert seating.Weights(0.0, 1e-10).empty(1000) == 1e-10
