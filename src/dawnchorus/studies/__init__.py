"""Studies that repeat the paper's evaluation with the models of Dawnchorus."""

from __future__ import annotations

from .kerttu_study import PAPER as PAPER_LENGTHS
from .kerttu_study import QUICK as QUICK_LENGTHS
from .kerttu_study import reproduce_kerttu
from .simulation_study import FULL, PARTS, QUICK, Plan, reproduce_simulation

__all__ = [
    "FULL",
    "PAPER_LENGTHS",
    "PARTS",
    "QUICK",
    "QUICK_LENGTHS",
    "Plan",
    "reproduce_kerttu",
    "reproduce_simulation",
]
