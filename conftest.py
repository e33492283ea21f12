"""For tests and for the examples in docstrings alike."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """Close the figures that a test or an example has opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
