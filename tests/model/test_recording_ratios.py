"""What all votes on a species say in each recording, against loops over visits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import naive
import portals
from dawnchorus.annotations.known import KnownCells
from dawnchorus.model.audibility import ALIKE, VoteRates, audibility, evidence
from dawnchorus.model.design import Design
from dawnchorus.model.presence.recording_ratios import grouped, recording_ratios

SPECIES = np.array([3, 0, 5])


def crowded():
    """A recording that twenty people visit, and two that few do."""
    visits = [(0, j) for j in range(20)] + [(1, 3), (1, 4), (2, 7)]
    reports = [(0, 2, 0), (1, 4, 5)]
    scopes = [tuple(range(6)) if j % 3 else (0, 3) for j in range(20)]
    return portals.lay_out(portals.with_scopes(visits, scopes), reports=reports, sizes=(3, 20, 6))


def same_visits():
    """Recordings with the same visits but for unsure marks, of which some have reports."""
    scopes = [(0, 1, 2, 3), (2, 3, 4, 5), (0, 3, 5)]
    visits = [(i, j) for i in range(9) for j in ((0, 1, 2) if i % 3 else (0, 2))]
    unsure, reports = [(1, 0, 3), (1, 1, 5), (4, 2, 0), (6, 2, 5)], [(2, 1, 3), (3, 0, 0), (7, 2, 5)]
    return portals.lay_out(portals.with_scopes(visits, scopes), unsure, reports=reports, sizes=(9, 3, 6))


DATA = {
    "a wild portal": lambda: portals.wild(2, recordings=30, species=9),
    "a crowd": crowded,
    "the same visits": same_visits,
}


@pytest.mark.parametrize("deceptive", [0.0, 1.2])
@pytest.mark.parametrize("faint", [0.0, 1.7])
@pytest.mark.parametrize("by_species", [True, False])
@pytest.mark.parametrize("data", DATA)
def test_ratios_are_those_of_loops(data, by_species, faint, deceptive):
    rng, annotations = np.random.default_rng(4), DATA[data]()
    design, cube = Design(annotations, by_species=by_species), annotations.to_cube()
    x = rng.normal(0.5, 1, design.n_rates), rng.normal(-2, 1, design.n_rates)
    classes = (audibility(spread) if spread else ALIKE for spread in (faint, deceptive))
    heard, deception = classes
    says = evidence(VoteRates(expit(x[0]), expit(x[1]), heard, 0.0, deception))
    found = recording_ratios(design.layout, design.derived(grouped), SPECIES, says)
    assert len(found.together) == (len(SPECIES) if deceptive else 0)
    several = 0
    for place, k in enumerate(SPECIES):
        for i in range(annotations.n_recordings):
            voters = np.flatnonzero(cube[i, :, k] >= 0)
            rates = [rate_of(design, j, k) for j in voters]
            present, absent = (
                naive.faint_likelihood(cube[i, voters, k], side[rates], spread)
                for side, spread in zip(x, (faint, deceptive), strict=True)
            )
            assert np.isclose(found.ratio[place, i], present / absent, rtol=1e-9)
            if deceptive:
                alone = [
                    naive.faint_likelihood([cube[i, j, k]], [x[1][r]], deceptive)
                    for j, r in zip(voters, rates, strict=True)
                ]
                assert np.isclose(found.together[place, i], absent / np.prod(alone), rtol=1e-9)
            several += len(voters) > 1
    assert several


def test_the_same_visits_are_gone_through_once():
    for marks_vote, sizes in ((False, [1, 1, 1, 2, 4]), (True, [3, 6])):
        groups = grouped(Design(same_visits(), by_species=True, marks_vote=marks_vote))
        assert sorted(np.bincount(groups.visits)) == sizes
        assert (groups.visits[groups.recording] == np.arange(len(sizes))).all()


def rate_of(design, j, k):
    if not design.by_species:
        return j
    start = design.pairs.start
    return int(start[j] + np.flatnonzero(design.pairs.row(j) == k)[0])


def test_what_is_known_counts():
    annotations = portals.wild(2, recordings=30, species=9)
    where, present = (np.array([0, 1, 2]), np.array([3, 3, 0])), np.array([True, False, True])
    cells = KnownCells.of(*where, present, rows=annotations.n_recordings)
    plain, told = (Design(annotations, by_species=True, known=known) for known in (None, cells))
    rng = np.random.default_rng(1)
    rates = VoteRates(rng.uniform(0.3, 0.9, plain.n_rates), rng.uniform(0.01, 0.2, plain.n_rates))
    (before, _), (after, _) = (
        recording_ratios(design.layout, design.derived(grouped), SPECIES, evidence(rates))
        for design in (plain, told)
    )
    assert after[0, 1] == 0
    assert after[0, 0] > 1e100 * before[0, 0]
    assert after[1, 2] > 1e100 * before[1, 2]
    others = np.ones(before.shape, bool)
    others[[0, 0, 1], [0, 1, 2]] = False
    assert np.allclose(after[others], before[others])
