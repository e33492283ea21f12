"""The documentation comes with the package: messages name a page that anybody can open."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from commands import run
from dawnchorus.common.errors import AnnotationError
from dawnchorus.common.files import pages as module

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dawnchorus"


def test_pages_can_be_listed_and_read():
    assert "dawnchorus docs convergence" in run("docs").stdout
    text = run("docs", "convergence").stdout
    assert text.startswith((ROOT / "docs" / "convergence.md").read_text()[:200])
    assert json.loads(run("docs", "--json").stdout)["priors"] == "Priors"
    assert json.loads(run("docs", "reading-results", "--json").stdout)["text"].startswith(
        "# Reading the results"
    )
    wrong = run("docs", "owls", code=2)
    assert "there is no page 'owls'" in wrong.stderr
    assert "convergence" in wrong.stderr


def test_the_pages_that_pages_link_to_can_be_read():
    folder = ROOT / "docs"
    known = set(module.pages().values())
    for page in known:
        for link in re.findall(r"\]\(([\w./]+\.md)", page.read_text(encoding="utf-8")):
            to = (page.parent / link).resolve()
            assert to in known or (folder / "developer") in to.parents or folder not in to.parents, (
                page,
                link,
            )


def test_a_page_is_found_by_its_end_and_near_names_are_suggested():
    assert module.read_page("models").startswith("# The models")
    assert module.read_page("models/README.md") == module.read_page("models")
    assert module.read_page("base-hierarchical") == module.read_page("models/base_hierarchical")
    assert module.read_page("context") != module.read_page("models/context")
    for name, near in (("concept", "'concepts'"), ("model", "'models'"), ("baze", "'models/base'")):
        with pytest.raises(AnnotationError, match="perhaps ") as wrong:
            module.read_page(name)
        assert near in str(wrong.value)


def test_messages_name_pages_that_exist():
    named = []
    for path in SOURCE.rglob("*"):
        if path.suffix in (".py", ".html") and path.name not in ("pages.py", "listings.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"docs/\w+\.md", text), path
            named += re.findall(r"dawnchorus docs (\w+)", text)
    assert "convergence" in named
    assert set(named) <= set(module.pages())


@pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed")
def test_an_installed_package_has_the_pages(tmp_path, monkeypatch):
    pages = {*module.pages()}
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    folder = tmp_path / "installed" / "dawnchorus" / "pages"
    monkeypatch.setattr(module, "FOLDERS", (folder,))
    assert module.read_page("convergence").startswith("# ")
    assert module.read_page("formats/ebird").startswith("# eBird")
    assert {*module.pages()} == pages
    (metadata,) = (tmp_path / "installed").glob("*.dist-info/METADATA")
    assert "Project-URL: " in metadata.read_text(encoding="utf-8")


def test_every_page_for_users_is_in_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    files = {path for name in included for path in [ROOT / name, *(ROOT / name).glob("*")] if path.is_file()}
    assert files == set(module.pages().values())
    assert all(target == name.replace("docs", "dawnchorus/pages", 1) for name, target in included.items())
