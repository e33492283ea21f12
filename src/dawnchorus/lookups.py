"""Lookups: small questions that kernels ask of the layout again and again."""

from __future__ import annotations

from .compiled import inlined
from .ragged import Bools, Ints


@inlined
def voted(
    scopes: Ints,
    in_scope: Bools,
    scope_start: Ints,
    scope_item: Ints,
    unsure_start: Ints,
    unsure_item: Ints,
    visit: int,
    k: int,
) -> bool:
    """Tell whether a visit voted on a species: look its scope up or, without a table, search."""
    scope = scopes[visit]
    if len(in_scope) > 0:
        inside = in_scope[scope, k]
    else:
        place = lower(scope_item, scope_start[scope], scope_start[scope + 1], k)
        inside = place < scope_start[scope + 1] and scope_item[place] == k
    return inside and not has(unsure_item, unsure_start[visit], unsure_start[visit + 1], k)


@inlined
def rate_of(rates: Ints, start: Ints, item: Ints, j: int, k: int) -> int:
    """Give the rate that annotator j's votes on species k depend on."""
    if len(start) == 1:
        return j
    if len(rates) > 0:
        return rates[j, k]
    return lower(item, start[j], start[j + 1], k)


@inlined
def has(items: Ints, low: int, high: int, k: int) -> bool:
    """Tell whether a short list has k."""
    for place in range(low, high):  # noqa: SIM110
        if items[place] == k:
            return True
    return False


@inlined
def lower(items: Ints, low: int, high: int, k: int) -> int:
    """Give the first place from `low` on where an ascending list is at least k."""
    while low < high:
        middle = (low + high) // 2
        if items[middle] < k:
            low = middle + 1
        else:
            high = middle
    return low
