"""Simulation of annotations with a known truth: the paper's scenarios, or like a citizen-science portal."""

from ..annotations.truth import Truth
from .paper import SCENARIOS, TYPES, AnnotatorType, simulate_paper
from .portal import simulate_portal
from .simulation import Simulation

__all__ = [
    "SCENARIOS",
    "TYPES",
    "AnnotatorType",
    "Simulation",
    "Truth",
    "simulate_paper",
    "simulate_portal",
]
