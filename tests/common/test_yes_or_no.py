"""What is True or False is nothing else: the text "no" counted as True, and overwrote what was there."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

import dawnchorus as dc

SHORT = {"model": "base", "warmup": 20, "draws": 30, "min_ess": None}
NOT_OPTIONS = {"Dataset", "Findings", "Look", "io.PlainTables"}
"""Classes that users get, and do not make."""


@pytest.fixture(scope="module")
def posterior():
    return dc.fit(
        dc.simulate_paper(recordings=30, annotators=4, species=4, visits=2, seed=1).annotations, **SHORT
    )


def calls(posterior, folder):
    """Return a call of every public function that has such options."""
    a, vote = posterior.annotations, dc.MajorityVote(posterior.annotations)
    truth = pd.DataFrame({"recording": ["r01"], "species": ["s1"], "present": [1]})
    table = folder / "table.csv"
    table.write_text("recording,annotator,species\nr1,Aino,wren\n")
    truth.to_csv(folder / "truth.csv", index=False)
    read = {"absence": "checklist"}
    new = folder / "new"
    more = dc.simulate_paper(recordings=31, annotators=4, species=4, visits=2, seed=2).annotations
    more = more.select(recordings=more.recordings.index[-1:])
    return {
        "Annotations.from_frame": lambda **x: dc.Annotations.from_frame(a.to_frame(), "checklist", **x),
        "MajorityVote.count_presence": vote.count_presence,
        "MajorityVote.file_blocks": lambda **x: list(vote.file_blocks(**x)),
        "MajorityVote.presence": vote.presence,
        "MajorityVote.presence_blocks": lambda **x: list(vote.presence_blocks(**x)),
        "Posterior.cells": lambda **x: list(posterior.cells(**x)),
        "Posterior.count_presence": posterior.count_presence,
        "Posterior.file_blocks": lambda **x: list(posterior.file_blocks(**x)),
        "Posterior.predict": lambda **x: posterior.predict(a, **x),
        "Posterior.presence": posterior.presence,
        "Posterior.presence_blocks": lambda **x: list(posterior.presence_blocks(**x)),
        "Posterior.report": lambda **x: posterior.report(folder / "report.html", **x),
        "Posterior.save": lambda **x: posterior.save(folder / "posterior.nc", **x),
        "Posterior.would_report": posterior.would_report,
        "Posterior.would_report_blocks": lambda **x: list(posterior.would_report_blocks(**x)),
        "compare": lambda **x: dc.compare(a, "base", **x),
        "concatenate": lambda **x: dc.concatenate(a, **x),
        "convert": lambda **x: dc.convert(table, folder / "plain.csv", **read, **x),
        "datasets.fetch_kerttu": lambda **x: dc.datasets.fetch_kerttu(cache=folder, **x),
        "datasets.kerttu": lambda **x: dc.datasets.kerttu(cache=folder, **x),
        "evaluate": lambda **x: dc.evaluate(posterior, truth, **x),
        "export": lambda **x: dc.export(posterior, folder / "e.parquet", "parquet", **x),
        "fit": lambda **x: dc.fit(a, **SHORT, **x),
        "look": lambda **x: dc.look(table, write_names=folder / "names.csv", **x),
        "Dataset.read": lambda **x: dc.open_dataset(table, **read).read(**x),
        "open_dataset": lambda **x: dc.open_dataset(table, **read, **x),
        "plots.among_others": lambda **x: dc.plots.among_others(posterior, "a1", **x),
        "plots.annotators": lambda **x: dc.plots.annotators(posterior, **x),
        "predictive_checks": lambda **x: dc.predictive_checks(posterior, simulations=100, **x),
        "read": lambda **x: dc.read(table, **read, **x),
        "read_truth": lambda **x: dc.read_truth(folder / "truth.csv", **x),
        "update": lambda **x: dc.update(posterior, more, warmup=9, **x),
        "write_feedback": lambda **x: dc.write_feedback(posterior, new, **x),
        "write_portal": lambda **x: dc.write_portal(new, 20, 3, 3, **x),
        "write_report": lambda **x: dc.write_report(posterior, folder / "report.html", **x),
        "write_result": lambda **x: dc.write_result(posterior, new, **x),
        "write_simulation": lambda **x: dc.write_simulation(dc.simulate_paper(recordings=5), new, **x),
        "READERS.birdnet": lambda **x: dc.read(table, "birdnet", **x),
        "WRITERS.birdnet": lambda **x: dc.export(posterior, new, "birdnet", **x),
    }  # fmt: skip


def with_options():
    """Return every public function that has options of this kind, and their names."""
    found = {}
    for name in dc.__all__:
        thing = getattr(dc, name)
        if inspect.ismodule(thing):
            public = getattr(thing, "__all__", [one for one in dir(thing) if not one.startswith("_")])
            inside = {f"{name}.{one}": getattr(thing, one) for one in public}
        elif inspect.isclass(thing):
            methods = inspect.getmembers(thing, inspect.isroutine)
            inside = {name: thing} | {f"{name}.{one}": f for one, f in methods if not one.startswith("_")}
        else:
            inside = {name: thing}
        found |= {at: f for at, f in inside.items() if getattr(f, "__module__", "").startswith("dawnchorus")}
    found |= {f"READERS.{name}": reader for name, reader in dc.READERS.items()}
    found |= {f"WRITERS.{name}": writer.write for name, writer in dc.WRITERS.items()}
    options = {at: switches(f) for at, f in found.items() if callable(f) and at not in NOT_OPTIONS}
    same = {"datasets.read": "read", "io.read": "read", "io.read_truth": "read_truth"}
    return {at: names for at, names in options.items() if names and at not in same}


def switches(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in parameters if str(one.annotation).split(" ")[0] == "bool"]


@pytest.mark.filterwarnings("ignore:the fit that is updated had not converged")
def test_true_and_false_are_nothing_else(posterior, tmp_path):
    known, wrong = calls(posterior, tmp_path), []
    before = sorted(tmp_path.rglob("*"))
    for at, options in with_options().items():
        if at.startswith("PosteriorInParts."):
            continue  # as those of Posterior: tests/results/test_results_in_parts.py
        for name in options:
            try:
                known[at](**{name: "no"})
            except dc.AnnotationError as error:
                if f"{name} is 'no'" not in str(error) and name != "search":
                    wrong.append((at, name, str(error)))
            except Exception as error:
                wrong.append((at, name, repr(error)))
            else:
                wrong.append((at, name, "was taken"))
    assert not wrong, "\n".join(map(str, wrong))
    assert sorted(tmp_path.rglob("*")) == before


def test_they_may_come_from_numpy(posterior):
    assert (
        len(posterior.presence(2 / 3, keep_reported=np.bool_(True))) >= posterior.annotations.n_reports / 10
    )
