"""Errors and warnings about problems that a user can fix: messages say what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from .wording import for_command_line, for_python


class Worded(Exception):  # noqa: N818  (warnings are worded too)
    """A message that names options as in Python; `at_command_line` names them as the command line does."""

    def __init__(self, message: str = "") -> None:
        self._message = message
        super().__init__(for_python(message))

    def at_command_line(self) -> str:
        """Return the message as the command line shows it."""
        return for_command_line(self._message)


class DawnchorusError(Worded):
    """A problem that a user can fix: the base class of all errors of Dawnchorus.

    The command line shows the message without a traceback and exits with code 2.
    """


class AnnotationError(DawnchorusError, ValueError):
    """Input that cannot be used: the message says where, what is wrong and what to do.

    Parameters
    ----------
    problem
        What was expected and what was found.
    remedy
        What the user can do.
    file
        The file, or a description of the table.
    row
        The row number in a spreadsheet, where the header is row 1.
    field
        The name of the field in the row.
    more
        Further errors, which are told in the same message.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.AnnotationError("the annotator is blank", "fill it in", file="a.csv", row=7))
    a.csv, row 7: the annotator is blank. Remedy: fill it in.
    """

    def __init__(
        self,
        problem: str,
        remedy: str,
        *,
        file: object = None,
        row: int | None = None,
        field: str | None = None,
        more: Sequence[AnnotationError] = (),
    ) -> None:
        self.problem, self.remedy = (_printable(for_python(text)) for text in (problem, remedy))
        self.file = None if file is None else str(file)
        self.row = row
        self.field = field
        places = (
            self.file,
            None if row is None else f"row {row}",
            None if field is None else f"field '{field}'",
        )
        where = ", ".join(part for part in places if part)
        self.where = f"{where}: " if where else ""
        self._parts, self._more = (problem, remedy), tuple(more)
        message = f"{self.where}{self.problem}. Remedy: {self.remedy}."
        super().__init__("\n".join([message, *map(str, more)]))

    def at_command_line(self) -> str:
        """Return the message as the command line shows it."""
        problem, remedy = (_printable(for_command_line(text)) for text in self._parts)
        message = f"{self.where}{problem}. Remedy: {remedy}."
        return "\n".join([message, *(error.at_command_line() for error in self._more)])

    def unworded(self) -> str:
        """Return the message with its options in both versions, to be part of another message."""
        problem, remedy = self._parts
        return f"{self.where}{problem}. Remedy: {remedy}."

    def as_part_of(self, file: str, sentence: str) -> AnnotationError:
        """Return an error about a file that begins with a sentence and goes on with this problem."""
        problem, remedy = self._parts
        where = self.where.removeprefix(f"{file}, ")
        return AnnotationError(f"{sentence}: {where}{problem}", remedy, file=file)

    @classmethod
    def raise_all(cls, errors: Sequence[AnnotationError]) -> None:
        """Raise errors as one, if there are any."""
        if errors:
            first = errors[0]
            raise cls(*first._parts, file=first.file, row=first.row, field=first.field, more=errors[1:])


class OutputError(DawnchorusError):
    """A result that cannot be written, or cannot be read from its folder."""


class MissingPackageError(DawnchorusError, ImportError):
    """An optional package that is needed but not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.problem = f"{purpose} needs the package {package}"
        self.remedy = f"pip install 'dawnchorus[{extra}]'"
        super().__init__(f"{self.problem}. Remedy: {self.remedy}.")


class ClusterError(DawnchorusError):
    """A cluster that cannot be reached, or whose workers cannot do the work: which, and what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem, self.remedy = problem, remedy
        super().__init__(f"{problem}. Remedy: {remedy}.")


class DownloadError(DawnchorusError):
    """A public data set that cannot be downloaded."""


class AnnotationWarning(Worded, UserWarning):
    """A warning about input that was accepted but may not be what the user meant."""


class Stopped(BaseException):
    """The user pressed Ctrl-C, or the process was asked to end."""


class ConvergenceWarning(UserWarning):
    """A warning that chains have not converged: R-hat is too large or the effective sample size too small."""


def reason(error: Exception) -> str:
    """Return why something failed, in words, without the number and the path of an error of the system.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.csv"))
    'No such file or directory'
    """
    return getattr(error, "strerror", None) or str(error)


def _printable(text: str, most: int = 1000) -> str:
    """Return a text that is safe for a terminal: shortened, and without control characters."""
    text = "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"
