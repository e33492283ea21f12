"""Chains against exact answers on tiny data, for every model."""

from __future__ import annotations

import numpy as np
import pytest

import exact
import joint
from dawnchorus.model.expertise.summed_out.reflected import votes_by_rate
from dawnchorus.model.occurrence import voted_patterns as voted
from dawnchorus.model.occurrence.voted_patterns import voted_patterns

MOST = 4.5
"""Standard errors; means over a chain are off by more than that once in a hundred thousand times."""


RICHER = joint.LEARNED | joint.HARD | joint.SKILLED | joint.FAINT | joint.EVEN
MARKED = joint.MARKED | joint.DECEPTIVE
RICHER |= {name: model for name, model in MARKED.items() if not model.expertise.tpr.difficulty}
MODELS = joint.MODELS | {name: model for name, model in RICHER.items() if name.startswith("independent")}
"""Where all recordings share the shapes, no sum over partitions is needed, and enumeration is exact."""


@pytest.mark.parametrize("name", MODELS)
def test_chains_agree_with_enumeration(name):
    sweeps = 6400 if name.startswith("in context") else 1600  # common effects mix slowly: errors need more
    assert exact.worst_z(MODELS[name], sweeps=sweeps, seed=1) < (MOST, "")


def test_chains_with_polya_gamma_variables_agree_with_enumeration():
    pytest.importorskip("polyagamma")
    assert exact.worst_z(joint.POLYA_GAMMA, sweeps=1600, seed=1) < (MOST, "")


@pytest.mark.parametrize("name", [name for name in joint.MODELS if not name.startswith("independent")])
def test_chains_with_unvoted_species_drawn_agree_with_enumeration(name, monkeypatch):
    monkeypatch.setattr(voted, "ITEMS", 0)
    monkeypatch.setattr(voted, "SHARE", 0)
    design, cube = exact.tiny_design(joint.MODELS[name], exact.FEWER)
    assert len(design.derived(voted_patterns).without_pattern) == len(
        design.derived(voted_patterns).recordings
    )
    assert (cube >= 0).any(axis=1).sum() == 5
    assert exact.worst_z(joint.MODELS[name], exact.FEWER, sweeps=1600, seed=1) < (MOST, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_long_chains_agree_with_enumeration(name):
    assert exact.worst_z(MODELS[name], sweeps=60_000, seed=2) < (MOST, "")


def test_enumeration_knows_its_priors():
    """Probabilities of partitions sum to 1, and so do those of counts."""
    for name in ("mixture", "dirichlet process"):
        ways = exact.partitions(4)
        assert len(ways) == 15
        assert np.isclose(sum(np.exp(exact.log_partition(joint.OCCURRENCES[name], w)[0]) for w in ways), 1)
    prior = joint.SIDES[0]
    (_, weight), (_, level_weight) = exact.spread_nodes(prior), exact.level_nodes(prior)
    each = [exact.likelihood(prior, s, 3) for s in range(4)]
    assert np.isclose(weight @ (each[0] + 3 * each[1] + 3 * each[2] + each[3]) @ level_weight, 1)


def test_the_tiny_data_have_a_rate_with_many_votes():
    design, cube = exact.tiny_design(joint.MODELS["independent, per annotator and species"])
    assert design.derived(votes_by_rate).cells.sizes.max() >= 3
    assert (cube >= 0).any(axis=1).sum() == 6
