"""Lookups: small questions that kernels ask again and again."""

from __future__ import annotations

from ...common.compiled import inlined
from ...common.ragged import Bools, Floats, Ints

FAR = 1e100
"""Products of many ratios are kept between 1 / FAR and FAR, with the powers of FAR beside them."""
LARGE = 1e250
"""Odds are no larger, and no smaller than 1 / LARGE."""
FEW = 15
"""So few votes, each of which multiplies odds by 1e-15 to 1e15, cannot take them beyond."""


@inlined
def times(w: float, far: int, ratio: float) -> tuple[float, int]:
    """Multiply w · FAR^far, which hundreds of votes may take beyond what a number can hold and back."""
    w *= ratio
    if w > FAR:
        return w / FAR, far + 1
    if w < 1 / FAR:
        return w * FAR, far - 1
    return w, far


@inlined
def odds_from(w: float, far: int) -> float:
    """Give w · FAR^far, as far as odds go."""
    if far != 0:
        w *= FAR ** float(max(min(far, 4), -4))
    return min(max(w, 1 / LARGE), LARGE)


@inlined
def weighed(w: float, ratio: Floats, vote: Ints, low: int, high: int) -> float:
    """Give odds after the votes from `low` to `high`, in whatever order they come."""
    if high - low <= FEW:
        for v in range(low, high):
            w *= ratio[vote[v]]
        return odds_from(w, 0)
    far = 0
    for v in range(low, high):
        w, far = times(w, far, ratio[vote[v]])
    return odds_from(w, far)


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
