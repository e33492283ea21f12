"""The page about what goes beyond the paper: held-out visits, the expert's labels, and the goals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import plots
from ..evaluation.evaluation import Evaluation
from ..evaluation.held_out.outcome import Compared, ModelComparison
from ..evaluation.held_out.scoring import Estimate
from .pages import Page, panels
from .published import published

Scores = dict[tuple[str, str], Evaluation]
"""Comparisons with the expert's labels, by model and by what is compared."""
Agreement = dict[str, float]
"""The largest R-hat of the fits of all visits, by model."""
MEASURES = {
    "auc": "AUC",
    "average_precision": "average precision",
    "log_score": "log score",
    "brier": "Brier",
}
DIGITS = {"auc": 3, "average_precision": 3, "log_score": 4, "brier": 4}
PLAIN, WHOLE = "base-hierarchical", "all"
ONLY_IN_TRIALS = (
    "effects of a recording session on each species, and of a single visit; low-rank factors of species; the "
    "complementary log-log link in place of the logit; and rates of their own for unsure marks"
)
"""Ideas of the prototype that did not become parts of a model."""


class Trial(NamedTuple):
    """Something that was tried besides the parts: its name, how it is written, what it was added to."""

    what: str
    part: str
    added_to: str


class Goal(NamedTuple):
    """What the model that held-out visits choose should reach on the expert's labels."""

    as_: str
    measure: str
    wanted: float
    larger: bool = True


GOALS = (
    Goal("report", "auc", 0.94),
    Goal("report", "average_precision", 0.60),
    Goal("report", "log_score", 0.063, larger=False),
    Goal("report", "brier", 0.0143, larger=False),
    Goal("present", "auc", 0.93),
)
GAIN = 0.40
"""Held-out visits should be predicted better than by the plain model by so much, −log × 100."""
APART = 1.1
"""Chains with a larger R-hat do not agree."""


def add_held_out(
    page: Page, compared: ModelComparison, names: dict[str, str], at_a_time: int
) -> pd.DataFrame:
    """Add how well each model predicts held-out votes, and return that table."""
    found = _by_name(compared, names)
    lines = []
    for words, one in found.items():
        gain = one.scores.gain(found[PLAIN].scores)
        lines.append(
            {
                "model": words,
                "log_score_x100": 100 * one.scores.log_score.value,
                "gain": 100 * gain.value,
                "gain_se": 100 * gain.se,
                "auc": one.scores.rank("auc").value,
                "average_precision": one.scores.rank("average_precision").value,
                "seconds": one.seconds,
                "max_rhat": one.max_rhat,
            }
        )
    table = pd.DataFrame(lines)
    page.say(
        "## Held-out visits",
        f"{compared.held_out} were held out. Their votes, and nothing else, decide which model is better. "
        "The log score is the "
        "mean of −log P(vote) over held-out votes, × 100, smaller is better; the gain is over "
        f"`{PLAIN}`, paired over visits, ± one standard error. R-hat is the largest of all parameters: where "
        "it is well above 1.01, chains were too short to agree on everything. Seconds are those of a clock, "
        f"with as many fits at a time as there were processes ({at_a_time}): where the load above is larger "
        "than that, other work made them longer.",
    )
    shown = table.assign(
        gain=[_plus_minus(a, b) for a, b in zip(table["gain"], table["gain_se"], strict=True)]
    )
    shown = shown.drop(columns="gain_se").rename(
        columns={"log_score_x100": "log score × 100", "max_rhat": "R-hat", "auc": "AUC"}
    )
    shown.columns = [name.replace("_", " ") for name in shown.columns]
    forms = {
        "log score × 100": ".3f",
        "AUC": ".3f",
        "average precision": ".3f",
        "seconds": ".0f",
        "R-hat": ".2f",
    }
    page.table(shown, forms)
    page.say(
        f"Best of these: {name_of(compared.best, compared, names)}. Chosen, because it is the simplest that "
        f"is worse than the best by at most one standard error: {name_of(compared.choice, compared, names)}. "
        "The models, as `dawnchorus compare` reads them:"
    )
    page.table(pd.DataFrame({"model": list(names), "written as": [f"`{text}`" for text in names.values()]}))
    return table


def add_parts(page: Page, compared: ModelComparison, names: dict[str, str], parts: Iterable[str]) -> None:
    """Add what each part is worth by held-out votes, alone and on top of all others."""
    found = _by_name(compared, names)
    whole, plain = found[WHOLE].scores, found[PLAIN].scores
    lines = []
    for part in parts:
        alone = found[f"+ {part}"].scores.gain(plain)
        on_top = whole.gain(found[f"{WHOLE} but {part}"].scores)
        lines.append(
            {"part": part, "alone": _hundredfold(alone), "on top of all others": _hundredfold(on_top)}
        )
    page.say(
        "### What each part is worth",
        f"The gain in log score × 100, paired over visits, ± one standard error: of the part alone over "
        f"`{PLAIN}`, and of all parts over all but this one.",
    )
    page.table(pd.DataFrame(lines))


def add_tried(page: Page, compared: ModelComparison, names: dict[str, str], trials: dict[Trial, str]) -> None:
    """Add what was tried besides the parts, each with the name of its model, and what it gained."""
    found = _by_name(compared, names)
    lines = []
    for trial, name in trials.items():
        one = found[name]
        gain = one.scores.gain(found[trial.added_to].scores)
        lines.append(
            {
                "tried": trial.what,
                "written as": f"`{trial.part}`",
                "added to": trial.added_to,
                "gain": _hundredfold(gain),
                "seconds": one.seconds,
                "R-hat": one.max_rhat,
            }
        )
    page.say(
        "### What else was tried",
        "Not among the parts above, measured on the same visits. The gain in log score × 100 is over the "
        "model that it was added to, paired over visits, ± one standard error. Difficulty brings learned "
        "priors with it, so the first two rows tell the two apart.",
    )
    page.table(pd.DataFrame(lines), {"seconds": ".0f", "R-hat": ".2f"})
    page.say(
        "Before these models were built, their parts were tried in a dense prototype, one short chain each, "
        f"also on 600 held-out visits of these data. It tried, besides, {ONLY_IN_TRIALS}. Sessions gained "
        "less than two standard errors and the others nothing, so none of them was built. The prototype was "
        "thrown away: no command repeats that."
    )


def add_scores(page: Page, scores: Scores, agreement: Agreement, chosen: str) -> pd.DataFrame:
    """Add the comparison with the expert's labels, as presence and as reports, and return its table."""
    first = next(iter(scores.values()))
    page.say(
        "## Against the expert's labels",
        f"{first.cells:,} cells in {first.recordings} clips, {first.present} of them marked by the expert; "
        "in brackets 95 % bootstrap intervals over clips. The expert is one more listener. So there are two "
        "comparisons: **present**, the probability that the species is there, and **report**, the "
        "probability that a typical annotator who listens would report it. No label was used to fit, choose "
        "or tune. Here models are fitted to all visits, so R-hat is that of other fits than above: where it "
        "is well above 1.01, longer chains may give other figures.",
    )
    lines = []
    for as_ in dict.fromkeys(kind for _, kind in scores):
        shown = []
        for (words, kind), one in scores.items():
            if kind != as_:
                continue
            text, line = dict[str, Any]({"model": words}), dict[str, Any]({"model": words, "as": as_})
            for measure, label in MEASURES.items():
                low, high = one.intervals.get(measure, (np.nan, np.nan))
                line |= {measure: getattr(one, measure), f"{measure}_lower": low, f"{measure}_upper": high}
                text[label] = _between(getattr(one, measure), low, high, DIGITS[measure])
            shown.append(text | {"R-hat": agreement[words]})
            lines.append(line | {"max_rhat": agreement[words]})
        page.say(f"### As {'presence' if as_ == 'present' else 'reports of a typical annotator'}")
        page.table(pd.DataFrame(shown), {"R-hat": ".2f"})
    figure, axes = panels(1, 2, (5, 4.4))
    for ax, as_ in zip(axes, ("present", "report"), strict=True):
        plots.calibration({words: scores[words, as_] for words in (PLAIN, chosen)}, ax)
    page.figure(figure, "calibration", "How often the expert marked cells, against both probabilities.")
    return pd.DataFrame(lines)


def add_goals(
    page: Page, compared: ModelComparison, scores: Scores, agreement: Agreement, names: dict[str, str]
) -> None:
    """Add the goals, and whether the model that held-out visits choose reaches them."""
    found, chosen = _by_name(compared, names), name_of(compared.choice, compared, names)
    gain = found[chosen].scores.gain(found[PLAIN].scores)
    lines = [
        {
            "goal": f"held-out visits at least {GAIN:.2f} better than `{PLAIN}`",
            f"model '{chosen}'": _hundredfold(gain),
            "reached": 100 * gain.value >= GAIN,
        }
    ]
    for goal in GOALS:
        one = scores[chosen, goal.as_]
        value, digits = getattr(one, goal.measure), DIGITS[goal.measure]
        sign = "≥" if goal.larger else "≤"
        lines.append(
            {
                "goal": f"as {goal.as_}: {MEASURES[goal.measure]} {sign} {goal.wanted}",
                f"model '{chosen}'": _between(
                    value, *one.intervals.get(goal.measure, (np.nan, np.nan)), digits
                ),
                "reached": value >= goal.wanted if goal.larger else value <= goal.wanted,
            }
        )
    paper = published("kerttu")
    best = {name: paper.query(f"measure == '{name}'")["paper"] for name in ("auc", "brier")}
    page.say(
        "## Goals",
        f"The paper's best on these labels are an AUC of {best['auc'].max():.3f} and a Brier score of "
        f"{best['brier'].min():.4f}.",
    )
    page.table(pd.DataFrame(lines))
    if max(found[chosen].max_rhat, agreement[chosen]) > APART:
        page.say(
            f"The largest R-hat of model '{chosen}' is {found[chosen].max_rhat:.2f} without the held-out "
            f"visits and {agreement[chosen]:.2f} with all: its chains were too short to agree, so longer "
            "ones may reach, or miss, other goals."
        )


def name_of(model: Compared, compared: ModelComparison, names: dict[str, str]) -> str:
    """Return what the page calls a model."""
    return next(words for words, one in _by_name(compared, names).items() if one is model)


def _by_name(compared: ModelComparison, names: dict[str, str]) -> dict[str, Compared]:
    by_text = {one.spec.text: one for one in compared.models}
    return {words: by_text[text] for words, text in names.items()}


def _hundredfold(gain: Estimate) -> str:
    return _plus_minus(100 * gain.value, 100 * gain.se)


def _plus_minus(value: float, se: float) -> str:
    return f"{value:.3f} ± {se:.3f}"


def _between(value: float, low: Any, high: Any, digits: int) -> str:
    """Return a number with its interval, if there is one."""
    return f"{value:.{digits}f}" + (f" ({low:.{digits}f} to {high:.{digits}f})" if low == low else "")
