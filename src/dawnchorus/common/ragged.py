"""Ragged arrays: many lists of whole numbers, of different lengths, stored in two flat arrays.

All lists are stored one after the other in the array `item`; list `i` is `item[start[i] : start[i + 1]]`,
as in a sparse matrix in CSR format. `Annotations` uses them for the species of each scope, the species
that each visit reported and the visits of each recording. Compiled kernels take these named tuples of two
arrays without conversion.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

Ints = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[Any]

BLOCK = 4_000_000
"""The number of items that `Ragged.within` compares at a time, to limit memory."""


class Ragged(NamedTuple):
    """Lists of whole numbers; in each list the numbers are unique and in ascending order.

    Attributes
    ----------
    start
        Where each list starts in `item`, and where the last one ends: one number more than there are lists.
    item
        The numbers of all lists, one list after the other.

    Examples
    --------
    >>> lists = Ragged.from_pairs([1, 0, 1], [4, 2, 3], rows=3)
    >>> [lists.row(i).tolist() for i in range(lists.rows)]
    [[2], [3, 4], []]
    """

    start: Ints
    item: Ints

    @classmethod
    def from_pairs(cls, row: npt.ArrayLike, item: npt.ArrayLike, *, rows: int) -> Self:
        """Return lists made from pairs: `item[n]` goes into list `row[n]`. Duplicate pairs are kept once."""
        row = np.asarray(row, np.int64)
        item = np.asarray(item, np.int64)
        width = int(item.max(initial=0)) + 1
        key = row * width + item
        if np.any(key[1:] <= key[:-1]):
            key.sort()
            key = key[np.diff(key, prepend=-1) > 0]  # np.unique hashes first, and takes twenty times as long
            row, item = np.divmod(key, width)
        return cls.from_sizes(np.bincount(row, minlength=rows), item)

    @classmethod
    def from_sizes(cls, sizes: npt.ArrayLike, item: npt.ArrayLike) -> Self:
        """Return the lists of these sizes into which a flat array, already sorted, is divided."""
        sizes = np.asarray(sizes, np.int64)
        start = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=start[1:])
        return cls(_frozen(start), _frozen(np.asarray(item).astype(np.int32)))

    @classmethod
    def empty(cls, rows: int) -> Self:
        """Return `rows` empty lists."""
        return cls.from_sizes(np.zeros(rows, np.int64), np.empty(0, np.int32))

    @property
    def rows(self) -> int:
        """The number of lists."""
        return len(self.start) - 1

    @property
    def sizes(self) -> Ints:
        """The length of each list."""
        return np.diff(self.start)

    def row(self, i: int) -> Ints:
        """Return list `i`."""
        return self.item[self.start[i] : self.start[i + 1]]

    def row_of_item(self) -> Ints:
        """Return, for each entry of `item`, the number of the list that contains it."""
        return np.repeat(np.arange(self.rows, dtype=np.int64), self.sizes)

    def take(self, rows: npt.ArrayLike) -> Self:
        """Return the lists with these numbers, in this order; a list may be taken more than once."""
        rows = np.asarray(rows, np.int64)
        sizes = self.sizes[rows]
        shift = np.repeat(self.start[rows] - (np.cumsum(sizes) - sizes), sizes)
        return type(self).from_sizes(sizes, self.item[np.arange(len(shift)) + shift])

    def keep(self, mask: Bools) -> Self:
        """Return the lists with only those items for which `mask` is true."""
        kept = np.concatenate([[0], np.cumsum(mask)])[self.start]
        return type(self).from_sizes(np.diff(kept), self.item[mask])

    def stack(self, other: Ragged) -> Self:
        """Return these lists followed by the lists of `other`."""
        return type(self).from_sizes(
            np.concatenate([self.sizes, other.sizes]), np.concatenate([self.item, other.item])
        )

    def find(self, row: npt.ArrayLike, item: npt.ArrayLike) -> Ints:
        """Return, for each pair, the position of `item` of list `row` in the flat array, or −1 if absent."""
        row = np.asarray(row, np.int64)
        item = np.asarray(item, np.int64)
        if not len(self.item):
            return np.full(len(row), -1)
        width = max(int(self.item.max()), int(item.max(initial=0))) + 1
        keys = self.row_of_item() * width + self.item
        wanted = row * width + item
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, place, -1)

    def contains(self, row: npt.ArrayLike, item: npt.ArrayLike) -> Bools:
        """Return, for each pair, whether `item` is in list `row`."""
        return self.find(row, item) >= 0

    def distinct(self) -> tuple[Self, Ints]:
        """Return the distinct lists, in order of first appearance, and the number of the one each row equals.

        Lists are compared by two 64-bit fingerprints, and the result is checked.
        """
        if not self.rows:
            return self, np.empty(0, np.int32)
        one, two = self._fingerprints()
        sort = np.lexsort((two, one))
        new = np.ones(self.rows, bool)
        new[1:] = (np.diff(one[sort]) != 0) | (np.diff(two[sort]) != 0)
        first = sort[new]  # the sort is stable, so the first of equal lists is the first to appear
        which = np.empty(self.rows, np.int64)
        which[sort] = np.cumsum(new) - 1
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        lists = self.take(first[order])
        which = rank[which].astype(np.int32)
        if not np.array_equal(lists.take(which).item, self.item):
            raise AssertionError("two different lists have the same fingerprint")
        return lists, which

    def compact(self, which: npt.ArrayLike) -> tuple[Self, Ints]:
        """Return the distinct lists that `which` refers to, in order of first use, and `which` renumbered."""
        lists, same = self.distinct()
        which = same[np.asarray(which, np.int64)]
        used, first, place = np.unique(which, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return lists.take(used[order]), rank[place].astype(np.int32)

    def unite(self, row: npt.ArrayLike, which: npt.ArrayLike, *, rows: int) -> tuple[Self, Ints]:
        """Return the union of several lists for each row: the distinct unions, and which one each row has.

        Row `row[n]` includes list `which[n]`. Unions are made once for all rows that include the same lists,
        so that fifty thousand rows with the same long list do not take fifty thousand times its room.
        """
        lists, same = self.distinct()
        members, set_of = Ragged.from_pairs(row, same[np.asarray(which, np.int64)], rows=rows).distinct()
        single = members.sizes == 1
        several = np.flatnonzero(~single)
        theirs = members.take(several)
        inside = lists.take(theirs.item)
        unions = self.from_pairs(theirs.row_of_item()[inside.row_of_item()], inside.item, rows=len(several))
        union_of = np.empty(members.rows, np.int64)
        union_of[single] = members.item[members.start[:-1][single]]
        union_of[several] = lists.rows + np.arange(len(several))
        return lists.stack(unions).compact(union_of[set_of])

    def within(self, one: npt.ArrayLike, other: npt.ArrayLike) -> Bools:
        """Return, for each pair of lists, whether list `one` is a subset of list `other`.

        >>> Ragged.from_pairs([0, 1, 1], [2, 2, 3], rows=2).within([0, 1], [1, 0]).tolist()
        [True, False]
        """
        pairs, which = np.unique(np.stack([one, other], axis=1), axis=0, return_inverse=True)
        sizes = self.sizes[pairs[:, 0]]
        inside = np.ones(len(pairs), bool)
        for block in np.split(np.arange(len(pairs)), np.flatnonzero(np.diff(np.cumsum(sizes) // BLOCK)) + 1):
            mine = self.take(pairs[block, 0])
            pair = block[mine.row_of_item()]
            inside[pair[~self.contains(pairs[pair, 1], mine.item)]] = False
        return inside[which.ravel()]

    def to_csr(self, columns: int) -> Any:
        """Return a sparse matrix with one row per list and ones in the columns that the list contains."""
        ones = np.ones(len(self.item), np.int32)
        return sparse.csr_array((ones, self.item, self.start), shape=(self.rows, columns))

    def equals(self, other: Ragged) -> bool:
        """Return whether the lists are the same."""
        return np.array_equal(self.start, other.start) and np.array_equal(self.item, other.item)

    def _fingerprints(self) -> npt.NDArray[np.uint64]:
        """Return two hash values per list: sums, modulo 2**64, of fixed random numbers of its items."""
        width = int(self.item.max(initial=0)) + 1
        words = np.random.default_rng(0).integers(0, 2**64, size=(2, width), dtype=np.uint64)
        total = np.zeros((2, len(self.item) + 1), np.uint64)
        np.cumsum(words[:, self.item], axis=1, out=total[:, 1:])
        return total[:, self.start[1:]] - total[:, self.start[:-1]]


def _frozen(array: Ints) -> Ints:
    array.flags.writeable = False
    return array
