"""A portal in parts: what is written, the same for a seed, of the same kind as one in one piece."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dawnchorus as dc
from dawnchorus.simulation import portal_parts
from dawnchorus.simulation.portal_parts import pair_normal

SIZES = {"recordings": 2500, "annotators": 30, "species": 25, "sites": 3, "visits": 2.0}


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A portal of three parts."""
    folder = tmp_path_factory.mktemp("portal") / "big"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portal_parts, "PART", 1000)
        contents = dc.write_portal(folder, **SIZES, seed=4)
    return folder, contents


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_seed_gives_the_same_files(big, tmp_path, monkeypatch):
    monkeypatch.setattr(portal_parts, "PART", 1000)
    dc.write_portal(tmp_path / "again", **SIZES, seed=4)
    dc.write_portal(tmp_path / "other", **SIZES, seed=5)
    one, again, other = files(big[0]), files(tmp_path / "again"), files(tmp_path / "other")
    assert one == again
    assert one["visits/part-00001.parquet"] != other["visits/part-00001.parquet"]


def test_parts_are_read_as_one_table(big):
    folder, contents = big
    parts = sorted((folder / "visits").glob("*.parquet"))
    assert len(parts) == contents["parts"] == 3
    side = {name: folder / f"{name}.csv" for name in ("scope", "annotators", "species")}
    a = dc.read(parts, absence="scope", **side)
    assert (a.n_visits, a.n_reports) == (contents["data"]["visits"], contents["data"]["reports"])
    assert a.scopes.rows <= 12
    recordings = pd.read_parquet(folder / "recordings")
    assert recordings["recording"].tolist() == [f"r{i:04}" for i in range(1, 2501)]
    assert set(a.recordings.index) <= set(recordings["recording"])
    assert len(a.recordings) > 0.8 * 2500  # the others have no visit
    # Every part has visits, and a visit without a report has a row.
    visits = pd.concat([pd.read_parquet(part).assign(part=i) for i, part in enumerate(parts)])
    assert visits.groupby("part").recording.agg(["min", "max"]).stack().is_monotonic_increasing
    assert visits.species.isna().any()
    assert a.unsure.item.size == contents["data"]["unsure"] > 0


def test_votes_follow_the_truth(big):
    folder, _ = big
    parts = sorted((folder / "visits").glob("*.parquet"))
    side = {name: folder / f"{name}.csv" for name in ("scope", "annotators", "species")}
    a = dc.read(parts, absence="scope", **side)
    truth = pd.read_parquet(folder / "truth").astype(str)
    cells = set(zip(truth["recording"], truth["species"], strict=True))
    visit = a.reports.row_of_item()
    where, which = a.recordings.index[a.visit_recording[visit]], a.species.index[a.reports.item]
    right = np.array([cell in cells for cell in zip(where, which, strict=True)])
    assert 0.75 < right.mean() < 0.99
    # How often each species occurs is as in true_species.csv.
    expected = pd.read_csv(folder / "true_species.csv")["occurrence"].to_numpy()
    times = truth["species"].value_counts().reindex(a.species.index, fill_value=0).to_numpy()
    z = (times - 2500 * expected) / np.sqrt(2500 * expected * (1 - expected))
    assert (z**2).sum() < stats.chi2.isf(1e-4, len(z)) * 2  # sites and hours are drawn too
    # The most active annotators hit as often as true_annotators.csv says.
    true = pd.read_csv(folder / "true_annotators.csv")
    lists = {
        j: set(a.species.index[a.scopes.row(a.visit_scope[a.visit_annotator == j][0])]) for j in range(3)
    }
    for j in range(3):
        heard = a.recordings.index[a.visit_recording[a.visit_annotator == j]]
        trials = truth[truth["recording"].isin(heard) & truth["species"].isin(lists[j])]
        hits = right[a.visit_annotator[visit] == j].sum()
        p = true["tpr"][j] * 0.97  # some votes are marked unsure
        assert abs(hits - len(trials) * p) < 5 * np.sqrt(len(trials) * p * (1 - p)) + 0.03 * len(trials)


def test_a_pair_is_the_same_in_all_parts_and_pairs_differ():
    pairs = np.arange(200_000)
    z = pair_normal(7, pairs)
    assert np.array_equal(z[5000:6000], pair_normal(7, pairs[5000:6000]))
    assert stats.kstest(z, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(z[1:], z[:-1])[0, 1]) < 0.01
    assert abs(np.corrcoef(z, pair_normal(8, pairs))[0, 1]) < 0.01


def test_numbers_that_are_not_possible(tmp_path):
    for wrong in ({"recordings": 0}, {"visits": -1.0}, {"visits": 31.0}, {"present_species": 99.0}):
        with pytest.raises(dc.AnnotationError):
            dc.write_portal(tmp_path / "wrong", **SIZES | wrong)
    assert not list(tmp_path.iterdir())
