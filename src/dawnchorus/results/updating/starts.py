"""Starts: draws of an earlier fit that chains start from, and how long they have to forget them.

Each chain starts from the last draw of another chain of the earlier fit. If more chains are asked for than
that has, the others start from draws of the same chains that are as far apart as possible.
"""

from __future__ import annotations

import math

import numpy as np

from ...annotations.labelled import LabelledVotes
from ...common.ragged import Floats
from ...model.earlier import Earlier
from ...sampling.settings import Settings
from ..fitted import Fitted

WARMUP = Settings().warmup
"""The warm-up of chains that start anew."""
SHORTEST = 50
MARGIN = 1.15
"""So many times as many sweeps are planned as the earlier fit needed."""
TIMES = 5
"""The warm-up is so many times as long as the slowest parameter of the earlier fit took to forget a draw."""


def earlier_draws(fitted: Fitted, annotations: LabelledVotes, chains: int) -> tuple[Earlier, ...]:
    """Return a draw for each chain of a fit to these annotations, to which others were added."""
    draws, now, then = fitted.draws, annotations, fitted.annotations
    names = {variable.name: variable.names for variable in draws.variables if variable.names}
    annotator, species = (
        old.index.get_indexer(new.index)
        for old, new in ((then.annotators, now.annotators), (then.species, now.species))
    )
    places, rounds, found = draws.places(), -(-chains // draws.chains), []
    for chain in range(chains):
        back = (chain // draws.chains) * len(places) // rounds
        values = _values(fitted, chain % draws.chains, int(places[len(places) - 1 - back]))
        found.append(Earlier(values, names, fitted.design, annotator, species))
    return tuple(found)


def _values(fitted: Fitted, chain: int, place: int) -> dict[str, Floats]:
    """Return one draw by variable; of variables whose draws were not kept, means over all sweeps."""
    draws, values = fitted.draws, {}
    for variable in draws.variables:
        name, at = variable.name, place
        if variable.storage == "limited":
            at = int(np.searchsorted(draws.limited, place))
        if at < draws[name].shape[1]:
            values[name] = draws[name][chain, at]
        elif name in draws.moments:
            values[name] = draws.moments[name][0]
    return values


def planned_sweeps(fitted: Fitted, settings: Settings) -> int:
    """Return how many sweeps beyond the warm-up will be needed, if it goes as in the earlier fit.

    Effective sample sizes grow with sweeps, and Monte-Carlo errors fall with their square root. Chains that
    have not converged by then go on.
    """
    look, record = fitted.diagnostics, fitted.record
    if settings.min_ess is None or not look.converged or not look.min_ess > 0:
        return 0
    of_chains = fitted.draws.chains / settings.chains * settings.min_ess / look.min_ess
    error = (look.max_mcse / settings.max_mcse) ** 2 * fitted.draws.chains / settings.chains
    needed = np.fmax(of_chains, error) * (record["sweeps"] - record["warmup"])
    return math.ceil(MARGIN * float(needed))


def short_warmup(fitted: Fitted) -> int:
    """Return how many sweeps to discard: five times those of an independent draw of the earlier fit.

    A draw is worth as many sweeps as all chains did, over the smallest effective sample size. If the chains
    had not converged, the warm-up is as long as that of a fit that starts anew.
    """
    record, ess = fitted.record, fitted.diagnostics.min_ess
    if not fitted.diagnostics.converged or not ess > 0:
        return WARMUP
    sweeps = fitted.draws.chains * (record["sweeps"] - record["warmup"])
    return int(np.clip(math.ceil(TIMES * sweeps / ess), SHORTEST, WARMUP))
