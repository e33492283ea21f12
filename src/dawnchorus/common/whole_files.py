"""Writing of files and folders that appear under their name only when they are complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import OutputError

MANIFEST = ".dawnchorus"
"""The file that lists the files of a folder that Dawnchorus wrote; no other files are ever replaced."""


def check_place(path: Path) -> None:
    """Raise `OutputError` if the parent of `path` is not a folder, or is not writable."""
    for parent in path.absolute().parents:
        if not parent.exists():
            continue
        if not parent.is_dir():
            raise OutputError(
                f"{parent} is a file, so {path} cannot be created. Remedy: choose another --out."
            )
        if not os.access(parent, os.W_OK):
            raise OutputError(
                f"{parent} is not writable. Remedy: choose another --out, or change the permissions."
            )
        return


def check_page(path: Path, *, overwrite: bool) -> None:
    """Raise `OutputError` if an HTML page cannot be written to `path`, before any work is done."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"{path} does not end in .html. Remedy: choose a name that does.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists. Remedy: choose another --out, or use --overwrite.")
    check_place(path)


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
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield draft
        draft.replace(path)
    except OSError as error:
        raise OutputError(
            f"{path} could not be written ({error.strerror or error}). "
            "Remedy: check free space and permissions."
        ) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder to write into, which is renamed to `path` only if no error occurs.

    An existing folder is replaced only with `overwrite`, and only if Dawnchorus wrote every file in it. It
    is not touched until the new folder is complete.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with whole_folder(Path(home, "result")) as folder:
    ...         _ = (folder / "note.txt").write_text("done")
    ...     os.listdir(home)
    ['result']
    """
    path = Path(path)
    check_free(path, overwrite=overwrite)
    missing = [parent for parent in path.parents if not parent.exists()]
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}-", dir=path.parent))
        yield draft
        files = sorted(str(file.relative_to(draft)) for file in draft.rglob("*") if file.is_file())
        (draft / MANIFEST).write_text("\n".join([*files, MANIFEST]) + "\n", encoding="utf-8")
        draft.chmod(0o777 & ~_umask())
        _take_place(draft, path)
        missing = []
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()


def check_free(path: str | Path, *, overwrite: bool) -> None:
    """Raise `OutputError` if a folder cannot be written to `path`, before any work is done."""
    path = Path(path)
    if not path.name or path.name == "..":
        raise OutputError(f"'{path}' is not the name of a new folder. Remedy: name one with --out.")
    check_place(path)
    try:
        if not (path.exists() or path.is_symlink()):
            return
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            return
        foreign = _foreign_files(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    if not overwrite:
        raise OutputError(f"{path} exists. Remedy: choose another --out, or use --overwrite.")
    if foreign:
        raise OutputError(
            f"{path} contains files that Dawnchorus did not write ({foreign[0]}); it is not overwritten. "
            "Remedy: choose another --out, or remove it yourself."
        )


def _foreign_files(path: Path) -> list[str]:
    """Return the files in a folder that its manifest does not list."""
    if path.is_symlink() or not (path / MANIFEST).is_file():
        return [path.name if not path.is_dir() else f"it has no {MANIFEST}"]
    ours = set((path / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines())
    inside = (file for file in sorted(path.rglob("*")) if not file.is_dir())
    return [name for file in inside if (name := str(file.relative_to(path))) not in ours]


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
                    manifest.write_text("\n".join([*known, name]) + "\n", encoding="utf-8")
                break


def _take_place(draft: Path, path: Path) -> None:
    """Rename the finished folder to `path`; an old folder is deleted only after that has succeeded."""
    if not path.exists():
        draft.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}-old-", dir=path.parent)) / path.name
    try:
        path.rename(old)
        draft.rename(path)
    except BaseException:  # also Ctrl-C between the two
        if old.exists():
            old.rename(path)
        raise
    finally:
        if path.exists():
            shutil.rmtree(old.parent, ignore_errors=True)


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path} could not be written ({error.strerror or error}); no incomplete files were left. "
        "Remedy: check free space and permissions, or choose another --out."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
