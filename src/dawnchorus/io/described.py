"""What readers and writers say of themselves in their docstrings, and the options that they have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from inspect import getdoc, signature
from typing import Any

from ..common.checked import yes_or_no
from ..common.errors import AnnotationError
from ..common.wording import listed, option

Function = Callable[..., Any]


def options_of(function: Function, given: Iterable[str]) -> list[str]:
    """Return the names of the options of a reader or writer, in order, besides what it is given."""
    return [name for name in signature(function).parameters if name not in given]


def described(function: Function, given: Iterable[str]) -> dict[str, Any]:
    """Return what a function says of itself: what it is for, its options in words, and those it needs."""
    doc = getdoc(function) or ""
    options = {}
    for name in options_of(function, given):
        words = re.search(rf"^(?:\w+, )*{name}(?:, \w+)*\n((?: {{4}}.*\n?)+)", doc, re.MULTILINE)
        options[name] = " ".join(words.group(1).split()) if words else ""
    needs = [name for name, words in options.items() if "There is no default" in words]
    return {"what": doc.splitlines()[0], "needs": needs, "options": options}


def check_options(function: Function, given: Iterable[str], options: dict[str, Any], format: str) -> None:
    """Raise an error if the function does not have one of these options; `format` is how it was chosen."""
    known = options_of(function, given)
    unknown = [name for name in options if name not in known]
    if unknown:
        those = f"the options of this format are {listed(known)}" if known else "this format has no options"
        raise AnnotationError(f"{option(unknown[0])} cannot be used with {format}", f"leave it out; {those}")
    for name, parameter in signature(function).parameters.items():
        if name in options and parameter.annotation in ("bool", bool):
            yes_or_no(**{name: options[name]})
