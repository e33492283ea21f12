"""The command-line application with all its commands; slow imports are delayed until they are needed."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from .._version import __version__
from .checking.check import check
from .comparing.compare import compare
from .demo import demo
from .evaluate import evaluate
from .feedback import feedback
from .fitting.fit import fit
from .fitting.update import update
from .listings import docs, formats
from .options import PANELS
from .reading.convert import convert
from .reading.look import look
from .report import report
from .reproduce import reproduce
from .simulate import simulate
from .writing.export import export

FEW_OPTIONS = 12
"""Up to so many options are listed in one group."""

app = typer.Typer(
    name="dawnchorus",
    help="Trustworthy species labels from sparse, disagreeing annotators.",
    epilog="Start with: dawnchorus demo",
    no_args_is_help=True,
    rich_markup_mode=None,  # panels cut the names of options at 80 columns
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class GroupedHelp(TyperCommand):
    """A command whose options, if they are many, are listed in groups, as their panels say."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options in groups."""
        groups: dict[str | None, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        arguments = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and param.param_type_name == "argument":
                arguments.append(record)
            elif record is not None:
                groups[getattr(param, "rich_help_panel", None)].append(record)
        if sum(map(len, groups.values())) <= FEW_OPTIONS:
            groups = {None: [record for group in groups.values() for record in group]}
        for title, records in {"Arguments": arguments, **groups}.items():
            if records:
                with formatter.section(title or "Options"):
                    formatter.write_dl(records)


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
    app.command(cls=GroupedHelp)(command)
app.add_typer(reproduce, name="reproduce")
