from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given

import dawnchorus as dc
import naive
from dawnchorus.annotations.counting import voted_recordings, votes_at
from dawnchorus.results import majority_vote as baselines
from strategies import annotations

pytestmark = pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")


@given(annotations())
def test_majority_vote_is_that_of_the_naive_twin(a):
    assume(a.n_votes)
    cube = a.to_cube()
    wanted = naive.majority_vote(cube)
    votes, reports = naive.vote_counts(cube)
    result = dc.MajorityVote(a)
    presence = result.presence()
    assert presence.probability.to_numpy() == pytest.approx(wanted.ravel())
    assert presence.votes.tolist() == votes.ravel().tolist()
    assert presence.reports.tolist() == reports.ravel().tolist()
    assert presence.recording.tolist() == np.repeat(a.recordings.index, a.n_species).tolist()
    assert result.mean_probability() == pytest.approx(wanted.mean())
    assert voted_recordings(a).tolist() == (votes > 0).sum(axis=0).tolist()
    i, k = np.indices(votes.shape).reshape(2, -1)
    assert votes_at(a, i, k).tolist() == votes.ravel().tolist()
    for least in (0.01, 0.3, 0.5, 1.0):
        probable, reported = presence.probability >= least, presence.reports > 0
        for keep, rows in ((False, probable), (True, probable | reported)):
            some = result.presence(least, keep_reported=keep)
            assert some.equals(presence[rows].reset_index(drop=True))
            assert result.count_presence(least, keep_reported=keep) == len(some)


@given(annotations())
def test_tables_of_species_and_annotators(a):
    assume(a.n_votes)
    cube = a.to_cube()
    votes, reports = naive.vote_counts(cube)
    result = dc.MajorityVote(a)
    with np.errstate(invalid="ignore"):
        shares = np.where(votes > 0, reports / votes, 0).sum(axis=0) / (votes > 0).sum(axis=0)
    assert result.species().occurrence.to_numpy() == pytest.approx(shares, nan_ok=True)
    assert result.species().reports.tolist() == reports.sum(axis=0).tolist()
    assert result.annotators().reports.tolist() == (cube == 1).sum(axis=(0, 2)).tolist()
    assert result.annotators().recordings.sum() == a.n_visits


def test_blocks_do_not_change_the_result(monkeypatch):
    a = dc.simulate_portal(300, seed=3).annotations
    whole = dc.MajorityVote(a).presence(), dc.MajorityVote(a).presence(0.5)
    monkeypatch.setattr(baselines, "BLOCK", 250)
    parts = dc.MajorityVote(a).presence(), dc.MajorityVote(a).presence(0.5)
    for one, other in zip(whole, parts, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_no_vote_at_all_is_refused():
    table = pd.DataFrame({"recording": ["r"], "annotator": ["A"], "species": ["wren"], "present": [None]})
    a = dc.Annotations.from_frame(table, absence="explicit")
    for model in dc.MODELS:
        with pytest.raises(dc.AnnotationError, match="not a single vote"):
            dc.fit(a, model=model)


def test_fit_knows_its_models(table):
    a = dc.Annotations.from_frame(table, absence="checklist")
    assert dc.fit(a, model=" Majority-Vote ").name == "majority-vote"
    assert dc.fit(a, model="MV").name == "majority-vote"
    with pytest.raises(dc.AnnotationError, match="no model 'oracle'.*majority-vote"):
        dc.fit(a, model="oracle")
    with pytest.raises(dc.AnnotationError, match="majority vote has no option seed"):
        dc.fit(a, model="majority-vote", seed=1)


def test_options_that_are_wrong_are_refused_by_every_model(table):
    annotations = dc.Annotations.from_frame(table, absence="checklist")
    for model in ("majority-vote", "base"):
        with pytest.raises(
            dc.AnnotationError, match="scores=nonsense is not known|scores='nonsense' is not known"
        ):
            dc.fit(annotations, model, scores="nonsense")
        with pytest.raises(dc.AnnotationError, match="no cells are known"):
            dc.fit(annotations, model, known_as="expert")
