"""Known in the fit: cells of a truth that a fit was told, on which it cannot be judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..annotations.frames.columns import Source
from ..annotations.frames.reading import native_frame
from ..annotations.labels import as_pandas, as_text, counted, verb
from ..common.errors import AnnotationError
from ..common.protocols import offers
from ..common.ragged import Bools
from ..common.wording import option
from ..results.findings.fit_birds import FitBirds
from ..results.result import Result

CELL = ["recording", "species"]


def known_in(presence: Any) -> pd.DataFrame:
    """Return the cells that were known in a fit, from its result or from the column `known` of a table."""
    if isinstance(presence, FitBirds):
        return pd.DataFrame(presence.known()[CELL])
    nothing = pd.DataFrame({word: [] for word in CELL}, dtype=object)
    if offers(presence, Result):
        return nothing
    native = native_frame(presence, Source("the presence table"))
    if not {"known", *CELL} <= set(native.columns):
        return nothing
    told = as_pandas(native["known"]).map(as_text).to_numpy(object) != ""
    table = pd.DataFrame({word: as_pandas(native[word]).to_numpy(object) for word in CELL})[told]
    return pd.DataFrame({word: table[word].map(as_text) for word in CELL})


def without_known(truth: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return the truth without the cells that were known."""
    return truth[~_were_known(truth, known)].reset_index(drop=True)


def scored(truth: pd.DataFrame, known: pd.DataFrame, *, include_known: bool, leave_out: bool) -> pd.DataFrame:
    """Return the cells of a truth on which a fit is judged.

    Those that were known in the fit are left out or included, as is told; if it is not, they are an error.
    """
    if include_known and leave_out:
        raise AnnotationError(
            "known cells cannot be both left out and included",
            f"choose one of {option('include_known', True)} and {option('leave_out_known', True)}",
        )
    if include_known or not len(known):
        return truth
    again = _were_known(truth, known)
    if not leave_out and again.any():
        first, n = truth[again].iloc[0], int(again.sum())
        raise AnnotationError(
            f"{counted(n, 'cell')} of the truth {verb(n, 'was', 'were')} known in the fit, such as species "
            f"'{first.species}' in recording '{first.recording}', and cannot show how good the fit is",
            f"leave such cells out with {option('leave_out_known', True)}, "
            f"or score on them all the same with {option('include_known', True)}",
        )
    left = without_known(truth, known)
    if not len(left):
        raise AnnotationError(
            "all cells of the truth were known in the fit", "give a truth of cells that were not known"
        )
    return left


def _were_known(truth: pd.DataFrame, known: pd.DataFrame) -> Bools:
    cells = pd.MultiIndex.from_frame(pd.DataFrame(known[CELL]).astype(object))
    return np.asarray(pd.MultiIndex.from_frame(truth[CELL]).isin(cells))
