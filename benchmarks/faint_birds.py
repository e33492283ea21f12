"""What `faint=True` gains where birds are faint, and costs where they are not; see docs/models/faint.md.

python benchmarks/faint_birds.py
"""

from __future__ import annotations

import warnings

import numpy as np

import dawnchorus as dc

SIZES = {"recordings": 500, "annotators": 20, "species": 15, "visits": 2.5, "unsure": 0}


def main() -> None:
    """Print AUC, log score and the interval of faintness, by data set and model."""
    warnings.simplefilter("ignore")
    for faintness in (0.0, 2.0):
        for seed in range(4):
            simulation = dc.simulate_portal(**SIZES, faintness=faintness, seed=seed)
            for faint in (False, True):
                posterior = dc.fit(simulation.annotations, faint=faint, seconds=20, seed=1)
                found = dc.evaluate(posterior, simulation.truth)
                words = f"AUC {found.auc:.4f}, log score × 100 {100 * found.log_score:.2f}"
                if faint:
                    low, high = np.quantile(posterior.draws.flat("faintness"), [0.05, 0.95])
                    words += f", faintness {low:.2f} to {high:.2f}"
                print(f"faintness {faintness}, data set {seed}, faint={faint}: {words}", flush=True)


if __name__ == "__main__":
    main()
