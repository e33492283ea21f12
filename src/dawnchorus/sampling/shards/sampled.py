"""Sampling of data in parts: each chain has the workers of all shards in every sweep."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...io.parts.coded import CodedDataset, blocks_in
from ...model import design as design_module
from ...model.shards.counts import Sums
from ...model.shards.global_design import GlobalDesign
from ...model.sweep import Model
from ..backends.threads import Threads
from ..chains import Start, sample_on
from ..checkpoint import Checkpoint
from ..collected import Sample
from ..progress import SamplingProgress
from ..settings import Settings
from .crew import Crew, shares
from .elsewhere import global_design
from .places import Places


@dataclass(frozen=True)
class ShardedSample:
    """The draws of all chains, and the data, which whoever works on shards can still reach."""

    sample: Sample
    design: GlobalDesign
    sums: Sums
    """Of reports and silences by annotator."""


def sample_shards(
    model: Model,
    coded: CodedDataset,
    settings: Settings,
    crew: Crew,
    folder: Path,
    *,
    shards: int,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[SamplingProgress], None] | None = None,
) -> ShardedSample:
    """Run the chains until they agree or a limit is reached, and return their draws.

    These depend neither on the number of shards nor on who works on them. `folder` is where sweeps are noted;
    everybody has to reach it.
    """
    blocks = blocks_in(coded, design_module.BLOCK)
    places = Places(model, coded, blocks, np.array(shares(len(blocks) - 1, shards)))
    design, sums = global_design(model, places, crew, folder, settings.chains)
    design.threads = max((settings.threads or os.cpu_count() or 1) // settings.chains, 1)
    backend = Threads(model, design, settings.chains)
    found = sample_on(backend, model, design, settings, Start((), 0), checkpoint, progress)
    return ShardedSample(found, design, sums.by_annotator(design.rate_annotator))
