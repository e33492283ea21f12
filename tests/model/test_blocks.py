"""Presence is drawn by blocks of recordings, whoever draws them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import dawnchorus as dc
import joint
import portals
from checks import FALSE_ALARM, grouped
from dawnchorus.model import design as design_module
from dawnchorus.model.audibility import VoteRates
from dawnchorus.model.design import Design, blocks_of
from dawnchorus.model.expertise.logits import in_parts
from dawnchorus.model.expertise.summed_out import by_species
from dawnchorus.model.presence import draw as presence

SHORT = {"warmup": 5, "draws": 15, "chains": 1, "min_ess": None, "seed": 3}
MODELS = {
    "base": {},
    "base-hierarchical": {},
    "bmm": {},
    "dp-bmm": {},
    "dp-bmm-hierarchical": {},
    "base-hierarchical, faint and deceptive": {"faint": True, "deceptive": True, "unsure": "ordered"},
    "base-hierarchical, difficulty": {"difficulty": True},
    "base, learned": {"priors": "learned"},
    "base-hierarchical, context": {"context": "site"},
}


@pytest.fixture(scope="module")
def annotations():
    sizes = {"recordings": 60, "annotators": 8, "species": 9, "sites": 3}
    return dc.simulate_portal(**sizes, seed=2).annotations


def test_blocks_depend_on_visits_alone(monkeypatch):
    monkeypatch.setattr(design_module, "BLOCK", 10)
    visits = np.append(0, np.cumsum([4, 4, 4, 25, 0, 0, 3, 1]))
    starts = blocks_of(visits)
    assert starts.tolist() == [0, 3, 4, 7, 8]
    assert blocks_of(np.zeros(4, int)).tolist() == [0, 3]
    assert blocks_of(np.array([0, 10])).tolist() == [0, 1]


@pytest.mark.parametrize("name", MODELS)
def test_threads_share_blocks_with_the_same_draws(name, annotations, monkeypatch):
    monkeypatch.setattr(design_module, "BLOCK", 12)
    monkeypatch.setattr(by_species, "VOTES", 9)
    monkeypatch.setattr(in_parts, "LOGITS", 15)
    fits = [
        dc.fit(annotations, name.partition(",")[0], threads=threads, **MODELS[name], **SHORT)
        for threads in (1, 2, 8)
    ]
    for other in fits[1:]:
        for key, values in fits[0].draws.items():
            assert np.array_equal(values, other.draws[key], equal_nan=True)
    monkeypatch.setattr(design_module, "BLOCK", 10**6)
    whole = dc.fit(annotations, name.partition(",")[0], **MODELS[name], **SHORT)
    assert any(not np.array_equal(values, whole.draws[key]) for key, values in fits[0].draws.items())


def twins(monkeypatch, blocks=2):
    """Give a design of blocks that are copies of each other, with odds and rates."""
    one = {(i, j): range(5) for i in range(6) for j in range(3)}
    visits = {(i + 6 * b, j): scope for b in range(blocks) for (i, j), scope in one.items()}
    reports = [(i + 6 * b, i % 3, k) for b in range(blocks) for i in range(6) for k in (i % 5, (i + 2) % 5)]
    annotations = portals.lay_out(visits, reports=reports, sizes=(6 * blocks, 3, 5))
    monkeypatch.setattr(design_module, "BLOCK", len(one))
    design = Design(annotations, by_species=False)
    assert len(design.layout.blocks) == blocks + 1
    group = np.zeros(6 * blocks, np.int32)
    return design, grouped(np.full((1, 5), 0.6), group), VoteRates(np.full(3, 0.5), np.full(3, 0.2))


def tables(design, odds, rates, draws):
    rng = np.random.default_rng(4)
    found = [presence.draw(rng, design.layout, odds, rates) for _ in range(draws)]
    return np.array([joint.as_table(one, design) for one in found]).astype(float)


def test_blocks_are_independent_of_each_other(monkeypatch):
    draws = 400
    first, second = tables(*twins(monkeypatch), draws).reshape(draws, 2, -1).transpose(1, 0, 2)
    correlation = [np.corrcoef(a, b)[0, 1] for a, b in zip(first.T, second.T, strict=True)]
    assert stats.chi2.sf(draws * np.sum(np.square(correlation)), len(correlation)) > FALSE_ALARM


def test_blocks_are_drawn_anew_in_every_sweep(monkeypatch):
    found = tables(*twins(monkeypatch), 60).reshape(60, -1)
    assert len(np.unique(found, axis=0)) == 60
