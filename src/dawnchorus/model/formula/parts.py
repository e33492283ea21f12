"""Parts of a formula: the text `site + cc(hour, df=6)` is taken apart; no data are needed for it.

formulaic reads the formula. A part is a covariate, an arithmetic expression of columns such as `hour` or
`log(area)`, and what is done with it: levels, a spline of it, or a straight line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...common.checked import is_finite
from ...common.errors import AnnotationError
from ...common.lazy import lazy
from .subjects import RECORDINGS, Subjects

FORMULAIC = lazy("formulaic", extra="context", purpose="a formula of where and when")
SPLINES = ("bs", "cc", "cr", "cs")
PERIODS = {"hour": (0.0, 24.0), "date": (1.0, 367.0), "sunrise": (-12.0, 12.0)}
"""Where cyclic splines of these covariates begin and end, unless the formula says otherwise."""
BOUNDS = ("lower_bound", "upper_bound")


class Part(NamedTuple):
    """One term of a formula."""

    name: str
    """As written in the formula, with blanks in the usual places."""
    inside: str
    """The covariate as written."""
    covariate: ast.expr
    """What stands inside `C(…)` or a spline, or the whole term."""
    levels: bool = False
    """Whether it is `C(…)`, so that numbers are names."""
    spline: str = ""
    """The name of the spline, if it is one."""
    options: Mapping[str, Any] = MappingProxyType({})
    """What the formula says of the spline, such as df."""
    columns: Mapping[str, str] = MappingProxyType({})
    """The columns that are written in backticks, by the name that stands for them."""

    @property
    def plain(self) -> str | None:
        """The name of the column, if the covariate is a column and nothing else."""
        return self.column(self.covariate.id) if isinstance(self.covariate, ast.Name) else None

    @property
    def period(self) -> tuple[float, float] | None:
        """Where a cyclic spline begins and ends; both ends are the same point."""
        if self.spline != "cc":
            return None
        known: tuple[Any, Any] = PERIODS.get(self.plain or "", (None, None))
        first, last = (self.options.get(name, end) for name, end in zip(BOUNDS, known, strict=True))
        if not is_finite(first, last) or first >= last:
            raise AnnotationError(
                f"{self.name} is cyclic, but it does not say where the cycle begins and ends",
                f"say it, as in cc({self.inside}, df=4, lower_bound=0, upper_bound=360)",
            )
        return float(first), float(last)

    def column(self, name: str) -> str:
        """Return the column that a name in the formula stands for."""
        return self.columns.get(name, name)


def read_formula(formula: str, of: Subjects = RECORDINGS) -> list[Part]:
    """Return the parts of a formula; raise an error if it has none, or is not understood.

    >>> [(part.name, part.spline, dict(part.options)) for part in read_formula("site + cc(hour,df=6)")]
    [('site', '', {}), ('cc(hour, df=6)', 'cc', {'df': 6})]
    """
    if not isinstance(formula, str):
        raise AnnotationError(f"the formula is {formula!r}", f"give a text: {of.as_in}")
    safe, columns = _without_backticks(formula)
    try:
        found = FORMULAIC.Formula(safe)
    except (FORMULAIC.errors.FormulaicError, SyntaxError) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise AnnotationError(f"the formula '{formula}' is not understood ({why})", of.as_in) from None
    if not isinstance(found, FORMULAIC.SimpleFormula):
        raise AnnotationError(
            f"the formula '{formula}' has several sides", f"leave out ~ and |, and {of.as_in}"
        )
    parts = []
    for term in found:
        written = [factor.expr for factor in term.factors]
        if len(written) > 1:
            raise AnnotationError(
                f"the formula has an interaction, {':'.join(written)}, and these are not supported yet",
                "use + instead; for an interaction of two columns of names, add a column that has both",
            )
        if written != ["1"]:
            parts.append(_part(written[0], columns))
    if not parts:
        raise AnnotationError(f"the formula '{formula}' has no term", of.as_in)
    return parts


def read_term(name: str) -> Part | None:
    """Return one term of a formula by its name in a context, or None if it is not written as in a formula.

    >>> read_term("cc(hour, df=6)").plain, read_term("of my own making")
    ('hour', None)
    """
    safe, columns = _without_backticks(name)
    try:
        return _part(safe, columns)
    except (AnnotationError, SyntaxError):
        return None


def _without_backticks(formula: str) -> tuple[str, dict[str, str]]:
    """Return a formula in which every column is a name, and the columns that had other names."""
    columns = {}

    def named(found: re.Match[str]) -> str:
        name = re.sub(r"\W", "_", found.group(1))
        name = name if name.isidentifier() else f"_{name}"
        columns[name] = found.group(1)
        return name

    return re.sub("`([^`]+)`", named, formula), columns


def _part(written: str, columns: dict[str, str]) -> Part:
    tree = ast.parse(written, mode="eval").body
    name = _with_backticks(written, columns)
    part = Part(name, name, tree, columns=columns)
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return part
    if tree.func.id == "C":
        if len(tree.args) != 1 or tree.keywords or not isinstance(tree.args[0], ast.Name):
            raise AnnotationError(
                f"{name} is not understood",
                "write one column inside C( ), as in C(site): its values get random effects",
            )
        return part._replace(covariate=tree.args[0], inside=_inside(tree, columns), levels=True)
    if tree.func.id not in SPLINES:
        return part
    if not 1 <= len(tree.args) <= 2 or any(option.arg is None for option in tree.keywords):
        raise AnnotationError(
            f"{name} is not understood",
            "write the column first and name the options, as in bs(date, df=4)",
        )
    try:
        options = {str(k.arg): ast.literal_eval(k.value) for k in tree.keywords}
        options |= {"df": ast.literal_eval(tree.args[1])} if len(tree.args) == 2 else {}
    except ValueError:
        raise AnnotationError(
            f"{name} has options that are not numbers", "write them as numbers, as in bs(date, df=4)"
        ) from None
    _check_df(name, options, options.get("degree", 3) if tree.func.id == "bs" else 1)
    return part._replace(
        covariate=tree.args[0], inside=_inside(tree, columns), spline=tree.func.id, options=options
    )


def _check_df(name: str, options: Mapping[str, Any], least: Any) -> None:
    df = options.get("df")
    if df is not None and (not isinstance(df, int) or (isinstance(least, int) and df < least)):
        raise AnnotationError(f"df in {name} is {df!r}", f"give a whole number, at least {least}")


def _inside(tree: ast.Call, columns: dict[str, str]) -> str:
    return _with_backticks(ast.unparse(tree.args[0]), columns)


def _with_backticks(written: str, columns: dict[str, str]) -> str:
    """Return a part of a formula as the user wrote it."""
    for name, column in columns.items():
        written = re.sub(rf"\b{name}\b", lambda _, column=column: f"`{column}`", written)  # type: ignore[misc]
    return written


def names_in(part: Part, of: Subjects = RECORDINGS) -> list[str]:
    """Return the columns that a part is about, each once."""
    functions = {id(node.func) for node in ast.walk(part.covariate) if isinstance(node, ast.Call)}
    names = [
        part.column(node.id)
        for node in ast.walk(part.covariate)
        if isinstance(node, ast.Name) and id(node) not in functions and node.id != "np"
    ]
    if not names:
        raise AnnotationError(f"{part.name} names no column", f"leave it out, or {of.as_in}")
    return list(dict.fromkeys(names))
