"""Faults in scores that are cut off."""

from __future__ import annotations

from .fault import TESTS, Fault
from .machines import DRAWS, LOOPS, POOLING, RATIOS, REPORTS
from .machines import HERE as SCORED

CUT_OFF = "expertise/scored/cut_off.py"
HERE = TESTS + "cut_off.py::test_"
PRIOR = HERE + "draws_given_scores_keep_the_prior"
NO_NONSENSE = HERE + "what_is_left_is_described_and_no_nonsense_is_believed[-0.8]"
FACTORS = SCORED + "factors_are_products_of_ratios_of_densities[cut1]"
SIMULATED = SCORED + "scores_are_simulated_above_the_cut_off"
KEPT = HERE + "the_part_that_is_kept_is_told_far_out"
PASSES = HERE + "a_centre_does_not_pass_the_other_one"


def density(move: str) -> str:
    """Give the test of a move's density."""
    return f"{HERE}moves_have_the_joint_density_and_their_volume[{move}-0]"


def moves(move: str) -> str:
    """Give the test of what a move moves."""
    return f"{HERE}a_step_moves_what_its_density_says[{move}]"


FAULTS = [
    Fault(
        "scores that are cut off are drawn as if they were whole",
        DRAWS,
        "if placed.cut[m] == -math.inf:",
        "if placed.cut[m] < math.inf:",
        NO_NONSENSE,
    ),
    Fault(
        "the factor of scores forgets the cut-off",
        DRAWS,
        "log[cell[v]] += log_kept[1, m, k] - log_kept[0, m, k]",
        "log[cell[v]] += 0.0",
        FACTORS,
    ),
    Fault(
        "the factor of scores has the cut-off the wrong way round",
        DRAWS,
        "log[cell[v]] += log_kept[1, m, k] - log_kept[0, m, k]",
        "log[cell[v]] += log_kept[0, m, k] - log_kept[1, m, k]",
        FACTORS,
    ),
    Fault(
        "cut-offs are not brought to the unit of their machine",
        REPORTS,
        "(self.cuts - middle) / unit",
        "self.cuts - middle",
        FACTORS,
    ),
    Fault(
        "scores are simulated at the cut-off of another machine",
        REPORTS,
        "cut = (self.cuts[machine] - middle) / unit",
        "cut = (self.cuts[0] - middle) / unit",
        SIMULATED,
    ),
    Fault(
        "predictions forget the cut-off",
        RATIOS,
        " - float(draws.log_kept[side, draw, m, k])",
        "",
        f"{LOOPS}[1-False-varied0]",
    ),
    Fault(
        "species without scores are not drawn again",
        CUT_OFF,
        "if s.n[k] == 0:",
        "if s.n[k] < 0:",
        PRIOR,
    ),
    Fault(
        "species without scores lack the typical spread",
        POOLING,
        "/ (c[ALIKE] * c[TYPICAL]), LEAST)",
        "/ c[ALIKE], LEAST)",
        PRIOR,
    ),
    Fault(
        "squares of scores are those of distances from 0",
        CUT_OFF,
        "squares[k] = max(sums.square[k] - n[k] * middle[k] * middle[k], 0.0)",
        "squares[k] = sums.square[k]",
        density("SPREAD"),
    ),
    Fault(
        "the mean of scores is their sum",
        CUT_OFF,
        "middle[k] = sums.total[k] / n[k]",
        "middle[k] = sums.total[k]",
        density("MEAN"),
    ),
    Fault(
        "centres of both sides may lie anywhere",
        CUT_OFF,
        "low, high = (other, math.inf) if side == 0 else (-math.inf, other)",
        "low, high = -math.inf, math.inf",
        PASSES,
    ),
    Fault(
        "the centre has no prior where scores are cut off",
        CUT_OFF,
        "h = 1 + n * sure",
        "h = 1e-9 + n * sure",
        PRIOR,
    ),
    Fault(
        "the centre is drawn with species that have no scores",
        CUT_OFF,
        "    for k in s.some:\n        total += s.mean[k]\n",
        "    for k in range(len(s.mean)):\n        total += s.mean[k]\n",
        PRIOR,
    ),
    Fault(
        "the width is drawn from twice the squares",
        CUT_OFF,
        "squares += (s.mean[k] - c[CENTRE]) ** 2",
        "squares += 2 * (s.mean[k] - c[CENTRE]) ** 2",
        PRIOR,
    ),
    Fault(
        "the typical spread lacks the number of species",
        CUT_OFF,
        "TYPICAL_SHAPE + n * c[ALIKE]",
        "TYPICAL_SHAPE + 0.8 * n * c[ALIKE]",
        PRIOR,
    ),
    Fault(
        "the typical spread lacks precisions",
        CUT_OFF,
        "TYPICAL_RATE + c[ALIKE] * precisions",
        "TYPICAL_RATE + precisions",
        PRIOR,
    ),
    Fault(
        "a slice does not step out below",
        CUT_OFF,
        "        low -= step\n",
        "        break\n",
        PRIOR,
    ),
    Fault(
        "a slice does not step out above",
        CUT_OFF,
        "        high += step\n",
        "        break\n",
        PRIOR,
    ),
    Fault(
        "slices are of a higher density",
        CUT_OFF,
        "height = _log_density(0.0, which, s, k) - rng.standard_exponential()",
        "height = _log_density(0.0, which, s, k) - 0.7 * rng.standard_exponential()",
        PRIOR,
    ),
    Fault(
        "all species move where only what they have in common does",
        CUT_OFF,
        "    if which != ALONE:\n        for k in s.some:\n            s.mean[k]",
        "    if which != MEAN:\n        for k in s.some:\n            s.mean[k]",
        moves("ALONE"),
    ),
    Fault(
        "what species have in common stays",
        CUT_OFF,
        "    c[CENTRE], c[WIDTH], c[ALIKE], c[TYPICAL] = _moved_common(by, which, s)\n",
        "    c[CENTRE], c[WIDTH] = _moved_common(by, which, s)[:2]\n",
        moves("SCALE"),
    ),
    Fault(
        "slopes move without their volume",
        CUT_OFF,
        "return density - by if which == SLOPE else density",
        "return density",
        density("SLOPE"),
    ),
    Fault(
        "all slopes move without the volume of the centre",
        CUT_OFF,
        "    if which == TILT:\n        density -= by\n",
        "",
        density("TILT"),
    ),
    Fault(
        "precisions become more alike without their volume",
        CUT_OFF,
        "density -= 0.5 * by * len(s.some)",
        "density -= 0.0",
        density("EVEN"),
    ),
    Fault(
        "all slopes move, but the width stays",
        CUT_OFF,
        "width * math.exp(-by), alike, typical * math.exp(-by)",
        "width, alike, typical * math.exp(-by)",
        density("TILT"),
    ),
    Fault(
        "all slopes move, but the typical spread stays",
        CUT_OFF,
        "width * math.exp(-by), alike, typical * math.exp(-by)",
        "width * math.exp(-by), alike, typical",
        density("TILT"),
    ),
    Fault(
        "means shift without the centre",
        CUT_OFF,
        "return centre + by, width, alike, typical",
        "return centre, width, alike, typical",
        density("SHIFT"),
    ),
    Fault(
        "means stretch the other way than the width",
        CUT_OFF,
        "return _nearer(mean, c[CENTRE], -by), q",
        "return _nearer(mean, c[CENTRE], by), q",
        density("STRETCH"),
    ),
    Fault(
        "precisions scale the other way than the typical spread",
        CUT_OFF,
        "return mean, q * math.exp(-by)",
        "return mean, q * math.exp(0.9 * by)",
        density("SCALE"),
    ),
    Fault(
        "species lack what is believed of their mean",
        CUT_OFF,
        "- 0.5 * away * away\n",
        "- 0.4 * away * away\n",
        density("MEAN"),
    ),
    Fault(
        "species lack what is believed of their precision",
        CUT_OFF,
        "density = c[ALIKE] * (math.log(q) - c[TYPICAL] * q)",
        "density = c[ALIKE] * (math.log(q) - 0.9 * c[TYPICAL] * q)",
        density("SPREAD"),
    ),
    Fault(
        "alike lacks the constant of its gamma distribution",
        CUT_OFF,
        "(alike * math.log(alike * typical) - math.lgamma(alike))",
        "(alike * math.log(alike * typical))",
        density("ALONE"),
    ),
    Fault(
        "alike lacks precisions",
        CUT_OFF,
        "density += alike * (math.log(q) - typical * q)",
        "density += alike * math.log(q)",
        density("ALONE"),
    ),
    Fault(
        "the centre lacks its prior where all means shift",
        CUT_OFF,
        "log_prior(math.log(alike), ALIKE) - 0.5 * centre * centre",
        "log_prior(math.log(alike), ALIKE)",
        density("SHIFT"),
    ),
    Fault(
        "the width lacks its prior where means stretch",
        CUT_OFF,
        "log_prior(math.log(width), WIDTH) + log_prior(math.log(typical), TYPICAL)",
        "log_prior(math.log(typical), TYPICAL)",
        density("STRETCH"),
    ),
    Fault(
        "moves of all forget scores",
        CUT_OFF,
        "        if which != ALONE:\n            density += log_likelihood(mean, q, s, k)\n",
        "",
        density("SHIFT"),
    ),
    Fault(
        "scores are taken for whole",
        CUT_OFF,
        "return n * (0.5 * math.log(q) - kept)",
        "return n * (0.5 * math.log(q))",
        density("MEAN"),
    ),
    Fault(
        "the cut-off counts once, not for every score",
        CUT_OFF,
        "return n * (0.5 * math.log(q) - kept)",
        "return n * 0.5 * math.log(q) - kept",
        density("MEAN"),
    ),
    Fault(
        "the cut-off is on the other side",
        CUT_OFF,
        "kept = log_kept(math.sqrt(q) * (mean - s.cut))",
        "kept = log_kept(math.sqrt(q) * (s.cut - mean))",
        density("MEAN"),
    ),
    Fault(
        "the cut-off forgets the spread",
        CUT_OFF,
        "kept = log_kept(math.sqrt(q) * (mean - s.cut))",
        "kept = log_kept(mean - s.cut)",
        density("SPREAD"),
    ),
    Fault(
        "scores lack the distance of their mean",
        CUT_OFF,
        "0.5 * q * (s.squares[k] + n * away * away)",
        "0.5 * q * s.squares[k]",
        density("MEAN"),
    ),
    Fault(
        "the far tail lacks its series",
        CUT_OFF,
        " + math.log1p(-w * (1 - 3 * w * (1 - 5 * w)))",
        "",
        KEPT + "[-30.001]",
    ),
]
