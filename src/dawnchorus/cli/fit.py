"""The command `dawnchorus fit`: reads annotations, fits a model and writes the results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ..common.errors import AnnotationError, ClusterError, Stopped
from ..common.files.whole import check_free
from ..common.lazy import lazy
from ..common.wording import option_name
from .arguments import chosen_priors, record_since
from .options import ExactLabels, Json, KnownAs, OnCluster, Out, Overwrite, Scores, Seed
from .reading.shared import Files, with_reading

UNCONVERGED = 3
"""The exit code of a fit that has not converged."""
REGISTRY = lazy("dawnchorus.model.registry")
RESULT_TABLES = lazy("dawnchorus.cli.result_tables")
TERMINAL = lazy("dawnchorus.cli.terminal")


@with_reading
def fit(
    path: Files,
    reading: dict[str, Any],
    out: Out,
    model: Annotated[
        str,
        typer.Option(
            help="base, base-hierarchical, dp-bmm, dp-bmm-hierarchical, bmm, bmm-hierarchical "
            "or majority-vote."
        ),
    ] = "base-hierarchical",
    priors: Annotated[
        str | None,
        typer.Option(
            help="Priors by name: default, learned (from the data), paper-simulation, paper-kerttu."
        ),
    ] = None,
    species_per_recording: Annotated[
        float | None, typer.Option(help="Prior: expected number of species in a recording (3).")
    ] = None,
    tpr: Annotated[
        float | None,
        typer.Option(help="Prior: how often a typical annotator reports a present species (0.8)."),
    ] = None,
    fpr: Annotated[
        float | None, typer.Option(help="Prior: how often one reports an absent species (0.01).")
    ] = None,
    occurrence_strength: Annotated[
        float | None,
        typer.Option(help="Prior: certainty about occurrence, as a number of recordings."),
    ] = None,
    tpr_strength: Annotated[
        float | None,
        typer.Option(help="Prior: certainty about the true positive rate, as a number of votes (10)."),
    ] = None,
    fpr_strength: Annotated[
        float | None,
        typer.Option(help="Prior: certainty about the false positive rate, as a number of votes (100)."),
    ] = None,
    components: Annotated[
        int | None, typer.Option(help="For bmm: the largest number of components (20).")
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(
            help="For base and base-hierarchical: what occurrence depends on, as a formula of columns of "
            '--recordings, such as "site + cc(hour, df=6)".'
        ),
    ] = None,
    difficulty: Annotated[
        bool,
        typer.Option(
            "--difficulty",
            help="For hierarchical models: some species are hard for everyone, or easily taken for present.",
        ),
    ] = False,
    faint: Annotated[
        bool,
        typer.Option(
            "--faint",
            help="For hierarchical models: some birds are faint for everybody, so that votes on the same "
            "bird depend on each other.",
        ),
    ] = False,
    deceptive: Annotated[
        bool,
        typer.Option(
            "--deceptive",
            help="For hierarchical models: something misleads everybody in some recordings, so that votes on "
            "the same absent bird depend on each other.",
        ),
    ] = False,
    unsure: Annotated[
        str,
        typer.Option(
            help="What unsure marks are: missing, no votes; or, for hierarchical models, ordered, votes "
            "between silence and a report.",
        ),
    ] = "missing",
    skill: Annotated[
        str | None,
        typer.Option(
            help="For hierarchical models: what annotators' skill depends on, as a formula of columns of "
            "--annotators, such as their self-rated level."
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            help="Cells that are known from elsewhere and stay fixed: a table of recording (or a column of "
            "--recordings, such as site), species, present."
        ),
    ] = None,
    known_as: Annotated[
        KnownAs,
        typer.Option(help="Whether they are the truth, or what an expert says, who may err."),
    ] = KnownAs.truth,
    scores: Annotated[
        Scores,
        typer.Option(help="Whether to use the scores of machines, if reports have any, or to ignore them."),
    ] = Scores.use,
    chains: Annotated[int | None, typer.Option(min=1, help="Independent chains (4).")] = None,
    warmup: Annotated[
        int | None, typer.Option(min=0, help="Sweeps to discard at the start of each chain (500).")
    ] = None,
    draws: Annotated[
        int | None, typer.Option(min=1, help="Smallest number of draws to keep of each chain (500).")
    ] = None,
    thin: Annotated[int | None, typer.Option(min=1, help="Keep one draw every so many sweeps (1).")] = None,
    min_ess: Annotated[
        float,
        typer.Option(
            min=0, help="Sample until all parameters have this effective sample size; 0 for no such rule."
        ),
    ] = 400,
    max_mcse: Annotated[
        float,
        typer.Option(
            min=0.0001, help="And until the probability of every reported cell is known to this error."
        ),
    ] = 0.01,
    max_sweeps: Annotated[
        int | None, typer.Option(min=1, help="Largest number of sweeps in a chain (20000).")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop sampling after this many seconds.")] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Number of chains that run at the same time. Default: all cores."),
    ] = None,
    cluster: OnCluster = None,
    spread: Annotated[
        str | None, typer.Option(help="For hierarchical models: sampled, or empirical-bayes as in the paper.")
    ] = None,
    update: Annotated[
        str | None, typer.Option(help="For hierarchical models: direct, or polya-gamma as in the paper.")
    ] = None,
    seed: Seed = 0,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue an interrupted fit; the draws are the same as without interruption."
        ),
    ] = False,
    allow_unconverged: Annotated[
        bool,
        typer.Option(
            "--allow-unconverged", help="Exit with 0, not 3, if sampling stops before the chains agree."
        ),
    ] = False,
    min_probability: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="With more than five million cells, list those with at least this probability.",
        ),
    ] = 0.01,
    exact_labels: ExactLabels = False,
    keep_reported: Annotated[
        bool,
        typer.Option(
            "--keep-reported/--drop-reported", help="And those that anybody reported, however improbable."
        ),
    ] = True,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html as well, a page about the fit.")
    ] = True,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Infer which species are where, and how good annotators are."""
    check_free(out, overwrite=overwrite)
    sampling: dict[str, Any] = {
        "chains": chains,
        "warmup": warmup,
        "draws": draws,
        "thin": thin,
        "max_sweeps": max_sweeps,
        "seconds": seconds,
        "threads": threads,
        "cluster": cluster,
        "spread": spread,
        "update": update,
        "components": components,
        "context": context,
        "difficulty": difficulty or None,
        "faint": faint or None,
        "deceptive": deceptive or None,
        "skill": skill,
        "unsure": None if unsure == "missing" else unsure,
        "known": known,
        "known_as": None if known_as is KnownAs.truth else known_as.value,
        "scores": None if scores is Scores.use else scores.value,
    }
    beliefs = {
        "species_per_recording": species_per_recording,
        "tpr": tpr,
        "fpr": fpr,
        "occurrence_strength": occurrence_strength,
        "tpr_strength": tpr_strength,
        "fpr_strength": fpr_strength,
    }
    model = REGISTRY.model_name(model)
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        annotations = dc.read(path, **reading)
    options = {name: value for name, value in sampling.items() if value is not None}
    with TERMINAL.notes():
        found = chosen_priors(priors, beliefs, annotations.n_species)
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    started = time.perf_counter()
    if model == REGISTRY.MAJORITY_VOTE:
        more = {**options, "priors": priors, **beliefs, "resume": resume or None}
        if given := [option_name(name) for name, value in more.items() if value is not None]:
            raise AnnotationError(
                "majority vote does not sample, and uses neither priors nor known cells",
                f"leave out {', '.join(given)}",
            )
        result: Any = dc.fit(annotations, model)
    else:
        options |= {"seed": seed, "min_ess": min_ess or None, "max_mcse": max_mcse, "priors": found}
        options |= {"checkpoint": checkpoint, "resume": resume, "keep_checkpoint": True}
        if resume and not checkpoint.exists():
            TERMINAL.say_aside(f"There is no {checkpoint} to continue from; starting from the beginning.")
        with (
            TERMINAL.notes(),
            TERMINAL.sampling_bar(f"Fitting {model}") as progress,
            _rescued(checkpoint, Stopped, ClusterError),
        ):
            result = dc.fit(annotations, model, progress=progress, **options)
    record = record_since(started)
    with (
        TERMINAL.notes(),
        TERMINAL.phases("Writing results") as writing,
        _rescued(checkpoint, BaseException),
    ):
        contents = dc.write_result(
            result,
            out,
            min_probability=min_probability,
            exact_labels=exact_labels,
            keep_reported=keep_reported,
            overwrite=overwrite,
            record=record,
            report=report,
            progress=writing,
        )
    if model != REGISTRY.MAJORITY_VOTE:
        checkpoint.unlink(missing_ok=True)
    if json:
        TERMINAL.print_json({**contents, "out": str(out)})
    else:
        RESULT_TABLES.show_result(result, out)
    if min_ess and not contents.get("converged", True) and not allow_unconverged:
        TERMINAL.say_aside(
            f"The result is in {out}, but has not converged (exit code {UNCONVERGED}). Remedy: sample longer "
            "(--max-sweeps, --seconds) or, if it is good enough for you, use --allow-unconverged."
        )
        raise typer.Exit(UNCONVERGED)


@contextmanager
def _rescued(checkpoint: Path, *failure: type[BaseException]) -> Iterator[None]:
    """If the block fails, tell the user how to continue from the checkpoint."""
    try:
        yield
    except failure:
        if checkpoint.exists():
            TERMINAL.say_aside(
                f"The draws so far are in {checkpoint}. To continue, run the same command with --resume."
            )
        raise
