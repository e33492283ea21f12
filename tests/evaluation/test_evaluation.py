from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import dawnchorus as dc
import naive
from dawnchorus.evaluation.scores import LOG_FLOOR, Scores

CELLS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.5001, 3 / 5, 0.7, 0.9, 1.0])),
    min_size=2,
    max_size=40,
)


def tables(cells, per_recording=5):
    n = len(cells)
    labels = {
        "recording": [f"r{i // per_recording}" for i in range(n)],
        "species": [f"s{i % per_recording}" for i in range(n)],
    }
    presence = pd.DataFrame(labels | {"probability": [p for _, p in cells]})
    truth = pd.DataFrame(labels | {"present": [int(y) for y, _ in cells]})
    return presence, truth


@given(CELLS)
def test_measures_are_those_of_their_definitions(cells):
    presence, truth = tables(cells)
    scores = dc.evaluate(presence, truth)
    y, p = truth.present.to_numpy(), presence.probability.to_numpy()
    if 0 < y.sum() < len(y):
        assert scores.auc == pytest.approx(naive.auc(y, p))
        assert scores.average_precision == pytest.approx(metrics.average_precision_score(y, p))
        assert np.allclose(scores.roc.T, [metrics.roc_curve(y, p)[i] for i in (2, 0, 1)])
    else:
        assert np.isnan(scores.auc)
    assert scores.brier == pytest.approx(np.mean((p - y) ** 2))
    sure = np.clip(p, LOG_FLOOR, 1 - LOG_FLOOR)
    assert scores.log_score == pytest.approx(-np.mean(np.log(np.where(y == 1, sure, 1 - sure))))
    error = 0.0
    for i, row in enumerate(scores.calibration.itertuples()):
        inside = (p >= i / 10) & ((p < (i + 1) / 10) | (i == 9))
        assert row.cells == inside.sum()
        if inside.any():
            assert row.probability == pytest.approx(p[inside].mean())
            assert row.observed == pytest.approx(y[inside].mean())
            error += inside.sum() * abs(p[inside].mean() - y[inside].mean())
    assert scores.calibration_error == pytest.approx(error / len(y))
    for row in scores.thresholds.itertuples():
        called = p >= row.threshold
        assert row.accuracy == pytest.approx((called == y).mean())
        if y.any():
            assert row.sensitivity == pytest.approx(called[y == 1].mean())
        if not y.all():
            assert row.specificity == pytest.approx((~called)[y == 0].mean())


@given(CELLS, st.integers(0, 100))
def test_measures_with_weights_are_those_of_sklearn(cells, seed):
    y, p = (np.array(part) for part in zip(*cells, strict=True))
    weight = np.random.default_rng(seed).integers(0, 3, len(y)).astype(float)  # as a bootstrap draws them
    if not (weight[y].any() and weight[~y].any()):
        return
    found = Scores.of(y, p).measures(weight)
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(y, p, sample_weight=weight))
    expected = metrics.average_precision_score(y, p, sample_weight=weight)
    assert found["average_precision"] == pytest.approx(expected)


def test_bootstrap_resamples_recordings():
    rng = np.random.default_rng(1)
    # Cells of a recording are nearly alike, so resampling cells instead would give intervals too narrow.
    p = np.repeat(rng.choice([0.1, 0.5, 0.9], size=80), 10)
    y = np.repeat(rng.random(80), 10) < p
    presence, truth = tables(list(zip(y, p, strict=True)), per_recording=10)
    calls = []
    scores = dc.evaluate(
        presence,
        truth,
        bootstrap=400,
        level=0.95,
        seed=3,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert calls[-1] == (400, 400)
    for name, (low, high) in scores.intervals.items():
        assert low < getattr(scores, name) < high or name == "calibration_error"
    loss = (truth.present - presence.probability) ** 2
    by_recording = loss.groupby(truth.recording).mean()
    error = by_recording.std() / np.sqrt(len(by_recording))
    low, high = scores.intervals["brier"]
    assert (high - low) / (2 * 1.96) == pytest.approx(error, rel=0.15)
    assert {"sensitivity_lower", "accuracy_upper"} <= set(scores.thresholds.columns)
    assert {"observed_lower", "observed_upper"} <= set(scores.calibration.columns)
    again = dc.evaluate(presence, truth, bootstrap=400, level=0.95, seed=3)
    assert again.intervals == scores.intervals
    assert "(" in str(scores)


def test_rows_of_other_labels_do_not_stand_in_for_cells():
    presence = pd.DataFrame(
        {"recording": ["r0", "r1", "r1"], "species": ["s0", "s0", "s2"], "probability": [0.1, 0.2, 0.9]}
    )
    truth = pd.DataFrame({"recording": ["r0", "r0"], "species": ["s0", "s1"], "present": [0, 1]})
    scores = dc.evaluate(presence, truth, species=["s0", "s1"], unlisted=0.0)
    assert scores.unlisted == 1
    assert scores.brier == pytest.approx((0.01 + 1) / 2)


def test_results_and_truths_go_in_as_they_are():
    simulation = dc.simulate_paper(recordings=60, seed=1)
    result = dc.fit(simulation.annotations, model="majority-vote")
    wanted = dc.evaluate(result.presence(), simulation.truth.to_frame())
    assert dc.evaluate(result, simulation.truth).auc == wanted.auc


@pytest.mark.parametrize("wrong", [{"bootstrap": -1}, {"unlisted": 2.0}])
def test_settings_are_checked(wrong):
    presence, truth = tables([(True, 0.9), (False, 0.1)])
    with pytest.raises(ValueError, match=next(iter(wrong))):
        dc.evaluate(presence, truth, **wrong)


def test_unknown_labels_in_the_truth_are_reported():
    presence, truth = tables([(True, 0.9), (False, 0.1), (True, 0.4)])
    more = pd.DataFrame({"recording": ["rX", "r0"], "species": ["s0", "owl"], "present": [1, 0]})
    with pytest.warns(dc.AnnotationWarning, match=r"2 of 5 cells.*rX.*owl"):
        scores = dc.evaluate(presence, pd.concat([truth, more]))
    assert scores.unknown_recordings == ("rX",)
    assert scores.unknown_species == ("owl",)
    assert scores.cells == 3
    with pytest.raises(dc.AnnotationError, match="no cell of the truth"):
        dc.evaluate(presence, more[:1])


def test_unlisted_cells_need_a_probability():
    presence, truth = tables([(True, 0.9), (False, 0.1), (True, 0.4), (False, 0.2)])
    with pytest.raises(dc.AnnotationError, match="2 cells of the truth have no probability"):
        dc.evaluate(presence[:2], truth, species=["s0", "s1", "s2", "s3"])
    scores = dc.evaluate(presence[:2], truth, species=["s0", "s1", "s2", "s3"], unlisted=0.3)
    assert scores.unlisted == 2
    assert scores.brier == pytest.approx((0.01 + 0.01 + 0.49 + 0.09) / 4)


def test_any_frame_and_any_order():
    presence, truth = tables([(True, 0.9), (False, 0.1), (True, 0.4), (False, 0.2)])
    wanted = dc.evaluate(presence, truth).as_dict()["auc"]
    assert dc.evaluate(pl.from_pandas(presence), pl.from_pandas(truth[::-1])).auc == wanted


@pytest.mark.parametrize("wrong", [1.5, -0.1, float("nan")])
def test_probabilities_are_checked(wrong):
    presence, truth = tables([(True, 0.9), (False, wrong)])
    with pytest.raises(dc.AnnotationError, match="row 3: a probability is"):
        dc.evaluate(presence, truth)


def test_presence_table_is_checked():
    presence, truth = tables([(True, 0.9), (False, 0.1)])
    with pytest.raises(dc.AnnotationError, match="listed twice"):
        dc.evaluate(pd.concat([presence, presence]), truth)
    with pytest.raises(dc.AnnotationError, match="no column 'probability'"):
        dc.evaluate(presence.drop(columns="probability"), truth)
