"""The Kerttu archive: annotations of Finnish bird sounds (Lehikoinen et al. 2023).

Users listened to clips and answered for the species on their list: 1 present, 0 absent, 2 not sure.
Which species a visit answers for is in the data, so there is no meaning of silence to be told.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..annotations import Absence, Annotations
from ..building import Sources, build
from ..columns import Source
from ..errors import AnnotationError
from .files import Opener, open_text

CLIPS = "clips/clips.tsv"
VISITS = "clips/clip_annotations.tsv"
VOTES = "clips/clip_taxon_annotations.tsv"
TAXA = "taxa.tsv"
USERS = "users.tsv"
AUDIO_NAME = r"^(?P<site>[^_]+)_(?P<time>\d{8}_\d{6})_"

Member = Callable[[str], Opener]
"""Gives what opens a file of the archive, by its name in it."""


def read_kerttu(
    path: str | Path, *, absence: Absence | None = None, drop_unreported: bool = True
) -> Annotations:
    """Folder or zip of the Kerttu archive, with clips/, taxa.tsv and users.tsv.

    Species keep the archive's taxon identifiers as labels, with their names as metadata; recordings get
    their site and time, annotators their self-rated skill level. An annotator's species list is what they
    declared to know together with every species they voted on.

    Parameters
    ----------
    path
        The folder or the zip file.
    absence
        Not needed: the archive says which species each visit answered for.
    drop_unreported
        Leave out species that nobody reported present (117 of 349 remain).
    """
    path = Path(path)
    if absence not in (None, "explicit"):
        raise AnnotationError(
            f"absence='{absence}' does not fit: the Kerttu archive says what each visit answered for",
            "leave absence (--absence) out",
            file=path,
        )
    member = _member(path)
    votes = _table(
        member, path, VOTES, ["clip_annotation_id", "taxon_id", "annotation", "is_extra_annotation"]
    )
    visits = _table(member, path, VISITS, ["clip_annotation_id", "clip_id", "user_id"])
    visit = _visit_of_row(visits, votes, _name(path, VOTES))
    present = _presence(votes["annotation"], _name(path, VOTES))
    asked = np.flatnonzero((votes["is_extra_annotation"] != "True").to_numpy())

    # A visit exists even if it was asked about nothing: state each once with an empty species.
    row = np.concatenate([visit[asked], np.arange(len(visits))])
    asked = np.concatenate([asked, np.full(len(visits), -1)])
    frame = pd.DataFrame(
        {
            "recording": _taken(pd.factorize(visits["clip_id"]), row),
            "annotator": _taken(pd.factorize(visits["user_id"]), row),
            "species": _taken(pd.factorize(votes["taxon_id"]), asked),
            "present": _taken(present, asked),
        }
    )
    users = _table(member, path, USERS, ["user_id", "taxon_expertise"])
    users = users[users["user_id"].isin(visits["user_id"].unique())]
    taxa = _table(member, path, TAXA, ["taxon_id"])
    taxa = taxa[taxa["taxon_id"].isin(frame["species"].unique())]
    return build(
        frame,
        "explicit",
        scope=_declared(users, taxa["taxon_id"]),
        recordings=_clips(member, path),
        annotators=users.rename(
            columns={
                "user_id": "annotator",
                "finnish_bird_song_recognition_skill_level": "skill_level",
            }
        ).drop(columns="taxon_expertise"),
        species=taxa.rename(columns={"taxon_id": "species", "vernacular_name_en": "name"}),
        drop_unreported=drop_unreported,
        sources=Sources(
            Source(str(path)),
            recordings=Source(_name(path, CLIPS)),
            annotators=Source(_name(path, USERS)),
            species=Source(_name(path, TAXA)),
        ),
    )


def _member(path: Path) -> Member:
    """Find the archive in a folder or zip, also one level down, as unpacking may leave it."""
    if path.is_dir():
        roots = [p for p in (path, *sorted(path.iterdir())) if (p / VISITS).is_file()]
        if roots:
            return lambda name: partial((roots[0] / name).open, "rb")
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(VISITS)]
        if names:
            root = min(names, key=len).removesuffix(VISITS)
            return lambda name: partial(_open_zipped, path, root + name)
    elif not path.exists():
        raise AnnotationError("there is no such folder or zip file", "check the path", file=path)
    raise AnnotationError(
        f"this is not the Kerttu archive: it has no {VISITS}",
        f"give the folder or zip that holds {VISITS}, {VOTES}, {CLIPS}, {TAXA} and {USERS}; "
        "a plain table is read with format='table'",
        file=path,
    )


def _open_zipped(path: Path, name: str) -> Any:
    with zipfile.ZipFile(path) as archive:  # its file stays open until the member is closed
        return archive.open(name)


def _table(member: Member, path: Path, name: str, needed: list[str]) -> pd.DataFrame:
    """Read a table of the archive; its first needed column is its key, except for the votes."""
    try:
        table = open_text(member(name), _name(path, name), "utf-8")
    except KeyError:
        raise AnnotationError(
            "the archive has no such file", "fetch the whole archive again", file=_name(path, name)
        ) from None
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise AnnotationError(
            f"there is no column '{missing[0]}'; the columns are {', '.join(table.columns)}",
            "fetch the archive again; it may be of another version",
            file=_name(path, name),
            row=1,
        )
    frame: pd.DataFrame = table.frame(needed if name in (VOTES, VISITS) else None)
    again = frame[needed[0]].duplicated().to_numpy() & (name != VOTES)
    if again.any():
        row = int(np.argmax(again))
        raise AnnotationError(
            f"{needed[0]} '{frame[needed[0]][row]}' comes a second time",
            "fetch the archive again, or keep one of the two rows",
            file=_name(path, name),
            row=row + 2,
        )
    return frame


def _name(path: Path, name: str) -> str:
    return f"{path}/{name}"


def _visit_of_row(visits: pd.DataFrame, votes: pd.DataFrame, name: str) -> np.ndarray:
    code, distinct = pd.factorize(votes["clip_annotation_id"])
    place = pd.Index(visits["clip_annotation_id"]).get_indexer(distinct)[code]
    if (place < 0).any():
        row = int(np.argmin(place))
        raise AnnotationError(
            f"clip_annotation_id '{distinct[code[row]]}' is not in {VISITS}",
            "fetch the whole archive again",
            file=name,
            row=row + 2,
        )
    return place


def _presence(annotation: pd.Series, name: str) -> tuple[np.ndarray, pd.Index]:
    """Give 1 present, 0 absent and empty, unsure, for the archive's 1, 0 and 2: codes and values."""
    code, distinct = pd.factorize(annotation)
    unknown = ~np.isin(distinct, ["0", "1", "2"])
    if unknown.any():
        row = int(np.argmax(unknown[code]))
        raise AnnotationError(
            f"annotation is '{distinct[code[row]]}', and 0, 1 or 2 is expected",
            "fetch the archive again, or mend the row",
            file=name,
            row=row + 2,
        )
    return code, distinct.where(distinct != "2", "")


def _taken(column: tuple[np.ndarray, pd.Index], rows: np.ndarray) -> pd.Categorical:
    """Give a column's values at these rows (−1: blank) without spelling each of them out."""
    code, distinct = column
    return pd.Categorical.from_codes(np.append(code, -1)[rows], categories=distinct)


def _declared(users: pd.DataFrame, taxa: pd.Series) -> pd.DataFrame:
    lists = users["taxon_expertise"].str.split(",")
    pairs = pd.DataFrame({"annotator": users["user_id"], "species": lists}).explode("species")
    return pairs[pairs["species"].isin(taxa)]


def _clips(member: Member, path: Path) -> pd.DataFrame:
    clips = _table(member, path, CLIPS, ["clip_id", "audio_file"])
    parts = clips["audio_file"].str.extract(AUDIO_NAME)
    return clips.rename(columns={"clip_id": "recording"}).assign(
        site=parts["site"],
        time=pd.to_datetime(parts["time"], format="%Y%m%d_%H%M%S", errors="coerce"),
    )
