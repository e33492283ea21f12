"""Fits with known cells: tables, files, checkpoints, and what known cells do for rates."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
import joint
from dawnchorus.report import report_html

QUICK = {"draws": 60, "warmup": 60, "min_ess": None, "chains": 2, "seed": 1}


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_paper(recordings=60, annotators=6, species=5, visits=2.0, seed=4)


@pytest.fixture(scope="module")
def known(simulation):
    """Some cells of the truth and, against all who voted, two that are not true."""
    truth = simulation.truth.to_frame().sample(40, random_state=1)
    a = simulation.annotations
    reports, cube = np.asarray(a.report_counts().todense()), a.to_cube()
    agreed = np.argwhere((reports == (cube >= 0).sum(axis=1)) & (reports > 0))[0]
    silent = np.argwhere((reports == 0) & (cube >= 0).any(axis=1))[0]
    wrong = pd.DataFrame(
        {
            "recording": a.recordings.index[[agreed[0], silent[0]]],
            "species": a.species.index[[agreed[1], silent[1]]],
            "present": [0, 1],
        }
    )
    return pd.concat([truth, wrong]).drop_duplicates(["recording", "species"], keep="last")


@pytest.fixture(scope="module")
def fits(simulation, known):
    return {
        known_as: dc.fit(simulation.annotations, "base", known=known, known_as=known_as, **QUICK)
        for known_as in ("truth", "expert")
    }


def test_known_cells_are_certain_and_marked(fits, known):
    table = fits["truth"].presence().merge(known, on=["recording", "species"], how="left")
    assert (table["known"] == table["present"].map({1: "present", 0: "absent"}).fillna("")).all()
    told = table[table["known"] != ""]
    assert len(told) == len(known)
    for column in ("probability", "probability_lower", "probability_upper"):
        assert (told[column] == told["present"]).all()
    assert table.loc[table["known"] == "", "probability"].between(1e-12, 1 - 1e-9).any()


def test_an_expert_may_be_wrong(fits, known):
    posterior = fits["expert"]
    table = posterior.presence().merge(known, on=["recording", "species"])
    assert table["probability"].between(0, 1, inclusive="neither").any()
    assert (table["present"] - table["probability"]).abs().mean() < 0.1
    assert {"known_tpr", "known_fpr"} <= set(posterior.priors)
    assert posterior.draws.mean("known_fpr") < 0.05 < 0.9 < posterior.draws.mean("known_tpr")
    assert posterior.model.known_votes.tpr.mean == pytest.approx(0.98)


def test_priors_of_an_expert_can_be_given(simulation, known):
    sure = dc.Priors.expecting(n_species=5).replace(known_tpr=dc.Beta(1, 9999))
    told = {"known": known, "known_as": "expert", "priors": sure}
    posterior = dc.fit(simulation.annotations, "base", **told, **QUICK)
    assert posterior.draws.mean("known_tpr") < 0.01


def test_contradictions_are_listed(fits, known, simulation):
    table = fits["truth"].known()
    assert len(table) == len(known)
    against = table[table["contradicted"]]
    assert len(against) >= 2
    assert (against["reports"] == np.where(against["present"] == 1, 0, against["votes"])).all()
    assert (against["votes"] > 0).all()
    fine = table[~table["contradicted"] & (table["votes"] > 0)]
    assert (np.where(fine["present"] == 1, fine["reports"], fine["votes"] - fine["reports"]) > 0).all()
    record = fits["truth"].record["known"]
    assert record == {
        "as": "truth",
        "cells": len(known),
        "present": int(known["present"].sum()),
        "contradicted": len(against),
    }
    assert f"In {len(against)} cells, all who voted said otherwise." in fits["truth"].in_words()


@pytest.fixture(scope="module")
def overruling():
    """Cells that are known against the majority, and fits that were told."""
    made = dc.simulate_paper(recordings=200, annotators=6, species=5, visits=2, occurrence=(5, 5), seed=4)
    known, a = made.truth.to_frame(made.truth.recordings[:150]), made.annotations
    told = {name: dc.fit(a, "base", known=known, known_as=name, **QUICK) for name in ("truth", "expert")}
    table = told["truth"].known()
    against = table[(table["present"] == 1) & (2 * table["reports"] < table["votes"])]
    assert len(against) > 5
    return told, against[["recording", "species"]]


def test_what_is_known_as_the_truth_is_not_the_models_decision(overruling):
    told, against = overruling
    assert told["truth"].findings.overruled().merge(against).empty
    assert len(told["expert"].findings.overruled().merge(against)) > 5


def test_the_report_names_the_expert_among_the_reasons(overruling):
    told, _ = overruling
    sentence = "The expert said that it is present."
    assert sentence in report_html(told["expert"])
    assert sentence not in report_html(told["truth"])


def test_without_known_cells_nothing_is_said(simulation):
    posterior = dc.fit(simulation.annotations, "base", **QUICK)
    assert posterior.known().empty
    assert "known" not in posterior.presence()
    assert "known" not in posterior.record
    assert "known" not in posterior.tables()


@pytest.mark.parametrize("known_as", ["truth", "expert"])
def test_a_fit_with_known_cells_is_read_back(fits, known_as, tmp_path):
    posterior = fits[known_as]
    dc.write_result(posterior, tmp_path / "fit", report=True)
    again = dc.Posterior.load(tmp_path / "fit")
    assert again.model.known_votes == posterior.model.known_votes
    for one, other in ((again.presence(), posterior.presence()), (again.known(), posterior.known())):
        pd.testing.assert_frame_equal(one, other)
    assert np.allclose(again.log_likelihood(), posterior.log_likelihood())
    saved = dc.read_result(tmp_path / "fit")
    assert saved.known["contradicted"].sum() == posterior.known()["contradicted"].sum()
    assert (saved.presence["known"] != "").sum() == len(saved.known)
    contents = json.loads((tmp_path / "fit/fit.json").read_text())
    assert contents["known"]["as"] == known_as
    page = (tmp_path / "fit/report.html").read_text()
    assert "What was known" in page
    assert "all who voted said otherwise" in page
    assert ("who may err" in page) == (known_as == "expert")


def test_a_resumed_fit_has_the_same_known_cells(simulation, known, tmp_path):
    told = {"checkpoint": tmp_path / "c", "resume": True, "keep_checkpoint": True, **QUICK}
    first = dc.fit(simulation.annotations, "base", known=known, **told)
    again = dc.fit(simulation.annotations, "base", known=known, **told)
    assert np.array_equal(first.draws["tpr"], again.draws["tpr"])
    for other in ({"known": known.iloc[1:]}, {}, {"known": known, "known_as": "expert"}):
        with pytest.raises(dc.OutputError, match="is of another fit: .*known"):
            dc.fit(simulation.annotations, "base", **other, **told)


def test_the_whole_truth_can_be_known(simulation):
    """Rates are then those of votes against it, up to the prior."""
    a, truth = simulation.annotations, simulation.truth
    posterior = dc.fit(a, "base", known=truth, priors="given", **QUICK)
    present = truth.presence.to_csr(a.n_species).toarray() > 0
    cube = a.to_cube()
    hits = (cube == 1) & present[:, None]
    votes = (cube >= 0) & present[:, None]
    prior = posterior.priors["tpr"]
    wanted = (prior.a + hits.sum(axis=(0, 2))) / (prior.a + prior.b + votes.sum(axis=(0, 2)))
    assert np.allclose(posterior.draws.mean("tpr"), wanted, atol=0.05)


def test_known_cells_improve_rates():
    """Few visits leave rates open; half of the truth, over several data sets, brings them closer."""
    errors = {"without": [], "with": []}
    for seed in range(6):
        often = {"occurrence": (3, 7), "fpr_range": (0.02, 0.2)}
        made = dc.simulate_paper(recordings=200, annotators=8, species=6, visits=1.2, **often, seed=seed)
        some = made.truth.to_frame(made.truth.recordings[::2])
        for name, told in (("without", None), ("with", some)):
            posterior = dc.fit(made.annotations, "base", known=told, **QUICK)
            table = posterior.annotators().merge(made.truth.annotators, on="annotator")
            off = [table[f"{rate}_x"] - table[f"{rate}_y"] for rate in ("tpr", "fpr")]
            errors[name].append(float(np.mean(np.square(off))))
    assert np.mean(errors["with"]) < 0.8 * np.mean(errors["without"])


def test_what_is_not_known_to_the_annotations_is_refused(simulation, tmp_path):
    a = simulation.annotations
    (tmp_path / "known.csv").write_text("clip,taxon,present\nr01,s1,1\nr01,s11,0\n")
    with pytest.raises(dc.AnnotationError) as told:
        dc.fit(a, "base", known=tmp_path / "known.csv", **QUICK)
    message = str(told.value)
    assert f"{tmp_path / 'known.csv'}, row 3: species 's11' is not in the annotations" in message
    assert "perhaps you mean s1" in message
    (tmp_path / "known.csv").write_text("recording,species,present\nsomewhere else,s1,1\n")
    with pytest.raises(dc.AnnotationError, match="row 2: recording 'somewhere else' is not in the ann"):
        dc.fit(a, "base", known=str(tmp_path / "known.csv"), **QUICK)
    (tmp_path / "known.csv").write_text("recording,species,present\nr01,s1,1\nr02,s1,1\nr01,s1,0\n")
    with pytest.raises(
        dc.AnnotationError, match=r"row 4: species 's1' in recording 'r01' is both present and"
    ):
        dc.fit(a, "base", known=tmp_path / "known.csv", **QUICK)
    frame = pd.DataFrame({"recording": ["r01"], "species": ["s1"], "present": [1]})
    with pytest.raises(dc.AnnotationError, match="cannot be known as 'rumour'"):
        dc.fit(a, "base", known=frame, known_as="rumour", **QUICK)
    with pytest.raises(dc.AnnotationError, match="no cells are known"):
        dc.fit(a, "base", known_as="expert", **QUICK)
    with pytest.raises(dc.AnnotationError, match="majority vote has no option known"):
        dc.fit(a, "majority-vote", known=frame)


def portal_with_sites():
    sites = pd.DataFrame(
        {"recording": ["a", "b", "c", "d"], "site": [7, 7, 8, None], "Habitat": list("xyzz")}
    )
    rows = [(i, j, k, int(i in "ab")) for i in "abcd" for j in ("Aino", "Onni") for k in ("wren", "owl")]
    votes = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    return dc.Annotations.from_frame(votes, "explicit", recordings=sites)


def test_a_site_stands_for_its_recordings(tmp_path):
    a = portal_with_sites()
    by_site = pd.DataFrame({"Site": [7, 8], "species": ["owl", "owl"], "present": [0, 1]})
    by_site.to_csv(tmp_path / "known.csv", index=False)
    wanted = pd.DataFrame({"recording": list("abc"), "species": "owl", "present": [0, 0, 1]})
    one = dc.fit(a, "base", known=wanted, **QUICK)
    for known in (by_site, tmp_path / "known.csv"):
        other = dc.fit(a, "base", known=known, **QUICK)
        pd.testing.assert_frame_equal(other.known(), one.known())
    habitat = pd.DataFrame({"habitat": ["z"], "species": ["owl"], "present": [1]})
    assert dc.fit(a, "base", known=habitat, **QUICK).known()["recording"].tolist() == ["c", "d"]
    both = wanted.assign(site=[8, 8, 7])  # recordings are named: sites say nothing
    pd.testing.assert_frame_equal(dc.fit(a, "base", known=both, **QUICK).known(), one.known())


def test_what_is_wrong_with_sites_is_named(tmp_path):
    a, path = portal_with_sites(), tmp_path / "known.csv"

    def refused(text):
        path.write_text(text)
        with pytest.raises(dc.AnnotationError) as told:
            dc.fit(a, "base", known=path, **QUICK)
        return str(told.value).removeprefix(str(path))

    unknown = refused("site,species,present\n7,owl,1\n77,owl,0\n")
    assert unknown.startswith(", row 3: site '77' is not in the annotations. Remedy: perhaps you mean 7;")
    assert "give a table of recordings with it (recordings=)" in unknown
    assert refused("site,species,present\n7,owl,1\n,owl,0\n").startswith(", row 3: the site is blank")
    again = refused("site,species,present\n7,owl,1\n8,owl,0\n7,owl,0\n")
    assert again.startswith(", row 4: species 'owl' in site '7' is both present and absent (see row 2)")
    two = refused("site,habitat,species,present\n7,x,owl,1\n")
    assert "each of the columns 'site', 'habitat' could say which recordings are meant" in two
    missing = refused("place,species,present\n7,owl,1\n")
    assert "rename a column to 'recording', or to one of the table of recordings, such as 'site'" in missing


def test_models_of_ones_own_take_known_cells(simulation, known):
    model = joint.MODELS["independent, per annotator"]
    posterior = dc.fit(simulation.annotations, model, known=known, known_as="expert", **QUICK)
    assert "known_tpr" in posterior.draws
