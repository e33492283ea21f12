"""Fits of a study: each is kept in its folder and not run again; one that was interrupted is continued."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from .._version import __version__
from ..annotations.annotations import Annotations
from ..common.errors import ConvergenceWarning
from ..results.fitting import fit
from ..results.posterior import Posterior
from ..sampling.checkpoint import fingerprint
from .grid import same_study

Bar = Callable[[str], AbstractContextManager[Any]]
"""A function that takes a title and returns a context manager: a progress bar, or a spinner."""


def open_study(out: Path, study: str, annotations: Annotations, **settings: Any) -> None:
    """Make the folder of a study's fits; an error if it has those of other settings or data."""
    (out / "fits").mkdir(parents=True, exist_ok=True)
    about = {"study": study, "version": __version__, **settings, "data": fingerprint(annotations)}
    same_study(out / "fits" / "about.json", about)


def kept_fit(annotations: Annotations, path: Path, title: str, bar: Bar | None, **options: Any) -> Posterior:
    """Return the fit that is saved at `path`, or fit with these options and save it there."""
    if path.exists():
        return Posterior.load(path)
    checkpoint = path.with_suffix(".checkpoint")
    with bar(f"Fitting {title}") if bar else nullcontext() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the page reports it
        posterior: Posterior = fit(
            annotations,
            **options,
            checkpoint=checkpoint,
            resume=checkpoint.exists(),
            keep_checkpoint=True,
            progress=progress,
        )
    posterior.save(path)
    checkpoint.unlink()
    return posterior
