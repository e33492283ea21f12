"""Why true thresholds of a machine with a cut-off are missed; see docs/models/machines.md.

python benchmarks/thresholds.py [DATA SETS] [CUT]

The data of benchmarks/machines.py, with all reports below the cut made silences. A threshold depends on the
odds that a report is right before its score is known (occurrence, and how often the machine passes the cut
where a species is present and absent) and on the curves of scores. So thresholds are computed from the draws,
from the draws with the true odds, and from the draws with the true curves; and once more

- with learned priors, where each annotator's rates may differ between species by an own spread;
- from data whose machine passes its cut as people report: as unlike between species, whatever their rank.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from scipy.special import expit, log_ndtr, logit, ndtr

import dawnchorus as dc
from dawnchorus.results.findings.machines import Scored, quantiles_reached, scored_species, thresholds
from dawnchorus.simulation import machines as simulated
from machines import MACHINE, SIZES, cut_off

PRECISION = 0.9
LIKE_PEOPLE = {"tpr": (-0.8, 0.97), "fpr": (-5.4, 0.5)}
"""Mean and spread of logits: the mean as the machine has it after a cut at 0.5, the spread as people."""
drawn_as_usual = simulated._drawn


def truly(one: Scored, species: pd.Series, occurrence: float) -> Scored:
    """Return what is true of a species, with the odds of a report that passes the cut."""
    mean = np.array([[species.score_mean_present], [species.score_mean_absent]])
    sd = np.array([[species.score_sd_present], [species.score_sd_absent]])
    passes = log_ndtr((mean - one.cut) / sd)
    odds = logit(occurrence) + np.log(species.tpr / species.fpr) + passes[0] - passes[1]
    return one._replace(log_odds=odds, tpr=species.tpr * np.exp(passes[0]), mean=mean, sd=sd)


def covered(posterior: dc.Posterior, truth: dc.Truth) -> Iterator[tuple[bool, bool, bool]]:
    """Yield for each species whether its true threshold is covered: as drawn, with true odds, true curves."""
    assert truth.machines is not None
    table = truth.machines.set_index("species")
    occurrence = truth.species.set_index("species")["occurrence"]
    for one in scored_species(posterior):
        name = posterior.annotations.species.index[one.species]
        true, n = truly(one, table.loc[name], occurrence[name]), len(one.log_odds)
        at = thresholds(posterior, true, PRECISION)[0]
        ways = (
            one,
            one._replace(log_odds=np.repeat(true.log_odds, n)),
            one._replace(mean=np.repeat(true.mean, n, 1), sd=np.repeat(true.sd, n, 1)),
        )
        inside = []
        for way in ways:
            low, high = quantiles_reached(thresholds(posterior, way, PRECISION), [0.05, 0.95])
            inside.append(bool(low - 1e-6 <= at <= high + 1e-6))
        yield inside[0], inside[1], inside[2]


def like_people(cut: float) -> Any:
    """Return a function that draws a machine which passes a cut as people report."""

    def drawn(rng: np.random.Generator, name: str, species: pd.Index) -> pd.DataFrame:
        table = drawn_as_usual(rng, name, species)
        for rate, side in (("tpr", "present"), ("fpr", "absent")):
            mean, sd = LIKE_PEOPLE[rate]
            passed = ndtr((table[f"score_mean_{side}"] - logit(cut)) / table[f"score_sd_{side}"])
            table[rate] = (expit(rng.normal(mean, sd, len(table))) / passed).clip(upper=0.995)
        return table

    return drawn


def main(sets: float = 5, cut: float = 0.5) -> None:
    """Print how many thresholds are covered in each way."""
    warnings.simplefilter("ignore")
    rows = []
    for seed in range(int(sets)):
        for data, drawn in (("as in machines.py", drawn_as_usual), ("passes as people", like_people(cut))):
            with mock.patch.object(simulated, "_drawn", drawn):
                simulation = dc.simulate_portal(1000, **SIZES, seed=seed)
            a = cut_off(simulation.annotations, cut)
            assert MACHINE in a.annotators.index
            for priors in ("default", "learned"):
                posterior = dc.fit(a, priors=priors, min_ess=None, seed=1)
                for each in covered(posterior, simulation.truth):
                    rows.append((data, priors, *each))
                print(f"data set {seed}, {data}, {priors} priors: done", flush=True)
    table = pd.DataFrame(rows, columns=["machine", "priors", "as drawn", "true odds", "true curves"])
    found = table.groupby(["machine", "priors"], sort=False).sum()
    print(found.assign(species=table.groupby(["machine", "priors"]).size()).to_string())


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
