"""Known cells: presence or absence of a species in a recording that is known from elsewhere.

An expert listened several times, a bird was caught, a species cannot be at a site. A model takes such cells
for the truth, or for what an expert says, who may err now and then.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from ..common.errors import AnnotationError
from ..common.ragged import Bools, Ints, Ragged
from ..common.wording import option
from .frames.columns import Source
from .labelled import FRAMES, LabelledVotes
from .truth import Truth, truth_rows

KnownAs = Literal["truth", "expert"]
SOURCE = Source("the table of known cells")


class KnownCells(NamedTuple):
    """Cells that are known, in order of recordings and species."""

    cells: Ragged
    """The known species of each recording."""
    present: Bools
    """Whether each of them is present."""
    known_as: KnownAs = "truth"
    """Whether this is the truth, or what an expert says."""

    @classmethod
    def of(
        cls, recording: Ints, species: Ints, present: Bools, *, rows: int, known_as: KnownAs = "truth"
    ) -> KnownCells:
        """Return cells given by place, each once, of so many recordings."""
        order = np.lexsort((species, recording))
        cells = Ragged.from_sizes(np.bincount(recording, minlength=rows), species[order])
        return cls(cells, np.asarray(present, bool)[order], known_as)

    @property
    def recording(self) -> Ints:
        """The recording of each cell."""
        return self.cells.row_of_item()

    @property
    def species(self) -> Ints:
        """The species of each cell."""
        return self.cells.item

    def at(self, recording: Ints, species: Ints) -> Ints:
        """Return 2 for cells that are known to be present, 1 for absent ones, and 0 for all others."""
        place = self.cells.find(recording, species)
        return np.where(place < 0, 0, np.append(1 + self.present, 0)[place]).astype(np.int8)


def known_cells(
    known: Any,
    annotations: LabelledVotes,
    known_as: KnownAs = "truth",
    *,
    columns: Mapping[str, str] | None = None,
    keep_na: bool = True,
    source: Source = SOURCE,
) -> KnownCells:
    """Return the cells of a table (recording, species, present) by their place among those of annotations.

    Raises
    ------
    AnnotationError
        If the table cannot be used, or names a recording or species that the annotations do not have.
    """
    check_known_as(known_as)
    a = annotations
    table = truth_rows(
        known.to_frame() if isinstance(known, Truth) else known,
        columns=columns,
        keep_na=keep_na,
        fold_case=a.provenance.fold_case,
        species=a.species.index,
        names=a.provenance.names,
        source=source,
    )
    recording = _places(table, "recording", a.recordings.index, source)
    species = _places(table, "species", a.species.index, source)
    present = table["present"].to_numpy() == 1
    return KnownCells.of(recording, species, present, rows=a.n_recordings, known_as=known_as)


def _places(table: pd.DataFrame, word: str, index: pd.Index, source: Source) -> Ints:
    """Return the places of labels; one that is not there is an error that names its row."""
    found = index.get_indexer(table[word])
    if (found < 0).any():
        i = int(np.argmax(found < 0))
        label = table[word].iloc[i]
        close = get_close_matches(label, index.astype(str), n=3)
        hint = f"perhaps you mean {' or '.join(close)}; otherwise " if close else ""
        raise AnnotationError(
            f"{word} '{label}' is not in the annotations",
            f"{hint}delete the row, or give a table of {FRAMES[word]} with it ({option(FRAMES[word])})",
            file=source.name,
            row=source.row(table.index[i]),
        )
    return found.astype(np.int64)


def check_known_as(known_as: str) -> None:
    """Raise an error unless this is a way in which cells may be known."""
    if known_as not in get_args(KnownAs):
        raise AnnotationError(
            f"cells cannot be known as {known_as!r}", f"use one of: {', '.join(get_args(KnownAs))}"
        )
