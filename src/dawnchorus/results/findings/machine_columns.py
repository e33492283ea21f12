"""Machine columns: what the table of annotators tells of machines, over all species.

A machine's calibration by species is in tables of its own (machines.py). Here is what is typical: in each
draw the median over the species that it has reported, of how often a report with a score of 0.8 is right, and
of the score from which on nine of ten reports are right.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import log_ndtr

from ...annotations.votes import logits_of, scores_of_logits
from ...common.intervals import interval, quantiles_of
from ...common.ragged import Floats
from ...model.expertise.kept import typical_scores
from ..fitted import Fitted
from .machines import quantiles_reached, score_scale, scored_species, shown_scores, thresholds

HIGH_SCORE, PRECISION = 0.8, 0.9
RIGHT, ENOUGH = "right_at_score_of_08", "score_for_nine_of_ten"
DRAWS = 400
"""Medians over species are computed from at most so many draws."""
ENDS = ("", "_lower", "_upper")


def machine_columns(fitted: Fitted, level: float) -> pd.DataFrame:
    """Return for each annotator the scored reports, and what is typical of its scores; people have none.

    Typical scores where species are present, and absent, are those of a species like the mean over species,
    on the scale of the annotations.
    """
    if fitted.model.scored is None:
        return pd.DataFrame(index=range(fitted.annotations.n_annotators))
    a, scale = fitted.annotations, score_scale(fitted)
    machines = fitted.model.scored.machines
    place = a.annotators.index.astype(str).get_indexer(machines)
    number = np.zeros(a.n_annotators, np.int64)
    number[place] = np.bincount(fitted.design.scores.machine, minlength=len(machines))
    columns: dict[str, Floats] = {}
    for side in ("present", "absent"):
        typical = typical_scores(fitted.draws.flat, side)
        drawn = scores_of_logits(_cut_mean(*typical, fitted.model.scored.cuts), scale)
        for end, values in zip(ENDS, (drawn.mean(axis=0), *interval(drawn, level)), strict=True):
            columns[f"score_{side}{end}"] = values
    columns |= _calibration(fitted, level)
    found = pd.DataFrame({"scored_reports": number})
    for name, values in columns.items():
        column = np.full(a.n_annotators, np.nan)
        column[place] = values
        found[name] = column
    return found


def _calibration(fitted: Fitted, level: float) -> dict[str, Floats]:
    """Return for each machine what a high score is worth, and which score is enough, with intervals."""
    assert fitted.model.scored
    scale, machines = score_scale(fitted), fitted.model.scored.machines
    high = logits_of(np.array([HIGH_SCORE]), "probability")
    right: dict[str, list[Floats]] = {machine: [] for machine in machines}
    enough: dict[str, list[Floats]] = {machine: [] for machine in machines}
    for one in scored_species(fitted, draws=DRAWS):
        if one.reports:
            right[one.machine].append(one.right_at(high)[:, 0])
            enough[one.machine].append(thresholds(fitted, one, PRECISION))
    found = {f"{name}{end}": np.full(len(machines), np.nan) for name in (RIGHT, ENOUGH) for end in ENDS}
    for m, machine in enumerate(machines):
        if not right[machine]:
            continue
        typical = np.median(right[machine], axis=0)
        score = quantiles_reached(np.array(enough[machine]), [0.5])[0]
        shown = shown_scores(quantiles_reached(score, [0.5, *quantiles_of(level)]), scale)
        for end, worth, least in zip(ENDS, (typical.mean(), *interval(typical, level)), shown, strict=True):
            found[RIGHT + end][m], found[ENOUGH + end][m] = worth, least
    return found


def _cut_mean(mean: Floats, sd: Floats, cut: Floats) -> Floats:
    """Return the mean of normal distributions that are cut off below."""
    z = (np.maximum(cut, -1e9) - mean) / sd
    return mean + sd * np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_ndtr(-z))
