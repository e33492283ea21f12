"""For tests and for the examples in docstrings alike."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest

# Every core has tests to run: threads of linear algebra would only wait for each other, at full speed.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_finish() -> None:
    """Look for garbage rarely, and never among the tests themselves and all that they have imported.

    Numba makes millions of small objects while it compiles: an eighth of that time went into looking.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50)


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """Close the figures that a test or an example has opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
