"""Pages of documentation, which come with the package, so that messages can name one that can be opened."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from ..errors import AnnotationError
from ..wording import listed

PACKAGE = Path(__file__).parents[2]
FOLDERS = (PACKAGE / "pages", PACKAGE.parents[1] / "docs")
"""Where the pages are: in an installed package, or in a copy of the repository."""

PAGES = ("*.md", "formats/*.md", "models/*.md", "results/*.md")
"""Those for users; pages for developers are about the repository."""


def pages() -> dict[str, Path]:
    """Return the files of the pages by name, in alphabetical order; a folder's README has the folder's name.

    >>> {"convergence", "models", "models/base"} <= set(pages())
    True
    """
    folder = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
    found = [path for pattern in PAGES for path in folder.glob(pattern)]
    names = {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}
    return {name.removesuffix("/README"): names[name] for name in sorted(names)}


def page_title(path: Path) -> str:
    """Return the title of a page, which is its first line."""
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def read_page(name: str) -> str:
    """Return the text of a page, which may be given by the end of its name, such as `ebird`.

    Raises
    ------
    AnnotationError
        If there is no such page.
    """
    known = pages()
    wanted = name.removesuffix(".md").removesuffix("/README").replace("-", "_").lower()
    short = {page.rpartition("/")[2]: page for page in known} | {page: page for page in known}
    if wanted not in short:
        close = dict.fromkeys(short[near] for near in get_close_matches(wanted, short, n=3, cutoff=0.7))
        perhaps = f"perhaps {listed(close, last=' or ')}; `dawnchorus docs` lists all"
        raise AnnotationError(
            f"there is no page '{name}'", perhaps if close else f"use one of {', '.join(known)}"
        )
    return known[short[wanted]].read_text(encoding="utf-8")
