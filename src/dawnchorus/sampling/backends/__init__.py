"""Backends: where chains advance: in threads of this process, or on the workers of a cluster.

Chains are independent and stop after a number of sweeps that depends on draws alone, so the result is the
same to the bit whichever backend they advance on.
"""

from __future__ import annotations

from typing import Protocol

from ..chain import Chain
from .watch import Watch


class Backend(Protocol):
    """What makes chains advance."""

    def prepare(self) -> None:
        """Compile what chains need, so that no time of sampling goes there."""
        ...

    def advance(self, chains: list[Chain], target: int, watch: Watch) -> bool:
        """Advance all chains to so many sweeps; return whether they reached it in time."""
        ...
