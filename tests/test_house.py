"""What is true of the house as a whole: what is imported when, how fast help comes, what both ArviZ give."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import requires

import numpy as np
import pytest

import dawnchorus as dc


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_importing_the_package_imports_nothing_heavy():
    assert not {"numpy", "pandas", "matplotlib", "typer", "pytest"} & modules_after("import dawnchorus")


def test_fitting_imports_no_plots_web_or_tests():
    loaded = modules_after(
        "import dawnchorus as dc; dc.fit(dc.simulate_paper(recordings=20).annotations, min_ess=None)"
    )
    assert not {"matplotlib", "requests", "pooch", "typer", "pytest", "sklearn", "hypothesis"} & loaded


def test_the_command_line_starts_light():
    assert not {"numpy", "pandas", "scipy", "sklearn"} & modules_after("import dawnchorus.cli.app")


def test_help_answers_in_half_a_second():
    def seconds() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "dawnchorus", "--help"], check=True, capture_output=True)
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.5


def test_public_names_exist_and_are_documented():
    for name in dc.__all__:
        value = getattr(dc, name)
        assert name.isupper() or name == "__version__" or value.__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dc.nothing
    assert set(dir(dc)) == set(dc.__all__)


def test_runtime_dependencies_are_few():
    runtime = [line for line in requires("dawnchorus") or [] if "extra ==" not in line]
    assert len(runtime) <= 13


def test_arviz_gives_named_trees_that_survive_a_file(tmp_path):
    """What the posterior will stand on, in ArviZ 0.8 (Python 3.11) and 1.x (newer) alike."""
    import arviz_base
    import xarray as xr

    major = int(arviz_base.__version__.split(".")[0])
    assert (major >= 1) == (sys.version_info >= (3, 12))
    tree = arviz_base.from_dict(
        {"posterior": {"tpr": np.full((2, 5, 3), 0.5)}},
        coords={"annotator": ["Aino", "Väinö", "Onni"]},
        dims={"tpr": ["annotator"]},
    )
    tree.to_netcdf(tmp_path / "posterior.nc", engine="h5netcdf")
    with xr.open_datatree(tmp_path / "posterior.nc", engine="h5netcdf") as again:
        assert again["posterior"]["tpr"].dims == ("chain", "draw", "annotator")
        assert again["posterior"]["annotator"].values.tolist() == ["Aino", "Väinö", "Onni"]
