"""What a listener would report: by the definition, for whoever listens, in any recording, however many."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import dawnchorus as dc
import naive
from commands import run
from dawnchorus.model.predictive.listening.listener import SURE
from dawnchorus.results.presence import presence_table
from dawnchorus.results.saving import folder as output

SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}
MODELS = {
    "base": {},
    "base-hierarchical": {},
    "base-hierarchical, difficulty": {"difficulty": True},
    "dp-bmm": {},
    "base, context": {"context": "site"},
}


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_portal(40, 6, 5, visits=2, sites=3, seed=4)


@pytest.fixture(scope="module", params=MODELS)
def posterior(request, simulation):
    return dc.fit(simulation.annotations, request.param.split(",")[0], **SHORT, **MODELS[request.param])


def typical(posterior, members):
    """Give rates by draw and species: the mean logit of members who have the species on their list."""
    design, parameters = posterior.design, posterior.parameters()
    found = []
    for rate in (parameters.tpr, parameters.fpr):
        out = np.full((len(rate), posterior.annotations.n_species), np.nan)
        for k in range(out.shape[1]):
            rates = [
                rate[:, int(design.rates_at(np.array([j]), np.array([k]))[0])]
                for j in members
                if not design.by_species or k in design.pairs.row(j)
            ]
            if rates:
                out[:, k] = expit(np.mean(logit(np.clip(np.array(rates, float), SURE, 1 - SURE)), axis=0))
        found.append(out)
    return found


def present_by_loops(posterior):
    """Give the probability of presence: recordings × species × draws."""
    a, parameters, design = posterior.annotations, posterior.parameters(), posterior.design
    occurrence = None
    if parameters.contexts is not None:
        contexts, chances = parameters.contexts.of(0, a.n_recordings)
        occurrence = chances[:, :, contexts]
    rates_at = design.rates_at if design.by_species else None
    return naive.cell_draws(a.to_cube(), rates_at, parameters, occurrence)[0]


def report_by_loops(present, tpr, fpr):
    """Give the mean probability of a report, recordings × species."""
    return np.mean(present * tpr.T[None] + (1 - present) * fpr.T[None], axis=2)


def values(posterior, *who, **options):
    a = posterior.annotations
    return posterior.would_report(*who, **options)["would_report"].to_numpy().reshape(a.n_recordings, -1)


def test_it_is_what_its_definition_says(posterior):
    a, present = posterior.annotations, present_by_loops(posterior)
    tpr, fpr = typical(posterior, range(a.n_annotators))
    known = ~np.isnan(tpr[0])  # in hierarchical models, nobody answers for the last species
    expected = report_by_loops(present, tpr, fpr)[:, known]
    assert np.allclose(values(posterior)[:, known], expected, atol=1e-5)
    assert np.allclose(values(posterior, "typical")[:, known], expected, atol=1e-5)
    name = a.annotators.index[2]
    tpr, fpr = typical(posterior, [2])
    known = ~np.isnan(tpr[0])
    assert known.any()
    expected = report_by_loops(present, tpr, fpr)[:, known]
    assert np.allclose(values(posterior, name)[:, known], expected, atol=1e-5)
    assert np.allclose(values(posterior, [name]), values(posterior, name))


def test_presence_is_beside_it_and_the_same(posterior):
    table, presence = posterior.would_report(), posterior.presence()
    assert table.columns.tolist()[2:5] == ["would_report", "would_report_lower", "would_report_upper"]
    pd.testing.assert_frame_equal(table[presence.columns], presence)
    assert (table["would_report_lower"] <= table["would_report_upper"]).all()
    some = posterior.would_report("best", min_probability=0.5, recordings=table["recording"][0])
    assert (some["probability"] >= 0.5).all()
    assert set(some["recording"]) <= {table["recording"][0]}


def test_recordings_that_come_later_have_the_same(posterior, simulation):
    again = posterior.would_report("typical", simulation.annotations)
    now = posterior.would_report("typical")
    assert np.allclose(again["would_report"], now["would_report"], atol=1e-6)
    few = simulation.annotations.select(species=simulation.annotations.species.index[[3, 1]])
    part = posterior.would_report(annotations=few, min_probability=0.2)
    known = posterior.would_report().set_index(["recording", "species"])["would_report"]
    if "bmm" not in posterior.name:  # in mixtures, other species tell of the recording
        there = known[list(zip(part["recording"], part["species"], strict=True))]
        assert np.allclose(part["would_report"], there, atol=1e-6)


def test_the_best_are_better(simulation):
    posterior = dc.fit(dc.simulate_paper(recordings=200, visits=3, seed=1).annotations, "base", **SHORT)
    best, all_of_them = posterior.listener("best"), posterior.listener()
    assert (best.tpr - best.fpr).mean() > (all_of_them.tpr - all_of_them.fpr).mean()
    gain = posterior.annotators().eval("tpr - fpr").to_numpy()
    two = posterior.annotations.annotators.index[np.argsort(-gain)[:2]]  # a tenth of twenty
    assert np.allclose(posterior.listener(list(two)).tpr, best.tpr)


def test_species_on_nobodys_list_have_rates_around_levels():
    """Aino never answers for owls, so her rates for them are drawn around her level."""
    rng = np.random.default_rng(1)
    rows = [(f"r{i}", "Aino", "wren", int(rng.random() < 0.5)) for i in range(30)]
    rows += [(f"r{i}", "Onni", k, int(rng.random() < 0.5)) for i in range(30) for k in ("wren", "owl")]
    table = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    species = pd.DataFrame({"species": ["wren", "owl", "never asked"]})
    posterior = dc.fit(dc.Annotations.from_frame(table, "explicit", species=species), **SHORT)
    for who in ("Aino", "typical", "best"):
        listener = posterior.listener(who)
        assert np.isfinite(listener.tpr).all()
        assert np.isfinite(listener.fpr).all()
        assert listener.tpr[:, 2].std() > 0
    owl = posterior.annotations.species.index.get_loc("owl")
    one, other = (posterior.listener("Aino", seed=seed).tpr[:, owl] for seed in (1, 2))
    assert np.corrcoef(one, other)[0, 1] < 0.9  # drawn
    assert np.allclose(posterior.listener("Onni", seed=1).tpr[:, owl], posterior.listener("Onni").tpr[:, owl])


def test_who_is_not_there_is_named(posterior):
    with pytest.raises(dc.AnnotationError, match=r"no annotator 'Nobody'.*'typical' or 'best'"):
        posterior.would_report("Nobody")
    with pytest.raises(dc.AnnotationError, match="no annotator is named"):
        posterior.would_report([])


@pytest.mark.parametrize("given", ["votes.csv", pd.DataFrame({"recording": ["a"]})])
def test_what_are_no_annotations_is_said(simulation, given):
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    for ask in (posterior.predict, lambda given: posterior.would_report(annotations=given)):
        with pytest.raises(TypeError, match=r"expected Annotations, got .*: make them with dc\.read"):
            ask(given)


def test_majority_vote_says_that_it_does_not_know(simulation):
    result = dc.fit(simulation.annotations, "majority-vote")
    for ask in (result.would_report, lambda: dc.evaluate(result, simulation.truth, as_="report")):
        with pytest.raises(dc.AnnotationError, match="does not know what an annotator would report"):
            ask()


def test_many_cells_are_never_all_in_memory(simulation, monkeypatch):
    full = dc.fit(simulation.annotations, **SHORT).would_report()
    monkeypatch.setattr(presence_table, "ALL_CELLS", 10)
    sparse = dc.fit(simulation.annotations, **SHORT)
    monkeypatch.setattr(presence_table.LikelyCells, "of", counted(presence_table.LikelyCells.of))
    table = sparse.would_report(min_probability=0.3)
    kept = full[full["probability"] >= 0.3].reset_index(drop=True)
    pd.testing.assert_frame_equal(table, kept)
    assert counted.calls > 0


def counted(function):
    counted.calls = 0

    def call(*words):
        counted.calls += 1
        return function(*words)

    return call


def test_presence_csv_has_it_and_evaluate_compares_either(simulation, tmp_path, monkeypatch):
    posterior = dc.fit(simulation.annotations, **SHORT)
    dc.write_result(posterior, tmp_path / "fit")
    saved = dc.read_result(tmp_path / "fit")
    assert saved.presence.columns.tolist()[-1] == "would_report"
    assert np.allclose(saved.presence["would_report"], posterior.would_report()["would_report"], rtol=1e-4)
    present, report = (dc.evaluate(posterior, simulation.truth, as_=way) for way in ("present", "report"))
    assert (present.compared, report.compared) == ("present", "report")
    assert report.brier != present.brier
    assert "would report it" in str(report)
    assert "would report" not in str(present)
    simulation.truth.to_frame().to_csv(tmp_path / "truth.csv", index=False)
    words = "evaluate", tmp_path / "fit", "--truth", tmp_path / "truth.csv", "--as", "report"
    told = json.loads(run(*words, "--json").stdout)
    assert told["compared"] == "report"
    assert told["brier"] == pytest.approx(report.brier, rel=1e-3)
    assert "a typical annotator would report it" in run(*words).stdout
    monkeypatch.setattr(output, "ALL_CELLS", 10)
    dc.write_result(posterior, tmp_path / "sparse", min_probability=0.3)
    sparse = dc.read_result(tmp_path / "sparse")
    assert sparse.would_report_unlisted > sparse.unlisted * 0.1
    left = posterior.would_report().merge(
        sparse.presence[["recording", "species"]], how="left", indicator=True
    )
    mean = left.loc[left["_merge"] == "left_only", "would_report"].mean()
    assert sparse.would_report_unlisted == pytest.approx(mean, rel=0.3)


def test_what_cannot_be_compared_is_refused(simulation):
    vote = dc.fit(simulation.annotations, "majority-vote")
    with pytest.raises(dc.AnnotationError, match="does not know what an annotator would report"):
        dc.evaluate(vote, simulation.truth, as_="report")
    with pytest.raises(dc.AnnotationError, match=r"there is no column 'would_report'.*\.would_report\(\)"):
        dc.evaluate(vote.presence(), simulation.truth, as_="report")
    with pytest.raises(dc.AnnotationError, match="use one of: present, report"):
        dc.evaluate(vote, simulation.truth, as_="heard")


def test_calibration_plots_say_which(posterior, simulation):
    scores = {way: dc.evaluate(posterior, simulation.truth, as_=way) for way in ("present", "report")}
    assert dc.plots.calibration(scores["present"]).get_xlabel() == "probability of presence"
    assert dc.plots.calibration(scores["report"]).get_xlabel() == "probability of a report"
    both = dc.plots.calibration({"one": scores["present"], "two": scores["report"]})
    assert both.get_xlabel() == "probability"
    assert [text.get_text() for text in both.get_legend().get_texts()] == [
        "one, as present",
        "two, as report",
    ]
