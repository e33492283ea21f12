"""Failures: what has gone wrong on a cluster, as errors that say what to do."""

from __future__ import annotations

from ..errors import ClusterError
from .at_worker import Answer


class Failed(Exception):  # noqa: N818  (callers say what has failed)
    """A piece of work that has failed for a reason of its own."""

    def __init__(self, ticket: int, answer: Answer) -> None:
        super().__init__(answer.problem)
        self.ticket, self.answer = ticket, answer


def failure(ticket: int, answer: Answer) -> Exception:
    """Return the error for work that has failed."""
    if answer.problem.startswith("MemoryError"):
        return _no_memory(f"the worker at {answer.worker} has not enough memory")
    return Failed(ticket, answer)


def trouble(error: Exception) -> Exception:
    """Return the error that a user understands, for one of dask."""
    name = type(error).__name__
    if name == "KilledWorker":
        last = getattr(error.args[1], "address", error.args[1])
        return killed(f"{error.args[2] + 1} times, the last one at {last}")
    if isinstance(error, ImportError):
        return ClusterError(
            f"a worker cannot import what it needs ({error})",
            "install the same packages where workers run: pip install 'dawnchorus[cluster]'",
        )
    return error


def killed(how: str) -> ClusterError:
    """Return the error for work that ends its workers."""
    return _no_memory(
        f"a worker was killed while it did the same work, {how}: most likely, it needed more memory than it "
        "has"
    )


def _no_memory(problem: str) -> ClusterError:
    return ClusterError(
        problem,
        "give each worker more memory (the memory limit of `dask worker`), or start fewer workers, with "
        "fewer threads, on a machine",
    )
