"""Starting: effects close to a draw of an earlier fit of fewer data, by the names of terms and columns.

Effects of levels that are new, such as a site, and of new species are drawn from the prior given the rest.
"""

from __future__ import annotations

import numpy as np

from ....common.ragged import Floats, Ints
from ...earlier import Earlier
from ...variables import Variable
from .terms import Effects, Pool


def effects_from(
    rng: np.random.Generator,
    pool: Pool,
    sizes: Ints,
    kept: tuple[Ints, Ints],
    variables: dict[str, Variable],
    earlier: Earlier,
) -> Effects:
    """Return the effects of species on terms of these `sizes`, the intercept first.

    `kept` are the places of terms and of columns as they are kept, by the names that `variables` have.
    """
    terms, columns = kept
    place = earlier.places("effect_scale", variables["effect_scale"].names)
    scale = np.full(len(sizes), earlier.number("intercept_spread"))
    scale[terms] = np.where(place >= 0, earlier.values["effect_scale"][place], 0.5 * pool.scale[terms])
    place = earlier.places("common_effect", variables["common_effect"].names)
    common = pool.mean + pool.sd * rng.standard_normal(len(pool.mean))
    common[0] = earlier.number("intercept_mean")
    common[columns] = np.where(place >= 0, earlier.values["common_effect"][place], common[columns])
    noise = rng.standard_normal((len(earlier.species), len(common)))
    effect = common + np.repeat(scale, sizes) * noise
    effect[:, 0] = earlier.by_species("intercept", effect[:, 0])
    if earlier.has("context_effect"):
        known = earlier.by_species("context_effect", _every(earlier, effect[:, 0]))[place].T
        there = (place >= 0) & (earlier.species >= 0)[:, None]
        effect[:, columns] = np.where(there, known, effect[:, columns])
    return Effects(effect, common, scale)


def _every(earlier: Earlier, by_species: Floats) -> Floats:
    """Return something in the place of effects on new species, which are not used."""
    return np.broadcast_to(by_species, (len(earlier.values["context_effect"]), len(by_species)))
