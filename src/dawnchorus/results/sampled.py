"""Sampled: what is to be sampled, the chains, and the posterior of their draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..annotations.annotations import Annotations
from ..annotations.known import KnownCells
from ..common.checked import Seed, seed_number
from ..common.errors import AnnotationError, AnnotationWarning, ConvergenceWarning
from ..common.json_text import plain_value
from ..common.warn import warn
from ..model.distributions import as_plain
from ..model.distributions.named_priors import doubts
from ..model.earlier import Earlier
from ..model.formula.skill import note_missing
from ..model.sweep import Model
from ..sampling.chains import sample
from ..sampling.checkpoint import Checkpoint, fingerprint, known_fingerprint, model_fingerprint, saved_seed
from ..sampling.collected import Sample
from ..sampling.convergence import Diagnostics
from ..sampling.progress import SamplingProgress, shown_sampling
from ..sampling.settings import Settings
from .findings.known import known_record
from .posterior import Posterior

DRAWS_DEPEND_ON = ("chains", "seed", "warmup", "draws", "thin", "pair_megabytes")
"""The settings on which draws depend; the others say only when to stop."""


@dataclass(frozen=True)
class Task:
    """What is to be sampled.

    Attributes
    ----------
    model, annotations, known, settings
        The model, the votes, the cells that are known from elsewhere if any are, and how long to sample.
    options
        The options of the model in plain values, for the record.
    earlier
        For each chain a draw of an earlier fit to start from; none if chains start anew.
    planned
        Sweeps beyond the warm-up that will probably be needed; 0 if that is not known.
    updated
        What the earlier fit was, and what is new, for the record; none if chains start anew.
    """

    model: Model
    annotations: Annotations
    known: KnownCells | None
    settings: Settings
    options: dict[str, Any]
    earlier: tuple[Earlier, ...] = ()
    planned: int = 0
    updated: dict[str, Any] = field(default_factory=dict)


def run(
    task: Task,
    *,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    allow_unconverged: bool = False,
    progress: bool | Callable[[SamplingProgress], None] | None = None,
    cluster: Any = None,
) -> Posterior:
    """Sample, with checkpoints and progress, and return the posterior; warn if it has not converged."""
    if resume and checkpoint is None:
        raise AnnotationError("there is nothing to resume from", "name a checkpoint")
    said = getattr(task.model.expertise, "said", None)
    if said is not None:
        note_missing(said)
    for doubt in doubts(task.model.priors):
        warn(doubt, AnnotationWarning)
    saved = None
    if checkpoint is not None:
        saved = Checkpoint(Path(checkpoint), _depends_on(task), resume=resume, keep=keep_checkpoint)
    with shown(progress, "Updating" if task.earlier else "Fitting", task.model.name) as show:
        drawn = sample(
            task.model,
            task.annotations,
            task.settings,
            known=task.known,
            earlier=task.earlier,
            planned=task.planned,
            checkpoint=saved,
            progress=show,
            cluster=cluster,
        )
    posterior = _posterior(task, drawn)
    if not allow_unconverged:
        tell_unconverged(drawn.diagnostics, task.settings)
    return posterior


def tell_unconverged(found: Diagnostics, asked: Settings) -> None:
    """Warn if sampling stopped before the chains agreed as they should."""
    if asked.min_ess is not None and not found.converged:
        warn(found.in_words(asked.min_ess, asked.max_rhat, asked.max_mcse), ConvergenceWarning)


def chosen_seed(seed: Seed, checkpoint: str | Path | None, *, resume: bool) -> int:
    """Return the seed as a number; without one, that of the checkpoint from which sampling resumes."""
    if seed is None and resume and checkpoint is not None and Path(checkpoint).exists():
        seed = saved_seed(Path(checkpoint))
    return seed_number(seed)


def _depends_on(task: Task) -> dict[str, Any]:
    """Return all that draws depend on, in plain values."""
    what = {
        "data": fingerprint(task.annotations),
        "known": None if task.known is None else known_fingerprint(task.known),
        "model": [task.model.name, *sorted(task.options.items())],
        "priors": {name: as_plain(prior) for name, prior in task.model.priors.items()},
        "parts": model_fingerprint(task.model),
        **{name: getattr(task.settings, name) for name in DRAWS_DEPEND_ON},
    }
    if task.earlier:
        values = [[*start.values.items(), start.annotator, start.species] for start in task.earlier]
        what["start"] = model_fingerprint(values)
    return dict(plain_value(what))


def shown(
    progress: bool | Callable[[SamplingProgress], None] | None, doing: str, model: str
) -> AbstractContextManager[Callable[[SamplingProgress], None] | None]:
    """Return what shows the progress: a bar, a function of the user's, or nothing."""
    if progress is True:
        return shown_sampling(f"{doing} {model}")
    if progress is None or progress is False or callable(progress):
        return nullcontext(progress or None)
    raise AnnotationError(f"progress is {progress!r}", "give True, False or a function")


def _posterior(task: Task, sample: Sample) -> Posterior:
    """Return the posterior: model, annotations, draws, diagnostics, and the record of the fit."""
    model = task.model
    record = record_of(model, task.options, sample)
    if task.updated:
        record["updated"] = task.updated
    known = sample.design.known
    if known is not None:
        record["known"] = known_record(task.annotations, known)
    if model.scored is not None:
        record["machines"] = list(model.scored.machines)
        record["score_cuts"] = [None if cut == -math.inf else cut for cut in model.scored.cut]
    parts = sample.draws, sample.presence, sample.diagnostics, record, known
    posterior = Posterior(model, task.annotations, *parts)
    posterior.__dict__["design"] = sample.design
    return posterior


def record_of(model: Model, options: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """Return the record of a fit: priors, options, seed, sweeps and settings."""
    settings = sample.settings
    return {
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
