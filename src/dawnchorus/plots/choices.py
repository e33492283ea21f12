"""Choices: what a user may give to a plot; whoever gives something else is told what there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, ParamSpec, TypeVar

import pandas as pd

from ..annotations.labels import Names, place, places, several
from ..common.checked import is_finite
from ..common.errors import AnnotationError
from ..common.ragged import Ints
from ..evaluation.checks.outcome import PredictiveChecks
from ..evaluation.evaluation import Evaluation
from ..evaluation.held_out.outcome import ModelComparison
from ..model.variables import Variable
from ..results.parts.any_posterior import AnyPosterior
from ..results.parts.posterior_in_parts import PosteriorInParts
from ..results.posterior import Posterior

MOST = 12
"""At most so many choices are listed in a message."""
P = ParamSpec("P")
R = TypeVar("R")


class Taken(NamedTuple):
    """What a plot takes: classes, and the same in words."""

    kinds: tuple[type, ...]
    words: str


OF_FIT = "which dc.fit returns for all models but majority vote"
TAKEN = {
    "AnyPosterior": Taken((Posterior, PosteriorInParts), f"a Posterior or PosteriorInParts, {OF_FIT}"),
    "Posterior": Taken((Posterior,), f"a Posterior, {OF_FIT} (of a dataset in parts, it returns no such)"),
    "Evaluation | Mapping[str, Evaluation]": Taken(
        (Evaluation, Mapping), "an Evaluation, which dc.evaluate returns, or a dict of several by name"
    ),
    "ModelComparison": Taken((ModelComparison,), "a ModelComparison, which dc.compare returns"),
    "PredictiveChecks": Taken((PredictiveChecks,), "PredictiveChecks, which dc.predictive_checks returns"),
    "pd.DataFrame": Taken((pd.DataFrame,), "a pandas DataFrame"),
}
"""What plots are given first, by the type that they declare."""


def with_first_checked(plot: Callable[P, R]) -> Callable[P, R]:
    """Return a plot that raises `TypeError` in words if it is first given something of another type.

    >>> def roc(evaluations: Evaluation | Mapping[str, Evaluation]) -> None: ...
    >>> with_first_checked(roc)("scores")
    Traceback (most recent call last):
    TypeError: plots.roc takes an Evaluation, which dc.evaluate returns, or a dict of several by name, not str
    """
    name, parameter = next(iter(signature(plot).parameters.items()))
    taken = TAKEN[parameter.annotation]

    @wraps(plot)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for first in args[:1] or [kwargs[name] for name in [name] if name in kwargs]:
            if not isinstance(first, taken.kinds):
                raise TypeError(f"plots.{plot.__name__} takes {taken.words}, not {type(first).__name__}")
        return plot(*args, **kwargs)

    return checked


def some_of(index: pd.Index, names: Names) -> Ints:
    """Return the positions of the labels to show; raise an error if there is none, or one is not known.

    >>> some_of(pd.Index(["Aino", "Onni"], name="annotator"), [])
    Traceback (most recent call last):
    dawnchorus.common.errors.AnnotationError: no annotator is named. Remedy: name at least one.
    """
    found = places(index, names)
    if not len(found):
        raise none_named(str(index.name))
    return found


def none_named(what: str) -> AnnotationError:
    """Return an error about a plot of nothing."""
    return AnnotationError(f"no {what} is named", "name at least one")


def one_of(name: str, known: Iterable[Any], what: str) -> str:
    """Return a name if it is known; otherwise raise an error that lists what there is.

    Raises
    ------
    AnnotationError
        If it is not known.

    Examples
    --------
    >>> one_of("tpr", ["tpr", "fpr"], "rate")
    'tpr'
    >>> one_of("tprs", ["tpr", "fpr"], "rate")
    Traceback (most recent call last):
    dawnchorus.common.errors.AnnotationError: there is no rate 'tprs'; there are tpr, fpr. Remedy: use tpr.
    """
    known = [str(one) for one in known]
    if name in known:
        return name
    close = get_close_matches(str(name), known, n=1)
    listed = ", ".join(known[:MOST]) + (f" and {len(known) - MOST} more" if len(known) > MOST else "")
    there = f"there are {listed}" if known else "there is none"
    raise AnnotationError(
        f"there is no {what} '{name}'; {there}", f"use {close[0]}" if close else "use one of these"
    )


def parameter(posterior: AnyPosterior, name: str, dimension: str | None = None) -> Variable:
    """Return a parameter of which there are draws, with the dimension asked for, if any."""
    known = [
        v.name
        for v in posterior.draws.variables
        if posterior.draws[v.name].size and (dimension is None or v.dims == (dimension,))
    ]
    of = f" of {dimension}s" if dimension == "annotator" else ""
    return posterior.draws.variable(one_of(name, known, f"parameter{of}"))


def item_place(posterior: AnyPosterior, variable: Variable, item: Any) -> int | None:
    """Return the place of an item of a parameter, which may be given by place or by name.

    Names are those of an annotator, a species, a pair of both, or of a term or an effect of the context.
    """
    number = posterior.draws[variable.name].shape[2:]
    if variable.names and len(number) == 2:  # effects on species, one after the other
        number = (number[0] * number[1],)
    if item is None or not number:
        if item is not None:
            raise AnnotationError(f"{variable.name} has one value, not several", "leave out the item")
        return None
    if isinstance(item, str | tuple | list):
        return _named_place(posterior, variable, [str(name) for name in several(item)])
    if not is_finite(item) or item != int(item) or not 0 <= item < number[-1]:
        raise AnnotationError(
            f"{variable.name} has no item {item}; it has {number[-1]}, from 0 to {number[-1] - 1}",
            _how(variable),
        )
    return int(item)


def _named_place(posterior: AnyPosterior, variable: Variable, names: list[str]) -> int:
    a, d = posterior.annotations, posterior.design
    dimension = variable.dims[-1]
    wanted = 2 if dimension == "pair" or (variable.names and len(variable.dims) == 2) else 1
    if len(names) != wanted or dimension == "component":
        raise AnnotationError(f"{variable.name} has no item named {', '.join(names)}", _how(variable))
    if variable.names:
        at = place(pd.Index(variable.names), names[0])
        return at if wanted == 1 else at * a.n_species + place(a.species.index, names[1])
    if dimension != "pair":
        return place((a.annotators if dimension == "annotator" else a.species).index, names[0])
    j, k = place(a.annotators.index, names[0]), place(a.species.index, names[1])
    (found,) = d.pairs.find([j], [k])
    if found < 0:
        raise AnnotationError(
            f"species '{names[1]}' is not on the list of annotator '{names[0]}'", _how(variable)
        )
    return int(found)


def _how(variable: Variable) -> str:
    if variable.names and len(variable.dims) == 2:
        return "give a pair of names, of an effect of the context and a species"
    named = {
        "annotator": "give the name of an annotator",
        "species": "give the name of a species",
        "pair": "give a pair of names, of an annotator and a species",
        "component": "give the number of a component, from 0",
        "term": "give the name of a term of the context",
        "effect": "give the name of an effect of the context",
        "skill_term": "give the name of a term of the formula of skill",
        "skill_effect": "give the name of an effect on annotators' levels",
        "machine": "give the name of an annotator whose reports have scores",
    }
    return named[variable.dims[-1]]
