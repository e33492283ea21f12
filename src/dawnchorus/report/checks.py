"""Checks: do the chains agree, and what did the votes teach beyond the prior."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import plots
from ..convergence import Family, ess_and_rhat
from ..plots.chains import prior_of
from ..ragged import Floats
from .figures import draw
from .subject import Subject

FAMILIES = {
    "occurrence": "how often species occur",
    "concentration": "how readily new communities form",
    "components": "how many communities there are",
    "tpr": "true positive rates of annotators",
    "fpr": "false positive rates of annotators",
    "mean_tpr": "mean true positive rates over an annotator's species",
    "mean_fpr": "mean false positive rates over an annotator's species",
    "tpr_spread": "how far true positive rates differ between species",
    "fpr_spread": "how far false positive rates differ between species",
    "species_tpr": "true positive rates by annotator and species",
    "species_fpr": "false positive rates by annotator and species",
}
SHOWN = 4
"""The chains of so many parameters are drawn."""
TRACE = 400
MOST_VALUES = 3_000_000
"""Beyond so many draws of a family, a regular part of its parameters is looked at."""


def section(subject: Subject) -> dict[str, Any]:
    """Give R-hat and effective sizes by family, the worst chains, and prior against posterior."""
    posterior = subject.posterior
    rows = sorted(_families(subject), key=lambda row: -row["rhat"])
    worst = rows[:SHOWN]
    known = [
        name
        for name in ("tpr", "fpr", "occurrence", "concentration", "tpr_spread", "fpr_spread")
        if name in posterior.draws and prior_of(posterior, name) is not None
    ]

    def fill_chains(*axes: Any) -> None:
        for row, left, right in zip(worst, axes[::2], axes[1::2], strict=True):
            plots.traces(posterior, row["name"], row["item"], most=TRACE, ax=left)
            plots.ranks(posterior, row["name"], row["item"], ax=right)
            left.set_ylabel("")
            left.set_title(right.get_title(loc="left"), fontsize="medium", loc="left")
            right.set_title("", loc="left")

    def fill_priors(*axes: Any) -> None:
        for name, ax in zip(known, axes, strict=False):
            plots.prior_and_posterior(posterior, name, ax=ax)
        for ax in axes[len(known) :]:
            ax.axis("off")

    columns = min(3, len(known))
    deep = -(-len(known) // columns)
    return {
        "rows": rows,
        "chains": draw(
            fill_chains,
            "The worst parameter of each of the kinds on which chains agree least: their way through the "
            "last draws, and the ranks of each chain's draws among all.",
            size=(9, 1.9 * len(worst)),
            grid=(len(worst), 2),
            even=True,
        ),
        "priors": draw(
            fill_priors,
            "What was believed before the votes, in grey, and what came out, as a line, for each kind of "
            "parameter.",
            size=(3.1 * columns, 2.5 * deep),
            grid=(deep, columns),
            even=True,
        ),
    }


def _families(subject: Subject) -> Iterator[dict[str, Any]]:
    """Give the worst of each family, from the fit's own look or, where it has none, from one at a part."""
    posterior = subject.posterior
    known = {family.name: family for family in posterior.diagnostics.families}
    for name, words in FAMILIES.items():
        draws = posterior.drawn(name)
        if not draws.size:
            continue
        looked = known.get(name) or _look(name, draws)
        yield {
            "name": name,
            "words": words,
            "number": draws[0, 0].size,
            "looked": looked.number,
            "ess": looked.min_ess,
            "rhat": looked.max_rhat,
            "item": None if draws.ndim == 2 else looked.worst,
        }


def _look(name: str, draws: Floats) -> Family:
    flat = draws.reshape(*draws.shape[:2], -1)
    step = max(-(-flat.size // MOST_VALUES), 1)
    ess, rhat = ess_and_rhat(flat[..., ::step], threads=os.cpu_count() or 1)
    return Family(name, len(ess), float(rhat.max()), float(ess.min()), int(np.argmax(rhat)) * step)
