"""Style: what all figures share.

Colours are those of Okabe and Ito, which colour-blind people can tell apart; lines differ in their marks too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from ..annotations.annotations import Annotations
from ..common.lazy import lazy
from ..common.ragged import Ints

PYPLOT = lazy("matplotlib.pyplot")
"""Only for figures of one's own: reports do without."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xxx", "|||", "ooo", "---", "\\\\\\")
"""For those who see no colours, and for print without any."""
RATES = {
    "tpr": "true positive rate",
    "fpr": "false positive rate",
    "mean_tpr": "mean true positive rate over species",
    "mean_fpr": "mean false positive rate over species",
}


def new_axes(ax: Axes | None, width: float = 5.5, height: float = 4) -> Axes:
    """Give these axes or, if there are none, new ones."""
    if ax is not None:
        return ax

    axes: Axes = PYPLOT.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def look(i: int) -> dict[str, Any]:
    """Give colour and marks of line `i`."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKS[i % len(MARKS)],
        "markersize": 4,
        "linewidth": 1.2,
    }


def cycled(values: Sequence[str]) -> list[str]:
    """Give the values over and over."""
    return list(values) * 100


def with_legend(ax: Axes) -> Axes:
    """Add a legend if there is anything to tell apart."""
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(fontsize="small", frameon=False)
    return ax


def plain(label: object) -> str:
    r"""Give a label as it is, not as a formula where it has dollars in it.

    >>> print(plain("5 $ and 6 $"))
    5 \$ and 6 \$
    """
    return str(label).replace("$", r"\$")


def species_names(annotations: Annotations, places: Ints) -> list[str]:
    """Give the names of species if they have any, otherwise their labels."""
    labels = annotations.species.index[places]
    if "name" not in annotations.species:
        return [str(label) for label in labels]
    names = annotations.species["name"].iloc[places]
    return [
        str(name) if isinstance(name, str) and name else str(label)
        for name, label in zip(names, labels, strict=True)
    ]
