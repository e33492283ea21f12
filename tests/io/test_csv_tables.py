"""Long tables are written as pandas would write them, only faster."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dawnchorus.io.writers import csv_tables
from dawnchorus.io.writers.csv_tables import csv_lines, spelt

NAMES = st.text(st.sampled_from('ab ,;"\n\r\tä$'), max_size=5)
ROWS = st.lists(
    st.tuples(NAMES, st.floats(allow_nan=True, width=32), st.integers(-5, 5)), min_size=1, max_size=30
)


@given(ROWS, st.sampled_from([1, 4, 1000]))
def test_lines_are_those_of_pandas(rows, at_once):
    table = pd.DataFrame(rows, columns=["name, quoted", "value", "number"]).astype({"name, quoted": object})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_tables, "AT_ONCE", at_once)
        parts = list(csv_lines(table))
    file = io.StringIO(newline="")
    spelt(table).to_csv(file, index=False)
    assert "".join(text for text, _ in parts) == file.getvalue()
    assert sum(number for _, number in parts) == len(table)


def test_numbers_have_six_digits_and_what_is_missing_is_blank():
    table = pd.DataFrame({"x": [1 / 3, np.nan, 1e-9, 0.0, 1.0]})
    assert spelt(table)["x"].tolist() == ["0.333333", "", "1e-09", "0", "1"]


def test_an_empty_table_has_its_header():
    assert [text.strip() for text, _ in csv_lines(pd.DataFrame({"a": [], "b": []}))] == ["a,b"]
