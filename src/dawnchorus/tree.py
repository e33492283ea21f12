"""Tree: a posterior as an ArviZ DataTree with named coordinates, on disk and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ._version import __version__
from .annotations import Annotations
from .convergence import Diagnostics, Family
from .drafts import whole_file
from .errors import OutputError
from .metadata import packed_metadata, unpacked_metadata
from .priors import Beta, Gamma, HalfNormal, Normal, Priors
from .ragged import Ragged
from .votes import Provenance

if TYPE_CHECKING:
    from .posterior import Posterior

LISTS = ("scopes", "reports", "unsure", "lists")
ARRAYS = ("visit_recording", "visit_annotator", "visit_scope", "annotator_list")
MOST_LIKELIHOODS = 50_000_000
"""Log likelihoods are in the tree up to so many recordings × draws."""


def to_tree(posterior: Posterior) -> Any:
    """Give the groups posterior, sample_stats, observed_data, constant_data and log_likelihood.

    Mixtures have a group mixture as well: weights and occurrence of components, not a number where a draw has
    fewer. Rates by annotator and species are along `pair`, with both names as coordinates.
    """
    import xarray as xr

    a, d = posterior.annotations, posterior.design
    annotators, species = _names(a.annotators.index), _names(a.species.index)
    dims: dict[str, list[str]] = {"occurrence": ["species"]}
    for rate in ("tpr", "fpr"):
        dims |= {rate: ["annotator"], f"{rate}_level": ["annotator"], f"mean_{rate}": ["annotator"]}
    coords = {"annotator": annotators, "species": species}
    chains, length = posterior.draws["occurrence"].shape[:2]
    axes = {"chain": np.arange(chains), "draw": np.arange(length)}
    draws = xr.Dataset(
        {name: (["chain", "draw", *dims.get(name, [])], values) for name, values in posterior.draws.items()},
        coords=axes | coords,
        attrs=_attributes(posterior),
    )
    groups = {}
    if posterior.pairs:
        pair_coords = {
            "pair_annotator": ("pair", annotators[d.rate_annotator]),
            "pair_species": ("pair", species[d.pairs.item]),
        }
        pairs = xr.Dataset(
            {name: (["chain", "draw", "pair"], values) for name, values in posterior.pairs.items()},
            coords={"chain": axes["chain"], "draw": np.asarray(posterior.pair_draws), **pair_coords},
        )
        if len(posterior.pair_draws) == length:
            draws = draws.merge(pairs)
        else:
            groups["thinned_pairs"] = pairs
    groups["posterior"] = draws
    if posterior.pair_summary:
        groups["pair_summary"] = xr.Dataset({n: ("pair", v) for n, v in posterior.pair_summary.items()})
    sweep = posterior.record["thin"] * np.arange(1, length + 1)
    groups["sample_stats"] = xr.Dataset(
        {"sweep": (["chain", "draw"], np.tile(sweep, (chains, 1)))}, coords=axes
    )
    groups["observed_data"] = _observed(posterior, coords)
    groups["constant_data"] = _constant(a, coords)
    if posterior.mixture:
        components = np.arange(1, posterior.mixture["weight"].shape[2] + 1)
        groups["mixture"] = xr.Dataset(
            {
                "weight": (["chain", "draw", "component"], posterior.mixture["weight"]),
                "occurrence": (["chain", "draw", "component", "species"], posterior.mixture["occurrence"]),
            },
            coords=axes | {"component": components, "species": species},
        )
    chain, draw = posterior.places()
    if a.n_recordings * len(chain) <= MOST_LIKELIHOODS and not posterior.listing.many:
        some = draw[chain == 0]
        voted = d.active  # without a vote there is nothing to predict
        values = posterior.log_likelihood()[:, voted].reshape(chains, len(some), len(voted))
        names = _names(a.recordings.index[voted])
        groups["log_likelihood"] = xr.Dataset(
            {"votes": (["chain", "draw", "recording"], values)},
            coords={"chain": axes["chain"], "draw": some, "recording": names},
        )
    return xr.DataTree.from_dict(groups)


def write_tree(posterior: Posterior, path: Path) -> None:
    """Write the tree into a netCDF file, whole or not at all."""
    with whole_file(path) as draft:
        posterior.tree.to_netcdf(draft, engine="h5netcdf")


def read_tree(path: Path) -> Posterior:
    """Make a posterior from the file that `write_tree` wrote."""
    import xarray as xr

    from .posterior import Posterior

    try:
        with xr.open_datatree(path, engine="h5netcdf") as file:
            tree = file.load()
        attributes = tree["posterior"].attrs
        record = json.loads(attributes["record"])
        draws = _values(tree["posterior"])
        pairs = {name: draws.pop(name) for name in tuple(draws) if name.startswith("species_")}
        pair_draws = np.arange(draws["occurrence"].shape[1]) if pairs else np.empty(0, np.int64)
        if "thinned_pairs" in tree:
            group = tree["thinned_pairs"]
            pairs, pair_draws = _values(group), np.asarray(group["draw"])
        posterior = Posterior(
            attributes["model"],
            _annotations(tree["constant_data"], json.loads(attributes.get("provenance", "{}"))),
            _priors(json.loads(attributes["priors"])),
            draws,
            pairs,
            pair_draws,
            _values(tree["pair_summary"]) if "pair_summary" in tree else {},
            _values(tree["mixture"]) if "mixture" in tree else {},
            _diagnostics(json.loads(attributes["diagnostics"])),
            record,
        )
    except FileNotFoundError:
        raise OutputError(f"there is no file {path}. Remedy: check the name.") from None
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise OutputError(
            f"{path} is not a posterior that Dawnchorus saved ({error}). Remedy: name a posterior.nc."
        ) from None
    posterior.__dict__["tree"] = tree
    return posterior


def _values(group: Any) -> dict[str, Any]:
    return {str(name): np.asarray(array) for name, array in group.data_vars.items()}


def _attributes(posterior: Posterior) -> dict[str, str]:
    priors = {
        name: asdict(p) if hasattr(p, "__dataclass_fields__") else p
        for name, p in vars(posterior.priors).items()
    }
    return {
        "created_by": f"dawnchorus {__version__}",
        "model": posterior.name,
        "priors": json.dumps(priors),
        "diagnostics": json.dumps(asdict(posterior.diagnostics)),
        "record": json.dumps(posterior.record),
        "provenance": json.dumps(asdict(posterior.annotations.provenance), default=dict),
    }


def _diagnostics(values: dict[str, Any]) -> Diagnostics:
    families = tuple(Family(*family) for family in values.pop("families", ()))
    return Diagnostics(**values, families=families)


def _priors(values: dict[str, Any]) -> Priors:
    kinds: dict[str, Any] = {"occurrence": Beta, "tpr": Beta, "fpr": Beta, "concentration": Gamma}
    kinds |= {"tpr_level": Normal, "fpr_level": Normal, "tpr_spread": HalfNormal, "fpr_spread": HalfNormal}
    return Priors(
        **{name: kinds[name](**value) if name in kinds else value for name, value in values.items()}
    )


def _observed(posterior: Posterior, coords: dict[str, Any]) -> Any:
    import xarray as xr

    a = posterior.annotations
    table = posterior.annotators()
    return xr.Dataset(
        {
            "visits": ("annotator", table["recordings"].to_numpy()),
            "reports": ("annotator", table["reports"].to_numpy()),
            "species_reports": ("species", np.bincount(a.reports.item, minlength=a.n_species)),
        },
        coords=coords,
    )


def _constant(a: Annotations, coords: dict[str, Any]) -> Any:
    import xarray as xr

    values: dict[str, Any] = {}
    for name in ARRAYS:
        values[name] = (
            f"{name.split('_')[0]}s" if name.startswith("visit") else "annotator",
            getattr(a, name),
        )
    for name in LISTS:
        lists = getattr(a, name)
        values[f"{name}_start"] = (f"{name}_edge", lists.start)
        values[f"{name}_species"] = (f"{name}_item", lists.item)
    for word, frame in (("recording", a.recordings), ("annotator", a.annotators), ("species", a.species)):
        values |= packed_metadata(word, frame)
    return xr.Dataset(values, coords=coords | {"recording": _names(a.recordings.index)})


def _annotations(group: Any, provenance: dict[str, Any]) -> Annotations:
    parts: dict[str, Any] = {
        "recordings": unpacked_metadata("recording", group),
        "annotators": unpacked_metadata("annotator", group),
        "species": unpacked_metadata("species", group),
    }
    parts |= {name: group[name].values for name in ARRAYS}
    for name in LISTS:
        sizes = np.diff(group[f"{name}_start"].values)
        parts[name] = Ragged.from_sizes(sizes, group[f"{name}_species"].values)
    return Annotations(**parts, provenance=Provenance(**provenance))


def _names(index: pd.Index) -> Any:
    return np.array([str(label) for label in index], dtype=object)
