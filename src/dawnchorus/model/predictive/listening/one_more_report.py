"""One more report: the chance that a listener would report a species, given the votes on a cell, in one draw.

    P(report | votes) = P(present | votes) · tpr + (1 − P(present | votes)) · fpr

with the true and the false positive rate of the listener for this species in that draw. This is the only
place that knows how a further report depends on presence: the tables of what a listener would say and the
prediction of held-out visits both use it. A model in which reports of a present species depend on each other
given presence has to extend this function, and nothing else.
"""

from __future__ import annotations

import numpy as np

from ....common.compiled import compiled
from ....common.ragged import Floats, Ints


def chances_of_report(
    present: Floats, unit: Ints, listener: tuple[Floats, Floats, Ints], draws: Ints
) -> Floats:
    """Return the chance of one more report: rows × draws.

    Parameters
    ----------
    present
        The probability of presence given the votes: cells × draws.
    unit
        The cell of each row.
    listener
        True and false positive rates, all draws × rates, and which of these rates each row depends on.
    draws
        Which of all draws those of `present` are.
    """
    out = np.empty((len(unit), len(draws)), np.float32)
    _fill(present, unit, *listener, draws, out)
    return out


@compiled
def _fill(
    present: Floats, unit: Ints, tpr: Floats, fpr: Floats, rate: Ints, draws: Ints, out: Floats
) -> None:
    for row in range(len(unit)):
        for d in range(len(draws)):
            p = np.float64(present[unit[row], d])
            there, absent = tpr[draws[d], rate[row]], fpr[draws[d], rate[row]]
            out[row, d] = p * there + (1 - p) * absent
