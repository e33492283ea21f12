"""Reading of annotations and truth tables from files, in many formats."""

from __future__ import annotations

from typing import Any

from ..annotations.annotations import Annotations
from ..annotations.votes import Absence, ScoreScale
from ..common.checked import yes_or_no
from .plain import PlainTables
from .readers.inputs import PathLike, Paths
from .reading import read_tables
from .registry import READERS, Reader
from .truth import read_truth
from .writers.registry import WRITERS, Writer

__all__ = ["READERS", "WRITERS", "PlainTables", "Reader", "Writer", "read", "read_truth"]


def read(
    path: Paths,
    format: str | None = None,
    absence: Absence | None = None,
    *,
    drop_unreported: bool | None = None,
    fold_case: bool = False,
    keep_na: bool = False,
    skip_bad: bool = False,
    scope: PathLike | None = None,
    recordings: PathLike | None = None,
    annotators: PathLike | None = None,
    species: PathLike | None = None,
    names: Any = None,
    score_scale: ScoreScale | None = None,
    **options: Any,
) -> Annotations:
    r"""Return the annotations in files of any format that can be read.

    Parameters
    ----------
    path
        A file, a folder, a zip or gzip archive, a pattern such as `"night*/*.txt"`, several of these in a
        list, or `"-"` for a table on standard input.
    format
        One of `READERS`, which `dawnchorus formats` lists. By default it is guessed: what is unmistakably
        one of the formats is read as such, with a warning that says so, and anything else as `"table"`.
    absence
        What it means if a visit does not mention a species: `"explicit"`, no vote; `"scope"`, absent if the
        species is in the annotator's scope table, otherwise no vote; `"checklist"`, absent. Required for
        tables; other formats have a meaning of their own.
    drop_unreported
        Leave out species that nobody reported present; by default only of Kerttu.
    fold_case
        Take labels of annotators, and of species, that differ only in upper and lower case for one; by
        default a warning lists them. The spelling in the tables of annotators and species is kept,
        otherwise that of most rows.
    keep_na
        Take labels such as `NA`, `N/A`, `nan`, `None` and `-` for names; by default they are missing values.
        A row with such a species is a visit without a report if its `present` is not 1; if there is no
        column `present`, it is left out.
    skip_bad
        Leave out rows that cannot be used, such as all that contradict each other, and count them in a
        warning; by default the first is an error.
    scope
        Path of a table with the species that each annotator answers for; it goes with `absence="scope"`.
    recordings, annotators, species
        Paths of tables with metadata.
    names
        One name for each code or synonym of a species: a table with columns `from` and `to` (or `code` and
        `name`), as its path, a frame or a mapping. It holds for the tables of scopes and species as well.
    score_scale
        Whether scores of a machine are each a `"probability"` or a `"logit"`; by default probabilities if all
        of them lie between 0 and 1.
    options
        Further options of the format, such as `columns=` for tables; `dawnchorus formats NAME`
        and its page of the documentation tell them.

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        If there is no such format or option, or the file cannot be used. The message names the file, the row
        and what to do.
    TypeError
        If `path` is not a path, for example a data frame.

    Warns
    -----
    AnnotationWarning
        If the file can be used but something is suspicious, such as reports outside the scope, labels that
        differ only in case, species with nearly the name of another, names that do not occur, missing
        species, or columns that are not read; and if the format was guessed.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/annotations.csv"
    ...     with open(path, "w") as file:
    ...         _ = file.write("recording,annotator,species\nclip 1,Aino,wren\nclip 1,Onni,\n")
    ...     dc.read(path, absence="checklist")
    <Annotations: 2 visits by 2 annotators to 1 recording; 1 report of 1 species>
    """
    yes_or_no(drop_unreported=drop_unreported, fold_case=fold_case, keep_na=keep_na, skip_bad=skip_bad)
    found = read_tables(
        path,
        format,
        absence,
        skip_bad=skip_bad,
        scope=scope,
        recordings=recordings,
        annotators=annotators,
        species=species,
        names=names,
        **options,
    )
    return found.annotations(
        drop_unreported=drop_unreported, fold_case=fold_case, keep_na=keep_na, score_scale=score_scale
    )
