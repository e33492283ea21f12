"""Faults in how deceptive absent birds are."""

from __future__ import annotations

from .fault import TESTS, Fault, step

LINKED, SILENCES = "expertise/deceptive/linked.py", "expertise/deceptive/silences.py"
DRAWS, AUDIBILITY = "expertise/deceptive/draws.py", "audibility.py"
CELLS, TRIALS, ODD = step("linked cells"), step("trials of linked cells"), step("odd silences")
REPORTED, SILENT = step("reported cells, deceptive birds"), step("silent cells, candidates, deceptive birds")
SPREAD = step("how far absent birds differ")
MORE_LIKELY = TESTS + "species_moves.py::test_votes_become_more_likely_by_as_much_as_they_do"

FAULTS = [
    Fault(
        "votes on a reported cell that is absent are independent of each other",
        AUDIBILITY,
        "return _scaled(says.present.room.sum() / says.gone.room.sum(), far)",
        "return _scaled(says.present.room.sum(), far)",
        REPORTED,
    ),
    Fault(
        "one vote forgets that absent birds differ",
        AUDIBILITY,
        "quiet, q = over_classes(wrong, says.gone.classes, says.unsure)",
        "quiet, q = 1 / (1 + wrong), wrong / (1 + wrong)",
        SILENT,
    ),
    Fault(
        "silences on an absent cell do not count",
        "presence/silent.py",
        "w /= few_votes(gone, gone_share, of_gone, gone_by_rate, over, marks, codes, 0, voters)",
        "w /= 1.0",
        SILENT,
    ),
    Fault(
        "species move as if votes on absent birds were independent of each other",
        "together/species.py",
        "product *= then.together[place, i] / now.together[place, i]",
        "product *= 1.0",
        MORE_LIKELY,
    ),
    Fault(
        "cells are linked as often as they are candidates",
        LINKED,
        "if rng.random() * -math.expm1(others) < excess / (LARGE ** float(-far) + excess):",
        "if rng.random() < excess / (LARGE ** float(-far) + excess):",
        CELLS,
    ),
    Fault(
        "the odds that a cell is linked are taken for the probability",
        LINKED,
        "if rng.random() * -math.expm1(others) < excess / (LARGE ** float(-far) + excess):",
        "if rng.random() * -math.expm1(others) < excess:",
        CELLS,
    ),
    Fault(
        "the first who voted makes candidates too, and the bound does not know",
        LINKED,
        "for other in range(visits.start[i], visit):  # noqa: SIM110",
        "for other in range(visits.start[i], visits.start[i + 1]):",
        CELLS,
    ),
    Fault(
        "the excess grows by the first silence of a cell",
        LINKED,
        "excess += silences.classes.share[c] * so_far[c] * away[c]",
        "excess += silences.classes.share[c] * (0.1 + so_far[c]) * away[c] ** 2",
        CELLS,
    ),
    Fault(
        "silences so far are added and not multiplied",
        LINKED,
        "so_far[c] += away[c] * (unit + so_far[c])",
        "so_far[c] += away[c] * unit",
        CELLS,
    ),
    Fault(
        "the last two silences hang together, whichever they are",
        SILENCES,
        "if v > low and excess * LARGE ** float(far - last) >= wanted:",
        "if v == high - 1:",
        TRIALS,
    ),
    Fault(
        "classes of a linked cell are as common as each other",
        SILENCES,
        "both = silences.classes.share[r] * silences.classes.share[s]",
        "both = 1.0",
        TRIALS,
    ),
    Fault(
        "the first silence of a linked cell is always one of the two",
        SILENCES,
        "if rng.random() * total < new:",
        "if v == low:",
        TRIALS,
    ),
    Fault(
        "silences between the two are of the first class",
        SILENCES,
        "if v >= first:",
        "if v == first or v == k:",
        TRIALS,
    ),
    Fault(
        "silences of a linked cell count among the others too",
        SILENCES,
        "plain[of] -= 1",
        "plain[of] -= 0",
        TRIALS,
    ),
    Fault(
        "odd silences have one trial of the mean factor",
        SILENCES,
        "plain[p] += odd[p]",
        "plain[p] += 0 * odd[p]",
        ODD,
    ),
    Fault(
        "odd silences are of all classes alike",
        SILENCES,
        "weight[c] = share[c] * away * away / (1 + factor[c] * y)",
        "weight[c] = share[c] * away * away / (1 + mean * y)",
        ODD,
    ),
    Fault(
        "the spread of absent birds forgets linked cells",
        DRAWS,
        "return listed + _log_silences(silent, silences) + log_excess(silences, linked)",
        "return listed + _log_silences(silent, silences)",
        SPREAD,
    ),
    Fault(
        "the spread of absent birds forgets silences",
        DRAWS,
        "return listed + _log_silences(silent, silences) + log_excess(silences, linked)",
        "return listed + log_excess(silences, linked)",
        SPREAD,
    ),
]
