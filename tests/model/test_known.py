"""Known cells: chains against exact answers on tiny data, and presence that stays as it is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import exact
import joint
from dawnchorus.annotations.known import KnownCells
from dawnchorus.model.distributions import Beta
from dawnchorus.model.expertise.known_votes import KnownVotes

MOST = 4.5
"""Standard errors; means over a chain are off by more than that once in a hundred thousand times."""
EXPERT = KnownVotes(Beta(6, 2), Beta(2, 5))
MODELS = {
    name: (joint.MODELS | joint.HARD | joint.FAINT | joint.DECEPTIVE | joint.MARKED | joint.LEARNED)[name]
    for name in (
        "independent, per annotator",
        "independent, per annotator and species",
        "independent, per annotator and species, difficulty",
        "independent, per annotator and species, faint",
        "independent, per annotator and species, faint and deceptive",
        "independent, per annotator and species, unsure",
        "independent, per annotator, learned",
        "mixture, per annotator",
        "dirichlet process, per annotator and species",
        "in context, per annotator",
    )
}
SILENT = exact.VISITS, {(0, 1): True, (1, 0): False, (2, 1): False}
"""One cell is known to be present that nobody reported, two that were reported to be absent."""
UNVOTED = (
    {(0, 0): (0, 1), (0, 1): (0,), (1, 1): (0,)},
    {(0, 0): False, (1, 1): True, (2, 0): True, (2, 1): False},
)
"""Nobody votes on species 1 in recording 1, and nobody visits recording 2; both are known."""


def cells_known(cells, known_as="truth"):
    recording, species = np.array(sorted(cells)).T
    present = np.array([cells[cell] for cell in sorted(cells)])
    return KnownCells.of(recording, species, present, rows=exact.SIZES[0], known_as=known_as)


DATA = {"silent": SILENT, "unvoted": UNVOTED}


def cases(first):
    """Give each model with both data: one in this test, the other in slow ones."""
    return [
        pytest.param(
            name,
            DATA[data],
            marks=[pytest.mark.slow] if (at + which + first) % 2 else [],
            id=f"{data}-{name}",
        )
        for which, data in enumerate(DATA)
        for at, name in enumerate(MODELS)
    ]


@pytest.mark.parametrize(("name", "data"), cases(0))
def test_chains_with_known_cells_agree_with_enumeration(name, data):
    visits, cells = data
    known = cells_known(cells)
    assert exact.worst_z(MODELS[name], visits, known, sweeps=1600, seed=1) < (MOST, "")


@pytest.mark.parametrize(("name", "data"), cases(1))
def test_chains_with_an_expert_agree_with_enumeration(name, data):
    visits, cells = data
    model = replace(MODELS[name], known_votes=EXPERT)
    assert exact.worst_z(model, visits, cells_known(cells, "expert"), sweeps=1600, seed=1) < (MOST, "")
