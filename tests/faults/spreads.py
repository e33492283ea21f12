"""Faults in the draws of levels and spreads, and of what is learned of them."""

from __future__ import annotations

from .fault import JOINT, TESTS, Fault, case, step

INTERWEAVING = "expertise/logits/interweaving.py"
LEVEL_STEPS = "expertise/logits/level_steps.py"
ANNOTATORS = step("annotators with presence summed out")
SHIFT, STRETCH = step("levels with their logits"), step("spread with its logits")
SPREADS, OWN = "spreads.py", step("own spreads with their logits")
SHAPES, LEARNED = "shapes.py", step("shapes of a learned prior")
LEARNED_BY_SPECIES = "dirichlet process, per annotator and species, learned"
SMALL_STRETCH = step("small spread with its logits")

FAULTS = [
    Fault(
        "learned means forget their prior",
        SHAPES,
        "return -0.5 * ((mean - middle) / width) ** 2",
        "return -0.4 * ((mean - middle) / width) ** 2",
        LEARNED,
    ),
    Fault(
        "learned strengths forget their prior",
        SHAPES,
        "- 0.5 * ((strength - usual) / factor) ** 2",
        "- 0.4 * ((strength - usual) / factor) ** 2",
        LEARNED,
    ),
    Fault(
        "learned shapes count probabilities without a trial",
        SHAPES,
        "n += 1",
        "n += 2",
        LEARNED,
    ),
    Fault(
        "learned shapes count successes twice",
        SHAPES,
        "math.lgamma(a + successes[p])",
        "math.lgamma(a + 2 * successes[p])",
        LEARNED,
    ),
    Fault(
        "a step of shapes goes on from where it was",
        SHAPES,
        "mean, strength = mean + move * right, strength + move * up",
        "mean, strength = mean + move * right, strength",
        LEARNED,
    ),
    Fault(
        "means of levels are not drawn",
        "expertise/logits/levels.py",
        "return np.array([centre[0], sd])",
        "return np.array([among[0], sd])",
        case(JOINT, LEARNED_BY_SPECIES),
    ),
    Fault(
        "the spread forgets that its logarithm is moved",
        SPREADS,
        "return (1 - count) * log_spread",
        "return -count * log_spread",
        step("spread"),
    ),
    Fault(
        "the prior of the spread weighs a fifth less",
        SPREADS,
        "- 0.5 * variance / scale**2",
        "- 0.4 * variance / scale**2",
        step("spread"),
    ),
    Fault(
        "a level that takes logits along has a weaker prior",
        INTERWEAVING,
        "density, slope, curvature = -0.5 * away * away, -away / sd",
        "density, slope, curvature = -0.4 * away * away, -away / sd",
        SHIFT,
    ),
    Fault(
        "informed logits do not hold their level back",
        INTERWEAVING,
        "            density -= 0.5 * far * far * tight",
        "            density -= 0.0",
        SHIFT,
    ),
    Fault(
        "the way back of a level goes the wrong way",
        LEVEL_STEPS,
        "(1 / times - then_centre) ** 2",
        "(times - then_centre) ** 2",
        SHIFT,
    ),
    Fault(
        "informed logits move with their level",
        INTERWEAVING,
        "if not informed(s[p], n[p], max(INFORMED, (spread * own[owner[p]]) ** -2)):",
        "if s[p] >= 0:",
        TESTS + "logits.py::test_levels_that_take_logits_along_keep_their_density",
    ),
    Fault(
        "odds do not follow logits that moved with their level",
        INTERWEAVING,
        "odds[p] *= times",
        "odds[p] *= 1.0",
        TESTS + "logits.py::test_levels_that_take_logits_along_keep_their_density",
    ),
    Fault(
        "own spreads forget the prior of an annotator",
        SPREADS,
        "- 0.5 * (log_spread / width) ** 2",
        "- 0.4 * (log_spread / width) ** 2",
        step("own spreads"),
    ),
    Fault(
        "own spreads that take logits along have a weaker prior",
        "expertise/logits/unevenness.py",
        "gain = 0.5 * (now**2 - (now + step) ** 2) / uneven**2",
        "gain = 0.4 * (now**2 - (now + step) ** 2) / uneven**2",
        OWN,
    ),
    Fault(
        "informed logits do not hold own spreads back",
        "expertise/logits/unevenness.py",
        "gain += 0.5 * (away**2 - ((away + lower) / times) ** 2) / variance - step",
        "gain += 0.0",
        OWN,
    ),
    Fault(
        "informed logits forget that the density of a wider spread is lower",
        "expertise/logits/unevenness.py",
        ") ** 2) / variance - step",
        ") ** 2) / variance",
        OWN,
    ),
    Fault(
        "logits follow own spreads without regard to their votes",
        "expertise/logits/unevenness.py",
        "gain += s[p] * move - expected_at",
        "gain += 0 * expected_at",
        OWN,
    ),
    Fault(
        "informed logits follow own spreads",
        "expertise/logits/unevenness.py",
        "if n[p] > 0 and not informed(s[p], n[p]):",
        "if n[p] > 0:",
        OWN,
    ),
    Fault(
        "logits follow own spreads from the level of the annotator",
        "expertise/logits/unevenness.py",
        "x[p] += (times - 1) * (x[p] - level[j] - offset_of(offset, p)) - lower",
        "x[p] += (times - 1) * (x[p] - level[j]) - lower",
        OWN,
    ),
    Fault(
        "levels that fall with own spreads forget their prior",
        "expertise/logits/unevenness.py",
        "gain += 0.5 * ((level[j] - mean[j]) ** 2 - (level[j] - lower - mean[j]) ** 2) / sd**2",
        "gain += 0.0",
        step("own spreads with their level"),
    ),
    Fault(
        "the common spread forgets that its logarithm is drawn",
        "expertise/logits/unevenness.py",
        "math.log(new / spread) - 0.5 * (new**2 - spread**2) / scale**2",
        "-0.5 * (new**2 - spread**2) / scale**2",
        step("from own spreads to the common one"),
    ),
    Fault(
        "own spreads do not follow the common one",
        "expertise/logits/unevenness.py",
        "own *= spread / new",
        "own *= 1.0",
        step("from own spreads to the common one"),
    ),
    Fault(
        "own spreads forget one logit",
        SPREADS,
        "return -count * log_spread",
        "return (1 - count) * log_spread",
        step("own spreads"),
    ),
    Fault(
        "a spread forgets that its logarithm moves",
        INTERWEAVING,
        "gain += math.log(ratio) + step - 0.5 * (new**2 - spread**2) / scale**2",
        "gain += math.log(ratio) - 0.5 * (new**2 - spread**2) / scale**2",
        STRETCH,
    ),
    Fault(
        "the prior of a spread that takes logits along weighs a fifth more",
        INTERWEAVING,
        "gain += math.log(ratio) + step - 0.5 * (new**2",
        "gain += math.log(ratio) + step - 0.6 * (new**2",
        STRETCH,
    ),
    Fault(
        "logits that follow a spread forget how they are scaled",
        INTERWEAVING,
        "scaled *= before / after * (spread / new) ** 2",
        "scaled *= (spread / new) ** 2",
        SMALL_STRETCH,
    ),
    Fault(
        "logits that follow a small spread forget where their counts pull",
        INTERWEAVING,
        "moved = pull[p] / after + (away - pull[p] / before)",
        "moved = (away - pull[p] / before)",
        SMALL_STRETCH,
    ),
    Fault(
        "the prior of logits stays behind when they follow a spread",
        INTERWEAVING,
        "(tight * away * away - tighter * moved * moved)",
        "(tight * away * away - tight * moved * moved)",
        STRETCH,
    ),
    Fault(
        "the way back of a spread goes the wrong way",
        INTERWEAVING,
        "0.5 * informative * (step + back / informative) ** 2",
        "0.5 * informative * (step - back / informative) ** 2",
        STRETCH,
    ),
    Fault(
        "the way back of a spread is as sure as the way there",
        INTERWEAVING,
        "gain += 0.5 * math.log(informative / information)",
        "gain += 0.0 * math.log(informative / information)",
        SMALL_STRETCH,
    ),
    Fault(
        "a spread forgets that the same kind of step has to be chosen on the way back",
        INTERWEAVING,
        "gain += math.log(then_close / was) if close else math.log((1 - then_close) / (1 - was))",
        "gain += 0.0",
        step("tiny spread with its logits"),
    ),
    Fault(
        "a level forgets on which scale it steps",
        LEVEL_STEPS,
        " - 2 * math.log(times)",
        "",
        ANNOTATORS,
    ),
    Fault(
        "a spread forgets how often it is proposed with logits summed out",
        INTERWEAVING,
        "gain += math.log(ratio) + step",
        "gain += step",
        step("tiny spread with its logits"),
    ),
]
