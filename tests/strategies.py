"""Hypothesis strategies: small sets of annotations of every shape."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

import dawnchorus as dc

COLUMNS = ["recording", "annotator", "species", "present"]


@st.composite
def rows(draw, absence=None):
    """Draw rows without contradiction: (recording, annotator, species or "", present)."""
    cells = draw(
        st.dictionaries(
            st.tuples(
                st.sampled_from(["r1", "r2", "r3", "r10"]),
                st.sampled_from(["Aino", "Onni", "7"]),
                st.sampled_from(["wren", "robin", "owl", ""]),
            ),
            st.sampled_from([1, 0, None]),
            min_size=1,
            max_size=20,
        )
    )
    return [(i, j, k, present if k else None) for (i, j, k), present in cells.items()]


def scopes():
    pair = st.tuples(
        st.sampled_from(["Aino", "Onni", "7", "Helmi"]), st.sampled_from(["wren", "robin", "owl", "crane"])
    )
    return st.lists(pair, min_size=1, max_size=8, unique=True)


def frame(rows):
    return pd.DataFrame(rows, columns=COLUMNS).astype({"present": "Int8"})


def scope_frame(pairs):
    return pd.DataFrame(pairs, columns=["annotator", "species"])


@st.composite
def annotations(draw):
    absence = draw(st.sampled_from(["explicit", "scope", "checklist"]))
    scope = scope_frame(draw(scopes())) if absence == "scope" or draw(st.booleans()) else None
    table = frame(draw(rows()))
    return dc.Annotations.from_frame(table, absence=absence, scope=scope)
