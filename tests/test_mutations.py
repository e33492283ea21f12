"""Deliberate faults: each is caught by a check that is green without it."""

from __future__ import annotations

import calibration
import checks
import exact
import joint
import numpy as np
import pytest
from checks import FALSE_ALARM

from dawnchorus import presence
from dawnchorus.expertise import Counts, logits, per_annotator, per_annotator_species
from dawnchorus.expertise.per_annotator import PerAnnotator
from dawnchorus.occurrence import dirichlet_process
from dawnchorus.priors import Beta

BY_ANNOTATOR = "independent, per annotator"
BY_SPECIES = "independent, per annotator and species"
PROCESS = "dirichlet process, per annotator"


def swap_the_counts(monkeypatch):
    for module in (per_annotator, per_annotator_species):
        right = module.count

        def swapped(*given, right=right):
            hits, present, false, absent = right(*given)
            return Counts(false, absent, hits, present)

        monkeypatch.setattr(module, "count", swapped)


def forget_the_prior_of_rates(monkeypatch):
    right = PerAnnotator.update
    flat = PerAnnotator(Beta(1, 1), Beta(1, 1))
    monkeypatch.setattr(PerAnnotator, "update", lambda self, *given: right(flat, *given))


def forget_the_prior_of_levels(monkeypatch):
    right = logits.draw_levels
    monkeypatch.setattr(logits, "draw_levels", lambda *given: right(*given[:-1], 1e3))


def forget_the_prior_of_the_spread(monkeypatch):
    right = logits.draw_spread
    monkeypatch.setattr(logits, "draw_spread", lambda *given: right(*given[:-1], 1e3))


def count_all_species_in_levels(monkeypatch):
    """Divide sums over an annotator's list by the number of all species, as the paper's code does."""

    def miscounted(rng, x, n, owner, level, spread, mean, sd, n_species=4):
        total = np.bincount(owner[n > 0], x[n > 0], minlength=len(level))
        precision = 1 / sd**2 + n_species / spread**2
        centre = (mean / sd**2 + total / spread**2) / precision
        level[:] = rng.normal(centre, precision**-0.5)

    monkeypatch.setattr(logits, "draw_levels", miscounted)


def ignore_the_number_of_components(monkeypatch):
    right = dirichlet_process.draw_concentration
    monkeypatch.setattr(
        dirichlet_process,
        "draw_concentration",
        lambda rng, now, components, n, prior: right(rng, now, 1, n, prior),
    )


def halve_the_bound(monkeypatch):
    right = presence.candidates

    def half(*given):
        bound = right(*given)
        return bound._replace(cumulative=bound.cumulative / 2, most=bound.most / 2)

    monkeypatch.setattr(presence, "candidates", half)


def joint_check(name, replications=150, sweeps=5):
    def check(monkeypatch):
        return joint.smallest_p(
            joint.MODELS[name], joint.small_annotations(), replications=replications, sweeps=sweeps, seed=3
        )

    return check


def calibration_check(name):
    def check(monkeypatch):
        return calibration.smallest_p(joint.MODELS[name], calibration.SMALL, replications=40, seed=3)

    return check


def exact_check(name):
    def check(monkeypatch):
        z, _ = exact.worst_z(joint.MODELS[name], sweeps=1200, seed=3)
        return 2 * FALSE_ALARM if z < 4.5 else 0.0

    return check


def presence_check(name):
    def check(monkeypatch):
        return checks.presence_p(*checks.presence_case(monkeypatch, **checks.CASES[name]), draws=2500, seed=1)

    return check


FAULTS = [
    (swap_the_counts, joint_check(BY_ANNOTATOR)),
    (swap_the_counts, joint_check(BY_SPECIES)),
    (swap_the_counts, calibration_check(BY_ANNOTATOR)),
    (swap_the_counts, exact_check(BY_ANNOTATOR)),
    (forget_the_prior_of_rates, joint_check(BY_ANNOTATOR)),
    (forget_the_prior_of_rates, exact_check(BY_ANNOTATOR)),
    (forget_the_prior_of_levels, lambda _: checks.levels_p()),
    (forget_the_prior_of_levels, joint_check(BY_SPECIES)),
    (forget_the_prior_of_the_spread, joint_check(BY_SPECIES)),
    (count_all_species_in_levels, lambda _: checks.levels_p()),
    (count_all_species_in_levels, joint_check(BY_SPECIES)),
    (ignore_the_number_of_components, lambda _: checks.concentration_p(3, 10)),
    (ignore_the_number_of_components, joint_check(PROCESS)),
    (halve_the_bound, presence_check("ordinary")),
    (halve_the_bound, presence_check("silence raises the odds, by species")),
]


@pytest.mark.parametrize(("fault", "check"), FAULTS)
def test_a_deliberate_fault_is_caught(fault, check, monkeypatch):
    assert check(monkeypatch) > FALSE_ALARM
    fault(monkeypatch)
    assert check(monkeypatch) < FALSE_ALARM
