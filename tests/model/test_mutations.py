"""Deliberate faults: each is caught by a check that is green without it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import stats

import calibration
import checks
import exact
import joint
from checks import FALSE_ALARM
from dawnchorus.model.expertise import Counts, logits, per_annotator, per_annotator_species, reflected
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.occurrence import dirichlet_process
from dawnchorus.model.presence import draw as presence
from dawnchorus.model.priors import Beta

BY_ANNOTATOR = "independent, per annotator"
BY_SPECIES = "independent, per annotator and species"
PROCESS = "dirichlet process, per annotator"


def interpret(monkeypatch, module, *names):
    """Run kernels uncompiled, so that faults in their parts take effect."""
    for name in names:
        kernel = getattr(module, name)
        if hasattr(kernel, "py_func"):
            monkeypatch.setattr(module, name, kernel.py_func)


def swap_the_counts(monkeypatch):
    interpret(monkeypatch, per_annotator, "_draw_rates")
    interpret(monkeypatch, per_annotator_species, "_draw_sides")
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
    widen_the_prior(monkeypatch, "draw_levels", "shift_levels")


def forget_the_prior_of_the_spread(monkeypatch):
    widen_the_prior(monkeypatch, "draw_spread", "stretch_spread")


def widen_the_prior(monkeypatch, *names):
    interpret_sides(monkeypatch)
    for name in names:
        right = getattr(logits, name)
        monkeypatch.setattr(logits, name, lambda *given, right=right: right(*given[:-1], 1e3))


def count_all_species_in_levels(monkeypatch):
    """Divide sums over an annotator's list by the number of all species, as the paper's code does."""

    def miscounted(rng, x, trials, level, spread, mean, sd, n_species=6):
        n, owner = trials.trials, trials.owner
        total = np.bincount(owner[n > 0], x[n > 0], minlength=len(level))
        precision = 1 / sd**2 + n_species / spread**2
        centre = (mean / sd**2 + total / spread**2) / precision
        level[:] = rng.normal(centre, precision**-0.5)

    interpret_sides(monkeypatch)
    monkeypatch.setattr(logits, "draw_levels", miscounted)


def interpret_sides(monkeypatch):
    interpret(monkeypatch, per_annotator_species, "_draw_sides")
    interpret(monkeypatch, logits, "update", "next_spread")


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
        return bound._replace(max_odds=bound.max_odds / 2, length=bound.length / 2)

    interpret(monkeypatch, presence, "draw")
    monkeypatch.setattr(presence, "candidates", half)


def forget_silences_when_reflecting(monkeypatch):
    right = reflected.reflect_logits

    def deaf(rng, side, w, by_rate, silent, *rest):
        return right(rng, side, w, by_rate, 0 * silent, *rest)

    monkeypatch.setattr(reflected, "reflect_logits", deaf)


def joint_p(name, annotations=joint.small_annotations):
    return joint.smallest_p(joint.MODELS[name], annotations(), replications=150, sweeps=6, seed=3)


def short_lists_p(name):
    return joint_p(name, joint.short_lists)


def calibration_p(name):
    return calibration.smallest_p(joint.MODELS[name], calibration.SMALL, replications=40, seed=3)


def exact_p(name):
    z, _ = exact.worst_z(joint.MODELS[name], sweeps=1000, seed=3)
    return 2 * stats.norm.sf(z) * 30  # about as many means are looked at


def presence_p(name):
    with pytest.MonkeyPatch.context() as patch:
        return checks.presence_p(*checks.presence_case(patch, **checks.CASES[name]), draws=2500, seed=1)


def levels_p(_):
    return checks.levels_p()


def reflected_p(name):
    return checks.reflected_p(name)


def concentration_p(_):
    return checks.concentration_p(3, 10)


@cache
def without_fault(check, name):
    return check(name)


FAULTS = [
    (swap_the_counts, joint_p, BY_ANNOTATOR),
    (swap_the_counts, joint_p, BY_SPECIES),
    (swap_the_counts, calibration_p, BY_ANNOTATOR),
    (swap_the_counts, exact_p, BY_ANNOTATOR),
    (forget_the_prior_of_rates, joint_p, BY_ANNOTATOR),
    (forget_the_prior_of_rates, exact_p, BY_ANNOTATOR),
    (forget_the_prior_of_levels, levels_p, ""),
    (forget_the_prior_of_levels, joint_p, BY_SPECIES),
    (forget_the_prior_of_the_spread, joint_p, BY_SPECIES),
    (count_all_species_in_levels, levels_p, ""),
    (count_all_species_in_levels, short_lists_p, BY_SPECIES),
    (ignore_the_number_of_components, concentration_p, ""),
    (ignore_the_number_of_components, joint_p, PROCESS),
    (forget_silences_when_reflecting, reflected_p, "tpr"),
    (forget_silences_when_reflecting, reflected_p, "fpr"),
    (halve_the_bound, presence_p, "ordinary"),
    (halve_the_bound, presence_p, "silence raises the odds, by species"),
]


@pytest.mark.parametrize(("fault", "check", "name"), FAULTS)
def test_a_deliberate_fault_is_caught(fault, check, name, monkeypatch):
    assert without_fault(check, name) > FALSE_ALARM
    fault(monkeypatch)
    assert check(name) < FALSE_ALARM
