"""Independent jobs: the same in this process, in others and on a cluster, and what fails is named."""

from __future__ import annotations

import json
import math
import operator
import os
import signal
from types import SimpleNamespace

import numpy as np
import pytest

import dawnchorus as dc
from clusters import processes, started
from dawnchorus.common.workers.connecting import connected
from dawnchorus.common.workers.jobs import JobFailed, done_jobs
from dawnchorus.studies import grid, simulated

SHORT = {"warmup": 40, "draws": 40, "loo": False, "folds": 2, "seed": 1}


@pytest.fixture(scope="module")
def client():
    with started(2) as client:
        yield client


def test_jobs_are_done_here_in_processes_and_on_a_cluster(client):
    found = [sorted(done_jobs(operator.mul, 3, [1, 2, 4], workers=workers)) for workers in (1, 2)]
    with connected(client, imports=__name__) as cluster:
        found.append(sorted(done_jobs(operator.mul, 3, [1, 2, 4], cluster=cluster)))
        found.append(sorted(done_jobs(operator.mul, 3, [1, 2, 4], cluster=cluster)))
        assert list(done_jobs(operator.mul, 3, [], cluster=cluster)) == []
    assert found == [[(0, 3), (1, 6), (2, 12)]] * 4


def test_large_pieces_are_sent_without_a_warning(client):
    with connected(client, imports=__name__) as cluster:
        assert list(done_jobs(operator.contains, b"robin", [bytes(20 << 20)], cluster=cluster)) == [
            (0, False)
        ]


def test_a_job_that_fails_is_named(client):
    with connected(client, imports=__name__) as cluster:
        for on in ({"workers": 1}, {"workers": 2}, {"cluster": cluster}):
            with pytest.raises(JobFailed, match="ZeroDivisionError") as failed:
                list(done_jobs(operator.truediv, 3, [1, 0, 2], **on))
            assert failed.value.place == 1


def test_arrays_that_are_read_only_stay_so(client):
    """Kernels would be compiled again for others."""
    array = np.arange(3)
    array.flags.writeable = False
    with connected(client, imports=__name__) as cluster:
        for on in ({"workers": 2}, {"cluster": cluster}):
            kept = [
                one for _, one in done_jobs(getattr, SimpleNamespace(array=array), ["array", "array"], **on)
            ]
            assert not any(one.flags.writeable for one in kept)


def test_comparing_on_a_cluster_finds_the_same_and_survives_a_killed_worker(client, tmp_path):
    annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=3, seed=1).annotations
    plain = dc.compare(annotations, ["base", "base + learned"], workers=1, **SHORT)
    killed = []

    def kill(words, done, total):
        if done == 1 and not killed:
            killed.extend(processes(client).values())
            os.kill(killed[0], signal.SIGKILL)

    there = dc.compare(
        annotations, ["base", "base + learned"], cluster=client, out=tmp_path / "c", progress=kill, **SHORT
    )
    assert killed
    columns = [name for name in plain.table() if name != "seconds"]
    assert plain.table()[columns].equals(there.table()[columns])
    assert len(list((tmp_path / "c/folds").iterdir())) == 4
    with pytest.raises(dc.AnnotationError, match="leave out workers or cluster"):
        dc.compare(annotations, "base", cluster=client, workers=2, **SHORT)
    client.wait_for_workers(2, timeout=60)


def test_a_comparison_without_a_cluster_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("dawnchorus.common.workers.connecting.CONNECT", 0.5)
    annotations = dc.simulate_paper(recordings=60, annotators=5, species=4, visits=3, seed=1).annotations
    with pytest.raises(dc.ClusterError, match="there is no scheduler"):
        dc.compare(annotations, "base", cluster="tcp://127.0.0.1:9", out=tmp_path / "c", **SHORT)
    assert not (tmp_path / "c").exists()


def test_a_study_on_a_cluster_finds_the_same(client, tmp_path):
    setting = simulated.Setting(1, 0.8, 0, seed=1, warmup=10, draws=10)
    jobs = [grid.Job("one", simulated.run_default, {"setting": setting})]
    jobs += [grid.Job("two", json.loads, {"s": '[{"a": 1}]'})]
    rows = [
        grid.run_jobs(jobs, tmp_path / name, about={"seed": 1}, workers=1, cluster=cluster)
        for name, cluster in (("plain", None), ("cluster", client))
    ]
    for one, two in zip(*rows, strict=True):
        assert one.keys() == two.keys()
        for name in one.keys() - {"seconds"}:
            alike = one[name] == two[name] or (math.isnan(one[name]) and math.isnan(two[name]))
            assert alike, name
    wrong = [grid.Job("three", json.loads, {"s": "no JSON"})]
    with pytest.raises(dc.AnnotationError, match="three failed .JSONDecodeError"):
        grid.run_jobs(wrong, tmp_path / "plain", about={"seed": 1}, cluster=client)
