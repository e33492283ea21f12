"""Checking: simulates votes from the draws of a fit, and compares them with the real ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...common.checked import Seed, seed_number, whole_number
from ...common.errors import AnnotationError
from ...common.showing.bars import shown
from ...common.showing.progress import Progress
from ...model.distributions.named_priors import all_learned
from ...model.predictive.parameters import Parameters
from ...model.predictive.replicates.votes import draw_reports
from ...results.fitted import Fitted
from ...results.parts.presence_in_parts import needs_votes
from .outcome import PredictiveChecks
from .statistics import frame_of, observed_reports, statistics
from .words import Parts

SIMULATIONS = 400
FEWEST = 100
"""With fewer simulations than this, nothing could be surprising."""


def predictive_checks(
    posterior: Fitted,
    *,
    simulations: int = SIMULATIONS,
    seed: Seed = 0,
    threads: int | None = None,
    progress: bool | Progress | None = None,
) -> PredictiveChecks:
    """Return whether the model describes the data: votes that it simulates, compared with the real ones.

    Each simulation takes a draw of the parameters, draws anew which species are present in each recording,
    and then what each visit reports. Who visits what, and scopes, are those of the data, and unsure marks
    too, unless they are votes. Cells that were known as the truth stay as they are.

    Parameters
    ----------
    posterior
        The result of `fit`.
    simulations
        How many data sets to simulate, at least 100; draws are spread evenly over all chains, and used more
        than once if fewer were kept.
    seed
        A whole number, a generator, or None for other simulations each time.
    threads
        How many; by default, one for each core. Results do not depend on it.
    progress
        With True, a bar; or a function that is called with the simulations done and their number.

    Returns
    -------
    PredictiveChecks
        A table with a p-value for each check, and what to try in words.

    Raises
    ------
    AnnotationError
        If a number is out of its range.
    TypeError
        If `posterior` has no draws, as majority vote has none.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=80, species=5, visits=3, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", draws=100, warmup=100, min_ess=None, seed=1)
    >>> checks = dc.predictive_checks(posterior, simulations=200)
    >>> checks.table().columns.tolist()[:5]
    ['check', 'observed', 'expected', 'expected_lower', 'expected_upper']
    >>> checks.in_words()
    'The model describes the data in all that was checked.'
    """
    needs_votes(posterior, "a check of the model")
    if not isinstance(posterior, Fitted):
        raise TypeError(f"expected a Posterior, got {type(posterior).__name__}")
    number = whole_number("simulations", simulations, least=FEWEST)
    parameters, design = posterior.parameters(number), posterior.design
    frame = design.derived(frame_of)
    observed = statistics(frame, observed_reports(design))
    streams = np.random.SeedSequence(seed_number(seed)).spawn(number)

    def simulate(which: int) -> list[float]:
        rng, draw = np.random.default_rng(streams[which]), _draw_for(which, number, parameters)
        return list(statistics(frame, draw_reports(rng, design, parameters, draw)).values())

    rows: list[list[float]] = []
    cores = whole_number("threads", (os.cpu_count() or 1) if threads is None else threads, least=1)
    with _bar(progress) as show, ThreadPoolExecutor(cores) as pool:
        for row in pool.map(simulate, range(number)):
            rows.append(row)
            if show:
                show(len(rows), number)
    simulated = dict(zip(observed, np.array(rows).T, strict=True))
    unsure = len(posterior.annotations.unsure.item)
    return PredictiveChecks(posterior.name, observed, simulated, unsure, _parts(posterior))


def _draw_for(which: int, number: int, parameters: Parameters) -> int:
    """Return the draw that a simulation takes: all equally often, spread over all chains."""
    return which * len(parameters.tpr) // number


def _parts(posterior: Fitted) -> Parts:
    """Return what the model has, as it declares."""
    return Parts(
        by_species=posterior.draws.by_pair,
        faint="faint" in posterior.model.parts,
        difficulty="difficulty" in posterior.model.parts,
        occurrence=posterior.context is not None or posterior.has_components,
        learned=all_learned(posterior.priors),
        deceptive="deceptive" in posterior.model.parts,
    )


@contextmanager
def _bar(progress: bool | Progress | None) -> Iterator[Any]:
    """Return what shows the progress: a bar, a function of the user's, or nothing."""
    if progress is True:
        with shown("Simulating votes") as show:
            yield lambda done, total: show("Simulating votes", done, total, "", "")
    elif progress is None or progress is False or callable(progress):
        yield progress or None
    else:
        raise AnnotationError(f"progress is {progress!r}", "give True, False or a function")
