"""Tables: draws and cells as rows, with labels and intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtri

from ..annotations.counting import votes_at
from ..annotations.labelled import LabelledVotes
from ..common.intervals import interval, quantiles_of
from ..common.ragged import Floats, Ints
from ..model.design import Design
from ..model.predictive.cells import Cells
from ..model.predictive.parameters import Kinds
from ..model.variables import Dimension
from ..sampling.draws import Draws

STANDS_OUT = 1.25
"""A species stands out in a component if it is at least so many times as probable there as overall."""


def variable_columns(draws: Draws, dimension: Dimension, level: float) -> list[pd.DataFrame]:
    """Return mean and interval of the variables that have a column in the table of this dimension."""
    return [
        interval_columns(v.column, *_mean_and_interval(draws, v.name, level))
        for v in draws.by(dimension)
        if v.column
    ]


def interval_columns(column: str, mean: Floats, low: Floats, high: Floats) -> pd.DataFrame:
    """Return a column together with its lower and upper bound."""
    return pd.DataFrame({column: mean, f"{column}_lower": low, f"{column}_upper": high})


def _mean_and_interval(draws: Draws, name: str, level: float) -> tuple[Floats, Floats, Floats]:
    """Return mean and interval of a variable, from draws or else from mean and standard deviation."""
    if draws[name].size:
        return (draws.mean(name), *interval(draws.flat(name), level))
    mean, sd = draws.moments[name]
    away = float(ndtri(quantiles_of(level)[1])) * sd
    return mean, np.clip(mean - away, 0, 1), np.clip(mean + away, 0, 1)


def labelled_cells(
    annotations: LabelledVotes, recording: Ints, species: Ints, **columns: npt.NDArray[Any]
) -> pd.DataFrame:
    """Return cells, given by place, with their labels and these columns."""
    return pd.DataFrame(
        {
            "recording": annotations.recordings.index[recording],
            "species": annotations.species.index[species],
            **columns,
        }
    )


def cell_rows(
    annotations: LabelledVotes, cells: Cells, reports: Ints, *, mcse: bool = False, **columns: Any
) -> pd.DataFrame:
    """Return cells with their labels, probabilities and votes, further columns, and errors if wanted."""
    errors = {"mcse": cells.mcse.astype(np.float64)} if mcse else {}
    return labelled_cells(
        annotations,
        cells.recording,
        cells.species,
        **probability_columns(cells),
        votes=votes_at(annotations, cells.recording, cells.species),
        reports=reports,
        **columns,
        **errors,
    )


def probability_columns(cells: Any) -> dict[str, Floats]:
    """Return the probability of cells and its bounds, as columns."""
    return {
        "probability": cells.probability.astype(np.float64),
        "probability_lower": cells.lower.astype(np.float64),
        "probability_upper": cells.upper.astype(np.float64),
    }


def pair_counts(design: Design) -> pd.DataFrame:
    """Return for each annotator and species the votes and the reports among them."""
    d, a = design, design.annotations
    return pd.DataFrame(
        {
            "annotator": a.annotators.index[d.rate_annotator],
            "species": a.species.index[d.pairs.item],
            "votes": d.sure.reports + d.sure.silences,
            "reports": d.sure.reports,
        }
    )


class Community(NamedTuple):
    """A component of a mixture.

    Its share of recordings in every draw, 0 in draws that have fewer components; the probability of each
    species over the draws that have it; and the species that stand out.
    """

    shares: Floats
    probability: Floats
    stand_out: Ints


def communities(kinds: Kinds, overall: Floats, most: int) -> list[Community]:
    """Return the components that at least half of the draws have, and the species that stand out in each.

    `kinds` are the components by draw, and `overall` is the mean occurrence of each species.
    """
    # The last of each draw is the component yet unseen.
    seen = np.arange(kinds.weight.shape[1]) < kinds.components[:, None] - 1
    found = []
    for r in range(kinds.weight.shape[1]):
        if seen[:, r].mean() < 0.5:
            break
        probability = kinds.occurrence[seen[:, r], r].mean(axis=0)
        gain = probability * np.log(np.maximum(probability, 1e-12) / np.maximum(overall, 1e-12))
        stand_out = [k for k in np.argsort(-gain)[:most] if probability[k] >= STANDS_OUT * overall[k]]
        shares = np.where(seen[:, r], kinds.weight[:, r], 0)
        found.append(Community(shares, probability, np.array(stand_out, int)))
    return found


def component_table(found: list[Community], species: pd.Index, level: float) -> pd.DataFrame:
    """Return the components of a mixture by size, with the species that stand out in each."""
    rows = []
    for r, (shares, probability, stand_out) in enumerate(found):
        low, high = interval(shares, level)
        names = ", ".join(map(str, species[stand_out]))
        rows.append((r + 1, shares.mean(), low, high, probability.sum(), names))
    columns = ["component", "share", "share_lower", "share_upper", "species_per_recording", "stand_out"]
    return pd.DataFrame(rows, columns=columns)


def counts_by_annotator(annotations: LabelledVotes) -> pd.DataFrame:
    """Return for each annotator the number of recordings visited and of reports made."""
    a = annotations
    reports = np.bincount(a.visit_annotator, weights=a.reports.sizes, minlength=a.n_annotators)
    recordings = a.visits_of_annotators
    return pd.DataFrame(
        {"annotator": a.annotators.index, "recordings": recordings, "reports": reports.astype(np.int64)}
    )


def counts_by_recording(annotations: LabelledVotes) -> pd.DataFrame:
    """Return for each recording the number of visits and of reports made in them."""
    a = annotations
    reports = np.bincount(a.visit_recording, weights=a.reports.sizes, minlength=a.n_recordings)
    return pd.DataFrame(
        {
            "recording": a.recordings.index,
            "visits": a.visits_by_recording.sizes,
            "reports": reports.astype(np.int64),
        }
    )
