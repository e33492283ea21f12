"""Numbers and seeds that a user gives are checked where they come in, and the message names them."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

import dawnchorus as dc
from commands import run
from dawnchorus.sampling.settings import Settings

NONSENSE = [float("nan"), "0.8", -1, True, [0.5], 1j]
SHORT = {"model": "base", "warmup": 20, "draws": 30, "min_ess": None}


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_paper(recordings=40, annotators=5, species=4, visits=2, seed=1)


@pytest.fixture(scope="module")
def posterior(simulation):
    return dc.fit(simulation.annotations, **SHORT)


@pytest.fixture(scope="module")
def mixture(simulation):
    return dc.fit(simulation.annotations, **(SHORT | {"model": "bmm"}))


def calls(simulation, posterior, mixture, folder):
    """Give every function of the package that takes numbers, and the names of these."""
    vote = dc.MajorityVote(simulation.annotations)
    a, plots = simulation.annotations, dc.plots
    sampling = [name for name in signature(Settings).parameters if name != "seed"]
    paper = ("scenario", "visits", "recordings", "annotators", "species", "co_occurring", "tpr_spread")
    portal = (
        "recordings",
        "annotators",
        "species",
        "visits",
        "present_species",
        "false_reports",
        "unsure",
        "sites",
        "confusion",
    )
    beliefs = ("n_species", "species_per_recording", "tpr", "fpr", "tpr_strength", "fpr_strength")
    return [
        (lambda **x: dc.fit(a, **x), [*sampling, "components"]),
        (dc.simulate_paper, [*paper, "fpr_spread", "occurrence", "fpr_range"]),
        (dc.simulate_portal, portal),
        (lambda **x: dc.Priors.expecting(**({"n_species": 4} | x)), [*beliefs, "occurrence_strength"]),
        (lambda **x: dc.Priors.default(**({"n_species": 4} | x)), [*beliefs, "occurrence_strength"]),
        (lambda **x: dc.Priors.expecting(n_species=4, **x), ["components"]),
        (lambda **x: dc.evaluate(posterior, simulation.truth, **x), ["bootstrap", "level", "unlisted"]),
        (lambda **x: dc.compare_to_truth(posterior, simulation.truth, **x), ["bootstrap", "level"]),
        (posterior.presence, ["min_probability", "level"]),
        (lambda **x: list(posterior.cells(**x)), ["min_probability", "level"]),
        (posterior.count_presence, ["min_probability"]),
        (lambda **x: posterior.predict(a, **x), ["min_probability", "level"]),
        (posterior.labels, ["threshold"]),
        (posterior.to_xarray, ["most"]),
        (posterior.annotators, ["level"]),
        (posterior.species, ["level"]),
        (mixture.components, ["most", "level"]),
        (vote.presence, ["min_probability"]),
        (vote.count_presence, ["min_probability"]),
        (lambda **x: dc.write_result(posterior, folder / "fit", **x), ["min_probability"]),
        (lambda **x: plots.traces(posterior, "tpr", 0, **x), ["most"]),
        (lambda **x: plots.occurrence(posterior, **x), ["most", "level"]),
        (lambda **x: plots.correlation(mixture, **x), ["most"]),
        (lambda **x: plots.communities(mixture, **x), ["most"]),
        (lambda **x: plots.among_others(posterior, "a1", **x), ["level"]),
    ]  # fmt: skip


def test_every_number_is_checked_and_named(simulation, posterior, mixture, tmp_path):
    wrong = []
    for call, names in calls(simulation, posterior, mixture, tmp_path):
        for name in names:
            for value in NONSENSE:
                named = call is dc.simulate_portal and name in ("recordings", "annotators", "species")
                if named and isinstance(value, list | str):
                    continue  # names, or a single one
                try:
                    call(**{name: value})
                except dc.AnnotationError as error:
                    if name not in str(error) and "prior" not in str(error):
                        wrong.append((name, value, str(error)))
                except Exception as error:
                    wrong.append((name, value, repr(error)))
                else:
                    wrong.append((name, value, "was taken"))
    assert not wrong, "\n".join(map(str, wrong))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [-1, 2.5, "1", True, float("nan"), [1, 2], np.random.RandomState(1)])
def test_seeds_that_are_none_are_refused(simulation, posterior, value):
    for call in (
        lambda: dc.fit(simulation.annotations, **SHORT, seed=value),
        lambda: dc.simulate_paper(seed=value),
        lambda: dc.simulate_portal(seed=value),
        lambda: dc.evaluate(posterior, simulation.truth, bootstrap=2, seed=value),
        lambda: posterior.predict(simulation.annotations, seed=value),
    ):
        with pytest.raises(dc.AnnotationError, match="seed is .*whole number, 0 or more"):
            call()


def test_no_seed_is_a_new_one_which_is_recorded(simulation):
    one, two = (dc.fit(simulation.annotations, **SHORT, seed=None) for _ in range(2))
    assert one.record["seed"] != two.record["seed"]
    again = dc.fit(simulation.annotations, **SHORT, seed=one.record["seed"])
    assert np.array_equal(again.draws["tpr"], one.draws["tpr"])


def test_a_generator_is_a_seed_too(simulation, posterior):
    def fitted(seed):
        return dc.fit(simulation.annotations, **SHORT, seed=np.random.default_rng(seed))

    assert np.array_equal(fitted(7).draws["tpr"], fitted(7).draws["tpr"])
    assert not np.array_equal(fitted(7).draws["tpr"], fitted(8).draws["tpr"])
    rng = np.random.default_rng(7)
    first, second = (dc.fit(simulation.annotations, **SHORT, seed=rng).record["seed"] for _ in range(2))
    assert first != second
    assert len(posterior.predict(simulation.annotations, seed=rng)) == 160
    assert dc.simulate_paper(recordings=5, seed=None).annotations.n_recordings == 5


class Interruption(BaseException):
    pass


def test_a_fit_without_a_seed_is_resumed_with_the_one_it_had(simulation, tmp_path):
    def interrupt(at):
        raise Interruption

    path = tmp_path / "fit.checkpoint"
    with pytest.raises(Interruption):
        dc.fit(simulation.annotations, **SHORT, seed=None, checkpoint=path, progress=interrupt)
    resumed = dc.fit(simulation.annotations, **SHORT, seed=None, checkpoint=path, resume=True)
    again = dc.fit(simulation.annotations, **SHORT, seed=resumed.record["seed"])
    assert np.array_equal(again.draws["tpr"], resumed.draws["tpr"])


def test_whole_numbers_may_be_written_as_floats(simulation):
    fitted = dc.fit(simulation.annotations, "base", warmup=2e1, draws=np.float64(30), min_ess=None)
    assert fitted.draws["tpr"].shape[1] == 30


def test_a_prior_is_a_distribution():
    priors = dc.Priors.expecting(n_species=4)
    for change in (
        {"tpr": 0.8},
        {"tpr": dc.Normal(1, 1)},
        {"fpr_level": dc.Beta(1, 1)},
        {"concentration": 1},
    ):
        with pytest.raises(
            dc.AnnotationError, match="a prior is a distribution, here a .* give for example dc."
        ):
            replace(priors, **change)
        with pytest.raises(dc.AnnotationError, match=f"{next(iter(change))} is "):
            priors.replace(**change)
    for kind, values in ((dc.Beta, ("2", 98)), (dc.Beta, (float("inf"), 1)), (dc.Normal, ("0", 1)),
                         (dc.HalfNormal, (None,)), (dc.Gamma, (True, 1))):  # fmt: skip
        with pytest.raises(dc.AnnotationError, match="no possible prior"):
            kind(*values)


@pytest.mark.parametrize("model", ["base", "base-hierarchical"])
def test_a_prior_that_turns_reports_around_is_told(simulation, model):
    priors = dc.Priors.expecting(n_species=4, tpr=0.1, fpr=0.4)
    with pytest.warns(dc.AnnotationWarning, match="reported in 10 % .* not be a sign of presence") as caught:
        dc.fit(simulation.annotations, **(SHORT | {"model": model}), priors=priors)
    assert caught[0].filename == __file__


def test_a_cap_on_species_is_told():
    with pytest.warns(dc.AnnotationWarning, match="species_per_recording is 500, .*so 60 is used") as caught:
        capped = dc.Priors.expecting(n_species=120, species_per_recording=500)
    assert caught[0].filename == __file__
    assert capped.occurrence.mean == 0.5
    dc.Priors.expecting(n_species=4)  # nobody asked for more than there are


def test_the_command_line_says_the_same(write, tmp_path):
    write("recording,annotator,species\nr1,A,wren\nr1,B,robin\n", "t.csv")
    fit = ("fit", "t.csv", "--absence", "checklist", "--out", "o", "--model", "base")
    for name in ("seconds", "min-ess", "max-mcse", "tpr", "min-probability", "species-per-recording"):
        told = run(*fit, "--no-report", f"--{name}", "nan", code=2, cwd=tmp_path).stderr
        assert f"{name.replace('-', '_')} is nan" in told or f"Invalid value for '--{name}'" in told
        assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]
    few = ("--min-ess", 0, "--warmup", 10, "--draws", 20, "--no-report")
    done = run(*fit, *few, "--species-per-recording", 500, "--tpr", 0.1, "--fpr", 0.4, cwd=tmp_path)
    told = " ".join(done.stderr.split())
    assert "note: species_per_recording is 500, but there are 2 species" in told
    assert "note: the priors expect" in told
    assert "--visits" in run("simulate", "--visits", "nan", "--out", "s", code=2, cwd=tmp_path).stderr
