"""Truth: a checked table of what is really present, to judge presence probabilities by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .building import VOTES
from .columns import Source
from .errors import AnnotationError
from .tables import read_columns
from .votes import UNSURE

WORDS = ["recording", "species", "present"]


def truth_frame(
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    source: Source = Source("the truth table"),  # noqa: B008  (a constant)
) -> pd.DataFrame:
    """Check a truth table: give columns recording, species (text) and present (0 or 1)."""
    cells = read_columns(frame, WORDS, [], source, columns)[1]
    blank = {word: cells[word].blank for word in WORDS}
    row = np.flatnonzero(~(blank["recording"] & blank["species"] & blank["present"]))
    if not len(row):
        raise AnnotationError("all rows are blank", "check that the table is whole", file=source.name, row=2)
    for word in ("recording", "species"):
        if len(bad := row[blank[word][row]]):
            raise AnnotationError(
                f"the {word} is blank",
                f"fill in the {word}, or delete the row",
                file=source.name,
                row=source.row(bad[0]),
            )
    present = cells["present"]
    vote = np.array([VOTES.get(text.lower(), UNSURE) for text in present.text])[present.code][row]
    if len(bad := row[vote == UNSURE]):
        raise AnnotationError(
            f"'present' is '{present.text[present.code[bad[0]]]}', and the truth is 1 or 0",
            "write 1 or 0, or delete the rows where the truth is not known",
            file=source.name,
            row=source.row(bad[0]),
        )
    table = pd.DataFrame(
        {word: cells[word].text[cells[word].code[row]] for word in ("recording", "species")}
    ).assign(present=vote.astype(np.int8))
    again = (table.duplicated(["recording", "species"]) & ~table.duplicated()).to_numpy()
    if again.any():
        i = int(np.argmax(again))
        same = (table["recording"] == table["recording"][i]) & (table["species"] == table["species"][i])
        first = source.row(row[int(np.argmax(same))])
        raise AnnotationError(
            f"species '{table['species'][i]}' in recording '{table['recording'][i]}' "
            f"is both present and absent (see row {first})",
            "keep the row that is right",
            file=source.name,
            row=source.row(row[i]),
        )
    return table.drop_duplicates(ignore_index=True)
