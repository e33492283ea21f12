"""Many votes are not many witnesses: pictures that 39 people judge; see docs/models/deceptive.md.

python benchmarks/many_votes.py
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

import dawnchorus as dc

PICTURES, PEOPLE, PICTURES_DIFFER, PEOPLE_DIFFER = 108, 39, 1.5, 0.75
MODELS = [{}, {"faint": True}, {"deceptive": True}, {"faint": True, "deceptive": True}]


def simulated(seed: int) -> tuple[dc.Annotations, np.ndarray]:
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
    return dc.Annotations.from_frame(frame, absence="explicit"), present


def main() -> None:
    """Print log scores and how often the more probable answer is right, by data set and model."""
    warnings.simplefilter("ignore")
    for seed in range(3):
        annotations, present = simulated(seed)
        for parts in MODELS:
            posterior = dc.fit(annotations, **parts, priors="learned", draws=800, min_ess=None, seed=1)
            p = posterior.presence().set_index("recording")["probability"].sort_index().clip(1e-6, 1 - 1e-6)
            score = -np.where(present, np.log(p), np.log1p(-p)).mean()
            right = ((p > 0.5) == present).mean()
            rhat = posterior.diagnostics.max_rhat
            print(f"{seed}, {parts}: log score {score:.3f}, right {right:.3f}, R-hat {rhat:.2f}", flush=True)


if __name__ == "__main__":
    main()
