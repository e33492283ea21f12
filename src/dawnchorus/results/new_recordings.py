"""Later: the parameters that presence in new recordings depends on, with new annotators from the prior."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from ..annotations.annotations import Annotations
from ..common.errors import AnnotationError
from ..common.ragged import Floats, Ints
from ..model.design import Design
from ..model.presence.predictive import Parameters
from .fitted import Fitted
from .thinning import MOST_DRAWS, rates_of


def later_parameters(fitted: Fitted, annotations: Annotations, seed: int) -> tuple[Design, Parameters, Ints]:
    """Give design, draws of the parameters in its order, and the species that the annotations have."""
    if not isinstance(annotations, Annotations):
        raise TypeError(f"expected Annotations, got {type(annotations).__name__}")
    old, known = fitted.annotations, fitted.annotations.species.index
    species = known.get_indexer(annotations.species.index)
    if (species < 0).any():
        unknown = annotations.species.index[species < 0]
        raise AnnotationError(
            f"species '{unknown[0]}' was not in the annotations that were fitted",
            "leave it out with select(species=…), or fit again with all annotations",
        )
    design = fitted.model.design(annotations)
    parameters = fitted.parameters()
    annotator = old.annotators.index.get_indexer(annotations.annotators.index)
    rng = np.random.default_rng(seed)
    if design.by_species:
        rates = _by_species(fitted, design, annotator, species, rng)
    else:
        rates = _by_annotator(fitted, parameters, annotator, rng)
    occurrence = parameters.occurrence[:, :, species]
    later = parameters._replace(tpr=rates[0], fpr=rates[1], occurrence=np.ascontiguousarray(occurrence))
    return design, later, np.arange(len(species))


def _by_annotator(
    fitted: Fitted, parameters: Parameters, annotator: Ints, rng: np.random.Generator
) -> list[Floats]:
    new = annotator < 0
    rates = []
    for name, known in (("tpr", parameters.tpr), ("fpr", parameters.fpr)):
        prior: Any = fitted.priors[name]
        rate = known[:, np.where(new, 0, annotator)]
        rate[:, new] = rng.beta(prior.a, prior.b, (len(rate), int(new.sum())))
        rates.append(rate)
    return rates


def _by_species(
    fitted: Fitted, design: Design, annotator: Ints, species: Ints, rng: np.random.Generator
) -> list[Floats]:
    chain, draw = fitted.draws.spread(MOST_DRAWS)
    old = fitted.design
    owner = annotator[design.rate_annotator]
    place = np.where(owner >= 0, old.pairs.find(np.maximum(owner, 0), species[design.pairs.item]), -1)
    unknown = np.flatnonzero(place < 0)
    new = annotator < 0
    rates = []
    for name in ("tpr", "fpr"):
        level_prior: Any = fitted.priors[f"{name}_level"]
        known = rates_of(fitted.draws, name, chain, draw)
        rate = np.array(known[:, np.maximum(place, 0)], np.float64)
        level = fitted.draws[f"{name}_level"][chain, draw][:, np.maximum(annotator, 0)]
        level[:, new] = rng.normal(level_prior.mean, level_prior.sd, (len(level), int(new.sum())))
        spread = fitted.draws[f"{name}_spread"][chain, draw][:, None]
        centre = level[:, design.rate_annotator[unknown]]
        rate[:, unknown] = expit(rng.normal(centre, spread))
        rates.append(rate)
    return rates
