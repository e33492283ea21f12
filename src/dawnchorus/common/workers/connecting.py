"""Connecting: the address of a cluster, or the number of processes of a local one, becomes a cluster.

A local cluster is a scheduler in this process and workers in others. These are started anew, and not by
`multiprocessing`, which would run the user's script again: so a fit on a local cluster works in notebooks and
in scripts of any shape. They end with this process, however it ends.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import AnnotationError, ClusterError
from ..lazy import lazy
from ..wording import option
from .cluster import Cluster, still_there
from .processes import environment

DISTRIBUTED = lazy("distributed", extra="cluster", purpose="a cluster")
LOCAL = re.compile(r"local:([1-9]\d*)")
LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")
"""What dask gives levels of their own."""
CONNECT = 10
"""Seconds to wait for the scheduler."""


@contextmanager
def connected(cluster: Any, imports: str) -> Iterator[Cluster]:
    """Connect to a cluster: an address, `local:4`, or a `dask.distributed.Client`, which stays open.

    Workers of a local cluster import this module while they start.

    Raises
    ------
    AnnotationError
        If the text is neither an address nor `local:` and a number.
    ClusterError
        If there is no scheduler at the address.
    MissingPackageError
        If dask.distributed is not installed.
    """
    with ExitStack() as stack:
        if isinstance(cluster, str):
            local = LOCAL.fullmatch(cluster)
            if not local and "://" not in cluster:
                raise AnnotationError(
                    f"{option('cluster', cluster)} is neither an address nor a number of processes",
                    "write the address of the scheduler, as tcp://host:8786, or local:4 for four processes",
                )
            client_class = DISTRIBUTED.Client  # an error if it is not installed
            stack.enter_context(_quiet())
            address, ended, started = cluster, still_there, int(local[1]) if local else 1
            if local:
                address, ended = stack.enter_context(_local_cluster(started, imports))
            client = stack.enter_context(_client(client_class, address))
            found = Cluster(client, cluster, ended, started)
        elif isinstance(cluster, DISTRIBUTED.Client) and not cluster.asynchronous:
            found = Cluster(cluster, cluster.scheduler.address if cluster.scheduler else "of the client")
        else:
            raise AnnotationError(
                f"a cluster cannot be {type(cluster).__name__}",
                "give an address, local:4, or a dask.distributed.Client that is not asynchronous",
            )
        stack.enter_context(found)
        yield found


@contextmanager
def _client(client_class: Any, address: str) -> Iterator[Any]:
    try:
        client = client_class(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"there is no scheduler at {address} ({error or type(error).__name__})",
            "check the address and that `dask scheduler` runs there and can be reached from here",
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.close(timeout=CONNECT)


@contextmanager
def _local_cluster(workers: int, imports: str) -> Iterator[tuple[str, Any]]:
    """Start a scheduler and workers; yield its address, and a function that says how workers ended."""
    threads = max((os.cpu_count() or 1) // workers, 1)
    with (
        TemporaryDirectory(prefix="dawnchorus-") as home,
        DISTRIBUTED.LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
    ):
        words = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        options = {"nworkers": workers, "nthreads": threads, "host": "127.0.0.1", "death-timeout": 60}
        options |= {"local-directory": home, "preload": imports}
        words += [word for name, value in options.items() for word in (f"--{name}", str(value))]
        words.append(f"--{'no-dashboard'}")
        log = Path(home, "log")
        with log.open("wb") as lines:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=lines,
                stderr=lines,
                env=environment(),
                start_new_session=True,  # Ctrl-C is for this process, which ends the others
            )

        def ended() -> str | None:
            if process.poll() is None:
                return None
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            return " ".join([f"code {process.returncode}", *last])

        try:
            yield cluster.scheduler_address, ended
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the processes of a local cluster: they have nothing to save."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.terminate()
    process.wait()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what dask logs to itself: what matters becomes a message."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
