"""Unsure marks as votes, on simulated data with and without them: the table of docs/models/unsure.md.

    python benchmarks/unsure_marks.py

Scenario 3 of the paper, with steps of 0 (no marks), 0.3, 0.65 and 1.2, 24 data sets each: how often 90 %
intervals of the step cover it, and how well presence is told with marks as votes and with marks as missing.
"""

from __future__ import annotations

import numpy as np

import dawnchorus as dc

STEPS = (0.0, 0.3, 0.65, 1.2)
DATA_SETS = 24
SIZES = {"recordings": 400, "annotators": 10, "species": 20, "visits": 2.0}
SHORT = {"draws": 250, "warmup": 250, "chains": 2, "min_ess": None, "seed": 1}


def measure(step: float, seed: int) -> list[float]:
    """Return the mean of the step, whether its interval covers it, marks, and scores of both meanings."""
    simulation = dc.simulate_paper(3, **SIZES, unsure_step=step, seed=seed)
    truth, found = simulation.truth.to_frame(), []
    for unsure in ("ordered", "missing"):
        posterior = dc.fit(simulation.annotations, unsure=unsure, **SHORT)
        scores = dc.evaluate(posterior, truth)
        found += [scores.auc, 1000 * scores.log_score]
        if unsure == "ordered":
            draws = posterior.draws["unsure_step"]
            low, high = np.quantile(draws, [0.05, 0.95])
            step_found = [draws.mean(), float(low <= step <= high)]
    return [len(simulation.annotations.unsure.item), *step_found, *found]


if __name__ == "__main__":
    head = (
        "step",
        "marks",
        "found",
        "covered",
        "AUC as votes",
        "as missing",
        "log score as votes",
        "as missing",
    )
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for at, step in enumerate(STEPS):
        values = np.array([measure(step, DATA_SETS * at + seed) for seed in range(DATA_SETS)])
        marks, mean, covered, *scores = values.mean(axis=0)
        gained = values[:, 4] - values[:, 6]
        error = gained.std(ddof=1) / np.sqrt(len(values))
        auc, log, auc_missing, log_missing = scores
        print(
            f"| {step:g} | {marks:.0f} | {mean:.3f} | {round(covered * len(values))} of {len(values)} "
            f"| {auc:.4f} | {auc_missing:.4f} | {log:.2f} | {log_missing:.2f} "
            f"(difference {gained.mean():.2f} ± {error:.2f}) |",
            flush=True,
        )
