"""What commands that sample share: options about chains and results, the run itself, and what is written."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import dawnchorus as dc

from ...common.errors import ClusterError, Stopped
from ...common.lazy import lazy
from ..arguments import record_since
from ..injected import with_options
from ..options import OUTPUT, ExactLabels, Json, Overwrite, Seed
from ..options import SAMPLING as SAMPLING_PANEL
from .freed_memory import keep_freed_memory

UNCONVERGED = 3
"""The exit code of a fit that has not converged."""
RESULT_TABLES = lazy("dawnchorus.cli.result_tables")
TERMINAL = lazy("dawnchorus.cli.terminal")

OPTIONS: dict[str, Any] = {
    "chains": Annotated[
        int | None, typer.Option(min=1, help="Independent chains (4).", rich_help_panel=SAMPLING_PANEL)
    ],
    "warmup": Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Sweeps to discard at the start of each chain (500; of an update 50 to 500).",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "draws": Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Smallest number of draws to keep of each chain (500).",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "thin": Annotated[
        int | None,
        typer.Option(min=1, help="Keep one draw every so many sweeps (1).", rich_help_panel=SAMPLING_PANEL),
    ],
    "min_ess": Annotated[
        float,
        typer.Option(
            min=0,
            help="Sample until all parameters have this effective sample size; 0 for no such rule.",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "max_mcse": Annotated[
        float,
        typer.Option(
            min=0.0001,
            help="And until the probability of every reported cell is known to this error.",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "max_sweeps": Annotated[
        int | None,
        typer.Option(
            min=1, help="Largest number of sweeps in a chain (20000).", rich_help_panel=SAMPLING_PANEL
        ),
    ],
    "seconds": Annotated[
        float | None,
        typer.Option(help="Stop sampling after this many seconds.", rich_help_panel=SAMPLING_PANEL),
    ],
    "threads": Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of chains that run at the same time. Default: all cores.",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "seed": Seed,
    "resume": Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue an interrupted fit; the draws are the same as without interruption.",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "allow_unconverged": Annotated[
        bool,
        typer.Option(
            "--allow-unconverged",
            help="Exit with 0, not 3, if sampling stops before the chains agree.",
            rich_help_panel=SAMPLING_PANEL,
        ),
    ],
    "min_probability": Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="With more than five million cells, list those with at least this probability.",
            rich_help_panel=OUTPUT,
        ),
    ],
    "exact_labels": ExactLabels,
    "keep_reported": Annotated[
        bool,
        typer.Option(
            "--keep-reported/--drop-reported",
            help="And those that anybody reported, however improbable.",
            rich_help_panel=OUTPUT,
        ),
    ],
    "report": Annotated[
        bool,
        typer.Option(
            "--report/--no-report",
            help="Write report.html as well, a page about the fit.",
            rich_help_panel=OUTPUT,
        ),
    ],
    "overwrite": Overwrite,
    "json": Json,
}
"""The options, with their types for typer."""
DEFAULTS: dict[str, Any] = {
    "min_ess": 400,
    "max_mcse": 0.01,
    "seed": 0,
    "resume": False,
    "allow_unconverged": False,
    "min_probability": 0.01,
    "exact_labels": False,
    "keep_reported": True,
    "report": True,
    "overwrite": False,
    "json": False,
}
SAMPLING = ("chains", "warmup", "draws", "thin", "max_sweeps", "seconds", "threads")
"""Options that public functions take under the same name, if they were given."""
WRITING = ("min_probability", "exact_labels", "keep_reported", "overwrite", "report")


def with_running(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with these options in place of its parameter `running`, a dictionary of all."""
    return with_options(command, "running", OPTIONS, DEFAULTS, dict, last=True)


def sampling_of(running: dict[str, Any]) -> dict[str, Any]:
    """Return the options about chains that were given, as public functions take them."""
    return {name: running[name] for name in SAMPLING if running[name] is not None}


def sampled(fit: Callable[..., Any], doing: str, out: Path, running: dict[str, Any], **options: Any) -> Any:
    """Call a public function that samples, with a checkpoint beside the result and a bar; return its result.

    An error, or a signal to end, leaves the checkpoint and says how to continue from it.
    """
    checkpoint = _checkpoint(out)
    if running["resume"] and not checkpoint.exists():
        TERMINAL.say_aside(f"There is no {checkpoint} to continue from; starting from the beginning.")
    options |= sampling_of(running)
    options |= {"min_ess": running["min_ess"] or None, "max_mcse": running["max_mcse"]}
    options |= {"seed": running["seed"], "resume": running["resume"]}
    stops = Stopped, ClusterError
    keep_freed_memory()
    with TERMINAL.notes(), TERMINAL.sampling_bar(doing) as progress, _rescued(checkpoint, *stops):
        return fit(progress=progress, checkpoint=checkpoint, keep_checkpoint=True, **options)


def write_and_show(
    result: Any, out: Path, running: dict[str, Any], started: float, cluster: str | None = None
) -> None:
    """Write the result, remove its checkpoint, and show what it says; exit with 3 if it has not converged."""
    record, checkpoint = record_since(started), _checkpoint(out)
    with (
        TERMINAL.notes(),
        TERMINAL.phases("Writing results") as writing,
        _rescued(checkpoint, BaseException),
    ):
        chosen = {name: running[name] for name in WRITING}
        contents = dc.write_result(result, out, record=record, progress=writing, cluster=cluster, **chosen)
    if not isinstance(result, dc.MajorityVote):  # which has no draws, and no checkpoint
        checkpoint.unlink(missing_ok=True)
        shutil.rmtree(f"{checkpoint}.work", ignore_errors=True)  # of data in parts
    if running["json"]:
        TERMINAL.print_json({**contents, "out": str(out)})
    else:
        RESULT_TABLES.show_result(result, out)
    converged = contents.get("converged", True) or running["allow_unconverged"]
    if running["min_ess"] and not converged:
        TERMINAL.say_aside(
            f"The result is in {out}, but has not converged (exit code {UNCONVERGED}). Remedy: sample longer "
            "(--max-sweeps, --seconds) or, if it is good enough for you, use --allow-unconverged."
        )
        raise typer.Exit(UNCONVERGED)


def now() -> float:
    """Return the time from which seconds of the run are counted."""
    return time.perf_counter()


def _checkpoint(out: Path) -> Path:
    return out.with_name(f"{out.name}.checkpoint")


@contextmanager
def _rescued(checkpoint: Path, *failure: type[BaseException]) -> Iterator[None]:
    """If the block fails, tell the user how to continue from the checkpoint."""
    try:
        yield
    except failure:
        if checkpoint.exists():
            TERMINAL.say_aside(
                f"The draws so far are in {checkpoint}. To continue, run the same command with --resume."
            )
        raise
