"""Plain models pay nothing for parts that they do not have: kernels get None, and do not compile them."""

from __future__ import annotations

import numpy as np
import pytest

import dawnchorus as dc
from dawnchorus.model.audibility import evidence, evidence_from_logits
from dawnchorus.model.predictive.vote_ratios import RatioTable

ANNOTATIONS = dc.simulate_paper(recordings=40, annotators=4, species=5, visits=2, seed=2).annotations


def fitted(**parts):
    return dc.fit(ANNOTATIONS, "base-hierarchical", draws=4, warmup=4, chains=2, min_ess=None, **parts)


@pytest.mark.parametrize("faint", [False, True])
def test_votes_are_weighed_one_by_one_unless_they_depend_on_each_other(faint):
    posterior = fitted(faint=faint)
    expertise, design = posterior.model.expertise, posterior.design
    state = expertise.init(np.random.default_rng(1), design, 0)
    differing = expertise.audibility(state), expertise.unsure(state), expertise.deception(state)
    logits = design.layout.reported.rates, *expertise.logits(state)
    for says in (evidence(expertise.rates(state)), evidence_from_logits(*logits, *differing)):
        assert (says.together is None) is not faint


def test_tables_of_ratios_have_neither_classes_nor_scores():
    posterior = fitted()
    draws = posterior.draws
    parameters = posterior.model.parameters(draws.at(draws.places()), draws.chains, posterior.design)
    ratios, _, _ = RatioTable(parameters, np.arange(3)).of(np.array([0, 1]))
    assert ratios.together is None
    assert ratios.scores is None
