"""Against the truth: presence probabilities are scored, with bootstrap intervals.

Bootstrap over recordings: the cells of one recording are not independent of each other, so whole recordings
are resampled (a cluster bootstrap). With R recordings in the comparison, each bootstrap sample draws R
recordings with replacement. A recording that was drawn n times gives all its cells the weight n, and each
measure is computed with these weights (see scores.py). The interval of level L is the range between the
quantiles (1 − L) / 2 and (1 + L) / 2 of a measure over the samples (a percentile interval); samples in which
the measure is not defined are ignored. The model is not fitted again: the intervals say how much a score
depends on which recordings have a known truth.

Efron (1979), "Bootstrap methods: another look at the jackknife"; Field and Welsh (2007), "Bootstrapping
clustered data".
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.labelled import Provenance
from ..annotations.labels import Names, counted, verb
from ..annotations.truth import Truth, truth_frame
from ..common.checked import Seed, generator, probability, whole_number, yes_or_no
from ..common.errors import AnnotationError
from ..common.intervals import LEVEL, quantiles_of
from ..common.protocols import offers
from ..common.ragged import Floats, Ints
from ..common.showing.progress import Progress
from ..results.parts.posterior_in_parts import PosteriorInParts
from ..results.result import COLUMNS, Result
from .evaluation import MEASURES, Evaluation
from .given_tables import (
    cells_in_parts,
    check_compared,
    label_index,
    presence_frame,
    probabilities,
    table_of,
    tell_unknown,
)
from .known_in_fit import known_in, scored
from .scores import BINS, THRESHOLDS, Scores


def evaluate(
    presence: Any,
    truth: Any,
    *,
    as_: str = "present",
    bootstrap: int = 0,
    level: float = LEVEL,
    seed: Seed = 0,
    unlisted: float | None = None,
    recordings: Names | None = None,
    species: Names | None = None,
    fold_case: bool | None = None,
    known: Any = None,
    include_known: bool = False,
    leave_out_known: bool = False,
    names: Any = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Return scores of presence probabilities against the truth.

    Parameters
    ----------
    presence
        The result of `fit`, or a frame with columns recording, species, probability. Of a result in parts,
        which has to be in its folder, only the rows of recordings in the truth are read.
    truth
        A frame with columns recording, species, present (1 or 0), for the cells whose truth is known; or the
        `truth` of a simulation.
    as_
        What to compare with it: `"present"`, the probability that a species is present; or `"report"`, the
        probability that a typical annotator would report it (the column would_report), if the truth is what
        an expert heard rather than what was there.
    bootstrap
        Number of bootstrap samples of recordings, for intervals; 0 for no intervals.
    level
        The level of these intervals.
    seed
        Seed of the bootstrap: a whole number, a generator, or None for other samples each time.
    unlisted
        The probability of cells that `presence` does not list, if it lists only reported or probable cells.
    recordings, species
        All labels that exist, or a single one, if `presence` lists only some; by default those in `presence`.
    fold_case
        Match species of the truth with those of the result that differ only in upper and lower case; by
        default, if the annotations were read with `fold_case=True`.
    known
        The cells that were known in the fit: a frame with columns recording and species; by default those of
        the result, or of the column `known` of the table.
    include_known, leave_out_known
        What to do with cells of the truth that were known in the fit: score on them too, or leave them out.
        Without either they are an error, since a fit is not to be judged by what it was told.
    names
        One name for each code or synonym of a species in the truth: a mapping, or a frame with columns `from`
        and `to`; by default, as the annotations were read.
    progress
        A function that is called with the number of bootstrap samples done and their total.

    Returns
    -------
    Evaluation

    Raises
    ------
    AnnotationError
        If a table cannot be used, no cell of the truth is in the result, or a cell of the truth has no
        probability and `unlisted` is not given; if a cell was known in the fit, and it is not said what to do
        with it; or if a number is out of its range.

    Warns
    -----
    AnnotationWarning
        If some recordings or species of the truth are not in the result.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(visits=4.0, seed=1)
    >>> result = dc.fit(simulation.annotations, model="majority-vote")
    >>> scores = dc.evaluate(result, simulation.truth, bootstrap=20)
    >>> low, high = scores.intervals["auc"]
    >>> low <= scores.auc <= high
    True
    """
    yes_or_no(fold_case=fold_case, include_known=include_known, leave_out_known=leave_out_known)
    if isinstance(presence, PosteriorInParts):
        check_compared(as_)
        species = presence.annotations.species.index if species is None else species
        all_species, fold = label_index(species), bool(fold_case)
        frame = truth_frame(_frame(truth), fold_case=fold, species=all_species, names=names)
        cells, left = _cells_with_all(presence, frame, as_, unlisted)
        scores_of_cells = evaluate(
            cells,
            frame,
            as_=as_,
            bootstrap=bootstrap,
            level=level,
            seed=seed,
            recordings=recordings,
            species=species,
            known=known,
            include_known=include_known,
            leave_out_known=leave_out_known,
            progress=progress,
        )
        return replace(scores_of_cells, unlisted=left)
    bootstrap = whole_number("bootstrap", bootstrap, least=0)
    quantiles, rng = quantiles_of(level), generator(seed)
    if unlisted is not None:
        probability("unlisted", unlisted)
    read = presence.annotations.provenance if offers(presence, Result) else Provenance()
    if fold_case is None:
        fold_case = read.fold_case
    known = known_in(presence) if known is None else known
    if names is None:
        names = read.names
    presence = presence_frame(table_of(presence, as_), COLUMNS[as_])
    labels = {
        word: pd.Index(presence[word].unique(), dtype=object) if given is None else label_index(given)
        for word, given in (("recording", recordings), ("species", species))
    }
    truth = truth_frame(
        _frame(truth),
        fold_case=fold_case,
        species=labels["species"],
        names=names,
    )
    truth = scored(truth, known, include_known=include_known, leave_out=leave_out_known)
    places = {word: index.get_indexer(truth[word]) for word, index in labels.items()}
    unknown = {word: tuple(dict.fromkeys(truth.loc[place < 0, word])) for word, place in places.items()}
    found = probabilities(presence, labels, places)
    inside = (places["recording"] >= 0) & (places["species"] >= 0)
    missing = inside & np.isnan(found)
    if missing.any() and unlisted is None:
        first, n = truth[missing].iloc[0], int(missing.sum())
        raise AnnotationError(
            f"{counted(n, 'cell')} of the truth {verb(n, 'has', 'have')} no probability, such as species "
            f"'{first.species}' in recording '{first.recording}'",
            "use a complete table, or give the probability of unlisted cells (unlisted=)",
        )
    found[missing] = unlisted
    tell_unknown(unknown, int(np.count_nonzero(~inside)), len(truth))
    y, p = truth["present"].to_numpy()[inside] == 1, found[inside]
    where, recording = np.unique(places["recording"][inside], return_inverse=True)
    scores = Scores.of(y, p)
    values = scores.measures(np.ones(len(y)))
    samples: dict[str, Floats] = {}
    if bootstrap:
        draws = _bootstrap(scores, recording, len(where), bootstrap, rng, progress)
        with warnings.catch_warnings():  # a bin may be empty in every sample: its interval is NaN
            warnings.filterwarnings("ignore", "All-NaN slice")
            samples = {name: np.nanquantile(draws[name], quantiles, axis=0) for name in draws}
    return Evaluation(
        **{name: float(values[name]) for name in MEASURES},
        cells=len(y),
        present=int(y.sum()),
        recordings=len(where),
        calibration=_calibration_table(values, samples),
        thresholds=_threshold_table(values, samples),
        intervals={
            name: (float(samples[name][0]), float(samples[name][1])) for name in MEASURES if name in samples
        },
        roc=scores.roc(),
        unknown_recordings=unknown["recording"],
        unknown_species=unknown["species"],
        unlisted=int(missing.sum()),
        compared=as_,
    )


def _frame(truth: Any) -> Any:
    return truth.to_frame() if isinstance(truth, Truth) else truth


def _cells_with_all(
    presence: PosteriorInParts, truth: pd.DataFrame, as_: str, unlisted: float | None
) -> tuple[pd.DataFrame, int]:
    """Return presence in the cells of a truth, and how many of them are not listed.

    These get the probability of unlisted cells or, if it is not given, their mean.
    """
    cells, column = cells_in_parts(presence, truth), COLUMNS[as_]
    left = cells[column].isna()
    cells[column] = cells[column].fillna(presence.unlisted(as_) if unlisted is None else unlisted)
    return cells, int(left.sum())


def _bootstrap(
    scores: Scores,
    recording: Ints,
    recordings: int,
    times: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> dict[str, Floats]:
    """Return all measures for each bootstrap sample of recordings."""
    draws: list[dict[str, Floats]] = []
    for done in range(times):
        drawn = rng.integers(recordings, size=recordings)
        weight = np.bincount(drawn, minlength=recordings).astype(float)
        draws.append(scores.measures(weight[recording]))
        if progress:
            progress(done + 1, times)
    return {name: np.array([draw[name] for draw in draws]) for name in draws[0]}


def _calibration_table(values: dict[str, Floats], samples: dict[str, Floats]) -> pd.DataFrame:
    table = pd.DataFrame({"from": BINS[:-1], "to": BINS[1:], "cells": values["cells"].astype(int)})
    return _with_intervals(table, ("probability", "observed"), values, samples)


def _threshold_table(values: dict[str, Floats], samples: dict[str, Floats]) -> pd.DataFrame:
    table = pd.DataFrame({"threshold": THRESHOLDS})
    return _with_intervals(table, ("sensitivity", "specificity", "accuracy"), values, samples)


def _with_intervals(
    table: pd.DataFrame,
    names: tuple[str, ...],
    values: dict[str, Floats],
    samples: dict[str, Floats],
) -> pd.DataFrame:
    for name in names:
        table[name] = values[name]
        if name in samples:
            table[f"{name}_lower"], table[f"{name}_upper"] = samples[name]
    return table
