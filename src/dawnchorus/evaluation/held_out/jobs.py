"""Jobs: a fit of one model to all but one fold, or to all recordings for leave-one-out; one file each."""

from __future__ import annotations

import hashlib
import re
import time
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...annotations.annotations import Annotations
from ...common.errors import AnnotationWarning, ConvergenceWarning
from ...common.files.whole import whole_file
from ...common.lazy import lazy
from ...common.ragged import Floats
from ...common.workers.place import threads_here
from ...results.fitting import fit
from ...results.posterior import Posterior
from .folds import Fold
from .predicting import HeldOutVotes, predict_held_out
from .specs import ModelSpec

STATS = lazy("arviz_stats", extra="arviz", purpose="leave-one-out")
XARRAY = lazy("xarray")
WHOLE = -1
"""The number of the fold that holds nothing out: for leave-one-out."""
FIRST: dict[str, Any] = {"chains": 1, "warmup": 10, "draws": 30, "min_ess": None, "max_sweeps": 40}
"""The length of the fit before the first of a model in a process; leave-one-out needs some draws."""
MOST_DRAWS = 1000
"""Leave-one-out is computed from at most so many draws."""


class Job(NamedTuple):
    """A model, and the number of the fold that is held out."""

    spec: ModelSpec
    fold: int

    @property
    def words(self) -> str:
        """The job in words."""
        return f"{self.spec.text}, {'all visits' if self.fold == WHOLE else f'fold {self.fold + 1}'}"

    @property
    def file(self) -> str:
        """The name of its file: readable, and another one for another model."""
        text = self.spec.text
        short = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60]
        digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
        return f"{short}.{digest}.{'all' if self.fold == WHOLE else f'fold-{self.fold + 1}'}.npz"


class Outcome(NamedTuple):
    """What a job has found: votes and their probability, or leave-one-out by recording; and how it went.

    Attributes
    ----------
    votes
        The held-out votes; none for leave-one-out.
    loo, pareto_k
        The log density of each recording's votes when it is left out, and the reliability of that.
    seconds, max_rhat
        How long fitting and predicting took, and how well chains agree.
    """

    votes: HeldOutVotes
    loo: Floats
    pareto_k: Floats
    seconds: float
    max_rhat: float

    def save(self, path: Path) -> None:
        """Write a file, whole or not at all."""
        arrays = {**self.votes._asdict(), "loo": self.loo, "pareto_k": self.pareto_k}
        with whole_file(path) as draft, draft.open("wb") as file:
            np.savez_compressed(file, **arrays, how=np.array([self.seconds, self.max_rhat]))

    @classmethod
    def load(cls, path: Path) -> Outcome | None:
        """Return what was saved; None if there is no such file, or it cannot be read."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
                votes = HeldOutVotes(*(saved[name] for name in HeldOutVotes._fields))
                seconds, max_rhat = saved["how"].tolist()
                return cls(votes, saved["loo"], saved["pareto_k"], seconds, max_rhat)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None


@dataclass(frozen=True)
class Runner:
    """Runs jobs in this process, one after the other.

    Before the first job of a model, a very short one is run: it loads or compiles what such jobs call, so
    that the seconds of a model are of its work, whichever process does it and whichever model comes first.
    """

    annotations: Annotations
    folds: list[Fold]
    sampling: dict[str, Any]
    started: set[tuple[ModelSpec, bool]] = field(default_factory=set)

    def run(self, job: Job) -> Outcome:
        """Return what a job has found."""
        kind = job.spec, job.fold == WHOLE
        sampling = {"threads": threads_here(), **self.sampling}
        if kind not in self.started:
            run_job(job, self.annotations, self.folds, sampling | FIRST)
            self.started.add(kind)
        return run_job(job, self.annotations, self.folds, sampling)


def run_one(runner: Runner, job: Job) -> Outcome:
    """Return what a job has found, in whichever process the runner is."""
    return runner.run(job)


def run_job(job: Job, annotations: Annotations, folds: list[Fold], sampling: dict[str, Any]) -> Outcome:
    """Fit a model without the held-out visits, and predict their votes."""
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # R-hat is in the table
        warnings.simplefilter("ignore", AnnotationWarning)  # told once, before the first fold
        if job.fold == WHOLE:
            votes = HeldOutVotes(*(np.empty(0, kind) for kind in (np.int64, np.int32, bool, float)))
            posterior = fit(annotations, **job.spec.options, **sampling)
            loo, pareto_k = left_out(posterior)
        else:
            fold = folds[job.fold]
            posterior = fit(fold.fitted(annotations), **job.spec.options, **sampling)
            votes = predict_held_out(posterior, annotations, fold, sampling.get("seed", 0))
            loo = pareto_k = np.empty(0)
    seconds = time.perf_counter() - started
    return Outcome(votes, loo, pareto_k, seconds, float(posterior.diagnostics.max_rhat))


def left_out(posterior: Posterior) -> tuple[Floats, Floats]:
    """Return PSIS-LOO by recording, with presence summed out, and the Pareto k of each."""
    voted = np.diff(posterior.annotations.visits_by_recording.start) > 0
    found = posterior.presence_table.log_likelihood(MOST_DRAWS)[:, voted]
    likelihood = found.reshape(posterior.draws.chains, -1, found.shape[1])
    tree = XARRAY.DataTree.from_dict(
        {
            "posterior": XARRAY.Dataset({"x": (("chain", "draw"), likelihood.sum(axis=2))}),
            "log_likelihood": XARRAY.Dataset({"votes": (("chain", "draw", "recording"), likelihood)}),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a large Pareto k is in the table
        loo = STATS.loo(tree, pointwise=True, reff=1.0)
    return np.asarray(loo.elpd_i, float).ravel(), np.asarray(loo.pareto_k, float).ravel()
