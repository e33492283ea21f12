"""Pages of documentation, which come with the package, so that messages can name one that can be opened."""

from __future__ import annotations

from pathlib import Path

from ..errors import AnnotationError

PACKAGE = Path(__file__).parents[2]
FOLDERS = (PACKAGE / "pages", PACKAGE.parents[1] / "docs")
"""Where the pages are: in an installed package, or in a copy of the repository."""


def pages() -> dict[str, Path]:
    """Return the files of the pages by name, in alphabetical order.

    >>> "convergence" in pages()
    True
    """
    folder = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
    found = [*folder.glob("*.md"), *folder.glob("formats/*.md")]
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(found)}


def page_title(path: Path) -> str:
    """Return the title of a page, which is its first line."""
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def read_page(name: str) -> str:
    """Return the text of a page.

    Raises
    ------
    AnnotationError
        If there is no such page.
    """
    known = pages()
    if (wanted := name.removesuffix(".md").replace("-", "_").lower()) not in known:
        raise AnnotationError(f"there is no page '{name}'", f"use one of {', '.join(known)}")
    return known[wanted].read_text(encoding="utf-8")
