"""Birds that are faint for everybody: recovered where there are any, and harmless where there are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc

SHORT = {"chains": 2, "draws": 200, "warmup": 200, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def portal():
    return portal_with(2.5)


def portal_with(faintness):
    sizes = {"recordings": 500, "annotators": 12, "species": 12, "visits": 3, "present_species": 4}
    return dc.simulate_portal(**sizes, unsure=0, faintness=faintness, seed=3)


@pytest.fixture(scope="module")
def posterior(portal):
    return dc.fit(portal.annotations, faint=True, **SHORT)


def test_it_is_found_how_far_birds_differ(posterior):
    found = posterior.draws.flat("faintness")
    low, high = np.quantile(found, [0.02, 0.98])
    assert low < 2.5 < high
    assert high - low < 2.5


def test_true_positive_rates_are_over_all_birds(portal, posterior):
    """Were they for a bird of average loudness, they would be far too high for good annotators."""
    table = posterior.annotator_species().merge(portal.truth.annotator_species, on=["annotator", "species"])
    often = table[table["votes"] >= 60]
    assert len(often) > 30
    assert abs((often["tpr_x"] - often["tpr_y"]).mean()) < 0.06


def test_birds_that_fewer_report_are_less_audible(posterior):
    table = posterior.audibility()
    assert list(table.columns) == [
        *("recording", "species", "audible", "audible_lower", "audible_upper", "votes", "reports")
    ]
    assert (table["audible_lower"] <= table["audible"]).all()
    three = table[table["votes"] == 3].groupby("reports")["audible"].mean()
    assert (np.diff(three) > 0.05).all()
    assert posterior.tables()["audibility"].equals(table)


def test_it_predicts_better_where_birds_are_faint(portal, posterior):
    without = dc.fit(portal.annotations, **SHORT)
    one, two = (dc.evaluate(fit, portal.truth) for fit in (posterior, without))
    assert one.auc > two.auc - 0.002
    assert one.log_score < two.log_score


def test_nothing_is_lost_where_all_birds_are_alike():
    simulation = portal_with(0.0)
    with_, without = (dc.fit(simulation.annotations, faint=faint, **SHORT) for faint in (True, False))
    one, two = (dc.evaluate(fit, simulation.truth) for fit in (with_, without))
    assert one.auc > two.auc - 0.002
    assert one.log_score < 1.02 * two.log_score
    assert with_.draws.flat("faintness").mean() < 1


def test_new_recordings_are_predicted_as_fitted_ones(portal, posterior):
    some = portal.annotations.select(recordings=portal.annotations.recordings.index[:30])
    fitted = posterior.presence(recordings=some.recordings.index)["probability"]
    assert np.abs(posterior.predict(some, seed=1)["probability"] - fitted).max() < 0.01


def test_hundreds_of_votes_on_a_bird_and_rates_close_to_one():
    """Probabilities stay between 0 and 1 where products would overflow."""
    rng = np.random.default_rng(1)
    present = rng.random(20) < 0.5
    votes = rng.random((20, 150)) < np.where(present, 0.999, 0.97)[:, None]
    rows = [(f"r{i}", f"a{j}", "s", int(votes[i, j])) for i in range(20) for j in range(150)]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    annotations = dc.Annotations.from_frame(frame, absence="explicit")
    posterior = dc.fit(annotations, faint=True, draws=60, warmup=60, min_ess=None, seed=1)
    assert posterior.presence()["probability"].between(0, 1).all()
    assert np.isfinite(posterior.log_likelihood()).all()
    assert posterior.audibility()["audible"].between(0, 1).all()


def test_messages(portal, posterior):
    with pytest.raises(dc.AnnotationError, match="the model base has no option faint"):
        dc.fit(portal.annotations, "base", faint=True)
    with pytest.raises(dc.AnnotationError, match="does not go together with faint birds"):
        dc.fit(portal.annotations, faint=True, update="polya-gamma")
    with pytest.raises(dc.AnnotationError, match=r"did not learn how audible birds are.*faint=True"):
        dc.fit(portal.annotations, draws=5, warmup=5, min_ess=None).audibility()
    assert "faintness" in posterior.in_words()
