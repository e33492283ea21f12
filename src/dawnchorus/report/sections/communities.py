"""Communities: the components of a mixture, and which species go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import plots
from ..figures import NARROW, Sheet, draw
from ..subject import Subject

MOST, FEW = 8, 4
"""So many communities are in the figure, and on a narrow screen."""
SPECIES, FEW_SPECIES = 30, 10
"""So many species are in the figure of correlations, and on a narrow screen."""
NOTICEABLE = 0.05
"""Weaker correlations are not mentioned."""
COMMON = 300
"""Correlations are computed for so many of the most common species."""


def section(subject: Subject) -> dict[str, Any] | None:
    """Return the communities of a mixture, or None if species are independent."""
    posterior = subject.whole
    if not posterior.has_components:
        return None
    found, table = posterior.communities(), posterior.components()
    standing, standing_few = (len({k for one in found[:n] for k in one.stand_out}) for n in (MOST, FEW))
    some = min(SPECIES, subject.annotations.n_species)
    return {
        "rows": [
            {
                "component": row.component,
                "share": row.share,
                "lower": row.share_lower,
                "upper": row.share_upper,
                "species": row.species_per_recording,
                "stand_out": ", ".join(subject.species[k] for k in one.stand_out),
            }
            for row, one in zip(table.itertuples(), found, strict=True)
        ],
        "figure": standing
        and draw(
            lambda ax: plots.communities(posterior, most=MOST, ax=ax),
            f"How probable the species that stand out are in each of {min(len(found), MOST)} communities.",
            Sheet(3.2 + 0.6 * min(len(found), MOST), 1.2 + 0.2 * standing),
            Sheet(NARROW, 1.4 + 0.2 * standing_few),
            fill_narrow=lambda ax: plots.communities(posterior, most=FEW, ax=ax),
        ),
        "correlation": some > 1
        and draw(
            lambda ax: plots.correlation(posterior, most=SPECIES, ax=ax),
            f"Correlation between the {some} most common species that the communities imply.",
            Sheet(2.4 + 0.19 * some, 1.8 + 0.19 * some),
            Sheet(NARROW, NARROW + 0.2),
            fill_narrow=lambda ax: plots.correlation(posterior, most=FEW_SPECIES, ax=ax),
        ),
        "strongest": _strongest(subject),
    }


def _strongest(subject: Subject, most: int = 5) -> list[tuple[str, str, float]]:
    """Return the pairs of species with the strongest correlation, among the more common ones."""
    common = np.argsort(-subject.whole.draws.mean("occurrence"), kind="stable")[:COMMON]
    index = subject.annotations.species.index
    grid = np.triu(subject.findings.species_correlation(index[common]).to_numpy(), 1)
    order = np.argsort(-np.abs(grid), axis=None)[:most]
    pairs = zip(*np.unravel_index(order, grid.shape), strict=True)
    names = [subject.species[k] for k in common]
    return [(names[k], names[m], float(grid[k, m])) for k, m in pairs if abs(grid[k, m]) >= NOTICEABLE]
