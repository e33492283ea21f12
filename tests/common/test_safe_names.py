"""Names of files and folders made of labels: inside, on every system, and different."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

from hypothesis import given
from hypothesis import strategies as st

from dawnchorus.common.files.safe_names import safe_name, safe_names


@given(st.text())
def test_a_name_is_one_part_of_a_path_and_stays_inside(text):
    name = safe_name(text)
    assert PurePosixPath(name).parts == PureWindowsPath(name).parts == (name,)
    assert name not in (".", "..")
    assert not name.startswith((".", "-"))
    assert 0 < len(name.encode()) <= 130


@given(st.lists(st.text("aA/:.-b", max_size=6), unique=True))
def test_different_labels_have_different_names_whatever_the_case(texts):
    names = safe_names(texts)
    assert list(names) == texts
    assert len({name.casefold() for name in names.values()}) == len(texts)
