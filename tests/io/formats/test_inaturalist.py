"""Identifications of iNaturalist: candidates, ranks, and JSON that is broken."""

from __future__ import annotations

import json

import pytest

import dawnchorus as dc

CSV = "observation_id,user_login,taxon_name,taxon_rank,current\n"


def read(path, **options):
    return dc.read(path, "inaturalist", **options)


def identified(observation, user, name, rank="species", **more):
    taxon = {"name": name, "rank": rank}
    return {"observation": {"id": observation}, "user": {"login": user}, "taxon": taxon, **more}


def test_silence_is_about_the_other_candidates(write):
    path = write(
        CSV + "1,a,Strix aluco,species,true\n1,b,Strix uralensis,species,true\n2,a,Bubo bubo,species,t\n"
    )
    a = read(path)
    assert a.votes("1", "a").to_dict() == {"Strix aluco": 1, "Strix uralensis": 0}
    assert a.votes("2", "a").to_dict() == {"Bubo bubo": 1}
    assert read(path, absence="explicit").n_votes == 3
    assert read(path, absence="checklist").n_votes == 9


def test_ranks_and_withdrawn_identifications(write):
    rows = [
        "1,a,Strix,genus,true", "1,b,Strix aluco sylvatica,subspecies,true", "1,c,Bubo bubo,species,false",
        "1,d,Bubo bubo,species,", "1,d,Strix aluco,species,",
    ]  # fmt: skip
    with pytest.warns(dc.AnnotationWarning) as notes:
        a = read(write(CSV + "\n".join(rows) + "\n"))
    assert "1 identification of a coarser rank is no vote" in str(notes[0].message)
    assert "1 identification that was withdrawn or replaced is no vote" in str(notes[1].message)
    assert a.species.index.tolist() == ["Strix aluco"]
    assert a.annotators.index.tolist() == ["b", "d"]
    with pytest.raises(dc.AnnotationError, match="no identification is of a species"):
        read(write(CSV + rows[0] + "\n"))


def test_json_of_identifications_and_of_observations(write):
    results = [identified(1, "a", "Strix aluco"), identified(1, "b", "Bubo bubo", current=True)]
    page = {"total_results": 2, "page": 1, "results": results}
    a = read(write(json.dumps(page), "ids.json"))
    assert a == read(write(json.dumps(results), "list.json"))
    assert a == read(write("\n".join(map(json.dumps, results)), "lines.json"))
    inside = [{k: v for k, v in each.items() if k != "observation"} for each in results]
    observations = {"results": [{"id": 1, "taxon": {"rank": "genus"}, "identifications": inside}]}
    assert a == read(write(json.dumps(observations), "obs.json"))
    with pytest.warns(dc.AnnotationWarning, match="read as inaturalist"):
        dc.read(write(json.dumps(observations), "obs.json"))


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (3, "results"),
        ({"id": 1, "identifications": 3}, "identifications"),
        ({"id": 1, "identifications": [3]}, "identifications"),
        (identified(None, "a", "Strix aluco"), "observation"),
        (identified(1, None, "Strix aluco"), "user"),
        (identified(1, "b", ["x"]), "taxon"),
        (identified(1, "b", "Strix aluco", rank=None), "rank"),
    ],
)
def test_broken_objects_are_named_or_left_out(write, wrong, field):
    path = write(json.dumps({"results": [identified(1, "a", "Strix aluco"), wrong]}), "ids.json")
    with pytest.raises(dc.AnnotationError) as error:
        read(path)
    assert (error.value.row, error.value.field) == (2, field)
    with pytest.warns(dc.AnnotationWarning, match="1 bad row was left out"):
        assert read(path, skip_bad=True).n_visits == 1


def test_broken_files(write):
    with pytest.raises(dc.AnnotationError, match="no columns 'observation_id', 'user_login', 'taxon_name'"):
        read(write("a,b\n1,2\n"))
    with pytest.raises(dc.AnnotationError, match="row 2, field 'user': it is missing"):
        read(write(CSV + "1,,Strix aluco,species,true\n"))
    with pytest.raises(dc.AnnotationError, match="not JSON, or it is incomplete"):
        read(write('{"results": [{"id": 1', "ids.json"))
    with pytest.raises(dc.AnnotationError, match="nested too deeply"):
        read(write('{"results":' * 1_000_000, "ids.json"))
