"""Plain tables: what every reader makes of its files, and what is fitted, converted and looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.frames.bad_rows import BadRows
from ..annotations.frames.long_table import Sources, build
from ..annotations.frames.names import NameTable
from ..annotations.labelled import SCORE_THRESHOLD
from ..annotations.votes import Absence, ScoreScale
from ..common.errors import AnnotationError
from ..common.warn import warn
from ..common.wording import either, listed, option

SIDE_TABLES = ("scope", "recordings", "annotators", "species")


@dataclass(frozen=True)
class PlainTables:
    """The long table of votes with what silence means, and optional tables beside it.

    Attributes
    ----------
    votes
        Columns recording, annotator, species and, if needed, present (1, 0, or empty for unsure), scope
        (the name of the list that the visit answers for) and score (of a machine).
    absence
        What it means if a visit does not mention a species.
    columns
        The names of columns of `votes` where they differ.
    scope, recordings, annotators, species
        Frames: lists of species by annotator or by scope, and metadata.
    truth
        What is known to be present or absent, if the files tell: recording, species, present.
    sources
        Where the tables come from, for messages.
    drop_unreported
        Whether species that nobody reported are left out unless the user says otherwise.
    score_scale
        Whether scores are probabilities or logits, if the format tells.
    score_thresholds
        The score below which a machine is silent, by its name, if that is known: a column of annotators,
        unless their table has it.
    """

    votes: Any
    absence: Absence | None
    columns: Mapping[str, str] | None = None
    scope: Any = None
    recordings: Any = None
    annotators: Any = None
    species: Any = None
    truth: pd.DataFrame | None = None
    sources: Sources = field(default_factory=Sources)
    drop_unreported: bool = False
    score_scale: ScoreScale | None = None
    score_thresholds: Mapping[str, float] = field(default_factory=dict)

    def annotations(
        self,
        source: str,
        *,
        drop_unreported: bool | None = None,
        fold_case: bool = False,
        keep_na: bool = False,
        names: NameTable | None = None,
        score_scale: ScoreScale | None = None,
        bad: BadRows | None = None,
    ) -> Annotations:
        """Return the annotations; `source` is what the user named."""
        if self.score_scale == "logit" and score_scale is None:
            warn(
                f"{source}: scores are taken for logits, since some are not between 0 and 1; "
                f"{option('score_scale')} tells what they are"
            )
        votes = build(
            self.votes,
            self.absence,
            columns=self.columns,
            drop_unreported=self.drop_unreported if drop_unreported is None else drop_unreported,
            fold_case=fold_case,
            keep_na=keep_na,
            names=names,
            score_scale=score_scale or self.score_scale,
            sources=self.sources,
            bad=bad,
            **{name: getattr(self, name) for name in SIDE_TABLES},
        )
        annotators = votes.annotators
        if self.score_thresholds and SCORE_THRESHOLD not in annotators:
            cut = annotators.index.map(self.score_thresholds)
            annotators = annotators.assign(**{SCORE_THRESHOLD: cut.to_numpy(float)})
        provenance = replace(votes.provenance, source=source)
        return Annotations.of(replace(votes, annotators=annotators, provenance=provenance))


def told_absence(
    absence: Absence | None, default: Absence | None, possible: tuple[Absence, ...], why: str
) -> Absence | None:
    """Return what silence means: as told, or by default; raise an error if the format rules that out."""
    if absence is None:
        return default
    if absence not in get_args(Absence) or absence in possible:
        return absence
    others = f", or use {listed(possible, last=' or ')}" if len(possible) > 1 else ""
    raise AnnotationError(
        f"{option('absence', absence)} cannot be used: {why}",
        f"leave out {either('absence', '--absence')}{others}",
    )
