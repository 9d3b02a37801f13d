"""A block: some rows of a table, held as the kernels count them, in memory or in a file that is mapped.

It is an engine of its own, so that a literal, a rule or a fold means what it means in memory; and it counts in the bins
that all blocks share. Columns of few values share their values too; where there are too many, each block has its own.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels.grid import Grid, Selection
from unless.learn.blocks.bins import Bins
from unless.learn.blocks.questions import OPERATIONS, Integers, Piece, Question, Step
from unless.learn.memory import MemoryEngine
from unless.table import Column, Labels, Split, Table
from unless.table.hashes import Hashes, record_hashes
from unless.table.split import identities, part_counts, sample_of, sums_of
from unless.values import Label

CHANGED = "the data changed while it was read; learn from a copy, or when nobody writes to it"

Arrays = Mapping[str, NDArray[Any]]
"""What a block is made of, by name: its planes, labels and weights, and the values of columns that have their own."""


_NO_ROWS: NDArray[np.uint8] = np.empty(0, np.uint8)


class Texts(Sequence[str]):
    """Texts in order, as they lie in a file: UTF-8, one after the other, and where each ends."""

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._data, self._ends = data, ends

    @classmethod
    def packed(cls, texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes and ends of texts."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return np.frombuffer(b"".join(encoded), np.uint8), ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[str]:
        data = self._data.tobytes()
        return (data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(self._ends.tolist()))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._data[self._ends[place] : self._ends[place + 1]].tobytes().decode("utf-8", "surrogatepass")


class Block(MemoryEngine):
    """Rows that answer questions. They remember some sets of rows, within ``room``, a number of bytes."""

    def __init__(self, bins: Sequence[Bins], labels: int, arrays: Arrays, room: float = 2e9) -> None:
        self.features = tuple(one.column.name for one in bins)
        self.labels = tuple(range(labels))
        self._columns = tuple(_column(one, i, arrays) for i, one in enumerate(bins))
        self._own = [one.open for one in bins]
        self._finer = {i: arrays[f"finer {i}"] for i, one in enumerate(bins) if one.finer is not None}
        self._labels, self._weights = arrays["labels"], arrays["weights"]
        self._count = len(self._labels)
        self._even = bool((self._weights == 1).all())
        self._unit = 1.0
        self._grid: Any = _empty_grid(bins, self._columns, self._labels, self._weights)
        self._grid.adopt(arrays["grid"], arrays["bins"], arrays["fine"])
        self._literals, self._tests, self._folds = {}, {}, None
        self._bins = int(max(self._grid.spans()[2], default=0))
        self._held: OrderedDict[int, tuple[Selection, int]] = OrderedDict()
        self._room = room
        self._packed: OrderedDict[int, NDArray[Any]] = OrderedDict()
        self._packed_room = room

    # What is asked: `questions` puts the answers of all blocks together.

    def sizes(self, rows: Selection) -> Integers:
        """How many rows of each label there are, and how much they weigh."""
        labels = len(self.labels)
        weights = self._grid.popularity(rows, labels)
        times = weights if self._even else np.bincount(self._labels[rows.rows()], minlength=labels)
        return np.array([times, weights], np.int64)

    def histogram(self, rows: Selection) -> NDArray[np.int32]:
        """The weight of the rows in each bin of each column."""
        found: NDArray[np.int32] = self._grid.histogram(rows)
        return found

    def column(self, place: int) -> Column:
        """A column with its values here, and without its rows."""
        return self._columns[place]

    def by_rank(self, rows: Selection, place: int, first: int = 0, end: int | None = None) -> Integers:
        """The weight of the rows that have each rank of a column, or each of some ranks."""
        found = np.zeros((self._columns[place].missing + 1 if end is None else end) - first, np.int64)
        self._grid.weigh_ranks(rows, place, first, found)
        return found

    def by_part(self, rows: Selection, place: int, first: int, end: int) -> Integers:
        """The weight of the rows in some of the finer parts of the numbers of an open column."""
        found = np.zeros(end - first, np.int64)
        self._grid.weigh_codes(rows, self._finer[place], first, found)
        return found

    def piece(self, sets: Sequence[Selection]) -> Piece:
        """The rows of some sets, one set after the other."""
        rows = np.concatenate([rows.rows() for rows in sets])
        cells = zip(self._columns, self._own, self._codes(rows), strict=True)
        pairs = [_fetched(column, codes) if own else (codes, None) for column, own, codes in cells]
        which = np.repeat(np.arange(len(sets), dtype=np.uint8), [len(one.rows()) for one in sets])
        found, values = tuple(each for each, _ in pairs), tuple(column for _, column in pairs)
        return Piece(found, values, self._labels[rows], self._weights[rows], which)

    def _codes(self, rows: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
        """The ranks of some rows, column by column."""
        return (self._grid.ranks_of(i, rows) for i in range(len(self._columns)))

    def apart(self, rows: Selection, split: Split) -> tuple[Selection, Selection]:
        """The rows that are learned from, and those that are held back."""
        numbers = rows.rows()
        held = split.of_codes(self._hashes(), self._labels)[numbers]
        return self.of_rows(numbers[~held]), self.of_rows(numbers[held])

    def census(self, labels: tuple[Label, ...], salt: int) -> tuple[Integers, Hashes, Hashes]:
        """How many rows of each label are in each part of a split; the sums of the fingerprint of all; and a sample."""
        hashes, known = self._hashes(), Labels("", labels, self._labels)
        found = identities(hashes, known)
        return part_counts(hashes, known, salt), sums_of(found), sample_of(found)

    def folds(self, rows: Selection, count: int, among: int | None = None) -> list[Selection]:
        found = super().folds(rows, count, among)
        self._folds = None  # eight bytes for every row
        return found

    # Rows by definition.

    def selected(self, question: Question[Any]) -> Iterator[Selection]:
        """The sets of a question, one after the other."""
        for number in question.sets:
            yield self._rows(number, question.steps)

    def _rows(self, number: int, steps: Mapping[int, Step]) -> Selection:
        """A set, from sets that are remembered."""
        known: dict[int, Selection] = {}
        order = self._order(number, steps, known)
        uses = Counter([number, *(one for each in order for one in steps[each][1])])
        for each in order:
            op, sets, what, group = steps[each]
            found = OPERATIONS[op](self, *(known[one] for one in sets), *what)
            most = max((len(known[one].rows()) for one in sets), default=0)
            for one, rows in zip(group, found, strict=True):
                known[one] = rows if op == "label" else self._compact(rows, most)
                self._hold(one, known[one])
            uses.subtract(sets)
            for one in (*sets, *group):
                if not uses[one]:  # a long chain of sets would not fit into memory
                    known.pop(one, None)
        return known[number]

    def _order(self, number: int, steps: Mapping[int, Step], known: dict[int, Selection]) -> list[int]:
        """The definitions to work out, each after those that it needs; sets that are remembered become known."""
        order, seen = list[int](), set[int]()
        waiting = [(number, False)]
        while waiting:
            one, ready = waiting.pop()
            if ready:
                order.append(one)
            elif one not in seen and one not in known and not self._recall(one, known):
                _, sets, _, group = steps[one]
                seen.update(group)
                waiting.append((one, True))
                waiting += [(each, False) for each in sets]
        return order

    def _recall(self, number: int, known: dict[int, Selection]) -> bool:
        if number in self._held:
            self._held.move_to_end(number)
            known[number] = self._held[number][0]
        elif number in self._packed:
            known[number] = self.of_rows(_unpacked(self._unpack(number)))
            self._hold(number, known[number])
        return number in known

    def _compact(self, rows: Selection, most: int) -> Selection:
        """A copy of few rows out of ``most``: as a part of their array, they would keep all of it in memory."""
        return self.of_rows(rows.rows().copy()) if 2 * len(rows.rows()) < most else rows

    def _hold(self, number: int, rows: Selection) -> None:
        """Remember a set; those that were not used for longest are packed, if there is no room, and then forgotten.

        Sets are made from one another. If one is lost, so many may have to be made again for every question that
        learning from wide data would never end.
        """
        size = 4 * (len(rows.rows()) + self._bins)
        self._held[number] = rows, size
        self._room -= size
        while self._room < 0 and self._held:
            oldest, (some, freed) = self._held.popitem(last=False)
            self._room += freed
            self._pack(oldest, some)

    def _pack(self, number: int, rows: Selection) -> None:
        self._packed[number] = found = _packed(rows.rows(), self._count)
        self._packed_room -= found.nbytes + _EACH
        while self._packed_room < 0:
            self._unpack(next(iter(self._packed)))

    def _unpack(self, number: int) -> NDArray[Any]:
        found = self._packed.pop(number)
        self._packed_room += found.nbytes + _EACH
        return found

    def _hashes(self) -> NDArray[np.uint64]:
        codes = self._codes(np.arange(self._count, dtype=np.int32))
        return record_hashes([_with(*each) for each in zip(self._columns, codes, strict=True)], self._count)


_EACH = 200
"""About how many bytes it takes to remember an array, however small."""


def _packed(rows: NDArray[np.int32], count: int) -> NDArray[Any]:
    """Rows in little memory: a bit for each of all rows, or the numbers of few."""
    if 32 * len(rows) < count:
        return rows.copy()
    bits = np.zeros(count, bool)
    bits[rows] = True
    return np.packbits(bits)


def _unpacked(rows: NDArray[Any]) -> NDArray[np.int32]:
    """The rows themselves, in order."""
    return rows if rows.dtype == np.int32 else np.flatnonzero(np.unpackbits(rows)).astype(np.int32)


def arrays_of(table: Table, bins: Sequence[Bins], labels: NDArray[np.int32], weights: NDArray[np.int32]) -> Arrays:
    """What a block of these rows is made of; the columns have the values that the bins know, or their own."""
    own: dict[str, NDArray[Any]] = {}
    columns = []
    for i, one in enumerate(bins):
        column = table.columns[i]
        if one.open:
            own[f"numbers {i}"] = column.numbers
            own[f"texts {i}"], own[f"ends {i}"] = Texts.packed(column.categories)
            if one.finer is not None:
                own[f"finer {i}"] = one.finer_of(column)[column.codes]
        else:
            column = _ranked_alike(column, one.column)
        columns.append(column)
    grid = _empty_grid(bins, columns, labels, weights)
    for i, (one, column) in enumerate(zip(bins, columns, strict=True)):
        if one.cuts is None:
            grid.load_narrow(i, column.codes.astype(np.uint8, copy=False))
        else:
            grid.load_binned(i, column.codes.astype(np.int32), one.bin_of(column))
    grid.loaded()
    cells, bytes_, fine = grid.planes()
    return {"grid": cells, "bins": bytes_, "fine": fine, "labels": labels, "weights": weights, **own}


def width(bins: Bins) -> int:
    """How many bins a column has, with those that only fill up whole groups."""
    column = bins.column
    numeric, categorical = bins.shape or (len(column.numbers), len(column.categories) + 1)
    return -(-numeric // 16) * 16 + categorical


def refuse_strange(bins: Sequence[Bins], labels: int, arrays: Arrays) -> None:
    """Refuse arrays that are no block of these bins and labels: the kernels use them as addresses, unchecked."""
    rows, columns = len(arrays["labels"]), len(bins)
    known = [_column(one, i, arrays) for i, one in enumerate(bins)]
    ranks = np.array([column.missing for one, column in zip(bins, known, strict=True) if one.cuts is not None])
    types = dict.fromkeys(("grid", "bins"), np.uint8) | dict.fromkeys(("fine", "labels", "weights"), np.int32)
    sizes = {"grid": rows * columns, "bins": rows * columns, "fine": rows * len(ranks), "weights": rows}
    fit = all(arrays[name].dtype == kind for name, kind in types.items())
    fit = fit and all(len(arrays[name]) == size for name, size in sizes.items())
    if fit and rows:
        most = np.array([width(one) for one in bins])
        fit = bool((arrays["grid"].reshape(rows, columns).max(axis=0) < most).all())
        fit = fit and bool((arrays["bins"].reshape(columns, rows).max(axis=1) < most).all())
        fine = arrays["fine"].reshape(len(ranks), rows)
        fit = fit and bool((fine.min(axis=1) >= 0).all() and (fine.max(axis=1) <= ranks).all())
        fit = fit and bool(arrays["labels"].min() >= 0 and arrays["labels"].max() < labels)
        fit = fit and bool(arrays["weights"].min() >= 0)
    finer = [arrays[f"finer {i}"] for i, one in enumerate(bins) if one.finer is not None]
    fit = fit and all(codes.dtype == np.uint16 and len(codes) == rows for codes in finer)  # all 65,536 are safe
    if not fit or not all(_own_values_fit(i, arrays) for i, one in enumerate(bins) if one.open):
        raise ValueError("these are not the cells of a block")


def _own_values_fit(place: int, arrays: Arrays) -> bool:
    numbers, texts, ends = (arrays[f"{name} {place}"] for name in ("numbers", "texts", "ends"))
    kinds = numbers.dtype == np.float64 and texts.dtype == np.uint8 and ends.dtype == np.int64
    spans = len(ends) > 0 and ends[0] == 0 and ends[-1] == len(texts) and bool((np.diff(ends) >= 0).all())
    return bool(kinds and spans and (np.diff(numbers) > 0).all() and not np.isnan(numbers[:1]).any())


def _empty_grid(
    bins: Sequence[Bins], columns: Sequence[Column], labels: NDArray[np.int32], weights: NDArray[np.int32]
) -> Grid:
    numbers = [len(column.numbers) for column in columns]
    return Grid(labels, weights, numbers, [column.missing + 1 for column in columns], bins=[one.shape for one in bins])


def _column(bins: Bins, place: int, arrays: Arrays) -> Column:
    """A column of a block without its rows."""
    if not bins.open:
        return bins.column
    texts = Texts(arrays[f"texts {place}"], arrays[f"ends {place}"])
    return _with(bins.column, numbers=arrays[f"numbers {place}"], categories=texts)


def _with(column: Column, codes: NDArray[Any] = _NO_ROWS, **values: Any) -> Column:
    """The column with other rows or values, which are right and need no check."""
    found = copy(column)
    for name, value in {"codes": codes, **values}.items():
        object.__setattr__(found, name, value)
    return found


def _fetched(column: Column, codes: NDArray[np.int32]) -> tuple[NDArray[Any], Column | None]:
    """The cells of some rows: numbers, if there are no texts; or ranks among the values that occur, and those."""
    if not len(column.categories):
        if not len(column.numbers):
            return np.full(len(codes), np.nan), None
        numbers = column.numbers.take(codes, mode="clip")  # those that are missing have the rank after the last
        numbers[codes == column.missing] = np.nan
        return numbers, None
    there = np.zeros(column.missing + 1, bool)
    there[codes] = True
    there[-1] = True  # missing has a rank, even where no cell is
    numbers, texts = np.split(there[:-1], [len(column.numbers)])
    categories = tuple(column.categories[k] for k in np.flatnonzero(texts).tolist())
    values = _with(column, numbers=column.numbers[numbers], categories=categories)
    return (np.cumsum(there) - 1)[codes], values


def _ranked_alike(column: Column, known: Column) -> Column:
    """A column with the values that another one has; data with other values has changed since these were seen."""
    texts = {text: place for place, text in enumerate(known.categories, len(known.numbers))}
    places = np.searchsorted(known.numbers, column.numbers)
    same = np.append(known.numbers, np.nan)[places] == column.numbers
    if not same.all() or any(text not in texts for text in column.categories):
        raise ReadError(CHANGED)
    table = np.array([*places.tolist(), *map(texts.__getitem__, column.categories), known.missing], np.int32)
    return _with(known, codes=table[column.codes])
