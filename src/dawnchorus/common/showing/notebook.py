"""What a notebook shows of an object: a title, a small table, and a line below it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:top"


def as_html(title: str, rows: Iterable[tuple[str, str]], note: str = "") -> str:
    """Return a title, a table of names and values, and a note as HTML; all of them are taken as plain text.

    >>> as_html("Wrens", [("songs", "<3")]).count("&lt;3")
    1
    """
    body = "".join(
        f'<tr><th scope="row" style="{CELL}">{escape(name)}</th><td style="{CELL}">{escape(value)}</td></tr>'
        for name, value in rows
    )
    below = f'<p style="max-width:45em">{escape(note)}</p>' if note else ""
    return f"<div><strong>{escape(title)}</strong><table><tbody>{body}</tbody></table>{below}</div>"
