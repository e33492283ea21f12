"""Held-out visits are predicted as the definition says, and never reach the fit."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
import naive
from dawnchorus.evaluation.held_out.folds import Fold, make_folds
from dawnchorus.evaluation.held_out.predicting import predict_held_out

SHORT = {"warmup": 30, "draws": 40, "min_ess": None, "seed": 1, "chains": 2}
MODELS = {
    "base": {},
    "base-hierarchical": {"difficulty": True},
    "dp-bmm": {},
    "base in context": {"context": "site"},
}


@pytest.fixture(scope="module")
def annotations():
    return dc.simulate_portal(60, 6, 5, visits=2.5, sites=3, seed=4).annotations


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("by", ["visit", "site"])
def test_predictions_against_loops(annotations, name, by):
    fold = make_folds(annotations, 2, by, seed=3)[0]
    seen = fold.fitted(annotations)
    posterior = dc.fit(seen, name.split()[0], **MODELS[name], **SHORT)
    found = predict_held_out(posterior, annotations, fold, seed=5)
    parameters, design = posterior.parameters(), posterior.design
    if by == "visit":
        cube = seen.to_cube()
        present = naive.cell_draws(
            cube, design.rates_at if design.by_species else None, parameters, occurrence_of(posterior)
        )[0]
    checked = 0
    for visit, k, said, p in zip(*found, strict=True):
        i, j = annotations.visit_recording[visit], annotations.visit_annotator[visit]
        assert said == (k in annotations.reports.row(visit))
        if design.by_species and k not in design.pairs.row(j):
            continue  # a rate that is drawn
        rate = int(design.rates_at(np.array([j]), np.array([k]))[0])
        tpr, fpr = (rates[:, rate].astype(float) for rates in (parameters.tpr, parameters.fpr))
        if by == "visit":
            there = present[i, k]
        elif posterior.context is None and not posterior.has_components:
            there = parameters.occurrence[:, 0, k]  # nobody has voted
        else:
            continue
        assert p == pytest.approx(np.mean(there * tpr + (1 - there) * fpr), abs=2e-6)
        checked += 1
    assert checked > 100 or by == "site"
    assert len(found.visit) == votes_of(annotations, fold)


def occurrence_of(posterior):
    contexts = posterior.parameters().contexts
    if contexts is None:
        return None
    which, chances = contexts.of(0, posterior.annotations.n_recordings)
    return chances[:, :, which]


def votes_of(annotations, fold):
    return sum(len(annotations.visit_votes(visit)[0]) for visit in fold.visits)


def test_folds_hold_out_visits_of_recordings_that_have_others(annotations):
    folds = make_folds(annotations, 4, seed=1)
    every = np.concatenate([fold.visits for fold in folds])
    assert len(np.unique(every)) == len(every)  # a visit is held out once
    for fold in folds:
        recordings = annotations.visit_recording[fold.visits]
        assert len(np.unique(recordings)) == len(recordings)  # at most one of a recording
        left = fold.fitted(annotations)
        assert left.n_visits == annotations.n_visits - len(fold.visits)
        assert (left.visits_by_recording.sizes[recordings] > 0).all()
        kept = set(left.visits()[["recording", "annotator"]].itertuples(index=False))
        out = set(annotations.visits().loc[fold.visits, ["recording", "annotator"]].itertuples(index=False))
        assert not kept & out
    number = annotations.visits_by_recording.sizes
    assert len(every) == np.minimum(number, 4)[number > 1].sum()
    (one,) = make_folds(annotations, 1, held_out=10, seed=1)
    assert len(one.visits) == 10


@pytest.mark.parametrize("by", ["recording", "site", "hour"])
def test_folds_by_group_hold_out_whole_groups(annotations, by):
    folds = make_folds(annotations, 3, by, seed=1)
    assert sorted(np.concatenate([fold.visits for fold in folds])) == list(range(annotations.n_visits))
    label = annotations.recordings.index if by == "recording" else annotations.recordings[by]
    sides = [set(np.asarray(label)[annotations.visit_recording[fold.visits]]) for fold in folds]
    assert not sides[0] & sides[1]
    assert not sides[1] & sides[2]
    left = folds[0].fitted(annotations)
    assert not set(left.recordings.index) & set(
        annotations.recordings.index[annotations.visit_recording[folds[0].visits]]
    )
    few = make_folds(annotations, 3, by, held_out=2, seed=1)
    assert len(np.unique(annotations.visit_recording[few[0].visits])) <= 2


def test_dates_are_days():
    recordings = pd.DataFrame(
        {
            "recording": list("abcd"),
            "time": ["2018-05-24 06:15", "2018-05-24 22:00", "2018-05-25 06:15", "2018-05-25 07:00"],
        }
    )
    table = pd.DataFrame({"recording": list("abcd"), "annotator": "Aino", "species": "wren"})
    annotations = dc.Annotations.from_frame(table, "checklist", recordings=recordings)
    one, other = make_folds(annotations, 2, "date")
    assert sorted([one.visits.tolist(), other.visits.tolist()]) == [[0, 1], [2, 3]]


def test_what_cannot_be_held_out_is_told():
    single = dc.simulate_paper(recordings=30, visits=0.5, annotators=3, species=3, seed=1).annotations
    single = single.select(visits=np.unique(single.visit_recording, return_index=True)[1])
    with pytest.raises(dc.AnnotationError, match=r"no recording was visited more than once.*by='recording'"):
        dc.compare(single, "base")
    with pytest.raises(dc.AnnotationError, match="no recording would be left"):
        make_folds(single, 1, "recording")
    with pytest.raises(dc.AnnotationError, match="there is no column 'site'"):
        make_folds(single, 2, "site")
    portal = dc.simulate_portal(60, 6, 5, sites=3, seed=4).annotations
    with pytest.raises(dc.AnnotationError, match="3 groups of recordings with votes, but 5 folds"):
        make_folds(portal, 5, "site")


@pytest.mark.parametrize(("seed", "folds"), [(1, 999), (2, 10**9), (3, 30)])
def test_a_smaller_number_of_folds_that_is_advised_works(seed, folds):
    few = dc.simulate_portal(20, 4, 3, visits=1.9, unsure=0.6, sites=4, seed=seed).annotations
    for by in ("visit", "recording", "site"):
        with pytest.raises(dc.AnnotationError, match="use fewer folds: folds=") as caught:
            make_folds(few, folds, by, seed=seed)
        advised = int(re.search(r"folds=(\d+)", str(caught.value)).group(1))
        assert 2 <= advised < 30
        assert all(len(fold.visits) for fold in make_folds(few, advised, by, seed=seed))


def test_one_group_is_not_a_fold(annotations):
    one = annotations.select(recordings=annotations.recordings.index[:1])
    with pytest.raises(
        dc.AnnotationError, match="fewer than two groups of recordings with votes.*by='visit'"
    ):
        make_folds(one, 2, "recording")


def test_votes_that_are_held_out_do_not_change_the_fit(annotations):
    """The fit is the same whatever a held-out visit has said."""
    visit = int(np.flatnonzero(annotations.visits_by_recording.sizes[annotations.visit_recording] > 1)[0])
    fold = Fold(np.array([visit]), False)
    frame = annotations.to_frame()
    row = annotations.visits().loc[visit]
    here = (frame["recording"] == row["recording"]) & (frame["annotator"] == row["annotator"])
    frame.loc[here & frame["present"].notna(), "present"] = 1 - frame["present"]
    tables = {name: getattr(annotations, name) for name in ("recordings", "annotators", "species")}
    other = dc.Annotations.from_frame(frame, "explicit", **tables)
    assert other != annotations
    one, two = (dc.fit(fold.fitted(a), **SHORT).draws["tpr"] for a in (annotations, other))
    assert np.array_equal(one, two)
