"""Conversion of files in any format to plain tables, which are documented and can be read again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.frames.names import NameTable
from ..annotations.labelled import LabelledVotes
from ..annotations.tables import plain_absence, scoped_tables
from ..annotations.votes import Absence, ScoreScale
from ..common.checked import yes_or_no
from ..common.errors import MissingPackageError, OutputError
from ..common.files.whole import check_new, check_place, whole_file
from ..common.wording import option_name
from .readers.inputs import Paths
from .reading import ReadTables, read_tables
from .writers.csv_tables import write_table

LABELS = ["recording", "annotator", "species"]
ENDINGS = (".parquet", ".csv")


def convert(
    path: Paths,
    out: str | Path,
    format: str | None = None,
    absence: Absence | None = None,
    *,
    overwrite: bool = False,
    exact_labels: bool = False,
    drop_unreported: bool | None = None,
    fold_case: bool = False,
    keep_na: bool = False,
    score_scale: ScoreScale | None = None,
    **options: Any,
) -> dict[str, Any]:
    r"""Write a plain table of the annotations in files of any format, with the tables that belong to it.

    Beside `annotations.parquet` there may be `annotations.scope.parquet` with what annotators or visits
    answer for, `annotations.recordings.parquet`, `…annotators…` and `…species…` with metadata, and
    `annotations.truth.parquet` with what is known. Reading them again gives the same annotations.

    Parameters
    ----------
    path, format, absence, drop_unreported, fold_case, keep_na, score_scale, options
        As in `read`.
    out
        The file to write, which ends in `.parquet` or `.csv`.
    overwrite
        Replace files that exist.
    exact_labels
        Write labels that begin with `=`, `+`, `-` or `@` into CSV files as they are, without the apostrophe
        that keeps spreadsheets from taking them for formulas.

    Returns
    -------
    dict
        `format`, `annotations` in words, `absence`, `files` (their paths by the name of the table), `summary`
        of the annotations, and `command`, which fits the table.

    Raises
    ------
    AnnotationError
        If the files cannot be read.
    OutputError
        If the table cannot be written.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/wide.csv", "w") as file:
    ...         _ = file.write("clip,user,wren,owl\n1,Aino,1,0\n2,Onni,0,\n")
    ...     contents = dc.convert(f"{folder}/wide.csv", f"{folder}/annotations.csv", "wide")
    >>> contents["absence"], contents["command"].partition(" --")[2]
    ('explicit', 'format table --absence explicit --out fitted')
    """
    out = Path(out)
    if out.suffix.lower() not in ENDINGS:
        raise OutputError(f"{out} does not end in .parquet or .csv. Remedy: choose a name that does.")
    yes_or_no(exact_labels=exact_labels, drop_unreported=drop_unreported)
    yes_or_no(fold_case=fold_case, keep_na=keep_na)
    check_new(out, overwrite=overwrite)
    check_place(out)
    found = read_tables(path, format, absence, **options)
    annotations = found.annotations(
        drop_unreported=drop_unreported, fold_case=fold_case, keep_na=keep_na, score_scale=score_scale
    )
    silence, tables = _plain(annotations, found)
    files = {name: out if name == "annotations" else _beside(out, name) for name in tables}
    for place in files.values():
        check_new(place, overwrite=overwrite)
    for name, table in tables.items():
        _write(table, files[name], exact_labels)
    return {
        "format": found.format,
        "annotations": repr(annotations)[1:-1],
        "absence": silence,
        "files": {name: str(place) for name, place in files.items()},
        "summary": annotations.summary().as_dict(),
        "command": _command(files, silence, annotations),
    }


def _plain(annotations: Annotations, found: ReadTables) -> tuple[Absence, dict[str, pd.DataFrame]]:
    """Return what silence means, and the tables to write, that of votes first."""
    plain, fold_case = found.tables, annotations.provenance.fold_case
    silence = plain_absence(annotations)
    tables: dict[str, pd.DataFrame] = {}
    if silence is None:
        silence = "scope"
        tables["annotations"], tables["scope"] = scoped_tables(annotations)
    else:
        tables["annotations"] = annotations.to_frame(silence)
        if silence != "checklist" and (silence == "scope" or plain.scope is not None):
            tables["scope"] = annotations.species_lists()
    said = {word: set(tables["annotations"][word]) for word in LABELS}
    for word, name in zip(LABELS, ("recordings", "annotators", "species"), strict=True):
        table: pd.DataFrame = getattr(annotations, name)
        if len(table.columns) or len(table) > len(said[word] - {""}):
            tables[name] = table.rename_axis(word).reset_index()
    if plain.truth is not None:
        tables["truth"] = _named(plain.truth, found.names, fold_case)
    return silence, tables


def _named(table: pd.DataFrame, names: NameTable, fold_case: bool) -> pd.DataFrame:
    """Return a table with one name for each species."""
    other = names.of(table["species"].unique(), fold_case=fold_case)
    return table.replace({"species": other}) if other else table


def _beside(out: Path, name: str) -> Path:
    return out.with_name(f"{out.stem}.{name}{out.suffix}")


def _write(table: pd.DataFrame, path: Path, exact_labels: bool) -> None:
    with whole_file(path) as draft:
        if path.suffix.lower() == ".csv":
            write_table(table, draft, exact_labels=exact_labels)
            return
        try:
            table.to_parquet(draft, index=False)
        except ImportError:
            raise MissingPackageError("writing Parquet", "pyarrow", "parquet") from None


def _command(files: dict[str, Path], silence: str, annotations: LabelledVotes) -> str:
    """Return the command that fits the tables."""
    words = [
        "dawnchorus",
        "fit",
        str(files["annotations"]),
        option_name("format"),
        "table",
        option_name("absence"),
        silence,
    ]
    for name in ("scope", "recordings", "annotators", "species"):
        words += [f"--{name}", str(files[name])] if name in files else []
    if len(annotations.scores) and annotations.provenance.score_scale == "logit":
        words += [option_name("score_scale"), "logit"]
    return shlex.join([*words, option_name("out"), "fitted"])
