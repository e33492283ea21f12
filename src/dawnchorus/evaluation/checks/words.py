"""Words: what each check looks at, and what to try where a model does not describe the data."""

from __future__ import annotations

from typing import NamedTuple

from ...common.wording import argument, option

PLACES, CHOSEN, PRIORS, RARE, EVEN = "places", "chosen", "priors", "rare", "even"
FAINT, MISLED, OWN, MARKED = "faint", "misled", "own", "marked"
"""Why votes may not be as expected: recordings differ; recordings were chosen, or visits are missing; priors
do not fit; species are rarer than priors say, or were chosen; false reports are not even over species; some
birds are faint for everybody; some recordings mislead everybody; annotators hear species in a way of their
own, or are unsure in one."""


class Parts(NamedTuple):
    """What a model has.

    Rates by species, faint birds, difficulty of species, a context or communities, priors that are all
    learned, deceptive birds.
    """

    by_species: bool
    faint: bool
    difficulty: bool
    occurrence: bool
    learned: bool
    deceptive: bool


class Check(NamedTuple):
    """A check in words: what is compared, and what it says if that is more or less than expected."""

    title: str
    more: str
    less: str
    kind: str
    """What it is about: visits, species or agreement."""
    if_more: str
    if_less: str
    """What may be the reason, in `remedy`."""
    share: bool = False
    """Whether it is a share, to be shown in per cent."""


CHECKS: dict[str, Check] = {
    "reports_per_visit": Check(
        "reports per visit",
        "visits report more than the model expects",
        "visits report less than the model expects",
        "visits",
        if_more=PRIORS,
        if_less=PRIORS,
    ),
    "visit_spread": Check(
        "how far visits differ in reports (standard deviation)",
        "visits differ more in their number of reports than the model expects",
        "visits differ less in their number of reports than the model expects",
        "visits",
        if_more=PLACES,
        if_less=CHOSEN,
    ),
    "silent_visits": Check(
        "visits without a report",
        "more visits are without a report than the model expects",
        "fewer visits are without a report than the model expects",
        "visits",
        if_more=PLACES,
        if_less=CHOSEN,
        share=True,
    ),
    "species_spread": Check(
        "how far species differ in reports (standard deviation)",
        "species differ more in their number of reports than the model expects",
        "species differ less in their number of reports than the model expects",
        "species",
        if_more=PRIORS,
        if_less=PRIORS,
    ),
    "species_once": Check(
        "species with a single report",
        "more species have a single report than the model expects",
        "fewer species have a single report than the model expects",
        "species",
        if_more=RARE,
        if_less=EVEN,
    ),
    "pair_agreement": Check(
        "reports that another annotator makes too",
        "annotators agree more than the model expects",
        "annotators agree less than the model expects",
        "agreement",
        if_more=FAINT,
        if_less=OWN,
        share=True,
    ),
    "third_after_two": Check(
        "a third annotator reports what two reported",
        "a third annotator agrees with two reports more often than the model expects",
        "a third annotator agrees with two reports less often than the model expects",
        "agreement",
        if_more=FAINT,
        if_less=OWN,
        share=True,
    ),
    "third_after_one": Check(
        "a third annotator reports what one of two reported",
        "a third annotator reports what one of two reported more often than the model expects",
        "a third annotator reports what one of two reported less often than the model expects",
        "agreement",
        if_more=MISLED,
        if_less=FAINT,
        share=True,
    ),
    "third_after_none": Check(
        "a third annotator reports what two did not",
        "a third annotator reports what two did not more often than the model expects",
        "a third annotator reports what two did not less often than the model expects",
        "agreement",
        if_more=FAINT,
        if_less=MISLED,
        share=True,
    ),
}
BIRDS = {FAINT: ("faint birds", "faint"), MISLED: ("deceptive birds", "deceptive")}
"""Reasons for which a hierarchical model has a part: what it is about, and its option."""
UNSURE = "unsure_marks"
MARKS = Check(
    "unsure marks",
    "there are more unsure marks than the model expects",
    "there are fewer unsure marks than the model expects",
    "marks",
    if_more=MARKED,
    if_less=MARKED,
)
"""If they are votes."""
UNSURE_WORDS = "unsure marks are no votes, so the model says nothing of them: they are not checked"
NO_UNSURE = "there are no unsure marks"


def remedy(reason: str, parts: Parts) -> str:
    """Return what to try for this reason, with options in both versions (common/wording.py)."""
    if reason == CHOSEN:
        return (
            "no part of a model is about that. Were recordings chosen because something sings in them, or "
            "are visits without a report missing?"
        )
    if reason == MARKED:
        return f"sample longer, or take them for no votes ({option('unsure', 'missing')})"
    learn = f"try to learn all priors ({option('priors', 'learned')})"
    if parts.learned:
        learn = "sample longer, and look at the diagnostics"
    if reason == RARE:
        keep = f"keep species that nobody reported, if you left them out ({option('drop_unreported', False)})"
        return keep if parts.learned else f"{learn}, or {keep}"
    if reason == PRIORS:
        return learn
    if reason == PLACES:
        return _places(parts)
    if reason == EVEN and parts.by_species:
        easy = f"try species that are easily taken for present ({option('difficulty', True)})"
        return learn if parts.difficulty else easy
    if not parts.by_species:
        birds, part = BIRDS.get(reason, ("", ""))
        rates = f"rates by species, and {birds}" if birds else "rates by species"
        with_part = f" with {option(part, True)}" if part else ""
        return f"try {rates} ({option('model', 'base-hierarchical')}{with_part})"
    misled = f"try deceptive birds ({option('deceptive', True)})"
    if reason == MISLED and not parts.deceptive:
        return misled
    if reason in (OWN, MISLED):
        return "look which species may have been taken for each other, in the report under Species"
    if not parts.faint:
        return f"try faint birds ({option('faint', True)})"
    if not parts.difficulty:
        return f"try species that are hard for everyone ({option('difficulty', True)})"
    if not parts.occurrence:
        return _places(parts)
    if not parts.deceptive:
        return misled
    return "no part of a model is left to try. Did annotators know what others reported?"


def _places(parts: Parts) -> str:
    """Return what to try if recordings differ more than the model knows."""
    if parts.occurrence:
        return "recordings differ in something that the model does not have: try a context with other columns"
    communities = option("model", "dp-bmm-hierarchical" if parts.by_species else "dp-bmm")
    where = f"where and when recordings were made ({argument('context')})"
    return f"try {where} or communities ({communities})"
