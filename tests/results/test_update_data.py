"""What joins a fit: labels, scopes, metadata, known cells and scores; and what is refused, with a remedy."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import dawnchorus as dc
from commands import run
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.occurrence.independent import Independent
from dawnchorus.results.saving.files import load_tree, write_tree

SHORT = {"warmup": 5, "draws": 20, "min_ess": None}
pytestmark = pytest.mark.filterwarnings("ignore::dawnchorus.AnnotationWarning")


@pytest.fixture(scope="module")
def halves():
    annotations = dc.simulate_paper(recordings=40, annotators=5, species=6, visits=2.5, seed=1).annotations
    labels = annotations.recordings.index
    return annotations.select(recordings=labels[:30]), annotations.select(recordings=labels[30:])


@pytest.fixture(scope="module")
def posterior(halves):
    return dc.fit(halves[0], "base", **SHORT)


@pytest.fixture
def folder(posterior, tmp_path):
    dc.write_result(posterior, tmp_path / "fit")
    return tmp_path / "fit"


def table(*rows):
    return pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])


OLD = table(
    ("r1", "Aino", "wren", 1), ("r1", "Aino", "owl", 0), ("r1", "Onni", "owl", 1), ("r2", "Onni", "wren", 1)
)
NEW = table(("r3", "Elli", "lark", 1), ("r3", "Onni", "owl", 1), ("r2", "Elli", "wren", 1))


def test_checklists_answer_for_the_species_of_both_sets_as_if_they_had_been_read_together():
    old, new = (dc.Annotations.from_frame(frame, absence="checklist") for frame in (OLD, NEW))
    updated = dc.update(dc.fit(old, "base", **SHORT), new, **SHORT)
    both = dc.Annotations.from_frame(pd.concat([OLD, NEW]), absence="checklist")
    found = updated.annotations
    assert {*found.species.index} == {"wren", "owl", "lark"}
    for recording, annotator in both.visits()[["recording", "annotator"]].itertuples(index=False):
        one, other = (of.votes(recording, annotator).sort_index() for of in (found, both))
        assert one.to_dict() == other.to_dict()
    assert found.species_lists().groupby("annotator")["species"].nunique().eq(3).all()


def test_other_scopes_do_not_change():
    old, new = (dc.Annotations.from_frame(frame, absence="explicit") for frame in (OLD, NEW))
    updated = dc.update(dc.fit(old, "base", **SHORT), new, **SHORT)
    assert updated.annotations == dc.concatenate(old, new)


def test_nothing_new_is_refused(halves, posterior):
    with pytest.raises(dc.AnnotationError, match="nothing is new.*Remedy"):
        dc.update(posterior, halves[0], **SHORT)
    some = halves[0].select(recordings=halves[0].recordings.index[:3])
    with pytest.raises(dc.AnnotationError, match="nothing is new"):
        dc.update(posterior, some, **SHORT)


def test_a_visit_that_is_the_same_counts_once_and_one_that_differs_is_refused(halves, posterior):
    again = dc.update(posterior, dc.concatenate(*halves), **SHORT)
    assert again.record["updated"]["new_visits"] == halves[1].n_visits
    old = dc.Annotations.from_frame(OLD, absence="checklist")
    other = dc.Annotations.from_frame(OLD.assign(present=[0, 1, 1, 1]), absence="checklist")
    with pytest.raises(dc.AnnotationError, match="'Aino' to recording 'r1' is in both sets and differs"):
        dc.update(dc.fit(old, "base", **SHORT), other, **SHORT)


def test_new_recordings_without_the_metadata_of_a_formula_are_refused_and_new_sites_are_not():
    pytest.importorskip("formulaic")
    annotations = dc.simulate_portal(recordings=60, annotators=6, species=6, sites=4, seed=1).annotations
    recordings = annotations.recordings
    away = recordings["site"] == recordings["site"].iloc[-1]
    old, new = (annotations.select(recordings=recordings.index[which]) for which in (~away, away))
    before = dc.fit(old, "base", context="site", **SHORT)
    updated = dc.update(before, new, **SHORT)
    assert updated.draws["common_effect"].shape[2] == before.draws["common_effect"].shape[2] + 1
    assert updated.record["context"] == "site"
    bare = dc.Annotations.of(
        type(new)(**{f.name: getattr(new, f.name) for f in fields(new)} | {"recordings": new.recordings[[]]})
    )
    with pytest.raises(dc.AnnotationError, match="site"):
        dc.update(before, bare, **SHORT)


def test_what_annotators_say_of_themselves_is_read_again():
    pytest.importorskip("formulaic")
    annotations = dc.simulate_portal(recordings=60, annotators=8, species=6, seed=1).annotations
    levels = pd.Series(["low", "high"] * 4, annotations.annotators.index)
    annotations = dc.Annotations(
        **{f.name: getattr(annotations, f.name) for f in fields(annotations)}
        | {"annotators": annotations.annotators.assign(level=levels)}
    )
    people = annotations.annotators.index
    old, new = annotations.select(annotators=people[:-2]), annotations.select(annotators=people[-2:])
    before = dc.fit(old, "base-hierarchical", skill="level", **SHORT)
    updated = dc.update(before, new, **SHORT)
    assert updated.record["skill"] == "level"
    assert len(updated.said.terms[0].row) == len(people)


def test_known_cells_stay_known_and_others_join_them(halves):
    old, new = halves
    species = old.species.index
    cells = pd.DataFrame(
        {"recording": old.recordings.index[:4], "species": species[0], "present": [1, 0, 1, 0]}
    )
    before = dc.fit(old, "base", known=cells, known_as="expert", **SHORT)
    updated = dc.update(before, new, **SHORT)
    assert updated.record["known"]["as"] == "expert"
    assert len(updated.known_cells.present) == 4
    more = cells.assign(recording=new.recordings.index[:4])
    assert len(dc.update(before, new, known=more, **SHORT).known_cells.present) == 8
    with pytest.raises(dc.AnnotationError, match="the fit and the new table differ"):
        dc.update(before, new, known=cells.assign(present=1 - cells["present"]), **SHORT)
    others = cells.assign(species=species[1])  # which are news enough
    assert len(dc.update(before, old, known=others, **SHORT).known_cells.present) == 8


def test_scores_are_used_or_ignored_as_before():
    annotations = dc.simulate_portal(
        recordings=60, annotators=6, species=6, machine="BirdNET", seed=1
    ).annotations
    labels = annotations.recordings.index
    old, new = annotations.select(recordings=labels[:50]), annotations.select(recordings=labels[50:])
    used, ignored = (dc.fit(old, "base", scores=scores, **SHORT) for scores in ("use", "ignore"))
    assert dc.update(used, new, **SHORT).record["machines"] == ["BirdNET"]
    assert "machines" not in dc.update(ignored, new, **SHORT).record
    people = old.drop(annotators=["BirdNET"])
    assert dc.update(dc.fit(people, "base", **SHORT), annotations, **SHORT).model.scored is not None


def test_names_of_the_fit_have_to_be_used(halves):
    old = dc.Annotations.from_frame(OLD, absence="checklist", names={"TROG": "wren"})
    new = dc.Annotations.from_frame(NEW.replace("wren", "TROG"), absence="checklist")
    with pytest.raises(dc.AnnotationError, match="names table of the fit has other names for 'TROG'"):
        dc.update(dc.fit(old, "base", **SHORT), new, **SHORT)


@pytest.mark.filterwarnings("default::dawnchorus.AnnotationWarning")
def test_priors_stay_unless_others_are_given(halves):
    old, new = halves
    few = old.select(species=old.species.index[:-1])
    before = dc.fit(few, "bmm", components=4, **SHORT)
    with pytest.warns(dc.AnnotationWarning, match="stay as they were for 5 species, and there are 6 now"):
        updated = dc.update(before, new, **SHORT)
    assert updated.priors == before.priors
    again = dc.update(before, new, priors="default", **SHORT)
    assert again.priors["occurrence"] == dc.fit(again.annotations, "bmm", **SHORT).priors["occurrence"]
    assert again.priors["components"] == 4
    learned = dc.update(before, new, priors="learned", **SHORT)
    assert "occurrence_mean" in learned.draws


@dataclass(frozen=True)
class Plain(Independent):
    """An occurrence of one's own that cannot start from a draw."""

    start_from = None


@pytest.mark.filterwarnings("default::dawnchorus.AnnotationWarning")
def test_a_model_of_your_own_starts_anew_and_says_so(halves, tmp_path):
    old, new = halves
    model = dc.Model(Plain(dc.Beta(2, 20)), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99)))
    before = dc.fit(old, model, **SHORT)
    with pytest.warns(dc.AnnotationWarning, match="'Plain' .* starts anew"):
        assert dc.update(before, new, **SHORT).name == model.name
    with pytest.raises(dc.AnnotationError, match="priors do not go with a model of your own"):
        dc.update(before, new, priors="learned", **SHORT)
    before.save(tmp_path / "posterior.nc")
    with pytest.raises(dc.OutputError, match="give that model"):
        dc.update(tmp_path / "posterior.nc", new, **SHORT)
    with pytest.warns(dc.AnnotationWarning, match="starts anew"):
        assert dc.update(tmp_path / "posterior.nc", new, model=model, **SHORT).name == model.name


def test_majority_vote_and_what_is_no_fit_cannot_be_updated(halves, tmp_path):
    old, new = halves
    counted = dc.fit(old, "majority-vote")
    with pytest.raises(TypeError, match="only a fit that has draws"):
        dc.update(counted, new)
    dc.write_result(counted, tmp_path / "votes")
    with pytest.raises(dc.AnnotationError, match="majority vote, which has no draws"):
        dc.update(tmp_path / "votes", new)
    with pytest.raises(dc.OutputError, match="is missing"):
        dc.update(tmp_path / "nowhere", new)


def test_a_damaged_file_is_refused(folder, halves):
    content = bytearray((folder / "posterior.nc").read_bytes())
    content[len(content) // 2] ^= 0xFF
    (folder / "posterior.nc").write_bytes(content)
    with pytest.raises(dc.OutputError, match="damaged"):
        dc.update(folder, halves[1])


def test_a_result_without_annotations_is_refused_and_one_of_another_version_is_not(folder, halves):
    tree = load_tree(folder / "posterior.nc")
    groups = {name: tree[name].to_dataset() for name in tree.children}
    groups["posterior"].attrs["created_by"] = "dawnchorus 9.9"
    (folder / "posterior.nc").unlink()
    write_tree(xr.DataTree.from_dict(groups), folder / "posterior.nc")
    assert dc.update(folder, halves[1], **SHORT).record["updated"]["from"] == str(folder)
    del groups["constant_data"]
    (folder / "posterior.nc").unlink()
    write_tree(xr.DataTree.from_dict(groups), folder / "posterior.nc")
    with pytest.raises(dc.OutputError, match="not a posterior that Dawnchorus saved"):
        dc.update(folder, halves[1])


def test_an_update_can_be_updated(halves, posterior):
    first, second = (halves[1].select(recordings=some) for some in np.split(halves[1].recordings.index, 2))
    again = dc.update(dc.update(posterior, first, **SHORT), second, **SHORT)
    assert again.annotations == dc.concatenate(*halves)


def test_the_command_updates_a_folder(tmp_path):
    OLD.to_csv(tmp_path / "old.csv", index=False)
    NEW.to_csv(tmp_path / "new.csv", index=False)
    short = ["--warmup", 5, "--draws", 20, "--min-ess", 0, "--no-report"]
    reading = ["--absence", "checklist"]
    run("fit", "old.csv", *reading, "--model", "base", "--out", "old", *short, cwd=tmp_path)
    done = run("update", "old", "new.csv", *reading, "--out", "new", *short, "--json", cwd=tmp_path)
    record = json.loads(done.stdout)
    new = {"new_visits": 3, "new_recordings": 1, "new_annotators": 1, "new_species": 1}
    assert record["updated"] == {"from": "old", "visits": 3, **new}
    saved = json.loads((tmp_path / "new" / "fit.json").read_text())
    assert saved["updated"] == record["updated"]
    assert saved["command"].startswith("dawnchorus update old new.csv")
    assert not (tmp_path / "new.checkpoint").exists()
    assert {path.name for path in (tmp_path / "new").iterdir()} == {
        path.name for path in (tmp_path / "old").iterdir()
    }
    done = run("update", "old", "new.csv", *reading, "--out", "new", *short, code=2, cwd=tmp_path)
    assert "--overwrite" in done.stderr
    run("update", "old", "new.csv", *reading, "--out", "new", *short, "--overwrite", cwd=tmp_path)
    done = run("update", "old", "old.csv", *reading, "--out", "same", *short, code=2, cwd=tmp_path)
    assert "nothing is new" in done.stderr
    assert not (tmp_path / "same").exists()
    done = run("update", "nowhere", "new.csv", *reading, "--out", "x", code=2, cwd=tmp_path)
    assert "nowhere" in done.stderr
