"""Drafts: unfinished files and folders under hidden names, locked while the process that writes them lives.

A process that is killed (`kill -9`, a power failure) leaves its drafts behind. The name of a draft says that
it is ours, what it was to become and on which machine it was begun; and its lock, which the system releases
when a process ends, says whether anybody still writes to it. So the next run removes what is surely left
over, and nothing else. Where there are no such locks (Windows), leftovers stay.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCKS: Any = fcntl
MANIFEST = ".dawnchorus"
"""The file that lists the files of a folder that Dawnchorus wrote; of a draft, it is the lock."""
DRAFT, OLD = ".dawnchorus-draft", ".dawnchorus-old"
"""How the names of drafts end, and those of folders in which a replaced folder waits to be deleted."""


@contextmanager
def draft_file(path: Path) -> Iterator[Path]:
    """Yield an empty file beside `path`, which is removed in the end, unless it was moved to its place."""
    draft = path.with_name(_start(path) + uuid.uuid4().hex[:8] + DRAFT)
    try:
        with _locked(draft):
            yield draft
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def draft_folder(path: Path, ending: str = DRAFT) -> Iterator[Path]:
    """Yield a folder beside `path`, which is removed in the end, unless it was moved to its place."""
    draft = path.with_name(_start(path) + uuid.uuid4().hex[:8] + ending)
    try:
        draft.mkdir(mode=0o700)
        with _locked(draft / MANIFEST):
            yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def remove_leftovers(path: Path) -> None:
    """Remove the drafts of `path` that a killed process on this machine has left behind.

    If it was killed while one folder replaced another, the old one is put back to its place.
    """
    try:
        start = _start(path)
        beside = [path.with_name(name) for name in os.listdir(path.parent) if name.startswith(start)]
    except OSError:
        return
    for left in beside:
        if left.suffix not in (DRAFT, OLD) or left.is_symlink():
            continue
        with suppress(OSError), _abandoned(left / MANIFEST if left.is_dir() else left):
            old = left / path.name
            if left.suffix == OLD and not old.is_dir():
                continue
            if left.suffix == OLD and not path.exists():
                old.rename(path)
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def _start(path: Path) -> str:
    """Return how the names of the drafts of a path begin that are written on this machine."""
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    return f".{path.name[:40]}.{machine}-"


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Create a file and hold its lock."""
    with file.open("ab") as handle:
        if LOCKS is None:
            handle.close()  # Windows renames no folder with an open file
        else:
            with suppress(OSError):  # a file system without locks
                LOCKS.flock(handle, LOCKS.LOCK_EX | LOCKS.LOCK_NB)
        yield


@contextmanager
def _abandoned(file: Path) -> Iterator[None]:
    """Hold the lock of a draft; raise OSError if its process still lives, or there are no locks."""
    if LOCKS is None:
        raise OSError("no locks")
    with file.open("rb+") as handle:
        LOCKS.flock(handle, LOCKS.LOCK_EX | LOCKS.LOCK_NB)
        yield
