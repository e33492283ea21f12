"""The command `dawnchorus`, run as a user would."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from threading import Timer

from dawnchorus.common.showing.compiling import WORDS as COMPILING

COMMAND = Path(sys.executable).with_name("dawnchorus")
READY = Path(__file__).with_name("ready.py")
SHORT_DEMO = """
from functools import partial
import dawnchorus as dc
from dawnchorus.__main__ import main
dc.fit = partial(dc.fit, warmup=20, draws=200, min_ess=None)
main()
"""
"""The command with a demo that samples for a moment, where the question is not what it shows."""
SECONDS = 120
"""A command that takes longer has failed."""


def run(*words, code=0, cwd=None):
    done = run_command([COMMAND, *map(str, words)], cwd)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    done.stderr = "".join(line for line in done.stderr.splitlines(keepends=True) if COMPILING not in line)
    return done


def run_command(words, cwd=None, **environment) -> subprocess.CompletedProcess[str]:
    """Run the command `dawnchorus` in a process that needs no second for imports, where there is one."""
    environment = os.environ | environment
    if sys.platform != "linux":
        return subprocess.run(
            words, capture_output=True, text=True, cwd=cwd, timeout=SECONDS, env=environment
        )
    with tempfile.TemporaryDirectory() as home:
        out, err = Path(home, "out"), Path(home, "err")
        for stream in (out, err):
            stream.touch()
        asked = {
            "words": list(map(str, words)),
            "folder": str(cwd or Path.cwd()),
            "environment": environment,
            "streams": [os.devnull, str(out), str(err)],
        }
        code = _ask(json.dumps(asked))
        return subprocess.CompletedProcess(words, code, *(s.read_text("utf-8") for s in (out, err)))


def _ask(asked: str) -> int:
    """Have a command run, and give its exit code."""
    ready = _ready()
    ready.stdin.write(asked + "\n")
    ready.stdin.flush()
    process = int(ready.stdout.readline())
    late = Timer(SECONDS, os.kill, (process, signal.SIGKILL))
    late.start()
    try:
        return int(ready.stdout.readline())
    finally:
        late.cancel()


@cache
def _ready() -> subprocess.Popen[str]:
    """Give the process that turns into commands, one for all tests of a worker."""
    ready = subprocess.Popen(
        [sys.executable, READY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(ready.communicate)  # it ends when nobody asks any more
    return ready
