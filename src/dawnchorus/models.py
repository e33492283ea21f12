"""Models: what `fit` can fit, by name. A model of presence is a pair of occurrence and expertise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from .annotations import Annotations
from .baselines import MajorityVote
from .errors import AnnotationError, ConvergenceWarning
from .plain import plain_value

if TYPE_CHECKING:
    from .gibbs import Model
    from .posterior import Posterior
    from .priors import Priors
    from .sampling import Progress

OCCURRENCE = ("base", "dp-bmm", "bmm")
"""Species independent; in any number of components; in at most R components."""
HIERARCHICAL = "-hierarchical"
"""Names with this ending have rates by annotator and species, the others by annotator."""
MODELS: tuple[str, ...] = (
    *(name + ending for name in OCCURRENCE for ending in ("", HIERARCHICAL)),
    MajorityVote.name,
)
DEFAULT = "base-hierarchical"


class Result(Protocol):
    """What every fitted model offers; `output.write_result` writes just this."""

    @property
    def name(self) -> str:
        """The name of the model."""
        ...

    @property
    def annotations(self) -> Annotations:
        """What it was fitted to."""
        ...

    def presence(self, min_probability: float = 0.0) -> pd.DataFrame:
        """Give recording, species, probability and more for every cell, or the probable ones."""
        ...

    def presence_blocks(self, min_probability: float = 0.0) -> Iterator[pd.DataFrame]:
        """Give the same in blocks of whole recordings."""
        ...

    def count_presence(self, min_probability: float = 0.0) -> int:
        """Count the rows of the same, or give the most that they may be."""
        ...

    def mean_probability(self) -> float:
        """Give the mean probability over all cells."""
        ...

    def species(self) -> pd.DataFrame:
        """Give a row for each species."""
        ...

    def tables(self) -> dict[str, pd.DataFrame]:
        """Give all tables but presence, by name: annotators, species, recordings and more."""
        ...

    def details(self) -> dict[str, Any]:
        """Give what fit.json says of the fit."""
        ...


def fit(
    annotations: Annotations,
    model: str = DEFAULT,
    *,
    priors: str | Priors | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Any:
    """Infer which species are present in which recording, and how good annotators are.

    Parameters
    ----------
    annotations
        The votes.
    model
        One of `MODELS`, in any case: `"base"`, `"base-hierarchical"` (the default), `"dp-bmm"`,
        `"dp-bmm-hierarchical"`, `"bmm"`, `"bmm-hierarchical"` or `"majority-vote"`.
    priors
        A `Priors`, or the name of one: `"default"`, `"paper-simulation"`, `"paper-kerttu"`.
    checkpoint, resume, keep_checkpoint
        A file to save to every minute and when interrupted; whether to go on from it, if it is there; and
        whether to leave it when the fit is done, so that nothing is lost before results are written.
    progress
        Called ten times a second with sweeps done and to do, and how well the chains agree.
    options
        How to sample: `chains` (4), `seed` (0), `warmup` (500), `draws` (500), `thin` (1), `min_ess` (400;
        None to stop after `draws`), `max_rhat` (1.01), `max_sweeps` (20,000), `seconds`, `threads`,
        `pair_megabytes` (512). And of hierarchical models: `spread` (`"sampled"` or `"empirical-bayes"`),
        `update` (`"direct"` or `"polya-gamma"`).
        Of `bmm`: `components` (20).

    Returns
    -------
    Posterior or MajorityVote

    Examples
    --------
    >>> import dawnchorus as dc
    >>> annotations = dc.simulate_paper(recordings=100, visits=3, seed=1).annotations
    >>> posterior = dc.fit(annotations, model="base", seed=1)
    >>> posterior.diagnostics.min_ess > 400
    True
    """
    if not isinstance(annotations, Annotations):
        raise TypeError(
            f"expected Annotations, got {type(annotations).__name__}: "
            "make them with dc.read(path, …) or dc.Annotations.from_frame(frame, …)"
        )
    name = model_name(model)
    if not annotations.n_species:
        raise AnnotationError(
            "no row names a species",
            "name the species that were reported, or give a table of species",
            file=annotations.provenance.source,
        )
    if name == MajorityVote.name:
        given = [*options, *(["priors"] if priors is not None else [])]
        if given:
            raise AnnotationError(f"majority vote has no option {given[0]}", "leave it out")
        return MajorityVote(annotations)
    if resume and checkpoint is None:
        raise AnnotationError("there is nothing to resume from", "name a checkpoint")
    saving = {"resume": resume, "keep": keep_checkpoint}
    path = None if checkpoint is None else Path(checkpoint)
    return _sample(annotations, name, priors, path, saving, progress, options)


def model_name(model: str) -> str:
    """Give the name of a model as `MODELS` has it, or say that there is none.

    >>> model_name("DP-BMM-Hierarchical"), model_name("Base Hierarchical")
    ('dp-bmm-hierarchical', 'base-hierarchical')
    """
    name = "-".join(str(model).strip().lower().replace("_", " ").replace("-", " ").split())
    name = {"mv": MajorityVote.name}.get(name, name)
    if name not in MODELS:
        raise AnnotationError(f"there is no model '{model}'", f"use one of: {', '.join(MODELS)}")
    return name


def build_model(name: str, priors: Priors, **options: Any) -> Model:
    """Give the pair that a name stands for."""
    from .expertise.per_annotator import PerAnnotator
    from .expertise.per_annotator_species import PerAnnotatorSpecies
    from .gibbs import Model
    from .occurrence.dirichlet_process import DirichletProcess
    from .occurrence.independent import Independent
    from .occurrence.mixture import Mixture

    occurrences: dict[str, Any] = {
        "base": Independent(priors.occurrence),
        "dp-bmm": DirichletProcess(priors.occurrence, priors.concentration),
        "bmm": Mixture(priors.occurrence, priors.components),
    }
    occurrence = occurrences[name.removesuffix(HIERARCHICAL)]
    if name.endswith(HIERARCHICAL):
        return Model(occurrence, PerAnnotatorSpecies.from_priors(priors, **options))
    if options:
        raise AnnotationError(
            f"the model {name} has no option {next(iter(options))}", "it goes with hierarchical models only"
        )
    return Model(occurrence, PerAnnotator(priors.tpr, priors.fpr))


def _sample(
    annotations: Annotations,
    name: str,
    priors: str | Priors | None,
    checkpoint: Path | None,
    saving: dict[str, bool],
    progress: Callable[[Progress], None] | None,
    options: dict[str, Any],
) -> Posterior:
    import warnings
    from dataclasses import asdict, fields, replace

    from .checkpoint import Checkpoint, fingerprint
    from .priors import find_priors
    from .sampled import posterior_of
    from .sampling import sample
    from .settings import Settings

    special: dict[str, Any] = {key: options.pop(key) for key in ("spread", "update") if key in options}
    components = options.pop("components", None)
    unknown = set(options) - {field.name for field in fields(Settings)}
    if unknown:
        known = ", ".join(field.name for field in fields(Settings))
        raise AnnotationError(f"there is no option '{sorted(unknown)[0]}'", f"use one of: {known}")
    settings = Settings(**options)
    found = find_priors(priors, annotations.n_species)
    if components is not None:
        if not name.startswith("bmm"):
            raise AnnotationError(f"the model {name} has no option components", "it goes with bmm only")
        found = replace(found, components=components)
    model = build_model(name, found, **special)
    saved = None
    if checkpoint is not None:
        what = {
            "data": fingerprint(annotations),
            "model": [name, *sorted(special.items())],
            "priors": found.as_dict(),
            **{
                key: asdict(settings)[key]
                for key in ("chains", "seed", "warmup", "draws", "thin", "pair_megabytes")
            },
        }
        saved = Checkpoint(checkpoint, plain_value(what), **saving)
    drawn = sample(model, annotations, settings, checkpoint=saved, progress=progress)
    posterior = posterior_of(name, annotations, found, model, drawn, special)
    if settings.min_ess is not None and not drawn.diagnostics.reaches(settings.min_ess, settings.max_rhat):
        words = posterior.diagnostics.in_words(settings.min_ess, settings.max_rhat, settings.chains)
        warnings.warn(words, ConvergenceWarning, stacklevel=3)
    return posterior
