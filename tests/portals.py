"""Small portals without a fit: laid out by hand, or wild, with all that real ones have.

A portal is given by its visits, {(recording, annotator): species in scope}.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dawnchorus.annotations.annotations import Annotations
from dawnchorus.annotations.assembly import assemble
from dawnchorus.annotations.labelled import Provenance
from dawnchorus.common.ragged import Ragged
from dawnchorus.simulation.simulation import labels


def lay_out(visits, unsure=(), known=None, reports=(), *, sizes):
    """Give annotations of these visits.

    `unsure` and `reports` are (recording, annotator, species), `known` further species by annotator, `sizes`
    how many recordings, annotators and species.
    """
    pairs = sorted(visits)
    place = {pair: at for at, pair in enumerate(pairs)}
    known = known or {}
    words = ("recording", "annotator", "species")
    return Annotations.of(
        assemble(
            {word: pd.DataFrame(index=labels(word, n)) for word, n in zip(words, sizes, strict=True)},
            *np.array(pairs).T,
            scopes=_ragged([visits[pair] for pair in pairs]),
            visit_scope=np.arange(len(pairs)),
            reports=_by_visit(reports, place),
            unsure=_by_visit(unsure, place),
            known=_ragged([known.get(j, ()) for j in range(sizes[1])]),
            annotator_known=np.arange(sizes[1]),
            provenance=Provenance(),
        )
    )


def _ragged(lists) -> Ragged:
    rows = [row for row, one in enumerate(lists) for _ in one]
    return Ragged.from_pairs(rows, [k for one in lists for k in one], rows=len(lists))


def _by_visit(triples, place) -> Ragged:
    return Ragged.from_pairs([place[i, j] for i, j, _ in triples], [k for *_, k in triples], rows=len(place))


def with_scopes(visits, scopes):
    """Give visits with a scope by annotator."""
    return {(i, j): scopes[j] for i, j in visits}


def small():
    """Give recordings with up to four visits and with none, and everything else that may go wrong.

    In recording 0, species 3 and 4 are outside the widest scope and inside several others. Species 1 there
    and species 3 in recording 1 have an unsure mark and no vote. Annotator 1 knows species 0 and never votes
    on it, annotator 3 has a single visit, and the scope of a visit to recording 4 is empty.
    """
    visited_by = [(0, 1, 2, 3), (1,), (0, 2), (0, 1), (2,), (0, 1, 2)]
    scopes = [(0, 1, 2), (1, 3, 4), (0, 2, 3), (3, 4)]
    visits = with_scopes([(i, j) for i, who in enumerate(visited_by) for j in who], scopes)
    visits |= {(0, 1): (3, 4), (2, 0): (0, 1, 2, 3, 4), (4, 0): ()}
    return lay_out(visits, unsure=[(0, 0, 1), (1, 1, 3), (5, 2, 0)], known={1: (0,)}, sizes=(7, 4, 5))


def wild(seed=1, recordings=24, annotators=9, species=14):
    """Give a portal at random, as wild as real ones.

    Recordings have up to six visits, whose scopes overlap in part, contain each other or are empty. The last
    annotator has no visit, the one before a single visit. Nobody votes on the last species, and the one
    before has unsure marks only.
    """
    rng = np.random.default_rng(seed)
    votable = species - 2
    scopes = [(), *(rng.permutation(votable)[: rng.integers(2, votable // 2 + 1)] for _ in range(14))]
    active = annotators - 2
    activity = 1 / np.arange(1, active + 1)
    visits, unsure, reports = {(recordings - 1, active): scopes[1]}, [], []
    for i in range(1, recordings):  # nobody visits the first
        who = rng.choice(active, size=rng.integers(1, 7), replace=False, p=activity / activity.sum())
        visits |= {(i, j): scopes[rng.integers(len(scopes))] for j in who}
    for (i, j), scope in visits.items():
        marked = rng.random(len(scope)) < 0.12
        reported = ~marked & (rng.random(len(scope)) < 0.18)
        unsure += [(i, j, k) for k, mark in zip(scope, marked, strict=True) if mark]
        reports += [(i, j, k) for k, report in zip(scope, reported, strict=True) if report]
        if rng.random() < 0.1:
            visits[i, j] = (*scope, votable)
            unsure.append((i, j, votable))
    known = {j: rng.permutation(species)[: rng.integers(0, 4)] for j in range(annotators)}
    return lay_out(visits, unsure, known, reports, sizes=(recordings, annotators, species))
