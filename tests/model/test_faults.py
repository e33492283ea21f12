"""Deliberate faults are seen by the tests that should see them, and a page tells of them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from faults import presence, survivors, trying
from faults.fault import Fault
from faults.page import FAULTS, PAGE, ROOMS, page


def test_the_lines_that_faults_change_are_there():
    for fault in FAULTS:
        text = (trying.ROOT / "src" / trying.MODEL / fault.file).read_text(encoding="utf-8")
        assert trying.changed(text, fault) != text
    with pytest.raises(ValueError, match="0 times: not there"):
        trying.changed("text", Fault("", "", "not there", "", ""))


def test_the_tests_that_see_faults_are_there(request):
    """A test that was renamed would see nothing, and that would only be noticed when all faults are tried."""
    named = {fault.seen_by for fault in FAULTS if fault.seen_by}
    files = {test.partition("::")[0] for test in named}
    tests = {item.nodeid for item in request.session.items}
    run = {test.partition("::")[0] for test in tests}
    if request.config.option.keyword or not files <= run:  # not all tests are run
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *sorted(files)]
        collected = subprocess.run(command, cwd=trying.ROOT, capture_output=True, text=True, check=True)
        tests = set(collected.stdout.splitlines())
    assert not named - tests - {test.partition("[")[0] for test in tests}


def test_there_are_many_faults_and_few_survive():
    seen = sum(bool(fault.seen_by) for fault in FAULTS)
    assert seen >= 40
    assert len(FAULTS) - seen <= 12
    assert all(fault.seen_by and not fault.why for faults in ROOMS.values() for fault in faults)
    assert all(fault.why and not fault.seen_by for fault in survivors.FAULTS)


def test_the_page_tells_of_all_faults():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make docs"


def test_a_fault_is_in_the_copy_only_and_takes_caches_with_it(tmp_path):
    sources = trying.copied(trying.ROOT / "src", tmp_path / "right")
    for name in (
        "presence/__pycache__/draw.x.nbi",
        "occurrence/__pycache__/filling.x.nbi",
        "__pycache__/rates.x.nbi",
    ):
        cache = sources / trying.MODEL / name
        cache.parent.mkdir(exist_ok=True)
        cache.touch()
    fault = next(fault for fault in presence.FAULTS if fault.file == presence.BOUND)
    wrong = trying.broken(sources, fault, tmp_path / "wrong") / trying.MODEL
    assert fault.new in (wrong / fault.file).read_text(encoding="utf-8")
    assert fault.new not in (sources / trying.MODEL / fault.file).read_text(encoding="utf-8")
    left = {cache.name for cache in wrong.rglob("*.x.nbi")}
    assert left == {"rates.x.nbi"}  # the draw and the filling in import the bound


def test_kernels_older_than_what_they_come_from_are_not_taken_along(tmp_path):
    sources = tmp_path / "package"
    for name, text in {"a": "", "b": "from .a import one", "c": "from .b import two", "d": ""}.items():
        (sources / "__pycache__").mkdir(parents=True, exist_ok=True)
        (sources / f"{name}.py").write_text(text)
        (sources / "__pycache__" / f"{name}.kernel-1.py311.nbi").touch()
        os.utime(sources / f"{name}.py", (0, 0))
    os.utime(sources / "b.py", (2**33, 2**33))
    trying.forget_old_kernels(sources)
    assert {cache.name[0] for cache in sources.rglob("*.nbi")} == {"a", "d"}  # c imports b, which is newer


def test_tests_that_fail_by_an_assertion_see_a_fault():
    failed = "tests/model/test_x.py:13: assert 0.0 > 0.001\n1 failed"
    assert trying.seen(trying.Ended(1, failed, 1.0))
    assert not trying.seen(trying.Ended(0, "1 passed", 1.0))
    for code, words in [(1, "tests/conftest.py:3: ImportError"), (2, failed), (-24, "")]:
        with pytest.raises(RuntimeError, match=f"ended with {code}"):
            trying.seen(trying.Ended(code, words, 1.0))


@pytest.mark.slow
def test_deliberate_faults_are_seen():
    environment = os.environ | {"PYTHONPATH": str(trying.ROOT / "tests")}
    command = [sys.executable, "-m", "faults"]
    ended = subprocess.run(command, cwd=trying.ROOT, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
