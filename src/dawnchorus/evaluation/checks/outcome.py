"""Outcome: what checks of a model found, as a table and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...annotations.labels import counted
from ...common.intervals import interval
from ...common.ragged import Floats
from ...common.showing.notebook import as_html
from ...common.wording import for_python
from .words import CHECKS, MARKS, NO_UNSURE, UNSURE, UNSURE_WORDS, Check, Parts, remedy

SURPRISING = 0.01
"""What has a smaller p-value, the model does not describe. Of nine checks, one or more has so by chance in at
most 9 % of fits to data that do come from the model."""
FINE, MORE, LESS = "as expected", "more than expected", "less than expected"
TOO_FEW, UNMODELLED = "not enough data", "not modelled"

ALL_FINE = "The model describes the data in all that was checked."
NOTHING = "There is not enough data to check the model."


class Found(NamedTuple):
    """What one check found."""

    name: str
    title: str
    share: bool
    observed: float
    expected: float
    lower: float
    upper: float
    p_value: float
    verdict: str
    words: str

    @property
    def surprising(self) -> bool:
        """Whether the model does not describe this."""
        return self.verdict in (MORE, LESS)

    @property
    def finding(self) -> str:
        """What votes are like that the model does not describe; the verdict if it does."""
        check = _check(self.name)
        return {MORE: check.more, LESS: check.less}.get(self.verdict, self.verdict)

    def shown(self, value: float) -> str:
        """Return one of the values as text: a share in per cent, all of a check with the same digits.

        >>> one = Found("a", "", True, 0.21132, 0.1643, 0.12, 0.225, 0.02, "", "")
        >>> [one.shown(value).replace(chr(160), " ") for value in (one.observed, one.expected, 0.12)]
        ['21.1 %', '16.4 %', '12.0 %']
        """
        if math.isnan(value):
            return ""
        typical = self.observed if math.isnan(self.expected) else self.expected
        if self.share:
            return f"{100 * value:.{2 if typical < 0.1 else 1}f}\u00a0%"
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.{1 if typical >= 10 else 2}f}"


@dataclass(frozen=True, repr=False)
class PredictiveChecks:
    """Whether a model describes the data; `dc.predictive_checks` makes it.

    Attributes
    ----------
    model
        The name of the model.
    observed
        The statistics of the real votes by name, nan where there is too little data.
    simulated
        The same of every simulation.
    unsure
        The number of unsure marks.
    parts
        What the model has, for what to try.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> checks = dc.predictive_checks(posterior, simulations=100)
    >>> checks.table().set_index("check")["verdict"]["pair_agreement"]
    'as expected'
    """

    model: str
    observed: dict[str, float]
    simulated: dict[str, Floats]
    unsure: int
    parts: Parts

    @property
    def simulations(self) -> int:
        """How many data sets were simulated."""
        return len(next(iter(self.simulated.values())))

    def found(self, level: float | None = None) -> list[Found]:
        """Return what each check found; `level` as in `table`."""
        return [*(self._found(name, level) for name in CHECKS), self._marks(level)]

    def table(self, level: float | None = None) -> pd.DataFrame:
        """Return a row for each check.

        Parameters
        ----------
        level
            The level of the interval from expected_lower to expected_upper; by default, these are the bounds
            between which the verdict is that votes are as expected.

        Returns
        -------
        pandas.DataFrame
            Columns check; observed, in the real votes; expected, the mean over simulations, with
            expected_lower and expected_upper; p_value, two-sided; verdict; and words, what it says.
        """
        return pd.DataFrame(
            [
                {
                    "check": one.name,
                    "observed": one.observed,
                    "expected": one.expected,
                    "expected_lower": one.lower,
                    "expected_upper": one.upper,
                    "p_value": one.p_value,
                    "verdict": one.verdict,
                    "words": for_python(one.words),
                }
                for one in self.found(level)
            ]
        )

    @property
    def checked(self) -> list[str]:
        """The names of the checks for which there is enough data."""
        return [one.name for one in self.found() if one.verdict not in (TOO_FEW, UNMODELLED)]

    @property
    def failed(self) -> list[str]:
        """The names of the checks that the model does not pass."""
        return [one.name for one in self.found() if one.surprising]

    def advice(self) -> str:
        """Return what the model does not describe, and what to try, with options in both versions.

        `in_words` has them as in Python; see common/wording.py.
        """
        told = [one for one in self.found() if one.surprising]
        if not told:
            return ALL_FINE if self.checked else NOTHING
        sentences = []
        for reason in dict.fromkeys(_why(one) for one in told):
            words = "; ".join(one.finding for one in told if _why(one) == reason)
            sentences.append(_sentence(f"{words}: {remedy(reason, self.parts)}"))
        return " ".join(sentences)

    def in_words(self) -> str:
        """Return what the model does not describe, and what to try, in words."""
        return for_python(self.advice())

    def as_dict(self) -> dict[str, Any]:
        """Return the checks as a dict of plain values for JSON."""
        return {
            "model": self.model,
            "simulations": self.simulations,
            "checks": self.table().to_dict("records"),
            "failed": self.failed,
            "advice": self.in_words(),
        }

    def __str__(self) -> str:
        found = self.found()
        width = max(len(one.title) for one in found)
        return "\n".join([*(f"{one.title:<{width}}  {_numbers(one)}" for one in found), self.in_words()])

    def __repr__(self) -> str:
        failed = ", ".join(self.failed) or "none"
        size = counted(self.simulations, "simulation")
        return f"<PredictiveChecks: {self.model}, {size}; not passed: {failed}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = [(one.title, _numbers(one)) for one in self.found()]
        return as_html(f"Does {self.model} describe the data?", [*rows, ("in words", self.in_words())])

    def _marks(self, level: float | None) -> Found:
        """Return what was found of unsure marks, which are checked if they are votes."""
        if UNSURE in self.observed:
            return self._found(UNSURE, level)
        nan, words = float("nan"), UNSURE_WORDS if self.unsure else NO_UNSURE
        return Found(UNSURE, MARKS.title, False, self.unsure, nan, nan, nan, nan, UNMODELLED, words)

    def _found(self, name: str, level: float | None) -> Found:
        check, observed, simulated = _check(name), self.observed[name], self.simulated[name]
        known = simulated[~np.isnan(simulated)]
        head = name, check.title, check.share, observed
        if math.isnan(observed) or 2 * len(known) < len(simulated):
            nan = float("nan")
            return Found(*head, nan, nan, nan, nan, TOO_FEW, f"{TOO_FEW}: {_lacking(check.kind)}")
        low, high = passing(known)
        surprising, (p_value, above) = not low <= observed <= high, two_sided(observed, known)
        verdict = (MORE if above else LESS) if surprising else FINE
        if level is not None:
            low, high = (float(bound) for bound in interval(known, level))
        found = Found(*head, float(known.mean()), low, high, p_value, verdict, FINE)
        if not surprising:
            return found
        return found._replace(words=f"{found.finding}: {remedy(_why(found), self.parts)}")


def two_sided(observed: float, simulated: Floats) -> tuple[float, bool]:
    """Return the two-sided p-value of an observed value, and whether it is above most simulated ones.

    The observed value counts as one more simulated one, so that no p-value is 0.

    >>> two_sided(3.0, np.arange(99.0)), two_sided(200.0, np.arange(99.0))
    ((0.1, False), (0.02, True))
    """
    n = len(simulated) + 1
    below, above = 1 + (simulated <= observed).sum(), 1 + (simulated >= observed).sum()
    return min(1.0, 2 * float(min(below, above)) / n), bool(above < below)


def passing(simulated: Floats) -> tuple[float, float]:
    """Return the bounds between which an observed value is no surprise: its p-value is above the limit.

    With less than 200 simulations no p-value is so small, and whatever is beyond all of them is a surprise.

    >>> passing(np.arange(400.0)), passing(np.arange(100.0))
    ((1.0, 398.0), (0.0, 99.0))
    """
    n = len(simulated)
    beyond = max(math.floor(SURPRISING * (n + 1) / 2 + 1e-9), 1)
    ordered = np.sort(simulated)
    return float(ordered[beyond - 1]), float(ordered[n - beyond])


def _check(name: str) -> Check:
    return MARKS if name == UNSURE else CHECKS[name]


def _why(one: Found) -> str:
    check = _check(one.name)
    return check.if_more if one.verdict == MORE else check.if_less


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}{'' if words.endswith('?') else '.'}"


def _lacking(kind: str) -> str:
    return {
        "visits": "there are fewer than two visits",
        "species": "there are fewer than two species",
        "agreement": "too few recordings were visited by several annotators, or too little was reported",
    }[kind]


def _numbers(one: Found) -> str:
    """Return what was found in a line."""
    if one.verdict in (TOO_FEW, UNMODELLED):
        return for_python(f"{one.shown(one.observed)} {one.words}".strip())
    expected = f"{one.shown(one.expected)} ({one.shown(one.lower)} to {one.shown(one.upper)})"
    return f"{one.shown(one.observed)}, expected {expected}, p = {one.p_value:.3f}: {one.verdict}"
