from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pandas as pd
import psutil
import pytest
from hypothesis import settings

import dawnchorus as dc

# Examples are the same in every run: a red test on main is a change's doing, never the day's.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=150)
settings.load_profile("fixed")

WITHOUT_KERNELS, WITH_KERNELS = {"annotations", "io"}, {"writers", "test_names.py", "test_spelling.py"}
"""Folders of tests that compile nothing, and what in them does."""
SHARED = Path(__file__).parents[2] / "shared"


def pytest_xdist_auto_num_workers() -> int | None:
    """Give one worker more than there are cores: often one waits for a cluster, a browser or a process."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None  # as asked for
    return (psutil.cpu_count(logical=False) or os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)  # when it is known which tests are slow and left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin the share of every worker but the first with tests that compile nothing.

    Each worker starts with the next of as many equal shares as there are workers. If all started with fits,
    all would compile the same kernels at the same time; now the others find many of them in the cache.
    """
    plain, others = [], []
    for item in items:
        parts = set(item.path.parts)
        (plain if parts & WITHOUT_KERNELS and not parts & WITH_KERNELS else others).append(item)
    shares = max(getattr(config, "workerinput", {"workercount": 1})["workercount"], 2)
    for share in range(1, shares):
        first, last = (len(plain) * k // (shares - 1) for k in (share - 1, share))
        at = len(items) * share // shares
        others[at:at] = plain[first:last]
    items[:] = others
    gc.freeze()  # modules, kernels and tests are not looked through for garbage again and again


@pytest.fixture(scope="session")
def kerttu_folder() -> Path:
    folder = SHARED / "kerttu"
    if not folder.is_dir():
        pytest.skip("the Kerttu data are not beside the project (../shared/kerttu)")
    return folder


@pytest.fixture(scope="session")
def kerttu(kerttu_folder) -> dc.Annotations:
    return dc.read(kerttu_folder, format="kerttu")


@pytest.fixture
def table() -> pd.DataFrame:
    """A small table with a report, an absence, an unsure mark and a visit without a report."""
    return pd.DataFrame(
        [
            ("r1", "Aino", "wren", 1),
            ("r1", "Aino", "robin", 0),
            ("r1", "Onni", "robin", 1),
            ("r2", "Onni", "", None),
            ("r3", "Onni", "wren", None),
            ("r3", "Aino", "owl", 1),
        ],
        columns=["recording", "annotator", "species", "present"],
    )


@pytest.fixture
def hangups_heard():
    """Commands hear that their terminal was closed, even if the tests themselves run with `nohup`."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def write(tmp_path):
    """Write a text or bytes into a file and give its path."""

    def write(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
