"""The engine over blocks, wherever they are: large sets of rows stay there, small ones are fetched.

Most steps of a fit are on few rows, so that only the few on many rows cost a pass over the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unless.kernels.grid import Grid, Selection
from unless.learn.blocks.bins import Bins
from unless.learn.blocks.questions import (
    OPERATIONS,
    Asked,
    Census,
    Definition,
    Distinct,
    Ends,
    Extent,
    Fetch,
    Heaviest,
    Histograms,
    Integers,
    Looks,
    Parts,
    Piece,
    Question,
    Sizes,
    Values,
    heaviest,
    steps,
)
from unless.learn.blocks.search import Found, Gain, Purity, Score, Search, Worth
from unless.learn.engine import Demands, Engine
from unless.learn.literals import Allowed, Counts
from unless.learn.memory import MORE_THAN_ALL, MemoryEngine
from unless.learn.places import ANYWHERE, Place
from unless.read.ranks import rank
from unless.rule import Literal, Rule
from unless.table import Column, Labels, Split, Table
from unless.table.hashes import Hashes
from unless.values import Label
from unless.values.notation import WHOLE

Answer = TypeVar("Answer")


class Store(Protocol):
    """Blocks somewhere, which answer questions."""

    bins: tuple[Bins, ...]
    target: str
    labels: tuple[Label, ...]
    unit: float
    """What a weight of 1 means."""
    some_weigh_nothing: bool
    """Whether a record has no weight, so that values that only such records have do not count."""

    def ask(self, question: Question[Answer]) -> Answer:
        """What all blocks answer together."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class Rows:
    """A set of rows: its definition, and what is known of it.

    ``sizes`` are the number of rows of each label, and their weights; ``weight`` is that of all, which may be known
    before. A set that is ``here`` was fetched.
    """

    definition: Definition
    sizes: Integers | None = None
    weight: int | None = None
    histogram: Integers | None = None
    here: tuple[Local, Selection] | None = None

    def sized(self, sizes: Integers) -> None:
        """Note the sizes."""
        self.sizes, self.weight = sizes, int(sizes[1].sum())


class BlockEngine(Engine[Rows]):
    """Answers from blocks. Sets of at most ``local`` rows are fetched, and learned from in memory.

    ``held_back`` says which rows nothing is learned from: `tests` has them.
    """

    def __init__(
        self, store: Store, *, local: int = 1_000_000, banned: Iterable[Literal] = (), held_back: Split | None = None
    ) -> None:
        self._store, self._local = store, local
        self.target, self.labels = store.target, store.labels
        self.columns = tuple(one.column for one in store.bins)
        self.features = tuple(column.name for column in self.columns)
        self.banned = tuple(banned)
        self.whole = frozenset(one.column.name for one in store.bins if one.column.notation == WHOLE)
        self._spans = _spans(store.bins)
        self._unsized = WeakSet[Rows]()
        self._covered: dict[int, tuple[Literal, int]] = {}
        self._all, self._held = self._set("all", ()), None
        if held_back is not None:
            self._all, self._held = self._several(2, "apart", (self._all,), held_back)

    # Rows.

    def everything(self) -> Rows:
        return self._all

    def tests(self) -> Rows | None:
        """The rows held back, if there are any."""
        return self._held

    def census(self, salt: int) -> tuple[Integers, Hashes, Hashes]:
        """How many of all rows of each label are in each part of a split, the sums of their fingerprint, a sample."""
        return self._ask(Census, [], self.labels, salt)

    def records(self, rows: Rows) -> Integers:
        """How many rows of each label there are, whatever they weigh."""
        found: Integers = self._sizes(rows)[0]
        return found

    def size(self, rows: Rows) -> float:
        return self._weight(rows) * self._store.unit

    def popularity(self, rows: Rows) -> Sequence[float]:
        weights = self._sizes(rows)[1].tolist()
        return [weight if self._store.unit == 1 else weight * self._store.unit for weight in weights]

    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        sizes = self._sizes(rows)
        if rows.here is None and sizes[0].sum() <= self._local:
            self._bring(rows)
        positive, negative = self._several(2, "label", (rows,), label)
        own = np.arange(len(self.labels)) == label
        positive.sized(sizes * own)
        negative.sized(sizes * ~own)
        return positive, negative

    def covered(self, rows: Rows, literal: Literal) -> Rows:
        found = self._set("covered", (rows,), literal)
        best, weight = self._covered.get(rows.definition.number, (None, None))
        if best is literal:  # what the search has just found
            found.weight = weight
        return found

    def minus(self, rows: Rows, gone: Rows) -> Rows:
        return self._set("minus", (rows, gone))

    def plus(self, rows: Rows, more: Rows) -> Rows:
        both = self._set("plus", (rows, more))
        if rows.sizes is not None and more.sizes is not None:
            both.sized(rows.sizes + more.sizes)
        return both

    def satisfying(self, rows: Rows, rule: Rule) -> Rows:
        return self._set("satisfying", (rows,), rule)

    def stakes(self, rows: Rows, label: int, right: Rows) -> tuple[Rows, Rows]:
        gains, losses = self._several(2, "stakes", (rows, right), label)
        self._together(gains, losses)
        return gains, losses

    def folds(self, rows: Rows, count: int, among: int | None = None) -> list[Rows]:
        return self._several(count, "folds", (rows,), count, among)

    def distinct(self) -> Sequence[int]:
        return self._distinct

    @cached_property
    def _distinct(self) -> list[int]:
        if not self._store.some_weigh_nothing:
            return [one.distinct for one in self._store.bins]
        values = self._ask(Distinct, [self._all], len(self.features))
        return [len(found) for found in values]

    def _set(self, op: str, sets: tuple[Rows, ...], *what: object) -> Rows:
        return self._several(1, op, sets, *what)[0]

    def _several(self, count: int, op: str, sets: tuple[Rows, ...], *what: object) -> list[Rows]:
        """The sets that an operation gives: here, if what it needs is here, and elsewhere by definition."""
        definitions = Definition.several(count, op, tuple(rows.definition for rows in sets), what)
        found = [Rows(definition) for definition in definitions]
        if (here := _here(*sets)) is not None:
            local, selections = here
            for rows, some in zip(found, OPERATIONS[op](local.engine, *selections, *what), strict=True):
                rows.here = local, some
        else:
            self._unsized.update(found)
        return found

    # Literals and rules.

    def best_literal(
        self, positive: Rows, negative: Rows, used: tuple[Literal, ...], allowed: Allowed | None = None
    ) -> Literal | None:
        if (here := self._together(positive, negative)) is not None:
            local, pair = here
            return local.asked(self).best_literal(*pair, tuple(filter(local.knows, used)), allowed)
        found = self._search(positive, negative, Gain, allowed, used)
        return None if found is None else found.literal

    def purest_literal(
        self, positive: Rows, negative: Rows, support: float, allowed: Allowed | None = None
    ) -> Literal | None:
        if (here := self._together(positive, negative)) is not None:
            local, pair = here
            return local.asked(self).purest_literal(*pair, support, allowed)
        units = min(ceil(support / self._store.unit), MORE_THAN_ALL)
        found = self._search(positive, negative, lambda p, q: Purity(p, q, units), allowed)
        return None if found is None else found.literal

    def worthiest_literal(
        self, positive: Rows, negative: Rows, allowed: Allowed | None = None
    ) -> tuple[Literal, float] | None:
        if (here := self._together(positive, negative)) is not None:
            local, pair = here
            return local.asked(self).worthiest_literal(*pair, allowed)
        found = self._search(positive, negative, Worth, allowed)
        return None if found is None else (found.literal, (found.positive - found.negative) * self._store.unit)

    def rule(
        self, positive: Rows, negative: Rows, demands: Demands, place: Place = ANYWHERE
    ) -> tuple[Rule, Rows, Rows] | None:
        """The same rule: in one call, if the rows are in memory."""
        if (here := self._together(positive, negative)) is None:
            return super().rule(positive, negative, demands, place)
        local, pair = here
        learned = local.asked(self).rule(*pair, demands, place)
        if learned is None:
            return None
        rule, *covered = learned
        true, false = self._known(local, rule, (positive, negative), covered)
        return rule, true, false

    def exceptions(
        self, positive: Rows, negative: Rows, demands: Demands, place: Place
    ) -> tuple[tuple[Rule, ...], Rows, Rows]:
        """The same exceptions: in one call, if the rows are in memory."""
        if (here := self._together(positive, negative)) is None:
            return super().exceptions(positive, negative, demands, place)
        local, pair = here
        rules, *spared = local.asked(self).exceptions(*pair, demands, place)
        left, right = self._known(local, Rule(None, (), rules), (positive, negative), spared)
        return rules, left, right

    @staticmethod
    def _known(local: Local, rule: Rule, sets: Iterable[Rows], found: Iterable[Selection]) -> Iterator[Rows]:
        """The rows of some sets that a rule covers, which were found in memory."""
        for rows, some in zip(sets, found, strict=True):
            yield Rows(Definition.one("satisfying", (rows.definition,), (rule,)), here=(local, some))

    def gap(self, rows: Rows, literal: Literal) -> tuple[float, float] | None:
        if rows.here is not None:
            local, some = rows.here
            return local.engine.gap(some, literal)
        place = self.features.index(literal.feature)
        low, high = self._ask(Ends, [rows], place, literal.value).tolist()
        return None if np.isnan(low) or np.isnan(high) else (low, high)

    def counts(self, positive: Rows, negative: Rows) -> Iterator[Counts]:
        for i, one in enumerate(self._store.bins):
            numbers, texts = self._ask(Values, [positive, negative], [Asked(i, texts=False), Asked(i, texts=True)])
            values = [*map(one.column.number, np.asarray(numbers.values).tolist()), *texts.values]
            weights = np.concatenate([numbers.weights, texts.weights], axis=1).tolist()
            missing = [self._weight(rows) - sum(w) for rows, w in zip((positive, negative), weights, strict=True)]
            if any(missing):
                values.append(None)
                weights = [[*w, m] for w, m in zip(weights, missing, strict=True)]
            yield Counts(one.column.name, values, *weights)

    def _search(
        self,
        positive: Rows,
        negative: Rows,
        score: Callable[[int, int], Score],
        allowed: Allowed | None,
        used: tuple[Literal, ...] = (),
    ) -> Found | None:
        self.go_on()
        pair = [positive, negative]
        self._need_histograms(pair)
        search = Search(
            self._store.bins,
            score(self._weight(positive), self._weight(negative)),
            (*self.banned, *used),
            self._heaviest,
            lambda asked: self._ask(Parts, pair, asked),
            lambda asked: self._ask(Values, pair, asked),
            allowed,
        )
        found = search.best(np.array([rows.histogram for rows in pair]), self._spans)
        if found is not None:
            weights = zip(pair, (found.positive, found.negative), strict=True)
            self._covered = {rows.definition.number: (found.literal, weight) for rows, weight in weights}
        return found

    @cached_property
    def _heaviest(self) -> dict[int, Integers]:
        """How much a text weighs at most in each part of columns whose texts are cut."""
        asked = [(i, one.cuts[1]) for i, one in enumerate(self._store.bins) if one.cuts and one.column.categories]
        return heaviest(self._ask(Heaviest, [self._all], asked), asked) if asked else {}

    # Asking the blocks.

    def extent(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """The smallest and the largest finite number of some columns."""
        return self._ask(Extent, [], columns)

    def some(self, every: int, *, tests: bool = False) -> tuple[Table, NDArray[np.float64]]:
        """One record of so many, of those held back if they are wanted, and how much each weighs, in units."""
        rows = self._held if tests and self._held is not None else self._all
        pieces: list[Piece] = self._ask(Fetch, [self._set("every", (rows,), every)])
        return table_of(self._store, pieces)

    def _weight(self, rows: Rows) -> int:
        if rows.weight is None:
            self._sizes(rows)
        return rows.weight or 0

    def _sizes(self, rows: Rows) -> Integers:
        if rows.sizes is None and rows.here is not None:
            local, some = rows.here
            rows.sized(local.sizes(some))
        elif rows.sizes is None:
            self._ask_sizes(rows)
        return self._sizes(rows) if rows.sizes is None else rows.sizes

    def _ask_sizes(self, rows: Rows) -> None:
        """Ask for the sizes of a set, and of all others that nobody knows: they will be wanted soon."""
        unknown = {one for one in (rows, *self._unsized) if one.sizes is None and one.here is None}
        lacking = sorted(unknown, key=lambda one: one.definition.number)
        answer = self._ask(Sizes, lacking)
        for one, sizes in zip(lacking, answer, strict=True):
            one.sized(sizes)
        self._unsized.clear()

    def _need_histograms(self, sets: Sequence[Rows]) -> None:
        if lacking := [rows for rows in sets if rows.histogram is None]:
            histograms = self._ask(Histograms, lacking)
            for rows, histogram in zip(lacking, histograms, strict=True):
                rows.histogram = histogram

    def _ask(self, kind: Callable[..., Question[Answer]], sets: Sequence[Rows], *what: Any) -> Answer:
        definitions = [rows.definition for rows in sets]
        return self._store.ask(kind(tuple(one.number for one in definitions), steps(definitions), *what))

    def _together(self, positive: Rows, negative: Rows) -> Here | None:
        """Both sets, if they are in memory in one place; fetched now, if they are few enough."""
        if (here := _pair(positive, negative)) is not None:
            return here
        if positive.weight and negative.weight and positive.weight + negative.weight > self._local:
            self._look_at([positive, negative])
        if sum(int(self._sizes(rows)[0].sum()) for rows in (positive, negative)) > self._local:
            return None
        self._bring(positive, negative)
        return _pair(positive, negative)

    def _look_at(self, sets: Sequence[Rows]) -> None:
        """Ask for the sizes and histograms of large sets at once."""
        if lacking := [rows for rows in sets if rows.sizes is None and rows.here is None]:
            count = 2 * len(self.labels)
            answer = self._ask(Looks, lacking)
            for rows, found in zip(lacking, answer, strict=True):
                rows.sized(found[:count].reshape(2, -1))
                rows.histogram = found[count:]

    def _bring(self, *sets: Rows) -> None:
        """Fetch sets that have no row in common."""
        pieces = self._ask(Fetch, sets)
        local = Local(self._store, self.banned, pieces)
        for place, rows in enumerate(sets):
            rows.here = local, local.selection(place)


class Local:
    """Fetched rows, as a table in memory."""

    def __init__(self, store: Store, banned: Iterable[Literal], pieces: Sequence[Piece]) -> None:
        self._table, weights = table_of(store, pieces)
        self._sets = np.concatenate([piece.sets for piece in pieces])
        self.engine = MemoryEngine(self._table, weights, store.unit, filter(self.knows, banned))

    def asked(self, engine: Engine[Any]) -> MemoryEngine:
        """The engine of these rows, which stops when the other one does."""
        self.engine.late = engine.late
        return self.engine

    def selection(self, place: int) -> Selection:
        """The rows of one of the sets that were fetched."""
        return self.engine.of_rows(np.flatnonzero(self._sets == place).astype(np.int32))

    def sizes(self, rows: Selection) -> Integers:
        """How many rows of each label there are, and how much they weigh."""
        labels = self._table.labels
        times = np.bincount(labels.codes[rows.rows()], minlength=len(labels.labels))
        return np.array([times, self.engine.units(rows)], np.int64)

    def knows(self, literal: Literal) -> bool:
        """Whether the value of a literal is among those of its column: the engine would take its neighbour for it."""
        column = self._table.column(literal.feature)
        first, end, _ = column.span(literal)
        place = {"<=": end - 1, ">": first - 1}.get(literal.op, first)
        return 0 <= place <= column.missing and column.value(place) == literal.value


def table_of(store: Store, pieces: Sequence[Piece]) -> tuple[Table, NDArray[np.float64]]:
    """The rows of pieces as a table, and how much each weighs, in units."""
    columns = tuple(_joined(one, i, pieces) for i, one in enumerate(store.bins))
    labels = np.concatenate([piece.labels for piece in pieces])
    weights = np.concatenate([piece.weights for piece in pieces]).astype(np.float64)
    return Table(columns, Labels(store.target, store.labels, labels), len(labels)), weights


Here = tuple[Local, tuple[Selection, Selection]]
"""Where two sets are in memory, and which rows they are there."""


def _here(*sets: Rows) -> tuple[Local, tuple[Selection, ...]] | None:
    """Where all sets are in memory, if that is one place, and which rows they are there."""
    places = [rows.here for rows in sets if rows.here is not None]
    if not places or len(places) < len(sets) or len({id(local) for local, _ in places}) > 1:
        return None
    return places[0][0], tuple(some for _, some in places)


def _pair(positive: Rows, negative: Rows) -> Here | None:
    if (here := _here(positive, negative)) is None:
        return None
    local, (true, false) = here
    return local, (true, false)


def _spans(bins: Sequence[Bins]) -> Sequence[NDArray[np.int32]]:
    """Where the bins of every column are in a histogram."""
    nothing = np.empty(0, np.int32)
    columns = [one.column for one in bins]
    ranks = [column.missing + 1 for column in columns]
    grid = Grid(nothing, nothing, [len(column.numbers) for column in columns], ranks, bins=[one.shape for one in bins])
    return grid.spans()


def _joined(bins: Bins, place: int, pieces: Sequence[Piece]) -> Column:
    """A column with the rows of all pieces, which share its values, have their own, or are just numbers."""
    column, cells = bins.column, [piece.cells[place] for piece in pieces]
    if not bins.open:
        return replace(column, codes=np.concatenate(cells))
    own = [piece.values[place] for piece in pieces]
    if all(values is None for values in own):
        numbers, codes = rank(np.concatenate(cells))
        return replace(column, numbers=numbers, categories=(), codes=codes)
    pairs = [
        _ranked(column, some) if values is None else (values, some) for values, some in zip(own, cells, strict=True)
    ]
    numbers = np.unique(np.concatenate([values.numbers for values, _ in pairs]))
    texts = sorted({text for values, _ in pairs for text in values.categories})
    places = {text: code for code, text in enumerate(texts, len(numbers))}
    joined = np.concatenate([_ranks(values, numbers, places)[codes] for values, codes in pairs])
    return replace(column, numbers=numbers, categories=tuple(texts), codes=joined)


def _ranked(column: Column, cells: NDArray[Any]) -> tuple[Column, NDArray[np.uint32]]:
    """Cells that are just numbers: the values that they have, and their ranks."""
    numbers, codes = rank(cells)
    return replace(column, numbers=numbers, categories=(), codes=codes[:0]), codes


def _ranks(column: Column, numbers: NDArray[np.float64], texts: Mapping[str, int]) -> NDArray[np.int64]:
    """The rank that each value of a column, and a missing cell, has among more values."""
    own = np.array([texts[text] for text in column.categories], np.int64)
    return np.concatenate([np.searchsorted(numbers, column.numbers), own, [len(numbers) + len(texts)]])
