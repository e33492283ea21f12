"""Fitted: the plain outcome of a fit, which helper functions take; `Posterior` adds methods for users."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..annotations.annotations import Annotations
from ..annotations.known import KnownCells
from ..model.context import Context
from ..model.design import Design
from ..model.distributions import Prior
from ..model.predictive.parameters import Asked, Parameters
from ..model.sweep import Model
from ..sampling.convergence import Diagnostics
from ..sampling.draws import Draws
from ..sampling.presence_means import ReportedPresence
from .findings.known import known_in_words


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """A model, what it was fitted to, and its draws.

    Attributes
    ----------
    model
        What was fitted.
    annotations
        What it was fitted to.
    draws
        The kept draws by name: chains × draws × annotators, species, pairs of both, or nothing.
    reported
        How probable each reported cell is, averaged while sampling, and its Monte-Carlo error.
    diagnostics
        Whether the chains agree.
    record
        Seed, sweeps, seconds and settings of the fit.
    known_cells
        The cells that were known from elsewhere, if any were.
    """

    model: Model
    annotations: Annotations
    draws: Draws
    reported: ReportedPresence
    diagnostics: Diagnostics
    record: dict[str, Any]
    known_cells: KnownCells | None = None

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def priors(self) -> dict[str, Prior]:
        """The priors of the model, by name."""
        return self.model.priors

    def prior_of(self, name: str) -> Prior | None:
        """Return the prior of a variable, or None if it has none of its own.

        Parameters
        ----------
        name
            The name of a variable in `draws`.

        Returns
        -------
        A prior such as `Beta`, or None
        """
        prior = self.draws.variable(name).prior if name in self.draws else None
        return None if prior is None else self.priors[prior]

    @property
    def has_components(self) -> bool:
        """Whether the model is a mixture of components."""
        return bool(self.draws.by("component"))

    @property
    def context(self) -> Context | None:
        """Where and when recordings were made, if the model asks for it."""
        found: Context | None = getattr(self.model.occurrence, "context", None)
        return found

    @property
    def said(self) -> Context | None:
        """What annotators say of themselves, if the model asks for it."""
        found: Context | None = getattr(self.model.expertise, "said", None)
        return found

    @cached_property
    def design(self) -> Design:
        """The annotations as arrays for kernels, with the rates that votes depend on."""
        return self.model.design(self.annotations, self.known_cells)

    def parameters(self, most: int | None = None, asked: Asked | None = None) -> Parameters:
        """Return the draws of all that presence depends on, at most `most` of them, flat over chains."""
        values = self.draws.at(self.draws.places(most))
        return self.model.parameters(values, self.draws.chains, self.design, asked)

    def details(self) -> dict[str, Any]:
        """Return what fit.json says about the fit: the record, and the diagnostics."""
        diagnostics = self.diagnostics.as_dict()
        return {**self.record, "converged": diagnostics["converged"], "diagnostics": diagnostics}

    def in_words(self) -> str:
        """Return what was fitted, with which priors, and whether the chains have converged, in words."""
        words = [f"Model {self.name}, with these priors:"]
        words += [f"  {name.replace('_', ' ')}: {text}" for name, text in self.record["priors"].items()]
        if self.known_cells is not None:
            words.append(known_in_words(self.record["known"]))
        return "\n".join([*words, self.convergence()])

    def convergence(self) -> str:
        """Return whether the chains have converged, in words."""
        wanted = self.record["min_ess"] or 400, self.record["max_rhat"], self.record["max_mcse"]
        return self.diagnostics.in_words(*wanted)
