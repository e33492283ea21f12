"""New recordings: presence in recordings that were not fitted, from the draws of a fit."""

from __future__ import annotations

from collections.abc import Iterator

from ...annotations.annotations import check_annotations
from ...annotations.labelled import LabelledVotes
from ...common.checked import Seed, generator
from ...common.errors import AnnotationError
from ...common.intervals import quantiles_of
from ...common.showing.progress import Progress
from ...model.context import Context
from ...model.formula.reading import context_of_new
from ...model.formula.skill import skill_of_new
from ...model.predictive.cell_votes import votes_of
from ...model.predictive.cells import Cells, predict_reports
from ...model.predictive.listening.listener import Listener
from ...model.predictive.parameters import Asked
from ..fitted import Fitted


def predict_new(
    fitted: Fitted,
    annotations: LabelledVotes,
    *,
    seed: Seed,
    level: float,
    context: Context | None = None,
    listener: Listener | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[Cells, Cells | None]]:
    """Return all cells of new recordings, and what a listener would report, in blocks of whole recordings."""
    quantiles_of(level)
    asked = asked_of(fitted, annotations, seed=seed, context=context)
    return predict_reports(
        votes_of(asked.design.annotations, asked.design.marks, scores=asked.design.scores),
        asked.design.pairs,
        fitted.parameters(asked=asked),
        None if listener is None else listener.of_species(asked.species),
        level=level,
        progress=progress,
    )


def asked_of(
    fitted: Fitted, annotations: LabelledVotes, *, seed: Seed, context: Context | None = None
) -> Asked:
    """Return what a model has to know of new recordings."""
    check_annotations(annotations)
    old = fitted.annotations
    species = old.species.index.get_indexer(annotations.species.index)
    if (species < 0).any():
        unknown = annotations.species.index[species < 0]
        raise AnnotationError(
            f"species '{unknown[0]}' was not in the annotations that were fitted",
            "leave it out with select(species=…), or fit again with all annotations",
        )
    if context is None and fitted.context is not None:
        context = context_of_new(fitted.context, annotations.recordings)
    said = None if fitted.said is None else skill_of_new(fitted.said, annotations.annotators)
    annotator = old.annotators.index.get_indexer(annotations.annotators.index)
    design = fitted.model.design(annotations)
    return Asked(design, annotator, species, generator(seed), context, said)
