"""NetCDF: a posterior as an ArviZ DataTree with named coordinates, on disk and back.

Every variable goes where its declaration says: into `posterior`, with names as coordinates; into
`posterior_thinned`, where fewer of its draws are kept; into `posterior_ragged`, where its length differs from
draw to draw (filled up with NaN). The coordinate of a pair is one name for annotator and species, since the
functions of ArviZ label by one name along each dimension and stop at any further coordinate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._version import __version__
from ...annotations.annotations import Annotations
from ...annotations.arrays import ARRAYS, LISTS
from ...annotations.counting import active_recordings
from ...annotations.known import KnownCells
from ...annotations.labelled import FRAMES, Provenance
from ...common.errors import OutputError, reason
from ...common.lazy import lazy
from ...common.ragged import Ints, Ragged
from ...model.distributions import as_plain, from_plain
from ...model.sweep import Model
from ...model.variables import Variable
from ...sampling.convergence import Diagnostics, Family
from ...sampling.draws import Draws
from ...sampling.names import PairNames
from ...sampling.presence_means import ReportedPresence
from ..fitted import Fitted
from ..presence_table import MOST_DRAWS, PresenceTable
from ..tables import counts_by_annotator
from .files import load_tree
from .metadata import packed_metadata, unpacked_metadata
from .rebuilt_model import rebuilt_model, with_expert, with_machines

xr = lazy("xarray")

DRAWS = "posterior.nc"
GROUPS = {"posterior": "all", "posterior_thinned": "limited", "posterior_ragged": "ragged"}
"""The groups of variables, and how these are stored."""
SUMS = "sums"
"""The group that only a fit in parts has."""
ACCEPTANCE = "acceptance_"
KNOWN = ("recording", "species", "present")
"""What is stored of known cells."""
MOST_LIKELIHOODS = 50_000_000
"""Log likelihoods are in the tree if recordings × draws are at most so many."""
ALL_LIKELIHOODS = 2_000_000
"""They are those of all draws if recordings × draws are at most so many."""
MOST_PAIR_NAMES = 200_000
"""If there are more pairs of annotator and species, these have numbers instead of names."""


def to_tree(fitted: Fitted, table: PresenceTable) -> Any:
    """Return the tree: groups of variables, sample_stats, observed_data, constant_data, log_likelihood."""
    a, draws = fitted.annotations, fitted.draws
    groups = _draw_groups(fitted)
    coords = {"annotator": _names(a.annotators.index), "species": _names(a.species.index)}
    groups["observed_data"] = _observed(counts_by_annotator(a), a.reports_by_species, coords)
    groups["constant_data"] = _constant(fitted, coords)
    groups["reported_presence"] = xr.Dataset(
        {"probability": ("cell", fitted.reported.probability), "mcse": ("cell", fitted.reported.mcse)},
        attrs={"sweeps": fitted.reported.sweeps},
    )
    if a.n_recordings * draws.chains * len(draws.places(MOST_DRAWS)) <= MOST_LIKELIHOODS and not table.many:
        groups["log_likelihood"] = _log_likelihood(fitted, table)
    return xr.DataTree.from_dict(groups)


def tree_of_parts(
    fitted: Fitted, annotators: pd.DataFrame, reports_by_species: Ints, further: dict[str, Any]
) -> Any:
    """Return the tree of a fit of data in parts, whose annotations are those that stand out."""
    a, groups = fitted.annotations, _draw_groups(fitted)
    coords = {"annotator": _names(a.annotators.index), "species": _names(a.species.index)}
    groups["observed_data"] = _observed(annotators, reports_by_species, coords)
    groups["constant_data"] = _constant(fitted, coords)
    return xr.DataTree.from_dict(groups | further)


def _draw_groups(fitted: Fitted) -> dict[str, Any]:
    """Return the groups of variables, and sample_stats."""
    draws = fitted.draws
    axes = {"chain": np.arange(draws.chains), "draw": np.arange(draws.length)}
    groups = _variable_groups(fitted, axes)
    if draws.moments:
        groups["moments"] = xr.Dataset(
            {
                f"{name}_{what}": (draws.variable(name).dims, values)
                for name, both in draws.moments.items()
                for what, values in zip(("mean", "sd"), both, strict=True)
            },
            coords=_coordinates(fitted, [draws.variable(name) for name in draws.moments]),
        )
    sweep = fitted.record["thin"] * np.arange(1, draws.length + 1)
    stats = {"sweep": np.tile(sweep, (draws.chains, 1))}
    stats |= {f"{ACCEPTANCE}{name}": shares for name, shares in draws.acceptance.items()}
    groups["sample_stats"] = xr.Dataset(
        {name: (["chain", "draw"], values) for name, values in stats.items()}, coords=axes
    )
    return groups


def _log_likelihood(fitted: Fitted, table: PresenceTable) -> Any:
    """Return how probable all votes on each recording are; without a vote there is nothing to predict."""
    a, draws = fitted.annotations, fitted.draws
    everything = a.n_recordings * draws.chains * len(draws.places()) <= ALL_LIKELIHOODS
    most = None if everything else MOST_DRAWS
    voted, places = active_recordings(a), draws.places(most)
    values = table.log_likelihood(most)[:, voted].reshape(draws.chains, len(places), len(voted))
    return xr.Dataset(
        {"votes": (["chain", "draw", "recording"], values.astype(np.float32))},
        coords={
            "chain": np.arange(draws.chains),
            "draw": places,
            "recording": _names(a.recordings.index[voted]),
        },
    )


def _variable_groups(fitted: Fitted, axes: dict[str, Any]) -> dict[str, Any]:
    """Return the variables by group; limited ones are among the others if all of their draws are kept."""
    draws = fitted.draws
    whole = len(draws.limited) == draws.length
    groups: dict[str, Any] = {}
    for group, storage in GROUPS.items():
        wanted = [
            v
            for v in draws.variables
            if v.storage == storage or (storage == "all" and whole and v.storage == "limited")
        ]
        wanted = [v for v in wanted if not (storage == "limited" and whole) and draws[v.name].size]
        if wanted:
            along = axes if storage != "limited" else axes | {"draw": draws.limited}
            groups[group] = xr.Dataset(
                {v.name: (["chain", "draw", *v.dims], draws[v.name]) for v in wanted},
                coords=along | _coordinates(fitted, wanted),
            )
    groups["posterior"].attrs |= _attributes(fitted)
    return groups


def _coordinates(fitted: Fitted, variables: list[Variable]) -> dict[str, Any]:
    """Return the names along the dimensions of these variables, one name for each place."""
    a = fitted.annotations
    sizes = {
        dim: size for v in variables for dim, size in zip(v.dims, fitted.draws[v.name].shape[2:], strict=True)
    }
    found: dict[str, Any] = {}
    for dim, size in sizes.items():
        if dim == "pair" and len(pairs := PairNames(fitted.design)) <= MOST_PAIR_NAMES:
            found["pair"] = np.array([*pairs], dtype=object)
        elif dim == "component":
            found["component"] = np.arange(1, size + 1)
        elif dim in ("term", "effect", "skill_term", "skill_effect", "machine"):
            found[dim] = np.array(next(v.names for v in variables if v.dims[:1] == (dim,)), dtype=object)
        elif dim != "pair":
            found[dim] = _names((a.annotators if dim == "annotator" else a.species).index)
    return found


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
        ) from None


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


def _with_machines(model: Model, annotations: Annotations, record: dict[str, Any]) -> Model:
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


def _attributes(fitted: Fitted) -> dict[str, str]:
    return {
        "created_by": f"dawnchorus {__version__}",
        "model": fitted.name,
        "variables": json.dumps(fitted.draws.variables),
        "priors": json.dumps({name: as_plain(prior) for name, prior in fitted.priors.items()}),
        "diagnostics": json.dumps(asdict(fitted.diagnostics)),
        "record": json.dumps(fitted.record),
        "provenance": json.dumps(asdict(fitted.annotations.provenance), default=dict),
    }


def _diagnostics(values: dict[str, Any]) -> Diagnostics:
    families = tuple(Family(*family) for family in values.pop("families", ()))
    return Diagnostics(**values, families=families)


def _observed(table: pd.DataFrame, reports_by_species: Ints, coords: dict[str, Any]) -> Any:
    return xr.Dataset(
        {
            "visits": ("annotator", table["recordings"].to_numpy()),
            "reports": ("annotator", table["reports"].to_numpy()),
            "species_reports": ("species", reports_by_species),
        },
        coords=coords,
    )


def _constant(fitted: Fitted, coords: dict[str, Any]) -> Any:
    a, d = fitted.annotations, fitted.design
    values: dict[str, Any] = {}
    if d.by_species:
        values |= {"pair_annotator": ("pair", d.rate_annotator), "pair_species": ("pair", d.pairs.item)}
    for name in ARRAYS:
        values[name] = (
            f"{name.split('_')[0]}s" if name.startswith("visit") else "annotator",
            getattr(a, name),
        )
    for name in LISTS:
        lists = getattr(a, name)
        values[f"{name}_start"] = (f"{name}_edge", lists.start)
        values[f"{name}_species"] = (f"{name}_item", lists.item)
    if len(a.scores):
        values["reports_score"] = ("reports_item", a.scores)
    if fitted.known_cells is not None:
        for name in KNOWN:
            values[f"known_{name}"] = ("known_cell", np.asarray(getattr(fitted.known_cells, name), np.int64))
    for word, name in FRAMES.items():
        values |= packed_metadata(word, getattr(a, name))
    return xr.Dataset(values, coords=coords | {"recording": _names(a.recordings.index)})


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


def _names(index: pd.Index) -> Any:
    return np.array([str(label) for label in index], dtype=object)
