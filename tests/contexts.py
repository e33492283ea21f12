"""Contexts that are made up: levels, and a smooth term."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

import dawnchorus as dc
from dawnchorus.model.context import Context, Term


def levels(name, row, rows) -> Term:
    """Give a term with an effect of its own for each level."""
    names = tuple(rows)
    return Term(
        name,
        "levels",
        np.asarray(row, np.int32),
        np.eye(len(names)),
        names,
        names,
        np.full(len(names), np.nan),
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


def made_up_ratings(n_annotators) -> Context:
    """Give two ratings, which the last annotator has not said, and a number of years."""
    j = np.arange(n_annotators)
    rating, share = levels("rating", j % 2, ("low", "high")), np.mean(j[:-1] % 2)
    rating.row[-1] = -1
    rating = rating._replace(basis=rating.basis - [1 - share, share])
    basis, words, value = np.array([[-0.9], [0.1], [1.2]]), ("1", "2", "3"), np.arange(1.0, 4.0)
    years = Term("years", "linear", (j % 3).astype(np.int32), basis, words, ("years",), value)
    return Context("rating + years", (rating, years))


def design_matrix(context: Context) -> np.ndarray:
    """Give the whole design matrix, recordings × columns: the intercept, and terms with levels last."""
    ones = np.ones((context.n_recordings, 1))
    terms = sorted(context.terms, key=lambda term: term.kind == "levels")
    return np.concatenate([ones, *(term.basis[term.row] for term in terms)], axis=1)


def log_likelihood(context: Context, effect, present, voted) -> float:
    """Give the log probability of presence of one species, by a loop over recordings."""
    total = 0.0
    for x, there, counts in zip(design_matrix(context) @ effect, present, voted, strict=True):
        if counts:
            total -= np.logaddexp(0, -x if there else x)
    return total


def simulated(rng, context: Context, effect, *, visits=3, tpr=0.8, fpr=0.01):
    """Give annotations of recordings in context, as a frame of votes, and presence: recordings × species."""
    odds = np.exp(design_matrix(context) @ np.asarray(effect).T)
    present = rng.random(odds.shape) * (1 + odds) < odds
    votes = [
        (i, f"a{j}", k)
        for i in range(len(present))
        for j in rng.permutation(8)[:visits]
        for k in np.flatnonzero(rng.random(present.shape[1]) < np.where(present[i], tpr, fpr))
    ]
    every = [(i, f"a{j}", -1) for i in range(len(present)) for j in range(1)]
    frame = pd.DataFrame(votes + every, columns=["recording", "annotator", "species"])
    frame["recording"] = [f"r{i:05}" for i in frame["recording"]]
    frame["species"] = ["" if k < 0 else f"s{k:03}" for k in frame["species"]]
    recordings = pd.DataFrame({"recording": [f"r{i:05}" for i in range(len(present))]})
    species = pd.DataFrame({"species": [f"s{k:03}" for k in range(present.shape[1])]})
    return dc.Annotations.from_frame(
        frame, absence="checklist", recordings=recordings, species=species
    ), present


class Sung(NamedTuple):
    """Annotations of species that sing by site, hour and date, and the log-odds that are the truth."""

    annotations: dc.Annotations
    peak: np.ndarray
    """The hour at which each species sings most."""
    log_odds: Callable[..., np.ndarray]
    """Of all recordings and species, with `site`, `hour` or `date` replaced in all recordings."""


def sung(seed=1, *, n_recordings=400, n_species=6, n_sites=5, visits=3) -> Sung:
    """Give simulated data with site, time (in one year) and coordinates."""
    rng = np.random.default_rng(seed)
    there = {
        "site": rng.integers(n_sites, size=n_recordings),
        "hour": rng.integers(96, size=n_recordings) / 4,
        "date": rng.integers(100, 200, size=n_recordings),
    }
    at_site = rng.normal(0, 1, (n_sites, n_species))
    peak, season = rng.uniform(0, 24, n_species), rng.uniform(-1, 1, n_species)

    def log_odds(**replaced):
        x = {name: np.broadcast_to(replaced.get(name, value), n_recordings) for name, value in there.items()}
        daily = 1.5 * np.cos((x["hour"][:, None] - peak) * np.pi / 12)
        return -1.5 + at_site[x["site"]] + daily + season * (x["date"][:, None] - 150) / 50

    present = rng.random((n_recordings, n_species)) < expit(log_odds())
    label, bird = (
        [f"r{i:04}" for i in range(n_recordings)],
        np.array([f"bird {k}" for k in range(n_species)], object),
    )
    rows = [
        (label[i], f"a{j}", name)
        for i in range(n_recordings)
        for j in rng.permutation(6)[:visits]
        for name in ["", *bird[rng.random(n_species) < np.where(present[i], 0.8, 0.01)]]
    ]
    start = pd.Timestamp("2018-01-01") + pd.to_timedelta(there["date"] - 1, unit="D")
    recordings = pd.DataFrame(
        {
            "recording": label,
            "site": [f"site {s}" for s in there["site"]],
            "time": (start + pd.to_timedelta(there["hour"], unit="h")).strftime("%Y-%m-%d %H:%M"),
            "time_zone": "Europe/Helsinki",
            "latitude": 60 + 0.1 * there["site"],
            "longitude": 24 + 0.2 * (there["site"] % 3),
        }
    )
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    annotations = dc.Annotations.from_frame(
        frame, absence="checklist", recordings=recordings, species=pd.DataFrame({"species": bird})
    )
    return Sung(annotations, peak, log_odds)
