"""Coded: a dataset as pieces of coded votes in a folder, made where the computing is done."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ...annotations.frames.scopes import scopes_by_annotator
from ...annotations.labels import counted, verb
from ...common.errors import AnnotationError
from ...common.ragged import Ints, Ragged
from ...common.showing.progress import Phases, no_phases
from ...common.warn import warn
from ...common.workers.cluster import Cluster
from ...common.workers.everywhere import everywhere
from .buckets import Sorting, code_bucket, sort_part
from .dataset import Dataset
from .labels import Agreed, agreed, seen
from .pieces import Piece, block_starts, first_recordings


@dataclass(frozen=True)
class CodedDataset:
    """A dataset as coded votes on disk.

    Attributes
    ----------
    dataset
        What it was made of.
    labels
        The annotators and species.
    pieces
        The coded votes, in order of recordings.
    """

    dataset: Dataset
    labels: Agreed
    pieces: tuple[Piece, ...]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of annotators and of species."""
        return {"annotator": self.labels.annotators, "species": self.labels.species}

    @property
    def n_recordings(self) -> int:
        """The number of recordings."""
        return int(first_recordings(self.pieces)[-1])

    def known_lists(self) -> tuple[Ragged, Ints] | None:
        """Return the species that annotators declared to know, and which list each has; None if none did."""
        if self.dataset.absence != "scope" or "scope" in self.dataset.columns:
            return None
        scopes = scopes_by_annotator(self.dataset.declared(), self.tables)
        assert scopes.annotator is not None
        return scopes.lists, scopes.annotator

    def total(self, what: str) -> int:
        """Return the sum of what is known of pieces."""
        return sum(getattr(piece, what) for piece in self.pieces)


def code_dataset(
    dataset: Dataset, folder: Path, cluster: Cluster | None = None, progress: Phases | None = None
) -> CodedDataset:
    """Make coded votes of a dataset in an empty folder, which all workers have to reach under this name.

    Raises
    ------
    AnnotationError
        If a row cannot be used: the message names the file and the row.
    """
    say = progress or no_phases
    places = range(len(dataset.partitions))
    if not dataset.partitions or all(part.rows == 0 for part in dataset.partitions):
        raise AnnotationError("there is no row in any of its files", "check the path", file=dataset.name)
    say("Labels", 0, 0)
    if cluster is not None:
        cluster.share(dataset)
    labels = agreed(dataset, everywhere(seen, dataset, [(place,) for place in places], cluster))
    sorting = Sorting(dataset, labels, str(folder))
    say("Sorting", 0, 0)
    if cluster is not None:
        cluster.share(sorting)
    files: dict[int, list[int]] = defaultdict(list)
    for place, buckets in enumerate(everywhere(sort_part, sorting, [(place,) for place in places], cluster)):
        for bucket in buckets:
            files[bucket].append(place)
    say("Coding", 0, 0)
    jobs = [(bucket, files[bucket]) for bucket in sorted(files)]
    pieces = tuple(everywhere(code_bucket, sorting, jobs, cluster))
    outside = sum(piece.outside_scope for piece in pieces)
    if outside:
        warn(
            f"{dataset.name}: {counted(outside, 'report')} {verb(outside, 'is', 'are')} of a species outside "
            "the scope; the species is added to the scope of that visit"
        )
    return CodedDataset(dataset, labels, pieces)


def blocks_in(coded: CodedDataset, block: int) -> Ints:
    """Return the first recording of each block of about so many visits, and the number of all recordings."""
    found = {0, coded.n_recordings}
    for which in range(len(coded.pieces)):
        found.update(block_starts(coded.pieces, which, block))
    return pd.Index(sorted(found)).to_numpy("int64")
