"""Writer of the folders from which BirdNET-Analyzer trains a classifier: one folder for each set of species.

Public description: https://birdnet-team.github.io/BirdNET-Analyzer/. Labels that go together have commas
between them in the name of a folder, and a folder named Background has none of the species.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from ....annotations.labels import counted, verb
from ....common.errors import AnnotationError
from ....common.files.safe_names import safe_name, safe_names
from ....common.json_text import write_json
from ....common.warn import warn
from ....common.wording import option
from ...readers.windows import recording_of
from ..circumstances import circumstances
from ..consensus import COMMON_NAME, SCIENTIFIC_NAME, Consensus, check_absent
from ..csv_tables import write_table

BACKGROUND = "Background"
LONGEST = 240
"""The largest number of bytes in the name of a folder."""
AUDIO = frozenset([".wav", ".flac", ".mp3", ".ogg", ".m4a", ".aac", ".opus", ".aif", ".aiff", ".wma"])


def write(
    found: Consensus,
    place: Path,
    *,
    threshold: float = 0.5,
    absent_below: float | None = None,
    audio: str | Path | None = None,
    copy: bool = False,
) -> dict[str, Any]:
    """Folders of BirdNET-Analyzer's training: one a set of species, with links to audio or lists of it.

    Parameters
    ----------
    threshold
        The smallest probability of a species that counts as present.
    absent_below
        The largest probability of a species that counts as absent; recordings with a species between the two
        are left out. By default all that is below the threshold is absent.
    audio
        The folder with the audio files, which are named like recordings; by default each folder has a list
        of recordings instead, recordings.txt.
    copy
        Copy audio files instead of linking to them.
    """
    absent = check_absent(absent_below, threshold)
    if copy and audio is None:
        raise AnnotationError(
            f"{option('copy', True)} needs the audio files", f"give their folder by {option('audio')}"
        )
    cells = found.cells
    unsure = set(cells["recording"][(cells["probability"] > absent) & (cells["probability"] < threshold)])
    names = _labels(found)
    sets: dict[str, list[str]] = {}
    for recording, species in zip(
        *(found.present(threshold)[word] for word in ("recording", "species")), strict=True
    ):
        sets.setdefault(recording, []).append(names[species])
    visited = found.recordings["visits"].astype(int) > 0
    known = found.recordings.index[visited | found.recordings.index.isin(list(sets))]
    used = [recording for recording in known if recording not in unsure]
    folder_of = {recording: ",".join(sorted({*sets.get(recording, [BACKGROUND])})) for recording in used}
    long = [recording for recording, folder in folder_of.items() if len(folder.encode()) > LONGEST]
    if long:
        warn(
            f"{counted(len(long), 'recording')} {verb(len(long), 'has', 'have')} more species than the name "
            f"of a folder can tell, and {verb(len(long), 'was', 'were')} left out"
        )
        used = [recording for recording in used if recording not in set(long)]
    file_of = {} if audio is None else _audio_files(found, used, Path(audio))
    rows = pd.DataFrame(
        {
            "folder": [folder_of[recording] for recording in used],
            "recording": used,
            "file": [str(file_of.get(recording, "")) for recording in used],
        }
    ).sort_values(["folder", "recording"], kind="stable")
    for folder, group in rows.groupby("folder"):
        (place / str(folder)).mkdir()
        _fill(place / str(folder), group, file_of if audio is not None else None, copy)
    write_table(rows, place / "files.csv", exact_labels=found.exact_labels)
    about = {"probability": found.meaning, "threshold": threshold, "absent_below": absent}
    write_json({**about, "made_by": found.made_by}, place / "about.json")
    return {"recordings": len(used), "folders": rows["folder"].nunique(), "left_out": len(known) - len(used)}


def _labels(found: Consensus) -> dict[str, str]:
    """Return the label of each species: its scientific and its common name, if both are known."""
    scientific, common = found.names(*SCIENTIFIC_NAME), found.names(*COMMON_NAME)
    labels = {}
    for name in found.species.index:
        both = [scientific.get(name, name), *([common[name]] if name in common else [])]
        labels[name] = "_".join(dict.fromkeys(both)).replace(",", " ")
    safe = safe_names(labels.values())
    return {name: safe[label] for name, label in labels.items()}


def _audio_files(found: Consensus, used: list[str], folder: Path) -> dict[str, Path]:
    """Return the audio file of each recording that has one, and warn about the others."""
    if not folder.is_dir():
        raise AnnotationError("there is no such folder of audio files", "check the path", file=folder)
    files: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in AUDIO and path.is_file():
            if path.stem in files:
                raise AnnotationError(
                    f"two audio files are named '{path.stem}': {files[path.stem]} and {path}",
                    "rename one, or name a folder that has only one of them",
                )
            files[path.stem] = path.resolve()
    told = circumstances(found.recordings)["file"]
    known = {
        recording: file
        for recording in used
        for file in [files.get(recording) or files.get(recording_of(told[recording] or recording))]
        if file is not None
    }
    missing = len(used) - len(known)
    if missing:
        warn(
            f"{folder}: there is no audio file of {counted(missing, 'recording')}, which "
            f"{verb(missing, 'is', 'are')} in files.csv only; windows of recordings have to be cut first"
        )
    return known


def _fill(folder: Path, group: pd.DataFrame, files: dict[str, Path] | None, copy: bool) -> None:
    """Put links to audio files, copies or a list of recordings into a folder."""
    if files is None:
        lines = "".join(f"{recording}\n" for recording in group["recording"])
        (folder / "recordings.txt").write_text(lines, encoding="utf-8")
        return
    for recording in group["recording"]:
        if recording not in files:
            continue
        target = folder / safe_name(files[recording].name)
        if copy:
            shutil.copyfile(files[recording], target)
        else:
            os.symlink(files[recording], target)
