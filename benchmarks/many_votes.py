"""Many votes are not many witnesses: pictures that 39 people judge; see docs/models/deceptive.md.

python benchmarks/many_votes.py               # all models, three data sets
python benchmarks/many_votes.py 0 1 2 3       # faint and deceptive birds, these data sets
"""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logsumexp

import dawnchorus as dc
from dawnchorus.model.audibility import CLASSES, SHARE

PICTURES, PEOPLE, PICTURES_DIFFER, PEOPLE_DIFFER = 108, 39, 1.5, 0.75
BOTH = {"faint": True, "deceptive": True}
MODELS = [{}, {"faint": True}, {"deceptive": True}, BOTH]
DRAWS = 800


class Pictures(NamedTuple):
    """Votes on pictures of varying difficulty."""

    annotations: dc.Annotations
    present: np.ndarray
    """Which pictures show the bird."""
    best: np.ndarray
    """How probable that is, from the votes and the true parameters."""


def simulated(seed: int) -> Pictures:
    """Return votes on pictures of varying difficulty, and which of them show the bird."""
    rng = np.random.default_rng(seed)
    present = rng.random(PICTURES) < 0.5
    hard = rng.normal(0, PICTURES_DIFFER, PICTURES)
    skill = rng.normal(0, PEOPLE_DIFFER, (2, PEOPLE))
    z = np.random.default_rng(0).normal(0, np.hypot(PICTURES_DIFFER, PEOPLE_DIFFER), 20_000)
    tpr, fpr = (brentq(lambda x, r=rate: expit(x + z).mean() - r, -10, 10) for rate in (0.6, 0.3))
    x = np.where(present[:, None], tpr + skill[0], fpr + skill[1]) + hard[:, None]
    votes = rng.random(x.shape) < expit(x)
    rows = [(f"p{i:03}", f"a{j}", "bird", int(votes[i, j])) for i, j in np.ndindex(votes.shape)]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    log = [_log_votes(votes, level + own) for level, own in zip((tpr, fpr), skill, strict=True)]
    return Pictures(dc.Annotations.from_frame(frame, absence="explicit"), present, expit(log[0] - log[1]))


def _log_votes(votes: np.ndarray, logit: np.ndarray) -> np.ndarray:
    """Return the log probability of the votes on each picture, over pictures of any difficulty."""
    x = logit[:, None] + PICTURES_DIFFER * CLASSES
    by_class = np.where(votes[:, :, None], log_expit(x), log_expit(-x)).sum(axis=1)
    return logsumexp(by_class + np.log(SHARE), axis=1)


def log_score(probability: np.ndarray, present: np.ndarray) -> float:
    """Return the mean log score of probabilities; less is better."""
    p = np.clip(probability, 1e-6, 1 - 1e-6)
    return float(-np.where(present, np.log(p), np.log1p(-p)).mean())


def fitted(pictures: Pictures, parts: dict[str, bool], draws: int = DRAWS) -> tuple[np.ndarray, float]:
    """Return how probable the bird is in each picture, and the largest R-hat."""
    posterior = dc.fit(pictures.annotations, **parts, priors="learned", draws=draws, min_ess=None, seed=1)
    probability = posterior.presence().set_index("recording")["probability"].sort_index()
    return probability.to_numpy(), posterior.diagnostics.max_rhat


def main() -> None:
    """Print log scores and how often the more probable answer is right, by data set and model."""
    warnings.simplefilter("ignore")
    seeds = [int(seed) for seed in sys.argv[1:]]
    every = []
    for seed in seeds or range(3):
        pictures = simulated(seed)
        print(f"{seed}, true parameters: log score {log_score(pictures.best, pictures.present):.3f}")
        for parts in [BOTH] if seeds else MODELS:
            p, rhat = fitted(pictures, parts)
            score, right = log_score(p, pictures.present), ((p > 0.5) == pictures.present).mean()
            print(f"{seed}, {parts}: log score {score:.3f}, right {right:.3f}, R-hat {rhat:.2f}", flush=True)
            if parts == BOTH:
                every.append((p, pictures.present))
    p, present = (np.concatenate(part) for part in zip(*every, strict=True))
    print(f"{BOTH}, {len(every)} data sets: log score {log_score(p, present):.3f}")
    for low in np.arange(0, 1, 0.2):
        those = (p >= low) & (p < low + 0.2 + (low > 0.7))
        print(
            f"probability {p[those].mean():.2f}, present {present[those].mean():.2f}, {those.sum()} pictures"
        )


if __name__ == "__main__":
    main()
