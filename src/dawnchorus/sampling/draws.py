"""Draws: the plain draws of a fit, by variable. Everything in a posterior is computed from these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..common.ragged import Floats, Ints
from ..common.warn import warn
from ..model.variables import Dimension, Variable


@dataclass(frozen=True, eq=False)
class Draws(Mapping[str, Floats]):
    """Named arrays, chains × draws × the dimensions of the variable.

    Attributes
    ----------
    variables
        The variables as the model declares them.
    arrays
        The draws. Ragged variables are filled up with NaN.
    limited
        The places of the draws that variables with limited storage have.
    moments
        Mean and standard deviation over all sweeps of variables with limited storage, where not all of their
        draws are kept.
    acceptance
        Shares of proposals that were accepted in the sweep of each draw, by the name of the step.

    Examples
    --------
    >>> draws = Draws((Variable("tpr", ("annotator",), "rates"),), {"tpr": np.full((4, 100, 3), 0.5)})
    >>> draws.chains, draws.length, draws.flat("tpr").shape
    (4, 100, (400, 3))
    """

    variables: tuple[Variable, ...]
    arrays: dict[str, Floats]
    limited: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    moments: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    acceptance: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for v in self.variables:
            self.arrays.setdefault(v.name, np.empty((self.chains, 0, *([0] * len(v.dims)))))

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    @property
    def chains(self) -> int:
        """The number of chains."""
        return self._first.shape[0]

    @property
    def length(self) -> int:
        """The number of draws of each chain."""
        return self._first.shape[1]

    @property
    def _first(self) -> Floats:
        return next(self.arrays[v.name] for v in self.variables if v.storage == "all")

    def variable(self, name: str) -> Variable:
        """Return the declaration of a variable."""
        return next(v for v in self.variables if v.name == name)

    def by(self, *dims: Dimension) -> list[Variable]:
        """Return the variables that have exactly these dimensions."""
        return [v for v in self.variables if v.dims == dims]

    @property
    def by_pair(self) -> bool:
        """Whether any variable is by annotator and species."""
        return bool(self.by("pair"))

    def flat(self, name: str) -> Floats:
        """Return the draws of all chains, one after the other."""
        values = self.arrays[name]
        return values.reshape(-1, *values.shape[2:])

    def mean(self, name: str) -> Floats:
        """Return the mean over all draws or, where draws were not kept, over all sweeps."""
        if self.arrays[name].size == 0 and name in self.moments:
            return self.moments[name][0]
        return self.flat(name).mean(axis=0, dtype=np.float64)

    def places(self, most: int | None = None) -> Ints:
        """Return the places, in each chain, of the draws that all variables have.

        With `most`, of at most so many draws of all chains together, evenly spread.
        """
        some = any(v.storage == "limited" for v in self.variables) and len(self.limited)
        usable = self.limited if some else np.arange(self.length)
        if most is None:
            return usable
        wanted = min(max(most // self.chains, 1), len(usable))
        return usable[np.unique(np.linspace(0, len(usable) - 1, wanted).astype(int))]

    @property
    def means_stand_in(self) -> bool:
        """Whether means stand in for draws of some variable, none of which were kept."""
        return not len(self.limited) and any(v.storage == "limited" for v in self.variables)

    def at(self, places: Ints) -> Callable[[str], Floats]:
        """Return a function from the name of a variable to its values in these draws, flat over chains.

        Where draws of a variable were not kept, its mean stands in for each draw, with a warning. If all
        draws are asked for, they are not copied.
        """

        def values(name: str) -> Floats:
            arrays, which = self.arrays[name], places
            if self.variable(name).storage == "limited":
                if not len(self.limited):
                    warn(f"{name}: means are used, since draws did not fit in memory", UserWarning)
                    mean = self.moments[name][0]
                    return np.broadcast_to(mean, (self.chains * len(places), *mean.shape))
                which = np.searchsorted(self.limited, places)
            if len(which) < arrays.shape[1]:
                arrays = arrays[:, which]
            return arrays.reshape(-1, *arrays.shape[2:])

        return values
