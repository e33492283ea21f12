"""Processes: jobs in several processes of this machine, each with its own interpreter.

A process is started anew and not forked, and does not run the user's script again: so whatever is done in
processes works in notebooks and in scripts of any shape.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import IO, Any

PACKAGE = Path(__file__).parents[3]
"""The folder that `dawnchorus` is imported from."""
LENGTH = struct.Struct("<Q")
"""A message is the number of its bytes, and these."""


def environment() -> dict[str, str]:
    """Return the environment of a process that imports this very package."""
    path = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": path}


def send(message: Any, stream: IO[bytes]) -> None:
    """Write an object to a stream."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Return the next object of a stream; EOFError if there is none."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    return pickle.loads(stream.read(*LENGTH.unpack(head)))


def in_processes(
    work: Callable[[Any, Any], Any], thing: Any, jobs: Sequence[Any], workers: int
) -> Iterator[tuple[int, Any, str]]:
    """Yield the place of each job, `work(thing, job)`, and what went wrong, as jobs are done."""
    threads = max((os.cpu_count() or 1) // workers, 1)
    with TemporaryDirectory() as home:
        plan = Path(home, "plan")
        # Of the highest protocol, arrays stay read-only, and kernels need not be compiled for others.
        plan.write_bytes(pickle.dumps((work, thing), pickle.HIGHEST_PROTOCOL))
        processes = [_Process(plan, threads, plan.with_name(f"log-{i}")) for i in range(workers)]
        free: SimpleQueue[_Process] = SimpleQueue()
        for process in processes:
            free.put(process)

        def one(place: int) -> tuple[int, Any, str]:
            process = free.get()
            try:
                return place, *process.do(jobs[place])
            finally:
                free.put(process)

        pool = ThreadPoolExecutor(workers)  # a thread for each process hands out jobs and waits for answers
        try:
            for future in as_completed([pool.submit(one, place) for place in range(len(jobs))]):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.process.kill()
            pool.shutdown()
            for process in processes:
                process.process.communicate()


class _Process:
    """A process that does one job after the other."""

    def __init__(self, plan: Path, threads: int, log: Path) -> None:
        self.log = log
        words = [sys.executable, "-m", "dawnchorus.common.workers.process", str(plan), str(threads)]
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment()
            )

    def do(self, job: Any) -> tuple[Any, str]:
        """Do a job; return its result, and what went wrong."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError, ValueError):
            send(job, self.process.stdin)
        try:
            result, problem = receive(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            last = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            return None, " ".join([f"the process ended with code {self.process.wait()}", *last])
        return result, problem
