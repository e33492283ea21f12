"""Chains on a cluster: the very draws of a plain fit, whatever happens to workers, and messages that help."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from functools import cache

import cloudpickle
import numpy as np
import psutil
import pytest

import dawnchorus as dc
from clusters import NOT_THERE, OTHER_VERSION, only_scheduler, processes, started, worker_with
from commands import run
from dawnchorus.common.workers import cluster as clusters
from dawnchorus.common.workers.connecting import connected
from dawnchorus.sampling.backends import dask as on_cluster

SHORT = {"warmup": 30, "draws": 40, "min_ess": None, "seed": 5}
LONGER = {"warmup": 30, "draws": 200, "min_ess": 10**9, "max_sweeps": 1000, "seed": 3, "chains": 3}
"""Stores are full more than once, and every second draw is dropped."""
MODELS = {
    "base": {"model": "base"},
    "base-hierarchical": {"model": "base-hierarchical"},
    "dp-bmm": {"model": "dp-bmm"},
    "parts": {"model": "base-hierarchical", "difficulty": True, "faint": True, "context": "site"},
}

pytestmark = pytest.mark.filterwarnings("ignore::dawnchorus.ConvergenceWarning")


@pytest.fixture(scope="module")
def annotations():
    return dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations


@pytest.fixture(scope="module")
def client():
    """Three workers that all tests of this module share."""
    with started(3) as client:
        yield client


@pytest.fixture(scope="module")
def plain(annotations):
    """Fits without a cluster, each made once."""
    return cache(lambda **options: dc.fit(annotations, **options))


@pytest.fixture
def short_stages(monkeypatch):
    """Chains travel often."""
    monkeypatch.setattr(on_cluster, "SHORTEST", 0.02)
    monkeypatch.setattr(on_cluster, "LONGEST", 0.02)


def same(one, two):
    assert one.draws.keys() == two.draws.keys()
    assert all(np.array_equal(one.draws[name], two.draws[name], equal_nan=True) for name in one.draws)
    assert np.array_equal(one.draws.limited, two.draws.limited)
    assert one.draws.acceptance.keys() == two.draws.acceptance.keys()
    assert one.diagnostics == two.diagnostics
    assert one.record["sweeps"] == two.record["sweeps"]
    assert one.presence().equals(two.presence())


@pytest.mark.parametrize("parts", MODELS)
def test_draws_are_those_of_a_plain_fit(annotations, plain, client, short_stages, parts):
    options = MODELS[parts] | SHORT
    same(plain(**options), dc.fit(annotations, cluster=client, **options))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_does_not_matter(
    annotations, plain, client, short_stages, workers, monkeypatch
):
    """Chains may go to some of the workers only: then the others may as well not be there."""
    some = sorted(client.nthreads())[:workers]
    submit = client.submit
    told = []

    def to_some(*arguments, **options):
        told.append(options["workers"])
        return submit(*arguments, **options | {"workers": some, "allow_other_workers": False})

    monkeypatch.setattr(client, "submit", to_some)
    for parts in MODELS.values():
        options = parts | SHORT
        same(plain(**options), dc.fit(annotations, cluster=client, **options))
    assert told


def test_stores_that_were_full_and_variables_without_room(annotations, client, short_stages):
    options = {**LONGER, "pair_megabytes": 0.01}
    plain = dc.fit(annotations, "base-hierarchical", **options)
    same(plain, dc.fit(annotations, "base-hierarchical", cluster=client, **options))
    again = dc.fit(annotations, "base-hierarchical", cluster=client, threads=1, **options)
    same(plain, again)
    assert plain.draws.moments.keys() == again.draws.moments.keys()
    for name, moments in plain.draws.moments.items():
        assert all(map(np.array_equal, moments, again.draws.moments[name]))


def test_a_killed_worker_costs_nothing_but_time(annotations, plain, client, short_stages):
    with started(1) as alone:
        for there, doomed in ((client, 2), (alone, 1)):
            killed = []

            def kill(at, there=there, doomed=doomed, killed=killed):
                if at.done > 500 and not killed:
                    killed.extend(list(processes(there).values())[:doomed])
                    for process in killed:
                        os.kill(process, signal.SIGKILL)

            found = dc.fit(annotations, "base", cluster=there, progress=kill, **LONGER)
            same(plain(model="base", **LONGER), found)
            assert len(killed) == doomed
    client.wait_for_workers(3, timeout=60)


def test_a_fit_goes_on_from_a_checkpoint_here_or_there(annotations, plain, client, short_stages, tmp_path):
    path = tmp_path / "fit.checkpoint"

    def interrupt(at):
        if at.done > 1500:
            raise KeyboardInterrupt

    for first, then in ((client, None), (None, client), (client, client)):
        with pytest.raises(KeyboardInterrupt):
            dc.fit(annotations, "base", cluster=first, checkpoint=path, progress=interrupt, **LONGER)
        assert path.exists()
        found = dc.fit(annotations, "base", cluster=then, checkpoint=path, resume=True, **LONGER)
        same(plain(model="base", **LONGER), found)


def test_a_limit_of_seconds_holds(annotations, client):
    began = time.monotonic()
    found = dc.fit(annotations, "base", cluster=client, seconds=1, max_sweeps=10**7, min_ess=10**9)
    assert time.monotonic() - began < 15
    assert found.record["sweeps"] > 500


def test_progress_is_told(annotations, client, short_stages):
    shown = []
    dc.fit(annotations, "base", cluster=client, progress=shown.append, **LONGER)
    done = [at.done for at in shown]
    assert done == sorted(done)
    assert len(set(done)) > 5


# What goes wrong


def test_a_worker_of_another_version_is_named(annotations):
    with only_scheduler() as client:
        address = client.scheduler.address
        for package, version, message in (
            ("dawnchorus", NOT_THERE, "has no package dawnchorus. Remedy: install dawnchorus"),
            ("numba", "'0.1'", "has numba 0.1, and this process .* Remedy: install the same version"),
        ):
            code = OTHER_VERSION.format(package=package, version=version)
            with worker_with(code, address):
                client.wait_for_workers(1, timeout=60)
                with pytest.raises(dc.ClusterError, match=message):
                    dc.fit(annotations, "base", cluster=address, **SHORT)
            while client.nthreads():
                time.sleep(0.05)


def test_no_worker_no_scheduler_no_address(annotations, monkeypatch):
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    monkeypatch.setattr("dawnchorus.common.workers.connecting.CONNECT", 0.5)
    with (
        only_scheduler() as client,
        pytest.raises(dc.ClusterError, match="there has been no worker at .* Remedy: start workers"),
    ):
        dc.fit(annotations, "base", cluster=client.scheduler.address, **SHORT)
    with pytest.raises(dc.ClusterError, match="there is no scheduler at tcp://127.0.0.1:9 "):
        dc.fit(annotations, "base", cluster="tcp://127.0.0.1:9", **SHORT)
    for text in ("local:0", "local:many", "host"):
        with pytest.raises(dc.AnnotationError, match=f"cluster='{text}' is neither an address nor"):
            dc.fit(annotations, "base", cluster=text, **SHORT)
    with pytest.raises(dc.AnnotationError, match="a cluster cannot be int"):
        dc.fit(annotations, "base", cluster=4, **SHORT)
    with pytest.raises(dc.AnnotationError, match="majority vote has no option cluster"):
        dc.fit(annotations, "majority-vote", cluster="local:1")


def test_a_local_cluster_has_all_its_workers_before_work_begins():
    """Or the first would get all shards of large data, and keep them."""
    with connected("local:3", imports="dawnchorus") as cluster:
        cluster.share(1)
        assert len(cluster.workers) == 3


def test_a_missing_package_says_what_to_install(annotations, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ImportError, match=r"a cluster needs the package distributed. .*dawnchorus\[cluster\]"
    ):
        dc.fit(annotations, "base", cluster="local:1", **SHORT)


def kill_yourself(place, chain, target, seconds):
    os.kill(os.getpid(), signal.SIGKILL)


def not_enough(place, chain, target, seconds):
    raise MemoryError


def needs_more(place, chain, target, seconds):
    raise dc.AnnotationError("it needs more", "give it more")


def test_work_that_cannot_be_done_is_not_tried_for_ever(annotations, monkeypatch, tmp_path):
    path, module = tmp_path / "fit.checkpoint", sys.modules[__name__]
    monkeypatch.setattr(clusters, "TRIES", 2)
    with started(1) as client:

        def fails(work, message):
            monkeypatch.setattr(on_cluster, "advance", work)
            with pytest.raises(dc.ClusterError, match=message):
                dc.fit(annotations, "base", cluster=client, checkpoint=path, **SHORT)
            path.unlink()  # with what there was

        fails(not_enough, "the worker at .* says: ModuleNotFoundError")  # it cannot import this file
        cloudpickle.register_pickle_by_value(module)
        try:
            fails(not_enough, "the worker at .* has not enough memory. Remedy: give each worker more memory")
            fails(needs_more, "the worker at .* says: it needs more. Remedy: give it more")
            fails(kill_yourself, "a worker was killed .* most likely, it needed more memory than it has")
        finally:
            cloudpickle.unregister_pickle_by_value(module)


def test_a_scheduler_that_goes_away_leaves_the_checkpoint(annotations, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "LOST", 1)
    path, gone = tmp_path / "fit.checkpoint", []
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    words += ["--host", "127.0.0.1", "--scheduler-file", str(tmp_path / "scheduler.json")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as scheduler:
        address = address_in(tmp_path / "scheduler.json")

        def end(at):
            if at.done > 1000 and not gone:
                gone.append(at)
                scheduler.kill()

        gone_away = pytest.raises(dc.ClusterError, match=f"the scheduler of {address} has gone away. Remedy")
        with worker_with("pass", address), gone_away:
            endless = {"max_sweeps": 10**6, "min_ess": 10**9, "progress": end}
            dc.fit(annotations, "base", cluster=address, checkpoint=path, **endless)
    assert path.exists()
    assert logging.getLogger("distributed").level <= logging.CRITICAL  # as it was


def address_in(path):
    while True:
        try:
            return json.loads(path.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.05)


# At the command line


@pytest.fixture(scope="module")
def table(annotations, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "a.csv"
    annotations.to_frame("explicit").to_csv(path, index=False)
    return path


WORDS = ["--absence", "explicit", "--model", "base", "--seed", 5, "--no-report"]


def test_the_command_with_a_local_cluster_and_threads(annotations, table, tmp_path):
    words = ["--warmup", 30, "--draws", 40, "--min-ess", 0, *WORDS]
    for name, more in (("plain", []), ("one", ["--threads", 1]), ("local", ["--cluster", "local:2"])):
        run("fit", table, "--out", tmp_path / name, *words, *more)
    first = dc.Posterior.load(tmp_path / "plain" / "posterior.nc")
    for name in ("one", "local"):
        same(first, dc.Posterior.load(tmp_path / name / "posterior.nc"))
    for address, message in (("local", "--cluster local is neither"), ("tcp://127.0.0.1:9", "no scheduler")):
        done = run("fit", table, "--out", tmp_path / "no", *words, "--cluster", address, code=2)
        assert message in done.stderr
    assert not list(tmp_path.glob("no*"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_command_is_resumed(table, tmp_path, number):
    """The processes of its local cluster end with it."""
    code = (
        "from dawnchorus import __main__; from dawnchorus.sampling import checkpoint; "
        "from dawnchorus.sampling.backends import dask; dask.SHORTEST = dask.LONGEST = 0.1; "
        "checkpoint.SAVE_EVERY = 0; __main__.main()"
    )
    long = ["--min-ess", 10**6, "--max-sweeps", 3000, "--allow-unconverged", *WORDS]
    words = list(map(str, ["fit", table, "--out", tmp_path / "out", *long, "--cluster", "local:1"]))
    started = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True)
    with started as process:
        while not (tmp_path / "out.checkpoint").exists() and process.poll() is None:
            time.sleep(0.02)
        workers = children(process.pid)
        process.send_signal(number)
        told = process.stderr.read()
    assert "Traceback" not in told
    assert workers
    until = time.monotonic() + 30
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, workers))
    run(*words, "--resume")
    run("fit", table, "--out", tmp_path / "plain", *long)
    same(*(dc.Posterior.load(tmp_path / name / "posterior.nc") for name in ("out", "plain")))


def children(process):
    return [child.pid for child in psutil.Process(process).children(recursive=True)]


def alive(process):
    return psutil.pid_exists(process) and psutil.Process(process).status() != psutil.STATUS_ZOMBIE
