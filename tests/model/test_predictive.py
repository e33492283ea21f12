"""Presence over every draw: against loops, exact answers and all draws; and the error that is stated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import dawnchorus as dc
import exact
import joint
import naive
from dawnchorus.annotations.known import KnownCells
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.design import Design
from dawnchorus.model.predictive import cells as predictive
from dawnchorus.model.predictive import vote_ratios
from dawnchorus.model.predictive.cell_votes import votes_of
from dawnchorus.model.predictive.cells import Cells, first_draws, predict_cells
from dawnchorus.model.predictive.likelihood import log_likelihood
from dawnchorus.model.predictive.likely_cells import LikelyCells
from dawnchorus.model.predictive.parameters import Parameters
from dawnchorus.model.predictive.summaries import summarise

CHAINS, DRAWS = 2, 40


@pytest.fixture(scope="module")
def wild() -> dc.Annotations:
    """Scopes that overlap in part, unsure marks, a recording without visits, a visit with an empty scope."""
    rng = np.random.default_rng(5)
    scopes = {"Aino": "abcd", "Onni": "cdef", "Helmi": "a", "Eino": "abcdef", "once": "bdf"}
    rows = []
    for i in range(25):
        for name in rng.choice(["Aino", "Onni", "Helmi", "Eino"], rng.integers(1, 5), replace=False):
            rows.append((f"r{i:02d}", name, "", None))
            for k in scopes[name]:
                if rng.random() < 0.3:
                    rows.append((f"r{i:02d}", name, k, [1, None, 1][rng.integers(3)]))
    rows += [("r03", "once", "b", 1), ("r04", "nobody", "", None), ("empty scope", "nobody", "", None)]
    rows += [("r05", "doubts everything", k, None) for k in "af"]
    scope = [(name, k) for name, species in scopes.items() for k in species]
    with pytest.warns(dc.AnnotationWarning, match="no row in the scope table"):
        return dc.Annotations.from_frame(
            pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"]).astype(
                {"present": "Int8"}
            ),
            absence="scope",
            scope=pd.DataFrame([*scope, ("doubts everything", "a")], columns=["annotator", "species"]),
            recordings=pd.DataFrame({"recording": ["r00", "never visited", "r01"]}),
            species=pd.DataFrame({"species": ["a", "unheard of"]}),
        )


def made_up(design, components, n_draws=CHAINS * DRAWS, seed=1, dtype=float):
    """Give draws out of the air; some of the draws have fewer components."""
    rng = np.random.default_rng(seed)
    number = np.full(n_draws, components)
    number[::3] = max(components - 1, 1)
    weight = rng.dirichlet(np.ones(components), n_draws) * (np.arange(components) < number[:, None])
    occurrence = rng.beta(0.5, 1.5, (n_draws, components, design.annotations.n_species))
    occurrence[np.arange(components)[None] >= number[:, None]] = np.nan
    tpr, fpr = rng.beta(5, 2, (n_draws, design.n_rates)), rng.beta(1, 9, (n_draws, design.n_rates))
    weight /= weight.sum(axis=1, keepdims=True)
    # Laid out as those of a fit are, for which kernels are compiled anyway.
    tpr, fpr, occurrence = (np.asarray(part, dtype, order="F") for part in (tpr, fpr, occurrence))
    return Parameters(tpr, fpr, number, weight, occurrence, CHAINS)


def predicted(design, parameters, wanted=None, **options) -> Cells:
    blocks = list(predict_cells(votes_of(design.annotations), design.pairs, parameters, wanted, **options))
    return Cells(*(np.concatenate(part) for part in zip(*blocks, strict=True)))


def by_loops(design, parameters, occurrence=None):
    rates_at = design.rates_at if design.by_species else None
    return naive.cell_draws(design.annotations.to_cube(), rates_at, parameters, occurrence)


@pytest.mark.parametrize("faint", [(), ("faintness",), ("deception",), ("faintness", "deception")])
@pytest.mark.parametrize("by_species", [False, True])
@pytest.mark.parametrize("components", [1, 3])
def test_cells_and_likelihood_against_loops(wild, by_species, components, faint):
    design, n = Design(wild, by_species=by_species), CHAINS * (10 if faint else DRAWS)  # loops are slow
    parameters = made_up(design, components, n)
    for seed, name in enumerate(faint):
        spread = np.random.default_rng(2 + seed).uniform(0.1, 4, n)
        parameters = parameters._replace(**{name: spread})
    found = predicted(design, parameters, level=0.8)
    draws, likelihood = by_loops(design, parameters)
    flat = draws.reshape(-1, n)
    assert found.recording.tolist() == np.repeat(np.arange(wild.n_recordings), wild.n_species).tolist()
    assert found.species.tolist() == np.tile(np.arange(wild.n_species), wild.n_recordings).tolist()
    ordered = np.sort(flat, axis=1)
    off = 2e-4 if faint else 1e-6  # a table has the loudness of average birds
    assert np.allclose(found.probability, flat.mean(axis=1), atol=off)
    assert np.allclose(found.lower, ordered[:, round(0.1 * (n - 1))], atol=10 * off)
    assert np.allclose(found.upper, ordered[:, round(0.9 * (n - 1))], atol=10 * off)
    errors = [naive.monte_carlo_error(row.reshape(CHAINS, -1)) for row in flat]
    assert np.allclose(found.mcse, errors, rtol=1e-3, atol=off / 10)
    likely = log_likelihood(votes_of(wild), design.pairs, parameters)
    assert np.allclose(likely, likelihood, atol=10 * off)
    unvisited = wild.recordings.index.get_loc("never visited")
    assert np.abs(likely[unvisited]).max() < 1e-12


@pytest.mark.parametrize("known_as", ["truth", "expert"])
@pytest.mark.parametrize("faint", [False, True])
@pytest.mark.parametrize("components", [1, 3])
def test_known_cells_against_loops(wild, components, faint, known_as):
    rng, n = np.random.default_rng(3), 10
    cells = {
        (int(i), int(k)): bool(rng.random() < 0.5)
        for i, k in rng.permutation([*np.ndindex(wild.n_recordings, wild.n_species)])[:60]
    }
    unvisited = wild.recordings.index.get_loc("never visited")
    cells |= {(unvisited, 0): True, (unvisited, 1): False}
    recording, species = np.array([*cells]).T
    present = np.array([*cells.values()])
    known = KnownCells.of(recording, species, present, rows=wild.n_recordings, known_as=known_as)
    design = Design(wild, by_species=True, known=known)
    parameters = made_up(design, components, n)
    if known_as == "expert":
        parameters = parameters._replace(known=np.array([rng.beta(9, 2, n), rng.beta(2, 9, n)]))
    if faint:
        parameters = parameters._replace(faintness=rng.uniform(0.1, 4, n))
    draws, likelihood = naive.cell_draws(wild.to_cube(), design.rates_at, parameters, known=cells)
    votes = votes_of(wild, known=known)
    blocks = list(predict_cells(votes, design.pairs, parameters))
    found = Cells(*(np.concatenate(part) for part in zip(*blocks, strict=True)))
    off = 2e-4 if faint else 1e-6
    assert np.allclose(found.probability, draws.reshape(-1, n).mean(axis=1), atol=off)
    assert np.allclose(log_likelihood(votes, design.pairs, parameters), likelihood, atol=10 * off)
    if known_as == "truth":
        state = known.at(found.recording, found.species)
        assert (found.probability[state == 2] == 1).all()
        assert (found.probability[state == 1] == 0).all()
        assert (found.mcse[state > 0] == 0).all()
    listed = LikelyCells(votes, design.pairs, parameters, 0.9).of(0, wild.n_recordings)
    assert listed.contains(recording, species).all()


@pytest.mark.parametrize("by_species", [False, True])
@pytest.mark.parametrize("components", [1, 3])
def test_few_draws_first_and_all_where_it_matters(wild, by_species, components, monkeypatch):
    """With single precision, a table for each block, small blocks and chunks, and several threads."""
    design = Design(wild, by_species=by_species)
    parameters = made_up(design, components, 90, dtype=np.float32)
    monkeypatch.setattr(predictive, "FIRST", 32)
    monkeypatch.setattr(predictive, "AIM", 1.0)  # no silent cell needs all draws
    few = predicted(design, parameters, threads=1)
    monkeypatch.setattr(predictive, "FIRST", 10**6)
    everything = predicted(design, parameters)
    draws, _ = by_loops(design, parameters)
    assert np.allclose(everything.probability, draws.mean(axis=2).ravel(), atol=1e-6)
    reported = np.asarray(wild.report_counts().todense()).ravel() > 0
    assert np.array_equal(few.probability[reported], everything.probability[reported])
    monkeypatch.setattr(predictive, "FIRST", 32)
    some = draws[:, :, first_draws(90, CHAINS)].mean(axis=2).ravel()
    assert np.allclose(few.probability[~reported], some[~reported], atol=1e-6)
    for name, value in (("BLOCK", 20), ("VALUES", 1500)):
        monkeypatch.setattr(predictive, name, value)
    monkeypatch.setattr(vote_ratios, "TABLE", 0)
    monkeypatch.setattr(predictive, "TABLE", 1 << 14)
    monkeypatch.setattr(predictive, "FIRST", 10**6)
    done = []
    again = predicted(design, parameters, threads=3, progress=lambda *given: done.append(given))
    for one, other in zip(everything, again, strict=True):
        assert np.array_equal(one, other)
    assert done == sorted(done)
    assert done[-1] == (wild.n_recordings, wild.n_recordings)
    assert len(done) > 5
    monkeypatch.setattr(predictive, "FIRST", 32)
    monkeypatch.setattr(predictive, "AIM", 0.0)  # all silent cells once more
    assert np.array_equal(predicted(design, parameters).probability, everything.probability)


@pytest.mark.parametrize("components", [1, 2])
def test_listed_cells_are_the_same_as_among_all(wild, components):
    design = Design(wild, by_species=True)
    parameters = made_up(design, components)
    whole, rng = predicted(design, parameters), np.random.default_rng(1)
    some = np.flatnonzero(rng.random(len(whole.species)) < 0.2)
    wanted = Ragged.from_pairs(whole.recording[some], whole.species[some], rows=wild.n_recordings)
    for one, other in zip(predicted(design, parameters, wanted), whole, strict=True):
        assert np.array_equal(one, other[some])
    nothing = predicted(design, parameters, Ragged.empty(wild.n_recordings))
    assert len(nothing.species) == 0


@pytest.mark.parametrize("components", [1, 2])
def test_occurrence_may_differ_by_recording(wild, components):
    design = Design(wild, by_species=False)
    parameters = made_up(design, components)
    rng = np.random.default_rng(2)
    kinds = rng.beta(1, 2, (len(parameters.tpr), components, 3, wild.n_species)).astype(np.float32)
    context = np.arange(wild.n_recordings) % 3

    class ByContext:
        n_species, most = wild.n_species, 4

        def of(self, first, last):
            """Give only the contexts of the block."""
            here, which = np.unique(context[first:last], return_inverse=True)
            return which, np.ascontiguousarray(kinds[:, :, here])

    parameters = parameters._replace(contexts=ByContext())
    found = predicted(design, parameters)
    draws, likelihood = by_loops(design, parameters, kinds[:, :, context])
    assert np.allclose(found.probability, draws.mean(axis=2).ravel(), atol=1e-6)
    likely = log_likelihood(votes_of(wild), design.pairs, parameters)
    assert np.allclose(likely, likelihood, atol=1e-5)


@pytest.mark.parametrize("by_species", [False, True])
@pytest.mark.parametrize("components", [1, 3])
@pytest.mark.parametrize("least", [0.02, 0.3, 0.9])
def test_no_likely_cell_is_missed(wild, by_species, components, least):
    design = Design(wild, by_species=by_species)
    parameters = made_up(design, components)
    votes, n = votes_of(wild), wild.n_recordings
    likely = LikelyCells(votes, design.pairs, parameters, least)
    listed = likely.of(0, n)
    assert likely.count(block=7) == len(listed.item)
    assert listed.take(np.arange(5, 9)).equals(likely.of(5, 9))
    whole = predicted(design, parameters)
    reported = np.asarray(wild.report_counts().todense()).ravel() > 0
    there = listed.contains(whole.recording, whole.species)
    assert there[reported | (whole.probability >= least)].all()
    assert least < 0.9 or not there.all()


@pytest.mark.parametrize("tpr", [0.8, 1.0])
def test_hundreds_of_votes_on_independent_species(tpr):
    n, since = 300, {"A": 120, "B": 30, "C": 299, "D": 300, "E": 260}
    rows = [("clip", f"a{j:03d}", k, int(j >= first)) for j in range(n) for k, first in since.items()]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    votes = votes_of(dc.Annotations.from_frame(frame, "explicit"))
    occurrence = np.array([[[0.05, 0.3, 0.2, 1.0, 1e-30]]])
    rates = np.full((1, n), tpr), np.full((1, n), 0.3)
    given = Parameters(*rates, np.array([1]), np.ones((1, 1)), occurrence)
    (cells,) = predict_cells(votes, Ragged.empty(0), given)
    reports = n - np.array(list(since.values()))
    inside = min(tpr, 1 - 1e-15)
    logs = [reports * np.log(p) + (n - reports) * np.log1p(-p) for p in (inside, 0.3)]
    with np.errstate(divide="ignore"):
        one, other = np.log(occurrence[0, 0]) + logs[0], np.log1p(-occurrence[0, 0]) + logs[1]
    assert cells.probability == pytest.approx(np.exp(one - np.logaddexp(one, other)), abs=1e-6)
    assert np.isnan(cells.mcse).all()
    found = log_likelihood(votes, Ragged.empty(0), given)
    assert found[0, 0] == pytest.approx(np.logaddexp(one, other).sum(), rel=1e-9)


@pytest.mark.parametrize("model", ["base", "base-hierarchical", "dp-bmm", "dp-bmm-hierarchical"])
def test_silent_cells_keep_the_promise(model, monkeypatch):
    """What few draws give is near what all give: by less than 0.003, and by the error that is stated."""
    annotations = dc.simulate_portal(400, 25, 30, visits=1.6, sites=3, seed=2).annotations
    posterior = dc.fit(annotations, model, warmup=200, draws=500, min_ess=None, seed=1)
    some = predicted(posterior.design, posterior.parameters(most=None))
    monkeypatch.setattr(predictive, "FIRST", 10**9)
    whole = predicted(posterior.design, posterior.parameters(most=None))
    reported = np.asarray(annotations.report_counts().todense()).ravel() > 0
    assert np.array_equal(some.probability[reported], whole.probability[reported])
    averaged = some.probability != whole.probability
    assert averaged.mean() > 0.5
    off = (some.probability - whole.probability)[averaged]
    assert some.mcse[averaged].max() <= predictive.AIM
    assert np.abs(off).max() < 0.003
    known = some.mcse[averaged] > 1e-5
    assert np.sqrt(np.mean((off[known] / some.mcse[averaged][known]) ** 2)) < 1.2


def test_presence_on_tiny_data_is_exact_within_its_error():
    model = joint.MODELS["independent, per annotator"]
    _, cube = exact.tiny_design(model)
    rows = [(f"r{i}", f"a{j}", f"s{k}", cube[i, j, k]) for i, j, k in np.argwhere(cube >= 0)]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    annotations = dc.Annotations.from_frame(frame, absence="explicit")
    wanted = exact.exact_means(model, cube)["presence"]
    priors = replace(
        dc.Priors.expecting(n_species=2),
        occurrence=model.occurrence.prior,
        tpr=model.expertise.tpr,
        fpr=model.expertise.fpr,
    )
    posterior = dc.fit(annotations, "base", priors=priors, warmup=100, draws=10_000, min_ess=None, seed=1)
    (cells, _), *_ = posterior.cells()
    voted = (cube >= 0).any(axis=1).ravel()
    assert cells.mcse.max() < 0.004
    assert (np.abs(cells.probability - wanted.ravel()) < 4.5 * cells.mcse)[voted].all()


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_error_of_correlated_draws(rho):
    """It is that of theory and of ArviZ, or somewhat more."""
    rng = np.random.default_rng(1)
    chains, length, n = 4, 1000, 300
    x = rng.normal(size=(length, n, chains))
    for t in range(1, length):
        x[t] = rho * x[t - 1] + np.sqrt(1 - rho**2) * x[t]
    values = (0.5 + 0.05 * x).transpose(1, 2, 0)
    found = summarise(values.reshape(n, -1).astype(np.float32), chains, 0.9)[3]
    true = 0.05 * np.sqrt((1 + rho) / (1 - rho) / (chains * length))
    assert 0.98 < np.sqrt(np.mean(found**2)) / true < 1.2
    assert np.std(found / true) < 0.25
    actual = values.mean(axis=(1, 2)) - 0.5
    assert np.std(actual / found) < 1.1


def test_the_error_beside_that_of_arviz():
    arviz_stats = pytest.importorskip("arviz_stats")
    annotations = dc.simulate_portal(60, 6, 7, visits=1.8, sites=3, seed=4).annotations
    posterior = dc.fit(annotations, "base", warmup=200, draws=1000, min_ess=None, seed=1)
    draws, error = [], []
    for name in ("tpr", "fpr", "occurrence"):
        values = posterior.draws[name]
        flat = values.transpose(2, 0, 1).reshape(values.shape[2], -1).astype(np.float32)
        draws += list(flat.reshape(len(flat), *values.shape[:2]))
        error += list(summarise(flat, values.shape[0], 0.9)[3])
    theirs = [float(arviz_stats.base.array_stats.mcse(d.astype(float), method="mean")) for d in draws]
    ratio = np.array(error) / np.array(theirs)
    assert 0.95 < np.median(ratio) < 1.25
    assert ratio.min() > 0.6
    assert ratio.max() < 1.8


@given(
    arrays.arrays(np.float32, st.integers(1, 700), elements=st.floats(0, 1, width=32)),
    st.floats(0.01, 0.99),
)
def test_quantiles_are_places_in_order(x, level):
    n = len(x)
    ordered = np.sort(x)
    found = summarise(x[None].copy(), 1, level)[:, 0]
    assert found[1] == ordered[round((1 - level) / 2 * (n - 1))]
    assert found[2] == ordered[round((1 + level) / 2 * (n - 1))]
    assert found[0] == pytest.approx(x.mean(dtype=float), abs=1e-6)


def test_chains_that_disagree_show():
    same = np.tile(np.random.default_rng(1).normal(0.5, 0.01, 400), (1, 4))
    apart = same + np.repeat([0.0, 0.1, 0.0, 0.1], 400)
    errors = summarise(np.concatenate([same, apart]).astype(np.float32), 4, 0.9)[3]
    assert errors[1] > 10 * errors[0]


def test_first_draws_are_as_many_of_each_chain():
    some = first_draws(3 * 1000, 3)
    assert np.bincount(some // 1000).tolist() == [85, 85, 85]
    assert np.unique(np.diff(some[:85])).max() <= 12
