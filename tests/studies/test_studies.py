"""The paper's evaluation, run again: its pieces, its quick modes and its committed pages."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from commands import run
from dawnchorus.studies import grid, simulated
from dawnchorus.studies.beyond_study import every_model, fit_file, models, reproduce_beyond, tried
from dawnchorus.studies.kerttu_study import Length, reproduce_kerttu
from dawnchorus.studies.pages import Page
from dawnchorus.studies.priors_page import add_priors
from dawnchorus.studies.published import METHODS, published
from dawnchorus.studies.summary import MEASURES, beside, over_data_sets

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def tables(page: str) -> list[pd.DataFrame]:
    """Give all tables of a page; every row has as many cells as the head."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", page, flags=re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.strip().split("\n")]
        assert all(len(row) == len(rows[0]) for row in rows)
        found.append(pd.DataFrame(rows[2:], columns=rows[0]))
    return found


def sentences(page: str) -> list[str]:
    """Give all paragraphs but tables and origin, with # for numbers, and … for models that were chosen."""
    found = [text for text in page.split("\n\n") if not text.startswith(("|", "Made by"))]
    found = [re.sub(r"(Best of these|standard error): [^.]*\.", r"\1: ….", text) for text in found]
    found = [re.sub(r"model '[^']*'", "model …", text) for text in found]
    return [re.sub(r"\d+([.,]\d+)*", "#", text).strip() for text in found]


def test_the_papers_figures_are_all_there():
    sizes = {name: len(published(name)) for name in ("simulation", "sensitivity", "kerttu")}
    assert sizes == {"simulation": 260, "sensitivity": 4320, "kerttu": 21}
    table = published("simulation").set_index(["measure", "scenario", "visits", "method"])["paper"]
    assert table["auc", 1, 0.8, "majority-vote"] == 0.834
    assert table["tpr_mse", 3, 0.8, "base"] == pytest.approx(0.0863)
    assert set(published("sensitivity")["tpr"]) == set(simulated.TPR_SDS)


def test_finished_jobs_are_not_run_again(tmp_path):
    jobs = [grid.Job(f"job-{n}", json.loads, {"s": f'[{{"square": {n * n}}}]'}) for n in range(3)]
    shown = []
    first = grid.run_jobs(jobs[:2], tmp_path, about={"seed": 1}, workers=1)
    assert [row["square"] for row in first] == [0, 1]
    (tmp_path / "job-1.json").write_text('[{"square": "kept"}]')
    rows = grid.run_jobs(jobs, tmp_path, about={"seed": 1}, workers=1, progress=lambda *at: shown.append(at))
    assert [row["square"] for row in rows] == [0, "kept", 4]
    assert shown == [(2, 3), (3, 3)]
    with pytest.raises(dc.AnnotationError, match="different seed"):
        grid.run_jobs(jobs, tmp_path, about={"seed": 2})


def test_all_methods_see_the_same_data_whatever_the_study_holds():
    one, two = (simulated.Setting(2, 1.6, 3, seed=4) for _ in range(2))
    other = simulated.Setting(2, 1.6, 4, seed=4).simulate().annotations
    assert one.simulate().annotations.reports.equals(two.simulate().annotations.reports)
    assert not one.simulate().annotations.reports.equals(other.reports)


def test_other_readings_have_as_many_votes_as_they_should():
    setting = simulated.Setting(1, 1.6, 0, seed=4)
    described = simulated.as_described(setting).annotations.n_votes
    assert simulated.cell_by_cell(setting).annotations.n_votes == pytest.approx(described, rel=0.1)
    assert simulated.short_lists(setting).annotations.n_votes == pytest.approx(described, rel=0.1)
    assert simulated.few_absences(setting).annotations.n_votes < 0.2 * described
    assert simulated.higher_fpr(setting).truth.annotators["fpr"].max() > 0.05
    assert simulated.rarer_species(setting).truth.species["occurrence"].mean() < 0.015


def test_the_papers_figure_is_inside_if_some_data_set_goes_beyond():
    rows = pd.DataFrame({"scenario": 1, "visits": 0.8, "method": "base", "auc": [0.85, 0.87]})
    both = beside(over_data_sets(rows, ["scenario", "visits", "method"]), published("simulation"))
    assert both[["mean", "paper", "inside"]].to_numpy().tolist() == [[0.86, 0.863, True]]
    lower = over_data_sets(rows.assign(auc=[0.80, 0.81]), ["scenario", "visits", "method"])
    assert beside(lower, published("simulation"))["inside"].tolist() == [False]


def test_the_quick_simulation_study_shows_ours_beside_the_papers(tmp_path):
    out = tmp_path / "study"
    run("reproduce", "simulation", "--quick", "--out", str(out))
    page = (out / "simulation.md").read_text(encoding="utf-8")
    assert f"Dawnchorus {dc.__version__}, seed 1" in page
    first = tables(page)[0]
    assert first.columns.tolist() == ["scenario", "visits", *METHODS]
    assert "(" in first["base"][0]
    for name in re.findall(r"\]\((.*?\.png)\)", page):
        assert (out / name).stat().st_size > 1000
    kept = {file.name: file.read_text() for file in (out / "cells").iterdir()}
    run("reproduce", "simulation", "--quick", "--out", str(out))
    assert {file.name: file.read_text() for file in (out / "cells").iterdir()} == kept
    rows = json.loads(kept["default-scenario-1-visits-0.8-data-00.json"])
    assert [row["method"] for row in rows] == list(METHODS)
    other = run("reproduce", "simulation", "--quick", "--seed", "2", "--out", str(out), code=2)
    assert "different seed" in other.stderr


def test_the_page_of_other_priors_has_every_entry_of_the_appendix(tmp_path):
    rng = np.random.default_rng(1)
    among = (
        simulated.SCENARIOS,
        simulated.OCCURRENCES,
        simulated.TPR_SDS,
        simulated.VISITS,
        METHODS[1:],
        (0, 1),
    )
    rows = pd.DataFrame(
        product(*among), columns=["scenario", "occurrence", "tpr", "visits", "method", "dataset"]
    )
    for measure in MEASURES:
        rows[measure] = rng.random(len(rows))
    page = Page("Other priors", "priors", tmp_path)
    both = add_priors(page, rows)
    assert len(both) == len(published("sensitivity"))
    entries = tables(page.write().read_text(encoding="utf-8"))[2:]
    assert [len(table) for table in entries] == [160, 160, 160, 300, 300]
    assert entries[0].columns.tolist() == ["scenario", "occurrence", "tpr", "visits", *METHODS[1:]]
    assert entries[0]["base"][0].endswith("(0.862)") or entries[0]["base"][0].endswith("(**0.862**)")


def test_a_folder_with_something_else_is_not_written_to(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    for words in (("simulation", "--quick"), ("kerttu", str(tmp_path))):
        result = run("reproduce", *words, "--out", str(tmp_path), code=2)
        assert "choose another --out" in result.stderr


def test_the_application_has_every_part(tmp_path, kerttu, kerttu_folder):
    annotations, gold = kerttu, dc.read_truth(kerttu_folder / "gold.csv")
    some = [*pd.unique(gold["recording"]), *annotations.recordings.index[:60]]
    annotations = annotations.select(recordings=list(dict.fromkeys(some)))
    lengths = dict.fromkeys(METHODS[1:], Length(20, 20))
    page = reproduce_kerttu(
        annotations, tmp_path, gold=gold, lengths=lengths, min_ess=None, bootstrap=5
    ).read_text(encoding="utf-8")
    for heading in (
        "Fits",
        "Against the expert",
        "Which model",
        "Annotators",
        "most uncertain",
        "Diagnostics",
    ):
        assert heading in page
    assert len(tables(page)) == 7
    assert f"Dawnchorus {dc.__version__}, seed 1" in page
    for name in re.findall(r"\]\((.*?\.png)\)", page):
        assert (tmp_path / name).stat().st_size > 1000


def test_what_goes_beyond_the_paper_has_every_part(tmp_path, kerttu, kerttu_folder):
    gold = dc.read_truth(kerttu_folder / "gold.csv")
    gold = gold[gold["recording"].isin(pd.unique(gold["recording"])[:20])]
    some = [*pd.unique(gold["recording"]), *kerttu.recordings.index[:20]]
    annotations = kerttu.select(recordings=list(dict.fromkeys(some)))
    short = {"gold": gold, "length": Length(10, 10), "held_out": 10, "bootstrap": 5, "workers": 1}
    page = reproduce_beyond(annotations, tmp_path, **short).read_text(encoding="utf-8")
    committed = (RESULTS / "kerttu_beyond.md").read_text(encoding="utf-8")
    assert sentences(page) == sentences(committed)
    held_out, written, parts, trials, present, report, goals = tables(page)
    for ours, theirs in zip(tables(page)[:-1], tables(committed)[:-1], strict=True):
        assert ours.columns.tolist() == theirs.columns.tolist()
    pd.testing.assert_frame_equal(written, tables(committed)[1])
    assert held_out["model"].tolist() == list(every_model())
    chosen = re.search(r"model '(.*)'", goals.columns[1])[1]
    assert f"at most one standard error: {chosen}." in page
    fitted = list(dict.fromkeys((*models(), chosen)))
    fits = [dc.Posterior.load(tmp_path / "fits" / fit_file(name)) for name in fitted]
    for table in (present, report):
        assert table["model"].tolist() == fitted
        assert table["R-hat"].tolist() == [f"{fit.diagnostics.max_rhat:.2f}" for fit in fits]
    gain = held_out.set_index("model")["gain"]
    assert parts["alone"].tolist() == [gain[f"+ {part}"] for part in parts["part"]]
    assert "on top of all others" in parts
    assert trials["tried"].tolist() == [trial.what for trial in tried()]
    over_plain = trials[trials["added to"] == "base-hierarchical"].set_index("tried")["gain"]
    assert over_plain["communities"] == gain["base-hierarchical + communities"]
    assert "no command repeats that" in page
    assert re.search(r"\d+ cores, load \d+\.\d in the last 15 minutes", page)
    assert "as there were processes (1)" in page
    assert set(goals["reached"]) <= {"yes", "no"}
    assert len(goals) == 6
    assert "too short to agree" in page
    for name in re.findall(r"\]\((.*?\.png)\)", page):
        assert (tmp_path / name).stat().st_size > 1000
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "fits").iterdir()}
    reproduce_beyond(annotations, tmp_path, **short)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "fits").iterdir()} == kept


@pytest.mark.parametrize("name", ["simulation", "priors", "kerttu", "kerttu_beyond"])
def test_committed_pages_say_what_made_them_and_their_tables_parse(name):
    path = RESULTS / f"{name}.md"
    page = path.read_text(encoding="utf-8")
    assert re.search(
        r"Made by `dawnchorus reproduce .*`: Dawnchorus \d+\.\d+\.\d+, seed \d+, \d{4}-\d\d-\d\d", page
    )
    assert len(tables(page)) >= 5
    for picture in re.findall(r"\]\((.*?\.png)\)", page):
        assert (RESULTS / picture).exists()


def test_the_committed_page_beyond_the_paper_has_what_was_tried_and_docs_agree_with_it():
    page = (RESULTS / "kerttu_beyond.md").read_text(encoding="utf-8")
    assert "### What each part is worth" in page
    assert "### What else was tried" in page
    held_out = tables(page)[0].set_index("model")
    assert held_out.index.tolist() == list(every_model())
    copied = tables((RESULTS.parent / "compare.md").read_text(encoding="utf-8"))
    ours = next(table for table in copied if "all but context" in table.get("model", pd.Series()).tolist())
    theirs = held_out.iloc[: len(ours)].reset_index(drop=True)
    theirs.loc[theirs["gain"] == "0.000 ± 0.000", "gain"] = ""
    columns = ["log score × 100", "gain", "AUC", "average precision", "seconds", "R-hat"]
    pd.testing.assert_frame_equal(ours[columns], theirs[columns])
    told = (RESULTS.parent / "reproduce.md").read_text(encoding="utf-8")
    _, _, _, trials, _, _, goals = tables(page)
    gains = trials[trials["tried"].isin(["learned priors", "difficulty", "communities"])]["gain"]
    missed = goals[goals["reached"] == "no"].iloc[:, 1].str.split(" ").str[0]
    for figure in (*gains, *missed):
        assert figure in told
    assert len(goals) - len(missed) == 4
    assert "four are reached" in told


def test_the_table_of_scores_beyond_the_paper_is_that_of_the_page():
    page = tables((RESULTS / "kerttu_beyond.md").read_text(encoding="utf-8"))
    scores = pd.read_csv(RESULTS / "kerttu_beyond_scores.csv")
    for table, as_ in zip(page[4:6], ("present", "report"), strict=True):
        ours = scores[scores["as"] == as_].reset_index(drop=True)
        assert ours["model"].str.lstrip("'").tolist() == table["model"].tolist()
        shown = {"AUC": ("auc", 3), "average precision": ("average_precision", 3)}
        shown |= {"log score": ("log_score", 4), "Brier": ("brier", 4)}
        for words, (measure, digits) in shown.items():
            assert table[words].str.split(" ").str[0].tolist() == [f"{x:.{digits}f}" for x in ours[measure]]
        agree = ours["max_rhat"].map(lambda rhat: "" if np.isnan(rhat) else f"{rhat:.2f}")
        assert table["R-hat"].tolist() == agree.tolist()


def test_committed_tables_have_every_entry_of_the_paper():
    ours = pd.read_csv(RESULTS / "simulation.csv")
    assert np.isfinite(ours[["mean", "low", "high", "paper"]]).all(axis=None)
    assert ours["datasets"].min() >= 20
    keys = ["measure", "scenario", "visits", "method"]
    missing = published("simulation").merge(ours[keys], on=keys, how="left", indicator=True)["_merge"]
    assert (missing == "both").all()


def test_fits_of_other_data_are_not_mixed_in(tmp_path, monkeypatch):
    from dawnchorus.studies import kerttu_study

    def fitted(*_, **__):
        raise RuntimeError("far enough")

    monkeypatch.setattr(kerttu_study, "kept_fit", fitted)
    for seed, message in ((1, "far enough"), (2, "different data")):
        annotations = dc.simulate_paper(recordings=30, species=4, visits=2, seed=seed).annotations
        with pytest.raises((dc.AnnotationError, RuntimeError), match=message):
            reproduce_kerttu(annotations, tmp_path, lengths={"base": Length(20, 30)})
