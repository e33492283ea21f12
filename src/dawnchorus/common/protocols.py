"""Protocols: whether objects of a class offer what a protocol asks for."""

from __future__ import annotations

from typing import Any

_KNOWN: dict[tuple[Any, Any], bool] = {}


def offers(it: Any, protocol: Any) -> bool:
    """Return whether an object has all methods of a protocol; `isinstance` would look for them every time.

    >>> from collections.abc import Sized
    >>> offers([], Sized)
    True
    """
    key = type(it), protocol
    if key not in _KNOWN:
        _KNOWN[key] = isinstance(it, protocol)
    return _KNOWN[key]
