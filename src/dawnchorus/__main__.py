"""The command `dawnchorus`: runs the command line and turns errors into messages and exit codes."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from typing import Any

from .common.errors import DawnchorusError, Stopped
from .common.lazy import lazy

CLI = lazy("dawnchorus.cli.app")
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Ctrl-C, a request to end, and a terminal that was closed; Windows has no such thing as the last."""


def main() -> None:
    """Run the command line: exit code 0 on success, 2 for errors a user can fix, 1 for bugs."""
    gc.set_threshold(100_000, 50)  # collecting during imports took a tenth of the time to the first sweep
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup: the process is to outlive its terminal
            signal.signal(number, _stop)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # do not fail on characters that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")

    try:
        CLI.app()
    except DawnchorusError as error:
        _end(2, error.at_command_line())
    except MemoryError:
        _end(2, "there is not enough memory. Remedy: use less data at a time, or a machine with more memory.")
    except Stopped as stop:
        _end(128 + stop.args[0], "stopped; no incomplete files were left.")
    except BrokenPipeError:  # the program that reads our output, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception:
        traceback.print_exc()
        _end(1, "this is a bug in Dawnchorus. Please report it, with the lines above.")
    finally:
        gc.freeze()  # looking for garbage once more, at the very end, would take a third of a second


def _stop(number: int, _: Any) -> None:
    """End in order; what is asked for once more while draws are being saved is not heard, except Ctrl-C."""
    for other in SIGNALS:
        if other != signal.SIGINT:
            signal.signal(other, signal.SIG_IGN)
    for stream in (1, 2):
        try:
            os.write(stream, b"")
        except OSError:  # the terminal is gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    raise Stopped(number)


def _end(code: int, message: str) -> None:
    print(f"dawnchorus: {message}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
