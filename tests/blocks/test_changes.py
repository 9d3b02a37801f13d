"""Data that changes while it is read, Ctrl-C, and what is left behind: nothing."""

from __future__ import annotations

import tempfile
import threading

import polars as pl
import pytest

from tests.blocks.frames import FrameStream
from unless import Query, UnlessClassifier, fold_rm
from unless.blocks import databases, sources
from unless.blocks.block_arrays import DATA_CHANGED
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.databases import DuckStream
from unless.blocks.encoding import BlockEncoding, EncodingTask, TableStats
from unless.blocks.inputs import open_source
from unless.blocks.sources import FileStream
from unless.errors import ReadError
from unless.read.column_plan import plan_columns
from unless.read.frames import PolarsFrame
from unless.read.options import ReadOptions
from unless.storage import memory_budget

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(autouse=True)
def _left_behind(monkeypatch, tmp_path):
    """Few rows at a time; no temporary file and no thread stays."""
    monkeypatch.setattr(sources, "ROWS", 7)
    monkeypatch.setattr(databases, "ROWS", 7)
    monkeypatch.setattr(sources, "_BYTES", 300)
    monkeypatch.setattr(memory_budget, "_SHARE", 0)
    (folder := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = set(threading.enumerate())
    yield
    assert not list(folder.iterdir())
    assert set(threading.enumerate()) <= before


@pytest.fixture
def connection():
    """A database with a table t."""
    with duckdb.connect() as open_source:
        open_source.execute(
            "CREATE TABLE t AS SELECT i % 7 AS x, 'n' || (i % 5) AS n, i % 3 AS y FROM range(60) AS t(i)"
        )
        yield open_source


_CHANGES = {
    "a row more": "INSERT INTO t SELECT * FROM t LIMIT 1",
    "a row less": "DELETE FROM t WHERE rowid = 3",
    "a value": "UPDATE t SET x = 99 WHERE rowid = 3",
    "known values": "UPDATE t SET x = 1 WHERE rowid = 3",
    "a label": "UPDATE t SET y = 77 WHERE rowid = 3",
    "null": "UPDATE t SET n = NULL WHERE rowid = 3",
    "only the pairs": "UPDATE t SET x = 4 - x WHERE rowid IN (1, 3)",
}


@pytest.mark.parametrize("change", _CHANGES)
def test_a_table_that_changes_between_the_passes_is_refused(change, connection):
    """Whatever changes, even if only two rows exchange a value: the data is refused."""

    def progress(what, rows):
        if what == "surveyed" and rows == 60:
            connection.cursor().execute(_CHANGES[change])

    with pytest.raises(ReadError, match=DATA_CHANGED):
        open_source(connection.table("t"), "y", progress=progress)


def test_rows_may_come_in_any_order(connection):
    """A pass that gives the same rows in another order has seen the same data."""
    relation = connection.sql("SELECT * FROM t ORDER BY random()")
    program = fold_rm(connection.table("t"), target="y")
    assert fold_rm(relation, target="y") == program


def test_a_query_that_draws_anew_is_refused(connection):
    """A sample that every pass draws anew is no data to learn from."""
    with pytest.raises(ReadError, match=DATA_CHANGED):
        fold_rm(connection.sql("SELECT * REPLACE (random() AS x) FROM t"), target="y")


def test_frames_that_change_are_refused():
    """The same for frames that somebody gives again and again."""
    frames = iter([pl.DataFrame({"x": [1, 2, number], "y": ["a", "b", "b"]}) for number in range(9)])
    with pytest.raises(ReadError, match=DATA_CHANGED):
        make_block_dataset(FrameStream(lambda: [next(frames)]), target="y")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_that_changes_is_refused(form, tmp_path):
    """A file that is written to during the passes is refused."""
    frame = pl.DataFrame({"x": range(90), "y": ["a", "b", "b"] * 30})
    write = getattr(frame, f"write_{form}")
    write(path := tmp_path / f"x.{form}")

    def progress(what, rows):
        if what == "surveyed" and rows == 90:
            getattr(frame.with_columns(pl.col("x") + 1000), f"write_{form}")(path)

    with pytest.raises(ReadError, match=DATA_CHANGED):
        make_block_dataset(FileStream(path), target="y", progress=progress)


@pytest.mark.parametrize("when", ["surveyed", "coded"])
def test_ctrl_c_in_either_pass(when, connection, tmp_path):
    """Ctrl-C while data is read goes to the caller, and nothing stays; the database can be used."""
    pl.DataFrame({"x": range(300), "y": ["a", "b", "b"] * 100}).write_csv(tmp_path / "x.csv")

    def progress(what, rows):
        if what == when and rows > 20:
            raise KeyboardInterrupt

    for source in (connection.table("t"), tmp_path / "x.csv"):
        with pytest.raises(KeyboardInterrupt):
            open_source(source, "y", progress=progress)
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (60,)


@pytest.mark.parametrize("labels", ["y", "x / 3.7"])
def test_estimators_leave_nothing(labels, connection):
    """Neither success nor an error, such as labels that are amounts, leaves files or threads."""
    relation = connection.sql(f"SELECT x, n, {labels} AS label FROM t")
    if labels == "y":
        UnlessClassifier(warn=False).fit(relation, "label")
    else:
        with pytest.raises(ReadError, match="continuous"):
            UnlessClassifier(warn=False).fit(relation, "label")


def test_ctrl_c_while_learning_leaves_nothing(connection):
    """What was learned is kept as in memory, and the blocks are gone."""

    def progress(_, rules):
        if rules:
            raise KeyboardInterrupt

    program = fold_rm(connection.table("t"), target="y", progress=progress, keep_on_interrupt=True)
    assert len(program.rules) == 1


def test_an_engine_that_fails_in_the_middle(connection):
    """An error in the query is said in the engine's own first line, and nothing stays."""
    relation = connection.sql("SELECT CASE WHEN rowid < 40 THEN x ELSE error('broken disk') END AS x, y FROM t")
    with pytest.raises(ReadError, match=r"DuckDB cannot read the relation: .*broken disk"):
        fold_rm(relation, target="y")
    with pytest.raises(ReadError, match=r"DuckDB cannot read SELECT nothing FROM t: .*nothing"):
        fold_rm(Query(connection, "SELECT nothing FROM t"), target="y")
    assert len(DuckStream(connection.table("t")).batches().__next__().names) == 3


@pytest.mark.parametrize("new", [{"x": [1.0, 2.5]}, {"x": [1.0, 9.0]}, {"t": ["a", "c"]}], ids=str)
def test_values_that_the_first_pass_did_not_see(new):
    """A number or a text that no first pass saw is never taken for its neighbour."""
    seen = pl.DataFrame({"x": [1.0, 2.0], "t": ["a", "b"], "y": ["u", "v"]})
    task = EncodingTask(plan_columns(PolarsFrame(seen), ReadOptions(), target="y"))
    coding = BlockEncoding.of(task, TableStats.of(task, PolarsFrame(seen)))
    coding.block(PolarsFrame(seen))
    changed = seen.with_columns(**{name: pl.Series(cells) for name, cells in new.items()})
    with pytest.raises(ReadError, match=DATA_CHANGED):
        coding.block(PolarsFrame(changed))
