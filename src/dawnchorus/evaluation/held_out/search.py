"""Search: one part after the other is added, as long as that helps by more than a standard error.

A part that goes with hierarchical models only may help where `hierarchical` alone does not. So where no
single part helps, such parts are tried together with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .outcome import Compared, effect
from .specs import HIERARCHICAL, ModelSpec

Compare = Callable[[Sequence[ModelSpec]], list[Compared]]
Trouble = Callable[[ModelSpec], str | None]


def searched(
    start: Sequence[ModelSpec], parts: Sequence[str], compare: Compare, trouble: Trouble
) -> tuple[list[Compared], list[str]]:
    """Return all models that were fitted on the way, and what was found about each part, in words.

    The first of the models to start from is the simplest; the others are only compared with it.
    """
    found = {one.spec: one for one in compare(start)}
    now, left = start[0], list(parts)
    reasons: dict[str, str] = {}
    said: list[str] = []

    def possible(wanted: dict[str, ModelSpec | None]) -> dict[str, ModelSpec]:
        """Return the models that go with the annotations; remember why others do not."""
        goes = {}
        for part, spec in wanted.items():
            if spec is not None:
                why = None if spec in found else trouble(spec)
                if why is None:
                    goes[part] = spec
                    reasons.pop(part, None)
                else:
                    reasons[part] = why
        return goes

    def best(wanted: dict[str, ModelSpec], than: ModelSpec) -> str | None:
        """Compare models by the part that is added; return the part that helps most, None if none helps."""
        new = [spec for spec in wanted.values() if spec not in found]
        found.update({one.spec: one for one in compare(new)} if new else {})
        gains = {part: found[spec].scores.gain(found[than].scores) for part, spec in wanted.items()}
        helping = {part: gain.value for part, gain in gains.items() if gain.value > gain.se}
        return max(helping, key=lambda part: helping[part], default=None)

    while left:
        wanted = possible({part: now.plus(part) for part in left})
        part, pooled = best(wanted, now), now.plus(HIERARCHICAL)
        if part is None and pooled is not None:
            wanted = possible({one: pooled.plus(one) for one in left if one in reasons})
            part = best(wanted, now)
            told = list(wanted) if part is None else [part]
            done = "tried" if part is None else "added"
            said = [_together(one, done, found[now], found[wanted[one]]) for one in told]
        if part is None:
            break
        now = wanted[part]
        left.remove(part)
    said += [f"{part} was not tried: {why}." for part, why in reasons.items()]
    return list(found.values()), said


def _together(part: str, done: str, without: Compared, with_both: Compared) -> str:
    """Return what a part does together with the one that it needs."""
    both = effect(f"{HIERARCHICAL} + {part}", without, with_both)
    return f"{part} needs {HIERARCHICAL}, so both were {done} together: {both}."
