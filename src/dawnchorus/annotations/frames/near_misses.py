"""Near misses: names of species that are nearly the same, and may be one species.

Two names are near if they differ only in case, in spaces, hyphens, dots and apostrophes, or in one letter:
one that is wrong, missing or too many, or two that have changed places. Names that differ in digits are not
near, nor are codes of at most four letters that differ in a letter, nor `type A` and `type B`.

Names are compared through what is left of them without any one of their letters, so that the time grows with
the number of names, not with its square: two names are compared only if they have one of these in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ...common.warn import warn
from ...common.wording import either, option, option_name
from ..labels import counted, verb
from .columns import Source
from .spelling import folded

SIGNS = re.compile(r"[\s\-‐‑–_.'’`]+")
"""What may be written or left out in a name."""
LEAST_LETTERS = 5
"""Names with fewer letters are codes, in which every letter counts."""
LEAST_PART = 3
"""Parts of names with fewer letters, such as A and B, or I and II, are no misspellings of each other."""
CROWD = 40
"""More names than this that differ in the same letter are named by a system, not by mistake."""
MOST_NAMES = 50_000
"""Among more names than this, which are hardly species, single letters are not compared."""
LONGEST_NAME = 80
"""Letters of longer names are not compared."""
MOST_TOLD = 12


class NearMiss(NamedTuple):
    """A name that is nearly that of another species, with the rows of both."""

    text: str
    like: str
    why: str
    rows: int
    like_rows: int


def near_misses(rows: Mapping[str, int], known: Collection[str] = ()) -> list[NearMiss]:
    """Return the names that are nearly another, which is known, or else has more rows.

    Two names that are both known are left alone, and so are two without any row. No name is near one that is
    itself near another.

    >>> near_misses({"Ural owl": 9, "Ural-Owl": 2, "Ural owll": 1, "species 1": 1, "species 2": 3})
    [NearMiss(text='Ural-Owl', like='Ural owl', why='spaces, hyphens or dots', rows=2, like_rows=9),
     NearMiss(text='Ural owll', like='Ural owl', why='one letter', rows=1, like_rows=9)]
    """
    sure = set(known)
    order = sorted((text for text in rows if text), key=lambda text: (text not in sure, -rows[text], text))
    place = {text: i for i, text in enumerate(order)}
    near: dict[int, dict[int, str]] = defaultdict(dict)
    by_key = _by_key(order)
    for texts in by_key.values():
        for text in texts[1:]:
            same_case = folded(text) == folded(texts[0])
            near[place[text]][place[texts[0]]] = "case" if same_case else "spaces, hyphens or dots"
    firsts = {key: texts[0] for (key, _), texts in by_key.items()}
    for one, other in _one_letter(firsts):
        later, earlier = max(place[one], place[other]), min(place[one], place[other])
        near[later].setdefault(earlier, "one letter")
    found: dict[int, NearMiss] = {}
    for i in sorted(near):
        if order[i] in sure:
            continue
        for j in sorted(near[i]):
            if j not in found and (rows[order[i]] or rows[order[j]]):
                found[i] = NearMiss(order[i], order[j], near[i][j], rows[order[i]], rows[order[j]])
                break
    return list(found.values())


def tell_near_misses(found: list[NearMiss], source: Source) -> None:
    """Warn of near misses; those in case alone are told where spellings are compared."""
    others = [miss for miss in found if miss.why != "case"]
    if not others:
        return
    lines = [
        f"\n  '{miss.text}' ({counted(miss.rows, 'row')}) is nearly '{miss.like}' "
        f"({counted(miss.like_rows, 'row')}): {miss.why}"
        for miss in others[:MOST_TOLD]
    ]
    more = [f"\n  and {len(others) - MOST_TOLD:,} more"] if len(others) > MOST_TOLD else []
    give = option("names")
    write = f"`dawnchorus look FILE {option_name('write_names')} names.csv`"
    makes = either("dc.look(…, write_names=…)", write)
    warn(
        f"{source.name}: {counted(len(others), 'species')} {verb(len(others), 'has', 'have')} nearly the "
        "name of another, and each counts as a species of its own; if they are the same, give a table of "
        f"names by {give}, which "
        f"{makes} makes:" + "".join(lines + more)
    )


def _by_key(order: list[str]) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """Return names that are the same without case, spaces and hyphens; numbers in them must be the same."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for text in order:
        low = folded(text)
        key = SIGNS.sub("", low)
        if any(character.isalpha() for character in key):
            groups[key, tuple(re.findall(r"\d+", low))].append(text)
    return groups


def _one_letter(firsts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Return pairs of names that differ in one letter, given by what they are without signs."""
    if len(firsts) > MOST_NAMES:
        return
    without: dict[str, list[str]] = defaultdict(list)
    for key in firsts:
        if len(key) > LONGEST_NAME or sum(map(str.isalpha, key)) < LEAST_LETTERS:
            continue
        without[key].append(key)
        for shorter in {key[:i] + key[i + 1 :] for i, letter in enumerate(key) if letter.isalpha()}:
            without[shorter].append(key)
    told: set[tuple[str, str]] = set()
    for keys in without.values():
        if not 1 < len(keys) <= CROWD:
            continue
        for i, one in enumerate(keys):
            for other in keys[i + 1 :]:
                pair = (one, other) if one < other else (other, one)
                if pair not in told and _is_slip(one, other, firsts):
                    told.add(pair)
                    yield firsts[one], firsts[other]


def _is_slip(one: str, other: str, firsts: Mapping[str, str]) -> bool:
    """Return whether one letter makes the difference: wrong, missing or misplaced, and in a longer word."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    changed = len(a) <= 1 and len(b) <= 1
    swapped = len(a) == len(b) == 2 and a == b[::-1]
    if not (changed or swapped) or not (a + b).isalpha():
        return False
    parts = [set(SIGNS.split(folded(firsts[key]))) - {""} for key in (one, other)]
    return all(sum(map(str.isalpha, part)) >= LEAST_PART for part in parts[0] ^ parts[1])
