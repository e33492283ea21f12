"""Measure how much guesses matter, with priors that are learned or not: AUC and coverage, ten times off.

    python benchmarks/wrong_guesses.py [KIND ...]

Kinds of priors are learned, default and given. Eight simulated data sets for each model, about eight minutes.
"""

from __future__ import annotations

import sys

import numpy as np

import dawnchorus as dc
from tables import head, row

RIGHT = {"species_per_recording": 0.5, "tpr": 0.8, "fpr": 0.005}
GUESSES: tuple[dict[str, float], ...] = (
    {},
    {"species_per_recording": 0.05},
    {"species_per_recording": 5},
    {"fpr": 0.0005},
    {"fpr": 0.05},
)
KINDS = {"learned": dc.Priors.learning, "default": dc.Priors.default, "given": dc.Priors.expecting}
DATA_SETS = 8
LEVEL = 0.95
SHORT = {"draws": 600, "warmup": 400, "min_ess": None, "chains": 2, "seed": 1}


def main(kinds: list[str]) -> None:
    for model, scenario in (("base", 1), ("base-hierarchical", 3)):
        for kind in kinds:
            head(f"{model}, {kind} priors, 95 % intervals", "guess", "AUC", "tpr covered", "fpr covered")
            found = np.array(
                [
                    [measured(model, KINDS[kind], scenario, seed, guess) for guess in GUESSES]
                    for seed in range(DATA_SETS)
                ]
            )
            for guess, (auc, tpr, fpr) in zip(GUESSES, found.mean(axis=0), strict=True):
                row(", ".join(f"{name} {value}" for name, value in guess.items()) or "right", auc, tpr, fpr)
            print(f"\nAUC differs by at most {np.ptp(found[:, :, 0], axis=1).max():.4f} in a data set")


def measured(
    model: str, make, scenario: int, seed: int, guess: dict[str, float]
) -> tuple[float, float, float]:
    """Give the AUC, and how many intervals hold the true rates: by annotator or, if they differ, by pair."""
    simulation = dc.simulate_paper(scenario, visits=2.4, seed=seed)
    posterior = dc.fit(simulation.annotations, model, priors=make(n_species=25, **(RIGHT | guess)), **SHORT)
    table, truth, by = posterior.annotators(level=LEVEL), simulation.truth.annotators, ["annotator"]
    if model != "base":
        table, truth = posterior.annotator_species(level=LEVEL), simulation.truth.annotator_species
        by = ["annotator", "species"]
    both = table.merge(truth, on=by, suffixes=("", "_true")).dropna(subset=["tpr_true", "fpr_true"])
    held = (
        both[f"{rate}_true"].between(both[f"{rate}_lower"], both[f"{rate}_upper"]) for rate in ("tpr", "fpr")
    )
    return dc.evaluate(posterior, simulation.truth).auc, *(float(one.mean()) for one in held)


if __name__ == "__main__":
    main(sys.argv[1:] or list(KINDS))
