"""Watch: the limit of time, the checkpoint and the progress, while chains advance."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..chain import Chain
from ..checkpoint import Checkpoint
from ..convergence import Diagnostics
from ..progress import SamplingProgress

LOOK_EVERY = 0.1
"""Seconds between looks."""


@dataclass(frozen=True)
class Watch:
    """What is looked at while chains advance.

    Attributes
    ----------
    deadline
        When to stop, by `time.monotonic`.
    checkpoint
        Where to save now and then.
    progress
        Whom to tell.
    look
        How well chains agreed when they were last looked at.
    """

    deadline: float | None
    checkpoint: Checkpoint | None
    progress: Callable[[SamplingProgress], None] | None
    look: Diagnostics | None

    @property
    def seconds_left(self) -> float:
        """The seconds until the limit; infinite if there is none."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    @property
    def late(self) -> bool:
        """Whether the limit is over."""
        return self.seconds_left < 0

    @property
    def due(self) -> bool:
        """Whether it is time to save."""
        return self.checkpoint is not None and self.checkpoint.due

    def show(self, chains: list[Chain], target: int) -> None:
        """Tell how far chains are on their way to so many sweeps."""
        if self.progress:
            done = sum(chain.done for chain in chains)
            self.progress(SamplingProgress(done, target * len(chains), self.look))

    def save_if_due(self, chains: list[Chain]) -> None:
        """Save, if it is time to."""
        if self.checkpoint is not None and self.checkpoint.due:
            self.checkpoint.try_to_save(chains)
