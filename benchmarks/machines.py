"""People and a machine that listen, apart and together in one fit; see docs/models/machines.md.

python benchmarks/machines.py [DATA SETS] [RECORDINGS] [CUT]

The simulated portal has a classifier that is good for common species and poor for rare ones. Compared are

- people alone;
- the machine alone at the best single threshold: which one is best is told by the truth; what a report and a
  silence are worth then, by the majority vote of people;
- the machine alone, recalibrated by logistic regression on the majority vote of people, with an intercept of
  each species that shrinks to the common one;
- both in one fit, without scores, and with them.

With a cut, reports with a lower score are silences, as where a real machine has a threshold. Then both are
fitted once more without telling the threshold.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import dawnchorus as dc
from dawnchorus.annotations.votes import logits_of
from dawnchorus.results.findings import machines as found_by

MACHINE = "BirdNET"
SIZES = {"annotators": 40, "species": 60, "visits": 1.5, "machine": MACHINE}
SHRINKS = 1.0
"""The penalty of the square of species' own intercepts."""


def scores_of(annotations: dc.Annotations) -> np.ndarray:
    """Return the logits of the machine's scores, recordings × species; NaN where it is silent."""
    scores = annotations.scores_by([MACHINE])
    table = np.full((annotations.n_recordings, annotations.n_species), np.nan)
    table[scores.recording, scores.species] = scores.score
    return table


def cut_off(annotations: dc.Annotations, cut: float) -> dc.Annotations:
    """Return annotations in which reports with a lower score are silences, and the machine's threshold."""
    a, table = annotations, annotations.to_frame("scope")
    table.loc[table["score"] < cut, ["species", "present", "score"]] = ["", pd.NA, np.nan]
    annotators = a.annotators.assign(score_threshold=np.where(a.annotators.index == MACHINE, cut, np.nan))
    tables = {"recordings": a.recordings, "annotators": annotators, "species": a.species}
    return dc.Annotations.from_frame(table, "scope", scope=a.species_lists(), **tables)


def majority(people: dc.Annotations) -> tuple[np.ndarray, np.ndarray]:
    """Return where people have voted, and where most of them reported."""
    votes, reports = (np.asarray(of.todense()) for of in (people.vote_counts(), people.report_counts()))
    return votes > 0, 2 * reports > votes


def at_best_threshold(people: dc.Annotations, score: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the share of majority votes above and below the threshold with the best log score."""
    (voted, yes), best, chosen = majority(people), np.inf, score
    for threshold in np.quantile(score[~np.isnan(score)], np.linspace(0, 0.98, 99)):
        above = score >= threshold
        p = np.where(above, yes[above & voted].mean(), yes[~above & voted].mean()).clip(1e-6, 1 - 1e-6)
        log = -np.where(truth, np.log(p), np.log1p(-p)).mean()
        if log < best:
            best, chosen = log, p
    return chosen


def recalibrated(people: dc.Annotations, score: np.ndarray) -> np.ndarray:
    """Return probabilities by logistic regression on the majority vote of people."""
    voted, yes = majority(people)
    heard = ~np.isnan(score)
    p = np.empty(score.shape)
    silent = voted & ~heard  # a species of which nothing is known is as usual
    usual = yes[silent].mean()
    p[:] = ((yes & silent).sum(axis=0) + 20 * usual) / (silent.sum(axis=0) + 20)
    _, k = np.nonzero(heard & voted)
    x, y, n = score[heard & voted], yes[heard & voted].astype(float), score.shape[1]
    design = np.zeros((len(x), n + 2))
    design[:, 0], design[:, 1], design[np.arange(len(x)), k + 2] = 1, x, 1
    penalty, beta = np.append([0, 0], np.full(n, SHRINKS)), np.zeros(n + 2)
    for _ in range(25):
        chance = expit(design @ beta)
        slope = design.T @ (y - chance) - penalty * beta
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty + 1e-9)
        beta += np.linalg.solve(curvature, slope)
    species = np.nonzero(heard)[1]
    p[heard] = expit(beta[0] + beta[1] * score[heard] + beta[2 + species])
    return p


def as_table(annotations: dc.Annotations, p: np.ndarray) -> pd.DataFrame:
    """Return probabilities as a table of presence."""
    recording, species = np.indices(p.shape).reshape(2, -1)
    return pd.DataFrame(
        {
            "recording": annotations.recordings.index[recording],
            "species": annotations.species.index[species],
            "probability": p.ravel(),
        }
    )


def covered(posterior: dc.Posterior, truth: dc.Truth, precision: float = 0.9) -> tuple[int, int, int]:
    """Return how many true thresholds lie inside their intervals, how many finite ones, and all of these."""
    assert truth.machines is not None
    table, true = posterior.score_thresholds(precision), truth.machines.set_index("species")
    occurrence = truth.species.set_index("species")["occurrence"]
    inside, finite, both = 0, 0, 0
    for row in table.itertuples():
        is_, p = true.loc[row.species], occurrence[row.species]
        one = found_by.Scored(
            MACHINE,
            0,
            np.array([logit(p) + np.log(is_.tpr / is_.fpr)]),
            np.array([is_.tpr]),
            np.array([[is_.score_mean_present], [is_.score_mean_absent]]),
            np.array([[is_.score_sd_present], [is_.score_sd_absent]]),
            0,
        )
        threshold = found_by.thresholds(posterior, one, precision)[0]
        low, high = (
            np.inf if np.isnan(bound) else logits_of(np.array(bound), "probability")
            for bound in (row.score_lower, row.score_upper)
        )
        hit = low - 1e-6 <= threshold <= high + 1e-6
        inside += hit
        finite += np.isfinite(threshold)
        both += hit and np.isfinite(threshold)
    return inside, both, finite


def main(sets: float = 5, recordings: float = 1000, cut: float = 0.0) -> None:
    """Print AUC, log score and calibration error of each, and how many thresholds are covered."""
    warnings.simplefilter("ignore")
    rows, hits = [], []
    for seed in range(int(sets)):
        simulation = dc.simulate_portal(int(recordings), **SIZES, seed=seed)
        a, truth = simulation.annotations, simulation.truth
        a = cut_off(a, cut) if cut else a
        people, score = a.drop(annotators=MACHINE), scores_of(a)
        present = np.zeros(score.shape, bool)
        present[truth.presence.row_of_item(), truth.presence.item] = True
        fits = {
            "people alone": dc.fit(people, min_ess=None, seed=1),
            "both, scores ignored": dc.fit(a, scores="ignore", min_ess=None, seed=1),
            "both together": dc.fit(a, min_ess=None, seed=1),
        }
        if cut:
            untold = dc.fit(replace(a, annotators=a.annotators[[]]), min_ess=None, seed=1)
            fits["both, threshold not told"] = untold
        ways = {
            "machine at the best threshold": as_table(a, at_best_threshold(people, score, present)),
            "machine recalibrated": as_table(a, recalibrated(people, score)),
            **fits,
        }
        for way, result in ways.items():
            e = dc.evaluate(result, truth)
            rows.append((seed, way, e.auc, 100 * e.log_score, 100 * e.calibration_error))
            print(
                f"data set {seed}, {way}: AUC {e.auc:.4f}, log score × 100 {100 * e.log_score:.2f}",
                flush=True,
            )
        for way in list(fits)[2:]:
            hits.append((way, *covered(fits[way], truth)))
            print(f"data set {seed}, {way}: {hits[-1][1:]} of {a.n_species} thresholds covered", flush=True)
    table = pd.DataFrame(rows, columns=["seed", "way", "auc", "log score x 100", "calibration error x 100"])
    print(table.groupby("way", sort=False).mean().drop(columns="seed").round(4).to_string())
    n = int(sets) * SIZES["species"]
    counts = pd.DataFrame(hits, columns=["way", "inside", "both", "finite"]).groupby("way", sort=False).sum()
    for row in counts.itertuples():
        print(
            f"{row.Index}: 90 % intervals cover {row.inside} of {n} thresholds ({row.inside / n:.1%}), "
            f"{row.both} of {row.finite} finite ones"
        )


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
