"""The command `dawnchorus`, run as a user would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dawnchorus.common.showing.compiling import WORDS as COMPILING

COMMAND = Path(sys.executable).with_name("dawnchorus")


def run(*words, code=0, cwd=None):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    done.stderr = "".join(line for line in done.stderr.splitlines(keepends=True) if COMPILING not in line)
    return done
