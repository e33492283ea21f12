"""Encounters: the probability of presence at every vote, as sparse matrices, visits × species.

An encounter is a vote on a species that is present. Only listed cells are stored, since all others are
improbable.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...annotations.arrays import VoteArrays
from ...common.compiled import compiled
from ...common.ragged import Bools, Floats, Ints, Ragged
from ...model.lookups import has, lower


class Confusions(NamedTuple):
    """Pairs of a species that was missed and one that was wrongly reported in the same visits, by place."""

    species: Ints
    reported: Ints
    times: Floats
    chance: Floats


def at_votes(votes: VoteArrays, cells: Ragged, probability: Floats) -> Any:
    """Return the probability of presence at each vote on a listed cell: visits × species.

    `cells` are the listed species of each recording, `probability` those of these cells.
    """
    a = votes
    keep = _voted(cells, a.visit_recording, a.visit_scope, a.scopes, a.unsure)
    by_visit = cells.take(a.visit_recording).keep(keep)
    place = Ragged(cells.start, np.arange(len(cells.item))).take(a.visit_recording).item[keep]
    values = np.asarray(probability, float)[place]
    return sparse.csr_array((values, by_visit.item, by_visit.start), shape=(a.n_visits, a.n_species))


def votes_by_species(votes: VoteArrays) -> Ints:
    """Return the number of votes on each species."""
    a = votes
    visits = np.bincount(a.visit_scope, minlength=a.scopes.rows)
    return visits @ a.scopes.to_csr(a.n_species) - np.bincount(a.unsure.item, minlength=a.n_species)


def confusions(votes: VoteArrays, wrong: Any, missed: Any, least: float, excess: float) -> Confusions:
    """Return pairs of species that were missed and wrongly reported together more often than by chance.

    `wrong` and `missed` are the probabilities, visits × species, that a report is wrong and that a silence
    is. For species k missed and species l wrongly reported, over visits v,

        times[k, l]  = Σ_v wrong[v, l] · missed[v, k],
        chance[k, l] = Σ_{v voting on k} wrong[v, l] · (Σ_v missed[v, k] / votes on k),

    the latter being what is expected if both had nothing to do with each other. Listed are pairs with
    times ≥ `least` and times > `excess` · chance.
    """
    a, wrong = votes, sparse.csc_array(wrong)
    together = sparse.coo_array(wrong.T @ missed)
    often = together.data >= least
    said, there = (axis[often] for axis in together.coords)
    times = together.data[often]
    reports = Ragged(wrong.indptr, wrong.indices).take(said)
    weight = wrong.data[Ragged(wrong.indptr, np.arange(wrong.nnz)).take(said).item]
    pair = reports.row_of_item()
    answered = a.has_voted(reports.item, there[pair])
    exposed = np.bincount(pair[answered], weight[answered], len(said))
    missing = np.asarray(missed.sum(axis=0)) / np.maximum(votes_by_species(a), 1)
    chance = exposed * missing[there]
    order = np.flatnonzero(times > excess * chance)
    order = order[np.lexsort((there[order], said[order], -(times - chance)[order]))]
    return Confusions(there[order], said[order], times[order], chance[order])


@compiled
def _voted(cells: Ragged, recording: Ints, scope: Ints, scopes: Ragged, unsure: Ragged) -> Bools:
    """Return, visit by visit, on which of the listed cells of its recording it voted."""
    cell_start, cell_item = cells.start, cells.item
    scope_start, scope_item = scopes.start, scopes.item
    unsure_start, unsure_item = unsure.start, unsure.item
    n = 0
    for visit in range(len(recording)):
        n += cell_start[recording[visit] + 1] - cell_start[recording[visit]]
    keep = np.zeros(n, np.bool_)
    n = 0
    for visit in range(len(recording)):
        place, end = scope_start[scope[visit]], scope_start[scope[visit] + 1]
        for cell in range(cell_start[recording[visit]], cell_start[recording[visit] + 1]):
            k = cell_item[cell]
            place = lower(scope_item, place, end, k)
            if place < end and scope_item[place] == k:
                keep[n] = not has(unsure_item, unsure_start[visit], unsure_start[visit + 1], k)
            n += 1
    return keep
