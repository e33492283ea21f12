"""Hours from sunrise against published times of sunrise, and where the sun does not rise or set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dawnchorus.annotations.metadata.sun import hours_from_sunrise

HELSINKI, LONDON, NEW_YORK = (60.170, 24.941), (51.507, -0.128), (40.713, -74.006)
SYDNEY, LAPLAND = (-33.869, 151.209), (69.9, 27.0)


def from_sunrise(moment, place):
    epoch = pd.Timestamp("2000-01-01T12:00", tz="UTC")
    days = (pd.Timestamp(moment) - epoch) / pd.Timedelta(days=1)
    hours, rises = hours_from_sunrise(*(np.array([number]) for number in (days, *place)))
    return float(hours[0]), bool(rises[0])


@pytest.mark.parametrize(
    ("sunrise", "place"),
    [
        ("2018-06-21T03:54+03:00", HELSINKI),
        ("2020-12-21T08:04+00:00", LONDON),
        ("2020-06-21T04:43+01:00", LONDON),
        ("2021-01-01T07:20-05:00", NEW_YORK),
        ("2020-12-21T05:41+11:00", SYDNEY),
        ("2020-06-21T07:00+10:00", SYDNEY),
    ],
)
def test_published_times_of_sunrise(sunrise, place):
    for hours in (-11, -3, 0, 2, 11):
        moment = pd.Timestamp(sunrise) + pd.Timedelta(hours=hours)
        found, rises = from_sunrise(moment, place)
        assert rises
        assert found == pytest.approx(hours, abs=3 / 60)


def test_evenings_count_to_the_next_sunrise():
    assert from_sunrise("2018-06-21T20:54+03:00", HELSINKI)[0] == pytest.approx(-7, abs=0.05)


def test_days_without_sunrise_count_from_the_lowest_or_highest_point():
    """Solar midnight at 27° east is at 22:12 UTC and the equation of time, about two minutes in June."""
    hours, rises = from_sunrise("2018-06-20T22:14+00:00", LAPLAND)
    assert not rises
    assert hours == pytest.approx(0, abs=0.05)
    hours, rises = from_sunrise("2018-12-21T10:10+00:00", LAPLAND)
    assert not rises
    assert hours == pytest.approx(0, abs=0.05)
    assert from_sunrise("2018-06-20T22:14+00:00", (90.0, 0.0))[1] is False


def test_the_season_has_no_jump_where_the_midnight_sun_begins():
    days = np.arange(6600, 6800) + 0.7  # a spring and summer, always at the same hour
    hours, rises = hours_from_sunrise(days, np.full(200, LAPLAND[0]), np.full(200, LAPLAND[1]))
    assert set(rises.tolist()) == {True, False}
    assert np.abs(np.diff(hours)).max() < 0.7  # sunrise moves fastest on the last days before
