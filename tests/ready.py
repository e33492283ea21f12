"""A process that has imported what commands import, and turns a copy of itself into each command.

Every command is a process of its own, with its own folder, environment, output, signals and exit code, but
it need not import for a second first. (Not `dawnchorus.cli`: consoles look for the width of their terminal
when they are made.) Once a command samples, the kernels of a small fit are loaded as well, for all that
follow. A line of JSON on standard input asks for a command; what is answered is its process id and, when it
has ended, its exit code. Linux only: elsewhere, libraries do not survive it.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import suppress
from functools import cache

import dask.array
import dask.distributed  # noqa: F401  (xarray imports both when it writes a file)
import h5netcdf.legacyapi  # noqa: F401
import jinja2  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import narwhals
import pandas as pd
import pyarrow.parquet  # noqa: F401
import rich.console
import rich.progress
import rich.table  # noqa: F401
import scipy.cluster.hierarchy
import scipy.spatial.distance  # noqa: F401
import typer  # noqa: F401
import xarray  # noqa: F401

import dawnchorus as dc
import dawnchorus.evaluation
import dawnchorus.io.reading
import dawnchorus.model.registry
import dawnchorus.report.report
import dawnchorus.results.fitting
import dawnchorus.results.saving.folder
import dawnchorus.results.saving.saved_result
from dawnchorus.__main__ import main

with suppress(ImportError):  # typer of late imports it for every command
    from pydantic import TypeAdapter  # noqa: F401

SAMPLING = {"fit", "demo", "update", "compare"}
"""Commands that sample."""


def become(words, folder, environment, streams) -> None:
    """Be the command, from here on."""
    for stream, path in enumerate(streams):
        kept = os.open(path, os.O_RDWR | os.O_APPEND)
        os.dup2(kept, stream)
        os.close(kept)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = words
    main()


@cache
def load_kernels() -> None:
    """Load what every fit calls."""
    few = {"warmup": 2, "draws": 4, "chains": 2, "min_ess": None}
    annotations = dc.simulate_portal(20, 3, 4, visits=2, seed=1).annotations
    for model in ("base", "base-hierarchical"):
        dc.fit(annotations, model, **few)
    gc.freeze()


def serve() -> None:
    """Answer until nobody asks any more."""
    narwhals.from_native(pd.DataFrame({"a": [1]}))
    gc.freeze()
    asked_on, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1)
    for line in asked_on:
        asked = json.loads(line)
        if SAMPLING & set(asked["words"]):
            load_kernels()
        process = os.fork()
        if not process:
            os.close(answers)
            become(**asked)
            return
        os.write(answers, b"%d\n" % process)
        os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


if __name__ == "__main__":
    serve()
