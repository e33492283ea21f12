"""Present or reported: the numbers at both ends of the thick line can be read."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.path import Path

import dawnchorus as dc

mpl.use("Agg")


def test_no_line_goes_through_the_numbers():
    a = dc.simulate_portal(60, 5, 8, visits=2, sites=2, seed=1).annotations
    posterior = dc.fit(a, "base", warmup=50, draws=50, min_ess=None, seed=1)
    ax = dc.plots.present_or_reported(posterior)
    ax.figure.draw_without_rendering()
    mean = Path(ax.transData.transform(ax.lines[-1].get_xydata()))
    assert len(ax.texts) == 2
    for text in ax.texts:
        box = text.get_window_extent()
        assert not mean.intersects_bbox(box, filled=False)
        assert box.x1 <= ax.figure.bbox.x1
