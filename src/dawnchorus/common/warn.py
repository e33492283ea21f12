"""Warnings that point to the line of the user's own program, however deep below it they arise."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import AnnotationWarning

PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn(message: str, category: type[Warning] = AnnotationWarning) -> None:
    """Warn, and name the line that called the package.

    There may be other packages in between (pandas calls our generators), so the outermost of our frames
    counts.
    """
    level, found, frame = 1, 1, sys._getframe(0)
    while frame.f_back is not None:
        if frame.f_code.co_filename.startswith(PACKAGE):
            found = level + 1
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=found)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep warnings about the input of a part to itself, where they are given once for all parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnnotationWarning)
        yield
