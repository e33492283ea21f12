"""Priors that are learned: what they make of plain, of rare, of random and of wrongly guessed data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.model.registry import PAIRS

COLUMNS = ["recording", "annotator", "species"]


def from_rows(rows):
    return dc.Annotations.from_frame(pd.DataFrame(rows, columns=COLUMNS), absence="checklist")


def unanimous():
    return from_rows([(f"r{i}", f"a{j}", f"s{k}") for i in range(30) for j in range(3) for k in range(8)])


def quick(annotations, model, priors="learned", **options):
    options = {"seed": 1, "warmup": 300, "draws": 300, "min_ess": None} | options
    return dc.fit(annotations, model, priors=priors, **options)


@pytest.mark.parametrize("model", PAIRS)
@pytest.mark.parametrize("priors", ["default", "learned"])
def test_unanimous_data_are_believed(model, priors):
    """Seeds differ: a chain that starts as if all reports were false would not find out in time."""
    for seed in (0, 4):
        found = quick(unanimous(), model, priors, seed=seed, warmup=100, draws=50).presence()
        assert found["probability"].min() > 0.99


@pytest.mark.parametrize("model", PAIRS)
@pytest.mark.parametrize("priors", ["default", "learned"])
def test_species_that_are_everywhere_do_not_spoil_the_others(model, priors):
    rng, rows = np.random.default_rng(1), []
    present = rng.random((30, 8)) < np.array([1, 1, 1, 0.2, 0.2, 0.2, 0.2, 0.2])
    for i, k in np.argwhere(present):
        rows += [(f"r{i:02}", f"a{j}", f"s{k}") for j in range(3) if k < 3 or rng.random() < 0.85]
    found = quick(from_rows(rows), model, priors).presence().set_index(["recording", "species"])
    reports = pd.DataFrame(rows, columns=COLUMNS).groupby(["recording", "species"]).size()
    assert found["probability"][reports.index[reports >= 2]].mean() > 0.99
    assert found["probability"][reports.index[reports == 3]].min() > 0.99


def test_what_was_learned_is_kept_saved_and_used_for_new_annotators(tmp_path):
    simulation = dc.simulate_paper(recordings=150, annotators=6, species=6, visits=2, seed=2)
    for model in ("base", "base-hierarchical"):
        posterior = quick(simulation.annotations, model)
        posterior.save(tmp_path / f"{model}.nc")
        again = dc.Posterior.load(tmp_path / f"{model}.nc")
        assert again.priors == posterior.priors
        assert 0.003 < again.tree["posterior"]["occurrence_mean"].mean() < 0.2
        new = from_rows([("new", "nobody", "s1"), ("new", "nobody", "s2")])
        chance = again.predict(new, seed=1).set_index("species")["probability"]
        assert 0 < chance["s1"] < 1


def test_priors_that_are_learned_refuse_what_they_cannot_do():
    with pytest.raises(dc.AnnotationError, match="polya-gamma"):
        quick(unanimous(), "base-hierarchical", update="polya-gamma")
    for wrong in ({"centre": 1}, {"width": 0}, {"strength": -1}, {"factor": 1}):
        with pytest.raises(dc.AnnotationError, match="no possible prior"):
            dc.LearnedBeta(**({"centre": 0.1} | wrong))
    for wrong in ({"centre": np.nan}, {"width": 0}, {"spread": 0}, {"uneven": -1}):
        with pytest.raises(dc.AnnotationError, match="no possible prior"):
            dc.LearnedNormal(**({"centre": 0.0} | wrong))


def covered(table, truth, name, by):
    """Give which intervals hold the truth, and the table of both."""
    both = table.merge(truth, on=by, suffixes=("", "_true"))
    return both[f"{name}_true"].between(both[f"{name}_lower"], both[f"{name}_upper"]), both


def test_intervals_of_rare_species_hold_the_truth():
    simulation = dc.simulate_paper(species=60, occurrence=(0.3, 30.0), seed=1)
    posterior = quick(simulation.annotations, "base")
    held, both = covered(posterior.species(level=0.9), simulation.truth.species, "occurrence", "species")
    rare = both["occurrence_true"] < 0.01
    assert rare.sum() > 30
    assert held[rare].mean() > 0.85


def with_spammer(annotations, seed):
    """Give annotations of which the first annotator reports every species in a fifth of the recordings."""
    rng, rows, a = np.random.default_rng(seed), [], annotations
    for visit in range(a.n_visits):
        recording, j = a.recordings.index[a.visit_recording[visit]], a.visit_annotator[visit]
        said = set(a.reports.row(visit).tolist())
        for k in range(a.n_species):
            there = rng.random() < 0.2 if j == 0 else k in said
            rows.append((recording, a.annotators.index[j], a.species.index[k], int(there)))
    return dc.Annotations.from_frame(pd.DataFrame(rows, columns=[*COLUMNS, "present"]), absence="explicit")


@pytest.mark.parametrize(
    ("priors", "data_sets"),
    [("default", 3), pytest.param("default", 8, marks=pytest.mark.slow), ("learned", 2)],
)
def test_a_spammer_does_not_blind_the_model_to_others(priors, data_sets):
    shares = []
    for seed in range(data_sets):
        simulation = dc.simulate_paper(3, recordings=400, annotators=10, species=25, visits=3, seed=seed)
        posterior = quick(with_spammer(simulation.annotations, seed), "base-hierarchical", priors, chains=2)
        truth, by = simulation.truth.annotator_species, ["annotator", "species"]
        held, both = covered(posterior.annotator_species(level=0.9), truth, "fpr", by)
        spammer = simulation.annotations.annotators.index[0]
        shares.append(held[both["annotator"] != spammer].mean())
    assert np.mean(shares) > 0.85


@pytest.mark.slow
@pytest.mark.parametrize("model", ["base", "base-hierarchical"])
@pytest.mark.parametrize("make", [dc.Priors.default, dc.Priors.learning])
def test_guesses_may_be_wrong_by_a_factor_of_ten(make, model):
    simulation = dc.simulate_paper(3 if model == "base-hierarchical" else 1, seed=1)
    right = {"species_per_recording": 0.5, "tpr": 0.8, "fpr": 0.005}
    found = []
    guesses = {"species_per_recording": (0.05, 5), "fpr": (0.0005, 0.05), "tpr": (0.8,)}
    for wrong in ({name: value} for name, values in guesses.items() for value in values):
        priors = make(n_species=25, **(right | wrong))
        found.append(dc.evaluate(quick(simulation.annotations, model, priors), simulation.truth).auc)
    assert max(found) - min(found) < 0.002


@pytest.mark.parametrize("make", [dc.Priors.default, dc.Priors.expecting])
def test_a_guess_that_is_far_too_small_does_not_turn_absent_into_present(make):
    """Fewer trials than one expects to see a false report in once made a prior from 0 to 1 of it."""
    simulation = dc.simulate_paper(3, recordings=200, visits=2.4, seed=1)
    priors = make(n_species=25, species_per_recording=0.5, fpr=0.0005)
    assert priors.fpr_level.quantiles(0.95) < 0.005
    found = dc.evaluate(
        quick(simulation.annotations, "base-hierarchical", priors, chains=2), simulation.truth
    )
    assert found.auc > 0.95


@pytest.mark.parametrize("model", ["base", "base-hierarchical"])
def test_false_positive_rates_are_found_from_a_guess_ten_times_too_large(model):
    simulation = dc.simulate_paper(3 if model == "base-hierarchical" else 1, visits=2.4, seed=2)
    priors = dc.Priors.default(n_species=25, species_per_recording=0.5, fpr=0.05)
    posterior, by = quick(simulation.annotations, model, priors, chains=2), ["annotator"]
    table, truth = posterior.annotators(level=0.95), simulation.truth.annotators
    if model == "base-hierarchical":
        table, truth = posterior.annotator_species(level=0.95), simulation.truth.annotator_species
        by = ["annotator", "species"]
    held, _ = covered(table, truth, "fpr", by)
    assert held.mean() > 0.88
    assert dc.Priors.default(n_species=25, fpr=0.01).fpr == dc.Beta.around(0.01, 100)


@pytest.mark.parametrize(("guess", "strength"), [(0.0005, 100), (0.01, 3), (0.999, 10), (0.5, 0.1)])
def test_levels_are_never_less_sure_than_one_success_and_one_failure(guess, strength):
    priors = dc.Priors.expecting(n_species=5, tpr=guess, tpr_strength=strength, fpr=0.0001)
    assert priors.tpr_level.mean == pytest.approx(np.log(guess / (1 - guess)))
    assert priors.tpr_level.sd <= np.pi / np.sqrt(3) + 1e-9
    sure = dc.Priors.expecting(n_species=5, tpr=0.8, tpr_strength=10)
    assert sure.tpr_level == dc.Beta(8, 2).on_logits()


@pytest.mark.parametrize("priors", [None, "default"])
def test_with_communities_occurrence_is_learned_only_if_asked_for(priors):
    """What is learned of it and the number of communities depend on each other: chains would not agree."""
    annotations = dc.simulate_paper(recordings=30, annotators=4, species=6, seed=1).annotations
    short = {"warmup": 5, "draws": 5, "min_ess": None, "chains": 2}
    for model in ("bmm", "dp-bmm-hierarchical"):
        found = dc.fit(annotations, model, priors=priors, **short).priors
        assert isinstance(found["occurrence"], dc.Beta)
        assert any(isinstance(prior, dc.LearnedBeta | dc.LearnedNormal) for prior in found.values())
    assert isinstance(
        dc.fit(annotations, "bmm", priors="learned", **short).priors["occurrence"], dc.LearnedBeta
    )
    assert isinstance(
        dc.fit(annotations, "base", priors=priors, **short).priors["occurrence"], dc.LearnedBeta
    )
