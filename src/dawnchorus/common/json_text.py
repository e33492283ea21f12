"""Conversion of values to JSON text and JSON files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any


def as_json(value: Any) -> str:
    """Return a value as JSON text; NaN and infinite numbers become null.

    >>> print(as_json({"rhat": float("nan"), "names": ("Aino",)}))
    {
      "rhat": null,
      "names": [
        "Aino"
      ]
    }
    """
    return json.dumps(plain_value(value), indent=2, ensure_ascii=False, allow_nan=False)


def plain_value(value: Any) -> Any:
    """Return a value as plain dicts, lists, texts and numbers, as JSON would read it back."""
    if isinstance(value, dict):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_json(value: Any, path: Path) -> None:
    """Write a value to a JSON file; bytes of file names that are not valid text are escaped."""
    path.write_bytes(as_json(value).encode("utf-8", errors="backslashreplace") + b"\n")
