"""Every sentence of reports and feedback pages with extreme data: nothing, everything, one, all certain."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.report import one_annotator, report_html
from dawnchorus.report.feedback import feedback_html
from dawnchorus.report.one_annotator import SURE
from dawnchorus.report.subject import Subject
from dawnchorus.report.words import one_in, reason, times_a
from dawnchorus.results.findings.encounters import Vote

SHORT = {"warmup": 100, "draws": 150, "min_ess": None, "seed": 1}
PEOPLE = ["Aino", "Onni", "Elli", "Urho", "Impi"]
BIRDS = ["wren", "robin", "crane"]


def table(said, recordings=20, people=PEOPLE, birds=BIRDS):
    """Votes on every species by everybody, present where `said` is true."""
    rows = [
        (f"r{i:02}", person, bird, int(said(i, person, bird)))
        for i in range(recordings)
        for person in people
        for bird in birds
    ]
    return pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])


DATA = {
    "nothing": table(lambda i, person, bird: False),
    "everything": table(lambda i, person, bird: True),
    "one": table(lambda i, person, bird: True, 1, ["Aino"], ["wren"]),
    "two, heard once": table(lambda i, person, bird: True, 2, ["Aino"], ["wren"]),
    "all certain": table(lambda i, person, bird: (i + BIRDS.index(bird)) % 2),
    "one against all": table(lambda i, person, bird: person == "Aino" if bird == "wren" else i % 2),
    "never together": table(lambda i, person, bird: i % 3 == 0, people=PEOPLE[:2]).pipe(
        lambda votes: votes[
            votes["recording"].str[-1].astype(int) % 2 == votes["annotator"].map(PEOPLE.index)
        ]
    ),
}


@pytest.fixture(scope="module", params=DATA)
def pages(request):
    """The name of the data, the posterior, and the sentences of the report and of Aino's page."""
    frame = DATA[request.param]
    levels = pd.DataFrame({"annotator": frame["annotator"].unique(), "level": 3})
    annotations = dc.Annotations.from_frame(frame, "explicit", annotators=levels)
    posterior = dc.fit(annotations, priors="given", **SHORT)
    truth = frame.groupby(["recording", "species"], as_index=False)["present"].max()
    subject = Subject(posterior, self_rating="level")
    texts = report_html(posterior, truth=truth), feedback_html(subject, 0, rank=True)
    return request.param, posterior, *map(words_of, texts)


def words_of(page):
    page = re.sub(
        r"<(svg|style|script|tbody|pre)\b.*?</\1>|<span class=.narrow.*?</span>", " ", page, flags=re.DOTALL
    )
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_nothing_is_counted_wrongly(pages):
    _, _, report, feedback = pages
    for text in (report, feedback):
        assert not re.search(r"(?<![\d.,])1 (recordings|reports|visits|cells|annotators)\b", text)
        assert not re.search(r"\bnan\b|\binf\b|None|\bin 0 |^0 of ", text)
        assert not re.search(r"(?<![\d,])0 of [\d,]+ recordings", text)
        assert "(0 %)" not in text
        assert "All 1 " not in text


def test_what_is_said_is_true_of_the_data(pages):
    name, posterior, report, feedback = pages
    a = posterior.annotations
    visited_once = bool((a.visits_by_recording.sizes == 1).any())
    assert ("visited once:" in report) == visited_once
    several = bool((a.visits_by_recording.sizes > 1).any())
    assert ("depends on the priors" in report) == (visited_once and not several)
    assert ("how reliable annotators are elsewhere" in report) == (visited_once and several)
    assert ("Missed most" in report) == (name == "one against all") or name == "never together"
    assert ("Perhaps taken for each other" in report) == (a.n_species > 1)
    assert ("on average over species" in report) == (a.n_species > 1)
    assert ("As far as can be told, you have not yet listened" in feedback) == (name == "nothing")
    assert ("When a species is not there, you report it" in feedback) == (
        name in ("nothing", "all certain", "one against all", "never together")
    )
    assert ("No answer is missing" in report) == (name != "never together")
    assert ("all of them reported" in report) == (a.n_species > 1 and name != "nothing")
    assert ("none of them reported" in report) == (name == "nothing")
    assert ("of the 3 species, and a typical" in report) == (a.n_species > 1)
    assert ("expected to hold the species with a probability of 50" in report) == (a.n_species == 1)
    assert ("expected to tell less than 0.01 bits" in report) == (
        posterior.findings.recordings()["information"].max() < 0.01
    )
    assert ("nearly certain" in feedback) == (a.n_reports > 0)


def test_there_are_no_riddles_and_no_contradictions(pages):
    name, posterior, _, feedback = pages
    for riddle in ("may well be right", "less probable than not", "stronger than most", "all but certain"):
        assert riddle not in feedback
    improbable = "Reports of yours that are improbable" in feedback
    findings, a = posterior.findings, posterior.annotations
    mine = a.visits_by_annotator.row(0)
    reports = a.reports.take(mine)
    at = findings.at(a.visit_recording[mine[reports.row_of_item()]], reports.item)
    assert improbable == bool((at < 1 - SURE).any())
    assert " 0 recordings made clear" not in feedback
    assert f"in place 1 to {a.n_annotators}" not in feedback
    if name in ("nothing", "everything", "all certain"):
        assert "do not tell in which place" in feedback
    assert ("Where you find more than others" in feedback) == (a.n_species > 1)
    if name in ("one", "two, heard once"):
        assert "Nobody else has listened so far" in feedback
        assert "Too few others chose the same" in feedback
    if name == "never together":
        assert "There are too few others to compare with" in feedback


def test_reasons_do_not_call_often_rarely():
    often, rarely = Vote("Aino", True, 0.8, 0.6), Vote("Aino", True, 0.8, 0.01)
    assert "60" in reason([often], 0.9, 0.5)
    assert "only" not in reason([often], 0.9, 0.5)
    assert "only 1 of 100 recordings" in reason([rarely], 0.9, 0.5)
    assert "in only 1 of 100 recordings" in reason([rarely, rarely._replace(annotator="Onni")], 0.9, 0.5)
    assert "1 of 1 " not in one_in(0.9)
    assert [times_a(x) for x in (1, 2.0, 0.5)] == ["once", "twice", "0.50 times"]


@pytest.fixture(scope="module")
def simulated():
    a = dc.simulate_portal(150, 8, 12, visits=2.5, false_reports=1.5, sites=3, seed=2).annotations
    return dc.fit(a, "base", **SHORT)


def test_improbable_reports_are_listed_without_false_comfort(simulated):
    posterior, a = simulated, simulated.annotations
    pages = [words_of(feedback_html(Subject(posterior), j)) for j in range(a.n_annotators)]
    some = [page for page in pages if "that are improbable" in page]
    assert some
    for page in some:
        assert "have a probability below 20 %" in page
        assert re.search(r"improbable reports?\b", page)


def test_what_is_below_a_bound_is_shown_below_it(simulated):
    for j in range(simulated.annotations.n_annotators):
        subject = Subject(simulated)
        for row in one_annotator.doubtful(subject, j)[: one_annotator.SPECIES]:
            shown = float(row["shown"].removeprefix("<").strip("\u00a0%"))
            assert shown < 20
            assert f"{html.escape(row['shown'])}</span>" in feedback_html(subject, j)


def test_a_rating_is_compared_with_those_who_chose_the_same(simulated):
    pages = [words_of(feedback_html(Subject(simulated, self_rating="level"), j)) for j in range(8)]
    said = [
        re.search(r"You rated yourself (\S+) \. Of the \d+ others who rated themselves (\S+) too", p)
        for p in pages
    ]
    assert any(said)
    assert all(one[1] == one[2] for one in said if one)


def test_a_caption_counts_what_a_table_holds_not_what_is_in_sight(simulated):
    page = report_html(simulated)
    captions = re.findall(r"<caption>(.*?)</caption>", page)
    assert any(re.match(r"\d+ visited recordings, those where", caption) for caption in captions)
    assert not [caption for caption in captions if caption.startswith("All ")]


def test_votes_that_never_disagree_fit_two_explanations(tmp_path):
    columns = ["recording", "annotator", "species"]
    rows = [(f"r{i}", f"a{j}", f"s{k}") for i in range(9) for j in range(3) for k in range(4)]
    for name, some in (("agree", rows), ("differ", rows[1:]), ("alone", rows[:4])):
        annotations = dc.Annotations.from_frame(pd.DataFrame(some, columns=columns), absence="checklist")
        posterior = dc.fit(annotations, priors="learned", draws=20, warmup=20, min_ess=None)
        dc.write_report(posterior, tmp_path / f"{name}.html")
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert ("fit two explanations" in page) == (name == "agree")


def test_a_rating_is_in_line_only_if_it_is():
    """Of what most others report, an annotator reports as much, or more or less, surely or perhaps."""
    levels = np.full(5, "3"), np.full(5, True)
    others = np.array([0.4, 0.5, 0.6, 0.7])
    for mine, spread, word in (
        (0.55, 0.01, "as much"),
        (0.7, 0.01, "as much"),
        (0.78, 0.01, "more"),
        (0.78, 0.2, "perhaps more"),
        (0.3, 0.2, "perhaps less"),
        (0.3, 0.01, "less"),
    ):
        noise = spread * np.linspace(-1, 1, 100)[:, None]
        draws = np.hstack([mine + noise, others + 0 * noise])
        flat = SimpleNamespace(flat=lambda name, draws=draws: draws)
        subject = SimpleNamespace(self_ratings=list(levels[0]), whole=SimpleNamespace(draws=flat))
        found = one_annotator.rating(subject, 0, levels[1])
        assert found["word"] == word
        assert (found["low"], found["high"]) == pytest.approx((0.4, 0.7))


def test_a_rating_among_three_others_is_compared_with_most_of_them():
    draws = np.tile([0.5, 0.4, 0.5, 0.6], (10, 1))
    flat = SimpleNamespace(flat=lambda name: draws)
    subject = SimpleNamespace(self_ratings=["3"] * 4, whole=SimpleNamespace(draws=flat))
    found = one_annotator.rating(subject, 0, np.full(4, True))
    assert (found["low"], found["high"]) == pytest.approx((0.4, 0.6))


def test_a_place_is_told_only_if_votes_tell_it():
    draws = np.random.default_rng(1).random((1000, 6))
    for mine, told in ((0.5, False), (2.0, True)):
        every = draws if not told else np.hstack([mine + draws[:, :1], draws[:, 1:]])
        flat = SimpleNamespace(flat=lambda name, every=every: every)
        found = one_annotator.rank(SimpleNamespace(whole=SimpleNamespace(draws=flat)), 0, np.full(6, True))
        assert found["told"] == told
        assert told or (found["low"], found["high"]) == (1, 6)


def test_parameters_are_called_what_they_are():
    a = dc.simulate_portal(40, 4, 4, visits=2, sites=2, seed=1).annotations
    for model, options in (
        ("base", {"priors": "learned"}),
        ("dp-bmm", {"priors": "learned"}),
        ("base-hierarchical", {"context": "site", "skill": "C(level)", "difficulty": True}),
    ):
        posterior = dc.fit(a, model, warmup=5, draws=5, min_ess=None, seed=1, **options)
        for variable in posterior.draws.variables:
            for riddle in ("in trials", "typical value", "levels of", "scales of", "intercept", "is known"):
                assert riddle not in variable.words
