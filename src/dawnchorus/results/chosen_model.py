"""The chosen model: of a name, or one of the user's own, with priors and options that go with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

from ..annotations.arrays import VoteArrays
from ..annotations.labelled import LabelledVotes
from ..common.errors import AnnotationError
from ..common.wording import option
from ..model.context import Context
from ..model.distributions.named_priors import find_priors
from ..model.distributions.priors import Priors
from ..model.expertise.known_votes import KnownVotes
from ..model.expertise.scored.reports import ScoredReports
from ..model.registry import MAJORITY_VOTE, build_model, model_name, reported_share
from ..model.sweep import Model

Scoring = Literal["use", "ignore"]


def chosen_model(
    model: str | Model,
    priors: str | Priors | None,
    n_species: int,
    special: dict[str, Any],
    annotations: VoteArrays | None = None,
) -> Model:
    """Return a model of one's own as it is, or the one of a name with its priors and options.

    Of communities, more can be guessed if annotations are there.
    """
    if isinstance(model, str):
        if priors is None:
            priors = _usual_priors(special)
        reported = reported_share(model, annotations) if annotations is not None else None
        found = find_priors(priors, n_species, reported=reported)
        return build_model(model, found, **special)
    given = [*special, *(["priors"] if priors is not None else [])]
    if given:
        raise AnnotationError(
            f"{given[0]} does not go with a model of your own", "give it to the sides of the model"
        )
    return model


def model_of_dataset(model: str | Model, priors: Any, n_species: int) -> Model:
    """Return the model of a dataset with so many species."""
    name = model if isinstance(model, Model) else model_name(model)
    priors = priors(n_species) if callable(priors) else priors
    if name == MAJORITY_VOTE:
        raise AnnotationError("majority vote does not take a dataset in parts", "use the model base")
    return chosen_model(name, priors, n_species, {})


def _usual_priors(special: dict[str, Any]) -> str:
    """Return the name of the priors that go with these options.

    Where species may be hard for everyone, a guess of how often they occur would mislead, so all are learned.
    The paper's way to draw rates cannot learn any.
    """
    if special.get("update", "direct") != "direct":
        return "given"
    return "learned" if special.get("difficulty") else "default"


def with_expert(model: Model, priors: str | Priors | None, n_species: int) -> Model:
    """Return the model with an expert who says what is known; one of your own may have one already."""
    if model.known_votes is not None:
        return model
    given = find_priors(priors, n_species) if priors is not None else None
    return replace(model, known_votes=KnownVotes() if given is None else KnownVotes.from_priors(given))


def with_scores(model: Model, annotations: LabelledVotes, scores: str) -> Model:
    """Return the model with the machines whose scores are used; one of your own may have some already."""
    if scores == "ignore" or not len(annotations.scores) or model.scored is not None:
        return model
    return replace(model, scored=ScoredReports.of(annotations))


def check_scoring(scores: str) -> None:
    """Raise an error if it is not known what to do with scores."""
    if scores not in get_args(Scoring):
        raise AnnotationError(
            f"{option('scores', scores)} is not known", f"use one of: {', '.join(get_args(Scoring))}"
        )


def with_formulas(special: dict[str, Any]) -> dict[str, Any]:
    """Return options with formulas in place of their terms."""
    return {name: value.formula if isinstance(value, Context) else value for name, value in special.items()}
