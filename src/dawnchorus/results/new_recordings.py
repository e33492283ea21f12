"""New recordings: presence in recordings that were not fitted, from the draws of a fit."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations.annotations import Annotations
from ..common.checked import Seed, generator
from ..common.errors import AnnotationError
from ..common.intervals import quantiles_of
from ..common.progress import Progress
from ..model.context import Context
from ..model.formula.reading import context_of_new
from ..model.formula.skill import skill_of_new
from ..model.predictive.cell_votes import votes_of
from ..model.predictive.cells import Cells, predict_cells
from ..model.predictive.parameters import Asked
from .fitted import Fitted


def predict_new(
    fitted: Fitted,
    annotations: Annotations,
    *,
    seed: Seed,
    level: float,
    context: Context | None = None,
    progress: Progress | None = None,
) -> Iterator[Cells]:
    """Return all cells of new recordings, in blocks of whole recordings."""
    if not isinstance(annotations, Annotations):
        raise TypeError(f"expected Annotations, got {type(annotations).__name__}")
    quantiles_of(level)
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
    asked = Asked(design, annotator, species, generator(seed), context, said)
    return predict_cells(
        votes_of(annotations), design.pairs, fitted.parameters(asked=asked), level=level, progress=progress
    )
