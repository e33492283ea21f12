"""The possible votes, the possible meanings of silence about a species, and what a score is."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import expit, logit

from ..common.ragged import Floats

Absence = Literal["explicit", "scope", "checklist"]
ScoreScale = Literal["probability", "logit"]

ABSENT, PRESENT, UNSURE = 0, 1, 2

VOTES = dict.fromkeys(("1", "1.0", "true", "yes", "present"), PRESENT)
VOTES |= dict.fromkeys(("0", "0.0", "false", "no", "absent"), ABSENT)
VOTES |= dict.fromkeys(("", "unsure"), UNSURE)
"""What the texts in a column of votes mean."""
CLIP = 1e-4
"""Scores that are probabilities count as at least this, and at most 1 minus this: 0 and 1 have no logit."""


def logits_of(scores: Floats, scale: str) -> Floats:
    """Return scores as logits.

    >>> logits_of(np.array([0.5, 1.0]), "probability").round(2).tolist()
    [0.0, 9.21]
    """
    return np.asarray(logit(np.clip(scores, CLIP, 1 - CLIP))) if scale == "probability" else scores


def scores_of_logits(logits: Floats, scale: str) -> Floats:
    """Return logits as scores on this scale, as users know them."""
    return np.asarray(expit(logits)) if scale == "probability" else logits
