"""Circumstances: where and when recordings were made, and in which files, from their metadata."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...annotations.labels import as_text
from ...annotations.metadata.moments import read_moments
from ...annotations.metadata.when import numbers
from .consensus import metadata

COLUMNS = {
    "deployment": ("deployment", "deployment_id", "site", "site_id", "station", "location", "plot"),
    "latitude": ("latitude", "lat", "decimal_latitude"),
    "longitude": ("longitude", "lon", "lng", "long", "decimal_longitude"),
    "time": ("time", "timestamp", "datetime", "date_time", "start_time", "start", "event_date", "date"),
    "duration": ("duration", "duration_s", "length", "length_s", "seconds"),
    "file": ("file_path", "file", "path", "file_name", "audio", "url"),
}
"""The columns of recordings' metadata that writers know, and the names by which they go."""
POSITIVE = "give a number of seconds above 0"


def circumstances(recordings: pd.DataFrame, duration: float | None = None) -> pd.DataFrame:
    """Return what is known about each recording, blank or NaN where nothing is.

    Parameters
    ----------
    recordings
        Metadata, indexed by label.
    duration
        The length of recordings in seconds where the metadata do not tell it.

    Returns
    -------
    pandas.DataFrame
        Columns deployment, latitude, longitude, start (ISO 8601), end, sure (whether the time of day and its
        zone are known), duration, file.
    """
    found = {name: _blank_is_missing(metadata(recordings, ways)) for name, ways in COLUMNS.items()}
    index = recordings.index
    table = pd.DataFrame(index=index)
    for name in ("deployment", "file"):
        column = found[name]
        table[name] = pd.Series("" if column is None else [as_text(value) for value in column], index, object)
    for name, most in (("latitude", 90), ("longitude", 180)):
        column = found[name]
        remedy = f"write degrees from -{most} to {most}"
        table[name] = np.nan if column is None else numbers(column, remedy, -most, most)
    lengths = found["duration"]
    told = np.nan if duration is None else duration
    table["duration"] = told if lengths is None else numbers(lengths, POSITIVE, 1e-9).fillna(told)
    return pd.concat([table, _times(recordings, found["time"], table["duration"])], axis=1)


def _blank_is_missing(column: pd.Series | None) -> pd.Series | None:
    if column is None or column.dtype.kind in "iufbmM":
        return column
    return column.astype(object).where(column.notna() & (column != ""), None)


def _times(recordings: pd.DataFrame, time: pd.Series | None, duration: pd.Series) -> pd.DataFrame:
    """Return when recordings began and ended, and whether time and zone are sure."""
    index = recordings.index
    if time is None:
        return pd.DataFrame({"start": "", "end": "", "sure": False}, index=index)
    given = pd.DataFrame({"time": time})
    for name in ("date", "time_zone"):
        column = _blank_is_missing(metadata(recordings, (name,)))
        if column is not None:
            given[name] = column
    moments = read_moments(given)
    start = moments.local.dt.floor("s")
    end = (moments.local + pd.to_timedelta(duration.fillna(0), unit="s")).dt.ceil("s")
    zone = ["Z" if np.isnan(hours) or hours == 0 else _zone(hours) for hours in moments.offset]
    sure = moments.local.notna() & ~np.isnan(moments.offset) & moments.clock
    return pd.DataFrame({"start": _iso(start, zone), "end": _iso(end, zone), "sure": sure}, index=index)


def _iso(times: pd.Series, zone: list[str]) -> pd.Series:
    texts = times.dt.strftime("%Y-%m-%dT%H:%M:%S").fillna("")
    return pd.Series(
        [text and text + where for text, where in zip(texts, zone, strict=True)], times.index, object
    )


def _zone(hours: float) -> str:
    minutes = round(abs(hours) * 60)
    return f"{'-' if hours < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
