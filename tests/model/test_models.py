"""All models on awkward data, their priors, and Kerttu."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.model.distributions.named_priors import find_priors
from dawnchorus.model.registry import build_model

MODELS = [name for name in dc.MODELS if name != "majority-vote"]
SHORT = {"warmup": 100, "draws": 200, "min_ess": None, "seed": 1}


def made(rows, **tables):
    frame = pd.DataFrame(rows, columns=["recording", "annotator", "species", "present"])
    return dc.Annotations.from_frame(frame, absence="explicit", **tables)


def everything(present):
    return [(f"r{i}", f"a{j}", f"s{k}", present) for i in range(4) for j in range(2) for k in range(3)]


def contrary():
    """One of three annotators reports what is not there rather than what is."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(200):
        there = rng.random(6) < 0.3
        for name, tpr, fpr in (("good", 0.9, 0.02), ("fair", 0.8, 0.05), ("contrary", 0.1, 0.6)):
            rows += [
                (f"r{i}", name, f"s{k}", int(rng.random() < (tpr if there[k] else fpr))) for k in range(6)
            ]
    return rows


AWKWARD = {
    "an annotator worse than chance": made(contrary()),
    "a single vote": made([("r", "A", "wren", 1)]),
    "a single annotator": made([(f"r{i}", "A", k, int(i < 3)) for i in range(9) for k in ("wren", "robin")]),
    "a single species": made([(f"r{i}", f"a{j}", "wren", (i + j) % 2) for i in range(8) for j in range(3)]),
    "an annotator with one visit": made([*everything(0), ("r0", "guest", "s0", 1)]),
    "all present": made(everything(1)),
    "all absent": made(everything(0)),
    "recordings nobody visited": made(
        everything(1), recordings=pd.DataFrame({"recording": ["r0", "x", "y"]})
    ),
    "species nobody reported": made([*everything(1), *[(f"r{i}", "a0", "owl", 0) for i in range(4)]]),
    "species nobody voted on": made(everything(1), species=pd.DataFrame({"species": ["s0", "dodo"]})),
    "only unsure in one recording": made([*everything(1), ("r9", "a0", "s0", None)]),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_data(case, model):
    annotations = AWKWARD[case]
    posterior = dc.fit(annotations, model, priors="given", warmup=30, draws=40, min_ess=None, seed=1)
    presence = posterior.presence()
    assert len(presence) == annotations.n_recordings * annotations.n_species
    assert presence["probability"].between(0, 1).all()
    assert posterior.annotators()["tpr"].between(0, 1).all()
    unvoted = presence[presence["votes"] == 0]
    if case == "species nobody voted on" and model == "base":
        prior = find_priors(None, annotations.n_species).occurrence.mean
        assert unvoted["probability"].mean() == pytest.approx(prior, rel=0.3)
    assert np.isfinite(posterior.log_likelihood()).all()


@pytest.mark.parametrize("model", ["base", "bmm"])
def test_an_annotator_worse_than_chance_is_found_out(model):
    table = (
        dc.fit(AWKWARD["an annotator worse than chance"], model, priors="given", **SHORT)
        .annotators()
        .set_index("annotator")
    )
    assert table.loc["contrary", "tpr_upper"] < table.loc["contrary", "fpr_lower"]
    assert table.loc["good", "tpr"] > 0.8


def test_the_papers_spelling_is_understood():
    annotations = AWKWARD["all present"]
    for spelling, name in (
        ("Base", "base"),
        ("DP-BMM-Hierarchical", "dp-bmm-hierarchical"),
        ("dp_bmm", "dp-bmm"),
    ):
        assert dc.fit(annotations, spelling, warmup=5, draws=10, min_ess=None).name == name


@pytest.mark.parametrize(
    "make",
    [
        lambda: dc.Beta(0, 1),
        lambda: dc.Beta.around(1.0, 10),
        lambda: dc.Beta.around(0.5, 0),
        lambda: dc.Normal(0, 0),
        lambda: dc.Normal(float("nan"), 1),
        lambda: dc.HalfNormal(-1),
        lambda: dc.Gamma(0, 1),
        lambda: dc.Priors.expecting(n_species=10, species_per_recording=0),
        lambda: dc.Priors.expecting(n_species=0),
        lambda: dc.Priors.expecting(n_species=10, components=0),
        lambda: dc.Priors.expecting(n_species=10, temperature=3),
    ],
)
def test_impossible_priors_are_refused_with_a_reason(make):
    with pytest.raises(dc.AnnotationError, match=r"is no possible prior: |is 0\. Remedy: give"):
        make()


def test_the_papers_priors_by_name():
    kerttu = dc.PRIORS["paper-kerttu"]
    assert (kerttu.occurrence, kerttu.tpr, kerttu.fpr) == (dc.Beta(2, 98), dc.Beta(45, 5), dc.Beta(5, 995))
    assert find_priors(" Paper-Kerttu ", 5) is kerttu
    assert dc.PRIORS["paper-simulation"].tpr.mean == pytest.approx(0.81)
    with pytest.raises(dc.AnnotationError, match="no priors named 'vague'"):
        find_priors("vague", 5)
    # The paper's standard deviations on the logit scale are those of its Beta priors, to a few hundredths.
    for beta, normal in ((kerttu.tpr, kerttu.tpr_level), (kerttu.fpr, kerttu.fpr_level)):
        assert beta.on_logits().sd == pytest.approx(normal.sd, abs=0.03)


AUC = {"base": 0.900, "base-hierarchical": 0.900, "dp-bmm": 0.900, "dp-bmm-hierarchical": 0.895}


@pytest.mark.parametrize("model", AUC)
def test_kerttu_as_in_the_paper(kerttu, kerttu_folder, model):
    """With the paper's priors; the hierarchical models with spread sampled and species counted correctly."""
    short = {"chains": 2, "warmup": 300, "draws": 300, "min_ess": None, "seed": 1}
    posterior = dc.fit(kerttu, model, priors="paper-kerttu", **short)
    gold = dc.read_truth(kerttu_folder / "gold.csv")
    scores = dc.evaluate(posterior, gold)
    assert AUC[model] <= scores.auc <= 0.910
    assert 0.0160 <= scores.brier <= 0.0178
    if model == "base":
        waic = posterior.conditional_waic()
        assert waic["votes"] == 618_305
        assert waic["p_waic"] == pytest.approx(15_693, rel=0.03)
    if "bmm" in model:
        assert 1.5 < posterior.draws["components"].mean() < 3


def test_chains_with_learned_priors_start_where_reports_lead_them():
    """From a draw of the wide prior, now and then all species were common, for a thousand sweeps."""
    annotations = dc.simulate_portal(recordings=400, annotators=8, species=30, visits=1.5, seed=3).annotations
    model = build_model("base", find_priors(None, 30))
    design = model.design(annotations)
    reported = len(design.layout.reported.recording) / (400 * 30)
    for seed in range(100):
        state = model.init(np.random.default_rng(seed), design, chain=0)
        assert state.occurrence.occurrence.mean() < 2 * reported + 0.02
