"""What goes wrong on the user's side, said so that the user can mend it."""

from __future__ import annotations


class DawnchorusError(Exception):
    """Something a user can mend. The command line shows the message and exits with 2."""


class AnnotationError(DawnchorusError, ValueError):
    """Input that cannot be understood: says where, what is wrong and what to do.

    Parameters
    ----------
    problem
        What was expected and what came.
    remedy
        What to do about it.
    file
        The file, or a description of the table.
    row
        The row as a spreadsheet counts: the header is row 1.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> print(dc.AnnotationError("the annotator is blank", "fill it in", file="a.csv", row=7))
    a.csv, row 7: the annotator is blank. Remedy: fill it in.
    """

    def __init__(self, problem: str, remedy: str, *, file: object = None, row: int | None = None) -> None:
        self.problem = _printable(problem)
        self.remedy = _printable(remedy)
        self.file = None if file is None else str(file)
        self.row = row
        where = ", ".join(part for part in (self.file, None if row is None else f"row {row}") if part)
        super().__init__(f"{where + ': ' if where else ''}{self.problem}. Remedy: {self.remedy}.")


class OutputError(DawnchorusError):
    """A result that cannot be written or read back."""


class MissingPackageError(DawnchorusError, ImportError):
    """Something that needs a package which is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.problem = f"{purpose} needs the package {package}"
        self.remedy = f"pip install 'dawnchorus[{extra}]'"
        super().__init__(f"{self.problem}. Remedy: {self.remedy}.")


class DownloadError(DawnchorusError):
    """A public data set that cannot be fetched."""


class AnnotationWarning(UserWarning):
    """Input that was accepted, but that the user should know about."""


class Stopped(BaseException):
    """Somebody pressed Ctrl-C or asked the process to end."""


class ConvergenceWarning(UserWarning):
    """Chains that do not agree yet, or are worth too few draws."""


def _printable(text: str, most: int = 1000) -> str:
    """Make a text with parts of a user's file fit for a terminal: short, and without control characters."""
    text = "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"
