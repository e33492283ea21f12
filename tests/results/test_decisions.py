"""Labels from probabilities, with the mistakes to expect, and probabilities as an array."""

from __future__ import annotations

import numpy as np
import pytest

import dawnchorus as dc
from dawnchorus.results.presence import presence_table

SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_portal(150, 6, 8, visits=2.5, sites=3, seed=4)


@pytest.fixture(scope="module")
def posterior(simulation):
    return dc.fit(simulation.annotations, "base", **SHORT)


@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.9, 1.0])
def test_expected_mistakes_are_sums_of_probabilities(posterior, threshold):
    labels, presence = posterior.labels(threshold), posterior.presence()
    p = presence["probability"].to_numpy()
    called = p >= threshold
    assert labels.cells == len(p)
    assert labels.table["probability"].tolist() == p[called].tolist()
    assert labels.table["species"].tolist() == presence["species"][called].tolist()
    assert labels.expected_wrong == pytest.approx((1 - p[called]).sum(), abs=1e-3)
    assert labels.expected_missed == pytest.approx(p[~called].sum(), abs=1e-3)
    assert labels.expected_mistakes == pytest.approx(labels.expected_wrong + labels.expected_missed)
    assert f"{called.sum():,} of {len(p):,} cells" in str(labels)


def test_a_half_makes_the_fewest_mistakes_and_about_as_many_as_expected():
    simulation = dc.simulate_paper(recordings=500, species=12, visits=2, occurrence=(2, 10), seed=3)
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    expected = {at: posterior.labels(at).expected_mistakes for at in (0.2, 0.5, 0.8)}
    assert expected[0.5] == min(expected.values())
    truth = simulation.truth.to_frame().set_index(["recording", "species"])["present"]
    called = posterior.labels().table.set_index(["recording", "species"]).index
    wrong = (truth.loc[called] == 0).sum() + truth.drop(called).sum()
    assert wrong == pytest.approx(expected[0.5], abs=4 * expected[0.5] ** 0.5)


def test_where_cells_are_many_only_probable_ones_are_looked_at(posterior, monkeypatch):
    whole = posterior.labels(0.3)
    monkeypatch.setattr(presence_table, "ALL_CELLS", 10)
    some = dc.fit(posterior.annotations, "base", **SHORT).labels(0.3)
    assert some.table.equals(whole.table)
    assert some.expected_wrong == pytest.approx(whole.expected_wrong)


@pytest.mark.parametrize("threshold", [0, -0.1, 1.1, float("nan")])
def test_a_threshold_is_a_probability(posterior, threshold):
    with pytest.raises(ValueError, match="the threshold is"):
        posterior.labels(threshold)


def test_an_array_has_names_and_the_probabilities_of_the_table(posterior):
    array, presence = posterior.to_xarray(), posterior.presence()
    assert array.dims == ("recording", "species")
    assert np.allclose(array.to_numpy().ravel(), presence["probability"])
    row = presence.iloc[17]
    assert array.sel(recording=row["recording"], species=row["species"]).item() == row["probability"]
    with pytest.raises(ValueError, match=r"presence\(min_probability=0.01\)"):
        posterior.to_xarray(most=100)
