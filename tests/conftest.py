from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import settings

import dawnchorus as dc

# Examples are the same in every run: a red test on main is a change's doing, never the day's.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=150)
settings.load_profile("fixed")

SHARED = Path(__file__).parents[2] / "shared"


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
def write(tmp_path):
    """Write a text or bytes into a file and give its path."""

    def write(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
