"""Metadata: the tables of recordings, annotators and species, into a netCDF file and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types


def packed_metadata(word: str, frame: pd.DataFrame) -> dict[str, tuple[str, Any, dict[str, str]]]:
    """Return the columns of a table of labels as variables along `word`: numbers, or else text."""
    found = {}
    for i, (name, column) in enumerate(frame.items()):
        values, kind = _packed(column)
        found[f"{word}_metadata_{i}"] = (word, values, {"column": str(name), **kind})
    return found


def unpacked_metadata(word: str, group: Any) -> pd.DataFrame:
    """Return the table of labels that `packed_metadata` made variables of."""
    index = pd.Index(group[word].values.astype(object), dtype=object, name=word)
    columns = {
        variable.attrs["column"]: _unpacked(variable.values, variable.attrs)
        for name, variable in group.data_vars.items()
        if str(name).startswith(f"{word}_metadata_")
    }
    return pd.DataFrame(columns, index=index)


def _packed(column: pd.Series) -> tuple[Any, dict[str, str]]:
    missing = column.isna().to_numpy()
    if types.is_bool_dtype(column) and not missing.any():
        return column.to_numpy(np.int8), {"kind": "flag"}
    if types.is_integer_dtype(column) and not missing.any():
        return column.to_numpy(np.int64), {"kind": "number"}
    if types.is_numeric_dtype(column) and not types.is_complex_dtype(column):
        return column.to_numpy(float, na_value=np.nan), {"kind": "number"}
    kind = {"kind": "text"}
    if types.is_datetime64_any_dtype(column):
        kind = {"kind": "time"}
        if column.dt.tz is not None:
            kind["zone"], column = str(column.dt.tz), column.dt.tz_convert("UTC").dt.tz_localize(None)
    text = [
        "" if gone else value.isoformat() if kind["kind"] == "time" else str(value)
        for value, gone in zip(column, missing, strict=True)
    ]
    return np.array(text, object), kind


def _unpacked(values: Any, kind: dict[str, str]) -> Any:
    if kind["kind"] == "flag":
        return values.astype(bool)
    if kind["kind"] == "number":
        return values
    if kind["kind"] == "text":
        return values.astype(object)
    times = pd.Series(pd.to_datetime([value or None for value in values.astype(object)], format="ISO8601"))
    return (times.dt.tz_localize("UTC").dt.tz_convert(kind["zone"]) if "zone" in kind else times).array
