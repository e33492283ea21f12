"""Faults in how audible birds are."""

from __future__ import annotations

from .fault import TESTS, Fault, case, step

AUDIBILITY, FAINT, TRIALS = "audibility.py", "expertise/faint.py", "expertise/logits/trials.py"
BY_CELL, KINDS = "expertise/by_cell.py", "expertise/kinds.py"
REPORTED, SILENT = step("reported cells, faint birds"), step("silent cells, candidates, faint birds")
SPREAD, CLASSES = step("how far birds differ"), step("classes of birds")
STRETCHED = TESTS + "faint.py::test_stretching_all_logits_gains_what_the_prior_says"
FAINTER = TESTS + "faint.py::test_fainter_birds_gain_what_the_prior_says"
ALL_THERE = TESTS + "faint.py::test_votes_on_present_birds_are_all_there"
RATIOS = TESTS + "recording_ratios.py::test_ratios_are_those_of_loops"
NOTICE = TESTS + "summed_out.py::test_faintness_takes_notice_of_votes"

FAULTS = [
    Fault(
        "a report is as likely of a faint bird as of a loud one",
        AUDIBILITY,
        "room[c] *= (there if said else 1.0) * part / (1 + there)",
        "room[c] *= (odds if said else 1.0) * part / (1 + there)",
        REPORTED,
    ),
    Fault(
        "votes on absent birds are as likely as not",
        AUDIBILITY,
        "odds, part = by_rate[rate], 1 / over[code]",
        "odds, part = by_rate[rate], 1.0",
        REPORTED,
    ),
    Fault(
        "all classes of birds are as common",
        AUDIBILITY,
        "room[c] = share[c]",
        "room[c] = 1 / 15",
        REPORTED,
    ),
    Fault(
        "the silence of one vote forgets faint birds",
        AUDIBILITY,
        "silence += classes.share[c] / (1 + (1 + unsure) * there)",
        "silence += classes.share[c] / (1 + (1 + unsure) * odds)",
        SILENT,
    ),
    Fault(
        "a single report forgets faint birds",
        AUDIBILITY,
        "hit += classes.share[c] * there / (1 + there)",
        "hit += classes.share[c] * odds / (1 + odds)",
        REPORTED,
    ),
    Fault(
        "silent birds of all classes are as common",
        "presence/silent.py",
        "few_votes(here, share, of_class",
        "few_votes(here, np.full(len(share), 1 / 15), of_class",
        SILENT,
    ),
    Fault(
        "silences do not count for faint birds",
        "presence/silent.py",
        "w = few_votes(here, share, of_class, by_rate, over, marks, codes, 0, voters)",
        "w = few_votes(here, share, of_class, by_rate, over, marks, codes, 0, 0)",
        SILENT,
    ),
    Fault(
        "two silences on a faint bird are taken one by one",
        "presence/silent.py",
        "if together is not None and voters > 1:",
        "if together is not None and voters > 2:",
        SILENT,
    ),
    Fault(
        "candidates are rejected as if later silences could not speak for a faint bird",
        "presence/silent.py",
        "largest = min(prior * own * max_later_factor[place], LARGE)",
        "largest = min(prior * own, LARGE)",
        TESTS + "faint.py::test_the_bound_on_silent_cells_holds_if_later_silences_speak_for_a_faint_bird",
    ),
    Fault(
        "the bound of faint birds takes later silences for what they are alone",
        "presence/blocks.py",
        "most_later = silence_bounds(species_lists, layout.rates.pairs, 1 / together.absent).later",
        "most_later = silence.later",
        TESTS + "faint.py::test_the_bound_on_silent_cells_holds_if_later_silences_speak_for_a_faint_bird",
    ),
    Fault(
        "how far birds differ forgets its prior",
        BY_CELL,
        "side, total, product = _given(odds, spread), -0.5 * (spread / scale) ** 2, 1.0",
        "side, total, product = _given(odds, spread), -0.25 * (spread / scale) ** 2, 1.0",
        SPREAD,
    ),
    Fault(
        "steps of its logarithm are taken for steps of how far birds differ",
        BY_CELL,
        "alone = rng.standard_exponential() > now - there - step",
        "alone = rng.standard_exponential() > now - there",
        SPREAD,
    ),
    Fault(
        "how far birds differ moves with logits without regard to the prior of these",
        BY_CELL,
        "if rng.standard_exponential() > now - there - gain - step:",
        "if rng.standard_exponential() > now - there - step:",
        step("accepting how far birds differ, with logits"),
    ),
    Fault(
        "a bird may not be of the last class",
        "lookups.py",
        "while c < len(weight) - 1 and left >= weight[c]:",
        "while c < len(weight) - 2 and left >= weight[c]:",
        CLASSES,
    ),
    Fault(
        "classes are drawn too low",
        "lookups.py",
        "left, c = rng.random() * weight.sum(), 0",
        "left, c = 0.97 * rng.random() * weight.sum(), 0",
        CLASSES,
    ),
    Fault(
        "misses of present birds that nobody reported are left out",
        FAINT,
        "if has_voted(visits, visit, k):\n                code[total]",
        "if has_voted(visits, visit, k) and visit > visits.start[i]:\n                code[total]",
        ALL_THERE,
    ),
    Fault(
        "trials of one class are counted twice",
        KINDS,
        "trials[at], which[at], number[kind] = number[kind], kind, 0",
        "trials[at], which[at], number[kind] = number[kind] + 1, kind, 0",
        CLASSES,
    ),
    Fault(
        "trials of all classes have the same odds",
        TRIALS,
        "log, rate = log_one_plus(factor[c] * odds)",
        "log, rate = log_one_plus(0.95 * factor[c] * odds)",
        step("logits, two classes"),
    ),
    Fault(
        "trials of a class count once",
        TRIALS,
        "total += number[c] * log",
        "total += min(number[c], 4) * log",
        step("logits, two classes"),
    ),
    Fault(
        "levels that are not learned forget their prior when all logits are multiplied",
        "expertise/sides.py",
        "gain += len(side.level) * math.log(times) + float((away[0] - away[1]).sum())",
        "gain += len(side.level) * math.log(times)",
        STRETCHED,
    ),
    Fault(
        "volumes of scales are forgotten when all logits are multiplied",
        "expertise/sides.py",
        "gain = there.sum() * math.log(times)",
        "gain = 0 * math.log(times)",
        STRETCHED,
    ),
    Fault(
        "the learned mean of levels forgets its prior when all logits are multiplied",
        "expertise/sides.py",
        "gain -= 0.5 * ((times * mean - middle) ** 2 - (mean - middle) ** 2) / width**2",
        "gain -= 0.0",
        STRETCHED,
    ),
    Fault(
        "silences of several are independent of each other, even of faint birds",
        "presence/recording_ratios.py",
        "elif joint and votes > 1:",
        "elif joint and votes > FEW:",
        RATIOS,
    ),
    Fault(
        "the silence of the first who voted is forgotten",
        "presence/recording_ratios.py",
        "over_all_classes(share, present_table, voter, 0, votes)",
        "over_all_classes(share, present_table, voter, 1, votes)",
        RATIOS,
    ),
    Fault(
        "silences are worked out once for all species",
        "presence/recording_ratios.py",
        "if worked_out[j] != place:",
        "if worked_out[j] < 0:",
        RATIOS,
    ),
    Fault(
        "where votes are many, the last ones do not count",
        "presence/recording_ratios.py",
        "w = cell_odds(1.0, says, code, 0, votes)",
        "w = cell_odds(1.0, says, code, 0, FEW)",
        RATIOS,
    ),
    Fault(
        "visits with unsure marks are taken for others of the same scope",
        "presence/recording_ratios.py",
        "who[marked] = -1 - marked",
        "who[marked] += 0",
        case(RATIOS, "the same visits-True-0.0-0.0"),
    ),
    Fault(
        "what is known does not count",
        "presence/recording_ratios.py",
        "return min(ratio * min(further[cell], CERTAIN), LARGE)",
        "return ratio",
        TESTS + "recording_ratios.py::test_what_is_known_counts",
    ),
    Fault(
        "faintness moves without its prior",
        "expertise/per_annotator_species.py",
        "gain += math.log(times) - 0.5 * (new**2 - now**2) / self.tpr.varied.scale**2",
        "gain += math.log(times)",
        FAINTER,
    ),
    Fault(
        "faintness moves on the scale of logarithms as if it were its own",
        "expertise/per_annotator_species.py",
        "gain += math.log(times) - 0.5",
        "gain += 0.0 - 0.5",
        NOTICE,
    ),
    Fault(
        "faintness moves as if votes said nothing",
        "together/faintness.py",
        "gain += float(votes_gained(",
        "gain += 0.0 * float(votes_gained(",
        NOTICE,
    ),
]
