"""Starting: a side of rates by annotator and species, close to a draw of an earlier fit of fewer data.

Levels, spreads and logits are taken over. Levels of new annotators, shifts of new species and logits of new
pairs are drawn from the prior given the rest.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logit

from ...common.ragged import Floats
from ..audibility import Audibility, heard_rates
from ..design import Design
from ..earlier import Earlier
from ..learning import earlier_normal
from ..rates import all_inside
from .logits.levels import Skill
from .sides import NONE, NOTHING, VARIED, Side, SidePrior

FINE = np.linspace(-30, 30, 6001)
"""Logits at which rates over all birds are computed, to find the logits of given rates."""


def side_from(
    rng: np.random.Generator, design: Design, name: str, prior: SidePrior, earlier: Earlier, share: float
) -> Side:
    """Return the side `name`, tpr or fpr; a learned prior that was not kept is drawn `share` as far off."""
    a, among = design.annotations, earlier_normal(rng, prior.level, f"{name}_level", earlier, share)
    spread = earlier.number(f"{name}_spread")
    effect, scale = _effects(rng, name, prior.skill, earlier) if prior.skill else (NONE, NONE)
    level = rng.normal(among[0] + prior.expected(effect, a.n_annotators), among[1])
    own, shift, hard = prior.draw_own(rng, a.n_annotators), NONE, NOTHING
    if prior.own_spreads and earlier.has(f"{name}_unevenness"):
        own = earlier.by_annotator(f"{name}_unevenness", own * spread) / spread
        if prior.even:  # division has rounded
            own = np.where(own < math.sqrt(prior.even.times), prior.even.times, 1.0)
    level = earlier.by_annotator(f"{name}_level", level + prior.higher(own))
    centre = level[design.rate_annotator]
    if prior.difficulty:
        hard = np.array(earlier.number(f"{name}_difficulty"))
        middle = earlier.values[f"{name}_level"].mean()
        typical = earlier.by_species(f"typical_{name}_level", middle + rng.normal(0, hard, a.n_species))
        shift = typical - middle
        centre = centre + shift[design.pairs.item]
    varied = np.array(earlier.number(VARIED[name][0])) if prior.varied else NOTHING
    side = Side(level, np.array(spread), NONE, own, among, shift, hard, effect, scale, varied)
    drawn = rng.normal(centre, spread * own[design.rate_annotator])
    rates = f"species_{name}"
    if not earlier.has(rates):
        return side._replace(logit=drawn)
    known = earlier._replace(values={rates: _logits_of(earlier.values[rates], prior.heard(side))})
    return side._replace(logit=known.by_rate(rates, design, drawn))


def _effects(rng: np.random.Generator, name: str, skill: Skill, earlier: Earlier) -> tuple[Floats, Floats]:
    """Return effects on levels and their scales, by the names of columns and terms."""
    scales, effects = f"{name}_skill_scale", f"{name}_skill"
    place = earlier.places(scales, skill.terms)
    scale = np.where(place >= 0, earlier.values[scales][place], 0.5 * skill.scale.scale)
    place = earlier.places(effects, skill.columns)
    effect = np.where(place >= 0, earlier.values[effects][place], rng.normal(0, scale[skill.term]))
    return effect, scale


def _logits_of(rates: Floats, heard: Audibility) -> Floats:
    """Return the logits, for a bird of average loudness, of rates over birds of all classes."""
    wanted = logit(all_inside(rates))
    if not len(heard.factor):
        return np.asarray(wanted)
    return np.interp(wanted, logit(all_inside(heard_rates(FINE, heard))), FINE)
