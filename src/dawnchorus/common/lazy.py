"""Lazy: modules that are imported when they are first used, so that nothing waits for what it does not need.

The only place in which an import happens inside a function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from .errors import MissingPackageError


class LazyModule:
    """Stands for a module until somebody asks for something in it."""

    def __init__(self, name: str, extra: str | None = None, purpose: str | None = None) -> None:
        self._name, self._extra, self._purpose = name, extra, purpose

    def __getattr__(self, attribute: str) -> Any:
        try:
            return getattr(import_module(self._name), attribute)
        except ModuleNotFoundError as error:
            missing = (error.name or "").split(".")[0]
            if self._extra is None or missing != self._name.split(".")[0]:
                raise
            raise MissingPackageError(self._purpose or "this", missing, self._extra) from None

    def __repr__(self) -> str:
        return f"<lazy module {self._name}>"


def lazy(name: str, *, extra: str | None = None, purpose: str | None = None) -> Any:
    """Return a module that is imported when it is first used.

    Parameters
    ----------
    name
        The full name of the module.
    extra, purpose
        Of a package that may be missing: the extra that installs it, and what needs it, for the message.

    Examples
    --------
    >>> lazy("fractions").Fraction(1, 2)
    Fraction(1, 2)
    """
    return LazyModule(name, extra, purpose)


def lazy_names(
    package: str, homes: Mapping[str, str], names: list[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names live in these modules.

    A module whose last name is the name itself is meant as a whole.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module = import_module(f"{package}.{homes[name]}")
        value = module if homes[name].rpartition(".")[2] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: names
