"""Public data sets, downloaded once and kept in the user's cache folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pooch
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from ..annotations.annotations import Annotations
from ..common.checked import yes_or_no
from ..common.errors import DownloadError
from ..common.wording import either
from . import read

KERTTU_DOI = "10.5281/zenodo.7030863"


def kerttu(*, cache: str | Path | None = None, progress: bool = True, **options: Any) -> Annotations:
    """Download and return the Kerttu annotations of Finnish bird sounds (Lehikoinen et al. 2023).

    The files of the public archive (DOI 10.5281/zenodo.7030863) are downloaded once, verified with the
    archive's checksums and kept in the user's cache folder.

    Parameters
    ----------
    cache
        Folder for the files; by default the cache folder of the operating system.
    progress
        Whether to show a progress bar for each file.
    options
        Options of `dawnchorus.read`, such as `drop_unreported=False`.

    Returns
    -------
    Annotations

    Raises
    ------
    DawnchorusError
        If the archive cannot be downloaded.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> dc.datasets.kerttu()  # doctest: +SKIP
    <Annotations: 5,932 visits by 46 annotators to 3,997 recordings; 14,575 reports of 117 species, …>
    """
    return read(fetch_kerttu(cache=cache, progress=progress), "kerttu", **options)


def fetch_kerttu(*, cache: str | Path | None = None, progress: bool = True) -> Path:
    """Download and unpack the Kerttu archive if it is not in the cache, and return its folder."""
    yes_or_no(progress=progress)
    folder = Path(cache or pooch.os_cache("dawnchorus"), "kerttu")
    complete = folder / ".complete"
    if complete.is_file():
        return folder
    store = pooch.create(path=folder, base_url=f"doi:{KERTTU_DOI}/", registry=None)
    try:
        store.load_registry_from_doi()
        for name in store.registry_files:
            if name.endswith((".zip", ".tsv")):
                store.fetch(
                    name,
                    processor=pooch.Unzip(extract_dir=".") if name.endswith(".zip") else None,
                    progressbar=_Bar(name) if progress else False,
                )
        complete.touch()
    except Exception as error:  # any failure of the network, the archive or the disk
        raise DownloadError(
            f"the Kerttu archive could not be downloaded ({type(error).__name__}: {error}). Remedy: "
            "check the network connection and the free disk space, or download the files of "
            f"https://doi.org/{KERTTU_DOI} by hand, unpack them and "
            f"{either('read the folder with dc.read', 'give the path of the folder')}."
        ) from error
    return folder


class _Bar:
    """A progress bar with the interface that pooch expects."""

    def __init__(self, name: str) -> None:
        self._bar = Progress(
            TextColumn(name), BarColumn(), DownloadColumn(), TimeRemainingColumn(),
            console=Console(stderr=True),
        )  # fmt: skip
        self._task = self._bar.add_task(name, total=None)
        self._total = 0

    @property
    def total(self) -> int:
        """The size of the file in bytes; 0 until the download begins."""
        return self._total

    @total.setter
    def total(self, size: int) -> None:
        self._total = size
        self._bar.start()
        self._bar.update(self._task, total=size or None)

    def update(self, size: int) -> None:
        """Add the number of bytes that have arrived."""
        self._bar.update(self._task, advance=size)

    def reset(self) -> None:
        """Set the bar back to zero."""
        self._bar.reset(self._task, total=self._total or None)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()
