"""Figures as SVG inside a page: no files beside it, text that stays text, colours that follow the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

POINTS = 96 / 72
"""Pixels of a browser per point of matplotlib."""
IDS = re.compile(r' id="(?!p[0-9a-f]{6}|m[0-9a-f]{6}|h[0-9a-f]{6}|C[0-9a-f]|image)[^"]*"')
PLACES = re.compile(r' (?:d|x|y|transform)="[^"]*"')
"""Attributes with coordinates."""

NARROW = 3.6
"""The width of a figure on a phone, in inches: 346 pixels of 390, the others being margins."""


class Sheet(NamedTuple):
    """The size of a figure in inches, its grid of axes (rows and columns), and how axes are spaced.

    With `even`, axes are spaced evenly, which takes half the time; otherwise matplotlib fits them to their
    labels.
    """

    width: float = 6.0
    height: float = 4.0
    grid: tuple[int, int] = (1, 1)
    even: bool = False


def draw(
    fill: Callable[..., Any],
    description: str,
    wide: Sheet,
    narrow: Sheet | None = None,
    *,
    fill_narrow: Callable[..., Any] | None = None,
) -> Markup:
    """Return a figure as SVG: `fill` draws into the axes that it gets, one or a grid of them, row by row.

    A figure wider than a phone is drawn a second time on the `narrow` sheet, by `fill_narrow` if that is
    another way; the page shows the one that fits. `description` is the text for readers who cannot see it.
    """
    if narrow is None:
        return _drawn(fill, description, wide)
    other = _drawn(fill_narrow or fill, description, narrow, salt="narrow")
    return Markup('<div class="wide">{}</div><div class="narrow">{}</div>').format(
        _drawn(fill, description, wide), other
    )


def _drawn(fill: Callable[..., Any], description: str, sheet: Sheet, salt: str = "") -> Markup:
    size = sheet.width, sheet.height
    fonts = ["DejaVu Sans", "Verdana", "Arial", "sans-serif"]
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": description + salt, "font.sans-serif": fonts}
    style |= {"axes.spines.top": False, "axes.spines.right": False, "font.size": 9}
    style |= {"figure.autolayout": False, "figure.constrained_layout.use": False}
    style |= {"figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none"}
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the browser has the letters
        figure = Figure(figsize=size, layout=None if sheet.even else "constrained")
        if sheet.even:
            inches = {"left": 0.55 / size[0], "right": 1 - 0.1 / size[0], "bottom": 0.45 / size[1]}
            figure.subplots_adjust(**inches, top=1 - 0.25 / size[1], wspace=0.2, hspace=0.55)
        axes: list[Axes] = list(figure.subplots(*sheet.grid, squeeze=False).ravel())
        fill(*axes)
        _lay_out(figure)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(text.getvalue(), description)


def _lay_out(figure: Figure) -> None:
    """Lay out the axes once; left to itself, matplotlib draws everything twice."""
    FigureCanvasSVG(figure)  # by the measures of the letters in SVG
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)


def _inline(svg: str, description: str) -> Markup:
    """Return SVG for a page: short, and with the colour of the page's text in place of black."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    width = float(re.search(r'width="([\d.]+)pt"', svg)[1]) * POINTS  # type: ignore[index]
    rest = re.sub(r' (width|height)="[\d.]+pt"', "", svg[len("<svg") :], count=2)
    svg = f'<svg role="img" aria-label="{escape(description)}" style="width:{width:.0f}px"{rest}'
    svg = IDS.sub("", svg).replace("#000000", "currentColor")
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", svg)
    svg = PLACES.sub(lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)
    svg = re.sub(r"\n\s*", "\n", svg)
    return Markup(svg)
