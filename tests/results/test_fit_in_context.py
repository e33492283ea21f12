"""A formula of the metadata of recordings, from the fit to predictions and files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from commands import run

pytest.importorskip("formulaic")

FORMULA = "site + cc(hour, df=4)"


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_portal(recordings=300, annotators=12, species=10, sites=6, seed=1)


@pytest.fixture(scope="module")
def posterior(simulation):
    return dc.fit(
        simulation.annotations, "base", context=FORMULA, seed=1, draws=150, warmup=200, min_ess=None
    )


def test_context_finds_more_than_a_model_without(simulation, posterior):
    plain = dc.fit(simulation.annotations, "base", seed=1, draws=150, warmup=200, min_ess=None)
    scores = [dc.evaluate(fitted, simulation.truth).auc for fitted in (posterior, plain)]
    assert scores[0] > scores[1] + 0.01
    assert posterior.record["context"] == FORMULA


def test_it_comes_back_from_a_file_and_predicts_known_and_unknown_sites(simulation, posterior, tmp_path):
    posterior.save(tmp_path / "fit.nc")
    again = dc.Posterior.load(tmp_path / "fit.nc")
    assert again.priors == posterior.priors
    assert again.model.occurrence.context.formula == FORMULA
    some = simulation.annotations.select(recordings=list(simulation.annotations.recordings.index[:20]))
    one, two = (fitted.predict(some, seed=1)["probability"] for fitted in (posterior, again))
    assert np.allclose(one, two)
    frame = some.to_frame()
    recordings = some.recordings.reset_index().assign(site="somewhere else")
    elsewhere = dc.Annotations.from_frame(frame, absence="checklist", recordings=recordings)
    assert again.predict(elsewhere, seed=1)["probability"].between(0, 1).all()


def test_what_cannot_be_is_refused(simulation):
    annotations = simulation.annotations
    with pytest.raises(dc.AnnotationError, match="communities"):
        dc.fit(annotations, "bmm", context=FORMULA)
    with pytest.raises(dc.AnnotationError, match="majority vote has no option context"):
        dc.fit(annotations, "majority-vote", context=FORMULA)
    with pytest.raises(dc.AnnotationError, match="habitat"):
        dc.fit(annotations, "base", context="habitat")


def test_the_command_takes_a_formula(simulation, tmp_path):
    dc.write_simulation(simulation, tmp_path / "data")
    data = tmp_path / "data"
    run(
        "fit",
        *(str(data / "annotations.csv"), "--absence", "scope", "--scope", str(data / "scope.csv")),
        *("--recordings", str(data / "recordings.csv"), "--model", "base", "--context", FORMULA),
        *("--draws", "60", "--warmup", "60", "--min-ess", "0", "--out", str(tmp_path / "out")),
    )
    assert dc.read_result(tmp_path / "out").record["context"] == FORMULA
    birds, curves = (pd.read_csv(tmp_path / "out" / f"{name}.csv") for name in ("species", "where_and_when"))
    assert len(curves) == len(birds) * (6 + 25)
    assert "where_and_when.csv" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
