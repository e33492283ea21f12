"""Predicting: how probable the votes of held-out visits are, from a fit that has not seen them."""

from __future__ import annotations

from typing import NamedTuple

from ...annotations.annotations import Annotations
from ...annotations.arrays import VoteArrays
from ...annotations.selection import marks_as_reports
from ...common.ragged import Bools, Floats, Ints
from ...model.predictive.cell_votes import votes_of
from ...model.predictive.listening.vote_chances import report_probabilities
from ...results.fitted import Fitted
from ...results.presence.new_recordings import asked_of
from .folds import Fold

MOST_DRAWS = 1000
"""Votes are predicted from at most so many draws, evenly spread."""


class HeldOutVotes(NamedTuple):
    """Votes of held-out visits: visit, species, whether it was reported, and how probable a report was."""

    visit: Ints
    species: Ints
    reported: Bools
    probability: Floats


def predict_held_out(fitted: Fitted, annotations: Annotations, fold: Fold, seed: int) -> HeldOutVotes:
    """Return the votes of held-out visits with the probability of a report by whoever made the visit.

    Unsure marks are not among these votes: most models do not predict them. Presence is inferred from the
    other votes on the recording, if there are any. Rates of annotators and of species that are new to an
    annotator are drawn as `posterior.predict` does. Scores of the other visits tell of presence too; those of
    held-out visits are not predicted.
    """
    every, seen, held, place = fold.about(annotations)
    visit, species = _votes(every, held)
    asked = asked_of(fitted, every, seed=seed)
    rate = asked.design.rates_at(every.visit_annotator[visit], species)
    parameters = fitted.parameters(MOST_DRAWS, asked)
    cells = every.visit_recording[visit], species, rate
    known, marks = (marks_as_reports(seen), seen.unsure) if fitted.model.marks_vote else (seen, None)
    machines = fitted.model.scored.machines if fitted.model.scored else ()
    votes = votes_of(known, marks, scores=known.scores_by(machines))
    found = report_probabilities(votes, asked.design.pairs, parameters, cells)
    return HeldOutVotes(place[visit], species, every.reports.contains(visit, species), found)


def _votes(annotations: VoteArrays, visits: Ints) -> tuple[Ints, Ints]:
    """Return visit and species of all votes of these visits."""
    scopes = annotations.scopes.take(annotations.visit_scope[visits])
    visit, species = visits[scopes.row_of_item()], scopes.item
    voted = ~annotations.unsure.contains(visit, species)
    return visit[voted], species[voted]
