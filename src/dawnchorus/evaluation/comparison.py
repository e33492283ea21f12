"""Comparison of a fit with the truth, for presence and for the rates of annotators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.labels import counted
from ..annotations.truth import Truth
from ..common.checked import Seed
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL, interval
from ..common.showing.notebook import as_html
from ..results.posterior import Posterior
from .against_truth import evaluate
from .evaluation import Evaluation

RATES = ("tpr", "fpr")


@dataclass(frozen=True)
class Comparison:
    """The comparison of a fit with the truth.

    Attributes
    ----------
    presence
        The evaluation of the presence probabilities.
    annotators
        One row for each annotator and rate with a known true value. Columns: annotator, rate (`tpr` or
        `fpr`), true (the true value), estimate (the posterior mean) with estimate_lower and estimate_upper,
        and covered (whether this interval contains the true value).
    level
        The level of the intervals.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1)
    >>> posterior = dc.fit(simulation.annotations, "base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> dc.compare_to_truth(posterior, simulation.truth).rates()["annotators"].tolist()
    [4, 4]
    """

    presence: Evaluation
    annotators: pd.DataFrame
    level: float

    def rates(self) -> pd.DataFrame:
        """Return a table of coverage and error, with one row for each rate.

        Returns
        -------
        pandas.DataFrame
            Columns rate, annotators (their number), coverage (share of intervals that contain the true
            value), mse (mean squared error of the posterior means) and width (mean width of the intervals).
        """
        table = self.annotators.assign(mse=(self.annotators["estimate"] - self.annotators["true"]) ** 2)
        table["width"] = table["estimate_upper"] - table["estimate_lower"]
        found = table.groupby("rate", sort=False).agg(
            annotators=("annotator", "size"),
            coverage=("covered", "mean"),
            mse=("mse", "mean"),
            width=("width", "mean"),
        )
        return found.reset_index()

    def as_dict(self) -> dict[str, float]:
        """Return the measures as a dict: auc, brier, …, tpr_coverage, tpr_mse, fpr_coverage, fpr_mse."""
        plain = {name: getattr(self.presence, name) for name in ("auc", "average_precision", "brier")}
        plain |= {name: getattr(self.presence, name) for name in ("log_score", "calibration_error")}
        for row in self.rates().itertuples():
            plain |= {f"{row.rate}_coverage": float(row.coverage), f"{row.rate}_mse": float(row.mse)}
        return plain

    def __repr__(self) -> str:
        covered = (f"{row.rate.upper()} covered in {row.coverage:.0%}" for row in self.rates().itertuples())
        return f"<Comparison: {'; '.join([repr(self.presence)[1:-1], *covered])}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return as_html("Fit and truth", [*self.presence.as_rows(), *self._rows()])

    def __str__(self) -> str:
        return "\n".join([str(self.presence), *(f"{title}: {words}" for title, words in self._rows())])

    def _rows(self) -> Iterator[tuple[str, str]]:
        """Return each rate and how well it was estimated, in words."""
        for row in self.rates().itertuples():
            yield (
                f"{row.rate.upper()} of {counted(int(row.annotators), 'annotator')}",
                f"{row.coverage:.0%} of the {self.level:.0%} intervals cover the truth; "
                f"mean squared error {row.mse:.3g}",
            )


def compare_to_truth(
    posterior: Posterior,
    truth: Any,
    *,
    annotators: pd.DataFrame | None = None,
    level: float = LEVEL,
    bootstrap: int = 0,
    seed: Seed = 0,
) -> Comparison:
    """Return the comparison of a fit with the truth: presence and, where known, rates of annotators.

    Parameters
    ----------
    posterior
        The result of `fit`.
    truth
        The `truth` of a simulation, or a frame with columns recording, species, present.
    annotators
        True rates: a frame with columns annotator, tpr, fpr (either rate may be missing). By default the
        true rates of a simulation. In hierarchical models, the rate of an annotator is that for a typical
        species, as in the paper.
    level
        The level of the intervals.
    bootstrap, seed
        As in `evaluate`, for presence.

    Returns
    -------
    Comparison

    Raises
    ------
    AnnotationError
        If the truth or the true rates cannot be used, or no cell of the truth is in the result.

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
    columns = ["annotator", "rate", "true", "estimate", "estimate_lower", "estimate_upper", "covered"]
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
                    "estimate": draws.mean(axis=0),
                    "estimate_lower": low,
                    "estimate_upper": high,
                    "covered": (low <= true) & (true <= high),
                }
            )
            parts.append(part[np.isfinite(true)])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
