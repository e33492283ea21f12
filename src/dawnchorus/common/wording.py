"""Wording of messages: options as they are written in Python, or at the command line.

One message serves both. Where the two differ, it has both versions inside; an error or warning shows that of
Python, and the command line shows the other.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

BOTH = re.compile("\x0e(.*?)\x0f")
"""Both versions as a JSON list, between two control characters that no text contains."""
SWITCHED_OFF = {"drop_unreported": "--keep-unreported"}
"""Options for False that are not called --no-…."""


def either(in_python: str, at_command_line: str) -> str:
    """Return a part of a message that reads differently in Python and at the command line."""
    return f"\x0e{json.dumps([in_python, at_command_line])}\x0f"


def option(name: str, value: object = None) -> str:
    """Return the name of an option with its value, for a message.

    >>> message = f"use {option('encoding', 'cp1252')} or {option('columns', {'recording': 'my clip'})}"
    >>> for_python(message)
    "use encoding='cp1252' or columns={'recording': 'my clip'}"
    >>> for_command_line(message)
    "use --encoding cp1252 or --column 'recording=my clip'"
    >>> for_command_line(f"{option('report', False)}, {option('drop_unreported', False)}")
    '--no-report, --keep-unreported'
    """
    return either(f"{name}={'' if value is None else repr(value)}", _words(name, value))


def argument(name: str) -> str:
    """Return the name of an argument or option without a value, for a message.

    >>> for_command_line(f"raise {argument('min_probability')}")
    'raise --min-probability'
    """
    return either(name, option_name(name))


def option_name(name: str) -> str:
    """Return the command-line option for an argument in Python."""
    return {"columns": "--column"}.get(name, "--" + name.replace("_", "-"))


def _words(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        pairs = (shlex.quote(f"{key}={item}") for key, item in value.items())
        return " ".join(f"{option_name(name)} {pair}" for pair in pairs)
    if value is None or value is True:
        return option_name(name)
    if value is False:
        return SWITCHED_OFF.get(name, "--no-" + name.replace("_", "-"))
    return f"{option_name(name)} {shlex.quote(str(value))}"


def listed(names: Iterable[object], most: int = 12, *, last: str = ", ") -> str:
    """Return names in quotation marks, the first of them if they are many.

    >>> listed(["wren", "owl"]), listed(["wren", "owl"], last=" and "), listed("abc", 1)
    ("'wren', 'owl'", "'wren' and 'owl'", "'a' and 2 more")
    """
    quoted = [f"'{str(name)[:40]}'" for name in names]
    if len(quoted) > most:
        return f"{', '.join(quoted[:most])} and {len(quoted) - most} more"
    return last.join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)


def no_columns(names: Sequence[object]) -> str:
    """Return a sentence about columns that are missing.

    >>> no_columns(["species"]), no_columns(["annotator", "species"])
    ("there is no column 'species'", "there are no columns 'annotator' and 'species'")
    """
    return f"there {'is no column' if len(names) == 1 else 'are no columns'} {listed(names, last=' and ')}"


def in_code(value: str | Sequence[str]) -> str:
    """Return text, or a list of texts, as Python code in double quotation marks, fit for a command."""
    return json.dumps(value, ensure_ascii=False)


def for_python(message: str) -> str:
    """Return a message as it reads in Python."""
    return BOTH.sub(lambda found: _version(found, 0), message)


def for_command_line(message: str) -> str:
    """Return a message as it reads at the command line."""
    return BOTH.sub(lambda found: _version(found, 1), message)


def _version(found: re.Match[str], which: int) -> str:
    try:
        return str(json.loads(found.group(1))[which])
    except (ValueError, LookupError, TypeError):  # control characters in a user's text
        return found.group()
