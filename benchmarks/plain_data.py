"""What given, default and learned priors make of plain data: everybody agrees, rare species, a spammer.

    python benchmarks/plain_data.py

The table of docs/priors.md; about two minutes.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

import dawnchorus as dc
from tables import head, row

PRIORS = "given", "default", "learned"
MODEL = "base-hierarchical"
COLUMNS = ["recording", "annotator", "species"]
SHORT = {"warmup": 300, "draws": 300, "min_ess": None, "chains": 2}
LEVEL = 0.9


def everybody_agrees(priors: str, seed: int) -> float:
    """Return the least probability if three people report all eight species in all 30 recordings."""
    rows = [(f"r{i}", f"a{j}", f"s{k}") for i in range(30) for j in range(3) for k in range(8)]
    annotations = dc.Annotations.from_frame(pd.DataFrame(rows, columns=COLUMNS), absence="checklist")
    return dc.fit(annotations, MODEL, priors=priors, seed=seed, **SHORT).presence()["probability"].min()


def reported_twice(priors: str, seed: int) -> float:
    """Return the mean probability of what two of three report, with 3 of 8 species in all recordings."""
    rng, rows = np.random.default_rng(seed), []
    present = rng.random((30, 8)) < np.array([1, 1, 1, 0.1, 0.1, 0.1, 0.1, 0.1])
    for i in range(30):
        for j in range(3):
            said = np.flatnonzero(rng.random(8) < np.where(present[i], 0.8, 0.01))
            rows += [(f"r{i}", f"a{j}", f"s{k}") for k in said] or [(f"r{i}", f"a{j}", "")]
    annotations = dc.Annotations.from_frame(pd.DataFrame(rows, columns=COLUMNS), absence="checklist")
    found = dc.fit(annotations, MODEL, priors=priors, seed=seed, **SHORT).presence()
    return found.loc[found["reports"] >= 2, "probability"].mean()


def rare_species(priors: str, seed: int) -> float:
    """Return how many intervals hold the true occurrence of species in less than 1 % of recordings."""
    simulation = dc.simulate_paper(species=60, occurrence=(0.3, 30.0), seed=seed)
    table = dc.fit(simulation.annotations, MODEL, priors=priors, seed=seed, **SHORT).species(level=LEVEL)
    both = table.merge(simulation.truth.species, on="species", suffixes=("", "_true"))
    both = both[both["occurrence_true"] < 0.01]
    return both["occurrence_true"].between(both["occurrence_lower"], both["occurrence_upper"]).mean()


def beside_a_spammer(priors: str, seed: int) -> float:
    """Return how many intervals hold false positive rates, if another reports a fifth of all at random."""
    sizes = {"recordings": 400, "annotators": 10, "species": 25, "visits": 3}
    simulation = dc.simulate_paper(3, **sizes, seed=seed)
    rng, rows, a = np.random.default_rng(seed), [], simulation.annotations
    for visit in range(a.n_visits):
        j, said = a.visit_annotator[visit], set(a.reports.row(visit).tolist())
        names = a.recordings.index[a.visit_recording[visit]], a.annotators.index[j]
        for k in range(a.n_species):
            there = rng.random() < 0.2 if j == 0 else k in said
            rows.append((*names, a.species.index[k], int(there)))
    annotations = dc.Annotations.from_frame(
        pd.DataFrame(rows, columns=[*COLUMNS, "present"]), absence="explicit"
    )
    table = dc.fit(annotations, MODEL, priors=priors, seed=seed, **SHORT).annotator_species(level=LEVEL)
    by = ["annotator", "species"]
    both = table.merge(simulation.truth.annotator_species, on=by, suffixes=("", "_true"))
    both = both[both["annotator"] != a.annotators.index[0]]
    return both["fpr_true"].between(both["fpr_lower"], both["fpr_upper"]).mean()


QUESTIONS = {
    "three agree on everything: least probability (0.99)": (everybody_agrees, 3),
    "two of three report it, 3 of 8 species are everywhere: mean probability (0.99)": (reported_twice, 3),
    "90 % intervals that hold the occurrence of rare species (0.85)": (rare_species, 3),
    "90 % intervals that hold false positive rates beside a spammer (0.85)": (beside_a_spammer, 4),
}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    head(f"What priors make of plain data, {MODEL}", "", *PRIORS)
    for words, (ask, data_sets) in QUESTIONS.items():
        row(words, *(np.mean([ask(priors, seed) for seed in range(data_sets)]) for priors in PRIORS))
