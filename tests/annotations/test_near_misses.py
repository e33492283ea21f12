"""Species with nearly the name of another are told, never merged, and found in good time."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dawnchorus as dc
from dawnchorus import Annotations
from dawnchorus.annotations.frames.near_misses import near_misses


def pairs(*texts: str, known=()) -> list[tuple[str, str, str]]:
    return [found[:3] for found in near_misses({text: 9 - i for i, text in enumerate(texts)}, known)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ural owl", "case"),
        ("Ural-owl", "spaces, hyphens or dots"),
        ("Uralowl", "spaces, hyphens or dots"),
        ("Ural_Owl.", "spaces, hyphens or dots"),
        ("Ural owll", "one letter"),
        ("Ural ow", None),  # what is left of the word is too short
        ("Ual owl", "one letter"),
        ("Urla owl", "one letter"),
        ("Urel owl", "one letter"),
        ("Urel-OWL", "one letter"),
        ("Urel owls", None),
        ("Ural owl 2", None),
        ("Ural owl?", None),
        ("Ural owl m", None),
        ("Uraf ewl", None),
    ],
)
def test_what_is_near(text, why):
    assert pairs("Ural owl", text) == ([] if why is None else [(text, "Ural owl", why)])


@pytest.mark.parametrize(
    "texts",
    [
        ("species 1", "species 2"),
        ("type 1.1", "type 11"),
        ("s1", "s2", "s10"),
        ("ROBI", "ROBN", "BLTI", "BLUI"),
        ("Bird A", "Bird B"),
        ("song type I", "song type II", "song type III"),
        ("mallard m", "mallard f", "mallard"),
        ("?", "??", "-", "--"),
        ("Parus major", "Parus minor"),
    ],
)
def test_what_is_not(texts):
    assert pairs(*texts) == []


def test_the_known_name_is_kept_else_that_of_most_rows_and_there_are_no_chains():
    assert near_misses({"Robin": 1, "Robbin": 5})[0][:2] == ("Robin", "Robbin")
    assert near_misses({"Robin": 1, "Robbin": 5}, ["Robin"])[0][:2] == ("Robbin", "Robin")
    assert near_misses({"Robin": 1, "Robbin": 5}, ["Robin", "Robbin"]) == []
    chain = pairs("Robin", "Robbin", "Robbinn", "Robbinnn")
    assert not {text for text, *_ in chain} & {like for _, like, _ in chain}


def test_names_that_nobody_uses_are_compared_with_those_in_use_only():
    assert near_misses({"Robin": 0, "Robbin": 0}) == []
    assert near_misses({"Robin": 0, "Robbin": 1})[0][:2] == ("Robin", "Robbin")


def test_long_names_and_crowds_take_no_memory():
    long = {"a" * 900 + letters: 1 for letters in map("".join, itertools.product("bcdefg", repeat=4))}
    assert near_misses(long) == []
    crowd = {f"{letters}nightingale": 1 for letters in map("".join, itertools.permutations("bcdefgh", 3))}
    near_misses(crowd)
    many = {
        f"nightingale {i:x}".translate(str.maketrans("0123456789", "ghijklmnop")): 1 for i in range(60_000)
    }
    assert near_misses(many) == []


def naive(one: str, other: str) -> bool:
    """Whether one letter, put anywhere, taken away, changed or swapped with the next, makes the other."""
    letters = set(one + other)
    ways = {one[:i] + one[i + 1 :] for i in range(len(one))}
    ways |= {one[:i] + c + one[i:] for i in range(len(one) + 1) for c in letters}
    ways |= {one[:i] + c + one[i + 1 :] for i in range(len(one)) for c in letters}
    ways |= {one[:i] + one[i + 1] + one[i] + one[i + 2 :] for i in range(len(one) - 1)}
    return other in ways


@given(st.lists(st.text("abc", min_size=5, max_size=8), min_size=2, max_size=12, unique=True))
def test_the_fast_search_finds_what_a_slow_one_finds(texts):
    found = near_misses(dict.fromkeys(texts, 1))
    near = {frozenset(pair) for pair in itertools.combinations(texts, 2) if naive(*pair)}
    assert all(frozenset(miss[:2]) in near for miss in found)
    told = {miss.text for miss in found}
    for one, other in near:  # of two that are near, one is told, or both are near to others
        assert {one, other} & told


def test_twenty_thousand_names_take_a_moment():
    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, 9)).capitalize() for _ in range(300)]
    names = [f"{a} {b.lower()}" for a, b in rng.choice(words, (20_000, 2))]
    names = list(dict.fromkeys(names))
    wrong = [name.replace(name[5], "x" if name[5] != "x" else "y", 1) for name in names[:50]]
    start = time.perf_counter()
    found = near_misses(dict.fromkeys(names, 5) | dict.fromkeys(wrong, 1))
    assert time.perf_counter() - start < 6
    assert {miss.text for miss in found} >= set(wrong)


def test_they_are_told_while_reading_and_not_merged():
    frame = pd.DataFrame(
        {"recording": [1, 2, 3], "annotator": "A", "species": ["Ural owl", "Ural owl", "Ural-owl"]}
    )
    with pytest.warns(dc.AnnotationWarning, match="1 species has nearly the name") as told:
        annotations = Annotations.from_frame(frame, "checklist")
    assert annotations.n_species == 2
    assert "'Ural-owl' (1 row) is nearly 'Ural owl' (2 rows): spaces, hyphens or dots" in str(told[0].message)
    assert "names=" in str(told[0].message)
    assert "--write-names names.csv" in told[0].message.at_command_line()
    assert Annotations.from_frame(frame, "checklist", names={"Ural-owl": "Ural owl"}).n_species == 1
    named = pd.DataFrame({"species": ["Ural owl", "Ural-owl"], "family": ["owls", "owls"]})
    assert Annotations.from_frame(frame, "checklist", species=named).n_species == 2  # both are known
