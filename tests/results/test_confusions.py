"""Confusions of species: counts against loops, exact p-values, few false discoveries, and power."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import dawnchorus as dc
from dawnchorus.results.findings import confusions as module
from dawnchorus.results.findings.confusions import Strata

SHORT = {"chains": 2, "warmup": 200, "draws": 200, "min_ess": None, "seed": 1}


def found(simulation, model="base", **options):
    return dc.fit(simulation.annotations, model, **SHORT).findings.confusions(**options)


def log_odds_by_others(posterior, visit, k):
    """The log-odds of species k in the recording of a visit by the votes of other visits, vote by vote."""
    a, rates = posterior.annotations, posterior.findings.mean_rates
    occurrence = posterior.draws.mean("occurrence")[k]
    total = math.log(occurrence / (1 - occurrence))
    for other in a.visits_by_recording.row(a.visit_recording[visit]):
        species, vote = a.visit_votes(other)
        if other == visit or k not in species:
            continue
        rate = posterior.design.rates_at(a.visit_annotator[[other]], np.array([k]))[0]
        tpr, fpr = rates["tpr"][rate], rates["fpr"][rate]
        said = vote[species == k][0]
        total += math.log(tpr / fpr) if said else math.log((1 - tpr) / (1 - fpr))
    return total


@pytest.mark.parametrize("model", ["base", "base-hierarchical", "dp-bmm"])
def test_confusions_are_counted_visit_by_visit(model):
    a = dc.simulate_portal(90, 5, 7, visits=3, sites=3, present_species=2, confusion=0.3, seed=4).annotations
    posterior = dc.fit(a, model, **SHORT)
    strata = {}
    for visit in range(a.n_visits):
        species, vote = a.visit_votes(visit)
        others = {k: log_odds_by_others(posterior, visit, k) for k in species}
        against = [k for k, said in zip(species, vote, strict=True) if said and others[k] < 0]
        for k, said in zip(species, vote, strict=True):
            reported = a.report_counts()[a.visit_recording[visit], k] > 0
            if reported and others[k] >= math.log(0.9 / 0.1):
                for wrong in range(a.n_species):
                    row = strata.setdefault((k, wrong, a.visit_annotator[visit]), [0, 0, 0, 0])
                    here = wrong in against
                    row[:] = np.add(row, [1, 1 - said, here, here and not said])
    wanted = {key: tuple(map(int, row)) for key, row in strata.items() if row[2]}
    rates = posterior.findings.mean_rates
    votes = module.votes_on_reported(
        posterior.design, **rates, unsure=0.0, occurrence=posterior.draws.mean("occurrence")
    )
    species, reported, counted = module._strata(a, module.meetings(a, votes), module.sure_visits(a, votes))
    pairs = list(zip(species.tolist(), reported.tolist(), strict=True))
    rows = [tuple(map(int, row)) for row in zip(*counted[1:], strict=True)]
    assert [pairs[p] for p in counted.pair] == [key[:2] for key in sorted(wanted)]
    assert rows == [wanted[key] for key in sorted(wanted)]
    assert len(rows) > 10


def test_the_p_value_is_that_of_shuffled_silences():
    """Every way to place each annotator's silences is as probable as any other, without confusion."""
    strata = Strata(
        *np.array([[0, 5, 2, 3, 2], [0, 4, 3, 2, 2], [0, 3, 1, 1, 0]]).T
    )  # pair, visits, silent, against, both
    sums = []
    for silent in itertools.product(
        *(itertools.combinations(range(n), m) for n, m in zip(strata.visits, strata.silent, strict=True))
    ):
        sums.append(sum(sum(v < r for v in s) for s, r in zip(silent, strata.against, strict=True)))
    least, probability = module._null_distribution(strata)
    wanted = np.bincount(sums) / len(sums)
    assert np.allclose(probability, wanted[least:])
    assert module._tail(least, probability, 4) == pytest.approx(np.mean(np.array(sums) >= 4))
    smallest = module._smallest_p(strata, 1)
    assert smallest == pytest.approx(np.mean(np.array(sums) == max(sums)))


def test_the_interval_of_odds_is_fishers():
    table = np.array([[8, 3], [4, 15]])  # of one annotator: silent or not × against others or not
    strata = Strata(*np.array([[0, 30, 12, 11, 8]]).T)
    odds, low, high = module._odds(*module._null_distribution(strata), 8, 0.1)
    exact = stats.contingency.odds_ratio(table)
    assert odds == pytest.approx(exact.statistic)
    assert (low, high) == pytest.approx(tuple(exact.confidence_interval(0.9)))


def test_pairs_that_could_never_be_found_do_not_count():
    smallest = np.array([1e-6, 0.004, 0.02, 0.4, 0.9, 1.0])
    assert module._testable(smallest, 0.05).tolist() == [0, 1]  # at most 3 with p ≤ 0.05 / 3
    assert module._testable(np.array([]), 0.05).tolist() == []
    assert module._q_values(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.04, 0.04])


def without_confusion(seed):
    """Data in which nobody takes a species for another: of portals, and with species that go together."""
    portal = {"sites": 4, "seed": seed}
    yield dc.simulate_portal(400, 10, 25, visits=2.5, false_reports=0.5, **portal)
    yield dc.simulate_portal(400, 8, 20, visits=5, false_reports=1, present_species=4, **portal)
    yield dc.simulate_paper(2, visits=4, recordings=500, fpr_range=(0.01, 0.05), seed=seed)
    yield dc.simulate_paper(
        4, visits=4, recordings=500, fpr_range=(0.01, 0.05), occurrence=(4, 40), seed=seed
    )


def test_without_confusion_none_is_found_but_by_chance():
    sets = [simulation for seed in range(3) for simulation in without_confusion(seed)]
    pairs = [len(found(simulation)) for simulation in sets]
    assert np.count_nonzero(pairs) <= 2  # of 12, with at most 5 % each: three have a probability of 2 %
    assert sum(pairs) <= 3


@pytest.mark.slow
def test_false_discoveries_are_as_rare_as_promised():
    """Where every discovery is false, their rate is the share of data sets with any."""
    wrong = [
        len(found(simulation, model)) > 0
        for model, seeds in {"base": range(100, 140), "base-hierarchical": range(140, 150)}.items()
        for seed in seeds
        for simulation in without_confusion(seed)
    ]
    assert stats.binomtest(sum(wrong), len(wrong), 0.05, alternative="greater").pvalue > 0.01


def true_and_false(simulation, table):
    """How many pairs are look-alikes, how many are not."""
    place = simulation.annotations.species.index.get_indexer
    alike = place(table["species"]) ^ 1 == place(table["reported"])
    return np.count_nonzero(alike), np.count_nonzero(~alike)


def test_confusion_is_found():
    simulation = dc.simulate_portal(600, 20, 30, visits=3, sites=8, confusion=0.2, seed=1)
    table = found(simulation, "base-hierarchical")
    right, wrong = true_and_false(simulation, table)
    assert right >= 8
    assert wrong <= 1
    assert (table["times"] > table["chance"]).all()
    assert (table["times"] <= table["visits"]).all()
    assert (table["odds_lower"] > 1).all()
    assert (table["odds_lower"] < table["odds"]).all()
    assert (table["q_value"] <= 0.05).all()
    assert len(found(simulation, "base-hierarchical", false_discovery_rate=0.2)) >= len(table)
    wide = found(simulation, "base-hierarchical", level=0.99)
    assert (wide["odds_lower"] < table["odds_lower"]).all()
    with pytest.raises(dc.AnnotationError, match="false_discovery_rate is 5"):
        found(simulation, false_discovery_rate=5)


@pytest.mark.slow
def test_confusion_is_found_in_many_data_sets_and_rarely_the_wrong_one():
    totals = np.zeros(2)
    for seed, confusion in itertools.product(range(10), (0.1, 0.25)):
        simulation = dc.simulate_portal(
            600, 20, 30, visits=3, sites=8, false_reports=0.3, confusion=confusion, seed=seed
        )
        totals += true_and_false(simulation, found(simulation))
    assert totals[0] >= 100
    assert totals[1] / totals.sum() <= 0.05
