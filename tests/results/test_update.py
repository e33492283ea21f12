"""An update has the posterior of a fresh fit of all data, whatever joins; only the start differs."""

from __future__ import annotations

import numpy as np
import pytest

import dawnchorus as dc
from dawnchorus.model.distributions.priors import Priors
from dawnchorus.results.updating.starts import SHORTEST, WARMUP, earlier_draws, short_warmup
from dawnchorus.sampling.agreement import ess_and_rhat

SAMPLING = {"draws": 500, "min_ess": 200, "max_rhat": 1.02, "max_mcse": 0.02, "max_sweeps": 10_000}
SIZE = {"recordings": 130, "annotators": 8, "species": 8, "seed": 3}
PRIORS = Priors.expecting(n_species=8)
MODELS = {
    "base": {"priors": PRIORS},
    "base-hierarchical": {"priors": PRIORS},
    "dp-bmm": {"priors": PRIORS},
    "base, context": {"context": "site", "priors": PRIORS},
    "base-hierarchical, faint": {"faint": True, "priors": PRIORS},
}
AGREE = 4.5
"""Of some hundred parameters with the same mean, no two estimates differ by as many standard errors."""


def parts(annotations):
    """Give visits to most recordings without one annotator and species; and the others, with these."""
    known = {
        word: getattr(annotations, word).index[:-less]
        for word, less in (("recordings", 25), ("annotators", 1), ("species", 1))
    }
    old = annotations.select(**known)
    visits = annotations.visits()
    seen = visits["recording"].isin(known["recordings"]) & visits["annotator"].isin(known["annotators"])
    return old, annotations.select(visits=~seen.to_numpy())


def data(name):
    if "context" in name:
        return dc.simulate_portal(**SIZE, sites=4, visits=3).annotations
    return dc.simulate_paper(3, **SIZE, visits=3).annotations


def apart(one, other):
    """Give by how many standard errors the means of two fits differ at most, over all their variables."""
    most = {}
    for variable in one.draws.variables:
        if variable.storage == "ragged" or variable.name not in other.draws:
            continue
        means, squares = [], []
        for fitted in (one, other):
            draws = fitted.draws[variable.name].astype(float)
            flat = draws.reshape(*draws.shape[:2], -1)
            means.append(flat.mean(axis=(0, 1)))
            squares.append(flat.var(axis=(0, 1)) / ess_and_rhat(flat)[0])
        n = min(map(len, means))  # annotators and species that are new come last
        difference = np.abs(means[0][:n] - means[1][:n]) / np.sqrt(squares[0][:n] + squares[1][:n])
        most[variable.name] = float(np.nanmax(difference))
    return most


@pytest.mark.parametrize(
    "name", [*[*MODELS][:-1], pytest.param("base-hierarchical, faint", marks=pytest.mark.slow)]
)
@pytest.mark.filterwarnings("ignore:the priors stay as they were")
def test_the_posterior_is_that_of_a_fresh_fit(name):
    model, options = name.split(",")[0], MODELS[name]
    if "context" in options:
        pytest.importorskip("formulaic")
    old, new = parts(data(name))
    before = dc.fit(old, model, seed=1, **options, **SAMPLING)
    updated = dc.update(before, new, seed=2, **SAMPLING)
    fresh = dc.fit(updated.annotations, model, seed=3, **options, **SAMPLING)
    assert before.diagnostics.converged
    assert updated.record["warmup"] < WARMUP
    assert updated.priors == fresh.priors
    assert list(updated.draws) == list(fresh.draws)
    assert max(apart(updated, fresh).values()) < AGREE
    one, other = (fitted.presence(mcse=True) for fitted in (updated, fresh))
    error = np.hypot(one["mcse"], other["mcse"]) + 0.002
    assert (np.abs(one["probability"] - other["probability"]) / error).max() < 6
    # Chains that stay where they started would be seen: the old posterior is another one.
    kept = {"occurrence", "tpr", "fpr"}
    assert max(found for variable, found in apart(before, fresh).items() if variable in kept) > 2 * AGREE
    news = updated.record["updated"]
    assert (news["new_recordings"], news["new_annotators"], news["new_species"]) == (25, 1, 1)


def start_of(name, **options):
    """Give an old fit, all annotations, its last draws, and the states that the chains start from."""
    old, new = parts(dc.simulate_paper(3, **SIZE, visits=3).annotations)
    before = dc.fit(old, name, seed=1, warmup=30, draws=40, min_ess=None, **options)
    updated = dc.update(before, new, warmup=0, draws=1, min_ess=None)
    starts = earlier_draws(before, updated.annotations, 4)
    design = updated.design
    states = [
        updated.model.start_from(np.random.default_rng(i), design, i, start) for i, start in enumerate(starts)
    ]
    return before, updated, starts, states


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("base", {}),
        ("base", {"priors": "learned"}),
        ("base-hierarchical", {"priors": "learned"}),
        ("base-hierarchical", {"faint": True, "deceptive": True, "difficulty": True, "unsure": "ordered"}),
    ],
)
@pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")
def test_a_state_has_the_values_of_the_draw_that_it_starts_from(name, options):
    before, updated, starts, states = start_of(name, **options)
    design = updated.design
    for start, state in zip(starts, states, strict=True):
        kept = updated.model.keep(np.random.default_rng(1), state, design)
        again = start._replace(values=kept)
        for variable in before.draws.variables:
            then, now = start.values[variable.name], kept[variable.name]
            if variable.dims == ("pair",):
                now = again.values[variable.name][known_pairs(start, design)]
                then = then[old_pairs(start, design)]
            elif variable.dims == ("annotator",):
                now, then = now[start.annotator >= 0], then[start.annotator[start.annotator >= 0]]
            elif variable.dims == ("species",):
                now, then = now[start.species >= 0], then[start.species[start.species >= 0]]
            if variable.name.startswith(("typical_", "mean_")):
                continue  # these are means over annotators, or over species, of whom some are new
            assert np.allclose(now, then, rtol=1e-3, atol=1e-4), variable.name


def known_pairs(start, design):
    return np.flatnonzero(
        (start.annotator[design.rate_annotator] >= 0) & (start.species[design.pairs.item] >= 0)
        & (old_place(start, design) >= 0)
    )  # fmt: skip


def old_pairs(start, design):
    return old_place(start, design)[known_pairs(start, design)]


def old_place(start, design):
    who, what = start.annotator[design.rate_annotator], start.species[design.pairs.item]
    place = start.design.pairs.find(np.maximum(who, 0), np.maximum(what, 0))
    return np.where((who >= 0) & (what >= 0), place, -1)


@pytest.mark.parametrize("name", ["dp-bmm", "bmm"])
@pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")
def test_recordings_choose_among_the_components_of_a_draw(name):
    _, _, starts, states = start_of(name)
    for start, state in zip(starts, states, strict=True):
        group, occurrence = state.occurrence.group, state.occurrence.occurrence
        there = np.isfinite(start.values["component_weight"]).sum() - 1
        assert len(occurrence) <= there
        assert np.unique(group).tolist() == list(range(len(occurrence)))
        then = start.values["component_occurrence"][:, start.species[start.species >= 0]]
        for component in occurrence[:, start.species >= 0]:
            assert np.abs(then[:there] - component).max(axis=1).min() < 1e-6


@pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")
def test_chains_start_from_different_draws_that_are_far_apart():
    old, new = parts(data("base"))
    before = dc.fit(old, "base", chains=2, warmup=30, draws=40, min_ess=None)
    starts = earlier_draws(before, dc.concatenate(old, new), 5)
    occurrence = [start.values["occurrence"] for start in starts]
    draws = before.draws["occurrence"]
    for start, (chain, place) in zip(
        occurrence, [(0, -1), (1, -1), (0, -14), (1, -14), (0, -27)], strict=True
    ):
        assert np.array_equal(start, draws[chain, place])
    assert dc.update(before, new, chains=5, warmup=5, draws=10, min_ess=None).draws.chains == 5


@pytest.mark.filterwarnings("ignore:the priors stay as they were")
def test_the_warm_up_is_short_if_the_old_fit_mixed_well_and_long_if_it_did_not_converge():
    old, new = parts(data("base"))
    good = dc.fit(old, "base", priors=PRIORS, **SAMPLING)
    assert SHORTEST <= short_warmup(good) < WARMUP
    poor = dc.fit(old, "base", priors=PRIORS, warmup=5, draws=10, min_ess=None)
    assert short_warmup(poor) == WARMUP
    with pytest.warns(dc.AnnotationWarning, match="had not converged"):
        assert dc.update(poor, new, draws=10, min_ess=None).record["warmup"] == WARMUP


@pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")
def test_the_same_seed_has_the_same_draws_also_after_an_interruption(tmp_path):
    old, new = parts(data("base"))
    before = dc.fit(old, "base", warmup=30, draws=40, min_ess=None)
    short = {"warmup": 20, "draws": 100, "min_ess": None, "seed": 5}
    whole = dc.update(before, new, **short)
    assert np.array_equal(whole.draws["tpr"], dc.update(before, new, **short).draws["tpr"])

    def stop(at):
        if at.done > 100:
            raise KeyboardInterrupt

    checkpoint = tmp_path / "update.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        dc.update(before, new, checkpoint=checkpoint, progress=stop, **short)
    other = dc.fit(old, "base", warmup=30, draws=40, min_ess=None, seed=9)
    with pytest.raises(dc.OutputError, match="start differ"):
        dc.update(other, new, checkpoint=checkpoint, resume=True, **short)
    with pytest.raises(dc.OutputError, match="differ"):
        dc.fit(whole.annotations, "base", checkpoint=checkpoint, resume=True, **short)
    resumed = dc.update(before, new, checkpoint=checkpoint, resume=True, **short)
    assert np.array_equal(whole.draws["tpr"], resumed.draws["tpr"])


@pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")
def test_draws_that_were_not_kept_are_no_obstacle():
    old, new = parts(data("base"))
    before = dc.fit(old, "base-hierarchical", warmup=30, draws=40, min_ess=None, pair_megabytes=0)
    assert before.draws["species_tpr"].size == 0
    assert dc.update(before, new, warmup=5, draws=10, min_ess=None).draws["species_tpr"].size
