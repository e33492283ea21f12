"""Names tables in files: while reading, looking and converting, and for truths."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import dawnchorus as dc
from examples import EXAMPLES

TABLE = "recording,annotator,species\nr1,Aino,Ural owl\nr2,Aino,Ural owl\nr2,Onni,Ural-owl\nr3,Onni,robi\n"


def looked(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return dc.look(path, absence="checklist", **options)


def test_suggestions_are_written_looked_through_and_accepted(write, tmp_path):
    path, names = write(TABLE), tmp_path / "names.csv"
    seen = looked(path, write_names=names)
    assert seen.names[["from", "to", "why"]].to_numpy().tolist() == [
        ["Ural-owl", "Ural owl", "spaces, hyphens or dots"]
    ]
    assert ("nearly the same", "Ural-owl and Ural owl") in seen.as_rows()
    assert seen.as_dict()["names"][0]["rows"] == 1
    assert any("nearly the name of another" in note for note in seen.notes)
    assert names.read_text().splitlines()[0] == "from,to,why,rows,rows_of_to"
    read = dc.read(path, absence="checklist", names=names)
    assert read.species.index.tolist() == ["Ural owl", "robi"]
    again = looked(path, names=names)
    assert not len(again.names)
    assert f"--names {names}" in again.command
    assert "--names names.csv" in looked(path, names={"robi": "Robin"}).command
    with pytest.raises(dc.OutputError, match="names.csv exists"):
        looked(path, write_names=names)
    assert len(looked(path, write_names=names, overwrite=True).names) == 1


def test_dangerous_names_are_neutralised_and_read_again(write, tmp_path):
    path = write("recording,annotator,species\n1,A,=Ural owl\n2,A,=Ural owl\n3,A,=Ural-owl\n")
    names = tmp_path / "names.csv"
    looked(path, write_names=names)
    assert "\n'=Ural-owl,'=Ural owl," in names.read_text()
    assert dc.read(path, absence="checklist", names=names).species.index.tolist() == ["=Ural owl"]


def test_mistakes_name_the_file_and_the_row(write):
    path = write(TABLE)
    names = write("code;name\nrobi;Robin\nrobi;Wren\n", "names.csv")
    with pytest.raises(dc.AnnotationError, match=r"names\.csv, row 3: 'robi' has two names"):
        dc.read(path, absence="checklist", names=names)
    with pytest.raises(dc.AnnotationError, match=r"nothing\.csv: .*Remedy"):
        dc.read(path, absence="checklist", names=path.with_name("nothing.csv"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_format_takes_names(name, tmp_path):
    example = EXAMPLES[name]
    path = example.make(tmp_path)
    options = {"format": example.reader(name), "absence": example.absence} | example.options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        plain = dc.read(path, **options)
        (reported,) = plain.species.index[plain.reports_by_species > 0]
        found = dc.read(path, names={reported: "another name"}, **options)
    assert found.n_reports == 1
    assert "another name" in found.species.index
    assert reported not in found.species.index


def test_converted_tables_have_the_names_scores_and_truth_too(tmp_path):
    path = EXAMPLES["scores"].make(tmp_path)
    options = EXAMPLES["scores"].options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dc.AnnotationWarning)
        plain = dc.read(path, "scores", **options)
        (reported,) = plain.species.index[plain.reports_by_species > 0]
        dc.convert(path, tmp_path / "out.csv", "scores", names={reported: "new"}, **options)
    table = pd.read_csv(tmp_path / "out.csv")
    assert table[table["species"] == "new"]["score"].notna().all()


def test_names_survive_a_saved_posterior_and_reach_its_truth(write, tmp_path):
    annotations = dc.read(write(TABLE), absence="checklist", names={"robi": "Robin", "Ural-owl": "Ural owl"})
    posterior = dc.fit(annotations, "base", draws=20, warmup=20, min_ess=None, chains=2)
    posterior.save(tmp_path / "posterior.nc")
    again = dc.Posterior.load(tmp_path / "posterior.nc")
    assert again.annotations.provenance.names == {"robi": "Robin", "Ural-owl": "Ural owl"}
    truth = pd.DataFrame({"recording": ["r1", "r3"], "species": ["Ural-owl", "robi"], "present": [1, 0]})
    assert dc.evaluate(again, truth).cells == 2
