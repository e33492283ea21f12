"""Posterior: the result of a fit, as tables for people and as draws for programs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..annotations.annotations import Annotations, check_annotations
from ..annotations.counting import reports_at
from ..annotations.labels import counted
from ..common.checked import Seed
from ..common.files.whole import check_new
from ..common.intervals import LEVEL
from ..common.lazy import lazy
from ..common.ragged import Floats
from ..common.showing.notebook import as_html
from ..model.context import Context
from ..model.sweep import Model
from .findings.findings import Findings
from .findings.known import known_in_words
from .fit_tables import FitTables
from .fitted import Fitted
from .presence.new_recordings import predict_new
from .presence.wanted_cells import WantedCells
from .saving.as_tree import to_tree
from .saving.files import write_tree
from .saving.from_tree import read_tree
from .tables import cell_rows

REPORT = lazy("dawnchorus.report")
"""Pages are made by a later room."""


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(FitTables):
    """The result of a fit: draws of a model given the annotations, and the tables that they lead to.

    `fit` makes it, `load` reads it. Probabilities of presence are averages over every kept draw; those of
    silent cells over as many draws as their Monte-Carlo error asks for.

    Attributes
    ----------
    model
        What was fitted.
    annotations
        What it was fitted to.
    draws
        The kept draws by name: chains × draws × annotators, species, pairs of both, or nothing.
    diagnostics
        Whether the chains agree.
    record
        Seed, sweeps, seconds and settings of the fit.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=60, annotators=4, species=5, visits=2, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> posterior.presence().columns.tolist()
    ['recording', 'species', 'probability', 'probability_lower', 'probability_upper', 'votes', 'reports']
    >>> posterior.annotators().columns.tolist()[:4]
    ['annotator', 'recordings', 'reports', 'tpr']
    """

    @classmethod
    def of(cls, fitted: Fitted) -> Posterior:
        """Return the plain outcome of a fit as a posterior, with all methods for users."""
        return cls(**{f.name: getattr(fitted, f.name) for f in fields(fitted)})

    @cached_property
    def findings(self) -> Findings:
        """What the fit says about single recordings, species and votes."""
        return Findings(self, self.presence_table)

    # Beyond the fitted recordings

    def predict(
        self,
        annotations: Annotations,
        min_probability: float = 0.0,
        *,
        keep_reported: bool = False,
        seed: Seed = 0,
        level: float = LEVEL,
        context: Context | None = None,
    ) -> pd.DataFrame:
        """Return presence in new recordings from the draws of this fit, without fitting again.

        Rates of annotators whom the fit does not know are drawn from the prior; in hierarchical models, rates
        of known annotators for species that are new to them are drawn around the annotator's own level.

        Parameters
        ----------
        annotations
            The votes on the new recordings.
        min_probability, keep_reported
            Which cells to list, as in `presence`.
        seed
            Of the rates that are drawn: a whole number, a generator, or None for other rates each time.
        level
            The level of the interval from probability_lower to probability_upper.
        context
            The context of the new recordings, with the terms of the fit, if the model has one; by default
            it is read from their metadata.
            Effects of levels that the fit does not know, such as a new site, are drawn around what species
            have in common.

        Returns
        -------
        pandas.DataFrame
            Columns as in `presence`.

        Raises
        ------
        AnnotationError
            If a species was not in the annotations that were fitted, or a number is out of its range.
        TypeError
            If `annotations` are not `Annotations`.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=80, species=5, visits=2, seed=1).annotations
        >>> known, later = annotations.recordings.index[:60], annotations.recordings.index[60:]
        >>> past = annotations.select(recordings=known)
        >>> posterior = dc.fit(past, model="base", draws=100, warmup=100, min_ess=None)
        >>> len(posterior.predict(annotations.select(recordings=later)))
        100
        """
        check_annotations(annotations)
        wanted, parts = WantedCells.of(annotations, min_probability, keep_reported), []
        for cells, _ in predict_new(self, annotations, seed=seed, level=level, context=context):
            reports = reports_at(annotations, cells.recording, cells.species)
            keep = wanted.mask(cells.recording, cells.species, cells.probability, reports)
            parts.append(cell_rows(annotations, cells, reports)[keep])
        return pd.concat(parts, ignore_index=True)

    # Measures

    def conditional_waic(self) -> dict[str, float]:
        """Return the paper's WAIC, over single votes and conditional on presence.

        It is for comparison with the paper. Over votes v, with presence y_s and parameters θ_s in draw s,

            lppd   = Σ_v log mean_s P(v | y_s, θ_s),
            p_waic = Σ_v var_s log P(v | y_s, θ_s),
            waic   = −2 (lppd − p_waic).

        Do not choose models by it: presence is inferred from the same votes that are then predicted from it,
        and the penalty p_waic can exceed even |lppd|. `tree` has the log likelihood of each recording with
        presence summed out, for `arviz_stats.loo`.

        Returns
        -------
        dict
            lppd, p_waic, waic, and the number of votes.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> list(posterior.conditional_waic())
        ['lppd', 'p_waic', 'waic', 'votes']
        """
        return self.presence_table.conditional_waic()

    def log_likelihood(self) -> Floats:
        """Return the log likelihood of the votes on each recording, with presence summed out.

        Returns
        -------
        numpy.ndarray
            At most 300 draws, evenly spread over all chains × recordings.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.log_likelihood().shape
        (200, 60)
        """
        return self.presence_table.log_likelihood()

    # Files

    @cached_property
    def tree(self) -> Any:
        """All draws as an ArviZ DataTree with named coordinates (an `xarray.DataTree`).

        `summary`, `ess`, `rhat` and `loo` of arviz-stats, and the plots of arviz-plots, take it as it is.
        Rates by annotator and species are named by both: `species_tpr[Aino, wren]`. An observation of `loo`
        is a recording, with all votes on it.
        """
        return to_tree(self, self.presence_table)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write everything into one netCDF file, whole or not at all.

        Parameters
        ----------
        path
            The file to write, such as `"posterior.nc"`.
        overwrite
            Whether an existing file may be replaced.

        Raises
        ------
        OutputError
            If the file exists and may not be replaced, or cannot be written.
        """
        check_new(Path(path), overwrite=overwrite)
        write_tree(self.tree, Path(path))

    @classmethod
    def load(cls, path: str | Path, model: Model | None = None) -> Posterior:
        """Return the posterior that `save` or `dawnchorus fit` wrote.

        Parameters
        ----------
        path
            The file, or the folder of the fit.
        model
            The model, if it was one of your own; models with a name are built again.

        Returns
        -------
        Posterior

        Raises
        ------
        OutputError
            If there is no such file, it is not a posterior or of an older version, or its model is needed.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> from tempfile import TemporaryDirectory
        >>> annotations = dc.simulate_paper(recordings=40, species=3, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None)
        >>> with TemporaryDirectory() as home:
        ...     posterior.save(f"{home}/posterior.nc")
        ...     again = dc.Posterior.load(f"{home}/posterior.nc")
        >>> again.species().equals(posterior.species())
        True
        """
        return cls.of(read_tree(Path(path), model))

    def report(
        self, path: str | Path, *, truth: Any = None, self_rating: str | None = None, overwrite: bool = False
    ) -> None:
        """Write one self-contained HTML page about the fit, to be looked at, printed and sent.

        Parameters
        ----------
        path
            The file to write, such as `"report.html"`.
        truth
            What is really present, if that is known: a `Truth`, or a frame (recording, species, present).
            Cells that were known in the fit are not compared, and counted.
        self_rating
            The column of the annotators' metadata with their self-rated level; by default, one with a usual
            name, such as `skill_level`, if there is any.
        overwrite
            Whether an existing file may be replaced.

        Raises
        ------
        OutputError
            If the file exists and may not be replaced, or cannot be written.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> from tempfile import TemporaryDirectory
        >>> annotations = dc.simulate_paper(recordings=40, species=3, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None)
        >>> with TemporaryDirectory() as home:
        ...     posterior.report(f"{home}/report.html")
        """
        REPORT.write_report(self, path, truth=truth, self_rating=self_rating, overwrite=overwrite)

    def __repr__(self) -> str:
        return f"<Posterior: {self.model.full_name}, {self._size()} of {self.annotations!r}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        a, record = self.annotations, self.record
        reports = f"{counted(a.n_reports, 'report')} of {counted(a.n_species, 'species')}"
        visits = f"{counted(a.n_visits, 'visit')} by {counted(a.n_annotators, 'annotator')}"
        rows = [
            ("model", f"{self.name}: {self.model.words}"),
            ("data", f"{visits} to {counted(a.n_recordings, 'recording')}; {reports}"),
            ("draws", self._size()),
            ("convergence", self.convergence()),
            *([] if self.known_cells is None else [("known", known_in_words(record["known"]))]),
            *((f"prior of {name.replace('_', ' ')}", text) for name, text in record["priors"].items()),
        ]
        ways = "Tables: .presence(), .annotators(), .species(), .findings. A page: .report('report.html')."
        return as_html("Posterior", rows, ways)

    def _size(self) -> str:
        return f"{counted(self.draws.chains, 'chain')} × {counted(self.draws.length, 'draw')}"
