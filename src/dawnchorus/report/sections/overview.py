"""Overview: what was fitted, on what, with which priors, and whether its numbers are stable."""

from __future__ import annotations

from typing import Any

from ...annotations.labels import all_of, counted, verb
from ..subject import Subject
from ..words import number, percent, times_a, verdict

ALONE = "the priors, since no report can be compared with what others heard"
"""What the result depends on where no recording was visited twice."""


def section(subject: Subject) -> dict[str, Any]:
    """Return the contents of the first section."""
    posterior, a = subject.posterior, subject.annotations
    summary = subject.summary
    grade, trust = verdict(posterior.diagnostics, posterior.draws.chains)
    return {
        "model": posterior.model.full_name,
        "grade": grade,
        "trust": trust,
        "fitted": f"The model {posterior.name}: {posterior.model.words}.",
        "data": f"{counted(summary.visits, 'visit')} by {counted(a.n_annotators, 'annotator')} to "
        f"{counted(summary.recordings, 'recording')}, with {counted(summary.reports, 'report')} of "
        f"{counted(a.n_species, 'species')}. A recording was visited "
        f"{times_a(summary.visits_per_recording)} on average. {_missing(summary.missing_rate)}"
        f"{_unsure(subject)}",
        "source": summary.source,
        "priors": _priors(subject),
        "prior_rows": [
            (name.replace("_", " "), text) for name, text in posterior.record.get("priors", {}).items()
        ],
        "leaning": _leaning(subject),
        "two_ways": _two_ways(subject),
        "tiles": _tiles(subject),
        "rows": summary.as_rows(),
        "converged": posterior.diagnostics.converged,
        "diagnostics": posterior.diagnostics.in_words(
            posterior.record.get("min_ess") or 400,
            posterior.record.get("max_rhat", 1.01),
            posterior.record["max_mcse"],
        ),
    }


def _tiles(subject: Subject) -> list[tuple[str, str, str]]:
    """Return the numbers at the top, each with what it counts and a further line."""
    s, overall = subject.summary, subject.overall
    inside = float(subject.found_species["recordings_expected"].sum()) / max(s.recordings, 1)
    right = percent(float(overall.found.sum()) / s.reports if s.reports else None)
    return [
        (*_split(s.recordings, "recording"), _expected(inside, one=s.species == 1)),
        (*_split(s.annotators, "annotator"), counted(s.visits, "visit")),
        (*_split(s.species, "species"), _reported(s.species_never_reported, s.species)),
        (*_split(s.reports, "report"), f"{right} expected to be right" if s.reports else "by anybody"),
        (*_split(overall.in_doubt, "cell"), "in doubt: a species in a recording, 10 % to 90 % probable"),
    ]


def _expected(inside: float, *, one: bool) -> str:
    """Return how many species are expected in a recording, in words.

    >>> _expected(2.51, one=False), _expected(0.5, one=True).replace(chr(160), " ")
    ('2.5 species expected in one', '50 % expected to hold the species')
    >>> _expected(0.02, one=False)
    'fewer than 0.1 species expected in one'
    """
    if one:
        return f"{percent(inside)} expected to hold the species"
    return f"{'fewer than 0.1' if inside < 0.05 else number(inside, 1)} species expected in one"


def _reported(never: int, species: int) -> str:
    """Return how many species were never reported, in words.

    >>> _reported(0, 3), _reported(1, 3), _reported(3, 3), _reported(0, 1), _reported(1, 1)
    ('all of them reported', '1 never reported', 'none of them reported', 'reported', 'never reported')
    """
    if species == 1:
        return "never reported" if never else "reported"
    if never in (0, species):
        return f"{'none' if never else 'all'} of them reported"
    return f"{never:,} never reported"


def _split(number_of: int, word: str) -> tuple[str, str]:
    """Return a number and its noun, apart."""
    figure, _, noun = counted(number_of, word).partition(" ")
    return figure, noun


def _missing(rate: float) -> str:
    """Return which share of all possible answers is missing, in words."""
    every = "every annotator on every species in every recording"
    if rate == 0:
        return f"No answer is missing: there is one of {every}."
    return f"Of all possible answers, {every}, {percent(rate)} are missing."


def _unsure(subject: Subject) -> str:
    """Return what unsure marks are, if there are any."""
    n = subject.summary.unsure
    if not n:
        return ""
    marks = counted(n, "unsure mark")
    if not subject.posterior.model.marks_vote:
        return f" {marks} {verb(n, 'is no vote', 'are no votes')}."
    rate = number(subject.findings.mean_unsure, 2)
    return (
        f" {marks} {verb(n, 'is a vote', 'are votes')}, less than a report and more than silence: where both "
        f"are rare, {rate} of them are expected for a report."
    )


def _priors(subject: Subject) -> str:
    p, a = subject.posterior, subject.annotations
    known: list[Any] = [p.prior_of("tpr"), p.prior_of("fpr"), p.priors.get("occurrence")]
    if None in known:
        return ""
    tpr, fpr, occurrence = known
    middle = [float(prior.quantiles(0.5)) for prior in (tpr, fpr)]
    inside = f"about {number(occurrence.mean * a.n_species, 1)} of the {a.n_species:,} species"
    if a.n_species == 1:
        inside = f"the species with a probability of {percent(occurrence.mean)}"
    return (
        f"Before any vote was seen, a recording was expected to hold {inside}, and a typical annotator to "
        f"report {percent(middle[0])} of what is there and {percent(middle[1])} of what is not."
    )


def _leaning(subject: Subject) -> str:
    """Return how many recordings have few visits, in words."""
    s, once, never = subject.summary, subject.overall.visited_once, subject.overall.never_visited
    words = []
    if once:
        several = s.most_visits_to_a_recording > 1
        elsewhere = "how reliable annotators are elsewhere" if several else ALONE
        words.append(f"{_were(once, s.recordings)} visited once: there, the result depends on {elsewhere}.")
    if never:
        words.append(
            f"{_were(never, s.recordings)} never visited: there, the result depends on other recordings "
            "alone."
        )
    return " ".join(words)


def _two_ways(subject: Subject) -> str:
    """Return that votes alone cannot tell whether reports are all right or all wrong, if that is so."""
    several = subject.overall.shared
    if not several or subject.overall.disputed:
        return ""
    return (
        f"Wherever anybody reported a species and others answered for it too ({counted(several, 'cell')}), "
        "all of them reported it. Votes that never disagree fit two explanations: all reports are right, or "
        "all are wrong in the same way. The model takes the first, because its priors expect annotators to "
        "report what is there more often than what is not."
    )


def _were(part: int, whole: int) -> str:
    """Return a part of all recordings with its verb."""
    share = f" ({percent(part / whole)})" if part < whole else ""
    return f"{all_of(part, whole, 'recording')}{share} {verb(part, 'was', 'were')}"
