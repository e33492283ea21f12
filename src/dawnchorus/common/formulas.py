"""Texts that a spreadsheet would take for formulas: an apostrophe before them keeps them what they are.

A text that begins with =, +, -, @, a tab or a carriage return is a formula to a spreadsheet, and a formula
may do harm. With an apostrophe in front it is text. Texts that have apostrophes there already get one more,
so that removing one always restores the text.
"""

from __future__ import annotations

import re

FORMULA = re.compile(r"'*[=+\-@\t\r]")
GUARDED = re.compile(r"'+[=+\-@\t\r]")


def guarded(text: str) -> str:
    """Return a text that is no formula to a spreadsheet.

    >>> guarded("=1+1"), guarded("'-"), guarded("wren")
    ("'=1+1", "''-", 'wren')
    """
    return f"'{text}" if FORMULA.match(text) else text


def restored(text: str) -> str:
    """Return the text of which `guarded` made this one.

    >>> restored("'=1+1"), restored("''-"), restored("'wren")
    ('=1+1', "'-", "'wren")
    """
    return text[1:] if GUARDED.match(text) else text
