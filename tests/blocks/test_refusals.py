"""Sources that cannot be learned from: what is wrong, and what to do."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import polars as pl
import pytest

from tests.blocks.sources import make_blocks
from unless import Query, UnlessClassifier, fold_rm
from unless.blocks.databases import DuckStream
from unless.errors import ParameterError, ReadError, UnknownNameError
from unless.storage import memory_budget

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(params=["memory", "blocks"])
def csv(request, monkeypatch, tmp_path):
    """The path of a file, which is read into memory or in blocks."""
    if request.param == "blocks":
        monkeypatch.setattr(memory_budget, "_SHARE", 0)
    frame = pl.DataFrame({"age": range(30), "name": ["it"] * 30, "y": ["a", "b", "b"] * 10, "minus": [-1] * 30})
    frame.with_columns(when=pl.date(2020, 1, 1), zero=0).write_csv(path := tmp_path / "x.csv")
    return path


@pytest.fixture
def relation():
    """A relation of DuckDB with missing labels."""
    return duckdb.sql("SELECT i AS age, CASE WHEN i % 4 > 0 THEN 'a' END AS y, i AS y2 FROM range(20) AS t(i)")


def test_columns_that_are_not_there(csv, relation):
    """An unknown target, weight or feature is named, with one that looks like it."""
    for source in (csv, relation):
        with pytest.raises(UnknownNameError, match="no column 'Y'; did you mean 'y'"):
            fold_rm(source, target="Y")
        with pytest.raises(UnknownNameError, match="no column 'agee'; did you mean 'age'"):
            UnlessClassifier(numeric=["agee"]).fit(source, "y")
        with pytest.raises(UnknownNameError, match="no column 'wage'; did you mean 'age'"):
            fold_rm(source, target="y", weights="wage")


def test_labels_that_are_missing(relation):
    """NULL labels are counted; they are left out only on demand."""
    with pytest.raises(ReadError, match="'y' is missing in 5 of 20 rows"):
        fold_rm(relation, target="y")
    with make_blocks(DuckStream(relation), target="y", drop_unlabelled=True) as blocks:
        assert blocks.store.rows == 15
    with pytest.raises(ReadError, match="no row has a label in 'y'"):
        make_blocks(DuckStream(duckdb.sql("SELECT 1 AS x, NULL AS y")), target="y", drop_unlabelled=True)


@pytest.mark.parametrize("sql", ["SELECT 1 AS x, 'a' AS y WHERE false", "SELECT 1 AS x, 'a' AS y LIMIT 0"])
def test_no_rows(sql):
    """A source without rows is refused."""
    with pytest.raises(ReadError, match="no rows to learn from"):
        fold_rm(duckdb.sql(sql), target="y")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("name", "weights must be numbers, but 'name' has 'it'"),
        ("minus", "at least 0"),
        ("zero", "weighs 0"),
        ("when", "weights must be numbers, but 'when' has"),
        ("y", "'y' is the target"),
    ],
)
def test_weights_that_are_none(csv, column, said):
    """Weights that are text, dates, negative, all zero or the labels are refused, in memory and in blocks."""
    for learn in (
        lambda source: fold_rm(source, target="y", weights=column),
        lambda source: UnlessClassifier(warn=False).fit(source, "y", sample_weight=column),
    ):
        with pytest.raises(ParameterError, match=said):
            learn(csv)
        with pytest.raises(ParameterError, match=said):
            learn(duckdb.sql(f"FROM '{csv}'"))


def test_labels_and_weights_of_a_source_are_columns(csv, relation):
    """Arrays of labels or weights do not go with a source."""
    for source in (csv, relation):
        with pytest.raises(ParameterError, match=r"name the column of labels, not array\(\[0"):
            UnlessClassifier().fit(source, np.zeros(20))
        with pytest.raises(ParameterError, match="name the column of labels, not None"):
            UnlessClassifier().fit(source)
        with pytest.raises(ParameterError, match="sample_weight must name a column"):
            UnlessClassifier().fit(source, "y", sample_weight=np.ones(20))
        with pytest.raises(ParameterError, match="weights must name a column"):
            fold_rm(source, target="y", weights=np.ones(20))


def test_databases_without_one_table(tmp_path):
    """A database is a source only if it has one table; or else its tables are listed."""
    with duckdb.connect(path := tmp_path / "x.duckdb") as connection:
        pass
    with pytest.raises(ReadError, match=r"has 0 tables \(none\)"):
        fold_rm(path, target="y")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE a (x INT); CREATE TABLE b (x INT)")
    with pytest.raises(ReadError, match=r"has 2 tables \(a, b\); say which: Query\("):
        fold_rm(path, target="y")
    with pytest.raises(ReadError, match="no database"):
        fold_rm(tmp_path / "y.duckdb", target="y")
    (tmp_path / "z.db").write_text("no database at all, but a text")
    with pytest.raises(ReadError, match=r"DuckDB cannot read .*not a valid DuckDB"):
        fold_rm(tmp_path / "z.db", target="y")


def test_what_is_no_source():
    """Connections want a query, addresses too, and what is unknown is named."""
    with duckdb.connect() as connection, pytest.raises(ParameterError, match=r"a DuckDBPyConnection is .*Query\("):
        UnlessClassifier().fit(connection, "y")
    with pytest.raises(ParameterError, match=r"Query\('postgresql://me:…@host/db', 'its name'\)"):
        fold_rm("postgresql://me:secret@host/db", target="y")
    with pytest.raises(ParameterError, match="cannot learn from complex: give a table"):
        fold_rm(3j, target="y")
    with pytest.raises(ParameterError, match="cannot query complex: give a connection"):
        fold_rm(Query(3j, "t"), target="y")
    with pytest.raises(ParameterError, match="the query is empty"):
        fold_rm(Query(":memory:", " ; "), target="y")


@pytest.mark.parametrize(
    ("module", "source", "extra"),
    [
        ("duckdb", lambda path: Query(path, "t"), "sql"),
        ("pyarrow", lambda _: duckdb.sql("SELECT 1 AS x, 'a' AS y"), "sql"),
        ("psycopg", lambda _: Query("postgresql://localhost/x", "t"), "postgres"),
    ],
)
def test_extras_that_are_not_installed(module, source, extra, monkeypatch, tmp_path):
    """What is not installed is said with the command that installs it."""
    given = source(tmp_path / "x.duckdb")
    real = builtins.__import__

    def imported(name, *rest):
        if name.partition(".")[0] == module:
            raise ImportError(name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(builtins, "__import__", imported)
    with pytest.raises(ImportError, match=rf"pip install 'unless\[{extra}\]'"):
        fold_rm(given, target="y")
