"""Saved: draws and findings of a fit in parts as a tree in posterior.nc, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...annotations.annotations import Annotations
from ...annotations.summary import Summary
from ...common.lazy import lazy
from ...model.shards.counts import NOBODY, ListedCells, Lists, Sums
from ...model.shards.global_design import GlobalDesign, nothing
from ...model.sweep import Model
from ..findings.confusions import Confusions
from ..findings.encounters import Listed
from ..findings.examples import Examples, Known
from ..findings.overall import Overall
from ..fitted import Fitted
from ..saving.as_tree import tree_of_parts
from ..saving.files import load_tree
from ..saving.from_tree import DRAWS, SUMS, fit_in, readable
from .finding import FoundInParts

xr = lazy("xarray")
RATES, TYPICAL = ("tpr", "fpr"), ("typical_tpr", "typical_fpr", "answered")


def saved_tree(fitted: Fitted, sums: Sums, found: FoundInParts, annotators: pd.DataFrame) -> Any:
    """Return the tree of a fit in parts: draws, counts, and all votes on the recordings that stand out."""
    known = found.known
    rates = {f"mean_{name}": known.mean_rates[name] for name in RATES}
    rates |= dict(zip(TYPICAL, known.typical_rates, strict=True))
    groups = {
        SUMS: _group(sums._asdict()),
        "overall": _group(found.overall._asdict()),
        "listed": _group(found.examples.cells._asdict()),
        "confusions": _group(found.confusions._asdict()),
        "known": _group(
            {**rates, "mean_unsure": known.mean_unsure, "mean_occurrence": known.mean_occurrence}
        ),
    }
    groups[SUMS].attrs["summary"] = json.dumps(asdict(found.summary))
    examples = found.examples.findings(fitted, known).fitted
    return tree_of_parts(examples, annotators, sums.reports_by_species, groups)


def read_parts(path: Path, model: Model | None = None) -> tuple[Fitted, Sums, FoundInParts]:
    """Return the fit in parts in a folder, its counts, and what was found."""
    path = path / DRAWS if path.is_dir() else path
    with readable(path):
        tree = load_tree(path)
        if SUMS not in tree:
            raise ValueError("it is not of a fit in parts: open it with dc.Posterior.load")
        fitted = fit_in(tree, model)
        sums = Sums(**_values(tree[SUMS]))
        told = json.loads(tree[SUMS].attrs["summary"])
        known = _values(tree["known"])
        found = FoundInParts(
            Summary(**told),
            Overall(**_values(tree["overall"])),
            Known(
                {name: known[f"mean_{name}"] for name in RATES},
                known["mean_unsure"],
                known["mean_occurrence"],
                tuple(known[name] for name in TYPICAL),
            ),
            Examples(fitted.annotations, Listed(**_values(tree["listed"]))),
            Confusions(**_values(tree["confusions"])),
        )
    a = fitted.annotations
    tables = {"annotator": a.annotators, "species": a.species}
    lists = Lists(a.lists, a.annotator_list, sums.visits) if fitted.model.expertise.by_species else None
    fitted = replace(fitted, annotations=Annotations.of(nothing(tables, lists)))
    listed = [ListedCells(NOBODY, NOBODY, NOBODY)]
    fitted.__dict__["design"] = GlobalDesign(tables, sums, listed, lists)
    return fitted, sums, found


def _group(values: Mapping[str, Any]) -> Any:
    """Return arrays and single numbers as a group, each array along a dimension of its own."""
    arrays = {name: np.asarray(value) for name, value in values.items()}
    return xr.Dataset({name: ([f"{name}_at"] * array.ndim, array) for name, array in arrays.items()})


def _values(group: Any) -> dict[str, Any]:
    found = {str(name): np.asarray(array) for name, array in group.data_vars.items()}
    return {name: array if array.ndim else array.item() for name, array in found.items()}
