"""Every example in the documentation runs: Python, console, and the files they read.

In a page, a block ```csv NAME is written to the file NAME; ```python is run, as a doctest where it has
prompts; ```text is what the last ```python printed in a terminal of 80 columns; ```console is run, and each
line of output that it shows must come (… stands for more).
All blocks of a page share a folder.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from commands import run_command

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_EXAMPLES = [page for page in PAGES if page_id(page) != "docs/python.md"]
"""The page of the Python interface has the examples of docstrings, which run where they are."""


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=page_id)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    names: dict[str, object] = {}
    printed = ""
    for language, name, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "csv":
            Path(name).write_text(body, encoding="utf-8")
        elif language == "python":
            printed = run_python(body, names, page)
        elif language == "text":
            assert body == printed
        elif language == "console":
            run_console(body)
        else:
            assert language == "sh", f"{page}: nobody runs a block of {language}"


def run_python(body: str, names: dict[str, object], page: Path) -> str:
    """Run a block, and return what it printed; a doctest looks at that itself."""
    if ">>>" not in body:
        kept = "\n".join(line for line in body.splitlines() if "# skip" not in line)
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(kept, page_id(page), "exec"), names)
        return printed.getvalue()
    test = doctest.DocTestParser().get_doctest(body, names, page_id(page), str(page), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    assert not runner.failures, "".join(report)
    names.update(test.globs)
    return ""


def run_console(body: str) -> None:
    for command, *shown in (part.splitlines() for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]):
        words = shlex.split(command)
        assert words[0] == "dawnchorus", f"nobody runs {words[0]}"
        done = run_command(words, COLUMNS="300")
        came = " ".join((done.stdout + done.stderr).split())
        refused = bool(shown) and shown[0].startswith("dawnchorus: ")
        assert done.returncode == (2 if refused else 0), came
        for line in shown:
            if line == "…":
                continue
            assert " ".join(line.split()) in came, f"{command} did not print: {line}\n{came}"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_python_page_is_that_of_the_docstrings():
    made = subprocess.check_output([sys.executable, ROOT / "docs/developer/make_python_page.py"], text=True)
    assert made == (ROOT / "docs/python.md").read_text(encoding="utf-8"), "run `make docs`"


def test_sh_blocks_name_targets_that_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in PAGES:
        for word in re.findall(r"`?make ([a-z][\w-]*)", page.read_text(encoding="utf-8")):
            assert word in targets | {"a", "up", "it", "sure", "no"}, f"{page}: make {word}"


def test_versions_agree():
    import dawnchorus

    assert f"version: {dawnchorus.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {dawnchorus.__version__}" in (ROOT / "CHANGELOG.md").read_text()
