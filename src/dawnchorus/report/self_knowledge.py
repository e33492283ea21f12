"""How well people know themselves: what annotators say of themselves, and how often they are right."""

from __future__ import annotations

from typing import Any

from .. import plots
from ..results.self_knowledge import plain_name
from .figures import NARROW, Sheet, draw
from .subject import Subject
from .words import percent

LITTLE, SURE = 0.1, 0.95
"""Whatever explains less than this share of the differences between annotators says little, unless it is so
sure that it says something."""


def part(subject: Subject) -> dict[str, Any] | None:
    """Return rates by what annotators say of themselves, and a sentence; None if the fit did not ask."""
    if not subject.posterior.has_skill:
        return None
    table, shares = subject.posterior.skill(), subject.posterior.skill_shares()
    rows = table.to_dict("records")
    wide = max(4.0, min(9.0, 1.5 + 0.8 * len(rows)))
    return {
        "rows": [{**row, "term": plain_name(row["term"])} for row in rows],
        "sentences": [
            _sentence(rows, shares.iloc[at].to_dict(), rate, what)
            for at, (rate, what) in enumerate((("tpr", "what is there"), ("fpr", "what is not there")))
        ],
        "figure": draw(
            lambda ax: plots.self_knowledge(subject.posterior, ax=ax),
            "How often annotators report what is there, by what they say of themselves.",
            Sheet(wide, 3.4),
            Sheet(NARROW, 3.4),
        ),
        "file": subject.has_file("skill.csv"),
    }


def _sentence(rows: list[dict[str, Any]], share: dict[str, Any], rate: str, what: str) -> str:
    """Return in words how much a self-rating says of a rate.

    >>> rows = [{"term": "C(level)", "value": value, "tpr": tpr} for value, tpr in (("1", 0.62), ("4", 0.85))]
    >>> share = {"share": 0.4, "share_lower": 0.2, "share_upper": 0.6, "differ": 0.99}
    >>> print(_sentence(rows, share, "tpr", "what is there").replace(chr(160), " "))
    Annotators with level 4 report 85 % of what is there, those with level 1 report 62 %. What they say of
    themselves explains 40 % of the differences between annotators (20 % to 60 %).
    >>> little = {"share": 0.05, "share_lower": 0, "share_upper": 0.2, "differ": 0.7}
    >>> print(_sentence(rows, little, "tpr", "what is there").replace(chr(160), " "))
    What annotators say of themselves says little about how often they report what is there: it explains
    5.0 % of the differences between them (0 % to 20 %).
    >>> print(_sentence(rows, share | {"differ": 0.8}, "tpr", "what is there").replace(chr(160), " "))
    It is not certain whether what annotators say of themselves tells how often they report what is there: it
    may explain 20 % to 60 % of the differences between them.
    """
    explains = f"explains {percent(share['share'])} of the differences between"
    bounds = f"{percent(share['share_lower'])} to {percent(share['share_upper'])}"
    if share["differ"] < SURE and share["share"] < LITTLE:
        return (
            f"What annotators say of themselves says little about how often they report {what}: it "
            f"{explains} them ({bounds})."
        )
    if share["differ"] < SURE:
        return (
            "It is not certain whether what annotators say of themselves tells how often they report "
            f"{what}: it may explain {bounds} of the differences between them."
        )
    least, most = _furthest(rows, rate)
    name = plain_name(most["term"])
    return (
        f"Annotators with {name} {most['value']} report {percent(most[rate])} of {what}, those with {name} "
        f"{least['value']} report {percent(least[rate])}. What they say of themselves {explains} annotators "
        f"({bounds})."
    )


def _furthest(rows: list[dict[str, Any]], rate: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the rows with the lowest and the highest rate of the term for which these differ most."""
    ranked = sorted(rows, key=lambda row: row[rate])
    terms = [[row for row in ranked if row["term"] == term] for term in {row["term"]: 0 for row in rows}]
    chosen = max(terms, key=lambda term: term[-1][rate] - term[0][rate])
    return chosen[0], chosen[-1]
