"""Results in parts on a cluster of real processes, and what can go wrong there, in words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import cloudpickle
import dask
import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from clusters import started, worker_with
from dawnchorus.common.workers import cluster as clusters
from dawnchorus.io.parts import labels as labels_module
from dawnchorus.model import design as design_module
from dawnchorus.results.parts import finding, in_shard
from dawnchorus.sampling.shards import elsewhere

SHORT = {"warmup": 10, "draws": 40, "chains": 2, "min_ess": None, "seed": 3}
MARK = "DAWNCHORUS_TEST_MARK"

pytestmark = pytest.mark.filterwarnings("ignore::dawnchorus.ConvergenceWarning")


@pytest.fixture(scope="module", autouse=True)
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design_module, "BLOCK", 25)
        patch.setattr(labels_module, "ROWS", 150)
        cloudpickle.register_pickle_by_value(sys.modules[__name__])
        yield
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def frame():
    return dc.simulate_portal(120, 6, 7, visits=2.4, sites=3, seed=4).annotations.to_frame("scope")


@pytest.fixture
def visits(frame, tmp_path):
    """The folder of a dataset in three files, which a test may damage."""
    where = np.random.default_rng(1).integers(3, size=len(frame))
    (tmp_path / "visits").mkdir()
    for part in range(3):
        frame[where == part].to_parquet(tmp_path / "visits" / f"part-{part}.parquet", index=False)
    return tmp_path / "visits"


@pytest.fixture(scope="module")
def client():
    with started(2) as client:
        yield client


def dataset(visits):
    return dc.open_dataset(visits, absence="checklist")


def left_in(folder):
    """Return what is in a folder, hidden or not, but for what the tests put there."""
    known = ("visits", "work", "mark", "scheduler.json", "dask-scratch-space")
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def marked(mark):
    """Return whether nobody has been here before."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def no_memory(places, shard, asked):
    raise MemoryError


def no_memory_to_draw(places, shard, *arguments):
    raise MemoryError


def killed(places, shard, asked):
    os.kill(os.getpid(), signal.SIGKILL)


def killed_once(places, shard, asked):
    """Find what is in a shard; whoever is the first is killed when its files are half-written."""
    from dawnchorus.results.parts import files, in_shard

    write = files.ShardFiles.write

    def half(self, presence, recordings):
        write(self, presence.head(1), recordings.head(1))
        os.kill(os.getpid(), signal.SIGKILL)

    if marked(Path(asked.folder).parent / "mark"):
        files.ShardFiles.write = half
    return in_shard.find_in(places, shard, asked)


def slow(places, shard, asked):
    """Find what is in a shard, slowly, and say that it is under way."""
    from dawnchorus.results.parts import in_shard

    marked(Path(asked.folder).parent / "mark")
    time.sleep(5)
    return in_shard.find_in(places, shard, asked)


def test_a_worker_that_is_killed_while_results_are_written_costs_nothing_but_time(
    visits, tmp_path, monkeypatch
):
    fitted = dc.fit(dataset(visits), "base", work=tmp_path / "work", threads=2, **SHORT)
    dc.write_result(fitted, tmp_path / "here")
    with started(2) as client:
        monkeypatch.setattr(finding, "find_in", killed_once)
        dc.write_result(fitted, tmp_path / "there", cluster=client)
    assert (tmp_path / "mark").exists()
    one, two = (dc.PosteriorInParts.load(tmp_path / name) for name in ("here", "there"))
    pd.testing.assert_frame_equal(one.presence(), two.presence(), check_exact=True)
    assert one.overall.in_doubt == two.overall.in_doubt
    files = [sorted(p.relative_to(tmp_path / name) for p in (tmp_path / name).rglob("*")) for name in
             ("here", "there")]  # fmt: skip
    assert files[0] == files[1]
    assert left_in(tmp_path) == ["here", "there"]


def test_workers_without_memory_are_told_of_and_nothing_is_left(visits, client, tmp_path, monkeypatch):
    told = "the worker at .* has not enough memory. Remedy: give each worker more memory"
    with monkeypatch.context() as patch:
        patch.setattr(elsewhere, "drawn", no_memory_to_draw)
        with pytest.raises(dc.ClusterError, match=told):
            dc.fit(dataset(visits), "base", cluster=client, work=tmp_path / "work", **SHORT)
    fitted = dc.fit(dataset(visits), "base", cluster=client, work=tmp_path / "work", **SHORT)
    monkeypatch.setattr(finding, "find_in", no_memory)
    with pytest.raises(dc.ClusterError, match=told):
        dc.write_result(fitted, tmp_path / "result", cluster=client)
    assert left_in(tmp_path) == []
    with started(1) as own, monkeypatch.context() as patch:
        patch.setattr(clusters, "TRIES", 2)
        patch.setattr(finding, "find_in", killed)
        with pytest.raises(dc.ClusterError, match="a worker was killed .* it needed more memory than it has"):
            dc.write_result(fitted, tmp_path / "result", cluster=own)
    assert left_in(tmp_path) == []
    monkeypatch.setattr(finding, "find_in", in_shard.find_in)
    dc.write_result(fitted, tmp_path / "result", cluster=client)  # the fit itself is as it was
    assert left_in(tmp_path) == ["result"]


@pytest.mark.parametrize("on_cluster", [True, False])
def test_a_partition_that_cannot_be_read_is_named(visits, client, tmp_path, on_cluster):
    where = {"cluster": client} if on_cluster else {}
    options = {**SHORT, **where, "checkpoint": tmp_path / "fit.checkpoint"}
    data, bad = dataset(visits), visits / "part-1.parquet"
    content = bad.read_bytes()
    middle = len(content) // 3
    bad.write_bytes(content[:middle] + bytes(50) + content[middle + 50 :])
    with pytest.raises(dc.DawnchorusError, match=r"(?s)part-1\.parquet: .*Remedy: ") as told:
        dc.fit(data, "base", **options)
    assert str(told.value).count("Remedy") == 1
    bad.unlink()
    with pytest.raises(dc.DawnchorusError, match=r"(?s)part-1\.parquet.*Remedy: ") as told:
        dc.fit(data, "base", **options)
    assert str(told.value).count("Remedy") == 1
    assert left_in(tmp_path) == []


def test_coded_votes_that_a_worker_does_not_reach_are_named(visits, client, tmp_path):
    fitted = dc.fit(dataset(visits), "base", cluster=client, work=tmp_path / "work", **SHORT)
    (tmp_path / "work" / "pieces").rename(tmp_path / "work" / "elsewhere")
    told = r"(votes\.npz|recordings\.arrow): these coded votes cannot be read .*folder that all workers reach"
    for where in ({"cluster": client}, {}):
        with pytest.raises(dc.DawnchorusError, match=told):
            dc.write_result(fitted, tmp_path / "result", **where)
    assert left_in(tmp_path) == []


def test_a_folder_that_workers_cannot_write_to_is_named(visits, client, tmp_path, monkeypatch):
    fitted = dc.fit(dataset(visits), "base", cluster=client, work=tmp_path / "work", **SHORT)

    def elsewhere_in(places, shard, asked):
        return in_shard.find_in(places, shard, asked._replace(folder="/nowhere/at/all"))

    monkeypatch.setattr(finding, "find_in", elsewhere_in)
    with pytest.raises(
        dc.ClusterError, match=r"part-0000\d.parquet could not be written \(No such file"
    ) as told:
        dc.write_result(fitted, tmp_path / "result", cluster=client)
    assert "Remedy: check free space and permissions where workers run" in str(told.value)
    assert left_in(tmp_path) == []


@contextmanager
def scheduler(folder):
    """Start a scheduler in a process of its own; yield it and its address."""
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    words += ["--host", "127.0.0.1", "--scheduler-file", str(folder / "scheduler.json")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not (folder / "scheduler.json").exists():
                time.sleep(0.05)
            time.sleep(0.2)
            yield process, json.loads((folder / "scheduler.json").read_text())["address"]
        finally:
            process.kill()


def test_a_scheduler_that_goes_away_while_results_are_written_leaves_nothing(visits, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "LOST", 1)
    fitted = dc.fit(dataset(visits), "base", work=tmp_path / "work", **SHORT)
    monkeypatch.setattr(finding, "find_in", slow)
    with scheduler(tmp_path) as (process, address), worker_with("pass", address):

        def end():
            while not (tmp_path / "mark").exists():
                time.sleep(0.05)
            process.kill()

        ending = Thread(target=end, daemon=True)
        ending.start()
        with pytest.raises(dc.ClusterError, match=f"the scheduler of {address} has gone away. Remedy"):
            dc.write_result(fitted, tmp_path / "result", cluster=address)
        ending.join()
    assert left_in(tmp_path) == []
    monkeypatch.setattr(finding, "find_in", in_shard.find_in)
    dc.write_result(fitted, tmp_path / "result")  # the draws are still there
    assert len(dc.PosteriorInParts.load(tmp_path / "result").presence())


def test_a_client_that_dask_uses_by_default_is_not_asked_for_locks(visits, client, tmp_path):
    fitted = dc.fit(dataset(visits), "base", work=tmp_path / "work", **SHORT)
    with client.as_current(), dask.config.set(scheduler="dask.distributed"):
        dc.write_result(fitted, tmp_path / "result", cluster=client)
        assert len(dc.PosteriorInParts.load(tmp_path / "result").species()) == 7
