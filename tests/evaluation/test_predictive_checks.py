"""Posterior predictive checks: statistics against loops, p-values that are fair, power, and hostile data."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
import joint
import naive
import portals
from dawnchorus.common.wording import for_command_line, for_python
from dawnchorus.evaluation.checks.checking import _draw_for
from dawnchorus.evaluation.checks.outcome import (
    FINE,
    LESS,
    MORE,
    SURPRISING,
    TOO_FEW,
    UNMODELLED,
    passing,
    two_sided,
)
from dawnchorus.evaluation.checks.statistics import frame_of, observed_reports, statistics
from dawnchorus.evaluation.checks.words import CHECKS, Parts, remedy
from dawnchorus.model.design import Design

SHORT = {"warmup": 60, "draws": 60, "chains": 2, "min_ess": None, "seed": 1}
AGREEMENT = ["pair_agreement", "third_after_two", "third_after_one", "third_after_none"]


def statistics_of(annotations, *, by_species=False):
    design = Design(annotations, by_species=by_species)
    return statistics(frame_of(design), observed_reports(design))


# Statistics


@pytest.mark.parametrize("by_species", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_statistics_are_those_of_loops(seed, by_species):
    annotations = portals.wild(seed)
    found = statistics_of(annotations, by_species=by_species)
    for name, value in naive.agreement(annotations).items():
        assert found[name] == pytest.approx(value, nan_ok=True), name
    votes = [annotations.visit_votes(v) for v in range(annotations.n_visits)]
    sizes = np.array([said.sum() for _, said in votes])
    assert found["reports_per_visit"] == pytest.approx(sizes.mean())
    assert found["visit_spread"] == pytest.approx(sizes.std(ddof=1))
    assert found["silent_visits"] == pytest.approx((sizes == 0).mean())
    by_name = {k: 0 for species, _ in votes for k in species}
    for species, said in votes:
        for k in species[said == 1]:
            by_name[k] += 1
    counts = np.array(list(by_name.values()))
    assert len(counts) < annotations.n_species  # nobody votes on some
    assert found["species_spread"] == pytest.approx(counts.std(ddof=1))
    assert found["species_once"] == (counts == 1).sum()


def test_all_statistics_have_words():
    assert list(statistics_of(portals.wild())) == list(CHECKS)


# Fair p-values


def simulated_from(model, seed):
    """Give a model, and annotations of forty recordings whose parameters and votes are drawn from it."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(40) for j in range(4) if (i + j) % 4 or i % 3 == 0]
    visits = portals.with_scopes(pairs, [(0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (1, 3)])
    unsure = [(0, 0, 1), (1, 1, 3), (7, 2, 0)]
    empty = portals.lay_out(visits, unsure, sizes=(40, 4, 5))
    model = joint.made_for(model, 40, 4)
    design = model.design(empty)
    votes = joint.Votes.of(design)
    _, present = model.occurrence.simulate(rng, design)
    expertise = model.expertise.simulate(rng, design)
    said = joint.draw_votes(rng, model, expertise, present, votes)
    who = empty.visit_annotator[votes.visit]
    triples = [part[said == 1].tolist() for part in (votes.recording, who, votes.species)]
    reports = list(zip(*triples, strict=True))
    return model, portals.lay_out(visits, unsure, reports=reports, sizes=(40, 4, 5))


@pytest.mark.parametrize(
    "name",
    [
        "independent, per annotator",
        "independent, per annotator and species",
        "mixture, per annotator",
        "in context, per annotator and species",
        "independent, per annotator and species, faint",
    ],
)
def test_data_that_come_from_the_model_do_not_surprise_it(name):
    every = joint.MODELS | joint.FAINT
    p_values, failed = [], 0
    for seed in range(24):
        model, annotations = simulated_from(every[name], seed)
        checks = dc.predictive_checks(dc.fit(annotations, model, **SHORT), simulations=200, seed=seed)
        table = checks.table().dropna(subset="p_value")
        p_values += table["p_value"].tolist()
        failed += len(checks.failed)
    p_values = np.array(p_values)
    assert len(p_values) > 24 * 6
    assert failed <= 0.02 * len(p_values)
    for least in (0.05, 0.1, 0.2):
        assert (p_values <= least).mean() <= least + 0.02
    assert (p_values < 0.5).mean() > 0.1  # they do vary


# Power


@pytest.fixture(scope="module")
def faint_birds():
    return dc.simulate_portal(700, 10, 10, visits=4, present_species=4, faintness=2, seed=3).annotations


LONGER = {"warmup": 150, "draws": 150, "chains": 2, "min_ess": None, "seed": 1}


def test_faint_birds_are_missed_by_a_model_without_them(faint_birds):
    without = dc.predictive_checks(dc.fit(faint_birds, **LONGER))
    table = without.table().set_index("check")
    assert table["verdict"]["third_after_one"] == LESS
    assert table["observed"]["third_after_two"] > table["expected_upper"]["third_after_two"]
    assert "than the model expects: try faint birds (faint=True)" in without.in_words()
    assert "--faint" in for_command_line(without.advice())
    with_them = dc.predictive_checks(dc.fit(faint_birds, faint=True, **LONGER))
    assert not set(AGREEMENT) & set(with_them.failed)
    assert "faint" not in with_them.in_words()


def two_sites():
    """Give votes on recordings of a busy site and of a quiet one."""
    rng = np.random.default_rng(1)
    present = rng.random((200, 6)) < np.where(np.arange(200) % 2, 0.5, 0.08)[:, None]
    report = rng.random((200, 2, 6)) < np.where(present, 0.8, 0.02)[:, None]
    rows = [(f"r{i}", f"a{j}", "") for i in range(200) for j in range(2)]
    rows += [(f"r{i}", f"a{j}", f"s{k}") for i, j, k in np.argwhere(report)]
    places = {"recording": [f"r{i}" for i in range(200)], "site": ["quiet", "busy"] * 100}
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    return dc.Annotations.from_frame(frame, "checklist", recordings=pd.DataFrame(places))


@pytest.mark.parametrize(
    "options", [{"context": "site"}, {"model": "dp-bmm"}], ids=lambda options: str(*options.values())
)
def test_recordings_that_differ_surprise_a_model_that_takes_them_as_alike(options):
    annotations, visits = two_sites(), {"visit_spread", "silent_visits"}
    without = dc.predictive_checks(dc.fit(annotations, "base", **LONGER))
    assert visits <= set(without.failed)
    assert "try where and when recordings were made (context) or communities" in without.in_words()
    better = dc.predictive_checks(dc.fit(annotations, **{"model": "base"} | options, **LONGER))
    assert not visits & set(better.failed)


# Every model, and what does not matter


MODELS = [
    {"model": "base"},
    {"model": "base-hierarchical"},
    {"model": "bmm", "components": 3},
    {"model": "bmm-hierarchical", "components": 3},
    {"model": "dp-bmm"},
    {"model": "dp-bmm-hierarchical", "faint": True},
    {"model": "base", "context": "site"},
    {"model": "base-hierarchical", "difficulty": True, "faint": True, "context": "site"},
    {"model": "base-hierarchical", "skill": "level"},
]


@pytest.fixture(scope="module")
def portal():
    return dc.simulate_portal(120, 6, 7, visits=2.5, sites=3, seed=4).annotations


@pytest.mark.parametrize("options", MODELS, ids=lambda options: " ".join(map(str, options.values())))
def test_every_model_is_checked(portal, options):
    checks = dc.predictive_checks(dc.fit(portal, **options, **SHORT), simulations=100)
    table = checks.table()
    assert table["check"].tolist() == [*CHECKS, "unsure_marks"]
    checked = table[table["p_value"].notna()]
    assert len(checked) == len(CHECKS)
    assert (checked["expected_lower"] <= checked["expected"]).all()
    assert (checked["expected"] <= checked["expected_upper"]).all()
    assert checked["p_value"].between(2 / 101, 1).all()
    assert not {"reports_per_visit", "species_spread"} & set(checks.failed)
    last = table.iloc[-1]
    assert (last["observed"], last["verdict"]) == (len(portal.unsure.item), UNMODELLED)
    assert "no votes" in last["words"]


@pytest.mark.parametrize("simulations", [100, 151, 400, 1000])
def test_bounds_agree_with_the_verdict(simulations):
    rng = np.random.default_rng(simulations)
    for values in (rng.normal(size=simulations), rng.poisson(2.0, simulations).astype(float)):
        low, high = passing(values)
        observed = np.unique(np.concatenate([values, values - 1e-9, values + 1e-9, [-9.0, 99.0]]))
        p_values = np.array([two_sided(value, values)[0] for value in observed])
        surprising = p_values <= max(SURPRISING, 2 / (simulations + 1))
        assert ((observed < low) | (observed > high)).tolist() == surprising.tolist()


def test_the_table_shows_the_bounds_of_the_verdict_unless_a_level_is_asked_for(portal):
    checks = dc.predictive_checks(dc.fit(portal, "base", **SHORT), simulations=300)
    table, narrower = (some[some["p_value"].notna()] for some in (checks.table(), checks.table(level=0.5)))
    inside = table["observed"].between(table["expected_lower"], table["expected_upper"])
    assert ((table["verdict"] == "as expected") == inside).all()
    assert (table["p_value"] <= SURPRISING).eq(~inside).all()
    assert (narrower["expected_lower"] >= table["expected_lower"]).all()
    assert (narrower["verdict"] == table["verdict"]).all()


def test_all_values_of_a_check_have_the_same_digits_as_in_figures(portal):
    checks = dc.predictive_checks(dc.fit(portal, "base", **SHORT), simulations=100)
    for one in checks.found():
        if one.share:
            shown = [one.shown(value) for value in (one.observed, one.expected, one.lower, one.upper)]
            assert len({len(text.partition(".")[2]) for text in shown}) == 1
            assert all(text.endswith("\u00a0%") for text in shown)
    axis = dc.plots.predictive_check(checks, "silent_visits").xaxis
    assert axis.get_major_formatter().format_pct(0.125, 0.2).endswith("\u00a0%")


def test_unsure_marks_are_checked_if_they_are_votes(portal):
    checks = dc.predictive_checks(dc.fit(portal, unsure="ordered", **SHORT), simulations=100)
    last = checks.table().iloc[-1]
    assert (last["check"], last["observed"]) == ("unsure_marks", len(portal.unsure.item))
    assert last["expected_lower"] <= last["observed"] <= last["expected_upper"]
    assert "unsure_marks" in checks.checked


def test_threads_do_not_matter_and_seeds_do(portal):
    posterior = dc.fit(portal, **SHORT)
    one, two = (dc.predictive_checks(posterior, simulations=100, threads=n).table() for n in (1, 3))
    pd.testing.assert_frame_equal(one, two)
    other = dc.predictive_checks(posterior, simulations=100, seed=5).table()
    assert not one["expected"].equals(other["expected"])


def test_draws_are_spread_over_all_chains(portal):
    parameters = dc.fit(portal, "base", **SHORT).parameters()
    assert {_draw_for(s, 400, parameters) for s in range(400)} == set(range(120))
    assert len({_draw_for(s, 100, parameters) for s in range(100)}) == 100


def test_rates_that_are_kept_for_few_draws_or_none(portal):
    few = dc.fit(portal, **SHORT, pair_megabytes=0.02)
    assert 0 < len(few.draws.limited) < 60
    assert dc.predictive_checks(few, simulations=100).checked == list(CHECKS)
    none = dc.fit(portal, **SHORT, pair_megabytes=0)
    assert not len(none.draws.limited)
    with pytest.warns(UserWarning, match="means are used"):
        assert dc.predictive_checks(none, simulations=100).checked == list(CHECKS)


def test_progress(portal, capsys):
    told, posterior = [], dc.fit(portal, "base", **SHORT)
    dc.predictive_checks(posterior, simulations=100, progress=lambda *steps: told.append(steps))
    assert told[-1] == (100, 100)
    dc.predictive_checks(posterior, simulations=100, progress=True)
    with pytest.raises(dc.AnnotationError, match="progress is 3"):
        dc.predictive_checks(posterior, simulations=100, progress=3)


def test_recordings_that_mislead_everybody_are_seen_and_the_part_is_named():
    """False reports that come together: a third is likelier after one of two, and rarer after none."""
    sizes = {"recordings": 1500, "annotators": 10, "species": 10, "visits": 5, "present_species": 3}
    made = dc.simulate_portal(**sizes, false_reports=2, unsure=0, deception=3, seed=13)
    without = dc.predictive_checks(dc.fit(made.annotations, faint=True, **SHORT), simulations=200)
    told = verdicts(without)
    assert told["third_after_one"] == MORE
    assert told["third_after_none"] == LESS
    assert "less often than the model expects: try deceptive birds (deceptive=True)." in without.in_words()
    part = dc.predictive_checks(dc.fit(made.annotations, deceptive=True, **SHORT), simulations=200)
    assert not set(AGREEMENT) & set(part.failed)


# Hostile data


def fitted(frame, absence="checklist", model="base"):
    annotations = dc.Annotations.from_frame(pd.DataFrame(frame), absence)
    return dc.fit(annotations, model, **SHORT)


def verdicts(checks):
    return checks.table().set_index("check")["verdict"].to_dict()


HOSTILE = {
    "one visit": {"recording": ["a"], "annotator": ["Aino"], "species": ["wren"]},
    "no pairs": {"recording": list("abc"), "annotator": ["Aino"] * 3, "species": ["wren", "owl", "owl"]},
    "one recording": {"recording": ["a"] * 3, "annotator": list("xyz"), "species": ["wren"] * 3},
}


@pytest.mark.parametrize("model", ["base", "base-hierarchical"])
@pytest.mark.parametrize("case", HOSTILE)
def test_little_data_is_said_to_be_not_enough(case, model):
    posterior = fitted(HOSTILE[case], model=model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checks = dc.predictive_checks(posterior, simulations=100)
        told, text = verdicts(checks), str(checks)
    if case != "one recording":
        assert {told[name] for name in AGREEMENT} == {TOO_FEW}
        assert "not enough data: too few recordings were visited by several" in text
    if case == "one visit":
        assert told["visit_spread"] == told["species_spread"] == TOO_FEW
    assert told["reports_per_visit"] in (FINE, MORE, LESS)


@pytest.mark.parametrize("model", ["base", "base-hierarchical", "dp-bmm"])
def test_no_reports_at_all(model):
    frame = {
        "recording": list("aabbcc"),
        "annotator": ["Aino", "Onni"] * 3,
        "species": ["wren"] * 6,
        "present": [0] * 6,
    }
    posterior = fitted(frame, "explicit", model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checks = dc.predictive_checks(posterior, simulations=100)
        told = verdicts(checks)
    assert {told[name] for name in AGREEMENT} == {TOO_FEW}
    assert told["silent_visits"] == FINE
    assert checks.in_words()


def test_what_cannot_be_checked_is_refused(portal):
    with pytest.raises(TypeError, match="expected a Posterior"):
        dc.predictive_checks(dc.fit(portal, "majority-vote"))
    with pytest.raises(dc.AnnotationError, match="at least 100"):
        dc.predictive_checks(dc.fit(portal, "base", **SHORT), simulations=5)


# Words


def test_remedies_name_what_the_model_does_not_have_yet():
    nothing = Parts(*[False] * len(Parts._fields))
    assert "model='base-hierarchical' with faint=True" in for_python(remedy("faint", nothing))
    by_species = nothing._replace(by_species=True)
    assert "(faint=True)" in for_python(remedy("faint", by_species))
    assert "(--faint)" in for_command_line(remedy("faint", by_species))
    faint = by_species._replace(faint=True)
    assert "(difficulty=True)" in for_python(remedy("faint", faint))
    hard = faint._replace(difficulty=True)
    assert "--context" in for_command_line(remedy("faint", hard))
    assert "dp-bmm-hierarchical" in for_python(remedy("places", hard))
    assert "(deceptive=True)" in for_python(remedy("faint", hard._replace(occurrence=True)))
    full = hard._replace(occurrence=True, deceptive=True)
    assert "other columns" in remedy("places", full)
    assert remedy("faint", full).endswith("?")
    assert "taken for each other" in remedy("own", full)
    assert "base-hierarchical" in remedy("own", nothing)
    assert "model='base-hierarchical' with deceptive=True" in for_python(remedy("misled", nothing))
    assert "(--deceptive)" in for_command_line(remedy("misled", by_species))
    assert remedy("misled", full) == remedy("own", full)
    assert "priors='learned'" in for_python(remedy("priors", full))
    assert "priors='learned'" in for_python(remedy("rare", full))
    assert "base-hierarchical" in remedy("even", nothing)
    assert "difficulty=True" in for_python(remedy("even", by_species))
    assert "priors='learned'" in for_python(remedy("even", full))
    learned = full._replace(learned=True)
    assert "sample longer" in remedy("priors", learned)
    assert "sample longer" in remedy("even", learned)
    assert for_command_line(remedy("rare", learned)).endswith("left them out (--keep-unreported)")
    assert remedy("chosen", full).endswith("?")


@pytest.mark.parametrize(("priors", "all_learned"), [("given", False), ("default", False), ("learned", True)])
@pytest.mark.parametrize(
    "options", [{"model": "base"}, {}, {"context": "site"}], ids=["base", "default", "context"]
)
def test_learning_is_advised_unless_all_priors_are_learned(portal, priors, all_learned, options):
    posterior = dc.fit(portal, **options, priors=priors, **SHORT)
    checks = dc.predictive_checks(posterior, simulations=100)
    assert checks.parts.learned == all_learned


def test_what_is_shown(portal):
    checks = dc.predictive_checks(dc.fit(portal, "base", **SHORT), simulations=100)
    assert repr(checks).startswith("<PredictiveChecks: base, 100 simulations; not passed: ")
    assert "Does base describe the data?" in checks._repr_html_()
    assert len(str(checks).splitlines()) == len(CHECKS) + 2
    plain = checks.as_dict()
    assert plain["simulations"] == 100
    assert [row["check"] for row in plain["checks"]] == [*CHECKS, "unsure_marks"]
