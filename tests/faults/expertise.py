"""Faults in the draws of rates."""

from __future__ import annotations

from .fault import CALIBRATION, EXACT, TESTS, Fault, case, step

RATES, TANGENTS, LOGITS = "rates.py", "expertise/logits/tangents.py", "expertise/logits/draws.py"
REFLECTED, REFLECTION = "expertise/summed_out/reflected.py", "reflection.py"
SHIFTED, IN_BLOCKS = "expertise/summed_out/shifted.py", "expertise/summed_out/by_species.py"
BY_ANNOTATOR, BY_SPECIES = "independent, per annotator", "independent, per annotator and species"
REFINE = TESTS + "reflected.py::test_refine_keeps_the_density_of_rates_given_votes_and_silent_cells"
REFINE_BLOCKS = TESTS + "reflected.py::test_refine_in_blocks_of_species_keeps_this_density[0.0]"
ONE_SIDED = step("logits without a success, close to normal")
SLIGHT = TESTS + "logits.py::test_logits_of_which_votes_say_little_are_drawn_exactly"
SUMMED_OUT = step("rates with presence summed out")
ANNOTATORS = step("annotators with presence summed out")
LEARNED_BY_ANNOTATOR = "independent, per annotator, learned"

FAULTS = [
    Fault(
        "rates are not drawn anew when their prior is",
        "expertise/per_annotator.py",
        "drawn = draw_rates(rng, a, b) if redrawn else",
        "drawn = now if redrawn else",
        case(EXACT, LEARNED_BY_ANNOTATOR),
    ),
    Fault(
        "reports on present cells count as false ones too",
        "expertise/__init__.py",
        "false[rate] = reports[rate] - hits[rate]",
        "false[rate] = reports[rate] - 0 * hits[rate]",
        case(CALIBRATION, BY_ANNOTATOR),
    ),
    Fault(
        "the prior of true positive rates is flat",
        "expertise/per_annotator.py",
        "_draw(rng, self.tpr, now.tpr_shapes",
        "_draw(rng, self.tpr, np.ones(2)",
        case(EXACT, BY_ANNOTATOR),
    ),
    Fault(
        "hits count as misses too",
        "expertise/per_annotator.py",
        "shapes[1] + (trials - successes)",
        "shapes[1] + trials",
        step("rates by annotator"),
    ),
    Fault(
        "the prior of false positive rates is that of true ones",
        "expertise/per_annotator.py",
        "self.fpr, now.fpr_shapes",
        "self.fpr, now.tpr_shapes",
        step("rates by annotator"),
    ),
    Fault(
        "rates are kept farther from 0 and 1",
        RATES,
        "MARGIN = 1e-15",
        "MARGIN = 2e-15",
        TESTS + "presence.py::test_ratios_of_votes_stay_within_bounds",
    ),
    Fault(
        "an overrelaxed draw stays where it is",
        RATES,
        "chosen[p] = ordered[candidates[p] - place]",
        "chosen[p] = ordered[place]",
        TESTS + "conditionals.py::test_overrelaxed_rates_keep_their_density_and_change_sides",
    ),
    Fault(
        "an overrelaxed draw chooses a place too high",
        RATES,
        "place += at <= place",
        "place += at < place",
        step("occurrence given presence"),
    ),
    Fault(
        "candidates under tangents are accepted too often",
        TANGENTS,
        "if rng.standard_exponential() > hat - (density - top):",
        "if rng.standard_exponential() > 0.5 * (hat - (density - top)):",
        step("logits"),
    ),
    Fault(
        "the left tangent has too much area",
        TANGENTS,
        "left_area = low_height / left_slope",
        "left_area = 1.1 * low_height / left_slope",
        step("logits"),
    ),
    Fault(
        "the prior of a logit weighs a tenth less",
        TANGENTS,
        "s * x - log - 0.5 * away * away * precision, s - hits",
        "s * x - log - 0.45 * away * away * precision, s - hits",
        step("logits"),
    ),
    Fault(
        "trials weigh a tenth less where a logit is close to normal",
        TANGENTS,
        "centre = mean + spread * spread * (counts.successes - slope)",
        "centre = mean + spread * spread * (counts.successes - 0.9 * slope)",
        ONE_SIDED,
    ),
    Fault(
        "successes weigh a hundredth less where a logit is close to normal",
        TANGENTS,
        "centre = mean + spread * spread * (counts.successes - slope)",
        "centre = mean + spread * spread * (0.99 * counts.successes - slope)",
        step("logits without a failure, close to normal"),
    ),
    Fault(
        "votes do not tilt a logit of which they say little",
        LOGITS,
        "away = move + sd * rng.standard_normal()\n                bound",
        "away = sd * rng.standard_normal()\n                bound",
        SLIGHT,
    ),
    Fault(
        "a logit of which votes say little is never looked at",
        LOGITS,
        "x[p], gap = mean + away, gap - bound",
        "x[p], gap = mean + away, gap",
        SLIGHT,
    ),
    Fault(
        "what falls into the bound of a logit of which votes say little is never accepted",
        TANGENTS,
        "kept = gap > distance",
        "kept = False",
        SLIGHT,
    ),
    Fault(
        "candidates above the one tangent are accepted too often",
        TANGENTS,
        "gap -= expected_of_at(counts, number, factor, x)[0] - height - slope * (x - at)",
        "gap -= 0.5 * (expected_of_at(counts, number, factor, x)[0] - height - slope * (x - at))",
        ONE_SIDED,
    ),
    Fault(
        "the gap to the next event is not drawn again after one",
        TANGENTS,
        "            return x, gap\n        gap = rng.standard_exponential()",
        "            return x, gap\n        gap = 1.0",
        ONE_SIDED,
    ),
    Fault(
        "the prior of a level weighs a fifth less",
        LOGITS,
        "precision = 1 / sd**2 + count[j] / variance",
        "precision = 0.8 / sd**2 + count[j] / variance",
        step("levels"),
    ),
    Fault(
        "logits without a trial count for their level",
        LOGITS,
        "        if n[p] > 0:\n            total[owner[p]] += x[p]",
        "        if n[p] >= 0:\n            total[owner[p]] += x[p]",
        step("levels"),
    ),
    Fault(
        "logits without a trial count for the spread",
        LOGITS,
        "        if n[p] > 0:\n            away =",
        "        if n[p] >= 0:\n            away =",
        TESTS + "logits.py::test_the_spread_keeps_its_density",
    ),
    Fault(
        "rates with presence summed out forget the own spread",
        REFLECTED,
        "spread = spread_of_all * own[owner[place]]",
        "spread = spread_of_all",
        SUMMED_OUT,
    ),
    Fault(
        "annotators whose rates all move forget the prior of their level",
        SHIFTED,
        "density, slope = -0.5 * ((away + move)",
        "density, slope = -0.4 * ((away + move)",
        ANNOTATORS,
    ),
    Fault(
        "annotators whose rates all move forget a tenth of their silences",
        SHIFTED,
        "density -= silent[p] * log",
        "density -= 0.9 * silent[p] * log",
        ANNOTATORS,
    ),
    Fault(
        "odds of cells stay when all rates of an annotator have moved",
        SHIFTED,
        "w[cells[v]] /= terms.ratio[said[v]]",
        "w[cells[v]] /= 1.0",
        ANNOTATORS,
    ),
    Fault(
        "reports count as silence when all rates of an annotator move",
        SHIFTED,
        "ratio[REPORT] *= times",
        "ratio[REPORT] *= 1.0",
        ANNOTATORS,
    ),
    Fault(
        "logits without a trial vary a tenth less",
        LOGITS,
        "+ spread * own[owner[p]] * rng.standard_normal()",
        "+ 0.9 * spread * own[owner[p]] * rng.standard_normal()",
        step("logits without a trial"),
    ),
    Fault(
        "false positive rates are tried on present cells",
        "expertise/per_annotator_species.py",
        "(n.false, n.absent)",
        "(n.false, n.present + n.false)",
        case(EXACT, BY_SPECIES),
    ),
    Fault(
        "the prior weighs a fifth less with presence summed out",
        REFLECTED,
        "tight = 1 / yes, 1 / no, 0.5 / (spread * spread)",
        "tight = 1 / yes, 1 / no, 0.4 / (spread * spread)",
        SUMMED_OUT,
    ),
    Fault(
        "the prior weighs a fifth more with presence summed out",
        REFLECTED,
        "tight = 1 / yes, 1 / no, 0.5 / (spread * spread)",
        "tight = 1 / yes, 1 / no, 0.6 / (spread * spread)",
        SUMMED_OUT,
    ),
    Fault(
        "silences in other cells weigh a tenth less with presence summed out",
        REFLECTED,
        "gain = n * (new_log_no - log_no)",
        "gain = 0.9 * n * (new_log_no - log_no)",
        SUMMED_OUT,
    ),
    Fault(
        "odds of cells stay when a rate has moved",
        REFLECTED,
        "w[cells[v]] /= term[said[v]]",
        "w[cells[v]] /= 1.0",
        SUMMED_OUT,
    ),
    Fault(
        "present cells count as absent ones for false positive rates",
        "expertise/summed_out/refined.py",
        "silent = ZERO, by_rate.silences - misses",
        "silent = ZERO, by_rate.silences",
        REFINE,
    ),
    Fault(
        "present cells count as absent ones for false positive rates, in blocks",
        IN_BLOCKS,
        "silent = by_rate.silences - misses",
        "silent = by_rate.silences",
        REFINE_BLOCKS,
    ),
    Fault(
        "true positive rates use the odds of presence, in blocks",
        IN_BLOCKS,
        "w[low:high] = 1 / w[low:high]",
        "w[low:high] = w[low:high]",
        REFINE_BLOCKS,
    ),
    Fault(
        "blocks of species have the rates of the next block",
        IN_BLOCKS,
        "low, high = self.rates[block : block + 2]",
        "low, high = self.rates[block - 2 :][:2]",
        TESTS + "in_parts.py::test_blocks_of_species_have_all_votes_once",
    ),
    Fault(
        "true positive rates use the odds of presence",
        "expertise/summed_out/refined.py",
        "reflect_true(rng, tpr, 1 / w,",
        "reflect_true(rng, tpr, w,",
        REFINE,
    ),
    Fault(
        "silences in reported cells count twice",
        REFLECTED,
        "silences = design.silences - np.bincount(rate[report == 0], minlength=n_rates)",
        "silences = design.silences",
        REFINE,
    ),
    Fault(
        "the density of proposals does not count",
        REFLECTION,
        "return to, part, here / (lower + part * (upper - lower))",
        "return to, part, 1.0",
        SUMMED_OUT,
    ),
    Fault(
        "where one is on the grid is off",
        REFLECTION,
        "u = (below + part * (value[at] + here)) / total",
        "u = (below + 2 * part * value[at]) / total",
        SUMMED_OUT,
    ),
    Fault(
        "values beyond 1 are not folded back",
        REFLECTION,
        "rest = (2 - v if v > 1 else v) * total",
        "rest = min(v, 1.0) * total",
        SUMMED_OUT,
    ),
    Fault(
        "rates from before they were refined are used",
        "sweep.py",
        "        rates = self.expertise.rates(expertise)\n        occurrence, again",
        "        rates = self.expertise.rates(state.expertise)\n        occurrence, again",
        case(EXACT, BY_SPECIES),
    ),
]
