"""Unsure marks as votes: the step is recovered, marks help, and nothing is lost where there are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc

SHORT = {"draws": 200, "warmup": 200, "chains": 2, "min_ess": None, "seed": 1}
SIZES = {"recordings": 300, "annotators": 8, "species": 15, "visits": 2.0}
STEP = 0.65


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_paper(3, **SIZES, unsure_step=STEP, seed=3)


@pytest.fixture(scope="module")
def posterior(simulation):
    return dc.fit(simulation.annotations, unsure="ordered", **SHORT)


def test_simulated_marks_are_ordered_votes():
    simulation = dc.simulate_paper(1, recordings=3000, occurrence=(5, 5), unsure_step=STEP, seed=1)
    a, truth = simulation.annotations, simulation.truth
    visit = a.unsure.row_of_item()
    there = truth.presence.contains(a.visit_recording[visit], a.unsure.item)
    visits = np.bincount(a.visit_annotator, minlength=a.n_annotators)
    present = np.bincount(a.visit_annotator, truth.presence.sizes[a.visit_recording], a.n_annotators)
    for rate, cells, marks in (
        (truth.annotators["tpr"], present, visit[there]),
        (truth.annotators["fpr"], visits * a.n_species - present, visit[~there]),
    ):
        odds = np.exp(STEP) * rate / (1 - rate)
        wanted = (cells * (odds / (1 + odds) - rate)).sum()
        assert abs(len(marks) - wanted) < 4 * np.sqrt(wanted)
    same = dc.simulate_paper(1, recordings=3000, occurrence=(5, 5), seed=1).annotations
    assert same.reports.equals(a.reports)
    assert not len(same.unsure.item)


def test_intervals_of_the_step_cover_it(simulation, posterior):
    inside = 0
    for seed in range(6):
        data = dc.simulate_paper(3, **SIZES, unsure_step=STEP, seed=10 + seed).annotations
        draws = dc.fit(data, unsure="ordered", **SHORT).draws["unsure_step"]
        low, high = np.quantile(draws, [0.025, 0.975])
        inside += low <= STEP <= high
        assert abs(draws.mean() - STEP) < 0.25
    assert inside >= 4  # of six with 95 % each; fewer once in some 400 times
    assert posterior.prior_of("unsure_step") == dc.HalfNormal(1)
    assert len(posterior.annotator_species()) == 8 * 15


def test_marks_tell_of_presence(simulation, posterior):
    missing = dc.fit(simulation.annotations, **SHORT)
    a, truth = simulation.annotations, simulation.truth.to_frame()
    one, two = (dc.evaluate(fit, truth) for fit in (posterior, missing))
    assert one.log_score < two.log_score
    assert "unsure_step" not in missing.draws
    only = np.argwhere((a.to_cube() < 0).all(axis=1) & marked(a))
    assert len(only) > 5
    probability = [fit.to_xarray().to_numpy()[tuple(only.T)].mean() for fit in (posterior, missing)]
    assert probability[0] > 1.5 * probability[1]


def marked(a):
    """Give which cells have an unsure mark."""
    found, visit = np.zeros((a.n_recordings, a.n_species), bool), a.unsure.row_of_item()
    found[a.visit_recording[visit], a.unsure.item] = True
    return found


def test_nothing_is_lost_without_marks():
    simulation = dc.simulate_paper(3, **SIZES, seed=5)
    ordered, missing = (dc.fit(simulation.annotations, unsure=how, **SHORT) for how in ("ordered", "missing"))
    truth = simulation.truth.to_frame()
    one, two = (dc.evaluate(fit, truth) for fit in (ordered, missing))
    assert abs(one.auc - two.auc) < 0.002 + 0.004  # and the error of short chains
    assert abs(one.log_score - two.log_score) < 0.001
    assert ordered.draws["unsure_step"].mean() < 0.05


def test_what_came_later_may_be_marked_too(posterior):
    rows = [("new", "a1", "s01", None), ("new", "a1", "s02", 0), ("other", "a1", "s01", 0)]
    rows += [("third", "a1", "s01", 1), ("other", "stranger", "s02", None)]
    names = posterior.annotations.annotators.index[0], *posterior.annotations.species.index[:2]
    told = dict(zip(("a1", "s01", "s02"), names, strict=True))
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    frame = frame.replace(told).astype({"present": "Int8"})
    table = posterior.predict(dc.Annotations.from_frame(frame, absence="explicit"), seed=1)
    chance = table[table["species"] == told["s01"]].set_index("recording")["probability"]
    assert chance["other"] < chance["new"] < chance["third"]


def test_what_somebody_always_marked_has_a_rate():
    rows = [
        (f"r{i}", name, k, None if name == "Aino" and k == "wren" else (i + n) % 2)
        for i in range(12)
        for n, name in enumerate(("Aino", "Eero"))
        for k in ("wren", "robin")
    ]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    annotations = dc.Annotations.from_frame(frame.astype({"present": "Int8"}), absence="explicit")
    ordered, missing = (
        dc.fit(annotations, unsure=how, **(SHORT | {"draws": 20})) for how in ("ordered", "missing")
    )
    assert len(missing.annotator_species()) == 3
    table = ordered.annotator_species().set_index(["annotator", "species"])
    assert len(table) == 4
    assert table.loc[("Aino", "wren"), ["votes", "reports"]].tolist() == [0, 0]
    assert table.loc[("Eero", "wren"), ["votes", "reports"]].tolist() == [12, 6]


@pytest.mark.parametrize("how", ["ordered", "missing"])
def test_pages_say_what_marks_are(simulation, posterior, how, tmp_path):
    fit = posterior if how == "ordered" else dc.fit(simulation.annotations, **(SHORT | {"draws": 20}))
    fit.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    n = len(simulation.annotations.unsure.item)
    wanted = {
        "ordered": f"{n} unsure marks are votes, less than",
        "missing": f"{n} unsure marks are no votes",
    }
    assert wanted[how] in page
    assert "marked unsure by" in page
    fit.save(tmp_path / "fit.nc")
    again = dc.Posterior.load(tmp_path / "fit.nc")
    assert ("unsure_step" in again.draws) == (how == "ordered")
    assert np.allclose(again.presence()["probability"], fit.presence()["probability"], atol=1e-5)
    assert np.isfinite(again.presence_table.log_likelihood()).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unsure": "ordered", "model": "base"}, "the model base has no option unsure"),
        ({"unsure": "sometimes"}, "there is no unsure 'sometimes'. Remedy: use one of: missing, ordered"),
        (
            {"unsure": "ordered", "update": "polya-gamma"},
            "update polya-gamma does not go together with unsure marks that are votes",
        ),
        ({"unsure": "ordered", "model": "majority-vote"}, "majority vote has no option unsure"),
    ],
)
def test_what_does_not_go_together_is_said(simulation, options, message):
    with pytest.raises(dc.AnnotationError, match=message.replace("(", r"\(")):
        dc.fit(simulation.annotations, **options)
