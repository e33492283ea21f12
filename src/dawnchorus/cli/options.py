"""The options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

DATA, MODEL, PRIORS, SAMPLING, OUTPUT = "Data", "Model", "Priors", "Sampling", "Output"
FORMATS = "Of single formats"
PANELS = (None, DATA, MODEL, PRIORS, SAMPLING, OUTPUT, FORMATS)
"""The groups of options in the help of commands that have many, in order; None is for all others."""


class Silence(StrEnum):
    """What it means if a visit does not mention a species."""

    explicit = "explicit"
    scope = "scope"
    checklist = "checklist"


class ScoreKind(StrEnum):
    """What scores of a machine are."""

    probability = "probability"
    logit = "logit"


class As(StrEnum):
    """What is compared with the truth."""

    present = "present"
    report = "report"


class Scores(StrEnum):
    """What to do with scores of machines."""

    use = "use"
    ignore = "ignore"


class KnownAs(StrEnum):
    """What known cells are taken for."""

    truth = "truth"
    expert = "expert"


class Kind(StrEnum):
    """The two simulators."""

    paper = "paper"
    portal = "portal"


class TableFormat(StrEnum):
    """How simulated tables are written."""

    csv = "csv"
    parquet = "parquet"


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.", rich_help_panel=OUTPUT)]
Out = Annotated[
    Path,
    typer.Option(
        "--out", help="Folder to create; it appears only when it is complete.", rich_help_panel=OUTPUT
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Replace the folder if Dawnchorus wrote everything in it.", rich_help_panel=OUTPUT
    ),
]
OnCluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Where to compute: the address of a Dask scheduler (tcp://host:8786), or local:4 for four "
        "processes of this machine. The result is the same.",
        rich_help_panel=SAMPLING,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.", rich_help_panel=SAMPLING)]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help="Name of a column, as in recording=clip_name. Repeatable.", rich_help_panel=DATA
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of the text, if it is not UTF-8; for example cp1252.", rich_help_panel=DATA),
]
FoldCase = Annotated[
    bool,
    typer.Option(
        "--fold-case",
        help="Take annotators, and species, that differ only in upper and lower case for one.",
        rich_help_panel=DATA,
    ),
]
KeepNa = Annotated[
    bool,
    typer.Option(
        "--keep-na",
        help="Take labels such as NA, N/A, nan, None and - for names, not for missing values.",
        rich_help_panel=DATA,
    ),
]
ExactLabels = Annotated[
    bool,
    typer.Option(
        "--exact-labels",
        help="Write labels that begin with =, +, - or @ into CSV files as they are, without the apostrophe "
        "that keeps spreadsheets from taking them for formulas.",
        rich_help_panel=OUTPUT,
    ),
]
TruthFoldCase = Annotated[
    bool | None,
    typer.Option(
        "--fold-case/--no-fold-case",
        help="Match species of the truth that differ only in upper and lower case. Default: as in the fit.",
    ),
]
TruthKeepNa = Annotated[
    bool | None,
    typer.Option(
        "--keep-na/--no-keep-na",
        help="Take labels of the truth such as NA and - for names. Default: as in the fit.",
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        help="Table (from, to): one name for each code or synonym of a species.",
        rich_help_panel=DATA,
    ),
]
TruthNames = Annotated[
    Path | None,
    typer.Option(
        "--names", help="Table (from, to): one name for each species of the truth. Default: as in the fit."
    ),
]
FitFolder = Annotated[Path, typer.Argument(help="Folder that `dawnchorus fit` wrote.")]
OverwritePages = Annotated[bool, typer.Option("--overwrite", help="Replace existing pages.")]
SelfRating = Annotated[
    str | None,
    typer.Option(
        help="Column of the annotators' table with their self-rated level. Default: found by its name."
    ),
]
