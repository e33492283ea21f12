"""Machines that listen: fits with scores, their tables, files, predictions, figures and pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dawnchorus as dc
from dawnchorus.annotations.votes import logits_of
from dawnchorus.results.findings.machines import POINTS, score_range, scored_species, thresholds


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_portal(recordings=250, annotators=10, species=8, visits=2, machine="BirdNET", seed=1)


@pytest.fixture(scope="module")
def posterior(simulation):
    return dc.fit(simulation.annotations, draws=150, warmup=150, min_ess=None, seed=1)


def test_a_simulated_machine_hears_everything_and_is_as_good_as_told(simulation):
    a, truth = simulation.annotations, simulation.truth
    assert a.machines == ("BirdNET",)
    assert a.visits(annotator="BirdNET")["scope"].tolist() == [8] * 250
    assert truth.machines is not None
    score = a.scores[~np.isnan(a.scores)]
    assert len(score) == a.visits(annotator="BirdNET")["reports"].sum()
    assert 0 < score.min() < score.max() < 1
    big = dc.simulate_portal(20_000, 3, 4, machine="m", present_species=1.5, seed=2)
    mine = big.annotations.scores_by(["m"])
    there = big.truth.presence.contains(mine.recording, mine.species)
    for row in big.truth.machines.itertuples():
        k = big.annotations.species.index.get_loc(row.species)
        for side, where in (("present", there), ("absent", ~there)):
            here = mine.score[where & (mine.species == k)]
            mean, sd = getattr(row, f"score_mean_{side}"), getattr(row, f"score_sd_{side}")
            assert abs(here.mean() - mean) < 5 * sd / np.sqrt(len(here)) + 0.01
        n = np.bincount(big.truth.presence.item, minlength=4)[k]
        reported = (there & (mine.species == k)).sum()
        assert stats.binomtest(int(reported), int(n), row.tpr).pvalue > 1e-5
    with pytest.raises(dc.AnnotationError, match="another name"):
        dc.simulate_portal(10, ["m", "n"], 3, visits=1, machine="m")


def test_calibration_is_bayes_in_every_draw(posterior):
    table = posterior.score_calibration([0.3, 0.8], ["s2", "s5"])
    assert table[["species", "score"]].to_numpy().tolist() == [
        ["s2", 0.3],
        ["s2", 0.8],
        ["s5", 0.3],
        ["s5", 0.8],
    ]
    draws, a = posterior.draws, posterior.annotations
    k = a.species.index.get_loc("s5")
    pair = posterior.design.pairs.find([a.annotators.index.get_loc("BirdNET")], [k])[0]
    tpr, fpr = (draws.flat(name)[:, pair].astype(float) for name in ("species_tpr", "species_fpr"))
    p = draws.flat("occurrence")[:, k].astype(float)
    s = logits_of(np.array(0.8), "probability")
    there, absent = (
        stats.norm.pdf(s, draws.flat(f"score_mean_{side}")[:, 0, k], draws.flat(f"score_sd_{side}")[:, 0, k])
        for side in ("present", "absent")
    )
    right = p * tpr * there / (p * tpr * there + (1 - p) * fpr * absent)
    assert table["probability"].iloc[3] == pytest.approx(right.mean(), rel=1e-4)
    assert table["probability_lower"].iloc[3] == pytest.approx(np.quantile(right, 0.05), rel=1e-3)
    assert (table["probability_lower"] <= table["probability_upper"]).all()
    assert len(posterior.score_calibration()) == 8 * 9


def test_from_the_threshold_on_the_wanted_share_is_right(posterior):
    for one in scored_species(posterior, ["s1", "s4", "s8"]):
        found = thresholds(posterior, one, 0.8)
        low, high = score_range(posterior, one.machine)
        step = (high - low) / (POINTS - 1)
        for d in range(0, len(found), 37):
            if np.isinf(found[d]):
                assert one.precision(np.linspace(low, high, POINTS))[d].max() < 0.8
            else:
                assert one.precision(found[[d]] + step)[d, 0] > 0.8 - 1e-6
                if found[d] > low:
                    assert one.precision(found[[d]] - step)[d, 0] < 0.8
    table = posterior.score_thresholds(0.8)
    assert table["species"].tolist() == posterior.annotations.species.index.tolist()
    assert table["reached"].between(0, 1).all()
    known = table.dropna()
    assert (known["score_lower"] <= known["score"]).all()
    assert (known["score"] <= known["score_upper"]).all()
    stricter = posterior.score_thresholds(0.95)
    assert (stricter["score"].fillna(2) >= table["score"].fillna(2)).all()


def test_wrong_questions_are_answered(posterior, simulation):
    with pytest.raises(dc.AnnotationError, match="give the share of reports"):
        posterior.score_thresholds(9)
    with pytest.raises(dc.AnnotationError, match="between 0 and 1"):
        posterior.score_calibration([1.2])
    with pytest.raises(dc.AnnotationError, match="no species"):
        posterior.score_calibration(species="dodo")
    with pytest.raises(dc.AnnotationError, match="use one of: use, ignore"):
        dc.fit(simulation.annotations, scores="maybe")
    plain = dc.fit(simulation.annotations, "base", scores="ignore", draws=20, warmup=20, min_ess=None)
    assert "scored_reports" not in plain.annotators()
    for ask in (plain.score_thresholds, plain.score_calibration):
        with pytest.raises(dc.AnnotationError, match="the fit used no scores"):
            ask()
    with pytest.raises(dc.AnnotationError, match="there is no machine 'Perch'"):
        dc.plots.score_calibration(posterior, machine="Perch")


def test_without_scores_draws_are_the_same_to_the_bit(simulation):
    a = simulation.annotations
    bare = dc.Annotations.from_frame(
        a.to_frame("explicit").drop(columns="score"),
        "explicit",
        scope=a.species_lists(),
        recordings=a.recordings,
        annotators=a.annotators,
        species=a.species,
    )
    settings = {"draws": 30, "warmup": 10, "min_ess": None, "seed": 3}
    one, other = dc.fit(bare, **settings), dc.fit(a, scores="ignore", **settings)
    assert one.draws.keys() == other.draws.keys()
    assert all(np.array_equal(one.draws[name], other.draws[name]) for name in one.draws)


def test_there_and_back(posterior, tmp_path):
    contents = dc.write_result(posterior, tmp_path / "fit")
    assert contents["machines"] == ["BirdNET"]
    for name in ("score_calibration", "score_thresholds"):
        written = pd.read_csv(tmp_path / "fit" / f"{name}.csv")
        assert len(written) == len(getattr(posterior, name)())
    annotators = pd.read_csv(tmp_path / "fit" / "annotators.csv").set_index("annotator")
    assert annotators.loc["BirdNET", "score_present"] > annotators.loc["BirdNET", "score_absent"]
    assert annotators["scored_reports"].drop("BirdNET").sum() == 0
    loaded = dc.Posterior.load(tmp_path / "fit")
    assert loaded.annotations == posterior.annotations
    assert loaded.model.scored == posterior.model.scored
    pd.testing.assert_frame_equal(loaded.score_thresholds(), posterior.score_thresholds())
    pd.testing.assert_frame_equal(loaded.presence(), posterior.presence())


def test_a_fit_with_scores_can_be_resumed_and_knows_other_scores(simulation, tmp_path):
    a, settings = simulation.annotations, {"draws": 40, "warmup": 20, "seed": 1, "min_ess": None}
    whole = dc.fit(a, "base", **settings)
    path = tmp_path / "fit.checkpoint"
    dc.fit(a, "base", **settings, checkpoint=path, keep_checkpoint=True)
    again = dc.fit(a, "base", **settings, checkpoint=path, resume=True, keep_checkpoint=True)
    assert all(np.array_equal(whole.draws[name], again.draws[name]) for name in whole.draws)
    table = a.to_frame("explicit")
    table["score"] = table["score"] / 2
    tables = {"recordings": a.recordings, "annotators": a.annotators, "species": a.species}
    other = dc.Annotations.from_frame(table, "explicit", scope=a.species_lists(), **tables)
    with pytest.raises(dc.OutputError, match="of another fit"):
        dc.fit(other, "base", **settings, checkpoint=path, resume=True)


def test_scores_tell_of_new_recordings(posterior, simulation):
    def new(machine, score):
        rows = [("new", machine, "s1", 1, score)]
        table = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present", "score"])
        return dc.Annotations.from_frame(table, "checklist", species=simulation.annotations.species)

    def probability(machine, score):
        return posterior.predict(new(machine, score), seed=1).set_index("species")["probability"]["s1"]

    low, high = probability("BirdNET", 0.2), probability("BirdNET", 0.97)
    assert low < probability("BirdNET", None) < high
    assert probability("stranger", 0.2) == probability("stranger", 0.97)


def test_held_out_votes_are_predicted_with_the_scores_of_others(simulation):
    compared = dc.compare(
        simulation.annotations,
        ["base", "base + scores(ignore)"],
        folds=2,
        draws=40,
        warmup=40,
        loo=False,
        workers=1,
    )
    assert len(compared.table()) == 2


def test_reported_chances_while_sampling_are_those_of_all_draws(posterior):
    table = posterior.presence()
    reported = table[table["reports"] > 0]
    assert np.corrcoef(reported["probability"], _from_draws(posterior, reported))[0, 1] > 0.999


def _from_draws(posterior, reported):
    from dawnchorus.model.predictive.cell_votes import votes_of
    from dawnchorus.model.predictive.cells import predict_cells

    design = posterior.design
    votes = votes_of(design.annotations, design.marks, design.known, design.scores)
    cells = design.layout.reported.cells
    blocks = list(predict_cells(votes, design.pairs, posterior.parameters(), cells))
    found = np.concatenate([block.probability for block in blocks])
    a = posterior.annotations
    place = cells.find(
        a.recordings.index.get_indexer(reported["recording"]),
        a.species.index.get_indexer(reported["species"]),
    )
    return found[place]


def test_figure_and_page(posterior, tmp_path):
    axes = dc.plots.score_calibration(posterior, ["s1", "s8"])
    assert [text.get_text().split(" ")[0] for text in axes.get_legend().get_texts()] == ["s1", "s8"]
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<section id="machines">' in page
    assert "Nine of ten right from" in page


@pytest.mark.filterwarnings("ignore:level is not known")  # of the machine
@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("base", {"context": "site"}),
        ("base-hierarchical", {"faint": True, "deceptive": True, "unsure": "ordered", "difficulty": True}),
        ("base-hierarchical", {"skill": "level", "priors": "learned"}),
        ("dp-bmm", {}),
        ("dp-bmm-hierarchical", {"faint": True}),
        ("bmm", {}),
        ("bmm-hierarchical", {"priors": "learned"}),
    ],
    ids=str,
)
def test_scores_go_with_every_model_and_part(simulation, model, parts):
    a = simulation.annotations
    known = simulation.truth.to_frame(a.recordings.index[:5])
    fitted = dc.fit(a, model, **parts, known=known, draws=30, warmup=20, min_ess=None, seed=1, chains=2)
    kept = {v.name: v for v in fitted.model.scored.variables}
    assert fitted.draws.keys() >= kept.keys()
    for name, variable in kept.items():
        shape = {1: (1,), 2: (1, a.n_species)}[len(variable.dims)]
        assert fitted.draws[name].shape[2:] == shape
        assert np.isfinite(fitted.draws[name]).all()
    assert fitted.score_thresholds()["reached"].between(0, 1).all()
    presence = fitted.presence()
    assert presence["probability"].between(0, 1).all()
    assert np.isfinite(fitted.log_likelihood()).all()


@pytest.fixture(scope="module")
def cut_off(simulation):
    """A fit of the same machine with all reports below 0.3 made silences."""
    a = simulation.annotations
    table = a.to_frame("scope")
    table.loc[table["score"] < 0.3, ["species", "present", "score"]] = ["", pd.NA, np.nan]
    annotators = a.annotators.assign(score_threshold=np.where(a.annotators.index == "BirdNET", 0.3, np.nan))
    a = dc.Annotations.from_frame(table, "scope", scope=a.species_lists(), annotators=annotators)
    return dc.fit(a, draws=150, warmup=150, min_ess=None, seed=1)


def test_densities_and_tails_begin_at_the_cut_off(cut_off):
    low = logits_of(np.array(0.3), "probability")
    assert cut_off.model.scored.cut == (low,)
    grid = np.linspace(low, low + 30, 6001)
    for one in scored_species(cut_off, ["s2", "s7"]):
        assert one.cut == low
        for density, tail in zip(one.densities(grid), one.log_tails(grid), strict=True):
            right = np.exp(density[:20]) / np.sqrt(2 * np.pi)
            assert np.trapezoid(right, grid) == pytest.approx(1, abs=1e-4)
            steps = -np.diff(np.exp(tail[:20])) / np.diff(grid)
            assert steps == pytest.approx(0.5 * (right[:, 1:] + right[:, :-1]), abs=1e-4)
        assert np.array(one.log_tails(np.array([low - 1, low]))) == pytest.approx(0)


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_the_table_of_annotators_tells_what_scores_of_a_typical_species_are_worth(posterior, level):
    table = posterior.annotators(level=level).set_index("annotator")
    heard = posterior.score_calibration([0.8]).query("reports > 0")["probability"]
    needed = posterior.score_thresholds(0.9).query("reports > 0")["score"].fillna(1.0)
    for name, species in (("right_at_score_of_08", heard), ("score_for_nine_of_ten", needed)):
        assert table[[name, f"{name}_lower", f"{name}_upper"]].drop("BirdNET").isna().all(axis=None)
        low, middle, high = table.loc["BirdNET", [f"{name}_lower", name, f"{name}_upper"]]
        assert 0 < low <= middle <= high < 1
        assert middle == pytest.approx(species.median(), abs=0.1)


def test_typical_scores_are_above_the_cut_off(cut_off):
    table = cut_off.annotators().set_index("annotator").loc["BirdNET"]
    assert 0.3 < table["score_absent_lower"] < table["score_absent"] < table["score_present"]
    scored, drawn = cut_off.model.scored, cut_off.draws
    mean, sd = (drawn.flat(f"score_{of}_absent")[:, 0].astype(float) for of in ("centre", "typical_sd"))
    right = stats.truncnorm((scored.cut[0] - mean) / sd, np.inf, mean, sd).mean()
    assert table["score_absent"] == pytest.approx((1 / (1 + np.exp(-right))).mean(), rel=1e-4)


def test_a_fit_with_a_cut_off_is_written_and_read(cut_off, tmp_path):
    dc.write_result(cut_off, tmp_path / "fit")
    loaded = dc.Posterior.load(tmp_path / "fit")
    assert loaded.model.scored == cut_off.model.scored
    pd.testing.assert_frame_equal(loaded.score_thresholds(), cut_off.score_thresholds())
    pd.testing.assert_frame_equal(loaded.presence(), cut_off.presence())


def test_cut_off_scores_are_not_those_of_a_whole_distribution(cut_off):
    a = cut_off.annotations
    plain = dc.fit(replace(a, annotators=a.annotators[[]]), draws=150, warmup=150, min_ess=None, seed=1)
    means = [fit.draws.flat("score_centre_absent").mean() for fit in (cut_off, plain)]
    assert means[0] < means[1] - 0.1
