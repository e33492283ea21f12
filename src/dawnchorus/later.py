"""Later: the parameters that presence in new recordings depends on, with new annotators from the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from .annotations import Annotations
from .design import Design
from .errors import AnnotationError
from .predictive import Parameters
from .ragged import Floats, Ints
from .thinning import MOST_DRAWS, rates_of

if TYPE_CHECKING:
    from .posterior import Posterior


def later_parameters(
    posterior: Posterior, annotations: Annotations, seed: int
) -> tuple[Design, Parameters, Ints]:
    """Give design, draws of the parameters in its order, and the species that the annotations have."""
    if not isinstance(annotations, Annotations):
        raise TypeError(f"expected Annotations, got {type(annotations).__name__}")
    old, known = posterior.annotations, posterior.annotations.species.index
    species = known.get_indexer(annotations.species.index)
    if (species < 0).any():
        unknown = annotations.species.index[species < 0]
        raise AnnotationError(
            f"species '{unknown[0]}' was not in the annotations that were fitted",
            "leave it out with select(species=…), or fit again with all annotations",
        )
    design = posterior.model.design(annotations)
    parameters = posterior.parameters()
    annotator = old.annotators.index.get_indexer(annotations.annotators.index)
    rng = np.random.default_rng(seed)
    if design.by_species:
        rates = _by_species(posterior, design, annotator, species, rng)
    else:
        rates = _by_annotator(posterior, parameters, annotator, rng)
    occurrence = parameters.occurrence[:, :, species]
    later = parameters._replace(tpr=rates[0], fpr=rates[1], occurrence=np.ascontiguousarray(occurrence))
    return design, later, np.arange(len(species))


def _by_annotator(
    posterior: Posterior, parameters: Parameters, annotator: Ints, rng: np.random.Generator
) -> list[Floats]:
    new = annotator < 0
    rates = []
    for name, known in (("tpr", parameters.tpr), ("fpr", parameters.fpr)):
        prior: Any = posterior.priors[name]
        rate = known[:, np.where(new, 0, annotator)]
        rate[:, new] = rng.beta(prior.a, prior.b, (len(rate), int(new.sum())))
        rates.append(rate)
    return rates


def _by_species(
    posterior: Posterior, design: Design, annotator: Ints, species: Ints, rng: np.random.Generator
) -> list[Floats]:
    chain, draw = posterior.draws.spread(MOST_DRAWS)
    old = posterior.design
    owner = annotator[design.rate_annotator]
    place = np.where(owner >= 0, old.pairs.find(np.maximum(owner, 0), species[design.pairs.item]), -1)
    unknown = np.flatnonzero(place < 0)
    new = annotator < 0
    rates = []
    for name in ("tpr", "fpr"):
        level_prior: Any = posterior.priors[f"{name}_level"]
        known = rates_of(posterior.draws, name, chain, draw)
        rate = np.array(known[:, np.maximum(place, 0)], np.float64)
        level = posterior.draws[f"{name}_level"][chain, draw][:, np.maximum(annotator, 0)]
        level[:, new] = rng.normal(level_prior.mean, level_prior.sd, (len(level), int(new.sum())))
        spread = posterior.draws[f"{name}_spread"][chain, draw][:, None]
        centre = level[:, design.rate_annotator[unknown]]
        rate[:, unknown] = expit(rng.normal(centre, spread))
        rates.append(rate)
    return rates
