"""Chains: several at once, until they agree, with checkpoints in case of an interruption.

Chains are independent: each has its own stream of random numbers, spawned from the seed, and stops after a
number of sweeps that depends on draws alone. So the result depends on the seed, never on threads, machines,
timing or interruptions (unless there is a limit of seconds, which decides where to stop).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..annotations.annotations import Annotations
from ..annotations.known import KnownCells
from ..common.errors import AnnotationError, ClusterError, DawnchorusError
from ..common.workers.connecting import connected
from ..model.design import Design
from ..model.earlier import Earlier
from ..model.sweep import Model
from ..model.variables import Variable
from .backends import Backend
from .backends.dask import OnCluster, Place
from .backends.threads import Threads
from .backends.watch import Watch
from .chain import Chain, Room
from .checkpoint import Checkpoint
from .collected import Sample, collect, common_sweeps, kept_draws, stacked
from .convergence import Diagnostics, diagnose
from .moments import diagnose_moments
from .names import parameter_names
from .presence_means import lower_where_worst, pooled_presence
from .progress import SamplingProgress, measured
from .settings import Settings
from .store import Store

STEP, SHORT_STEP = 1.3, 1.1
"""After a look, chains become at least so many times as long; the second, if it is known how long they have
to be: because it was planned, or because only the errors of probabilities are still too large."""


def sample(
    model: Model,
    annotations: Annotations,
    settings: Settings,
    *,
    known: KnownCells | None = None,
    earlier: Sequence[Earlier] = (),
    planned: int = 0,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[SamplingProgress], None] | None = None,
    cluster: Any = None,
) -> Sample:
    """Run the chains until they agree or a limit is reached, and return their draws.

    They advance in threads or, if one is given, on the workers of a cluster. With `earlier`, a draw of an
    earlier fit for each chain, they start from these. Whether they agree is looked at after `planned` sweeps
    beyond the warm-up for the first time, if that is more than `draws`.
    """
    with nullcontext() if cluster is None else connected(cluster, imports=__name__) as workers:
        design = model.design(annotations, known)
        backend: Backend = Threads(model, design, settings.threads)
        if workers is not None:
            backend = OnCluster(workers, Place(model, annotations, known), settings.threads)
        start = Start(earlier, planned)
        return sample_on(backend, model, design, settings, start, checkpoint, progress)


class Start(NamedTuple):
    """What chains start from, if not anew, and how many sweeps are planned then."""

    earlier: Sequence[Earlier]
    planned: int


def sample_on(
    backend: Backend,
    model: Model,
    design: Design,
    settings: Settings,
    start: Start,
    checkpoint: Checkpoint | None,
    progress: Callable[[SamplingProgress], None] | None,
) -> Sample:
    """Run the chains on a backend."""
    progress = progress and measured(progress, settings)
    earlier, planned = start
    backend.prepare()
    started = time.monotonic()
    room = _room(settings, model, design)
    seeds = np.random.SeedSequence(settings.seed).spawn(settings.chains)
    starts: Sequence[Earlier | None] = earlier or [None] * settings.chains
    chains = [
        Chain(model, design.of_chain(i), seed, i, settings.warmup, room, start)
        for i, (seed, start) in enumerate(zip(seeds, starts, strict=True))
    ]
    target = min(settings.warmup + max(settings.draws * settings.thin, planned), settings.max_sweeps)
    if checkpoint is not None:
        target = checkpoint.restore(chains) or target
    names = parameter_names(model, design)
    before = checkpoint.seconds if checkpoint is not None else 0.0
    deadline = None if settings.seconds is None else started + settings.seconds - before
    look = None
    if checkpoint is not None:
        checkpoint.target = target
    while True:
        with _saved_if_stopped(chains, checkpoint):
            in_time = backend.advance(chains, target, Watch(deadline, checkpoint, progress, look))
            last = not in_time or target >= settings.max_sweeps or settings.min_ess is None
            look = _judged(chains, names, design, settings, last)
        if last or look.converged:
            break
        target = _next_target(target, look, settings, SHORT_STEP if planned else STEP)
        if checkpoint is not None:
            checkpoint.target = target
    if progress:
        progress(SamplingProgress(sum(chain.done for chain in chains), target * len(chains), look))
    if checkpoint is not None:
        checkpoint.finish(chains)
    seconds = time.monotonic() - started + before
    return collect(chains, settings, design, look, seconds)


@contextmanager
def _saved_if_stopped(chains: list[Chain], checkpoint: Checkpoint | None) -> Iterator[None]:
    """Save the draws if something interrupts: Ctrl-C, a signal to end, or a fault in a chain."""
    try:
        yield
    except ClusterError:  # the draws so far are here
        if checkpoint is not None:
            checkpoint.try_to_save(chains)
        raise
    except DawnchorusError:  # of something that the user asked for; there is nothing to continue
        raise
    except BaseException:
        if checkpoint is not None:
            checkpoint.try_to_save(chains)
        raise


def _judged(
    chains: list[Chain], names: dict[str, Any], design: Design, settings: Settings, last: bool
) -> Diagnostics:
    """Return how well the chains agree, and whether that is enough.

    What takes longer is looked at only if all before it is good enough, or for the last time.
    """
    if not common_sweeps(chain.draws for chain in chains):
        raise AnnotationError(
            f"{settings.seconds:g} seconds were over before the warm-up was",
            "give more seconds, or fewer sweeps of warm-up",
        )
    cores = settings.threads or os.cpu_count() or 1
    look = _look([chain.draws for chain in chains], names, cores)
    if last or look.reaches(settings.wanted_ess, settings.max_rhat):
        look = _with_presence(look, chains, design)
    if last or look.reaches(settings.wanted_ess, settings.max_rhat, settings.max_mcse):
        look = _with_limited(look, chains, names, cores)
    return replace(look, converged=look.reaches(settings.wanted_ess, settings.max_rhat, settings.max_mcse))


def _room(settings: Settings, model: Model, design: Design) -> Room:
    draws = 2 * settings.draws
    limited = [v for v in model.variables if v.storage == "limited"]
    if not limited:
        return Room(draws, 0, settings.thin)
    bytes_a_draw = 4 * max(sum(_size(v, design) for v in limited), 1)
    fits = int(settings.pair_megabytes * 2**20 / bytes_a_draw / settings.chains)
    return Room(draws, min(fits, draws), settings.thin)


def _look(stores: list[Store], names: dict[str, Any], cores: int) -> Diagnostics:
    """Return how well the chains agree on what is in these stores."""
    return diagnose(stacked(stores, common_sweeps(stores)), names, cores)


def _with_limited(look: Diagnostics, chains: list[Chain], names: dict[str, Any], cores: int) -> Diagnostics:
    """Add how well the chains agree on variables with limited storage."""
    limited: Diagnostics | None = None
    if chains[0].moments.count:  # there is no room for all draws
        limited = diagnose_moments([chain.moments for chain in chains], names)
    elif len(chains[0].limited):
        limited = _look([chain.limited for chain in chains], names, cores)
    if limited is None or not np.isfinite(limited.max_rhat):
        return look
    rhat = max((look.max_rhat, look.worst_rhat), (limited.max_rhat, limited.worst_rhat))
    ess = min((look.min_ess, look.worst_ess), (limited.min_ess, limited.worst_ess))
    families = *look.families, *limited.families
    return replace(
        look, max_rhat=rhat[0], min_ess=ess[0], worst_rhat=rhat[1], worst_ess=ess[1], families=families
    )


def _with_presence(look: Diagnostics, chains: list[Chain], design: Design) -> Diagnostics:
    """Add how exactly the probabilities of reported cells are known."""
    kept = kept_draws(chains)
    if design.elsewhere is not None:
        largest, where = design.elsewhere.largest_error(chains, kept)
        return replace(look, max_mcse=largest, worst_mcse=where)
    mcse = pooled_presence([chain.presence for chain in chains]).mcse
    if not len(mcse):
        return look
    lower_where_worst(mcse, kept, chains[0].model, design)
    if np.isnan(mcse).any():
        return replace(look, max_mcse=np.nan)
    worst, a, reported = int(np.argmax(mcse)), design.annotations, design.layout.reported
    species = a.species.index[reported.cells.item[worst]]
    recording = a.recordings.index[reported.recording[worst]]
    return replace(look, max_mcse=float(mcse[worst]), worst_mcse=f"{species} in {recording}")


def _size(variable: Variable, design: Design) -> int:
    """Return how many values a variable has in a draw."""
    a = design.annotations
    sizes = {"pair": design.n_rates, "species": a.n_species, "annotator": a.n_annotators}
    return math.prod(sizes.get(dim, len(variable.names)) for dim in variable.dims)


def _next_target(target: int, look: Diagnostics, settings: Settings, least: float = STEP) -> int:
    """Return how many sweeps to do next, from the effective sample size so far."""
    factor = 1.5
    if look.max_mcse > settings.max_mcse:
        least = SHORT_STEP
    if settings.min_ess is not None and look.min_ess > 0 and np.isfinite(look.min_ess):
        wanted = max(1.15 * settings.min_ess / look.min_ess, 1.05 * (look.max_mcse / settings.max_mcse) ** 2)
        factor = float(np.clip(wanted, least, 3))
    more = int(np.ceil((target - settings.warmup) * factor))
    return min(settings.warmup + more, settings.max_sweeps)
