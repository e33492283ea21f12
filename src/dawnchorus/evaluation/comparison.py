"""Comparison: a fit beside the truth, for presence and for the rates of annotators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.truth import Truth
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL, interval
from ..results.posterior import Posterior
from .evaluation import Evaluation, evaluate

RATES = ("tpr", "fpr")


@dataclass(frozen=True)
class Comparison:
    """How a fit compares with the truth.

    Attributes
    ----------
    presence
        The probabilities of presence against the truth.
    annotators
        A row for each annotator and rate whose truth is known: rate (`tpr` or `fpr`), true value, posterior
        mean, interval, whether the interval covers the true value.
    level
        The level of the intervals.
    """

    presence: Evaluation
    annotators: pd.DataFrame
    level: float

    def rates(self) -> pd.DataFrame:
        """Return for each rate the share of intervals that cover the truth, and the mean squared error."""
        table = self.annotators.assign(mse=(self.annotators["mean"] - self.annotators["true"]) ** 2)
        table["width"] = table["upper"] - table["lower"]
        found = table.groupby("rate", sort=False).agg(
            annotators=("annotator", "size"),
            coverage=("covered", "mean"),
            mse=("mse", "mean"),
            width=("width", "mean"),
        )
        return found.reset_index()

    def as_dict(self) -> dict[str, float]:
        """Return the measures as plain values: auc, brier, …, tpr_coverage, tpr_mse, fpr_coverage, fpr_mse."""
        plain = {name: getattr(self.presence, name) for name in ("auc", "average_precision", "brier")}
        plain |= {name: getattr(self.presence, name) for name in ("log_score", "calibration_error")}
        for row in self.rates().itertuples():
            plain |= {f"{row.rate}_coverage": float(row.coverage), f"{row.rate}_mse": float(row.mse)}
        return plain

    def __str__(self) -> str:
        lines = [str(self.presence)]
        for row in self.rates().itertuples():
            lines.append(
                f"{row.rate.upper()} of {row.annotators} annotators: {row.coverage:.0%} of the "
                f"{self.level:.0%} "
                f"intervals cover the truth; mean squared error {row.mse:.3g}"
            )
        return "\n".join(lines)


def compare_to_truth(
    posterior: Posterior,
    truth: Any,
    *,
    annotators: pd.DataFrame | None = None,
    level: float = LEVEL,
    bootstrap: int = 0,
    seed: int = 0,
) -> Comparison:
    """Compare a fit with the truth: presence, and the rates of annotators where these are known.

    Parameters
    ----------
    posterior
        What `fit` gave.
    truth
        What a simulation gave, or a frame with columns recording, species, present.
    annotators
        True rates: a frame with columns annotator, tpr, fpr (either rate may be missing); a simulation
        brings its own. In hierarchical models, a rate is that of a typical species, as in the paper.
    level
        The level of the intervals.
    bootstrap, seed
        As in `evaluate`, for presence.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(recordings=300, visits=4, seed=1)
    >>> posterior = dc.fit(simulation.annotations, model="base", priors="paper-simulation", seed=1)
    >>> comparison = dc.compare_to_truth(posterior, simulation.truth)
    >>> comparison.rates()["rate"].tolist()
    ['tpr', 'fpr']
    >>> comparison.as_dict()["tpr_coverage"] > 0.7
    True
    """
    if annotators is None and isinstance(truth, Truth):
        annotators = truth.annotators
    presence = evaluate(posterior, truth, bootstrap=bootstrap, seed=seed, level=level)
    return Comparison(presence, _rates(posterior, annotators, level), level)


def _rates(posterior: Posterior, known: pd.DataFrame | None, level: float) -> pd.DataFrame:
    columns = ["annotator", "rate", "true", "mean", "lower", "upper", "covered"]
    parts = []
    if known is not None:
        if "annotator" not in known.columns:
            raise AnnotationError(
                "the true rates have no column 'annotator'", "give columns annotator, tpr, fpr"
            )
        place = posterior.annotations.annotators.index.get_indexer(known["annotator"].astype(str))
        for rate in RATES:
            if rate not in known.columns or rate not in posterior.draws:
                continue
            draws = posterior.draws.flat(rate)[:, place[place >= 0]]
            low, high = interval(draws, level)
            true = known[rate].to_numpy(float)[place >= 0]
            part = pd.DataFrame(
                {
                    "annotator": known["annotator"].to_numpy(object)[place >= 0],
                    "rate": rate,
                    "true": true,
                    "mean": draws.mean(axis=0),
                    "lower": low,
                    "upper": high,
                    "covered": (low <= true) & (true <= high),
                }
            )
            parts.append(part[np.isfinite(true)])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
