"""Contexts: occurrence that differs by recording, from draws of the effects of context.

A table of draws × recordings × species is never made. The values of rows are kept, draws × rows × species,
and occurrence is computed for a block of recordings at a time, once for each distinct context in it.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ...annotations.known import KnownCells
from ...common.compiled import compiled
from ...common.errors import AnnotationError
from ...common.ragged import Floats, Ints
from ..context import Context, Term
from .parameters import Asked, Values
from .shared_occurrence import MARGIN

VALUES = 20_000_000
"""So many probabilities, draws × contexts × species, are computed at a time."""
GROUPS = 500
"""Where contexts are more, some share the bound of the cells that are left out."""
STEP = 0.1
"""For averages over recordings, their log-odds are put on a grid of such steps."""
MOST_SURE = 60.0
"""Log-odds beyond this, of all terms but one, count as this."""


class Contexts:
    """Occurrence by recording: the protocol `Occurrence` of cells.py.

    Parameters
    ----------
    value
        Log-odds by row of each term, draws × rows × species; rows are numbered through all terms, and those
        of the first include the intercept.
    row
        The row of each term of each recording, recordings × terms.
    """

    def __init__(self, value: Floats, row: Ints) -> None:
        self.value, self.row = value, row
        self.n_species = value.shape[2]
        self.most = max(VALUES // max(len(value) * self.n_species, 1), 1)

    def of(self, first: int, last: int) -> tuple[Ints, Floats]:
        """Return the context of these recordings, and occurrence by draw, one component, context, species."""
        contexts, which = np.unique(self.row[first:last], axis=0, return_inverse=True)
        chances = np.empty((len(self.value), 1, len(contexts), self.n_species), np.float32)
        _fill(self.value, contexts, chances)
        return which.reshape(-1).astype(np.int32), chances

    def needed(self, least: float) -> tuple[Ints, Floats]:
        """Return groups of recordings with neighbouring contexts, and the factors that they need at least.

        With log-odds x, the mean of 1 / (1 + exp(−x − f)) is at most P(x ≥ 0) + exp(f) · mean of exp(x) over
        x < 0, which is below `least` if the factor f is smaller than what is returned.
        """
        contexts, which = np.unique(self.row, axis=0, return_inverse=True)
        group = np.arange(len(contexts)) * min(len(contexts), GROUPS) // max(len(contexts), 1)
        needed = _needed(self.value, contexts, group, int(group.max(initial=-1)) + 1, least)
        return group[which.reshape(-1)].astype(np.int32), needed

    def terms(
        self, draw: int, n: int, rng: np.random.Generator, known: KnownCells | None = None
    ) -> tuple[Floats, Ints]:
        """Return the terms of the context; nothing is drawn."""
        return self.value[draw].astype(np.float64), self.row

    def averaged(self, term: int, rows: Ints, others: tuple[Ints, Ints]) -> Floats:
        """Return mean occurrence over all recordings, had they all one row of a term: draws × rows × species.

        `others` are the contexts of recordings but for this term, and how many have each. Their log-odds are
        put on a grid, each shared by its two neighbours there, which raises a small probability by at most
        STEP² / 8, or 0.13 %, of itself, and others by less. So it costs contexts + grid × rows.
        """
        chances = np.empty((len(self.value), len(rows), self.n_species))
        contexts, number = others
        _average(self.value, term, np.asarray(rows, np.int64), contexts, number / number.sum(), chances)
        return chances


def contexts_but_for(term: int, row: Ints) -> tuple[Ints, Ints]:
    """Return the distinct contexts of recordings with one term left out (−1), and how many have each.

    >>> contexts, number = contexts_but_for(0, np.array([[0, 3], [1, 3], [1, 4]], np.int32))
    >>> contexts.tolist(), number.tolist()
    ([[-1, 3], [-1, 4]], [2, 1])
    """
    left = row.copy()
    left[:, term] = -1
    number = pd.DataFrame(left).value_counts(sort=False)
    return number.index.to_frame().to_numpy(np.int32), number.to_numpy()


def contexts_of(
    context: Context, values: Values, species: Ints, asked: Asked | None, common_sd: float
) -> Contexts:
    """Return occurrence in the fitted recordings or, with `asked`, in new ones.

    Levels that the fit does not know are drawn: a common effect from its prior, and effects of species around
    it with the scale of the term.
    """
    if asked is not None and asked.context is None:
        raise AnnotationError(
            "the context of the new recordings is not known", "give it, with the terms of the fit"
        )
    terms = context.terms if asked is None or asked.context is None else asked.context.terms
    effect, scale = values("context_effect"), values("effect_scale")
    intercept = values("intercept")[:, species]
    parts, rows, low, start = [], [], 0, 0
    for t, (old, term) in enumerate(zip(context.terms, terms, strict=True)):
        high = low + len(old.columns)
        value = effect[:, low:high][:, :, species]
        if old.kind != "levels":  # whose basis is the identity matrix
            value = np.einsum("rb,dbk->drk", old.basis, value)
        row = _known_rows(old, term)
        if (row < 0).any() and asked is not None:
            row = np.where(row < 0, len(old.rows), row)
            new = common_sd * asked.rng.standard_normal((len(value), 1, 1))
            spread = scale[:, t, None, None] * asked.rng.standard_normal((len(value), 1, len(species)))
            value = np.concatenate([value, new + spread], axis=1)
        parts.append((value if t else value + intercept[:, None]).astype(np.float32))
        rows.append(start + row)
        low, start = high, start + value.shape[1]
    return Contexts(np.concatenate(parts, axis=1), np.stack(rows, axis=1).astype(np.int32))


def _known_rows(old: Term, new: Term) -> Ints:
    """Return the row of each recording; terms of new recordings have to be those of the fit."""
    if old.name != new.name or old.columns != new.columns:
        raise AnnotationError(
            f"the new recordings have '{new.name}' where the fit has '{old.name}', or other columns of it",
            "make their context with the terms of the fit",
        )
    return np.asarray(new.row, np.int64)


@compiled
def _fill(value: Floats, contexts: Ints, out: Floats) -> None:
    """Fill in occurrence by draw, component, context and species."""
    draws, _, n_contexts, n_species = out.shape
    for d in range(draws):
        for c in range(n_contexts):
            for k in range(n_species):
                x = np.float64(value[d, contexts[c, 0], k])
                for t in range(1, contexts.shape[1]):
                    x += value[d, contexts[c, t], k]
                out[d, 0, c, k] = 1 / (1 + math.exp(-x))


@compiled
def _average(value: Floats, term: int, rows: Ints, contexts: Ints, weight: Floats, out: Floats) -> None:
    """Fill in mean occurrence by draw, row of a term and species."""
    draws, n_rows, n_species = out.shape
    size = int(2 * MOST_SURE / STEP) + 2
    share, against, here = np.empty(size), np.empty(size), np.empty(value.shape[1])
    for d in range(draws):
        for k in range(n_species):
            first, last = size, 0
            share[:] = 0
            here[:] = value[d, :, k]
            for c in range(len(contexts)):
                x = 0.0
                for t in range(contexts.shape[1]):
                    if t != term:
                        x += here[contexts[c, t]]
                x = (min(max(x, -MOST_SURE), MOST_SURE) + MOST_SURE) / STEP
                b = int(x)
                share[b] += weight[c] * (b + 1 - x)
                share[b + 1] += weight[c] * (x - b)
                first, last = min(first, b), max(last, b + 1)
            for b in range(first, last + 1):
                against[b] = math.exp(MOST_SURE - b * STEP)
            for r in range(n_rows):
                own, total = math.exp(-here[rows[r]]), 0.0
                for b in range(first, last + 1):
                    total += share[b] / (1 + own * against[b])
                out[d, r, k] = total


@compiled
def _needed(value: Floats, contexts: Ints, group: Ints, groups: int, least: float) -> Floats:
    """Return the factors that groups of contexts need."""
    draws, _, n_species = value.shape
    often, small = np.zeros((groups, n_species)), np.zeros((groups, n_species))
    largest = np.empty((groups, n_species))
    for d in range(draws):
        largest[:] = -np.inf
        for c in range(len(contexts)):
            for k in range(n_species):
                x = np.float64(value[d, contexts[c, 0], k])
                for t in range(1, contexts.shape[1]):
                    x += value[d, contexts[c, t], k]
                largest[group[c], k] = max(largest[group[c], k], x)
        for g in range(groups):
            for k in range(n_species):
                if largest[g, k] >= 0:
                    often[g, k] += 1 / draws
                else:
                    small[g, k] += math.exp(largest[g, k]) / draws
    needed = np.full((groups, n_species), -1e300)
    for g in range(groups):
        for k in range(n_species):
            if often[g, k] < least:
                needed[g, k] = math.log((least - often[g, k]) / max(small[g, k], 1e-300)) - MARGIN
    return needed
