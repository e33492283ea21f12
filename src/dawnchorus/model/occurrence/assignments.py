"""Assignments: recordings to components of a mixture, with weights and new components integrated out.

Recording i joins a component r that has members with weight

    (members of r without i + each) · ∏ over voted species k  occurrence[r, k] or 1 − occurrence[r, k],

and a component without members with weight

    (total − each · components with members) · ∏ over voted species  a / (a + b) or b / (a + b),

the probability of its presence under the prior Beta(a, b); the occurrence of the new component is then drawn
given this one recording (Neal 2000, algorithm 2). `each` is 0 and `total` the concentration for a Dirichlet
process; `each` is 1/R and `total` 1 for a finite mixture of R components with weights Dirichlet(1/R).

Presence is sparse: with the sum of log(1 − occurrence) over the voted species at hand, only present species
are looked at, so that a pass costs components × (recordings + present cells). Recordings without a vote
are left out. In recordings whose voted species have no pattern at hand, presence of the others is drawn as
well and forgotten afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.ragged import Bools, Floats, Ints, Ragged
from ..design import Design
from ..presence.draw import Presence
from ..priors import Beta
from ..rates import draw_rates
from ..variables import Variable
from ..voted_patterns import Voted
from . import Odds, odds_of
from .components import NONE, Cells, Components, Weights, gather, seat, sum_silent, tally
from .filling import fill

WORDS = "recordings fall into communities in which species go together"
VARIABLES = (
    Variable("occurrence", ("species",), "how often species occur", column="occurrence"),
    Variable("components", (), "how many communities there are"),
    Variable("component_weight", ("component",), "shares of communities", storage="ragged"),
    Variable(
        "component_occurrence",
        ("component", "species"),
        "how often species occur in each community",
        storage="ragged",
    ),
)
"""What every mixture keeps."""
STARTS = (4, 7, 12, 20)
"""Chains start from so many components: merging two is easy, while splitting one takes a long time."""


class State(NamedTuple):
    """The component of each recording, the occurrence in each component, and the concentration."""

    group: Ints
    occurrence: Floats
    concentration: Floats


def start(
    rng: np.random.Generator, design: Design, prior: Beta, most: int, chain: int
) -> tuple[Ints, Floats]:
    """Put recordings into components at random, into more or fewer by chain.

    Occurrence is drawn as if all reports were right. Drawn from the prior it would fit nothing, and where
    species are many every recording would open a component of its own.
    """
    a = design.annotations
    active = design.active
    n = min(STARTS[chain % len(STARTS)], most, max(len(active), 1))
    group = np.zeros(a.n_recordings, np.int32)
    group[active] = rng.permutation(np.arange(len(active)) % n)
    cells = design.layout.cells
    present = Ragged(*gather(cells, np.ones(len(cells.item), bool), NONE, NONE))
    return group, _draw_occurrence(rng, group, present, design.patterns, prior, (n, a.n_species))


def reassign(
    rng: np.random.Generator,
    group: Ints,
    occurrence: Floats,
    presence: Presence,
    design: Design,
    prior: Beta,
    weights: Weights,
) -> tuple[Ints, Floats]:
    """Draw the component of each recording, then the occurrence in each component."""
    voted = design.patterns
    unvoted = fill(rng, design.layout, group, occurrence, voted.filled)
    silent = Cells(presence.recording, presence.species)
    present = Ragged(*gather(design.layout.cells, presence.reported, silent, unvoted))
    group = group.copy()
    components = _components(
        occurrence, np.bincount(group[voted.recordings], minlength=len(occurrence)), voted
    )
    at = 0
    while True:
        components = _with_room(components)
        at = seat(rng, group, present, components, voted, (prior.a, prior.b), weights, at)
        if at == len(voted.recordings):
            break
    alive = np.flatnonzero(components.members)
    new_label = np.zeros(len(components.members), np.int32)
    new_label[alive] = np.arange(len(alive))
    group[voted.recordings] = new_label[group[voted.recordings]]
    shape = (len(alive), occurrence.shape[1])
    return group, _draw_occurrence(rng, group, present, voted, prior, shape)


def _draw_occurrence(
    rng: np.random.Generator, group: Ints, present: Ragged, voted: Voted, prior: Beta, shape: tuple[int, int]
) -> Floats:
    """Draw occurrence in each component given what is present in its recordings."""
    there, looked = tally(group, present, voted, *shape)
    return draw_rates(rng, prior.a + there, prior.b + looked - there)


def mixture_odds(group: Ints, occurrence: Floats) -> Odds:
    """Give the odds of each component."""
    return Odds(odds_of(occurrence), group, np.bincount(group, minlength=len(occurrence)))


def keep_mixture(
    rng: np.random.Generator, state: State, active: Ints, prior: Beta, weights: Weights
) -> dict[str, Floats]:
    """Keep weights and occurrence of components, largest first, yet unseen last, and means over them."""
    members = np.bincount(state.group[active], minlength=len(state.occurrence))
    order = np.argsort(-members, kind="stable")
    shapes = np.append(members[order] + weights.each, weights.empty(len(order)))
    weight = rng.standard_gamma(shapes)
    weight /= weight.sum()
    unseen = np.full((1, state.occurrence.shape[1]), prior.mean)
    occurrence = np.concatenate([state.occurrence[order], unseen])
    return {
        "occurrence": weight @ occurrence,
        "components": np.array(float(len(order))),
        "component_weight": weight.astype(np.float32),
        "component_occurrence": occurrence.astype(np.float32),
    }


def simulate_mixture(
    rng: np.random.Generator, design: Design, prior: Beta, weights: Weights
) -> tuple[Ints, Floats, Bools]:
    """Draw assignments, occurrence and presence from the prior."""
    a, active = design.annotations, design.active
    group = np.zeros(a.n_recordings, np.int32)
    members: list[int] = []
    for i in active:
        chances = np.array([n + weights.each for n in members] + [weights.empty(len(members))])
        r = int(rng.choice(len(chances), p=chances / chances.sum()))
        if r == len(members):
            members.append(0)
        members[r] += 1
        group[i] = r
    occurrence = rng.beta(prior.a, prior.b, (max(len(members), 1), a.n_species))
    return group, occurrence, rng.random((len(group), a.n_species)) < occurrence[group]


def _components(occurrence: Floats, members: Ints, voted: Voted) -> Components:
    log_odds, log_absent = np.log(odds_of(occurrence)), np.log1p(-np.clip(occurrence, 0, 1 - 1e-15))
    silent = np.empty((len(occurrence), voted.patterns.rows))
    for r in range(len(occurrence)):
        sum_silent(log_absent, silent, r, voted.patterns.start, voted.patterns.item, voted.inverted)
    return Components(members, occurrence.copy(), log_odds, log_absent, silent)


def _with_room(components: Components) -> Components:
    """Add free slots, so that new components find a place."""
    more = max(8, len(components.members))
    return Components(*(np.concatenate([x, np.zeros((more, *x.shape[1:]), x.dtype)]) for x in components))
