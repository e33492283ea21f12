"""At the worker: what runs in a worker of a cluster, before and after the work itself.

All pieces of work need the same large thing, such as the annotations. A worker keeps it, as the client has
sent it; one that has not got it, since it has just started, says so and is sent it. Work and results travel
pickled by ourselves: so arrays arrive as they were, read-only or not, and kernels need not be compiled again.
"""

from __future__ import annotations

import pickle
import traceback
from collections import OrderedDict
from contextlib import nullcontext
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from ..errors import DawnchorusError
from ..lazy import lazy
from ..showing.compiling import compiling_shown_by
from .place import set_threads

DISTRIBUTED = lazy("distributed")
MOST = 2
"""A worker keeps so many things; their clients may have ended without a word."""
REMEDY = ". Remedy: "
"""What is between the problem and the remedy in messages."""
MEND = "mend it where workers run, and start again"
_PARTS: dict[str, list[bytes]] = {}
_KEPT: OrderedDict[str, Any] = OrderedDict()
_LOCK, _ALONE = Lock(), Lock()


class Answer(NamedTuple):
    """What a worker answers.

    Attributes
    ----------
    worker
        Its address.
    result
        What the work returned, pickled; None if it did not end well.
    wanted
        Whether the worker first needs what all pieces of work share.
    problem, remedy, details
        What went wrong, in a line; what a user can do, if that is known; and all that Python says of it.
    """

    worker: str
    result: bytes | None = None
    wanted: bool = False
    problem: str = ""
    remedy: str = ""
    details: str = ""


def take(name: str, part: bytes, first: bool) -> None:
    """Take in a part of a thing."""
    with _LOCK:
        if first:
            _PARTS[name] = []
            while len(_PARTS) > MOST:
                del _PARTS[next(iter(_PARTS))]
        _PARTS[name].append(part)


def drop(name: str) -> None:
    """Keep a thing no longer."""
    with _LOCK:
        _PARTS.pop(name, None)
        _KEPT.pop(name, None)


def memory_limit(dask_worker: Any) -> int:
    """Return how many bytes of memory this worker may use; 0 if there is no limit.

    Dask hands the worker over because the argument is called so.
    """
    return int(dask_worker.memory_manager.memory_limit or 0)


def do(name: str, piece: bytes, *, alone: bool) -> Answer:
    """Do a piece of work, pickled, with the thing of that name; if `alone`, no two of them at a time."""
    worker = DISTRIBUTED.get_worker()
    try:
        with _LOCK:  # two threads must not both unpickle it
            if name in _PARTS:
                _KEPT[name] = pickle.loads(b"".join(_PARTS.pop(name)))
                while len(_KEPT) > MOST:
                    _KEPT.popitem(last=False)
            if name not in _KEPT:
                return Answer(worker.address, wanted=True)
            thing = _KEPT[name]
        set_threads(worker.state.nthreads)
        with _ALONE if alone else nullcontext(), compiling_shown_by(partial(_tell, worker, name)):
            work, arguments = pickle.loads(piece)
            result = work(thing, *arguments)
        return Answer(worker.address, pickle.dumps(result, pickle.HIGHEST_PROTOCOL))
    except Exception as error:  # as text: not every error survives a journey
        problem, remedy = f"{type(error).__name__}: {error}", ""
        if isinstance(error, DawnchorusError):
            problem, _, told = str(error).partition(REMEDY)
            remedy = told.removesuffix(".") or MEND
        elif isinstance(error, ImportError):
            remedy = MEND
        return Answer(worker.address, problem=problem, remedy=remedy, details=traceback.format_exc())


def _tell(worker: Any, name: str) -> None:
    """Tell the client that kernels are being compiled."""
    worker.log_event(name, "compiling")
