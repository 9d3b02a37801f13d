"""Files and databases, read in small batches, give the tables and programs of memory."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl
import pytest

from tests.blocks.frames import FrameStream
from tests.blocks.sources import WRITERS, assert_alike, make_blocks, random_frame
from tests.lengths import LONG
from tests.shared import SHARED, needs_compiled, needs_shared
from unless import FoldRMClassifier, Query, UnlessClassifier, fold_rm, fold_rpp, read_table
from unless.blocks import block_dataset, sources
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.block_store import LocalBlockStore
from unless.blocks.databases import DuckStream
from unless.blocks.inputs import open_source
from unless.blocks.sources import FileStream
from unless.errors import ReadError
from unless.learn.unless_learner import fold_unless
from unless.storage import memory_budget

duckdb = pytest.importorskip("duckdb")
pytestmark = pytest.mark.filterwarnings("ignore::unless.errors.GuessWarning")


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Few rows or bytes at a time, and nothing fits into memory."""
    monkeypatch.setattr(sources, "ROWS", 7)
    monkeypatch.setattr(sources, "_BYTES", 300)
    monkeypatch.setattr(memory_budget, "_SHARE", 0)


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("seed", range(3))
def test_files_are_read_in_batches_as_at_once(form, seed, tmp_path):
    """Kinds, notations, cells, labels and programs are those of memory, whatever the format."""
    rng = np.random.default_rng(seed)
    path = WRITERS[form](random_frame(rng, int(rng.integers(20, 60)), label=seed), tmp_path)
    assert_alike(FileStream(path), path, programs=seed == 0)


@pytest.mark.parametrize("seed", range(6))
def test_relations_of_duckdb_are_read_in_batches_as_at_once(seed):
    """A relation gives what its frame gives."""
    rng = np.random.default_rng(seed + 100)
    frame = random_frame(rng, int(rng.integers(20, 80)), label=seed)
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        relation = connection.sql("SELECT * FROM frame")
        assert_alike(DuckStream(relation), relation.pl(), programs=seed < 2)


def test_types_of_duckdb():
    """Every type of DuckDB whose cells are numbers or texts is read as memory reads it."""
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'Europe/Berlin'")
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
        relation = connection.sql("""SELECT i::HUGEINT * 10::HUGEINT ** 20 AS huge,
            i::UBIGINT + 2::UBIGINT ** 63 AS big,
            (i * 5 + 115)::DECIMAL(20, 2) / 100 AS cents, (1.15 + i)::DECIMAL(5, 2) AS price, i::TINYINT AS tiny,
            (i % 3 = 0)::BOOLEAN AS flag, i::FLOAT / 3 AS single, ['sad', 'ok', 'happy'][i % 3 + 1]::mood AS mood,
            md5(i::VARCHAR)::UUID AS id, DATE '2020-01-01' + i::INT AS day, TIME '12:00' + INTERVAL (i) MINUTE AS clock,
            TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR AS moment, TIMESTAMPTZ '2020-01-01 12:00+02' AS instant,
            make_timestamp_ns(i * 1000000007) AS fine, to_json(i) AS text, NULL AS nothing,
            ['nan', 'inf', '-inf', '0', '-0'][i % 5 + 1]::DOUBLE AS odd, i % 4 AS y FROM range(50) AS t(i)""")
        assert_alike(DuckStream(relation), relation.pl())


def test_decimals_are_the_nearest_numbers():
    """1.15 is 1.15, not the number beside it."""
    relation = duckdb.sql("SELECT 1.15::DECIMAL(5, 2) AS x, 'a' AS y")
    with make_block_dataset(DuckStream(relation), target="y") as blocks:
        assert blocks.domain(["x"]).columns[0].numbers.tolist() == [1.15]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("[1]", r"INTEGER\[\]"),
        ("{'a': 1}", "STRUCT"),
        ("MAP {'a': 1}", "MAP"),
        ("'a'::BLOB", "BLOB"),
        ("INTERVAL 1 DAY", "INTERVAL"),
        ("1::UHUGEINT", "UHUGEINT"),
        ("'101'::BIT", "BIT"),
    ],
)
def test_types_that_no_rule_can_test_are_named(expression, kind):
    """A column of lists, bytes or the like is refused by name, with its type."""
    with pytest.raises(ReadError, match=f"the column 'x' is of the type {kind}.*leave it out"):
        fold_rm(duckdb.sql(f"SELECT {expression} AS x, 'a' AS y"), target="y")


def test_names_that_differ_only_in_case():
    """DuckDB takes a and A for one name in a query; both columns are read."""
    relation = duckdb.sql(
        """SELECT i % 2 AS a, i % 3 AS "A", i % 5 AS "b""c ;", i % 2 = 0 AS y FROM range(40) AS t(i)"""
    )
    frame = pl.DataFrame(relation.fetchall(), schema=relation.columns, orient="row")
    assert_alike(DuckStream(relation), frame)


def test_names_and_values_that_need_quotes(tmp_path):
    """Names of tables and columns, and values, may have quotes, spaces and semicolons."""
    frame = pl.DataFrame({"it's; --": ["'", '"', ";"] * 9, 'a"b': range(27), "y": ['x"', "it's", ""] * 9})
    with duckdb.connect(path := tmp_path / "it's.duckdb") as connection:
        connection.register("frame", frame)
        connection.execute('CREATE TABLE "my ""own"" table" AS FROM frame')
    wanted = fold_rm(read_table(frame, "y"))
    assert fold_rm(path, target="y") == wanted
    assert fold_rm(Query(path, '"my ""own"" table"'), target="y") == wanted


@pytest.mark.parametrize(
    "sql",
    [
        "t",
        "main.t",
        "my table",
        "SELECT * FROM t;",
        "FROM t",
        "(SELECT * FROM t)",
        "-- all\nSELECT * FROM t",
        "/* all */ " * 1000 + "SELECT * FROM t",
        "TABLE t",
    ],
)
def test_queries(sql, tmp_path):
    """A query is a SELECT, whatever comes before it, or the name of a table."""
    with duckdb.connect(path := tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 3 AS x, i % 3 = 1 AS y FROM range(30) AS t(i)")
        connection.execute('CREATE VIEW "my table" AS FROM t')
        wanted = fold_rm(read_table(connection.table("t").pl(), "y"))
        assert fold_rm(Query(connection, sql), target="y") == wanted
    assert fold_rm(Query(path, sql), target="y") == wanted


@pytest.mark.parametrize("comment", ["/**/", "/* a */ ", "-- a\n"])
def test_many_comments_before_what_is_no_query(comment, tmp_path):
    """However many comments come before it, what is no query is known at once to be none."""
    path = tmp_path / "x.db"
    duckdb.connect(path).close()
    started = process_time()
    with pytest.raises(ReadError, match="DuckDB"):
        fold_rm(Query(path, comment * 1000 + "x"), target="y")
    assert process_time() - started < 5


def test_databases_that_may_only_be_read(tmp_path):
    """A database file is opened to read, and not held afterwards."""
    with duckdb.connect(path := tmp_path / "x.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 3 AS x, i % 3 = 1 AS y FROM range(30) AS t(i)")
    path.chmod(0o444)
    assert len(fold_rm(str(path), target="y").rules) == 3
    path.chmod(0o644)
    with duckdb.connect(path) as connection:  # to write: nobody else has it open
        connection.execute("DROP TABLE t")
    assert [one.name for one in tmp_path.iterdir()] == ["x.duckdb"]


# Columns that look different from batch to batch.


def _csv(folder: Path, x: list[object]) -> Path:
    lines = [f"{cell},{'ab'[place % 3 == 0]}\n" for place, cell in enumerate(x)]
    (path := folder / "x.csv").write_text("x,y\n" + "".join(lines))
    return path


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([*range(100), "007"], "mixed"),
        ([*range(100), *"abc" * 20], "mixed"),
        ([*range(5), *(f"w{i}" for i in range(100))], "text"),
        ([f"{i:03}" for i in range(900, 1000)] + ["007"], "text"),
        ([*range(100), 0.5], "number"),
        ([*range(100), "?"], "number"),
        (["?"] * 100 + [1], "number"),
        ([f"2020-01-{i % 28 + 1:02}" for i in range(100)] + ["soon"], "mixed"),
        (["soon"] * 60 + [f"2020-01-{i % 28 + 1:02}" for i in range(100)], "mixed"),
        ([f"2020-01-{i % 28 + 1:02}" for i in range(100)] + ["2020-02-01 12:30"], "number"),
        ([0, 1] * 60, "number"),
        ([0, 1] * 60 + [2], "number"),
    ],
)
def test_columns_that_are_torn(cells, kind, tmp_path):
    """What a column is depends on all of its cells, also on those of the last batch."""
    path = _csv(tmp_path, cells)
    table = read_table(path, "y")
    assert_alike(FileStream(path), path)
    assert table.columns[0].kind in (kind, "text")


def test_whole_numbers_are_those_of_all_batches():
    """A fraction in the last batch makes the column one of fractions, and 2**53 one of inexact numbers."""
    for last in (0.5, 2.0**53, 1.0):
        frame = pl.DataFrame({"x": [float(i) for i in range(50)] + [last], "y": ["a", "b", "b"] * 17})
        assert_alike(FrameStream(lambda frame=frame: frame.iter_slices(7)), frame)


def test_moments_as_labels():
    """Labels are written alike in all batches, also in those whose moments are all at midnight."""
    moments = pl.Series([f"2020-01-0{i % 3 + 1} 00:00" for i in range(30)] + ["2020-01-01 12:00"] * 3).str.to_datetime()
    frame = pl.DataFrame({"x": [i % 3 for i in range(30)] + [7] * 3, "y": moments})
    assert_alike(FrameStream(lambda: frame.iter_slices(7)), frame)


@pytest.mark.parametrize("other", [[1, 2], ["12:00", "13:30"]])
def test_parts_with_dates_and_others(other, tmp_path):
    """Where one part has dates and another numbers or times, dates are text, as in memory."""
    days = pl.Series(["2020-01-01", "2020-01-02"] * 9).str.to_date()
    others = pl.Series(other * 9) if other == [1, 2] else pl.Series(other * 9).str.to_time("%H:%M")
    for number, column in enumerate((days, others)):
        pl.DataFrame({"x": column, "y": ["a", "b"] * 9}).write_parquet(tmp_path / f"{number}.parquet")
    assert_alike(FileStream(tmp_path), tmp_path)


def test_parts_of_categories(tmp_path):
    """Categories stay categories, though their texts look like numbers."""
    cells = pl.Series(["1.5", "2.5", "3.5"] * 9, dtype=pl.Categorical)
    for number in range(2):
        pl.DataFrame({"x": cells, "y": ["a", "b", "b"] * 9}).write_parquet(tmp_path / f"{number}.parquet")
    assert read_table(tmp_path, "y").columns[0].kind == "text"
    assert_alike(FileStream(tmp_path), tmp_path)


def test_members_that_come_late(tmp_path):
    """A member that only the last line has is a column, and all others miss it."""
    lines = [{"x": i % 5, "y": "ab"[i % 2]} for i in range(60)] + [{"late": 1, "y": "a"}]
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    assert_alike(FileStream(path), path)


def test_what_is_declared_is_read_so(tmp_path):
    """Features, kinds, dates, orders, missing cells and dialects are taken as `read_table` takes them."""
    rows = [f"{i % 9};{'SML'[i % 3]};{i % 28 + 1}.1.2020;{'-' if i % 5 else i};{'ab'[i % 2]}\n" for i in range(60)]
    (path := tmp_path / "x.txt").write_text("n;size;day;gap;y\n" + "".join(rows))
    told = {"format": "csv", "delimiter": ";"}
    how = {"categorical": ["n"], "orders": {"size": [*"SML"]}, "dates": {"day": "%d.%m.%Y"}, "missing": ["-"]}
    table = read_table(path, "y", features=["n", "size", "day", "gap"], **told, **how)
    with open_source(path, "y", features=["n", "size", "day", "gap"], **told, **how) as blocks:
        assert blocks.schema == table.schema
        assert fold_rm(blocks) == fold_rm(table)


# Estimators.


@pytest.mark.parametrize("make", [UnlessClassifier, FoldRMClassifier])
def test_estimators_learn_from_sources_what_they_learn_from_frames(make, tmp_path):
    """Program, statistics, domain, classes and schema are those of the frame, from a file or a relation."""
    rng = np.random.default_rng(5)
    frame = random_frame(rng, 90, ["whole", "number", "word", "date", "junk", "flag"])
    frame = frame.with_columns(pl.col('word "x"').replace("", "empty"))  # in a file that is a missing cell
    frame.write_parquet(path := tmp_path / "x.parquet")
    weights = rng.integers(1, 4, 90)
    wanted = make(warn=False, class_weight="balanced").fit(frame.drop("y"), frame["y"], sample_weight=weights)
    weighted = frame.with_columns(w=weights)
    weighted.write_parquet(path)
    for source in (path, str(path), Query(duckdb.connect(), f"FROM '{path}'"), duckdb.sql(f"FROM '{path}'")):
        found = make(warn=False, class_weight="balanced").fit(source, "y", sample_weight="w")
        assert found.program_ == wanted.program_
        assert found.statistics_.counts.tolist() == wanted.statistics_.counts.tolist()
        assert found.schema_.kinds == wanted.schema_.kinds
        assert found.classes_.tolist() == wanted.classes_.tolist()
        for one, other in zip(found.domain_.columns, wanted.domain_.columns, strict=True):
            assert (one.name, one.numbers.tolist(), one.categories) == (
                other.name,
                other.numbers.tolist(),
                other.categories,
            )
        assert found.predict(frame.drop("y")).tolist() == wanted.predict(frame.drop("y")).tolist()


@pytest.mark.parametrize("share", [0, 0.5])
def test_estimators_leave_out_what_weighs_nothing(share, monkeypatch, tmp_path):
    """Records of weight 0 are not there, in memory and in blocks: neither their labels nor their values."""
    monkeypatch.setattr(memory_budget, "_SHARE", share)
    frame = random_frame(np.random.default_rng(8), 80, ["number", "word", "whole"])
    weights = np.where(frame["y"] == "l3", 0.0, np.arange(80) % 3 + 0.5)
    frame.with_columns(w=weights).write_parquet(path := tmp_path / "x.parquet")
    wanted = UnlessClassifier(warn=False).fit(frame.drop("y"), frame["y"], sample_weight=weights)
    found = UnlessClassifier(warn=False).fit(path, "y", sample_weight="w")
    assert found.classes_.tolist() == wanted.classes_.tolist() == ["l0", "l1", "l2"]
    assert found.program_ == wanted.program_
    assert found.statistics_.counts.tolist() == wanted.statistics_.counts.tolist()
    for one, other in zip(found.domain_.columns, wanted.domain_.columns, strict=True):
        assert (one.numbers.tolist(), one.categories) == (other.numbers.tolist(), other.categories)


def test_fold_rpp_learns_from_sources():
    """FOLD-R++ gives the program of memory, too."""
    frame = random_frame(np.random.default_rng(3), 80, ["whole", "word", "moment"])
    relation = duckdb.sql("SELECT * FROM frame")
    assert fold_rpp(relation, "l1", target="y") == fold_rpp(read_table(frame, "y"), "l1")


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_as_many_threads_as_wanted(jobs, monkeypatch):
    """n_jobs says how many threads read and count blocks; the program does not depend on it."""
    made = []
    monkeypatch.setattr(
        block_dataset, "LocalBlockStore", lambda *a, **k: made.append(k["threads"]) or LocalBlockStore(*a, **k)
    )
    frame = random_frame(np.random.default_rng(4), 80, ["whole", "word"])
    relation = duckdb.sql("SELECT * FROM frame")
    assert fold_rm(relation, target="y", n_jobs=jobs) == fold_rm(read_table(frame, "y"))
    UnlessClassifier(n_jobs=jobs, warn=False).fit(relation, "y")
    assert made == [jobs, jobs]


# The datasets of the paper.

_ROWS = 400 if LONG else 200
_SMALL = (
    [
        name
        for name, entry in SHARED.manifest.items()
        if 0 < (entry["rows"] or 0) <= _ROWS and len(entry["features"]) < 300
    ]
    if SHARED.here
    else ["none"]
)


@needs_shared
@needs_compiled
@pytest.mark.parametrize("name", _SMALL)
def test_datasets(name, monkeypatch):
    """The programs of the paper's datasets are the same from blocks, declared or not."""
    entry = SHARED.manifest[name]
    path = SHARED.root / "data" / entry["file"]
    monkeypatch.setattr(sources, "_BYTES", max(20_000, path.stat().st_size // 4))  # some blocks, not hundreds
    for how in ({"features": entry["features"]}, {"features": entry["features"], "numeric": entry["numeric"]}):
        try:
            table = read_table(path, entry["label"], **how)
        except ReadError as error:
            with pytest.raises(type(error)):
                make_blocks(FileStream(path), target=entry["label"], **how)
            continue
        with make_blocks(FileStream(path), target=entry["label"], **how) as blocks:
            blocks.local = 2 * len(table) // 3
            assert blocks.schema == table.schema
            assert fold_rm(blocks) == fold_rm(table)
            assert fold_unless(blocks) == fold_unless(table)
