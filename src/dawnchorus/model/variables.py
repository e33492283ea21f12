"""Variables: what a model keeps of every draw, declared once by the model and followed everywhere else.

Each side of a model lists its variables. Store, file, diagnostics, tables, plots and report read this list,
so a model with new variables needs no change in any of them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Dimension = Literal[
    "annotator",
    "species",
    "pair",
    "component",
    "term",
    "effect",
    "skill_term",
    "skill_effect",
    "machine",
]
"""A pair is an annotator and a species on their list. Components are ordered by size; the last one stands for
all components without members. Terms and effects are those of a context, or of what annotators say of
themselves, machines are annotators whose reports have scores, and the variable has their names."""
Storage = Literal["all", "limited", "ragged"]
"""How draws are stored: "all" of them; "limited" to what memory allows, with running means and variances; or
"ragged", where the length differs from draw to draw."""


class Variable(NamedTuple):
    """One quantity of which a model keeps the draws.

    Examples
    --------
    >>> Variable("tpr", ("annotator",), "true positive rates of annotators", column="tpr").axis
    'true positive rates of annotators'
    """

    name: str
    dims: tuple[Dimension, ...]
    words: str
    """What it is, in words (plural if there are several), for the table of diagnostics."""
    label: str = ""
    """The label of the axis in figures; by default these words."""
    column: str | None = None
    """Its column, if any, in the table of annotators, of species, or of pairs of both."""
    prior: str | None = None
    """The name of the prior of this quantity, if it has one of its own."""
    storage: Storage = "all"
    names: tuple[str, ...] = ()
    """The names along its first dimension, if that is of terms, effects or machines."""

    @property
    def axis(self) -> str:
        """The label of the axis in figures."""
        return self.label or self.words
