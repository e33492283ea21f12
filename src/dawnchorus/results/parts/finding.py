"""Finding: what all shards say together: sums are added up, and what stands out in any is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from ...annotations.counting import ALL_CELLS
from ...annotations.summary import Summary
from ...common.intervals import LEVEL
from ...model.shards.counts import Sums
from ...sampling.shards.crew import Crew
from ...sampling.shards.logs import Log, Means
from ...sampling.shards.places import Places
from ..findings.confusions import Confusions, added, confusions, sure_keys
from ..findings.encounters import typical_rates
from ..findings.examples import Examples, Known, standing_out, together
from ..findings.findings import FALSE_DISCOVERY_RATE
from ..findings.overall import Overall
from ..fitted import Fitted
from ..presence.presence_table import LEAST
from ..presence.wanted_cells import WantedCells
from .in_shard import NO_MEETINGS, NO_SURE, Asked, FoundHere, Tally, find_in, sure_in, tally


class Shards(NamedTuple):
    """Where the recordings of a fit are, and the odds and rates of all sweeps of each chain."""

    places: Places
    logs: Sequence[Log] | Means
    sweeps: Sequence[int]


@dataclass(frozen=True)
class FoundInParts:
    """What a fit says about recordings that are in parts.

    Attributes
    ----------
    summary
        How many there are of what.
    overall
        What is said of all of them together.
    known
        Mean rates, by annotator and by species.
    examples
        The recordings that stand out.
    confusions
        Which species may have been taken for another.
    """

    summary: Summary
    overall: Overall
    known: Known
    examples: Examples
    confusions: Confusions


def find(
    fitted: Fitted,
    sums: Sums,
    shards: Shards,
    crew: Crew,
    *,
    files: WantedCells | None = None,
    folder: str | None = None,
) -> tuple[FoundInParts, list[FoundHere]]:
    """Return what all recordings say, and what was found in each shard; write presence into a folder."""
    crew.share(shards.places)
    counts: Tally = reduce(Tally.plus, crew.each(tally))
    cells = int(sums.recordings[0]) * len(sums.by_species)
    asked = Asked(
        shards.logs,
        shards.sweeps,
        fitted.draws,
        fitted.diagnostics,
        sums.visits > 0,
        known_of(fitted, sums, counts),
        0.0 if cells <= ALL_CELLS else LEAST,
        files or WantedCells(1.0),
        folder,
    )
    here: list[FoundHere] = crew.each(find_in, asked)
    overall = reduce(Overall.plus, (one.overall for one in here))
    examples = together([one.examples for one in here])
    few = examples.take(standing_out(examples.findings(fitted, asked.known)))
    met, a = added([NO_MEETINGS, *(one.meetings for one in here)]), fitted.annotations
    sure = added([NO_SURE, *crew.each(sure_in, asked.known, np.unique(sure_keys(a, met)))])
    pairs = confusions(a, met, sure, FALSE_DISCOVERY_RATE, LEVEL)
    return FoundInParts(summary_of(shards.places, sums, counts), overall, asked.known, few, pairs), here


def known_of(fitted: Fitted, sums: Sums, counts: Tally) -> Known:
    """Return what findings in some recordings take from all of them."""
    parameters = fitted.parameters()
    rates = {name: getattr(parameters, name).mean(axis=0, dtype=float) for name in ("tpr", "fpr")}
    typical = typical_rates(fitted.design, rates, counts.votes_by_species, int(sums.recordings[1]))
    return Known(rates, float(parameters.unsure_marks.mean()), fitted.draws.mean("occurrence"), typical)


def summary_of(places: Places, sums: Sums, counts: Tally) -> Summary:
    """Return the size and shape of all data; without what would need all scopes in one place."""
    coded, (recordings, visits) = places.coded, map(int, sums.recordings)
    dataset, (annotators, species) = coded.dataset, (len(sums.visits), len(sums.by_species))
    votes, reports = int(sums.reports.sum() + sums.silences.sum()), coded.total("reports")
    everything = recordings * annotators * species
    return Summary(
        source=dataset.name,
        absence=dataset.absence,
        columns=dict(dataset.partitions[0].columns),
        recordings=recordings,
        annotators=annotators,
        species=species,
        visits=visits,
        scopes=None,
        votes=votes,
        reports=reports,
        unsure=coded.total("marks"),
        missing_rate=1 - votes / everything if everything else 1.0,
        cells_without_vote=recordings * species - int(sums.voted.sum()),
        unvisited_recordings=0,
        visits_per_recording=visits / max(recordings, 1),
        most_visits_to_a_recording=counts.most_visits,
        reports_per_visit=reports / max(visits, 1),
        visits_without_report=counts.visits_without_report,
        species_per_annotator=None,
        species_never_reported=int((sums.reports_by_species == 0).sum()),
        duplicate_rows=coded.total("duplicate_rows"),
        reports_outside_scope=coded.total("outside_scope"),
        missing_species=None,
        folded_labels=0,
        fold_case=False,
        keep_na=dataset.keep_na,
        scored_reports=0,
        score_scale="",
        names={},
    )
