"""What annotators say of themselves: columns, and effects as they are kept."""

from __future__ import annotations

import numpy as np
from scipy import stats

import contexts
from checks import FALSE_ALARM, ks_p
from dawnchorus.model.context import Context
from dawnchorus.model.distributions import HalfNormal
from dawnchorus.model.expertise.logits.levels import Skill, matrix_of

PRIORS = [stats.norm] * 3 + [stats.halfnorm] * 2
"""Of three effects over their scales, and of two scales."""


def test_columns_are_those_of_loops():
    said = contexts.made_up_ratings(6)
    skill, rng = Skill(said, HalfNormal(1)), np.random.default_rng(1)
    matrix = np.zeros((6, 3))
    for j in range(6):
        at = 0
        for term in said.terms:
            for b in range(len(term.columns)):
                if term.row[j] >= 0:
                    matrix[j, at] = term.basis[term.row[j], b]
                at += 1
    assert np.array_equal(skill.matrix, matrix)
    assert np.allclose(matrix[:, :2].sum(axis=0), 0)
    assert np.allclose(matrix[:, :2].sum(axis=1), 0)
    assert not matrix[-1, :2].any()
    assert skill.term.tolist() == [0, 0, 1]
    assert skill.columns == ("rating: low", "rating: high", "years")
    effect = rng.normal(size=3)
    kept = skill.named(effect)
    assert np.allclose(matrix_of(said) @ kept, skill.matrix @ effect)
    assert np.allclose(kept, skill.named(effect + np.array([5, 5, 0])))


def test_draws_keep_the_joint_distribution_of_effects_scales_and_levels():
    """Scales, effects and levels from the prior: new scales and effects go with the same levels as before."""
    rating, years = contexts.made_up_ratings(5).terms
    years = years._replace(row=np.array([2, 0, 2, 1, 1]))  # which goes with the rating
    skill, rng = Skill(Context("rating + years", (rating, years)), HalfNormal(0.8)), np.random.default_rng(2)
    found, before, after = [], [], []
    for _ in range(20_000):
        scale = np.abs(rng.normal(0, 0.8, 2))
        effect = rng.normal(0, scale[skill.term])
        away = rng.normal(skill.matrix @ effect, 1.2)
        before.append(went_with(skill, away, effect))
        effect, scale = skill.draw(rng, away, 1.2, effect, scale)
        after.append(went_with(skill, away, effect))
        found.append([*effect / scale[skill.term], *scale / 0.8])
    p = [ks_p(values, prior.cdf) for values, prior in zip(np.array(found).T, PRIORS, strict=True)]
    p += [stats.ks_2samp(*both).pvalue for both in zip(np.array(before).T, np.array(after).T, strict=True)]
    assert len(p) * min(p) > FALSE_ALARM


def went_with(skill, away, effect):
    """Give how levels go with what is explained, and how effects of both terms go with each other."""
    fit = skill.matrix @ effect
    return away @ fit, ((away - fit) ** 2).sum(), (effect[0] - effect[1]) * effect[2]
