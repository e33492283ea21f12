"""Update: new annotations join a fit; chains start from its draws instead of from scratch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ...annotations.annotations import Annotations
from ...annotations.labelled import LabelledVotes
from ...annotations.labels import counted
from ...common.checked import Seed, yes_or_no
from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import listed, option
from ...model.distributions.named_priors import find_priors
from ...model.distributions.priors import Priors
from ...model.registry import PAIRS, PLAIN_OPTIONS, reported_share
from ...model.sweep import Model
from ...sampling.convergence import MAX_MCSE, MAX_RHAT
from ...sampling.progress import SamplingProgress
from ...sampling.settings import Settings
from ..fitted import Fitted
from ..parts.presence_in_parts import needs_votes
from ..posterior import Posterior
from ..sampled import Task, chosen_seed, run
from ..saving.rebuilt_model import OWN, rebuilt_model, with_machines
from ..saving.saved_result import RECORD, read_record
from .joined_data import join_annotations, join_known, what_is_new
from .starts import earlier_draws, planned_sweeps, short_warmup

OPTIONS = (*PLAIN_OPTIONS, "components", "context", "skill")
"""The options of models that the record of a fit has."""


def update(
    posterior: Posterior | str | Path,
    annotations: Annotations,
    *,
    model: Model | None = None,
    priors: str | Priors | None = None,
    known: Any = None,
    chains: int = 4,
    seed: Seed = 0,
    warmup: int | None = None,
    draws: int = 500,
    thin: int = 1,
    min_ess: float | None = 400,
    max_rhat: float = MAX_RHAT,
    max_mcse: float = MAX_MCSE,
    max_sweeps: int = 20_000,
    seconds: float | None = None,
    threads: int | None = None,
    pair_megabytes: float = 512,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    allow_unconverged: bool = False,
    progress: bool | Callable[[SamplingProgress], None] | None = None,
) -> Posterior:
    """Fit old and new annotations together, starting from the draws of the fit of the old ones.

    New visits, recordings, annotators and species join the annotations of the fit. The posterior is that of
    a fit of all of them together, with the same model and priors; only the start of the chains differs, so
    that less warm-up is needed. No draw of the old fit is among those of the new one.

    Parameters
    ----------
    posterior
        The fit to update: a posterior, or the folder that `dawnchorus fit` or `write_result` wrote.
    annotations
        The new annotations alone. A visit that the fit has already has to be the same.
    model
        The model for all annotations, if it was one of your own and cannot be used as it is; others are made
        again by themselves, with formulas read from the metadata of all recordings and annotators.
    priors
        Other priors than those of the fit, as in `fit`. By default they stay as they were, also if the
        number of species has changed.
    known
        Cells that are known from elsewhere beside those that the fit knew, as in `fit`, and known in the
        same way.
    warmup
        Sweeps at the start of each chain that are discarded. By default between 50 and 500: five times as
        many as the slowest parameter of the old fit took for an independent draw; 500 if that fit had not
        converged.
    chains, seed, draws, thin, min_ess, max_rhat, max_mcse, max_sweeps, seconds, threads, pair_megabytes
        As in `fit`.
    checkpoint, resume, keep_checkpoint, allow_unconverged, progress
        As in `fit`.

    Returns
    -------
    Posterior
        The posterior of all annotations; `record["updated"]` tells what was updated, and what is new.

    Raises
    ------
    AnnotationError
        If nothing is new, a visit is in both and differs, metadata that the model needs are missing, or an
        option is out of its range.
    OutputError
        If the folder holds no posterior, or the checkpoint is of another fit.
    TypeError
        If `annotations` are not `Annotations`.

    Warns
    -----
    AnnotationWarning
        If the old fit had not converged; if the number of species has changed and the priors have not; if a
        side of a model of your own cannot start from draws.
    ConvergenceWarning
        If sampling stopped before `min_ess`, `max_rhat` and `max_mcse` were reached.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=100, visits=3, seed=1).annotations
    >>> labels = annotations.recordings.index
    >>> posterior = dc.fit(annotations.select(recordings=labels[:90]), model="base", seed=1)
    >>> updated = dc.update(posterior, annotations.select(recordings=labels[90:]), seed=2)
    >>> updated.annotations == annotations, updated.record["updated"]["new_recordings"]
    (True, 10)
    """
    yes_or_no(resume=resume, keep_checkpoint=keep_checkpoint, allow_unconverged=allow_unconverged)
    fitted, folder = _earlier_fit(posterior, model)
    together = join_annotations(fitted, annotations)
    updated = what_is_new(fitted, together, known, folder)
    cells = join_known(fitted, together, known)
    settings = Settings(
        chains=chains,
        seed=chosen_seed(seed, checkpoint, resume=resume),
        warmup=min(short_warmup(fitted), max(max_sweeps - thin, 0)) if warmup is None else warmup,
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
    chosen = _model(fitted, together, model, priors)
    _say_what_may_surprise(fitted, together, chosen, priors)
    options = {name: fitted.record[name] for name in OPTIONS if name in fitted.record}
    starts = earlier_draws(fitted, together, settings.chains)
    return run(
        Task(chosen, together, cells, settings, options, starts, planned_sweeps(fitted, settings), updated),
        checkpoint=checkpoint,
        resume=resume,
        keep_checkpoint=keep_checkpoint,
        allow_unconverged=allow_unconverged,
        progress=progress,
    )


def _earlier_fit(posterior: Any, model: Model | None) -> tuple[Fitted, Path | None]:
    """Return the fit to update, and its folder if it is on disk."""
    needs_votes(posterior, "an update")
    if isinstance(posterior, Fitted):
        return posterior, None
    if not isinstance(posterior, str | Path):
        raise TypeError(
            f"expected a Posterior or its folder, got {type(posterior).__name__}: "
            "only a fit that has draws can be updated"
        )
    path = Path(posterior)
    if (path / RECORD).is_file() and read_record(path).get("model") == "majority-vote":
        raise AnnotationError(
            f"{path} is of majority vote, which has no draws to start from",
            "fit all annotations together, which takes no longer",
        )
    return Posterior.load(path, model), path


def _model(
    fitted: Fitted, annotations: LabelledVotes, model: Model | None, priors: str | Priors | None
) -> Model:
    """Return the model of the fit, made for all annotations, with the same priors or others."""
    if model is None and fitted.name not in PAIRS:
        model = fitted.model
    if model is not None:
        if priors is not None:
            raise AnnotationError(
                "priors do not go with a model of your own", "give them to the sides of the model"
            )
        chosen = replace(model, known_votes=fitted.model.known_votes, scored=None)
    else:
        beliefs = dict(fitted.priors)
        if priors is not None:
            reported = reported_share(fitted.name, annotations)
            found = find_priors(priors, annotations.n_species, reported=reported)
            kept = {name: beliefs[name] for name in ("components",) if name in beliefs}
            others = OWN if fitted.model.known_votes is None else set()
            beliefs = {f.name: getattr(found, f.name) for f in fields(found) if f.name not in others} | kept
        chosen = rebuilt_model(fitted.name, beliefs, annotations, fitted.record)
    ignored = fitted.model.scored is None and len(fitted.annotations.scores)
    return chosen if ignored else with_machines(chosen, annotations)


def _say_what_may_surprise(
    fitted: Fitted, annotations: Annotations, model: Model, priors: str | Priors | None
) -> None:
    """Warn of an old fit that is a doubtful start, of priors for other data, and of sides that start anew."""
    if not fitted.diagnostics.converged:
        warn(
            "the fit that is updated had not converged, so the chains warm up as long as in a fit that "
            f"starts anew, unless {option('warmup')} says otherwise"
        )
    then, now = fitted.annotations.n_species, annotations.n_species
    if priors is None and now != then and fitted.name in PAIRS:
        warn(
            f"the priors stay as they were for {counted(then, 'species')}, and there are {now:,} now. To "
            f"have them made for these, use {option('priors', 'default')} or {option('priors', 'learned')}"
        )
    if model.starting_anew:
        warn(f"{listed(model.starting_anew)} of your own model has no start_from, and starts anew")
