"""The style that all figures share: colours, markers and labels.

Colour-blind people can distinguish the colours, which are by Okabe and Ito; lines also differ in markers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from ..annotations.labelled import LabelledVotes
from ..common.lazy import lazy
from ..common.ragged import Ints

PYPLOT = lazy("matplotlib.pyplot")
"""Only for figures of one's own: reports do without."""

LONGEST = 30
"""Labels of ticks have at most so many characters."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xxx", "|||", "ooo", "---", "\\\\\\")
"""Patterns that distinguish areas without colours."""
RATES = {
    "tpr": "true positive rate",
    "fpr": "false positive rate",
    "mean_tpr": "mean true positive rate over species",
    "mean_fpr": "mean false positive rate over species",
}


def new_axes(ax: Axes | None, width: float = 5.5, height: float = 4) -> Axes:
    """Return these axes or, if none are given, new ones."""
    if ax is not None:
        return ax

    axes: Axes = PYPLOT.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def look(i: int) -> dict[str, Any]:
    """Return the colour and the marker of line `i`."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKS[i % len(MARKS)],
        "markersize": 4,
        "linewidth": 1.2,
    }


def cycled(values: Sequence[str]) -> list[str]:
    """Return the values repeated many times."""
    return list(values) * 100


def with_legend(ax: Axes) -> Axes:
    """Add a legend if any line has a label, and return the axes."""
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(fontsize="small", frameon=False)
    return ax


def plain(label: object) -> str:
    r"""Return a label with escaped dollar signs, so that matplotlib does not read it as a formula.

    >>> print(plain("5 $ and 6 $"))
    5 \$ and 6 \$
    """
    return str(label).replace("$", r"\$")


def tick(label: object) -> str:
    """Return the label of a tick: a long one is cut, or it would leave no room for the figure.

    >>> print(tick("the bird that sings behind the mill"))
    the bird that sings behind th…
    """
    text = str(label)
    return plain(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def species_names(annotations: LabelledVotes, places: Ints) -> list[str]:
    """Return the names of species at these positions or, if they have none, their labels."""
    labels = annotations.species.index[places]
    if "name" not in annotations.species:
        return [str(label) for label in labels]
    names = annotations.species["name"].iloc[places]
    return [
        str(name) if isinstance(name, str) and name else str(label)
        for name, label in zip(names, labels, strict=True)
    ]
