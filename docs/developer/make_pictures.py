"""Make the pictures of docs/images/plots and, with Chromium, docs/images/report.png: `make pictures`.

All are of simulated data, nearly all of the demo's, so that anybody can make them again.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

import dawnchorus as dc
from dawnchorus.simulation.demo import demo_simulation

IMAGES = Path(__file__).parents[1] / "images"


def main() -> int:
    """Make all pictures."""
    simulation = demo_simulation(1)
    posterior = dc.fit(simulation.annotations, "dp-bmm-hierarchical", seed=1)
    alone = dc.fit(simulation.annotations, seed=1)
    hard = dc.fit(simulation.annotations, difficulty=True, seed=1)
    singing = in_context(simulation.annotations)
    birds = singing.annotations.species.index[:3]
    portal = dc.simulate_portal(recordings=1500, annotators=60, species=20, seed=1)
    rated = dc.fit(portal.annotations, skill="C(level)", seed=1)
    models = "base, base + learned, base-hierarchical, base-hierarchical + difficulty, base + context(site)"
    compared = dc.compare(simulation.annotations, models, loo=False)
    faint = dc.simulate_portal(700, 10, 10, visits=4, present_species=4, faintness=2, seed=3).annotations
    heard = dc.fit(dc.simulate_portal(800, 30, 40, machine="BirdNET", seed=1).annotations, seed=1)
    checks = dc.predictive_checks(dc.fit(faint, seed=1))
    vote = dc.fit(simulation.annotations, "majority-vote")
    scores = {
        name: dc.evaluate(result, simulation.truth)
        for name, result in (("majority vote", vote), ("base-hierarchical", alone))
    }
    visits = pd.DataFrame({"visits": [0.8, 1.6, 2.4, 3.2, 4.0] * 2, "model": ["a"] * 5 + ["b"] * 5})
    visits["auc"] = [0.80, 0.86, 0.90, 0.93, 0.95, 0.84, 0.91, 0.95, 0.97, 0.98]
    visits["low"], visits["high"] = visits["auc"] - 0.02, visits["auc"] + 0.02
    plots: dict[str, tuple[tuple[float, float], Any]] = {
        "roc": ((5.5, 4), lambda ax: dc.plots.roc(scores, ax)),
        "calibration": ((5.5, 4), lambda ax: dc.plots.calibration(scores, ax)),
        "compared": ((7, 3), lambda ax: dc.plots.compared(compared, ax=ax)),
        "predictive_check": (
            (5.5, 3),
            lambda ax: dc.plots.predictive_check(checks, "third_after_one", ax=ax),
        ),
        "thresholds": ((5.5, 4), lambda ax: dc.plots.thresholds(scores, "sensitivity", ax)),
        "annotators": ((7, 4), lambda ax: dc.plots.annotators(alone, by="level", ax=ax)),
        "annotator_intervals": ((4, 4), lambda ax: dc.plots.annotator_intervals(alone, by="level", ax=ax)),
        "among_others": ((5.5, 1.8), lambda ax: dc.plots.among_others(alone, "Aino", ax=ax)),
        "self_knowledge": ((5.5, 3.5), lambda ax: dc.plots.self_knowledge(rated, ax=ax)),
        "skills": ((9, 4.5), lambda ax: dc.plots.skills(alone, ax=ax)),
        "present_or_reported": ((5.5, 4), lambda ax: dc.plots.present_or_reported(alone, ax=ax)),
        "score_calibration": ((6.5, 4.6), lambda ax: dc.plots.score_calibration(heard, ax=ax)),
        "occurrence": ((6, 6), lambda ax: dc.plots.occurrence(alone, ax=ax)),
        "difficulty": ((6, 5), lambda ax: dc.plots.difficulty(hard, ax=ax)),
        "communities": ((5.5, 4), lambda ax: dc.plots.communities(posterior, ax=ax)),
        "when": ((5.5, 3.2), lambda ax: dc.plots.when(singing, birds, ax=ax)),
        "where": ((5.5, 2.8), lambda ax: dc.plots.where(singing, birds[0], ax=ax)),
        "where_on_map": ((5.5, 4), lambda ax: dc.plots.where_on_map(singing, birds[0], ax=ax)),
        "correlation": ((7.5, 7), lambda ax: dc.plots.correlation(posterior, ax=ax)),
        "traces": ((5.5, 3), lambda ax: dc.plots.traces(alone, "tpr", 0, ax=ax)),
        "ranks": ((5.5, 3), lambda ax: dc.plots.ranks(alone, "tpr", 0, ax=ax)),
        "prior_and_posterior": ((5.5, 3), lambda ax: dc.plots.prior_and_posterior(alone, "tpr", ax=ax)),
        "curves": (
            (5.5, 4),
            lambda ax: dc.plots.curves(visits, "visits", "auc", by="model", band=("low", "high"), ax=ax),
        ),
    }
    (IMAGES / "plots").mkdir(parents=True, exist_ok=True)
    for name, (size, fill) in plots.items():
        figure = Figure(figsize=size, layout="constrained")
        fill(figure.add_subplot())
        figure.savefig(IMAGES / "plots" / f"{name}.png", dpi=72)
    return shoot(alone, simulation.truth)


def in_context(annotations: dc.Annotations) -> dc.Posterior:
    """Fit the demo's data by site and hour, with places of the sites that are made up."""
    recordings, around = annotations.recordings.reset_index(), range(8)
    east = {f"s{i + 1}": 24.5 + 0.3 * (5 * i % 8) / 8 for i in around}
    north = {f"s{i + 1}": 60.2 + 0.25 * (3 * i % 8) / 8 for i in around}
    site = recordings["site"]
    placed = recordings.assign(latitude=site.map(north), longitude=site.map(east))
    tables = {"recordings": placed, "species": annotations.species}
    a = dc.Annotations.from_frame(annotations.to_frame(), "explicit", **tables)
    return dc.fit(a, "base", context="site + cc(hour, df=4)", seed=1)


def shoot(posterior: dc.Posterior, truth: dc.Truth) -> int:
    """Take a picture of the demo's report, as it looks in a browser: its top, recordings and annotators."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("There is no Chromium: docs/images/report.png is as it was.", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as run:
        path = Path(folder, "report.html")
        posterior.report(path, truth=truth)
        browser = run.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1000, "height": 1000})
        page.goto(path.as_uri())
        places = ("", "#recordings", "#annotators figure:last-of-type")
        views = []
        for place in places:
            if place:
                page.eval_on_selector(place, "e => e.scrollIntoView()")
                page.wait_for_timeout(1500)  # it scrolls smoothly
            views.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        browser.close()
    whole = Image.new("RGB", (1510, 1000), "white")
    whole.paste(views[0], (0, 0))
    for view, top in zip(views[1:], (0, 505), strict=True):
        whole.paste(view.crop((0, 0, 1000, 990)).resize((500, 495)), (1010, top))
    whole.save(IMAGES / "report.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
