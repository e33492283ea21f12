"""Rebuilt model: the model of a fit, made again from its name, priors and record for any annotations.

Formulas are read again from the metadata of these annotations, and machines found among their annotators.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...annotations.labelled import LabelledVotes
from ...common.errors import OutputError
from ...model.distributions import Beta, Prior
from ...model.distributions.priors import Priors
from ...model.expertise.known_votes import KnownVotes
from ...model.expertise.scored.reports import ScoredReports
from ...model.formula.reading import read_context
from ...model.formula.skill import read_skill
from ...model.registry import PAIRS, PLAIN_OPTIONS, build_model
from ...model.sweep import Model

OWN = {"known_tpr", "known_fpr"}
"""Priors that neither side of a model has: those of an expert who says what is known."""


def rebuilt_model(
    name: str, priors: Mapping[str, Prior], annotations: LabelledVotes, record: dict[str, Any]
) -> Model:
    """Return the model of this name with these priors and the options in the record of its fit.

    Whoever says what is known is part of it; machines are not, see `with_machines`.
    """
    if name not in PAIRS:
        raise OutputError(
            f"the posterior is of '{name}', a model of somebody's own. Remedy: give that model, "
            "as in Posterior.load(path, model=…)."
        )
    beliefs = {key: value for key, value in priors.items() if key not in OWN}
    options: dict[str, Any] = {option: record[option] for option in PLAIN_OPTIONS if option in record}
    if "skill" in record:
        options["skill"] = read_skill(annotations.annotators, record["skill"])
    usual = Priors.expecting(n_species=annotations.n_species)
    if "context" not in record:
        return with_expert(build_model(name, usual.replace(**beliefs), **options), priors)
    context = read_context(annotations.recordings, record["context"])
    known = {key: beliefs.pop(key) for key in tuple(beliefs) if hasattr(usual, key)}
    model = build_model(name, usual.replace(**known), context=context, **options)
    occurrence: Any = model.occurrence
    return with_expert(replace(model, occurrence=occurrence.believing(beliefs)), priors)


def with_expert(model: Model, priors: Mapping[str, Prior]) -> Model:
    """Return the model with the expert who said what was known, if priors tell of one."""
    if not set(priors) >= OWN:
        return model
    tpr, fpr = priors["known_tpr"], priors["known_fpr"]
    assert isinstance(tpr, Beta)
    assert isinstance(fpr, Beta)
    return replace(model, known_votes=KnownVotes(tpr, fpr))


def with_machines(model: Model, annotations: LabelledVotes) -> Model:
    """Return the model with the machines of annotations, if any report has a score."""
    return replace(model, scored=ScoredReports.of(annotations)) if len(annotations.scores) else model
