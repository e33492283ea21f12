"""What misleads everybody: recovered where there is any, and harmless where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import dawnchorus as dc

SHORT = {"chains": 2, "draws": 150, "warmup": 150, "min_ess": None, "seed": 1}


def portal_with(deception):
    sizes = {"recordings": 400, "annotators": 10, "species": 10, "visits": 4, "present_species": 3}
    return dc.simulate_portal(**sizes, unsure=0, false_reports=1.0, deception=deception, seed=3)


@pytest.fixture(scope="module")
def portal():
    return portal_with(2.0)


@pytest.fixture(scope="module")
def posterior(portal):
    """How far recordings differ moves slowly, so that chains are longer than elsewhere here."""
    return dc.fit(portal.annotations, deceptive=True, **(SHORT | {"warmup": 300, "draws": 500}))


def test_false_reports_are_as_many_but_come_together():
    """Votes of several on the same absent bird agree more often than by chance."""
    together, total = [], []
    for deception in (0.0, 2.0):
        simulation = portal_with(deception)
        cube, present = simulation.annotations.to_cube(), simulation.truth.presence
        said = (cube == 1).sum(axis=1)
        table = np.zeros(said.shape, bool)
        table[present.row_of_item(), present.item] = True
        total.append(said[~table].sum())
        together.append((said[~table] > 1).sum())
    assert 0.8 < total[1] / total[0] < 1.25
    assert together[1] > 1.4 * together[0]


def test_it_is_found_how_far_recordings_differ(posterior):
    low, high = np.quantile(posterior.draws.flat("deception"), [0.01, 0.99])
    assert low < 2.0 < high
    assert high - low < 2.5


def test_false_positive_rates_are_over_all_recordings(portal, posterior):
    table = posterior.annotator_species().merge(portal.truth.annotator_species, on=["annotator", "species"])
    often = table[table["votes"] >= 60]
    assert abs(np.log(often["fpr_x"] / often["fpr_y"]).mean()) < 0.6


def test_what_misleads_people_comes_first(posterior):
    table = posterior.deceptive()
    assert list(table.columns) == [
        *("recording", "species", "absent", "misled", "misled_lower", "misled_upper", "votes", "reports")
    ]
    assert (table["misled_lower"] <= table["misled"]).all()
    assert (np.diff(table["absent"] * table["misled"]) <= 0).all()
    four = table[table["votes"] == 4].groupby("reports")["misled"].mean()
    assert (np.diff(four) > 0).all()
    assert posterior.tables()["deceptive"].equals(table)


def test_it_predicts_better_where_something_misleads(portal, posterior):
    without = dc.fit(portal.annotations, **SHORT)
    one, two = (dc.evaluate(fit, portal.truth) for fit in (posterior, without))
    assert one.log_score < two.log_score


def test_nothing_is_lost_where_nothing_misleads():
    simulation = portal_with(0.0)
    longer = SHORT | {"chains": 4, "warmup": 300, "draws": 500}  # in 150 draws the ratio varies by 0.004
    with_, without = (dc.fit(simulation.annotations, deceptive=there, **longer) for there in (True, False))
    one, two = (dc.evaluate(fit, simulation.truth) for fit in (with_, without))
    assert one.auc > two.auc - 0.002
    assert one.log_score < 1.02 * two.log_score
    assert with_.draws.flat("deception").mean() < 1


def test_new_recordings_are_predicted_as_fitted_ones(portal, posterior):
    some = portal.annotations.select(recordings=portal.annotations.recordings.index[:30])
    fitted = posterior.presence(recordings=some.recordings.index)["probability"]
    assert np.abs(posterior.predict(some, seed=1)["probability"] - fitted).max() < 0.01


def test_messages(portal, posterior, tmp_path):
    with pytest.raises(dc.AnnotationError, match="the model base has no option deceptive"):
        dc.fit(portal.annotations, "base", deceptive=True)
    with pytest.raises(dc.AnnotationError, match="does not go together with deceptive birds"):
        dc.fit(portal.annotations, deceptive=True, update="polya-gamma")
    with pytest.raises(dc.AnnotationError, match=r"did not learn what misleads people.*deceptive=True"):
        dc.fit(portal.annotations, draws=5, warmup=5, min_ess=None).deceptive()
    assert "deception" in posterior.in_words()
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "What misleads people" in page
    assert "the prior decides" in page
