"""A simulator like a citizen-science portal: scopes, rare species, sites, hours, a few very active people.

Which species sing where and when is in birds.py, who listens and what they report in listeners.py. Portals
that are too large for memory are made in parts (portal_parts.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..annotations.annotations import Annotations
from ..annotations.assembly import assemble
from ..annotations.labelled import Provenance
from ..annotations.truth import Truth
from ..common.checked import Seed, finite_number, generator, probability, whole_number
from ..common.ragged import Floats, Ints, Ragged
from .birds import HOUR_SHARES, Birds
from .listeners import (
    Listeners,
    drawn_visits,
    heard,
    hits_in_scope,
    misled,
    taken_for_others,
    visit_rate,
)
from .machines import machine_name, with_machine
from .simulation import Simulation, labels


def simulate_portal(
    recordings: int = 2000,
    annotators: int | str | Sequence[str] = 60,
    species: int | str | Sequence[str] = 120,
    *,
    visits: float = 1.5,
    present_species: float | None = None,
    false_reports: float = 0.1,
    unsure: float = 0.1,
    sites: int = 40,
    confusion: float = 0.0,
    faintness: float = 0.0,
    deception: float = 0.0,
    machine: str | None = None,
    seed: Seed = 0,
) -> Simulation:
    """Return simulated data like those of a citizen-science portal; suitable also for very large sizes.

    Parameters
    ----------
    recordings, annotators, species
        The number of each, or the names of annotators and species, with the most active annotators and
        the most common species first.
    visits
        Mean number of visits to a recording; the activity of annotators is proportional to 1/rank.
    present_species
        Mean number of species present in a recording; by default 2.5, or a tenth of all species if that is
        less.
    false_reports
        Approximate mean number of absent species that a visit reports.
    unsure
        Approximate mean number of species in scope that a visit marks unsure. These are drawn independently
        of presence, and an unsure mark replaces the vote.
    sites
        The number of sites.
    confusion
        How often a present species is taken for its look-alike: missed, and the look-alike, if it is absent
        and in scope, reported in its place. The first and second most common species are look-alikes, and so
        are the third and fourth, and so on. The true rates leave confusion out.
    faintness
        How far birds differ in how audible they are for everybody, as the standard deviation of logits. True
        positive rates are over all birds.
    deception
        How far recordings differ in how much they mislead everybody to report a species that is not there,
        as the standard deviation of logits. False positive rates are over all recordings. All cells are then
        gone through, which takes longer.
    machine
        The name of a classifier that listens to every recording and gives its reports a score. It is good for
        common species and poor for rare ones; `truth.machines` tells how good.
    seed
        A whole number, which gives the same data each time; a generator; or None for other data each time.

    Returns
    -------
    Simulation
        The annotations and the truth.

    Raises
    ------
    AnnotationError
        If the numbers are not possible, alone or together.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> simulation = dc.simulate_portal(recordings=500, seed=1)
    >>> simulation.annotations.recordings.columns.tolist()
    ['site', 'hour']
    """
    recordings = whole_number("recordings", recordings, least=1)
    if machine is not None:
        machine = machine_name(machine)
    sizes: dict[str, Any] = {"recording": recordings, "annotator": annotators, "species": species}
    index = {word: labels(word, names) for word, names in sizes.items()}
    n_annotators, n_species = len(index["annotator"]), len(index["species"])
    sites = whole_number("sites", sites, least=1)
    probability("confusion", confusion)
    if present_species is None:
        present_species = min(2.5, n_species / 10)
    finite_number("visits", visits, least=0)
    finite_number("present_species", present_species, least=0)
    finite_number("false_reports", false_reports, least=0)
    finite_number("unsure", unsure, least=0)
    finite_number("faintness", faintness, least=0)
    finite_number("deception", deception, least=0)
    rng = generator(seed)
    site = rng.integers(sites, size=recordings)
    hour = rng.choice(24, size=recordings, p=HOUR_SHARES)
    presence, occurrence = _presence(rng, site, hour, sites, n_species, present_species)
    who = Listeners.draw(rng, n_annotators, n_species, false_reports)
    i, j = _visits(rng, recordings, who.activity, visits)
    seen = presence.take(i)  # the species that each visit could hear
    known = who.scopes.contains(who.scope[j][seen.row_of_item()], seen.item)
    seen = seen.keep(known)
    found, (pair, rate), tpr = heard(rng, who, j, seen, i, faintness)
    if deception > 0:
        visit, invented = misled(rng, who, j, i, deception)
    else:
        visit, invented = hits_in_scope(rng, who, j, who.false[j])
    if confusion > 0:
        taken, alike = taken_for_others(rng, who, j, seen, confusion)
        found &= ~taken
        visit = np.concatenate([visit, seen.row_of_item()[taken]])
        invented = np.concatenate([invented, alike])
    wrong = ~presence.contains(i[visit], invented)
    marks = Ragged.from_pairs(*hits_in_scope(rng, who, j, np.full(len(j), unsure)), rows=len(i))
    reports = Ragged.from_pairs(
        np.concatenate([seen.row_of_item()[found], visit[wrong]]),
        np.concatenate([seen.item[found], invented[wrong]]),
        rows=len(i),
    )
    reports = reports.keep(~marks.contains(reports.row_of_item(), reports.item))
    place = labels("site", sites).to_numpy(object)
    votes = assemble(
        {
            "recording": pd.DataFrame({"site": place[site], "hour": hour}, index=index["recording"]),
            "annotator": pd.DataFrame({"level": who.level + 1}, index=index["annotator"]),
            "species": pd.DataFrame(index=index["species"]),
        },
        i,
        j,
        scopes=who.scopes,
        visit_scope=who.scope[j],
        reports=reports,
        unsure=marks,
        known=who.scopes,
        annotator_known=who.scope,
        provenance=Provenance("simulated: portal-like", "scope"),
    )
    who_j, which = np.divmod(pair, n_species)
    truth = Truth(
        index["recording"],
        presence,
        pd.DataFrame({"species": index["species"], "occurrence": occurrence}),
        pd.DataFrame(
            {
                "annotator": index["annotator"],
                "level": who.level + 1,
                "tpr": tpr,
                "fpr": who.mean_fpr(),
            }
        ),
        pd.DataFrame(
            {
                "annotator": index["annotator"][who_j],
                "species": index["species"][which],
                "tpr": rate,
                "fpr": -np.expm1(-who.false[who_j] * who.tempting[which]),
            }
        ),
    )
    if machine is not None:
        return Simulation(*with_machine(rng, votes, truth, machine))
    return Simulation(Annotations.of(votes), truth)


def _presence(
    rng: np.random.Generator, site: Ints, hour: Ints, sites: int, species: int, expected: float
) -> tuple[Ragged, Floats]:
    birds = Birds.draw(rng, sites, species)
    times = np.zeros((sites, 24), np.int64)
    np.add.at(times, (site, hour), 1)
    birds = birds.as_common_as(expected, times)
    return birds.present(rng, site, hour), birds.occurrence(times)


def _visits(rng: np.random.Generator, recordings: int, activity: Floats, visits: float) -> tuple[Ints, Ints]:
    return drawn_visits(rng, recordings, activity, visit_rate(activity, visits))
