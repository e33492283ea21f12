from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dawnchorus.common.ragged import Ragged

SETS = st.lists(st.frozensets(st.integers(0, 6), max_size=5), max_size=8)


def ragged(sets) -> Ragged:
    row = [i for i, one in enumerate(sets) for _ in one]
    item = [x for one in sets for x in one]
    return Ragged.from_pairs(row, item, rows=len(sets))


def as_sets(lists: Ragged) -> list[set[int]]:
    return [set(lists.row(i).tolist()) for i in range(lists.rows)]


@given(SETS)
def test_from_pairs_sorts_and_keeps_each_once(sets):
    lists = ragged(sets)
    again = Ragged.from_pairs(
        np.tile(lists.row_of_item(), 2)[::-1], np.tile(lists.item, 2)[::-1], rows=len(sets)
    )
    assert as_sets(lists) == [set(one) for one in sets]
    assert again.equals(lists)
    assert all(np.all(np.diff(lists.row(i)) > 0) for i in range(lists.rows))


@given(SETS, st.data())
def test_take_keep_stack_contains(sets, data):
    lists = ragged(sets)
    rows = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=10)) if sets else []
    assert as_sets(lists.take(rows)) == [set(sets[i]) for i in rows]
    assert as_sets(lists.keep(lists.item % 2 == 0)) == [{x for x in one if x % 2 == 0} for one in sets]
    assert as_sets(lists.stack(lists)) == [set(one) for one in sets] * 2
    pairs = [(i, x) for i in range(len(sets)) for x in range(9)]
    found = lists.contains([i for i, _ in pairs], [x for _, x in pairs])
    assert found.tolist() == [x in sets[i] for i, x in pairs]


@given(SETS)
def test_distinct_and_compact_give_back_the_lists(sets):
    lists = ragged(sets)
    distinct, which = lists.distinct()
    assert distinct.take(which).equals(lists)
    assert as_sets(distinct) == [set(one) for one in dict.fromkeys(sets)]
    order = np.arange(len(sets))[::-1]
    compact, which = lists.compact(order)
    assert compact.take(which).equals(lists.take(order))
    assert as_sets(compact) == [set(one) for one in dict.fromkeys(reversed(sets))]


@given(SETS, st.data())
def test_unite(sets, data):
    pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, max(len(sets) - 1, 0))), max_size=12)
    members = data.draw(pairs) if sets else []
    lists, which = ragged(sets).unite([i for i, _ in members], [x for _, x in members], rows=4)
    wanted = [set().union(*(sets[x] for i, x in members if i == row)) for row in range(4)]
    assert as_sets(lists.take(which)) == wanted


def test_arrays_cannot_be_changed():
    lists = ragged([{1}, {2, 3}])
    assert not lists.item.flags.writeable
    assert not lists.start.flags.writeable
