"""A chain: a random generator, a state, and the draws so far. From these alone it can be resumed exactly."""

from __future__ import annotations

import json
from copy import copy
from typing import Any, NamedTuple, Protocol, get_args

import numpy as np

from ..model.design import Design
from ..model.earlier import Earlier
from ..model.sweep import Model
from ..model.variables import Storage
from .moments import RunningMoments
from .presence_means import PresenceMeans
from .store import Store

STORES = ("draws", "limited", "acceptance")
"""Where a chain keeps its draws."""


class Stop(Protocol):
    """Says when to stop: an event, or a clock."""

    def is_set(self) -> bool:
        """Return whether to stop."""
        ...


class Room(NamedTuple):
    """How many draws a chain keeps: of most variables, and of those with limited storage."""

    draws: int
    limited: int
    thin: int = 1


class Chain:
    """One chain of a fit."""

    def __init__(
        self,
        model: Model,
        design: Design,
        seed: np.random.SeedSequence,
        place: int,
        warmup: int,
        room: Room,
        earlier: Earlier | None = None,
    ) -> None:
        self.model, self.design, self.warmup, self.room = model, design, warmup, room
        self.rng = np.random.Generator(np.random.PCG64(seed))
        if earlier is None:
            self.state = model.init(self.rng, design, place)
        else:
            self.state = model.start_from(self.rng, design, place, earlier)
        self.done = 0
        names = {kind: [v.name for v in model.variables if v.storage == kind] for kind in get_args(Storage)}
        self.limited_names = names["limited"]
        self.draws, self.limited = (
            Store(room.draws, room.thin, names["ragged"]),
            Store(room.limited, room.thin),
        )
        self.acceptance = Store(room.draws, room.thin)
        self.moments = RunningMoments()
        self.presence = PresenceMeans(len(design.layout.reported.recording))

    def advance(self, to: int, stop: Stop) -> None:
        """Sweep until `to` sweeps are done, or `stop` is set."""
        while self.done < to and not stop.is_set():
            self.state, acceptance = self.model.sweep(self.rng, self.state, self.design)
            self.done += 1
            sweep = self.done - self.warmup
            if sweep > 0:
                self.presence.add(self.model.reported_chances(self.state))
                if self.design.elsewhere is not None:
                    self.design.elsewhere.note(sweep, self.model, self.state)
                if self.draws.wants(sweep):
                    self._keep(sweep, acceptance)

    def _keep(self, sweep: int, acceptance: dict[str, float]) -> None:
        kept = self.model.keep(self.rng, self.state, self.design)
        limited = {name: kept.pop(name) for name in self.limited_names}
        self.draws.add(sweep, kept)
        self.acceptance.add(sweep, {name: np.array(share, np.float32) for name, share in acceptance.items()})
        if not limited:
            return
        if self.room.limited < self.room.draws:
            self.moments.add(limited)
        if self.room.limited and self.limited.wants(sweep):
            self.limited.add(sweep, limited)

    def bare(self) -> Chain:
        """Return a chain that goes on from here elsewhere, without the draws so far: see `join`."""
        bare = copy(self)
        for name in STORES:
            setattr(bare, name, getattr(self, name).bare())
        return bare

    def settle(self, model: Model, design: Design) -> None:
        """Go on with a model and a design, which do not travel with a chain."""
        self.model, self.design = model, design

    def join(self, later: Chain) -> None:
        """Take in what `bare` has become."""
        for name in STORES:
            getattr(self, name).join(getattr(later, name))
        self.rng, self.state, self.done = later.rng, later.state, later.done
        self.moments, self.presence = later.moments, later.presence

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels: all but the model and the design."""
        return {name: value for name, value in self.__dict__.items() if name not in ("model", "design")}

    def pack(self) -> dict[str, Any]:
        """Return all that is needed to continue, as plain arrays."""
        packed = {"done": np.array(self.done), "rng": np.array(json.dumps(self.rng.bit_generator.state))}
        packed |= {f"state.{i}": value for i, value in enumerate(_leaves(self.state))}
        packed |= {f"draws.{name}": value for name, value in self.draws.pack().items()}
        packed |= {f"limited.{name}": value for name, value in self.limited.pack().items()}
        packed |= {f"acceptance.{name}": value for name, value in self.acceptance.pack().items()}
        packed |= {f"moments.{name}": value for name, value in self.moments.pack().items()}
        return packed | {f"presence.{name}": value for name, value in self.presence.pack().items()}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Continue from what `pack` returned."""
        parts: dict[str, dict[str, Any]] = {}
        for key, value in packed.items():
            part, _, name = key.partition(".")
            parts.setdefault(part, {})[name] = value
        self.done = int(packed["done"])
        self.rng.bit_generator.state = json.loads(str(packed["rng"]))
        leaves = iter([parts["state"][str(i)] for i in range(len(parts["state"]))])
        self.state = _rebuilt(self.state, leaves)
        self.draws.unpack(parts["draws"])
        self.limited.unpack(parts["limited"])
        self.acceptance.unpack(parts["acceptance"])
        self.moments.unpack(parts["moments"])
        self.presence.unpack(parts["presence"])


def _leaves(state: Any) -> list[Any]:
    """Return the arrays of a state, which is a named tuple of arrays or of named tuples."""
    if isinstance(state, tuple):
        return [leaf for part in state for leaf in _leaves(part)]
    return [state]


def _rebuilt(like: Any, leaves: Any) -> Any:
    """Return a state of the same structure with the next of these arrays."""
    if isinstance(like, tuple):
        return type(like)(*(_rebuilt(part, leaves) for part in like))
    return next(leaves)
