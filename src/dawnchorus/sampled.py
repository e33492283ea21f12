"""Sampled: from the draws of all chains to a posterior."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .annotations import Annotations
from .drawn import Sample
from .gibbs import Model
from .posterior import Posterior
from .priors import Priors
from .ragged import Floats


def posterior_of(
    name: str, annotations: Annotations, priors: Priors, model: Model, sample: Sample, options: dict[str, Any]
) -> Posterior:
    """Put draws, names and the record of the fit together."""
    settings = sample.settings
    used = (*model.occurrence.uses, *model.expertise.uses)
    record = {
        "priors": priors.as_dict(used),
        **options,
        "seed": settings.seed,
        "chains": settings.chains,
        "warmup": settings.warmup,
        "sweeps": sample.sweeps,
        "thin": sample.thin,
        "draws": next(iter(sample.draws.values())).shape[1],
        "min_ess": settings.min_ess,
        "max_rhat": settings.max_rhat,
        "sampling_seconds": round(sample.seconds, 3),
        "settings": asdict(settings),
    }
    posterior = Posterior(
        name,
        annotations,
        priors,
        sample.draws,
        sample.pairs,
        np.asarray(sample.pair_places, np.int64),
        sample.summary,
        _mixture(sample.ragged),
        sample.diagnostics,
        record,
    )
    posterior.__dict__["design"] = sample.design
    return posterior


def _mixture(ragged: dict[str, list[list[Floats]]]) -> dict[str, Floats]:
    """Give components as arrays; draws with fewer have no number in the places left over."""
    if not ragged:
        return {}
    weights = ragged["component_weight"]
    most = max(len(draw) for chain in weights for draw in chain)
    shape = (len(weights), len(weights[0]), most)
    n_species = ragged["component_occurrence"][0][0].shape[1]
    mixture = {
        "weight": np.full(shape, np.nan, np.float32),
        "occurrence": np.full((*shape, n_species), np.nan, np.float32),
    }
    for name, filled in mixture.items():
        for c, chain in enumerate(ragged[f"component_{name}"]):
            for d, draw in enumerate(chain):
                filled[c, d, : len(draw)] = draw
    return mixture
