"""Covariates: the values that a part of a formula has in each recording, or for each annotator."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.labels import as_text, counted
from ...annotations.metadata.when import NEEDED, known_names, metadata_column, numbers
from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats
from ...common.wording import listed, option
from .parts import SPLINES, Part, names_in
from .subjects import RECORDINGS, Subjects

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "I": lambda x: x,
    "abs": np.abs,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "sin": np.sin,
    "sqrt": np.sqrt,
}
UNNEEDED = ("center", "scale", "standardize")


def used_metadata(parts: list[Part], table: pd.DataFrame, of: Subjects = RECORDINGS) -> pd.DataFrame:
    """Return the columns that a formula names; raise an error if the table does not have one."""
    names = dict.fromkeys(name for part in parts for name in names_in(part, of))
    _check_names(list(names), table, of)
    take = metadata_column if of.timed else pd.DataFrame.__getitem__
    return pd.DataFrame({name: take(table, name) for name in names}, table.index)


def _check_names(names: list[str], table: pd.DataFrame, of: Subjects) -> None:
    known = known_names(table) if of.timed else [*map(str, table.columns)]
    if not known:
        raise AnnotationError(
            f"the formula needs metadata of {of.words}, and there are none",
            f"give {of.a_table}: {option(of.words, f'{of.words}.csv')}",
        )
    for name in names:
        if name in known:
            continue
        if of.timed and name in NEEDED and "time" in known:
            metadata_column(table, name)  # raises an error that says what it needs
        close = get_close_matches(name, known, n=2)
        timed = of.timed and name in NEEDED
        needs = f"'{name}'" + (f", or {listed(NEEDED[name], last=' and ')}," if timed else "")
        raise AnnotationError(
            f"{of.words} have no '{name}', which the formula names; they have {listed(known)}",
            f"perhaps you mean {listed(close, last=' or ')}" if close else f"add {needs} to {of.table}",
        )


def covariate_texts(part: Part, metadata: pd.DataFrame) -> pd.Series | None:
    """Return the names of levels in each recording ("" where missing); None if the covariate is numeric."""
    if part.plain is None:
        return None
    column = metadata[part.plain]
    if part.spline or (_is_numeric(column) and not part.levels):
        return None
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        raise AnnotationError(
            f"{part.name} is a time, not a number or a name",
            "use hour, date or sunrise, as in cc(hour, df=6)",
        )
    code, distinct = pd.factorize(column)
    return pd.Series(np.array([*map(as_text, distinct), ""], object)[code], column.index)


def covariate_values(part: Part, metadata: pd.DataFrame, of: Subjects = RECORDINGS) -> Floats:
    """Return the value of a numeric covariate in each recording; raise an error if it is missing in any."""
    columns = {
        name: numbers(metadata[name], f"write numbers, or take them as names: C({name})", word=of.word)
        for name in names_in(part)
    }
    for name, column in columns.items():
        refuse_missing(name, column.isna().to_numpy(), metadata.index)
    with np.errstate(all="ignore"):
        values = _value(part, part.covariate, {name: column.to_numpy() for name, column in columns.items()})
    values = np.broadcast_to(np.asarray(values, float), len(metadata))
    if not np.isfinite(values).all():
        i = int(np.argmin(np.isfinite(values)))
        raise AnnotationError(
            f"{part.inside} is not a finite number {of.at} '{metadata.index[i]}', where "
            + ", ".join(f"{name} is {column.iloc[i]:g}" for name, column in columns.items()),
            "use another function, or correct the value",
        )
    return values


def refuse_missing(name: str, missing: Bools, index: pd.Index) -> None:
    """Raise an error that names the first recordings in which metadata are missing."""
    if missing.any():
        raise AnnotationError(
            f"{name} is missing in {counted(int(missing.sum()), 'recording')} of {len(index):,}: "
            f"{listed(index[missing], 3)}",
            f"fill it in, leave {name} out of the formula, or leave these recordings out "
            "(annotations.drop(recordings=…))",
            file=RECORDINGS.table,
        )


def _is_numeric(column: pd.Series) -> bool:
    kind = column.dtype
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)


def _value(part: Part, node: ast.AST, columns: Mapping[str, Floats]) -> Any:
    """Return the value of an arithmetic expression."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return columns[part.column(name)]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(part, left, columns), _value(part, right, columns))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(part, operand, columns))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="np"), attr=name)):
            if name in FUNCTIONS and len(node.args) == 1 and not node.keywords:
                return FUNCTIONS[name](_value(part, node.args[0], columns))
            raise _no_function(part, name)
    raise AnnotationError(
        f"{ast.unparse(node)} in {part.name} is not understood",
        f"use numbers, columns, + − * / ** and the functions {', '.join(FUNCTIONS)}",
    )


def _no_function(part: Part, name: str) -> AnnotationError:
    if name in UNNEEDED:
        return AnnotationError(
            f"{name} in {part.name} is not needed: numeric terms are centred and scaled", f"leave out {name}"
        )
    known = [*SPLINES, "C", *FUNCTIONS]
    if name in known:
        return AnnotationError(
            f"{name} in {part.name} does not stand where it can", f"write {name} around one column"
        )
    close = get_close_matches(name, known, n=2)
    return AnnotationError(
        f"there is no function '{name}' for {part.name}; there are {', '.join(known)}",
        f"perhaps you mean {listed(close, last=' or ')}" if close else "use one of these",
    )
