"""The gallery: ``python -m tests.docs.examples`` runs the scripts in ``examples`` and keeps what they print."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["EXAMPLES", "run"]

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def run(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder of its own, where a warning is an error."""
    command = [sys.executable, "-X", "utf8", "-W", "error", str(script)]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)


if __name__ == "__main__":
    for script in EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            ran = run(script, Path(folder))
        if ran.returncode:
            sys.exit(ran.stderr)
        script.with_suffix(".txt").write_text(ran.stdout, "utf-8")
