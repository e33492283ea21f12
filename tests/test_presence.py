"""The sparse presence draw against a loop over every cell."""

from __future__ import annotations

import joint
import naive
import numpy as np
import pytest
from checks import FALSE_ALARM, independence_p, presence_p, random_rates

import dawnchorus as dc
from dawnchorus import design as design_module
from dawnchorus import presence
from dawnchorus.design import Design

CASES = {
    "ordinary": {},
    "silence raises the odds": {"raised": True},
    "silence raises the odds, by species": {"raised": True, "by_species": True},
    "common species": {"occurrence": (0.8, 0.95)},
    "common species, by species": {"occurrence": (0.8, 0.95), "by_species": True},
    "many groups": {"groups": 7},
    "many groups, by species": {"groups": 7, "by_species": True},
    "by species": {"by_species": True},
    "without tables": {"table": 0},
    "without tables, by species": {"table": 0, "by_species": True},
}


def portal():
    return dc.simulate_portal(
        recordings=14, annotators=6, species=9, visits=2.2, present_species=2, false_reports=0.4, unsure=0.6,
        seed=3,
    ).annotations  # fmt: skip


def case(monkeypatch, raised=False, by_species=False, occurrence=(0.02, 0.5), groups=1, table=None):
    """Give a design, odds by group, the group of each recording, and rates."""
    if table is not None:
        monkeypatch.setattr(design_module, "TABLE", table)
    annotations = portal()
    design = Design(annotations, by_species=by_species)
    rng = np.random.default_rng(5)
    tpr, fpr = random_rates(rng, design.n_rates)
    if raised:
        tpr[::2], fpr[::2] = fpr[::2], tpr[::2]
    probability = rng.uniform(*occurrence, (groups, annotations.n_species))
    group = rng.permutation(np.arange(annotations.n_recordings) % groups).astype(np.int32)
    return design, probability / (1 - probability), group, tpr, fpr


def test_the_data_have_scopes_unsure_marks_and_several_visits():
    a = portal()
    cube = a.to_cube()
    voted, visited = (cube >= 0).any(axis=1), np.unique(a.visit_recording)
    assert a.scopes.rows > 2
    assert len(a.unsure.item) > 5
    assert a.visits_by_recording.sizes.max() >= 4
    assert not voted[visited].all()
    assert len(visited) < a.n_recordings or a.visits_by_recording.sizes.min() == 1


@pytest.mark.parametrize("name", CASES)
def test_each_cell_is_present_as_often_as_it_should_be(name, monkeypatch):
    assert presence_p(*case(monkeypatch, **CASES[name]), draws=2500, seed=1) > FALSE_ALARM


@pytest.mark.parametrize("name", ["ordinary", "common species", "silence raises the odds, by species"])
def test_cells_of_one_recording_are_independent(name, monkeypatch):
    assert independence_p(*case(monkeypatch, **CASES[name]), draws=2500, seed=2) > FALSE_ALARM


@pytest.mark.parametrize("name", ["ordinary", "silence raises the odds, by species"])
def test_a_bound_that_is_too_small_is_caught(name, monkeypatch):
    halve_the_bound(monkeypatch)
    assert presence_p(*case(monkeypatch, **CASES[name]), draws=2500, seed=1) < FALSE_ALARM


def halve_the_bound(monkeypatch):
    right = presence.candidates

    def half(*given):
        bound = right(*given)
        return bound._replace(cumulative=bound.cumulative / 2, most=bound.most / 2)

    monkeypatch.setattr(presence, "candidates", half)


@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_the_draw(name, monkeypatch):
    design, odds, group, tpr, fpr = case(monkeypatch, **CASES[name])
    cube = design.annotations.to_cube()
    reported = (cube == 1).any(axis=1)
    rng = np.random.default_rng(7)
    sizes = np.bincount(group, minlength=len(odds))
    for _ in range(20):
        drawn = presence.draw(rng, design.layout, odds, group, sizes, presence.ratios(tpr, fpr))
        present = joint.as_table(drawn, design)
        assert present.sum() == drawn.reported.sum() + len(drawn.recording)
        assert np.all(np.diff(drawn.recording) >= 0)
        assert drawn.by_species.tolist() == present.sum(axis=0).tolist()
        in_reported = by_rate(naive.votes_by_truth(cube, present & reported), design)
        silent = by_rate(naive.votes_by_truth(cube, present & ~reported), design)
        assert drawn.votes[::2].tolist() == in_reported["misses"].tolist()
        assert drawn.votes[1::2].tolist() == in_reported["hits"].tolist()
        assert drawn.misses.tolist() == silent["misses"].tolist()


def by_rate(counts, design):
    if design.by_species:
        return {name: table[design.rate_annotator, design.pairs.item] for name, table in counts.items()}
    return {name: table.sum(axis=1) for name, table in counts.items()}


def test_room_is_made_for_many_present_cells():
    annotations = dc.simulate_portal(recordings=300, annotators=5, species=12, visits=1, seed=1).annotations
    design = Design(annotations, by_species=False)
    odds, group = np.full((1, 12), 1e6), np.zeros(300, np.int32)
    ratio = presence.ratios(np.full(5, 0.5), np.full(5, 0.5))
    drawn = presence.draw(np.random.default_rng(1), design.layout, odds, group, np.array([300]), ratio)
    voted = (annotations.to_cube() >= 0).any(axis=1)
    assert len(drawn.recording) > 1024
    assert joint.as_table(drawn, design).sum() > 0.999 * voted.sum()


def test_presence_from_a_table_is_what_the_draw_gives():
    for by_species in (False, True):
        design = Design(portal(), by_species=by_species)
        tpr, fpr = random_rates(np.random.default_rng(1), design.n_rates)
        odds, group = np.full((1, 9), 0.4), np.zeros(14, np.int32)
        drawn = presence.draw(
            np.random.default_rng(2), design.layout, odds, group, np.array([14]), presence.ratios(tpr, fpr)
        )
        again = joint.as_presence(joint.as_table(drawn, design), design, joint.Votes.of(design))
        assert sorted(zip(drawn.recording, drawn.species, strict=True)) == sorted(
            zip(again.recording, again.species, strict=True)
        )
        for name in ("reported", "by_species", "votes", "misses"):
            assert getattr(drawn, name).tolist() == getattr(again, name).tolist()
