"""Clusters for tests: real processes, started once for a module, that leave nothing behind."""

from __future__ import annotations

import logging
import multiprocessing
import os
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from multiprocessing.forkserver import ensure_running
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

BY = "distributed.worker.multiprocessing-method"
QUIET = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL + 1, "host": "127.0.0.1"}


@contextmanager
def started(workers, **options):
    """Start workers in processes of their own, and connect to them."""
    with (
        dask.config.set({BY: _ready()}),
        LocalCluster(n_workers=workers, threads_per_worker=1, **QUIET, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        if workers:
            client.wait_for_workers(workers, timeout=60)
        yield client


@cache
def _ready() -> str:
    """Start the process that turns into workers; they need no seconds for imports. Give how to start them."""
    if sys.platform != "linux":
        return "spawn"
    with dask.config.set({BY: "forkserver"}):
        get_mp_context()  # says what is to be imported, once
    multiprocessing.get_context("forkserver").set_forkserver_preload(["workers"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
        ensure_running()
    return "forkserver"


@contextmanager
def only_scheduler():
    """Start a scheduler without workers."""
    with started(0) as client:
        yield client


OTHER_VERSION = """
import importlib.metadata as metadata
version = metadata.version
def other(package):
    if package == {package!r}:
        return {version}
    return version(package)
metadata.version = other
"""
"""What dask asks for versions of packages."""
NOT_THERE = "(_ for _ in ()).throw(metadata.PackageNotFoundError)"


@contextmanager
def worker_with(code, address):
    """Start a worker whose process runs this code first."""
    code = f"{code}\nfrom distributed.cli.dask_worker import main; main()"
    words = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--death-timeout", "30"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, address, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def processes(client) -> dict[str, int]:
    """Give the process of each worker, by its address."""
    return client.run(os.getpid)
