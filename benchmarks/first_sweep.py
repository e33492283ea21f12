"""Read Kerttu, or its simulated twin, and sweep once: what stands between a command and its first sweep."""

from __future__ import annotations

import sys

import numpy as np

from tables import annotations_and_gold, models

if __name__ == "__main__":
    annotations, _, _ = annotations_and_gold()
    model, rng = models(annotations.n_species)[sys.argv[1]], np.random.default_rng(1)
    design = model.design(annotations)
    model.sweep(rng, model.init(rng, design), design)
