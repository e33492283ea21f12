"""Models compared by held-out visits: what is right wins, what is done is kept, what fails is named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import dawnchorus as dc
from commands import COMMAND, run
from dawnchorus.evaluation.held_out import comparing, jobs, workers
from dawnchorus.evaluation.held_out.jobs import Job, Outcome, Runner
from dawnchorus.evaluation.held_out.predicting import HeldOutVotes
from dawnchorus.evaluation.held_out.scoring import score
from dawnchorus.evaluation.held_out.specs import PARTS, read_spec, read_specs

SHORT = {"warmup": 60, "draws": 60, "workers": 1, "loo": False, "folds": 2, "seed": 1}


@pytest.fixture(scope="module")
def small():
    return dc.simulate_portal(80, 6, 5, visits=2.5, sites=3, seed=4).annotations


@pytest.fixture(scope="module")
def experts():
    """Annotators who each know half of the species: rates differ by species, and nothing else matters."""
    rng, rows = np.random.default_rng(1), []
    for i in range(250):
        there = rng.random(8) < 0.3
        for j in rng.choice(6, 3, replace=False):
            knows = (np.arange(8) + j) % 2 == 0
            heard = rng.random(8) < np.where(there, np.where(knows, 0.95, 0.2), 0.01)
            rows += [(f"r{i:03d}", f"a{j}", f"s{k}", int(heard[k])) for k in range(8)]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    return dc.Annotations.from_frame(frame, "explicit")


def same(one, other):
    columns = [name for name in one.table().columns if name != "seconds"]
    pd.testing.assert_frame_equal(one.table()[columns], other.table()[columns], check_exact=True)


# What is given is checked before anything is fitted


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seconds": float("nan")}, "^seconds is nan"),
        ({"min_ess": float("nan")}, "^min_ess is nan"),
        ({"max_sweeps": 10, "warmup": 10}, "^at most 10 sweeps"),
        ({"workers": 0}, "^workers is 0"),
        ({"loo": "no"}, "^loo is 'no'"),
        ({"progress": "no"}, "^progress is 'no'"),
        ({"search": "dificulty"}, "^there is no part 'dificulty'"),
    ],
)
def test_options_are_checked_before_any_fold(small, wrong, message, tmp_path):
    with pytest.raises(dc.AnnotationError, match=message):
        dc.compare(small, "base", **SHORT | wrong, out=tmp_path / "new")
    assert not list(tmp_path.iterdir())


# What is right wins


def test_a_model_that_is_right_beats_one_that_is_wrong(experts):
    found = dc.compare(experts, ["base", "base-hierarchical"], **SHORT | {"loo": True})
    table = found.table().set_index("model")
    assert table.loc["base-hierarchical", "gain"] > 3 * table.loc["base-hierarchical", "gain_se"]
    assert table.loc["base-hierarchical", "loo_gain"] > 3 * table.loc["base-hierarchical", "loo_gain_se"]
    assert table.loc["base-hierarchical", "auc"] > table.loc["base", "auc"]
    assert found.choice.spec.text == "base-hierarchical"
    assert found.advice().startswith("Choose base-hierarchical. The part hierarchical helps: ")
    (row,) = found.differences().to_dict("records")
    assert row["gain"] == pytest.approx(table.loc["base-hierarchical", "gain"])
    assert row["average_precision"] > row["average_precision_se"] > 0


def test_the_simpler_model_is_chosen_where_parts_do_not_help():
    plain = dc.simulate_paper(recordings=150, annotators=5, species=6, visits=3, seed=1).annotations
    found = dc.compare(plain, ["base", "base-hierarchical"], **SHORT)
    assert found.choice.spec.text == "base"
    assert "hierarchical helps" not in found.advice()


def test_context_helps_recordings_that_nobody_visited():
    """Species sing at one of four sites each; whole recordings are held out."""
    rng, rows, where = np.random.default_rng(1), [], {}
    for i in range(240):
        where[f"r{i:03d}"] = f"site{i % 4}"
        there = rng.random(4) < np.where(np.arange(4) == i % 4, 0.8, 0.02)
        for j in rng.choice(5, 2, replace=False):
            heard = rng.random(4) < np.where(there, 0.8, 0.02)
            rows += [(f"r{i:03d}", f"a{j}", f"s{k}", int(heard[k])) for k in range(4)]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    sites = pd.DataFrame({"recording": list(where), "site": list(where.values())})
    annotations = dc.Annotations.from_frame(frame, "explicit", recordings=sites)
    found = dc.compare(annotations, ["base", "base + context(site)"], **SHORT, by="recording")
    gain = found.table().iloc[1]
    assert gain["gain"] > 5 * gain["gain_se"]
    assert "context(site) helps" in found.advice()
    assert "whole by recording" in found.held_out


def test_search_adds_what_helps_and_stops(experts):
    told = []
    found = dc.compare(
        experts,
        "base",
        search=["hierarchical", "learned", "skill(level)"],
        **SHORT,
        progress=lambda _, done, total: told.append((done, total)),
    )
    specs = [one.spec.text for one in found.models]
    assert specs[:3] == ["base", "base-hierarchical", "base + learned"]
    assert "base-hierarchical + learned" in specs  # tried in the next round
    assert found.choice.spec.name == "base-hierarchical"
    assert "skill(level) was not tried: the formula needs metadata of annotators" in found.advice()
    counts = [done for done, _ in told]
    assert counts == sorted(counts)  # a step does not start again from 0
    assert told[-1] == (2 * len(specs), 2 * len(specs))


def test_search_tries_parts_together_with_the_one_that_they_need():
    """Birds are faint, and rates hardly differ by species: `hierarchical` helps with `faint` only."""
    faint = dc.simulate_portal(250, 8, 6, visits=3, faintness=2.5, seed=3).annotations
    parts = ["hierarchical", "faint", "skill(owls)"]
    found = dc.compare(faint, "base + priors(given)", search=parts, **SHORT | {"seed": 0})
    assert found.choice.spec.text == "base-hierarchical + faint + priors(given)"
    assert "faint needs hierarchical, so both were added together: hierarchical + faint helps" in (
        found.advice()
    )
    assert "faint was not tried" not in found.advice()
    assert "skill(owls) was not tried" in found.advice()
    assert "has no option" not in found.advice()  # why it does not go with the model that it was tried with


# Scores


def test_scores_are_what_their_definitions_say():
    rng = np.random.default_rng(1)
    unit = np.sort(rng.integers(40, size=300))
    unit = np.unique(unit, return_inverse=True)[1]
    p, q = rng.random((2, 300))
    said = rng.random(300) < p
    made = [HeldOutVotes(unit, unit, said, one) for one in (p, q)]
    good, bad = (score(votes, unit) for votes in made)
    loss = -np.where(said, np.log(p), np.log(1 - p))
    assert good.log_score.value == pytest.approx(loss.mean())
    assert good.ranks["auc"] == pytest.approx(roc_auc_score(said, p))
    assert good.ranks["average_precision"] == pytest.approx(average_precision_score(said, p))
    again = []
    for _ in range(2000):
        drawn = rng.integers(good.votes.size, size=good.votes.size)
        again.append(good.losses[drawn].sum() / good.votes[drawn].sum())
    assert good.log_score.se == pytest.approx(np.std(again), rel=0.1)
    other = -np.where(said, np.log(q), np.log(1 - q))
    assert good.gain(bad).value == pytest.approx((other - loss).mean())
    assert good.gain(bad).value == -bad.gain(good).value
    assert good.gain(good) == (0, 0)
    assert good.rank_gain(bad, "auc").value == pytest.approx(roc_auc_score(said, p) - roc_auc_score(said, q))


def test_groups_that_are_held_out_whole_are_the_units_of_standard_errors():
    """Recordings of a site err together: with these as units, standard errors were far too small."""
    portal = dc.simulate_portal(120, 8, 6, visits=2, sites=6, seed=5).annotations
    models = ["base", "base + context(site)"]
    found = dc.compare(portal, models, by="site", **SHORT | {"folds": 3})
    losses = found.models[0].scores.losses - found.models[1].scores.losses
    votes = found.models[0].scores.votes
    assert len(votes) == 6
    left = losses - losses.sum() / votes.sum() * votes
    assert found.table()["gain_se"][1] == pytest.approx(100 * np.sqrt(6 / 5 * (left**2).sum()) / votes.sum())
    assert "Standard errors are over 6 different sites only, and rough." in found.advice()
    by_recording = dc.compare(portal, "base", by="recording", **SHORT)
    assert len(by_recording.models[0].scores.votes) > 90
    assert "rough" not in by_recording.advice()


def test_leave_one_out_is_that_of_arviz(small):
    import arviz_stats

    posterior = dc.fit(small, "base", warmup=60, draws=100, chains=2, min_ess=None, seed=1)
    found, pareto_k = jobs.left_out(posterior)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = arviz_stats.loo(posterior.tree, pointwise=True, reff=1.0)
    assert found.sum() == pytest.approx(float(known.elpd), rel=1e-6)
    assert len(found) == len(pareto_k) == known.n_data_points


# Models as they are written


def test_models_are_read_as_they_are_written():
    spec = read_spec(" Base Hierarchical+ difficulty +context(site + cc(hour, df=6))+skill( level )")
    assert (
        spec.text
        == "base-hierarchical + learned + difficulty + skill(level) + context(site + cc(hour, df=6))"
    )
    assert spec.options == {
        "model": "base-hierarchical",
        "priors": "learned",
        "difficulty": True,
        "skill": "level",
        "context": "site + cc(hour, df=6)",
    }
    assert read_spec(spec.text) == spec
    assert read_spec("base + hierarchical + communities").text == "dp-bmm-hierarchical"
    assert [one.text for one in read_specs(["base", "bmm + components(5), base"])] == [
        "base",
        "bmm + components(5)",
    ]
    assert read_spec("base-hierarchical + difficulty + priors(default)").options["priors"] == "default"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("owls", "there is no model 'owls'"),
        ("base + owls", r"there is no part 'owls'.*context\(…\)"),
        ("base + context", r"'context' is not understood. Remedy: write context\(…\)"),
        ("base + learned(yes)", "write learned"),
        ("bmm + components(many)", r"write components\(20\)"),
        ("base +", "is not understood"),
        ("base + context(site", "is not understood"),
        ("base + learned + priors(default)", "cannot be added to base"),
        ("base-hierarchical + hierarchical", "cannot be added"),
        ("majority-vote", "majority vote does not predict votes"),
    ],
)
def test_what_is_no_model_is_told(text, problem):
    with pytest.raises(dc.AnnotationError, match=problem):
        read_spec(text)


def test_every_part_is_an_option_of_fit():
    options = dc.fit.__kwdefaults__
    assert all(part.renames or part.option in options for part in PARTS.values())


def test_every_part_is_named_where_parts_are_explained():
    """Parts are listed by hand in the docstring and on the page."""
    page = Path(__file__).parents[2] / "docs" / "compare.md"
    for name, part in PARTS.items():
        assert f"{name}(…)" in dc.compare.__doc__ or (
            f" {name}," in dc.compare.__doc__ and not part.in_brackets
        )
        assert f"`{name}" in page.read_text(encoding="utf-8")


def test_models_that_do_not_go_with_the_data_are_refused_before_anything_is_fitted(small, tmp_path):
    with pytest.raises(dc.AnnotationError, match="the model base has no option difficulty"):
        dc.compare(small, ["base", "base + difficulty"], **SHORT, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()


# Folders, processes and crashes


def test_an_interrupted_comparison_goes_on_with_the_same_result(small, tmp_path, monkeypatch):
    models = ["base", "base-hierarchical"]
    straight = dc.compare(small, models, **SHORT)
    run_job, fitted = Runner.run, []

    def interrupted(self, job):
        if len(fitted) == 2:
            raise KeyboardInterrupt
        fitted.append(job)
        return run_job(self, job)

    monkeypatch.setattr(Runner, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dc.compare(small, models, **SHORT, out=tmp_path / "c")
    assert len(list((tmp_path / "c/folds").glob("*"))) == 2
    monkeypatch.setattr(Runner, "run", lambda self, job: fitted.append(job) or run_job(self, job))
    same(dc.compare(small, models, **SHORT, out=tmp_path / "c"), straight)
    assert len(fitted) == len(set(fitted)) == 4
    dc.compare(small, [*models, "base + learned"], **SHORT, out=tmp_path / "c")  # one more is added
    assert len(fitted) == 6
    damaged = tmp_path / "c/folds" / Job(read_spec("base"), 0).file
    damaged.write_bytes(damaged.read_bytes()[:100])
    same(dc.compare(small, models, **SHORT, out=tmp_path / "c"), straight)
    assert len(fitted) == 7


def test_folders_of_other_comparisons_are_refused(small, tmp_path):
    dc.compare(small, "base", **SHORT, out=tmp_path / "c")
    with pytest.raises(dc.OutputError, match="folds of another comparison \\(folds 2, not 3\\)"):
        dc.compare(small, "base", **SHORT | {"folds": 3}, out=tmp_path / "c")
    other = small.select(recordings=small.recordings.index[:60])
    with pytest.raises(dc.OutputError, match="other annotations"):
        dc.compare(other, "base", **SHORT, out=tmp_path / "c")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("precious")
    with pytest.raises(dc.OutputError, match="not the folder of a comparison"):
        dc.compare(small, "base", **SHORT, out=tmp_path / "mine")


def test_processes_find_the_same(small):
    told = []
    one = dc.compare(small, ["base", "base + learned"], **SHORT)
    two = dc.compare(
        small,
        ["base", "base + learned"],
        **SHORT | {"workers": 2},
        progress=lambda *words: told.append(words),
    )
    same(one, two)
    assert [done for _, done, _ in told] == [0, 1, 2, 3, 4]


def test_seconds_leave_out_what_a_process_does_once(small, monkeypatch):
    """The first fit of each model takes a second longer: to load or compile what it calls."""
    known = set()

    def slow_at_first(annotations, model, **options):
        if model not in known:
            known.add(model)
            time.sleep(1)
        return dc.fit(annotations, model, **options)

    monkeypatch.setattr(jobs, "fit", slow_at_first)
    found = dc.compare(small, ["base", "base-hierarchical"], **SHORT)
    assert known == {"base", "base-hierarchical"}
    assert (found.table()["seconds"] < 1).all()


def test_a_crash_in_a_fold_says_which(small, monkeypatch):
    predict = jobs.predict_held_out

    def crash(posterior, annotations, fold, seed):
        if np.array_equal(fold.visits, second.visits):
            raise ZeroDivisionError("owls")
        return predict(posterior, annotations, fold, seed)

    second = comparing.make_folds(small, 2, seed=1)[1]
    monkeypatch.setattr(jobs, "predict_held_out", crash)
    with pytest.raises(dc.AnnotationError, match="base, fold 2 failed \\(ZeroDivisionError: owls\\)"):
        dc.compare(small, "base", **SHORT)


class Ending:
    """Ends the process that reads it."""

    def __init__(self, *_):
        pass

    def __reduce__(self):
        return os._exit, (1,)


def test_a_crash_in_a_process_says_which(small, monkeypatch):
    make_folds = comparing.make_folds

    def beyond(*args, **options):
        first, second = make_folds(*args, **options)
        return [first, second._replace(visits=second.visits + small.n_visits)]

    with monkeypatch.context() as patch:
        patch.setattr(comparing, "make_folds", beyond)
        with pytest.raises(dc.AnnotationError, match=r"base, fold 2 failed \(\w+Error: "):
            dc.compare(small, "base", **SHORT | {"workers": 2})
    monkeypatch.setattr(workers, "Runner", Ending)
    with pytest.raises(dc.AnnotationError, match=r"base, fold \d failed \(the process ended with code 1"):
        dc.compare(small, "base", **SHORT | {"workers": 2})


def test_files_of_folds_are_whole(small, tmp_path):
    found = Outcome(HeldOutVotes(*np.ones((4, 3))), np.empty(0), np.empty(0), 1.5, 1.01)
    found.save(tmp_path / "a.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]
    assert Outcome.load(tmp_path / "a.npz").seconds == 1.5
    assert Outcome.load(tmp_path / "b.npz") is None


# What people see


def test_words_tables_and_plots(small):
    found = dc.compare(small, ["base", "base + context(site)"], **SHORT)
    assert "held out" in found._repr_html_()
    assert "log score × 100" in str(found)
    assert repr(found).startswith("<ModelComparison: 2 models; Choose ")
    ax = dc.plots.compared(found)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["base", "base + context(site)"]
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["choice"] in ("base", "base + context(site)")
    one = dc.compare(small, "base", **SHORT)
    assert "Only base was tried" in one.advice()
    assert one.differences().empty


def test_without_arviz_leave_one_out_is_left_out(small, monkeypatch):
    class Missing:
        @property
        def loo(self):
            raise dc.common.errors.MissingPackageError("leave-one-out", "arviz_stats", "arviz")

    monkeypatch.setattr(comparing, "STATS", Missing())
    with pytest.warns(dc.AnnotationWarning, match=r"leave-one-out needs the package arviz_stats.*left out"):
        found = dc.compare(small, "base", **SHORT | {"loo": True})
    assert "loo" not in found.table()


def test_the_command(small, tmp_path):
    small.to_frame().to_csv(tmp_path / "votes.csv", index=False)
    small.recordings.reset_index().to_csv(tmp_path / "recordings.csv", index=False)
    words = [
        "compare",
        tmp_path / "votes.csv",
        "--absence",
        "explicit",
        "--models",
        "base, base + context(site)",
    ]
    words += ["--recordings", tmp_path / "recordings.csv", "--folds", 2, "--warmup", 60, "--draws", 60]
    words += ["--workers", 1, "--out", tmp_path / "c"]
    shown = run(*words)
    assert "How well models predict votes that were held out" in shown.stdout
    assert "Leave-one-out over recordings" in shown.stdout
    assert "Choose base" in shown.stdout
    assert {file.name for file in (tmp_path / "c").iterdir()} == {
        "compare.json",
        "differences.csv",
        "folds",
        "models.csv",
        "models.png",
    }
    told = json.loads(run(*words, "--json").stdout)  # nothing is fitted again
    assert [one["model"] for one in told["models"]] == ["base", "base + context(site)"]
    assert pd.read_csv(tmp_path / "c/models.csv")["model"].tolist() == ["base", "base + context(site)"]
    single = small.select(visits=np.unique(small.visit_recording, return_index=True)[1])
    single.to_frame().to_csv(tmp_path / "single.csv", index=False)
    refused = run("compare", tmp_path / "single.csv", "--absence", "explicit", code=2)
    assert "no recording was visited more than once" in refused.stderr
    assert "--by recording" in refused.stderr


def test_a_stopped_command_ends_its_processes_and_goes_on(small, tmp_path):
    small.to_frame().to_csv(tmp_path / "votes.csv", index=False)
    words = [
        "compare",
        tmp_path / "votes.csv",
        "--absence",
        "explicit",
        "--models",
        "base-hierarchical",
        "--no-loo",
    ]
    words += ["--folds", 3, "--warmup", 20, "--draws", 1000, "--workers", 2, "--out", tmp_path / "c"]
    process = subprocess.Popen([COMMAND, *map(str, words)], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 90
    while not list(tmp_path.glob("c/folds/*.npz")) and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    if process.returncode:  # it may have been done by then
        assert process.returncode == 130, error
        assert "To continue, run the same command again" in error
    assert "Choose" in run(*words).stdout or "Only base-hierarchical" in run(*words).stdout
