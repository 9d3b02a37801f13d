"""The tests themselves: they pass wherever they are started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]

_TESTS = (
    "tests/cli/test_fit.py::TestInterrupted::test_while_reading",
    "tests/cli/test_predict.py::TestMistakes::test_a_full_disk",
    "tests/estimators/test_fitted.py::TestInterruption",
)
"""Two of signals, for a process and within this one, and one that an environment can hide."""


def test_they_pass_in_the_background_and_in_an_empty_environment():
    """Where a shell ignores Ctrl-C for them, as by ``nohup … &``, and nothing else is set, they pass all the same."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_TESTS]
    shell = ["bash", "-c", 'trap "" INT; exec "$@"', "bash", *pytest]
    done = subprocess.run(shell, cwd=_ROOT, env=kept, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
