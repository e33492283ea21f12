"""Votes drawn anew from a draw of the parameters: as often as exact probabilities say."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

import naive
import portals
from dawnchorus.annotations.known import KnownCells
from dawnchorus.model import design as design_module
from dawnchorus.model.design import Design
from dawnchorus.model.predictive.contexts import Contexts
from dawnchorus.model.predictive.parameters import NONE, Parameters
from dawnchorus.model.predictive.replicates.presence import draw_present
from dawnchorus.model.predictive.replicates.votes import draw_reports

N = 6000
SCOPES = {0: (0, 1), 1: (0, 1, 2), 2: (1,)}
"""Of three annotators, who all visit every recording; nobody votes on species 3."""
FALSE_ALARM = 1e-3
CASES = {
    "ordinary": {},
    "by species": {"by_species": True},
    "components": {"components": 3},
    "components, by species": {"components": 3, "by_species": True},
    "context": {"context": True},
    "context, by species": {"context": True, "by_species": True},
    "faint": {"faint": True, "by_species": True},
    "faint, components": {"faint": True, "by_species": True, "components": 2},
    "deceptive": {"deceptive": True, "by_species": True},
    "deceptive and faint": {"deceptive": True, "faint": True, "by_species": True},
    "marks": {"marks": True},
    "marks, by species": {"marks": True, "by_species": True},
    "marks, deceptive and faint": {"marks": True, "deceptive": True, "faint": True, "by_species": True},
    "without tables": {"by_species": True, "table": 0},
    "known": {"known": True},
    "known, components": {"known": True, "components": 3, "apart": True, "by_species": True},
    "known, context": {"known": True, "context": True},
}


KNOWN = ({1: True, 3: False}, {0: False, 2: True})
"""What is known of recordings with even and with odd numbers, if anything is: species, and if present."""


def known_cells(known_as="truth"):
    """Give what is known of all recordings."""
    cells = [(i, k, there) for i in range(N) for k, there in KNOWN[i % 2].items()]
    recording, species, present = (np.array(part) for part in zip(*cells, strict=True))
    return KnownCells.of(recording, species, present, rows=N, known_as=known_as)


def recordings():
    """Give recordings that are all alike but for an unsure mark in every second."""
    visits = {(i, j): scope for i in range(N) for j, scope in SCOPES.items()}
    unsure = [(i, 1, 0) for i in range(0, N, 2)]
    return portals.lay_out(visits, unsure, sizes=(N, 3, 4))


def parameters_for(
    design, *, components=1, apart=False, context=False, faint=False, deceptive=False
) -> Parameters:
    """Give two draws out of the air, of which tests use the second.

    If components are far apart, what is known of a species tells which one it is.
    """
    rng = np.random.default_rng(1)
    tpr, fpr = rng.uniform(0.4, 0.9, (2, design.n_rates)), rng.uniform(0.05, 0.3, (2, design.n_rates))
    weight = rng.dirichlet(np.ones(components), 2)
    occurrence = rng.uniform(0.1, 0.8, (2, components, 4))
    if apart:
        occurrence[:, -1] /= 10
    contexts = None
    if context:
        i = np.arange(N)
        row = np.stack([i // 2 % 2, 2 + i // 4 % 3], axis=1).astype(np.int32)
        contexts = Contexts(rng.normal(-0.3, 1.2, (2, 5, 4)).astype(np.float32), row)
    of_parts = {
        "faintness": np.array([0.3, 1.7]) if faint else NONE,
        "unsure": np.array([0.2, 0.6]) if design.marks_vote else NONE,
        "deception": np.array([0.4, 1.4]) if deceptive else NONE,
    }
    return Parameters(tpr, fpr, np.full(2, components), weight, occurrence, 1, contexts, **of_parts)


def votes_cast(design, i) -> list[tuple[int, int]]:
    """Give annotator and species of each vote in recording i."""
    every = design.marks_vote or i % 2
    return [(j, k) for j, scope in SCOPES.items() for k in scope if (j, k) != (1, 0) or every]


def pattern_chances(design, parameters, i) -> dict[tuple[int, ...], float]:
    """Give the probability of each pattern of votes in recording i in the second draw, by loops."""
    cast = votes_cast(design, i)
    patterns = list(product((0, 1, 2) if design.marks_vote else (0, 1), repeat=len(cast)))
    cells = np.full((len(patterns), 3, 4), -1)
    for number, pattern in enumerate(patterns):
        for (j, k), said in zip(cast, pattern, strict=True):
            cells[number, j, k] = said
    one = parameters._replace(
        **{name: getattr(parameters, name)[1:] for name in parameters._fields[:5]},
        **{name: getattr(parameters, name)[1:] for name in ("faintness", "unsure", "deception")},
    )
    occurrence = None
    if parameters.contexts is not None:
        x = parameters.contexts.value[1, parameters.contexts.row[i]].sum(axis=0, dtype=float)
        occurrence = np.broadcast_to(1 / (1 + np.exp(-x)), (1, 1, len(patterns), 4))
    rates_at = design.rates_at if design.by_species else None
    known = {} if design.known is None else KNOWN[i % 2]
    told = {(number, k): there for number in range(len(patterns)) for k, there in known.items()}
    chances = np.exp(naive.cell_draws(cells, rates_at, one, occurrence, told)[1][:, 0])
    assert known or chances.sum() == pytest.approx(1, abs=1e-6)
    return dict(zip(patterns, chances / chances.sum(), strict=True))


def drawn_patterns(design, reports, of) -> dict[tuple[int, ...], int]:
    """Count the patterns of reports in these recordings."""
    visits = design.layout.visits
    recording = np.repeat(np.arange(N), np.diff(visits.start))
    triples = recording[reports.visit], visits.annotator[reports.visit], reports.species
    said = dict(zip(zip(*(part.tolist() for part in triples), strict=True), 1 + reports.marked, strict=True))
    assert len(said) == len(reports.visit)  # nobody reports twice
    counts: dict[tuple[int, ...], int] = {}
    for i in of:
        pattern = tuple(int(said.get((i, j, k), 0)) for j, k in votes_cast(design, i))
        counts[pattern] = counts.get(pattern, 0) + 1
    return counts


@pytest.mark.parametrize("case", CASES)
def test_patterns_of_votes_are_as_frequent_as_they_should_be(case, monkeypatch):
    options = dict(CASES[case])
    if "table" in options:
        monkeypatch.setattr(design_module, "TABLE", options.pop("table"))
    kinds = {"by_species": options.pop("by_species", False), "marks_vote": options.pop("marks", False)}
    kinds["known"] = known_cells() if options.pop("known", False) else None
    design = Design(recordings(), **kinds)
    parameters = parameters_for(design, **options)
    reports = draw_reports(np.random.default_rng(5), design, parameters, 1)
    kinds = 2 if parameters.contexts is None else 12
    for kind in range(kinds):
        chances = pattern_chances(design, parameters, kind)
        of = range(kind, N, kinds)
        counts = drawn_patterns(design, reports, of)
        assert counts.keys() <= chances.keys()
        expected = np.array([chances[pattern] * len(of) for pattern in chances])
        found = np.array([counts.get(pattern, 0) for pattern in chances])
        often = expected >= 5
        found = np.append(found[often], found[~often].sum())
        expected = np.append(expected[often], expected[~often].sum() + 1e-9)
        assert stats.chisquare(found, expected).pvalue > FALSE_ALARM / kinds


def test_what_an_expert_says_is_not_held_fixed():
    """They may err, so presence is drawn anew, and the votes are those of a fit without an expert."""
    told, plain = (
        Design(recordings(), by_species=False, known=known) for known in (known_cells("expert"), None)
    )
    drawn = [draw_reports(np.random.default_rng(5), d, parameters_for(plain), 1) for d in (told, plain)]
    assert all(np.array_equal(one, other) for one, other in zip(*drawn, strict=True))


@pytest.mark.parametrize("terms", [1, 2, 3])
def test_cells_are_present_as_often_as_they_should_be(terms):
    rng = np.random.default_rng(terms)
    sizes = [3, 2, 4][:terms]
    first = np.cumsum([0, *sizes])
    row = np.stack([first[t] + rng.integers(sizes[t], size=400) for t in range(terms)], axis=1)
    value = rng.normal(-1.0, 1.5, (sum(sizes), 5))
    value[0, 0], value[1, 1] = 50.0, -800.0  # certain, and impossible
    chance = 1 / (1 + np.exp(-np.clip(value[row].sum(axis=1), -700, 700)))
    times, counts = 400, np.zeros((400, 5))
    for _ in range(times):
        i, k = draw_present(rng, value, row.astype(np.int32))
        np.add.at(counts, (i, k), 1)
    assert counts.max() <= times
    z = (counts - times * chance) / np.sqrt(times * chance * (1 - chance) + 1e-3)
    assert abs(z).max() < 5
    assert abs(z.mean(axis=0)).max() < 5 / np.sqrt(400)


def test_without_recordings_nothing_is_present():
    found = draw_present(np.random.default_rng(1), np.zeros((1, 3)), np.zeros((0, 1), np.int32))
    assert [len(part) for part in found] == [0, 0]
