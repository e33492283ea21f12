"""Reading of JSON files: objects of a list one by one, so that a large file does not fill the memory."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

from ...common.errors import AnnotationError
from .damaged_files import UNREADABLE, damaged
from .inputs import InputFile

BLOCK = 1 << 20
LARGEST_OBJECT = 1 << 26
"""The largest number of characters of one object in a list."""
LARGEST_DOCUMENT = 1 << 29
"""The largest number of characters of a document that has to be read at once."""
BETWEEN = re.compile(r"[\s,]*")


def starts_json(head: bytes) -> bool:
    """Return whether a file that begins like this may be JSON."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


def json_objects(file: InputFile) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each item: of a list, or of a file with one JSON value a line."""
    decoder = json.JSONDecoder()
    number, place, ended = 0, 0, False
    with _text(file) as text:
        buffer = _read(text, BLOCK, file)
        place = _between(buffer, 0)
        listed = buffer[place : place + 1] == "["
        place += listed
        while True:
            place = _between(buffer, place)
            if place == len(buffer) and not ended:
                buffer, place = _read(text, BLOCK, file), 0
                ended = not buffer
                continue
            if place == len(buffer):
                if listed:
                    raise _truncated(file, number)
                return
            if listed and buffer[place] == "]":
                _check_end(text, buffer[place + 1 :], file, number)
                return
            try:
                item, end = decoder.raw_decode(buffer, place)
            except RecursionError:
                raise _too_deep(file, number + 1) from None
            except json.JSONDecodeError as error:
                if ended:
                    raise _broken(file, number + 1, error) from None
                if len(buffer) - place > LARGEST_OBJECT:
                    raise AnnotationError(
                        f"an object has more than {LARGEST_OBJECT:,} characters, or is no JSON ({error.msg})",
                        "export the file again",
                        file=file.name,
                        row=number + 1,
                    ) from None
                more = _read(text, max(BLOCK, len(buffer) - place), file)
                ended = not more
                buffer, place = buffer[place:] + more, 0
                continue
            except ValueError as error:
                raise _unlike(file, number + 1, error) from None
            number += 1
            yield number, item
            place = end
            if place > BLOCK:
                buffer, place = buffer[place:], 0


def json_document(file: InputFile) -> Any:
    """Return the whole value in a file."""
    with _text(file) as text:
        content = _read(text, LARGEST_DOCUMENT + 1, file)
    if len(content) > LARGEST_DOCUMENT:
        raise AnnotationError(
            f"the file has more than {LARGEST_DOCUMENT:,} characters", "export it in parts", file=file.name
        )
    try:
        return json.loads(content)
    except RecursionError:
        raise _too_deep(file, None) from None
    except json.JSONDecodeError as error:
        raise _broken(file, None, error) from None
    except ValueError as error:
        raise _unlike(file, None, error) from None


def _check_end(text: io.TextIOWrapper, rest: str, file: InputFile, number: int) -> None:
    """Raise an error if anything but blanks follows the end of a list."""
    while not rest.strip():
        rest = _read(text, BLOCK, file)
        if not rest:
            return
    raise AnnotationError(
        f"there is more after the end of the list of {number:,} objects: '{rest.strip()[:30]}'",
        "remove it; if these are several exports, give them as several files",
        file=file.name,
    )


def _text(file: InputFile) -> io.TextIOWrapper:
    try:
        return io.TextIOWrapper(file.open(), "utf-8-sig", errors="strict")
    except UNREADABLE as error:
        raise damaged(error, file.name) from None


def _read(text: io.TextIOWrapper, size: int, file: InputFile) -> str:
    try:
        return text.read(size)
    except UnicodeError as error:
        raise AnnotationError(f"the text is not UTF-8 ({error})", "export it again", file=file.name) from None
    except AnnotationError:
        raise
    except UNREADABLE as error:
        raise damaged(error, file.name) from None


def _between(buffer: str, place: int) -> int:
    found = BETWEEN.match(buffer, place)
    return place if found is None else found.end()


def _truncated(file: InputFile, number: int) -> AnnotationError:
    return AnnotationError(
        f"the file ends after {number:,} objects, in the middle of the list",
        "it is incomplete: export or copy it again",
        file=file.name,
    )


def _too_deep(file: InputFile, number: int | None) -> AnnotationError:
    return AnnotationError("the JSON is nested too deeply", "export it again", file=file.name, row=number)


def _unlike(file: InputFile, number: int | None, error: ValueError) -> AnnotationError:
    """Return an error about JSON whose values Python does not take, such as numbers of 5,000 digits."""
    return AnnotationError(
        f"a value cannot be read ({str(error).partition(';')[0]})", "correct it", file=file.name, row=number
    )


def _broken(file: InputFile, number: int | None, error: json.JSONDecodeError) -> AnnotationError:
    return AnnotationError(
        f"this is not JSON, or it is incomplete ({error.msg})",
        "export or copy the file again",
        file=file.name,
        row=number,
    )
