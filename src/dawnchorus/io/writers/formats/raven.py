"""Writer of Raven selection tables: one table per recording, a selection for each species.

Public description: https://www.ravensoundsoftware.com/knowledge-base/save-all-selections-in-current-tables/.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ....annotations.labels import counted, verb
from ....common.checked import threshold_above
from ....common.files.safe_names import safe_name, safe_names
from ....common.formulas import guarded
from ....common.warn import warn
from ....common.wording import option
from ...readers.windows import window_of
from ..circumstances import circumstances
from ..consensus import Consensus, refuse_without

COLUMNS = [
    "Selection",
    "View",
    "Channel",
    "Begin Time (s)",
    "End Time (s)",
    "Low Freq (Hz)",
    "High Freq (Hz)",
]
LOW, HIGH = 0, 15_000
"""The frequencies of selections, as BirdNET-Analyzer writes them: all that birds use."""
HEADINGS = {"present": "Probability Present", "report": "Probability Report"}
ENDING = ".Table.1.selections.txt"


def write(
    found: Consensus,
    place: Path,
    *,
    threshold: float = 0.5,
    duration: float | None = None,
    annotator: str = "consensus",
) -> dict[str, Any]:
    """Folder of Raven selection tables, one a recording, with the species that count as present.

    Parameters
    ----------
    threshold
        The smallest probability of a selection.
    duration
        The length of recordings in seconds, if neither their names nor their metadata tell it.
    annotator
        The name of the folder inside, which is the annotator's when the tables are read again.
    """
    threshold_above(threshold)
    stretches = _stretches(found, duration)
    cells = found.present(threshold)
    there = stretches.loc[cells["recording"]]
    rows = pd.DataFrame(
        {
            "file": there["file"].to_numpy(),
            "begin": there["begin"].to_numpy(),
            "end": there["end"].to_numpy(),
            "species": cells["species"].to_numpy(),
            "probability": cells["probability"].to_numpy(),
        }
    ).sort_values(["file", "begin", "species"], kind="stable")
    shown = (found.recordings["visits"].astype(int) > 0) | found.recordings.index.isin(cells["recording"])
    files = pd.unique(stretches["file"][shown])
    names = safe_names(files)
    changed = sum(name != file for file, name in names.items())
    if changed:
        warn(
            f"{counted(changed, 'recording')} {verb(changed, 'has a name', 'have names')} that no file can "
            "have; signs such as / are _ in the names of tables"
        )
    folder = place / safe_name(annotator)
    folder.mkdir()
    groups = dict(iter(rows.groupby("file", sort=False)))
    label = str if found.exact_labels else guarded
    for file in files:
        with (folder / f"{names[file]}{ENDING}").open("w", encoding="utf-8", newline="") as text:
            table = csv.writer(text, delimiter="\t", lineterminator="\n")
            table.writerow([*COLUMNS, "Species", HEADINGS[found.as_]])
            selections = groups.get(file)
            if selections is None:
                continue
            fields = (selections[name] for name in ("begin", "end", "species", "probability"))
            for number, (begin, end, species, chance) in enumerate(zip(*fields, strict=True), start=1):
                times = f"{begin:.10g}", f"{end:.10g}"
                table.writerow(
                    [number, "Spectrogram 1", 1, *times, LOW, HIGH, label(str(species)), f"{chance:.6g}"]
                )
    return {"tables": len(files), "selections": len(rows)}


def _stretches(found: Consensus, duration: float | None) -> pd.DataFrame:
    """Return the file, the beginning and the end of each recording; windows of a file are parts of it."""
    index = found.recordings.index
    windows = [window_of(name) for name in index]
    if windows and all(windows):
        return pd.DataFrame(windows, index=index, columns=["file", "begin", "end"])
    lengths = circumstances(found.recordings, duration)["duration"]
    same = f", or {option('duration', 60)} if all are as long"
    refuse_without("duration", found.recordings, lengths.isna(), "a selection table", same)
    return pd.DataFrame({"file": index, "begin": np.zeros(len(index)), "end": lengths}, index=index)
