"""Bars: how far long work has come, a bar in a terminal or notebook, a line now and then elsewhere."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..lazy import lazy
from .compiling import WORDS as COMPILING
from .compiling import compiling_shown_by

CONSOLE, RICH, NOTEBOOK = lazy("rich.console"), lazy("rich.progress"), lazy("IPython.display")
FIRST_LINE = 10.0
"""A line is printed after so many seconds,"""
LONGEST_GAP = 300.0
"""then whenever the time has grown by half, and at least this often."""
NOTEBOOK_EVERY = 0.5

Show = Callable[[str, int, int, str, str], None]
"""A function that is called with what is being done, the steps done, the steps in all (0 if unknown), and a
remark, short for a bar and complete for a line."""


@contextmanager
def shown(what: str, console: Any = None, *, stays: bool = False) -> Iterator[Show]:
    """Show a bar in a terminal or notebook, and lines where there is neither; yield a function to call.

    Parameters
    ----------
    what
        What is being done.
    console
        Of rich; by default standard error.
    stays
        Whether a bar in a notebook stays when the work is done.
    """
    console = console or CONSOLE.Console(stderr=True, highlight=False, force_jupyter=False)
    display: Any
    if in_notebook():
        display = _InNotebook(stays)
    elif console.is_interactive:
        display = _InTerminal(console)
    else:
        display = _Lines(console)
    with display:
        display.show(what, 0, 0, "", "")
        with compiling_shown_by(display.compiling):
            yield display.show


def in_notebook() -> bool:
    """Return whether the program runs in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


class NowAndThen:
    """Says when it is time for a line: after ten seconds, and then ever more rarely."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.due = self.started + FIRST_LINE

    def __call__(self) -> bool:
        """Return whether a line is due; if so, the next one is due later."""
        now = time.monotonic()
        if now < self.due:
            return False
        self.due = now + min(max((now - self.started) / 2, FIRST_LINE), LONGEST_GAP)
        return True


class _Lines:
    def __init__(self, console: Any) -> None:
        self.console, self.due, self.what, self.told = console, NowAndThen(), "", False
        self.counted, self.end = False, ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self.counted and self.end:
            self._print(self.end)

    def show(self, what: str, done: int, total: int, short: str, line: str) -> None:
        self.what = what
        words, due = line or (f"{done:,} of {total:,}" if total else ""), self.due()
        if due:
            self._print(words)
        self.counted = self.counted or due
        self.end = words if done == total and not due else ""  # where lines are read, the end is told too

    def compiling(self) -> None:
        if not self.told:
            self._print(COMPILING)
        self.told = True

    def _print(self, words: str) -> None:
        self.console.print(
            f"{self.what}: {words}" if words else self.what, markup=False, highlight=False, soft_wrap=True
        )


class _InTerminal:
    def __init__(self, console: Any) -> None:
        text, remark = (
            RICH.TextColumn(f"{{task.{name}}}", markup=False) for name in ("description", "fields[short]")
        )
        count = RICH.TextColumn("{task.fields[count]}", markup=False)
        columns = (
            text,
            RICH.BarColumn(),
            count,
            remark,
            RICH.TimeRemainingColumn(elapsed_when_finished=True),
        )
        self.bar, self.what = RICH.Progress(*columns, console=console, transient=True), ""
        self.task: Any = None

    def __enter__(self) -> None:
        self.bar.start()

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def show(self, what: str, done: int, total: int, short: str, line: str) -> None:
        if what != self.what:
            if self.task is not None:
                self.bar.remove_task(self.task)
            self.task, self.what = self.bar.add_task(what, total=None, count="", short=""), what
        count = f"{done:,}/{total:,}" if total else ""
        self.bar.update(
            self.task, description=what, completed=done, total=total or None, count=count, short=short
        )

    def compiling(self) -> None:
        self.bar.update(self.task, description=f"{self.what} ({COMPILING})")


class _InNotebook:
    def __init__(self, stays: bool) -> None:
        self.stays, self.what, self.last, self.next = stays, "", "", 0.0
        self.place: Any = None

    def __enter__(self) -> None:
        self.place = NOTEBOOK.display(NOTEBOOK.HTML(""), display_id=True)

    def __exit__(self, *_: object) -> None:
        self.place.update(NOTEBOOK.HTML(self.last if self.stays else ""))

    def show(self, what: str, done: int, total: int, short: str, line: str) -> None:
        self.what = what
        size = f' max="{total}" value="{done}"' if total else ""
        words = html.escape(
            " ".join(part for part in (f"{done:,}/{total:,}" if total else "", short) if part)
        )
        self.last = f"{html.escape(what)} <progress{size}></progress> {words}"
        if time.monotonic() >= self.next:
            self._update(self.last)

    def compiling(self) -> None:
        self._update(f"{html.escape(self.what)} ({COMPILING}) <progress></progress>")

    def _update(self, text: str) -> None:
        self.place.update(NOTEBOOK.HTML(text))
        self.next = time.monotonic() + NOTEBOOK_EVERY
