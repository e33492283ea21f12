"""The second pass: rows are sorted into buckets of recordings on disk, and each bucket becomes coded votes.

A recording may be spread over several parts. First each part writes its rows, as numbers, into a file for
each bucket that it has recordings of; then each bucket reads its files, in the order of parts, and becomes
votes in the very way in which a table in memory does (../../annotations/frames/rows.py). So duplicates and
contradictions are found wherever their rows are, and a message names the file and the row.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...annotations.frames.bad_rows import BadRows
from ...annotations.frames.coding import rows_in_numbers
from ...annotations.frames.columns import Source
from ...annotations.frames.rows import Rows, assemble_rows, checked_rows
from ...annotations.frames.scopes import Scopes, scopes_by_annotator, scopes_by_name
from ...annotations.labelled import Provenance
from ...annotations.labels import Coded
from ...common.lazy import lazy
from ...common.ragged import Ints
from ...common.warn import without_warnings
from .dataset import Dataset
from .labels import Agreed, cells_of
from .pieces import Piece, reached, save_piece

pa = lazy("pyarrow", extra="parquet", purpose="data in parts")
feather = lazy("pyarrow.feather", extra="parquet", purpose="data in parts")

ROWS = "rows"
"""The folder of rows by bucket and part."""


class Sorting(NamedTuple):
    """What the second pass needs."""

    dataset: Dataset
    labels: Agreed
    folder: str


def sort_part(sorting: Sorting, place: int) -> list[int]:
    """Write the rows of a part into the files of their buckets; return which buckets it has rows of."""
    dataset, labels, _ = sorting
    if dataset.partitions[place].rows == 0:
        return []
    cells, source = cells_of(dataset, place)
    recording = cells["recording"]
    tables = {
        "recording": pd.DataFrame(index=pd.Index(recording.text, dtype=object)),
        "annotator": labels.annotators,
        "species": labels.species,
    }
    none = np.empty(0)
    rows = rows_in_numbers(cells, tables, none, source)
    scope = _named_scopes(sorting, cells, tables, source)
    bucket_of = labels.buckets(np.where(recording.text == "", "0", recording.text))
    bucket = bucket_of[rows.recording]
    order = np.argsort(bucket, kind="stable")
    found, first = np.unique(bucket[order], return_index=True)
    for which, mine in zip(found, np.split(order, first[1:]), strict=True):
        used, code = np.unique(rows.recording[mine], return_inverse=True)
        columns = {
            "recording": pa.DictionaryArray.from_arrays(
                code.astype(np.int32), pa.array(recording.text[used])
            ),
            "annotator": rows.annotator[mine],
            "species": rows.species[mine],
            "vote": rows.vote[mine],
            "row": np.array([source.row(i) for i in rows.row[mine]], np.int64),
        }
        if scope is not None:
            columns["scope"] = scope[rows.row[mine]].astype(np.int32)
        path = _rows_file(sorting, int(which), place)
        path.parent.mkdir(parents=True, exist_ok=True)
        feather.write_feather(pa.table(columns), path, compression="lz4")
    return [int(which) for which in found]


def _rows_file(sorting: Sorting, bucket: int, place: int) -> Path:
    return Path(sorting.folder, ROWS, f"{bucket:06}", f"{place:06}.arrow")


def _named_scopes(
    sorting: Sorting, cells: dict[str, Coded], tables: dict[str, pd.DataFrame], source: Source
) -> Ints | None:
    """Return the list of each row, if rows name them."""
    if "scope" not in cells or sorting.dataset.absence != "scope":
        return None
    return scopes_by_name(cells["scope"], sorting.dataset.declared(), tables, source).row


def code_bucket(sorting: Sorting, bucket: int, places: list[int]) -> Piece:
    """Make coded votes of the rows of a bucket, save them, and remove the rows; return what they are."""
    dataset, labels, folder = sorting
    files = [_rows_file(sorting, bucket, place) for place in places]
    parts = []
    for file in files:
        with reached(file):
            parts.append(feather.read_table(file))
    sizes = [part.num_rows for part in parts]
    table = pa.concat_tables(parts).combine_chunks().unify_dictionaries()
    column = table["recording"].combine_chunks()
    texts = np.asarray(column.dictionary.to_numpy(zero_copy_only=False), object)
    found = labels.in_order(texts)
    code = pd.Index(found).get_indexer(texts)[column.indices.to_numpy()]
    numbers = {name: table[name].to_numpy() for name in table.column_names if name != "recording"}
    n = len(code)
    rows = Rows(
        np.arange(n), code.astype(np.int32), numbers["annotator"], numbers["species"], numbers["vote"],
        np.empty(0),
    )  # fmt: skip
    tables = {
        "recording": pd.DataFrame(index=pd.Index(found, dtype=object, name="recording")),
        "annotator": labels.annotators,
        "species": labels.species,
    }
    names = tuple(dataset.partitions[place].path for place in places)
    source = Source(
        dataset.name,
        rows=numbers["row"],
        code=None,
        files=names,
        file=np.repeat(np.arange(len(names)), sizes),
    )
    scopes = _scopes(sorting, tables, numbers.get("scope"))
    with without_warnings():  # they are given once, for all buckets
        bad = BadRows()
        rows = checked_rows(rows, tables, source, bad)
        votes = assemble_rows(rows, dataset.absence, scopes, tables, Provenance(), source, bad)
    piece = save_piece(Path(folder), bucket, votes, found)
    for file in files:
        file.unlink(missing_ok=True)
    return piece


def _scopes(sorting: Sorting, tables: dict[str, pd.DataFrame], named: Ints | None) -> Scopes | None:
    """Return the lists of the scope table, and which one each row or each annotator has."""
    if sorting.dataset.absence != "scope":
        return None
    declared = sorting.dataset.declared()
    if named is None:
        return scopes_by_annotator(declared, tables)
    nobody = Coded(np.empty(0, np.int32), np.empty(0, object), np.empty(0, bool), np.empty(0, object))
    return scopes_by_name(nobody, declared, tables, Source())._replace(row=named)
