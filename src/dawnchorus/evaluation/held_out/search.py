"""Search: one part after the other is added, as long as that helps by more than a standard error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .outcome import Compared
from .specs import ModelSpec

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
    while left:
        wanted = {}
        for part in left:
            more = now.plus(part)
            if more is not None:
                why = None if more in found else trouble(more)
                if why is None:
                    wanted[part] = more
                    reasons.pop(part, None)
                else:
                    reasons[part] = why
        new = [spec for spec in wanted.values() if spec not in found]
        found |= {one.spec: one for one in compare(new)} if new else {}
        gains = {part: found[spec].scores.gain(found[now].scores) for part, spec in wanted.items()}
        helping = {part: gain for part, gain in gains.items() if gain.value > gain.se}
        if not helping:
            break
        part = max(helping, key=lambda one: helping[one].value)
        now = wanted[part]
        left.remove(part)
    said = [f"{part} was not tried: {why}." for part, why in reasons.items()]
    return list(found.values()), said
