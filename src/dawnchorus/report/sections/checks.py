"""Checks: whether the chains agree, and what the votes add to the priors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import plots
from ...common.ragged import Floats
from ...sampling.agreement import ess_and_rhat
from ...sampling.convergence import Family
from ..figures import draw_panels
from ..subject import Subject

SHOWN = 4
"""The chains of so many parameters are plotted."""
TRACE = 400
MOST_VALUES = 3_000_000
"""If a kind of parameters has more values than this, only every so many of its parameters are checked."""


def section(subject: Subject) -> dict[str, Any]:
    """Return R-hat and effective sizes by kind of parameter, the worst chains, and priors and posteriors."""
    posterior = subject.posterior
    rows = sorted(_families(subject), key=lambda row: -row["rhat"])
    worst = rows[:SHOWN]
    known = [v.name for v in posterior.draws.variables if v.prior]

    def fill_chains(*axes: Any) -> None:
        for row, left, right in zip(worst, axes[::2], axes[1::2], strict=True):
            plots.traces(posterior, row["name"], row["item"], most=TRACE, ax=left)
            plots.ranks(posterior, row["name"], row["item"], ax=right)
            left.set_ylabel("")
            left.set_title(right.get_title(loc="left"), fontsize="medium", loc="left")
            right.set_title("", loc="left")

    def fill_priors(*axes: Any) -> None:
        for name, ax in zip(known, axes, strict=True):
            plots.prior_and_posterior(posterior, name, ax=ax)

    return {
        "rows": rows,
        "single": posterior.draws.chains == 1,
        "chains": draw_panels(
            fill_chains,
            "The worst parameter of each of the kinds on which chains agree least: their way through the "
            "last draws, and the ranks of each chain's draws among all.",
            2 * len(worst),
            columns=2,
            height=1.9,
        ),
        "priors": draw_panels(
            fill_priors,
            "What was believed before the votes, in grey, and what came out, as a line, for each kind of "
            "parameter.",
            len(known),
            columns=min(3, len(known)),
            height=2.5,
        ),
    }


def _families(subject: Subject) -> Iterator[dict[str, Any]]:
    """Return the worst of each kind, from the fit's diagnostics or else from part of the draws."""
    posterior = subject.posterior
    known = {family.name: family for family in posterior.diagnostics.families}
    for variable in posterior.draws.variables:
        name, draws = variable.name, posterior.draws[variable.name]
        if variable.storage == "ragged" or not draws.size:
            continue
        looked = known.get(name) or _look(name, draws)
        yield {
            "name": name,
            "words": variable.words,
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
