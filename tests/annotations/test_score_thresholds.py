"""The threshold below which a machine is silent: where it is kept, and what cannot be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

import dawnchorus as dc

ROWS = [("r1", "BirdNET", "wren", 0.7), ("r2", "BirdNET", "owl", 0.2), ("r1", "Aino", "wren", None)]


def machine(threshold, rows=ROWS, **options) -> dc.Annotations:
    table = pd.DataFrame(rows, columns=["recording", "annotator", "species", "score"])
    annotators = pd.DataFrame({"annotator": ["BirdNET"], "score_threshold": [threshold]})
    return dc.Annotations.from_frame(table, "checklist", annotators=annotators, **options)


def cut(annotations) -> float:
    return annotations.score_cuts(["BirdNET"])[0]


def test_a_threshold_is_a_column_of_annotators():
    assert cut(machine(0.2)) == pytest.approx(logit(0.2))
    assert cut(machine("0.1")) == pytest.approx(logit(0.1))
    assert cut(machine(-2.0, score_scale="logit")) == -2
    assert machine(0.2).score_cuts(["BirdNET", "Aino"])[1] == -np.inf
    assert cut(machine(0.2).select(recordings=["r1"])) == pytest.approx(logit(0.2))


@pytest.mark.parametrize("unknown", [None, np.nan, "", 0.0, 1e-5])
def test_without_a_threshold_nothing_is_cut_off(unknown):
    assert cut(machine(unknown)) == -np.inf


@pytest.mark.parametrize("wrong", ["low", 1.5, -0.1, np.inf])
def test_a_threshold_that_is_no_score_is_refused(wrong):
    with pytest.raises(dc.AnnotationError, match=r"score_threshold of 'BirdNET' is .*between 0 and 1"):
        cut(machine(wrong))


def test_scores_below_the_threshold_are_refused():
    with pytest.raises(dc.AnnotationError, match=r"scores below its score_threshold, 0\.3.*a name for each"):
        cut(machine(0.3))
    assert cut(machine(0.3).select(recordings=["r1"])) == pytest.approx(logit(0.3))


def test_of_two_sets_the_lower_threshold_is_kept():
    first, second = machine(0.2), machine(0.15, [("r3", "BirdNET", "wren", 0.16)])
    for one, other in ((first, second), (second, first)):
        assert cut(dc.concatenate(one, other)) == pytest.approx(logit(0.15))
    people = first.drop(annotators="BirdNET")
    people = dc.Annotations.from_frame(people.to_frame("checklist"), "checklist")
    assert cut(dc.concatenate(people, second)) == pytest.approx(logit(0.15))


def test_thresholds_become_logits_with_scores():
    logits = machine(
        -3.0, [("r3", "Perch", "wren", 2.5), ("r4", "BirdNET", "owl", -2.5)], score_scale="logit"
    )
    both = dc.concatenate(machine(0.2), logits)
    assert both.provenance.score_scale == "logit"
    assert cut(both) == -3
    other = machine(0.0, [("r3", "BirdNET", "wren", 0.5)])
    assert cut(dc.concatenate(other, logits)) == -3
    assert cut(dc.concatenate(logits.drop(annotators="BirdNET"), machine(0.2))) == pytest.approx(logit(0.2))
