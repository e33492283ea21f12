"""Summary of annotations: numbers of recordings, annotators, species, visits and votes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..common.showing.notebook import as_html
from .counting import voted_recordings
from .labelled import LabelledVotes
from .labels import counted


@dataclass(frozen=True)
class Summary:
    """The size and shape of a set of annotations, and what was noticed when they were read.

    What would need all scopes or rows in one place is None for data in parts: the number of scopes, that of
    species by annotator, and of rows with a missing species.
    """

    source: str
    absence: str
    columns: dict[str, str]
    recordings: int
    annotators: int
    species: int
    visits: int
    scopes: int | None
    votes: int
    reports: int
    unsure: int
    missing_rate: float
    cells_without_vote: int
    unvisited_recordings: int
    visits_per_recording: float
    most_visits_to_a_recording: int
    reports_per_visit: float
    visits_without_report: int
    species_per_annotator: tuple[int, float, int] | None
    species_never_reported: int
    duplicate_rows: int
    reports_outside_scope: int
    missing_species: int | None
    folded_labels: int
    fold_case: bool
    keep_na: bool
    scored_reports: int
    score_scale: str
    names: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as a dict of plain values."""
        return asdict(self)

    def known(self) -> dict[str, Any]:
        """Return the same without what is not known."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def as_rows(self) -> list[tuple[str, str]]:
        """Return the summary as pairs of a name and a readable value."""
        among = "" if self.scopes is None else f", in {counted(self.scopes, 'scope')}"
        cells = self.recordings * self.species
        rows = [
            ("recordings", f"{self.recordings:,} ({self.unvisited_recordings:,} never visited)"),
            ("annotators", f"{self.annotators:,}"),
            ("species", f"{self.species:,} ({self.species_never_reported:,} never reported)"),
            ("visits", f"{self.visits:,} ({self.visits_without_report:,} without a report)"),
            (
                "visits per recording",
                f"{self.visits_per_recording:.2f} on average, {self.most_visits_to_a_recording} at most",
            ),
            ("reports", f"{self.reports:,} ({self.reports_per_visit:.2f} per visit)"),
            ("unsure", f"{self.unsure:,}"),
            ("votes", f"{self.votes:,}, present or absent{among}"),
            (
                "cells without a vote",
                f"{self.cells_without_vote:,} of {counted(cells, 'cell')} (recordings × species)",
            ),
            ("missing rate", f"{self.missing_rate:.3%} of recordings × annotators × species"),
        ]
        if self.species_per_annotator is not None:
            low, middle, high = self.species_per_annotator
            rows.append(("species per annotator", f"{low:,} to {high:,}, median {middle:,.0f}"))
        if self.scored_reports:
            kind = "probabilities" if self.score_scale == "probability" else "logits"
            rows.append(("reports with a score", f"{self.scored_reports:,}; scores are {kind}"))
        if self.columns:
            read = (f"{column} as {word}" for word, column in self.columns.items())
            rows.append(("columns read", ", ".join(read)))
        if self.duplicate_rows:
            rows.append(("duplicate rows", f"{self.duplicate_rows:,}, kept once"))
        if self.reports_outside_scope:
            rows.append(("reports outside scope", f"{self.reports_outside_scope:,}, accepted"))
        if self.missing_species:
            rows.append(("rows with a missing species", f"{self.missing_species:,}"))
        if self.names:
            rows.append(("names", f"{len(self.names):,} in the names table"))
        if self.fold_case:
            ways = counted(self.folded_labels, "other way")
            rows.append(("upper and lower case", f"not told apart; {ways} of writing a label"))
        return rows

    def __repr__(self) -> str:
        return (
            f"<Summary: {counted(self.visits, 'visit')} by {counted(self.annotators, 'annotator')} to "
            f"{counted(self.recordings, 'recording')}; {counted(self.reports, 'report')} of "
            f"{counted(self.species, 'species')}>"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return as_html("Summary", self.as_rows())

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.as_rows())
        return "\n".join(f"{name:<{width}}  {value}" for name, value in self.as_rows())


def summarise(votes: LabelledVotes) -> Summary:
    """Return the summary of labelled votes."""
    a = votes
    visits = a.visits_by_recording.sizes
    known = a.lists.sizes[a.annotator_list]
    cells = a.n_recordings * a.n_annotators * a.n_species
    return Summary(
        source=a.provenance.source,
        absence=a.provenance.absence,
        columns=dict(a.provenance.columns),
        recordings=a.n_recordings,
        annotators=a.n_annotators,
        species=a.n_species,
        visits=a.n_visits,
        scopes=a.scopes.rows,
        votes=a.n_votes,
        reports=a.n_reports,
        unsure=len(a.unsure.item),
        cells_without_vote=a.n_recordings * a.n_species - int(voted_recordings(a).sum()),
        missing_rate=1 - a.n_votes / cells if cells else 1.0,
        unvisited_recordings=int(np.count_nonzero(visits == 0)),
        visits_per_recording=a.n_visits / max(a.n_recordings, 1),
        most_visits_to_a_recording=int(visits.max(initial=0)),
        reports_per_visit=a.n_reports / max(a.n_visits, 1),
        visits_without_report=int(np.count_nonzero(a.reports.sizes == 0)),
        species_per_annotator=(
            int(known.min(initial=a.n_species)),
            float(np.median(known)) if len(known) else 0.0,
            int(known.max(initial=0)),
        ),
        species_never_reported=a.n_species - int(np.count_nonzero(a.reports_by_species)),
        duplicate_rows=a.provenance.duplicate_rows,
        reports_outside_scope=a.provenance.outside_scope,
        missing_species=a.provenance.missing_species,
        folded_labels=a.provenance.folded,
        fold_case=a.provenance.fold_case,
        keep_na=a.provenance.keep_na,
        scored_reports=int(np.count_nonzero(~np.isnan(a.scores))),
        score_scale=a.provenance.score_scale if len(a.scores) else "",
        names=dict(a.provenance.names),
    )
