"""Recognition of wide tables, with one column per species, and what to do with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...common.errors import AnnotationError
from ...common.wording import in_code, listed, no_columns, option
from ..labels import as_text
from ..votes import VOTES

FEWEST = 2
"""A table with at least so many columns of votes is wide."""
TICKS = {"x", "✓", "✔"}
"""How presence is often marked by hand."""


def species_columns(sample: Mapping[str, Iterable[object]], chosen: Mapping[str, str]) -> list[str]:
    """Return the columns of species of a wide table, given its first values; none if it is not wide."""
    texts = _texts(sample, chosen)
    ticked = [column for column, found in texts.items() if found & TICKS and found <= VOTES.keys() | TICKS]
    marks = VOTES.keys() | (TICKS if len(ticked) >= FEWEST else set())
    species = [column for column, found in texts.items() if found <= marks]
    others = len(texts) > len(species)
    voted = sum(bool(texts[column] - {""}) for column in species)
    return species if "present" not in chosen and voted >= FEWEST and (chosen or others) else []


def refuse_wide(
    sample: Mapping[str, Iterable[object]],
    chosen: Mapping[str, str],
    missing: list[str],
    name: str,
    header: int,
    code: str | None,
) -> None:
    """Raise an error if a table without a column of species has one column of votes per species."""
    species = species_columns(sample, chosen)
    if not species:
        return
    problem = (
        f"{no_columns(missing)}, but {len(species)} columns contain only votes ({listed(species, 6)}): "
        "this seems to be a wide table, with one column per species"
    )
    texts = _texts(sample, chosen)
    ticked = for_ticks(text for column in species for text in texts[column])
    if ticked:
        remedy = f"{ticked}; then read it with {option('format', 'wide')}"
    elif missing != ["species"]:
        remedy = (
            f"columns that go by other names are given by {option('columns', {'recording': 'NAME'})}; a file "
            f"with one column per species is read with {option('format', 'wide')}"
        )
    elif code is None:
        remedy = f"read it with {option('format', 'wide')}"
    else:
        others = [column for column in texts if column not in species]
        drop = f".drop(columns={in_code(others)})" if others else ""
        melt = f'.melt({in_code([*chosen.values()])}, var_name="species", value_name="present")'
        remedy = (
            "make it long, with one row per vote (an empty cell will mean unsure). This code does it:\n"
            f"long = {code}{drop}{melt}\nThen give it to dc.Annotations.from_frame"
        )
    raise AnnotationError(problem, remedy, file=name, row=header)


def for_ticks(texts: Iterable[str]) -> str:
    """Return what to do with ticks among votes; nothing if there are none.

    >>> for_ticks(["", "x"])[:25], for_ticks(["", "1"])
    ("write 1 in place of 'x', ", '')
    """
    ticks = sorted(TICKS & set(texts))
    absent = "0 where a species was listened for and not there (an empty field is no vote)"
    return f"write 1 in place of '{ticks[0]}', and {absent}" if ticks else ""


def _texts(sample: Mapping[str, Iterable[object]], chosen: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the different values in each column that is not chosen for something else."""
    return {
        column: {as_text(value).lower() for value in values}
        for column, values in sample.items()
        if column not in chosen.values()
    }
