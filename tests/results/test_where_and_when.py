"""Where and when species sing: truth in simulations, the model's own predictions, values in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import dawnchorus as dc
from contexts import sung
from dawnchorus.common.checked import generator
from dawnchorus.model.formula.reading import context_of_new
from dawnchorus.model.predictive.parameters import Asked
from dawnchorus.results import fit_tables
from dawnchorus.results.findings import where_and_when as module

pytest.importorskip("formulaic")

FORMULA = "site + cc(hour, df=4) + bs(date, df=4)"
SHORT = {"model": "base", "seed": 1, "draws": 70, "warmup": 150, "min_ess": None}
"""With four chains, fewer draws than are used at most."""


@pytest.fixture(scope="module")
def singing():
    return sung()


@pytest.fixture(scope="module")
def posterior(singing):
    return dc.fit(singing.annotations, context=FORMULA, **SHORT)


@pytest.fixture(scope="module")
def table(posterior):
    return posterior.where_and_when()


def test_the_table_is_tidy(table, posterior):
    bounds = ["probability", "probability_lower", "probability_upper"]
    assert table.columns.tolist() == ["species", "term", "at", "value", "recordings", *bounds]
    assert len(table) == 6 * (5 + 25 + 25)
    assert (table["probability_lower"] <= table["probability"]).all()
    assert (table["probability"] <= table["probability_upper"]).all()
    assert table[bounds].to_numpy().min() > 0
    assert table[bounds].to_numpy().max() < 1
    site, hour, date = (table[table["term"] == term] for term in table["term"].unique())
    assert site["at"].tolist()[:5] == [f"site {s}" for s in range(5)]
    assert site["value"].isna().all()
    assert hour["at"].tolist()[:25] == [f"{h:02}:00" for h in range(25)]
    assert hour["value"].tolist()[:25] == list(range(25))
    assert date["at"].iloc[[0, 24]].tolist() == ["2018-04-10", "2018-07-18"]
    for part, twice in ((site, 0), (date, 0), (hour, hour["recordings"].iloc[0])):  # midnight is there twice
        assert part.groupby("species")["recordings"].sum().eq(400 + twice).all()


def test_a_day_ends_where_it_begins(table):
    hour = table[table["term"] == "cc(hour, df=4)"].set_index(["species", "at"])
    first, last = (hour.xs(at, level="at").drop(columns="value") for at in ("00:00", "24:00"))
    pd.testing.assert_frame_equal(first, last)


def test_species_peak_when_they_sing(singing, table):
    hour = table[table["term"] == "cc(hour, df=4)"]
    best = hour.loc[hour.groupby("species")["probability"].idxmax(), "value"].to_numpy()
    apart = np.abs((best - singing.peak + 12) % 24 - 12)
    assert (apart < 2.5).all()
    assert np.median(apart) < 1.5


def test_bands_cover_the_truth():
    covered = []
    for seed in (11, 12, 13):
        singing = sung(seed)
        table = dc.fit(singing.annotations, context=FORMULA, **SHORT | {"draws": 150}).where_and_when()
        for term, part in table.groupby("term"):
            name = next(name for name in ("site", "hour", "date") if name in term)
            values = part["value"].iloc[: part["at"].nunique()] if name != "site" else range(5)
            truth = [expit(singing.log_odds(**{name: value})).mean(axis=0) for value in values]
            low, high = (part[f"probability_{end}"].to_numpy().reshape(6, -1).T for end in ("lower", "upper"))
            covered.append(((low <= truth) & (truth <= high)).mean())
    assert np.mean(covered) > 0.82
    assert min(covered) > 0.55


@pytest.mark.parametrize(
    ("column", "value", "term", "at"), [("hour", 5.0, "hour", "05:00"), ("site", "site 3", "site", "site 3")]
)
def test_curves_are_what_the_model_predicts(singing, posterior, column, value, term, at):
    """All recordings again, made at five or at site 3: their mean in each draw is that of the table."""
    a = singing.annotations
    recordings = a.recordings.assign(**{column: value})
    new = dc.Annotations.from_frame(
        a.to_frame(), absence="checklist", recordings=recordings.reset_index(), species=a.species
    )
    context = context_of_new(posterior.context, new.recordings)
    everybody = np.arange(a.n_annotators)
    design = posterior.model.design(new)
    asked = Asked(design, everybody, np.arange(a.n_species), generator(1), context)
    which, chances = posterior.parameters(asked=asked).contexts.of(0, a.n_recordings)
    by_draw = chances[:, 0, which].mean(axis=1)  # draws × species
    row = posterior.where_and_when(terms=term, level=0.8).query("at == @at")
    assert np.allclose(row["probability"], by_draw.mean(axis=0), rtol=2e-3)
    assert np.allclose(row["probability_lower"], np.quantile(by_draw, 0.1, axis=0), rtol=2e-3)
    assert np.allclose(row["probability_upper"], np.quantile(by_draw, 0.9, axis=0), rtol=2e-3)


def test_one_species_is_the_same_out_of_many(posterior, table, monkeypatch):
    bird = table[table["species"] == "bird 4"].reset_index(drop=True)
    pd.testing.assert_frame_equal(posterior.where_and_when("bird 4"), bird)
    two = posterior.where_and_when(["bird 4", "bird 1"], ["date", "site"])
    assert two["species"].unique().tolist() == ["bird 4", "bird 1"]
    assert two["term"].unique().tolist() == ["bs(date, df=4)", "site"]
    monkeypatch.setattr(module, "VALUES", 1)  # one species at a time
    pd.testing.assert_frame_equal(posterior.where_and_when(), table)


def test_it_comes_back_from_a_file(posterior, table, tmp_path):
    posterior.save(tmp_path / "fit.nc")
    again = dc.Posterior.load(tmp_path / "fit.nc").where_and_when()
    pd.testing.assert_frame_equal(again, table)


def test_any_metadata_have_values_in_words(singing):
    a = singing.annotations
    recordings = a.recordings.reset_index()
    recordings["height"] = np.arange(len(recordings)) % 90
    recordings["year"] = np.where(np.arange(len(recordings)) % 2, 2018, 2019)
    recordings["time"] = recordings["year"].astype(str) + recordings["time"].str[4:]
    new = dc.Annotations.from_frame(a.to_frame(), absence="checklist", recordings=recordings)
    formula = "C(year) + cr(date, df=3) + bs(sunrise, df=3) + height"
    posterior = dc.fit(new, context=formula, **SHORT)
    table = posterior.where_and_when("bird 0", points=10)
    words = {term: part["at"].tolist() for term, part in table.groupby("term", sort=False)}
    assert list(words) == formula.split(" + ")
    assert words["C(year)"] == ["2018", "2019"]
    assert words["cr(date, df=3)"][0] == "10 Apr"
    assert words["height"][0] == "0"
    assert words["height"][-1] == "89"
    assert all(float(hour) % 0.25 == 0 for hour in words["bs(sunrise, df=3)"])
    assert [len(words[term]) for term in list(words)[1:]] == [10, 10, 10]
    height = table[table["term"] == "height"]["probability"]
    assert height.is_monotonic_increasing or height.is_monotonic_decreasing


def test_a_year_ends_where_it_begins(singing):
    posterior = dc.fit(singing.annotations, context="cc(date, df=3) + date", **SHORT)
    table = posterior.where_and_when("bird 0", "cc(date, df=3)")
    assert table["at"].iloc[[0, -1]].tolist() == ["2018-01-01", "2019-01-01"]
    assert table["probability"].iloc[0] == table["probability"].iloc[-1]
    assert posterior.where_and_when("bird 0", "date")["term"].unique().tolist() == ["date"]
    ticks = dc.plots.when(posterior, "bird 0", "cc(date, df=3)").get_xticklabels()
    assert [tick.get_text() for tick in ticks] == ["1 Jan", "1 Apr", "1 Jul", "1 Oct", "1 Jan"]


def test_what_is_not_there_is_said(singing, posterior):
    with pytest.raises(dc.AnnotationError, match=r"no term 'habitat'; it has 'site', 'cc\(hour, df=4\)'"):
        posterior.where_and_when(terms="habitat")
    with pytest.raises(dc.AnnotationError, match="there is no species 'bird 9'"):
        posterior.where_and_when("bird 9")
    with pytest.raises(dc.AnnotationError, match="points"):
        posterior.where_and_when(points=1)
    with pytest.raises(dc.AnnotationError, match="level"):
        posterior.where_and_when(level=2)
    plain = dc.fit(singing.annotations, **SHORT | {"draws": 10, "warmup": 10})
    with pytest.raises(dc.AnnotationError, match=r"without where and when.*context="):
        plain.where_and_when()
    assert "where_and_when" not in plain.tables()


def test_the_file_has_the_table_and_stays_small(posterior, table, tmp_path, monkeypatch):
    dc.write_result(posterior, tmp_path / "result")
    written = pd.read_csv(tmp_path / "result" / "where_and_when.csv")
    assert written.columns.tolist() == table.columns.tolist()
    assert np.allclose(written["probability"], table["probability"], atol=1e-4)
    monkeypatch.setattr(fit_tables, "MOST_ROWS", 2 * 55 + 1)
    reports = posterior.species().set_index("species")["reports"]
    few = posterior.tables()["where_and_when"]["species"].unique().tolist()
    assert few == sorted(reports.nlargest(2).index)
