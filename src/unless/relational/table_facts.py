"""Turn several tables into facts: links between rows, and columns as relations, up to a moment per individual."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError, UnlessWarning
from unless.read.table import read_table
from unless.relational.world import NUMBER, Codes, Relation, World
from unless.values import number_to_text
from unless.values.notation import DAY, DateNotation, Notation

if TYPE_CHECKING:
    import polars as pl

    from unless.relational.tables import Part, Relations

Kinds = Mapping[str, str]
"""The columns that hold numbers and the columns that hold categories, by name of their relation, as in training."""


def kinds_of(world: World) -> dict[str, str]:
    """Return which columns of a world hold numbers, and which hold categories."""
    columns = [one for one in world.relations.values() if len(one.types) == 2 and "." in one.name]
    return {one.name: "number" if one.types[1] == NUMBER else "text" for one in columns}


class Names(Sequence[str]):
    """The names of the rows of a table: keys as texts, or row numbers."""

    def __init__(self, keys: pl.Series | range) -> None:
        self.keys = keys

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, row: Any) -> Any:
        key = self.keys[int(row)]
        if isinstance(self.keys, range):
            return f"row {key}"
        return number_to_text(key) if isinstance(key, float) else str(key)


class WorldMaker:
    """Builds one world from tables."""

    def __init__(self, given: Relations, kinds: Kinds) -> None:
        self.given, self.kinds = given, kinds
        self.relations: dict[tuple[str, int], Relation] = {}
        self.names: dict[str, Sequence[str]] = {}
        self.notations: dict[str, Notation] = {}
        self.times: dict[str, str] = {}
        self.moments: _Times | None = None

    def world(self) -> World:
        """Build the facts of all tables; the individuals are all rows of the main table."""
        given = self.given
        self.names[given.name] = Names(given.main[given.key])
        aside = {given.key, given.target, given.until}
        self._columns(given.main.select([one for one in given.main.columns if one not in aside]), given.name)
        if given.until is not None:
            self.moments = _times(given.main, given.until, given.name)
        owners: dict[str | None, tuple[Codes, Codes]] = {}
        for name in _parents_first(given.parts):
            owners[name] = self._part(name, given.parts[name], owners)
        self._warn_of_dates()
        everyone = np.arange(given.main.height, dtype=np.int32)
        return World(self.relations, self.names, (given.name,), (everyone,), notations=self.notations, times=self.times)

    def _part(self, name: str, part: Part, owners: Mapping[str | None, tuple[Codes, Codes]]) -> tuple[Codes, Codes]:
        """Add the relations of a table of parts; return the owners of its rows, and their individuals."""
        given, parent = self.given, part.parent or self.given.name
        whole = (
            given.main[given.key]
            if part.parent is None
            else given.parts[part.parent].table[given.parts[part.parent].key]
        )
        links = _codes(whole, part.table[part.link])
        if len(links) and (links < 0).all():
            raise ReadError(
                f"no row of {name}.{part.link}, such as {part.table[part.link][0]!r}, is a key of {parent}, such as "
                f"{whole[0] if len(whole) else None!r}; check that both columns write keys in the same way"
            )
        individuals = links if part.parent is None else _through(links, owners[part.parent][1])
        inside = individuals >= 0
        frame, aside = part.table, {part.link, part.key, part.time}
        if part.time is not None:
            when = _times(frame, part.time, name)
            if self.moments is not None:
                moments = self.moments.numbers[np.where(individuals < 0, 0, individuals)]
                inside &= when.numbers <= moments
                before, what = (moments - when.numbers) / when.unit, "days before" if when.unit == DAY else "before"
                self._number(f"{name}.{what}", name, np.where(inside, before, np.nan))
            self._number(f"{name}.{part.time}", name, when.numbers)
            self.times[name] = f"{name}.{part.time}"
        rows = np.arange(frame.height, dtype=np.int32)
        self.relations[name, 2] = Relation(name, (parent, name), (links[inside], rows[inside]))
        self.names[name] = Names(range(1, frame.height + 1) if part.key is None else frame[part.key])
        self._columns(frame.select([one for one in frame.columns if one not in aside]), name)
        return links, np.where(inside, individuals, -1).astype(np.int32)

    def _columns(self, frame: pl.DataFrame, table: str) -> None:
        """Add a relation for each column of a table."""
        rows = np.arange(frame.height, dtype=np.int32)
        plain = [one for one in frame.columns if self._is_plain_number(frame, one, table)]
        for name in plain:
            self._number(f"{table}.{name}", table, _numbers(frame[name]))
        others = [one for one in frame.columns if one not in plain]
        if not others:
            return
        said = {one: self.kinds.get(f"{table}.{one}") for one in others}
        read = read_table(
            frame.select(others),
            numeric=[one for one in others if said[one] == "number"],
            categorical=[one for one in others if said[one] == "text"],
        )
        for column in read.columns:
            name = f"{table}.{column.name}"
            if column.kind == "number":
                numbers = np.append(column.numbers, np.nan)[column.codes]
                self._number(name, table, numbers)
                if column.notation is not None:
                    self.notations[name] = column.notation
                continue
            spelled = tuple(map(number_to_text, column.numbers.tolist())) + column.categories
            codes = np.where(column.codes == column.missing, -1, column.codes).astype(np.int32)
            self.names[name] = spelled
            self.relations[name, 2] = Relation(name, (table, name), (rows, codes))

    def _is_plain_number(self, frame: pl.DataFrame, name: str, table: str) -> bool:
        dtype = frame.schema[name]
        return (dtype.is_integer() or dtype.is_float()) and self.kinds.get(f"{table}.{name}") != "text"

    def _number(self, name: str, table: str, cells: NDArray[np.float64]) -> None:
        rows = np.arange(len(cells), dtype=np.int32)
        self.relations[name, 2] = Relation(name, (table, NUMBER), (rows, cells))

    def _warn_of_dates(self) -> None:
        """Warn about parts with dates, which may be later than the moment of prediction."""
        for name, part in self.given.parts.items():
            dated = [
                one.removeprefix(f"{name}.")
                for one, notation in self.notations.items()
                if one.startswith(f"{name}.") and isinstance(notation, DateNotation)
            ]
            if (part.time is None and dated) or (part.time is not None and self.given.until is None):
                when = part.time or dated[0]
                warnings.warn(
                    f"{name} has the time {when!r}: parts may have happened after the moment of prediction; specify "
                    f"when each {self.given.name} is decided: Part(…, time={when!r}) and Relations(…, until='…')",
                    UnlessWarning,
                    stacklevel=6,
                )


def _parents_first(parts: Mapping[str, Part]) -> list[str]:
    found: list[str] = []
    while len(found) < len(parts):
        found += [
            one for one, part in parts.items() if one not in found and (part.parent is None or part.parent in found)
        ]
    return found


def _through(links: Codes, individuals: Codes) -> Codes:
    return np.where(links < 0, -1, individuals[np.where(links < 0, 0, links)]).astype(np.int32)


def _codes(keys: pl.Series, links: pl.Series) -> Codes:
    """Find the row of the key that each link names; -1 if no row has the key."""
    import polars as pl

    if keys.dtype != links.dtype:
        numbers = all(one.is_numeric() for one in (keys.dtype, links.dtype))
        keys, links = (one.cast(pl.Float64 if numbers else pl.String) for one in (keys, links))
    left, right = pl.DataFrame({"key": links}), pl.DataFrame({"key": keys}).with_row_index("row")
    found = left.join(right, on="key", how="left", maintain_order="left")["row"]
    return found.cast(pl.Int32).fill_null(-1).to_numpy()


def _numbers(series: pl.Series) -> NDArray[np.float64]:
    import polars as pl

    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()


class _Times(NamedTuple):
    """The moments in a column, NaN if unknown; ``unit`` is a day if the moments are dates."""

    numbers: NDArray[np.float64]
    unit: float


def _times(frame: pl.DataFrame, name: str, table: str) -> _Times:
    if frame.schema[name].is_numeric():
        return _Times(_numbers(frame[name]), 1.0)
    column = read_table(frame.select(name)).columns[0]
    if column.kind != "number":
        raise ReadError(
            f"{table}.{name} contains no times, but {column.value(0)!r}; convert it to dates, or to numbers that "
            "grow with time"
        )
    return _Times(np.append(column.numbers, np.nan)[column.codes], float(DAY))
