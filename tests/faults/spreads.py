"""Faults in the draws of levels and spreads, and of what is learned of them."""

from __future__ import annotations

from .fault import JOINT, TESTS, Fault, case, step

INTERWEAVING, STRETCHING = "expertise/logits/interweaving.py", "expertise/logits/stretching.py"
PARTS = "expertise/logits/in_parts.py"
STRETCH_PARTS = TESTS + "in_parts.py::test_a_spread_stretches_in_parts_as_it_does_in_one"
GATHERED = "expertise/logits/gathered.py"
LEVELS, LEVEL_STEPS = "expertise/logits/levels.py", "expertise/logits/level_steps.py"
ANNOTATORS = step("annotators with presence summed out")
SHIFT, STRETCH = step("levels with their logits"), step("spread with its logits")
SHIFT_CLASSES = step("levels with their logits, two classes")
GATHERED_SUMS = TESTS + "logits.py::test_gathered_logits_are_as_one_by_one"
SPREADS, OWN = "spreads.py", step("own spreads with their logits")
SHAPES, LEARNED = "shapes.py", step("shapes of a learned prior")
LEARNED_BY_SPECIES = "dirichlet process, per annotator and species, learned"
UNTRIED = TESTS + "conditionals.py::test_logits_without_a_trial_are_drawn_around_the_levels_that_come_next"
SMALL_STRETCH = step("small spread with its logits")
REDRAWN = step("mean and sd of levels given logits")

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
        "slices of learned shapes are twice as deep",
        SHAPES,
        "height = density - rng.standard_exponential()",
        "height = density - 2 * rng.standard_exponential()",
        LEARNED,
    ),
    Fault(
        "the mean of levels, given these, has a weaker prior",
        LEVELS,
        "np.array([prior.centre], float), float(prior.width))",
        "np.array([prior.centre], float), 2 * float(prior.width))",
        step("mean and sd of levels"),
    ),
    Fault(
        "the mean of levels, given logits, has a weaker prior",
        LEVELS,
        "of_mean, of_both, of_sd = width**-2, 0.0, scale**-2",
        "of_mean, of_both, of_sd = 0.8 * width**-2, 0.0, scale**-2",
        REDRAWN,
    ),
    Fault(
        "the standard deviation of levels, given logits, has a weaker prior",
        LEVELS,
        "of_mean, of_both, of_sd = width**-2, 0.0, scale**-2",
        "of_mean, of_both, of_sd = width**-2, 0.0, 0.8 * scale**-2",
        REDRAWN,
    ),
    Fault(
        "mean and standard deviation of levels, given logits, count logits without a trial",
        LEVELS,
        "        if n[p] > 0:\n            total[owner[p]]",
        "        if n[p] >= 0:\n            total[owner[p]]",
        REDRAWN,
    ),
    Fault(
        "mean and standard deviation of levels, given logits, are drawn as if independent",
        LEVELS,
        "move = (pull - of_both * new) / of_mean",
        "move = pull / of_mean",
        REDRAWN,
    ),
    Fault(
        "levels do not follow their standard deviation",
        LEVELS,
        "level[j] = mean[j] + move + new * (level[j] - mean[j]) / sd",
        "level[j] = level[j] + move",
        REDRAWN,
    ),
    Fault(
        "the mean of levels, given logits, is drawn towards 0",
        "expertise/sides.py",
        "known = self.level.centre - mean,",
        "known = self.level.centre,",
        case(JOINT, LEARNED_BY_SPECIES),
    ),
    Fault(
        "logits without a trial do not follow their level",
        "expertise/per_annotator_species.py",
        "untried = rng, x, trials, new.level, spread, own",
        "untried = rng, x, trials, level, spread, own",
        UNTRIED,
    ),
    Fault(
        "logits without a trial are drawn with the spreads of before",
        "expertise/per_annotator_species.py",
        "untried = rng, x, trials, new.level, spread, own",
        "untried = rng, x, trials, new.level, float(side.spread), side.own",
        UNTRIED,
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
        "pull, held = -away / sd, sd**-2",
        "pull, held = -away / sd, 0.8 * sd**-2",
        SHIFT,
    ),
    Fault(
        "informed logits do not hold their level back",
        INTERWEAVING,
        "            held += close",
        "            held += 0.0",
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
        "if informed(s[p], n[p], max(INFORMED, close)):",
        "if s[p] < 0:",
        TESTS + "logits.py::test_levels_that_take_logits_along_keep_their_density",
    ),
    Fault(
        "what votes say of gathered logits is told before they move",
        GATHERED,
        "odds[at] = exp_of(min(x[at] + move, LARGEST))",
        "odds[at] = exp_of(min(x[at], LARGEST))",
        SHIFT,
    ),
    Fault(
        "gathered logits forget how many trials they have",
        GATHERED,
        "log[at] = number[at] * log_one_plus(odds[at])",
        "log[at] = log_one_plus(odds[at])",
        SHIFT,
    ),
    Fault(
        "gathered logits take all trials for one class",
        GATHERED,
        "odds[size], number[size] = factor[c] * here, class_number[c]",
        "odds[size], number[size] = here, class_number[c]",
        SHIFT_CLASSES,
    ),
    Fault(
        "classes of trials of gathered logits are summed from the first one on",
        GATHERED,
        "            entry += 1",
        "            entry += 0",
        SHIFT_CLASSES,
    ),
    Fault(
        "the expected successes of gathered logits are their odds",
        GATHERED,
        "hits[at] = number[at] * (odds[at] / (1 + odds[at]))",
        "hits[at] = number[at] * odds[at]",
        GATHERED_SUMS,
    ),
    Fault(
        "gathered logits of any size have the logarithm of the largest",
        GATHERED,
        "log[at] += n[place[at]] * (x[at] + move - LARGEST)",
        "log[at] += 0.0",
        GATHERED_SUMS,
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
        "gain += s[place[at]] * move + log[at]",
        "gain += log[at]",
        OWN,
    ),
    Fault(
        "logits do not follow own spreads after all",
        "expertise/logits/unevenness.py",
        "x[place[at]] = at_x[at]",
        "x[place[at]] += 0.0",
        OWN,
    ),
    Fault(
        "logits follow own spreads from beside their centre",
        "expertise/logits/unevenness.py",
        "move = (times - 1) * (at_x[at] - level[j] - offset_of(offset, place[at])) - lower",
        "move = (times - 1) * (at_x[at] - level[j] - 0.9 * offset_of(offset, place[at])) - lower",
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
        STRETCHING,
        "gain = math.log(ratio) + step - 0.5 * (new**2 - spread**2) / scale**2",
        "gain = math.log(ratio) - 0.5 * (new**2 - spread**2) / scale**2",
        STRETCH,
    ),
    Fault(
        "the prior of a spread that takes logits along weighs a fifth more",
        STRETCHING,
        "gain = math.log(ratio) + step - 0.5 * (new**2",
        "gain = math.log(ratio) + step - 0.6 * (new**2",
        STRETCH,
    ),
    Fault(
        "logits that follow a spread forget how they are scaled",
        STRETCHING,
        "scaled *= wider * narrower",
        "scaled *= narrower",
        SMALL_STRETCH,
    ),
    Fault(
        "logits that follow a small spread forget where their counts pull",
        STRETCHING,
        "moved = pull[p] * over + (away - pull[p] / before)",
        "moved = (away - pull[p] / before)",
        SMALL_STRETCH,
    ),
    Fault(
        "the prior of logits stays behind when they follow a spread",
        STRETCHING,
        "(tight * away * away - tighter * moved * moved)",
        "(tight * away * away - tight * moved * moved)",
        STRETCH,
    ),
    Fault(
        "the way back of a spread goes the wrong way",
        STRETCHING,
        "0.5 * informative * (step + then_slope / informative) ** 2",
        "0.5 * informative * (step - then_slope / informative) ** 2",
        STRETCH,
    ),
    Fault(
        "the way back of a spread is as sure as the way there",
        STRETCHING,
        "gain += 0.5 * math.log(informative / information)",
        "gain += 0.0 * math.log(informative / information)",
        SMALL_STRETCH,
    ),
    Fault(
        "a spread forgets that the same kind of step has to be chosen on the way back",
        STRETCHING,
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
        STRETCHING,
        "gain = math.log(ratio) + step",
        "gain = step",
        step("tiny spread with its logits"),
    ),
    Fault(
        "in parts, the prior of a small spread counts once for every part",
        PARTS,
        "before = NO_PRIOR if place else prior_of_small(scale)",
        "before = prior_of_small(scale)",
        STRETCH_PARTS,
    ),
    Fault(
        "in parts, the prior of a spread counts once for every part",
        PARTS,
        "before = NO_PRIOR if place else prior_slope(spread, scale)",
        "before = prior_slope(spread, scale)",
        STRETCH_PARTS,
    ),
    Fault(
        "in parts, only the first one says how far logits are from their levels",
        PARTS,
        "squares = math.fsum(each for _, (each, _) in begun), ",
        "squares = begun[0][1][0], ",
        TESTS + "geweke.py::test_sweeps_in_blocks_keep_the_joint_distribution",
    ),
]
