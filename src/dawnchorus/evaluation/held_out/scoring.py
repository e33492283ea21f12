"""Scoring: how well models predict held-out votes, with standard errors and paired differences.

The log score is the mean of −log P(vote) over all votes of held-out visits; smaller is better, and it is also
shown × 100. AUC and average precision say how well the probabilities rank these votes. What is held out whole
are the units that vary, visits, recordings or groups of these, such as sites: with sums l[v] of −log P over
the n[v] votes of unit v,

    score = Σ l[v] / Σ n[v],   se = √(V / (V − 1) Σ (l[v] − score · n[v])²) / Σ n[v],

and in the same way for the difference of two models, with the difference of their l[v]. Standard errors of
AUC and average precision, and of their differences, are from a bootstrap over the same units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.ragged import Floats, Ints
from ..scores import LOG_FLOOR, Scores
from .predicting import HeldOutVotes

SAMPLES = 200
"""Bootstrap samples of units."""
RANKS = ("auc", "average_precision")


class Estimate(NamedTuple):
    """A value and its standard error."""

    value: float
    se: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.se:.3f}"


class ModelScores(NamedTuple):
    """What a model's held-out votes come to.

    Attributes
    ----------
    losses
        The sum of −log P over the votes of each unit.
    votes
        The number of votes of each unit.
    ranks
        AUC and average precision, by name.
    samples
        The same in every bootstrap sample.
    """

    losses: Floats
    votes: Floats
    ranks: dict[str, float]
    samples: dict[str, Floats]

    @property
    def log_score(self) -> Estimate:
        """The mean of −log P over votes."""
        return _ratio(self.losses, self.votes)

    def rank(self, name: str) -> Estimate:
        """Return AUC or average precision."""
        return Estimate(self.ranks[name], float(np.nanstd(self.samples[name], ddof=1)))

    def gain(self, other: ModelScores) -> Estimate:
        """Return by how much smaller the log score of this model is than that of another, paired by unit."""
        return _ratio(other.losses - self.losses, self.votes)

    def rank_gain(self, other: ModelScores, name: str) -> Estimate:
        """Return by how much larger AUC or average precision is than that of another model."""
        gains = self.samples[name] - other.samples[name]
        return Estimate(self.ranks[name] - other.ranks[name], float(np.nanstd(gains, ddof=1)))


def score(votes: HeldOutVotes, unit: Ints, seed: int = 0) -> ModelScores:
    """Return the scores of votes, which belong to these units, numbered from 0.

    Votes of all models have to be in the same order, and the seed the same, for differences to be paired.
    """
    p = np.clip(votes.probability, LOG_FLOOR, 1 - LOG_FLOOR)
    loss = -np.where(votes.reported, np.log(p), np.log1p(-p))
    units = int(unit.max(initial=-1)) + 1
    scores, rng = Scores.of(votes.reported, votes.probability), np.random.default_rng(seed)
    samples = np.empty((len(RANKS), SAMPLES))
    for s in range(SAMPLES):
        weight = np.bincount(rng.integers(units, size=units), minlength=units).astype(float)
        samples[:, s] = scores.ranks(weight[unit])
    ranks = scores.ranks(np.ones(len(unit)))
    return ModelScores(
        np.bincount(unit, loss, minlength=units),
        np.bincount(unit, minlength=units).astype(float),
        dict(zip(RANKS, ranks, strict=True)),
        dict(zip(RANKS, samples, strict=True)),
    )


def _ratio(total: Floats, number: Floats) -> Estimate:
    """Return a ratio of sums over units, and its standard error."""
    value, n = float(total.sum() / number.sum()), len(total)
    left = total - value * number
    se = np.sqrt(n / (n - 1) * float(left @ left)) / number.sum() if n > 1 else np.nan
    return Estimate(value, float(se))
