"""Faults in moves of all rates, spreads and occurrence together."""

from __future__ import annotations

from .fault import TESTS, Fault, case

VOTES, CENTRES = "together/votes.py", "together/centres.py"
RUN, MOVES = "together/trajectories.py", "together/moves.py"
HERE = TESTS + "together.py::test_"
LIKELY = case(HERE + "votes_are_as_likely_as_a_sum_over_every_cell_says", "sure")
MARKS = case(HERE + "votes_are_as_likely_as_a_sum_over_every_cell_says", "unsure")
KNOWN = HERE + "votes_on_known_cells_are_as_likely_as_a_sum_says"
NORMAL, MASS = HERE + "the_density_of_logits_is_normal", HERE + "momenta_have_the_mass_that_velocities_have"
LEVELS, SCALES = HERE + "levels_are_drawn_given_logits", HERE + "scales_keep_their_prior_given_logits"
SHAPES = HERE + "shapes_keep_their_prior_given_probabilities"
PRIOR = case(HERE + "moves_keep_the_prior_given_votes", "learned")

FAULTS = [
    Fault(
        "cells forget that a bird may well be absent",
        VOTES,
        "total -= math.log1p(odds[cell])",
        "total -= 0.0",
        LIKELY,
    ),
    Fault(
        "classes of cells are as common as each other",
        VOTES,
        "    room[:] = SHARE\n",
        "    room[:] = 1 / len(room)\n",
        LIKELY,
    ),
    Fault(
        "silence does not know of unsure marks",
        VOTES,
        "chance[pack_vote(rate, 0), c] = 1 / (1 + (1 + unsure) * there)",
        "chance[pack_vote(rate, 0), c] = 1 / (1 + there)",
        MARKS,
    ),
    Fault(
        "a bird that is known to be present counts as an absent one",
        VOTES,
        "total += with_it\n",
        "total += without\n",
        case(KNOWN, "truth"),
    ),
    Fault(
        "what an expert says of a cell is forgotten",
        VOTES,
        "with_it += math.log(told)",
        "with_it += 0.0",
        case(KNOWN, "votes"),
    ),
    Fault(
        "the density of logits forgets the volume of levels",
        CENTRES,
        "total -= 0.5 * math.log(given.sd**2 * known[j])",
        "total -= 0.0",
        case(NORMAL, "1.3"),
    ),
    Fault(
        "the density of logits forgets the mean of levels",
        CENTRES,
        "total -= 0.5 * (mean / given.width) ** 2 + 0.5 * math.log(given.width**2 * precision)",
        "total -= 0.5 * math.log(given.width**2 * precision)",
        case(NORMAL, "1.3"),
    ),
    Fault(
        "levels do not follow their mean",
        CENTRES,
        "level[j] += off / (given.sd**2 * total[j]) + rng.standard_normal() / math.sqrt(total[j])",
        "level[j] += rng.standard_normal() / math.sqrt(total[j])",
        case(LEVELS, "1.3"),
    ),
    Fault(
        "momenta forget what votes tell",
        CENTRES,
        "given.tight[p] * (drawn[p] - level[j]) + rng.standard_normal() * math.sqrt(more[p])",
        "given.tight[p] * (drawn[p] - level[j])",
        case(MASS, "1.3"),
    ),
    Fault(
        "volumes of logits do not grow with their spread",
        RUN,
        "total += (len(v) + 1) * size - 0.5 * sd - 0.5 * spread",
        "total += 2 * size - 0.5 * sd - 0.5 * spread",
        PRIOR,
    ),
    Fault(
        "the energy of the last movement is forgotten",
        RUN,
        "gain = then - _kinetic(push, _velocity(given, masses, push)) - energy",
        "gain = then - now",
        PRIOR,
    ),
    Fault(
        "logarithms of spreads over cells have the density of spreads",
        RUN,
        "return total + at.varied[which] - 0.5 * away",
        "return total - 0.5 * away",
        PRIOR,
    ),
    Fault(
        "log-odds forget their prior",
        "occurrence/log_odds.py",
        "total += odds.a[k] * (min(x, 0.0) - less) - odds.b[k] * (max(x, 0.0) + less)",
        "total += 0.0",
        PRIOR,
    ),
    Fault(
        "logits lie around the mean of levels of today",
        MOVES,
        "mean, width = mean + (float(prior.level.centre) - side.among[0]), float(prior.level.width)",
        "width = float(prior.level.width)",
        PRIOR,
    ),
    Fault(
        "the mean of levels stays where it was",
        MOVES,
        "among = np.array([middle + mean, around.sd])",
        "among = np.array([side.among[0], around.sd])",
        PRIOR,
    ),
    Fault(
        "spreads given logits have the density of their logarithms",
        "together/scales.py",
        "total += math.log(given.sd) - 0.5 * (given.sd / scales[0]) ** 2",
        "total -= 0.5 * (given.sd / scales[0]) ** 2",
        case(SCALES, "None"),
    ),
    Fault(
        "shapes forget how wide a Beta distribution is",
        "shapes.py",
        "return density + a * yes + b * no + n * (math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))",
        "return density + a * yes + b * no",
        SHAPES,
    ),
]
