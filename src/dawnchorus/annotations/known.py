"""Known cells: presence or absence of a species in a recording that is known from elsewhere.

An expert listened several times, a bird was caught, a species cannot be at a site. A model takes such cells
for the truth, or for what an expert says, who may err now and then. A table may name a site, or whatever else
the recordings' metadata have, in place of each of its recordings.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from ..common.errors import AnnotationError
from ..common.ragged import Bools, Ints, Ragged
from ..common.wording import listed, option
from .frames.columns import Source, resolve, same_columns
from .frames.reading import native_frame
from .labelled import FRAMES, LabelledVotes
from .labels import as_text
from .truth import WORDS, Truth, truth_rows

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
    keep_na: bool = True,
    source: Source = SOURCE,
) -> KnownCells:
    """Return the cells of a table (recording, species, present) by their place among those of annotations.

    In place of the recording, it may have a column of the recordings' metadata, such as the site: each row
    then stands for all recordings with that value.

    Raises
    ------
    AnnotationError
        If the table cannot be used, or names a recording, a site or a species that the annotations do not
        have.
    """
    check_known_as(known_as)
    a, frame = annotations, known.to_frame() if isinstance(known, Truth) else known
    columns, where = known_columns(native_frame(frame, source).columns, a, source)
    table = truth_rows(
        frame,
        columns=columns,
        keep_na=keep_na,
        fold_case=a.provenance.fold_case,
        species=a.species.index,
        names=a.provenance.names,
        where=where,
        source=source,
    )
    value = a.recordings.index if where == "recording" else a.recordings[where].map(as_text)
    code, values = pd.factorize(np.where(value == "", None, value))
    recordings = Ragged.from_pairs(code[code >= 0], np.flatnonzero(code >= 0), rows=len(values))
    meant = recordings.take(_places(table[where], where, "recording", pd.Index(values), source))
    species = _places(table["species"], "species", "species", a.species.index, source)
    row, present = meant.row_of_item(), table["present"].to_numpy() == 1
    return KnownCells.of(meant.item, species[row], present[row], rows=a.n_recordings, known_as=known_as)


def known_columns(
    found: Iterable[str], annotations: LabelledVotes, source: Source
) -> tuple[dict[str, str], str]:
    """Return the columns of a table of known cells, and what the first of them has: recordings, or sites."""
    found, where = list(found), "recording"
    chosen = resolve(found, [], WORDS, source, side=True)
    if "recording" not in chosen:
        free = (column for column in found if column not in chosen.values())
        shared = same_columns(free, annotations.recordings.columns)
        if len(shared) > 1:
            raise AnnotationError(
                f"each of the columns {listed(shared)} could say which recordings are meant",
                "keep one of them, or name the recordings",
                file=source.name,
                row=source.header,
            )
        if shared:
            chosen["recording"], where = next(iter(shared.items()))
    hint = ", or to one of the table of recordings, such as 'site', to mean all recordings with that value"
    hint = f"{hint} ({option('recordings')})" if "recording" not in chosen else ""
    return resolve(found, WORDS, [], source, chosen, side=True, hint=hint), where


def _places(labels: pd.Series, word: str, owner: str, index: pd.Index, source: Source) -> Ints:
    """Return the places of labels; one that is not there is an error that names its row."""
    found = index.get_indexer(labels)
    if (found < 0).any():
        i = int(np.argmax(found < 0))
        label = labels.iloc[i]
        close = get_close_matches(label, index.astype(str), n=3)
        hint = f"perhaps you mean {' or '.join(close)}; otherwise " if close else ""
        raise AnnotationError(
            f"{word} '{label}' is not in the annotations",
            f"{hint}delete the row, or give a table of {FRAMES[owner]} with it ({option(FRAMES[owner])})",
            file=source.name,
            row=source.row(labels.index[i]),
        )
    return found.astype(np.int64)


def check_known_as(known_as: str) -> None:
    """Raise an error unless this is a way in which cells may be known."""
    if known_as not in get_args(KnownAs):
        raise AnnotationError(
            f"cells cannot be known as {known_as!r}", f"use one of: {', '.join(get_args(KnownAs))}"
        )
