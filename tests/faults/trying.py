"""Trying a fault: tests are run against a copy of the package with one line changed.

The real sources are never touched.

Numba does not notice if a function that a kernel calls has changed in another file. So the package is first
copied without any cache, and compiled by running all the tests, which have to pass. Each fault starts from a
copy of that, without the caches of the changed file and of all that import it.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from .fault import Fault

ROOT = Path(__file__).parents[2]
MODEL = Path("dawnchorus") / "model"
EVERY_STEP = "tests/model/test_steps.py::test_each_step_keeps_its_density"
"""What faults that survive are tried against."""


def copied(source: Path, target: Path, *, caches: bool) -> Path:
    """Copy the package, with the times of files, by which numba knows its caches."""
    skip = None if caches else shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, target, ignore=skip)
    return target


def broken(sources: Path, fault: Fault, target: Path) -> Path:
    """Give a copy of the sources with this fault."""
    copied(sources, target, caches=True)
    path = target / MODEL / fault.file
    path.write_text(changed(path.read_text(encoding="utf-8"), fault), encoding="utf-8")
    for file in importers(target / MODEL, path):
        for cache in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            cache.unlink()
    return target


def changed(text: str, fault: Fault) -> str:
    """Give a file's text with the fault; the old line has to be there, once."""
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.file} has {text.count(fault.old)} times: {fault.old}")
    return text.replace(fault.old, fault.new)


def importers(folder: Path, changed_file: Path) -> set[Path]:
    """Give a file and all files in a folder that import it, or that import one that does, and so on."""
    uses = {file: set(imported(file)) for file in folder.rglob("*.py")}
    found = {changed_file}
    while more := {file for file, used in uses.items() if used & found} - found:
        found |= more
    return found


def imported(file: Path) -> Iterable[Path]:
    """Give the files that a file imports by `from .… import …`."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            yield from (base.with_suffix(".py"), base / "__init__.py")
            yield from (base / f"{name.name}.py" for name in node.names)


def run(sources: Path, tests: Iterable[str]) -> subprocess.CompletedProcess[str]:
    """Run tests against a copy of the package."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=line", *tests]
    environment = os.environ | {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=900
    )


def seen(sources: Path, tests: Iterable[str]) -> bool:
    """Tell whether a test fails, by an assertion and not because nothing runs any more."""
    ended = run(sources, tests)
    by_assertion = re.search(r"^\S+:\d+: .*assert", ended.stdout, re.MULTILINE | re.IGNORECASE)
    if ended.returncode != 0 and not (ended.returncode == 1 and by_assertion):
        raise RuntimeError(f"pytest ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
    return ended.returncode == 1
