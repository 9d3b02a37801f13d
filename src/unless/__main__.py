"""The command `unless`, also run by `python -m unless`. If its libraries are missing, it says what to install."""

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
    except KeyboardInterrupt:  # during the imports, which take a moment
        sys.stderr.write("unless: interrupted\n")
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"unless: the command needs {error.name}, which is not installed: pip install 'unless[cli]'")
    run()


def _open_closed_streams() -> None:
    """Open streams that a shell has closed (``>&-``), which are None in Python; what is written there is lost."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end


if __name__ == "__main__":
    main()
