"""Sampled: from the draws of all chains to a posterior."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ..annotations.annotations import Annotations
from ..model.sweep import Model
from ..sampling.collected import Sample
from .findings.known import known_record
from .posterior import Posterior


def posterior_of(
    annotations: Annotations, model: Model, sample: Sample, options: dict[str, Any]
) -> Posterior:
    """Return the posterior: model, annotations, draws, diagnostics, and the record of the fit."""
    settings = sample.settings
    record = {
        "priors": {name: str(prior) for name, prior in model.priors.items()},
        **options,
        "seed": settings.seed,
        "chains": settings.chains,
        "warmup": settings.warmup,
        "sweeps": sample.sweeps,
        "thin": sample.thin,
        "draws": sample.draws.length,
        "min_ess": settings.min_ess,
        "max_rhat": settings.max_rhat,
        "max_mcse": settings.max_mcse,
        "sampling_seconds": round(sample.seconds, 3),
        "settings": asdict(settings),
    }
    known = sample.design.known
    if known is not None:
        record["known"] = known_record(annotations, known)
    if model.scored is not None:
        record["machines"] = list(model.scored.machines)
        record["score_cuts"] = [None if cut == -math.inf else cut for cut in model.scored.cut]
    parts = sample.draws, sample.presence, sample.diagnostics, record, known
    posterior = Posterior(model, annotations, *parts)
    posterior.__dict__["design"] = sample.design
    return posterior
