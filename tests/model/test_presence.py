"""The sparse presence draw against a loop over every cell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

import dawnchorus as dc
import joint
import naive
import portals
from checks import (
    CASES,
    FALSE_ALARM,
    grouped,
    independence_p,
    presence_case,
    presence_p,
    random_rates,
)
from dawnchorus.common.ragged import Ragged
from dawnchorus.model import design as design_module
from dawnchorus.model import rates
from dawnchorus.model.audibility import VoteRates
from dawnchorus.model.design import Design, SpeciesLists
from dawnchorus.model.lookups import has_voted, rate_of
from dawnchorus.model.presence import draw as presence
from dawnchorus.model.presence.candidates import (
    OWN_TABLES,
    build_alias,
    candidates,
    draw_alias,
    silence_bounds,
)
from dawnchorus.model.presence.odds import grouped_odds, odds_at


def test_the_data_are_wild():
    a = portals.wild()
    cube, visits = a.to_cube(), np.bincount(a.visit_annotator, minlength=a.n_annotators)
    voted, marked = (cube >= 0).any(axis=1), np.bincount(a.unsure.item, minlength=a.n_species)
    assert a.visits_by_recording.sizes.min() == 0
    assert a.visits_by_recording.sizes.max() >= 5
    assert 0 in a.scopes.sizes[a.visit_scope]
    assert {0, 1} < set(visits)
    assert len(a.unsure.item) > 20
    assert voted.any(axis=0).tolist() == [True] * 12 + [False] * 2
    assert marked[-2] > 0 == marked[-1]
    silent = voted & (cube < 1).all(axis=1)
    for by_species in (False, True):
        design = Design(a, by_species=by_species)
        visits = design.layout.visits
        voters = np.zeros(voted.shape, int)  # of cells that the widest scope does not have
        for i, k in np.argwhere(silent):
            first, *others = (
                has_voted(visits, visit, k) for visit in range(visits.start[i], visits.start[i + 1])
            )
            voters[i, k] = 0 if first else sum(others)
        assert (voters == 1).sum() > 5
        assert (voters >= 2).sum() > 10
        assert len(set(design.layout.leading_recording)) < len(design.layout.leading_visit)
    assert CASES["many groups"]["groups"] > OWN_TABLES + 1


@pytest.mark.parametrize("name", CASES)
def test_each_cell_is_present_as_often_as_it_should_be(name, monkeypatch):
    assert presence_p(*presence_case(monkeypatch, **CASES[name]), draws=2500, seed=1) > FALSE_ALARM


def test_annotators_with_few_visits_share_a_list_of_species(monkeypatch):
    rows = {}
    for name in ("by species", "some share a list", "all share a list"):
        design, *_ = presence_case(monkeypatch, **CASES[name])
        lists, row = design.layout.species_lists
        own = row < lists.rows - 1
        assert lists.row(lists.rows - 1).tolist() == list(range(design.annotations.n_species))
        for j in np.flatnonzero(own):
            assert lists.row(row[j]).tolist() == design.pairs.row(j).tolist()
        rows[name] = own.mean()
    assert rows["by species"] > rows["some share a list"] > 0 == rows["all share a list"]


@pytest.mark.parametrize("name", ["ordinary", "common species", "silence raises the odds, by species"])
def test_cells_of_one_recording_are_independent(name, monkeypatch):
    assert independence_p(*presence_case(monkeypatch, **CASES[name]), draws=2500, seed=2) > FALSE_ALARM


@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_the_draw(name, monkeypatch):
    design, odds, tpr, fpr = presence_case(monkeypatch, **CASES[name])
    cube = design.annotations.to_cube()
    reported = (cube == 1).any(axis=1)
    rng = np.random.default_rng(7)
    for _ in range(20):
        drawn = presence.draw(rng, design.layout, odds, VoteRates(tpr, fpr))
        present = joint.as_table(drawn, design)
        assert present.sum() == drawn.reported.sum() + len(drawn.recording)
        assert np.all(np.diff(drawn.recording) >= 0)
        assert drawn.by_species.tolist() == present.sum(axis=0).tolist()
        in_reported = by_rate(naive.votes_by_truth(cube, present & reported), design)
        silent = by_rate(naive.votes_by_truth(cube, present & ~reported), design)
        assert rates.silences_by_rate(drawn.votes).tolist() == in_reported["misses"].tolist()
        assert rates.reports_by_rate(drawn.votes).tolist() == in_reported["hits"].tolist()
        assert drawn.misses.tolist() == silent["misses"].tolist()


@pytest.mark.parametrize("table", [None, 0])
def test_kernels_know_who_voted_on_what_and_with_which_rate(table, monkeypatch):
    if table is not None:
        monkeypatch.setattr(design_module, "TABLE", table)
    a = portals.wild()
    cube, votes = a.to_cube(), 0
    for by_species in (False, True):
        design = Design(a, by_species=by_species)
        visits, lookup = design.layout.visits, design.layout.rates
        for i in range(a.n_recordings):
            for visit in range(visits.start[i], visits.start[i + 1]):
                j = visits.annotator[visit]
                for k in range(a.n_species):
                    assert has_voted(visits, visit, k) == (cube[i, j, k] >= 0)
                    if cube[i, j, k] >= 0:
                        wanted = design.rates_at(np.array([j]), np.array([k]))[0]
                        assert rate_of(lookup, j, k) == wanted
                        votes += 1
    assert votes == 2 * a.n_votes


def test_codes_of_votes_are_packed_and_unpacked():
    place, report = np.array([0, 0, 7, 7]), np.array([False, True, False, True])
    codes = rates.pack_vote(place, report)
    assert codes.tolist() == [0, 1, 14, 15]
    assert [part.tolist() for part in rates.unpack_vote(codes)] == [[0, 0, 7, 7], [0, 1, 0, 1]]
    assert rates.silences_by_rate(np.arange(6)).tolist() == [0, 2, 4]
    assert rates.reports_by_rate(np.arange(6)).tolist() == [1, 3, 5]


def test_ratios_of_votes_stay_within_bounds():
    tpr, fpr = np.array([0.8, 1.0, 0.0, 0.3]), np.array([0.1, 0.0, 1.0, 0.3])
    wanted = naive.vote_ratios(tpr, fpr)
    assert rates.ratios(tpr, fpr, 0.0).tolist() == wanted
    assert np.isfinite(wanted).all()
    assert rates.absent_probabilities(fpr)[:2].tolist() == [1 - 0.1, 0.1]
    logit = np.log(np.array([0.8, 0.5]) / np.array([0.2, 0.5])), np.log(np.array([0.1, 0.5]) / [0.9, 0.5])
    from_logits = rates.ratios_from_logits(np.array([0]), *logit, 0.0)
    assert np.allclose(from_logits[:2], wanted[:2])
    marked = naive.vote_probability(0, 0.8, np.log(1.7)) / naive.vote_probability(0, 0.1, np.log(1.7))
    assert np.allclose(rates.ratios(tpr, fpr, 0.7)[:2], [marked, wanted[1]])
    assert np.allclose(rates.ratios_from_logits(np.array([0]), *logit, 0.7)[:2], [marked, wanted[1]])
    far = rates.ratios_from_logits(np.array([0]), np.array([800.0]), np.array([-800.0]), 0.0)
    assert np.allclose(np.log10(far), [-14.77, 14.77], atol=0.01)
    assert np.allclose(rates.odds_of(np.array([[0.0, 0.25, 1.0]])), [1e-15, 1 / 3, 1e15], rtol=0.2)


def test_the_alias_method_draws_in_proportion():
    rates_of_entries = np.array([0.1, 3.0, 0.0, 1.7, 0.9, 2.6, 0.3, 1.2])
    share, alias = np.ones((1, 10)), np.empty((1, 10), np.int32)
    build_alias(rates_of_entries, rates_of_entries.sum(), 2, share[0, 2:], alias[0, 2:])
    rng, n = np.random.default_rng(1), 20_000
    drawn = np.bincount([draw_alias(rng, share, alias, 0, 2, 10) for _ in range(n)], minlength=10)
    likely = rates_of_entries > 0
    assert drawn[:2].sum() == drawn[2:][~likely].sum() == 0
    wanted = n * rates_of_entries / rates_of_entries.sum()
    assert stats.chisquare(drawn[2:][likely], wanted[likely]).pvalue > FALSE_ALARM


def test_odds_are_products_of_their_terms(monkeypatch):
    for name in ("many groups", "two terms"):
        odds = presence_case(monkeypatch, **CASES[name])[1]
        wanted = naive.odds_table(odds)
        assert np.allclose(odds.table(), wanted)
        assert np.allclose(
            [[odds_at(odds.factor, odds.row, i, k) for k in range(14)] for i in range(24)], wanted
        )
    probability, group = np.array([[0.2, 0.5], [0.9, 0.1]]), np.array([1, 0, 1], np.int32)
    made = grouped_odds(probability, group)
    assert np.allclose(naive.odds_table(made), (probability / (1 - probability))[group])
    assert made.sizes.tolist() == [1, 2]


def by_rate(counts, design):
    if design.by_species:
        return {name: table[design.rate_annotator, design.pairs.item] for name, table in counts.items()}
    return {name: table.sum(axis=1) for name, table in counts.items()}


def test_room_is_made_for_many_present_cells():
    annotations = dc.simulate_portal(recordings=300, annotators=5, species=12, visits=1, seed=1).annotations
    design = Design(annotations, by_species=False)
    odds, even = grouped(np.full((1, 12), 1e6), np.zeros(300, np.int32)), np.full(5, 0.5)
    drawn = presence.draw(np.random.default_rng(1), design.layout, odds, VoteRates(even, even))
    voted = (annotations.to_cube() >= 0).any(axis=1)
    assert len(drawn.recording) > 1024
    assert joint.as_table(drawn, design).sum() > 0.999 * voted.sum()


@pytest.mark.parametrize("by_species", [False, True])
@pytest.mark.parametrize("n_annotators", [1, 4])
def test_species_are_looked_for_in_proportion_to_their_bound(by_species, n_annotators):
    rng = np.random.default_rng(5)
    for n_species in (1, 2, 3, 30):
        odds = rng.gamma(0.3, size=(7, n_species)) * (rng.random((7, n_species)) < 0.8)
        lists = [np.flatnonzero(rng.random(n_species) < 0.7) for _ in range(n_annotators)]
        pairs = Ragged.from_sizes([len(x) for x in lists], np.concatenate(lists))
        every = Ragged.from_sizes([n_species], np.arange(n_species))
        own = (rng.random(n_annotators) < 0.6) & by_species
        listed = pairs.take(np.flatnonzero(own)).stack(every)
        ratio = rng.gamma(2, size=2 * (len(pairs.item) if by_species else n_annotators))
        shared = SpeciesLists(listed, np.where(own, np.cumsum(own) - 1, own.sum()))
        silence = silence_bounds(shared, pairs if by_species else Ragged.empty(0), ratio)
        bound = candidates(listed, silence.entry, odds, rng.permutation(7))
        for g in range(7):
            assert np.all(bound.max_odds[bound.table[g]] >= odds[g])
        of_silence = rates.silences_by_rate(ratio)
        most = np.zeros((n_annotators, n_species))
        for j in range(n_annotators):
            here = slice(*pairs.start[j:][:2])
            most[j, pairs.item[here] if by_species else slice(None)] = of_silence[here if by_species else j]
        assert silence.later == pytest.approx(np.maximum(most.max(axis=1), 1))
        for t, largest in enumerate(bound.max_odds):
            for j in range(n_annotators):
                row = slice(*listed.start[shared.of_annotator[j] :][:2])
                sharing = ~own if by_species and not own[j] else j
                wanted = (largest * np.atleast_2d(most[sharing]).max(axis=0))[listed.item[row]]
                found = bound.total[t, shared.of_annotator[j]] * silence.annotator[j]
                assert found == pytest.approx(wanted.sum())
                if wanted.sum() == 0:
                    continue
                shares = bound.alias_share[t, row].copy()
                given = bound.alias[t, row] - row.start
                np.add.at(shares, given[shares < 1], 1 - bound.alias_share[t, row][shares < 1])
                assert np.allclose(shares / len(shares), wanted / wanted.sum())


def test_presence_from_a_table_is_what_the_draw_gives():
    for by_species in (False, True):
        design = Design(portals.wild(), by_species=by_species)
        tpr, fpr = random_rates(np.random.default_rng(1), design.n_rates)
        odds = grouped(np.full((1, 14), 0.4), np.zeros(24, np.int32))
        drawn = presence.draw(np.random.default_rng(2), design.layout, odds, VoteRates(tpr, fpr))
        again = joint.as_presence(joint.as_table(drawn, design), design, joint.Votes.of(design))
        assert sorted(zip(drawn.recording, drawn.species, strict=True)) == sorted(
            zip(again.recording, again.species, strict=True)
        )
        for name in ("reported", "by_species", "votes", "misses"):
            assert getattr(drawn, name).tolist() == getattr(again, name).tolist()


@pytest.mark.parametrize("first", ["reports", "silences"])
def test_hundreds_of_votes_on_a_cell_count_in_any_order(first):
    """A clip that everybody hears: odds leave what a number can hold on the way, and come back."""
    said = [1] * 150 + [0] * 460 if first == "reports" else [0] * 460 + [1] * 150
    frame = pd.DataFrame(
        [("clip", f"a{j:03d}", "Robin", "present" if vote else "absent") for j, vote in enumerate(said)],
        columns=["recording", "annotator", "species", "present"],
    )
    for by_species in (False, True):
        design = Design(dc.Annotations.from_frame(frame, "explicit"), by_species=by_species)
        given = np.full(610, 0.8), np.full(610, 0.01)
        for odds in (0.05, 1e34, 1e40):
            exact = np.log(odds) + 460 * np.log(0.2 / 0.99) + 150 * np.log(0.8 / 0.01)
            one = grouped(np.full((1, 1), odds), np.zeros(1, np.int32))
            rng = np.random.default_rng(1)
            there = [
                presence.draw(rng, design.layout, one, VoteRates(*given)).reported[0] for _ in range(400)
            ]
            assert stats.binomtest(sum(there), 400, expit(exact)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("worse_first", [False, True])
def test_hundreds_of_silences_count_in_any_order(worse_first):
    """Half of the annotators are worse than chance, so that their silence raises the odds as much again."""
    rows = [("clip", f"a{j:04d}", "Robin", 0) for j in range(1000)]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    design = Design(dc.Annotations.from_frame(frame, "explicit"), by_species=False)
    good, bad = np.full(500, 0.8), np.full(500, 0.01)
    tpr, fpr = np.concatenate([good, bad]), np.concatenate([bad, good])
    given = (fpr, tpr) if worse_first else (tpr, fpr)
    odds = grouped(np.full((1, 1), 0.5), np.zeros(1, np.int32))
    rng = np.random.default_rng(1)
    there = sum(len(presence.draw(rng, design.layout, odds, VoteRates(*given)).recording) for _ in range(400))
    assert stats.binomtest(there, 400, 1 / 3).pvalue > FALSE_ALARM
