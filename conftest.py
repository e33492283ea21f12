"""For tests and for the examples in docstrings alike."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

# Every core has tests to run: threads of linear algebra would only wait for each other, at full speed.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """Close the figures that a test or an example has opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
