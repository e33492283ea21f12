"""What is true of the house as a whole: what is imported when, how fast help comes, what both ArviZ give."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import numpy as np
import pytest

import dawnchorus as dc

PACKAGE = Path(dc.__file__).parent
ROOMS = (
    "_version", "common", "annotations", "io", "simulation", "model", "sampling", "results", "evaluation",
    "planning", "plots", "report", "studies", "cli", "portal",
)  # fmt: skip
"""Imports point to earlier rooms only."""
INSIDE_MODEL = (
    "variables",
    "context",
    "formula",
    "distributions",
    "rates",
    "lookups",
    "audibility",
    "reflection",
    "spreads",
    "design",
    "earlier",
    "presence",
    "predictive",
    "shapes",
    "learning",
)
"""Inside the model these come one after the other; then both sides, which do not know of each other."""
LATER = {"results": {"report"}}
"""Rooms that may use a later one through the lazy mechanism: `posterior.report(…)` is a comfort."""


def package_files():
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE]


def imported_modules(path):
    """Give the modules of the package that a file imports at its top, and the imports inside functions."""
    tree = ast.parse(path.read_text())
    inside = [
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    package = path.relative_to(PACKAGE).parent.parts
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            module = (*base, *(node.module.split(".") if node.module else ()))
            found += [module] if node.module else [(*module, name.name) for name in node.names]
    return found, inside


def test_imports_between_rooms_point_one_way():
    wrong = []
    for path in package_files():
        room = path.relative_to(PACKAGE).parts[0]
        for module in imported_modules(path)[0]:
            if ROOMS.index(module[0]) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(PACKAGE)} imports {'.'.join(module)}")
    assert not wrong


def test_inside_the_model_imports_point_one_way_and_the_sides_are_strangers():
    order = {name: i for i, name in enumerate(INSIDE_MODEL)}
    order |= {"occurrence": len(order), "expertise": len(order)}
    for name in ("together", "sweep", "shards", "registry"):
        order[name] = len(order)
    wrong = []
    for path in (PACKAGE / "model").rglob("*.py"):
        part = path.relative_to(PACKAGE / "model").parts[0].removesuffix(".py")
        for module in imported_modules(path)[0]:
            if module[0] != "model" or part == "__init__" or module[1] == part:
                continue
            if order[module[1]] >= order[part]:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {'.'.join(module)}")
    assert not wrong


def test_nothing_is_imported_inside_functions_but_by_the_lazy_mechanism():
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in package_files()
        for node in imported_modules(path)[1]
    ]
    assert not wrong
    for path in package_files():
        room = path.relative_to(PACKAGE).parts[0]
        for name in re.findall(r'lazy\("dawnchorus\.(\w+)', path.read_text()):
            if name in ROOMS and room != "cli":
                assert ROOMS.index(name) <= ROOMS.index(room) or name in LATER.get(room, ()), path


def test_warnings_name_the_users_line_and_messages_do_not_speak_of_options():
    """`common/wording.py` puts options in place of arguments at the command line."""
    for path in package_files():
        name, text = str(path.relative_to(PACKAGE)), path.read_text()
        assert name == "common/warn.py" or "warnings.warn(" not in text, name
        if name != "common/wording.py" and name.split("/")[0] in (
            "common",
            "model",
            "sampling",
            "results",
            "evaluation",
            "plots",
            "report",
        ):
            strings = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
            assert not [s for s in strings if isinstance(s, str) and re.search(r"(?<![\w-])--[a-z]", s)], name


def test_rooms_are_not_crowded():
    for folder in {path.parent for path in package_files()}:
        assert len(list(folder.glob("*.py"))) <= 14, folder


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_the_page_of_the_house_names_every_file():
    page = (Path(__file__).parents[1] / "docs/developer/the_house.md").read_text(encoding="utf-8")
    files = [path for path in package_files() if path.name != "__init__.py" and path.parent.name != "formats"]
    missing = [path for path in files if not re.search(rf"`([\w/]*/)?{path.name}`", page)]
    assert not missing, "say what these files are about"


def test_importing_the_package_imports_nothing_heavy():
    assert not {"numpy", "pandas", "matplotlib", "typer", "pytest"} & modules_after("import dawnchorus")


def test_fitting_imports_no_plots_web_or_tests():
    loaded = modules_after(
        "import dawnchorus as dc; annotations = dc.simulate_paper(recordings=20).annotations; "
        "dc.fit(annotations, draws=20, warmup=20, min_ess=None)"
    )
    assert not {"matplotlib", "requests", "pooch", "typer", "pytest", "sklearn", "hypothesis"} & loaded
    assert not {"dask", "distributed"} & loaded


def test_the_command_line_starts_light():
    assert not {"numpy", "pandas", "scipy", "sklearn"} & modules_after("import dawnchorus.cli.app")


def test_help_answers_in_half_a_second():
    def seconds() -> float:
        start = os.times()
        subprocess.run([sys.executable, "-m", "dawnchorus", "--help"], check=True, capture_output=True)
        used = np.subtract(os.times(), start)
        return used[2] + used[3]  # of the command alone, however busy the machine is

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
