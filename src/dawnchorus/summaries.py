"""Summaries: draws and cells as rows of tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from .annotations import Annotations
from .cells import votes_at
from .design import Design
from .predictive import INTERVAL, Cells
from .ragged import Floats, Ints

STANDS_OUT = 1.25
"""A species stands out in a component where it is so many times as probable as overall."""


def intervals(name: str, draws: Floats) -> pd.DataFrame:
    """Give mean and 90 % interval over chains and draws."""
    flat = draws.reshape(-1, *draws.shape[2:])
    low, high = np.quantile(flat, INTERVAL, axis=0)
    mean = flat.mean(axis=0, dtype=np.float64)
    return pd.DataFrame({name: mean, f"{name}_lower": low, f"{name}_upper": high})


def count_reports(annotations: Annotations, cells: Cells) -> Ints:
    """Count the reports in each of these cells, which come by recording."""
    if not len(cells.recording):
        return np.empty(0, np.int64)
    first, last = int(cells.recording[0]), int(cells.recording[-1]) + 1
    counts = annotations.report_counts(slice(first, last))
    return np.asarray(counts[cells.recording - first, cells.species]).ravel().astype(np.int64)


def cell_rows(annotations: Annotations, cells: Cells, reports: Ints) -> pd.DataFrame:
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


def pair_table(design: Design, draws: dict[str, Floats], summary: dict[str, Floats]) -> pd.DataFrame:
    """Give for each annotator and species votes and rates, from draws or else from means and deviations."""
    d, a = design, design.annotations
    table = pd.DataFrame(
        {
            "annotator": a.annotators.index[d.rate_annotator],
            "species": a.species.index[d.pairs.item],
            "votes": d.reports + d.silences,
            "reports": d.reports,
        }
    )
    for name in ("tpr", "fpr"):
        if draws:
            columns = intervals(name, draws[f"species_{name}"])
        else:
            mean, sd = (summary[f"species_{name}_{what}"] for what in ("mean", "sd"))
            low, high = np.clip(mean - 1.645 * sd, 0, 1), np.clip(mean + 1.645 * sd, 0, 1)
            columns = pd.DataFrame({name: mean, f"{name}_lower": low, f"{name}_upper": high})
        table = pd.concat([table, columns], axis=1)
    return table


class Community(NamedTuple):
    """A component of a mixture over the draws that have it."""

    shares: Floats
    probability: Floats
    stand_out: Ints


def communities(mixture: dict[str, Floats], overall_draws: Floats, most: int) -> list[Community]:
    """Give the components that at least half of the draws have, and the species that stand out in each."""
    weight, occurrence = mixture["weight"], mixture["occurrence"]
    there = np.isfinite(weight)
    number = there.sum(axis=2)
    # The last of each draw is the component yet unseen.
    last = np.arange(weight.shape[2]) == number[..., None] - 1
    seen = there & ~last
    overall = overall_draws.mean(axis=(0, 1))
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
