"""The gallery: ``python -m tests.docs.examples`` runs the scripts in ``examples`` and keeps what they print."""

from __future__ import annotations

import io
import runpy
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from pathlib import Path

__all__ = ["EXAMPLES", "run"]

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def run(script: Path, folder: Path) -> str:
    """What a script prints that runs in a folder, where a warning is an error."""
    with redirect_stdout(io.StringIO()) as printed, chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script), run_name="__main__")
    return printed.getvalue()


if __name__ == "__main__":
    for script in EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            script.with_suffix(".txt").write_text(run(script, Path(folder)), "utf-8")
