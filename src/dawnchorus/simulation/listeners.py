"""Listeners of the simulated portal: what they know, and what they report of what is there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, logit

from ..common.ragged import Bools, Floats, Ints, Ragged
from .birds import solved, zipf

KNOWN_SHARE = (0.35, 0.6, 0.85, 1.0)
"""The share of all species, starting with the most common, that annotators of level 1 to 4 answer for."""
TYPICAL_SKILL = (0.4, 1.0, 1.7, 2.4)
"""The typical logit of the true positive rate, by level."""
BLOCK = 1000
"""So many recordings are gone through at a time."""
NOBODY = np.zeros(0, np.int64)
VARIANTS = 3
"""The number of different species lists among annotators of one level."""


@dataclass(frozen=True)
class Listeners:
    """What each annotator does: how often they visit, which species they know, and how they err."""

    level: Ints
    activity: Floats
    scopes: Ragged
    scope: Ints
    skill: Floats
    ease: Floats
    false: Floats
    tempting: Floats

    @classmethod
    def draw(cls, rng: np.random.Generator, annotators: int, species: int, false_reports: float) -> Listeners:
        """Draw annotators."""
        level = rng.choice(4, size=annotators, p=(0.2, 0.35, 0.3, 0.15))
        lists = []
        for share in KNOWN_SHARE:
            common = max(round(share * species), 1)
            for _ in range(VARIANTS):
                kept = rng.random(common) < 0.95
                kept[0] = True
                lists.append(np.flatnonzero(kept))
        tempting = np.arange(1, species + 1) ** -0.5  # false reports are more often of common species
        return cls(
            level=level,
            activity=zipf(annotators),
            scopes=Ragged.from_sizes([len(x) for x in lists], np.concatenate(lists)),
            scope=level * VARIANTS + rng.integers(VARIANTS, size=annotators),
            skill=rng.normal(np.array(TYPICAL_SKILL)[level], 0.5),
            ease=rng.normal(0.0, 0.7, size=species),
            false=false_reports * rng.lognormal(-0.32, 0.8, size=annotators),
            tempting=tempting / tempting.sum(),
        )

    def mean_fpr(self) -> Floats:
        """Return the mean false positive rate of each annotator over the species in their scope."""
        total = self.scopes.to_csr(len(self.tempting)) @ self.tempting
        return self.false * (total / self.scopes.sizes)[self.scope]


def heard(
    rng: np.random.Generator,
    who: Listeners,
    annotator: Ints,
    seen: Ragged,
    recording: Ints,
    faintness: float,
) -> tuple[Bools, tuple[Ints, Floats], Floats]:
    """Return which present species each visit reports, the TPRs of pairs, and the annotators' mean TPRs.

    `recording` and `annotator` are those of each visit.
    """
    j = annotator[seen.row_of_item()]
    pair, which = np.unique(j * len(who.ease) + seen.item, return_inverse=True)
    pair_j, pair_k = np.divmod(pair, len(who.ease))
    skill = rng.normal(who.skill[pair_j] + who.ease[pair_k], 0.7)
    loud, of_pair = np.zeros(len(which)), expit(skill)
    if faintness > 0:
        birds, bird = np.unique(
            recording[seen.row_of_item()] * len(who.ease) + seen.item, return_inverse=True
        )
        loud = rng.normal(0, faintness, len(birds))[bird]
        of_pair = over_all_birds(skill, faintness)
    tpr = of_pair[which]
    met = np.bincount(j, minlength=len(who.skill))
    mean = np.full(len(met), np.nan)  # NaN for annotators who could not hear any present species
    np.divide(np.bincount(j, weights=tpr, minlength=len(met)), met, out=mean, where=met > 0)
    return rng.random(len(which)) < expit(skill[which] + loud), (pair, of_pair), mean


def over_all_birds(skill: Floats, faintness: float) -> Floats:
    """Return true positive rates over loud and faint birds.

    >>> over_all_birds(np.array([0.0, 2.0]), 3.0).round(2).tolist()
    [0.5, 0.72]
    """
    z, weight = hermegauss(40)
    return np.asarray(expit(skill[:, None] + faintness * z) @ (weight / weight.sum()))


def misled(
    rng: np.random.Generator, who: Listeners, annotator: Ints, recording: Ints, deception: float
) -> tuple[Ints, Ints]:
    """Return visits and species in their scope that they would report, were these absent.

    In each recording, what a species may be taken from misleads all who visit it by the same logit. False
    positive rates over all recordings are those of `hits_in_scope`.
    """
    logits = np.linspace(-40, 10, 2001)
    over_all = logit(over_all_birds(logits, deception))
    scopes = who.scopes.to_csr(len(who.tempting)).toarray() > 0
    found = []
    for first in range(0, int(recording.max(initial=-1)) + 1, BLOCK):
        here = np.flatnonzero((recording >= first) & (recording < first + BLOCK))
        rate = -np.expm1(-who.false[annotator[here], None] * who.tempting)
        x = np.interp(logit(np.maximum(rate, 1e-12)), over_all, logits)
        x += deception * rng.standard_normal((BLOCK, len(who.tempting)))[recording[here] - first]
        wrong = (rng.random(x.shape) < expit(x)) & scopes[who.scope[annotator[here]]]
        row, species = np.nonzero(wrong)
        found.append((here[row], species))
    visit, invented = (np.concatenate(part) for part in zip((NOBODY, NOBODY), *found, strict=True))
    return visit, invented


def taken_for_others(
    rng: np.random.Generator, who: Listeners, annotator: Ints, seen: Ragged, confusion: float
) -> tuple[Bools, Ints]:
    """Return which present species are taken for their look-alike, and for which species these are."""
    alike = seen.item ^ 1  # 0 and 1, 2 and 3, …
    known = who.scopes.contains(who.scope[annotator[seen.row_of_item()]], alike)
    taken = known & (rng.random(len(alike)) < confusion)
    return taken, alike[taken]


def hits_in_scope(
    rng: np.random.Generator, who: Listeners, annotator: Ints, mean: Floats
) -> tuple[Ints, Ints]:
    """Draw species for each visit independently of presence, by a Poisson process; keep those in scope."""
    visit = np.repeat(np.arange(len(annotator)), rng.poisson(mean))
    species = rng.choice(len(who.tempting), size=len(visit), p=who.tempting)
    known = who.scopes.contains(who.scope[annotator[visit]], species)
    return visit[known], species[known]


def visit_rate(activity: Floats, visits: float) -> float:
    """Return the rate at which recordings have so many visits on average, each annotator at most one."""
    mean = partial(_expected_visits, activity)
    return solved(mean, visits, "visits to a recording")


def _expected_visits(activity: Floats, scale: float) -> float:
    return float(-np.expm1(-scale * activity).sum())


def drawn_visits(
    rng: np.random.Generator, recordings: int, activity: Floats, rate: float
) -> tuple[Ints, Ints]:
    """Draw visits as events of a Poisson process, so that pairs are visited independently of each other."""
    number = rng.poisson(recordings * rate)
    i = rng.integers(recordings, size=number)
    j = rng.choice(len(activity), size=number, p=activity)
    pairs = Ragged.from_pairs(i, j, rows=recordings)
    return pairs.row_of_item(), pairs.item.astype(np.int64)
