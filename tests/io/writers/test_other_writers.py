"""What writers write, and that it can be read again where the format allows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from exports import RECORDINGS, SPECIES, VOTES, annotations, voted


def reported(annotations: dc.Annotations) -> set[tuple[str, str]]:
    frame = annotations.to_frame("checklist")
    return {(row.recording, row.species) for row in frame.itertuples() if row.species}


def present(result, threshold: float = 0.5) -> set[tuple[str, str]]:
    return set(map(tuple, result.presence(threshold)[["recording", "species"]].to_numpy()))


class TestDarwinCore:
    def rows(self, path: Path, **options) -> pd.DataFrame:
        dc.export(voted(), path / "out.csv", "darwincore", overwrite=True, **options)
        return pd.read_csv(path / "out.csv", dtype=str, na_filter=False)

    def test_occurrences_have_status_place_time_and_a_remark(self, tmp_path):
        table = self.rows(tmp_path, dataset="owls2024")
        assert table["occurrenceStatus"].tolist() == ["present"] * 3
        row = table.iloc[1]
        assert row["occurrenceID"] == "owls2024:owls 1:Ural owl"
        assert row["basisOfRecord"] == "MachineObservation"
        assert row["eventDate"] == "2024-05-24T04:00:00+03:00/2024-05-24T04:01:00+03:00"
        assert (row["decimalLongitude"], row["geodeticDatum"]) == ("-123.456789", "WGS84")
        assert (
            row["occurrenceRemarks"]
            == "the probability that the species is present: 0.5; 1 report in 2 votes"
        )
        assert table["occurrenceID"].is_unique

    def test_absences_are_written_if_asked_for_where_somebody_answered(self, tmp_path):
        table = self.rows(tmp_path, threshold=0.9, absent_below=0.1)
        assert table["occurrenceStatus"].value_counts().to_dict() == {"absent": 6, "present": 2}
        assert "owls 4" not in set(table["eventID"])
        assert ("owls 1", "Ural owl") not in set(zip(table["eventID"], table["scientificName"], strict=True))

    def test_there_and_back_as_a_truth(self, tmp_path):
        self.rows(tmp_path, threshold=0.9, absent_below=0.1)
        columns = {"recording": "eventID", "species": "scientificName", "present": "occurrenceStatus"}
        truth = dc.read_truth(tmp_path / "out.csv", columns=columns)
        assert len(truth) == 8
        assert ("owls 1", "=wren", 1) in set(map(tuple, truth.to_numpy()))
        assert dc.evaluate(voted(), truth).auc == 1

    def test_without_metadata_there_are_no_empty_columns(self, tmp_path):
        bare = voted(recordings=RECORDINGS[["recording"]])
        dc.export(bare, tmp_path / "out.csv", "darwincore")
        table = pd.read_csv(tmp_path / "out.csv")
        assert not {"eventDate", "decimalLatitude", "geodeticDatum", "locationID", "vernacularName"} & set(
            table
        )

    def test_names_of_species_come_from_their_metadata(self, tmp_path):
        names = SPECIES.assign(scientificName=["a", "Strix uralensis", "b"], name=["w", "Ural Owl", "r"])
        dc.export(voted(species=names), tmp_path / "out.csv", "darwincore")
        row = pd.read_csv(tmp_path / "out.csv").iloc[2]
        assert (row["scientificName"], row["vernacularName"]) == ("Strix uralensis", "Ural Owl")


class TestLabels:
    def test_hard_and_soft_labels_and_weights(self, tmp_path):
        written = dc.export(voted(), tmp_path / "out", "labels", threshold=0.9, absent_below=0.1)
        assert (written["present"], written["unsure"]) == (2, 4)  # 0.5, and a recording that nobody visited
        hard, soft, weights = (
            pd.read_csv(tmp_path / f"out/{name}.csv", index_col="recording")
            for name in ("labels", "probabilities", "weights")
        )
        assert hard.shape == soft.shape == weights.shape == (4, 3)
        assert hard.loc["owls 1"].tolist()[:1] == [1]
        assert np.isnan(hard.loc["owls 1", "Ural owl"])
        assert hard.loc["owls 2"].to_dict() == {"'=wren": 0, "Ural owl": 1, "Robin": 0}
        assert soft.loc["owls 1", "Ural owl"] == 0.5
        assert weights.loc["owls 1"].tolist() == [1, 0, 1]
        about = json.loads((tmp_path / "out/about.json").read_text())
        assert about["probabilities.csv"] == "the probability that the species is present"

    def test_there_and_back_as_scores(self, tmp_path):
        result = voted()
        dc.export(result, tmp_path / "out", "labels", exact_labels=True)
        again = dc.read(tmp_path / "out/probabilities.csv", "scores", threshold=0.5)
        assert reported(again) == present(result)

    def test_too_many_cells_are_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr("dawnchorus.io.writers.formats.labels.MOST_CELLS", 11)
        with pytest.raises(dc.AnnotationError, match="4 recordings × 3 species are more than 11 cells"):
            dc.export(voted(), tmp_path / "out", "labels")


class TestBirdNet:
    def folders(self, out: Path) -> dict[str, list[str]]:
        return {
            folder.name: sorted(file.name for file in folder.iterdir())
            for folder in out.iterdir()
            if folder.is_dir()
        }

    def test_folders_are_sets_of_species_and_background(self, tmp_path):
        dc.export(voted(), tmp_path / "out", "birdnet")
        folders = self.folders(tmp_path / "out")
        assert set(folders) == {"=wren,Ural owl", "Ural owl", "Background"}
        assert all(files == ["recordings.txt"] for files in folders.values())
        assert (tmp_path / "out/Background/recordings.txt").read_text() == "owls 3\n"
        rows = pd.read_csv(tmp_path / "out/files.csv")
        assert rows["recording"].tolist() == ["owls 1", "owls 3", "owls 2"]

    def test_unsure_recordings_are_left_out(self, tmp_path):
        written = dc.export(voted(), tmp_path / "out", "birdnet", threshold=0.9, absent_below=0.1)
        assert set(self.folders(tmp_path / "out")) == {"Ural owl", "Background"}
        assert written["left_out"] == 1

    @pytest.mark.parametrize("copy", [False, True])
    def test_audio_is_linked_or_copied(self, tmp_path, copy):
        audio = tmp_path / "audio"
        for name in ("a/owls 1.wav", "b/owls 2.WAV", "b/notes.txt"):
            (audio / name).parent.mkdir(parents=True, exist_ok=True)
            (audio / name).write_text(name)
        with pytest.warns(
            dc.AnnotationWarning, match="no audio file of 1 recording, which is in files.csv only"
        ):
            dc.export(voted(), tmp_path / "out", "birdnet", audio=audio, copy=copy)
        assert self.folders(tmp_path / "out") == {
            "=wren,Ural owl": ["owls 1.wav"], "Ural owl": ["owls 2.WAV"], "Background": [],
        }  # fmt: skip
        file = tmp_path / "out/Ural owl/owls 2.WAV"
        assert file.read_text() == "b/owls 2.WAV"
        assert file.is_symlink() != copy
        with pytest.warns(dc.AnnotationWarning, match="no audio file"):
            dc.export(voted(), tmp_path / "out", "birdnet", audio=audio, overwrite=True)
        assert (audio / "a/owls 1.wav").exists()  # what a link leads to is not ours to delete

    def test_names_of_folders_stay_inside_and_commas_do_not_part_labels(self, tmp_path):
        names = {"=wren": "../../wren, winter", "Ural owl": "-CON"}
        frame = pd.DataFrame(VOTES, columns=["recording", "annotator", "species"]).replace({"species": names})
        dc.export(dc.fit(dc.Annotations.from_frame(frame, "checklist"), "mv"), tmp_path / "out", "birdnet")
        assert set(self.folders(tmp_path / "out")) == {"CON_,_.._wren  winter", "CON_", "Background"}
        assert sorted(os.listdir(tmp_path)) == ["out"]

    def test_audio_must_be_there_and_unambiguous(self, tmp_path):
        with pytest.raises(dc.AnnotationError, match="no such folder of audio files"):
            dc.export(voted(), tmp_path / "out", "birdnet", audio=tmp_path / "audio")
        with pytest.raises(dc.AnnotationError, match="copy=True needs the audio files"):
            dc.export(voted(), tmp_path / "out", "birdnet", copy=True)
        for name in ("a/owls 1.wav", "b/owls 1.flac"):
            (tmp_path / name).parent.mkdir()
            (tmp_path / name).touch()
        with pytest.raises(dc.AnnotationError, match="two audio files are named 'owls 1'"):
            dc.export(voted(), tmp_path / "out", "birdnet", audio=tmp_path)

    def test_a_folder_that_no_system_could_name_is_left_out_and_told(self, tmp_path):
        many = [("a", "Aino", f"Species of a very long name number {i}") for i in range(12)]
        frame = pd.DataFrame([*many, ("b", "Aino", "Robin")], columns=["recording", "annotator", "species"])
        result = dc.fit(dc.Annotations.from_frame(frame, "checklist"), "mv")
        with pytest.warns(
            dc.AnnotationWarning, match="1 recording has more species than the name of a folder"
        ):
            written = dc.export(result, tmp_path / "out", "birdnet")
        assert (written["recordings"], written["left_out"]) == (1, 1)

    def test_labels_have_both_names_if_they_are_known(self, tmp_path):
        names = SPECIES.assign(
            scientific_name=["a", "Strix uralensis", "b"], common_name=["w", "Ural Owl", "r"]
        )
        dc.export(voted(species=names), tmp_path / "out", "birdnet")
        assert "Strix uralensis_Ural Owl" in self.folders(tmp_path / "out")


class TestRaven:
    def test_there_and_back(self, tmp_path):
        result = voted()
        written = dc.export(result, tmp_path / "out", "raven", annotator="everybody")
        assert (written["tables"], written["selections"]) == (3, 3)
        again = dc.read(tmp_path / "out", "raven")
        assert again.annotators.index.tolist() == ["everybody"]
        assert reported(again) == present(result)
        assert again.n_visits == 3  # a table without a selection is a visit
        lines = (tmp_path / "out/everybody/owls 2.Table.1.selections.txt").read_text().splitlines()
        assert lines[0].split("\t")[-2:] == ["Species", "Probability Present"]
        assert lines[1].split("\t") == ["1", "Spectrogram 1", "1", "0", "60", "0", "15000", "Ural owl", "1"]

    def test_windows_of_a_recording_are_in_one_table(self, tmp_path):
        frame = pd.DataFrame(
            [
                ("owls 0-3", "A", "wren"),
                ("owls 3-6", "A", ""),
                ("owls 6-9", "A", "robin"),
                ("larks 0-3", "A", ""),
            ],
            columns=["recording", "annotator", "species"],
        )
        result = dc.fit(dc.Annotations.from_frame(frame, "checklist"), "mv")
        assert dc.export(result, tmp_path / "out", "raven")["tables"] == 2
        again = dc.read(tmp_path / "out", "raven", window=3)
        assert reported(again) == present(result)
        assert set(again.recordings.index) == set(frame["recording"])

    def test_the_length_must_be_known(self, tmp_path):
        bare = voted(recordings=RECORDINGS[["recording"]])
        with pytest.raises(
            dc.AnnotationError, match="the duration of recording 'owls 1' is not known.*duration=60"
        ):
            dc.export(bare, tmp_path / "out", "raven")
        dc.export(bare, tmp_path / "out", "raven", duration=10)
        assert "\t10\t" in (tmp_path / "out/consensus/owls 1.Table.1.selections.txt").read_text()

    def test_names_that_no_file_can_have_are_told(self, tmp_path):
        frame = pd.DataFrame({"recording": ["a/b", "../a"], "annotator": "A", "species": "wren"})
        result = dc.fit(dc.Annotations.from_frame(frame, "checklist"), "mv")
        with pytest.warns(dc.AnnotationWarning, match="2 recordings have names that no file can have"):
            dc.export(result, tmp_path / "out", "raven", duration=1)
        files = sorted(file.name for file in (tmp_path / "out/consensus").iterdir())
        assert files == ["_a.Table.1.selections.txt", "a_b.Table.1.selections.txt"]


class TestParquet:
    def test_there_and_back(self, tmp_path):
        result = voted()
        dc.export(result, tmp_path / "out.parquet", "parquet", threshold=0.5)
        table = pd.read_parquet(tmp_path / "out.parquet")
        assert table.drop(columns="present")["probability"].equals(result.presence()["probability"])
        assert "=wren" in set(table["species"])
        assert table["present"].sum() == 3
        truth = result.presence()[["recording", "species"]].assign(present=0)
        assert dc.evaluate(table, truth).cells == 12

    def test_it_tells_what_it_is_about_and_may_be_short(self, tmp_path):
        import pyarrow.parquet

        dc.export(voted(), tmp_path / "out.parquet", "parquet", min_probability=0.5)
        file = pyarrow.parquet.read_table(tmp_path / "out.parquet")
        assert file.num_rows == 3
        about = json.loads(file.schema.metadata[b"dawnchorus"])
        assert about["probability"] == "the probability that the species is present"


@pytest.fixture(scope="module")
def posterior():
    return dc.fit(annotations(), "base", draws=50, warmup=50, min_ess=None, chains=2, seed=1)


class TestPosterior:
    """A sampled result: bounds, what would be reported, and draws."""

    def test_which_probability_is_written_is_told(self, posterior, tmp_path):
        written = dc.export(posterior, tmp_path / "a.parquet", "parquet", as_="report")
        assert written["probability"] == "the probability that a typical annotator would report the species"
        table = pd.read_parquet(tmp_path / "a.parquet")
        wanted = posterior.would_report()["would_report"].to_numpy()
        assert np.allclose(table["probability"], wanted)
        assert not {"probability_lower", "probability_upper"} & set(table)
        dc.export(posterior, tmp_path / "c.parquet", "parquet")
        bounds = ["probability_lower", "probability_upper"]
        assert pd.read_parquet(tmp_path / "c.parquet")[bounds].equals(posterior.presence()[bounds])
        dc.export(posterior, tmp_path / "b.csv", "darwincore", threshold=0.01, as_="report")
        remarks = pd.read_csv(tmp_path / "b.csv")["occurrenceRemarks"]
        assert remarks.str.startswith("the probability that a typical annotator would report").all()
        dc.export(posterior, tmp_path / "raven", "raven", as_="report")
        first = next((tmp_path / "raven/consensus").iterdir()).read_text()
        assert first.splitlines()[0].endswith("\tProbability Report")

    def test_remarks_have_the_interval(self, posterior, tmp_path):
        dc.export(posterior, tmp_path / "b.csv", "darwincore")
        remark = pd.read_csv(tmp_path / "b.csv")["occurrenceRemarks"][0]
        row = posterior.presence().iloc[0]
        assert f"(90 % interval {row['probability_lower']:.3g} to {row['probability_upper']:.3g})" in remark

    def test_draws_there_and_back_from_memory_and_from_a_folder(self, posterior, tmp_path):
        dc.write_result(posterior, tmp_path / "fit")
        for number, result in enumerate((posterior, tmp_path / "fit")):
            path = tmp_path / f"{number}.nc"
            assert dc.export(result, path, "arviz")["files"] == [path.name]
            assert dc.Posterior.load(path).species().equals(posterior.species())
            with pytest.raises(dc.OutputError, match="exists"):
                dc.export(result, path, "arviz")
            dc.export(result, path, "arviz", overwrite=True)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["0.nc", "1.nc", "fit"]
        whole = (tmp_path / "fit/posterior.nc").read_bytes()
        (tmp_path / "fit/posterior.nc").write_bytes(whole[:-1000])
        with pytest.raises(dc.OutputError, match="incomplete|damaged"):
            dc.export(tmp_path / "fit", tmp_path / "2.nc", "arviz")
        assert not (tmp_path / "2.nc").exists()

    def test_majority_vote_has_no_draws(self, tmp_path):
        with pytest.raises(dc.AnnotationError, match="majority-vote has no draws"):
            dc.export(voted(), tmp_path / "out.nc", "arviz")
        assert list(tmp_path.iterdir()) == []

    def test_many_cells_are_listed_by_probability_and_the_rest_has_their_mean(
        self, posterior, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("dawnchorus.results.saving.exporting.ALL_CELLS", 2)
        monkeypatch.setattr("dawnchorus.results.saving.exporting.MIN_PROBABILITY", 0.4)
        dc.export(posterior, tmp_path / "out", "labels")
        soft = pd.read_csv(tmp_path / "out/probabilities.csv", index_col="recording")
        about = json.loads((tmp_path / "out/about.json").read_text())
        assert soft.loc["owls 3", "Robin"] == pytest.approx(about["unlisted"], rel=1e-4)
        assert soft.to_numpy().mean() == pytest.approx(posterior.mean_probability(), rel=1e-4)
        with pytest.raises(dc.AnnotationError, match="improbable cells are not listed"):
            dc.export(posterior, tmp_path / "out.csv", "darwincore", absent_below=0.1)
