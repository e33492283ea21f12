"""Writing of files and folders that appear under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import OutputError
from ..lazy import lazy
from ..wording import option
from .drafts import DRAFT, MANIFEST, OLD, draft_file, draft_folder, remove_leftovers

CHECKED = lazy("dawnchorus.common.checked")
"""It imports NumPy, which commands do without until there is work to do."""
FILES = "files"
"""What drafts of several files are called."""
REMEDY = ". Remedy: check free space and permissions."
NOTHING_LEFT = (
    "; no incomplete files were left. Remedy: check free space and permissions, or choose another place."
)


def check_place(path: Path) -> None:
    """Raise `OutputError` if the parent of `path` is not a folder, or is not writable."""
    for parent in path.absolute().parents:
        if not parent.exists():
            continue
        if not parent.is_dir():
            raise OutputError(
                f"{parent} is a file, so {path} cannot be created. Remedy: choose another place."
            )
        if not os.access(parent, os.W_OK):
            raise OutputError(
                f"{parent} is not writable. Remedy: choose another place, or change the permissions."
            )
        return


def check_page(path: Path, *, overwrite: bool) -> None:
    """Raise `OutputError` if an HTML page cannot be written to `path`, before any work is done."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"{path} does not end in .html. Remedy: choose a name that does.")
    check_new(path, overwrite=overwrite)
    check_place(path)


def check_new(path: Path, *, overwrite: bool) -> None:
    """Raise `OutputError` if there is something at `path` that may not be replaced."""
    CHECKED.yes_or_no(overwrite=overwrite)
    if (path.exists() or path.is_symlink()) and not overwrite:
        raise OutputError(f"{path} exists. Remedy: choose another name, or use {option('overwrite', True)}.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file to write to, which is renamed to `path` only if no error occurs.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     with whole_file(Path(home, "note.txt")) as draft:
    ...         _ = draft.write_text("done")
    ...     os.listdir(home)
    ['note.txt']
    """
    with _named(path, REMEDY), _parents_of(path):
        remove_leftovers(path)
        with draft_file(path) as draft:
            yield draft
            draft.replace(path)


@contextmanager
def whole_files(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder to write files into, which all move to `folder` only if no error occurs.

    Other files in the folder stay as they are.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     with whole_files(Path(home)) as draft:
    ...         _ = (draft / "one.txt").write_text("done"), (draft / "two.txt").write_text("done")
    ...     sorted(os.listdir(home))
    ['one.txt', 'two.txt']
    """
    inside = folder / FILES
    with _named(folder, NOTHING_LEFT), _parents_of(inside):
        remove_leftovers(inside)
        with draft_folder(inside) as draft:
            yield draft
            for file in sorted(draft.iterdir()):
                if file.name != MANIFEST:
                    file.replace(folder / file.name)


@contextmanager
def whole_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder to write into, which is renamed to `path` only if no error occurs.

    An existing folder is replaced only with `overwrite`, and only if Dawnchorus wrote every file in it. It
    is not touched until the new folder is complete.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     with whole_folder(Path(home, "result")) as folder:
    ...         _ = (folder / "note.txt").write_text("done")
    ...     os.listdir(home)
    ['result']
    """
    path = Path(path)
    check_free(path, overwrite=overwrite)
    with _named(path, NOTHING_LEFT), _parents_of(path), draft_folder(path) as draft:
        yield draft
        files = {str(file.relative_to(draft)) for file in draft.rglob("*") if file.is_file()}
        listed = [*sorted(files - {MANIFEST}), MANIFEST]
        (draft / MANIFEST).write_text("\n".join(listed) + "\n", encoding="utf-8")
        draft.chmod(0o777 & ~_umask())
        _take_place(draft, path)


@contextmanager
def _named(path: Path, remedy: str) -> Iterator[None]:
    """Raise what goes wrong as an error about `path`: the names of drafts mean nothing to a user."""
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error, remedy) from error
    except OutputError as error:
        if isinstance(error.__cause__, OSError):  # of a file in the draft, or the draft itself
            raise _unwritable(path, error.__cause__, remedy) from error.__cause__
        raise


@contextmanager
def _parents_of(path: Path) -> Iterator[None]:
    """Make the folders above `path` that are missing; if an error occurs, remove them again."""
    missing = [parent for parent in path.parents if not parent.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()
        raise


def check_free(path: str | Path, *, overwrite: bool) -> None:
    """Raise `OutputError` if a folder cannot be written to `path`, before any work is done.

    What a killed process has left of an earlier attempt is removed.
    """
    path = Path(path)
    CHECKED.yes_or_no(overwrite=overwrite)
    if not path.name or path.name == "..":
        raise OutputError(f"'{path}' is not the name of a new folder. Remedy: name one.")
    check_place(path)
    remove_leftovers(path)
    try:
        if not (path.exists() or path.is_symlink()):
            return
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            return
        foreign = _foreign_files(path)
    except OSError as error:
        raise _unwritable(path, error, NOTHING_LEFT) from None
    check_new(path, overwrite=overwrite)
    if foreign:
        raise OutputError(
            f"{path} contains files that Dawnchorus did not write ({foreign[0]}); it is not overwritten. "
            "Remedy: choose another name, or remove it yourself."
        )


def _foreign_files(path: Path) -> list[str]:
    """Return the files in a folder that its manifest does not list."""
    if path.is_symlink() or not (path / MANIFEST).is_file():
        return [path.name if not path.is_dir() else f"it has no {MANIFEST}"]
    ours = set((path / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines())
    inside = (file.relative_to(path) for file in sorted(path.rglob("*")) if not file.is_dir())
    names = (str(file) for file in inside if not any(part.endswith(DRAFT) for part in file.parts))
    return [name for name in names if name not in ours]


def add_to_manifest(*files: Path) -> None:
    """Add files to the manifest of the folder they are in, so that the folder may still be replaced."""
    for file in files:
        file = file.resolve()
        for folder in file.parents:
            manifest = folder / MANIFEST
            if manifest.is_file():
                known = manifest.read_text(encoding="utf-8", errors="replace").splitlines()
                name = str(file.relative_to(folder))
                if name not in known:
                    with whole_file(manifest) as draft:
                        draft.write_text("\n".join([*known, name]) + "\n", encoding="utf-8")
                break


def _take_place(draft: Path, path: Path) -> None:
    """Rename the finished folder to `path`; an old folder is deleted only after that has succeeded.

    A process that is killed in between leaves the old folder where `remove_leftovers` finds it.
    """
    if not path.exists():
        draft.rename(path)
        return
    with draft_folder(path, OLD) as waiting:
        old = waiting / path.name
        try:
            path.rename(old)
            draft.rename(path)
        except BaseException:  # also Ctrl-C between the two
            if old.exists():
                old.rename(path)
            raise


def _unwritable(path: Path, error: OSError, remedy: str) -> OutputError:
    return OutputError(f"{path} could not be written ({error.strerror or error}){remedy}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
