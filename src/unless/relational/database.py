"""Read tables and the foreign keys that connect them from a SQLite or DuckDB file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError, suggest
from unless.relational.tables import Part, Relations

if TYPE_CHECKING:
    import polars as pl


class ForeignKey(NamedTuple):
    """A column that holds keys of another table."""

    table: str
    column: str
    other: str
    key: str


class Tables(NamedTuple):
    """The tables of a database: their primary keys, their foreign keys, and a function that reads a table."""

    keys: Mapping[str, tuple[str, ...]]
    links: tuple[ForeignKey, ...]
    read: Callable[[str], pl.DataFrame]


def relations_of_database(
    path: str | os.PathLike[str],
    main: str,
    *,
    key: str | None = None,
    times: Mapping[str, str] | None = None,
    **more: Any,
) -> Relations:
    """Read the main table of a database file and all tables that belong to it by foreign keys.

    Parameters
    ----------
    path
        Path to a SQLite or DuckDB file.
    main
        The name of the table of individuals.
    key
        The key column of the main table; by default its primary key.
    times
        For each table, the column with the time of each part.
    more
        ``target``, ``until`` and ``name`` as in `Relations`; by default the name is the name of the main table.
    """
    found = _tables(Path(path))
    if main not in found.keys:
        raise UnknownNameError(f"{os.fspath(path)} has no table {main!r}{suggest(main, found.keys)}")
    key = key or _single_key(found, main)
    parts, waiting = dict[str, Part](), [main]
    while waiting:
        whole = waiting.pop(0)
        for link in found.links:
            known = key if whole == main else parts[whole].key
            if link.other == whole and link.key in ("", known) and link.table not in (main, *parts):
                own = found.keys[link.table]
                parent = None if whole == main else whole
                time = (times or {}).get(link.table)
                parts[link.table] = Part(
                    found.read(link.table), link.column, own[0] if len(own) == 1 else None, parent, time
                )
                waiting.append(link.table)
    if not parts:
        raise ReadError(f"{path}: no table has a foreign key of {main!r}; name the links: Part(table, link='…')")
    return Relations(found.read(main), key, parts, **{"name": main, **more})


def _single_key(found: Tables, main: str) -> str:
    if len(found.keys[main]) != 1:
        raise ParameterError(f"{main} has no single-column primary key; specify its key: key='…'")
    return found.keys[main][0]


def _tables(path: Path) -> Tables:
    """List the tables of a file; the first bytes of the file show which kind of database it is."""
    if not path.exists():
        raise MissingFileError(f"{path}: file not found")
    with path.open("rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3"):
        return _sqlite(path)
    if head[8:12] == b"DUCK":
        return _duckdb(path)
    raise ReadError(f"{path} is not a SQLite or DuckDB database; pass tables instead: Relations(main, key, parts)")


def _sqlite(path: Path) -> Tables:
    import sqlite3

    import polars as pl

    def query(text: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            cursor = connection.execute(text)
            return [one[0] for one in cursor.description or ()], cursor.fetchall()

    def read(table: str) -> pl.DataFrame:
        names, rows = query(f"SELECT * FROM {_quoted(table)}")  # noqa: S608 - a name of the database, in quotes
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)

    names = [name for (name,) in query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")[1]]
    keys, links = {}, []
    for table in names:
        columns = query(f"PRAGMA table_info({_quoted(table)})")[1]
        keys[table] = tuple(one[1] for one in sorted(columns, key=lambda one: int(one[5])) if one[5])
        for _, _, other, column, to, *_ in query(f"PRAGMA foreign_key_list({_quoted(table)})")[1]:
            links.append(ForeignKey(table, column, other, to or ""))
    return Tables(keys, tuple(links), read)


def _duckdb(path: Path) -> Tables:
    import duckdb

    def read(table: str) -> pl.DataFrame:
        with duckdb.connect(str(path), read_only=True) as connection:
            frame: pl.DataFrame = connection.table(_quoted(table)).pl()
            return frame

    with duckdb.connect(str(path), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
        rows = connection.execute(
            "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
            "FROM duckdb_constraints() ORDER BY table_name, constraint_index"
        ).fetchall()
    keys = {name: next((tuple(one[2]) for one in rows if one[:2] == (name, "PRIMARY KEY")), ()) for name in names}
    links = (
        ForeignKey(table, columns[0], other, to[0])
        for table, kind, columns, other, to in rows
        if kind == "FOREIGN KEY" and len(columns) == 1
    )
    return Tables(keys, tuple(links), read)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
