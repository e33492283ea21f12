"""The page about the Kerttu application: results of the five methods, compared with the paper's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp, xlogy
from scipy.stats import rankdata, spearmanr

from .. import plots
from ..common.errors import MissingPackageError
from ..common.lazy import lazy
from ..evaluation.evaluation import Evaluation
from ..results.posterior import Posterior
from ..sampling.agreement import ess_and_rhat
from .pages import Page, panels
from .published import SWEEP_SECONDS, published

ARVIZ_STATS = lazy("arviz_stats", extra="arviz", purpose="PSIS-LOO")
LEVEL = "skill_level"
FAMILIES = {
    "occurrence": "occurrence of species",
    "tpr": "TPR of annotators",
    "fpr": "FPR of annotators",
    "tpr_level": "overall TPR level",
    "fpr_level": "overall FPR level",
    "species_tpr": "TPR by annotator and species",
    "species_fpr": "FPR by annotator and species",
    "concentration": "concentration",
}
HIERARCHICAL = ("occurrence", "tpr_level", "fpr_level", "species_tpr", "species_fpr", "concentration")


def add_fits(page: Page, fits: dict[str, Posterior], how: str) -> None:
    """Add the length of each fit, and the time per sweep compared with the published implementation."""
    lines = []
    for name, posterior in fits.items():
        record = posterior.record
        sweep = record["sampling_seconds"] / (record["chains"] * record["sweeps"])
        lines.append(
            {
                "model": name,
                "sweeps per chain": record["sweeps"],
                "smallest effective size": round(posterior.diagnostics.min_ess),
                "largest R-hat": f"{posterior.diagnostics.max_rhat:.3f}",
                "seconds": round(record["sampling_seconds"], 1),
                "ms per sweep": f"{1000 * sweep:.2f}",
                "published, s per sweep": SWEEP_SECONDS[name],
                "times faster": f"{SWEEP_SECONDS[name] / sweep:,.0f}",
            }
        )
    page.say(
        "## Fits",
        f"Three chains each, with the paper's priors, {how}. Milliseconds are elapsed time, with chains "
        "running in parallel on all cores, divided by the sweeps of all chains. The published implementation "
        "was measured on one core of a different machine, a 2-core server.",
    )
    page.table(pd.DataFrame(lines))


def add_scores(page: Page, scores: dict[str, Evaluation]) -> pd.DataFrame:
    """Add the comparison with the expert's labels, and return its table."""
    paper = published("kerttu").set_index(["measure", "method"])["paper"]
    first = next(iter(scores.values()))
    lines, shown = [], []
    for name, one in scores.items():
        line: dict[str, Any] = {"method": name}
        text: dict[str, Any] = {"method": name}
        for measure, digits in (("auc", 3), ("average_precision", 3), ("brier", 4), ("log_score", 4)):
            low, high = one.intervals.get(measure, (np.nan, np.nan))
            known = paper.get((measure, name))
            line |= {measure: getattr(one, measure), f"{measure}_lower": low, f"{measure}_upper": high}
            line[f"{measure}_paper"] = known
            label = measure.replace("_", " ").replace("auc", "AUC").replace("brier", "Brier")
            text[label] = f"{getattr(one, measure):.{digits}f}"
            if one.intervals:
                text[label] += f" ({low:.{digits}f} to {high:.{digits}f})"
            if measure in ("auc", "brier"):
                text[f"{label}, paper"] = "" if known is None else f"{known:.{digits}f}"
        half = one.thresholds.set_index("threshold").loc[0.5]
        for measure in ("sensitivity", "specificity", "accuracy"):
            line[measure] = half[measure]
            text[measure] = f"{half[measure]:.4f}"
        lines.append(line)
        shown.append(text)
    page.say(
        "## Against the expert's labels",
        f"{first.cells:,} cells in {first.recordings} clips, {first.present} of them present; in brackets 95 "
        "% bootstrap intervals over clips. Sensitivity, specificity and accuracy count a cell as present "
        "from a probability of 0.5 on.",
    )
    page.table(pd.DataFrame(shown))
    figure, axes = panels(1, 2, (5, 4.4))
    plots.roc(scores, axes[0])
    plots.calibration(scores, axes[1])
    page.figure(
        figure,
        "roc",
        "ROC curves of the five methods, and how often cells were present against their probability.",
    )
    figure, axes = panels(1, 3, (4, 3.2))
    for ax, measure in zip(axes, ("sensitivity", "specificity", "accuracy"), strict=True):
        plots.thresholds(scores, measure, ax)
    page.figure(figure, "thresholds", "Sensitivity, specificity and accuracy against the threshold.")
    return pd.DataFrame(lines)


def add_criteria(page: Page, fits: dict[str, Posterior]) -> pd.DataFrame:
    """Add the paper's WAIC, and criteria with presence summed out; return both as one table."""
    paper = published("kerttu").set_index(["measure", "method"])["paper"]
    conditional, summed, parts = [], [], {}
    for name, posterior in fits.items():
        line: dict[str, Any] = {"model": name}
        for measure, value in posterior.conditional_waic().items():
            if measure != "votes":
                line |= {measure: round(value), f"{measure}, paper": round(paper[measure, name])}
        conditional.append(line)
        found, parts[name] = _summed_out(posterior)
        summed.append({"model": name, **found})
    best = max(parts, key=lambda name: parts[name].sum())
    for line in summed:
        less = parts[best] - parts[line["model"]]
        line["below the best"] = f"{less.sum():.0f} ± {np.sqrt(len(less) * less.var(ddof=1)):.0f}"
    page.say(
        "## Which model predicts annotations best",
        "The paper's WAIC, over single votes and conditional on the presence of the same draw:",
    )
    page.table(pd.DataFrame(conditional))
    page.say("Per recording, with presence summed out (elpd: higher is better; ± one standard error):")
    page.table(pd.DataFrame(summed))
    page.say(
        "Use the second table. The paper's penalty p_WAIC is larger than the fit it corrects, because the "
        "presence in each cell counts as a parameter that depends on few votes; WAIC is not valid then. With "
        "presence summed out, the penalty is about the number of rates that the data can determine, and the "
        "Pareto k of PSIS-LOO shows where it is not reliable.",
    )
    return pd.DataFrame(conditional).merge(pd.DataFrame(summed), on="model", suffixes=("", ", summed out"))


def add_annotators(page: Page, fits: dict[str, Posterior]) -> None:
    """Add violins of the rates by self-rated level, and rank correlations of rates and levels."""
    level = next(iter(fits.values())).annotations.annotators.get(LEVEL)
    by = LEVEL if level is not None else None
    page.say(
        "## Annotators",
        "Violins of the posterior, annotators by their rate, coloured by the level they gave themselves (4 "
        "is best).",
    )
    for rate in ("tpr", "fpr"):
        figure, axes = panels(len(fits), 1, (10, 2.7))
        for ax, (name, posterior) in zip(axes, fits.items(), strict=True):
            plots.annotators(posterior, rate, by=by, ax=ax)
            ax.set_title(name)
            if rate == "fpr":
                ax.set_yscale("log")
        page.figure(
            figure, rate, f"{plots.RATES[rate].capitalize()} of each annotator in the four models.", dpi=75
        )
    if level is None:
        return
    lines = []
    for name, posterior in fits.items():
        for rate in ("tpr", "fpr", "mean_tpr", "mean_fpr"):
            if rate in posterior.draws:
                draws = posterior.draws.flat(rate)
                ranks = [spearmanr(one, level).statistic for one in draws[:: max(len(draws) // 1000, 1)]]
                low, high = np.quantile(ranks, [0.025, 0.975])
                overall = spearmanr(draws.mean(axis=0), level)
                lines.append(
                    {
                        "model": name,
                        "rate": rate.replace("_", " ").replace("tpr", "TPR").replace("fpr", "FPR"),
                        "of posterior means": f"{overall.statistic:.2f}",
                        "p": f"{overall.pvalue:.3f}",
                        "over draws": f"{np.mean(ranks):.2f} ({low:.2f} to {high:.2f})",
                    }
                )
    page.say(
        "Rank correlation of the rate with the self-rated level (a mean TPR is that over the annotator's "
        "species list, the plain one that of a typical species):"
    )
    page.table(pd.DataFrame(lines))


def add_uncertain(page: Page, base: Posterior, gold: Any) -> None:
    """Add a table of how many of the expert's clips are among the most uncertain ones."""
    presence = base.presence()
    p = presence["probability"]
    measures = {
        "entropy, summed over species": -(xlogy(p, p) + xlogy(1 - p, 1 - p)),
        "variance of presence, summed over species": p * (1 - p),
        "the most uncertain species": 0.5 - (p - 0.5).abs(),
    }
    lines = []
    for name, value in measures.items():
        grouped = value.groupby(presence["recording"])
        total = grouped.max() if name.startswith("the most") else grouped.sum()
        ranks = pd.Series(rankdata(-total, method="ordinal"), total.index)
        wanted = ranks.reindex(gold)
        lines.append(
            {
                "uncertainty of a clip": name,
                f"of the expert's {len(gold)} clips among our {len(gold)}": int((wanted <= len(gold)).sum()),
                "median rank of the expert's clips": round(float(wanted.median())),
                "of clips": len(total),
            }
        )
    page.say(
        "## The most uncertain clips",
        f"In the paper, the expert labelled the {len(gold)} clips about which its `base` was least certain; "
        "it does not say how this was measured. With three measures of ours:",
    )
    page.table(pd.DataFrame(lines))


def add_diagnostics(page: Page, fits: dict[str, Posterior], seed: int) -> None:
    """Add R-hat and effective sizes by family of parameters, and traces of nine of each."""
    rng = np.random.default_rng(seed)
    lines = []
    page.say(
        "## Diagnostics",
        "Bulk effective size and R-hat over all parameters of a family; traces of nine parameters of each, "
        "chosen at random, with one colour per chain.",
    )
    figures = []
    for name, posterior in fits.items():
        values = {family: posterior.draws[family] for family in _families(posterior)}
        for family, draws in values.items():
            flat = draws.reshape(*draws.shape[:2], -1)
            ess, rhat = ess_and_rhat(flat, threads=2)
            lines.append(
                {
                    "model": name,
                    "parameters": FAMILIES[family],
                    "how many": flat.shape[2],
                    "smallest effective size": round(float(ess.min())),
                    "median effective size": round(float(np.median(ess))),
                    "largest R-hat": f"{rhat.max():.3f}",
                }
            )
        figure, axes = panels(len(values), 9, (1.7, 1.3))
        for row, (family, draws) in enumerate(values.items()):
            n = int(np.prod(draws.shape[2:], dtype=int))
            chosen = rng.permutation(n)
            for column in range(9):
                ax = axes[9 * row + column]
                ax.tick_params(labelsize=4)
                if column >= n:
                    ax.axis("off")
                    continue
                item = None if draws.ndim == 2 else int(chosen[column])
                plots.traces(posterior, family, item, ax=ax)
                ax.set(xlabel="", ylabel="")
                ax.set_title(FAMILIES[family] if column == 0 else "", fontsize=6, loc="left")
        figures.append((name, figure))
    page.table(pd.DataFrame(lines))
    for name, figure in figures:
        page.say(f"### Traces of {name}")
        page.figure(
            figure, f"traces_{name.replace('-', '_')}", f"Traces of the parameters of {name}.", dpi=65
        )


def _families(posterior: Posterior) -> list[str]:
    wanted = HIERARCHICAL if posterior.draws.by_pair else ("occurrence", "tpr", "fpr", "concentration")
    return [name for name in wanted if name in posterior.draws]


def _summed_out(posterior: Posterior) -> tuple[dict[str, Any], Any]:
    """Return WAIC and, if arviz-stats is installed, PSIS-LOO, and the parts per recording.

    Presence is summed out. With S draws and L[s, i] the log likelihood of the votes on recording i,

        lppd[i]   = log(mean over s of exp L[s, i])
        p_waic[i] = variance over s of L[s, i]
        WAIC      = −2 · sum over i of (lppd[i] − p_waic[i])

    Watanabe (2010); Vehtari, Gelman and Gabry (2017).
    """
    log = posterior.log_likelihood()
    lppd = logsumexp(log, axis=0) - np.log(len(log))
    penalty = log.var(axis=0, ddof=1)
    found: dict[str, Any] = {
        "lppd": round(float(lppd.sum())),
        "p_waic": round(float(penalty.sum())),
        "waic": round(float(-2 * (lppd - penalty).sum())),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the table says how many
            result: Any = ARVIZ_STATS.loo(posterior.tree, pointwise=True)
    except MissingPackageError:
        return found, lppd - penalty
    found |= {
        "elpd LOO": round(float(result.elpd)),
        "p LOO": round(float(result.p)),
        "Pareto k > 0.7": f"{np.mean(np.asarray(result.pareto_k) > 0.7):.2%}",
    }
    return found, np.asarray(result.elpd_i)
