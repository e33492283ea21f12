"""Checkpoint: an interrupted fit on disk, from which it continues with exactly the same draws."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .._version import __version__
from ..annotations.arrays import ARRAYS, LISTS
from ..annotations.labelled import FRAMES, LabelledVotes
from ..common.errors import OutputError
from ..common.whole_files import whole_file

SAVE_EVERY = 60.0
"""Seconds between checkpoints."""


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
        If the file is a checkpoint of another fit or no checkpoint at all; or, without `resume`, if it
        exists.
    """

    def __init__(self, path: Path, what: dict[str, Any], *, resume: bool = False, keep: bool = False) -> None:
        self.path, self.what, self.keep = path, {"version": __version__, **what}, keep
        self.target, self.seconds = 0, 0.0
        self._resume = resume
        self._started = self._saved = time.monotonic()
        if resume and self.path.exists():
            self._check()
        elif not resume and self.path.exists():
            raise OutputError(
                f"{self.path} holds an interrupted fit. Remedy: say --resume to continue it, "
                "or remove the file to start anew."
            )

    def restore(self, chains: Sequence[Packable]) -> int:
        """Restore the chains; return the sweeps that were planned, or 0 if there is nothing to restore."""
        if not (self._resume and self.path.exists()):
            return 0
        with np.load(self.path, allow_pickle=False) as file:
            packed = dict(file)
        self.target, self.seconds = int(packed["target"]), float(packed["seconds"])
        for i, chain in enumerate(chains):
            start = f"chain{i}."
            chain.unpack({k.removeprefix(start): v for k, v in packed.items() if k.startswith(start)})
        return self.target

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved > SAVE_EVERY

    def save(self, chains: Sequence[Packable]) -> None:
        """Write the checkpoint, whole or not at all."""
        packed: dict[str, Any] = {
            "what": np.array(json.dumps(self.what)),
            "target": np.array(self.target),
            "seconds": np.array(self.seconds + time.monotonic() - self._started),
        }
        for i, chain in enumerate(chains):
            packed |= {f"chain{i}.{name}": value for name, value in chain.pack().items()}
        with whole_file(self.path) as draft, draft.open("wb") as file:
            np.savez(file, **packed)
        self._saved = time.monotonic()

    def finish(self, chains: Sequence[Packable]) -> None:
        """Save the finished chains, if there is room on the disk, or remove the file."""
        if self.keep:
            with suppress(OutputError):  # the results may still fit
                self.save(chains)
        else:
            self.path.unlink(missing_ok=True)

    def _check(self) -> None:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                saved = json.loads(str(file["what"]))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise OutputError(
                f"{self.path} is no checkpoint of Dawnchorus ({error}). Remedy: remove it and start anew."
            ) from None
        differs = [name for name, value in self.what.items() if saved.get(name) != value]
        if differs:
            raise OutputError(
                f"{self.path} is of another fit: {', '.join(differs)} differ. "
                "Remedy: give the same data and options as before, or remove it and start anew."
            )


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
    for name in FRAMES.values():
        digest.update("\n".join(map(str, getattr(a, name).index)).encode("utf-8", errors="backslashreplace"))
    return digest.hexdigest()
