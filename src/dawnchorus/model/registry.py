"""Registry: the models by name. Each is a pair of an occurrence and an expertise; majority vote is none."""

from __future__ import annotations

from inspect import signature
from typing import Any, NamedTuple

from ..annotations.arrays import VoteArrays
from ..common.errors import AnnotationError
from .context import Context
from .distributions.priors import Priors
from .expertise.per_annotator import PerAnnotator
from .expertise.per_annotator_species import PerAnnotatorSpecies
from .occurrence.dirichlet_process import DirichletProcess
from .occurrence.in_context import InContext
from .occurrence.independent import Independent
from .occurrence.mixture import Mixture
from .sweep import Model


class Pair(NamedTuple):
    """The classes of the two sides; the parameters of their `from_priors` are the options of the model."""

    occurrence: Any
    expertise: Any


PAIRS: dict[str, Pair] = {
    "base": Pair(Independent, PerAnnotator),
    "base-hierarchical": Pair(Independent, PerAnnotatorSpecies),
    "dp-bmm": Pair(DirichletProcess, PerAnnotator),
    "dp-bmm-hierarchical": Pair(DirichletProcess, PerAnnotatorSpecies),
    "bmm": Pair(Mixture, PerAnnotator),
    "bmm-hierarchical": Pair(Mixture, PerAnnotatorSpecies),
}
"""The Bayesian models."""
MAJORITY_VOTE = "majority-vote"
MODELS: tuple[str, ...] = (*PAIRS, MAJORITY_VOTE)
"""The names of all models that `fit` knows."""
DEFAULT = "base-hierarchical"
PLAIN_OPTIONS = ("spread", "update", "difficulty", "faint", "deceptive", "unsure")
"""Options of models that are what they are, and need no annotations to be understood."""
OTHER_NAMES = {"mv": MAJORITY_VOTE}


def model_name(model: str) -> str:
    """Return the name of a model as it is in `MODELS`; an error if there is none.

    >>> model_name("DP-BMM-Hierarchical"), model_name("Base Hierarchical")
    ('dp-bmm-hierarchical', 'base-hierarchical')
    """
    name = "-".join(str(model).strip().lower().replace("_", " ").replace("-", " ").split())
    name = OTHER_NAMES.get(name, name)
    if name not in MODELS:
        raise AnnotationError(f"there is no model '{model}'", f"use one of: {', '.join(MODELS)}")
    return name


def reported_share(name: str, annotations: VoteArrays) -> float | None:
    """Return the share of votes that are reports, from which priors of a model with communities are guessed.

    None if recordings are all of one kind in the model of this name.

    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
    >>> reported_share("base", annotations), 0 < reported_share("dp-bmm", annotations) < 1
    (None, True)
    """
    if name not in PAIRS or PAIRS[name].occurrence not in (DirichletProcess, Mixture):
        return None
    return annotations.n_reports / max(annotations.n_votes, 1)


def build_model(name: str, priors: Priors, *, context: Context | None = None, **options: Any) -> Model:
    """Return the model of this name with these priors; options that are None count as not given.

    With a context, how often species occur depends on where and when recordings were made.

    >>> build_model("bmm", Priors.expecting(n_species=30), components=5).occurrence.components
    5
    """
    given = {key: value for key, value in options.items() if value is not None}
    pair = PAIRS[name]
    if context is not None:
        if pair.occurrence is not Independent:
            plain = [other for other, one in PAIRS.items() if one.occurrence is Independent]
            raise AnnotationError(
                f"the model {name} has communities, which do not go together with a context",
                f"leave out the context, or use one of: {', '.join(plain)}",
            )
        pair, given["context"] = pair._replace(occurrence=InContext), context
    occurrence, expertise = (
        side.from_priors(priors, **{key: given.pop(key) for key in tuple(given) if key in _options(side)})
        for side in pair
    )
    if given:
        option = next(iter(given))
        raise AnnotationError(
            f"the model {name} has no option {option}", f"leave it out, or use one of: {_with(option)}"
        )
    return Model(occurrence, expertise, name)


def _with(option: str) -> str:
    """Return the models that have an option."""
    return ", ".join(name for name, pair in PAIRS.items() if any(option in _options(side) for side in pair))


def _options(side: Any) -> Any:
    return signature(side.from_priors).parameters
