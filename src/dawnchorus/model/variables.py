"""Variables: what a model keeps of every draw, declared once by the model and followed everywhere else.

A side of a model lists its variables. Store, file, diagnostics, tables, plots and report read this list, so a
model with new variables needs no word in any of them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Dimension = Literal["annotator", "species", "pair", "component"]
"""A pair is an annotator and a species on their list. Components come by size, the yet unseen last."""
Storage = Literal["all", "limited", "ragged"]
"""Every draw is kept; or as many as memory allows, with running means; or the length differs by draw."""


class Variable(NamedTuple):
    """One thing that a model keeps.

    Examples
    --------
    >>> Variable("tpr", ("annotator",), "true positive rates of annotators", column="tpr").axis
    'tpr'
    """

    name: str
    dims: tuple[Dimension, ...]
    words: str
    """What it is, in the plural where it is many, for the table of diagnostics."""
    label: str = ""
    """What stands along an axis of a figure; by default the name."""
    column: str | None = None
    """The column that it has in the table of what it goes by: annotators, species, or pairs of both."""
    prior: str | None = None
    """The prior that is about this very thing, by name."""
    storage: Storage = "all"

    @property
    def axis(self) -> str:
        """What stands along an axis of a figure."""
        return self.label or self.name.replace("_", " ")
