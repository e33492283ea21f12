"""Studies that repeat the paper's evaluation with the models of Dawnchorus, and go beyond it."""

from __future__ import annotations

from .beyond_study import FULL as BEYOND_LENGTH
from .beyond_study import QUICK as QUICK_BEYOND_LENGTH
from .beyond_study import reproduce_beyond
from .kerttu_study import PAPER as PAPER_LENGTHS
from .kerttu_study import QUICK as QUICK_LENGTHS
from .kerttu_study import reproduce_kerttu
from .simulation_study import FULL, PARTS, QUICK, Plan, reproduce_simulation

__all__ = [
    "BEYOND_LENGTH",
    "FULL",
    "PAPER_LENGTHS",
    "PARTS",
    "QUICK",
    "QUICK_BEYOND_LENGTH",
    "QUICK_LENGTHS",
    "Plan",
    "reproduce_beyond",
    "reproduce_kerttu",
    "reproduce_simulation",
]
