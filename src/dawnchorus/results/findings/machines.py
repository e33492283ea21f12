"""Machines: what a score is worth for each species, and from which score on most reports are right.

With p how often a species occurs, and f the densities and F the tails of scores where it is present and where
it is absent (model/expertise/scored; cut off at the machine's threshold, if it has one), a report with score
s is right with probability

    p · tpr · f(s | present) / (p · tpr · f(s | present) + (1 − p) · fpr · f(s | absent)),

and reports with score t or more are right as often as the same with F(t) in place of f(s): their precision.
The threshold is the smallest score t, from the lowest to the highest that the machine has given, with the
wanted precision. All of it is computed in every draw. For scores below its cut-off, which the machine has
never given, f is continued: it is told what they would be worth if they were reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import log_ndtr

from ...annotations.labels import Names, places
from ...annotations.votes import logits_of, scores_of_logits
from ...common.checked import is_finite, is_number
from ...common.errors import AnnotationError
from ...common.intervals import interval, quantiles_of
from ...common.ragged import Floats
from ...common.wording import option
from ...model.predictive.vote_ratios import vote_logs
from ...model.rates import all_inside, pack_vote
from ..fitted import Fitted
from ..tables import interval_columns

DRAWS = 2000
"""Tables are computed from at most so many draws."""
POINTS = 300
"""Thresholds are looked for at so many scores, and between them."""
USUAL = np.arange(1, 10) / 10
"""Scores of which the table tells what they are worth, if they are probabilities."""
FAR = 60.0


class Scored(NamedTuple):
    """One species as a machine hears it.

    By draw: log-odds of a report being right before its score is known, and the distributions of the score
    where the species is present, and absent, before they are cut off. And how many scored reports there are,
    and where scores are cut off, as a logit.
    """

    machine: str
    species: int
    log_odds: Floats
    tpr: Floats
    mean: Floats
    sd: Floats
    reports: int
    cut: float = -np.inf

    def densities(self, logits: Floats) -> tuple[Floats, Floats]:
        """Return log densities of scores, present and absent, but for a constant: draws × scores."""
        there, absent = (
            -0.5 * ((logits - mean[:, None]) / sd[:, None]) ** 2
            - np.log(sd[:, None])
            - log_ndtr((mean - self.cut) / sd)[:, None]
            for mean, sd in zip(self.mean, self.sd, strict=True)
        )
        return there, absent

    def log_tails(self, logits: Floats) -> tuple[Floats, Floats]:
        """Return logarithms of how often scores are as high, present and absent: draws × scores."""
        logits = np.maximum(logits, self.cut)
        there, absent = (
            log_ndtr((mean[:, None] - logits) / sd[:, None]) - log_ndtr((mean - self.cut) / sd)[:, None]
            for mean, sd in zip(self.mean, self.sd, strict=True)
        )
        return there, absent

    def precision(self, logits: Floats) -> Floats:
        """Return how often reports with such scores or higher ones are right: draws × scores."""
        there, absent = self.log_tails(logits)
        return _probability(self.log_odds[:, None] + there - absent)

    def right_at(self, logits: Floats) -> Floats:
        """Return how often reports with just such scores are right: draws × scores."""
        there, absent = self.densities(logits)
        return _probability(self.log_odds[:, None] + there - absent)


def _probability(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -FAR, FAR))))


def need_scores(fitted: Fitted) -> None:
    """Raise AnnotationError if the fit used no scores."""
    if fitted.model.scored is None:
        raise AnnotationError(
            "the fit used no scores",
            f"fit annotations of a machine whose reports have scores, with {option('scores', 'use')}",
        )


def scored_species(fitted: Fitted, species: Names | None = None, draws: int = DRAWS) -> Iterator[Scored]:
    """Return each machine with each species on its list that is wanted, those of a machine together."""
    need_scores(fitted)
    assert fitted.model.scored
    a, parameters = fitted.annotations, fitted.parameters(draws)
    wanted = np.arange(a.n_species) if species is None else places(a.species.index, species)
    there = np.arange(parameters.weight.shape[1])[None] < parameters.components[:, None]
    weight = np.where(there, parameters.weight, 0.0)
    prior = np.einsum("dr,drk->dk", weight, np.where(there[..., None], parameters.occurrence, 0.0))
    prior, draw = all_inside(prior), np.arange(len(prior))
    for m, machine in enumerate(fitted.model.scored.machines):
        place = a.annotators.index.astype(str).get_loc(machine)
        rates = fitted.design.rates_at(np.full(len(wanted), place), wanted)
        mine = fitted.design.scores.species[fitted.design.scores.machine == m]
        reports = np.bincount(mine, minlength=a.n_species)
        known, rates = wanted[rates >= 0], rates[rates >= 0]
        every = parameters.tpr, parameters.fpr, parameters.unsure_marks
        ratios = vote_logs(*every, draw, rates, pack_vote(np.arange(len(rates)), 1), False)
        for k, rate, log_ratio in zip(known, rates, ratios, strict=True):
            p, tpr = prior[:, k], parameters.tpr[:, rate].astype(float)
            log_odds = np.log(p / (1 - p)) + log_ratio
            mean, sd, _ = (part[:, :, m, k].astype(float) for part in parameters.scores)
            cut = float(fitted.model.scored.cuts[m])
            yield Scored(machine, int(k), log_odds, tpr, mean, sd, int(reports[k]), cut)


def score_scale(fitted: Fitted) -> str:
    """Return whether scores are probabilities or logits."""
    return fitted.annotations.provenance.score_scale


def usual_scores(fitted: Fitted) -> Floats:
    """Return nine scores of which tables tell what they are worth."""
    if score_scale(fitted) == "probability":
        return USUAL
    return np.unique(np.quantile(fitted.design.scores.score, USUAL).round(1))


def calibration_table(
    fitted: Fitted, scores: Sequence[float] | None, species: Names | None, level: float
) -> pd.DataFrame:
    """Return what scores are worth; `Posterior.score_calibration` documents it."""
    need_scores(fitted)
    given = usual_scores(fitted) if scores is None else np.atleast_1d(np.asarray(scores, object))
    scale = score_scale(fitted)
    for score in given:
        if not is_finite(score) or (scale == "probability" and not 0 <= score <= 1):
            what = "between 0 and 1" if scale == "probability" else "a finite number"
            raise AnnotationError(f"a score is {score!r}", f"give scores that are {what}")
    given = np.asarray(given, float)
    parts = []
    for one in scored_species(fitted, species):
        right = one.right_at(logits_of(given, scale))
        part = interval_columns("probability", right.mean(axis=0), *interval(right, level))
        parts.append(_labelled(fitted, one, part.assign(reports=one.reports), score=given))
    columns = ["machine", "species", "score", "probability", "probability_lower", "probability_upper"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=[*columns, "reports"])


def threshold_table(fitted: Fitted, precision: float, species: Names | None, level: float) -> pd.DataFrame:
    """Return the score from which on this share of reports is right; see `Posterior.score_thresholds`."""
    if not is_number(precision) or not 0 < precision < 1:
        raise AnnotationError(
            f"precision is {precision!r}", "give the share of reports that are to be right, such as 0.9"
        )
    need_scores(fitted)
    low, high = quantiles_of(level)
    scale, parts = score_scale(fitted), []
    for one in scored_species(fitted, species):
        drawn = thresholds(fitted, one, precision)
        found = quantiles_reached(drawn, [0.5, low, high])
        shown = shown_scores(found, scale)
        recall = np.nan
        if np.isfinite(found[0]):
            recall = float((one.tpr * np.exp(one.log_tails(found[:1])[0][:, 0])).mean())
        part = interval_columns("score", *(shown[[i]] for i in range(3)))
        reached = np.isfinite(drawn).mean()
        part = part.assign(reached=reached, recall=recall, reports=one.reports)
        parts.append(_labelled(fitted, one, part))
    columns = ["machine", "species", "score", "score_lower", "score_upper", "reached", "recall", "reports"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def quantiles_reached(thresholds: Floats, quantiles: Sequence[float]) -> Floats:
    """Return quantiles of thresholds; an infinite one is not reached, and never mixed with others."""
    return np.asarray(np.quantile(thresholds, quantiles, method="inverted_cdf", axis=0))


def shown_scores(logits: Floats, scale: str) -> Floats:
    """Return thresholds as scores, missing where they are infinite."""
    finite = np.isfinite(logits)
    return np.where(finite, scores_of_logits(np.where(finite, logits, 0.0), scale), np.nan)


def score_range(fitted: Fitted, machine: str) -> tuple[float, float]:
    """Return the lowest and the highest score that a machine has given, as logits."""
    assert fitted.model.scored
    scores = fitted.design.scores
    mine = scores.score[scores.machine == fitted.model.scored.machines.index(machine)]
    return float(mine.min()), float(mine.max())


def thresholds(fitted: Fitted, one: Scored, precision: float) -> Floats:
    """Return in each draw the smallest logit with this precision; infinite where there is none."""
    grid = np.linspace(*score_range(fitted, one.machine), POINTS)
    right = one.precision(grid)
    enough = right >= precision
    at = enough.argmax(axis=1)
    draw = np.arange(len(at))
    found = grid[at].copy()
    between = at > 0
    above, below = right[draw, at][between], right[draw, at - 1][between]
    found[between] -= (grid[1] - grid[0]) * (above - precision) / np.maximum(above - below, 1e-12)
    found[~enough.any(axis=1)] = np.inf
    return found


def _labelled(fitted: Fitted, one: Scored, table: pd.DataFrame, **columns: Floats) -> pd.DataFrame:
    """Return a table with machine and species, and further columns, in front."""
    for at, (name, values) in enumerate(columns.items()):
        table.insert(at, name, values)
    table.insert(0, "species", fitted.annotations.species.index[one.species])
    table.insert(0, "machine", one.machine)
    return table
