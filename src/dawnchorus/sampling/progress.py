"""Progress of sampling: what has been done, what is left to reach, and how long that may take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..common.showing.bars import shown
from .convergence import Diagnostics
from .settings import Settings


class SamplingProgress(NamedTuple):
    """The state of a running fit.

    Attributes
    ----------
    done, total
        Sweeps of all chains that are done, and that are planned until the next look at how well they agree.
    diagnostics
        What the last look has shown, if there was any.
    settings
        What is to be reached.
    rate
        Sweeps a second, of all chains; not a number at the start.
    looked
        Sweeps that were done at the last look.
    """

    done: int
    total: int
    diagnostics: Diagnostics | None
    settings: Settings = Settings()
    rate: float = math.nan
    looked: int = 0

    @property
    def seconds_left(self) -> float:
        """How many seconds it may take until all is reached, if the chains go on as so far."""
        s, d = self.settings, self.diagnostics
        total, warmup = float(self.total), s.warmup * s.chains
        if s.min_ess is not None and d is not None and d.min_ess > 0:
            factor = max(s.min_ess / d.min_ess, (d.max_mcse / s.max_mcse) ** 2)
            total = max(total, min(warmup + (self.looked - warmup) * factor, s.max_sweeps * s.chains))
        return (total - self.done) / self.rate

    def in_short(self) -> str:
        """Return the rate, and how well the chains agreed at the last look.

        >>> SamplingProgress(500, 4000, Diagnostics(1.02, 150, "", ""), rate=800.0).in_short()
        '800 sweeps/s, R-hat 1.020, ESS 150'
        """
        words = [] if math.isnan(self.rate) else [f"{self.rate:,.0f} sweeps/s"]
        if self.diagnostics is not None:
            words += [f"R-hat {self.diagnostics.max_rhat:.3f}", f"ESS {self.diagnostics.min_ess:,.0f}"]
        return ", ".join(words)

    def in_words(self) -> str:
        """Return all that is known, as a line of a log.

        >>> look = Diagnostics(1.02, 150, "", "")
        >>> print(SamplingProgress(6000, 8000, look, rate=800.0, looked=5000).in_words())
        6,000 of 8,000 sweeps; R-hat 1.020 (at most 1.01 is wanted), effective sample size 150 (400 are
        wanted); about 5 s to go, if it goes on like this
        """
        words = [f"{self.done:,} of {self.total:,} sweeps"]
        s, d = self.settings, self.diagnostics
        if s.min_ess is not None and d is None:
            words.append("no look yet at how well the chains agree")
        elif s.min_ess is not None and d is not None:
            left = [
                f"R-hat {d.max_rhat:.3f}"
                + (f" (at most {s.max_rhat:g} is wanted)" if d.max_rhat > s.max_rhat else ""),
                f"effective sample size {d.min_ess:,.0f}"
                + (f" ({s.min_ess:,.0f} are wanted)" if d.min_ess < s.min_ess else ""),
            ]
            if d.max_mcse > s.max_mcse:
                left.append(f"probabilities known to ± {d.max_mcse:.3f} (± {s.max_mcse:g} is wanted)")
            words.append(", ".join(left))
        if math.isfinite(self.rate) and self.rate > 0:
            words.append(f"about {duration(self.seconds_left)} to go, if it goes on like this")
        return "; ".join(words)


def duration(seconds: float) -> str:
    """Return seconds in words.

    >>> duration(7.4), duration(200), duration(7000)
    ('7 s', '3 min', '1.9 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def measured(
    progress: Callable[[SamplingProgress], None], settings: Settings
) -> Callable[[SamplingProgress], None]:
    """Return a function that adds the settings, the rate and the last look, and calls `progress`."""
    first: tuple[float, int] | None = None
    last: SamplingProgress | None = None
    looked = 0

    def tell(at: SamplingProgress) -> None:
        nonlocal first, last, looked
        now = time.monotonic()
        first = first or (now, at.done)
        if last is not None and at.diagnostics is not last.diagnostics:
            looked = last.total
        rate = (at.done - first[1]) / (now - first[0]) if at.done > first[1] else math.nan
        last = at._replace(settings=settings, rate=rate, looked=looked)
        progress(last)

    return tell


@contextmanager
def shown_sampling(what: str, console: Any = None) -> Iterator[Callable[[SamplingProgress], None]]:
    """Show how sampling goes on: a bar in a terminal or notebook, a line now and then elsewhere."""
    with shown(what, console, stays=True) as show:
        yield lambda at: show(what, at.done, at.total, at.in_short(), at.in_words())
