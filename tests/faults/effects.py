"""Faults in the draws of effects of context."""

from __future__ import annotations

from .fault import TESTS, Fault, case, step

EFFECTS = "occurrence/effects/"
MOVES, SPECIES, POOLING = EFFECTS + "moves.py", EFFECTS + "species.py", EFFECTS + "pooling.py"
STRETCHING, COUNTS, FACTORS = EFFECTS + "stretching.py", EFFECTS + "counts.py", EFFECTS + "factors.py"
VOTES = EFFECTS + "summed_out.py"
ON_SPECIES = step("effects on species")
COMMON_LEVELS, COMMON_SMOOTH = (
    step("common levels with those of species"),
    step("common smooth effects with those of some species"),
)
SCALE_OF_LEVELS, SCALE_OF_SMOOTH = (
    step("scale of levels with levels"),
    step("scale of smooth effects with those of some species"),
)
MOVE_BY_MOVE = step("effects on species, move by move")
ACCEPTING_SMOOTH, ACCEPTING_LEVELS = step("accepting smooth effects"), step("accepting levels")
IN_CONTEXT = TESTS + "in_context.py::"
SUMMED_OUT = TESTS + "summed_out.py::test_effects_keep_the_prior_given_votes"
LOOPS = IN_CONTEXT + "test_likelihood_slope_and_curvature_are_those_of_loops"

FAULTS = [
    Fault(
        "recordings where a species was only marked unsure count as voted on",
        COUNTS,
        "n[unvoted[place]] -= 1",
        "n[unvoted[place]] -= 0",
        IN_CONTEXT + "test_counts_are_those_of_loops",
    ),
    Fault(
        "absences weigh a tenth less",
        SPECIES,
        "value[r] -= voted * math.log1p(new)",
        "value[r] -= 0.9 * voted * math.log1p(new)",
        ON_SPECIES,
    ),
    Fault(
        "the curvature forgets that absence is certain nowhere",
        SPECIES,
        "curvature[r] += expected * absent",
        "curvature[r] += expected",
        case(LOOPS, "blocks"),
    ),
    Fault(
        "a block with a curvature from counts alone goes back with another",
        SPECIES,
        "take_curvature(blocks, t, room.there, room.new)",
        "take_curvature(blocks, t, room.there, room.now)",
        MOVE_BY_MOVE,
    ),
    Fault(
        "the pull of common effects is half as strong again",
        SPECIES,
        "moves.pull[b] = (common[b] - effect[k, b]) * moves.precision[b]",
        "moves.pull[b] = 1.5 * (common[b] - effect[k, b]) * moves.precision[b]",
        ON_SPECIES,
    ),
    Fault(
        "the way back of a level has the precision of the way there",
        MOVES,
        "(move + back) ** 2 * back_total",
        "(move + back) ** 2 * total",
        ACCEPTING_LEVELS,
    ),
    Fault(
        "the way back of a level starts from the old slope",
        MOVES,
        "_level_step(new[1, r], new[2, r], pull - precision * move, precision)",
        "_level_step(now[1, r], new[2, r], pull - precision * move, precision)",
        ON_SPECIES,
    ),
    Fault(
        "the prior of a block weighs twice in its moves",
        MOVES,
        "moves.pull[b] * move - 0.5 * moves.precision[b] * move**2",
        "moves.pull[b] * move - moves.precision[b] * move**2",
        ACCEPTING_SMOOTH,
    ),
    Fault(
        "the way back of a block is that of a move in the same direction",
        MOVES,
        "moves.column[b] = -move\n",
        "moves.column[b] = move\n",
        ON_SPECIES,
    ),
    Fault(
        "common effects count each species twice",
        POOLING,
        "+ len(effect) / scale[t] ** 2",
        "+ 2 * len(effect) / scale[t] ** 2",
        step("common effects"),
    ),
    Fault(
        "scales count the species, not their effects",
        POOLING,
        "squares, count = 0.0, len(effect) * (high - low)",
        "squares, count = 0.0, len(effect)",
        step("scales of effects"),
    ),
    Fault(
        "effects slide to intercepts without regard to their common ones",
        POOLING,
        "pull += part[b] * (effect[k, b] - common[b]) / scale[t] ** 2",
        "pull += part[b] * effect[k, b] / scale[t] ** 2",
        step("from levels to intercepts"),
    ),
    Fault(
        "common effects slide with half of their prior",
        POOLING,
        "precision = 1 / pool.sd[0] ** 2 + prior_squares",
        "precision = 1 / pool.sd[0] ** 2 + 0.5 * prior_squares",
        step("from levels to intercepts"),
    ),
    Fault(
        "species whose turn it is not do not hold common effects back",
        POOLING,
        "moves.pull[b] += (effect[k, b] - common[b]) * precision",
        "moves.pull[b] += 0.0 * precision",
        COMMON_SMOOTH,
    ),
    Fault(
        "the prior of common effects does not count when they are shifted",
        POOLING,
        "moves.pull[b] = (pool.mean[b] - common[b]) / pool.sd[b] ** 2",
        "moves.pull[b] = 0.0",
        COMMON_LEVELS,
    ),
    Fault(
        "a stretch forgets by how much effects were scaled",
        STRETCHING,
        "gain = log_factor - (high - low) * math.log(new / now)",
        "gain = log_factor",
        SCALE_OF_LEVELS,
    ),
    Fault(
        "a stretch forgets how far effects are from the common ones",
        STRETCHING,
        "gain += 0.5 * (effect[b] - common[b]) ** 2 / now**2",
        "gain += 0.0",
        SCALE_OF_LEVELS,
    ),
    Fault(
        "a stretch does not know its prior",
        STRETCHING,
        "gain -= 0.5 * (new**2 - now**2) / given.pool.scale[t] ** 2",
        "gain -= 0.0",
        SCALE_OF_LEVELS,
    ),
    Fault(
        "species whose turn it is not do not hold a scale back",
        STRETCHING,
        "gain = (1 - count) * move - 0.5 * squares * (1 / new**2 - 1 / now**2)",
        "gain = move - 0.5 * squares * (1 / new**2 - 1 / now**2)",
        SCALE_OF_SMOOTH,
    ),
    Fault(
        "the bound of a group is that of its last row",
        FACTORS,
        "largest[block, k] = max(largest[block, k], factor[r, k])",
        "largest[block, k] = factor[r, k]",
        case(IN_CONTEXT + "test_odds_are_products_and_within_their_bounds", "1"),
    ),
    Fault(
        "with presence summed out, votes say too little",
        VOTES,
        "either, there = 1 + new, 1 + new * ratio[i]",
        "either, there = 1 + new, 1 + 0.7 * new * ratio[i]",
        SUMMED_OUT,
    ),
    Fault(
        "with presence summed out, absence is as likely as without a vote",
        VOTES,
        "at[i] = either * less",
        "at[i] = less",
        SUMMED_OUT,
    ),
    Fault(
        "the way back of a block always has the curvature of the way there",
        SPECIES,
        "share += accept_moves(rng, blocks, t, room.now, room.new, moves, fixed)",
        "share += accept_moves(rng, blocks, t, room.now, room.new, moves, True)",
        MOVE_BY_MOVE,
    ),
    Fault(
        "a wide step of a scale forgets that its logarithm is what moves",
        STRETCHING,
        "gain = (1 - count) * move - 0.5",
        "gain = -count * move - 0.5",
        SCALE_OF_LEVELS,
    ),
]
