"""Faults in who reports at random."""

from __future__ import annotations

from .fault import EXACT, TESTS, Fault, case, step

EVENNESS, SIDES = "expertise/logits/evenness.py", "expertise/sides.py"
FLIPPED = step("who is even, with levels and logits")
EVEN = case(EXACT, "independent, per annotator and species, even")
PRIOR = TESTS + "evenness.py::test_rates_of_those_who_report_at_random_are_high_and_alike"
STRETCHED = TESTS + "faint.py::test_stretching_all_logits_gains_what_the_prior_says"

FAULTS = [
    Fault(
        "those who report at random are as many as others",
        EVENNESS,
        "gain = sign * math.log(share / ((1 - share) * asked))",
        "gain = -sign * math.log(asked)",
        FLIPPED,
    ),
    Fault(
        "who is asked how often is forgotten",
        EVENNESS,
        "gain = sign * math.log(share / ((1 - share) * asked))",
        "gain = sign * math.log(share / (1 - share))",
        FLIPPED,
    ),
    Fault(
        "levels of those who report at random are not higher",
        EVENNESS,
        "(then - then_mean) ** 2) / sd**2",
        "(then - mean[j]) ** 2) / sd**2",
        FLIPPED,
    ),
    Fault(
        "whoever begins to report at random keeps the old mean of the level",
        EVENNESS,
        "own[j], level[j], mean[j] = new, then, then_mean",
        "own[j], level[j] = new, then",
        FLIPPED,
    ),
    Fault(
        "logits of those who begin to report at random stay",
        EVENNESS,
        "x[p] = draw_logit(rng, centre, counts, number, factor, centre, after)",
        "x[p] = x[p] + 0 * draw_logit(rng, centre, counts, number, factor, centre, after)",
        FLIPPED,
    ),
    Fault(
        "logits are summed out over one side only",
        EVENNESS,
        "for sign in (step, -step):",
        "for sign in (step, step):",
        TESTS + "evenness.py::test_logits_are_summed_out",
    ),
    Fault(
        "the width of what is summed out is forgotten",
        EVENNESS,
        "math.log(total * step)",
        "math.log(total)",
        FLIPPED,
    ),
    Fault(
        "levels are drawn as if nobody reported at random",
        SIDES,
        "expected = self.expected(side.effect, len(side.level)) + self.higher(side.own)\n        return",
        "expected = self.expected(side.effect, len(side.level))\n        return",
        EVEN,
    ),
    Fault(
        "whoever reports at random has a spread as large as others",
        SIDES,
        "np.where(rng.random(shape) < self.even.share, self.even.times, 1.0)",
        "np.where(rng.random(shape) < self.even.share, 0.999, 1.0)",
        PRIOR,
    ),
    Fault(
        "new annotators who report at random have the level of others",
        SIDES,
        "level[:, new] += self.higher(own)",
        "level[:, new] += 0 * self.higher(own)",
        PRIOR,
    ),
    Fault(
        "logits are stretched as if nobody reported at random",
        SIDES,
        "around = around + self.higher(side.own)",
        "around = around + 0",
        STRETCHED,
    ),
    Fault(
        "effects take those who report at random for experts, or the other way round",
        SIDES,
        "away = side.level - mean - self.higher(side.own)",
        "away = side.level - mean",
        TESTS + "evenness.py::test_what_annotators_say_is_not_blamed_for_random_reports",
    ),
    Fault(
        "levels that move together with everything forget who reports at random",
        "together/moves.py",
        " + prior.higher(side.own) + more",
        " + more",
        TESTS + "evenness.py::test_levels_that_move_with_everything_know_who_reports_at_random",
    ),
    Fault(
        "an update forgets who reported at random",
        "expertise/starting.py",
        "own = np.where(own < math.sqrt(prior.even.times), prior.even.times, 1.0)",
        "own = np.ones(a.n_annotators)",
        TESTS + "evenness.py::test_an_update_knows_who_reported_at_random",
    ),
    Fault(
        "chains start with some who report at random",
        "expertise/per_annotator_species.py",
        "alike = prior._replace(spread=HalfNormal(prior.spread.scale))",
        "alike = prior",
        TESTS + "evenness.py::test_chains_start_with_nobody_who_reports_at_random",
    ),
]
