"""The report and the feedback pages as text: whole, escaped, self-contained, honest."""

from __future__ import annotations

import html
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.common.errors import OutputError
from dawnchorus.report import report_html, write_feedback
from dawnchorus.report.feedback import feedback_html
from dawnchorus.report.sections import recordings
from dawnchorus.report.subject import Subject
from dawnchorus.report.words import percent, reason, verdict
from dawnchorus.results.findings.encounters import Vote
from dawnchorus.sampling.convergence import Diagnostics
from pages import Page

MODELS = [name for name in dc.MODELS if name != "majority-vote"]
SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_portal(90, 6, 7, visits=1.8, sites=3, seed=4)


@pytest.fixture(scope="module", params=MODELS)
def posterior(request, simulation):
    return dc.fit(simulation.annotations, request.param, **SHORT)


def test_every_model_has_a_whole_page(posterior, simulation):
    text = report_html(posterior, truth=simulation.truth)
    page = Page(text)
    assert page.scripts == 1
    assert 2 * page.figures == page.images + page.panels >= 12  # for wide and narrow screens; panels fit both
    assert page.headings[0] == 1
    assert all(next_ - last <= 1 for last, next_ in zip(page.headings, page.headings[1:], strict=False))
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    assert ("Communities" in text) == ("bmm" in posterior.name)
    assert ("Who knows which species" in text) == posterior.name.endswith("hierarchical")
    for word in ("In short", "Where one more visit would tell most", "Against the truth", "How to cite"):
        assert word in text
    for word in ("Present, or reported?", "probability of presence", "probability of a report"):
        assert word in text
    assert not re.search(r"[\u03b1-\u03c9]", text)  # no Greek letters


def test_names_that_are_code_are_shown_as_such(simulation, tmp_path):
    frame = simulation.annotations.to_frame()
    for column in ("recording", "annotator", "species"):
        first = frame[column].iloc[0]
        frame[column] = frame[column].where(frame[column] != first, f"{EVIL}{column}'\"& $\\frac$ コマドリ")
    level = pd.DataFrame({"annotator": frame["annotator"].unique(), "level": EVIL})
    evil = dc.Annotations.from_frame(frame, "explicit", annotators=level)
    posterior = dc.fit(evil, "dp-bmm-hierarchical", **SHORT)
    pages = [report_html(posterior, truth=pd.DataFrame(
        {"recording": frame["recording"][:5], "species": frame["species"][:5], "present": 1}
    ).drop_duplicates())]  # fmt: skip
    pages += [feedback_html(Subject(posterior, self_rating="level"), j) for j in range(evil.n_annotators)]
    for text in pages:
        assert Page(text).scripts == 1
        assert EVIL not in text
        assert "&lt;script&gt;" in text
    names = write_feedback(posterior, tmp_path / "feedback")["file"]
    assert all(re.fullmatch(r"[a-z0-9-]+\.html", name) for name in names)


def test_a_report_is_whole_and_not_overwritten_unasked(simulation, tmp_path):
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    path = tmp_path / "report.html"
    posterior.report(path)
    size = path.stat().st_size
    with pytest.raises(OutputError, match=r"report\.html exists"):
        posterior.report(path)
    posterior.report(path, overwrite=True)
    assert path.stat().st_size == size
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    posterior.report(tmp_path / "new" / "report.html")
    with pytest.raises(OutputError, match=r"report\.html is a file"):
        posterior.report(path / "report.html")
    with pytest.raises(OutputError, match=r"end in \.html"):
        posterior.report(tmp_path / "presence.csv", overwrite=True)


ODD = {
    "one annotator": [("r1", "Aino", "wren", 1), ("r2", "Aino", "wren", 0)],
    "one species, all reported": [("r1", "Aino", "wren", 1), ("r1", "Onni", "wren", 1)],
    "nothing reported": [("r1", "Aino", "wren", 0), ("r2", "Onni", "robin", 0)],
    "a recording nobody judged": [("r1", "Aino", "wren", 1), ("r2", "Onni", "robin", None)],
}


@pytest.mark.parametrize("model", ["base", "dp-bmm-hierarchical"])
@pytest.mark.parametrize("rows", ODD.values(), ids=ODD)
def test_odd_data_have_a_page_too(rows, model, tmp_path):
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    recordings = pd.DataFrame({"recording": [*frame["recording"].unique(), "r9"]})
    annotations = dc.Annotations.from_frame(frame, "explicit", recordings=recordings)
    posterior = dc.fit(annotations, model, **SHORT)
    Page(report_html(posterior))
    write_feedback(posterior, tmp_path / "feedback")
    for page in (tmp_path / "feedback").iterdir():
        Page(page.read_text(encoding="utf-8"))


def test_few_draws_are_not_trusted(simulation):
    posterior = dc.fit(simulation.annotations, "base", warmup=5, draws=4, min_ess=None, chains=2)
    assert "Do not trust the result yet" in report_html(posterior)


def test_what_is_known_of_labels_survives_a_file_and_is_shown(tmp_path):
    frame = pd.DataFrame(
        [("r1", "Aino", "t1", 1), ("r1", "Onni", "t2", 1), ("r2", "Onni", "t1", 0)],
        columns=["recording", "annotator", "species", "present"],
    )
    annotations = dc.Annotations.from_frame(
        frame,
        "explicit",
        recordings=pd.DataFrame(
            {"recording": ["r1", "r2"], "site": ["bog", None], "time": pd.to_datetime(["2020-05-01", None])}
        ),
        annotators=pd.DataFrame(
            {
                "annotator": ["Aino", "Onni"],
                "skill_level": [3, 4],
                "hours": [0.5, None],
                "paid": [True, False],
                "big": [2**60 + 1, 7],
                "code": pd.array(["x", None], dtype="string"),
                "grade": pd.array([1, None], dtype="Int64"),
                "joined": pd.to_datetime(
                    ["2020-03-01", "2020-07-01 10:00:00.5"], format="ISO8601"
                ).tz_localize("Europe/Helsinki"),
            }
        ),
        species=pd.DataFrame({"species": ["t1", "t2"], "name": ["Winter Wren", "European Robin"]}),
    )
    posterior = dc.fit(annotations, "base", **SHORT)
    posterior.save(tmp_path / "posterior.nc")
    again = dc.Posterior.load(tmp_path / "posterior.nc")
    for name in ("recordings", "annotators", "species"):
        old, new = getattr(annotations, name), getattr(again.annotations, name)
        assert list(old.columns) == list(new.columns)
        for column in old:
            for one, two in zip(old[column], new[column], strict=True):
                assert (pd.isna(two) or two == "") if pd.isna(one) else one == two
    people = again.annotations.annotators
    assert people["skill_level"].dtype.kind == "i"
    assert people["paid"].dtype.kind == "b"
    assert str(people["joined"].dt.tz) == "Europe/Helsinki"
    assert again.annotations.provenance == annotations.provenance
    assert again.diagnostics == posterior.diagnostics
    text = report_html(again)
    for word in ("Winter Wren", "bog", "Skill level"):
        assert word in text


@pytest.mark.parametrize("levels", [[1, 2, None], ["low", "high", None], pd.array([1, None, 10], "Int64")])
def test_a_level_may_be_missing(levels):
    rows = [(f"r{i}", name, "wren", i % 2) for i in range(8) for name in ("Aino", "Onni", "Helmi")]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    known = pd.DataFrame({"annotator": ["Aino", "Onni", "Helmi"], "level": levels})
    posterior = dc.fit(dc.Annotations.from_frame(frame, "explicit", annotators=known), "base", **SHORT)
    text = report_html(posterior)
    assert "not known" in text
    assert "<td>1.0<" not in text
    ax = dc.plots.annotators(posterior, by="level")
    names = [label.get_text() for label in ax.get_legend().get_texts()]
    assert names[-1] == "not known"
    for j in range(3):
        Page(feedback_html(Subject(posterior, self_rating="level"), j))


def test_what_cannot_be_used_is_told_with_what_to_do(tmp_path):
    """A column where there is none, a path in place of a truth, and a frame in place of a path."""
    simulation = dc.simulate_paper(recordings=20, annotators=3, species=3, seed=1)
    frame = simulation.truth.to_frame()
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    with pytest.raises(dc.AnnotationError, match="no column 'foo': nothing is known.*Remedy: give a table"):
        posterior.report(tmp_path / "x.html", self_rating="foo")
    for path in ("truth.csv", tmp_path / "truth.csv"):
        with pytest.raises(TypeError, match=r"got a path; read the file with dc\.read_truth"):
            posterior.report(tmp_path / "x.html", truth=path)
        with pytest.raises(TypeError, match=r"got a path; read the file with dc\.read_truth"):
            dc.evaluate(posterior, path)
    with pytest.raises(TypeError, match="got DataFrame; a frame needs no reading"):
        dc.read_truth(frame)
    assert dc.evaluate(posterior, frame).cells == len(frame)


def test_a_failed_report_costs_no_result(simulation, tmp_path, monkeypatch):
    from dawnchorus.report import report as module

    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    monkeypatch.setattr(module, "render", lambda *_, **__: 1 / 0)
    with pytest.warns(dc.AnnotationWarning, match="its report could not be made"):
        dc.write_result(posterior, tmp_path / "fit", report=True)
    assert (tmp_path / "fit/posterior.nc").is_file()
    assert not (tmp_path / "fit/report.html").exists()


def test_the_recipe_makes_the_same_again(simulation):
    posterior = dc.fit(simulation.annotations, spread="empirical-bayes", chains=2, thin=2, **SHORT)
    code = re.search(r"posterior = (dc\.fit\(.*?^\))", report_html(posterior), re.DOTALL | re.MULTILINE)[1]
    again = eval(html.unescape(code), {"dc": dc, "annotations": simulation.annotations})
    assert again.draws.keys() == posterior.draws.keys()
    assert all(np.array_equal(again.draws[name], values) for name, values in posterior.draws.items())


def test_a_truth_with_nothing_absent_has_a_page(simulation):
    truth = simulation.truth.to_frame(simulation.truth.recordings)
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    text = report_html(posterior, truth=truth[truth["present"] == 1])
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", text[text.index('id="truth"') :], flags=re.DOTALL)


def test_only_tables_of_the_fit_are_linked(simulation, tmp_path):
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    (tmp_path / "species.csv").write_text("species,name\n")
    posterior.report(tmp_path / "report.html")
    assert "species.csv" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    with pytest.raises(dc.AnnotationError, match="no column 'grade'"):
        posterior.report(tmp_path / "other.html", self_rating="grade")
    with pytest.raises(dc.AnnotationError, match="no column 'grade'"):
        dc.write_feedback(posterior, tmp_path / "feedback", self_rating="grade")
    with pytest.raises(OutputError, match=r"species\.csv is a file"):
        dc.write_feedback(posterior, tmp_path / "species.csv")


def test_who_reports_at_random_is_named():
    """Aino reports a third of all species in all recordings; the others hear what is there."""
    rng, there = np.random.default_rng(1), np.random.default_rng(2).random((80, 8)) < 0.15
    rows = [
        (
            f"r{i:02}",
            name,
            f"s{k}",
            int(rng.random() < (1 / 3 if name == "Aino" else 0.02 + 0.83 * there[i, k])),
        )
        for i in range(80)
        for name in ("Aino", "Onni", "Elli")
        for k in range(8)
    ]
    table = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    posterior = dc.fit(dc.Annotations.from_frame(table, absence="explicit"), **SHORT)
    said = re.search("Perhaps at random:</strong> (.*)</p>", report_html(posterior))
    assert said
    assert re.match(r"Aino \(3\d.%.of what is not there\) reports what is not there", said[1])
    assert "Onni" not in said[1]
    given = dc.fit(dc.Annotations.from_frame(table, absence="explicit"), priors="given", **SHORT)
    assert given.model.even(given.draws.at(given.draws.places())) is None
    assert "Perhaps at random" not in report_html(given)


def test_one_chain_is_not_said_to_agree(simulation):
    posterior = dc.fit(simulation.annotations, "base", chains=1, draws=3000, min_ess=None, seed=1)
    assert "started only once" in report_html(posterior)
    good, words = verdict(Diagnostics(1.0, 1000.0, "a", "a"), 4)
    assert good == "good"
    assert "started 4 times" in words
    assert verdict(Diagnostics(float("inf"), 1000.0, "a", "a"), 4)[0] == "poor"
    assert "do not agree" in verdict(Diagnostics(float("inf"), 1000.0, "a", "a"), 4)[1]


def test_many_cells_have_the_same_page_but_for_what_is_not_listed(simulation, monkeypatch):
    from dawnchorus.results.presence import presence_table as listing

    few = dc.fit(simulation.annotations, "base", **SHORT)
    whole, scores = few.findings.species(), report_html(few, truth=simulation.truth)
    monkeypatch.setattr(listing, "ALL_CELLS", 10)
    many = dc.fit(simulation.annotations, "base", **SHORT)
    found = many.findings.species()
    assert np.allclose(found["believed"], whole["believed"], equal_nan=True)
    assert np.allclose(found["recordings_expected"], whole["recordings_expected"], rtol=0.2, atol=1)
    assert np.nanmax(np.abs(found["missed"] - whole["missed"])) < 0.2
    text = report_html(many, truth=simulation.truth)
    area = re.search(r"probability than an absent one ([\d.]+)", " ".join(scores.split()))[1]
    assert f"probability than an absent one {area}" in " ".join(text.split())


def test_reasons_are_sentences():
    votes = [Vote(f"a{i}", False, 0.3, 0.01) for i in range(7)]
    assert reason(votes, 0.9, 0.5).startswith(
        "a0, a1, a2, a3 and 3 others, who did not report it, miss it in"
    )
    assert "70" in reason(votes, 0.9, 0.5)
    text = reason([Vote("Aino", True, 0.8, 0.04)], 0.2, 0.4, together=True)
    assert text.count("of recordings.") == 1
    assert "may speak against it too" in text


def test_feedback_speaks_of_one_annotator_only(tmp_path):
    names = ["Aino", "Onni", "Helmi", "Eino", "Lyyli", "Toivo", "Saima", "Urho"]
    simulation = dc.simulate_portal(200, names, 12, visits=2.5, sites=3, seed=2)
    posterior = dc.fit(simulation.annotations, **SHORT)
    pages = write_feedback(posterior, tmp_path)
    assert sorted(pages["annotator"]) == sorted(names)
    for name, file in zip(pages["annotator"], pages["file"], strict=True):
        text = (tmp_path / file).read_text(encoding="utf-8")
        Page(text)
        assert name in text
        assert not [other for other in names if other != name and other in text]
        assert "in place" not in text
    with pytest.raises(OutputError, match="exists"):
        write_feedback(posterior, tmp_path, ["Aino"])
    write_feedback(posterior, tmp_path, ["Aino"], rank=True, overwrite=True)
    assert "in place" in (tmp_path / "aino.html").read_text(encoding="utf-8")
    with pytest.raises(dc.AnnotationError, match="Nobody"):
        write_feedback(posterior, tmp_path, ["Nobody"])


def test_feedback_counts_what_a_visit_settled(tmp_path):
    """Presence without an annotator is what the same draws give when their votes are left out."""
    from dawnchorus.report.one_annotator import contribution, missed
    from dawnchorus.results.findings.findings import in_doubt

    simulation = dc.simulate_portal(120, 5, 4, visits=2.5, sites=2, seed=1)
    a = simulation.annotations
    posterior = dc.fit(a, "base", **SHORT)
    found = contribution(Subject(posterior), 0)
    with_them = posterior.presence().set_index(["recording", "species"])["probability"]
    mine = a.visits(annotator=a.annotators.index[0])["recording"]
    others = a.select(recordings=mine, annotators=a.annotators.index[1:])
    without = posterior.predict(others).set_index(["recording", "species"])["probability"]
    settled = sum(
        bool(in_doubt(without[name].to_numpy()).any() and not in_doubt(with_them[name].to_numpy()).any())
        for name in mine
    )
    assert found["made_certain"] == settled > 0
    assert found["recordings"] == len(mine)
    for species in missed(Subject(posterior), 0):
        for recording, probability in species["recordings"]:
            assert probability >= 0.8
            assert a.votes(recording, a.annotators.index[0])[species["name"]] == 0


def test_percentages_have_the_digits_they_deserve():
    assert percent(float("nan")) == "–"
    assert percent(1.0) == "100\u00a0%"
    assert percent(0.995) == "99.5\u00a0%"


@pytest.mark.slow
def test_a_large_result_has_a_small_page(tmp_path):
    annotations = dc.simulate_portal(100_000, 500, 400, seed=1).annotations
    posterior = dc.fit(annotations, "base", warmup=20, draws=30, min_ess=None, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 15e6


def test_a_recording_shows_as_many_species_in_doubt_as_it_counts(simulation, monkeypatch):
    posterior = dc.fit(simulation.annotations, "base", **SHORT)
    for most in (6, 1):
        monkeypatch.setattr(recordings, "IN_ONE", most)
        rows = recordings.section(Subject(posterior))["rows"]
        assert max(row["in_doubt"] for row in rows) > 2
        for row in rows:
            assert len(row["cells"]) + row["more"] == max(row["in_doubt"], 1)
            assert len(row["cells"]) <= most
            if row["in_doubt"]:
                assert all(0.1 < cell["probability"] < 0.9 for cell in row["cells"])
    assert ">and 1 more</li>" in report_html(posterior)
