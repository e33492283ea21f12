"""Parts of models in one fit: context, hard species, faint and deceptive birds, skill, priors."""

from __future__ import annotations

import numpy as np
import pytest

import dawnchorus as dc

PARTS = {
    "context": {"context": "site + cc(hour, df=4)"},
    "difficulty": {"difficulty": True},
    "faint": {"faint": True},
    "deceptive": {"deceptive": True},
    "skill": {"skill": "level"},
    "learned": {"priors": "learned"},
    "unsure": {"unsure": "ordered"},
}
SHORT = {"draws": 60, "warmup": 60, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_portal(recordings=150, annotators=8, species=8, sites=5, visits=2, seed=2)


@pytest.fixture(scope="module")
def whole(simulation):
    return dc.fit(
        simulation.annotations, **{k: v for part in PARTS.values() for k, v in part.items()}, **SHORT
    )


def test_all_parts_go_together(whole, simulation):
    draws = whole.draws
    of_parts = (
        "context_effect",
        "tpr_difficulty",
        "faintness",
        "deception",
        "tpr_skill",
        "tpr_level_mean",
        "fpr_unevenness",
        "unsure_step",
    )
    for name in of_parts:
        assert name in draws, name
        assert np.isfinite(draws[name]).all()
    assert dc.evaluate(whole, simulation.truth).auc > 0.85


@pytest.mark.parametrize("left_out", PARTS)
def test_each_part_may_be_left_out(simulation, left_out):
    chosen = {k: v for name, part in PARTS.items() if name != left_out for k, v in part.items()}
    posterior = dc.fit(simulation.annotations, **chosen, **(SHORT | {"draws": 10, "warmup": 10}))
    assert posterior.presence()["probability"].between(0, 1).all()


def test_the_whole_is_saved_reported_and_predicts(whole, simulation, tmp_path):
    whole.save(tmp_path / "fit.nc")
    again = dc.Posterior.load(tmp_path / "fit.nc")
    assert again.priors.keys() == whole.priors.keys()
    new = simulation.annotations.select(recordings=simulation.annotations.recordings.index[:5])
    one, two = (fit.predict(new, seed=1)["probability"] for fit in (whole, again))
    assert np.allclose(one, two, atol=0.002)
    whole.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in ("Where and when", "Hard for everyone", "Faint birds", "How well people know themselves"):
        assert words in page
