"""Draws of how far absent birds differ in how deceptive they are, and of what their silences amount to.

Given presence, rates and which silent cells are linked, the spread has the density

    half-normal(spread) · ∏ over absent reported cells Σ over classes share · ∏ over votes P(vote | class)
    · ∏ over silences on silent absent cells G · ∏ over linked cells excess,

with classes summed out. All that depends on classes is drawn afterwards, and forgotten after the update of
rates: presence is drawn with classes summed out.
"""

from __future__ import annotations

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Floats, Ints, Ragged
from ...audibility import CLASSES, SHARE, Audibility
from ...design import Design
from ...presence.draw import Presence
from ...rates import pack_vote
from ..by_cell import draw_classes, log_density, odds_of_average, update_spread
from ..kinds import Kinds, by_rate
from ..sides import Side, SidePrior
from ..summed_out.reflected import votes_by_rate
from .linked import Silences, draw_linked, log_excess, silences_of, visits_of
from .silences import draw_trials


def draw_deceptive(
    rng: np.random.Generator,
    presence: Presence,
    design: Design,
    prior: SidePrior,
    side: Side,
    unsure: float,
    *,
    stretch: bool,
) -> tuple[Side, Kinds, Ints, tuple[float, float]]:
    """Draw how far absent birds differ, and what votes on them amount to.

    Return the side, its trials by class, successes by rate that are no reports, and if the spread moved.
    `unsure` is as in `VoteRates`. If asked to, logits are stretched together with the spread.
    """
    votes = absent_votes(design, presence)
    silent = design.derived(votes_by_rate).silences - presence.misses
    now = _silences(side.logit, float(side.varied), unsure)
    linked = draw_linked(rng, design.layout, design.derived(visits_of), presence, now)
    side, moved = update_deception(rng, (votes, silent, linked), prior, side, unsure, stretch=stretch)
    drawn, factor = draw_classes(rng, votes, side.logit, float(side.varied), unsure)
    trials = draw_trials(rng, linked, silent, _silences(side.logit, float(side.varied), unsure))
    codes = np.append(votes.item, pack_vote(trials.rate, 0))
    factors = np.append(factor, SHARE @ factor)
    kinds = by_rate(codes, np.append(drawn, trials.drawn), len(silent), factors, unsure > 0, trials.plain)
    return side, kinds, trials.successes, moved


def absent_votes(design: Design, presence: Presence) -> Ragged:
    """Return the votes on each reported cell that is absent, by code."""
    reported = design.layout.reported
    votes = Ragged(reported.vote_start, reported.vote.astype(np.int64))
    return votes.take(np.flatnonzero(~presence.reported))


def update_deception(
    rng: np.random.Generator,
    given: tuple[Ragged, Ints, Ragged],
    prior: SidePrior,
    side: Side,
    unsure: float,
    *,
    stretch: bool,
) -> tuple[Side, tuple[float, float]]:
    """Return a side whose spread moved, and if it did.

    `given` are the votes on reported cells that are absent, the number of silences on other absent cells by
    rate, and linked cells.
    """
    votes, silent, linked = given

    def density(logit: Floats, spread: float) -> float:
        listed = log_density(votes, odds_of_average(logit), spread, prior.scales[2], unsure)
        silences = _silences(logit, spread, unsure)
        return listed + _log_silences(silent, silences) + log_excess(silences, linked)

    return update_spread(rng, prior, side, density, stretch=stretch)


@compiled
def _silences(logit: Floats, spread: float, unsure: float) -> Silences:
    """Return what is known of silences on absent cells."""
    return silences_of((1 + unsure) * odds_of_average(logit), Audibility(np.exp(spread * CLASSES), SHARE))


@compiled
def _log_silences(silent: Ints, silences: Silences) -> float:
    """Return the log probability of silences, if all were independent of each other."""
    total = 0.0
    for rate in range(len(silent)):
        if silent[rate] > 0:
            quiet = silences.quiet[rate]
            total += silent[rate] * (np.log1p(-silences.loud[rate]) if quiet > 0.5 else np.log(quiet))
    return total
