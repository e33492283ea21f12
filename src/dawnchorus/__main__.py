"""The command `dawnchorus`: runs the command line and turns errors into messages and exit codes."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line: exit code 0 if all is well, 2 for the user's errors, 1 for our own faults."""
    from .cli import app
    from .errors import DawnchorusError

    try:
        app()
    except DawnchorusError as error:
        print(f"dawnchorus: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("dawnchorus: stopped; nothing half-written was left.", file=sys.stderr)
        sys.exit(130)
    except Exception:
        import traceback

        traceback.print_exc()
        print(
            "dawnchorus: this is a fault of ours, not yours. Please report it with the lines above.",
            file=sys.stderr,
        )
        sys.exit(1)


if __name__ == "__main__":
    main()
