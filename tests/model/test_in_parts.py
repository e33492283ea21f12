"""Logits and rates of large data are drawn in parts: by the same steps, and of everything once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import portals
from checks import two_classes
from dawnchorus.model.design import Design
from dawnchorus.model.expertise.logits import in_parts
from dawnchorus.model.expertise.logits.stretching import stretch_spread
from dawnchorus.model.expertise.logits.trials import ONE_CLASS, Trials, owners
from dawnchorus.model.expertise.summed_out import by_species
from dawnchorus.model.expertise.summed_out.reflected import votes_by_rate
from dawnchorus.model.expertise.summed_out.shifted import rates_of_annotators


@pytest.fixture(scope="module")
def design():
    return Design(portals.wild(), by_species=True)


def given_trials(design, rng, kind, level):
    """Give trials of all logits, some of which have none: of one class or of two, with offsets or without."""
    n = design.n_rates
    trials = rng.poisson(4, n) * (rng.random(n) < 0.8)
    offset = rng.normal(0, 1, n) if kind == "offsets" else np.empty(0)
    classes = two_classes(trials, (0.4, 2.5)) if kind == "classes" else ONE_CLASS
    owner, start = design.derived(owners)
    centre = level[owner] + (offset if len(offset) else 0)
    return Trials(rng.binomial(trials, expit(centre)), trials, owner, start, offset, classes)


@pytest.mark.parametrize("kind", ["plain", "offsets", "classes"])
@pytest.mark.parametrize("spread", [0.03, 0.3, 1.5])
def test_a_spread_stretches_in_parts_as_it_does_in_one(design, monkeypatch, kind, spread):
    monkeypatch.setattr(in_parts, "LOGITS", 12)
    annotators, moved = in_parts.parts_of(design), 0
    assert annotators.n > 3
    for seed in range(30):
        rng = np.random.default_rng(seed)
        level, own = rng.normal(-1, 0.5, design.annotations.n_annotators), rng.uniform(0.5, 2, 9)
        told = given_trials(design, rng, kind, level)
        x = rng.normal(level[told.owner], spread)
        parts = []
        for place in range(annotators.n):
            people, (where, counts) = annotators.people(place), annotators.trials(told, place)
            nobody = np.empty(0, np.int64)
            parts.append(in_parts.Part(x[where].copy(), counts, level[people], own[people], level, nobody))
        one, two = (np.random.default_rng(seed + 100) for _ in range(2))
        found = stretch_spread(one, x, told, level, spread, own, 0.8)
        in_pieces = in_parts.stretch_parts(two, parts, spread, 0.8, threads=2)
        assert found[1] == in_pieces[1]
        assert np.isclose(found[0], in_pieces[0], rtol=1e-9)
        assert np.allclose(np.concatenate([part.x for part in parts]), x, rtol=1e-9)
        assert one.random() == two.random()
        moved += found[1]
    assert 5 < moved < 30


def test_blocks_of_species_have_all_votes_once(design, monkeypatch):
    monkeypatch.setattr(by_species, "VOTES", 12)
    blocks, whole = by_species.species_blocks(design), votes_by_rate(design)
    parts = [blocks.votes_of(block) for block in range(len(blocks.cells) - 1)]
    assert len(parts) > 3
    found = {}
    for part, low, high in zip(parts, blocks.cells[:-1], blocks.cells[1:], strict=True):
        for at, rate in enumerate(part.rate):
            places = slice(*part.cells.start[at : at + 2])
            cells = part.cells.item[places]
            assert ((low <= cells) & (cells < high)).all()
            said = sorted(zip(blocks.order[cells].tolist(), part.said[places].tolist(), strict=True))
            assert rate not in found
            found[rate] = part.annotator[at], part.reports[at], said
    for at, rate in enumerate(whole.rate):
        places = slice(*whole.cells.start[at : at + 2])
        said = sorted(zip(whole.cells.item[places].tolist(), whole.said[places].tolist(), strict=True))
        assert found.pop(rate) == (whole.annotator[at], whole.reports[at], said)
    assert not found
    theirs = rates_of_annotators(blocks.by_rate, design.annotations.n_annotators)
    for j in range(theirs.rows):
        assert blocks.by_rate.rate[theirs.row(j)].tolist() == whole.rate[whole.annotator == j].tolist()


def test_cells_of_blocks_are_those_of_the_design(design):
    blocks, reported = by_species.species_blocks(design), design.layout.reported
    for at, cell in enumerate(blocks.order):
        votes = [
            one.vote[slice(*one.vote_start[k : k + 2])]
            for one, k in ((reported, cell), (blocks.reported, at))
        ]
        assert np.array_equal(*votes)
        assert blocks.reported.recording[at] == reported.recording[cell]
        assert blocks.reported.cells.item[at] == reported.cells.item[cell]
