"""Every warning names the line of the user's own program."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

import dawnchorus as dc


def here():
    """Give the line of the caller."""
    return sys._getframe(1).f_lineno


@pytest.fixture(scope="module")
def simulation():
    return dc.simulate_paper(recordings=30, annotators=4, species=5, visits=2, seed=1)


@pytest.fixture(scope="module")
def without_draws(simulation):
    options = {"warmup": 20, "draws": 30, "min_ess": None, "pair_megabytes": 0}
    return dc.fit(simulation.annotations, **options)


def reading(simulation):
    table = pd.DataFrame(
        [("r1", "Aino", "wren"), ("r1", "Onni", "Wren")], columns=["recording", "annotator", "species"]
    )
    return lambda: dc.Annotations.from_frame(table, absence="checklist")


def joining(simulation):
    one, two = (
        dc.Annotations.from_frame(
            pd.DataFrame([("r1", who, "wren")], columns=["recording", "annotator", "species"]),
            absence="checklist",
            recordings=pd.DataFrame({"recording": ["r1"], "site": [site]}),
        )
        for who, site in (("Aino", "here"), ("Onni", "there"))
    )
    return lambda: dc.concatenate(one, two)


def evaluating(simulation):
    truth = simulation.truth.to_frame()
    truth.loc[0, "species"] = "dodo"
    vote = dc.MajorityVote(simulation.annotations)
    return lambda: dc.evaluate(vote, truth)


def stopping_short(simulation):
    return lambda: dc.fit(simulation.annotations, "base", warmup=10, draws=20, max_sweeps=30)


@pytest.mark.parametrize("make", [reading, joining, evaluating, stopping_short])
def test_warnings_name_the_users_line(simulation, make):
    do = make(simulation)
    with pytest.warns((dc.AnnotationWarning, dc.ConvergenceWarning)) as caught:
        do()
    assert {warning.filename for warning in caught} == {__file__}


def test_even_where_other_packages_are_in_between(without_draws):
    with pytest.warns(UserWarning, match="did not fit in memory") as caught:
        table = without_draws.presence()
    assert len(table) == 150
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, here() - 2)}
