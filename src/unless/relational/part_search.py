"""Search for conditions on one part: conjunctions of tests, scored by how well "some part passes" separates labels.

Whether some part passes keeps thresholds exact: some part passes C and has v <= t exactly if the least v among the
parts that pass C is at most t. So one pass over the rows that pass the tests so far gives, for each individual, the
yes/no tests that some row passes and the least and greatest number; label counts and prefix sums give all gains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import floor, log
from typing import Any, NamedTuple
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.learn.thresholds import number_between
from unless.relational.evaluation import YES_NO
from unless.relational.part_tables import PartTable, PartTest, RowAttribute, is_moment
from unless.relational.world import NUMBER, World

SUPPORT = 3
"""The minimum number of individuals that must have a part that passes a test."""

WIDTH, LENGTH = 30, 3
"""The number of conjunctions that each step extends, and the maximum number of tests in a conjunction."""

_BINS = 1000
"""A number with more distinct values than this is searched at this many thresholds."""

_FEW_NUMBERS = 40
"""A number with at most this many values, all whole, may be tested for equality with a value."""

_MARGIN = 0.5
"""Each test must add this share of the gain expected from the best of as many random tests."""

_LEAST_GAIN = 6.0

Mask = NDArray[np.bool_]


class RankTest(NamedTuple):
    """A test in a search: the index of a yes/no test or a number, the comparison, and the rank of the threshold."""

    place: int
    op: OneOf["yes", "<=", ">"] = "yes"
    rank: int = 0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Tests that one part passes together, and twice the log-likelihood ratio of having such a part and the label."""

    gain: float
    keys: tuple[RankTest, ...]


@dataclass(frozen=True, eq=False)
class Question:
    """Asks which labels to separate, among which individuals."""

    positive: Mask
    within: Mask

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """The number of positive individuals and the number of other individuals."""
        p = int((self.positive & self.within).sum())
        return p, int(self.within.sum()) - p

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Identifies a question: equal questions have equal keys."""
        return (self.positive & self.within).tobytes(), self.within.tobytes()


class Gains:
    """Computes twice the log-likelihood ratio of splits from a table of n ln n."""

    def __init__(self, most: int) -> None:
        numbers = np.arange(1, most + 1, dtype=np.float64)
        self.table = np.concatenate([[0.0], numbers * np.log(numbers)])

    def of(self, p: NDArray[np.int64], n: NDArray[np.int64], sizes: tuple[int, int]) -> NDArray[np.float64]:
        """Return the gain of splits with ``p`` of the positives and ``n`` of the other individuals on one side."""
        table, (positives, negatives) = self.table, sizes
        whole = table[positives] + table[negatives] - table[positives + negatives]
        r, s = positives - p, negatives - n
        found: NDArray[np.float64] = 2 * (table[p] + table[n] - table[p + n] + table[r] + table[s] - table[r + s])
        found -= 2 * whole
        return found


class Numbers:
    """The numbers of rows as ranks, counted from below and from above: each row has one column for each direction."""

    def __init__(self, columns: list[NDArray[np.float64]]) -> None:
        found = [_bins(cells) for cells in columns]
        self.firsts = [first.tolist() for first, _, _ in found]
        self.lasts = [last.tolist() for _, last, _ in found]
        self.sizes = [len(last) for last in self.lasts]
        ends = [one for (_, last, ranks) in found for one in (ranks, _from_above(ranks, len(last)))]
        rows = len(columns[0]) if columns else 0
        self.ends = np.array(ends, np.int32).reshape(2 * len(columns), rows).T.copy()
        self.offsets = np.cumsum([0, *(size + 1 for size in self.sizes for _ in range(2))])
        self.whole = [
            bool((last == np.floor(last)).all() and (first == np.floor(first)).all()) for first, last, _ in found
        ]

    def __len__(self) -> int:
        return self.ends.shape[1]

    def threshold(self, end: int, rank: int, after: int) -> tuple[int, float]:
        """Return a short number between two ranks counted from one end, and the last rank on its side of the number."""
        k, last = end // 2, self.sizes[end // 2] - 1
        low, high = (last - after, last - rank) if end % 2 else (rank, after)
        firsts, lasts = self.firsts[k], self.lasts[k]
        number = number_between(lasts[low], firsts[high], rounded=True) if high <= last else lasts[low]
        number = max(lasts[low], float(floor(number))) if self.whole[k] else number
        inside = int(np.searchsorted(lasts, number, "right")) - 1  # rows of these ranks are at most the number
        if inside < last and firsts[inside + 1] <= number:
            number = lasts[inside]
        return last - 1 - inside if end % 2 else inside, float(number)


def _bins(cells: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the first and last value of each rank, and the rank of each cell; NaN has the last rank."""
    values, ranks = np.unique(cells, return_inverse=True)
    values = values[~np.isnan(values)]
    if len(values) <= _BINS:
        return values, values, np.minimum(ranks, len(values))
    ends = np.unique(np.append(np.linspace(0, len(values), _BINS + 1).astype(np.int64)[1:] - 1, len(values) - 1))
    starts = np.append(0, ends[:-1] + 1)
    return values[starts], values[ends], np.where(ranks < len(values), np.searchsorted(ends, ranks), len(ends))


def _from_above(ranks: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.where(ranks < size, size - 1 - ranks, size)


class PartSearch:
    """The tests of one table, prepared for the search; ``searched`` counts the conjunctions examined."""

    def __init__(self, table: PartTable, world: World, gains: Gains) -> None:
        self.table, self.world, self.gains = table, world, gains
        self.owner = table.found.owner
        self.attributes = [one for one in table.attributes if not is_moment(world, one)]
        self.searched = 0
        self.before = 0
        self.work = 0
        self.tests: list[PartTest] = []
        masks = list(self._masks())
        self.bits = _packed(masks, len(self.owner))
        numeric = self._numbers()
        self.numeric = [one for one, _ in numeric]
        self.numbers = Numbers([cells for _, cells in numeric])
        places = {id(one): place for place, one in enumerate(self.attributes)}
        self.column = np.array([places[id(test.attribute)] for test in self.tests], np.int64)

    def _masks(self) -> Iterator[Mask]:
        """Yield the rows that pass each yes/no test; of tests with equal rows, only the first."""
        seen = set()
        for attribute in self.attributes:
            cells = attribute.read(self.table.found)
            for test, mask in self._candidates(attribute, cells):
                key = np.packbits(mask).tobytes()
                if key not in seen and len(np.unique(self.owner[mask])) >= SUPPORT:
                    seen.add(key)
                    self.tests.append(test)
                    yield mask

    def _candidates(self, attribute: RowAttribute, cells: NDArray[Any]) -> Iterator[tuple[PartTest, Mask]]:
        if attribute.kind == YES_NO:
            yield PartTest(attribute, "yes"), cells.astype(np.bool_)
        elif attribute.kind != NUMBER:
            counts = np.bincount(cells[cells >= 0])
            names = self.world.names[attribute.kind]
            for code in sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-counts[code], names[code])):
                yield PartTest(attribute, "=", names[code]), cells == code
        else:
            known = np.unique(cells[~np.isnan(cells)])
            if len(known) <= _FEW_NUMBERS and (known == np.floor(known)).all():
                for value in known.tolist():
                    yield PartTest(attribute, "=", value), cells == value

    def _numbers(self) -> list[tuple[RowAttribute, NDArray[np.float64]]]:
        """Return the attributes that are numbers; of equal attributes, only the first."""
        found: dict[bytes, tuple[RowAttribute, NDArray[np.float64]]] = {}
        for attribute in self.attributes:
            if attribute.kind == NUMBER:
                cells = attribute.read(self.table.found).astype(np.float64)
                found.setdefault(cells.tobytes(), (attribute, cells))
        return list(found.values())

    def part_tests(self, keys: Iterable[RankTest]) -> tuple[PartTest, ...]:
        """Return the tests that some keys stand for."""
        return tuple(
            self.tests[one.place] if one.op == "yes" else PartTest(self.numeric[one.place // 2], one.op, one.threshold)
            for one in keys
        )

    # Searching for conjunctions.

    def conjunctions(self, question: Question, budget: int) -> list[Conjunction]:
        """Find conjunctions that separate the labels, best first."""
        rows = np.flatnonzero(question.within[self.owner])
        if not len(rows) or not all(question.sizes):
            return []
        spent, self.before = self.work, self.searched
        beam: list[tuple[float, NDArray[np.int64], tuple[RankTest, ...]]] = [(0.0, rows, ())]
        found: dict[tuple[RankTest, ...], float] = {}
        for step in range(LENGTH):
            nexts: dict[tuple[RankTest, ...], tuple[float, NDArray[np.int64], RankTest]] = {}
            for place, (score, rows, keys) in enumerate(beam):
                if self.work - spent > budget:
                    break
                for gain, key in self._extensions(rows, keys, question, score, numbers=place < WIDTH):
                    more = tuple(sorted((*keys, key)))
                    if more not in nexts or nexts[more][0] < gain:
                        nexts[more] = gain, rows, key
            wide = WIDTH + (len(self.tests) if step == 0 else 0)
            best = sorted(nexts.items(), key=lambda one: (-one[1][0], one[0]))[:wide]
            found |= {keys: gain for keys, (gain, _, _) in best}
            if step + 1 < LENGTH:
                beam = [(gain if step else 0.0, self._passing(rows, key), keys) for keys, (gain, rows, key) in best]
        conjunctions = (Conjunction(gain, keys) for keys, gain in found.items() if self._joins(keys))
        return sorted(conjunctions, key=lambda one: (-one.gain, len(one.keys), one.keys))

    def _joins(self, keys: tuple[RankTest, ...]) -> bool:
        return self.table.compares(self.part_tests(keys))

    def is_worth(self, found: Conjunction, question: Question) -> bool:
        """Whether the gain exceeds that of the best of as many random conjunctions, and each test adds to the gain."""
        if found.gain < max(_LEAST_GAIN, 2 * log(2 * (self.searched - self.before) + 1)):
            return False
        need = _MARGIN * 2 * log(1 + len(self.tests))
        others = (found.keys[:k] + found.keys[k + 1 :] for k in range(len(found.keys)))
        return len(found.keys) == 1 or all(found.gain - self.gain(one, question) >= need for one in others)

    def gain(self, keys: Iterable[RankTest], question: Question) -> float:
        """Compute the gain of having a part that passes all tests."""
        rows = np.arange(len(self.owner))
        for key in keys:
            rows = self._passing(rows, key)
        some = np.zeros(len(question.within), np.bool_)
        some[self.owner[rows]] = True
        some &= question.within
        p = int((some & question.positive).sum())
        return float(self.gains.of(np.array([p]), np.array([int(some.sum()) - p]), question.sizes)[0])

    def _passing(self, rows: NDArray[np.int64], key: RankTest) -> NDArray[np.int64]:
        """Return the rows that pass one more test."""
        if key.op == "yes":
            word, bit = divmod(key.place, 64)
            passing = (self.bits[rows, word] >> np.uint64(bit)) & np.uint64(1) > 0
        else:
            passing = self.numbers.ends[rows, key.place] <= key.rank
        return rows[np.flatnonzero(passing)]

    def _extensions(
        self, rows: NDArray[np.int64], keys: tuple[RankTest, ...], question: Question, score: float, *, numbers: bool
    ) -> Iterator[tuple[float, RankTest]]:
        """Yield all tests that raise the gain together with the earlier tests, each with the new gain."""
        if not len(rows):
            return
        owner = self.owner[rows]
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        label = question.positive[owner[starts]]
        self.work += len(rows) * (self.bits.shape[1] + (len(self.numbers) if numbers else 0))
        if self.tests:
            yield from self._yes_no(rows, starts, label, keys, question, score)
        if numbers and len(self.numbers):
            yield from self._thresholds(rows, starts, label, question, score)

    def _yes_no(
        self,
        rows: NDArray[np.int64],
        starts: NDArray[np.int64],
        label: Mask,
        keys: tuple[RankTest, ...],
        question: Question,
        score: float,
    ) -> Iterator[tuple[float, RankTest]]:
        self.searched += len(self.tests)
        words = np.bitwise_or.reduceat(self.bits[rows], starts, axis=0)
        some = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, : len(self.tests)]
        total, p = some.sum(0, dtype=np.int64), some[label].sum(0, dtype=np.int64)
        gain = self.gains.of(p, total - p, question.sizes)
        good = (total >= SUPPORT) & ((gain > score + 1e-6) | (not keys))
        for used in {int(self.column[one.place]) for one in keys if one.op == "yes"}:
            good &= self.column != used
        best = np.flatnonzero(good)
        best = best[np.argsort(-gain[best], kind="stable")]
        for place in best[: len(best) if not keys else WIDTH].tolist():
            yield float(gain[place]), RankTest(place)

    def _thresholds(
        self, rows: NDArray[np.int64], starts: NDArray[np.int64], label: Mask, question: Question, score: float
    ) -> Iterator[tuple[float, RankTest]]:
        """Yield the best threshold of every number, from below and from above, by prefix sums over ranks."""
        offsets = self.numbers.offsets
        ranks = np.minimum.reduceat(self.numbers.ends[rows], starts, axis=0) + offsets[:-1]
        size = int(offsets[-1])
        total, p = np.bincount(ranks.ravel(), minlength=size), np.bincount(ranks[label].ravel(), minlength=size)
        for end in range(len(self.numbers)):
            inside = slice(offsets[end], offsets[end + 1] - 1)
            occupied = np.flatnonzero(total[inside])
            self.searched += len(occupied)
            if not len(occupied):
                continue
            above, right = np.cumsum(total[inside][occupied]), np.cumsum(p[inside][occupied])
            gain = np.where(above >= SUPPORT, self.gains.of(right, above - right, question.sizes), 0.0)
            k = int(np.argmax(gain))
            last = k + 1 == len(occupied)
            if gain[k] > score + 1e-6 and not (last and end % 2):
                rank = int(occupied[k])
                after = self.numbers.sizes[end // 2] if last else int(occupied[k + 1])
                threshold = self.numbers.threshold(end, rank, after)
                yield float(gain[k]), RankTest(end, ">" if end % 2 else "<=", *threshold)


def _packed(masks: list[Mask], rows: int) -> NDArray[np.uint64]:
    """Pack masks into bits: a row of words for each row of the table."""
    words = (len(masks) + 63) // 64
    found = np.zeros((rows, words * 64), np.bool_)
    for k, mask in enumerate(masks):
        found[:, k] = mask
    return np.packbits(found, axis=1, bitorder="little").view(np.uint64).reshape(rows, words)
