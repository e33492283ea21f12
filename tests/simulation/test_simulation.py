from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import logit

import dawnchorus as dc
from dawnchorus.simulation import SCENARIOS
from invariants import assert_sound


def present(simulation):
    truth = simulation.truth
    return truth.presence.to_csr(len(truth.species)).toarray() == 1


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_paper_scenarios(scenario):
    simulation = dc.simulate_paper(scenario, recordings=4000, seed=scenario)
    a, truth = simulation.annotations, simulation.truth
    y, cube = present(simulation), a.to_cube()
    assert cube.shape == (4000, 20, 25)
    # Visits: each pair independently, with probability visits / annotators.
    visited = (cube >= 0).all(axis=2)
    assert np.array_equal(visited, (cube >= 0).any(axis=2))
    assert stats.binomtest(int(visited.sum()), visited.size, 2.4 / 20).pvalue > 1e-3
    assert a.summary().unvisited_recordings > 0
    # Presence: the last ten copy the first ten, or not.
    assert np.array_equal(y[:, 15:], y[:, :10]) == (scenario in (2, 4))
    hits = y.sum(axis=0)
    rate = truth.species.occurrence.to_numpy()
    z = (hits - 4000 * rate) / np.sqrt(4000 * rate * (1 - rate))
    assert (z[:15] ** 2).sum() < stats.chi2.isf(1e-4, 15)
    # Types and ranges.
    types = truth.annotators.set_index("type").tpr
    assert truth.annotators.type.value_counts().to_dict() == {"random": 2, "normal": 14, "excellent": 4}
    assert types["random"].between(0.6, 0.7).all()
    assert types["normal"].between(0.75, 0.85).all()
    assert types["excellent"].between(0.9, 0.95).all()
    assert truth.annotators.fpr.between(0.001, 0.01).all()
    # Votes follow the true rates of each annotator and species.
    pairs = truth.annotator_species
    assert (pairs is not None) == (scenario in (3, 4))
    level = truth.annotators[["tpr", "fpr"]].to_numpy().T[:, :, None] * np.ones((1, 1, 25))
    tpr, fpr = level if pairs is None else pairs[["tpr", "fpr"]].to_numpy().T.reshape(2, 20, 25)
    for p, where in ((tpr, y), (fpr, ~y)):
        trials = (visited[:, :, None] & where[:, None, :]).sum(axis=0)
        hits = ((cube == 1) & where[:, None, :]).sum(axis=0)
        expected, variance = (trials * p).sum(), (trials * p * (1 - p)).sum()
        assert abs(hits.sum() - expected) < 4 * np.sqrt(variance)
        by_annotator = (hits - trials * p).sum(axis=1) / np.sqrt((trials * p * (1 - p)).sum(axis=1))
        assert (by_annotator**2).sum() < stats.chi2.isf(1e-4, 20)


def test_paper_skill_varies_on_the_logit_scale():
    draws = [dc.simulate_paper(3, recordings=1, seed=seed).truth for seed in range(40)]
    for name, spread in (("tpr", 2.0), ("fpr", 1.0)):
        z = np.concatenate(
            [
                (logit(t.annotator_species[name]) - np.repeat(logit(t.annotators[name].to_numpy()), 25))
                / spread
                for t in draws
            ]
        )
        assert stats.kstest(z, "norm").pvalue > 1e-3


def test_paper_occurrence_is_beta():
    rates = [dc.simulate_paper(recordings=1, seed=seed).truth.species.occurrence for seed in range(60)]
    assert stats.kstest(np.concatenate(rates), stats.beta(2, 98).cdf).pvalue > 1e-3


def test_paper_settings_are_checked():
    for wrong in (
        {"scenario": 5},
        {"visits": 21},
        {"scenario": 2, "co_occurring": 13},
        {"types": ()},
        {"species": 0},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            dc.simulate_paper(**wrong)


@pytest.mark.parametrize(
    ("option", "scenarios"), [("co_occurring", (2, 4)), ("tpr_spread", (3, 4)), ("fpr_spread", (3, 4))]
)
def test_an_option_of_another_scenario_is_refused(option, scenarios):
    for scenario in (1, 2, 3, 4):
        if scenario in scenarios:
            dc.simulate_paper(scenario, recordings=3, **{option: 1})
            continue
        words = f"has no {option}. Remedy: leave it out, or use scenario {scenarios[0]} or 4"
        with pytest.raises(dc.AnnotationError, match=words):
            dc.simulate_paper(scenario, recordings=3, **{option: 99})


@pytest.mark.parametrize("simulate", [dc.simulate_paper, dc.simulate_portal])
def test_a_seed_gives_the_same_data(simulate):
    first, again, other = (simulate(recordings=80, seed=seed) for seed in (1, 1, 2))
    assert first.annotations == again.annotations
    assert first.truth.presence.equals(again.truth.presence)
    assert first.annotations != other.annotations


class TestPortal:
    simulation = dc.simulate_portal(20_000, 80, 60, seed=5)

    def test_sizes_and_metadata(self):
        a = self.simulation.annotations
        assert (a.n_recordings, a.n_annotators, a.n_species) == (20_000, 80, 60)
        assert set(a.recordings.columns) == {"site", "hour"}
        assert a.recordings.site.nunique() == 40
        assert 1 < a.scopes.rows <= 12
        assert len(a.unsure.item) > 0

    def test_annotations_are_sound(self):
        assert_sound(self.simulation.annotations)

    def test_means_are_as_asked(self):
        a, truth = self.simulation.annotations, self.simulation.truth
        assert a.n_visits / a.n_recordings == pytest.approx(1.5, abs=0.05)
        assert truth.species.occurrence.sum() == pytest.approx(2.5, rel=0.001)
        assert truth.presence.sizes.mean() == pytest.approx(2.5, abs=0.1)

    def test_activity_is_like_one_over_rank(self):
        a = self.simulation.annotations
        visits = a.visits_by_annotator.sizes
        slope = np.polyfit(np.log(np.arange(1, 41)), np.log(visits[:40]), 1)[0]
        assert -1.2 < slope < -0.7

    def test_sites_and_hours_matter(self):
        a, y = self.simulation.annotations, present(self.simulation)
        for name in ("site", "hour"):
            table = pd.crosstab(a.recordings[name], y[:, 0])
            assert stats.chi2_contingency(table).pvalue < 1e-6

    def test_presence_has_the_stated_occurrence(self):
        y = present(self.simulation)
        rate = self.simulation.truth.species.occurrence.to_numpy()
        n = len(y)
        # Recordings differ in their rate, so the binomial variance is an upper bound.
        z = (y.sum(axis=0) - n * rate) / np.sqrt(n * rate * (1 - rate))
        assert (z**2).sum() < stats.chi2.isf(1e-4, len(z))
        assert rate[0] > 10 * rate[-1]

    def votes(self):
        """Give each vote: annotator, species, whether it is a report, whether the species is there."""
        a, y = self.simulation.annotations, present(self.simulation)
        inside = a.scopes.take(a.visit_scope)
        v, k = inside.row_of_item(), inside.item
        voted = ~a.unsure.contains(v, k)
        v, k = v[voted], k[voted]
        return a.visit_annotator[v], k, a.reports.contains(v, k), y[a.visit_recording[v], k]

    def test_reports_follow_the_true_rates_of_each_pair(self):
        a, truth = self.simulation.annotations, self.simulation.truth
        j, k, report, there = self.votes()
        pairs = truth.annotator_species.set_index(["annotator", "species"])
        met = pd.MultiIndex.from_arrays([a.annotators.index[j[there]], a.species.index[k[there]]])
        p = pairs.tpr.reindex(met).to_numpy()
        assert abs(report[there].sum() - p.sum()) < 4 * np.sqrt((p * (1 - p)).sum())
        others = pd.MultiIndex.from_arrays([a.annotators.index[j[~there]], a.species.index[k[~there]]])
        q = pairs.fpr.reindex(others).to_numpy()
        known = ~np.isnan(q)
        q = q[known]
        assert abs(report[~there][known].sum() - q.sum()) < 4 * np.sqrt(q.sum())

    def test_reports_follow_the_true_rates_of_each_annotator(self):
        truth = self.simulation.truth.annotators
        j, _, report, there = self.votes()
        for name, where in (("tpr", there), ("fpr", ~there)):
            trials = np.bincount(j[where], minlength=80)
            hits = np.bincount(j[where & report], minlength=80)
            rate = truth[name].to_numpy()
            busy = trials * rate * (1 - rate) > 20
            z = (hits - trials * rate)[busy] / np.sqrt((trials * rate * (1 - rate))[busy])
            assert busy.sum() > 5
            # Rates that vary over species make the variance smaller than the binomial one.
            assert (z**2).sum() < stats.chi2.isf(1e-4, busy.sum())
        by_level = truth.groupby("level").tpr.mean()
        assert by_level.is_monotonic_increasing

    def test_unsure_marks_say_nothing_of_presence(self):
        a, y = self.simulation.annotations, present(self.simulation)
        marks = len(a.unsure.item) / a.n_visits
        assert 0.06 < marks < 0.1  # 0.1, less what falls outside the scope
        inside = a.scopes.take(a.visit_scope)
        v, k = inside.row_of_item(), inside.item
        unsure = a.unsure.contains(v, k)
        for species in range(3):
            here = k == species
            table = pd.crosstab(unsure[here], y[a.visit_recording[v[here]], species])
            assert stats.chi2_contingency(table).pvalue > 1e-3

    def test_false_reports_are_as_many_as_asked(self):
        simulation = dc.simulate_portal(20_000, 80, 60, false_reports=0.3, seed=6)
        a, y = simulation.annotations, present(simulation)
        false = ~y[a.visit_recording[a.reports.row_of_item()], a.reports.item]
        fewer = ~present(self.simulation)[
            self.simulation.annotations.visit_recording[self.simulation.annotations.reports.row_of_item()],
            self.simulation.annotations.reports.item,
        ]
        assert 0.1 < false.sum() / a.n_visits < 0.45
        assert 2 < false.sum() / fewer.sum() < 5

    def test_names(self):
        simulation = dc.simulate_portal(50, ["Aino", "Onni"], ["wren", "owl"], seed=1)
        assert simulation.annotations.annotators.index.tolist() == ["Aino", "Onni"]
        assert simulation.truth.species.species.tolist() == ["wren", "owl"]

    def test_truth_table_of_some_recordings(self):
        truth = self.simulation.truth
        table = truth.to_frame(["r00007", "r00003"])
        assert table.recording.unique().tolist() == ["r00007", "r00003"]
        assert table.present.sum() == truth.presence.sizes[[6, 2]].sum()

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"recordings": 0}, "recordings is 0. Remedy: give a whole number, at least 1"),
            ({"species": ["wren", "wren"]}, "a different name for each"),
            ({"visits": 61}, "61 visits to a recording are more than possible"),
            ({"visits": -1}, "visits is -1. Remedy: give a number, at least 0"),
            ({"unsure": -0.1}, "unsure is -0.1"),
            ({"sites": 0}, "sites is 0"),
            ({"recordings": "5"}, "recordings is '5'"),
            ({"machine": ""}, "machine is ''. Remedy: give the name of the classifier"),
            ({"machine": " "}, "machine is ' '"),
            ({"machine": 3}, "machine is 3"),
            ({"machine": True}, "machine is True"),
        ],
    )
    def test_nonsense_is_refused(self, wrong, message):
        with pytest.raises(ValueError, match=message):
            dc.simulate_portal(**wrong)


@pytest.mark.slow
def test_a_million_recordings_and_ten_thousand_species():
    simulation = dc.simulate_portal(1_000_000, 5000, 10_000, seed=1)
    assert simulation.annotations.n_reports > 2_000_000
    with pytest.raises(ValueError, match="name fewer recordings"):
        simulation.truth.to_frame()
    assert len(dc.fit(simulation.annotations, model="majority-vote").presence(0.01)) > 1_000_000


def test_portal_annotators_take_species_for_their_look_alikes():
    plain, confused = (
        dc.simulate_portal(400, 8, 12, visits=2, sites=3, unsure=0, confusion=c, seed=2) for c in (0, 0.5)
    )
    assert confused.truth.presence.equals(plain.truth.presence)
    a, there = confused.annotations, confused.truth.presence
    alike = 0
    for visit in range(a.n_visits):
        present, said = there.row(a.visit_recording[visit]), a.reports.row(visit)
        scope = a.scopes.row(a.visit_scope[visit])
        alike += sum(k ^ 1 in said and k ^ 1 not in present and k not in said for k in present if k in scope)
    met = sum(
        np.isin(there.row(a.visit_recording[v]), a.scopes.row(a.visit_scope[v])).sum()
        for v in range(a.n_visits)
    )
    assert 0.3 < alike / met < 0.55
    with pytest.raises(ValueError, match="confusion is 2"):
        dc.simulate_portal(confusion=2)
