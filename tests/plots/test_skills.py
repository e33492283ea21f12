"""The map of skills: what is not known does not look like any rate."""

from __future__ import annotations

import colorsys

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb

import dawnchorus as dc
from dawnchorus.plots.skills import NOTHING, SCALE

mpl.use("Agg")


def test_no_rate_is_as_grey_as_no_information():
    rates = mpl.colormaps[SCALE](np.linspace(0, 1, 101))[:, :3]
    saturation = [colorsys.rgb_to_hsv(*rate)[1] for rate in rates]
    assert colorsys.rgb_to_hsv(*to_rgb(NOTHING))[1] == 0
    assert min(saturation) > 0.4
    assert min(np.abs(rates - to_rgb(NOTHING)).max(axis=1)) > 0.4


def test_the_map_uses_these_colours():
    a = dc.simulate_portal(60, 5, 8, visits=1.5, sites=2, seed=1).annotations
    posterior = dc.fit(a, warmup=50, draws=50, min_ess=None, seed=1)
    image = dc.plots.skills(posterior).images[0]
    assert image.cmap.name == SCALE
    assert tuple(image.cmap.get_bad()[:3]) == to_rgb(NOTHING)
    assert np.ma.getmaskarray(image.get_array()).any()


def test_intervals_of_annotators_are_those_of_the_table():
    a = dc.simulate_portal(60, 5, 8, visits=2, sites=2, seed=1).annotations
    posterior = dc.fit(a, "base", warmup=50, draws=50, min_ess=None, seed=1)
    ax = dc.plots.annotator_intervals(posterior, by="level")
    table = posterior.annotators().sort_values("tpr", kind="stable")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == table["annotator"].tolist()
    drawn = np.concatenate([line.get_xydata() for line in ax.lines])
    assert np.allclose(drawn[np.argsort(drawn[:, 1]), 0], table["tpr"])
