"""The page about the simulation study: our results compared with the paper's, and further results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import plots
from ..io.writers.csv_tables import write_table
from .pages import Page, panels
from .published import METHODS, published
from .summary import MEASURES, beside, over_data_sets

MODELS = METHODS[1:]
FORMS: dict[str, Callable[[float], str]] = {
    "auc": lambda x: f"{x:.3f}",
    "tpr_coverage": lambda x: f"{x:.2f}",
    "fpr_coverage": lambda x: f"{x:.2f}",
    "tpr_mse": lambda x: f"{1000 * x:.2f}",
    "fpr_mse": lambda x: f"{1000 * x:.4f}",
}
UNITS = {"tpr_mse": ", × 1000", "fpr_mse": ", × 1000"}


def add_default(page: Page, rows: pd.DataFrame) -> pd.DataFrame:
    """Add tables and figures of the study with default priors, and return the comparison."""
    summary = over_data_sets(rows, ["scenario", "visits", "method"])
    both = beside(summary, published("simulation"))
    both = pd.concat([both, beside(summary, _published_fprs())], ignore_index=True)
    sets = int(summary["datasets"].max())
    page.say(
        "## Default priors",
        f"Mean ± standard deviation over {sets} simulated data sets; in brackets the paper's figure, in "
        "**bold** where it lies within the range over our data sets. The paper has one data set for each "
        "setting.",
    )
    for measure, title in MEASURES.items():
        part = summary[summary["measure"] == measure]
        if not len(part):
            continue
        page.say(f"### {title[0].upper() + title[1:]}{UNITS.get(measure, '')}")
        page.table(_wide(part, both[both["measure"] == measure], FORMS[measure]))
        page.figure(_curves(part, both[both["measure"] == measure], title), measure, _described(title))
    page.say("### In words", *_orderings(rows, both))
    page.say(
        "### Calibration of presence",
        "Of all cells that were given a probability in each tenth, how many were present; all data sets and "
        "numbers of visits together. The paper does not show this.",
    )
    page.figure(
        _calibration(rows), "calibration", "Share of cells present against their probability, by scenario."
    )
    return both


def add_unlike(page: Page, rows: pd.DataFrame) -> None:
    """Add the study of annotators unlike the prior."""
    page.say(
        "## Annotators unlike the prior",
        "The same models and priors, where half of the annotators are bad, or where all report ten times as "
        f"much that is not there. Means over {rows['dataset'].nunique()} data sets.",
    )
    summary = over_data_sets(rows, ["annotators", "scenario", "visits", "method"])
    wide = summary.pivot_table(
        index=["annotators", "scenario", "visits"], columns=["measure", "method"], values="mean", sort=False
    )
    for measure in ("auc", "tpr_coverage", "fpr_coverage"):
        part = wide[measure].reindex(columns=[m for m in METHODS if m in wide[measure].columns])
        page.say(f"### {MEASURES[measure][0].upper() + MEASURES[measure][1:]}")
        page.table(part.reset_index().round(3))


def add_variants(page: Page, rows: pd.DataFrame) -> None:
    """Add the study of other interpretations of the paper's description."""
    page.say(
        "## Which data did the paper simulate?",
        "Our figures do not match the paper's everywhere, most of all for false positive rates. These are "
        f"other interpretations of its description, means over {rows['dataset'].nunique()} data sets, with "
        "the paper's figures below each setting (mean squared errors × 1000; those of FPRs from the paper's "
        "appendix). The simulator was not adjusted to match the paper's table.",
    )
    summary = over_data_sets(rows, ["variant", "scenario", "visits", "method"])
    paper = pd.concat([published("simulation"), _published_fprs()]).rename(columns={"paper": "mean"})
    lines = []
    for (scenario, visits), part in summary.groupby(["scenario", "visits"]):
        known = paper[(paper["scenario"] == scenario) & (paper["visits"] == visits)].assign(
            variant="**the paper**"
        )
        for name, one in pd.concat([part, known]).groupby("variant", sort=False):
            values = one.set_index(["measure", "method"])["mean"]
            line = {"scenario": scenario, "visits": visits, "reading": name}
            for label, key in (
                ("AUC majority", ("auc", "majority-vote")), ("AUC base", ("auc", "base")),
                ("TPR coverage base", ("tpr_coverage", "base")), ("TPR MSE base", ("tpr_mse", "base")),
                ("FPR coverage base", ("fpr_coverage", "base")), ("FPR MSE base", ("fpr_mse", "base")),
                ("FPR MSE hierarchical", ("fpr_mse", "base-hierarchical")),
            ):  # fmt: skip
                line[label] = FORMS[key[0]](values[key]) if key in values.index else ""
            lines.append(line)
    page.table(pd.DataFrame(lines))


def _published_fprs() -> pd.DataFrame:
    """Return the paper's results for FPRs with the default priors, which are only in its appendix."""
    table = published("sensitivity").query("occurrence == 0.02 and tpr == 0.81")
    return table[table["measure"].str.startswith("fpr")].drop(columns=["occurrence", "tpr"])


def _wide(part: pd.DataFrame, both: pd.DataFrame, form: Callable[[float], str]) -> pd.DataFrame:
    paper = both.set_index(["scenario", "visits", "method"])
    lines = []
    for (scenario, visits), group in part.groupby(["scenario", "visits"]):
        line: dict[str, Any] = {"scenario": scenario, "visits": visits}
        for row in group.itertuples():
            text = f"{form(row.mean)} ± {form(row.sd) if row.sd == row.sd else '–'}"
            at = (scenario, visits, row.method)
            if at in paper.index:
                known = form(paper.loc[at, "paper"])
                text += f" (**{known}**)" if paper.loc[at, "inside"] else f" ({known})"
            line[row.method] = text
        lines.append(line)
    table = pd.DataFrame(lines)
    return table[["scenario", "visits", *(m for m in METHODS if m in table.columns)]]


def _curves(part: pd.DataFrame, both: pd.DataFrame, title: str) -> Any:
    scenarios = sorted(part["scenario"].unique())
    figure, axes = panels(1, len(scenarios), (3.4, 3.2))
    for ax, scenario in zip(axes, scenarios, strict=True):
        mine = part[part["scenario"] == scenario].assign(
            lower=lambda t: t["mean"] - t["sd"], upper=lambda t: t["mean"] + t["sd"]
        )
        plots.curves(mine, "visits", "mean", by="method", band=("lower", "upper"), order=METHODS, ax=ax)
        known = both[both["scenario"] == scenario]
        for i, name in enumerate(METHODS):
            one = known[known["method"] == name]
            ax.plot(
                one["visits"],
                one["paper"],
                linestyle="none",
                marker="x",
                color=plots.COLOURS[i],
                markersize=5,
            )
        ax.set(
            title=f"scenario {scenario}",
            xlabel="visits to a recording",
            ylabel=title if scenario == scenarios[0] else "",
        )
        if "coverage" in title:
            ax.axhline(0.95, color="0.6", linestyle=":")
            ax.set_ylim(0, 1.03)
        if "error" in title:
            ax.set_yscale("log")
        if scenario > scenarios[0] and ax.get_legend():
            ax.get_legend().remove()
    return figure


def _described(title: str) -> str:
    return (
        f"{title[0].upper() + title[1:]} against visits, one panel per scenario; bands are one standard "
        "deviation over data sets, crosses the paper."
    )


def _calibration(rows: pd.DataFrame) -> Any:
    scenarios = sorted(rows["scenario"].unique())
    figure, axes = panels(1, len(scenarios), (3.4, 3.2))
    for ax, scenario in zip(axes, scenarios, strict=True):
        lines = []
        for method in METHODS:
            bins = rows[(rows["scenario"] == scenario) & (rows["method"] == method)]["calibration"]
            cells, expected, present = (
                np.sum([one[key] for one in bins], axis=0) for key in ("cells", "expected", "present")
            )
            some = cells > 0
            lines.append(
                pd.DataFrame(
                    {
                        "method": method,
                        "probability": expected[some] / cells[some],
                        "share present": present[some] / cells[some],
                    }
                )
            )
        plots.curves(pd.concat(lines), "probability", "share present", by="method", order=METHODS, ax=ax)
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", zorder=0)
        ax.set(title=f"scenario {scenario}")
        if scenario > scenarios[0] and ax.get_legend():
            ax.get_legend().remove()
    return figure


def _orderings(rows: pd.DataFrame, both: pd.DataFrame) -> list[str]:
    """Return sentences on how often the paper's comparisons of models hold in our data sets."""
    auc = rows.pivot_table(index=["scenario", "visits", "dataset"], columns="method", values="auc")
    mse = rows.pivot_table(index=["scenario", "visits", "dataset"], columns="method", values="tpr_mse")
    where = auc.index.get_level_values("scenario")
    claims = [
        ("all four models have a higher AUC than majority vote",
         auc[list(MODELS)].min(axis=1) > auc["majority-vote"]),
        ("in scenarios 2 and 4 (co-occurring species) `dp-bmm` has a higher AUC than `base`",
         (auc["dp-bmm"] > auc["base"])[where.isin([2, 4])]),
        ("in scenarios 3 and 4 (skill varies) `base-hierarchical` has a higher AUC than `base`",
         (auc["base-hierarchical"] > auc["base"])[where.isin([3, 4])]),
        ("in scenarios 3 and 4 `base-hierarchical` has a smaller error of TPRs than `base`",
         (mse["base-hierarchical"] < mse["base"])[where.isin([3, 4])]),
        ("in scenarios 1 and 2 (constant skill) `base-hierarchical` has a smaller error of TPRs than `base`",
         (mse["base-hierarchical"] < mse["base"])[where.isin([1, 2])]),
    ]  # fmt: skip
    lines = [
        f"- {text[0].upper() + text[1:]}: in {held.mean():.0%} of {len(held):,} data sets."
        for text, held in claims
    ]
    counts = both.groupby("measure", sort=False)["inside"].agg(["sum", "size"])
    told = "; ".join(f"{MEASURES[name]} {row['sum']} of {row['size']}" for name, row in counts.iterrows())
    return [
        "How often the paper's comparisons of models hold:",
        "\n".join(lines),
        f"Entries of the paper within the range over our data sets: {told}.",
    ]


def write_tables(folder: Path, **tables: pd.DataFrame) -> None:
    """Write each table to a CSV file with its name."""
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv")
