"""Describe several tables with keys, to be read as facts: a relation for each link between tables and for each column.

A table ``orders`` whose rows belong to customers is the relation ``orders(customer, order)``, and its column ``total``
is ``orders.total(order, number)``. Keys and links are never properties of anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.read.frames import to_native_frame
from unless.read.table import read_table
from unless.relational.table_facts import Kinds, Names, WorldMaker
from unless.relational.world import World
from unless.table import Table
from unless.values import count_text

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Part:
    """A table of parts: each row belongs to a row of the main table, or of another table of parts.

    Parameters
    ----------
    table
        A pandas, polars or Arrow table, a DuckDB relation, or the path of a file.
    link
        The column with the key of the row that each part belongs to.
    key
        The column that names the rows; needed if other tables link to them or explanations should name them.
    parent
        The name of the table of parts that the rows belong to; by default the main table.
    time
        The column with the time of each part.
    """

    table: Any
    link: str
    key: str | None = None
    parent: str | None = None
    time: str | None = None


class Relations:
    """Individuals with parts: a main table with a key, and tables whose rows belong to it.

    Relations have a length and can be indexed by rows, which selects the parts too; so classifiers learn from them and
    scikit-learn splits them like any table: ``UnlessClassifier().fit(relations, y)``.

    Parameters
    ----------
    main
        The individuals: a pandas, polars or Arrow table, a DuckDB relation, or the path of a file.
    key
        The column of ``main`` that names individuals. Keys are never features.
    parts
        Tables of parts, by the names that rules use: ``{"orders": Part(orders, link="customer_id")}``.
    target
        The column of ``main`` with the labels, if it is there.
    until
        The column of ``main`` with the moment of each individual: parts that happened later are ignored.
    name
        The noun for an individual, such as ``customer``.
    """

    def __init__(
        self,
        main: Any,
        key: str,
        parts: Mapping[str, Part],
        *,
        target: str | None = None,
        until: str | None = None,
        name: str = "record",
    ) -> None:
        self.name, self.key, self.target, self.until = name, key, target, until
        self.main = _frame(main, name)
        if wrong := next((one for one, part in parts.items() if not isinstance(part, Part)), None):
            raise ParameterError(f"parts: {wrong} is a {type(parts[wrong]).__name__}; write Part(table, link='…')")
        self.parts = {one: replace(part, table=_frame(part.table, one)) for one, part in parts.items()}
        _check(self)
        self.rows: NDArray[np.int64] = np.arange(self.main.height)
        self._worlds: dict[tuple[tuple[str, str], ...], World] = {}

    @classmethod
    def of_database(cls, path: str | os.PathLike[str], main: str, **more: Any) -> Relations:
        """Read the table ``main`` of a SQLite or DuckDB file and the tables that foreign keys connect with it.

        ``key``, ``target``, ``until`` and ``name`` are as above; by default the key is the primary key.
        ``times`` gives, by table, the column with the time of each part.
        """
        from unless.relational.database import relations_of_database  # it makes relations

        return relations_of_database(path, main, **more)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of individuals, and the number of tables."""
        return len(self), 1 + len(self.parts)

    def __getitem__(self, rows: slice | Sequence[int] | NDArray[Any] | tuple[Any, EllipsisType]) -> Relations:
        wanted: Any = rows[0] if isinstance(rows, tuple) else rows
        picked = wanted if isinstance(wanted, slice) else np.asarray(wanted)
        if isinstance(picked, np.ndarray) and picked.ndim != 1:
            raise TypeError("relations can be indexed by a slice, a mask or row numbers")
        found = object.__new__(Relations)
        found.__dict__.update(self.__dict__)
        found.rows = self.rows[picked.astype(np.intp) if isinstance(picked, np.ndarray) and not picked.size else picked]
        return found

    def __array__(self, *_: object, **__: object) -> NDArray[Any]:
        """Raise an error, because several tables are not an array."""
        raise TypeError("relations are several tables, not an array")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worlds": {}}

    def __repr__(self) -> str:
        tables = ", ".join(f"{one}: {part.table.height:,} rows" for one, part in self.parts.items())
        return f"<Relations: {count_text(len(self), self.name)}, {tables}>"

    @property
    def y(self) -> NDArray[Any]:
        """The label of every individual."""
        return self.labelled().y

    def labelled(self) -> Table:
        """Return the labels, as a table without columns."""
        if self.target is None:
            raise ReadError("the relations have no labels; pass y, or name their column: Relations(..., target=...)")
        return read_table(self.main.select(self.target)[self.rows.tolist()], self.target)

    def names(self) -> Sequence[str]:
        """Return the keys of the individuals, as texts."""
        return Names(self.main[self.key].gather(self.rows))

    def world(self, kinds: Kinds | None = None) -> World:
        """Build the facts and the selected individuals; if ``kinds`` are given, columns are read as in training."""
        key = tuple(sorted((kinds or {}).items()))
        if key not in self._worlds:
            self._worlds[key] = WorldMaker(self, kinds or {}).world()
        return self._worlds[key].of(self.rows)


# Checking the tables.


def _frame(source: Any, name: str) -> pl.DataFrame:
    """Return a table as a polars frame."""
    import polars as pl

    if isinstance(source, str | os.PathLike):
        return read_table(source).to_polars()
    if type(source).__name__ == "DuckDBPyRelation":
        return source.pl()  # type: ignore[no-any-return]
    found = to_native_frame(source)
    if isinstance(found, pl.DataFrame):
        return found
    if isinstance(found, Table):
        return found.to_polars()
    import narwhals as nw

    try:
        frame: pl.DataFrame = nw.from_native(found, eager_only=True).to_polars()
    except TypeError:
        what = type(source).__name__
        raise ParameterError(f"{name} is a {what}; pass a frame, a DuckDB relation or a path") from None
    return frame


def _check(relations: Relations) -> None:
    """Reject missing columns, duplicate keys, and links that lead nowhere."""
    main, name = relations.main, relations.name
    if not relations.parts:
        raise ParameterError("no tables of parts were given; pass parts={'orders': Part(orders, link='customer_id')}")
    for column in (relations.key, relations.target, relations.until):
        _refuse_lacking(main, column, name)
    _refuse_double(main, relations.key, name)
    for one, part in relations.parts.items():
        if one == name or "." in one:
            raise ParameterError(f"parts: a table is called {one!r}; give it a name without dots that is not {name!r}")
        _check_part(one, part, relations.parts)
    for one in relations.parts:
        _refuse_loop(relations.parts, one)


def _check_part(name: str, part: Part, parts: Mapping[str, Part]) -> None:
    """Reject a table of parts that lacks columns or belongs to nothing."""
    for column in (part.link, part.key, part.time):
        _refuse_lacking(part.table, column, name)
    if part.key is not None:
        _refuse_double(part.table, part.key, name)
    if part.parent is None:
        return
    if part.parent not in parts:
        raise UnknownNameError(f"{name}: no table {part.parent!r}{suggest(part.parent, parts)}")
    if parts[part.parent].key is None:
        raise ParameterError(f"{name} belongs to {part.parent}, which has no key; set Part({part.parent}, key='…')")


def _refuse_loop(parts: Mapping[str, Part], name: str) -> None:
    seen, parent = [name], parts[name].parent
    while parent is not None:
        if parent in seen:
            raise ParameterError(f"parts: {' belongs to '.join([*seen, parent])}; one must belong to the main table")
        seen.append(parent)
        parent = parts[parent].parent


def _refuse_lacking(frame: pl.DataFrame, column: str | None, name: str) -> None:
    if column is not None and column not in frame.columns:
        raise UnknownNameError(f"{name} has no column {column!r}{suggest(column, frame.columns)}")


def _refuse_double(frame: pl.DataFrame, key: str, name: str) -> None:
    """Reject a key that is missing in some row, or that two rows share."""
    column = frame[key]
    if empty := column.null_count():
        raise ReadError(f"{name}: {count_text(empty, 'row')} without {key}; a key names every row")
    if column.n_unique() < len(column):
        twice = column.filter(column.is_duplicated())[0]
        raise ReadError(
            f"{name}: {key} is {twice!r} in two rows, so it is not a key of {name}; choose another column, or make the "
            "rows parts of something else"
        )
