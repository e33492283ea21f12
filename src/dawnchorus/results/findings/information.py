"""Information: what one more vote is expected to tell, and which cells are in doubt."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from ...common.ragged import Bools, Floats

DOUBT = (0.1, 0.9)
"""A cell is in doubt if its probability is between these."""


def expected_information(probability: Floats, tpr: Floats, fpr: Floats) -> Floats:
    """Return the mutual information of presence and a vote with these rates, in bits.

    I = H(p · tpr + (1 − p) · fpr) − p · H(tpr) − (1 − p) · H(fpr), with H the entropy of yes or no.

    Examples
    --------
    >>> expected_information(np.array([0.5, 0.5]), np.array([1.0, 0.3]), np.array([0.0, 0.3]))
    array([1., 0.])
    """
    p = np.asarray(probability, float)
    return _bits(p * tpr + (1 - p) * fpr) - p * _bits(tpr) - (1 - p) * _bits(fpr)


def in_doubt(probability: Floats) -> Bools:
    """Return which probabilities are in doubt: between 0.1 and 0.9."""
    return (probability > DOUBT[0]) & (probability < DOUBT[1])


def _bits(p: Floats) -> Floats:
    return (entr(p) + entr(1 - p)) / np.log(2)
