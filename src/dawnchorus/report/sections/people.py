"""Annotators: how often each reports what is there and what is not, overall and by species."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import plots
from ...annotations.labels import counted, in_table
from ...results.findings.self_knowledge import plain_name
from ..figures import NARROW, Sheet, draw
from ..subject import Subject
from ..words import listed, percent

MOST = 500
FIGURE = 60
MAP, FEW = (40, 40), (30, 12)
"""So many annotators and species are in the map of skills, and on a narrow screen."""
LITTLE, SURE = 0.1, 0.95
"""Whatever explains less than this share of the differences between annotators says little, unless it is so
sure that it says something."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the table of annotators and the figures of their rates."""
    posterior, a = subject.posterior, subject.annotations
    table, right = subject.people, subject.overall.right
    order = np.argsort(-table["tpr"].to_numpy(), kind="stable")
    columns = [name for name in table if name not in ("annotator", "recordings", "reports")]
    rows = [
        {
            "annotator": table["annotator"][j],
            "level": subject.self_ratings[j],
            "recordings": int(table["recordings"][j]),
            "reports": int(table["reports"][j]),
            "right": right[j] / table["reports"][j] if table["reports"][j] else np.nan,
            **{name: table[name][j] for name in columns},
        }
        for j in order[:MOST]
    ]
    active = np.argsort(-table["recordings"].to_numpy(), kind="stable")
    shown = list(a.annotators.index[active[:FIGURE]])
    return {
        "rows": rows,
        "shown": in_table(len(rows), len(table), "annotator", "those who find most first"),
        "hierarchical": posterior.draws.by_pair,
        "level": subject.self_rating.replace("_", " ") if subject.self_rating else "",
        "figures": [_violins(subject, rate, shown) for rate in ("tpr", "fpr")],
        "only": len(shown) if len(shown) < len(table) else 0,
        "map": _map(subject, active) if posterior.draws.by_pair and not subject.in_parts else None,
        "file": subject.has_file("annotators.csv"),
        "skill": _self_knowledge(subject),
        "at_random": _at_random(subject),
    }


def _at_random(subject: Subject) -> str:
    """Return who probably reports at random, in a sentence; nothing if nobody does."""
    draws, table = subject.posterior.draws, subject.people
    even = subject.posterior.model.even(draws.at(draws.places()))
    if even is None:
        return ""
    share = even.mean(axis=0)
    who = [at for at in np.argsort(-share, kind="stable") if share[at] >= 0.5]
    names = [f"{table['annotator'][at]} ({percent(table['fpr'][at])} of what is not there)" for at in who]
    if not names:
        return ""
    verb = "reports" if len(names) == 1 else "report"
    return (
        f"Perhaps at random: {listed(names)} {verb} what is not there about as often for all "
        "species, and these reports count for little."
    )


def _violins(subject: Subject, rate: str, shown: list[str]) -> Any:
    words = {"tpr": "reports what is there", "fpr": "reports what is not there"}[rate]
    coloured = f", coloured by {subject.self_rating.replace('_', ' ')}" if subject.self_rating else ""
    return draw(
        lambda ax: plots.annotators(subject.posterior, rate, by=subject.self_rating, which=shown, ax=ax),
        f"How often each annotator {words}: violins, lowest first{coloured}.",
        Sheet(max(5.0, min(10.0, 1.5 + 0.17 * len(shown))), 3.6),
        Sheet(NARROW, 1.2 + 0.2 * len(shown)),
        fill_narrow=lambda ax: plots.annotator_intervals(
            subject.posterior, rate, by=subject.self_rating, which=shown, ax=ax
        ),
    )


def _map(subject: Subject, active: Any) -> Any:
    a = subject.annotations
    people = list(a.annotators.index[active[: MAP[0]]])
    reports = a.reports_by_species
    birds = list(a.species.index[np.argsort(-reports, kind="stable")[: MAP[1]]])
    few, common = people[: FEW[0]], birds[: FEW[1]]
    return {
        "all": _map_size(subject, len(people), len(birds)),
        "few": _map_size(subject, len(few), len(common)),
        "figure": draw(
            lambda ax: plots.skills(subject.whole, annotators=people, species=birds, ax=ax),
            f"Map of {counted(len(people), 'annotator')} and {len(birds)} species: the true positive rate of "
            "each pair, pale where there is no information.",
            Sheet(2.2 + 0.19 * len(birds), 2.0 + 0.17 * len(people)),
            Sheet(NARROW, 2.2 + 0.17 * len(few)),
            fill_narrow=lambda ax: plots.skills(subject.whole, annotators=few, species=common, ax=ax),
        ),
    }


def _map_size(subject: Subject, people: int, birds: int) -> str:
    """Return how many annotators and species are in the map, and which, in words."""
    a = subject.annotations
    who = f"the {people} annotators with most visits" if people < a.n_annotators else "all annotators"
    which = f"the {birds} species with most reports" if birds < a.n_species else "all species"
    return f"{who} on {which}"


def _self_knowledge(subject: Subject) -> dict[str, Any] | None:
    """Return rates by what annotators say of themselves, and a sentence; None if the fit did not ask."""
    if subject.posterior.said is None:
        return None
    table, shares = subject.whole.skill(), subject.whole.skill_shares()
    rows = table.to_dict("records")
    wide = max(4.0, min(9.0, 1.5 + 0.8 * len(rows)))
    return {
        "rows": [{**row, "term": plain_name(row["term"])} for row in rows],
        "sentences": [
            _sentence(rows, shares.iloc[at].to_dict(), rate, what)
            for at, (rate, what) in enumerate((("tpr", "what is there"), ("fpr", "what is not there")))
        ],
        "figure": draw(
            lambda ax: plots.self_knowledge(subject.whole, ax=ax),
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
