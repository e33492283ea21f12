"""Files: a tree of draws on disk and back, whole or not at all, with a checksum at the end of the file."""

from __future__ import annotations

import io
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from ...common.errors import OutputError
from ...common.files.sealed import seal_of, write_sealed
from ...common.files.whole import whole_file
from ...common.lazy import lazy

xr, h5py = lazy("xarray"), lazy("h5py")

HDF5 = b"\x89HDF\r\n\x1a\n"
"""How every HDF5 file begins, and so every netCDF file."""


def write_tree(tree: Any, path: Path) -> None:
    """Write the tree into a netCDF file, whole or not at all, with a checksum at its end.

    It is made in memory: HDF5 cannot close a file on a full disk, and the process would die of it later.
    """
    content = io.BytesIO()
    with _here():
        tree.to_netcdf(content, engine="h5netcdf")
    with whole_file(path) as draft:
        write_sealed(content.getbuffer(), draft)


def load_tree(path: Path) -> Any:
    """Return the tree in a netCDF file; raise an error if it is missing, cut off or damaged."""
    check_whole(path)
    with _here(), xr.open_datatree(path, engine="h5netcdf") as file:
        return file.load()


def _here() -> AbstractContextManager[Any]:
    """Keep xarray from asking a cluster for a lock: dask may use a client of the user by default."""
    dask = sys.modules.get("dask")
    return nullcontext() if dask is None else dask.config.set(scheduler="synchronous")


def check_whole(path: Path) -> None:
    """Raise an error if the file is missing, cut off, or not as it was written.

    A tree that another program has written has no seal, and is read as it is.
    """
    try:
        seal = seal_of(path)
        with path.open("rb") as file:
            start = file.read(len(HDF5))
        if seal == "none" and HDF5.startswith(start):
            h5py.File(path).close()  # which compares its size with what it should be
    except FileNotFoundError:
        raise OutputError(f"{path} is missing. Remedy: check the name, or fit again.") from None
    except PermissionError as error:
        raise OutputError(f"{path} cannot be read ({error.strerror}). Remedy: change that.") from None
    except OSError:
        raise OutputError(
            f"{path} is incomplete: its end is missing. Remedy: take it from a copy, or fit again."
        ) from None
    if seal == "broken":
        raise OutputError(
            f"{path} is damaged or was changed: its bytes are not those that were saved. "
            "Remedy: take it from a copy, or fit again."
        )
