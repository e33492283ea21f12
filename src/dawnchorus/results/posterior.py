"""Posterior: what a fit has learnt, as tables for people and as draws for machines."""

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
"""Beyond so many cells, no array of recordings × species is made."""
REPORT = lazy("dawnchorus.report")
"""Pages are made by a later room."""


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Fitted):
    """Draws of a model given the annotations.

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
        """Return the outcome of a fit with all comforts."""
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
            How much of the draws of the parameters lies between the bounds of the probability.
        mcse
            Whether to state the Monte-Carlo standard error of each probability as well.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species, probability, probability_lower, probability_upper, votes, reports and,
            if wanted, mcse.
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
        """Return the rows of `presence` in blocks of whole recordings."""
        for cells, reports in self.cells(min_probability, level=level, progress=progress):
            yield cell_rows(self.annotations, cells, reports, mcse=mcse)

    def cells(
        self, min_probability: float = 0.0, *, level: float = LEVEL, progress: Progress | None = None
    ) -> Iterator[tuple[Cells, Ints]]:
        """Return the cells of `presence` by place, with their reports, in blocks of whole recordings."""
        if not 0 <= min_probability <= 1:
            raise AnnotationError(
                f"min_probability is {min_probability}", "give a probability between 0 and 1"
            )
        return self.presence_table.cells(min_probability, level=level, progress=progress)

    def count_presence(self, min_probability: float = 0.0) -> int:
        """Count the rows of `presence`; beyond five million cells, at most so many."""
        return self.presence_table.count(min_probability)

    def mean_probability(self) -> float:
        """Give the mean probability over all cells: exact where few, the mean occurrence where many."""
        return self.presence_table.mean_probability()

    def labels(self, threshold: float = 0.5) -> Labels:
        """Return which cells count as present from this probability on, and how many mistakes to expect.

        Parameters
        ----------
        threshold
            The probability from which a species counts as present in a recording. A half makes the fewest
            mistakes; more makes fewer of those that call an absent species present.

        Returns
        -------
        Labels
            The cells that count as present, as a table, and the expected numbers of mistakes of both kinds.

        Raises
        ------
        AnnotationError
            If the threshold is no probability above 0.

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

        In hierarchical models, `tpr` is the rate at the annotator's overall level, as in the paper: that of a
        typical species. `mean_tpr` is the mean over the species on the annotator's list, rare ones and all.
        """
        columns = variable_columns(self.draws, "annotator", level)
        return pd.concat([counts_by_annotator(self.annotations), *columns], axis=1)

    def annotator_species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each annotator and species on the list votes, and rates with intervals of this level."""
        self.need_rates_by_species()
        return pd.concat([pair_counts(self.design), *variable_columns(self.draws, "pair", level)], axis=1)

    def need_rates_by_species(self) -> None:
        """Refuse if the model has the same rates for all species."""
        if not self.draws.by_pair:
            raise AnnotationError(
                f"in the model {self.name}, rates are the same for all species",
                "fit a hierarchical model, such as base-hierarchical",
            )

    def species(self, *, level: float = LEVEL) -> pd.DataFrame:
        """Return for each species the probability that it occurs in a recording, with its interval."""
        a = self.annotations
        labels = pd.DataFrame({"species": a.species.index})
        table = pd.concat([labels, *variable_columns(self.draws, "species", level)], axis=1)
        return table.assign(reports=a.reports_by_species)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Give all tables but presence, by name."""
        found = {"annotators": self.annotators(), "species": self.species(), "recordings": self.recordings()}
        if self.draws.by_pair:
            found["annotator_species"] = self.annotator_species()
        if self.has_components:
            found["components"] = self.components()
        return found

    def details(self) -> dict[str, Any]:
        """Give what fit.json says of the fit."""
        return {**self.record, "diagnostics": self.diagnostics.as_dict()}

    def recordings(self) -> pd.DataFrame:
        """Return for each recording its visits and the reports made in them."""
        return counts_by_recording(self.annotations)

    def components(self, most: int = 5, *, level: float = LEVEL) -> pd.DataFrame:
        """Return the components of a mixture, largest first: their share, and the species that stand out.

        Components are ordered by size in every draw, so that the first row is about the largest, whichever
        that is. Species stand out that are at least a quarter more probable there than overall; at most
        `most` of them are named. Components that fewer than half of the draws have are left out.
        """
        return component_table(self.communities(most), self.annotations.species.index, level)

    def communities(self, most: int = 5) -> list[Community]:
        """Give the components of a mixture with their shares by draw and the probability of every species."""
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
        """Give presence in recordings that came later, from these draws, without fitting again.

        Annotators who are new have rates drawn from the prior, and known ones on species that are new to
        them, from their own level. Species have to be known.

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
        """Give the paper's WAIC, over single votes and conditional on presence: lppd, p_waic, waic, votes.

        It is here for comparison with the paper. Its penalty exceeds the fit, so do not choose models by it;
        `tree` has the log likelihood with presence summed out, by recording, for `arviz_stats.loo`.
        """
        return self.presence_table.conditional_waic()

    def log_likelihood(self) -> Floats:
        """Give the log likelihood of each recording's votes, presence summed out: draws used × recordings."""
        return self.presence_table.log_likelihood()

    # Files

    @cached_property
    def tree(self) -> Any:
        """All draws as an ArviZ DataTree with named coordinates."""
        return to_tree(self, self.presence_table)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write everything into one netCDF file, whole or not at all."""
        if Path(path).exists() and not overwrite:
            raise OutputError(f"{path} exists. Remedy: choose another name, or say overwrite.")
        write_tree(self.tree, Path(path))

    @classmethod
    def load(cls, path: str | Path, model: Model | None = None) -> Posterior:
        """Read what `save` wrote, or the folder that `dawnchorus fit` wrote.

        A fit of a model of your own needs that model again.

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
        """Write one self-contained HTML page about all of this, to be looked at, printed and sent.

        Parameters
        ----------
        path
            The file to write, such as `"report.html"`.
        truth
            What is really there, if that is known: of a simulation, or a frame (recording, species, present).
        self_rating
            The column of the annotators' metadata that holds a self-rated level; found by its name if it can
            be.
        overwrite
            Whether an existing file may be replaced.

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
        """Say what was fitted, with which priors, and whether the chains have converged."""
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
        """The cells, as far as they are listed one by one."""
        return PresenceTable(self)
