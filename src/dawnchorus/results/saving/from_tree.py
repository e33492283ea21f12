"""From a tree: a fit in the ArviZ DataTree on disk that as_tree.py made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...annotations.annotations import Annotations
from ...annotations.arrays import ARRAYS, LISTS
from ...annotations.known import KnownCells
from ...annotations.labelled import FRAMES, LabelledVotes, Provenance
from ...common.errors import OutputError, reason
from ...common.ragged import Ragged
from ...model.distributions import from_plain
from ...model.sweep import Model
from ...model.variables import Variable
from ...sampling.convergence import Diagnostics, Family
from ...sampling.draws import Draws
from ...sampling.presence_means import ReportedPresence
from ..fitted import Fitted
from .as_tree import ACCEPTANCE, GROUPS, KNOWN
from .files import load_tree
from .metadata import unpacked_metadata
from .rebuilt_model import rebuilt_model, with_expert, with_machines

DRAWS = "posterior.nc"
SUMS = "sums"
"""The group that only a fit in parts has."""


def read_tree(path: Path, model: Model | None = None) -> Fitted:
    """Return the fit in the file that `write_tree` wrote, or in the folder that holds it.

    `model` is needed if the model has no name in the registry.
    """
    path = path / DRAWS if path.is_dir() else path
    with readable(path):
        tree = load_tree(path)
        if SUMS in tree:
            raise OutputError(
                f"{path} is of a fit in parts, which has no votes. Remedy: open it with "
                "dc.PosteriorInParts.load, which has tables, presence and a report; for anything else fit "
                "the data, or some of them, in memory."
            )
        return fit_in(tree, model)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say of a tree that cannot be read that it is no posterior."""
    try:
        yield
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise OutputError(
            f"{path} is not a posterior that Dawnchorus saved ({reason(error)}). Remedy: name a posterior.nc."
        ) from error


def fit_in(tree: Any, model: Model | None) -> Fitted:
    """Return the fit in a tree."""
    attributes = tree["posterior"].attrs
    if "variables" not in attributes:
        raise KeyError(f"it is of {attributes.get('created_by', 'an older version')}: fit again")
    record = json.loads(attributes["record"])
    annotations = _annotations(tree["constant_data"], json.loads(attributes["provenance"]))
    priors = {name: from_plain(value) for name, value in json.loads(attributes["priors"]).items()}
    model = model or rebuilt_model(str(attributes["model"]), priors, annotations, record)
    return Fitted(
        _with_machines(with_expert(model, priors), annotations, record),
        annotations,
        _draws(tree, json.loads(attributes["variables"])),
        _reported(tree),
        _diagnostics(json.loads(attributes["diagnostics"])),
        record,
        _known(tree["constant_data"], record),
    )


def _with_machines(model: Model, annotations: LabelledVotes, record: dict[str, Any]) -> Model:
    """Return the model with the machines whose scores it used, if there were any."""
    if "machines" not in record:
        return model
    cut = tuple(-np.inf if cut is None else cut for cut in record.get("score_cuts", ()))
    model = with_machines(model, annotations)
    return replace(model, scored=model.scored and replace(model.scored, cut=cut))


def _draws(tree: Any, declared: list[list[Any]]) -> Draws:
    """Return the draws in the order in which their variables were declared."""
    variables = tuple(_declared(values) for values in declared)
    found = {name: array for group in GROUPS if group in tree for name, array in _values(tree[group]).items()}
    thinned = tree.get("posterior_thinned")
    moments = _values(tree["moments"]) if "moments" in tree else {}
    some = next((array for array in found.values()), np.empty((0, 0)))
    limited = np.empty(0, np.int64)
    for v in variables:
        if v.storage == "limited" and v.name in found:
            limited = np.arange(some.shape[1]) if thinned is None else np.asarray(thinned["draw"])
    return Draws(
        variables,
        {v.name: found[v.name] for v in variables if v.name in found},
        limited,
        {
            v.name: (moments[f"{v.name}_mean"], moments[f"{v.name}_sd"])
            for v in variables
            if f"{v.name}_mean" in moments
        },
        {
            name.removeprefix(ACCEPTANCE): values
            for name, values in _values(tree["sample_stats"]).items()
            if name.startswith(ACCEPTANCE)
        },
    )


def _declared(values: list[Any]) -> Variable:
    """Return a variable from its plain values."""
    variable = Variable(*values)
    return variable._replace(dims=tuple(variable.dims), names=tuple(variable.names))


def _reported(tree: Any) -> ReportedPresence:
    """Return how probable reported cells are; those of a fit in parts are elsewhere."""
    if SUMS in tree:
        return ReportedPresence(np.empty(0), np.empty(0), 0)
    group = tree["reported_presence"]
    values = _values(group)
    return ReportedPresence(values["probability"], values["mcse"], int(group.attrs["sweeps"]))


def _values(group: Any) -> dict[str, Any]:
    return {str(name): np.asarray(array) for name, array in group.data_vars.items()}


def _diagnostics(values: dict[str, Any]) -> Diagnostics:
    families = tuple(Family(*family) for family in values.pop("families", ()))
    return Diagnostics(**values, families=families)


def _known(group: Any, record: dict[str, Any]) -> KnownCells | None:
    """Return the cells that were known from elsewhere, if any were."""
    if "known" not in record:
        return None
    recording, species, present = (group[f"known_{name}"].values for name in KNOWN)
    rows, known_as = group.sizes["recording"], record["known"]["as"]
    return KnownCells.of(recording, species, present, rows=rows, known_as=known_as)


def _annotations(group: Any, provenance: dict[str, Any]) -> Annotations:
    parts: dict[str, Any] = {name: unpacked_metadata(word, group) for word, name in FRAMES.items()}
    parts |= {name: group[name].values for name in ARRAYS}
    for name in LISTS:
        sizes = np.diff(group[f"{name}_start"].values)
        parts[name] = Ragged.from_sizes(sizes, group[f"{name}_species"].values)
    if "reports_score" in group:
        parts["scores"] = group["reports_score"].values
    near = tuple(tuple(miss) for miss in provenance.get("near_misses", ()))
    return Annotations(
        n_recordings=len(parts["recordings"]),
        n_species=len(parts["species"]),
        **parts,
        provenance=Provenance(**provenance | {"near_misses": near}),
    )
