"""The command `unless`, also as `python -m unless`; it says what to install where its libraries are absent."""

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
    except KeyboardInterrupt:  # a quarter of a second of imports, and somebody has thought better of it
        sys.stderr.write("unless: interrupted\n")
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"unless: the command needs {error.name}, which is not installed: pip install 'unless[cli]'")
    run()


def _open_closed_streams() -> None:
    """Where a shell has closed a stream (``>&-``) Python has None for it; what is written there is lost."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - to the end


if __name__ == "__main__":
    main()
