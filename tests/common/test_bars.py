"""Long work is shown in a terminal or a notebook, and told now and then where there is neither."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest
from rich.console import Console

from dawnchorus.common.showing import bars, compiling
from dawnchorus.common.showing.bars import shown
from dawnchorus.common.showing.compiling import announce

COMPILES = (
    "import numpy as np; from dawnchorus.sampling.agreement import ess_and_rhat; "
    "ess_and_rhat(np.random.default_rng(1).normal(size=(4, 20, 3)))"
)


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(bars.time, "monotonic", lambda: now.time)
    return now


def quiet_console():
    return Console(file=io.StringIO(), force_terminal=False, width=300)


def test_lines_come_after_ten_seconds_and_ever_more_rarely(clock):
    console, seen = quiet_console(), []
    with shown("Fitting", console) as show:
        for second in range(4000):
            clock.time = 100.0 + second
            before = console.file.getvalue()
            show("Fitting", second, 4000, "short", f"{second} s are over")
            if console.file.getvalue() != before:
                seen.append(second)
    assert seen[:5] == [10, 20, 30, 45, 68]
    assert 250 < seen[-1] - seen[-2] <= 300
    assert "Fitting: 68 s are over" in console.file.getvalue()
    assert "short" not in console.file.getvalue()


def test_work_without_a_sentence_is_counted(clock):
    console = quiet_console()
    with shown("Writing", console) as show:
        clock.time += 11
        show("Probabilities", 5000, 10_000, "", "")
        clock.time += 11
        show("Draws", 0, 0, "", "")
    assert console.file.getvalue().splitlines() == ["Probabilities: 5,000 of 10,000", "Draws"]


@pytest.mark.parametrize(("seconds", "lines"), [(11, ["7 of 9", "9 of 9"]), (1, [])])
def test_whoever_reads_lines_reads_the_end(clock, seconds, lines):
    console = quiet_console()
    with shown("Comparing", console) as show:
        clock.time += seconds
        for done in (7, 8, 9):
            show("Comparing", done, 9, "", "")
    assert console.file.getvalue().splitlines() == [f"Comparing: {line}" for line in lines]


def test_work_that_was_stopped_has_no_end(clock):
    console = quiet_console()
    with shown("Comparing", console) as show:
        clock.time += 11
        for done in (7, 8):
            show("Comparing", done, 9, "", "")
    assert console.file.getvalue() == "Comparing: 7 of 9\n"


@pytest.fixture
def notebook(monkeypatch):
    """Give what a notebook shows, one text after the other."""
    seen = []

    class Place:
        def update(self, text):
            seen.append(text)

    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=True)
    display.HTML = lambda text: text
    display.display = lambda text, display_id: Place()
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return seen


def test_a_notebook_has_a_bar_of_its_own(notebook, clock):
    with shown("Fitting <b>", stays=True) as show:
        announce()
        clock.time += 1
        show("Fitting <b>", 500, 1000, "R-hat 1.02", "")
        show("Fitting <b>", 501, 1000, "too soon to be shown", "")
        clock.time += 1
        show("Fitting <b>", 1000, 1000, "R-hat 1.00", "")
    assert notebook[1] == f"Fitting &lt;b&gt; ({compiling.WORDS}) <progress></progress>"
    assert (
        notebook[2] == 'Fitting &lt;b&gt; <progress max="1000" value="500"></progress> 500/1,000 R-hat 1.02'
    )
    assert "too soon" not in "".join(notebook)
    assert notebook[-1].endswith("1,000/1,000 R-hat 1.00")


def test_a_bar_in_a_terminal_says_that_it_compiles():
    console = Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=150)
    with shown("Fitting", console) as show:
        announce()
        assert bars.COMPILING in shown_text(show)
        show("Fitting", 5, 10, "R-hat 1.02", "")
        assert bars.COMPILING not in shown_text(show)


def shown_text(show):
    return str([task.description for task in show.__self__.bar.tasks])


def test_compiling_is_announced_only_where_there_is_something_to_compile(tmp_path):
    def told():
        return subprocess.run(
            [sys.executable, "-c", COMPILES],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stderr

    assert told() == f"Dawnchorus: {compiling.WORDS}\n"
    assert told() == ""
