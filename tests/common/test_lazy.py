"""Modules that are imported when they are first used."""

from __future__ import annotations

import sys

import pytest

from dawnchorus.common.errors import MissingPackageError
from dawnchorus.common.lazy import lazy


def test_a_module_is_imported_when_it_is_used():
    sys.modules.pop("colorsys", None)
    colours = lazy("colorsys")
    assert "colorsys" not in sys.modules
    assert colours.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert "colorsys" in sys.modules
    assert "colorsys" in repr(colours)


def test_a_package_that_is_missing_says_what_to_install():
    missing = lazy("no_such_package.part", extra="more", purpose="this example")
    with pytest.raises(MissingPackageError, match=r"this example needs the package no_.*\[more\]"):
        _ = missing.anything
    with pytest.raises(ModuleNotFoundError):
        _ = lazy("no_such_package").anything
