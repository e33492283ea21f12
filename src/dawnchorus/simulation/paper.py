"""The paper's simulator: independent or co-occurring species, and constant or varying skill of annotators.

Wang, Lauha and Dunson, "Bayesian modeling of multi-species labeling errors in ecological studies":

    occurrence o[k] ~ Beta(2, 98),  presence y[i, k] ~ Bernoulli(o[k])
    co-occurring species: the last ten of 25 are copies of the first ten
    each annotator visits each recording with probability visits / annotators, and answers for all species
    skill constant:  P(report) = tpr[j] if present, fpr[j] if absent
    skill varying:   logit tpr[j, k] ~ Normal(logit tpr[j], 2²),  logit fpr[j, k] ~ Normal(logit fpr[j], 1)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from ..annotations.annotations import Annotations
from ..annotations.assembly import assemble
from ..annotations.labelled import Provenance
from ..annotations.truth import Truth
from ..common.checked import Seed, finite_number, generator, is_finite, whole_number
from ..common.errors import AnnotationError
from ..common.ragged import Ints, Ragged
from .simulation import Simulation, labels


class AnnotatorType(NamedTuple):
    """A type of annotator: its share of all annotators, and the range of its true positive rate."""

    name: str
    share: float
    tpr_low: float
    tpr_high: float


TYPES = (
    AnnotatorType("random", 0.1, 0.60, 0.70),
    AnnotatorType("normal", 0.7, 0.75, 0.85),
    AnnotatorType("excellent", 0.2, 0.90, 0.95),
)

SCENARIOS = {
    1: "independent species, constant skill",
    2: "co-occurring species, constant skill",
    3: "independent species, skill varies over species",
    4: "co-occurring species, skill varies over species",
}


def simulate_paper(
    scenario: int = 1,
    *,
    visits: float = 2.4,
    recordings: int = 1000,
    annotators: int = 20,
    species: int = 25,
    occurrence: tuple[float, float] = (2.0, 98.0),
    co_occurring: int | None = None,
    types: tuple[AnnotatorType, ...] = TYPES,
    fpr_range: tuple[float, float] = (0.001, 0.01),
    tpr_spread: float | None = None,
    fpr_spread: float | None = None,
    unsure_step: float = 0.0,
    seed: Seed = 0,
) -> Simulation:
    """Return simulated data of one of the paper's four scenarios.

    Parameters
    ----------
    scenario
        In 1 and 3 species are independent, in 2 and 4 they co-occur. In 1 and 2 the skill of an annotator is
        the same for all species, in 3 and 4 it varies over species.
    visits
        Mean number of visits to a recording; some recordings get none.
    recordings, annotators, species
        The number of each.
    occurrence
        The two parameters of the Beta distribution of occurrence.
    co_occurring
        In scenarios 2 and 4: the number of species, the last ones, that are copies of the first ones; by
        default 10.
    types
        Types of annotators, with shares that add up to one.
    fpr_range
        Range of the false positive rate, the same for all types.
    tpr_spread, fpr_spread
        In scenarios 3 and 4: standard deviations over species, on the logit scale; by default 2 and 1.
    unsure_step
        By how much the logit of "report or unsure" is above that of a report; 0 for no unsure marks.
    seed
        A whole number, which gives the same data each time; a generator; or None for other data each time.

    Returns
    -------
    Simulation
        The annotations and the truth.

    Raises
    ------
    AnnotationError
        If there is no such scenario, it has no such option, or the numbers are not possible, alone or
        together.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_paper(scenario=3, visits=0.8, seed=1)
    >>> simulation.annotations
    <Annotations: 814 visits by 20 annotators to 567 of 1,000 recordings; 476 reports of 25 species>
    """
    given = {"co_occurring": co_occurring, "tpr_spread": tpr_spread, "fpr_spread": fpr_spread}
    co_occurring = 10 if co_occurring is None else co_occurring
    tpr_spread = 2.0 if tpr_spread is None else tpr_spread
    fpr_spread = 1.0 if fpr_spread is None else fpr_spread
    _check_numbers(
        scenario,
        {"visits": visits, "tpr_spread": tpr_spread, "fpr_spread": fpr_spread, "unsure_step": unsure_step},
        {"occurrence": occurrence, "fpr_range": fpr_range},
    )
    recordings = whole_number("recordings", recordings, least=1)
    annotators = whole_number("annotators", annotators, least=1)
    species = whole_number("species", species, least=1)
    co_occurring = whole_number("co_occurring", co_occurring, least=0)
    _refuse_others(scenario, given)
    _check_together(scenario, visits, annotators, species, co_occurring, types)
    rng = generator(seed)
    rate = rng.beta(*occurrence, size=species)
    present = rng.random((recordings, species)) < rate
    if scenario in (2, 4):
        present[:, species - co_occurring :] = present[:, :co_occurring]
        rate[species - co_occurring :] = rate[:co_occurring]

    kind = rng.permutation(np.repeat(np.arange(len(types)), _shares(types, annotators)))
    low, high = (np.array([getattr(t, name) for t in types]) for name in ("tpr_low", "tpr_high"))
    tpr = rng.uniform(low[kind], high[kind])
    fpr = rng.uniform(*fpr_range, size=annotators)
    pair_tpr, pair_fpr = (np.repeat(level[:, None], species, axis=1) for level in (tpr, fpr))
    if varying := scenario in (3, 4):
        pair_tpr = expit(rng.normal(logit(pair_tpr), tpr_spread))
        pair_fpr = expit(rng.normal(logit(pair_fpr), fpr_spread))

    visited = rng.random((recordings, annotators)) < visits / annotators
    i, j = np.nonzero(visited)
    chance, drawn = np.where(present[i], pair_tpr[j], pair_fpr[j]), rng.random((len(i), species))
    report = drawn < chance
    unsure = ~report & (drawn < chance / (chance + (1 - chance) * np.exp(-unsure_step)))

    tables = {
        "recording": pd.DataFrame(index=labels("recording", recordings)),
        "annotator": pd.DataFrame(index=labels("annotator", annotators)),
        "species": pd.DataFrame(index=labels("species", species)),
    }
    votes = assemble(
        tables,
        i,
        j,
        scopes=Ragged.from_sizes([species], np.arange(species)),
        visit_scope=np.zeros(len(i), np.int64),
        reports=Ragged.from_pairs(*np.nonzero(report), rows=len(i)),
        unsure=Ragged.from_pairs(*np.nonzero(unsure), rows=len(i)),
        provenance=Provenance(f"simulated: scenario {scenario} of the paper", "checklist"),
    )
    names = {word: table.index for word, table in tables.items()}
    pairs = pd.DataFrame(
        {
            "annotator": np.repeat(names["annotator"].to_numpy(object), species),
            "species": np.tile(names["species"].to_numpy(object), annotators),
            "tpr": pair_tpr.ravel(),
            "fpr": pair_fpr.ravel(),
        }
    )
    truth = Truth(
        names["recording"],
        Ragged.from_pairs(*np.nonzero(present), rows=recordings),
        pd.DataFrame({"species": names["species"], "occurrence": rate}),
        pd.DataFrame(
            {
                "annotator": names["annotator"],
                "type": np.array([t.name for t in types], object)[kind],
                "tpr": tpr,
                "fpr": fpr,
            }
        ),
        pairs if varying else None,
    )
    return Simulation(Annotations.of(votes), truth)


def _shares(types: tuple[AnnotatorType, ...], annotators: int) -> Ints:
    """Return the number of annotators of each type, rounded so that the numbers add up to `annotators`."""
    ends = np.round(np.cumsum([t.share for t in types]) * annotators).astype(np.int64)
    return np.diff(ends, prepend=0)


def _check_numbers(scenario: int, numbers: dict[str, float], ranges: dict[str, tuple[float, float]]) -> None:
    if whole_number("scenario", scenario, least=1) not in SCENARIOS:
        raise AnnotationError(f"scenario is {scenario!r}", "use one of the paper's: 1, 2, 3 or 4")
    for name, value in numbers.items():
        finite_number(name, value, least=0)
    for name, pair in ranges.items():
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and is_finite(*pair) and min(pair) >= 0):
            raise AnnotationError(f"{name} is {pair!r}", "give two numbers, none below 0")
    if min(ranges["occurrence"]) <= 0:
        raise AnnotationError(f"occurrence is {ranges['occurrence']!r}", "give two numbers above 0")
    low, high = ranges["fpr_range"]
    if not low <= high <= 1:
        raise AnnotationError(
            f"fpr_range is {low!r} to {high!r}", "give two probabilities, the smaller first"
        )


def _refuse_others(scenario: int, given: dict[str, float | None]) -> None:
    """Raise an error if an option was given that the scenario does not have."""
    for name, value in given.items():
        having = (2, 4) if name == "co_occurring" else (3, 4)
        if value is not None and scenario not in having:
            raise AnnotationError(
                f"scenario {scenario} ({SCENARIOS[scenario]}) has no {name}",
                f"leave it out, or use scenario {having[0]} or {having[1]}",
            )


def _check_together(
    scenario: int,
    visits: float,
    annotators: int,
    species: int,
    co_occurring: int,
    types: tuple[AnnotatorType, ...],
) -> None:
    if visits > annotators:
        raise AnnotationError(
            f"{visits} visits per recording by {annotators} annotators is not possible",
            "give more annotators, or fewer visits",
        )
    if scenario in (2, 4) and co_occurring > species // 2:
        raise AnnotationError(
            f"{co_occurring} of {species} species cannot be copies of as many others",
            "give more species, or a smaller co_occurring",
        )
    if not np.isclose(sum(t.share for t in types), 1):
        raise AnnotationError("the shares of the annotator types do not add up to one", "change them")
