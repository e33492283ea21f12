"""What annotators say of themselves, from the fit to predictions, files and pages."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

import dawnchorus as dc
from commands import run
from dawnchorus.model.formula.skill import read_skill, skill_of_new

pytest.importorskip("formulaic")

SHORT = {"chains": 2, "seed": 1, "draws": 1500, "warmup": 500, "min_ess": None}
ANNOTATORS, SPECIES, RECORDINGS = 40, 8, 500


def simulated(slope, seed=1):
    """Give votes of annotators whose levels rise by `slope` with each rating, not with a coin; and levels.

    False positive rates differ in the same way among annotators of every rating.
    """
    rng = np.random.default_rng(seed)
    rating, coin = np.arange(ANNOTATORS) % 4 + 1, rng.integers(0, 2, ANNOTATORS)
    level = rng.normal(0.8 + slope * (rating - 2.5), 0.4)
    tpr, fpr = expit(level), expit(-3.5 + 0.7 * stats.norm.ppf((np.arange(ANNOTATORS) // 4 + 0.5) / 10))
    present = rng.random((RECORDINGS, SPECIES)) < 0.25
    rows = []
    for i in range(RECORDINGS):
        for j in rng.permutation(ANNOTATORS)[:3]:
            rows.append((f"r{i}", f"a{j:02}", ""))
            reported = rng.random(SPECIES) < np.where(present[i], tpr[j], fpr[j])
            rows += [(f"r{i}", f"a{j:02}", f"s{k}") for k in np.flatnonzero(reported)]
    names = [f"a{j:02}" for j in range(ANNOTATORS)]
    annotators = pd.DataFrame({"annotator": names, "rating": rating, "coin": np.where(coin, "head", "tail")})
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    return dc.Annotations.from_frame(frame, absence="checklist", annotators=annotators), level


@pytest.fixture(scope="module")
def simulation():
    return simulated(slope=0.6)


@pytest.fixture(scope="module")
def annotations(simulation):
    return simulation[0]


@pytest.fixture(scope="module")
def posterior(annotations):
    return dc.fit(annotations, skill="C(rating) + coin", priors="learned", **SHORT)


def test_an_effect_is_found_and_one_that_is_not_there_shrinks_to_nothing(posterior, simulation):
    effects = dict(
        zip(posterior.draws.variable("tpr_skill").names, posterior.draws.mean("tpr_skill"), strict=True)
    )
    found = [effects[f"C(rating): {value}"] for value in (1, 2, 3, 4)]
    assert np.allclose(found, [-0.9, -0.3, 0.3, 0.9], atol=0.35)
    assert abs(effects["coin: head"]) < 0.15
    rating, coin = posterior.draws.mean("tpr_skill_scale")
    assert rating > 2 * coin
    assert np.abs(posterior.draws.mean("fpr_skill")).max() < 0.3
    table = posterior.skill().set_index(["term", "value"])
    assert table["tpr"].loc["C(rating)"].is_monotonic_increasing
    wide = posterior.skill(level=0.99).set_index(["term", "value"])  # all four of them hold the truth
    for value, row in wide.loc["C(rating)"].iterrows():
        truth = expit(simulation[1][int(value) - 1 :: 4].mean())
        assert row["tpr_lower"] < truth < row["tpr_upper"]
    assert table["annotators"].loc["C(rating)"].tolist() == [10] * 4
    shares = posterior.skill_shares().set_index("rate")
    assert shares.loc["tpr", "share_lower"] > 0.4
    assert shares.loc["fpr", "share_lower"] < 0.02
    assert shares.loc["fpr", "share"] < 0.3


def test_nothing_is_found_where_nothing_is_and_nothing_is_lost():
    annotations, _ = simulated(slope=0.0, seed=2)
    fitted = [dc.fit(annotations, skill=skill, **SHORT) for skill in ("rating", None)]
    with_skill, plain = fitted
    low, high = np.quantile(with_skill.draws.flat("tpr_skill"), [0.05, 0.95])
    assert low < 0 < high
    assert max(-low, high) < 0.3
    assert with_skill.skill_shares()["share"].max() < 0.2
    one, two = (posterior.presence()["probability"] for posterior in fitted)
    assert np.abs(one - two).mean() < 0.005
    with pytest.raises(dc.AnnotationError, match="did not ask"):
        plain.skill()


def test_it_comes_back_from_a_file_and_predicts_new_annotators(annotations, posterior, tmp_path):
    posterior.save(tmp_path / "fit.nc")
    again = dc.Posterior.load(tmp_path / "fit.nc")
    assert again.priors == posterior.priors
    assert again.record["skill"] == "C(rating) + coin"
    pd.testing.assert_frame_equal(again.skill(), posterior.skill())
    rows = [("n0", f"new{j}", "s0") for j in range(3)] + [("n1", "new0", ""), ("n2", "new1", "")]
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    species = pd.DataFrame({"species": annotations.species.index})
    people = pd.DataFrame({"annotator": ["new0", "new1", "new2"], "rating": [1, 4, None]})
    asked = {"absence": "checklist", "species": species}
    new = dc.Annotations.from_frame(frame, annotators=people.assign(coin="head"), **asked)
    found = [fitted.predict(new, seed=1)["probability"] for fitted in (posterior, again)]
    assert np.allclose(*found)
    cells = posterior.predict(new, seed=1).set_index(["recording", "species"])["probability"]
    # the silence of one who rates themselves 4 says more than that of one who rates themselves 1
    assert (cells.loc["n2"] < 0.8 * cells.loc["n1"]).all()
    unknown = dc.Annotations.from_frame(frame, **asked)  # average, without metadata
    average = again.predict(unknown, seed=1).set_index(["recording", "species"])["probability"]
    assert (average.loc["n1"] < cells.loc["n1"]).all()
    assert (average.loc["n2"] > cells.loc["n2"]).all()


def test_an_interrupted_fit_goes_on_to_the_very_draws(annotations, tmp_path):
    annotations = annotations.select(recordings=list(annotations.recordings.index[:100]))
    how = {"skill": "rating", "difficulty": True, "seed": 3, "warmup": 30, "draws": 100, "chains": 2}
    how |= {"min_ess": 10**9, "max_sweeps": 400, "allow_unconverged": True}
    path = tmp_path / "fit.checkpoint"

    def interrupt(at):
        if at.done > 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dc.fit(annotations, checkpoint=path, progress=interrupt, **how)
    with pytest.raises(dc.OutputError, match="of another fit: model, parts differ"):
        dc.fit(annotations, checkpoint=path, resume=True, **(how | {"skill": "C(rating)"}))
    resumed, whole = dc.fit(annotations, checkpoint=path, resume=True, **how), dc.fit(annotations, **how)
    for name in ("tpr_skill", "fpr_skill_scale", "tpr_level"):
        assert np.array_equal(whole.draws[name], resumed.draws[name])


def test_what_cannot_be_is_refused(annotations):
    for model in ("base", "dp-bmm"):
        with pytest.raises(dc.AnnotationError, match=f"{model} has no option skill.*base-hierarchical"):
            dc.fit(annotations, model, skill="rating")
    with pytest.raises(dc.AnnotationError, match="majority vote has no option skill"):
        dc.fit(annotations, "majority-vote", skill="rating")
    with pytest.raises(dc.AnnotationError, match="annotators have no 'ratng'.*perhaps you mean 'rating'"):
        dc.fit(annotations, skill="ratng")
    with pytest.raises(dc.AnnotationError, match="does not go together with what annotators say"):
        dc.fit(annotations, skill="rating", update="polya-gamma")
    plain = dc.simulate_paper(recordings=20, species=3, visits=2, seed=1).annotations
    with pytest.raises(
        dc.AnnotationError, match=r"needs metadata of annotators.*annotators='annotators.csv'"
    ):
        dc.fit(plain, skill="rating")


PEOPLE = pd.DataFrame(
    {
        "level": [1.0, 2.0, 4.0, np.nan],
        "same": "yes",
        "unsaid": None,
        "word": ["ten", "x", "y", "z"],
        "years": [1.5, 3.0, 7.25, 0.5],
    },
    index=["Aino", "Elli", "Onni", "Ilmari"],
)


def test_terms_are_centred_and_whoever_has_not_said_it_has_none():
    for formula in ("level", "C(level)", "bs(years, df=3)", "log(years)", "word"):
        (term,) = read_skill(PEOPLE, formula).terms
        known = term.row >= 0
        assert known.tolist() == [True, True, True, "level" not in formula]
        assert np.allclose(term.basis[term.row[known]].mean(axis=0), 0)
    (line,) = read_skill(PEOPLE, "level").terms
    assert np.allclose(line.basis[line.row[:3]].std(axis=0), 1)
    new = pd.DataFrame({"level": [4, 9, 2]}, index=["x", "y", "z"])
    assert skill_of_new(read_skill(PEOPLE, "C(level)"), new).terms[0].row.tolist() == [2, -1, 1]
    assert skill_of_new(read_skill(PEOPLE, "level"), new[[]]).terms[0].row.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("same", "same is the same for all annotators"),
        ("unsaid", "unsaid is missing for all annotators"),
        ("bs(word, df=3)", "the table of annotators: the word of annotator 'Aino' is 'ten'"),
        ("hour", "annotators have no 'hour'.*add 'hour' to the table of annotators"),
        ("log(years - 3)", "not a finite number for annotator 'Aino'"),
    ],
)
def test_metadata_that_do_not_serve_are_refused(formula, message):
    with pytest.raises(dc.AnnotationError, match=message):
        read_skill(PEOPLE, formula)


def test_missing_metadata_are_noted(annotations):
    metadata = annotations.annotators.assign(rating=annotations.annotators["rating"].where(lambda x: x > 1))
    frame = annotations.to_frame()
    some = dc.Annotations.from_frame(frame, absence="checklist", annotators=metadata.reset_index())
    with pytest.warns(dc.AnnotationWarning, match="rating is not known for 10 annotators of 40"):
        dc.fit(some, skill="rating", chains=1, draws=5, warmup=5, min_ess=None)


def test_the_report_says_how_well_people_know_themselves(posterior, tmp_path):
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8").replace("\u00a0", " ")
    assert "How well people know themselves" in page
    assert "Annotators with rating 4 report" in page
    assert re.search("(says little about|tells) how often they report what is not there", page)
    assert "skill=&#39;C(rating) + coin&#39;" in page


def test_the_command_takes_a_formula(tmp_path):
    simulation = dc.simulate_portal(recordings=120, annotators=12, species=5, seed=1)
    dc.write_simulation(simulation, tmp_path / "data")
    data = tmp_path / "data"
    run(
        "fit",
        *(str(data / "annotations.csv"), "--absence", "scope", "--scope", str(data / "scope.csv")),
        *("--annotators", str(data / "annotators.csv"), "--skill", "level"),
        *("--draws", "60", "--warmup", "60", "--min-ess", "0", "--no-report", "--out", str(tmp_path / "out")),
    )
    again = dc.Posterior.load(tmp_path / "out")
    assert again.record["skill"] == "level"
    written = pd.read_csv(tmp_path / "out" / "skill.csv", dtype={"value": str})
    assert written["value"].tolist() == again.skill()["value"].tolist()


def test_traces_of_effects_are_found_by_name(posterior):
    plt = pytest.importorskip("matplotlib.pyplot")
    dc.plots.traces(posterior, "tpr_skill", "coin: head")
    dc.plots.prior_and_posterior(posterior, "tpr_skill_scale")
    plt.close("all")


@pytest.mark.parametrize("formula", ["", "level +", "a ~ level", "1", "log(2)"])
def test_advice_about_a_formula_of_skill_is_about_annotators(formula):
    annotators = pd.DataFrame({"level": [1.0, 2.0]}, index=["Aino", "Onni"])
    with pytest.raises(dc.AnnotationError, match="with . between them, as in 'level . experience'"):
        read_skill(annotators, formula)
