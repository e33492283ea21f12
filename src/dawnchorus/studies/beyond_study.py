"""Beyond the paper: what each part adds on Kerttu, judged by held-out visits, and the expert's labels beside.

The expert's labels choose nothing: which model is better follows from votes that were held out.
"""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ..annotations.annotations import Annotations
from ..common.checked import whole_number
from ..common.showing.progress import Phases
from ..evaluation.against_truth import evaluate
from ..evaluation.held_out.comparing import compare
from ..evaluation.held_out.specs import read_spec
from ..io.writers.csv_tables import write_table
from . import beyond_page
from .beyond_page import Trial
from .fits import Bar, kept_fit, open_study
from .kerttu_study import Length
from .pages import Page

PLAIN = "base-hierarchical"
PARTS = {
    "difficulty": "difficulty",
    "context": "context(site + cc(hour, df=6) + bs(date, df=5))",
    "faint birds": "faint",
    "unsure marks": "unsure",
}
"""The parts by the words of the page, as they are written in a model."""
SKILL = "skill(C(skill_level))"
TRIALS = (
    Trial("learned priors", "learned", PLAIN),
    Trial("difficulty", "difficulty", f"{PLAIN} + learned priors"),
    Trial("self-ratings", SKILL, PLAIN),
    Trial("self-ratings", SKILL, "all"),
    Trial("communities", "communities", PLAIN),
    Trial("communities", "communities", "all but context"),
    Trial("deceptive birds", "deceptive", PLAIN),
    Trial("deceptive birds", "deceptive", "all"),
)
"""What was tried besides the parts; communities do not go with a context."""
FULL, QUICK = Length(750, 1250), Length(50, 50)
CHAINS = 2
AS = ("present", "report")


def models() -> dict[str, str]:
    """Return the models of the parts, by the words of the page; priors are given unless all are learned.

    >>> list(models())[:3], models()["+ faint birds"]
    (['base', 'base-hierarchical', '+ difficulty'], 'base-hierarchical + faint + priors(given)')
    """
    return {words: _with_given_priors(text) for words, text in _models().items()}


def _models() -> dict[str, str]:
    found = {"base": "base", PLAIN: PLAIN}
    found |= {f"+ {words}": _with(part) for words, part in PARTS.items()}
    found["all"] = _with(*PARTS.values())
    for words, part in PARTS.items():
        found[f"all but {words}"] = _with(*(other for other in PARTS.values() if other != part))
    return found


def tried() -> dict[Trial, str]:
    """Return what the page calls the model of each trial; it may be one of those of the parts."""
    return _trials()[0]


def every_model() -> dict[str, str]:
    """Return the models of the parts and of the trials, by the words of the page.

    >>> every_model()["all but context + communities"]
    'dp-bmm-hierarchical + learned + difficulty + faint + unsure'
    """
    return {words: _with_given_priors(text) for words, text in _trials()[1].items()}


def _trials() -> tuple[dict[Trial, str], dict[str, str]]:
    names, found = _models(), dict[Trial, str]()
    for trial in TRIALS:
        text = read_spec(f"{names[trial.added_to]} + {trial.part}").text
        same = next((words for words, other in names.items() if other == text), None)
        found[trial] = same or f"{trial.added_to} + {trial.what}"
        names[found[trial]] = text
    return found, names


def _with_given_priors(text: str) -> str:
    more = read_spec(text).plus("priors(given)")  # none, if priors are learned
    return text if more is None else more.text


def _with(*parts: str) -> str:
    return read_spec(" + ".join((PLAIN, *parts))).text


def fit_file(words: str) -> str:
    """Return the name of the file of a model's fit to all visits, by the words of the page.

    >>> fit_file("+ faint birds"), fit_file("all but context")
    ('with-faint-birds.nc', 'all-but-context.nc')
    """
    return f"{words.replace('+ ', 'with ').replace(' ', '-')}.nc"


def reproduce_beyond(
    annotations: Annotations,
    out: str | Path,
    *,
    gold: Any = None,
    length: Length = FULL,
    held_out: int = 600,
    bootstrap: int = 1000,
    seed: int = 1,
    workers: int | None = None,
    command: str = "dawnchorus.studies.reproduce_beyond(…)",
    bar: Bar | None = None,
    working: Bar | None = None,
    phases: Phases | None = None,
) -> Path:
    """Fit models with parts that the paper does not have to Kerttu, and write a page that compares them.

    Parameters
    ----------
    annotations
        The Kerttu archive, from `dc.read(path, format="kerttu")` or `dc.datasets.kerttu()`.
    out
        Folder for the page, its figures and tables. Finished fits are kept there and not run again.
    gold
        The expert's labels, a frame with columns recording, species, present; without them, the parts of the
        page that need them are left out.
    length
        Warm-up and draws of each chain.
    held_out
        So many visits are held out, one each of recordings that have others.
    bootstrap
        Number of bootstrap samples of clips.
    seed
        The seed of all fits.
    workers
        Held-out fits at a time; by default one for each core.
    command
        The command that the page names as its origin.
    bar, working
        Functions that take a title and return a context manager: a progress bar for a fit, and a spinner for
        work of unknown length.
    phases
        Called with a title, the number of held-out fits done and that of all.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    AnnotationError
        If `out` contains a study with other settings or data.
    """
    seed, bootstrap = whole_number("seed", seed, least=0), whole_number("bootstrap", bootstrap, least=0)
    out, started = Path(out), time.perf_counter()
    open_study(out, "beyond", annotations, seed=seed, length=length, held_out=held_out)
    sampling: dict[str, Any] = {"warmup": length.warmup, "draws": length.draws, "min_ess": None, "seed": seed}
    names, at_a_time = every_model(), workers or os.cpu_count() or 1
    compared = compare(
        annotations,
        list(names.values()),
        folds=1,
        held_out=held_out,
        loo=False,
        out=out / "held-out",
        workers=at_a_time,
        progress=phases,
        chains=CHAINS,
        **sampling,
    )
    page = Page("Beyond the paper: the Kerttu data", "kerttu_beyond", out)
    table = beyond_page.add_held_out(page, compared, names, at_a_time)
    write_table(table, out / "kerttu_beyond_held_out.csv")
    beyond_page.add_parts(page, compared, names, PARTS)
    beyond_page.add_tried(page, compared, names, tried())
    if gold is not None:
        look = working or nullcontext
        chosen = beyond_page.name_of(compared.choice, compared, names)
        scores: beyond_page.Scores = {}
        agreement: beyond_page.Agreement = {}
        for words in dict.fromkeys((*models(), chosen)):
            path, options = out / "fits" / fit_file(words), read_spec(names[words]).options
            posterior = kept_fit(annotations, path, words, bar, chains=CHAINS, **options, **sampling)
            agreement[words] = float(posterior.diagnostics.max_rhat)
            for as_ in AS:
                with look(f"Evaluating {words} as {as_}"):
                    scores[words, as_] = evaluate(
                        posterior, gold, as_=as_, bootstrap=bootstrap, level=0.95, seed=seed
                    )
        table = beyond_page.add_scores(page, scores, agreement, chosen)
        write_table(table, out / "kerttu_beyond_scores.csv")
        beyond_page.add_goals(page, compared, scores, agreement, names)
    return page.write_with_origin(command, seed, started)
