"""Worker: a process that does one job after the other, for `workers.py`.

It is started as `python -m dawnchorus.evaluation.held_out.worker PLAN FOLDER`, reads jobs from standard
input, writes the file of each into FOLDER, and answers with a line: empty if the job is done, or what went
wrong. PLAN is a file that `workers.py` has just written.
"""

from __future__ import annotations

import json
import pickle
import sys
import traceback
from pathlib import Path

from .jobs import Runner, read_job


def main() -> None:
    """Do the jobs that come in."""
    plan, folder = Path(sys.argv[1]), Path(sys.argv[2])
    runner = Runner(*pickle.loads(plan.read_bytes()))
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing but answers on standard output
    for line in sys.stdin:
        job, error = read_job(line), ""
        try:
            runner.run(job).save(folder / job.file)
        except Exception as problem:
            traceback.print_exc()
            error = f"{type(problem).__name__}: {problem}"
        answers.write(json.dumps(error) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
