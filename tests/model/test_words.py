"""What was fitted, in words: every part that is switched on is there, in the model and in what shows it."""

from __future__ import annotations

from inspect import signature

import pandas as pd
import pytest

import dawnchorus as dc
from dawnchorus.model.context import Context
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
from dawnchorus.model.expertise.scored.reports import ScoredReports
from dawnchorus.model.registry import PAIRS, build_model
from dawnchorus.report import report_html

LEVELS = pd.DataFrame({"level": ["1", "2", "1", "2"]}, index=list("abcd"))
SWITCHED_ON = {
    "difficulty": True, "faint": True, "deceptive": True, "unsure": "ordered",
    "spread": "empirical-bayes", "update": "polya-gamma", "skill": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def context() -> Context:
    return dc.read_context(LEVELS, "level")


def model_of(context, name="base-hierarchical", **options):
    if "skill" in options:
        options["skill"] = context
    return build_model(name, dc.Priors.expecting(n_species=4), **options)


def test_every_option_of_the_expertise_is_tried():
    assert set(signature(PerAnnotatorSpecies.from_priors).parameters) == {"priors", *SWITCHED_ON}


@pytest.mark.parametrize("name", [name for name in PAIRS if "hierarchical" in name])
@pytest.mark.parametrize(("option", "value"), SWITCHED_ON.items())
def test_every_option_is_in_the_words_and_in_the_full_name(context, name, option, value):
    plain, model = model_of(context, name), model_of(context, name, **{option: value})
    (part,) = set(model.parts) - set(plain.parts)
    assert part.startswith(option)
    assert model.parts[part] in model.words
    assert part in model.full_name.split(" + ")
    assert part not in plain.full_name


def test_a_plain_pair_has_no_parts(context):
    for name in ("base", "base-hierarchical", "dp-bmm", "dp-bmm-hierarchical"):
        model = model_of(context, name)
        assert not model.parts
        assert model.full_name == name


def test_number_of_communities_and_the_columns_of_a_context_are_told(context):
    assert "at most 5 communities" in model_of(context, "bmm", components=5).words
    assert model_of(context, "bmm", components=5).full_name == "bmm + components(5)"
    model = build_model("base", dc.Priors.expecting(n_species=4), context=context)
    assert model.full_name == "base + context(level)"
    assert "the context is level" in model.words


def test_scores_and_an_expert_are_told():
    annotations = dc.simulate_portal(recordings=40, species=8, machine="BirdNET", seed=1).annotations
    known = annotations.to_frame().head(3)[["recording", "species"]].assign(present=1)
    posterior = dc.fit(
        annotations, "base", known=known, known_as="expert", draws=20, warmup=20, min_ess=None, seed=1
    )
    assert ScoredReports.of(annotations).parts["scores"] in posterior.model.words
    assert "'BirdNET'" in posterior.model.words
    assert "said by an expert" in posterior.model.words


def test_what_shows_a_fit_shows_its_parts():
    portal = dc.simulate_portal(recordings=80, annotators=6, species=6, sites=4, visits=2, seed=1)
    options = {"difficulty": True, "faint": True, "skill": "level", "context": "site"}
    posterior = dc.fit(portal.annotations, draws=20, warmup=20, min_ess=None, seed=1, **options)
    parts = ("difficulty", "faint", "skill(level)", "context(site)")
    assert all(f" + {part}" in repr(posterior) for part in parts)
    page = " ".join(report_html(posterior).split())
    for words in posterior.model.parts.values():
        assert words in page
        assert words in posterior._repr_html_()
    assert posterior.model.full_name in page
