"""Benchmarks run for minutes, so that tests do not run them; but what they import has to be there."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

BENCHMARKS = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


def is_there(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name) or bool(
        importlib.util.find_spec(f"{module}.{name}")
    )


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_what_benchmarks_use_of_the_package_is_there(path):
    used = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dawnchorus":
            used += [(node.module, one.name) for one in node.names]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dc":
            used.append(("dawnchorus", node.attr))
    assert not [one for one in used if not is_there(*one)]
