"""The command line. It parses, calls the public functions and shows what they give; nothing else.

Heavy imports are inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .._version import __version__
from ..common.errors import AnnotationError
from .arguments import column_mapping, command_line, option_name, record_since
from .fit import fit
from .options import Columns, Encoding, Json, Kind, Out, Overwrite, Seed
from .pages import feedback, report
from .reproduce import reproduce

app = typer.Typer(
    name="dawnchorus",
    help="Trustworthy species labels from sparse, disagreeing annotators.",
    epilog="Start with: dawnchorus demo",
    no_args_is_help=True,
    rich_markup_mode=None,  # panels cut the names of options at 80 columns
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dawnchorus {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    out: Out = Path("dawnchorus-demo"),
    seed: Seed = 1,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Simulate, fit, evaluate and report: the first minute."""
    from ..evaluation.evaluation import evaluate
    from ..results.fitting import fit as fit_model
    from ..results.saving.folder import check_free, whole_folder, write_report_beside, write_result_files
    from ..simulation.demo import demo_simulation
    from ..simulation.files import write_simulation_files
    from .result_tables import show_result, show_scores
    from .terminal import print_json, sampling_bar, say
    from .terminal import progress as progress_bar

    check_free(out, overwrite=overwrite)
    simulation = demo_simulation(seed)
    started = time.perf_counter()
    with sampling_bar("Fitting base-hierarchical") as progress:
        result = fit_model(simulation.annotations, seed=seed, progress=progress)
    record = {**record_since(started), "seed": seed}
    with whole_folder(out, overwrite=overwrite) as folder:
        write_simulation_files(simulation, folder / "data", record=record)
        contents = write_result_files(result, folder / "fit", record=record)
    with progress_bar("Making the report") as bar:
        write_report_beside(result, out / "fit", truth=simulation.truth, record=contents, progress=bar)
    scores = evaluate(result, simulation.truth)
    if json:
        print_json({"out": str(out), "fit": contents, "evaluation": scores.as_dict()})
        return
    a = result.annotations
    say(
        f"{a.n_annotators} simulated birders listened to {a.n_recordings} clips of {a.n_species} birds, "
        "most clips heard by one or two of them.\n"
        "A visit is one birder at one clip; its scope, the birds they answer for; "
        "a cell, one bird in one clip.\n"
    )
    show_result(result, out / "fit")
    show_scores(scores)
    say(f"Data are in {out}/data, results in {out}/fit. Open the report in a browser: {out}/fit/report.html")
    say("For your own data: dawnchorus fit --help")


app.command()(fit)
app.command()(report)
app.command()(feedback)
app.add_typer(reproduce, name="reproduce")


@app.command()
def evaluate(
    folder: Annotated[Path, typer.Argument(help="Folder that `dawnchorus fit` wrote.")],
    truth: Annotated[Path, typer.Option(help="Truth table: recording, species, present.")],
    column: Columns = None,
    encoding: Encoding = None,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Bootstrap samples over recordings for 95 % intervals.")
    ] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare the probabilities of a fit with the truth."""
    from ..evaluation.evaluation import evaluate as evaluate_presence
    from ..io import read_truth
    from ..results.saving.folder import read_result
    from .result_tables import show_scores
    from .terminal import notes, print_json, working
    from .terminal import progress as progress_bar

    with notes():
        with working(f"Reading {folder}"):
            saved = read_result(folder)
            table = read_truth(truth, columns=column_mapping(column), encoding=encoding)
        with progress_bar("Bootstrap") as progress:
            scores = evaluate_presence(
                saved.presence,
                table,
                bootstrap=bootstrap,
                seed=seed,
                unlisted=saved.unlisted,
                recordings=saved.recordings,
                species=saved.species,
                progress=progress,
            )
    if json:
        print_json(scores.as_dict())
        return
    show_scores(scores)


@app.command()
def simulate(
    out: Out,
    kind: Annotated[
        Kind, typer.Option(help="paper: its four scenarios; portal: scopes, sites, rare species.")
    ] = Kind.paper,
    scenario: Annotated[
        int | None, typer.Option(min=1, max=4, help="Scenario of the paper; 1 if none is given.")
    ] = None,
    recordings: Annotated[int | None, typer.Option(min=1, help="Number of recordings.")] = None,
    annotators: Annotated[int | None, typer.Option(min=1, help="Number of annotators.")] = None,
    species: Annotated[int | None, typer.Option(min=1, help="Number of species.")] = None,
    visits: Annotated[float | None, typer.Option(min=0, help="Mean visits per recording.")] = None,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Simulate annotations with a known truth."""
    from ..results.saving.folder import check_free
    from ..simulation import simulate_paper, simulate_portal
    from ..simulation.files import write_simulation
    from .terminal import print_json, say, show_pairs, working

    check_free(out, overwrite=overwrite)
    sizes: dict[str, Any] = {
        "recordings": recordings,
        "annotators": annotators,
        "species": species,
        "visits": visits,
    }
    sizes = {name: value for name, value in sizes.items() if value is not None}
    with working("Simulating"):
        try:
            if kind is Kind.paper:
                simulation = simulate_paper(scenario or 1, **sizes, seed=seed)
            elif scenario is not None:
                raise ValueError("--scenario goes with --kind paper")
            else:
                simulation = simulate_portal(**sizes, seed=seed)
        except ValueError as error:
            raise AnnotationError(str(error), "change the options") from None
        record = {"command": command_line(), "seed": seed}
        contents = write_simulation(simulation, out, overwrite=overwrite, record=record)
    if json:
        print_json({**contents, "out": str(out)})
        return
    show_pairs("Simulated", simulation.annotations.summary().as_rows())
    absence = contents["absence"]
    say(f"Written to {out}/: {', '.join(contents['files'])}")
    words = ["dawnchorus", "fit", f"{out}/annotations.csv", "--absence", absence]
    tables = ("scope", "recordings", "species") if absence == "scope" else ("recordings", "species")
    words += [word for table in tables for word in (f"--{table}", f"{out}/{table}.csv")]
    say(f"Next: {shlex.join([*words, '--out', f'{out}-fit'])}")


@app.command()
def formats(json: Json = False) -> None:
    """List the formats that can be read, with their options."""
    from inspect import getdoc, signature

    from ..io import READERS
    from .terminal import print_json, show_table

    found = [
        {
            "format": name,
            "reads": (getdoc(reader) or "").splitlines()[0],
            "options": [name for name in signature(reader).parameters if name != "path"],
        }
        for name, reader in READERS.items()
    ]
    if json:
        print_json(found)
        return
    rows = [(f["format"], f["reads"], " ".join(map(option_name, f["options"]))) for f in found]
    show_table("Formats", ("--format", "what it reads", "options"), rows)
