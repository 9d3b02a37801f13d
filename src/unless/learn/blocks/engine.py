"""The engine over blocks, wherever they are: large sets of rows stay there, small ones are fetched.

Most steps of a fit are on few rows, so that only the few on many rows cost a pass over the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from math import ceil
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unless.kernels import Selection
from unless.kernels.grid import Grid
from unless.learn.blocks.bins import SLICES, Bins
from unless.learn.blocks.local import Local, Store, table_of
from unless.learn.blocks.questions import (
    OPERATIONS,
    Asked,
    Census,
    Counted,
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
    Region,
    Sizes,
    Slices,
    Span,
    Values,
    heaviest,
    steps,
    summed,
)
from unless.learn.blocks.room import give_back
from unless.learn.blocks.rows import Here, Made, Rows, as_rule, here, here_together, within
from unless.learn.blocks.search import Found, Gain, Purity, Score, Search, Worth
from unless.learn.engine import Demands, Engine
from unless.learn.literals import Allowed, Counts
from unless.learn.memory import MORE_THAN_ALL
from unless.learn.places import ANYWHERE, Place
from unless.rule import Literal, Rule
from unless.table import Split, Table
from unless.table.hashes import Hashes
from unless.values.notation import WHOLE

Answer = TypeVar("Answer")

_NOTHING: Integers = np.empty(0, np.int64)


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
        self._made = Made()
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
        if rows.here is not None:
            return self._set("covered", (rows,), literal)
        before, gone = self._made.covered(rows, literal)
        if before is not None and gone is None:
            return before
        found = self._set("covered", (rows,), literal)
        if before is not None and gone is not None:
            self._derive(found, before, gone)
            self._made.note_less(before, gone, found)  # so that what another literal covers of it follows, too
        self._made.note_covered(rows, literal, found)
        best, weight = self._covered.get(rows.definition.number, (None, None))
        if best is literal:  # what the search has just found
            found.weight = weight
        return found

    def minus(self, rows: Rows, gone: Rows) -> Rows:
        left = self._set("minus", (rows, gone))
        if left.here is None and within(gone.definition, rows.number):
            self._derive(left, rows, gone)
            self._made.note_less(rows, gone, left)
        return left

    def _derive(self, left: Rows, whole: Rows, gone: Rows) -> None:
        """Note what is known of a set that is another one without some of its rows."""
        if (place := here(whole, gone)) is not None:
            local, pair = place
            left.here = local, local.engine.minus(*pair)
            local.fetched.add(left.number)
        else:
            if gone.here is not None:
                self._sizes(gone)
            left.know_less(whole, gone)

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
        place = here(*sets)
        needed = tuple(rows.definition if place else _elsewhere(rows) for rows in sets)
        found = [Rows(definition) for definition in Definition.several(count, op, needed, what)]
        if place is not None:
            local, selections = place
            for rows, some in zip(found, OPERATIONS[op](local.engine, *selections, *what), strict=True):
                rows.here = local, some
        else:
            self._unsized.update(found)
        return found

    # Literals and rules.

    def best_literal(
        self, positive: Rows, negative: Rows, used: tuple[Literal, ...], allowed: Allowed | None = None
    ) -> Literal | None:
        if (place_here := self._together(positive, negative)) is not None:
            local, pair = place_here
            return local.asked(self).best_literal(*pair, tuple(filter(local.knows, used)), allowed)
        found = self._search(positive, negative, Gain, allowed, used)
        return None if found is None else found.literal

    def purest_literal(
        self, positive: Rows, negative: Rows, support: float, allowed: Allowed | None = None
    ) -> Literal | None:
        if (place_here := self._together(positive, negative)) is not None:
            local, pair = place_here
            return local.asked(self).purest_literal(*pair, support, allowed)
        units = min(ceil(support / self._store.unit), MORE_THAN_ALL)
        found = self._search(positive, negative, lambda p, q: Purity(p, q, units), allowed)
        return None if found is None else found.literal

    def worthiest_literal(
        self, positive: Rows, negative: Rows, allowed: Allowed | None = None
    ) -> tuple[Literal, float] | None:
        if (place_here := self._together(positive, negative)) is not None:
            local, pair = place_here
            return local.asked(self).worthiest_literal(*pair, allowed)
        found = self._search(positive, negative, Worth, allowed)
        return None if found is None else (found.literal, (found.positive - found.negative) * self._store.unit)

    def rule(
        self, positive: Rows, negative: Rows, demands: Demands, place: Place = ANYWHERE
    ) -> tuple[Rule, Rows, Rows] | None:
        """The same rule: in one call, if the rows are in memory."""
        if (place_here := self._together(positive, negative)) is None:
            return super().rule(positive, negative, demands, place)
        local, pair = place_here
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
        if (place_here := self._together(positive, negative)) is None:
            return super().exceptions(positive, negative, demands, place)
        local, pair = place_here
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
            asked = Region.of([Asked(i, texts=False), Asked(i, texts=True)])
            numbers, texts = self._ask(Values, [positive, negative], asked)
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
            lambda spans: self._parts(pair, spans),
            lambda regions: self._slices(pair, regions),
            lambda regions: self._values(pair, regions),
            allowed,
        )
        found = search.best(np.array([rows.histogram for rows in pair]), self._spans)
        for rows in pair:
            rows.forget_many()
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

    def _parts(self, sets: Sequence[Rows], spans: Sequence[Span]) -> list[Integers]:
        """The weights of sets in finer parts of columns, span by span."""
        lacking = [rows for rows in sets if any(not _has(rows, span) for span in spans)]
        if lacking:
            ends = np.cumsum([end - first for _, first, end in spans])[:-1]
            answer = np.split(self._ask(Parts, lacking, spans), ends, axis=1)
            for place, rows in enumerate(lacking):
                for (column, first, _), weights in zip(spans, answer, strict=True):
                    rows.parts[column] = first, weights[place].copy()
        return [np.array([_weights(rows, span) for rows in sets]) for span in spans]

    def _slices(self, sets: Sequence[Rows], regions: Sequence[Region]) -> list[Integers]:
        """The weights of sets in the slices of regions: for each set, one part after the other."""
        asked = [region.asked() for region in regions]
        wanted = [one for each in asked for one in each if any(one not in rows.slices for rows in sets)]
        if lacking := [rows for rows in sets if any(one not in rows.slices for one in wanted)]:
            answer = self._ask(Slices, lacking, Region.of(wanted)).reshape(len(lacking), -1, SLICES)
            for rows, counted in zip(lacking, answer, strict=True):
                rows.slices.update(zip(wanted, counted, strict=True))
        return [np.array([np.concatenate([rows.slices[one] for one in each]) for rows in sets]) for each in asked]

    def _values(self, sets: Sequence[Rows], regions: Sequence[Region]) -> list[Counted]:
        """The values in regions of columns, and how much each weighs in each set."""
        asked = [region.asked() for region in regions]
        if lacking := [rows for rows in sets if any(map(rows.lacks, asked))]:
            wanted = [one for each in asked for one in each if any(one not in rows.values for rows in lacking)]
            some = Region.of(wanted)
            answer = self._ask(Values, lacking, some)
            for region, counted in zip(some, answer, strict=True):
                for rows, weights in zip(lacking, counted.weights, strict=True):
                    rows.know_values(region, counted.values, weights)
        return [_counted(sets, each) for each in asked]

    def extent(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """The smallest and the largest finite number of some columns."""
        return self._ask(Extent, [], columns)

    def some(self, every: int, *, tests: bool = False) -> tuple[Table, NDArray[np.float64]]:
        """One record of so many, of those held back if they are wanted, and how much each weighs, in units."""
        rows = self._held if tests and self._held is not None else self._all
        some = Rows(Definition.one("every", (_elsewhere(rows),), (every,)))
        pieces: list[Piece] = self._ask(Fetch, [some])
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
        if (found := here_together(positive, negative)) is not None:
            return found
        if positive.weight and negative.weight and positive.weight + negative.weight > self._local:
            self._look_at([positive, negative])
        if sum(int(self._sizes(rows)[0].sum()) for rows in (positive, negative)) > self._local:
            return None
        self._bring(positive, negative)
        return here_together(positive, negative)

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
        self._made.forget_here()
        pieces = self._ask(Fetch, sets)
        local = Local(self._store, self.banned, pieces, [rows.number for rows in sets])
        del pieces
        give_back()
        for place, rows in enumerate(sets):
            rows.here = local, local.selection(place)


def _elsewhere(rows: Rows) -> Definition:
    """The definition of a set for blocks: if it was made here, by a rule of what was fetched."""
    found = None if rows.here is None else as_rule(rows.definition, rows.here[0].fetched)
    return rows.definition if found is None else Definition.one("satisfying", (found[0],), (found[1],))


def _has(rows: Rows, span: Span) -> bool:
    """Whether the weights in a span of finer parts are known."""
    column, first, end = span
    start, weights = rows.parts.get(column, (end, _NOTHING))
    return start <= first and end <= start + len(weights)


def _weights(rows: Rows, span: Span) -> Integers:
    column, first, end = span
    start, weights = rows.parts[column]
    return weights[first - start : end - start]


def _counted(sets: Sequence[Rows], asked: Sequence[Asked]) -> Counted:
    """The values of several sets in parts of a column, and their weights, set by set."""
    pieces = []
    for rows, own in zip(sets, np.eye(len(sets), dtype=np.int64), strict=True):
        values, weights = rows.counted(asked)
        pieces.append(Counted(values, own[:, None] * weights))
    return summed(pieces)


def _spans(bins: Sequence[Bins]) -> Sequence[NDArray[np.int32]]:
    """Where the bins of every column are in a histogram."""
    nothing = np.empty(0, np.int32)
    columns = [one.column for one in bins]
    ranks = [column.missing + 1 for column in columns]
    numbers, bare = [len(column.numbers) for column in columns], [one.bare for one in bins]
    return Grid(nothing, nothing, numbers, ranks, bins=[one.shape for one in bins], bare=bare).spans()
