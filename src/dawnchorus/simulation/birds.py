"""Birds of the simulated portal: which species sing at which site and hour, and how common they are.

Presence of species k in a recording at site s and hour h is Bernoulli with p = 1 − exp(−rate),

    rate[s, h, k] = c · popularity[k] · affinity[s, k] · song[h, k],

where popularity[k] is proportional to 1/rank. A Poisson number with mean `rate` is positive with exactly
the probability p, independently over cells. So the total number of events of a species at a site and hour is
drawn from a Poisson distribution, and each event is assigned to a random recording there; a species is
present where it has at least one event. This needs no array of recordings × species. False reports are drawn
in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from ..common.errors import AnnotationError
from ..common.ragged import Floats, Ints, Ragged

MOST_RATE = 3.0
"""The largest rate, so that no species has a probability of presence above 1 − exp(−3), or 95 %."""


@dataclass(frozen=True)
class Birds:
    """How often each species sings: overall, at each site, and at each hour."""

    popularity: Floats
    affinity: Floats
    """By site and species."""
    song: Floats
    """By hour and species."""
    scale: float = 1.0

    @classmethod
    def draw(cls, rng: np.random.Generator, sites: int, species: int) -> Birds:
        """Draw how often species sing, before it is known how common they are."""
        affinity = rng.lognormal(-0.5, 1.0, size=(sites, species))
        morning = rng.random(species) < 0.85
        peak = np.where(morning, rng.normal(5.0, 2.0, species), rng.uniform(0, 24, species))
        angle = 2 * np.pi * (np.arange(24)[:, None] - peak) / 24
        song = np.exp(rng.uniform(0.5, 3.0, species) * (np.cos(angle) - 1))
        return cls(zipf(species), affinity, song)

    def as_common_as(self, expected: float, times: Floats) -> Birds:
        """Return the birds with so many species in a recording; `times` has recordings by site and hour."""

        def mean_present(scale: float) -> float:
            return float(replace(self, scale=scale).occurrence(times).sum())

        return replace(self, scale=solved(mean_present, expected, "species in a recording"))

    def occurrence(self, times: Floats) -> Floats:
        """Return the probability of each species in a recording, over all sites and hours."""
        each = [times[s] @ -np.expm1(-self._rates(s, slice(None))) for s in range(len(times))]
        return np.asarray(np.sum(each, axis=0) / times.sum())

    def present(self, rng: np.random.Generator, site: Ints, hour: Ints) -> Ragged:
        """Draw which species are present in recordings at these sites and hours."""
        species, context = len(self.popularity), site * 24 + hour
        order = np.argsort(context, kind="stable")
        starts = np.searchsorted(context[order], np.arange(len(self.affinity) * 24 + 1))
        found_recording, found_species = [], []
        for c in map(int, np.flatnonzero(np.diff(starts))):
            members = order[starts[c] : starts[c + 1]]
            hits = rng.poisson(self._rates(c // 24, c % 24) * len(members))
            found_species.append(np.repeat(np.arange(species), hits))
            found_recording.append(members[rng.integers(len(members), size=hits.sum())])
        return Ragged.from_pairs(
            np.concatenate(found_recording), np.concatenate(found_species), rows=len(site)
        )

    def _rates(self, site: int, hour: int | slice) -> Floats:
        rates = self.scale * self.popularity * self.affinity[site] * self.song[hour]
        return np.asarray(np.minimum(rates, MOST_RATE))


def zipf(number: int) -> Floats:
    """Return shares that are proportional to 1/rank."""
    weight = 1.0 / np.arange(1, number + 1)
    return np.asarray(weight / weight.sum())


def solved(mean: Callable[[float], float], wanted: float, what: str) -> float:
    """Return the scale at which the mean, which grows with the scale, has the wanted value."""
    if wanted <= 0:
        return 0.0
    high = 1.0
    while mean(high) < wanted:
        high *= 4
        if high > 1e9:
            raise AnnotationError(f"{wanted} {what} are more than possible", "give a smaller number")
    return float(brentq(lambda scale: mean(scale) - wanted, 0.0, high, rtol=1e-4))


def _dawn() -> Floats:
    weight = 1 + 2 * np.exp(-0.5 * ((np.arange(24) - 5) / 2.0) ** 2)
    return np.asarray(weight / weight.sum())


HOUR_SHARES = _dawn()
"""The share of recordings at each hour of the day, which is highest at dawn."""
