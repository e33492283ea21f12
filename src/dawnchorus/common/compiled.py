"""How numba compiles the kernels: once per machine, cached on disk, without Python's global lock (GIL)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import config
from numba.core.event import Listener, register
from numba.core.registry import CPUDispatcher
from numba.extending import register_jitable

from .generators import address_of
from .showing.compiling import announce

Function = TypeVar("Function", bound=Callable[..., Any])


class _Drawing(CPUDispatcher):
    """A kernel whose first argument is a generator, of which it gets the address."""

    def __call__(self, rng: Any, *others: Any, **named: Any) -> Any:
        return super().__call__(address_of(rng), *others, **named)


def _kernel(**options: Any) -> Callable[[Function], Function]:
    """Return what compiles a function when it is called first, for each kind of arguments."""
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, **options}

    def decorate(function: Function) -> Function:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        draws = function.__code__.co_varnames[:1] == ("rng",)
        kernel: Any = (_Drawing if draws else CPUDispatcher)(function, targetoptions=dict(options))
        kernel.enable_caching()
        return kernel

    return decorate


compiled = _kernel()
inlined = _kernel(forceinline=True)
shared = register_jitable(forceinline=True)
"""For short functions that both Python and kernels call: plain Python outside, inlined inside kernels."""
ZERO: Any = np.int64(0)
MINUS_ONE: Any = np.int64(-1)
"""Start values for variables in kernels: with a plain 0 or −1, numba would compile some kernels twice."""


class _Announcer(Listener):
    """Hears of kernels that are really compiled; nothing is heard of those in the cache."""

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("dawnchorus."):
            announce()

    def on_end(self, event: Any) -> None:
        pass


register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
