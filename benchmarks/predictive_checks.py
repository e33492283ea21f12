"""Does the model describe Kerttu? Writes docs/results/checks.png, and prints the table of that page.

    dawnchorus reproduce beyond PATH --gold gold.csv --out results-beyond
    python benchmarks/predictive_checks.py results-beyond/fits

It checks fits that the first command leaves.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import dawnchorus as dc
from dawnchorus.common.intervals import LEVEL
from dawnchorus.studies.beyond_study import fit_file

RESULTS = Path(__file__).parents[1] / "docs" / "results"
MODELS = {
    "base": fit_file("base"),
    "base-hierarchical": fit_file("base-hierarchical"),
    "base-hierarchical, faint": fit_file("+ faint birds"),
    "all parts": fit_file("all"),
}
"""Files of fits."""
DRAWN = ("pair_agreement", "third_after_two", "third_after_one", "silent_visits", "species_once")


def in_a_cell(one: Any, first: Any) -> str:
    """Give what is expected, and what is observed if it is another: marks that are votes make more pairs."""
    observed = "" if one.observed == first.observed else f"observed {one.shown(one.observed)}: "
    bold = "**" if one.surprising else ""
    between = f"{one.shown(one.lower)} to {one.shown(one.upper)}"
    return f"{observed}{one.shown(one.expected)} ({between}), p = {bold}{one.p_value:.3f}{bold}"


def main() -> None:
    """Check each model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("fits", type=Path)
    told = parser.parse_args()
    found = {}
    for name, file in MODELS.items():
        posterior = dc.Posterior.load(told.fits / file)
        started = time.perf_counter()
        found[name] = dc.predictive_checks(posterior)
        seconds, told_by = time.perf_counter() - started, posterior.diagnostics
        print(
            f"{name}: largest R-hat {told_by.max_rhat:.3f}, smallest effective size {told_by.min_ess:.0f}, "
            f"sampled in {posterior.record['sampling_seconds']:.0f} s, checked in {seconds:.1f} s"
        )
        print(found[name].in_words())
    print(f"\n| looked at | observed | {' | '.join(MODELS)} |\n|---|---|{'---|' * len(MODELS)}")
    for rows in zip(*(checks.found(LEVEL) for checks in found.values()), strict=True):
        checked = [one.name in checks.checked for one, checks in zip(rows, found.values(), strict=True)]
        cells = [
            in_a_cell(one, rows[0]) if simulated else one.verdict
            for one, simulated in zip(rows, checked, strict=True)
        ]
        print(f"| {rows[0].title} | {rows[0].shown(rows[0].observed)} | {' | '.join(cells)} |")
    figure = Figure(figsize=(3 * len(DRAWN), 2.2 * len(found)), layout="constrained")
    for axes, (name, checks) in zip(
        figure.subplots(len(found), len(DRAWN), sharex="col"), found.items(), strict=True
    ):
        for ax, check in zip(axes, DRAWN, strict=True):
            dc.plots.predictive_check(checks, check, ax=ax)
            ax.legend().remove()
            ax.set_xlabel(ax.get_xlabel() if name == list(found)[-1] else "", fontsize="small")
        axes[0].set_ylabel(name)
    figure.savefig(RESULTS / "checks.png", dpi=80)


if __name__ == "__main__":
    main()
