"""Dawnchorus: trustworthy species labels from sparse, disagreeing annotators.

>>> import dawnchorus as dc
>>> simulation = dc.simulate_paper(visits=4.0, seed=1)
>>> posterior = dc.fit(simulation.annotations, model="base", seed=1)
>>> scores = dc.evaluate(posterior, simulation.truth)
>>> scores.auc > 0.98
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import datasets, io, plots, studies
    from .annotations import Annotations, concatenate
    from .baselines import MajorityVote
    from .comparison import Comparison, compare_to_truth
    from .errors import AnnotationError, AnnotationWarning, ConvergenceWarning, DawnchorusError
    from .evaluation import Evaluation, evaluate
    from .findings import Findings
    from .fit import fit
    from .io import READERS, read, read_truth
    from .output import read_result, write_result
    from .posterior import Posterior
    from .priors import PRIORS, Beta, Gamma, HalfNormal, Normal, Priors
    from .registry import MODELS
    from .report import write_feedback
    from .simulation import Simulation, Truth, simulate_paper, simulate_portal
    from .simulation.files import write_simulation

_HOME = {
    "Annotations": "annotations",
    "AnnotationError": "errors",
    "AnnotationWarning": "errors",
    "Beta": "priors",
    "Comparison": "comparison",
    "ConvergenceWarning": "errors",
    "DawnchorusError": "errors",
    "Evaluation": "evaluation",
    "Findings": "findings",
    "Gamma": "priors",
    "HalfNormal": "priors",
    "MODELS": "registry",
    "MajorityVote": "baselines",
    "Normal": "priors",
    "PRIORS": "priors",
    "Posterior": "posterior",
    "Priors": "priors",
    "READERS": "io",
    "Simulation": "simulation",
    "Truth": "simulation",
    "compare_to_truth": "comparison",
    "concatenate": "annotations",
    "evaluate": "evaluation",
    "fit": "fit",
    "read": "io",
    "read_result": "output",
    "read_truth": "io",
    "simulate_paper": "simulation",
    "simulate_portal": "simulation",
    "write_feedback": "report",
    "write_result": "output",
    "write_simulation": "simulation.files",
}

__all__ = [
    "MODELS",
    "PRIORS",
    "READERS",
    "AnnotationError",
    "AnnotationWarning",
    "Annotations",
    "Beta",
    "Comparison",
    "ConvergenceWarning",
    "DawnchorusError",
    "Evaluation",
    "Findings",
    "Gamma",
    "HalfNormal",
    "MajorityVote",
    "Normal",
    "Posterior",
    "Priors",
    "Simulation",
    "Truth",
    "__version__",
    "compare_to_truth",
    "concatenate",
    "datasets",
    "evaluate",
    "fit",
    "io",
    "plots",
    "read",
    "read_result",
    "read_truth",
    "simulate_paper",
    "simulate_portal",
    "studies",
    "write_feedback",
    "write_result",
    "write_simulation",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import dawnchorus` costs nothing."""
    if name in ("datasets", "io", "plots", "studies"):
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'dawnchorus' has no attribute '{name}'")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
