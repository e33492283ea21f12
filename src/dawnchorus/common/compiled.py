"""How numba compiles the kernels: once per machine, cached on disk, without Python's global lock (GIL).

Processes that start together, such as workers of a cluster, take turns with the kernels of a file: the first
compiles, and the others find its result in the cache. Numba itself does not look after that. Processes that
compile the same function for different types at the same time may overwrite each other's entry, and one then
finds code for other types in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import config
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.event import Listener, register
from numba.core.registry import CPUDispatcher
from numba.extending import register_jitable

from .files.turns import in_turn
from .generators import address_of
from .showing.compiling import announce

Function = TypeVar("Function", bound=Callable[..., Any])


class _Kernel(CPUDispatcher):
    """A kernel, which one process at a time compiles or finds in the cache."""

    def compile(self, sig: Any) -> Any:
        # The lock of threads comes first. Otherwise one thread could have it and wait for the file, while
        # another has the file and waits for it. Kernels of a file call those of files that it imports, so
        # that processes cannot wait for each other either.
        with global_compiler_lock, in_turn(Path(self.py_func.__code__.co_filename)):
            return super().compile(sig)


class _Drawing(_Kernel):
    """A kernel whose first argument is a generator, of which it gets the address."""

    def __call__(self, rng: Any, *others: Any, **named: Any) -> Any:
        return super().__call__(address_of(rng), *others, **named)


class _InlinedCache(FunctionCache):
    """Keeps kernels that Python cannot call apart from those of the same function that it can."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return *super()._index_key(sig, codegen), "inlined"  # type: ignore[no-untyped-call]


class _Inlined(_Kernel):
    """A kernel that other kernels call; what takes Python's objects apart is as long as many of these.

    Where Python calls it all the same, it is compiled once more, in a way that Python can call.
    """

    def enable_caching(self) -> None:
        self._cache = _InlinedCache(self.py_func)  # type: ignore[no-untyped-call]

    @cached_property
    def outside(self) -> Any:
        """The same for Python."""
        return _made(self.py_func, {**self.targetoptions, "no_cpython_wrapper": False})

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.outside(*arguments, **named)


def _made(function: Any, options: dict[str, Any]) -> Any:
    """Return a kernel that has compiled nothing yet."""
    if options["no_cpython_wrapper"]:
        kind: Any = _Inlined
    else:
        kind = _Drawing if function.__code__.co_varnames[:1] == ("rng",) else _Kernel
    kernel = kind(function, targetoptions=options)
    kernel.enable_caching()
    return kernel


def _kernel(**options: Any) -> Callable[[Function], Function]:
    """Return what compiles a function when it is called first, for each kind of arguments."""
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, **options}
    options["no_cfunc_wrapper"] = True  # nobody calls a kernel as a function of C

    def decorate(function: Function) -> Function:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        return _made(function, dict(options))

    return decorate


compiled = _kernel(no_cpython_wrapper=False)
inlined = _kernel(forceinline=True, no_cpython_wrapper=True)
"""For short kernels that other kernels call: they become a part of these."""
reducing = _kernel(no_cpython_wrapper=False, fastmath={"reassoc", "contract", "nsz"})
"""Sums may be taken in any order, so that several numbers are added at a time."""
ordering = _kernel(no_cpython_wrapper=False, fastmath=True)
"""For values without NaN and infinities."""
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
