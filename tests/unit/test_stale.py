"""Figures that are older than the code they speak of are found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from benchmarks.stale import ROOT, changed, declared, line, mark, report

DECLARED = """[speed]
commit = "COMMIT"
pages = ["page.md"]
code = ["code", "notes.txt"]

[size]
commit = "COMMIT"
pages = ["other.md"]
code = ["other.py"]
"""


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path) -> Path:
    """A repository with two measurements, made at its first commit."""
    (tmp_path / "code").mkdir()
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "code" / "one.py").write_text('"""One."""\n\nx = 1\n')
    (tmp_path / "other.py").write_text("y = 1\n")
    (tmp_path / "notes.txt").write_text("text\n")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-qm", "first")
    commit = _git(tmp_path, "rev-parse", "--short=8", "HEAD").strip()
    (tmp_path / "benchmarks" / "measured.toml").write_text(DECLARED.replace("COMMIT", commit))
    for page in ("page.md", "other.md"):
        (tmp_path / page).write_text(f"Figures. Measured at commit `{commit}`. More.\n")
    return tmp_path


def test_nothing_is_stale_at_first(repository):
    """Where no code has changed, nothing is listed; nor where comments, docstrings and layout have."""
    assert not [*report(repository)]
    (repository / "code" / "one.py").write_text('"""Another docstring."""\n\nx = (1)  # a comment\n')
    assert not [*report(repository)]


@pytest.mark.parametrize("name", ["code/one.py", "code/new.py", "notes.txt"])
def test_a_change_of_the_code_makes_its_figures_stale(repository, name):
    """A file that is changed, added or deleted, committed or not, makes stale the figures that speak of it."""
    (repository / name).write_text("x = 2\n")
    _git(repository, "add", name)
    (found,) = report(repository)
    assert found.startswith("speed: on page.md, measured at ")
    assert found.endswith(f"changed since: {name}")
    _git(repository, "commit", "-qm", "second")
    assert [*report(repository)] == [found]
    (repository / "other.py").unlink()
    assert changed(declared(repository)["size"], repository) == ["other.py"]


def test_figures_that_are_measured_again_are_not_stale(repository):
    """A new measurement is noted in the declaration and on its pages, and leaves other measurements alone."""
    before = line("size", repository)
    (repository / "code" / "one.py").write_text("x = 2\n")
    _git(repository, "commit", "-qam", "second")
    mark("speed", repository)
    assert not [*report(repository)]
    assert line("size", repository) == before != line("speed", repository)
    assert line("speed", repository) in (repository / "page.md").read_text()
    assert before in (repository / "other.md").read_text()


def test_a_commit_that_is_not_there_is_an_error(repository):
    """Figures of a commit that the repository does not have cannot be compared, and that is said."""
    path = repository / "benchmarks" / "measured.toml"
    path.write_text(path.read_text().replace(declared(repository)["size"].commit, "0123abcd"))
    with pytest.raises(SystemExit, match="speed: no commit 0123abcd"):
        list(report(repository))


def test_pages_say_when_their_figures_were_measured():
    """Each page of a measurement has the line with its commit; the code that is declared is there."""
    for figures in declared().values():
        for page in figures.pages:
            assert line(figures.name) in (ROOT / page).read_text("utf-8"), page
        assert all((ROOT / code).exists() for code in figures.code), figures.name
