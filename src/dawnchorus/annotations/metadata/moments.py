"""Moments: the column `time` of a table of recordings, as local times and their distance from UTC."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats
from ..labels import as_text

TABLE = "the table of recordings"
DATE = r"(?P<date>\d{4}-\d{2}-\d{2}|\d{8})"
CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d+)?))?"
ZONE = r"(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)"
MOMENT = rf"{DATE}(?:[T ]{CLOCK} ?{ZONE}?)?"
AS_IN = "write times as 2018-05-24 06:19, or 2018-05-24T06:19+03:00 with a time zone"


class Moments(NamedTuple):
    """When recordings were made."""

    local: pd.Series
    """Local times without a zone, NaT where there is none."""
    offset: Floats
    """Local time minus UTC in hours, NaN where it is not known."""
    clock: Bools
    """Whether there is a time of day, and not only a date."""

    @property
    def utc(self) -> pd.Series:
        """The moments in UTC, NaT where they are not known."""
        return self.local - pd.to_timedelta(np.rint(self.offset * 60), unit="m")


def read_moments(recordings: pd.DataFrame) -> Moments:
    """Return the moments in the column `time`; a time of day is joined with the column `date`.

    A column `time_zone` says in which zone times without one are, and into which others are converted.
    """
    times = recordings["time"]
    if isinstance(times.dtype, pd.DatetimeTZDtype):
        local = times.dt.tz_localize(None)
        offset = ((local - times.dt.tz_convert(None)) / pd.Timedelta(hours=1)).to_numpy(float)
        moments = Moments(local, offset, np.ones(len(times), bool))
    elif pd.api.types.is_datetime64_dtype(times.dtype):
        moments = Moments(times, np.full(len(times), np.nan), np.ones(len(times), bool))
    else:
        moments = _read_texts(_with_dates(recordings))
    return _in_zones(moments, recordings["time_zone"]) if "time_zone" in recordings else moments


def read_dates(dates: pd.Series) -> pd.Series:
    """Return a column of dates as days without a time."""
    if pd.api.types.is_datetime64_any_dtype(dates.dtype):
        return dates.dt.tz_localize(None).dt.normalize()
    return _read_texts(_texts(dates)).local.dt.normalize()


def are_hours(times: pd.Series) -> bool:
    """Return whether times are only hours of the day, without dates."""
    return bool(times.dtype.kind not in "mM" and _texts(times).str.fullmatch(CLOCK).any())


def read_clock(hours: pd.Series) -> pd.Series:
    """Return a column of hours of the day as numbers: 6.5 or 6:30; it may be empty here and there."""
    texts = _texts(hours)
    parts = texts.str.extract(rf"^{CLOCK}$")
    seconds = parts["second"].str.replace(",", ".").fillna("0").astype(float)
    clock = parts["hour"].astype(float) + parts["minute"].astype(float) / 60 + seconds / 3600
    numbers = pd.to_numeric(texts, errors="coerce").where(parts["hour"].isna(), clock)
    wrong = (texts != "") & ~numbers.between(0, 24)
    if wrong.any():
        refuse(hours, wrong, "write the hour of the day from 0 to 24, as in 6.5 or 6:30")
    return numbers % 24


def refuse(column: pd.Series, wrong: Any, remedy: str, word: str = "recording") -> NoReturn:
    """Raise an error that names the first value that is wrong, and its recording, or another `word`."""
    i = int(np.argmax(np.asarray(wrong, bool)))
    raise AnnotationError(
        f"the {column.name} of {word} '{column.index[i]}' is '{as_text(column.iloc[i])}'",
        remedy,
        file=f"the table of {word}s",
    )


def _texts(column: pd.Series) -> pd.Series:
    return pd.Series([as_text(value) for value in column], column.index, dtype="str", name=column.name)


def _with_dates(recordings: pd.DataFrame) -> pd.Series:
    """Return times as text; if they are only times of day, with their dates in front."""
    times = _texts(recordings["time"])
    if "date" not in recordings or not are_hours(times):
        return times
    days = read_dates(recordings["date"]).dt.strftime("%Y-%m-%d").fillna("")
    return (days + " " + times).where((times != "") & (days != ""), "").rename("time")


def _read_texts(texts: pd.Series) -> Moments:
    parts = texts.str.extract(f"^{MOMENT}$")
    hour, minute = parts["hour"].fillna("0"), parts["minute"].fillna("00")
    second = parts["second"].fillna("00").str.replace(",", ".")
    written = parts["date"] + "T" + hour.str.zfill(2) + ":" + minute + ":" + second
    local = pd.to_datetime(written, format="ISO8601", errors="coerce")
    wrong = (texts != "") & local.isna()
    if wrong.any():
        refuse(texts, wrong, AS_IN)
    zone = parts["zone"].replace("Z", "+0000").str.replace(":", "")
    size = zone.str[1:3].astype(float) + zone.str[3:5].replace("", "0").astype(float) / 60
    offset = size.where(zone.str[0] != "-", -size)
    return Moments(local.rename("time"), offset.to_numpy(float), parts["hour"].notna().to_numpy())


def _in_zones(moments: Moments, zones: pd.Series) -> Moments:
    """Return moments in the local time of each recording's time zone."""
    local, offset, utc = moments.local.copy(), moments.offset.copy(), moments.utc
    names = _texts(zones)
    for name in names[names != ""].unique():
        here = (names == name).to_numpy()
        aware, told = here & ~np.isnan(offset), here & np.isnan(offset)
        try:
            local[aware] = utc[aware].dt.tz_localize("UTC").dt.tz_convert(name).dt.tz_localize(None)
            standard = np.zeros(
                np.count_nonzero(told), bool
            )  # where clocks are set back, an hour comes twice
            there = local[told].dt.tz_localize(name, ambiguous=standard, nonexistent="shift_forward")
        except (KeyError, ValueError, TypeError):
            refuse(zones, here, "name a time zone, such as Europe/Helsinki or +03:00")
        utc[told] = there.dt.tz_convert(None)
        offset[here] = ((local - utc) / pd.Timedelta(hours=1)).to_numpy(float)[here]
    return moments._replace(local=local, offset=offset)
