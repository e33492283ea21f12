"""Posterior: the result of a fit, as tables for people and as draws for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.annotations import Annotations
from ..common.errors import AnnotationError, OutputError
from ..common.intervals import LEVEL
from ..common.lazy import lazy
from ..common.progress import Progress
from ..common.ragged import Floats, Ints
from ..model.predictive.cells import Cells
from ..model.sweep import Model
from .decisions import Labels, decide
from .findings.findings import Findings
from .fitted import Fitted
from .new_recordings import predict_new
from .presence_table import LEAST, PresenceTable
from .saving.netcdf import read_tree, to_tree, write_tree
from .tables import (
    Community,
    cell_rows,
    communities,
    component_table,
    count_reports,
    counts_by_annotator,
    counts_by_recording,
    pair_counts,
    variable_columns,
)

XARRAY = lazy("xarray")
MOST_CELLS = 50_000_000
"""An array of recordings × species has at most so many cells."""
REPORT = lazy("dawnchorus.report")
"""Pages are made by a later room."""


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Fitted):
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

    # Tables

    def presence(
        self, min_probability: float = 0.0, *, level: float = LEVEL, mcse: bool = False
    ) -> pd.DataFrame:
        """Return every cell or, with `min_probability`, those with a report or at least so probable.

        Parameters
        ----------
        min_probability
            Leave out cells that nobody reported and that are less probable.
        level
            The level of the interval from probability_lower to probability_upper: over the draws of the
            parameters, the probability lies in it so often.
        mcse
            Whether to add the Monte-Carlo standard error of each probability.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports and,
            if wanted, mcse.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> table = posterior.presence(min_probability=0.5, mcse=True)
        >>> bool(((table["probability"] >= 0.5) | (table["reports"] > 0)).all())
        True
        """
        return pd.concat(self.presence_blocks(min_probability, level=level, mcse=mcse), ignore_index=True)

    def presence_blocks(
        self,
        min_probability: float = 0.0,
        *,
        level: float = LEVEL,
        mcse: bool = False,
        progress: Progress | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Return the rows of `presence` in blocks of whole recordings, so that any number fits in memory.

        Parameters
        ----------
        min_probability, level, mcse
            As for `presence`.
        progress
            Called with the number of recordings done and that of all.

        Returns
        -------
        iterator of pandas.DataFrame
        """
        for cells, reports in self.cells(min_probability, level=level, progress=progress):
            yield cell_rows(self.annotations, cells, reports, mcse=mcse)

    def cells(
        self, min_probability: float = 0.0, *, level: float = LEVEL, progress: Progress | None = None
    ) -> Iterator[tuple[Cells, Ints]]:
        """Return the cells of `presence` as arrays, in blocks of whole recordings.

        Parameters
        ----------
        min_probability, level
            As for `presence`.
        progress
            Called with the number of recordings done and that of all.

        Returns
        -------
        iterator of tuple
            Cells, with recordings and species by place among those of the annotations; and their reports.

        Raises
        ------
        AnnotationError
            If `min_probability` is not between 0 and 1.
        """
        if not 0 <= min_probability <= 1:
            raise AnnotationError(
                f"min_probability is {min_probability}", "give a probability between 0 and 1"
            )
        return self.presence_table.cells(min_probability, level=level, progress=progress)

    def count_presence(self, min_probability: float = 0.0) -> int:
        """Return the number of rows of `presence`; if there are over five million cells, an upper bound."""
        return self.presence_table.count(min_probability)

    def mean_probability(self) -> float:
        """Return the mean probability over all cells; if there are over five million, the mean occurrence."""
        return self.presence_table.mean_probability()

    def labels(self, threshold: float = 0.5) -> Labels:
        """Return which cells count as present from this probability on, and how many mistakes to expect.

        Parameters
        ----------
        threshold
            The probability from which a species counts as present in a recording. 0.5 leads to the fewest
            mistakes in all; a higher one to fewer species that are called present but are absent.

        Returns
        -------
        Labels
            The cells that count as present, as a table, and the expected numbers of mistakes of both kinds.

        Raises
        ------
        AnnotationError
            If the threshold is not a probability above 0.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=4, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
        >>> labels = posterior.labels(0.5)
        >>> labels.table.columns.tolist(), labels.cells
        (['recording', 'species', 'probability'], 300)
        >>> labels.expected_mistakes <= posterior.labels(0.9).expected_mistakes
        True
        """
        blocks = (cells for cells, _ in self.cells(min(threshold, LEAST)))
        return decide(self.annotations, blocks, self.mean_probability(), threshold)

    def to_xarray(self, *, most: int = MOST_CELLS) -> Any:
        """Return the probabilities of presence as an array, recordings × species, with labels.

        Parameters
        ----------
        most
            Refuse if there are more cells than this.

        Returns
        -------
        xarray.DataArray

        Raises
        ------
        AnnotationError
            If there are too many cells: `presence(min_probability)` gives the probable ones as a table, and
            `presence_blocks` all of them in parts.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=40, species=3, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None)
        >>> posterior.to_xarray().sel(species="s1").shape
        (40,)
        """
        a = self.annotations
        if a.n_recordings * a.n_species > most:
            raise AnnotationError(
                f"{a.n_recordings:,} recordings × {a.n_species:,} species are over {most:,} cells",
                "take presence(min_probability=0.01), a table of the probable cells, "
                "or presence_blocks(), all of them in parts",
            )
        values = np.concatenate([cells.probability for cells, _ in self.cells()]).astype(float)
        return XARRAY.DataArray(
            values.reshape(a.n_recordings, a.n_species),
            coords={"recording": a.recordings.index.to_numpy(), "species": a.species.index.to_numpy()},
            dims=("recording", "species"),
            name="probability",
        )

    def annotators(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each annotator the true and the false positive rate, with intervals of this level.

        In hierarchical models, `tpr` is the rate at the annotator's overall level, as in the paper: that for
        a typical species. `mean_tpr` is the mean over all species on the annotator's list.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns annotator, recordings (visited), reports, tpr, fpr and, in hierarchical models, mean_tpr
            and mean_fpr, each rate with _lower and _upper.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.annotators(level=0.5).columns.tolist()[3:6]
        ['tpr', 'tpr_lower', 'tpr_upper']
        """
        columns = variable_columns(self.draws, "annotator", level)
        return pd.concat([counts_by_annotator(self.annotations), *columns], axis=1)

    def annotator_species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return rates for each annotator and each species on their list; in hierarchical models.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns annotator, species, votes, reports, tpr, fpr, each rate with _lower and _upper.

        Raises
        ------
        AnnotationError
            If the model has the same rates for all species.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, draws=50, warmup=50, min_ess=None, seed=1)
        >>> len(posterior.annotator_species())  # 20 annotators, 5 species
        100
        """
        self.need_rates_by_species()
        return pd.concat([pair_counts(self.design), *variable_columns(self.draws, "pair", level)], axis=1)

    def need_rates_by_species(self) -> None:
        """Raise AnnotationError if the model has the same rates for all species."""
        if not self.draws.by_pair:
            raise AnnotationError(
                f"in the model {self.name}, rates are the same for all species",
                "fit a hierarchical model, such as base-hierarchical",
            )

    def species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each species the probability that it occurs in a recording, with its interval.

        Parameters
        ----------
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns species, occurrence, occurrence_lower, occurrence_upper, reports.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="base", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.species().columns.tolist()
        ['species', 'occurrence', 'occurrence_lower', 'occurrence_upper', 'reports']
        """
        a = self.annotations
        labels = pd.DataFrame({"species": a.species.index})
        table = pd.concat([labels, *variable_columns(self.draws, "species", level)], axis=1)
        return table.assign(reports=a.reports_by_species)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables except presence, by name: annotators, species, recordings and more."""
        found = {"annotators": self.annotators(), "species": self.species(), "recordings": self.recordings()}
        if self.draws.by_pair:
            found["annotator_species"] = self.annotator_species()
        if self.has_components:
            found["components"] = self.components()
        return found

    def details(self) -> dict[str, Any]:
        """Return what fit.json says about the fit: the record, and the diagnostics."""
        return {**self.record, "diagnostics": self.diagnostics.as_dict()}

    def recordings(self) -> pd.DataFrame:
        """Return for each recording its visits and the reports made in them.

        Returns
        -------
        pandas.DataFrame
            Columns recording, visits, reports.
        """
        return counts_by_recording(self.annotations)

    def components(self, most: int = 5, *, level: float = LEVEL) -> pd.DataFrame:
        """Return the components of a mixture, largest first: their share, and the species that stand out.

        Components are ordered by size in every draw, so that the first row is about the largest, whichever
        that is. Components that fewer than half of the draws have are left out.

        Parameters
        ----------
        most
            How many species that stand out are named at most. A species stands out if it is at least a
            quarter more probable in the component than overall.
        level
            The level of the intervals.

        Returns
        -------
        pandas.DataFrame
            Columns component, share, share_lower, share_upper, species_per_recording, stand_out.

        Raises
        ------
        AnnotationError
            If the model is not a mixture.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> annotations = dc.simulate_paper(recordings=60, species=5, visits=2, seed=1).annotations
        >>> posterior = dc.fit(annotations, model="bmm", draws=50, warmup=50, min_ess=None, seed=1)
        >>> posterior.components().columns.tolist()[:2]
        ['component', 'share']
        """
        return component_table(self.communities(most), self.annotations.species.index, level)

    def communities(self, most: int = 5) -> list[Community]:
        """Return the components of a mixture with their shares by draw and the probability of every species.

        Parameters
        ----------
        most
            How many species that stand out are listed at most.

        Returns
        -------
        list[Community]
            The components in the order of `components`.

        Raises
        ------
        AnnotationError
            If the model is not a mixture.
        """
        if not self.has_components:
            raise AnnotationError(f"the model {self.name} has no components", "fit dp-bmm or bmm")
        return communities(self.draws, most)

    @cached_property
    def findings(self) -> Findings:
        """What the fit says about single recordings, species and votes."""
        return Findings(self, self.presence_table)

    # Beyond the fitted recordings

    def predict(
        self, annotations: Annotations, min_probability: float = 0.0, *, seed: int = 0, level: float = LEVEL
    ) -> pd.DataFrame:
        """Return presence in new recordings from the draws of this fit, without fitting again.

        Rates of annotators whom the fit does not know are drawn from the prior; in hierarchical models, rates
        of known annotators for species that are new to them are drawn around the annotator's own level.

        Parameters
        ----------
        annotations
            The votes on the new recordings.
        min_probability
            Leave out cells that nobody reported and that are less probable.
        seed
            Of the rates that are drawn.
        level
            The level of the interval from probability_lower to probability_upper.

        Returns
        -------
        pandas.DataFrame
            Columns as in `presence`.

        Raises
        ------
        AnnotationError
            If a species was not in the annotations that were fitted.
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
        parts = []
        for cells in predict_new(self, annotations, seed=seed, level=level):
            rows = cell_rows(annotations, cells, count_reports(annotations, cells))
            parts.append(rows[(rows["probability"] >= min_probability) | (rows["reports"] > 0)])
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
        """All draws as an ArviZ DataTree with named coordinates (an `xarray.DataTree`)."""
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
        if Path(path).exists() and not overwrite:
            raise OutputError(f"{path} exists. Remedy: choose another name, or say overwrite.")
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

    def in_words(self) -> str:
        """Return what was fitted, with which priors, and whether the chains have converged, in words."""
        words = [f"Model {self.name}, with these priors:"]
        words += [f"  {name.replace('_', ' ')}: {text}" for name, text in self.record["priors"].items()]
        record = self.record
        wanted = record["min_ess"] or 400, record["max_rhat"], record["chains"], record["max_mcse"]
        return "\n".join([*words, self.diagnostics.in_words(*wanted)])

    def __repr__(self) -> str:
        chains, length = self.draws.chains, self.draws.length
        return f"<Posterior: {self.name}, {chains} chains × {length} draws of {self.annotations!r}>"

    # Inside

    @cached_property
    def presence_table(self) -> PresenceTable:
        """The cells with their probabilities, computed when they are first needed."""
        return PresenceTable(self)
