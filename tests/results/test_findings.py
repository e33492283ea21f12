"""Findings against loops over every vote, and the report's words about them."""

from __future__ import annotations

import numpy as np
import pytest

import dawnchorus as dc
from dawnchorus.results.findings.information import expected_information

SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def annotations():
    return dc.simulate_portal(90, 6, 7, visits=1.8, sites=3, seed=4).annotations


@pytest.fixture(scope="module", params=["base", "base-hierarchical", "dp-bmm"])
def posterior(request, annotations):
    return dc.fit(annotations, request.param, **SHORT)


@pytest.fixture(scope="module")
def grid(posterior):
    """Probabilities, recordings × species, as the table of presence has them."""
    a = posterior.annotations
    return posterior.presence()["probability"].to_numpy().reshape(a.n_recordings, a.n_species)


def test_what_was_met_and_found_is_counted_vote_by_vote(posterior, grid):
    a, found = posterior.annotations, posterior.findings
    met, right = np.zeros((a.n_annotators, a.n_species)), np.zeros((a.n_annotators, a.n_species))
    for visit in range(a.n_visits):
        i, j = a.visit_recording[visit], a.visit_annotator[visit]
        species, vote = a.visit_votes(visit)
        for k, said in zip(species, vote, strict=True):
            met[j, k] += grid[i, k]
            right[j, k] += grid[i, k] * said
    assert np.allclose(found.met, met)
    assert np.allclose(found.found, right)
    table = found.species()
    reports = np.bincount(a.reports.item, minlength=a.n_species)
    assert np.allclose(table["believed"][reports > 0], right.sum(0)[reports > 0] / reports[reports > 0])
    often = met.sum(0) >= 1
    assert np.allclose(table["missed"][often], 1 - right.sum(0)[often] / met.sum(0)[often])
    assert table["missed"][~often].isna().all()
    assert np.allclose(table["recordings_expected"], grid.sum(0))


def test_the_majority_is_overruled_where_probability_and_votes_disagree(posterior, grid):
    a = posterior.annotations
    votes, reports = a.vote_counts().toarray(), a.report_counts().toarray()
    with np.errstate(invalid="ignore"):
        share = reports / votes
    wanted = ((share > 0.5) & (grid < 0.5)) | ((share < 0.5) & (grid > 0.5))
    table = posterior.findings.overruled()
    cells = zip(
        a.recordings.index.get_indexer(table["recording"]),
        a.species.index.get_indexer(table["species"]),
        strict=True,
    )
    assert sorted(cells) == sorted(zip(*np.nonzero(wanted), strict=True))
    assert (table["majority"] == table["reports"] / table["votes"]).all()
    assert len(posterior.findings.overruled(level=0.5)) == len(table)
    half, columns = posterior.presence(level=0.5), ["recording", "species", "probability_lower"]
    every = posterior.findings.labelled(np.arange(len(half)), level=0.5)
    assert every[columns].equals(half[columns])
    with pytest.raises(dc.AnnotationError, match="level"):
        posterior.findings.overruled(level=2)


def test_votes_on_a_cell_come_with_the_rates_they_depend_on(posterior):
    a, found = posterior.annotations, posterior.findings
    rates = posterior.parameters()
    seen = 0
    for i in range(a.n_recordings):
        for k in range(a.n_species):
            votes = found.who_voted(a.recordings.index[i], a.species.index[k])
            assert sum(vote.present for vote in votes) == a.report_counts()[i, k]
            assert len(votes) == a.vote_counts()[i, k]
            for vote in votes:
                j = a.annotators.index.get_loc(vote.annotator)
                rate = posterior.design.rates_at(np.array([j]), np.array([k]))[0]
                assert vote.tpr == pytest.approx(rates.tpr[:, rate].mean(), rel=1e-5)
                assert vote.fpr == pytest.approx(rates.fpr[:, rate].mean(), rel=1e-5)
                seen += 1
    assert seen == a.n_votes
    cells = np.array([[3, 0], [1, 2], [3, 0], [0, 1]])
    assert found.votes_on(*cells.T) == [
        found.who_voted(a.recordings.index[i], a.species.index[k]) for i, k in cells
    ]
    assert found.votes_on(*cells[:0].T) == []


def test_information_is_what_a_vote_tells_on_average():
    rng = np.random.default_rng(1)
    for _ in range(20):
        p, tpr, fpr = rng.uniform(0.01, 0.99, 3)
        joint = np.array([[p * tpr, p * (1 - tpr)], [(1 - p) * fpr, (1 - p) * (1 - fpr)]])
        independent = np.outer(joint.sum(1), joint.sum(0))
        wanted = (joint * np.log2(joint / independent)).sum()
        assert expected_information(p, tpr, fpr) == pytest.approx(wanted)


def test_the_next_visitor_is_like_those_so_far(posterior, grid):
    a = posterior.annotations
    tpr, fpr, answered = posterior.findings.typical_rates
    answers = np.zeros(a.n_species)
    for visit in range(a.n_visits):
        answers[a.visit_votes(visit)[0]] += 1  # a mark of unsure answers nothing
    assert len(a.unsure.item)
    assert np.allclose(answered, answers / a.n_visits)
    bits = expected_information(grid, tpr, fpr) * answered
    assert np.allclose(posterior.findings.recordings()["information"], bits.sum(axis=1))


def test_species_correlation_is_that_of_simulated_presence():
    a = dc.simulate_paper(2, recordings=80, species=5, co_occurring=2, visits=3, seed=1).annotations
    posterior = dc.fit(a, "dp-bmm", priors="given", **SHORT)
    found = posterior.findings.species_correlation().to_numpy()
    assert np.allclose(np.diag(found), 1)
    assert np.allclose(found, found.T)
    p, rng = posterior.parameters(most=40), np.random.default_rng(1)
    simulated = []
    for weight, occurrence in zip(p.weight, np.nan_to_num(p.occurrence), strict=True):
        group = rng.choice(len(weight), 20_000, p=weight / weight.sum())
        simulated.append(np.corrcoef((rng.random((20_000, 5)) < occurrence[group]).T))
    assert np.allclose(found, np.mean(simulated, axis=0), atol=0.05)
