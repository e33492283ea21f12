"""Options that several commands share, put in the place of one parameter of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def with_options(
    command: Callable[..., None],
    parameter: str,
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    made: Callable[[dict[str, Any]], Any],
    *,
    last: bool = False,
) -> Callable[..., None]:
    """Return a command that has these options in place of a parameter, before or after its own options.

    The command gets what `made` makes of a dictionary of their values; without a default, that is None.
    """
    more = [
        inspect.Parameter(
            name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(name), annotation=kind
        )
        for name, kind in options.items()
    ]
    hints = inspect.get_annotations(command, eval_str=True)
    shown = inspect.signature(command).parameters.values()
    own = [p.replace(annotation=hints[p.name]) for p in shown if p.name != parameter]
    first = [p for p in own if p.default is inspect.Parameter.empty]
    rest = [p for p in own if p.default is not inspect.Parameter.empty]

    @wraps(command)
    def run(**given: Any) -> None:
        told = {name: given.pop(name) for name in options}
        command(**given, **{parameter: made(told)})

    parameters = [*first, *rest, *more] if last else [*first, *more, *rest]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    del run.__wrapped__
    return run
