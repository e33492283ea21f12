"""The command `dawnchorus demo`: a complete example with simulated data."""

from __future__ import annotations

import time
from pathlib import Path

import dawnchorus as dc

from ..common.files.whole import check_free, whole_folder
from ..common.lazy import lazy
from .arguments import record_since
from .options import Json, Out, Overwrite, Seed

DEMO = lazy("dawnchorus.simulation.demo")
SIMULATION_FILES = lazy("dawnchorus.simulation.files")
FOLDER = lazy("dawnchorus.results.saving.folder")
RESULT_TABLES = lazy("dawnchorus.cli.result_tables")
TERMINAL = lazy("dawnchorus.cli.terminal")


def demo(
    out: Out = Path("dawnchorus-demo"),
    seed: Seed = 1,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Simulate, fit, evaluate and report: the first minute."""
    check_free(out, overwrite=overwrite)
    with TERMINAL.working("Simulating"):
        simulation = DEMO.demo_simulation(seed)
    started = time.perf_counter()
    with TERMINAL.sampling_bar("Fitting base-hierarchical") as progress:
        result = dc.fit(simulation.annotations, seed=seed, progress=progress)
    record = {**record_since(started), "seed": seed}
    with TERMINAL.phases("Writing results") as bar, whole_folder(out, overwrite=overwrite) as folder:
        SIMULATION_FILES.write_simulation_files(simulation, folder / "data", record=record)
        contents = FOLDER.write_result_files(result, folder / "fit", record=record, progress=bar)
    with TERMINAL.phases("Making the report") as bar:
        FOLDER.write_report_beside(result, out / "fit", truth=simulation.truth, record=contents, progress=bar)
    scores = dc.evaluate(result, simulation.truth)
    if json:
        TERMINAL.print_json({"out": str(out), "fit": contents, "evaluation": scores.as_dict()})
        return
    a = result.annotations
    TERMINAL.say(
        f"{a.n_annotators} simulated birders listened to {a.n_recordings} clips of {a.n_species} birds, "
        "most clips heard by one or two of them.\n"
        "A visit is one birder listening to one clip; its scope is the birds they answer for; "
        "a cell is one bird in one clip.\n"
    )
    RESULT_TABLES.show_result(result, out / "fit")
    RESULT_TABLES.show_scores(scores)
    TERMINAL.say(
        f"Data are in {out}/data, results in {out}/fit. Open the report in a browser: {out}/fit/report.html"
    )
    TERMINAL.say("For your own data: dawnchorus fit --help")
