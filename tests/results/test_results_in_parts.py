"""Results in parts: the page, tables and scores of a fit in memory of the same data, without its votes."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import dawnchorus as dc
from dawnchorus.common.errors import OutputError
from dawnchorus.io.parts import labels as labels_module
from dawnchorus.model import design as design_module
from dawnchorus.model.predictive import cells as cells_module
from dawnchorus.report import report_html
from dawnchorus.report.report import SECTIONS
from dawnchorus.results.findings import examples as examples_module
from dawnchorus.results.parts import finding, in_shard, posterior_in_parts, writing
from dawnchorus.results.presence import presence_table
from dawnchorus.results.saving import folder as folder_module
from pages import Page

SHORT = {"warmup": 40, "draws": 80, "chains": 2, "min_ess": None, "seed": 3}
MANY = (presence_table, finding, posterior_in_parts, writing, folder_module)
"""Whoever asks whether cells are many."""

pytestmark = [
    pytest.mark.filterwarnings("ignore::dawnchorus.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.* of the truth were not compared"),
]


@pytest.fixture(scope="module", autouse=True)
def small():
    """Blocks, buckets and stretches are small, and few examples are kept, so that all have several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design_module, "BLOCK", 25)
        patch.setattr(labels_module, "ROWS", 150)
        patch.setattr(cells_module, "BLOCK", 300)
        patch.setattr(in_shard, "BLOCKS", 2)
        patch.setattr(examples_module, "MOST", 9)
        patch.setattr("dawnchorus.report.sections.recordings.MOST", 9)
        patch.setattr("dawnchorus.report.sections.people._map", lambda *_: None)  # neither has it
        patch.delitem(SECTIONS, "predictive")  # data in parts have none, and it takes long
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A portal on which people mistake one species for another, its rows spread over three files."""
    home = tmp_path_factory.mktemp("portal")
    simulation = dc.simulate_portal(160, 7, 8, visits=2.6, sites=3, present_species=2, confusion=0.3, seed=4)
    simulation.truth.to_frame().to_csv(home / "truth.csv", index=False)
    frame = simulation.annotations.to_frame("scope")
    simulation.annotations.species_lists().to_csv(home / "scope.csv", index=False)
    where = np.random.default_rng(1).integers(3, size=len(frame))
    (home / "visits").mkdir()
    for part in range(3):
        frame[where == part].to_parquet(home / "visits" / f"part-{part}.parquet", index=False)
    return home


@pytest.fixture(scope="module")
def dataset(home):
    return dc.open_dataset(home / "visits", absence="scope", scope=home / "scope.csv")


@pytest.fixture(scope="module")
def truth(home):
    return dc.read_truth(home / "truth.csv")


@pytest.fixture(scope="module", params=["base", "base-hierarchical"])
def model(request):
    return request.param


@pytest.fixture(scope="module")
def whole(dataset, model):
    return dc.fit(dataset.read(), model, **SHORT)


@pytest.fixture(scope="module", params=[1, 3])
def fitted(request, dataset, model):
    return dc.fit(dataset, model, threads=request.param, **SHORT)


@pytest.fixture(scope="module", params=["all cells", "the likely cells"])
def written(request, fitted, whole, tmp_path_factory):
    """The result in parts and that in memory, each in its folder; the second time as if cells were many."""
    home = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "the likely cells":
            for module in MANY:
                patch.setattr(module, "ALL_CELLS", 100)
        fresh = dc.Posterior.of(whole)
        dc.write_result(fresh, home / "whole")
        dc.write_result(fitted, home / "parts", report=True)
        yield fresh, home


@pytest.fixture(scope="module")
def loaded(written):
    return dc.PosteriorInParts.load(written[1] / "parts")


@pytest.fixture(scope="module")
def in_memory():
    """The page of a fit in memory, made once for all fits in parts that it is compared with."""
    pages = {}

    def page(fresh, model):
        kind = model, fresh.presence_table.many
        if kind not in pages:
            pages[kind] = without_what_parts_lack(report_html(fresh))
        return pages[kind]

    return page


@pytest.fixture
def only_the_truth(monkeypatch):
    """Pages have what they begin with and the comparison with the truth: nothing else is asked of them."""
    some = {name: SECTIONS[name] for name in ("overview", "truth")}
    monkeypatch.setattr("dawnchorus.report.report.SECTIONS", some)


def without_what_parts_lack(page):
    """Return a page without what data in parts do not have: scopes and lists; and how many threads."""
    page = re.sub(r"present or absent, in [\d,]+ scopes?", "present or absent", page)
    page = re.sub(r"<dt>species per annotator</dt><dd>.*?</dd>", "", page)
    page = re.sub(r"<dt>(columns read|rows with a missing species)</dt><dd>.*?</dd>", "", page)
    return re.sub(r"\n +threads=\d+,", "", page)


def test_the_page_is_that_of_a_fit_in_memory(written, loaded, model, in_memory):
    fresh, home = written
    assert without_what_parts_lack(report_html(loaded)) == in_memory(fresh, model)
    beside = (home / "parts" / "report.html").read_text(encoding="utf-8")
    assert 'href="species.csv"' in beside
    Page(beside)


def test_what_is_found_is_what_a_fit_in_memory_finds(written, loaded):
    findings = written[0].findings
    for name, value in findings.overall._asdict().items():
        assert np.allclose(getattr(loaded.overall, name), value, rtol=1e-12), name
    pd.testing.assert_frame_equal(loaded.found_species(), findings.species(), rtol=1e-12)
    confusions = findings.confusions()
    assert len(confusions)
    pd.testing.assert_frame_equal(loaded.confusions(), confusions, check_exact=True)
    overruled = findings.overruled()
    assert len(overruled) > 9 or loaded.n_cells > 100
    pd.testing.assert_frame_equal(
        loaded.examples.overruled().head(9), overruled.head(9), check_exact=True, check_dtype=False
    )
    told = findings.recordings().sort_values("information", ascending=False, kind="stable").head(9)
    mine = loaded.examples.recordings().sort_values("information", ascending=False, kind="stable").head(9)
    pd.testing.assert_frame_equal(mine.reset_index(drop=True), told.reset_index(drop=True), check_exact=True)
    assert len(loaded.examples.annotations.recordings) < 30


def test_a_result_is_opened_again(written, loaded, whole):
    assert loaded.draws.keys() == whole.draws.keys()
    assert all(np.array_equal(loaded.draws[name], whole.draws[name]) for name in whole.draws)
    assert loaded.diagnostics == whole.diagnostics
    pd.testing.assert_frame_equal(loaded.annotators(), whole.annotators(), check_dtype=False)
    pd.testing.assert_frame_equal(loaded.species(level=0.5), whole.species(level=0.5), check_dtype=False)
    assert np.array_equal(loaded.reported_in, whole.reported_in)
    assert np.array_equal(loaded.listener().tpr, whole.listener().tpr)
    assert np.array_equal(loaded.listener("best").fpr, whole.listener("best").fpr)
    assert loaded.in_words() == whole.in_words()
    told = whole.annotations.summary().as_dict()
    for name, value in loaded.summary().known().items():
        assert name in ("source", "columns") or told[name] == value, name
    assert "154 recordings, 7 annotators, 7 species" in repr(loaded)


def listed(fresh):
    """Return the cells that are listed of a fit in memory."""
    least = 0.01 if fresh.presence_table.many else 0.0
    return pd.concat(fresh.file_blocks(least, keep_reported=True), ignore_index=True)


def test_presence_is_read_as_far_as_it_is_asked_for(written, loaded):
    fresh = written[0]
    every = listed(fresh)
    names = fresh.annotations.recordings.index
    for wanted in (
        {},
        {"min_probability": 0.4},
        {"min_probability": 0.4, "keep_reported": True},
        {"recordings": [names[3], names[150], names[70]]},
        {"recordings": names[5], "species": ["s1", "s7"]},
        {"min_probability": 1.0},
    ):
        keep = every["probability"] >= wanted.get("min_probability", 0)
        if wanted.get("keep_reported"):
            keep |= every["reports"] > 0
        for word in ("recording", "species"):
            if f"{word.rstrip('s')}s" in wanted or word in wanted:
                asked = wanted.get(word, wanted.get(f"{word}s"))
                keep &= every[word].isin([asked] if isinstance(asked, str) else asked)
        found = loaded.presence(**wanted)
        expected = every[keep].reset_index(drop=True)
        pd.testing.assert_frame_equal(found, expected, check_exact=True, check_dtype=False)
    for wanted in ({"recordings": "nowhere"}, {"species": ["s1", "none"]}, {"min_probability": 2}):
        with pytest.raises(dc.AnnotationError, match=r"there is no (recording|species)|between 0 and 1"):
            loaded.presence(**wanted)


def test_reported_cells_are_kept_or_not(loaded):
    for call in (loaded.presence, lambda **x: list(loaded.presence_blocks(**x))):
        with pytest.raises(dc.AnnotationError, match="keep_reported is 'no'. Remedy: give True or False"):
            call(keep_reported="no")


def test_scores_are_those_of_a_fit_in_memory(written, loaded, truth, only_the_truth):
    fresh, home = written
    saved, table = dc.read_result(home / "whole"), listed(fresh)  # presence.csv has fewer digits
    some = truth[truth["recording"].isin(truth["recording"].unique()[::3])]
    more = pd.DataFrame({"recording": ["nowhere", some["recording"].iloc[0]], "species": "s1", "present": 1})
    asked = pd.concat([some[some["species"] != "s1"], more], ignore_index=True)
    for as_, unlisted in (("present", saved.unlisted), ("report", saved.would_report_unlisted)):
        for told in (some, asked):
            options = {"as_": as_, "bootstrap": 20}
            names = {"recordings": saved.recordings, "species": saved.species, "unlisted": unlisted}
            expected = dc.evaluate(table, told, **names, **options)
            found = dc.evaluate(loaded, told, **options)
            for name, value in expected.as_dict().items():
                mine = found.as_dict()[name]
                assert str(mine) == str(value) or np.isclose(mine, value, rtol=1e-9).all(), name
    assert "Against the truth" in report_html(loaded, truth=some)
    with pytest.raises(dc.AnnotationError, match="no cell of the truth is in the result"):
        dc.evaluate(loaded, more.head(1))
    with pytest.raises(dc.AnnotationError, match="cannot be compared as 'heard'"):
        dc.evaluate(loaded, some, as_="heard")
    known = some.head(2)
    with pytest.raises(dc.AnnotationError, match="2 cells of the truth were known in the fit"):
        dc.evaluate(loaded, some, known=known)
    every = dc.evaluate(loaded, some, known=known, include_known=True).cells
    assert dc.evaluate(loaded, some, known=known, leave_out_known=True).cells == every - 2


def test_the_truth_on_the_page_is_as_in_memory(written, loaded, truth, only_the_truth):
    if loaded.n_cells > 100 and written[0].presence_table.many:
        pytest.skip("there, cells that are not listed have their mean probability")
    pages = [report_html(one, truth=truth) for one in (written[0], loaded)]
    one, two = (re.search(r'<section id="truth">.*?</section>', page, re.DOTALL)[0] for page in pages)
    words = re.compile(r'<td class="text">.*?</td>')  # who said what is known of examples only
    assert words.sub("", one) == words.sub("", two)


def test_what_needs_votes_says_so(fitted, loaded, written, tmp_path):
    folder = written[1] / "parts"
    for words, call in (
        ("a check of the model needs all votes in one place", lambda: dc.predictive_checks(loaded)),
        ("feedback needs all votes", lambda: dc.write_feedback(loaded, tmp_path / "pages")),
        ("an update needs all votes", lambda: dc.update(loaded, None)),
        ("is not in one place. Remedy: write it with dc.write_result", fitted.presence),
    ):
        with pytest.raises(dc.AnnotationError, match=words):
            call()
    for words, call in (
        ("is of a fit in parts, which has no votes.*PosteriorInParts", lambda: dc.Posterior.load(folder)),
        ("is a result in parts, which is not read as a whole", lambda: dc.read_result(folder)),
        ("it is not of a fit in parts: open it with dc.Posterior.load",
         lambda: dc.PosteriorInParts.load(written[1] / "whole")),
        ("is in .*parts already", lambda: dc.write_result(loaded, tmp_path / "again")),
    ):  # fmt: skip
        with pytest.raises(OutputError, match=words):
            call()
    assert not list(tmp_path.iterdir())


def test_presence_is_exported_in_a_stream(loaded, written, tmp_path):
    for as_, column in (("present", "probability"), ("report", "would_report")):
        path = tmp_path / f"{as_}.parquet"
        told = dc.export(written[1] / "parts", path, "parquet", as_=as_, threshold=0.6, min_probability=0.05)
        rows = loaded.presence()
        rows = rows[rows[column] >= 0.05].reset_index(drop=True)
        found = pd.read_parquet(path)
        assert told["rows"] == len(found) == len(rows)
        assert np.array_equal(found["probability"], rows[column])
        assert np.array_equal(found["present"], rows[column] >= 0.6)
        assert b"dawnchorus" in pq.read_schema(path).metadata
    dc.export(loaded, tmp_path / "draws.nc", "arviz")
    assert (tmp_path / "draws.nc").stat().st_size == (written[1] / "parts" / "posterior.nc").stat().st_size
    with pytest.raises(dc.AnnotationError, match="is not written as raven, which needs all recordings"):
        dc.export(loaded, tmp_path / "raven", "raven")


def test_a_missing_or_damaged_part_is_named(written, tmp_path):
    folder = tmp_path / "parts"
    shutil.copytree(written[1] / "parts", folder)
    part = folder / "presence" / "part-00000.parquet"
    content = part.read_bytes()
    part.write_bytes(content[: len(content) // 2])
    with pytest.raises(OutputError, match=r"presence/part-00000\.parquet cannot be read"):
        dc.PosteriorInParts.load(folder).presence()
    part.unlink()
    with pytest.raises(OutputError, match=r"presence/part-00000\.parquet is missing"):
        dc.PosteriorInParts.load(folder).presence()


def test_a_fit_that_is_not_written_has_a_report_too(fitted, whole, tmp_path):
    fresh = dc.PosteriorInParts.of(fitted, fitted.sums, shards=fitted.shards, home=fitted.home)
    fresh.report(tmp_path / "report.html")
    expected = without_what_parts_lack(report_html(whole, folder=tmp_path))
    found = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert without_what_parts_lack(found) == expected
