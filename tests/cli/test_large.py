"""`unless fit` with databases, and with files that do not fit into memory."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import called
from unless.storage import memory_budget

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def records(tmp_path):
    """A file with an identifier, a constant and a useful column, and a database with the same records."""
    rows = [f"{k},{k % 7},{k * 0.37 % 5:.3f},x,{'many' if k % 7 > 3 else 'few'}" for k in range(400)]
    (tmp_path / "a.csv").write_text("\n".join(["id,n,f,same,y", *rows]) + "\n")
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM '{tmp_path / 'a.csv'}'")
    return tmp_path


def rules(folder, name):
    """The rules of a model file."""
    return json.loads((folder / name).read_text())["rules"]


@pytest.mark.parametrize("more", [(), ("--query", "t"), ("--query", "SELECT * FROM t")], ids=str)
def test_a_database(records, more):
    """The rules are those of the file with the same records, and so is what is left out; no record is shown next."""
    wanted = called("fit", "a.csv", "-t", "y", "--test", "0", "-o", "a.json", cwd=records)
    found = called("fit", "d.duckdb", "-t", "y", "--test", "0", "-o", "d.json", *more, cwd=records)
    assert found.returncode == 0, found.stderr
    assert rules(records, "d.json") == rules(records, "a.json")
    left_out = wanted.stdout.splitlines()[0].split("records")[1]
    assert found.stdout.splitlines()[0].endswith(left_out)
    assert "next" in found.stderr
    assert "unless show d.json" in found.stderr


def test_records_are_held_back(records):
    """The test is on the records of a database that nothing was learned from."""
    found = called("fit", "d.duckdb", "-t", "y", "--json", cwd=records)
    result = json.loads(found.stdout)
    assert 40 < result["test"]["records"] < 120
    assert result["test"]["accuracy"] == 1
    assert result["baseline"]["records"] == result["test"]["records"]
    assert sum(rule["decided"] for rule in result["rules"]) == 400 - result["test"]["records"]


def test_files_that_do_not_fit(records, monkeypatch):
    """They are learned from in blocks, which is said, with the same rules."""
    called("fit", "a.csv", "-t", "y", "--test", "0", "-o", "a.json", cwd=records)
    monkeypatch.setattr(memory_budget, "_SHARE", 0)
    found = called("fit", "a.csv", "-t", "y", "--test", "0", "-o", "b.json", cwd=records)
    assert "learning in blocks, from the disk" in found.stderr
    assert rules(records, "b.json") == rules(records, "a.json")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.csv", "-t", "y", "--query", "t"), "is not a database"),
        (("d.duckdb", "-t", "z"), "no column 'z'"),
        (("d.duckdb", "-t", "y", "--query", "u"), "Table with name u does not exist"),
        (("none.duckdb", "-t", "y"), "no database 'none.duckdb'"),
        (("postgresql://nowhere/shop", "-t", "y"), "say what to learn from in the database"),
    ],
)
def test_what_is_not_there_is_said(records, arguments, said):
    """The message names it."""
    done = called("fit", *arguments, cwd=records)
    assert done.returncode != 0
    assert said in " ".join(done.stderr.split())
