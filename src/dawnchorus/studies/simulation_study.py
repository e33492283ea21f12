"""The paper's simulation study: simulate, fit, compare and write the pages."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .._version import __version__
from ..annotations.labels import several
from ..common.checked import whole_number
from ..common.showing.progress import Progress
from . import simulated
from .grid import Job, run_jobs
from .pages import Page
from .priors_page import add_priors
from .simulation_page import add_default, add_unlike, add_variants, write_tables

PARTS = ("default", "priors", "unlike", "variants")


class Plan(NamedTuple):
    """The number of data sets of each part, the settings, and the length of chains."""

    default: int = 20
    priors: int = 3
    unlike: int = 3
    variants: int = 4
    visits: tuple[float, ...] = simulated.VISITS
    scenarios: tuple[int, ...] = simulated.SCENARIOS
    lengths: tuple[int, int] = (300, 500)
    short_lengths: tuple[int, int] = (200, 300)
    """Numbers of warm-up sweeps and draws; the short ones are for the study of other priors."""

    def jobs(self, part: str, seed: int) -> list[Job]:
        """Return the jobs of a part."""
        lengths = self.short_lengths if part == "priors" else self.lengths
        among: dict[str, Any] = dict(zip(("warmup", "draws"), lengths, strict=True))
        if part in ("default", "priors"):
            among |= {"scenarios": self.scenarios, "visits": self.visits}
        return simulated.JOBS[part](getattr(self, part), seed, **among)


FULL = Plan()
QUICK = Plan(default=2, visits=(0.8, 2.4), scenarios=(1, 4), lengths=(100, 200))


def reproduce_simulation(
    out: str | Path,
    *,
    plan: Plan = FULL,
    parts: str | tuple[str, ...] = PARTS,
    seed: int = 1,
    workers: int | None = None,
    cluster: Any = None,
    command: str = "dawnchorus.studies.reproduce_simulation(…)",
    progress: Progress | None = None,
) -> Path:
    """Run the paper's simulation study, and further parts, and write a page with the results.

    Parameters
    ----------
    out
        Folder for the page, its figures and tables. Finished data sets are kept in `out/cells` and not run
        again, so an interrupted study can be continued.
    plan
        The number of data sets, and the settings.
    parts
        One or more of `default` (the paper's tables), `priors` (its appendix), `unlike` (annotators unlike
        the prior) and `variants` (other interpretations of the paper).
    seed
        The seed of all data and fits.
    workers
        The number of processes; by default one per core.
    cluster
        Where fits are made instead, one data set at a time on each worker: as in `dc.fit`.
    command
        The command that the page names as its origin.
    progress
        A function that is called with the number of data sets done and their total.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    AnnotationError
        If `out` contains a study with other settings.
    """
    seed = whole_number("seed", seed, least=0)
    workers = None if workers is None else whole_number("workers", workers, least=1)
    out, started = Path(out), time.perf_counter()
    parts = tuple(several(parts))
    jobs = {part: plan.jobs(part, seed) for part in parts}
    about = {"study": "simulation", "version": __version__, "seed": seed}
    about["lengths"] = [plan.lengths, plan.short_lengths]
    every = [job for part in parts for job in jobs[part]]
    run_jobs(every, out / "cells", about=about, workers=workers, cluster=cluster, progress=progress)
    rows = {part: pd.DataFrame(run_jobs(jobs[part], out / "cells", about=about)) for part in parts}
    seconds = time.perf_counter() - started
    page = _page("The paper's simulation study, again", "simulation", out, command, seed, seconds, rows, plan)
    tables: dict[str, pd.DataFrame] = {}
    if "default" in rows:
        tables["simulation"] = add_default(page, rows["default"])
    if "priors" in rows:
        other = _page(
            "The simulation study with other priors", "priors", out, command, seed, seconds, rows, plan
        )
        tables["priors"] = add_priors(other, rows["priors"])
        page.say("## Other priors", f"They have [a page of their own]({other.write().name}).")
    if "unlike" in rows:
        add_unlike(page, rows["unlike"])
    if "variants" in rows:
        add_variants(page, rows["variants"])
    write_tables(out, **tables)
    return page.write()


def _page(
    title: str,
    name: str,
    out: Path,
    command: str,
    seed: int,
    seconds: float,
    rows: dict[str, pd.DataFrame],
    plan: Plan,
) -> Page:
    """Return a new page that begins with how it was made."""
    page = Page(title, name, out)
    worked = sum(float(table["seconds"].sum()) for table in rows.values())
    page.made_by(
        command,
        seed,
        seconds,
        f"{sum(map(len, rows.values())):,} fits, {worked / 60:.0f} minutes of computing on one core in all; "
        "the time above does not include parts that were finished before.",
    )
    page.say(_setting(rows, plan))
    return page


def _setting(rows: dict[str, pd.DataFrame], plan: Plan) -> str:
    fitted = pd.concat([table[table["method"] != "majority-vote"] for table in rows.values()])
    short = (fitted["min_ess"] < 100) | (fitted["max_rhat"] > 1.1)
    return (
        "Scenario 1: independent species, constant skill; 2: co-occurring species, constant skill; 3: "
        "independent species, skill varies over species; 4: co-occurring, varying. 1,000 recordings, 20 "
        f"annotators, 25 species. Each fit has {simulated.CHAINS} chains of {plan.lengths[1]} draws after "
        f"{plan.lengths[0]} sweeps of warm-up (other priors: {plan.short_lengths[1]} after "
        f"{plan.short_lengths[0]}). The paper asks for an effective size of 100 and an R-hat below 1.1; of "
        f"the rates of all annotators, {int(short.sum()):,} of {len(fitted):,} fits do not reach that for "
        "some rate. TPR and FPR of hierarchical models are those of a typical species, as in the paper. The "
        "spread of skill is sampled, and only the species on an annotator's list are counted, unlike in the "
        "published code."
    )
