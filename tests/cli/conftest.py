"""Files to try commands on, and the command within this process, where it is fast."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

import unless
from unless.cli import app as cli
from unless.demo.applicants import applicants_csv


class Done(NamedTuple):
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys):
    """Run the command in this process; everything but signals, streams and its start is as in one of its own."""

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        texts = [str(argument) for argument in arguments]
        code = cli._run_command(lambda: cli.app(texts, prog_name="unless", standalone_mode=False))
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def applicants(tmp_path_factory) -> Path:
    """The path of applicants.csv; nobody writes to its folder."""
    path = tmp_path_factory.mktemp("data") / "applicants.csv"
    path.write_text(applicants_csv())
    return path


@pytest.fixture(scope="session")
def written(tmp_path_factory) -> Path:
    """The folder that ``unless demo FOLDER`` writes; nobody writes to it."""
    folder = tmp_path_factory.mktemp("demo") / "loans"
    assert (
        cli._run_command(lambda: cli.app(["demo", str(folder), "--quiet"], prog_name="unless", standalone_mode=False))
        == 0
    )
    return folder


@pytest.fixture
def loans(written, tmp_path, monkeypatch) -> Path:
    """A copy of it, which is the current folder."""
    folder = Path(shutil.copytree(written, tmp_path / "loans"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def model(loans) -> unless.UnlessClassifier:
    """The model of that folder."""
    return unless.load(loans / "model.json")
