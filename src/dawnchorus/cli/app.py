"""The command-line application with all its commands; slow imports are delayed until they are needed."""

from __future__ import annotations

from typing import Annotated

import typer

from .._version import __version__
from .checking.check import check
from .comparing.compare import compare
from .demo import demo
from .evaluate import evaluate
from .feedback import feedback
from .fitting.fit import fit
from .fitting.update import update
from .listings import docs, formats
from .reading.convert import convert
from .reading.look import look
from .report import report
from .reproduce import reproduce
from .simulate import simulate
from .writing.export import export

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


COMMANDS = (
    demo, look, convert, fit, update, check, compare, report, feedback, evaluate, export, simulate, formats,
    docs,
)  # fmt: skip
for command in COMMANDS:
    app.command()(command)
app.add_typer(reproduce, name="reproduce")
