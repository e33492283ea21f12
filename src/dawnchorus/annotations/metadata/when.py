"""Metadata of recordings by name: their own columns, and hour, date and sunrise, which times give.

hour
    The hour of the day with its fraction, in local time.
date
    The day of the year, from 1 to 366.
sunrise
    Hours from the nearest sunrise, negative before it; this needs latitude and longitude as well.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...common.errors import AnnotationError
from ...common.warn import warn
from ...common.wording import listed, no_columns
from ..labels import counted
from .moments import AS_IN, TABLE, Moments, are_hours, read_clock, read_dates, read_moments, refuse
from .sun import hours_from_sunrise

EPOCH = pd.Timestamp("2000-01-01 12:00")
NEEDED = {"hour": ("time",), "date": ("time",), "sunrise": ("time", "latitude", "longitude")}
"""The columns from which hour, date and sunrise are calculated if they are not there themselves."""


def known_names(recordings: pd.DataFrame) -> list[str]:
    """Return the names of metadata that there are: columns, and what can be calculated from them."""
    derived = [name for name, needed in NEEDED.items() if all(column in recordings for column in needed)]
    return list(dict.fromkeys([*map(str, recordings.columns), *derived]))


def metadata_column(recordings: pd.DataFrame, name: str) -> pd.Series:
    """Return metadata of recordings by name; it may be missing in some of them.

    Parameters
    ----------
    recordings
        A frame indexed by label, as in `Annotations.recordings`.
    name
        A column; or hour, date or sunrise, which are calculated from times if there is no such column.

    Returns
    -------
    pandas.Series
        Numbers for hour, date and sunrise, otherwise the column as it is.

    Raises
    ------
    AnnotationError
        If there is no such column, or a time, date or coordinate cannot be understood; the message names
        the recording.

    Warns
    -----
    AnnotationWarning
        If the sun did not rise or set at some recordings.

    Examples
    --------
    >>> table = pd.DataFrame({"time": ["2018-05-24 06:15", "2018-05-25T23:30+03:00"]}, index=["r1", "r2"])
    >>> metadata_column(table, "hour").tolist(), metadata_column(table, "date").tolist()
    ([6.25, 23.5], [144.0, 145.0])
    """
    missing = [column for column in NEEDED.get(name, (name,)) if column not in recordings]
    if name not in recordings and missing:
        raise AnnotationError(
            f"{no_columns(missing)}"
            + (f" for {name}" if name in NEEDED else "")
            + f" in {_columns(recordings)}",
            f"add {listed(missing, last=' and ')} to {TABLE}",
        )
    if name == "hour":
        values = _hours(recordings)
    elif name == "date":
        values = _dates(recordings)
    elif name == "sunrise" and "sunrise" not in recordings:
        values = _from_sunrise(recordings)
    else:
        values = recordings[name]
    return values.rename(name)


def years_of(recordings: pd.DataFrame) -> list[int]:
    """Return the years in which recordings were made; none if only days of the year are known, or no dates.

    >>> years_of(pd.DataFrame({"time": ["2018-05-24 06:15", "2019-05-25T23:30+03:00"]}, index=["r1", "r2"]))
    [2018, 2019]
    """
    if "date" in recordings and not _are_days_of_year(recordings["date"]):
        days = read_dates(recordings["date"])
    elif "time" in recordings and not are_hours(recordings["time"]):
        days = read_moments(recordings).local
    else:
        return []
    return sorted(int(year) for year in days.dropna().dt.year.unique())


def numbers(
    column: pd.Series,
    remedy: str,
    lowest: float = -np.inf,
    highest: float = np.inf,
    word: str = "recording",
) -> pd.Series:
    """Return a column as numbers; raise an error that names the first value that is none, or out of range."""
    values = pd.to_numeric(column, errors="coerce").astype("float64")
    wrong = column.notna() & ~values.between(lowest, highest)
    if wrong.any():
        refuse(column, wrong, remedy, word)
    return values


def _columns(recordings: pd.DataFrame) -> str:
    found = list(recordings.columns)
    return f"{TABLE}, which has {listed(found)}" if found else f"{TABLE}, which has no metadata at all"


def _hours(recordings: pd.DataFrame) -> pd.Series:
    if "hour" in recordings or are_hours(recordings["time"]):
        return read_clock(recordings["hour" if "hour" in recordings else "time"])
    moments = read_moments(recordings)
    _refuse_without_clock(moments)
    time = moments.local.dt
    return time.hour + time.minute / 60 + (time.second + time.microsecond / 1e6) / 3600


def _dates(recordings: pd.DataFrame) -> pd.Series:
    if "date" not in recordings:
        return read_moments(recordings).local.dt.day_of_year.astype("float64")
    dates = recordings["date"]
    if _are_days_of_year(dates):
        return numbers(dates, "write the day of the year, from 1 to 366, or a date as 2018-05-24", 1, 366)
    return read_dates(dates).dt.day_of_year.astype("float64")


def _are_days_of_year(dates: pd.Series) -> bool:
    """Return whether dates are numbers, and not such as 20180524."""
    if not pd.api.types.is_numeric_dtype(dates.dtype):
        return False
    return not (dates.notna().any() and (dates.dropna() > 1e7).all())


def _from_sunrise(recordings: pd.DataFrame) -> pd.Series:
    moments = read_moments(recordings)
    _refuse_without_clock(moments)
    latitude = numbers(recordings["latitude"], "write degrees from -90 to 90", -90, 90)
    longitude = numbers(recordings["longitude"], "write degrees from -180 to 180", -180, 180)
    unknown = moments.local.notna() & np.isnan(moments.offset)
    if unknown.any():
        raise AnnotationError(
            f"the time of recording '{unknown.index[int(np.argmax(unknown))]}' has no time zone, without "
            "which the time of sunrise is not known",
            "add a column time_zone, such as Europe/Helsinki or +03:00, or write times as "
            "2018-05-24T06:19+03:00",
            file=TABLE,
        )
    days = ((moments.utc - EPOCH) / pd.Timedelta(days=1)).to_numpy(float)
    hours, rises = hours_from_sunrise(days, latitude.to_numpy(), longitude.to_numpy())
    without = int(np.count_nonzero(np.isfinite(hours) & ~rises))
    if without:
        warn(
            f"the sun did not rise or set on the days of {counted(without, 'recording')}: sunrise counts "
            "from its lowest point where it did not set, and from its highest where it did not rise"
        )
    return pd.Series(hours, recordings.index)


def _refuse_without_clock(moments: Moments) -> None:
    wrong = moments.local.notna() & ~moments.clock
    if wrong.any():
        refuse(moments.local.dt.strftime("%Y-%m-%d"), wrong, f"add the time of day: {AS_IN}")
