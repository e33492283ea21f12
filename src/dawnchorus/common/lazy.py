"""Lazy imports: modules are imported when they are first used, so that the program starts quickly.

This is the only module that imports inside a function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from .errors import MissingPackageError


class LazyModule:
    """A placeholder that imports its module when one of its attributes is first used."""

    def __init__(self, name: str, extra: str | None = None, purpose: str | None = None) -> None:
        self._name, self._extra, self._purpose = name, extra, purpose

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked by doctest and inspect, of all that a module contains
            raise AttributeError(attribute)
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
    """Return a placeholder for a module, which is imported when it is first used.

    Parameters
    ----------
    name
        The full name of the module.
    extra, purpose
        For an optional package, the extra that installs it and what needs it; the error message names both.

    Examples
    --------
    >>> lazy("fractions").Fraction(1, 2)
    Fraction(1, 2)
    """
    return LazyModule(name, extra, purpose)


def lazy_names(
    package: str, homes: Mapping[str, str], names: list[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose public names are defined in other modules.

    If a name equals the last part of its module's name, it stands for the module itself.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module = import_module(f"{package}.{homes[name]}")
        value = module if homes[name].rpartition(".")[2] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: names
