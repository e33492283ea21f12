"""Contexts that are made up: levels, and a smooth term."""

from __future__ import annotations

import numpy as np

from dawnchorus.model.context import Context, Term


def levels(name, row, rows) -> Term:
    """Give a term with an effect of its own for each level."""
    names = tuple(rows)
    return Term(
        name, "levels", np.asarray(row, np.int32), np.eye(len(names)), names, names, np.full(len(names), np.nan)
    )


def waves(name, row, rows) -> Term:
    """Give a smooth term of two columns over so many values."""
    angle = 2 * np.pi * np.arange(rows) / rows
    basis, value = np.stack([np.sin(angle), np.cos(angle)], axis=1), np.arange(rows, dtype=float)
    words = tuple(f"{v:g}" for v in value)
    return Term(name, "smooth", np.asarray(row, np.int32), basis, words, ("sine", "cosine"), value)


def made_up(n_recordings) -> Context:
    """Give three sites and four hours, one of which no recording has."""
    i = np.arange(n_recordings)
    site, hour = levels("site", i % 3, ("marsh", "wood", "field")), waves("hour", (i + i // 3) % 3, 4)
    return Context("site + hour", (site, hour))
