"""Chains: the same whatever the threads and interruptions, stopped when they agree, within limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, fields, replace
from inspect import signature
from types import SimpleNamespace
from typing import get_type_hints

import numpy as np
import pytest
from scipy.signal import lfilter

import dawnchorus as dc
from commands import run
from dawnchorus.common.errors import OutputError
from dawnchorus.results.fit_options import DatasetOptions, FitOptions
from dawnchorus.sampling import chains, checkpoint
from dawnchorus.sampling.agreement import ess_and_rhat
from dawnchorus.sampling.convergence import Diagnostics, diagnose
from dawnchorus.sampling.settings import Settings
from dawnchorus.sampling.store import Store

SHORT = {"warmup": 30, "draws": 40, "min_ess": None}
MODELS = [name for name in dc.MODELS if name != "majority-vote"]


@pytest.fixture(scope="module")
def annotations():
    return dc.simulate_portal(120, 6, 8, visits=1.8, sites=3, seed=4).annotations


def same(one, two):
    assert one.draws.keys() == two.draws.keys()
    assert all(np.array_equal(one.draws[name], two.draws[name], equal_nan=True) for name in one.draws)
    assert np.array_equal(one.draws.limited, two.draws.limited)


@pytest.mark.parametrize("model", MODELS)
def test_threads_do_not_matter_and_seeds_do(annotations, model):
    one = dc.fit(annotations, model, threads=1, seed=5, **SHORT)
    same(one, dc.fit(annotations, model, threads=4, seed=5, **SHORT))
    other = dc.fit(annotations, model, threads=4, seed=6, **SHORT)
    assert not np.array_equal(one.draws["occurrence"], other.draws["occurrence"])


class Interruption(BaseException):
    pass


@pytest.mark.parametrize("model", ["base", "bmm", "dp-bmm-hierarchical"])
def test_an_interrupted_fit_goes_on_to_the_very_draws(annotations, model, tmp_path):
    options = {"warmup": 30, "draws": 200, "min_ess": 10**9, "max_sweeps": 1000, "seed": 3}

    def interrupt(at):
        if at.done > 1500:
            raise Interruption

    path = tmp_path / "fit.checkpoint"
    with pytest.raises(Interruption):
        dc.fit(annotations, model, checkpoint=path, progress=interrupt, **options)
    assert path.exists()
    with pytest.raises(OutputError, match="holds an interrupted fit"):
        dc.fit(annotations, model, checkpoint=path, **options)
    with pytest.raises(OutputError, match=r"of another fit: seed differs\. "):
        dc.fit(annotations, model, checkpoint=path, resume=True, **(options | {"seed": 4}))
    with pytest.warns(dc.ConvergenceWarning):
        resumed = dc.fit(annotations, model, checkpoint=path, resume=True, **options)
    assert not path.exists()
    with pytest.warns(dc.ConvergenceWarning, match="What to do"):
        same(resumed, dc.fit(annotations, model, **options))


def test_no_checkpoint_to_resume_from_starts_anew_and_rubbish_is_refused(annotations, tmp_path):
    path = tmp_path / "fit.checkpoint"
    fitted = dc.fit(annotations, "base", checkpoint=path, resume=True, **SHORT)
    assert fitted.draws["tpr"].shape == (4, 40, 6)
    path.write_text("rubbish")
    with pytest.raises(OutputError, match="is no checkpoint"):
        dc.fit(annotations, "base", checkpoint=path, resume=True, **SHORT)
    with pytest.raises(dc.AnnotationError, match="nothing to resume from"):
        dc.fit(annotations, "base", resume=True)


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_what_takes_long_to_save_is_saved_less_often(tmp_path, monkeypatch):
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(checkpoint, "time", clock)

    def pack():
        clock.now += 4
        return {}

    saved = checkpoint.Checkpoint(tmp_path / "a.checkpoint", {"seed": 0})
    clock.now = 61.0
    assert saved.due
    saved.save([SimpleNamespace(pack=pack)])
    clock.now += 390
    assert not saved.due
    clock.now += 20
    assert saved.due


def test_a_finished_fit_survives_until_it_is_written(annotations, tmp_path):
    annotations.to_frame("explicit").to_csv(tmp_path / "a.csv", index=False)
    fails = (
        "from dawnchorus import __main__\nfrom dawnchorus.results.saving import folder as output\n"
        "def fail(*_, **__): raise output.OutputError('the disk is full')\n"
        "output.write_result = fail\n"
        "__main__.main()"
    )
    few = ["--model", "base", "--min-ess", "0", "--warmup", "30", "--draws", "40", "--no-report"]

    command = ["fit", "a.csv", "--absence", "explicit", *few, "--out"]
    failed = subprocess.run(
        [sys.executable, "-c", fails, *command, "out"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert failed.returncode == 2
    assert "out.checkpoint. To continue, run the same command with --resume" in " ".join(
        failed.stderr.split()
    )
    assert not (tmp_path / "out").exists()
    anew = run(*command, "whole", "--resume", cwd=tmp_path)
    assert "There is no whole.checkpoint to continue from" in anew.stderr
    run(*command, "out", "--resume", cwd=tmp_path)
    assert [path.name for path in tmp_path.glob("*.checkpoint")] == []
    same(*(dc.Posterior.load(tmp_path / name) for name in ("out", "whole")))


def test_ctrl_c_saves_and_resume_finishes(annotations, tmp_path):
    table = tmp_path / "a.csv"
    annotations.to_frame("explicit").to_csv(table, index=False)
    command = ["fit", str(table), "--absence", "explicit", "--model", "base", "--min-ess", "100000"]
    command += ["--max-sweeps", "3000", "--no-report", "--out"]
    often = (
        "from dawnchorus import __main__; from dawnchorus.sampling import checkpoint; "
        "checkpoint.SAVE_EVERY = 0; __main__.main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", often, *command, "out"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    checkpoint = tmp_path / "out.checkpoint"
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "--resume" in err
    assert checkpoint.exists()
    assert not (tmp_path / "out").exists()
    for words in (["out", "--resume"], ["whole"]):
        run(*command, *words, code=3, cwd=tmp_path)
    assert not checkpoint.exists()
    one, two = (dc.Posterior.load(tmp_path / name / "posterior.nc") for name in ("out", "whole"))
    same(one, two)


def test_sampling_goes_on_until_all_parameters_are_good_enough(annotations):
    looks = []
    fitted = dc.fit(annotations, "base-hierarchical", min_ess=300, seed=1, progress=looks.append)
    assert fitted.diagnostics.min_ess >= 300
    assert fitted.diagnostics.max_rhat <= 1.01
    assert "Converged" in fitted.in_words()
    assert looks[-1].done == looks[-1].total


def test_chains_that_lack_only_the_error_of_probabilities_become_a_little_longer():
    settings = Settings(draws=500, warmup=500)
    good = Diagnostics(max_rhat=1.0, min_ess=900.0, worst_rhat="", worst_ess="")
    assert chains._next_target(1000, good, settings) == 500 + 650
    assert chains._next_target(1000, replace(good, max_mcse=0.0101), settings) == 500 + 550
    assert chains._next_target(1000, replace(good, max_mcse=0.015), settings) == 500 + 1182


def test_limits_on_sweeps_and_seconds(annotations):
    with pytest.warns(dc.ConvergenceWarning):
        fitted = dc.fit(annotations, "base", min_ess=10**9, max_sweeps=700)
    assert fitted.record["sweeps"] == 700
    start = time.monotonic()
    with pytest.warns(dc.ConvergenceWarning):
        fitted = dc.fit(annotations, "base", min_ess=10**9, max_sweeps=10**8, warmup=10, seconds=1)
    assert time.monotonic() - start < 60
    assert fitted.draws["tpr"].shape[0] == 4
    with pytest.raises(dc.AnnotationError, match="seconds were over before the warm-up was"):
        dc.fit(annotations, "base", warmup=10**6, max_sweeps=10**7, seconds=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chains": 0}, "chains is 0"),
        ({"draws": 2.5}, "draws is 2.5"),
        ({"warmup": 500, "max_sweeps": 500}, "leave nothing after 500 of warm-up"),
        ({"seconds": -1}, "seconds is -1"),
        ({"model": "base-hierarchical", "spread": "wide"}, "no spread 'wide'"),
        ({"model": "base", "spread": "sampled"}, "the model base has no option spread"),
        ({"model": "dp-bmm", "components": 3}, "the model dp-bmm has no option components"),
    ],
)
def test_impossible_options_are_refused(annotations, options, message):
    with pytest.raises(dc.AnnotationError, match=message):
        dc.fit(annotations, **options)


def test_pairs_beyond_the_budget_are_thinned_and_summed_up(annotations):
    whole = dc.fit(annotations, "base-hierarchical", seed=2, **SHORT)
    n_pairs = len(whole.annotator_species())
    some = dc.fit(
        annotations, "base-hierarchical", seed=2, pair_megabytes=n_pairs * 8 * 4 * 12 / 2**20, **SHORT
    )
    assert 6 <= len(some.draws.limited) <= 12
    assert np.array_equal(some.draws["species_tpr"], whole.draws["species_tpr"][:, some.draws.limited])
    assert np.allclose(some.draws.moments["species_tpr"][0], whole.draws.mean("species_tpr"), atol=1e-5)
    none = dc.fit(annotations, "base-hierarchical", seed=2, pair_megabytes=0, **SHORT)
    assert len(none.draws.limited) == 0
    assert np.allclose(none.annotator_species()["tpr"], whole.annotator_species()["tpr"], atol=1e-4)
    with pytest.warns(UserWarning, match="did not fit in memory"):
        assert none.presence()["probability"].between(0, 1).all()


def test_where_no_draws_of_rates_are_kept_reported_cells_are_means_over_sweeps():
    """Mean rates in place of draws gave other probabilities, and far too small an error."""
    data = dc.simulate_portal(200, 10, 8, visits=1.7, seed=3).annotations
    options = {"seed": 1, "warmup": 100, "draws": 400, "min_ess": None}
    whole, none = dc.fit(data, **options), dc.fit(data, pair_megabytes=0, **options)
    with pytest.warns(UserWarning, match="did not fit in memory"):
        tables = [fitted.presence(mcse=True) for fitted in (whole, none)]
    (kept, other), reported = tables, tables[0]["reports"] > 0
    assert np.allclose(other["probability"][reported], none.reported.probability, atol=1e-12)
    gap = (kept["probability"] - other["probability"])[reported].abs()
    assert (gap <= 4 * np.hypot(kept["mcse"], other["mcse"])[reported]).all()
    assert other["mcse"][~reported].isna().all()
    assert none.diagnostics.max_mcse == pytest.approx(other["mcse"].max())


def test_a_store_keeps_evenly_spread_draws():
    store = Store(room=10, ragged=["component_weight"])
    for sweep in range(1, 101):
        if store.wants(sweep):
            store.add(sweep, {"x": np.array(float(sweep)), "component_weight": np.ones(sweep % 3 + 1)})
    assert store.sweeps == [16, 32, 48, 64, 80, 96]
    assert store.at([32, 96])["x"].tolist() == [32, 96]
    again = Store(room=10, ragged=["component_weight"])
    again.unpack(store.pack())
    assert again.sweeps == store.sweeps
    assert [len(w) for w in again.ragged["component_weight"]] == [
        len(w) for w in store.ragged["component_weight"]
    ]


def test_diagnostics_are_those_of_arviz():
    from arviz_stats.base import array_stats

    rng = np.random.default_rng(1)
    noise = rng.normal(size=(4, 501, 6))
    draws = np.stack(
        [lfilter([1], [1, -r], noise[..., i], axis=1) for i, r in enumerate((0, 0.5, 0.95, -0.4))], 2
    )
    draws = np.concatenate([draws, rng.poisson(1, (4, 501, 1)), np.round(draws[:, :, 2:3])], axis=2)
    ess, rhat = ess_and_rhat(draws, threads=2)
    for i in range(draws.shape[2]):
        assert ess[i] == pytest.approx(array_stats.ess(draws[..., i], chain_axis=0, draw_axis=1).item())
        assert rhat[i] == pytest.approx(array_stats.rhat(draws[..., i], chain_axis=0, draw_axis=1).item())


def test_constant_parameters_and_few_draws():
    constant = diagnose({"x": np.ones((4, 20))}, {})
    assert (constant.max_rhat, constant.min_ess) == (1, 80)
    stuck = np.repeat(np.arange(4.0)[:, None], 20, axis=1)
    assert diagnose({"x": stuck}, {}).max_rhat == np.inf
    few = diagnose({"x": np.ones((4, 3))}, {})
    assert "Too few draws" in few.in_words()
    assert "Not converged yet: the chains agree" in Diagnostics(1.0, 100, "a", "b").in_words()
    assert "Whether another would agree" in Diagnostics(1.0, 1000, "a", "b", chains=1).in_words()


def test_the_largest_of_many_rhats_is_judged_as_such():
    rng = np.random.default_rng(1)
    agreeing = [diagnose({"x": rng.normal(size=(4, 200, 1000))}, {}) for _ in range(20)]
    assert not any(one.max_rhat <= 1.01 for one in agreeing)  # by chance alone, one of a thousand is above
    assert sum(one.reaches(100, 1.01) for one in agreeing) >= 18
    one_differs = rng.normal(size=(4, 200, 1000))
    one_differs[0, :, 500] += 0.75
    found = diagnose({"x": one_differs, "y": rng.normal(size=(4, 200))}, {"x": np.arange(1000)})
    assert not found.reaches(100, 1.01)
    assert "worst for x of 500; at most 1.022 is wanted for the largest of 1,000" in found.in_words(100)


def test_a_single_parameter_keeps_its_limit_beside_many():
    rng = np.random.default_rng(2)
    alone = rng.normal(size=(4, 400))
    alone[0] += 0.4
    found = diagnose({"x": rng.normal(size=(4, 400, 1000)), "spread": alone}, {})
    assert found.worst_family().name == "spread"
    assert 1.01 < found.worst_family().max_rhat < 1.03


def test_settings_have_sensible_defaults():
    assert (Settings().chains, Settings().min_ess, Settings().max_rhat) == (4, 400, 1.01)


def test_fit_spells_out_the_settings_with_their_defaults():
    known = signature(dc.fit).parameters
    assert {f.name: known[f.name].default for f in fields(Settings)} == asdict(Settings())


def test_signatures_of_fit_have_the_same_options_as_fit():
    """Type checkers see one signature for data in memory, and one for data in parts."""
    hints = get_type_hints(dc.fit)
    known = {
        name: hints[name] for name in signature(dc.fit).parameters if name not in ("annotations", "model")
    }
    assert known == get_type_hints(FitOptions) | get_type_hints(DatasetOptions)
