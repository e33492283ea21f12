"""Hours from sunrise, by the equations of NOAA's Solar Calculator (after Meeus, Astronomical Algorithms).

The sun rises where its centre is 0.833° below the horizon, which allows for refraction and its radius. With
declination d, latitude b and the equation of time e, it does so at the hour angle −H before solar noon,

    cos H = cos 90.833° / (cos b · cos d) − tan b · tan d.

A place has its solar noon when UTC + longitude / 15° + e is 12 h.
"""

from __future__ import annotations

import numpy as np

from ...common.ragged import Bools, Floats

HORIZON = np.cos(np.radians(90.833))
MINUTES = 1440.0
"""The minutes of a day."""


def hours_from_sunrise(days: Floats, latitude: Floats, longitude: Floats) -> tuple[Floats, Bools]:
    """Return the hours from the nearest sunrise (negative before it), and whether there is a sunrise.

    Where the sun does not set, hours count from its lowest point instead, and where it does not rise from
    its highest: this is where sunrise moves to as such days come near.

    Parameters
    ----------
    days
        The moments in UTC, as days with fractions since 1 January 2000, 12:00.
    latitude, longitude
        In degrees, north and east positive.

    Returns
    -------
    hours, rises
        Hours are at least −12 and less than 12.

    Examples
    --------
    >>> midsummer_at_6_in_helsinki = np.array([6745.625])  # 21 June 2018, 3:00 UTC
    >>> hours, rises = hours_from_sunrise(midsummer_at_6_in_helsinki, np.array([60.17]), np.array([24.94]))
    >>> hours.round(1).tolist(), rises.tolist()
    ([2.1], [True])
    """
    about, _ = _since_sunrise(days, days, latitude, longitude)
    return _since_sunrise(days, days - about / 24, latitude, longitude)


def _since_sunrise(days: Floats, about: Floats, latitude: Floats, longitude: Floats) -> tuple[Floats, Bools]:
    """Return hours from sunrise, if that is at `about` this time, which decides the declination."""
    declination, equation_of_time = _position(about)[0], _position(days)[1]
    north = np.radians(np.clip(latitude, -89.99, 89.99))
    cosine = HORIZON / (np.cos(north) * np.cos(declination)) - np.tan(north) * np.tan(declination)
    sunrise = MINUTES / 2 - 4 * np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    solar = (days + 0.5) * MINUTES + equation_of_time + 4 * longitude
    hours = (solar - sunrise) / 60
    return (hours + 12) % 24 - 12, np.abs(cosine) <= 1


def _position(days: Floats) -> tuple[Floats, Floats]:
    """Return the declination of the sun in radians, and the equation of time in minutes."""
    century = days / 36525
    mean_longitude = np.radians(280.46646 + century * (36000.76983 + century * 0.0003032))
    anomaly = np.radians(357.52911 + century * (35999.05029 - 0.0001537 * century))
    eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
    centre = (
        np.sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century))
        + np.sin(2 * anomaly) * (0.019993 - 0.000101 * century)
        + np.sin(3 * anomaly) * 0.000289
    )
    node = np.radians(125.04 - 1934.136 * century)
    apparent = mean_longitude + np.radians(centre - 0.00569 - 0.00478 * np.sin(node))
    obliquity = np.radians(23.439291 - 0.0130042 * century + 0.00256 * np.cos(node))
    declination = np.arcsin(np.sin(obliquity) * np.sin(apparent))
    y = np.tan(obliquity / 2) ** 2
    equation_of_time = 4 * np.degrees(
        y * np.sin(2 * mean_longitude)
        - 2 * eccentricity * np.sin(anomaly)
        + 4 * eccentricity * y * np.sin(anomaly) * np.cos(2 * mean_longitude)
        - 0.5 * y**2 * np.sin(4 * mean_longitude)
        - 1.25 * eccentricity**2 * np.sin(2 * anomaly)
    )
    return declination, equation_of_time
