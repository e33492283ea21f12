"""Subjects: whom a formula is about, for messages: recordings or annotators."""

from __future__ import annotations

from typing import NamedTuple


class Subjects(NamedTuple):
    """The words of messages about the metadata of recordings, or of annotators."""

    word: str
    at: str
    """As in "in recording 'r1'"."""
    everywhere: str
    """As in "is the same in all recordings"."""
    a_table: str
    timed: bool
    """Whether hour, date and sunrise are calculated from times."""
    formula: str
    """An example."""

    @property
    def words(self) -> str:
        """The word in the plural."""
        return f"{self.word}s"

    @property
    def as_in(self) -> str:
        """How a formula is written."""
        return f"write terms with + between them, as in '{self.formula}'"

    @property
    def table(self) -> str:
        """The name of the table."""
        return f"the table of {self.words}"


RECORDINGS = Subjects(
    "recording",
    "in recording",
    "in all recordings",
    "a table of recordings with columns such as site and time",
    timed=True,
    formula="site + cc(hour, df=6) + bs(date, df=4)",
)
ANNOTATORS = Subjects(
    "annotator",
    "for annotator",
    "for all annotators",
    "a table of annotators with a column such as level",
    timed=False,
    formula="level + experience",
)
