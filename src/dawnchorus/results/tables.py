"""Summaries: draws and cells as rows of tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from ..annotations.counting import votes_at
from ..annotations.labelled import LabelledVotes
from ..common.ragged import Floats, Ints
from ..model.design import Design
from ..model.presence.predictive import INTERVAL, Cells
from ..model.variables import Dimension
from ..sampling.draws import Draws

STANDS_OUT = 1.25
"""A species stands out in a component where it is so many times as probable as overall."""


def variable_columns(draws: Draws, dimension: Dimension) -> list[pd.DataFrame]:
    """Return mean and 90 % interval of the variables that have a column in the table of this dimension."""
    return [intervals(v.column, draws, v.name) for v in draws.by(dimension) if v.column]


def intervals(column: str, draws: Draws, name: str) -> pd.DataFrame:
    """Return mean and 90 % interval of a variable, from draws or else from mean and standard deviation."""
    if draws[name].size:
        mean, flat = draws.mean(name), draws.flat(name)
        low, high = np.quantile(flat, INTERVAL, axis=0)
    else:
        mean, sd = draws.moments[name]
        low, high = np.clip(mean - 1.645 * sd, 0, 1), np.clip(mean + 1.645 * sd, 0, 1)
    return pd.DataFrame({column: mean, f"{column}_lower": low, f"{column}_upper": high})


def count_reports(annotations: LabelledVotes, cells: Cells) -> Ints:
    """Count the reports in each of these cells, which come by recording."""
    if not len(cells.recording):
        return np.empty(0, np.int64)
    first, last = int(cells.recording[0]), int(cells.recording[-1]) + 1
    counts = annotations.report_counts(slice(first, last))
    return np.asarray(counts[cells.recording - first, cells.species]).ravel().astype(np.int64)


def cell_rows(annotations: LabelledVotes, cells: Cells, reports: Ints) -> pd.DataFrame:
    """Give cells with their labels, probabilities and votes."""
    return pd.DataFrame(
        {
            "recording": annotations.recordings.index[cells.recording],
            "species": annotations.species.index[cells.species],
            "probability": cells.probability.astype(np.float64),
            "lower": cells.lower.astype(np.float64),
            "upper": cells.upper.astype(np.float64),
            "annotators": votes_at(annotations, cells.recording, cells.species),
            "reports": reports,
        }
    )


def pair_counts(design: Design) -> pd.DataFrame:
    """Return for each annotator and species the votes and the reports among them."""
    d, a = design, design.annotations
    return pd.DataFrame(
        {
            "annotator": a.annotators.index[d.rate_annotator],
            "species": a.species.index[d.pairs.item],
            "votes": d.reports + d.silences,
            "reports": d.reports,
        }
    )


class Community(NamedTuple):
    """A component of a mixture over the draws that have it."""

    shares: Floats
    probability: Floats
    stand_out: Ints


def communities(draws: Draws, most: int) -> list[Community]:
    """Return the components that at least half of the draws have, and the species that stand out in each."""
    weight, occurrence = draws["component_weight"], draws["component_occurrence"]
    there = np.isfinite(weight)
    number = there.sum(axis=2)
    # The last of each draw is the component yet unseen.
    last = np.arange(weight.shape[2]) == number[..., None] - 1
    seen = there & ~last
    overall = draws.mean("occurrence")
    found = []
    for r in range(weight.shape[2]):
        if seen[..., r].mean() < 0.5:
            break
        probability = occurrence[:, :, r][seen[..., r]].mean(axis=0)
        gain = probability * np.log(np.maximum(probability, 1e-12) / np.maximum(overall, 1e-12))
        stand_out = [k for k in np.argsort(-gain)[:most] if probability[k] >= STANDS_OUT * overall[k]]
        found.append(Community(weight[..., r][seen[..., r]], probability, np.array(stand_out, int)))
    return found


def component_table(found: list[Community], species: pd.Index) -> pd.DataFrame:
    """Give the components of a mixture by size, with the species that stand out in each."""
    rows = []
    for r, (shares, probability, stand_out) in enumerate(found):
        low, high = np.quantile(shares, INTERVAL)
        names = ", ".join(map(str, species[stand_out]))
        rows.append((r + 1, shares.mean(), low, high, probability.sum(), names))
    columns = ["component", "share", "share_lower", "share_upper", "species_per_recording", "stand_out"]
    return pd.DataFrame(rows, columns=columns)
