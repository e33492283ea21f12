"""Trying a fault: tests are run against a copy of the package with one line changed.

The real sources are never touched.

Numba does not notice if a function that a kernel calls has changed in another file. So the package is first
copied with those kernels only that were compiled after the last change of all that they may come from, and
the rest is compiled by running all the tests, which have to pass. Each fault starts from a copy of that,
without the caches of the changed file and of all that import it.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .fault import Fault

ROOT = Path(__file__).parents[2]
MODEL = Path("dawnchorus") / "model"
EVERY_STEP = "tests/model/test_steps.py::test_each_step_keeps_its_density"
"""What faults that survive are tried against."""


class Ended(NamedTuple):
    """How tests ended: the code of pytest, or less than 0 if they were stopped; and what was shown."""

    code: int
    shown: str
    seconds: float
    """The processor's time."""


def copied(source: Path, target: Path) -> Path:
    """Copy the package, with the times of files, by which numba knows its caches."""
    shutil.copytree(source, target)
    return target


def forget_old_kernels(sources: Path) -> None:
    """Remove the caches of each file that are older than it, or than any file that it may come from."""
    uses = {file: set(imported(file)) for file in sources.rglob("*.py")}
    changed_at = {file: file.stat().st_mtime for file in uses}
    for file in uses:
        comes_from = {file}
        while more := {used for one in comes_from for used in uses[one] if used in uses} - comes_from:
            comes_from |= more
        caches = kernels_of(file)
        last = max(changed_at[one] for one in comes_from)
        if any(cache.stat().st_mtime <= last for cache in caches):
            remove(caches)


def kernels_of(file: Path) -> list[Path]:
    """Give the caches of a file's kernels, and of the file itself."""
    return list((file.parent / "__pycache__").glob(f"{file.stem}.*"))


def remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink()


def broken(sources: Path, fault: Fault, target: Path) -> Path:
    """Give a copy of the sources with this fault."""
    copied(sources, target)
    path = target / MODEL / fault.file
    path.write_text(changed(path.read_text(encoding="utf-8"), fault), encoding="utf-8")
    for file in importers(target / MODEL, path):
        remove(kernels_of(file))
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


def seen(ended: Ended) -> bool:
    """Tell whether a test failed, by an assertion and not because nothing runs any more."""
    by_assertion = re.search(r"^\S+:\d+: .*assert", ended.shown, re.MULTILINE | re.IGNORECASE)
    if ended.code != 0 and not (ended.code == 1 and by_assertion):
        raise RuntimeError(f"pytest ended with {ended.code}: {ended.shown}")
    return ended.code == 1
