"""Earlier: one draw of a fit of fewer data, from which a chain of a fit of all of them may start.

A side of a model that can start from one has a method `start_from`, beside `init`; a side without it starts
anew. Where a chain starts changes how soon it forgets its start, never what it converges to. So values need
not be exact: what is new, and what was not kept, is drawn from the prior given the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from ..common.ragged import Floats, Ints
from .design import Design


class Earlier(NamedTuple):
    """A draw of an earlier fit, and where annotators and species were then.

    Attributes
    ----------
    values
        The values of the variables, by name.
    names
        The names along the own dimension of a variable that has one: terms, effects, machines.
    design
        The design of the earlier fit.
    annotator, species
        The place that each annotator and each species had then; −1 if they are new.
    """

    values: Mapping[str, Floats]
    names: Mapping[str, tuple[str, ...]]
    design: Design
    annotator: Ints
    species: Ints

    def has(self, *names: str) -> bool:
        """Return whether there are values of all these variables."""
        return all(name in self.values for name in names)

    def number(self, name: str) -> float:
        """Return the value of a variable without dimensions."""
        return float(self.values[name])

    def by_annotator(self, name: str, new: Floats) -> Floats:
        """Return the values by annotator; those in `new` where the annotator is new."""
        return _with_new(self.values[name], self.annotator, new)

    def by_species(self, name: str, new: Floats) -> Floats:
        """Return the values by species, the last dimension; those in `new` where the species is new."""
        return _with_new(self.values[name], self.species, new)

    def by_rate(self, name: str, design: Design, new: Floats) -> Floats:
        """Return the values by annotator and species on their list; those in `new` where the pair is new."""
        annotator, species = self.annotator[design.rate_annotator], self.species[design.pairs.item]
        there = (annotator >= 0) & (species >= 0)
        place = np.where(
            there, self.design.pairs.find(*(np.maximum(of, 0) for of in (annotator, species))), -1
        )
        return _with_new(self.values[name], place, new)

    def places(self, name: str, wanted: tuple[str, ...]) -> Ints:
        """Return the places of these names along the own dimension of a variable; −1 where they are new."""
        return pd.Index(self.names[name], dtype=object).get_indexer(pd.Index(wanted, dtype=object))


@runtime_checkable
class StartsFromEarlier(Protocol):
    """A side of a model that can start from a draw of an earlier fit."""

    def start_from(self, rng: np.random.Generator, design: Design, chain: int, earlier: Earlier) -> Any:
        """Return a state to start from, as `init` does, close to a draw of an earlier fit of fewer data."""
        ...


def _with_new(values: Floats, place: Ints, new: Floats) -> Floats:
    """Return values at these places of the last dimension, as 64-bit numbers; `new` where that is −1."""
    if not values.shape[-1]:
        return np.array(new, np.float64)
    return np.where(place >= 0, np.asarray(values, np.float64)[..., np.maximum(place, 0)], new)
