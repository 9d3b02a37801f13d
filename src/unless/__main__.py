"""Run the command `unless`, also as `python -m unless`; if its libraries are missing, report what to install."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command."""
    _open_closed_streams()
    try:
        from unless.cli.app import main as run
    except KeyboardInterrupt:  # Ctrl-C during the slow imports
        sys.stderr.write("unless: interrupted\n")
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"unless: the command needs {error.name}, which is not installed: pip install 'unless[cli]'")
    run()


def _open_closed_streams() -> None:
    """Replace standard streams that a shell has closed (``>&-``), None in Python, by ones that discard output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end


if __name__ == "__main__":
    main()
