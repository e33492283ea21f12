"""Faults in what species have in common for all annotators."""

from __future__ import annotations

from .fault import EXACT, TESTS, Fault, case, step

DIFFICULTY, LOGITS, INTERWEAVING = (
    f"expertise/logits/{name}.py" for name in ("difficulty", "draws", "interweaving")
)
SHIFTS, SCALE, STRETCHED, BALANCE = (
    step(name)
    for name in ("shifts of species", "scale of shifts", "scale with its shifts", "from levels to shifts")
)
ALL = TESTS + "logits.py::test_updates_keep_the_prior_while_counts_come_and_go"
SPECIES, MORE_LIKELY = (
    "together/species.py",
    TESTS + "species_moves.py::test_votes_become_more_likely_by_as_much_as_they_do",
)
MOVES = TESTS + "species_moves.py::test_moves_keep_the_prior_given_votes"
ONE_BY_ONE = TESTS + "species_moves.py::test_several_moves_at_once_are_as_many_moves_one_by_one"
BALANCED, RATIOS = MOVES, "presence/recording_ratios.py"
HARD = case(EXACT, "independent, per annotator and species, difficulty")

FAULTS = [
    Fault(
        "logits are drawn around the level alone",
        LOGITS,
        "mean = level[j] + offset[p]",
        "mean = level[j] + 0.8 * offset[p]",
        step("logits"),
    ),
    Fault(
        "levels are drawn with the shifts of species in them",
        LOGITS,
        "total[owner[p]] += x[p] - offset_of(trials.offset, p)",
        "total[owner[p]] += x[p] - 0.8 * offset_of(trials.offset, p)",
        step("levels"),
    ),
    Fault(
        "the spread counts the shifts of species",
        LOGITS,
        "away = x[p] - level[owner[p]] - offset_of(trials.offset, p)",
        "away = x[p] - level[owner[p]] - 0.9 * offset_of(trials.offset, p)",
        step("spread"),
    ),
    Fault(
        "own spreads count the shifts of species",
        "expertise/logits/unevenness.py",
        "squares += ((x[p] - level[j] - offset_of(trials.offset, p)) / spread) ** 2",
        "squares += ((x[p] - level[j] - 0.8 * offset_of(trials.offset, p)) / spread) ** 2",
        step("own spreads"),
    ),
    Fault(
        "logits without a trial are drawn around the level alone",
        LOGITS,
        "centre = level[owner[p]] + offset_of(trials.offset, p)",
        "centre = level[owner[p]]",
        step("logits without a trial"),
    ),
    Fault(
        "informed logits hold their level back without regard to their species",
        INTERWEAVING,
        "pull += close * (x[p] - level[owner[p]] - offset_of(offset, p))",
        "pull += close * (x[p] - level[owner[p]])",
        step("levels with their logits"),
    ),
    Fault(
        "logits follow the spread from their level, not from their centre",
        "expertise/logits/stretching.py",
        "            centre, wider = level[j] + offset_of(offset, p), before * over",
        "            centre, wider = level[j] + 0.8 * offset_of(offset, p), before * over",
        step("spread with its logits"),
    ),
    Fault(
        "rates with presence summed out forget their species",
        "expertise/summed_out/reflected.py",
        "level[owner[place]] + offset_of(offset, rate)",
        "level[owner[place]] + 0.8 * offset_of(offset, rate)",
        step("rates with presence summed out"),
    ),
    Fault(
        "shifts have a weaker prior",
        DIFFICULTY,
        "total, precision = 0.0, scale**-2",
        "total, precision = 0.0, 0.8 * scale**-2",
        SHIFTS,
    ),
    Fault(
        "shifts count logits without a trial",
        DIFFICULTY,
        "            if n[p] > 0:\n                tight = (spread * own[owner[p]]) ** -2\n"
        "                total += tight * (x[p]",
        "            if n[p] >= 0:\n                tight = (spread * own[owner[p]]) ** -2\n"
        "                total += tight * (x[p]",
        SHIFTS,
    ),
    Fault(
        "shifts forget that annotators differ in their spread",
        DIFFICULTY,
        "                tight = (spread * own[owner[p]]) ** -2\n                total += tight * (x[p]",
        "                tight = spread**-2\n                total += tight * (x[p]",
        SHIFTS,
    ),
    Fault(
        "the scale counts species without a trial",
        DIFFICULTY,
        "if _tried(trials, shifts, k):",
        "if True:",
        SCALE,
    ),
    Fault(
        "the scale of shifts counts one species more",
        DIFFICULTY,
        "squares, count = 0.0, 0",
        "squares, count = 0.0, 1",
        SCALE,
    ),
    Fault(
        "the prior of the scale does not hold it back when shifts follow it",
        DIFFICULTY,
        "total, precision = 0.0, shifts.scale**-2",
        "total, precision = 0.0, 0.0",
        STRETCHED,
    ),
    Fault(
        "shifts that follow their scale are told their own square once",
        DIFFICULTY,
        "precision += tight * z * z",
        "precision += tight * abs(z)",
        STRETCHED,
    ),
    Fault(
        "shifts do not change their sign with their scale",
        DIFFICULTY,
        "_move(trials, shifts, k, shifts.shift[k] * (new / scale - 1))",
        "_move(trials, shifts, k, shifts.shift[k] * (abs(new) / scale - 1))",
        STRETCHED,
    ),
    Fault(
        "what levels gain, shifts lose twice",
        DIFFICULTY,
        "_move(trials, shifts, k, -move)",
        "_move(trials, shifts, k, -2 * move)",
        BALANCE,
    ),
    Fault(
        "levels gain from shifts without regard to their own prior",
        DIFFICULTY,
        "total = np.sum(mean - level) / sd**2",
        "total = 0.0 * np.sum(mean - level) / sd**2",
        BALANCE,
    ),
    Fault(
        "shifts that move with their logits have a weaker prior",
        DIFFICULTY,
        "away = shifts.shift[k] / scale",
        "away = 0.7 * shifts.shift[k] / scale",
        step("shifts with their logits"),
    ),
    Fault(
        "offsets do not follow shifts",
        DIFFICULTY,
        "trials.offset[p] = shifts.shift[k]",
        "trials.offset[p] += move * (k > 0)",
        ALL,
    ),
    Fault(
        "rates are kept around other shifts than those that were drawn",
        "expertise/sides.py",
        "return self.shift[design.pairs.item] if len(self.shift) else NONE",
        "return self.shift[::-1][design.pairs.item] if len(self.shift) else NONE",
        HARD,
    ),
    Fault(
        "votes on absent species do not become less likely when false positive rates move",
        SPECIES,
        "each = reports * log_expit(x)",
        "each = 0.9 * reports * log_expit(x)",
        case(MORE_LIKELY, "1-False-False"),
    ),
    Fault(
        "silences do not count when false positive rates move",
        SPECIES,
        "+ silences * log_expit(-x - math.log1p(unsure))",
        "",
        case(MORE_LIKELY, "1-False-False"),
    ),
    Fault(
        "cells forget how likely absence was",
        SPECIES,
        "product *= (1 + v) * (1 + before) / ((1 + w) * (1 + after))",
        "product *= (1 + v) / (1 + w)",
        case(MORE_LIKELY, "0-False-False"),
    ),
    Fault(
        "reported cells are taken for silent ones",
        RATIOS,
        "out[i] = _with_further(w, further, cell)",
        "out[i] = _with_further(out[i], further, cell)",
        case(MORE_LIKELY, "0-False-False"),
    ),
    Fault(
        "moved species forget the prior of their occurrence",
        SPECIES,
        "gain = gain + occurrence.raised(states[0], species, back)[1]",
        "gain = gain + 0.0",
        MOVES,
    ),
    Fault(
        "species that did not move are moved all the same",
        SPECIES,
        "moved = rng.standard_exponential(len(species)) > -gain",
        "moved = gain == gain",
        MOVES,
    ),
    Fault(
        "moves that keep the number of reports forget by how much volumes grow",
        SPECIES,
        "gain = gain + volume",
        "gain = gain + np.where(np.isfinite(volume), 0.0, volume)",
        BALANCED,
    ),
    Fault(
        "log-odds are balanced as if odds were small",
        SPECIES,
        "step += (wanted - found) / max(slope, 1e-300)",
        "break",
        TESTS + "species_moves.py::test_balanced_steps_lead_to_as_many_presences_as_wanted",
    ),
    Fault(
        "a second move forgets the first",
        SPECIES,
        "times = np.where(moved, times * np.exp(back), times)",
        "times = times + 0.0",
        ONE_BY_ONE,
    ),
    Fault(
        "what votes say of a species that moved is what they said before",
        SPECIES,
        "one[moved] = other[moved]",
        "one[moved] = one[moved]",
        ONE_BY_ONE,
    ),
    Fault(
        "moved species forget the prior of their shift",
        "expertise/per_annotator_species.py",
        "(now**2 - new**2) / (2 * one.hard**2)",
        "(now**2 - new**2) / (20 * one.hard**2)",
        MOVES,
    ),
]
