"""Species that are hard for everyone: recovered where there are any, and harmless where there are none."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc

mpl.use("Agg")
SHORT = {"chains": 2, "draws": 200, "warmup": 200, "min_ess": None, "seed": 1}


@pytest.fixture(scope="module")
def portal():
    return dc.simulate_portal(
        recordings=500, annotators=12, species=24, visits=2.5, present_species=4, unsure=0, seed=3
    )


@pytest.fixture(scope="module")
def posterior(portal):
    return dc.fit(portal.annotations, difficulty=True, **SHORT)


def test_hard_species_are_found(portal, posterior):
    """In the simulated portal, the logits of a species differ by 0.7 for everyone."""
    table, pairs = posterior.species().set_index("species"), portal.truth.annotator_species
    often = table.index[table["reports"] >= 40]
    true = pairs.groupby("species")["tpr"].mean()[often]
    assert len(often) > 10
    assert np.corrcoef(table["typical_tpr"][often], true)[0, 1] > 0.8
    scale = posterior.draws["tpr_difficulty"]
    assert 0.3 < scale.mean() < 1.2
    assert (table["typical_fpr"] < table["typical_tpr"]).all()


def test_intervals_of_typical_rates_cover_the_truth(portal, posterior):
    """Typical is the annotator in the middle of all: at the mean of their levels."""
    table, truth = posterior.species().set_index("species"), portal.truth
    level = np.log(truth.annotator_species["tpr"] / (1 - truth.annotator_species["tpr"]))
    frame = truth.annotator_species.assign(level=level)
    by = frame.pivot_table(index="annotator", columns="species", values="level")
    ease = (by - by.mean(axis=1).to_numpy()[:, None]).mean()
    fitted = posterior.draws["typical_tpr_level"].reshape(-1, 24)
    shift = pd.DataFrame(fitted - fitted.mean(axis=1, keepdims=True), columns=table.index)
    lower, upper = shift.quantile(0.025), shift.quantile(0.975)
    often = table.index[table["reports"] >= 40]
    inside = ((ease >= lower - 0.3) & (ease <= upper + 0.3))[often]  # their own mean is known to about 0.2
    assert inside.mean() > 0.85


def test_nothing_is_lost_where_no_species_is_harder():
    simulation = dc.simulate_paper(recordings=500, annotators=10, species=20, visits=2.4, seed=2)
    with_, without = (dc.fit(simulation.annotations, difficulty=hard, **SHORT) for hard in (True, False))
    frame = simulation.truth.to_frame()
    one, two = (dc.evaluate(fit, frame).auc for fit in (with_, without))
    assert one > two - 0.002
    assert with_.draws["tpr_difficulty"].mean() < 0.3


def test_rates_for_species_new_to_an_annotator_know_that_they_are_hard(portal, posterior):
    """New annotators report a species in about as many visits as a typical one would."""
    table = posterior.species().set_index("species")
    recordings = [f"new{i}" for i in range(40)]
    visits = pd.DataFrame({"recording": recordings, "annotator": "somebody new", "species": None})
    known = portal.annotations.species.index
    new = dc.Annotations.from_frame(visits, absence="checklist", species=pd.DataFrame({"species": known}))
    cells = posterior.predict(new).groupby("species")["probability"].mean()
    # Silence about an easy species says more, so its probability falls more below its occurrence.
    fall = np.log(cells / table["occurrence"])
    assert np.corrcoef(fall[known], table["typical_tpr"][known])[0, 1] < -0.5


def test_priors_are_learned_unless_they_are_given(portal, posterior):
    assert "occurrence_mean" in posterior.draws
    assert "fpr_level_mean" in posterior.draws
    given = dc.fit(portal.annotations, difficulty=True, priors="given", draws=20, warmup=20, min_ess=None)
    assert "occurrence_mean" not in given.draws


def test_a_species_reported_once_is_rare_not_hard():
    rng, rows = np.random.default_rng(1), [("r000", "a0", "once")]
    present = rng.random((300, 10)) < np.linspace(0.02, 0.3, 10)
    for i in range(300):
        for j in rng.permutation(5)[:2]:
            rows += [
                (f"r{i:03}", f"a{j}", f"s{k}") for k in np.flatnonzero(present[i] & (rng.random(10) < 0.8))
            ]
            rows.append((f"r{i:03}", f"a{j}", None))
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species"])
    posterior = dc.fit(dc.Annotations.from_frame(frame, absence="checklist"), difficulty=True, **SHORT)
    assert posterior.species().set_index("species").loc["once", "occurrence"] < 0.02


def test_it_is_saved_and_read_again(posterior, tmp_path):
    posterior.save(tmp_path / "fit.nc")
    again = dc.Posterior.load(tmp_path / "fit.nc")
    assert again.species().equals(posterior.species())
    assert "tpr_difficulty" in again.priors


def test_the_report_and_the_plot_tell_of_it(posterior, tmp_path):
    dc.write_report(posterior, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Hard for everyone" in page
    hardest = posterior.species().sort_values("typical_tpr")["species"].iloc[0]
    ax = dc.plots.difficulty(posterior, most=5)
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == hardest
    assert dc.plots.difficulty(posterior, "fpr").get_xlabel() == "false positive rate of a typical annotator"


def test_messages():
    annotations = dc.simulate_paper(recordings=40, annotators=4, species=5, visits=2, seed=1).annotations
    short = {"draws": 20, "warmup": 20, "min_ess": None}
    with pytest.raises(dc.AnnotationError, match="the model base has no option difficulty"):
        dc.fit(annotations, "base", difficulty=True)
    with pytest.raises(dc.AnnotationError, match="does not go together with the difficulty of species"):
        dc.fit(annotations, difficulty=True, update="polya-gamma")
    plain = dc.fit(annotations, **short)
    with pytest.raises(dc.AnnotationError, match="did not learn how hard species are"):
        dc.plots.difficulty(plain)
    hard = dc.fit(annotations, difficulty=True, **short)
    with pytest.raises(dc.AnnotationError, match="there is no rate 'recall' here"):
        dc.plots.difficulty(hard, "recall")
