"""Slow, obvious twins of what the package does fast: dictionaries and loops over every cell."""

from __future__ import annotations

import numpy as np


def votes(rows, absence, scope=()):
    """Give {(recording, annotator): {species: 1, 0 or None for unsure}} from rows of a long table.

    `rows` are (recording, annotator, species or "", present 1, 0 or None); `scope` are (annotator, species).
    """
    every_species = {row[2] for row in rows if row[2]} | {k for _, k in scope}
    visits = {}
    for recording, annotator, species, present in rows:
        visit = visits.setdefault((recording, annotator), {})
        if species:
            visit[species] = present
    for (_, annotator), visit in visits.items():
        if absence == "checklist":
            silent = every_species
        elif absence == "scope":
            silent = {k for j, k in scope if j == annotator}
        else:
            silent = set()
        for species in silent:
            visit.setdefault(species, 0)
    return visits


def cube(visits, recordings, annotators, species):
    """Lay the votes out: 1, 0, and −1 for no vote."""
    cells = np.full((len(recordings), len(annotators), len(species)), -1)
    for i, recording in enumerate(recordings):
        for j, annotator in enumerate(annotators):
            for k, name in enumerate(species):
                vote = visits.get((recording, annotator), {}).get(name)
                if vote is not None:
                    cells[i, j, k] = vote
    return cells


def majority_vote(cells):
    """Give the share of votes for present in each cell; without a vote, the mean of all such shares."""
    shares = np.full((cells.shape[0], cells.shape[2]), np.nan)
    for i in range(cells.shape[0]):
        for k in range(cells.shape[2]):
            cast = [vote for vote in cells[i, :, k] if vote >= 0]
            if cast:
                shares[i, k] = sum(cast) / len(cast)
    shares[np.isnan(shares)] = np.nanmean(shares)
    return shares


def vote_counts(cells):
    """Count votes and reports in each cell."""
    return (cells >= 0).sum(axis=1), (cells == 1).sum(axis=1)


def auc(present, probability):
    """Give the share of (present, absent) pairs in which the present cell has the higher probability."""
    wins = 0.0
    positives = [p for y, p in zip(present, probability, strict=True) if y]
    negatives = [p for y, p in zip(present, probability, strict=True) if not y]
    for p in positives:
        for q in negatives:
            wins += 1.0 if p > q else 0.5 if p == q else 0.0
    return wins / (len(positives) * len(negatives))
