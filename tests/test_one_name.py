"""Wherever several names of recordings, annotators or species are taken, one name works too."""

from __future__ import annotations

import inspect

import matplotlib as mpl
import pandas as pd
import pytest

import dawnchorus as dc
from contexts import made_up
from dawnchorus.model import design
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.occurrence.in_context import InContext

mpl.use("Agg")
SHORT = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}
NAME = {
    "recordings": "recording-1",
    "annotator": "Aino",
    "annotators": "Aino",
    "which": "Aino",
    "species": "wren",
    "names": "recording-1",
    "terms": "site",
}


@pytest.fixture(scope="module")
def annotations():
    simulation = dc.simulate_portal(
        30, ["Aino", "Onni", "Elli"], ["wren", "robin", "crane"], visits=2, seed=1
    )
    table = simulation.annotations.to_frame("scope").replace({"r01": "recording-1"})
    return dc.Annotations.from_frame(table, "checklist")


@pytest.fixture(scope="module")
def posterior(annotations):
    return dc.fit(annotations, "dp-bmm-hierarchical", **SHORT)


def fitted_in_parts(annotations, folder):
    """Give a fit of data in parts, which small data are not unless blocks are smaller."""
    (folder / "visits").mkdir(parents=True)
    annotations.to_frame("explicit").to_parquet(folder / "visits" / "part-0.parquet", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design, "BLOCK", 10)
        fitted = dc.fit(dc.open_dataset(folder / "visits", absence="explicit"), "base", **SHORT)
        dc.write_result(fitted, folder / "result")
    return dc.PosteriorInParts.load(folder / "result")


def takers(annotations, posterior, tmp_path):
    """Every public function that takes names, as a function of keywords, and what one may compare."""
    truth = dc.simulate_portal(30, 3, 3, visits=2, seed=1).truth
    presence = pd.DataFrame({"recording": ["recording-1"], "species": ["wren"], "probability": [0.5]})
    known = presence.drop(columns="probability").assign(present=1)
    model = dc.Model(
        InContext(made_up(annotations.n_recordings)), PerAnnotator(dc.Beta(8, 2), dc.Beta(1, 99))
    )
    singing = dc.fit(annotations, model, **SHORT)
    heard = dc.simulate_portal(
        30, ["Aino", "Onni"], ["wren", "robin", "crane"], visits=2, machine="BirdNET", seed=1
    )
    scored = dc.fit(heard.annotations, "base", **SHORT)
    in_parts = fitted_in_parts(annotations, tmp_path.with_name(f"{tmp_path.name}-parts"))
    return {
        dc.Annotations.select: lambda **k: repr(annotations.select(**k)),
        dc.Annotations.drop: lambda **k: repr(annotations.drop(**k)),
        dc.Truth.to_frame: lambda recordings: len(truth.to_frame(_renamed(recordings, "r01"))),
        dc.Posterior.presence: lambda **k: len(posterior.presence(**k)),
        dc.Posterior.presence_blocks: lambda **k: sum(map(len, posterior.presence_blocks(**k))),
        dc.Posterior.cells: lambda **k: sum(len(reports) for _, reports in posterior.cells(**k)),
        dc.Posterior.would_report: lambda **k: posterior.would_report(**k).to_csv(),
        dc.Posterior.would_report_blocks: lambda **k: sum(map(len, posterior.would_report_blocks(**k))),
        dc.Posterior.listener: lambda **k: posterior.listener(**k).tpr.tolist(),
        dc.PosteriorInParts.presence: lambda **k: len(in_parts.presence(**k)),
        dc.PosteriorInParts.presence_blocks: lambda **k: sum(map(len, in_parts.presence_blocks(**k))),
        dc.PosteriorInParts.known_recordings: lambda **k: in_parts.known_recordings(**k),
        dc.PosteriorInParts.listener: lambda **k: in_parts.listener(**k).tpr.tolist(),
        dc.Posterior.score_calibration: lambda **k: scored.score_calibration(**k).to_csv(),
        dc.Posterior.score_thresholds: lambda **k: scored.score_thresholds(**k).to_csv(),
        dc.Posterior.where_and_when: lambda **k: len(singing.where_and_when(**k)),
        dc.MajorityVote.presence: lambda **k: len(dc.MajorityVote(annotations).presence(**k)),
        dc.MajorityVote.presence_blocks: lambda **k: len(
            next(dc.MajorityVote(annotations).presence_blocks(**k))
        ),
        dc.Findings.species_correlation: lambda **k: posterior.findings.species_correlation(**k).shape,
        dc.evaluate: lambda **k: dc.evaluate(presence, known, **k).cells,
        dc.write_feedback: lambda **k: dc.write_feedback(posterior, tmp_path, overwrite=True, **k)[
            "file"
        ].tolist(),
        dc.plots.annotators: lambda **k: len(dc.plots.annotators(posterior, **k).get_xticks()),
        dc.plots.annotator_intervals: lambda **k: len(
            dc.plots.annotator_intervals(posterior, **k).get_yticks()
        ),
        dc.plots.present_or_reported: lambda **k: (
            dc.plots.present_or_reported(posterior, **k).lines[-1].get_ydata().tolist()
        ),
        dc.plots.score_calibration: lambda **k: len(dc.plots.score_calibration(scored, **k).lines),
        dc.plots.when: lambda **k: len(dc.plots.when(singing, **k).lines),
        dc.plots.skills: lambda **k: len(dc.plots.skills(posterior, **k).get_xticks()),
        dc.plots.correlation: lambda **k: len(dc.plots.correlation(posterior, **k).get_xticks()),
    }


def _renamed(names, name):
    return name if isinstance(names, str) else [name]


def parameters(function):
    return {
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if "Names" in str(parameter.annotation)
    }


def test_one_name_is_as_good_as_a_list_of_one(annotations, posterior, tmp_path):
    for function, call in takers(annotations, posterior, tmp_path).items():
        assert parameters(function), function
        for parameter in parameters(function):
            name = NAME[parameter]
            assert call(**{parameter: name}) == call(**{parameter: [name]}), function
    pages = dc.write_feedback(posterior, tmp_path / "one", "Aino")
    assert pages["annotator"].tolist() == ["Aino"]


def test_no_public_function_is_forgotten(annotations, posterior, tmp_path):
    known = set(takers(annotations, posterior, tmp_path))
    public = [getattr(dc, name) for name in dc.__all__] + [
        getattr(dc.plots, name) for name in dc.plots.__all__
    ]
    functions = {thing for thing in public if inspect.isfunction(thing)}
    for thing in public:
        if inspect.isclass(thing):
            functions |= {
                value
                for name, value in inspect.getmembers(thing, inspect.isfunction)
                if not name.startswith("_")
            }
    assert {function for function in functions if parameters(function)} == known


def test_labels_may_be_numbers():
    frame = pd.DataFrame({"recording": [7, 8], "annotator": ["a", "a"], "species": ["wren", "robin"]})
    annotations = dc.Annotations.from_frame(frame, "checklist")
    assert annotations.select(recordings=7).n_recordings == 1
    assert annotations.select(recordings=[7.0, 8]).n_recordings == 2


def test_a_simulated_portal_may_have_one_annotator_by_name():
    assert list(dc.simulate_portal(10, "Aino", ["wren"], visits=0.5).annotations.annotators.index) == ["Aino"]
