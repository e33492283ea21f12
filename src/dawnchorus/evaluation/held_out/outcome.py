"""Outcome: a comparison of models as tables and a sentence of advice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.labels import counted
from ...common.ragged import Floats
from ...common.showing.notebook import as_html
from .folds import RECORDING, VISIT
from .scoring import RANKS, Estimate, ModelScores
from .specs import SEARCHED, ModelSpec

POOR_RHAT = 1.1
"""Chains that agree less than this are mentioned."""
SURE = 2
"""A gain of more standard errors than this is told without doubt."""
FEW = 10
"""Standard errors over fewer visits, recordings or groups of them are rough."""
POOR_K = 0.7
"""Leave-one-out of recordings with a larger Pareto k is not reliable."""


@dataclass(frozen=True)
class Compared:
    """One of the models that were compared.

    Attributes
    ----------
    spec
        The model.
    scores
        How well it predicts held-out votes.
    loo, pareto_k
        PSIS-LOO by recording, and how reliable it is; empty if it was not asked for.
    seconds
        Of all fits.
    max_rhat
        The largest of all fits.
    """

    spec: ModelSpec
    scores: ModelScores
    loo: Floats
    pareto_k: Floats
    seconds: float
    max_rhat: float


@dataclass(frozen=True, repr=False)
class ModelComparison:
    """Which model predicts held-out votes best; `dc.compare` makes it.

    Attributes
    ----------
    models
        The models that were compared, in the order in which they were given or tried.
    held_out
        What was held out, in words.
    by
        What was held out whole: visits, recordings, or groups of these by a column of their metadata. These
        are the units of all standard errors.
    tried
        The parts that a search has tried and added or not, in words; empty without a search.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=3, seed=1).annotations
    >>> compared = dc.compare(annotations, ["base"], folds=2, draws=50, warmup=50, loo=False, workers=1)
    >>> compared.table().columns.tolist()[:3]
    ['model', 'log_score', 'log_score_se']
    """

    models: tuple[Compared, ...]
    held_out: str
    by: str
    tried: tuple[str, ...] = ()

    @property
    def best(self) -> Compared:
        """The model with the smallest log score."""
        return min(self.models, key=lambda one: one.scores.log_score.value)

    @property
    def choice(self) -> Compared:
        """The simplest model that is worse than the best by at most a standard error of the difference."""
        best = self.best
        near = [one for one in self.models if one is best or _near(best, one)]
        return min(near, key=lambda one: (one.spec.size, one.scores.log_score.value))

    def table(self) -> pd.DataFrame:
        """Return a row for each model.

        Returns
        -------
        pandas.DataFrame
            Columns model; log_score and log_score_x100, the mean of −log P(vote) over held-out votes, smaller
            is better; gain, by how much better × 100 than the first model; auc, average_precision; each with
            _se, its standard error; loo, the expected log density of a recording's votes by PSIS-LOO, summed
            over recordings, larger is better, loo_se, loo_gain (over the first model), loo_gain_se and
            unreliable (share of recordings with a Pareto k above 0.7), missing if it was not asked for;
            seconds; and max_rhat.
        """
        first = self.models[0]
        return pd.DataFrame([self._row(one, first) for one in self.models])

    def differences(self) -> pd.DataFrame:
        """Return a row for each pair of models, with paired differences.

        Returns
        -------
        pandas.DataFrame
            Columns model, than; gain, by how much the log score × 100 of the model is smaller than that of
            the other; auc and average_precision, by how much these are larger; each with _se.
        """
        rows = []
        for other, one in combinations(self.models, 2):
            row: dict[str, Any] = {"model": one.spec.text, "than": other.spec.text}
            row |= _columns("gain", _hundredfold(one.scores.gain(other.scores)))
            for name in RANKS:
                row |= _columns(name, one.scores.rank_gain(other.scores, name))
            rows.append(row)
        names = ("gain", *RANKS)
        columns = ["model", "than", *(column for name in names for column in (name, f"{name}_se"))]
        return pd.DataFrame(rows, columns=columns)

    def advice(self) -> str:
        """Return which model to choose, and what each part does, in words."""
        choice, best = self.choice, self.best
        words = [f"Choose {choice.spec.text}."]
        if len(self.models) == 1:
            words = [f"Only {choice.spec.text} was tried: name other models to compare it with."]
        elif choice is not best:
            gain = _hundredfold(best.scores.gain(choice.scores))
            words[0] = f"Choose {choice.spec.text}: {best.spec.text} is better by {_told(gain)} only."
        told = [effect(*found) for found in self._steps()]
        if told:
            words.append(f"The part {'; '.join(told)} (log score × 100, ± standard error).")
        words += self.tried
        units = len(self.models[0].scores.votes)
        if units < FEW:
            of = counted(units, self.by if self.by in (VISIT, RECORDING) else f"different {self.by}")
            words.append(f"Standard errors are over {of} only, and rough.")
        poor = [one.spec.text for one in self.models if one.max_rhat > POOR_RHAT]
        if poor:
            words.append(
                f"Chains do not agree well for {', '.join(poor)}: sample longer before you rely on it."
            )
        return " ".join(words)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict of plain values for JSON."""
        return {
            "held_out": self.held_out,
            "models": self.table().to_dict("records"),
            "differences": self.differences().to_dict("records"),
            "choice": self.choice.spec.text,
            "advice": self.advice(),
        }

    def __str__(self) -> str:
        lines = [f"Held out: {self.held_out}"]
        width = max(len(one.spec.text) for one in self.models)
        for one in self.models:
            scores, score = one.scores, _hundredfold(one.scores.log_score)
            lines.append(
                f"{one.spec.text:<{width}}  log score × 100 {score}  AUC {scores.rank('auc')}  "
                f"average precision {scores.rank('average_precision')}  {one.seconds:.0f} s"
            )
        return "\n".join([*lines, self.advice()])

    def __repr__(self) -> str:
        return f"<ModelComparison: {counted(len(self.models), 'model')}; {self.advice()}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = [
            (one.spec.text, f"log score × 100: {_hundredfold(one.scores.log_score)}") for one in self.models
        ]
        return as_html(
            "Comparison of models", [("held out", self.held_out), *rows, ("advice", self.advice())]
        )

    def _row(self, one: Compared, first: Compared) -> dict[str, Any]:
        scores = one.scores
        row: dict[str, Any] = {"model": one.spec.text, **_columns("log_score", scores.log_score)}
        row |= _columns("log_score_x100", _hundredfold(scores.log_score))
        nothing = Estimate(0.0, 0.0)
        row |= _columns("gain", nothing if one is first else _hundredfold(scores.gain(first.scores)))
        for name in RANKS:
            row |= _columns(name, scores.rank(name))
        if len(one.loo):
            row |= _columns("loo", _summed(one.loo))
            row |= _columns("loo_gain", nothing if one is first else _summed(one.loo - first.loo))
            row["unreliable"] = float(np.mean(one.pareto_k > POOR_K))
        return row | {"seconds": round(one.seconds, 1), "max_rhat": one.max_rhat}

    def _steps(self) -> list[tuple[str, Compared, Compared]]:
        """Return a pair of models that differ by a part, for each part: those with most other parts."""
        by_spec = {one.spec: one for one in self.models}
        found: dict[str, tuple[str, Compared, Compared]] = {}
        for one in self.models:
            written = [f"{name}({value})" if value else name for name, value in _every_part(self.models)]
            for part in dict.fromkeys([*SEARCHED, *written]):
                more = one.spec.plus(part)
                if more in by_spec and (part not in found or one.spec.size > found[part][1].spec.size):
                    found[part] = (part, one, by_spec[more])
        return list(found.values())


def effect(part: str, without: Compared, with_it: Compared) -> str:
    """Return what a part does, in words."""
    gain = _hundredfold(with_it.scores.gain(without.scores))
    return f"{part} {_verb(gain)}: {_told(gain)}"


def _verb(gain: Estimate) -> str:
    """Return what a part does, by how many standard errors it gains."""
    if abs(gain.value) <= gain.se:
        return "does not help"
    if abs(gain.value) <= SURE * gain.se:
        return "seems to help" if gain.value > 0 else "seems to harm"
    return "helps" if gain.value > 0 else "harms"


def _every_part(models: tuple[Compared, ...]) -> list[tuple[str, str]]:
    return [part for one in models for part in one.spec.parts]


def _near(best: Compared, other: Compared) -> bool:
    gain = best.scores.gain(other.scores)
    return gain.value <= gain.se


def _hundredfold(estimate: Estimate) -> Estimate:
    return Estimate(100 * estimate.value, 100 * estimate.se)


def _summed(values: Floats) -> Estimate:
    return Estimate(float(values.sum()), float(np.sqrt(len(values)) * values.std()))


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_se": estimate.se}


def _told(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} ± {estimate.se:.2f}"
