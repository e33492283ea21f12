"""The command `dawnchorus fit`: reads annotations, fits a model and writes the results."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ...common.errors import AnnotationError
from ...common.files.whole import check_free
from ...common.lazy import lazy
from ...common.wording import option_name
from ..arguments import chosen_priors
from ..options import MODEL, PRIORS, SAMPLING, KnownAs, OnCluster, Out, Scores
from ..reading.shared import Files, with_reading
from .in_parts import taken_in_parts
from .running import now, sampled, sampling_of, with_running, write_and_show

REGISTRY = lazy("dawnchorus.model.registry")
TERMINAL = lazy("dawnchorus.cli.terminal")


@with_reading
@with_running
def fit(
    path: Files,
    reading: dict[str, Any],
    running: dict[str, Any],
    out: Out,
    model: Annotated[
        str,
        typer.Option(
            help="base, base-hierarchical, dp-bmm, dp-bmm-hierarchical, bmm, bmm-hierarchical "
            "or majority-vote.",
            rich_help_panel=MODEL,
        ),
    ] = "base-hierarchical",
    priors: Annotated[
        str | None,
        typer.Option(
            help="Priors by name: default (partly learned), learned (all of them), given (none), "
            "paper-simulation, paper-kerttu.",
            rich_help_panel=PRIORS,
        ),
    ] = None,
    species_per_recording: Annotated[
        float | None,
        typer.Option(help="Prior: expected number of species in a recording (3).", rich_help_panel=PRIORS),
    ] = None,
    tpr: Annotated[
        float | None,
        typer.Option(
            help="Prior: how often a typical annotator reports a present species (0.8).",
            rich_help_panel=PRIORS,
        ),
    ] = None,
    fpr: Annotated[
        float | None,
        typer.Option(help="Prior: how often one reports an absent species (0.01).", rich_help_panel=PRIORS),
    ] = None,
    occurrence_strength: Annotated[
        float | None,
        typer.Option(
            help="Prior: certainty about occurrence, as a number of recordings.", rich_help_panel=PRIORS
        ),
    ] = None,
    tpr_strength: Annotated[
        float | None,
        typer.Option(
            help="Prior: certainty about the true positive rate, as a number of votes (learned).",
            rich_help_panel=PRIORS,
        ),
    ] = None,
    fpr_strength: Annotated[
        float | None,
        typer.Option(
            help="Prior: certainty about the false positive rate, as a number of votes "
            "(as many as hold one false report, at most 100).",
            rich_help_panel=PRIORS,
        ),
    ] = None,
    components: Annotated[
        int | None,
        typer.Option(help="For bmm: the largest number of components (20).", rich_help_panel=MODEL),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(
            help="For base and base-hierarchical: what occurrence depends on, as a formula of columns of "
            '--recordings, such as "site + cc(hour, df=6)".',
            rich_help_panel=MODEL,
        ),
    ] = None,
    difficulty: Annotated[
        bool,
        typer.Option(
            "--difficulty",
            help="For hierarchical models: some species are hard for everyone, or easily taken for present.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    faint: Annotated[
        bool,
        typer.Option(
            "--faint",
            help="For hierarchical models: some birds are faint for everybody, so that votes on the same "
            "bird depend on each other.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    deceptive: Annotated[
        bool,
        typer.Option(
            "--deceptive",
            help="For hierarchical models: something misleads everybody in some recordings, so that votes on "
            "the same absent bird depend on each other.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    unsure: Annotated[
        str,
        typer.Option(
            help="What unsure marks are: missing, no votes; or, for hierarchical models, ordered, votes "
            "between silence and a report.",
            rich_help_panel=MODEL,
        ),
    ] = "missing",
    skill: Annotated[
        str | None,
        typer.Option(
            help="For hierarchical models: what annotators' skill depends on, as a formula of columns of "
            "--annotators, such as their self-rated level.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            help="Cells that are known from elsewhere and stay fixed: a table of recording (or a column of "
            "--recordings, such as site), species, present.",
            rich_help_panel=PRIORS,
        ),
    ] = None,
    known_as: Annotated[
        KnownAs,
        typer.Option(
            help="Whether they are the truth, or what an expert says, who may err.", rich_help_panel=PRIORS
        ),
    ] = KnownAs.truth,
    scores: Annotated[
        Scores,
        typer.Option(
            help="Whether to use the scores of machines, if reports have any, or to ignore them.",
            rich_help_panel=MODEL,
        ),
    ] = Scores.use,
    cluster: OnCluster = None,
    in_parts: Annotated[
        bool | None,
        typer.Option(
            "--in-parts/--in-memory",
            help="For base and base-hierarchical: whether files are read and computed in parts, which may be "
            "larger than memory. Default: with base, --cluster and several Parquet files.",
            rich_help_panel=SAMPLING,
        ),
    ] = None,
    spread: Annotated[
        str | None,
        typer.Option(
            help="For hierarchical models: sampled, or empirical-bayes as in the paper.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    update: Annotated[
        str | None,
        typer.Option(
            help="For hierarchical models: direct, or polya-gamma as in the paper.", rich_help_panel=MODEL
        ),
    ] = None,
) -> None:
    """Infer which species are where, and how good annotators are."""
    check_free(out, overwrite=running["overwrite"])
    special: dict[str, Any] = {
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
    special = {name: value for name, value in special.items() if value is not None}
    started = now()
    if taken_in_parts(in_parts, path, reading, model, special):
        dataset = dc.open_dataset(path, **reading)
        believed = partial(chosen_priors, priors, beliefs)
        fitting = partial(dc.fit, dataset, model, priors=believed, **special)
        parts = sampled(fitting, f"Fitting {model}", out, running)
        write_and_show(parts, out, running, started, cluster=cluster)
        return
    with TERMINAL.notes(), TERMINAL.working(f"Reading {', '.join(path)}"):
        annotations = dc.read(path, **reading)
    with TERMINAL.notes():
        reported = REGISTRY.reported_share(model, annotations)
        found = chosen_priors(priors, beliefs, annotations.n_species, reported)
    started = now()
    if model == REGISTRY.MAJORITY_VOTE:
        more = {**sampling_of(running), **special, "priors": priors, **beliefs}
        more["resume"] = running["resume"] or None
        if given := [option_name(name) for name, value in more.items() if value is not None]:
            raise AnnotationError(
                "majority vote does not sample, and uses neither priors nor known cells",
                f"leave out {', '.join(given)}",
            )
        result: Any = dc.fit(annotations, model)
    else:
        fitting = partial(dc.fit, annotations, model, priors=found, **special)
        result = sampled(fitting, f"Fitting {model}", out, running)
    write_and_show(result, out, running, started)
