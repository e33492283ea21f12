"""The command `dawnchorus check`: tables, JSON, and files in the folder of the fit."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import dawnchorus as dc
from commands import run


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit")
    annotations = dc.simulate_portal(90, 5, 6, visits=2.5, seed=1).annotations
    posterior = dc.fit(annotations, "base", warmup=50, draws=60, min_ess=None, seed=1)
    dc.write_result(posterior, folder / "fit")
    dc.write_result(dc.fit(annotations, "majority-vote"), folder / "vote")
    return folder / "fit"


def test_it_says_what_it_found(fit):
    text = run("check", fit, "--simulations", 100).stdout
    assert "Does base describe the data?" in text
    assert "100 simulations from the fit" in text
    assert not (fit / "checks.csv").exists()


def test_json_is_what_python_has(fit):
    found = json.loads(run("check", fit, "--simulations", 100, "--seed", 3, "--json").stdout)
    checks = dc.predictive_checks(dc.Posterior.load(fit), simulations=100, seed=3)
    assert found["failed"] == checks.failed
    assert [row["check"] for row in found["checks"]] == checks.table()["check"].tolist()
    assert found["checks"][0]["expected"] == pytest.approx(checks.table()["expected"][0])
    assert found["checks"][-1]["p_value"] is None


def test_files_are_written_on_request_and_not_replaced_without_a_word(fit):
    done = run("check", fit, "--simulations", 100, "--save")
    assert f"Written to {fit}/: checks.csv, checks.png" in " ".join(done.stdout.split())
    table = pd.read_csv(fit / "checks.csv")
    checks = dc.predictive_checks(dc.Posterior.load(fit), simulations=100)
    assert table["p_value"].tolist()[:-1] == pytest.approx(checks.table()["p_value"].tolist()[:-1], rel=1e-5)
    assert (fit / "checks.png").stat().st_size > 10_000
    again = run("check", fit, "--simulations", 100, "--save", code=2)
    assert "--overwrite" in again.stderr
    run("check", fit, "--simulations", 100, "--save", "--overwrite")
    posterior = dc.Posterior.load(fit)
    dc.write_result(posterior, fit, overwrite=True)  # the files are known to be ours
    assert not (fit / "checks.csv").exists()


def test_advice_names_options_of_the_command_line(tmp_path):
    portal = dc.simulate_portal(700, 10, 10, visits=4, present_species=4, faintness=2, seed=3)
    posterior = dc.fit(portal.annotations, warmup=150, draws=150, chains=2, min_ess=None, seed=1)
    dc.write_result(posterior, tmp_path / "fit")
    found = run("check", tmp_path / "fit", "--simulations", 200).stdout
    assert "try faint birds (--faint)" in " ".join(found.split())


def test_majority_vote_has_nothing_to_check(fit):
    assert "majority vote" in run("check", fit.with_name("vote"), code=2).stderr
