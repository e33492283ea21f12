"""Store: the draws of a chain, never more than there is room for.

When it is full, every second draw is dropped, and from then on only every second one is added. So a chain of
any length leaves the store between half full and full, with draws evenly spread over the chain.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..common.ragged import Floats


class Store:
    """Named values by sweep; the length of those in `ragged` differs from draw to draw.

    Of the first sweeps, `elsewhere` of them, the values are in another store, which this one goes on from.
    """

    def __init__(self, room: int, thin: int = 1, ragged: Collection[str] = ()) -> None:
        self.room = max(room + room % 2, 2)
        self.thin = thin
        self.ragged_names = frozenset(ragged)
        self.sweeps: list[int] = []
        self.elsewhere = 0
        self.fixed: dict[str, Floats] = {}
        self.ragged: dict[str, list[Floats]] = {}

    def __len__(self) -> int:
        return len(self.sweeps)

    def wants(self, sweep: int) -> bool:
        """Return whether the draw of this sweep is to be kept."""
        return sweep % self.thin == 0

    def add(self, sweep: int, values: dict[str, Floats]) -> None:
        """Keep a draw."""
        if len(self) == self.room:
            self._thin_out()
            if not self.wants(sweep):
                return
        for name, value in values.items():
            if name in self.ragged_names:
                self.ragged.setdefault(name, []).append(value)
                continue
            value = np.asarray(value)
            if name not in self.fixed:
                self.fixed[name] = np.empty((self.room, *value.shape), value.dtype)
            self.fixed[name][len(self) - self.elsewhere] = value
        self.sweeps.append(sweep)

    def at(self, sweeps: list[int]) -> dict[str, Any]:
        """Return the draws of these sweeps, all of which were kept."""
        place = np.searchsorted(self.sweeps, sweeps)
        kept: dict[str, Any] = {name: values[place] for name, values in self.fixed.items()}
        return kept | {name: [values[i] for i in place] for name, values in self.ragged.items()}

    def pack(self) -> dict[str, Any]:
        """Return everything as plain arrays, for a file."""
        packed: dict[str, Any] = {"thin": np.array(self.thin), "sweeps": np.array(self.sweeps, np.int64)}
        packed |= {f"fixed.{name}": values[: len(self)] for name, values in self.fixed.items()}
        for name, values in self.ragged.items():
            packed[f"length.{name}"] = np.array([len(value) for value in values], np.int64)
            packed[f"ragged.{name}"] = np.concatenate(values) if values else np.empty(0, np.float32)
        return packed

    def unpack(self, packed: dict[str, Any]) -> None:
        """Continue from what `pack` returned."""
        self.thin = int(packed["thin"])
        self.sweeps = [int(sweep) for sweep in packed["sweeps"]]
        for key, values in packed.items():
            kind, _, name = key.partition(".")
            if kind == "fixed":
                self.fixed[name] = np.empty((self.room, *values.shape[1:]), values.dtype)
                self.fixed[name][: len(values)] = values
            elif kind == "ragged":
                self.ragged[name] = np.split(values, np.cumsum(packed[f"length.{name}"])[:-1])

    def bare(self) -> Store:
        """Return a store that goes on from here without the values so far, which stay here: see `join`."""
        bare = Store(self.room, self.thin, self.ragged_names)
        bare.sweeps, bare.elsewhere = list(self.sweeps), len(self)
        return bare

    def join(self, later: Store) -> None:
        """Take in what `bare` has become: drop what it has dropped, and add what it has added."""
        while self.thin < later.thin:
            self._thin_out()
        old, self.sweeps = len(self), list(later.sweeps)
        for name, values in later.fixed.items():
            if name not in self.fixed:
                self.fixed[name] = np.empty((self.room, *values.shape[1:]), values.dtype)
            self.fixed[name][old : len(self)] = values
        for name, draws in later.ragged.items():
            self.ragged.setdefault(name, []).extend(draws)

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to `join`: the values, without the room that is left."""
        here = len(self) - self.elsewhere
        return self.__dict__ | {"fixed": {name: values[:here] for name, values in self.fixed.items()}}

    def _thin_out(self) -> None:
        self.thin *= 2
        stay = [i for i, sweep in enumerate(self.sweeps) if self.wants(sweep)]
        here = [i - self.elsewhere for i in stay if i >= self.elsewhere]
        for values in self.fixed.values():
            values[: len(here)] = values[here]
        self.ragged = {name: [values[i] for i in here] for name, values in self.ragged.items()}
        self.sweeps = [self.sweeps[i] for i in stay]
        self.elsewhere = len(stay) - len(here)
