"""Assignments: recordings to components of a mixture, with weights and new components integrated out.

Recording i joins a component r that has members with weight

    (members of r without i + each) · ∏ over voted species k  occurrence[r, k] or 1 − occurrence[r, k],

and a component without members with weight

    (total − each · components with members) · ∏ over voted species  a / (a + b) or b / (a + b),

the probability of its presence under the prior Beta(a, b); the occurrence of the new component is then drawn
given this one recording (Neal 2000, algorithm 2). `each` is 0 and `total` the concentration for a Dirichlet
process; `each` is 1/R and `total` 1 for a finite mixture of R components with weights Dirichlet(1/R).

Presence is sparse: the sum of log(1 − occurrence) over voted species is computed once for each pattern of
these, so that only present species have to be visited, and the cost of a pass grows with
components × (recordings + present cells). Recordings without a vote are left out. In recordings without a
pattern of voted species (see voted_patterns.py), presence of all other species is drawn as well,
and not kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...common.ragged import Bools, Floats, Ints
from ..design import Design
from ..distributions import Beta, LearnedBeta
from ..earlier import Earlier
from ..learning import earlier_shapes, first_shapes, keep_shapes, shape_variables
from ..predictive.parameters import Kinds, Values
from ..presence.draw import Presence
from ..rates import draw_rates
from ..variables import Variable
from .components import NONE, Cells, Weights, draw_occurrence, gather, make_components, redraw
from .filling import draw_unvoted
from .first_guess import first_guess
from .voted_patterns import voted_patterns

WORDS = "recordings fall into communities in which species go together"
VARIABLES: tuple[Variable, ...] = (
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


def mixture_variables(prior: Beta | LearnedBeta) -> tuple[Variable, ...]:
    """Return what every mixture keeps and, if it is learned, the prior of occurrence."""
    words = "how often species occur in a community"
    alike = "how alike species are in how often they occur in a community"
    return (*VARIABLES, *shape_variables(prior, "occurrence", words, alike))


STARTS = (4, 7, 12, 20)
"""Chains start from so many components: two merge easily, while splitting one takes a long time."""


class State(NamedTuple):
    """The component of each recording, the occurrence in each, the shapes of its prior, the concentration."""

    group: Ints
    occurrence: Floats
    shapes: Floats
    concentration: Floats


def start(
    rng: np.random.Generator, design: Design, prior: Beta | LearnedBeta, max_components: int, chain: int
) -> tuple[Ints, Floats, Floats]:
    """Put recordings into components at random, into more or fewer by chain.

    Occurrence is drawn as if all reports were right. Drawn from the prior it would fit nothing, and where
    species are many every recording would open a component of its own.
    """
    a = design.annotations
    active = design.derived(voted_patterns).recordings
    n = min(STARTS[chain % len(STARTS)], max_components, max(len(active), 1))
    group = np.zeros(a.n_recordings, np.int32)
    group[active] = rng.permutation(np.arange(len(active)) % n)
    cells = design.layout.reported.cells
    present = gather(cells, design.first_guess(), NONE, NONE)
    shapes, fixed = first_shapes(rng, prior), np.empty(0)
    if isinstance(prior, LearnedBeta):
        shapes = first_guess(rng, design, prior, shapes).shapes
    voted = design.derived(voted_patterns)
    return group, *draw_occurrence(rng, group, present, voted, shapes, fixed, n, a.n_species)


def start_again(
    rng: np.random.Generator, design: Design, prior: Beta | LearnedBeta, earlier: Earlier
) -> tuple[Ints, Floats, Floats]:
    """Put recordings into the components of an earlier draw, which did not keep where they were.

    Each chooses one by weight and occurrence as if all reports were right; components that none chose are
    left out. The occurrence of new species is drawn from the prior.
    """
    a, voted = design.annotations, design.derived(voted_patterns)
    shapes = earlier_shapes(rng, prior, "occurrence", earlier)
    weight = earlier.values["component_weight"]
    n = max(int(np.isfinite(weight).sum()) - 1, 1)  # the last one stands for components without members
    new = draw_rates(rng, *(np.full((len(weight), a.n_species), shape) for shape in shapes))
    occurrence = earlier.by_species("component_occurrence", new)[:n]
    group = np.zeros(a.n_recordings, np.int32)
    first = make_components(group, occurrence, voted)
    present = gather(design.layout.reported.cells, design.first_guess(), NONE, NONE).to_csr(a.n_species)
    silent = first.silent.T[voted.pattern] - voted.unvoted.to_csr(a.n_species) @ first.log_absent.T
    log = np.log(weight[:n]) + silent + present @ first.log_odds.T
    # Where it is not listed who voted on what, only what is present counts.
    without = voted.without_pattern
    log[without] = np.log(weight[:n]) + present[without] @ (first.log_odds + first.log_absent).T
    chosen = (log + rng.gumbel(size=log.shape)).argmax(axis=1)
    alive, label = np.unique(chosen[voted.recordings], return_inverse=True)
    group[voted.recordings] = label
    return group, occurrence[alive], shapes


def reassign(
    rng: np.random.Generator,
    group: Ints,
    occurrence: Floats,
    shapes: Floats,
    presence: Presence,
    design: Design,
    prior: Beta | LearnedBeta,
    weights: Weights,
) -> tuple[Ints, Floats, Floats]:
    """Draw the component of each recording, then the occurrence in each component."""
    voted, layout = design.derived(voted_patterns), design.layout
    unvoted = draw_unvoted(rng, layout, group, occurrence, voted.without_pattern)
    silent = Cells(presence.recording, presence.species)
    present = layout.reported.cells, presence.reported, silent, unvoted
    learned = np.array(prior.numbers if isinstance(prior, LearnedBeta) else ())
    return redraw(rng, group, occurrence, present, voted, shapes, learned, weights)


def keep_mixture(
    rng: np.random.Generator, state: State, active: Ints, prior: Beta | LearnedBeta, weights: Weights
) -> dict[str, Floats]:
    """Return what is kept of a mixture: weights and occurrence of components, and their mean.

    With n[1] ≥ … ≥ n[R] members of the R components that have any, the weights, which were integrated out,
    are drawn from their posterior,

        weight[1], …, weight[R], weight[unseen]
            ~ Dirichlet(n[1] + each, …, n[R] + each, total − each · R),

    (Ferguson 1973; `each` and `total` as above). The last one is the weight of all components without
    members together. Nothing is known of their occurrence but the prior Beta(a, b), so it is kept as the
    prior mean a / (a + b) for every species: with the occurrence integrated out, a recording in a component
    of its own has each species present with just this probability, independently. The mean over components,

        occurrence[k] = Σ_r weight[r] · component_occurrence[r, k],

    is the probability of species k in a recording of which nothing is known.
    """
    members = np.bincount(state.group[active], minlength=len(state.occurrence))
    order = np.argsort(-members, kind="stable")
    shapes = np.append(members[order] + weights.each, weights.empty(len(order)))
    weight = rng.standard_gamma(shapes)
    weight /= weight.sum()
    unseen = np.full((1, state.occurrence.shape[1]), state.shapes[0] / state.shapes.sum())
    occurrence = np.concatenate([state.occurrence[order], unseen])
    return {
        "occurrence": weight @ occurrence,
        "components": np.array(float(len(order))),
        "component_weight": weight.astype(np.float32),
        "component_occurrence": occurrence.astype(np.float32),
        **keep_shapes(prior, "occurrence", state.shapes),
    }


def component_kinds(values: Values, species: Ints) -> Kinds:
    """Return the components in these draws; those that a draw does not have get a weight of 0."""
    weight, occurrence = values("component_weight"), values("component_occurrence")
    if len(species) != occurrence.shape[2] or (species != np.arange(len(species))).any():
        occurrence = occurrence[:, :, species]
    return Kinds(np.isfinite(weight).sum(axis=1), np.nan_to_num(weight).astype(np.float64), occurrence)


def simulate_mixture(
    rng: np.random.Generator, design: Design, prior: Beta | LearnedBeta, weights: Weights
) -> tuple[Ints, Floats, Floats, Bools]:
    """Draw assignments, occurrence and presence from the prior."""
    a, active = design.annotations, design.derived(voted_patterns).recordings
    group = np.zeros(a.n_recordings, np.int32)
    members: list[int] = []
    for i in active:
        chances = np.array([n + weights.each for n in members] + [weights.empty(len(members))])
        r = int(rng.choice(len(chances), p=chances / chances.sum()))
        if r == len(members):
            members.append(0)
        members[r] += 1
        group[i] = r
    shapes = first_shapes(rng, prior)
    a_shape, b_shape = shapes.tolist()
    occurrence = rng.beta(a_shape, b_shape, (max(len(members), 1), a.n_species))
    return group, occurrence, shapes, rng.random((len(group), a.n_species)) < occurrence[group]
