"""Markdown pages with tables and figures, which begin with how they were made."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .._version import __version__


class Page:
    """A Markdown page to which parts are added before it is written; figures go into the same folder."""

    def __init__(self, title: str, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.parts = [f"# {title}"]
        folder.mkdir(parents=True, exist_ok=True)

    def made_by(self, command: str, seed: int, seconds: float, note: str = "") -> None:
        """Add the command, version, seed and time with which the page was made."""
        self.say(
            f"Made by `{command}`: Dawnchorus {__version__}, seed {seed}, {time.strftime('%Y-%m-%d')}, "
            f"{seconds / 60:.1f} minutes on Python {platform.python_version()} "
            f"({platform.machine()}, {machine_load()}). "
            f"{note}".strip()
        )

    def write_with_origin(self, command: str, seed: int, started: float) -> Path:
        """Write the page of a study whose fits are kept, with its origin below the title."""
        seconds = time.perf_counter() - started
        self.made_by(command, seed, seconds, "Fits that were already there are not counted.")
        self.parts.insert(1, self.parts.pop())
        return self.write()

    def say(self, *paragraphs: str) -> None:
        """Add paragraphs, or a heading."""
        self.parts += paragraphs

    def table(self, frame: pd.DataFrame, formats: Mapping[str, str] | None = None) -> None:
        """Add a table, with numbers aligned to the right."""
        self.parts.append(markdown(frame, formats or {}))

    def figure(self, panels: Any, name: str, description: str, dpi: int = 100) -> None:
        """Add a figure, which is saved as an image in the folder of the page."""
        path = self.folder / f"{self.name}_{name}.png"
        panels.savefig(path, dpi=dpi)
        self.parts.append(f"![{description}]({path.name})")

    def write(self) -> Path:
        """Write the page, and return its path."""
        path = self.folder / f"{self.name}.md"
        path.write_text("\n\n".join(self.parts) + "\n", encoding="utf-8")
        return path


def machine_load() -> str:
    """Return how many cores there are, and how busy they were, where the system tells it."""
    cores = f"{os.cpu_count()} cores"
    if not hasattr(os, "getloadavg"):  # Windows
        return cores
    return f"{cores}, load {os.getloadavg()[2]:.1f} in the last 15 minutes"


def markdown(frame: pd.DataFrame, formats: Mapping[str, str]) -> str:
    """Return a table in Markdown.

    >>> print(markdown(pd.DataFrame({"model": ["base"], "auc": [0.9051]}), {"auc": ".3f"}))
    | model | auc |
    |---|---:|
    | base | 0.905 |
    """
    numbers = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    lines = [
        f"| {' | '.join(map(str, frame.columns))} |",
        f"|{'|'.join('---:' if number else '---' for number in numbers)}|",
    ]
    for row in frame.itertuples(index=False):
        cells = [_cell(value, formats.get(name, "")) for name, value in zip(frame.columns, row, strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def panels(rows: int, columns: int, size: tuple[float, float] = (4.2, 3.2)) -> tuple[Any, Sequence[Any]]:
    """Return a new figure, not shown in a window, and the list of its axes."""
    figure = Figure(figsize=(columns * size[0], rows * size[1]), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).ravel())


def _cell(value: Any, form: str) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:{form}}" if form and not isinstance(value, str) else str(value)
