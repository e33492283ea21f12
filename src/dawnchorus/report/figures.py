"""Figures as SVG inside a page: no files beside it, text that stays text, colours that follow the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib as mpl
from markupsafe import Markup
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
    """The size of a figure in inches."""

    width: float = 6.0
    height: float = 4.0


def draw(
    fill: Callable[..., Any],
    description: str,
    wide: Sheet,
    narrow: Sheet | None = None,
    *,
    fill_narrow: Callable[..., Any] | None = None,
) -> Markup:
    """Return a figure as SVG: `fill` draws into the axes that it gets.

    A figure wider than a phone is drawn a second time on the `narrow` sheet, by `fill_narrow` if that is
    another way; the page shows the one that fits. `description` is the text for readers who cannot see it.
    """
    label = Markup('role="img" aria-label="{}"').format(description)
    if narrow is None:
        return _drawn(fill, label, wide)
    return Markup('<div class="wide">{}</div><div class="narrow">{}</div>').format(
        _drawn(fill, label, wide), _drawn(fill_narrow or fill, label, narrow)
    )


def draw_panels(
    fill: Callable[..., Any],
    description: str,
    number: int,
    *,
    columns: int,
    height: float,
    even: bool = True,
) -> Markup:
    """Return a figure of several panels, each an SVG as wide as a phone: `fill` gets the axes of all.

    The page arranges them in so many columns, and on a phone in one, so that nothing is drawn twice. With
    `even`, axes are at the same place in every panel; otherwise matplotlib fits them to their labels.
    """
    sheet = Sheet(NARROW, height)
    with _style():
        figures = [_figure(sheet, even) for _ in range(number)]
        fill(*(figure.subplots() for figure in figures))
        panels = [
            _as_svg(figure, f"{description}{at}", 'aria-hidden="true"') for at, figure in enumerate(figures)
        ]
    start = Markup('<div class="panels columns-{}" role="img" aria-label="{}">')
    return start.format(columns, description) + Markup("").join(panels) + Markup("</div>")


def _drawn(fill: Callable[..., Any], label: str, sheet: Sheet) -> Markup:
    with _style():
        figure = _figure(sheet)
        fill(figure.subplots())
        return _as_svg(figure, f"{label}{sheet}", label)


def _figure(sheet: Sheet, even: bool = False) -> Figure:
    """Return an empty figure: with even margins, or with such as will fit the labels."""
    if not even:
        return Figure(figsize=sheet, layout="constrained")
    figure, (width, height) = Figure(figsize=sheet), sheet
    figure.subplots_adjust(0.55 / width, 0.45 / height, 1 - 0.1 / width, 1 - 0.25 / height)
    return figure


@contextmanager
def _style() -> Iterator[None]:
    """Draw as pages want it, inside the block."""
    fonts = ["DejaVu Sans", "Verdana", "Arial", "sans-serif"]
    style: Any = {"svg.fonttype": "none", "font.sans-serif": fonts}
    style |= {"axes.spines.top": False, "axes.spines.right": False, "font.size": 9}
    style |= {"figure.autolayout": False, "figure.constrained_layout.use": False}
    style |= {"figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none"}
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # browsers draw text with fonts of their own
        yield


def _as_svg(figure: Figure, salt: str, label: str) -> Markup:
    """Return a figure as SVG for a page; identifiers in it depend on `salt`, so that they are its own."""
    _lay_out(figure)
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": salt}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(text.getvalue(), label)


def _lay_out(figure: Figure) -> None:
    """Lay out the axes once; left to itself, matplotlib draws everything twice."""
    FigureCanvasSVG(figure)  # by the measures of the letters in SVG
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)


def _inline(svg: str, label: str) -> Markup:
    """Return SVG for a page: short, and with the colour of the page's text in place of black."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    width = float(re.search(r'width="([\d.]+)pt"', svg)[1]) * POINTS  # type: ignore[index]
    rest = re.sub(r' (width|height)="[\d.]+pt"', "", svg[len("<svg") :], count=2)
    svg = f'<svg {label} style="width:{width:.0f}px"{rest}'
    svg = IDS.sub("", svg).replace("#000000", "currentColor")
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", svg)
    svg = PLACES.sub(lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)
    svg = re.sub(r"\n\s*", "\n", svg)
    return Markup(svg)
