"""Any posterior: of data in memory, or in parts."""

from __future__ import annotations

from typing import TypeAlias

from ..posterior import Posterior
from .posterior_in_parts import PosteriorInParts

AnyPosterior: TypeAlias = "Posterior | PosteriorInParts"
