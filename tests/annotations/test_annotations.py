from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dawnchorus as dc
import naive
from dawnchorus import Annotations
from dawnchorus.annotations.joining import stacked
from dawnchorus.annotations.selection import of_recordings
from invariants import assert_sound
from strategies import annotations, frame, rows, scope_frame, scopes

# Strategies draw scopes that do not fit the reports, which is warned of; test_building asserts that.
pytestmark = pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")


def rebuilt(a: Annotations, absence="explicit") -> Annotations:
    return Annotations.from_frame(
        a.to_frame(absence),
        absence=absence,
        scope=a.species_lists() if len(a.species_lists()) else None,
        recordings=a.recordings,
        annotators=a.annotators,
        species=a.species,
    )


@given(rows(), st.sampled_from(["explicit", "scope", "checklist"]), scopes())
def test_votes_are_those_of_the_naive_twin(table, absence, scope):
    a = Annotations.from_frame(
        frame(table), absence=absence, scope=scope_frame(scope) if absence == "scope" else None
    )
    visits = naive.votes(table, absence, scope if absence == "scope" else ())
    cube = naive.cube(visits, a.recordings.index, a.annotators.index, a.species.index)
    assert np.array_equal(a.to_cube(), cube)
    counts, reports = naive.vote_counts(cube)
    assert np.array_equal(a.vote_counts().toarray(), counts)
    assert np.array_equal(a.report_counts().toarray(), reports)
    assert np.array_equal(a.vote_counts(slice(1, 3)).toarray(), counts[1:3])
    assert a.n_votes == (cube >= 0).sum()
    listed = set(zip(a.species_lists().annotator, a.species_lists().species, strict=True))
    voted = {(j, k) for (_, j), votes in visits.items() for k, vote in votes.items() if vote is not None}
    assert listed == voted | (set(scope) if absence == "scope" else set())
    assert a.n_visits == len(visits)
    assert a.summary().missing_rate == pytest.approx((cube < 0).mean() if cube.size else 1)


@given(annotations())
def test_invariants(a):
    assert_sound(a)


@given(annotations())
def test_round_trip(a):
    assert rebuilt(a) == a
    for absence in ("checklist", "scope") if len(a.species_lists()) else ():
        try:
            a.to_frame(absence)
        except ValueError:
            continue
        assert rebuilt(a, absence) == a


@given(annotations(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(a, random):
    table = a.to_frame()
    order = list(range(len(table)))
    random.shuffle(order)
    first = Annotations.from_frame(table, absence="explicit")
    assert Annotations.from_frame(table.iloc[order], absence="explicit") == first


@given(annotations(), st.data())
def test_select_and_concatenate(a, data):
    some = [name for name in a.recordings.index if data.draw(st.booleans())]
    rest = [name for name in a.recordings.index if name not in some]
    part, other = a.select(recordings=some), a.select(recordings=rest)
    assert np.array_equal(part.to_cube(), a.to_cube()[[n in some for n in a.recordings.index]])
    together = dc.concatenate(part, other)
    order = together.recordings.index.get_indexer(a.recordings.index)
    assert np.array_equal(together.to_cube()[order], a.to_cube())
    assert together.species_lists().equals(a.species_lists())
    assert dc.concatenate(a, a) == a


@given(annotations(), st.data())
def test_recordings_are_taken_and_put_together(a, data):
    some = np.array([i for i in range(a.n_recordings) if data.draw(st.booleans())], int)
    part = of_recordings(a, some)
    assert np.array_equal(part.to_cube(), a.to_cube()[some])
    assert part.recordings.equals(a.recordings.iloc[some])
    assert part.species_lists().equals(a.species_lists())
    cut = data.draw(st.integers(0, a.n_recordings))
    both = stacked([of_recordings(a, np.arange(cut)), of_recordings(a, np.arange(cut, a.n_recordings))])
    assert both.recordings.equals(a.recordings)
    assert np.array_equal(both.to_cube(), a.to_cube())
    assert both.reports.equals(a.reports)
    assert np.array_equal(both.scores, a.scores, equal_nan=True)
    assert_sound(both)


@given(annotations(), st.data())
def test_select_by_annotator_and_species(a, data):
    who = [name for name in a.annotators.index if data.draw(st.booleans())]
    what = [name for name in a.species.index if data.draw(st.booleans())]
    part = a.select(annotators=who, species=what)
    j, k = a.annotators.index.get_indexer(who), a.species.index.get_indexer(what)
    assert np.array_equal(part.to_cube(), a.to_cube()[:, j][:, :, k])


def test_select_all_is_the_same(kerttu):
    assert kerttu.select() == kerttu
    assert kerttu.select(species=kerttu.species.index) == kerttu


def test_concatenate_keeps_scopes_and_metadata(table):
    first = Annotations.from_frame(table[:3], absence="checklist")
    second = Annotations.from_frame(
        table[4:], absence="checklist", recordings=pd.DataFrame({"recording": ["r3"], "site": ["A"]})
    )
    both = dc.concatenate(first, second)
    assert both.recordings["site"].tolist()[-1] == "A"
    assert both.votes("r1", "Aino").index.tolist() == ["robin", "wren"]  # never asked about the owl
    assert both.species_lists().query("annotator == 'Aino'").species.tolist() == ["robin", "wren", "owl"]


@pytest.mark.filterwarnings("default::dawnchorus.AnnotationWarning")
def test_concatenate_tells_of_metadata_that_differ(table):
    def with_hours(rows, hours):
        known = pd.DataFrame({"recording": ["r1", "r2", "r3"], "hour": hours})
        return Annotations.from_frame(rows, absence="checklist", recordings=known)

    with pytest.warns(dc.AnnotationWarning, match=r"the hour of 1 recording \('r3'\) differs"):
        both = dc.concatenate(with_hours(table[:3], [5, None, 6]), with_hours(table[4:], [5, 4, 7]))
    assert both.recordings.hour.tolist() == [5, 4, 6]


def test_concatenate_refuses_a_visit_that_differs(table):
    first = Annotations.from_frame(table, absence="checklist")
    second = Annotations.from_frame(table[:2], absence="checklist")
    with pytest.raises(dc.AnnotationError, match="'Aino' to recording 'r1' is in both sets and differs"):
        dc.concatenate(first, second)


def test_views(table):
    a = Annotations.from_frame(table, absence="checklist")
    assert a.votes("r1", "Aino").to_dict() == {"owl": 0, "robin": 0, "wren": 1}
    assert "wren" not in a.votes("r3", "Onni")  # unsure is no vote
    assert a.visits(recording="r1").annotator.tolist() == ["Aino", "Onni"]
    assert a.visits(annotator="Onni").recording.tolist() == ["r1", "r2", "r3"]
    assert a.visits().reports.tolist() == [1, 1, 0, 1, 0]
    assert a.visits_by_recording.sizes.tolist() == [2, 1, 2]
    assert a.visits_by_annotator.sizes.tolist() == [2, 3]
    species, votes = a.visit_votes(0)
    assert (species.tolist(), votes.tolist()) == ([0, 1, 2], [0, 0, 1])


def test_unknown_labels_are_named_with_what_comes_close(table):
    a = Annotations.from_frame(table, absence="checklist")
    with pytest.raises(dc.AnnotationError, match="no recording 'r4'"):
        a.visits(recording="r4")
    with pytest.raises(dc.AnnotationError, match="no species 'robbin'.*robin"):
        a.select(species=["robbin"])
    with pytest.raises(dc.AnnotationError, match="'Aino' did not visit recording 'r2'"):
        a.votes("r2", "Aino")


def test_frozen(table):
    a = Annotations.from_frame(table, absence="checklist")
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.reports = a.unsure
    with pytest.raises(ValueError, match="read-only"):
        a.visit_recording[0] = 1


def test_drop_unreported(table):
    a = Annotations.from_frame(table[1:], absence="explicit")
    assert a.drop_unreported().species.index.tolist() == ["owl", "robin"]
    dropped = Annotations.from_frame(table[1:], absence="explicit", drop_unreported=True)
    assert dropped == a.drop_unreported()


def test_summary_and_repr(table):
    a = Annotations.from_frame(pd.concat([table, table[:1]]), absence="checklist")
    assert repr(a) == (
        "<Annotations: 5 visits by 2 annotators to 3 recordings; 3 reports of 3 species, 1 unsure>"
    )
    assert a.summary().as_dict() == {
        "source": "the table",
        "absence": "checklist",
        "columns": {},
        "recordings": 3,
        "annotators": 2,
        "species": 3,
        "visits": 5,
        "scopes": 1,
        "votes": 14,
        "reports": 3,
        "unsure": 1,
        "missing_rate": 1 - 14 / 18,
        "cells_without_vote": 0,
        "unvisited_recordings": 0,
        "visits_per_recording": 5 / 3,
        "most_visits_to_a_recording": 2,
        "reports_per_visit": 3 / 5,
        "visits_without_report": 2,
        "species_per_annotator": (3, 3.0, 3),
        "species_never_reported": 0,
        "duplicate_rows": 1,
        "reports_outside_scope": 0,
        "missing_species": 0,
        "folded_labels": 0,
        "fold_case": False,
        "keep_na": False,
        "scored_reports": 0,
        "score_scale": "",
        "names": {},
    }
    assert "duplicate rows" in str(a.summary())
    explicit = Annotations.from_frame(table, absence="explicit").summary()
    assert explicit.species_per_annotator == (1, 2.0, 3)
    assert explicit.cells_without_vote == 6


def test_large_cube_and_frame_are_refused():
    a = dc.simulate_portal(1000, 300, 1000).annotations
    with pytest.raises(ValueError, match="1000 × 300 × 1000"):
        a.to_cube()
    with pytest.raises(dc.AnnotationError, match="absence is 'everything'"):
        a.to_frame("everything")


def test_tables_add_labels_and_metadata(table):
    a = Annotations.from_frame(
        table,
        absence="checklist",
        recordings=pd.DataFrame({"recording": ["r9", "r1"], "site": ["A", "B"]}),
        annotators=pd.DataFrame({"user": ["Helmi", "Onni"], "level": [4, 2]}),
        species=pd.DataFrame({"species": ["crane"]}),
    )
    assert a.recordings.index.tolist() == ["r9", "r1", "r2", "r3"]
    assert a.recordings.site.tolist()[:2] == ["A", "B"]
    assert a.annotators.level.tolist()[:2] == [4, 2]
    assert a.species.index.tolist() == ["crane", "owl", "robin", "wren"]
    assert a.scopes.sizes.tolist() == [4]
    assert a.summary().unvisited_recordings == 1


def test_visits_are_selected_and_dropped():
    annotations = dc.simulate_portal(40, 5, 6, visits=2, sites=3, seed=1).annotations
    visits = annotations.visits()
    some = np.arange(0, annotations.n_visits, 3)
    mask = np.isin(np.arange(annotations.n_visits), some)
    chosen = annotations.select(visits=some)
    assert chosen == annotations.select(visits=mask) == annotations.select(visits=visits.iloc[some])
    rest = annotations.drop(visits=some)
    assert rest == annotations.drop(visits=mask) == annotations.select(visits=~mask)
    assert chosen.n_recordings == rest.n_recordings == annotations.n_recordings
    assert chosen.visits().reset_index(drop=True).equals(visits.iloc[some].reset_index(drop=True))
    assert dc.concatenate(chosen, rest) == annotations
    both = annotations.select(visits=some, annotators="a1")
    assert both.n_visits == (visits.iloc[some]["annotator"] == "a1").sum()
    few = annotations.drop(annotators="a1", species=["s2", "s3"])
    assert few.annotators.index.tolist() == ["a2", "a3", "a4", "a5"]
    assert few.species.index.tolist() == ["s1", "s4", "s5", "s6"]


@pytest.mark.parametrize(
    ("visits", "message"),
    [
        ([1000], "there is no such visit"),
        ([-1], "there is no such visit"),
        ([0.5], "there is no such visit"),
        ([True], "give one for each visit"),
        (pd.DataFrame({"recording": ["r1"]}), "no column 'annotator'"),
        (pd.DataFrame({"recording": ["r1"], "annotator": ["nobody"]}), "'nobody' did not visit"),
    ],
)
def test_visits_that_are_not_there_are_refused(visits, message):
    annotations = dc.simulate_paper(recordings=9, visits=2, seed=1).annotations
    with pytest.raises(ValueError, match=message):
        annotations.select(visits=visits)


def test_repr_tells_what_was_visited(table):
    a = Annotations.from_frame(table, absence="checklist").select(annotators=["Aino"])
    assert repr(a).startswith("<Annotations: 2 visits by 1 annotator to 2 of 3 recordings; ")
    declared = pd.DataFrame({"annotator": ["Aino", "Onni", "Eero"]})
    b = Annotations.from_frame(table, absence="checklist", annotators=declared)
    assert "by 2 of 3 annotators to 3 recordings;" in repr(b)


def test_annotations_are_concatenated_one_by_one():
    a = dc.simulate_paper(recordings=5, seed=1).annotations
    for parts in ([a, a], (a,)):
        with pytest.raises(
            TypeError, match=r"one by one, not in a (list|tuple): write concatenate\(\*parts\)"
        ):
            dc.concatenate(parts)
    with pytest.raises(TypeError, match="expected Annotations, got str: make them with dc.read"):
        dc.concatenate(a, "annotations.csv")
