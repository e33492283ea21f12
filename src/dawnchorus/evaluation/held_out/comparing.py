"""Comparing: models by how well they predict visits that they have not seen.

Every model is fitted without some visits and predicts their votes, from the other votes on the recording and
what it has learned of whoever made the visit. So it is judged by what was said, and no truth is needed.
Vehtari, Gelman and Gabry (2017), "Practical Bayesian model evaluation using leave-one-out cross-validation
and WAIC"; Roberts et al. (2017), "Cross-validation strategies for data with temporal, spatial, hierarchical,
or phylogenetic structure", on holding out whole sites or dates.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...annotations.annotations import Annotations
from ...annotations.arrays import VoteArrays
from ...annotations.labels import counted, several
from ...common.checked import Seed, seed_number, whole_number, yes_or_no
from ...common.errors import AnnotationError, MissingPackageError
from ...common.lazy import lazy
from ...common.ragged import Ints
from ...common.showing.bars import shown
from ...common.showing.progress import Phases, no_phases
from ...common.warn import warn
from ...common.wording import argument
from ...common.workers.cluster import Cluster
from ...common.workers.connecting import connected
from ...results.fitting import fit
from ...sampling.settings import Settings
from .folds import VISIT, Fold, groups, make_folds
from .jobs import WHOLE, Job, Outcome
from .outcome import Compared, ModelComparison
from .plan import write_plan
from .predicting import HeldOutVotes
from .scoring import score
from .search import searched
from .specs import SEARCHED, ModelSpec, check_part, read_specs
from .workers import do_jobs

FOLDS = "folds"
STATS = lazy("arviz_stats", extra="arviz", purpose="leave-one-out")
TRIAL: dict[str, Any] = {"chains": 1, "warmup": 0, "draws": 1, "min_ess": None, "max_sweeps": 1}
"""A fit of one sweep, which says whether a model goes with the annotations."""


def compare(
    annotations: Annotations,
    models: str | Sequence[str] = ("base", "base-hierarchical"),
    *,
    by: str = VISIT,
    folds: int = 5,
    held_out: int | None = None,
    search: bool | Sequence[str] = False,
    loo: bool = True,
    out: str | Path | None = None,
    workers: int | None = None,
    cluster: Any = None,
    seed: Seed = 0,
    chains: int = 2,
    warmup: int = 500,
    draws: int = 500,
    min_ess: float | None = None,
    max_sweeps: int = 20_000,
    seconds: float | None = None,
    progress: bool | Phases | None = None,
) -> ModelComparison:
    """Compare models by how well they predict the votes of visits that they were not fitted to.

    Parameters
    ----------
    annotations
        The votes.
    models
        Each a name and parts with + between them, such as
        `"base-hierarchical + difficulty + context(site + cc(hour, df=6))"`, in a list or with commas between
        them. Parts: hierarchical, communities, learned, difficulty, faint, deceptive, unsure, skill(…),
        context(…), components(…), priors(…), spread(…), scores(…). No model is told what is known of cells
        from elsewhere (`known` of `fit`).
    by
        What is held out: `"visit"`, single visits to recordings that have others; `"recording"`, whole
        recordings; or `"site"`, `"date"` or another column of recordings' metadata, whole groups of them.
    folds
        Each model is fitted so many times, each time without another part of the visits.
    held_out
        The largest number of visits (of recordings, if these are held out whole) in a fold; by default all
        that there are.
    search
        Whether to go on from the first model, adding one part after the other that helps by more than a
        standard error; or the parts to try. By default those without brackets are tried.
    loo
        Whether to compute PSIS-LOO as well, over recordings, which takes one more fit of each model. It needs
        arviz-stats; without it there is a warning.
    out
        A folder that keeps every finished fold: the same call goes on where it was interrupted, and further
        models are added to those that are there.
    workers
        How many folds are fitted at a time, each in a process of its own; by default one for each core.
    cluster
        Where folds are fitted instead, one at a time on each worker: as in `fit`. The result is the same.
    seed
        Of folds and fits.
    chains, warmup, draws, min_ess, max_sweeps, seconds
        Of every fit, as in `fit`. Chains are shorter than usual there, because many fits are made, and scores
        need fewer draws than tables.
    progress
        With True, a bar; or a function that is called with words, the fits done and their number.

    Returns
    -------
    ModelComparison
        Tables, and which model to choose in words.

    Raises
    ------
    AnnotationError
        If a model is not understood or does not go with the annotations, no visit can be held out, a number
        is out of its range, or a fit fails: the message says which.
    OutputError
        If the folder belongs to another comparison, or cannot be written.
    ClusterError
        If the cluster cannot be reached, or its workers cannot do the work: the message says which.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=3, seed=1).annotations
    >>> short = {"draws": 50, "warmup": 50, "workers": 1, "loo": False}
    >>> compared = dc.compare(annotations, ["base", "base + learned"], folds=2, **short)
    >>> len(compared.table()), len(compared.differences())
    (2, 1)
    """
    if not isinstance(annotations, Annotations):
        raise TypeError(f"expected Annotations, got {type(annotations).__name__}")
    specs = read_specs(models)
    if not specs:
        raise AnnotationError("no model is named", "name at least one")
    number, folds = seed_number(seed), whole_number("folds", folds, least=1)
    if held_out is not None:
        held_out = whole_number("held_out", held_out, least=1)
    if cluster is not None and workers is not None:
        raise AnnotationError(
            "workers are processes of this machine, and a cluster has its own",
            f"leave out {argument('workers')} or {argument('cluster')}",
        )
    workers = whole_number("workers", (os.cpu_count() or 1) if workers is None else workers, least=1)
    yes_or_no(loo=loo, **({} if callable(progress) else {"progress": progress}))
    tried = SEARCHED if search is True else several(search or ())
    parts = [check_part(part) for part in tried]
    sampling: dict[str, Any] = {"chains": chains, "warmup": warmup, "draws": draws, "seed": number}
    sampling |= {"min_ess": min_ess, "max_sweeps": max_sweeps, "seconds": seconds}
    Settings(**sampling)  # raises an error, before any fold is fitted
    made = make_folds(annotations, folds, by, held_out=held_out, seed=number)
    loo = loo and _can_leave_out()
    for spec in specs:
        fit(annotations, **spec.options, **TRIAL)
    with ExitStack() as stack:
        on: int | Cluster = workers
        if cluster is not None:
            on = stack.enter_context(connected(cluster, imports=__name__))
        home = Path(stack.enter_context(TemporaryDirectory()) if out is None else out)
        write_plan(home, annotations, {"by": by, "folds": folds, "held_out": held_out, **sampling})
        (home / FOLDS).mkdir(exist_ok=True)
        show = _shown(progress, stack)
        bench = Bench(annotations, made, by, sampling, loo, home / FOLDS, on, show)
        # without parts to try, a search compares the models that it starts from
        found, steps = searched(specs, parts, bench.compared, bench.trouble)
        return ModelComparison(tuple(found), _words(annotations, made, by), by, tuple(steps))


@dataclass(frozen=True)
class Bench:
    """Fits models without each fold, and scores them; what is in the folder is not fitted again.

    A search asks several times: all that is done is counted together.
    """

    annotations: Annotations
    folds: list[Fold]
    by: str
    sampling: dict[str, Any]
    loo: bool
    folder: Path
    workers: int | Cluster
    show: Phases
    done: list[Job] = field(default_factory=list)

    def compared(self, specs: Sequence[ModelSpec]) -> list[Compared]:
        """Return models with their scores."""
        numbers = [*range(len(self.folds)), *([WHOLE] if self.loo else [])]
        jobs = [Job(spec, number) for number in numbers for spec in specs]
        total = len(self.done) + len(jobs)

        def told(job: Job) -> None:
            self.done.append(job)
            self.show("Comparing models", len(self.done), total)

        self.show("Comparing models", len(self.done), total)
        arguments = (self.annotations, self.folds, self.sampling, self.folder, self.workers)
        do_jobs(jobs, *arguments, told)
        return [self._compared(spec, numbers) for spec in specs]

    def trouble(self, spec: ModelSpec) -> str | None:
        """Return why a model does not go with the annotations; None if it does."""
        if "unsure" in spec.options and not len(self.annotations.unsure.item):
            return "nothing is marked as unsure"
        try:
            fit(self.annotations, **spec.options, **TRIAL)
        except (AnnotationError, MissingPackageError) as error:
            return getattr(error, "problem", str(error))
        return None

    def _compared(self, spec: ModelSpec, numbers: list[int]) -> Compared:
        found = [self._outcome(Job(spec, number)) for number in numbers]
        votes = HeldOutVotes(
            *(np.concatenate(part) for part in zip(*(one.votes for one in found), strict=True))
        )
        loo, pareto_k = found[-1].loo, found[-1].pareto_k
        seconds, rhat = sum(one.seconds for one in found), max(one.max_rhat for one in found)
        return Compared(spec, score(votes, self._unit(votes)), loo, pareto_k, seconds, rhat)

    def _outcome(self, job: Job) -> Outcome:
        found = Outcome.load(self.folder / job.file)
        assert found is not None  # it was just written
        return found

    def _unit(self, votes: HeldOutVotes) -> Ints:
        """Return the visit of each vote or, where recordings are held out whole, their group."""
        unit = votes.visit
        if self.by != VISIT:
            unit = groups(self.annotations, self.by)[self.annotations.visit_recording[votes.visit]]
        return np.unique(unit, return_inverse=True)[1]


def _can_leave_out() -> bool:
    """Return whether arviz-stats is there; warn if not."""
    try:
        return callable(STATS.loo)
    except MissingPackageError as error:
        warn(f"{error.problem}, so it is left out. Remedy: {error.remedy}.")
        return False


def _shown(progress: bool | Phases | None, stack: ExitStack) -> Phases:
    """Return a function that shows progress: a bar, the user's, or nothing."""
    if progress is True:
        show = stack.enter_context(shown("Comparing models"))
        return lambda words, done, total: show(words, done, total, "", "")
    return progress if callable(progress) else no_phases


def _words(annotations: VoteArrays, folds: list[Fold], by: str) -> str:
    """Return what was held out, in words."""
    visits = sum(len(fold.visits) for fold in folds)
    recordings = len(np.unique(annotations.visit_recording[np.concatenate([fold.visits for fold in folds])]))
    whole = "" if by == VISIT else f", whole by {by}"
    where = f"{counted(visits, 'visit')} to {counted(recordings, 'recording')}{whole}"
    return f"{where}, in {counted(len(folds), 'fold')}"
