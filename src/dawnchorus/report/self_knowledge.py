"""How well people know themselves: what annotators say of themselves, and how often they are right."""

from __future__ import annotations

from typing import Any

from .subject import Subject
from .words import percent

LITTLE, SURE = 0.1, 0.05
"""Whatever explains less than this share of the differences between annotators says little; and it says
something if the lower bound of the share is at least SURE."""


def part(subject: Subject) -> dict[str, Any] | None:
    """Return rates by what annotators say of themselves, and a sentence; None if the fit did not ask."""
    if not subject.posterior.has_skill:
        return None
    table, shares = subject.posterior.skill(), subject.posterior.skill_shares()
    rows = table.to_dict("records")
    return {
        "rows": [{**row, "term": _plain(row["term"])} for row in rows],
        "sentences": [
            _sentence(rows, shares.iloc[at].to_dict(), rate, what)
            for at, (rate, what) in enumerate((("tpr", "what is there"), ("fpr", "what is not there")))
        ],
        "file": subject.has_file("skill.csv"),
    }


def _sentence(rows: list[dict[str, Any]], share: dict[str, Any], rate: str, what: str) -> str:
    """Return in words how much a self-rating says of a rate.

    >>> rows = [{"term": "C(level)", "value": value, "tpr": tpr} for value, tpr in (("1", 0.62), ("4", 0.85))]
    >>> share = {"share": 0.4, "share_lower": 0.2, "share_upper": 0.6}
    >>> print(_sentence(rows, share, "tpr", "what is there").replace(chr(160), " "))
    Annotators with level 4 report 85 % of what is there, those with level 1 report 62 %. What they say of
    themselves explains 40 % of the differences between annotators (20 % to 60 %).
    >>> print(_sentence(rows, share | {"share": 0.05}, "tpr", "what is there").replace(chr(160), " "))
    What annotators say of themselves says little about how often they report what is there: it explains
    5.0 % of the differences between them (20 % to 60 %).
    >>> print(_sentence(rows, share | {"share_lower": 0}, "tpr", "what is there").replace(chr(160), " "))
    It is not certain whether what annotators say of themselves tells how often they report what is there: it
    may explain 0 % to 60 % of the differences between them.
    """
    explains = f"explains {percent(share['share'])} of the differences between"
    bounds = f"({percent(share['share_lower'])} to {percent(share['share_upper'])})"
    if share["share"] < LITTLE:
        return (
            f"What annotators say of themselves says little about how often they report {what}: it "
            f"{explains} them {bounds}."
        )
    if share["share_lower"] < SURE:
        return (
            "It is not certain whether what annotators say of themselves tells how often they report "
            f"{what}: it may explain {bounds.strip('()')} of the differences between them."
        )
    first = [row for row in rows if row["term"] == rows[0]["term"]]
    most, least = max(first, key=lambda row: row[rate]), min(first, key=lambda row: row[rate])
    return (
        f"Annotators with {_plain(most['term'])} {most['value']} report {percent(most[rate])} of {what}, "
        f"those with {_plain(least['term'])} {least['value']} report {percent(least[rate])}. What they say "
        f"of themselves {explains} annotators {bounds}."
    )


def _plain(term: str) -> str:
    """Return the name of a term without what the formula does with it, if it is about one column.

    >>> _plain("C(skill_level)"), _plain("bs(years, df=4)"), _plain("level"), _plain("log(age)")
    ('skill level', 'years', 'level', 'log(age)')
    """
    for start in ("C(", "bs(", "cr(", "cc(", "cs("):
        if term.startswith(start):
            term = term.removeprefix(start).rstrip(")").split(",")[0]
    return term.replace("_", " ").replace("`", "")
