"""Faults in what annotators say of themselves."""

from __future__ import annotations

from .fault import EXACT, JOINT, TESTS, Fault, case, step

LEVELS, SIDES = "expertise/logits/levels.py", "expertise/sides.py"
EFFECTS, SCALES, STRETCHED, SHIFTED = (
    step(name)
    for name in (
        "effects on levels",
        "scales of effects on levels",
        "scales with their effects on levels",
        "effects with levels and logits",
    )
)
KEPT = TESTS + "skill.py::test_draws_keep_the_joint_distribution_of_effects_scales_and_levels"
TINY = case(EXACT, "independent, per annotator and species, skill")
LEARNED = case(JOINT, "mixture, per annotator and species, difficulty and skill, learned")

FAULTS = [
    Fault(
        "effects on levels have a weaker prior",
        LEVELS,
        "np.diag(effects.scale**-2)",
        "np.diag(0.8 * effects.scale**-2)",
        EFFECTS,
    ),
    Fault(
        "effects on levels are drawn as if columns were uncorrelated",
        LEVELS,
        "np.linalg.solve(root.T, rng",
        "np.linalg.solve(root, rng",
        EFFECTS,
    ),
    Fault(
        "levels say more about effects than they do",
        LEVELS,
        "precision = x.T @ x / sd**2",
        "precision = x.T @ x / sd",
        EFFECTS,
    ),
    Fault(
        "the scale of a term counts the effects of all",
        LEVELS,
        "if term[b] == t:",
        "if term[b] >= 0:",
        SCALES,
    ),
    Fault(
        "the scale counts one effect more",
        LEVELS,
        "squares, count = 0.0, 0",
        "squares, count = 0.0, 1",
        SCALES,
    ),
    Fault(
        "the prior of the scale does not hold it back when effects follow it",
        LEVELS,
        "precision = prior**-2 + unit @ unit / sd**2",
        "precision = unit @ unit / sd**2",
        STRETCHED,
    ),
    Fault(
        "levels pull a scale that effects follow, whatever their own spread",
        LEVELS,
        "return float(unit @ away / sd**2 / precision",
        "return float(unit @ away / precision",
        STRETCHED,
    ),
    Fault(
        "effects do not take over the sign of their scale",
        LEVELS,
        "effect[own] *= new / scale[t]",
        "effect[own] *= abs(new) / scale[t]",
        KEPT,
    ),
    Fault(
        "a scale is drawn as if other terms had no effects",
        LEVELS,
        "rest = away - self.matrix[:, ~own] @ effect[~own]",
        "rest = away",
        KEPT,
    ),
    Fault(
        "effects have the scale of another term",
        LEVELS,
        "return Effects(effect, scale[self.term], self.matrix)",
        "return Effects(effect, scale[self.term[::-1]], self.matrix)",
        KEPT,
    ),
    Fault(
        "whoever has not said it is taken for another",
        LEVELS,
        "np.where(term.row[:, None] >= 0, term.basis[term.row], 0.0)",
        "term.basis[term.row]",
        TESTS + "skill.py::test_columns_are_those_of_loops",
    ),
    Fault(
        "effects that move with levels have a weaker prior",
        LEVELS,
        "density, slope, curvature = -0.5 * away * away, -away / sd, 1 / sd**2",
        "density, slope, curvature = -0.4 * away * away, -away / sd, 1 / sd**2",
        SHIFTED,
    ),
    Fault(
        "informed logits hold effects back without regard to their species",
        LEVELS,
        "far = x[p] - level[j] - offset_of(offset, p) - times * move",
        "far = x[p] - level[j] - times * move",
        SHIFTED,
    ),
    Fault(
        "logits that move with an effect count all alike",
        LEVELS,
        "at = x[p] + times * move",
        "at = x[p] + move",
        SHIFTED,
    ),
    Fault(
        "logits without a trial do not move with their level",
        LEVELS,
        "if n[p] == 0 or not informed(s[p], n[p], max(INFORMED, tight)):",
        "if not informed(s[p], n[p], max(INFORMED, tight)):",
        SHIFTED,
    ),
    Fault(
        "levels do not move with effects as far as they should",
        LEVELS,
        "level[j] += along[j] * move",
        "level[j] += 0.5 * along[j] * move",
        SHIFTED,
    ),
    Fault(
        "levels are drawn around the mean of all",
        SIDES,
        "expected = self.expected(side.effect, len(side.level)) + self.higher(side.own)\n        return",
        "expected = self.higher(side.own)\n        return",
        TINY,
    ),
    Fault(
        "effects are drawn as if levels were around 0",
        SIDES,
        "away = side.level - mean - self.higher(side.own)",
        "away = side.level - self.higher(side.own)",
        TINY,
    ),
    Fault(
        "the learned mean and spread of levels have effects in them",
        SIDES,
        "next_normal(rng, self.level, side.among, side.level - expected)",
        "next_normal(rng, self.level, side.among, side.level)",
        LEARNED,
    ),
    Fault(
        "all levels are drawn around what the first annotator says",
        "expertise/logits/draws.py",
        "centre = (mean[j] / sd**2",
        "centre = (mean[0] / sd**2",
        TINY,
    ),
    Fault(
        "levels that take logits along are around what the first annotator says",
        "expertise/logits/interweaving.py",
        "(level[j] - mean[j]) / sd, sd, room)",
        "(level[j] - mean[0]) / sd, sd, room)",
        TINY,
    ),
    Fault(
        "annotators with presence summed out are around what the first one says",
        "expertise/summed_out/shifted.py",
        "start[j + 1]], level[j] - mean[j]",
        "start[j + 1]], level[j] - mean[0]",
        step("annotators with presence summed out"),
    ),
]
