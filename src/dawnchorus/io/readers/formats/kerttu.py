"""Reader of the Kerttu archive: annotations of Finnish bird sounds (Lehikoinen et al. 2023).

Users listened to clips and answered for the species on their list: 1 present, 0 absent, 2 not sure. The
archive records every answer, so `absence` is not needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from ....annotations.frames.bad_rows import BadRows
from ....annotations.frames.columns import Source
from ....annotations.frames.long_table import Sources
from ....annotations.metadata.when import metadata_column
from ....annotations.votes import Absence
from ....common.errors import AnnotationError
from ....common.wording import no_columns, option
from ...plain import PlainTables, told_absence
from ..glimpse import Glimpse
from ..inputs import InputFile, Inputs
from ..text_files import TableFile, open_text

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


def read(
    inputs: Inputs,
    *,
    bad: BadRows,
    absence: Absence | None = None,
) -> PlainTables:
    """Folder or zip of the Kerttu archive, with clips/, taxa.tsv and users.tsv.

    Labels of species are the archive's taxon identifiers, with names as metadata. Metadata of recordings are
    site, time, hour (of the day) and date (day of the year), from the names of audio files where these have
    them; those of annotators are their self-rated skill level. The species list of an annotator consists
    of the species that they declared to know and of all species that they voted on. Species that nobody
    reported present are left out by default (117 of 349 remain).

    Parameters
    ----------
    inputs
        The folder or the zip file.
    absence
        Not needed: the archive says which species each visit answered for.
    """
    told_absence(absence, None, ("explicit",), "the archive says what each visit answered for")
    archive = _Archive(inputs.name, _member(inputs))
    archive.check_columns()
    visits, clips, taxa, users = map(archive.table, (VISITS, CLIPS, TAXA, USERS))
    archive.check_known(visits, VISITS, "clip_id", clips, CLIPS)
    archive.check_known(visits, VISITS, "user_id", users, USERS)
    frame, rows = _long_table(archive, visits, taxa)
    users = users[users["user_id"].isin(visits["user_id"].unique())]
    taxa = taxa[taxa["taxon_id"].isin(frame["species"].unique())]
    return PlainTables(
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
        sources=Sources(
            Source(archive.name(VOTES), rows),
            recordings=archive.source(CLIPS, clips),
            annotators=archive.source(USERS, users),
            species=archive.source(TAXA, taxa),
        ),
        drop_unreported=True,
    )


def seems(glimpse: Glimpse) -> bool:
    """Return whether these are the files of the archive."""
    return any(name.endswith(VISITS) for name in glimpse.names)


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

    path: str
    members: dict[str, InputFile]

    def name(self, table: str) -> str:
        return f"{self.path}/{table}"

    def source(self, table: str, frame: pd.DataFrame) -> Source:
        return Source(self.name(table), frame.index.to_numpy())

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
        if name not in self.members:
            raise AnnotationError(
                "the archive does not contain this file", "download it again", file=self.name(name)
            )
        return open_text(self.members[name].open, self.name(name), "utf-8")

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


def _member(inputs: Inputs) -> dict[str, InputFile]:
    """Return the archive's files by name; they may be one level down."""
    files = {file.inside: file for file in inputs.files}
    roots = [name.removesuffix(VISITS) for name in files if name.endswith(VISITS)]
    if not roots:
        raise AnnotationError(
            f"this is not the Kerttu archive: it has no {VISITS}",
            f"give the folder or zip that contains {VISITS}, {VOTES}, {CLIPS}, {TAXA} and {USERS}; "
            f"a plain table is read with {option('format', 'table')}",
            file=inputs.name,
        )
    root = min(roots, key=len)
    return {name.removeprefix(root): file for name, file in files.items() if name.startswith(root)}


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
