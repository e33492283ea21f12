"""Reader of the Kerttu archive: annotations of Finnish bird sounds (Lehikoinen et al. 2023).

Users listened to clips and answered for the species on their list: 1 present, 0 absent, 2 not sure. The
archive records every answer, so `absence` is not needed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from ...annotations.annotations import Annotations
from ...annotations.frames.columns import Source
from ...annotations.frames.long_table import Sources, build
from ...annotations.metadata.when import metadata_column
from ...annotations.votes import Absence
from ...common.errors import AnnotationError
from ...common.wording import either, no_columns, option
from .damaged_files import UNREADABLE
from .text_files import Opener, TableFile, open_text

CLIPS = "clips/clips.tsv"
VISITS = "clips/clip_annotations.tsv"
VOTES = "clips/clip_taxon_annotations.tsv"
TAXA = "taxa.tsv"
USERS = "users.tsv"
COLUMNS = {
    VISITS: ("clip_annotation_id", "clip_id", "user_id"),
    CLIPS: ("clip_id", "audio_file"),
    TAXA: ("taxon_id",),
    USERS: ("user_id", "taxon_expertise"),
    VOTES: ("clip_annotation_id", "taxon_id", "annotation", "is_extra_annotation"),
}
"""The columns of each file that are needed, its key first."""
AUDIO_NAME = r"^(?P<site>[^_]+)_(?P<time>\d{8}_\d{6})_"

Member = Callable[[str], Opener]
"""A function that returns the opener of a file in the archive, by its name."""


def read_kerttu(
    path: str | Path,
    *,
    absence: Absence | None = None,
    drop_unreported: bool = True,
    fold_case: bool = False,
    keep_na: bool = False,
) -> Annotations:
    """Folder or zip of the Kerttu archive, with clips/, taxa.tsv and users.tsv.

    Labels of species are the archive's taxon identifiers, with names as metadata. Metadata of recordings are
    site, time, hour (of the day) and date (day of the year), from the names of audio files where these have
    them; those of annotators are their self-rated skill level. The species list of an annotator consists
    of the species that they declared to know and of all species that they voted on.

    Parameters
    ----------
    path
        The folder or the zip file.
    absence
        Not needed: the archive says which species each visit answered for.
    drop_unreported
        Leave out species that nobody reported present (117 of 349 remain).
    fold_case, keep_na
        As for tables; identifiers in the archive are numbers, so that they make no difference.

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        If this is not the Kerttu archive, or a file in it is missing or damaged.
    """
    path = Path(path)
    if absence not in (None, "explicit"):
        raise AnnotationError(
            f"{option('absence', absence)} cannot be used: the archive says what each visit answered for",
            f"leave out {either('absence', '--absence')}",
            file=path,
        )
    archive = _Archive(path, _member(path))
    archive.check_columns()
    visits, clips, taxa, users = map(archive.table, (VISITS, CLIPS, TAXA, USERS))
    archive.check_known(visits, VISITS, "clip_id", clips, CLIPS)
    archive.check_known(visits, VISITS, "user_id", users, USERS)
    frame, rows = _long_table(archive, visits, taxa)
    users = users[users["user_id"].isin(visits["user_id"].unique())]
    taxa = taxa[taxa["taxon_id"].isin(frame["species"].unique())]
    votes = build(
        frame,
        "explicit",
        scope=_declared(users, taxa["taxon_id"]),
        recordings=_described(clips),
        annotators=users.rename(
            columns={
                "user_id": "annotator",
                "finnish_bird_song_recognition_skill_level": "skill_level",
            }
        ).drop(columns="taxon_expertise"),
        species=taxa.rename(columns={"taxon_id": "species", "vernacular_name_en": "name"}),
        drop_unreported=drop_unreported,
        fold_case=fold_case,
        keep_na=keep_na,
        sources=Sources(Source(archive.name(VOTES), rows)),
    )
    provenance = replace(votes.provenance, source=str(path))
    return Annotations.of(replace(votes, provenance=provenance))


def _long_table(
    archive: _Archive, visits: pd.DataFrame, taxa: pd.DataFrame
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the votes as a long table, and the row number in the file from which each comes."""
    votes = archive.table(VOTES)
    archive.check_known(votes, VOTES, "taxon_id", taxa, TAXA)
    visit = archive.check_known(votes, VOTES, "clip_annotation_id", visits, VISITS)
    present = archive.coded(votes, VOTES, "annotation", {"1": "1", "0": "0", "2": ""})
    extra = archive.coded(votes, VOTES, "is_extra_annotation", {"True": True, "False": False})
    asked = np.flatnonzero(~np.asarray(extra[1], bool)[extra[0]])

    # Add one row with an empty species for each visit, so that visits without any vote are kept.
    row = np.concatenate([visit[asked], np.arange(len(visits))])
    rows = np.concatenate([votes.index.to_numpy()[asked], np.zeros(len(visits), np.int64)])
    asked = np.concatenate([asked, np.full(len(visits), -1)])
    frame = pd.DataFrame(
        {
            "recording": _taken(pd.factorize(visits["clip_id"]), row),
            "annotator": _taken(pd.factorize(visits["user_id"]), row),
            "species": _taken(pd.factorize(votes["taxon_id"]), asked),
            "present": _taken(present, asked),
        }
    )
    return frame, rows


class _Archive(NamedTuple):
    """The tables of the archive, indexed by row number in a spreadsheet, and checks of their contents."""

    path: Path
    member: Member

    def name(self, table: str) -> str:
        return f"{self.path}/{table}"

    def check_columns(self) -> None:
        """Raise an error that names every file and every column that is missing."""
        errors = []
        for name, needed in COLUMNS.items():
            try:
                found = self.file(name).columns
                missing = [column for column in needed if column not in found]
                if missing:
                    raise AnnotationError(
                        f"{no_columns(missing)}; the columns are {', '.join(found)}",
                        "download the archive again; this may be another version",
                        file=self.name(name),
                        row=1,
                    )
            except AnnotationError as error:
                errors.append(error)
        AnnotationError.raise_all(errors)

    def file(self, name: str) -> TableFile:
        try:
            return open_text(self.member(name), self.name(name), "utf-8")
        except KeyError:
            raise AnnotationError(
                "the archive does not contain this file", "download it again", file=self.name(name)
            ) from None

    def table(self, name: str) -> pd.DataFrame:
        """Return a table without blank rows; its first needed column is a unique key, except in the votes."""
        needed = COLUMNS[name]
        frame: pd.DataFrame = self.file(name).frame(needed if name in (VOTES, VISITS) else None)
        frame.index = pd.RangeIndex(2, len(frame) + 2)
        blank = (frame[needed[0]] == "").to_numpy()
        if blank.any():
            frame = frame[~(blank & (frame == "").all(axis=1).to_numpy())]
        if not len(frame):
            raise AnnotationError(
                "there is no row", "download the archive again", file=self.name(name), row=1
            )
        again = frame[needed[0]].duplicated().to_numpy() & (name != VOTES)
        if again.any():
            self.refuse(frame, name, needed[0], int(np.argmax(again)), "has more than one row")
        return frame

    def check_known(
        self, frame: pd.DataFrame, name: str, column: str, other: pd.DataFrame, where: str
    ) -> np.ndarray:
        """Return the position of each row's key in the other table; raise an error if it is not there."""
        code, distinct = pd.factorize(frame[column])
        place = pd.Index(other[column]).get_indexer(distinct)[code]
        if (place < 0).any():
            self.refuse(frame, name, column, int(np.argmin(place)), f"is not in {where}")
        return place

    def coded(
        self, frame: pd.DataFrame, name: str, column: str, meaning: dict[str, Any]
    ) -> tuple[np.ndarray, Any]:
        """Return a column as codes and their meanings; raise an error at the first unknown value."""
        code, distinct = pd.factorize(frame[column])
        unknown = ~np.isin(distinct, list(meaning))
        if unknown.any():
            expected = f"is not one of {', '.join(meaning)}"
            self.refuse(frame, name, column, int(np.argmax(unknown[code])), expected)
        return code, pd.Index([meaning[value] for value in distinct])

    def refuse(self, frame: pd.DataFrame, name: str, column: str, position: int, what: str) -> NoReturn:
        raise AnnotationError(
            f"{column} '{frame[column].iloc[position]}' {what}",
            "download the archive again, or correct the row",
            file=self.name(name),
            row=int(frame.index[position]),
        )


def _member(path: Path) -> Member:
    """Return the opener of the archive's files in a folder or zip; the files may be one level down."""
    if path.is_dir():
        roots = [p for p in (path, *sorted(path.iterdir())) if (p / VISITS).is_file()]
        if roots:
            return partial(_file_in, roots[0])
    elif zipfile.is_zipfile(path):
        names = [name for name in _zipped_names(path) if name.endswith(VISITS)]
        if names:
            root = min(names, key=len).removesuffix(VISITS)
            return lambda name: partial(_open_zipped, path, root + name)
    elif not path.exists():
        raise AnnotationError("there is no such folder or zip file", "check the path", file=path)
    raise AnnotationError(
        f"this is not the Kerttu archive: it has no {VISITS}",
        f"give the folder or zip that contains {VISITS}, {VOTES}, {CLIPS}, {TAXA} and {USERS}; "
        f"a plain table is read with {option('format', 'table')}",
        file=path,
    )


def _zipped_names(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except UNREADABLE as error:
        raise AnnotationError(
            f"the zip file cannot be read ({error})", "download the archive again", file=path
        ) from None


def _file_in(root: Path, name: str) -> Opener:
    if not (root / name).is_file():
        raise KeyError(name)
    return partial((root / name).open, "rb")


def _open_zipped(path: Path, name: str) -> Any:
    with zipfile.ZipFile(path) as archive:  # the zip stays open until the file in it is closed
        return archive.open(name)


def _taken(column: tuple[np.ndarray, pd.Index], rows: np.ndarray) -> pd.Categorical:
    """Return the values of a coded column at these rows (−1 for blank), as a categorical to save memory."""
    code, distinct = column
    return pd.Categorical.from_codes(np.append(code, -1)[rows], categories=distinct)


def _declared(users: pd.DataFrame, taxa: pd.Series) -> pd.DataFrame | None:
    """Return the pairs of annotator and species that users declared to know, or none."""
    lists = users["taxon_expertise"].str.split(",")
    pairs = pd.DataFrame({"annotator": users["user_id"], "species": lists}).explode("species")
    pairs = pairs[pairs["species"].isin(taxa)]
    return pairs if len(pairs) else None


def _described(clips: pd.DataFrame) -> pd.DataFrame:
    parts = clips["audio_file"].str.extract(AUDIO_NAME)
    described = clips.rename(columns={"clip_id": "recording"}).assign(
        site=parts["site"],
        time=pd.to_datetime(parts["time"], format="%Y%m%d_%H%M%S", errors="coerce"),
    )
    return described.assign(**{name: metadata_column(described, name) for name in ("hour", "date")})
