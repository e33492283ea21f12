"""Dawnchorus: trustworthy species labels from sparse, disagreeing annotators.

Bayesian models estimate the probability that each species is present in each recording, and the error rates
of each annotator.

>>> import dawnchorus as dc
>>> simulation = dc.simulate_paper(visits=4.0, seed=1)
>>> posterior = dc.fit(simulation.annotations, model="base", seed=1)
>>> scores = dc.evaluate(posterior, simulation.truth)
>>> scores.auc > 0.98
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__
from .common.lazy import lazy_names

if TYPE_CHECKING:
    from . import io, plots, studies
    from .annotations.annotations import Annotations
    from .annotations.joining import concatenate
    from .annotations.truth import Truth
    from .common.errors import (
        AnnotationError,
        AnnotationWarning,
        ClusterError,
        ConvergenceWarning,
        DawnchorusError,
        OutputError,
    )
    from .evaluation.against_truth import evaluate
    from .evaluation.checks.checking import predictive_checks
    from .evaluation.checks.outcome import PredictiveChecks
    from .evaluation.comparison import Comparison, compare_to_truth
    from .evaluation.evaluation import Evaluation
    from .evaluation.held_out.comparing import compare
    from .evaluation.held_out.outcome import ModelComparison
    from .io import READERS, WRITERS, datasets, read, read_truth
    from .io.converting import convert
    from .io.looking import Look, look
    from .io.parts.dataset import Dataset, open_dataset
    from .model.context import Context
    from .model.distributions import (
        Beta,
        Gamma,
        HalfNormal,
        HalfNormalForMost,
        LearnedBeta,
        LearnedNormal,
        Normal,
    )
    from .model.distributions.named_priors import PRIORS
    from .model.distributions.priors import Priors
    from .model.formula.reading import read_context
    from .model.registry import MODELS
    from .model.sweep import Model
    from .report import write_feedback, write_report
    from .results.findings.findings import Findings
    from .results.fitting import fit
    from .results.majority_vote import MajorityVote
    from .results.parts.posterior_in_parts import PosteriorInParts
    from .results.posterior import Posterior
    from .results.saving.exporting import export
    from .results.saving.folder import write_result
    from .results.saving.saved_result import read_result
    from .results.updating.updated import update
    from .simulation import Simulation, simulate_paper, simulate_portal
    from .simulation.files import write_simulation
    from .simulation.portal_parts import write_portal

HOMES = {
    "Annotations": "annotations.annotations",
    "AnnotationError": "common.errors",
    "AnnotationWarning": "common.errors",
    "ClusterError": "common.errors",
    "Beta": "model.distributions",
    "Comparison": "evaluation.comparison",
    "Context": "model.context",
    "ConvergenceWarning": "common.errors",
    "Dataset": "io.parts.dataset",
    "DawnchorusError": "common.errors",
    "Evaluation": "evaluation.evaluation",
    "Findings": "results.findings.findings",
    "Gamma": "model.distributions",
    "HalfNormal": "model.distributions",
    "HalfNormalForMost": "model.distributions",
    "Look": "io.looking",
    "LearnedBeta": "model.distributions",
    "LearnedNormal": "model.distributions",
    "MODELS": "model.registry",
    "MajorityVote": "results.majority_vote",
    "Model": "model.sweep",
    "ModelComparison": "evaluation.held_out.outcome",
    "Normal": "model.distributions",
    "OutputError": "common.errors",
    "PRIORS": "model.distributions.named_priors",
    "Posterior": "results.posterior",
    "PosteriorInParts": "results.parts.posterior_in_parts",
    "PredictiveChecks": "evaluation.checks.outcome",
    "Priors": "model.distributions.priors",
    "READERS": "io",
    "Simulation": "simulation",
    "Truth": "annotations.truth",
    "WRITERS": "io",
    "compare": "evaluation.held_out.comparing",
    "compare_to_truth": "evaluation.comparison",
    "concatenate": "annotations.joining",
    "convert": "io.converting",
    "datasets": "io.datasets",
    "evaluate": "evaluation.against_truth",
    "export": "results.saving.exporting",
    "fit": "results.fitting",
    "io": "io",
    "look": "io.looking",
    "open_dataset": "io.parts.dataset",
    "plots": "plots",
    "predictive_checks": "evaluation.checks.checking",
    "read": "io",
    "read_context": "model.formula.reading",
    "read_result": "results.saving.saved_result",
    "read_truth": "io",
    "simulate_paper": "simulation",
    "simulate_portal": "simulation",
    "studies": "studies",
    "update": "results.updating.updated",
    "write_feedback": "report",
    "write_portal": "simulation.portal_parts",
    "write_report": "report",
    "write_result": "results.saving.folder",
    "write_simulation": "simulation.files",
}
"""The module in which each public name is defined, imported on first use."""

__all__ = [
    "MODELS",
    "PRIORS",
    "READERS",
    "WRITERS",
    "AnnotationError",
    "AnnotationWarning",
    "Annotations",
    "Beta",
    "ClusterError",
    "Comparison",
    "Context",
    "ConvergenceWarning",
    "Dataset",
    "DawnchorusError",
    "Evaluation",
    "Findings",
    "Gamma",
    "HalfNormal",
    "HalfNormalForMost",
    "LearnedBeta",
    "LearnedNormal",
    "Look",
    "MajorityVote",
    "Model",
    "ModelComparison",
    "Normal",
    "OutputError",
    "Posterior",
    "PosteriorInParts",
    "PredictiveChecks",
    "Priors",
    "Simulation",
    "Truth",
    "__version__",
    "compare",
    "compare_to_truth",
    "concatenate",
    "convert",
    "datasets",
    "evaluate",
    "export",
    "fit",
    "io",
    "look",
    "open_dataset",
    "plots",
    "predictive_checks",
    "read",
    "read_context",
    "read_result",
    "read_truth",
    "simulate_paper",
    "simulate_portal",
    "studies",
    "update",
    "write_feedback",
    "write_portal",
    "write_report",
    "write_result",
    "write_simulation",
]

__getattr__, __dir__ = lazy_names(__name__, HOMES, __all__)
