"""Output in the terminal: tables, notes and progress bars."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..common.errors import AnnotationWarning, ConvergenceWarning, OutputError
from ..common.json_text import as_json, plain_value
from ..common.lazy import lazy
from ..common.showing.bars import shown
from ..common.showing.progress import Phases, Progress

SAMPLING = lazy("dawnchorus.sampling.progress")

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
LEAST_NAME = 18
"""Names have at least so many characters a line."""


def show_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    caption: str | None = None,
    *,
    room: int | None = None,
) -> None:
    """Print a table, with numbers aligned to the right; nothing is cut off.

    If the other columns need so much `room`, the first has the rest, and breaks between words.
    """
    body = [[plain_value(value) for value in row] for row in rows]
    out.print(Text(title, style="bold"), soft_wrap=True)
    if room is not None:
        body = [[_lines(row[0], out.width - room), *row[1:]] for row in body]
    table = Table()
    for i, column in enumerate(columns):
        numbers = all(isinstance(row[i], int | float | None) for row in body)
        kept = room is not None and i == 0
        table.add_column(column, justify="right" if numbers else "left", overflow="fold", no_wrap=kept)
    for row in body:
        table.add_row(*(Text(_cell(value)) for value in row))
    out.print(table)
    if caption:
        out.print(Text(caption, style="italic"), soft_wrap=True)
    out.print()


def _lines(text: object, width: int) -> str:
    return textwrap.fill(str(text), max(width, LEAST_NAME), break_on_hyphens=False)


def show_pairs(title: str, pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values, without a frame."""
    out.print(Text(title, style="bold"))
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 2))
    for name, value in pairs:
        table.add_row(Text(name, style="dim"), Text(_cell(value)))
    out.print(table)
    out.print()


def say(text: str = "") -> None:
    """Print a line to standard output, without markup."""
    out.print(Text(text), soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a value as JSON to standard output; NaN becomes null."""
    try:
        print(as_json(value), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"the result could not be printed ({error.strerror})") from None


@contextmanager
def notes() -> Iterator[None]:
    """Print warnings about the input as notes on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AnnotationWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)  # the text of the result says it
        plain = warnings.showwarning

        def show(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
            if isinstance(message, AnnotationWarning):
                err.print(Text.assemble(("note: ", "yellow"), message.at_command_line()), soft_wrap=True)
            else:
                plain(message, category, *rest, **more)

        warnings.showwarning = show
        yield


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner while the block runs, for work of unknown length."""
    with err.status(Text(what)) if err.is_interactive else nullcontext():
        yield


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """Show how much is done of some work; yield a function to call with steps done and their total."""
    with shown(what, err) as show:
        yield lambda done, total: show(what, done, total, "", "")


@contextmanager
def phases(what: str) -> Iterator[Phases]:
    """Show what is being done and how much of it; yield a function to call with words, done and total."""
    with shown(what, err) as show:
        yield lambda words, done, total: show(words, done, total, "", "")


def sampling_bar(what: str) -> AbstractContextManager[Callable[[Any], None]]:
    """Show how sampling goes on: sweeps, their rate, R-hat, effective sample size and the time left."""
    return SAMPLING.shown_sampling(what, err)


def say_aside(text: str) -> None:
    """Print a line to standard error."""
    err.print(Text(text), soft_wrap=True)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)
