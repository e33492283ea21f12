"""Usual: what is believed unless it is said, what is guessed, and an example of each prior for messages."""

from __future__ import annotations

from scipy.special import logit

from . import Beta, Gamma, HalfNormal, LearnedBeta, LearnedNormal, Normal

SPECIES_PER_RECORDING = 3.0
MOST_OCCURRENCE = 0.5
"""The largest share of the species that priors expect in a recording."""
SIGHTINGS = 2.0
MOST_RECORDINGS = 100.0
"""By default, the prior of occurrence weighs as much as the recordings that hold a species twice, if not more
than MOST_RECORDINGS."""
LEAST_GUESSED, MOST_GUESSED = 1e-4, 0.97
"""The least and the largest share of recordings with a species that is guessed from reports."""
MOST_TRIALS = 100.0
SPREAD, DIFFICULTY, FAINTNESS, SKILL = HalfNormal(2), HalfNormal(1), HalfNormal(2), HalfNormal(0.5)
DECEPTION, UNSURE_STEP, CONCENTRATION = HalfNormal(2), HalfNormal(1), Gamma(0.5, 0.5)
KNOWN_TPR, KNOWN_FPR = Beta.around(0.98, 100), Beta.around(0.002, 1000)
"""What is believed of spreads, of how far species differ for everyone, and birds in how audible and in how
deceptive they are, of what annotators say of themselves, of unsure marks, of how many components there are,
and of an expert who says what is known, unless it is said."""
EXAMPLES = {
    "occurrence": "dc.Beta.around(0.02, 100)",
    "tpr": "dc.Beta.around(0.8, 10)",
    "fpr": "dc.Beta.around(0.01, 100)",
    "tpr_level": "dc.Normal(1.4, 0.8)",
    "fpr_level": "dc.Normal(-4.6, 1)",
    "tpr_spread": "dc.HalfNormal(2)",
    "fpr_spread": "dc.HalfNormal(2)",
    "tpr_difficulty": "dc.HalfNormal(1)",
    "fpr_difficulty": "dc.HalfNormal(1)",
    "faintness": "dc.HalfNormal(2)",
    "deception": "dc.HalfNormal(2)",
    "unsure_step": "dc.HalfNormal(1)",
    "tpr_skill": "dc.HalfNormal(0.5)",
    "fpr_skill": "dc.HalfNormal(0.5)",
    "concentration": "dc.Gamma(0.5, 0.5)",
    "known_tpr": "dc.Beta.around(0.98, 100)",
    "known_fpr": "dc.Beta.around(0.002, 1000)",
}
"""A distribution for each field, for messages."""


def occurrence_from_reports(share: float) -> Beta:
    """Return a weak prior with about this mean: the commoner species are, the weaker, down to one recording.

    If species are nearly everywhere, it must not be against that, or all reports might as well be false.
    """
    mean = min(max(share, LEAST_GUESSED), MOST_GUESSED)
    return Beta.around(mean, min(max(SIGHTINGS * (1 - mean) / mean, 1.0), MOST_RECORDINGS))


def trials_with_one(rate: float) -> float:
    """Return in how many trials one success is expected at this rate, at most MOST_TRIALS.

    Worth so many trials, a guess may be ten times too large: the votes of an annotator outweigh it.
    """
    return min(1 / rate, MOST_TRIALS) if rate > 0 else MOST_TRIALS


def level_around(guess: float, strength: float) -> Normal:
    """Return the prior of levels of rates, from a guess of the rate, worth so many trials.

    It is never wider than that of a single success, or failure. Fewer trials than one expects to see it in
    would make all rates from 0 to 1 about as likely, and then absent and present could be mistaken for each
    other.
    """
    return Beta.around(guess, max(strength, 1 / min(guess, 1 - guess))).on_logits()


def learned_tpr(guess: float) -> LearnedBeta:
    """Return the prior of true positive rates that is learned, from a guess of the rate."""
    return LearnedBeta(guess, width=1, factor=3)


def learned_tpr_level(guess: float, **options: float) -> LearnedNormal:
    """Return the prior of levels of true positive rates that are learned, from a guess of the rate."""
    return LearnedNormal(float(logit(guess)), width=1, **options)
