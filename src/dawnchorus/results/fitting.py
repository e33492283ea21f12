"""Fit: from annotations to a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack, overload

from ..annotations.annotations import Annotations, check_annotations
from ..annotations.known import KnownAs, check_known_as
from ..common.checked import Seed, yes_or_no
from ..common.errors import AnnotationError
from ..common.wording import option
from ..io.parts.dataset import Dataset
from ..io.truth import read_known
from ..model.context import Context
from ..model.distributions.priors import Priors
from ..model.expertise.per_annotator_species import Spread, Unsure, Update
from ..model.formula.reading import read_context
from ..model.formula.skill import read_skill
from ..model.registry import DEFAULT, MAJORITY_VOTE, model_name
from ..model.sweep import Model
from ..sampling.convergence import MAX_MCSE, MAX_RHAT
from ..sampling.progress import SamplingProgress
from ..sampling.settings import Settings
from .chosen_model import (
    Scoring,
    check_scoring,
    chosen_model,
    model_of_dataset,
    with_expert,
    with_formulas,
    with_scores,
)
from .fit_options import DatasetOptions, FitOptions
from .majority_vote import MajorityVote
from .parts.fitting import FitOfParts, fit_parts
from .parts.posterior_in_parts import PosteriorInParts
from .posterior import Posterior
from .sampled import Task, chosen_seed, run


@overload
def fit(annotations: Annotations, model: Literal["majority-vote"]) -> MajorityVote: ...  # type: ignore[overload-overlap]


@overload
def fit(
    annotations: Annotations, model: str | Model = DEFAULT, **options: Unpack[FitOptions]
) -> Posterior: ...


@overload
def fit(
    annotations: Dataset, model: str | Model = DEFAULT, **options: Unpack[DatasetOptions]
) -> Posterior | PosteriorInParts: ...


def fit(
    annotations: Annotations | Dataset,
    model: str | Model = DEFAULT,
    *,
    priors: str | Priors | None = None,
    chains: int = 4,
    seed: Seed = 0,
    warmup: int = 500,
    draws: int = 500,
    thin: int = 1,
    min_ess: float | None = 400,
    max_rhat: float = MAX_RHAT,
    max_mcse: float = MAX_MCSE,
    max_sweeps: int = 20_000,
    seconds: float | None = None,
    threads: int | None = None,
    pair_megabytes: float = 512,
    spread: Spread | None = None,
    update: Update | None = None,
    components: int | None = None,
    context: str | Context | None = None,
    difficulty: bool = False,
    faint: bool = False,
    deceptive: bool = False,
    skill: str | None = None,
    unsure: Unsure = "missing",
    known: Any = None,
    known_as: KnownAs = "truth",
    scores: Scoring = "use",
    checkpoint: str | Path | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    allow_unconverged: bool = False,
    progress: bool | Callable[[SamplingProgress], None] | None = None,
    cluster: Any = None,
    work: str | Path | None = None,
) -> Posterior | MajorityVote | PosteriorInParts:
    """Infer which species are present in which recording, and how good annotators are.

    Parameters
    ----------
    annotations
        The votes; or a `Dataset` in parts, which may be larger than memory, for the models `base` and
        `base-hierarchical`.
    model
        One of `MODELS`, in any case: `"base"`, `"base-hierarchical"` (the default), `"dp-bmm"`,
        `"dp-bmm-hierarchical"`, `"bmm"`, `"bmm-hierarchical"` or `"majority-vote"`; or a `Model` of your own.
    priors
        A `Priors`, or the name of one: `"default"` (occurrence and true positive rates are learned from the
        data; with communities, only the latter), `"learned"` (all are), `"given"` (none is),
        `"paper-simulation"`, `"paper-kerttu"`. A `Model` of your own has its priors already.
    chains, seed
        Independent chains, and the seed of all their random numbers: a whole number, a
        `numpy.random.Generator` of which a number is drawn, or None for a new one, which
        `posterior.record["seed"]` tells.
    warmup
        Sweeps at the start of each chain that are discarded.
    draws
        At least so many draws of each chain are kept, at most twice as many.
    thin
        Keep only every so many sweeps from the start.
    min_ess, max_rhat, max_mcse
        Go on until every parameter has this effective sample size and R-hat, and the probability of every
        reported cell a Monte-Carlo error of at most `max_mcse`; with `min_ess=None`, stop after `draws`
        times `thin` sweeps.
    max_sweeps, seconds
        The largest number of sweeps of a chain, and of seconds; sampling stops there in any case.
    threads
        How many threads there are; by default one for each core, and one in all if data are small. Each chain
        has one as long as there are enough, and what is left over shares the sweeps of large data. Draws do
        not depend on it.
    pair_megabytes
        Draws of rates by annotator and species may take so much memory. Beyond that, fewer are kept.
    spread, update
        Of hierarchical models: `"sampled"` or `"empirical-bayes"`, and `"direct"` or `"polya-gamma"`; the
        latter as in the paper.
    components
        Of `bmm`: the largest possible number of components (20).
    context
        Of `base` and `base-hierarchical`: what occurrence depends on, as a formula of the metadata of
        recordings such as `"site + cc(hour, df=6)"`, or a `Context` that `dc.read_context` returned.
    difficulty
        Of hierarchical models: whether some species are hard for everyone, and some easily taken for present.
        Unless you give priors, they are then learned: with a guess of how often species occur, one that was
        reported once would be taken for common and very hard.
    faint
        Of hierarchical models: whether some birds are faint for everybody who listens, so that votes on the
        same bird depend on each other.
    deceptive
        Of hierarchical models: whether something misleads everybody who listens to some recordings, so that
        votes on the same absent bird depend on each other.
    skill
        Of hierarchical models: what annotators' levels depend on, as a formula of the metadata of annotators
        such as `"level"`, a self-rating. Where it says nothing, its effects shrink to nothing.
    unsure
        What unsure marks are: `"missing"`, no votes; or, in hierarchical models, `"ordered"`, votes between
        silence and a report, by a step that is learned and the same for everybody.
    known
        Cells that are known from elsewhere: a file or a frame (recording, species, present: 1 or 0), or the
        `Truth` of a simulation. They stay fixed, and inform all rates. In place of the recording, there may
        be a column of the recordings' metadata such as `site`, which means all recordings with that value.
    known_as
        `"truth"`; or `"expert"`, if known cells are what an expert says, who may err: with rates of their
        own under strong priors, `known_tpr` and `known_fpr` of `Priors`.
    scores
        What to do with the scores of machines, if reports have any: `"use"` them, or `"ignore"` them.
    checkpoint, resume, keep_checkpoint
        A file to save to every minute and when interrupted; whether to continue from it, if it exists; and
        whether to leave it when the fit is done, so that nothing is lost before results are written.
    allow_unconverged
        Whether to give no warning if sampling stopped before `min_ess`, `max_rhat` and `max_mcse` were
        reached. Without `min_ess` there is none.
    progress
        With True, a bar in a terminal or notebook, and a line now and then where there is neither (a log
        file): sweeps, how well the chains agree, what is left to reach, the expected time. Or a function
        that is called ten times a second with the same. By default, only compiling is announced, which
        takes 20 to 60 seconds once per machine.
    cluster
        Where chains run, if not in threads of this process: the address of a Dask scheduler
        (`"tcp://host:8786"`), processes of this machine (`"local:4"`) or a `dask.distributed.Client`. The
        draws are the same.
    work
        Of a dataset: the folder where its votes are kept as numbers, and the parameters of all sweeps. All
        workers have to reach it under this name. By default one beside the checkpoint, or a temporary one,
        which goes with the result.

    Returns
    -------
    Posterior, MajorityVote or PosteriorInParts
        The result of the fit: tables, draws and a report; for majority vote, tables only; of a dataset,
        the same in parts, to be written by `write_result`. A dataset of few visits is fitted in memory.

    Raises
    ------
    AnnotationError
        If there is no such model, an option does not go with it, a number is out of its range, or there is
        no vote; or if known cells contradict each other, or name recordings or species that are not there.
    OutputError
        If the checkpoint exists and `resume` is not given, or if it belongs to another fit.
    ClusterError
        If the cluster cannot be reached, or its workers cannot do the work: the message says which.
    TypeError
        If `annotations` are not `Annotations`.

    Warns
    -----
    AnnotationWarning
        If the priors expect absent species to be reported more often than present ones.
    ConvergenceWarning
        If sampling stopped before `min_ess`, `max_rhat` and `max_mcse` were reached; the result is returned
        all the same, and `posterior.diagnostics.converged` is false.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=100, visits=3, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", seed=1)
    >>> posterior.diagnostics.min_ess > 400
    True
    """
    yes_or_no(difficulty=difficulty, faint=faint, deceptive=deceptive)
    yes_or_no(resume=resume, keep_checkpoint=keep_checkpoint, allow_unconverged=allow_unconverged)
    settings = Settings(
        chains=chains,
        seed=chosen_seed(seed, checkpoint, resume=resume),
        warmup=warmup,
        draws=draws,
        thin=thin,
        min_ess=min_ess,
        max_rhat=max_rhat,
        max_mcse=max_mcse,
        max_sweeps=max_sweeps,
        seconds=seconds,
        threads=threads,
        pair_megabytes=pair_megabytes,
    )
    _check_known_and_scores(known, known_as, scores)
    special: dict[str, Any] = {"spread": spread, "update": update, "components": components}
    special |= {"difficulty": difficulty or None, "faint": faint or None, "deceptive": deceptive or None}
    special["unsure"] = None if unsure == "missing" else unsure
    special = {name: value for name, value in special.items() if value is not None}
    if isinstance(annotations, Dataset):
        _refuse_of_parts({**special, "context": context, "skill": skill, "known": known})
        shared: dict[str, Any] = {"resume": resume, "keep_checkpoint": keep_checkpoint, "cluster": cluster}
        shared |= {"allow_unconverged": allow_unconverged, "progress": progress, "checkpoint": checkpoint}
        make = partial(model_of_dataset, model, priors)
        found = fit_parts(FitOfParts(annotations, make, settings, {}), **shared, work=work)
        if found is not None:
            return found
        task = Task(make(len((whole := annotations.read()).species)), whole, None, settings, {})
        return run(task, **shared)
    if work is not None:
        raise AnnotationError("work is only for a dataset in parts", "leave it out")
    _check_annotations(annotations)
    if context is not None:
        ready = isinstance(context, Context)
        special["context"] = context if ready else read_context(annotations.recordings, str(context))
    if skill is not None:
        special["skill"] = read_skill(annotations.annotators, skill)
    if not isinstance(model, Model):
        model = model_name(model)
    if model == MAJORITY_VOTE:
        _refuse_options(settings, {"priors": priors, **special, "known": known, "cluster": cluster})
        return MajorityVote(annotations)
    cells = None if known is None else read_known(known, annotations, known_as)
    chosen = chosen_model(model, priors, annotations.n_species, special, annotations)
    if cells is not None and known_as == "expert":
        chosen = with_expert(chosen, priors, annotations.n_species)
    chosen = with_scores(chosen, annotations, scores)
    return run(
        Task(chosen, annotations, cells, settings, with_formulas(special)),
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        allow_unconverged=allow_unconverged,
        progress=progress,
        cluster=cluster,
    )


def _refuse_of_parts(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if value is not None:
            raise AnnotationError(
                f"{option(name)} cannot be used with a dataset in parts yet",
                "leave it out; or, if the data fit into memory, fit dataset.read() in place of the dataset",
            )


def _check_annotations(annotations: Annotations) -> None:
    check_annotations(annotations)
    if not annotations.n_species:
        raise AnnotationError(
            "no row names a species",
            "name the species that were reported, or give a table of species",
            file=annotations.provenance.source,
        )


def _refuse_options(settings: Settings, others: dict[str, Any]) -> None:
    usual = asdict(Settings())
    given = [name for name, value in asdict(settings).items() if value != usual[name]]
    given += [name for name, value in others.items() if value is not None]
    if given:
        raise AnnotationError(f"majority vote has no option {given[0]}", "leave it out")


def _check_known_and_scores(known: Any, known_as: KnownAs, scores: str) -> None:
    check_scoring(scores)
    check_known_as(known_as)
    if known is None and known_as != "truth":
        raise AnnotationError("no cells are known", f"give {option('known')} as well")
