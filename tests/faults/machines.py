"""Faults in scores of machines."""

from __future__ import annotations

from .fault import JOINT, TESTS, Fault, case, step

DRAWS, REPORTS = "expertise/scored/draws.py", "expertise/scored/reports.py"
POOLING, WHOLE = "expertise/scored/pooling.py", "expertise/scored/whole.py"
RATIOS, CELL_VOTES = "predictive/score_ratios.py", "predictive/cell_votes.py"
WIDTH, ALIKE = step("width of scores"), step("alike spreads of scores")
TYPICAL = step("typical spread of scores")
PRESENT = step("centre of scores where species are present")
ABSENT = step("centre of scores where species are absent")
HERE = TESTS + "scored.py::test_"
FACTORS = HERE + "factors_are_products_of_ratios_of_densities[cut0]"
EXACT = HERE + "chains_with_scores_agree_with_enumeration[independent, per annotator]"
MOVED = TESTS + "species_moves.py::test_votes_with_scores_become_more_likely_by_as_much_as_they_do[0]"
KNOWN = HERE + "chains_with_scores_and_known_cells_agree_with_enumeration"
EXPERT = f"{KNOWN}[independent, per annotator and species-expert]"
LOOPS = HERE + "predictions_with_scores_are_those_of_loops"
ONE, MIXED = f"{LOOPS}[1-False-varied0]", f"{LOOPS}[3-False-varied0]"
MANY = HERE + "means_and_spreads_follow_many_scores"
SWEEPS = case(JOINT, "independent, per annotator, scored")

FAULTS = [
    Fault(
        "scores of absent species count as those of present ones",
        DRAWS,
        "of = sums[0 if there[v] else 1, placed.machine[v], :, placed.species[v]]",
        "of = sums[0, placed.machine[v], :, placed.species[v]]",
        SWEEPS,
    ),
    Fault(
        "means of species have a weaker prior for their width",
        POOLING,
        "return log - 0.5 * (math.exp(log) / WIDTH_SCALE) ** 2",
        "return log - 0.4 * (math.exp(log) / WIDTH_SCALE) ** 2",
        WIDTH,
    ),
    Fault(
        "the width is drawn as if on its own scale",
        POOLING,
        "return log - 0.5 * (math.exp(log) / WIDTH_SCALE) ** 2",
        "return -0.5 * (math.exp(log) / WIDTH_SCALE) ** 2",
        WIDTH,
    ),
    Fault(
        "the width is drawn as if means of species were known",
        WHOLE,
        "v, away = value * value + 1 / (n[k] * q[k]), total[k] / n[k] - c[CENTRE]",
        "v, away = value * value, total[k] / n[k] - c[CENTRE]",
        WIDTH,
    ),
    Fault(
        "the typical spread is drawn as if on its own scale",
        POOLING,
        "return TYPICAL_SHAPE * log - TYPICAL_RATE * math.exp(log)",
        "return (TYPICAL_SHAPE - 1) * log - TYPICAL_RATE * math.exp(log)",
        TYPICAL,
    ),
    Fault(
        "species are held for more alike than the prior says",
        POOLING,
        "((log - ALIKE_MIDDLE) / ALIKE_SPREAD) ** 2",
        "((log - ALIKE_MIDDLE - 1) / ALIKE_SPREAD) ** 2",
        ALIKE,
    ),
    Fault(
        "spreads lack the number of scores",
        WHOLE,
        "shape = alike + 0.5 * n[k]",
        "shape = alike + 0.45 * n[k]",
        TYPICAL,
    ),
    Fault(
        "the centre of presence may be below that of absence",
        POOLING,
        "return middle + sd * normal_above(rng, (other - middle) / sd)",
        "return middle + sd * normal_above(rng, -9.0)",
        PRESENT,
    ),
    Fault(
        "the centre of absence may be above that of presence",
        POOLING,
        "return middle - sd * normal_above(rng, (middle - other) / sd)",
        "return middle - sd * normal_above(rng, -9.0)",
        ABSENT,
    ),
    Fault(
        "the centre has no prior",
        WHOLE,
        "h, weighed = 1.0, 0.0",
        "h, weighed = 1e-9, 0.0",
        PRESENT,
    ),
    Fault(
        "far above the mean, normal numbers are cut off too softly",
        POOLING,
        "if rng.standard_exponential() > 0.5 * (z - rate) ** 2:",
        "if rng.standard_exponential() > 0.2 * (z - rate) ** 2:",
        HERE + "normal_numbers_above_a_bound_are_distributed_as_they_should_be",
    ),
    Fault(
        "the mean of a species lacks its scores",
        WHOLE,
        "return (sure * c[CENTRE] + q * total) / h",
        "return (sure * c[CENTRE] + 0.9 * q * total) / h",
        step("mean of a species' scores"),
    ),
    Fault(
        "squares of distances are those from 0",
        WHOLE,
        "max(square[k] - 2 * x[k] * total[k] + n[k] * x[k] * x[k], 0.0)",
        "max(square[k], 0.0)",
        MANY,
    ),
    Fault(
        "precisions are drawn without their scores",
        WHOLE,
        "return max(rng.standard_gamma(c[ALIKE] + 0.5 * n) / rate, LEAST)",
        "return max(rng.standard_gamma(c[ALIKE] + 0.45 * n) / rate, LEAST)",
        step("precision of a species' scores"),
    ),
    Fault(
        "species without a score are as alike as the typical spread says",
        POOLING,
        "max(rng.standard_gamma(c[ALIKE]) / (c[ALIKE] * c[TYPICAL]), LEAST)",
        "max(rng.standard_gamma(c[ALIKE]) / c[ALIKE], LEAST)",
        step("scores of a species, from what species have in common"),
    ),
    Fault(
        "the ratio of densities lacks that of spreads",
        DRAWS,
        "0.5 * (math.log(there / absent) - there * near * near + absent * far * far)",
        "0.5 * (-there * near * near + absent * far * far)",
        FACTORS,
    ),
    Fault(
        "the last score on a cell alone counts",
        DRAWS,
        "log[cell[v]] += 0.5 * (math.log",
        "log[cell[v]] = 0.5 * (math.log",
        FACTORS,
    ),
    Fault(
        "scores are not brought to the unit of their machine",
        REPORTS,
        "score = (scores.score - middle[scores.machine]) / unit[scores.machine]",
        "score = scores.score - middle[scores.machine]",
        FACTORS,
    ),
    Fault(
        "presence is drawn without scores",
        "sweep.py",
        "self.scored.factors(scored, design) if self.scored else None",
        "None",
        EXACT,
    ),
    Fault(
        "rates move with the scores of the sweep before",
        "sweep.py",
        "design = self.told(known, scored, design)",
        "design = self.told(known, state.scored, design)",
        EXACT,
    ),
    Fault(
        "scores take the place of what an expert says",
        "design.py",
        "further = factor * further if len(further) else factor",
        "further = factor",
        EXPERT,
    ),
    Fault(
        "species move as if there were no scores",
        "presence/recording_ratios.py",
        "min(further[cell], CERTAIN)",
        "1.0",
        MOVED,
    ),
    Fault(
        "predictions lack scores",
        "predictive/independent_cells.py",
        "                add_score_ratios(factor, prepared.scores, u, ratios, first, size)\n",
        "",
        ONE,
    ),
    Fault(
        "predictions take cells with other scores for the same",
        "predictive/independent_cells.py",
        "apart[scored] = apart.max(initial=0) + 1 + np.arange(len(scored))",
        "apart[scored] = apart.max(initial=0) + 1",
        ONE,
    ),
    Fault(
        "predictions of mixtures lack scores",
        "predictive/mixed/kernel.py",
        "    add_score_ratios(log, votes.scores, e, ratios, lane.first, lane.size)\n",
        "",
        MIXED,
    ),
    Fault(
        "the likelihood lacks scores of absent species",
        "predictive/mixed/kernel.py",
        "    add_scores_absent(to, sign, votes.scores, e, ratios, lane.first, lane.size)\n",
        "",
        ONE,
    ),
    Fault(
        "the likelihood lacks the constant of the normal distribution",
        RATIOS,
        "to[d] += sign * (one - HALF_LOG_TWO_PI)",
        "to[d] += sign * one",
        ONE,
    ),
    Fault(
        "scores are those of another cell",
        CELL_VOTES,
        "return CellScores(start, machine[order], species[order], score[order])",
        "return CellScores(start, machine[order], species[order], score[::-1])",
        ONE,
    ),
]
