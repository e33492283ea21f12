"""Hour, date and sunrise of recordings, from times in every form, and what is said of wrong ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.annotations.metadata.when import known_names, metadata_column

HELSINKI = {"latitude": [60.17, 60.17], "longitude": [24.94, 24.94]}


def table(**columns):
    size = len(next(iter(columns.values())))
    return pd.DataFrame(columns, index=pd.Index([f"r{i + 1}" for i in range(size)], name="recording"))


def column(name, **columns):
    return metadata_column(table(**columns), name).to_numpy()


@pytest.mark.parametrize(
    "time",
    [
        "2018-05-24 06:15",
        "2018-05-24T06:15:00",
        "2018-05-24 6:15",
        "20180524T06:15",
        "2018-05-24T06:15+03:00",
        "2018-05-24T06:15:00,000 +0300",
        "2018-05-24T06:15Z",
        pd.Timestamp("2018-05-24 06:15"),
        pd.Timestamp("2018-05-24 06:15", tz="Europe/Helsinki"),
    ],
)
def test_times_in_every_form(time):
    for values in ([time, None], pd.Series([time, None], index=["r1", "r2"])):
        assert column("hour", time=values)[0] == 6.25
        assert column("date", time=values)[0] == 144
        assert np.isnan(column("hour", time=values)[1])


def test_several_zones_in_one_column_keep_their_own_clocks():
    times = ["2018-05-24T06:15+03:00", "2018-05-24T06:15-05:30", "2018-05-24 06:15"]
    assert column("hour", time=times).tolist() == [6.25] * 3


def test_fractions_and_leap_years():
    assert column("hour", time=["2020-03-01 23:59:59.5"])[0] == pytest.approx(24 - 0.5 / 3600)
    assert column("date", time=["2020-03-01", "2019-03-01", "2020-12-31"]).tolist() == [61, 60, 366]


def test_a_time_zone_makes_times_local():
    times = ["2018-06-21T03:54", "2018-06-21T00:54Z", "2018-06-20T20:54-04:00"]
    for zone in ("Europe/Helsinki", "+03:00"):
        assert column("hour", time=times, time_zone=[zone] * 3) == pytest.approx([3.9] * 3)
        assert column("date", time=times, time_zone=[zone] * 3).tolist() == [172] * 3
    aware = pd.to_datetime(pd.Series(["2018-06-21T00:54Z"], index=["r1"]))
    assert column("hour", time=aware, time_zone=["Europe/Helsinki"]) == pytest.approx([3.9])


def test_odd_time_zones():
    times = ["2018-05-24T06:15+05:20", "2018-05-24T06:15:00.5+05:45"]
    assert column("hour", time=times, time_zone=["+00:00"] * 2) == pytest.approx([55 / 60, 0.5 + 0.5 / 3600])


def test_hours_that_come_twice_or_never_are_accepted():
    times, zone = ["2018-10-28 03:30", "2018-03-25 03:30"], ["Europe/Helsinki"] * 2
    assert column("hour", time=times, time_zone=zone).tolist() == [3.5, 3.5]
    assert np.isfinite(column("sunrise", time=times, time_zone=zone, **HELSINKI)).all()


def test_sunrise():
    zone = ["Europe/Helsinki"] * 2
    found = column("sunrise", time=["2018-06-21 03:54", "2018-06-21 06:54"], time_zone=zone, **HELSINKI)
    assert found == pytest.approx([0, 3], abs=0.05)
    same = column("sunrise", time=["2018-06-21T00:54Z", "2018-06-21T06:54+03:00"], **HELSINKI)
    assert same == pytest.approx(found, abs=1e-9)
    with pytest.warns(dc.AnnotationWarning, match="did not rise or set on the days of 1 recording:"):
        north = column("sunrise", time=["2018-06-21T00:54Z", None], latitude=[69.9, 69.9], longitude=[27, 27])
    assert np.isfinite(north).tolist() == [True, False]


def test_hour_and_date_may_be_given():
    assert column("hour", hour=[6, 23.5], time=["2018-05-24 01:00"] * 2).tolist() == [6, 23.5]
    assert column("hour", hour=["6:30", "24"]).tolist() == [6.5, 0]
    assert column("hour", hour=pd.array([6, None], "Int64"))[0] == 6
    assert column("date", date=[144, 145.5]).tolist() == [144, 145.5]
    for dates in (
        ["2018-05-24", "20200301"],
        [20180524, 20200301],
        pd.to_datetime(["2018-05-24", "2020-03-01"]),
    ):
        assert column("date", date=dates).tolist() == [144, 61]
    assert column("sunrise", sunrise=[1.5, -2]).tolist() == [1.5, -2]


def test_time_of_day_and_date_in_two_columns():
    parts = {"time": ["3:54", "06:54:00"], "date": ["2018-06-21", "2018-06-21"]}
    assert column("hour", **parts) == pytest.approx([3.9, 6.9])
    assert column("date", **parts).tolist() == [172, 172]
    found = column("sunrise", **parts, time_zone=["+03:00"] * 2, **HELSINKI)
    assert found == pytest.approx([0, 3], abs=0.05)
    assert column("hour", time=["3:54", "6:54"]) == pytest.approx([3.9, 6.9])


def test_known_names():
    assert known_names(table(site=["a"])) == ["site"]
    assert known_names(table(time=["a"], hour=[1])) == ["time", "hour", "date"]
    assert known_names(table(time=["a"], latitude=[1], longitude=[1]))[-3:] == ["hour", "date", "sunrise"]


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("hour", {"time": ["2018-05-24 06:15", "24.5.2018"]}, "the time of recording 'r2' is '24.5.2018'"),
        ("hour", {"time": ["2018-05-24 06:15", "2018-05-24"]}, "'r2' is '2018-05-24'.*add the time of day"),
        ("date", {"time": ["2018-05-24 06:15", "2018-02-30 06:15"]}, "recording 'r2' is '2018-02-30 06:15'"),
        ("date", {"time": ["6:15", "7:15"]}, "recording 'r1' is '6:15'.*write times as 2018-05-24"),
        ("hour", {"hour": [6, 25]}, "the hour of recording 'r2' is '25'.*from 0 to 24"),
        ("hour", {"hour": ["6", "early"]}, "the hour of recording 'r2' is 'early'"),
        ("date", {"date": [1, 367]}, "the date of recording 'r2' is '367'.*from 1 to 366"),
        ("date", {"date": ["2018-05-24", "May"]}, "the date of recording 'r2' is 'May'"),
        (
            "hour",
            {"site": ["a", "b"]},
            "no column 'time' for hour in the table of recordings, which has 'site'",
        ),
        ("wind", {"site": ["a", "b"]}, "there is no column 'wind' in"),
        ("sunrise", {"time": ["2018-05-24 06:15"]}, "no columns 'latitude' and 'longitude' for sunrise"),
        (
            "sunrise",
            {"time": ["2018-05-24T06:15Z", "2018-05-24 06:15"], **HELSINKI},
            "'r2' has no time zone.*add a column time_zone",
        ),
        (
            "sunrise",
            {"time": ["2018-05-24T06:15Z"] * 2, "latitude": [60, 95], "longitude": [0, 0]},
            "the latitude of recording 'r2' is '95'.*from -90 to 90",
        ),
        (
            "hour",
            {"time": ["2018-05-24 06:15"] * 2, "time_zone": ["+03:00", "Finland"]},
            "the time_zone of recording 'r2' is 'Finland'.*Europe/Helsinki",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_recording(name, columns, message):
    with pytest.raises(dc.AnnotationError, match=message):
        column(name, **columns)


def test_the_table_of_recordings_brings_its_columns_from_a_file(write):
    reports = write("recording,annotator,species\nr1,Aino,wren\nr2,Aino,\n", "reports.csv")
    recordings = write(
        "recording,site,time,latitude,longitude,elevation\n"
        "r1,marsh,2018-06-21T03:54+03:00,60.17,24.94,12\nr2,wood,2018-06-21T06:54+03:00,60.17,24.94,40.5\n",
        "recordings.csv",
    )
    found = dc.read(reports, absence="checklist", recordings=recordings).recordings
    assert found.columns.tolist() == ["site", "time", "latitude", "longitude", "elevation"]
    assert metadata_column(found, "hour").tolist() == pytest.approx([3.9, 6.9])
    assert metadata_column(found, "sunrise").tolist() == pytest.approx([0, 3], abs=0.05)
    assert metadata_column(found, "elevation").tolist() == [12, 40.5]
