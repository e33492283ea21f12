"""A process that has imported what commands import, and turns a copy of itself into each command.

Every command is a process of its own, with its own folder, environment, output, signals and exit code, but
it need not import for a second first. A line of JSON on standard input asks for a command; what is answered
is its process id and, when it has ended, its exit code. Linux only: elsewhere, libraries do not survive it.
"""

from __future__ import annotations

import gc
import json
import os
import sys

import h5netcdf  # noqa: F401
import jinja2  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import pyarrow.parquet  # noqa: F401
import scipy.cluster.hierarchy
import scipy.spatial.distance  # noqa: F401
import xarray  # noqa: F401

import dawnchorus.evaluation
import dawnchorus.io.reading
import dawnchorus.model.registry
import dawnchorus.report.report
import dawnchorus.results.fitting
import dawnchorus.results.saving.folder
import dawnchorus.results.saving.saved_result  # noqa: F401
from dawnchorus.__main__ import main

ASKED, ANSWERS = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1)


def tell(number: int) -> None:
    """Answer with a number."""
    os.write(ANSWERS, b"%d\n" % number)


def become(words, folder, environment, streams) -> None:
    """Be the command, from here on."""
    os.close(ANSWERS)
    for stream, path in enumerate(streams):
        kept = os.open(path, os.O_RDWR | os.O_APPEND)
        os.dup2(kept, stream)
        os.close(kept)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = words
    main()


def serve() -> None:
    """Answer until nobody asks any more."""
    gc.freeze()
    for asked in ASKED:
        process = os.fork()
        if not process:
            become(**json.loads(asked))
            return
        tell(process)
        tell(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


serve()
