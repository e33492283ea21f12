"""Data in parts: the draws and results of a plain fit of the same data, whatever the number of shards."""

from __future__ import annotations

import os
import signal
from functools import cache

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from clusters import processes, started
from dawnchorus.io.parts import labels as labels_module
from dawnchorus.model import design as design_module
from dawnchorus.model.expertise.logits import in_parts
from dawnchorus.model.expertise.summed_out import by_species
from dawnchorus.model.registry import build_model
from dawnchorus.sampling.shards import memory

SHORT = {"warmup": 10, "draws": 120, "chains": 2, "min_ess": None, "seed": 3}
PRIORS = ("default", "given", "learned")
MODELS = ("base", "base-hierarchical")

pytestmark = pytest.mark.filterwarnings("ignore::dawnchorus.ConvergenceWarning")


@pytest.fixture(scope="module", autouse=True)
def many_blocks():
    """Blocks and buckets are small, in this process: workers are told which recordings are in a block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design_module, "BLOCK", 12)
        patch.setattr(by_species, "VOTES", 9)
        patch.setattr(in_parts, "LOGITS", 15)
        patch.setattr(labels_module, "ROWS", 80)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A portal, its rows spread over three files in any order."""
    home = tmp_path_factory.mktemp("portal")
    dc.write_portal(home / "big", 60, 8, 9, sites=3, visits=2.2, seed=2)
    frame = pd.read_parquet(home / "big" / "visits").astype({"annotator": object})
    once = frame[frame["present"] == 1].iloc[[0]].assign(annotator="visits once")
    frame = pd.concat([frame, once], ignore_index=True)
    where = np.random.default_rng(1).integers(3, size=len(frame))
    (home / "visits").mkdir()
    for part in range(3):
        frame[where == part].to_parquet(home / "visits" / f"part-{part}.parquet", index=False)
    return home


@pytest.fixture(scope="module")
def dataset(folder):
    return dc.open_dataset(folder / "visits", absence="scope", scope=folder / "big" / "scope.csv")


@pytest.fixture(scope="module")
def plain(dataset):
    """Fits in memory, each made once."""
    annotations = dataset.read()
    return cache(lambda model="base", **options: dc.fit(annotations, model, **options))


@pytest.fixture(scope="module")
def client():
    """Two workers that all tests of this module share."""
    with started(2) as client:
        yield client


def same(one, two):
    assert one.draws.keys() == two.draws.keys()
    assert all(np.array_equal(one.draws[name], two.draws[name], equal_nan=True) for name in one.draws)
    assert one.diagnostics == two.diagnostics
    assert one.record["sweeps"] == two.record["sweeps"]


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shards", [1, 2, 8])
def test_draws_are_those_of_a_fit_in_memory(dataset, plain, shards, model, priors):
    found = dc.fit(dataset, model, threads=shards, priors=priors, **SHORT)
    assert found.shards.places.n == shards
    same(plain(model, priors=priors, **SHORT), found)


@pytest.mark.parametrize("model", MODELS)
def test_error_of_presence_decides_when_to_stop(dataset, plain, model):
    options = {**SHORT, "draws": 300, "min_ess": 5, "max_rhat": 3.0, "max_mcse": 0.02, "max_sweeps": 1500}
    expected, found = plain(model, **options), dc.fit(dataset, model, **options)
    same(expected, found)
    assert 0 < found.diagnostics.max_mcse < 0.02
    assert found.diagnostics.worst_mcse


def written(folder):
    parts = sorted((folder / "presence").glob("*.parquet"))
    return pd.concat([pd.read_parquet(part) for part in parts], ignore_index=True), len(parts)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shards", [1, 3])
def test_results_are_those_of_a_fit_in_memory(dataset, plain, shards, model, tmp_path):
    expected, found = plain(model, **SHORT), dc.fit(dataset, model, threads=shards, **SHORT)
    contents = dc.write_result(found, tmp_path / "parts")
    dc.write_result(expected, tmp_path / "whole")
    presence, parts = written(tmp_path / "parts")
    whole = pd.concat(expected.file_blocks(), ignore_index=True)
    assert parts == contents["presence"]["parts"] == shards
    pd.testing.assert_frame_equal(presence, whole, check_exact=True, check_dtype=False)
    recordings = pd.read_parquet(tmp_path / "parts" / "recordings")
    pd.testing.assert_frame_equal(recordings, expected.recordings(), check_dtype=False)
    for name in ("annotators.csv", "species.csv"):
        one, two = ((tmp_path / each / name).read_text() for each in ("parts", "whole"))
        assert one == two
    assert contents["presence"]["rows"] == len(whole)
    for name in ("recordings", "visits", "votes", "reports", "unsure", "species_never_reported"):
        assert contents["data"][name] == expected.annotations.summary().as_dict()[name], name


@pytest.mark.parametrize("model", MODELS)
def test_workers_of_a_cluster_share_a_chain(dataset, plain, client, model, tmp_path):
    found = dc.fit(dataset, model, cluster=client, work=tmp_path / "work", **SHORT)
    same(plain(model, **SHORT), found)
    dc.write_result(found, tmp_path / "result", cluster=client)
    whole = pd.concat(plain(model, **SHORT).file_blocks(), ignore_index=True)
    pd.testing.assert_frame_equal(written(tmp_path / "result")[0], whole, check_exact=True, check_dtype=False)


@pytest.mark.parametrize("model", MODELS)
def test_a_killed_worker_costs_nothing_but_time(dataset, plain, model, tmp_path):
    options = {**SHORT, "draws": 400}
    with started(2) as client:
        killed = []

        def kill(at):
            if at.done > 60 and not killed:
                killed.append(next(iter(processes(client).values())))
                os.kill(killed[0], signal.SIGKILL)

        found = dc.fit(dataset, model, cluster=client, work=tmp_path / "work", progress=kill, **options)
        same(plain(model, **options), found)
        assert killed


@pytest.mark.parametrize("model", MODELS)
def test_an_interrupted_fit_goes_on(dataset, plain, model, tmp_path):
    path = tmp_path / "fit.checkpoint"

    def interrupt(at):
        if at.done > 100:
            raise KeyboardInterrupt

    options = {**SHORT, "draws": 400}
    with pytest.raises(KeyboardInterrupt):
        dc.fit(dataset, model, checkpoint=path, progress=interrupt, **options)
    assert path.exists()
    found = dc.fit(dataset, model, checkpoint=path, resume=True, **options)
    same(plain(model, **options), found)
    dc.write_result(found, tmp_path / "result")
    whole = pd.concat(plain(model, **options).file_blocks(), ignore_index=True)
    pd.testing.assert_frame_equal(written(tmp_path / "result")[0], whole, check_exact=True, check_dtype=False)


def test_annotators_keep_species_that_they_know_and_never_vote_on(folder, tmp_path):
    frame = (
        pd.read_parquet(folder / "visits")
        .drop(columns="scope")
        .astype({"annotator": object, "species": object})
    )
    who, what = "a1", "s1"
    frame = frame[(frame["annotator"] != who) | (frame["species"] != what)]
    seen = frame.loc[frame["annotator"] == who, "recording"].unique()
    marks = pd.DataFrame({"recording": seen, "annotator": who, "species": what, "present": None})
    (tmp_path / "visits").mkdir()
    for part, rows in enumerate((frame, marks.astype({"present": frame["present"].dtype}))):
        rows.to_parquet(tmp_path / "visits" / f"part-{part}.parquet", index=False)
    names = pd.MultiIndex.from_product([frame["annotator"].unique(), frame["species"].dropna().unique()])
    names.to_frame(index=False, name=["annotator", "species"]).to_csv(tmp_path / "scope.csv", index=False)
    data = dc.open_dataset(tmp_path / "visits", absence="scope", scope=tmp_path / "scope.csv")
    known = data.read()
    pairs = known.lists.take(known.annotator_list)
    j, k = known.annotators.index.get_loc(who), known.species.index.get_loc(what)
    assert pairs.contains([j], [k]).all()
    assert not known.has_voted(known.visits_by_annotator.row(j), np.full(len(seen), k)).any()
    same(dc.fit(known, **SHORT), dc.fit(data, threads=3, **SHORT))


def test_bad_rows_are_named_and_leave_nothing(dataset, folder, tmp_path):
    bad = pd.DataFrame({"recording": ["r01"], "annotator": [""], "species": ["s1"], "present": [1]})
    (tmp_path / "visits").mkdir()
    bad.assign(scope="list01").to_parquet(tmp_path / "visits" / "bad.parquet", index=False)
    data = dc.open_dataset(
        [folder / "visits", tmp_path / "visits"], absence="scope", scope=folder / "big" / "scope.csv"
    )
    with pytest.raises(dc.AnnotationError, match="bad.parquet, row 2: the annotator is blank"):
        dc.fit(data, "base", checkpoint=tmp_path / "fit.checkpoint", **SHORT)
    assert [path.name for path in tmp_path.iterdir()] == ["visits"]


def test_too_little_memory_is_refused_with_numbers(dataset, monkeypatch, tmp_path):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 99 kB\nMemAvailable: 12 kB\n")
    monkeypatch.setattr(memory, "MEMORY", meminfo)
    with pytest.raises(dc.AnnotationError, match="visits and .* reports need about .* GB of memory, and"):
        dc.fit(dataset, "base", **SHORT)
    monkeypatch.setattr(memory, "MEMORY", tmp_path / "nothing")  # not known: nothing is refused
    dc.fit(dataset, "base", **SHORT)


def test_too_little_memory_for_rates_by_species_is_refused(dataset, monkeypatch):
    monkeypatch.setattr(memory, "BYTES", 0)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    with pytest.raises(dc.AnnotationError, match="pairs of annotator and species in 2 chains, need about"):
        dc.fit(dataset, **SHORT)


def test_few_visits_are_fitted_in_memory(dataset, monkeypatch):
    monkeypatch.setattr(design_module, "BLOCK", 10**6)
    found = dc.fit(dataset, "base", **SHORT)
    assert isinstance(found, dc.Posterior)
    same(dc.fit(dataset.read(), "base", **SHORT), found)


def test_what_cannot_be_done_in_parts_is_said(dataset):
    differing = build_model("base-hierarchical", dc.Priors.default(n_species=9), difficulty=True)
    for words, options in (
        ("difficulty= cannot be used with a dataset in parts yet", {"difficulty": True}),
        ("the model base-hierarchical with these options cannot be .* parts yet", {"model": differing}),
        ("the model bmm with these options cannot be fitted to a dataset in parts yet", {"model": "bmm"}),
        ("context.* cannot be used with a dataset in parts yet", {"model": "base", "context": "site"}),
        ("majority vote does not take a dataset", {"model": "majority-vote"}),
    ):
        with pytest.raises(dc.AnnotationError, match=words):
            dc.fit(dataset, **options)
