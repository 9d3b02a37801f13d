"""What lies around the package, for those who pick it up: archives, citation, and the checks of other places."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.dist import lacking, oldest, superfluous
from unless import __version__

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_an_archive_has_every_file_of_the_package():
    """A file of the package that an sdist or a wheel does not have is named, wherever the archive keeps the package."""
    tracked = ["src/unless/py.typed", "src/unless/report/page/page.js"]
    assert lacking(["unless/py.typed", "unless/report/page/page.js"], tracked) == []
    assert lacking(["unless-1.0/src/unless/py.typed", "unless-1.0/setup.py"], tracked) == tracked[1:]


def test_an_archive_has_nothing_else():
    """C files, tests and caches are named; kernels, compiled or not, belong there."""
    stray = ["unless/kernels/row_filtering.c", "tests/unit/test_rule.py", "unless/__pycache__/rule.pyc"]
    assert (
        superfluous([*stray, "unless/kernels/row_filtering.py", "unless/kernels/row_filtering.cpython-311.so"]) == stray
    )


def test_oldest_dependencies_are_the_lower_bounds():
    """A requirement is held to the versions of its lower bound."""
    asked = ["numpy>=2", "scikit-learn>=1.6", "psycopg[binary]>=3", "duckdb>=1.2.1"]
    assert oldest(asked) == ["numpy==2.0.*", "scikit-learn==1.6.*", "psycopg==3.0.*", "duckdb==1.2.1.*"]


def test_every_dependency_has_a_lower_bound():
    """So that the oldest versions can be tried."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for name, some in project["optional-dependencies"].items() if name != "bench" for each in some]
    asked = [each for each in (*project["dependencies"], *extras) if not each.startswith("unless[")]
    assert len(oldest(asked)) == len(asked)


def test_the_citation_is_of_this_version():
    """Who cites the software cites the version that they have."""
    assert re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE) == [__version__]


def test_hosted_ci_runs_the_same_commands():
    """A workflow elsewhere runs what CI runs here, and what the README tells newcomers."""
    commands = re.findall(r"^ +- run: (.+)$", (ROOT / ".github/workflows/test.yml").read_text("utf-8"), re.MULTILINE)
    assert commands == ["make test", "make pages", "make demo"]
    assert commands == re.findall(r"^clean (make .+)$", (ROOT / ".ci/run").read_text("utf-8"), re.MULTILINE)


def test_hooks_before_a_commit_are_those_of_make():
    """The hooks are the quick checks of ``make test``, with the versions that it has installed."""
    entries = re.findall(
        r"^ +entry: \.venv/bin/(.+)$", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"), re.MULTILINE
    )
    made = re.findall(r"^\t\$\(BIN\)/((?:ruff|mypy|lint-imports).*)$", MAKEFILE, re.MULTILINE)
    assert [entry.replace(" --force-exclude", "") for entry in entries] == made


def test_tests_that_security_names_exist():
    """SECURITY.md names tests and commands that there are."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    for name in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (ROOT / name).exists(), name
    for target in re.findall(r"`make (\w+)`", text):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
