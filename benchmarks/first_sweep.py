"""Run a command `dawnchorus fit` as a user would, and leave as soon as its first sweep is done."""

from __future__ import annotations

import os
from typing import Any

from dawnchorus import __main__
from dawnchorus.model import sweep as gibbs

sweep = gibbs.Model.sweep


def sweep_and_leave(*arguments: Any) -> None:
    sweep(*arguments)
    os._exit(0)


if __name__ == "__main__":
    gibbs.Model.sweep = sweep_and_leave
    __main__.main()
