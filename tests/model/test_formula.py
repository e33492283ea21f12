"""A formula and metadata become a context: bases, rows, new recordings, and what is said of mistakes."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import BSpline

import dawnchorus as dc
from dawnchorus.common.errors import MissingPackageError
from dawnchorus.model.formula.parts import read_formula
from dawnchorus.model.formula.reading import context_of_new

FORMULA = "site + cc(hour, df=6) + bs(date, df=4)"


@pytest.fixture(scope="module")
def recordings():
    rng = np.random.default_rng(1)
    size = 400
    hour = rng.uniform(0, 24, size)
    return pd.DataFrame(
        {
            "site": rng.choice(["marsh", "wood", "bog"], size),
            "hour": hour,
            "date": rng.integers(130, 190, size),
            "elevation": rng.uniform(20, 900, size),
            "wind speed": rng.integers(0, 7, size),
            "wind": rng.uniform(0, 360, size),
            "rain": rng.random(size) < 0.3,
            "year": rng.integers(2015, 2020, size),
            "time": pd.Timestamp("2018-05-01") + pd.to_timedelta(hour, unit="h"),
            "owner": "us",
            "gaps": [None, "a", "b", "c"] * (size // 4),
        },
        index=pd.Index([f"r{i}" for i in range(size)], name="recording"),
    )


def term(recordings, formula):
    return dc.read_context(recordings, formula).terms[0]


def test_the_formula_of_the_readme(recordings):
    context = dc.read_context(recordings, FORMULA)
    assert context.formula == FORMULA
    assert [t.name for t in context.terms] == ["site", "cc(hour, df=6)", "bs(date, df=4)"]
    assert [t.kind for t in context.terms] == ["levels", "smooth", "smooth"]
    assert [t.basis.shape for t in context.terms] == [(3, 3), (96, 6), (60, 4)]
    assert context.n_recordings == len(recordings)
    for t in context.terms:
        assert t.row.dtype == np.int32
        assert t.basis.dtype == np.float64
        assert t.basis.shape == (len(t.rows), len(t.columns)) == (len(t.value), len(set(t.columns)))


def test_distinct_contexts(recordings):
    table = pd.concat([recordings, recordings])
    context = dc.read_context(table, FORMULA)
    index, rows = context.distinct()
    assert rows.shape[1] == index.max() + 1 <= len(recordings)
    assert np.array_equal(rows[:, index], [t.row for t in context.terms])
    assert len(np.unique(rows, axis=1).T) == rows.shape[1]


def test_levels(recordings):
    site = term(recordings, "site")
    assert site.rows == site.columns == ("bog", "marsh", "wood")
    assert np.array_equal(site.basis, np.eye(3))
    assert np.isnan(site.value).all()
    assert [site.rows[row] for row in site.row] == recordings["site"].tolist()
    assert term(recordings, "C(year)").rows == ("2015", "2016", "2017", "2018", "2019")
    assert term(recordings, "rain").rows == ("False", "True")
    assert term(recordings.astype({"site": "category"}), "site").rows == site.rows


@pytest.mark.parametrize(
    "formula",
    [
        "cc(hour, df=6)",
        "cc(hour, 6)",
        "cc(hour, df=4, constraints='center')",
        "bs(date, df=4)",
        "bs(date, df=5, degree=2)",
        "bs(date, knots=[150, 170])",
        "cr(elevation, df=5)",
        "cr(log(elevation), df=5)",
        "cc(wind, df=4, lower_bound=0, upper_bound=360)",
        "cc(date, df=3)",
        "bs(`wind speed`, df=3)",
    ],
)
def test_splines_are_centred_and_of_full_rank(recordings, formula):
    smooth = term(recordings, formula)
    design = smooth.basis[smooth.row]
    assert smooth.name == formula
    assert smooth.kind == "smooth"
    assert np.abs(design.mean(axis=0)).max() < 1e-9
    with_intercept = np.column_stack([np.ones(len(design)), design])
    assert np.linalg.matrix_rank(with_intercept) == design.shape[1] + 1
    df = read_formula(formula)[0].options.get("df", design.shape[1])
    assert design.shape[1] == df
    assert len(smooth.columns) == len(set(smooth.columns)) == df


def test_bs_spans_the_splines_of_scipy(recordings):
    smooth = term(recordings, "bs(date, knots=[150, 165])")
    ends = smooth.value[[0, -1]]
    knots = np.concatenate([np.repeat(ends[0], 4), [150, 165], np.repeat(ends[1], 4)])
    full = BSpline.design_matrix(smooth.value, knots, 3).toarray()
    ours = np.column_stack([np.ones(len(full)), smooth.basis])
    fitted = ours @ np.linalg.lstsq(ours, full, rcond=None)[0]
    assert np.abs(fitted - full).max() < 1e-9
    assert ours.shape == full.shape


def test_independent_effects_favour_no_end_of_the_season(recordings):
    even = recordings.assign(date=np.arange(len(recordings)) % 61 + 130)[: 61 * 6]
    variance = (term(even, "bs(date, df=4)").basis ** 2).sum(axis=1)
    assert variance == pytest.approx(variance[::-1], rel=1e-6)


def test_the_day_is_a_circle(recordings):
    """Also where no recording is near midnight, its two sides have the same value and slope."""
    day = recordings[recordings["hour"].between(3, 21)]
    hours = term(day, "cc(hour, df=6)")
    assert hours.value.tolist() == np.arange(0, 24, 0.25).tolist()
    step = np.diff(np.vstack([hours.basis, hours.basis[:1]]), axis=0)
    bend = np.diff(np.vstack([step, step[:1]]), axis=0)
    assert np.abs(bend[-2:]).max() <= 2 * np.abs(bend[:-2]).max()


def test_hours_by_the_quarter_and_dates_by_the_day(recordings):
    hours, dates = dc.read_context(recordings, "cc(hour, df=6) + date").terms
    away = np.abs(hours.value[hours.row] - recordings["hour"])
    assert np.minimum(away, 24 - away).max() <= 0.125 + 1e-12
    assert dates.value[dates.row].tolist() == recordings["date"].tolist()
    assert dates.rows[:2] == ("130", "131")
    late = recordings.assign(hour=np.where(recordings.index == "r0", 23.95, recordings["hour"]))
    assert term(late, "cc(hour, df=6)").row[0] == 0


def test_other_numbers_are_rounded_finely_centred_and_scaled(recordings):
    line = term(recordings, "elevation")
    assert line.kind == "linear"
    assert len(line.rows) <= 101
    assert np.abs(line.value[line.row] - recordings["elevation"]).max() <= 5
    values = line.basis[line.row, 0]
    assert (values.mean(), values.std()) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
    assert np.corrcoef(values, recordings["elevation"])[0, 1] > 0.9999
    years = term(recordings, "year")
    assert years.value[years.row] == pytest.approx(recordings["year"])
    logs = term(recordings, "np.log(elevation)")
    assert np.abs(logs.value[logs.row] - np.log(recordings["elevation"])).max() <= 0.025
    both = term(recordings, "{elevation / 100 + `wind speed`**2}")
    expected = recordings["elevation"] / 100 + recordings["wind speed"] ** 2
    assert np.abs(both.value[both.row] - expected).max() <= 0.25


def test_times_give_hour_and_date(recordings):
    only = recordings[["time"]]
    assert np.array_equal(term(only, "cc(hour, df=6)").row, term(recordings[["hour"]], "cc(hour, df=6)").row)
    with pytest.raises(dc.AnnotationError, match="date is the same in all recordings"):
        dc.read_context(only, "bs(date, df=4)")


def test_an_intercept_or_a_tilde_changes_nothing(recordings):
    for formula in ("0 + site", "1 + site", "site - 1", "~ site", "site + site"):
        (only,) = dc.read_context(recordings, formula).terms
        assert only.basis.shape == (3, 3)


def test_new_recordings_have_the_same_encoding(recordings):
    context = dc.read_context(recordings, f"{FORMULA} + elevation + C(year)")
    again = context_of_new(context, recordings.iloc[::-1])
    for old, new in zip(context.terms, again.terms, strict=True):
        assert np.array_equal(new.row, old.row[::-1])
        assert new.basis is old.basis
    some = recordings.iloc[:3].assign(
        site=["bog", "beach", None], hour=[23.99, 0, 12], date=[150, 150, 151], year=[2015, 2030, 2019]
    )
    site, hour, date, _, year = context_of_new(context, some).terms
    assert site.row.tolist() == [0, -1, -1]
    assert hour.value[hour.row].tolist() == [0, 0, 12]
    assert date.value[date.row].tolist() == [150, 150, 151]
    assert year.row.tolist() == [0, -1, 4]
    assert all(t.row.dtype == np.int32 for t in (site, hour, date, year))


def test_new_numbers_outside_of_what_was_fitted_take_the_nearest_end(recordings):
    context = dc.read_context(recordings, "bs(date, df=4) + cc(hour, df=6)")
    some = recordings.iloc[:3].assign(date=[1, 150, 366])
    with pytest.warns(dc.AnnotationWarning, match="date of 2 recordings is outside .* 130 to 189"):
        date, _ = context_of_new(context, some).terms
    assert date.value[date.row].tolist() == [130, 150, 189]


def test_new_recordings_need_their_metadata(recordings):
    context = dc.read_context(recordings, FORMULA)
    with pytest.raises(dc.AnnotationError, match="date is missing in 1 recording of 2: 'r1'"):
        context_of_new(context, recordings.iloc[:2].assign(date=[150, None]))
    with pytest.raises(dc.AnnotationError, match="no 'site'"):
        context_of_new(context, recordings[["hour", "date"]])


def test_numbers_as_names_of_sites_are_told(recordings):
    with pytest.warns(dc.AnnotationWarning, match=r"write C\(site\)"):
        dc.read_context(recordings.assign(site=np.arange(len(recordings)) % 4), "site")


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("sitee", "no 'sitee', which the formula names; they have 'site', .*Remedy: perhaps you mean 'site'"),
        ("humidity", "Remedy: add 'humidity' to the table of recordings"),
        ("sunrise", "no columns 'latitude' and 'longitude' for sunrise"),
        ("time", "time is a time.*use hour, date or sunrise"),
        ("gaps", "gaps is missing in 100 recordings of 400: 'r0', 'r4', 'r8' and 97 more.*fill it in"),
        ("owner", r"owner is the same in all recordings \(us\).*leave owner out"),
        ("site:hour", "interaction, site:hour, and these are not supported yet"),
        ("site*hour", "interaction, site:hour"),
        ("site +", "is not understood .*write terms with"),
        ("cc(hour", "is not understood"),
        ("cc(hour, df=)", "is not understood"),
        ("", "has no term"),
        ("1", "has no term"),
        ("presence ~ site", "several sides"),
        (None, "the formula is None"),
        ("bs(date, df=2)", r"df in bs\(date, df=2\) is 2.*at least 3"),
        ("bs(date, df=2.5)", "is 2.5"),
        ("bs(date, df=k)", "options that are not numbers"),
        ("bs(date, colour=3)", "colour"),
        ("bs(date, 4, 3)", "name the options"),
        ("bs(date, **{'df': 4})", "name the options"),
        ("cc(hour)", r"cc\(hour\) cannot be calculated"),
        ("cc(wind, df=4)", "does not say where the cycle begins and ends.*upper_bound=360"),
        ("bs(`wind speed`, df=9)", r"9 columns, which is too many for 7 distinct values of `wind speed`"),
        ("bs(site, df=4)", r"the site of recording 'r0' is '\w+'.*C\(site\)"),
        ("log(hour - 12)", r"log\(hour - 12\) is not a finite number in recording 'r\d+', where hour is"),
        ("scale(elevation)", "scale .* is not needed"),
        ("loog(elevation)", "no function 'loog'.*perhaps you mean 'log'"),
        ("te(elevation)", "no function 'te'"),
        ("log(elevation, 2)", "write log around one column"),
        ("bs(cc(hour, df=3), df=4)", "write cc around one column"),
        ("hour[0]", r"hour\[0\] .* is not understood"),
        ("C(site, 3)", "write one column inside"),
        ("I(3)", "names no column"),
    ],
)
def test_mistakes_are_told(recordings, formula, message):
    with pytest.raises(dc.AnnotationError, match=message):
        dc.read_context(recordings, formula)


def test_no_metadata_at_all(recordings):
    with pytest.raises(dc.AnnotationError, match="there are none.*recordings='recordings.csv'") as error:
        dc.read_context(recordings[[]], "site")
    assert "--recordings recordings.csv" in error.value.at_command_line()


def test_formulas_run_no_code(recordings):
    for formula in ("__import__('os').getcwd()", "site.__class__", "np.linalg.norm(hour)", "{open('x')}"):
        with pytest.raises(dc.AnnotationError):
            dc.read_context(recordings, formula)


def test_without_formulaic_its_extra_is_named(recordings, monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'dawnchorus\[context\]'"):
        dc.read_context(recordings, "site")
