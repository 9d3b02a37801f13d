"""Read the results of DuckDB and PostgreSQL queries in batches, any number of times."""

from __future__ import annotations

import hashlib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from unless.blocks.block_arrays import DATA_CHANGED
from unless.blocks.sources import ROWS, Stream
from unless.errors import ParameterError, ReadError, UnlessError, without_passwords
from unless.libraries import import_extra, pl
from unless.read.frames import PolarsFrame
from unless.read.headers import refuse_twins
from unless.read.source import Source

_NO_CELLS = re.compile(
    r"(STRUCT|MAP|UNION|LIST|ARRAY|BLOB|BIT|BIGNUM|VARINT|UHUGEINT|INTERVAL|GEOMETRY|VARIANT)\b|.*\[\d*\]$",
    re.IGNORECASE,
)
"""DuckDB types that are neither numbers nor texts, or that Arrow converts wrongly (2**128 - 1 to -1)."""

_QUERY = re.compile(r"(?is)((--.*?\n|/\*.*?\*/)\s*)*+(\(|(select|from|with|table|values|pivot)\b)")

_NAME = re.compile(r"[\w.]+|.*[\"'(].*", re.DOTALL)
"""Texts that can follow FROM unchanged: a name, quoted names, or a function call."""

_LINE = 80


class RereadFrames(ABC):
    """Records read as frames, again for every pass; each pass must return the rows of the first, in any order."""

    def __init__(self, said: str) -> None:
        self.title = said
        self._seen: tuple[int, int] | None = None

    @abstractmethod
    def _frames(self) -> Iterable[pl.DataFrame]:
        """Yield all records in frames."""

    def batches(self) -> Iterator[Source]:
        """Yield all records; raise an error at the end if they differ from the first whole pass."""
        rows, total = 0, 0
        for frame in self._frames():
            rows += frame.height
            total = (total + frame_hash(frame)) % 2**64
            yield PolarsFrame(frame)
        if self._seen not in (None, (rows, total)):
            raise ReadError(DATA_CHANGED)
        self._seen = rows, total

    def fingerprint(self) -> object:
        """Return None: only reading all records shows a change."""
        return None

    def close(self) -> None:  # noqa: B027 - some have nothing to close
        """Do nothing: no file or connection is open."""


def frame_hash(frame: pl.DataFrame) -> int:
    """Sum the hashes of all rows, in any order; this took 11 ns per cell (131,072 rows of 24)."""
    texts = frame.with_columns(pl.col(pl.Categorical).cast(pl.String))  # codes of categories differ between batches
    return int(texts.hash_rows().to_numpy().sum())


class DuckStream(RereadFrames):
    """A DuckDB relation, run again for every pass. ``own`` is a connection to close with the stream."""

    def __init__(self, relation: Any, said: str = "the relation", own: Any = None) -> None:
        super().__init__(said)
        self._relation, self._own = relation, own
        refuse_twins(relation.columns)
        for name, kind in zip(relation.columns, relation.types, strict=True):
            if _NO_CELLS.match(str(kind)):
                raise ReadError(_unusable_type_message(name, str(kind)))

    def _frames(self) -> Iterator[pl.DataFrame]:
        import_extra("pyarrow", "Arrow", "sql")
        frame: pl.DataFrame | None = None
        with _name_engine_in_errors("DuckDB", self.title):
            relation = self._relation
            reader = (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)(ROWS)  # before 1.5
            for batch in reader:
                frame = pl.DataFrame(pl.from_arrow(batch))
                yield frame
            if frame is None:
                yield pl.DataFrame(pl.from_arrow(reader.schema.empty_table()))

    def close(self) -> None:
        """Close the connection, if it is the stream's own."""
        if self._own is not None:
            self._own.close()


class PostgresStream(RereadFrames):
    """A query on a psycopg connection; one transaction sees the same rows in every pass.

    If ``own``, the connection is closed with the stream.
    """

    def __init__(self, connection: Any, query: str, said: str = "the query", *, own: bool = False) -> None:
        super().__init__(said)
        self._connection, self._query, self._own = connection, query, own
        self._started = False

    def _frames(self) -> Iterator[pl.DataFrame]:
        import psycopg
        from psycopg.rows import tuple_row

        connection = self._connection
        with _name_engine_in_errors("PostgreSQL", self.title, psycopg.Error):
            self._snapshot()
            cursor = connection.cursor(name="unless", row_factory=tuple_row)  # on the server
            try:
                cursor.execute(self._query)
                rows = cursor.fetchmany(ROWS)
                columns = _postgres_columns(cursor.description, connection.cursor(row_factory=tuple_row))
                yield _frame(columns, rows)
                while rows := cursor.fetchmany(ROWS):
                    yield _frame(columns, rows)
            finally:
                with suppress(psycopg.Error):  # a lost connection has already raised an error
                    cursor.close()

    def _snapshot(self) -> None:
        """Begin a transaction that sees the same rows in every pass."""
        if self._started:
            return
        from psycopg.pq import TransactionStatus

        if self._connection.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN):
            raise ParameterError("the connection is in a transaction; commit it, or give a separate connection")
        begin = "BEGIN" if self._connection.autocommit else "SET TRANSACTION"  # the latter: already begun
        self._connection.execute(f"{begin} ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self._started = True

    def close(self) -> None:
        """End the transaction, and close the connection if it is the stream's own."""
        if self._started and not self._connection.closed:
            self._connection.rollback()
        self._started = False
        if self._own:
            self._connection.close()


def _postgres_columns(described: Iterable[Any], cursor: Any) -> dict[str, str]:
    """Return the columns of a result and the names of their types."""
    names = [one.name for one in described]
    refuse_twins(names)
    codes = [one.type_code for one in described]
    cursor.execute("SELECT oid, typname, typtype = 'e' FROM pg_catalog.pg_type WHERE oid = ANY(%s)", [codes])
    kinds = {code: "enum" if is_enum else kind for code, kind, is_enum in cursor}
    found = {name: kinds[code] for name, code in zip(names, codes, strict=True)}
    for name, kind in found.items():
        if kind not in _POSTGRES_TYPES:
            raise ReadError(_unusable_type_message(name, kind))
    return found


_POSTGRES_TYPES = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "Int64"),
    **dict.fromkeys(("float4", "float8"), "Float64"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char"), "String"),
    "bool": "Boolean",
    "date": "Date",
    "time": "Time",
    "timestamp": "Datetime",
    "timestamptz": "Datetime",
    "interval": "Duration",
    "numeric": "Object",
    "uuid": "String",
    "enum": "Categorical",
}
"""The polars types for PostgreSQL types that cells may have; numbers of any length become the nearest float."""


def _frame(columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    made = {}
    for place, (name, kind) in enumerate(columns.items()):
        cells = [row[place] for row in rows]
        match kind:
            case "numeric":
                made[name] = pl.Series([None if x is None else float(x) for x in cells], dtype=pl.Float64)
            case "uuid":
                made[name] = pl.Series([None if x is None else str(x) for x in cells], dtype=pl.String)
            case "timestamptz":
                made[name] = pl.Series(cells, dtype=pl.Datetime("us", "UTC"))
            case _:
                made[name] = pl.Series(cells, dtype=getattr(pl, _POSTGRES_TYPES[kind]))
    return pl.DataFrame(made)


def _unusable_type_message(name: str, kind: str) -> str:
    return (
        f"the column {name!r} is of the type {kind}, which no rule can test; leave it out of the query, "
        "or convert it to a number or a text there"
    )


def quote_sql_name(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _name_engine_in_errors(engine: str, said: str, *errors: type[Exception]) -> Iterator[None]:
    """Convert errors to ones that name the engine and the query."""
    if engine == "DuckDB":
        import duckdb

        errors = (duckdb.Error,)
    try:
        yield
    except UnlessError:
        raise
    except errors as error:
        said_by = str(error.args[0] if error.args else error)  # some are also KeyErrors, whose text is quoted
        first = without_passwords(said_by.splitlines()[0] if said_by else repr(error))
        raise ReadError(f"{engine} cannot read {said}: {first}") from error


@dataclass(frozen=True)
class Query:
    """A query on a database, as the input of a learner.

    ``database`` is a DuckDB or psycopg (PostgreSQL) connection, a Spark session, the path to a DuckDB file, or the
    address of a PostgreSQL database (``postgresql://…``). ``sql`` is a SELECT statement or the name of a table.

    >>> Query("sales.duckdb", "SELECT * FROM orders WHERE year = 2020")
    Query(database='sales.duckdb', sql='SELECT * FROM orders WHERE year = 2020')
    """

    database: Any
    sql: str

    def __repr__(self) -> str:
        return f"Query(database={without_passwords(repr(self.database))}, sql={without_passwords(repr(self.sql))})"

    def stream(self) -> Stream:
        """Open the stream of the records that the query returns."""
        database, select = self.database, self._select
        library = type(database).__module__.partition(".")[0]
        if isinstance(database, str) and "://" in database:
            return PostgresStream(_open_postgres(database), select, self._said, own=True)
        if isinstance(database, (str, os.PathLike)):
            return self._in_duck(opened := _open_duck(database), opened)
        if library in ("duckdb", "_duckdb"):
            return self._in_duck(database)
        if library == "psycopg" and not type(database).__name__.startswith("Async"):
            return PostgresStream(database, select, self._said)
        raise ParameterError(
            f"cannot query {type(database).__name__}: give a connection of DuckDB or psycopg, the path of a DuckDB "
            "file, or postgresql://…"
        )

    def _in_duck(self, connection: Any, own: Any = None) -> Stream:
        try:
            with _name_engine_in_errors("DuckDB", self._said):
                return DuckStream(connection.sql(self._select), self._said, own)
        except BaseException:
            if own is not None:
                own.close()
            raise

    def rows(self) -> list[tuple[Any, ...]]:
        """Fetch all rows of a small result from a DuckDB file."""
        with closing(_open_duck(self.database)) as connection, _name_engine_in_errors("DuckDB", self._said):
            found: list[tuple[Any, ...]] = connection.sql(self.sql).fetchall()
        return found

    @property
    def _said(self) -> str:
        """Write the query in one line, for messages and to identify it in a cache folder.

        A digest follows if the line is not the whole query.
        """
        query = without_passwords(self.sql.strip())
        line = " ".join(query.split())
        if line == query and len(line) <= _LINE:
            return line
        digest = hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"{line if len(line) <= _LINE else line[: _LINE - 1] + '…'} [{digest}]"

    @property
    def _select(self) -> str:
        """Return the caller's SQL, or a SELECT of all rows if it is only the name of a table."""
        text = self.sql.strip().rstrip(";").rstrip()
        if not text:
            raise ParameterError("the query is empty; give a SELECT, or the name of a table")
        if _QUERY.match(text):
            return text
        return f"SELECT * FROM {text if _NAME.fullmatch(text) else quote_sql_name(text)}"  # noqa: S608 - the caller's


def _open_duck(path: str | os.PathLike[str]) -> Any:
    duckdb = import_extra("duckdb", "DuckDB", "sql")
    if not Path(path).is_file():
        raise ReadError(
            f"no database {without_passwords(os.fspath(path))!r}; PostgreSQL needs an address: postgresql://…"
        )
    with _name_engine_in_errors("DuckDB", os.fspath(path)):
        return duckdb.connect(os.fspath(path), read_only=True)


def _open_postgres(address: str) -> Any:
    psycopg = import_extra("psycopg", "psycopg", "postgres")
    try:
        return psycopg.connect(address)
    except psycopg.Error as error:
        said = str(error).splitlines()
    why = without_passwords(said[0]) if said else "it gave no reason"
    if any(piece in why for piece in _pieces_of_passwords(address)):  # the error quotes a malformed address
        why = "the address is malformed; in a password, write %40 for @, %2F for / and %3A for :"
    raise ReadError(f"PostgreSQL cannot open {without_passwords(address)}: {why}")


_PASSWORD = re.compile(r"://[^:@/?#]*:(.*)@|password=([^&\s]*)", re.IGNORECASE)

_LEAST_PIECE = 2


def _pieces_of_passwords(address: str) -> set[str]:
    """Find the parts of passwords in an address, split at special characters, encoded and decoded."""
    found = [one for pair in _PASSWORD.findall(address) for one in pair]
    pieces = {piece for one in found for text in (one, unquote(one)) for piece in re.split(r"[:@/?#&=%\s]", text)}
    return {piece for piece in pieces if len(piece) >= _LEAST_PIECE}
