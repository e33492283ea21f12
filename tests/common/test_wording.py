"""Messages name options as in Python, and at the command line as they are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import dawnchorus as dc
from dawnchorus.common.wording import either, for_command_line, for_python, option

ROOMS = [Path(dc.__file__).parent / room for room in ("annotations", "io")]


def test_options_read_differently_in_python_and_at_the_command_line():
    message = f"use {option('fold_case', True)}, {option('absence')} or {option('format', 'kerttu')}"
    assert for_python(message) == "use fold_case=True, absence= or format='kerttu'"
    assert for_command_line(message) == "use --fold-case, --absence or --format kerttu"
    error = dc.AnnotationError("wrong", either("this", "that"), file="t.csv", row=3)
    assert str(error) == "t.csv, row 3: wrong. Remedy: this."
    assert error.at_command_line() == "t.csv, row 3: wrong. Remedy: that."


def test_control_characters_of_a_user_do_no_harm():
    error = dc.AnnotationError("a label \x0ex\x0f \x0e[]\x0f", "look")
    assert str(error) == error.at_command_line() == r"a label \x0ex\x0f \x0e[]\x0f. Remedy: look."


def texts(path: Path):
    tree = ast.parse(path.read_text())
    quoted = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quoted:
            yield node.value


def test_messages_of_these_rooms_name_options_only_through_the_wording():
    for path in (path for room in ROOMS for path in room.rglob("*.py")):
        for text in texts(path):
            assert not re.search(r"(^| )--[a-z]", text) or text == "--absence", f"{path}: {text}"
            assert not re.search(r"\w\(s\)", text), f"{path}: {text}"
            if path.name not in ("tables.py", "wide.py", "text_files.py"):  # code of Python
                assert not re.search(r"\b(absence|columns|encoding|scope|format)=(\W|$)", text), text
