"""Who listens: the typical annotator, the best tenth of them, or annotators by name, as a listener."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ...annotations.assembly import assemble
from ...annotations.labelled import LabelledVotes, Provenance
from ...annotations.labels import Names, counted, places
from ...common.checked import Seed, generator
from ...common.errors import AnnotationError
from ...common.ragged import Bools, Floats, Ints, Ragged
from ...model.predictive.listening.listener import Listener, mean_rates
from ...model.predictive.parameters import Asked
from ..fitted import Fitted

TYPICAL, BEST = "typical", "best"
BEST_SHARE = 0.1
"""So many of all annotators, at least one, are the best."""
MOST_ASKED = 50
"""Rates for species that nobody has on their list are the mean of those of so many annotators."""


def listener_for(
    fitted: Fitted, annotator: Names = TYPICAL, *, seed: Seed = 0, visited: Bools | None = None
) -> Listener:
    """Return a listener with rates for all species of a fit.

    Rates for species that are on the list of none of these annotators are drawn around their levels.
    `visited` are the annotators who have visits; by default those with visits in the annotations.
    """
    if visited is None:
        visited = fitted.annotations.visits_of_annotators > 0
    members = _members(fitted, annotator, visited)
    n_species = fitted.annotations.n_species
    values = fitted.draws.at(fitted.draws.places())
    rates = fitted.model.expertise.rates_in(values, fitted.design)
    found = [mean_rates(rate, fitted.design.pairs, members, n_species) for rate in rates[:2]]
    missing = np.flatnonzero(np.isnan(found[0]).any(axis=0))
    if len(missing):
        who = np.flatnonzero(members)
        who = who[np.unique(np.linspace(0, len(who) - 1, min(MOST_ASKED, len(who))).astype(int))]
        design = fitted.model.design(_one_visit_each(fitted.annotations, who, missing))
        asked = Asked(design, who, np.arange(n_species), generator(seed))
        drawn = fitted.model.expertise.rates_in(values, fitted.design, asked)
        everyone = np.ones(len(who), bool)
        for rate, one in zip(found, drawn[:2], strict=True):
            rate[:, missing] = mean_rates(one, design.pairs, everyone, n_species)[:, missing]
    return Listener(*found)


def words_for(annotator: Names = TYPICAL) -> str:
    """Return who listens, in words.

    >>> words_for(), words_for("Aino"), words_for(["Aino", "Onni"])
    ('a typical annotator', 'Aino', 'somebody like 2 annotators')
    """
    if not isinstance(annotator, str):
        names = list(annotator)
        return str(names[0]) if len(names) == 1 else f"somebody like {counted(len(names), 'annotator')}"
    return {TYPICAL: "a typical annotator", BEST: "one of the best tenth of annotators"}.get(
        annotator, annotator
    )


def _members(fitted: Fitted, annotator: Names, visited: Bools) -> Bools:
    a = fitted.annotations
    if isinstance(annotator, str) and annotator == TYPICAL:
        return visited
    if isinstance(annotator, str) and annotator == BEST:
        return _best(fitted, visited)
    try:
        chosen = places(a.annotators.index, annotator)
    except AnnotationError as error:
        raise AnnotationError(
            error.problem, f"name one of the annotators of the fit, or give '{TYPICAL}' or '{BEST}'"
        ) from None
    if not len(chosen):
        raise AnnotationError("no annotator is named", f"name one, or give '{TYPICAL}' or '{BEST}'")
    return np.isin(np.arange(a.n_annotators), chosen)


def _best(fitted: Fitted, visited: Bools) -> Bools:
    """Return the tenth of annotators whose true exceeds their false positive rate most, on their list."""
    owner, n = fitted.design.rate_annotator, fitted.annotations.n_annotators
    rates = fitted.model.expertise.rates_in(fitted.draws.at(fitted.draws.places()), fitted.design)
    gain: Floats = rates.tpr.mean(axis=0, dtype=np.float64) - rates.fpr.mean(axis=0, dtype=np.float64)
    number = np.bincount(owner, minlength=n)
    mean = np.bincount(owner, gain, minlength=n) / np.maximum(number, 1)
    mean[~visited | (number == 0)] = -np.inf
    best = np.argsort(-mean, kind="stable")[: max(math.ceil(BEST_SHARE * int(visited.sum())), 1)]
    return np.isin(np.arange(n), best)


def _one_visit_each(annotations: LabelledVotes, who: Ints, species: Ints) -> LabelledVotes:
    """Return votes in which each of these annotators answers for these species once."""
    n = len(who)
    recordings = pd.DataFrame(index=pd.RangeIndex(n).astype(str))
    nothing = Ragged.empty(n)
    return assemble(
        {
            "recording": recordings,
            "annotator": annotations.annotators.iloc[who],
            "species": annotations.species,
        },
        np.arange(n),
        np.arange(n),
        scopes=Ragged.from_sizes([len(species)], species),
        visit_scope=np.zeros(n, np.int64),
        reports=nothing,
        unsure=nothing,
        provenance=Provenance(),
    )
