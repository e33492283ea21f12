"""Fitting of a dataset: it is coded where the computing is done, and sampled in shards."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import numpy as np

from ...annotations.annotations import Annotations
from ...common.errors import AnnotationError, AnnotationWarning
from ...common.json_text import plain_value
from ...common.warn import warn
from ...common.workers.connecting import connected
from ...io.parts.coded import CodedDataset, blocks_in, code_dataset
from ...io.parts.dataset import Dataset
from ...model import design as design_module
from ...model.distributions import as_plain
from ...model.distributions.named_priors import doubts
from ...model.shards.counts import check_shards
from ...model.sweep import Model
from ...sampling.checkpoint import Checkpoint, model_fingerprint
from ...sampling.presence_means import ReportedPresence
from ...sampling.progress import SamplingProgress
from ...sampling.settings import Settings
from ...sampling.shards.crew import crew_of
from ...sampling.shards.memory import check_memory
from ...sampling.shards.sampled import sample_shards
from ..fitted import Fitted
from ..sampled import DRAWS_DEPEND_ON, record_of, shown, tell_unconverged
from .finding import Shards
from .posterior_in_parts import PosteriorInParts

ANY_SPECIES = 10
"""The number of species of a model that is only looked at."""


class Home:
    """A temporary folder that is removed when nobody needs it any more."""

    def __init__(self, path: str) -> None:
        self.path = path
        finalize(self, shutil.rmtree, path, ignore_errors=True)


@dataclass(frozen=True)
class FitOfParts:
    """What is to be fitted: `model` makes the model for a number of species."""

    dataset: Dataset
    model: Callable[[int], Model]
    settings: Settings
    options: dict[str, Any]


def fit_parts(
    task: FitOfParts,
    *,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    allow_unconverged: bool = False,
    progress: bool | Callable[[SamplingProgress], None] | None = None,
    cluster: Any = None,
    work: str | Path | None = None,
) -> PosteriorInParts | None:
    """Fit a dataset in shards; None if it is so small that it is one block, and better fitted in memory.

    The coded data, and the odds and rates of all sweeps, are in the folder `work`, by default one beside the
    checkpoint or a temporary one.
    """
    check_shards(task.model(ANY_SPECIES))
    if resume and checkpoint is None:
        raise AnnotationError("there is nothing to resume from", "name a checkpoint")
    with ExitStack() as stack:
        folder, home = _folder(checkpoint, work, resume=resume)
        workers = None
        if cluster is not None:
            workers = stack.enter_context(connected(cluster, imports=__name__))
        with _removed_if_bad(folder if work is None and not resume else None):
            coded = code_dataset(task.dataset, folder, workers)
        if len(blocks_in(coded, design_module.BLOCK)) == 2:
            return None
        check_memory(coded, workers)
        model = task.model(len(coded.labels.species))
        for doubt in doubts(model.priors):
            warn(doubt, AnnotationWarning)
        saved = None
        if checkpoint is not None:
            what = _depends_on(model, coded, task.settings)
            saved = Checkpoint(Path(checkpoint), what, resume=resume, keep=keep_checkpoint)
        threads = task.settings.threads or os.cpu_count() or 1
        if workers is not None:
            threads = sum(workers.workers.values())
        crew = stack.enter_context(closing(crew_of(workers, threads)))
        show = stack.enter_context(shown(progress, "Fitting", model.name))
        found = sample_shards(
            model, coded, task.settings, crew, folder, shards=threads, checkpoint=saved, progress=show
        )
    sample, elsewhere = found.sample, found.design.elsewhere
    nothing = ReportedPresence(np.empty(0), np.empty(0), 0)
    record = record_of(model, task.options, sample)
    annotations = Annotations.of(found.design.annotations)
    fitted = Fitted(model, annotations, sample.draws, nothing, sample.diagnostics, record)
    fitted.__dict__["design"] = found.design
    if not allow_unconverged:
        tell_unconverged(sample.diagnostics, task.settings)
    logs = elsewhere.means(sample.presence, task.settings.chains)
    sweeps = [sample.sweeps - task.settings.warmup] * task.settings.chains
    shards = Shards(elsewhere.places, logs, sweeps)
    return PosteriorInParts.of(fitted, found.sums, shards=shards, home=home)


@contextmanager
def _removed_if_bad(folder: Path | None) -> Iterator[None]:
    """Remove a folder of our own if its data cannot be used."""
    try:
        yield
    except BaseException:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _folder(checkpoint: str | Path | None, work: str | Path | None, *, resume: bool) -> tuple[Path, Any]:
    """Return the folder to work in, and what keeps it."""
    if work is None and checkpoint is None:
        home = Home(mkdtemp(prefix="dawnchorus-"))
        return Path(home.path), home
    folder = Path(f"{checkpoint}.work" if work is None else work).absolute()
    if not resume:
        shutil.rmtree(folder / "pieces", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder, None


def _depends_on(model: Model, coded: CodedDataset, settings: Settings) -> dict[str, Any]:
    """Return all that draws depend on, in plain values; of the data, what is known without reading them."""
    digest = hashlib.blake2b(digest_size=16)
    for part in coded.dataset.partitions:
        digest.update(f"{Path(part.path).name} {part.bytes} {part.rows}\n".encode())
    for piece in coded.pieces:
        digest.update(f"{piece[1:]}\n".encode())
    for table in coded.tables.values():
        digest.update("\n".join(map(str, table.index)).encode("utf-8", errors="backslashreplace"))
    what = {
        "data": digest.hexdigest(),
        "model": model.name,
        "priors": {name: as_plain(prior) for name, prior in model.priors.items()},
        "parts": model_fingerprint(model),
        **{name: getattr(settings, name) for name in DRAWS_DEPEND_ON},
    }
    return dict(plain_value(what))
