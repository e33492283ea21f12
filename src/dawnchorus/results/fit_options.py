"""Fit options: the keyword arguments of `fit` and their types, for signatures that depend on the data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from ..annotations.known import KnownAs
from ..common.checked import Seed
from ..model.context import Context
from ..model.distributions.priors import Priors
from ..model.expertise.per_annotator_species import Spread, Unsure, Update
from ..sampling.progress import SamplingProgress
from .chosen_model import Scoring


class SamplingOptions(TypedDict, total=False):
    """What any data can be fitted with."""

    priors: str | Priors | None
    chains: int
    seed: Seed
    warmup: int
    draws: int
    thin: int
    min_ess: float | None
    max_rhat: float
    max_mcse: float
    max_sweeps: int
    seconds: float | None
    threads: int | None
    pair_megabytes: float
    scores: Scoring
    checkpoint: str | Path | None
    resume: bool
    keep_checkpoint: bool
    allow_unconverged: bool
    progress: bool | Callable[[SamplingProgress], None] | None
    cluster: Any


class FitOptions(SamplingOptions, total=False):
    """What data in memory can be fitted with."""

    spread: Spread | None
    update: Update | None
    components: int | None
    context: str | Context | None
    difficulty: bool
    faint: bool
    deceptive: bool
    skill: str | None
    unsure: Unsure
    known: Any
    known_as: KnownAs


class DatasetOptions(SamplingOptions, total=False):
    """What data in parts can be fitted with."""

    work: str | Path | None
