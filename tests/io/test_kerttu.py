"""The facts of the Kerttu data, as the paper used them."""

from __future__ import annotations

import zipfile

import pandas as pd
import pytest

import dawnchorus as dc


def test_facts(kerttu):
    summary = kerttu.summary()
    assert (summary.recordings, summary.annotators, summary.species) == (3997, 46, 117)
    assert summary.visits == 5932
    assert summary.scopes == 133
    assert summary.votes == 618_305
    assert summary.reports == 14_575
    assert summary.missing_rate == pytest.approx(0.97126, abs=5e-6)
    assert summary.most_visits_to_a_recording == 20
    assert (kerttu.visits_by_recording.sizes == 1).sum() == 2738
    assert summary.unvisited_recordings == 0
    assert summary.duplicate_rows == 0


def test_species_before_dropping(kerttu_folder):
    assert dc.read(kerttu_folder, format="kerttu", drop_unreported=False).n_species == 349


def test_species_lists_are_declared_and_voted(kerttu, kerttu_folder):
    users = pd.read_csv(kerttu_folder / "users.tsv", sep="\t", index_col="user_id")
    lists = kerttu.species_lists().groupby("annotator").species.agg(set)
    undeclared = 0
    for j, annotator in enumerate(kerttu.annotators.index):
        declared = set(str(users.taxon_expertise[annotator]).split(",")) & set(kerttu.species.index)
        voted = set().union(*(kerttu.visit_votes(v)[0].tolist() for v in kerttu.visits_by_annotator.row(j)))
        voted = set(kerttu.species.index[list(voted)])
        assert lists[annotator] == declared | voted
        undeclared += len(voted - declared)
    assert undeclared == 78


def test_metadata(kerttu):
    assert kerttu.recordings.site.nunique() == 40
    assert kerttu.recordings.time.dt.month.isin([5, 6, 7]).all()
    assert kerttu.recordings.time.dt.hour.nunique() == 24
    assert not kerttu.recordings[["site", "time", "hour", "date"]].isna().any(axis=None)
    assert kerttu.recordings.hour.between(0, 24, inclusive="left").all()
    assert kerttu.recordings.date.between(121, 212).all()
    assert set(kerttu.annotators.skill_level) <= {1, 2, 3, 4}
    assert kerttu.species.loc["MX.25836", "name"] == "Red-throated Loon"


def test_context(kerttu):
    context = dc.read_context(kerttu.recordings, "site + cc(hour, df=6) + bs(date, df=4)")
    site, hour, date = context.terms
    assert (context.n_recordings, site.basis.shape) == (3997, (40, 40))
    assert (hour.basis.shape, date.basis.shape[1]) == ((96, 6), 4)
    assert date.value[date.row].tolist() == kerttu.recordings.date.tolist()
    index, rows = context.distinct()
    assert (rows[:, index] == [term.row for term in context.terms]).all()


def test_majority_vote_auc_is_the_papers(kerttu, kerttu_folder):
    gold = dc.read_truth(kerttu_folder / "gold.csv")
    assert (len(gold), gold.present.sum()) == (13_455, 346)
    presence = dc.fit(kerttu, model="majority-vote").presence()
    scores = dc.evaluate(presence, gold)
    assert scores.auc == pytest.approx(0.84906, abs=5e-6)
    merged = presence.merge(gold, on=["recording", "species"])
    unvoted = merged[merged.votes == 0]
    assert (len(unvoted), unvoted.present.sum()) == (1397, 33)


def test_zip_gives_the_same(kerttu, kerttu_folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "kerttu.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in kerttu_folder.rglob("*.tsv"):
            archive.write(file, f"kerttu/{file.relative_to(kerttu_folder)}")
    assert dc.read(tmp_path / "kerttu.zip", format="kerttu") == kerttu


def test_round_trip(kerttu):
    again = dc.Annotations.from_frame(
        kerttu.to_frame(),
        absence="explicit",
        scope=kerttu.species_lists(),
        recordings=kerttu.recordings,
        annotators=kerttu.annotators,
        species=kerttu.species,
    )
    assert again == kerttu
