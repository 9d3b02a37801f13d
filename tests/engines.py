"""The engines that run what is exported, for the tests and for the searches of tests/torture.

DuckDB, SQLite, servers of our own of PostgreSQL and of MariaDB, which runs the dialect of MySQL, Spark, and Node. What
is not installed is `Lacking`.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

__all__ = [
    "QUICK",
    "Database",
    "Lacking",
    "MariaDB",
    "Node",
    "Spark",
    "database",
    "graphs",
    "mariadb",
    "node",
    "postgres",
    "spark",
]

TYPES = {
    "duckdb": {"number": "DOUBLE", "text": "VARCHAR", "mixed": "VARCHAR", "boolean": "BOOLEAN"},
    "sqlite": {"number": "REAL", "text": "TEXT", "mixed": "TEXT", "boolean": "BOOLEAN", "time": "TEXT"},
    "postgres": {"number": "DOUBLE PRECISION", "text": "TEXT", "mixed": "TEXT", "boolean": "BOOLEAN"},
    "mysql": {"number": "DOUBLE", "text": "LONGTEXT", "mixed": "LONGTEXT", "boolean": "BOOLEAN"}
    | {"timestamp": "DATETIME(6)", "time": "TIME(6)"},
    "spark": {"number": "DOUBLE", "text": "STRING", "mixed": "STRING", "boolean": "BOOLEAN"}
    | {"timestamp": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP"},
}

_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
QUICK = {f"spark.{who}.extraJavaOptions": _JAVA for who in ("driver", "executor")}
"""Settings of Spark for minutes: Java's second compiler takes longer than what it makes faster."""


class Lacking(Exception):  # noqa: N818 - no error: a test skips, unless everything should be there
    """An engine that is not installed."""


class Database:
    """A database with tables of cells, from which expressions are selected."""

    quote = '"'

    def __init__(self, dialect, connection, place="?") -> None:
        self.dialect, self.connection, self.place = dialect, connection, place
        self.execute = connection.execute
        self.tables = 0

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.connection.close()

    def table(self, columns: dict[str, list], kinds: dict[str, str]) -> str:
        """A new table; a kind that is none is a type of the database."""
        self.tables += 1
        name = f"table_{self.tables}"
        types = [TYPES[self.dialect].get(kinds[column], kinds[column]) for column in columns]
        quoted = [f"{self.quote}{column.replace(self.quote, 2 * self.quote)}{self.quote}" for column in columns]
        self.execute(
            f"CREATE TABLE {name} (row_place INTEGER, {', '.join(map(' '.join, zip(quoted, types, strict=True)))})"
        )
        rows = [(number, *row) for number, row in enumerate(zip(*columns.values(), strict=True))]
        self.insert(name, rows)
        return name

    def insert(self, table: str, rows: list[tuple]) -> None:
        """Add rows to a table."""
        places = ", ".join([self.place] * len(rows[0]))
        self.connection.cursor().executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def select(self, expression: str, table: str) -> list:
        """The values of an expression, row by row."""
        return self.select_all([expression], table)[0]

    def select_all(self, expressions: list[str], table: str) -> list[list]:
        """The values of several expressions, in one query."""
        named = ", ".join(f"{one} AS result_{place}" for place, one in enumerate(expressions))
        rows = self.execute(f"SELECT row_place, {named} FROM {table} ORDER BY row_place").fetchall()
        return [[row[place] for row in rows] for place in range(1, len(expressions) + 1)]


class MariaDB(Database):
    """MariaDB, with what is the same in MySQL; SQL is passed on as it is, where the client would fill percent signs."""

    quote = "`"

    def __init__(self, connection) -> None:
        self.cursor = connection.cursor()
        connection.execute = self._execute
        super().__init__("mysql", connection, "%s")

    def _execute(self, sql: str):
        self.cursor.execute(sql)
        return self.cursor

    def insert(self, table: str, rows: list[tuple]) -> None:
        """Add rows to a table; a text that is filled in may have any character."""
        places = ", ".join([self.place] * len(rows[0]))
        self.cursor.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


@contextmanager
def database(dialect: str) -> Iterator[Database]:
    """A database of a dialect, empty."""
    if dialect == "sqlite":
        with Database("sqlite", sqlite3.connect(":memory:")) as opened:
            yield opened
    elif dialect == "duckdb":
        with Database("duckdb", _package("duckdb").connect()) as opened:
            yield opened
    elif dialect == "mysql":
        with mariadb() as socket, MariaDB(_connected_to_mariadb(socket)) as opened:
            yield opened
    else:
        with postgres() as folder, Database("postgres", _connected(folder), "%s") as opened:
            yield opened


class Spark:
    """A Spark session with tables of cells, from which expressions are selected."""

    dialect = "spark"

    def __init__(self, session) -> None:
        self.session = session
        self.tables = 0

    def compile(self, *, on: bool) -> None:
        """Whether expressions are compiled, as by default, or interpreted: compiling takes longer than a few rows."""
        self.session.conf.set("spark.sql.codegen.wholeStage", on)
        self.session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if on else "NO_CODEGEN")

    def frame(self, columns: dict[str, list], kinds: dict[str, str]):
        """A frame of columns; a kind that is none is a type of Spark."""
        fields = ", ".join(
            f"`{name.replace('`', '``')}` {TYPES['spark'].get(kinds[name], kinds[name])}" for name in columns
        )
        rows = [tuple(row) for row in zip(*columns.values(), strict=True)]
        return self.session.createDataFrame(rows, fields).coalesce(1)

    def table(self, columns: dict[str, list], kinds: dict[str, str]) -> str:
        """A new view of columns, with the number of each row."""
        self.tables += 1
        rows = len(next(iter(columns.values())))
        numbered = {"row_place": [*range(rows)], **columns}
        view = self.frame(numbered, {**kinds, "row_place": "INT"}).cache()
        view.createOrReplaceTempView(f"table_{self.tables}")
        return f"table_{self.tables}"

    def execute(self, sql: str) -> SimpleNamespace:
        """The rows of a query, as databases give them."""
        return SimpleNamespace(fetchall=self.session.sql(sql).collect)

    def select(self, expression: str, table: str) -> list:
        """The values of an expression, row by row."""
        return self.select_all([expression], table)[0]

    def select_all(self, expressions: list[str], table: str) -> list[list]:
        """The values of several expressions, in one query: a query takes a tenth of a second."""
        named = ", ".join(f"{one} AS result_{place}" for place, one in enumerate(expressions))
        rows = sorted(self.session.sql(f"SELECT row_place, {named} FROM {table}").collect(), key=lambda row: row[0])
        return [[row[place] for row in rows] for place in range(1, len(expressions) + 1)]


@contextmanager
def spark() -> Iterator[Spark]:
    """Spark on one core, in a process of its own that lives as long as the block."""
    _package("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise Lacking("Java (Debian: openjdk-17-jre-headless)")
    from pyspark.sql import SparkSession

    settings = {
        **QUICK,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[1]").appName("unless")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    engine = Spark(session)
    engine.compile(on=False)
    try:
        yield engine
    finally:
        session.stop()


def _package(name: str):
    try:
        return __import__(name)
    except ImportError:
        raise Lacking(name) from None


@contextmanager
def postgres() -> Iterator[str]:
    """The folder of the socket of a PostgreSQL server that lives as long as the block."""
    places = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")), shutil.which("initdb")]
    found = [Path(place).parent for place in places if place]
    if not found:
        raise Lacking("PostgreSQL (Debian: postgresql)")
    _package("psycopg")
    folder = tempfile.mkdtemp(prefix="unless-pg-")
    user = {}
    if os.getuid() == 0:  # the server refuses to run as root
        names = {entry.pw_name for entry in pwd.getpwall()}
        user = {"user": "postgres" if "postgres" in names else "nobody", "cwd": folder}
        shutil.chown(folder, user["user"])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **user}
    data = f"{folder}/data"
    create = [found[-1] / "initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(create, check=True, **quiet)
    settings = ["-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB"]
    server = subprocess.Popen([found[-1] / "postgres", "-D", data, *settings], **quiet)
    try:
        yield folder
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def mariadb() -> Iterator[str]:
    """The socket of a MariaDB server that lives as long as the block."""
    server = shutil.which("mariadbd") or shutil.which("/usr/sbin/mariadbd")
    if server is None:
        raise Lacking("MariaDB (Debian: mariadb-server)")
    _package("pymysql")
    folder = tempfile.mkdtemp(prefix="unless-maria-")
    Path(folder, "data").mkdir()  # empty: without users and their rights, the server needs none of its tables
    settings = {"datadir": f"{folder}/data", "socket": f"{folder}/socket", "pid-file": f"{folder}/pid"}
    settings |= {"user": pwd.getpwuid(os.getuid()).pw_name, "default-storage-engine": "MyISAM"}
    settings |= {"max-allowed-packet": "256M", "thread-stack": "16M"}
    flags = ["--no-defaults", "--skip-networking", "--skip-grant-tables", "--skip-innodb", "--skip-log-bin"]
    process = subprocess.Popen(
        [server, *flags, *(f"--{name}={value}" for name, value in settings.items())],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        yield f"{folder}/socket"
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _connected_to_mariadb(socket: str):
    pymysql = _package("pymysql")
    deadline = time.monotonic() + 60
    while not Path(socket).exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    connection = pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4", autocommit=True)
    with connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE tested CHARACTER SET utf8mb4")
        cursor.execute("USE tested")
    return connection


def _connected(folder: str):
    psycopg = _package("psycopg")
    deadline = time.monotonic() + 30
    while True:
        try:
            return psycopg.connect(host=folder, user="test", dbname="postgres", autocommit=True)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


_LOOP = """
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const [source, name, records] = JSON.parse(line);
  let answer;
  try {
    const f = new Function(source + "\\nreturn " + name + ";")();
    answer = new Function("return " + records)().map(f);
  } catch (error) { answer = String(error); }
  console.log(JSON.stringify(answer, (_, v) => typeof v === "number" && !Number.isFinite(v) ? {number: String(v)} : v));
});
"""


@contextmanager
def graphs() -> Iterator:
    """A function that runs a model as a graph of ONNX: what it makes of a table, by output."""
    onnx, runtime = _package("onnx"), _package("onnxruntime")
    from unless.export import onnx_inputs, to_onnx

    def run(model, table, *, missing: str = "\N{REPLACEMENT CHARACTER}", **options) -> dict:
        graph = to_onnx(model, missing=missing, **options)
        onnx.checker.check_model(graph, full_check=True)
        session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        found = session.run(None, onnx_inputs(model, table, missing=missing, **options))
        return dict(zip([one.name.rstrip("_") for one in session.get_outputs()], found, strict=True))

    yield run


class Node:
    """A JavaScript engine that answers line by line."""

    def __init__(self, binary: str) -> None:
        self.process = subprocess.Popen([binary, "-e", _LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, source: str, records: list[dict] | str, name: str = "classify") -> list:
        """What the function gives for each record; records may also be JavaScript."""
        if not isinstance(records, str):
            records = json.dumps(records)  # NaN and Infinity are spelled as JavaScript spells them
        self.process.stdin.write(json.dumps([source, name, records]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert isinstance(answer, list), answer
        return answer


@contextmanager
def node() -> Iterator[Node]:
    """Node, which lives as long as the block."""
    binary = shutil.which("node")
    if binary is None:
        raise Lacking("node (Debian: nodejs)")
    engine = Node(binary)
    try:
        yield engine
    finally:
        engine.process.stdin.close()
        engine.process.stdout.close()
        engine.process.wait(10)
