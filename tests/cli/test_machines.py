"""Scores of machines at the command line."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from commands import run

QUICK = ("--model", "base", "--draws", 50, "--warmup", 50, "--min-ess", 0, "--no-report")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    sizes = ("--recordings", 80, "--annotators", 6, "--species", 5)
    run("simulate", "--kind", "portal", *sizes, "--machine", "BirdNET", "--out", folder / "data")
    return folder


def asked(home, *words):
    data = home / "data"
    return (
        "fit",
        data / "annotations.csv",
        "--absence",
        "scope",
        "--scope",
        data / "scope.csv",
        *QUICK,
        *words,
    )


def test_scores_are_used_unless_told_otherwise(home):
    truth = pd.read_csv(home / "data/true_machines.csv")
    assert len(truth) == 5
    run(*asked(home, "--out", home / "fit"))
    assert json.loads((home / "fit/fit.json").read_text())["machines"] == ["BirdNET"]
    assert len(pd.read_csv(home / "fit/score_thresholds.csv")) == 5
    run(*asked(home, "--scores", "ignore", "--out", home / "without"))
    assert "machines" not in json.loads((home / "without/fit.json").read_text())
    assert not (home / "without/score_thresholds.csv").exists()


def test_the_scale_of_scores_can_be_told(home):
    table = pd.read_csv(home / "data/annotations.csv")
    table["score"] = 10 * table["score"]
    table.to_csv(home / "data/annotations.csv", index=False)
    refused = run(*asked(home, "--score-scale", "probability", "--out", home / "no"), code=2).stderr
    assert "is not between 0 and 1" in refused
    assert "--score-scale logit" in refused
    assert "taken for logits" in run(*asked(home, "--out", home / "logits")).stderr


def test_machines_are_of_the_portal_only(tmp_path):
    refused = run("simulate", "--machine", "BirdNET", "--out", tmp_path / "data", code=2).stderr
    assert "--machine can be used only with --kind portal" in refused
