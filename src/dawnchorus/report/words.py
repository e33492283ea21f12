"""Words: numbers as people say them, and the reasons for a probability in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..results.findings.encounters import Vote
from ..results.findings.information import DOUBT
from ..sampling.convergence import Diagnostics

RARELY = 0.05
"""Who reports a species in fewer of the recordings without it does so "only" there."""


def percent(share: Any) -> str:
    """Return a share in per cent, with fitting digits and a space at which lines do not break.

    What is not in doubt does not look so by rounding.

    >>> [percent(x).replace(chr(160), " ") for x in (0.5, 0.0123, 0.00042, 0.00002, 0, 0.987, 0.9999)]
    ['50 %', '1.2 %', '0.042 %', '< 0.01 %', '0 %', '98.7 %', '> 99.9 %']
    >>> [percent(x).replace(chr(160), " ") for x in (0.0999, 0.1001, 0.8999, 0.9001)]
    ['9.9 %', '10 %', '90 %', '90.1 %']
    """
    if share is None or math.isnan(share):
        return "–"
    if 0 < share < 0.00005:
        return "<\u00a00.01\u00a0%"
    if 0.9995 <= share < 1:
        return ">\u00a099.9\u00a0%"
    if share < DOUBT[0]:
        share = min(share, DOUBT[0] - 0.001)
    elif share > DOUBT[1]:
        share = max(share, DOUBT[1] + 0.001)
    digits = 0 if DOUBT[0] <= share <= DOUBT[1] or share in (0, 1) else 1
    digits += (0 < share < 0.0095) + (0 < share < 0.00095)
    return f"{100 * share:.{digits}f}\u00a0%"


def percent_below(share: float, bound: float) -> str:
    """Return a share that is below a bound, in per cent, so that it is seen to be below.

    >>> [percent_below(x, 0.2).replace(chr(160), " ") for x in (0.15, 0.197, 0.19999)]
    ['15 %', '19.7 %', '19.9 %']
    """
    shown = percent(share)
    return f"{math.floor(1000 * share) / 10:.1f}\u00a0%" if shown == percent(bound) else shown


def number(value: Any, digits: int = 2) -> str:
    """Return a number with few digits.

    >>> number(12345.6), number(3.14159), number(float("nan"))
    ('12,346', '3.14', '–')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}f}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names as in a sentence.

    >>> listed(["Aino"]), listed(["Aino", "Onni", "Elli"]), listed(["a", "b", "c", "d", "e", "f"])
    ('Aino', 'Aino, Onni and Elli', 'a, b, c, d and 2 others')
    """
    names = list(names)
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nobody"


def one_in(share: float) -> str:
    """Return a share as one of so many, or in per cent if it is not small.

    >>> [one_in(x).replace(chr(160), " ") for x in (0.0101, 0.1, 0.7, 0)]
    ['1 of 99', '1 of 10', '70 % of', 'fewer than 1 of 100,000']
    """
    if share > 0.25:
        return f"{percent(share)} of"
    if share < 1e-5:
        return "fewer than 1 of 100,000"
    times = 1 / share
    rough = float(f"{times:.2g}") if times >= 100 else round(times)
    return f"1 of {rough:,.0f}"


def times_a(number_of: float) -> str:
    """Return how many times something happens on average.

    >>> times_a(1.0), times_a(1.62), times_a(2)
    ('once', '1.62 times', 'twice')
    """
    return {1: "once", 2: "twice"}.get(number_of) or f"{number(number_of)} times"  # type: ignore[call-overload]


def times_as_high(ratio: float, low: float, high: float) -> str:
    """Return a ratio with its interval in words.

    >>> times_as_high(123, 4.56, 31400), times_as_high(float("inf"), 4.56, float("inf"))
    ('120 times as high (4.6 to over 1,000)', 'at least 4.6 times as high')
    """
    if math.isinf(high):
        return f"at least {_rough(low)} times as high"
    return f"{_rough(ratio)} times as high ({_rough(low)} to {_rough(high)})"


def _rough(value: float) -> str:
    """Return a number with two digits that matter."""
    return "over 1,000" if value > 1000 else f"{float(f'{value:.2g}'):g}"


def verdict(diagnostics: Diagnostics, chains: int) -> tuple[str, str]:
    """Return whether numbers are stable: a grade (good, fair, poor), and a sentence without jargon.

    Whether the model describes the data is another question, which predictive checks answer.
    """
    if math.isnan(diagnostics.max_rhat):
        return (
            "poor",
            "There are too few draws to tell whether the numbers on this page are stable. Sample longer.",
        )
    again = "read the numbers as accurate to about one digit, and sample longer before you publish them."
    if chains == 1:
        return "fair", (
            "The sampler was started only once, so it is not known whether it would come to the same result "
            f"from another starting point: {again}"
        )
    if diagnostics.reaches(400, 1.01):
        return "good", (
            f"The sampler was started {chains} times from different places and came to the same result each "
            "time: another run would give nearly the same numbers."
        )
    if diagnostics.reaches(100, 1.05):
        return "fair", (
            "Runs of the sampler from different places agree roughly, but not as closely as they should: "
            + again
        )
    return "poor", (
        "Runs of the sampler from different places do not agree yet, so the numbers on this page may "
        "change from run to run. Sample longer (more draws, or a larger maximum) before you use them."
    )


def reason(
    votes: Sequence[Vote], probability: float, occurrence: float, *, expert: str = "", together: bool = False
) -> str:
    """Return why the model overrules the majority of these votes on a species of this occurrence, in words.

    `expert` is what an expert said, present or absent, if one did. `together` says that the model is a
    mixture, so that other species in the recording matter as well.

    >>> votes = [Vote("Aino", True, 0.8, 0.04), Vote("Onni", False, 0.6, 0.001)]
    >>> print(reason(votes, 0.2, 0.01).replace(chr(160), " "))
    Aino, who reported it, does so in 1 of 25 recordings without it. Onni, who did not, finds it in 60 % of
    the recordings that have it. It is in 1.0 % of recordings.
    """
    said, silent = [v for v in votes if v.present], [v for v in votes if not v.present]
    likely, parts = probability >= 0.5, [f"The expert said that it is {expert}."] if expert else []
    rarely = likely and max((vote.fpr for vote in said), default=1) <= RARELY
    if said:
        parts.append(
            f"{_names(said)}, who reported it, {_verb(said, 'do', 'es')} so in {'only ' if rarely else ''}"
            f"{_range([v.fpr for v in said], one_in)} recordings without it."
        )
    if silent:
        what = _verb(silent, "miss", "es") if likely else _verb(silent, "find", "s")
        share = _range([1 - v.tpr if likely else v.tpr for v in silent], percent)
        parts.append(
            f"{_names(silent)}, who did not{'' if said else ' report it'}, {what} it in {share} of the "
            "recordings that have it."
        )
    parts.append(f"It is in {percent(occurrence)} of recordings.")
    if together:
        parts.append(f"What else is in the recording may speak {'for' if likely else 'against'} it too.")
    return " ".join(parts)


def _range(values: Sequence[float], shown: Callable[[float], str]) -> str:
    """Return up to three numbers one by one, and more as a range; numbers that look the same once."""
    alike = len({shown(value) for value in values}) == 1
    if len(values) <= 3 or alike:
        return listed([shown(value) for value in (values[:1] if alike else values)])
    return f"{shown(min(values))} to {shown(max(values))}"


def _names(votes: Sequence[Vote]) -> str:
    return listed([vote.annotator for vote in votes])


def _verb(votes: Sequence[Vote], verb: str, ending: str) -> str:
    return verb + ending if len(votes) == 1 else verb
