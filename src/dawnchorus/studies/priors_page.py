"""The page about other priors: how much results depend on them, and all entries of the paper's appendix."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import plots
from .pages import Page, panels
from .published import METHODS, published
from .simulation_page import FORMS, MODELS, UNITS
from .summary import MEASURES, beside, over_data_sets

KEYS = ["scenario", "occurrence", "tpr", "visits"]


def add_priors(page: Page, rows: pd.DataFrame) -> pd.DataFrame:
    """Add the study of other priors, and return the comparison with the paper."""
    summary = over_data_sets(rows, [*KEYS, "method"])
    both = beside(summary, published("sensitivity"))
    page.say(
        "Prior means of occurrence 0.01, 0.02 and 0.03 and of the TPR 0.75 to 0.87; "
        f"{int(summary['datasets'].max())} data sets each, the same for all priors.",
        "## How much results depend on the prior",
        "Largest minus smallest mean over the fifteen priors, averaged over scenarios.",
    )
    page.table(_spans(summary))
    page.figure(
        _coverages(summary),
        "coverage",
        "Coverage of TPR intervals against the prior mean of the TPR at 0.8 visits per recording.",
    )
    counts = both.groupby("measure", sort=False)["inside"].agg(["sum", "size"]).reset_index()
    counts["measure"] = counts["measure"].map(MEASURES)
    counts.columns = ["measure", "paper's entries within our range", "of"]
    page.say("How many of the paper's entries lie within the range over our data sets:")
    page.table(counts)
    page.say(
        "## Every entry",
        "Our mean, and in brackets the paper's figure, in **bold** where it is within our range.",
    )
    for measure, title in MEASURES.items():
        page.say(f"### {title[0].upper() + title[1:]}{UNITS.get(measure, '')}")
        page.table(_entries(both[both["measure"] == measure], measure))
    return both


def _spans(summary: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (measure, visits), part in summary.groupby(["measure", "visits"], sort=False):
        span = part.groupby(["method", "scenario"])["mean"].agg(np.ptp).groupby("method").mean()
        line = {"measure": MEASURES[measure] + UNITS.get(measure, ""), "visits": visits}
        lines.append(line | {name: FORMS[measure](span[name]) for name in MODELS})
    return pd.DataFrame(lines).sort_values(["measure", "visits"], ignore_index=True)


def _coverages(summary: pd.DataFrame) -> object:
    scenarios = sorted(summary["scenario"].unique())
    figure, axes = panels(1, len(scenarios), (3.4, 3.2))
    table = summary.query("measure == 'tpr_coverage' and visits == 0.8 and occurrence == 0.02")
    for ax, scenario in zip(axes, scenarios, strict=True):
        part = table[table["scenario"] == scenario]
        if len(part):
            plots.curves(part, "tpr", "mean", by="method", band=("low", "high"), order=METHODS, ax=ax)
        ax.axhline(0.95, color="0.6", linestyle=":")
        ax.set(
            title=f"scenario {scenario}", xlabel="prior mean of TPR", ylabel="TPR coverage", ylim=(0, 1.03)
        )
        if scenario > scenarios[0] and ax.get_legend():
            ax.get_legend().remove()
    return figure


def _entries(both: pd.DataFrame, measure: str) -> pd.DataFrame:
    form = FORMS[measure]
    texts = [
        f"{form(mean)} ({'**' * inside}{form(paper)}{'**' * inside})"
        for mean, paper, inside in zip(both["mean"], both["paper"], both["inside"], strict=True)
    ]
    wide = both.assign(text=texts).pivot_table(index=KEYS, columns="method", values="text", aggfunc="first")
    return wide[list(MODELS)].reset_index()
