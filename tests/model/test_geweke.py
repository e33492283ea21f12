"""Joint tests: draws of parameters, presence and votes from the prior stay such draws under every sweep."""

from __future__ import annotations

import numpy as np
import pytest

import joint
import portals
from checks import FALSE_ALARM
from dawnchorus.model import design as design_module
from dawnchorus.model.design import Design
from dawnchorus.model.expertise.logits import in_parts
from dawnchorus.model.expertise.per_annotator import above_average
from dawnchorus.model.expertise.summed_out import by_species as blocks_of_species
from dawnchorus.model.expertise.summed_out.reflected import votes_by_rate
from dawnchorus.model.lookups import has_voted
from dawnchorus.model.occurrence import voted_patterns as voted
from dawnchorus.model.occurrence.in_context import InContext
from dawnchorus.model.occurrence.voted_patterns import voted_patterns
from dawnchorus.model.presence.recording_ratios import grouped
from faults.fault import JOINT, case
from faults.page import FAULTS

MODELS = (
    joint.MODELS
    | joint.LEARNED
    | joint.HARD
    | joint.SKILLED
    | joint.FAINT
    | joint.DECEPTIVE
    | joint.TOGETHER
    | joint.MARKED
    | joint.SCORED
    | joint.EVEN
    | {"independent, per annotator and species, polya-gamma": joint.POLYA_GAMMA}
)


def leaves(value):
    """Give the arrays of an array, or of a tuple of tuples of arrays."""
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]


def test_a_design_with_other_reports_is_the_design_made_anew():
    from dataclasses import replace

    from dawnchorus.common.ragged import Ragged

    annotations = portals.small()
    in_context = joint.made_for(joint.MODELS["in context, per annotator"], 7, 4).occurrence
    of_visits = [make for make in joint.OF_VISITS if make is not InContext._voted]
    derived = (votes_by_rate, above_average, grouped, in_context._voted, *of_visits)
    for by_species, marks_vote in ((False, False), (True, False), (True, True)):
        empty = Design(annotations, by_species=by_species, marks_vote=marks_vote)
        votes, rng = joint.Votes.of(empty), np.random.default_rng(1)
        assert len(votes.visit) == annotations.n_votes + marks_vote * len(annotations.unsure.item)
        for _ in range(20):
            reported = (rng.random(len(votes.visit)) < 0.4).astype(int)
            if marks_vote:
                reported[rng.random(len(reported)) < 0.2] = 2
            for make in derived:
                empty.derived(make)  # what was computed for other reports must not be kept
            quick = joint.with_reports(empty, votes, reported)
            reports, marks = (
                Ragged.from_pairs(votes.visit[those], votes.species[those], rows=annotations.n_visits)
                for those in (reported == 1, reported == 2)
            )
            said = {"reports": reports} | ({"unsure": marks} if marks_vote else {})
            slow = Design(replace(annotations, **said), by_species=by_species, marks_vote=marks_vote)
            assert quick.marks.equals(slow.marks)
            assert quick.layout.reported.cells.equals(slow.layout.reported.cells)
            for name in ("totals", "sure"):
                assert np.array_equal(getattr(quick, name), getattr(slow, name)), name
            for make in derived:
                parts = leaves(quick.derived(make)), leaves(slow.derived(make))
                assert all(np.array_equal(x, y) for x, y in zip(*parts, strict=True)), make
            for name in ("visits", "leading_visit", "leading_recording", "species_lists", "rates"):
                parts = leaves(getattr(quick.layout, name)), leaves(getattr(slow.layout, name))
                assert all(np.array_equal(x, y) for x, y in zip(*parts, strict=True)), name
            quick_cells, slow_cells = quick.layout.reported, slow.layout.reported
            for name in ("recording", "vote_start", "by_species", "votes_by_code", "rates"):
                assert getattr(quick_cells, name).tolist() == getattr(slow_cells, name).tolist()
            for low, high in zip(slow_cells.vote_start[:-1], slow_cells.vote_start[1:], strict=True):
                assert sorted(quick_cells.vote[low:high]) == sorted(slow_cells.vote[low:high])


def test_the_small_data_have_every_corner():
    design = Design(portals.small(), by_species=True)
    votes = joint.Votes.of(design)
    rates = np.bincount(votes.rate, minlength=design.n_rates)
    assert (rates == 0).sum() == 1
    assert design.pairs.sizes.tolist() == [5, 4, 3, 2]
    assert design.derived(voted_patterns).unvoted.sizes.sum() == 2
    assert design.derived(voted_patterns).recordings.tolist() == [0, 1, 2, 3, 4, 5]
    assert len(design.layout.leading_visit) < len(design.layout.visits.annotator)
    assert 0 in design.annotations.scopes.sizes[design.annotations.visit_scope]
    visits = design.layout.visits
    assert [[has_voted(visits, visit, k) for visit in range(4)] for k in (3, 4)] == [
        [False, True, True, True],
        [False, False, True, True],
    ]


SEE_FAULTS = (
    "independent, per annotator, scored",
    "dirichlet process, per annotator",
    "dirichlet process, per annotator and species, learned",
    "mixture, per annotator and species, difficulty and skill, learned",
    "mixture, per annotator and species, difficulty, faint and unsure, learned",
)
"""Models by which deliberate faults are seen that no other test sees: they have more replications."""


def test_models_that_see_faults_are_listed():
    seen_by = {fault.seen_by for fault in FAULTS if fault.seen_by.startswith(JOINT)}
    assert seen_by == {case(JOINT, name) for name in SEE_FAULTS}


@pytest.mark.parametrize("name", MODELS)
def test_sweeps_keep_the_joint_distribution(name):
    """The slow test has twelve times as many replications, or more."""
    if "polya-gamma" in name:
        pytest.importorskip("polyagamma")
    many = 250 if name in SEE_FAULTS else 120
    p = joint.smallest_p(MODELS[name], portals.small(), replications=many, sweeps=6, seed=1)
    assert p > FALSE_ALARM / len(MODELS)


@pytest.mark.parametrize("name", ["mixture, per annotator", "dirichlet process, per annotator and species"])
def test_sweeps_with_unvoted_species_drawn_keep_the_joint_distribution(name, monkeypatch):
    monkeypatch.setattr(voted, "ITEMS", 0)
    monkeypatch.setattr(voted, "SHARE", 0)
    p = joint.smallest_p(MODELS[name], portals.small(), replications=120, sweeps=6, seed=1)
    assert p > FALSE_ALARM / len(MODELS)


IN_BLOCKS = (
    "independent, per annotator, learned",
    "independent, per annotator and species",
    "dirichlet process, per annotator and species, learned",
    "mixture, per annotator and species, difficulty, faint and unsure, learned",
)


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_sweeps_in_blocks_keep_the_joint_distribution(name, monkeypatch):
    monkeypatch.setattr(design_module, "BLOCK", 5)
    monkeypatch.setattr(blocks_of_species, "VOTES", 4)
    monkeypatch.setattr(in_parts, "LOGITS", 5)
    design = MODELS[name].design(portals.small())
    assert len(design.layout.blocks) == 4
    assert design.derived(in_parts.parts_of).n == 3 * design.by_species
    p = joint.smallest_p(MODELS[name], portals.small(), replications=250, sweeps=6, seed=1)
    assert p > FALSE_ALARM / len(MODELS)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_many_sweeps_keep_the_joint_distribution(name):
    if "polya-gamma" in name:
        pytest.importorskip("polyagamma")
    p = joint.smallest_p(MODELS[name], portals.small(), replications=3000, sweeps=15, seed=2)
    assert p > FALSE_ALARM / len(MODELS)
