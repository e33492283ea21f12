"""Probabilities of reported cells, averaged while sampling, and their error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import dawnchorus as dc
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.cells import predict_cells
from dawnchorus.sampling import presence_means
from dawnchorus.sampling.presence_means import BATCH, PresenceMeans, pooled_presence


def taken_in(values) -> PresenceMeans:
    means = PresenceMeans(values.shape[1])
    for row in values:
        means.add(row)
    return means


def test_means_and_errors_are_those_of_batches():
    rng = np.random.default_rng(1)
    chains = [rng.random((n, 3)) for n in (7 * BATCH + 3, 7 * BATCH + 3)]
    found = pooled_presence([taken_in(values) for values in chains])
    assert found.sweeps == sum(map(len, chains))
    assert np.allclose(found.probability, np.concatenate(chains).mean(axis=0))
    batches = np.concatenate([values[: 7 * BATCH].reshape(7, BATCH, 3).mean(axis=1) for values in chains])
    assert np.allclose(found.mcse, batches.std(axis=0, ddof=1) / np.sqrt(len(batches)))


@pytest.mark.parametrize("r", [0.0, 0.8])
def test_the_error_is_about_right_for_draws_that_depend_on_each_other(r):
    rng, n, chains = np.random.default_rng(2), 20 * BATCH, 4
    means, errors = [], []
    for _ in range(60):
        values = lfilter([1], [1, -r], rng.normal(size=(chains, n + 200, 5)), axis=1)[:, 200:]
        found = pooled_presence([taken_in(chain) for chain in values])
        means.append(found.probability)
        errors.append(found.mcse)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(means), rel=0.15)


def test_chains_that_disagree_show():
    apart = [taken_in(np.full((3 * BATCH, 1), value)) for value in (0.2, 0.8)]
    assert pooled_presence(apart).mcse[0] > 0.1


@pytest.mark.parametrize("model", ["base-hierarchical", "dp-bmm"])
def test_the_worst_cell_is_found_without_a_look_at_all_others(model, monkeypatch):
    annotations = dc.simulate_portal(150, 6, 8, visits=1.8, sites=3, seed=4).annotations
    posterior = dc.fit(annotations, model, seed=2, draws=400, warmup=100, chains=2, min_ess=None)
    draws, sampled = posterior.draws, posterior.model
    design = sampled.design(annotations)
    votes, cells = votes_of(annotations, design.marks, None, design.scores), design.layout.reported.cells
    parameters = sampled.parameters(draws.at(draws.places()), draws.chains, design)
    predicted = np.concatenate([b.mcse for b in predict_cells(votes, design.pairs, parameters, cells)])
    looked_at = []

    def counted(votes, pairs, parameters, wanted):
        looked_at.append(len(wanted.item))
        return predict_cells(votes, pairs, parameters, wanted)

    monkeypatch.setattr(presence_means, "FIRST", 5)
    monkeypatch.setattr(presence_means, "predict_cells", counted)
    for seed in range(5):
        first = np.exp(np.random.default_rng(seed).normal(np.log(predicted.mean()), 1.0, len(predicted)))
        first[:seed] = np.nan
        every, found = np.fmin(first, predicted), first.copy()
        looked_at.clear()
        presence_means.lower_where_worst(found, draws, sampled, design)
        assert np.argmax(found) == np.argmax(every)
        assert found.max() == every.max()
        assert 0 < sum(looked_at) < len(first)


def test_too_few_sweeps_say_nothing_of_the_error():
    found = pooled_presence([taken_in(np.full((5, 2), 0.25))])
    assert found.probability.tolist() == [0.25, 0.25]
    assert np.isnan(found.mcse).all()


def test_a_fit_goes_on_until_probabilities_are_known():
    annotations = dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations
    loose = dc.fit(annotations, "base", priors="given", seed=2, max_mcse=1.0)
    tight = dc.fit(annotations, "base", priors="given", seed=2, max_mcse=0.004)
    assert loose.diagnostics.max_mcse > 0.004 >= tight.diagnostics.max_mcse
    assert tight.record["sweeps"] > loose.record["sweeps"]
    presence = tight.presence(mcse=True)
    assert presence["mcse"][presence["reports"] > 0].max() <= 0.004 + 1e-9
    longer = dc.fit(annotations, "base", priors="given", seed=9, max_mcse=0.002, max_sweeps=40_000)
    error = (presence["probability"] - longer.presence()["probability"]).abs()
    assert error.max() < 4 * 0.0045
    with pytest.warns(dc.ConvergenceWarning, match="Probabilities are known to"):
        short = dc.fit(annotations, "base", priors="given", seed=2, max_mcse=0.001, max_sweeps=1500)
    assert " in " in short.diagnostics.worst_mcse


@pytest.mark.parametrize("model", ["base", "base-hierarchical", "dp-bmm"])
def test_both_estimates_agree(model):
    annotations = dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations
    posterior = dc.fit(annotations, model, priors="given", seed=3, draws=800, warmup=200, min_ess=None)
    design, while_sampling = posterior.design, posterior.reported
    blocks = predict_cells(
        votes_of(annotations), design.pairs, posterior.parameters(), design.layout.reported.cells
    )
    from_draws = np.concatenate([block.probability for block in blocks])
    between = np.abs(from_draws - while_sampling.probability)
    unsure = (while_sampling.probability > 0.05) & (while_sampling.probability < 0.95)
    assert unsure.sum() > 20
    assert between[unsure].mean() < 0.004


def test_the_estimate_with_the_smaller_error_counts():
    annotations = dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations
    posterior = dc.fit(annotations, "base", seed=2, draws=50, warmup=100, min_ess=None, thin=8)
    reported = posterior.presence(mcse=True).query("reports > 0")
    cells = posterior.design.layout.reported.cells
    place = cells.find(
        annotations.recordings.index.get_indexer(reported["recording"]),
        annotations.species.index.get_indexer(reported["species"]),
    )
    means = posterior.reported
    assert means.sweeps == 4 * 50 * 8
    assert (reported["mcse"].to_numpy() <= means.mcse[place] + 1e-9).all()
    taken = np.isclose(reported["probability"], means.probability[place], atol=1e-7)
    assert taken.mean() > 0.5


def test_a_fit_that_stops_short_states_the_error_that_it_has():
    annotations = dc.simulate_paper(recordings=80, visits=2, seed=1).annotations
    short = dc.fit(annotations, "base", draws=20, warmup=20, max_sweeps=60, allow_unconverged=True, seed=1)
    table = short.presence(mcse=True)
    assert not short.diagnostics.converged
    assert short.diagnostics.max_mcse == pytest.approx(table.loc[table["reports"] > 0, "mcse"].max())
    assert short.diagnostics.worst_mcse
    least = dc.fit(annotations, "base", draws=1, warmup=1, min_ess=None, chains=1, seed=1)
    assert np.isnan(least.diagnostics.max_mcse)
    assert not least.diagnostics.converged
