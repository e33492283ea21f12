"""The jobs of the paper's simulation study, and of some further questions.

A job is one simulated data set, to which all methods are fitted; it is the same for all priors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logit

from ..annotations.annotations import Annotations
from ..evaluation.against_truth import evaluate
from ..evaluation.comparison import compare_to_truth
from ..model.distributions import Beta, Normal
from ..model.distributions.named_priors import PRIORS
from ..model.distributions.priors import Priors
from ..results.fitting import fit
from ..sampling.agreement import ess_and_rhat
from ..simulation import Simulation, simulate_paper
from ..simulation.paper import TYPES, AnnotatorType
from .grid import Job, Rows
from .published import METHODS

SCENARIOS = (1, 2, 3, 4)
VISITS = (0.8, 1.6, 2.4, 3.2, 4.0)
OCCURRENCES = (0.01, 0.02, 0.03)
TPR_SDS = {0.75: 0.53, 0.78: 0.55, 0.81: 0.58, 0.84: 0.63, 0.87: 0.72}
"""Prior means of the TPR, each with the prior standard deviation of its level on the logit scale."""
DEFAULT = (0.02, 0.81)
CHAINS = 2
BAD = (AnnotatorType("bad", 0.5, 0.30, 0.50), *(t._replace(share=t.share / 2) for t in TYPES))
UNLIKE: dict[str, dict[str, Any]] = {
    "as expected": {},
    "half of the annotators bad (TPR 0.3 to 0.5)": {"types": BAD},
    "FPR ten times higher (0.01 to 0.1)": {"fpr_range": (0.01, 0.1)},
}
"""Options of the simulator: annotators as the priors expect them, and annotators unlike the priors."""


class Setting(NamedTuple):
    """The scenario, visits and number of a simulated data set, and the length of the chains of each fit."""

    scenario: int
    visits: float
    dataset: int
    seed: int
    warmup: int = 300
    draws: int = 500

    @property
    def name(self) -> str:
        """The name of the result file."""
        return f"scenario-{self.scenario}-visits-{self.visits}-data-{self.dataset:02d}"

    def simulate(self, **options: Any) -> Simulation:
        """Return the simulated data, which do not depend on the other settings of the study."""
        key = (self.scenario, round(10 * self.visits), self.dataset)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        return simulate_paper(self.scenario, visits=self.visits, seed=rng, **options)


def settings(
    datasets: int, seed: int, scenarios: Any = SCENARIOS, visits: Any = VISITS, **lengths: int
) -> Iterator[Setting]:
    """Yield all settings, data set by data set, so that an interrupted study has results of every setting."""
    for dataset, scenario, v in product(range(datasets), scenarios, visits):
        yield Setting(scenario, v, dataset, seed, **lengths)


def study_priors(occurrence: float, tpr: float) -> Priors:
    """Return the paper's priors with these prior means.

    >>> study_priors(*DEFAULT).tpr
    Beta(a=16.2, b=3.8)
    """
    return replace(
        PRIORS["paper-simulation"],
        occurrence=Beta.around(occurrence, 100),
        tpr=Beta.around(tpr, 20),
        tpr_level=Normal(float(logit(tpr)), TPR_SDS[tpr]),
    )


def default_jobs(datasets: int, seed: int, **among: Any) -> list[Job]:
    """Return the jobs of the study with the default priors."""
    return _jobs("default", run_default, settings(datasets, seed, **among))


def prior_jobs(datasets: int, seed: int, **among: Any) -> list[Job]:
    """Return the jobs of the study of other priors."""
    return _jobs("priors", run_priors, settings(datasets, seed, **among))


def unlike_jobs(datasets: int, seed: int, **among: Any) -> list[Job]:
    """Return the jobs of the study of annotators unlike the prior."""
    return _jobs("unlike", run_unlike, settings(datasets, seed, (1, 3), (0.8, 2.4, 4.0), **among))


def variant_jobs(datasets: int, seed: int, **among: Any) -> list[Job]:
    """Return the jobs of the study of other interpretations of the paper's description of its data."""
    return _jobs("variants", run_variants, settings(datasets, seed, (1, 3), (0.8, 2.4), **among))


JOBS = {"default": default_jobs, "priors": prior_jobs, "unlike": unlike_jobs, "variants": variant_jobs}


def _jobs(part: str, work: Callable[..., Rows], chosen: Iterator[Setting]) -> list[Job]:
    return [Job(f"{part}-{setting.name}", work, {"setting": setting}) for setting in chosen]


def run_default(setting: Setting) -> Rows:
    """Fit all methods to a data set."""
    simulation = setting.simulate()
    return [scored(setting, simulation, method) for method in METHODS]


def run_priors(setting: Setting) -> Rows:
    """Fit all models with all priors to a data set."""
    simulation = setting.simulate()
    grid = product(OCCURRENCES, TPR_SDS, METHODS[1:])
    return [scored(setting, simulation, method, occurrence, tpr) for occurrence, tpr, method in grid]


def run_unlike(setting: Setting) -> Rows:
    """Fit all methods to data of annotators unlike the prior."""
    rows = []
    for who, options in UNLIKE.items():
        simulation = setting.simulate(**options)
        rows += [{"annotators": who, **scored(setting, simulation, method)} for method in METHODS]
    return rows


def run_variants(setting: Setting) -> Rows:
    """Fit some methods to data simulated by other interpretations of the paper."""
    rows = []
    for name, changed in VARIANTS.items():
        simulation = changed(setting)
        rows += [{"variant": name, **scored(setting, simulation, method)} for method in METHODS[:3]]
    return rows


def scored(
    setting: Setting,
    simulation: Simulation,
    method: str,
    occurrence: float = DEFAULT[0],
    tpr: float = DEFAULT[1],
) -> dict[str, Any]:
    """Fit one method to a data set, and return its scores against the truth."""
    row = {
        "scenario": setting.scenario,
        "visits": setting.visits,
        "dataset": setting.dataset,
        "method": method,
        "occurrence": occurrence,
        "tpr": tpr,
    }
    started = time.perf_counter()
    if method == METHODS[0]:
        result = fit(simulation.annotations, model=method)
        scores = evaluate(result, simulation.truth)
        row |= {"auc": scores.auc, "brier": scores.brier}
    else:
        priors = study_priors(occurrence, tpr)
        seed = int(np.random.SeedSequence(setting.seed, spawn_key=(setting.dataset,)).generate_state(1)[0])
        posterior = fit(
            simulation.annotations,
            method,
            priors=priors,
            seed=seed,
            threads=1,
            chains=CHAINS,
            warmup=setting.warmup,
            draws=setting.draws,
            min_ess=None,
        )
        comparison = compare_to_truth(posterior, simulation.truth, level=0.95)
        scores = comparison.presence
        row |= comparison.as_dict()
        looked = [ess_and_rhat(posterior.draws[rate], threads=1) for rate in ("tpr", "fpr")]
        row["min_ess"] = float(min(ess.min() for ess, _ in looked))
        row["max_rhat"] = float(max(rhat.max() for _, rhat in looked))
    bins = scores.calibration
    total = (bins["cells"] * bins["probability"].fillna(0)).tolist()
    hits = (bins["cells"] * bins["observed"].fillna(0)).tolist()
    calibration = {"cells": bins["cells"].tolist(), "expected": total, "present": hits}
    return row | {"seconds": time.perf_counter() - started, "calibration": calibration}


# Other interpretations of the paper's description


def as_described(setting: Setting) -> Simulation:
    """Simulate visits that answer for all species."""
    return setting.simulate()


def cell_by_cell(setting: Setting) -> Simulation:
    """Simulate votes that are missing one by one, instead of by visit, at the same rate."""
    return _revoted(setting, lambda rng, cube: rng.random(cube.shape) < setting.visits / cube.shape[1])


def few_absences(setting: Setting) -> Simulation:
    """Simulate visits that state all reports, but only one in ten absences."""

    def kept(rng: np.random.Generator, cube: Any) -> Any:
        visited = rng.random(cube.shape[:2])[..., None] < setting.visits / cube.shape[1]
        return visited & ((cube == 1) | (rng.random(cube.shape) < 0.1))

    return _revoted(setting, kept)


def short_lists(setting: Setting) -> Simulation:
    """Simulate annotators who answer for a random half of the species, and visit twice as often."""

    def kept(rng: np.random.Generator, cube: Any) -> Any:
        visited = rng.random(cube.shape[:2])[..., None] < min(2 * setting.visits / cube.shape[1], 1)
        known = rng.random(cube.shape[1:]).argsort(axis=1) < cube.shape[2] // 2
        return visited & known

    return _revoted(setting, kept)


def rarer_species(setting: Setting) -> Simulation:
    """Simulate species that are half as common as the prior expects."""
    return setting.simulate(occurrence=(1.0, 99.0))


def common_species(setting: Setting) -> Simulation:
    """Simulate species that are five times as common as the prior expects."""
    return setting.simulate(occurrence=(10.0, 90.0))


def higher_fpr(setting: Setting) -> Simulation:
    """Simulate false positive rates of up to 0.1, not 0.01; the priors still expect 0.005."""
    return setting.simulate(fpr_range=(0.001, 0.1))


VARIANTS = {
    "as described": as_described,
    "cells missing one by one": cell_by_cell,
    "nine of ten absences missing": few_absences,
    "annotators answer for half of the species": short_lists,
    "species half as common": rarer_species,
    "species five times as common": common_species,
    "FPRs from 0.001 to 0.1, not 0.01": higher_fpr,
}


def _revoted(setting: Setting, kept: Any) -> Simulation:
    """Simulate votes of all annotators on all recordings, and keep some of them."""
    everything = setting._replace(visits=20.0).simulate()
    cube = everything.annotations.to_cube()
    rng = np.random.default_rng([setting.seed, setting.dataset, round(10 * setting.visits)])
    i, j, k = np.nonzero(kept(rng, cube))
    a = everything.annotations
    frame = pd.DataFrame(
        {
            "recording": a.recordings.index[i],
            "annotator": a.annotators.index[j],
            "species": a.species.index[k],
            "present": cube[i, j, k],
        }
    )
    annotations = Annotations.from_frame(
        frame,
        absence="explicit",
        recordings=pd.DataFrame({"recording": a.recordings.index}),
        species=pd.DataFrame({"species": a.species.index}),
    )
    return Simulation(annotations, everything.truth)
