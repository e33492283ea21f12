"""Faults in unsure marks that are votes."""

from __future__ import annotations

from .fault import JOINT, TESTS, Fault, case, step

UNSURE, KINDS, RATES, DESIGN = "expertise/unsure.py", "expertise/kinds.py", "rates.py", "design.py"
REFLECTED, SHIFTED = "expertise/summed_out/reflected.py", "expertise/summed_out/shifted.py"
STEP, FEW = step("step of unsure marks"), step("step of unsure marks without any")
RATE = step("rates with presence summed out, unsure marks")
ANNOTATOR = step("annotators with presence summed out, unsure marks")
HERE = TESTS + "unsure.py::test_"
CELLS = HERE + "each_cell_is_present_as_often_as_it_should_be[by species]"
FAINT, LISTED = HERE + "marks_on_faint_birds", HERE + "cells_with_a_mark_are_listed_with_both_its_votes"
MOVES = HERE + "votes_on_species_that_move_become_more_likely_by_as_much_as_they_do[1]"
TRIALS = HERE + "reports_and_silences_are_two_kinds_of_trials"
LOOPS = HERE + "predictions_are_those_of_loops[3-faint0]"
REFINED = TESTS + "reflected.py::test_refine_keeps_the_density_of_rates_given_votes_and_silent_cells[0.7]"
EVERYTHING = case(JOINT, "mixture, per annotator and species, difficulty, faint and unsure, learned")

FAULTS = [
    Fault(
        "the step has a weaker prior",
        UNSURE,
        "- 0.5 * (step / scale) ** 2",
        "- 0.4 * (step / scale) ** 2",
        FEW,
    ),
    Fault(
        "the step is drawn as if on the scale of logarithms",
        UNSURE,
        "** 2 + at - step",
        "** 2",
        STEP,
    ),
    Fault(
        "marks do not count for the step",
        UNSURE,
        "total = marks * at",
        "total = 0 * at",
        STEP,
    ),
    Fault(
        "silences on faint birds count for the step as all others",
        UNSURE,
        "odds = math.exp(inside_logit(logit[rate])) * factor[at]",
        "odds = math.exp(inside_logit(logit[rate]))",
        STEP,
    ),
    Fault(
        "silences have the factor of the step, less one",
        KINDS,
        "factor[at] *= 1 + unsure",
        "factor[at] *= unsure",
        TRIALS,
    ),
    Fault(
        "of rates without a report, silences count as reports",
        KINDS,
        "number[at], silent[at] = times, quiet",
        "number[at], silent[at] = times, quiet and reports[rate] > 0",
        TRIALS,
    ),
    Fault(
        "silences on faint birds count as reports",
        KINDS,
        "pack_vote(drawn[v], said if apart else 1)",
        "pack_vote(drawn[v], 1)",
        EVERYTHING,
    ),
    Fault(
        "how audible birds are is drawn as if marks were reports alone",
        "expertise/by_cell.py",
        "add_vote(one, factor, by_rate, over, unsure, code, False)",
        "add_vote(one, factor, by_rate, over, 0.0, code, False)",
        HERE + "marks_and_silences_tell_how_audible_a_bird_is",
    ),
    Fault(
        "silence says what it does without unsure marks",
        RATES,
        "return (1 - probability) / (1 + unsure * probability)",
        "return 1 - probability",
        CELLS,
    ),
    Fault(
        "silence says so too where rates are logits",
        RATES,
        "(1 + wider * wrong) / (1 + wider * there)",
        "(1 + wrong) / (1 + there)",
        MOVES,
    ),
    Fault(
        "silence on a faint bird says what it does without unsure marks",
        "audibility.py",
        "odds *= 1 + unsure",
        "odds *= 1.0",
        FAINT,
    ),
    Fault(
        "silence on no bird says so, where birds may be faint",
        "audibility.py",
        "quiet = silence_of(q, says.unsure)",
        "quiet = 1 - q",
        FAINT,
    ),
    Fault(
        "a mark is two reports",
        DESIGN,
        "said[np.cumsum(twice)[twice == 2] - 1] = False",
        "said[np.cumsum(twice)[twice == 2] - 1] = True",
        LISTED,
    ),
    Fault(
        "the silences of marks are not among all",
        DESIGN,
        "Totals(reports, self.sure.silences + marks)",
        "Totals(reports, self.sure.silences)",
        HERE + "votes_and_marks_are_counted_by_truth",
    ),
    Fault(
        "rates that move with presence summed out take marks for reports",
        REFLECTED,
        "term[MARK] = term[SILENCE] * term[REPORT]",
        "term[MARK] = term[REPORT]",
        RATE,
    ),
    Fault(
        "rates that move with presence summed out forget the step",
        REFLECTED,
        "wider = (1 + unsure) * odds",
        "wider = odds",
        RATE,
    ),
    Fault(
        "marks are gone where presence is summed out",
        REFLECTED,
        "np.isin(key, key[report == 0])] = MARK",
        "np.isin(key, key[report == 0])] = REPORT",
        REFINED,
    ),
    Fault(
        "annotators that move with presence summed out take marks for reports",
        SHIFTED,
        "ratio[MARK] = ratio[REPORT] * ratio[SILENCE]",
        "ratio[MARK] = ratio[REPORT]",
        ANNOTATOR,
    ),
    Fault(
        "annotators that move with presence summed out forget the step in silent cells",
        SHIFTED,
        "log_one_plus(wider * odds[p] * times)",
        "log_one_plus(odds[p] * times)",
        ANNOTATOR,
    ),
    Fault(
        "species move as if silence were what it is without unsure marks",
        "together/species.py",
        "log_expit(-x - math.log1p(unsure))",
        "log_expit(-x)",
        MOVES,
    ),
    Fault(
        "predictions take a mark for two reports",
        "predictive/cell_votes.py",
        "code[found] = pack_vote(rate, 0)",
        "code[found] = pack_vote(rate, 1)",
        LOOPS,
    ),
    Fault(
        "the likelihood leaves out the constant of marks",
        "predictive/likelihood.py",
        "found[marked] += marks[marked, None]",
        "found[marked] += 0 * marks[marked, None]",
        LOOPS,
    ),
]
