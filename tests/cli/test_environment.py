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
    names = ("PATH", "HOME", "LANG", "PYTHONPATH")  # with the last, they try the package that this test tries
    kept = {name: os.environ[name] for name in names if name in os.environ}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_TESTS]
    shell = ["bash", "-c", 'trap "" INT; exec "$@"', "bash", *pytest]
    done = subprocess.run(shell, cwd=_ROOT, env=kept, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout


def test_ci_runs_in_the_environment_of_a_fresh_clone(tmp_path):
    """`.ci/run` calls make with what finds and installs things, and without what changes how Python runs."""
    for name in ("make", "apt-get", "swipl", "node", "chromium"):
        (tmp_path / name).write_text('#!/bin/sh\n[ "${0##*/}" = make ] && env\nexit 0\n')
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": "/", "CI": "1", "PIP_X": "a b", "https_proxy": "p"}
    ours = {"PYTHONUNBUFFERED": "1", "TERM": "xterm"}
    done = subprocess.run(
        ["bash", _ROOT / ".ci" / "run"], env=env | ours, capture_output=True, text=True, timeout=60, check=True
    )
    lines = done.stdout.splitlines()
    assert {f"{name}={value}" for name, value in env.items()} <= set(lines)
    assert not [line for line in lines if line.startswith(("PYTHON", "TERM="))]
