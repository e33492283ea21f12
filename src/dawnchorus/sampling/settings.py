"""Settings: how long to sample, and how much to keep."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.checked import finite_number, number, whole_number
from ..common.errors import AnnotationError
from .convergence import MAX_MCSE, MAX_RHAT

USUAL_MIN_ESS: float = 400
"""What is asked for unless something else is."""


@dataclass(frozen=True)
class Settings:
    """How long to sample, and how much to keep.

    Attributes
    ----------
    chains, seed
        Independent chains, and the seed of all their random numbers.
    warmup
        Sweeps at the start of each chain that are discarded.
    draws
        At least so many draws of each chain are kept, at most twice as many.
    thin
        Keep only every so many sweeps from the start.
    min_ess, max_rhat, max_mcse
        Go on until every parameter has this effective sample size and R-hat, and the probability of every
        reported cell a Monte-Carlo error of at most `max_mcse`; without `min_ess`, stop after `draws` times
        `thin` sweeps.
    max_sweeps
        The largest number of sweeps of a chain.
    seconds
        Stop after so many seconds, whatever has been reached.
    threads
        How many threads there are; by default one for each core, and one in all if data are small. Each chain
        has one as long as there are enough, and what is left over shares the sweeps of large data. Draws do
        not depend on it.
    pair_megabytes
        Draws of rates by annotator and species may take so much memory. Beyond that, fewer of them are
        kept, and their means and standard deviations are accumulated during sampling.

    Raises
    ------
    AnnotationError
        If a number is out of its range, or no sweeps are left after the warm-up.
    """

    chains: int = 4
    seed: int = 0
    warmup: int = 500
    draws: int = 500
    thin: int = 1
    min_ess: float | None = USUAL_MIN_ESS
    max_rhat: float = MAX_RHAT
    max_mcse: float = MAX_MCSE
    max_sweeps: int = 20_000
    seconds: float | None = None
    threads: int | None = None
    pair_megabytes: float = 512

    @property
    def wanted_ess(self) -> float:
        """The effective sample size that is asked for, or the usual one if none is."""
        return USUAL_MIN_ESS if self.min_ess is None else self.min_ess

    def __post_init__(self) -> None:
        least = {"chains": 1, "warmup": 0, "draws": 1, "thin": 1, "seed": 0, "max_sweeps": 1}
        least |= {} if self.threads is None else {"threads": 1}
        for name, low in least.items():
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least=low))
        if self.min_ess is not None:
            finite_number("min_ess", self.min_ess, least=0)
        number("max_rhat", self.max_rhat, least=1)
        number("max_mcse", self.max_mcse, above=0)
        if self.seconds is not None:
            finite_number("seconds", self.seconds, above=0)
        finite_number("pair_megabytes", self.pair_megabytes, least=0)
        if self.max_sweeps - self.warmup < self.thin:
            kept = f", of which every {self.thin} is kept" if self.thin > 1 else ""
            raise AnnotationError(
                f"at most {self.max_sweeps} sweeps{kept} leave nothing after {self.warmup} of warm-up",
                "raise the maximum or lower the warm-up",
            )
