"""Writer of ArviZ: all draws as a netCDF file, with the names of annotators and species as coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....common.errors import AnnotationError
from ..consensus import Consensus


def write(found: Consensus, place: Path) -> dict[str, Any]:
    """NetCDF file of all draws, which ArviZ and xarray open as a DataTree.

    It has no options: draws are of parameters, whatever is asked about presence.
    """
    if found.save is None:
        raise AnnotationError(f"{found.model} has no draws", "fit one of the other models")
    found.save(place)
    return {}
