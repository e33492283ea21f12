"""What annotators say of themselves: columns, and effects as they are kept."""

from __future__ import annotations

import numpy as np

import contexts
from dawnchorus.model.distributions import HalfNormal
from dawnchorus.model.expertise.skill import Skill, matrix_of


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
