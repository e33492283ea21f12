"""Pieces: coded votes on disk, each of consecutive recordings, from which any range of recordings is read.

A piece has its votes as plain arrays (`votes.npz`) and the labels of its recordings (`recordings.arrow`). Its
recordings are numbered from 0; annotators and species have the numbers that all pieces agree on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from ...annotations.labelled import LabelledVotes, Provenance
from ...common.errors import AnnotationError
from ...common.files.whole import whole_file
from ...common.lazy import lazy
from ...common.ragged import Ints, Ragged

pa = lazy("pyarrow", extra="parquet", purpose="data in parts")
feather = lazy("pyarrow.feather", extra="parquet", purpose="data in parts")

LISTS = ("scopes", "reports", "unsure")


class Piece(NamedTuple):
    """What is known of a piece without reading it."""

    path: str
    recordings: int
    visits: int
    reports: int
    marks: int
    last_visits: int
    """The visits to its last recording."""
    duplicate_rows: int
    outside_scope: int


@contextmanager
def reached(path: str | Path) -> Iterator[None]:
    """Say of a file of coded data that cannot be read what is needed.

    Raises
    ------
    AnnotationError
        If it is missing or damaged.
    """
    try:
        yield
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        raise AnnotationError(
            f"these coded votes cannot be read ({getattr(error, 'strerror', None) or error})",
            "give a folder that all workers reach under the same name, by work=…, that has enough space, and "
            "leave it alone while the result is needed",
            file=path,
        ) from None


def save_piece(folder: Path, number: int, votes: LabelledVotes, recordings: Any) -> Piece:
    """Save coded votes, and the labels of their recordings."""
    place = folder / "pieces" / f"{number:06}"
    place.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {
        name: getattr(votes, f"visit_{name}") for name in ("recording", "annotator", "scope")
    }
    for name in LISTS:
        lists = getattr(votes, name)
        arrays |= {f"{name}.start": lists.start, f"{name}.item": lists.item}
    with whole_file(place / "votes.npz") as draft, draft.open("wb") as file:
        np.savez(file, **arrays)
    with whole_file(place / "recordings.arrow") as draft:
        texts = pa.table({"recording": pa.array(recordings, pa.large_string())})
        feather.write_feather(texts, draft, compression="lz4")
    told = votes.provenance
    last = int(np.count_nonzero(votes.visit_recording == len(recordings) - 1))
    counts = votes.n_visits, votes.n_reports, len(votes.unsure.item), last
    return Piece(str(place), len(recordings), *counts, told.duplicate_rows, told.outside_scope)


def first_recordings(pieces: Sequence[Piece]) -> Ints:
    """Return the number of the first recording of each piece, and that of all."""
    return np.append(0, np.cumsum([piece.recordings for piece in pieces]))


def visit_starts(piece: Piece) -> Ints:
    """Return where the visits of each recording of a piece start, and their number."""
    path = Path(piece.path, "votes.npz")
    with reached(path), np.load(path) as file:
        times = np.bincount(file["recording"], minlength=piece.recordings)
    return np.append(0, np.cumsum(times))


def block_starts(pieces: Sequence[Piece], which: int, block: int) -> list[int]:
    """Return the first recordings of blocks that start in a piece, as `blocks_of` finds them in one table.

    Blocks start at the first recording before which there are at least m · `block` visits, for each m ≥ 1.
    """
    before = sum(piece.visits for piece in pieces[:which])
    starts = before + visit_starts(pieces[which])[:-1]
    before_that = before - pieces[which - 1].last_visits if which else 0
    ends = np.arange(before_that // block * block + block, starts[-1] + 1, block)
    first = first_recordings(pieces)[which]
    return sorted({int(first + place) for place in np.searchsorted(starts, ends)})


def load(pieces: Sequence[Piece], first: int, last: int, tables: dict[str, pd.DataFrame]) -> LabelledVotes:
    """Return the votes on the recordings from `first` up to `last`, which are numbered from 0."""
    starts = first_recordings(pieces)
    parts = []
    for piece, low, high in zip(pieces, starts[:-1], starts[1:], strict=True):
        if low < last and high > first:
            parts.append(_part(piece, max(first - low, 0), min(last, high) - low, max(low - first, 0)))
    lists = {name: _stacked([part[name] for part in parts]) for name in LISTS}
    before = np.append(0, np.cumsum([part["scopes"].rows for part in parts]))
    scope = np.concatenate([part["scope"] + n for part, n in zip(parts, before[:-1], strict=True)])
    scopes, visit_scope = lists["scopes"].compact(scope)
    return LabelledVotes(
        n_recordings=int(last - first),
        n_species=len(tables["species"]),
        recordings=pd.DataFrame(index=pd.RangeIndex(last - first, name="recording")),
        annotators=tables["annotator"],
        species=tables["species"],
        visit_recording=np.concatenate([part["recording"] for part in parts]),
        visit_annotator=np.concatenate([part["annotator"] for part in parts]),
        visit_scope=visit_scope,
        scopes=scopes,
        reports=lists["reports"],
        unsure=lists["unsure"],
        lists=Ragged.empty(1),
        annotator_list=np.zeros(len(tables["annotator"]), np.int32),
        provenance=Provenance(),
    )


def recording_labels(pieces: Sequence[Piece], first: int, last: int) -> Any:
    """Return the labels of the recordings from `first` up to `last`."""
    starts = first_recordings(pieces)
    texts = []
    for piece, low, high in zip(pieces, starts[:-1], starts[1:], strict=True):
        if low < last and high > first:
            path = Path(piece.path, "recordings.arrow")
            with reached(path):
                column = feather.read_table(path)["recording"]
            cut = column.slice(max(first - low, 0), min(last, high) - max(first, low))
            texts.append(cut.to_numpy(zero_copy_only=False))
    return np.concatenate(texts).astype(object)


def _part(piece: Piece, low: int, high: int, shift: int) -> dict[str, Any]:
    """Return the arrays of the recordings from `low` up to `high` of a piece, their numbers raised."""
    path = Path(piece.path, "votes.npz")
    with reached(path), np.load(path) as file:
        recording = file["recording"]
        a, b = np.searchsorted(recording, [low, high])
        found = {
            "recording": (recording[a:b] - low + shift).astype(np.int32),
            "annotator": file["annotator"][a:b],
            "scope": file["scope"][a:b],
            "scopes": Ragged(file["scopes.start"], file["scopes.item"]),
        }
        for name in ("reports", "unsure"):
            start = file[f"{name}.start"][a : b + 1]
            found[name] = Ragged(start - start[0], file[f"{name}.item"][start[0] : start[-1]])
    return found


def _stacked(lists: Sequence[Ragged]) -> Ragged:
    sizes, items = [each.sizes for each in lists], [each.item for each in lists]
    return Ragged.from_sizes(np.concatenate(sizes), np.concatenate(items))
