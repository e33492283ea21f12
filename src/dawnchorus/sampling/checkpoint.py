"""Checkpoint: an interrupted fit on disk, from which it continues with exactly the same draws."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .._version import __version__
from ..annotations.arrays import ARRAYS, LISTS
from ..annotations.known import KnownCells
from ..annotations.labelled import FRAMES, LabelledVotes
from ..annotations.labels import verb
from ..common.errors import AnnotationWarning, OutputError, reason
from ..common.files.drafts import remove_leftovers
from ..common.files.sealed import seal, seal_of
from ..common.files.whole import whole_file
from ..common.warn import warn
from ..common.wording import option

SAVE_EVERY = 60.0
"""Seconds between checkpoints, at least."""
SAVE_SHARE = 100
"""At most about one of so many seconds is spent on saving: the draws of large fits take seconds to write."""
START_ANEW = "Remedy: remove it and start anew."
ARCHIVE = b"PK\x03\x04"
"""How a checkpoint begins: it is a zip archive of arrays."""
UNREADABLE = (OSError, ValueError, KeyError, EOFError, StopIteration, zipfile.BadZipFile, zlib.error)


class Packable(Protocol):
    """Something that can be saved as plain arrays and restored from them, as a chain can."""

    def pack(self) -> dict[str, Any]:
        """Return all that is needed to continue, as plain arrays."""
        ...

    def unpack(self, packed: dict[str, Any]) -> None:
        """Continue from what `pack` returned."""
        ...


class Checkpoint:
    """Where a fit is saved, and what it is a fit of.

    Parameters
    ----------
    path
        The file.
    what
        All that the draws depend on: data, model, priors, seed.
    resume
        Whether to continue from the file, if it exists.
    keep
        Whether to leave the file, complete, when the fit is done; otherwise it is removed.

    Raises
    ------
    OutputError
        If the file is damaged, incomplete, no checkpoint at all or that of another fit; or, without `resume`,
        if it exists.
    """

    def __init__(self, path: Path, what: dict[str, Any], *, resume: bool = False, keep: bool = False) -> None:
        self.path, self.what, self.keep = path, {"version": __version__, **what}, keep
        self.target, self.seconds = 0, 0.0
        self._resume = resume
        self._started = self._saved = time.monotonic()
        self._took = 0.0
        remove_leftovers(path)
        if resume and self.path.exists():
            self._check()
        elif not resume and self.path.exists():
            raise OutputError(
                f"{self.path} holds an interrupted fit. Remedy: use {option('resume', True)} to continue it, "
                "or remove the file to start anew."
            )

    def restore(self, chains: Sequence[Packable]) -> int:
        """Restore the chains; return the sweeps that were planned, or 0 if there is nothing to restore."""
        if not (self._resume and self.path.exists()):
            return 0
        try:
            with np.load(self.path, allow_pickle=False) as file:
                packed = dict(file)
            self.target, self.seconds = int(packed["target"]), float(packed["seconds"])
            for i, chain in enumerate(chains):
                start = f"chain{i}."
                chain.unpack({k.removeprefix(start): v for k, v in packed.items() if k.startswith(start)})
        except UNREADABLE as error:
            raise _no_checkpoint(self.path, error) from None
        return self.target

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved > max(SAVE_EVERY, SAVE_SHARE * self._took)

    def save(self, chains: Sequence[Packable]) -> None:
        """Write the checkpoint, whole or not at all."""
        began = time.monotonic()
        packed: dict[str, Any] = {
            "what": np.array(json.dumps(self.what)),
            "target": np.array(self.target),
            "seconds": np.array(self.seconds + time.monotonic() - self._started),
        }
        for i, chain in enumerate(chains):
            packed |= {f"chain{i}.{name}": value for name, value in chain.pack().items()}
        with whole_file(self.path) as draft:
            with draft.open("wb") as file:
                np.savez(file, **packed)
            seal(draft)
        self._saved = time.monotonic()
        self._took = self._saved - began

    def try_to_save(self, chains: Sequence[Packable]) -> None:
        """Write the checkpoint; if that fails, as on a full disk, warn and let sampling go on."""
        try:
            self.save(chains)
        except OutputError as error:
            self._saved = time.monotonic()
            warn(
                f"the draws so far could not be saved, and sampling goes on without: {error}",
                AnnotationWarning,
            )

    def finish(self, chains: Sequence[Packable]) -> None:
        """Save the finished chains, if there is room on the disk, or remove the file."""
        if self.keep:
            with suppress(OutputError):  # the results may still fit
                self.save(chains)
        else:
            self.path.unlink(missing_ok=True)

    def _check(self) -> None:
        saved = _plan(self.path)
        differs = [name for name, value in self.what.items() if saved.get(name) != value]
        if differs:
            differ = verb(len(differs), "differs", "differ")
            raise OutputError(
                f"{self.path} is of another fit: {', '.join(differs)} {differ}. "
                "Remedy: give the same data and options as before, or remove it and start anew."
            )


def known_fingerprint(known: KnownCells) -> str:
    """Return a short text that differs for different known cells."""
    digest = hashlib.blake2b(known.known_as.encode(), digest_size=16)
    for part in (*known.cells, known.present):
        digest.update(np.ascontiguousarray(part, np.int64).tobytes())
    return digest.hexdigest()


def model_fingerprint(model: Any) -> str:
    """Return a short text that differs for models made of other numbers, names or arrays."""
    digest = hashlib.blake2b(digest_size=16)

    def add(part: Any) -> None:
        if is_dataclass(part):
            add((type(part).__name__, *(getattr(part, field.name) for field in fields(part))))
        elif isinstance(part, tuple | list):
            digest.update(f"({len(part)}".encode())
            for one in part:
                add(one)
        elif isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode() + np.ascontiguousarray(part).tobytes())
        else:  # of anything else, only what kind it is: its text may name a place in memory
            text = repr(part) if isinstance(part, str | int | float | None) else type(part).__name__
            digest.update(text.encode("utf-8", errors="backslashreplace"))

    add(model)
    return digest.hexdigest()


def saved_seed(path: Path) -> int:
    """Return the seed of the fit that a checkpoint is of."""
    return int(_plan(path)["seed"])


def _plan(path: Path) -> dict[str, Any]:
    """Return what a checkpoint is a fit of; raise an error if it cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(len(ARCHIVE))
        state = seal_of(path)
        if state == "broken":
            raise OutputError(f"{path} is damaged: its bytes are not those that were saved. {START_ANEW}")
        if state == "none" and ARCHIVE.startswith(start):
            raise OutputError(f"{path} is incomplete: its end is missing. {START_ANEW}")
        with np.load(path, allow_pickle=False) as file:
            return dict(json.loads(str(file["what"])))
    except UNREADABLE as error:
        raise _no_checkpoint(path, error) from None


def _no_checkpoint(path: Path, error: Exception) -> OutputError:
    return OutputError(f"{path} is no checkpoint of Dawnchorus ({reason(error)}). {START_ANEW}")


def fingerprint(annotations: LabelledVotes) -> str:
    """Return a short text that differs for different annotations."""
    a = annotations
    digest = hashlib.blake2b(digest_size=16)
    for name in ARRAYS:
        digest.update(np.ascontiguousarray(getattr(a, name), np.int64).tobytes())
    for name in LISTS:
        lists = getattr(a, name)
        digest.update(np.ascontiguousarray(lists.start, np.int64).tobytes())
        digest.update(np.ascontiguousarray(lists.item, np.int64).tobytes())
    digest.update(np.ascontiguousarray(a.score_logits).tobytes())
    for name in FRAMES.values():
        digest.update("\n".join(map(str, getattr(a, name).index)).encode("utf-8", errors="backslashreplace"))
    return digest.hexdigest()
