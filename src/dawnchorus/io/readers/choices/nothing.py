"""Choices that say that there is nothing."""

from __future__ import annotations

from collections.abc import Collection

NOTHING = (
    *("nothing here", "nothinghere", "nothing_here", "nthnghr"),  # codes of Zooniverse, once without vowels
    *("nothing", "nthng", "none", "no animals", "blank", "empty"),
)
"""What platforms offer for it, in any case."""


class Nothing:
    """Words for nothing, however they are written.

    >>> "Nothing  Here" in Nothing(NOTHING), "Desert" in Nothing("desert")
    (True, True)
    """

    def __init__(self, words: str | Collection[str]) -> None:
        self._words = {_plain(word) for word in ([words] if isinstance(words, str) else words)}

    def also(self, words: Collection[str]) -> Nothing:
        """Return these and other words."""
        return Nothing([*self._words, *words])

    def __contains__(self, choice: str) -> bool:
        return _plain(choice) in self._words


def _plain(choice: str) -> str:
    return " ".join(choice.lower().split())
