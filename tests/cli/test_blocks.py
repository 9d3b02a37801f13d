"""`unless fit --blocks`: the same command goes on, and gives the same model."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.cli.command import called, unless
from unless import UnlessClassifier, load, read_table
from unless.blocks import block_dataset


@pytest.fixture
def records(tmp_path):
    """A small file with a constant, an identifier, and two labels."""
    rows = [f"{k},{k % 7},{'ab'[k % 2]},x,{'yes' if k % 7 > 3 else 'no'}" for k in range(400)]
    (tmp_path / "a.csv").write_text("\n".join(["id,n,c,same,y", *rows]) + "\n")
    return tmp_path


def fit(records, *more):
    """Run the command in the folder of the records."""
    return called("fit", "a.csv", "-t", "y", "--blocks", "kept", *more, cwd=records)


@pytest.mark.parametrize("algorithm", ["unless", "fold-rm", "fold-rpp"])
def test_the_same_again(records, algorithm):
    """A second run takes the blocks and rules of the first one: the same model, and the same words about columns."""
    options = ("-a", algorithm, "--class-weight", "yes=2")
    first = fit(records, *options, "-o", "1.json")
    assert first.returncode == 0, first.stderr
    second = fit(records, *options, "-o", "2.json")
    assert (second.returncode, second.stderr) == (0, first.stderr.replace("1.json", "2.json"))
    assert (records / "1.json").read_bytes() == (records / "2.json").read_bytes()
    line = first.stdout.splitlines()[0]
    assert line == second.stdout.splitlines()[0]
    assert "left out: " in line
    assert "same (constant)" in line


def test_the_list_beside_a_committee(tmp_path):
    """It imitates the committee, as it does in memory, and nobody is said to have learned from more than there was."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 30, (2, 600))
    label = np.where((a + b > 30) ^ (rng.random(600) < 0.2), "yes", "no")
    rows = [f"{x},{y},{z}" for x, y, z in zip(a, b, label, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    command = ("fit", "a.csv", "-t", "y", "-a", "committee")
    for more in ((), ("--test", "0")):
        here = called(*command, *more, "-o", "here.json", cwd=tmp_path)
        there = called(*command, *more, "--blocks", "kept", "-o", "there.json", cwd=tmp_path)
        assert (here.returncode, there.returncode) == (0, 0)
        assert "evenly spread" not in there.stdout + there.stderr
        one, other = (load(tmp_path / name) for name in ("here.json", "there.json"))
        assert one.committee_ == other.committee_
        assert one.program_ == other.program_ != UnlessClassifier().fit(read_table(tmp_path / "a.csv", "y")).program_
        assert one.agreement_ == other.agreement_


@pytest.mark.parametrize("more", [("--test", "0"), ()])
def test_a_sample_is_said(records, monkeypatch, more):
    """A committee that learned from some of the records says of how many: those held back are none of them."""
    held_back = re.search(r"(\d+) records held back", called("fit", "a.csv", "-t", "y", *more, cwd=records).stdout)
    monkeypatch.setattr(block_dataset, "SAMPLE", 100)
    done = fit(records, "-a", "committee", *more)
    told = re.search(r"learned from (\d+) of (\d+) records,\s+evenly\s+spread", done.stdout + done.stderr)
    some, of = map(int, told.groups())
    assert some == -(-of // 4)
    assert (held_back is None) == bool(more)
    assert of + (0 if held_back is None else int(held_back[1])) == 400


def test_what_changed_is_said(records):
    """Another file, or other options, are read anew, and a line says why."""
    command = ("fit", "a.csv", "-t", "y", "--blocks", "kept")
    fit(records)
    again = unless(*command, "--include", "id", cwd=records)
    assert "the blocks in 'kept' were made for another include; they are made again" in again.stderr
    with (records / "a.csv").open("a") as file:
        file.write("400,5,a,x,yes\n")
    again = unless(*command, "--include", "id", cwd=records)
    assert "are out of date: a.csv has changed; they are made again" in again.stderr
    assert "401 records" in again.stdout


def test_time_limits_go_on(records):
    """A fit that had no time goes on in the next one, to the model of a fit that had."""
    called("fit", "a.csv", "-t", "y", "--blocks", "other", "-o", "whole.json", cwd=records)
    assert fit(records, "--max-seconds", "0", "-o", "part.json").returncode == 0
    assert fit(records, "-o", "found.json").returncode == 0
    assert (records / "found.json").read_bytes() == (records / "whole.json").read_bytes()


def test_refused(records):
    """Folders of others, pipes, and --unchanged without blocks are refused with advice."""
    (records / "mine").mkdir()
    (records / "mine" / "letter.txt").write_text("mine")
    ran = called("fit", "a.csv", "-t", "y", "--blocks", "mine", cwd=records)
    assert ran.returncode != 0
    assert "contains other files, which are not touched; name a new or empty folder" in ran.stderr
    ran = called("fit", "-", "-t", "y", "--blocks", "kept", "--format", "csv", cwd=records, input="a,y\n1,b\n")
    assert "can be read only once; give a file" in " ".join(ran.stderr.replace("│", " ").split())
    ran = called("fit", "a.csv", "-t", "y", "--unchanged", cwd=records)
    assert "add --blocks FOLDER" in ran.stderr
