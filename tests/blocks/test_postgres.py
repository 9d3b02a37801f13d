"""PostgreSQL: the same programs as memory, from one snapshot; and connections that are left as they were."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from contextlib import ExitStack

import numpy as np
import polars as pl
import pytest

from tests import engines
from tests.blocks.sources import assert_alike, random_frame
from tests.cli.command import called
from unless import Query, UnlessClassifier, fold_rm, read_table
from unless.blocks import databases
from unless.blocks.block_cache import BlockCache
from unless.blocks.inputs import open_source
from unless.errors import ParameterError, ReadError

psycopg = pytest.importorskip("psycopg")

_TYPES = {
    pl.Int64: "bigint",
    pl.Float64: "double precision",
    pl.Boolean: "boolean",
    pl.String: "text",
    pl.Date: "date",
    pl.Time: "time",
    pl.Decimal: "numeric",
}


@pytest.fixture(scope="module")
def server():
    """What psycopg needs to connect to a server that the tests start."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(engines.postgres())
        except engines.Lacking as what:
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{what} is not installed")
        engines._connected(folder).close()  # it is up
        yield {"host": folder, "user": "test", "dbname": "postgres"}


@pytest.fixture
def connection(server, monkeypatch, tmp_path):
    """A connection that commits at once, to a table t; at the end it is in no transaction, and no file is left."""
    monkeypatch.setattr(databases, "ROWS", 7)
    (folder := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with psycopg.connect(**server, autocommit=True) as made:
        made.execute("DROP TABLE IF EXISTS t")
        made.execute(
            "CREATE TABLE t AS SELECT i % 7 AS x, 'n' || i % 5 AS n, i % 3 AS y FROM generate_series(1, 60) AS i"
        )
        yield made
        assert made.closed or made.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert not list(folder.iterdir())


def _in_memory(connection) -> object:
    rows = connection.execute("SELECT * FROM t").fetchall()
    return fold_rm(read_table(pl.DataFrame(rows, schema=["x", "n", "y"], orient="row"), "y"))


def _type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return "timestamp" if dtype.time_zone is None else "timestamptz"
    return _TYPES[dtype.base_type()]


@pytest.mark.parametrize("seed", range(5))
def test_tables_are_read_as_frames_are(seed, connection):
    """Numbers, texts, dates, times with and without zones, decimals and booleans mean what they mean in a frame."""
    rng = np.random.default_rng(seed + 50)
    frame = random_frame(rng, int(rng.integers(20, 80)), label=seed)
    columns = ", ".join(f"{databases.quote_sql_name(name)} {_type(dtype)}" for name, dtype in frame.schema.items())
    connection.execute("DROP TABLE t")
    connection.execute(f"CREATE TABLE t ({columns})")
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO t VALUES ({', '.join(['%s'] * frame.width)})", frame.rows())
    stream = Query(connection, "t").stream()
    decimals = [name for name, dtype in frame.schema.items() if dtype.is_decimal()]
    nearest = {name: [None if x is None else float(x) for x in frame[name]] for name in decimals}
    assert_alike(
        stream, frame.with_columns(pl.Series(name, x, pl.Float64) for name, x in nearest.items()), programs=seed < 1
    )
    stream.close()


def test_other_types(connection):
    """Enums are categories, UUIDs texts, and numbers of any length the nearest ones; intervals are durations."""
    connection.execute("DROP TYPE IF EXISTS mood CASCADE")
    connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
    sql = """SELECT (ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]::mood AS mood, md5(i::text)::uuid AS id, i * 1.15 AS price,
        i::numeric * 1e30 AS huge, 'NaN'::numeric AS none, i * interval '1 hour' AS lasts,
        i::int2 AS small, i::float4 / 3 AS f, 'a'::char(3) AS padded, i % 2 = 0 AS y FROM generate_series(1, 30) AS i"""
    with open_source(Query(connection, sql), "y") as blocks:
        kinds = blocks.schema.kinds
        numbers = {column.name: column.numbers.tolist() for column in blocks.domain(kinds).columns}
        assert [name for name, kind in kinds.items() if kind == "number"] == [
            "price",
            "huge",
            "none",
            "lasts",
            "small",
            "f",
        ]
        assert numbers["price"] == [1.15, 34.5]
        assert numbers["huge"] == [1e30, 3e31]
        assert blocks.domain(["padded", "mood"]).columns[1].categories == ("happy", "ok", "sad")


@pytest.mark.parametrize("kind", ["jsonb", "bytea", "int4[]", "inet", "point", "money"])
def test_types_that_no_rule_can_test_are_named(kind, connection):
    """A column of another type is refused by name, and the connection is as it was."""
    with pytest.raises(ReadError, match=r"the column 'x' is of the type .*which no rule can test"):
        fold_rm(Query(connection, f"SELECT NULL::{kind} AS x, 1 AS y"), target="y")


@pytest.mark.parametrize("autocommit", [True, False])
@pytest.mark.parametrize("row_factory", [psycopg.rows.tuple_row, psycopg.rows.dict_row])
def test_any_connection(autocommit, row_factory, server, connection):
    """Connections that commit at once, or not, with rows of any kind, are usable before and afterwards."""
    wanted = _in_memory(connection)
    with psycopg.connect(**server, autocommit=autocommit, row_factory=row_factory) as other:
        for sql in ("t", "SELECT * FROM t", "public.t", "SELECT *, '100%' AS n2 FROM t"):
            found = fold_rm(Query(other, sql), target="y")
            assert (found.rules, found.otherwise) == (wanted.rules, wanted.otherwise)
            assert found.features == (*wanted.features, *(["n2"] if "n2" in sql else []))
            assert other.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert other.execute("SELECT 1").fetchone() is not None


def test_addresses(server, connection):
    """The address of a database is enough; the connection is closed afterwards."""
    address = f"postgresql://{server['user']}@/{server['dbname']}?host={server['host']}&application_name=away"
    model = UnlessClassifier(warn=False).fit(Query(address, "t"), "y")
    assert model.classes_.tolist() == [0, 1, 2]
    with pytest.raises(ReadError, match="PostgreSQL cannot read nowhere: relation"):
        fold_rm(Query(address, "nowhere"), target="y")
    gone = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'away'"
    for _ in range(100):
        if connection.execute(gone).fetchone() == (0,):
            return
        connection.execute("SELECT pg_sleep(0.05)")
    pytest.fail("a connection was left open")


@pytest.mark.usefixtures("connection")
def test_a_connection_in_a_transaction_is_refused(server):
    """What somebody has begun is not rolled back."""
    with psycopg.connect(**server) as other:
        other.execute("CREATE TEMPORARY TABLE mine (x int)")
        with pytest.raises(ParameterError, match="the connection is in a transaction"):
            fold_rm(Query(other, "t"), target="y")
        assert other.execute("SELECT count(*) FROM mine").fetchone() == (0,)


def test_a_table_that_changes_is_seen_as_it_was(server, connection):
    """All passes see the snapshot of the first, whatever others write in between."""
    wanted = _in_memory(connection)

    def progress(what, rows):
        if what == "surveyed" and rows == 60:
            with psycopg.connect(**server) as other:
                other.execute("INSERT INTO t SELECT 99, 'new', 1 FROM generate_series(1, 50)")

    with open_source(Query(connection, "t"), "y", progress=progress) as blocks:
        assert blocks.rows == 60
        assert fold_rm(blocks) == wanted


def test_a_query_that_draws_anew_is_refused(connection):
    """A sample that every pass draws anew is no data to learn from."""
    with pytest.raises(ReadError, match="the data changed while it was read"):
        fold_rm(Query(connection, "SELECT random() AS x, y FROM t"), target="y")


@pytest.mark.parametrize("when", ["surveyed", "coded"])
def test_a_connection_that_is_cut(when, server, connection):
    """A connection that breaks in either pass is an error that says so."""

    def progress(what, rows):
        if what == when and 20 < rows < 30:
            with psycopg.connect(**server) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.info.backend_pid])

    with pytest.raises(ReadError, match=r"PostgreSQL cannot read t: .*(terminat|clos|consum)"):
        open_source(Query(connection, "t"), "y", progress=progress)
    assert connection.closed


@pytest.mark.parametrize("when", ["surveyed", "coded"])
def test_ctrl_c_in_either_pass(when, connection):
    """Ctrl-C leaves a connection that can be used."""

    def progress(what, rows):
        if what == when and rows > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_source(Query(connection, "t"), "y", progress=progress)
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (60,)


def test_queries_that_fail(connection):
    """The server's own words, and a connection that can be used."""
    with pytest.raises(ReadError, match='PostgreSQL cannot read SELECT z FROM t: column "z" does not exist'):
        fold_rm(Query(connection, "SELECT z FROM t"), target="y")
    with pytest.raises(ReadError, match=r"PostgreSQL cannot read .*division by zero"):
        fold_rm(Query(connection, "SELECT 1 / (x - 3) AS x, y FROM t"), target="y")
    with pytest.raises(ReadError, match=r"the column name 'y' appears twice"):
        fold_rm(Query(connection, "SELECT y, y FROM t"), target="y")
    with pytest.raises(ReadError, match="no rows to learn from"):
        fold_rm(Query(connection, "SELECT * FROM t WHERE false"), target="y")
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (60,)


_SECRET = "s3cr%40t%2Fhush"


@pytest.mark.parametrize("where", ["user", "query"])
def test_passwords_are_neither_written_nor_shown(where, server, connection, tmp_path):
    """No byte of output, and no file, has the password of an address; the folder is for its owner alone."""
    connection.execute("SELECT 1")
    rest = f"/{server['dbname']}?host={server['host']}"
    user = f"test:{_SECRET}" if where == "user" else "test"
    address = f"postgresql://{user}@{rest}" + (f"&password={_SECRET}" if where == "query" else "")
    fit = ("fit", address, "--target", "y", "--query")
    kept = ("--blocks", "kb", "-o", "m.json")
    first = subprocess.run(
        [sys.executable, "-m", "unless", *fit, "t", *kept], cwd=tmp_path, capture_output=True, check=True
    )
    shown = first.stdout + first.stderr
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for table, more in (("t", ("--json", "--unchanged")), ("t", ("-q",)), ("nowhere", ())):
            done = called(*fit, table, *kept, *more, cwd=tmp_path)
            assert done.returncode == (table == "nowhere"), done.stderr
            shown += (done.stdout + done.stderr).encode()
        for wrong in (address.replace("?host=", "?hots="), address.replace("%2F", "/"), address.replace("%40", "@")):
            done = called(fit[0], wrong, *fit[2:], "t", cwd=tmp_path)
            shown += (done.stdout + done.stderr).encode()
    shown += "".join(str(one.message) for one in warned).encode()
    shown += repr(Query(address, "t")).encode() + repr(BlockCache(Query(address, "t"), "kb")).encode()
    with pytest.raises(ReadError) as caught:
        Query(f"{address}&connect_timeout=x", "t").stream()
    shown += "".join(traceback.format_exception(caught.value)).encode()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (_SECRET, "s3cr", "hush"):
        assert secret.encode() not in shown + written


def test_a_connection_that_is_cut_says_one_thing(server, connection, tmp_path):
    """After the error of a connection that was cut nothing else is said, whatever is left of the cursor."""
    address = f"postgresql://test@/{server['dbname']}?host={server['host']}&application_name=cut"
    sql = "SELECT i % 7 AS x, i % 3 AS y, pg_sleep(0.001)::text AS s FROM generate_series(1, 1000000) AS i"
    command = [sys.executable, "-m", "unless", "fit", address, "--target", "y", "--query", sql]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut' AND state = 'active'"
    for _ in range(300):
        if connection.execute(kill).fetchone():
            break
        time.sleep(0.1)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 1
    assert b"PostgreSQL cannot read" in said
    assert b"Exception" not in said
    assert b"Traceback" not in said
