"""Process: does one job after the other, for `processes.py`.

It is started as `python -m dawnchorus.common.workers.process PLAN THREADS`, reads jobs from standard input,
and answers each with its result and what went wrong. PLAN is a file that `processes.py` has just written.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from pathlib import Path

from .place import set_threads
from .processes import receive, send


def main() -> None:
    """Do the jobs that come in."""
    work, thing = pickle.loads(Path(sys.argv[1]).read_bytes())
    set_threads(int(sys.argv[2]))
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing but answers on standard output
    while True:
        try:
            job = receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = work(thing, job), ""
        except Exception as problem:
            traceback.print_exc()
            answer = None, f"{type(problem).__name__}: {problem}"
        send(answer, answers)


if __name__ == "__main__":
    main()
