"""Groups of records: how often the rules are right, and what they decide, by the values of any column.

A difference between a group and all other records is tested exactly (Fisher). All tests of a page count together
(Holm): the chance that any difference is listed where there is none is at most 5 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unless.explanation.words import Words
from unless.model import interval
from unless.report.facts import Facts
from unless.report.sentences import LabelName, Speaker, Text
from unless.table import Column
from unless.values import value_data
from unless.values.notation import Noted

_VALUES = 8
"""The most values of a column that are groups of their own: the most frequent ones; the others are one group."""

_BINS = 4
"""How many groups of about the same size the numbers of a column make."""

_LEAST = 10
"""A group with fewer records is shown, but not tested: it would only make the other tests weaker."""

_COLUMNS = 40
"""The most columns: those that rules test come first."""

_LABELS = 6
"""The most labels whose shares of decisions are compared: the most frequent ones."""

_LONG = 60
"""The most characters of a group's name."""

_SURE = 0.05

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Difference:
    """A share in a group that differs from that of all other records by more than chance.

    ``what`` is None for the share that is right, or the label that is decided.
    """

    what: LabelName | None
    share: float
    elsewhere: float


@dataclass(frozen=True, slots=True)
class Group:
    """The records with some values of a column. ``right`` is None without truth; ``decided`` counts each label shown.

    ``low`` to ``high`` is the 95 % interval of the share that is right. ``test`` is what scripts ask of a record.
    """

    name: str
    test: tuple[object, ...]
    records: int
    right: int | None
    low: float
    high: float
    decided: tuple[int, ...]
    differences: tuple[Difference, ...] = ()

    @property
    def share(self) -> float:
        """The share that is right."""
        return (self.right or 0) / self.records

    def differs(self, what: LabelName | None) -> bool:
        """Whether a share differs from that of the other records by more than chance."""
        return any(one.what == what for one in self.differences)


@dataclass(frozen=True, slots=True)
class GroupedBy:
    """A column and its groups. ``place`` is its place among the columns of the page's records; ``used`` by rules."""

    column: Text
    place: int
    used: bool
    groups: tuple[Group, ...]

    @property
    def differing(self) -> bool:
        """Whether chance does not explain some difference."""
        return any(group.differences for group in self.groups)


@dataclass(frozen=True, slots=True)
class Groups:
    """All columns with their groups, the labels whose decisions are compared, and how many tests were made."""

    columns: tuple[GroupedBy, ...]
    labels: tuple[LabelName, ...]
    tests: int

    @property
    def striking(self) -> tuple[tuple[GroupedBy, Group, Difference], ...]:
        """The differences to list, largest first: of quality, and of decisions where no rule tests the column.

        That decisions differ by what the rules test is what rules are for. Two groups that are all of a column differ
        from each other: one of them is listed.
        """
        found = [
            (column, group, one)
            for column in self.columns
            for group in column.groups[: 1 if len(column.groups) == 2 else None]
            for one in group.differences
            if one.what is None or not column.used
        ]
        return tuple(sorted(found, key=lambda one: -abs(one[2].share - one[2].elsewhere)))


NO_GROUPS = Groups((), (), 0)


def groups_of(facts: Facts, speaker: Speaker, words: Words, shown: Sequence[Column]) -> Groups:
    """The groups of the columns that a page has: what rules test first, then the others."""
    labels = _compared(facts)
    found = []
    for place, column in enumerate(shown[:_COLUMNS]):
        cut = list(_cut(column, words))
        if len(cut) > 1:
            groups = tuple(_group(facts, name, test, rows, labels) for name, test, rows in cut)
            found.append(GroupedBy(speaker.feature(column.name), place, place < len(facts.used), groups))
    names = tuple(speaker.labels[place] for place in labels)
    return _tested(facts, Groups(tuple(found), names, 0))


def _compared(facts: Facts) -> list[int]:
    """The labels whose shares of decisions are compared; of two labels the rarer, since the other has the rest."""
    order = np.argsort(-facts.frequency, kind="stable")
    return order[1:].tolist() if len(order) == 2 else sorted(order[:_LABELS].tolist())


# Which records are a group.

_Cut = tuple[str, tuple[object, ...], NDArray[np.bool_]]


def _cut(column: Column, words: Words) -> Iterator[_Cut]:
    """The groups of a column: their names, what a value must be, and the records; no group is empty."""
    counts = column.counts()
    if np.count_nonzero(counts[:-1]) > max(len(column) // 2, _VALUES) and not len(column.numbers):
        return  # nearly every record has a text of its own
    yield from _of_numbers(column, counts[: len(column.numbers)], words)
    yield from _of_texts(column, counts, words)
    if counts[-1]:
        yield "missing", ("missing",), column.codes == column.missing


def _of_numbers(column: Column, counts: NDArray[np.intp], words: Words) -> Iterator[_Cut]:
    present = np.flatnonzero(counts)
    if not len(present):
        return
    if len(present) <= _BINS + 1:
        for code in present.tolist():
            yield words.value(column.name, column.value(code)), ("=", _data(column, code)), column.codes == code
        return
    sums = np.cumsum(counts)
    cuts = np.searchsorted(sums, sums[-1] * np.arange(1, _BINS) / _BINS)
    ends = [-1, *np.unique(cuts[cuts < present[-1]]).tolist(), int(present[-1])]
    for before, end in pairwise(ends):
        low, high = before if before >= 0 else None, end if end < present[-1] else None
        said = [("above", low), ("at most", high)]
        name = " and ".join(f"{verb} {words.value(column.name, column.value(k))}" for verb, k in said if k is not None)
        bounds = [None if k is None else _data(column, k) for k in (low, high)]
        yield name, ("between", *bounds), (column.codes > before) & (column.codes <= end)


def _of_texts(column: Column, counts: NDArray[np.intp], words: Words) -> Iterator[_Cut]:
    first = len(column.numbers)
    texts = counts[first:-1]
    order = np.argsort(-texts, kind="stable")[: np.count_nonzero(texts)]
    shown = order[: _VALUES if len(order) > _VALUES + 1 else len(order)]
    for place in np.sort(shown).tolist():
        yield (
            words.value(column.name, column.categories[place]),
            ("=", column.categories[place]),
            (column.codes == first + place),
        )
    rest = order[len(shown) :]
    if len(rest):
        names = [column.categories[place] for place in shown.tolist()]
        yield f"{len(rest):,} other values", ("other", names), np.isin(column.codes, rest + first)


def _data(column: Column, code: int) -> object:
    value = column.value(code)
    return value_data(float(value) if isinstance(value, Noted) else value)


def _group(facts: Facts, name: str, test: tuple[object, ...], rows: NDArray[np.bool_], labels: list[int]) -> Group:
    given = facts.heads[facts.deciding[rows]]
    right = None if facts.truth is None else int((given == facts.truth[rows]).sum())
    decided = tuple(int((given == label).sum()) for label in labels)
    low, high = (0.0, 1.0) if right is None else interval(right, len(given))
    shown = name if len(name) <= _LONG else f"{name[: _LONG - 1]}…"
    return Group(shown, test, len(given), right, low, high, decided)


# Which differences chance does not explain.


def _tested(facts: Facts, groups: Groups) -> Groups:
    total, given = len(facts.table), facts.heads[facts.deciding]
    whole: list[tuple[LabelName | None, int]] = [] if facts.quality is None else [(None, facts.quality.right)]
    whole += [(label, int((given == label.place).sum())) for label in groups.labels]
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    found: list[tuple[float, int, int, Difference]] = []
    for k, column in enumerate(groups.columns):
        for g, group in enumerate(column.groups):
            if _LEAST <= group.records <= total - _LEAST:
                own = ([] if group.right is None else [group.right]) + list(group.decided)
                for (what, hits), mine in zip(whole, own, strict=True):
                    elsewhere = (hits - mine) / (total - group.records)
                    chance = fisher(mine, group.records, hits, total, logs)
                    found.append((chance, k, g, Difference(what, mine / group.records, elsewhere)))
    return _marked(replace(groups, tests=len(found)), _holm(found))


def _holm(found: Iterable[tuple[float, int, int, Difference]]) -> dict[tuple[int, int], list[Difference]]:
    """The differences that hold although there are many tests: each is the less sure, the more there are."""
    kept: dict[tuple[int, int], list[Difference]] = {}
    ranked = sorted(found, key=lambda one: one[:3])
    for place, (chance, column, group, difference) in enumerate(ranked):
        if chance * (len(ranked) - place) > _SURE:
            break
        kept.setdefault((column, group), []).append(difference)
    return kept


def _marked(groups: Groups, kept: dict[tuple[int, int], list[Difference]]) -> Groups:
    columns = tuple(
        replace(
            column,
            groups=tuple(
                replace(group, differences=tuple(kept.get((k, g), ()))) for g, group in enumerate(column.groups)
            ),
        )
        for k, column in enumerate(groups.columns)
    )
    return replace(groups, columns=columns)


def fisher(mine: int, size: int, hits: int, total: int, logs: NDArray[np.float64] | None = None) -> float:
    """Fisher's exact test: the chance of a count at least as unlikely as ``mine`` hits in ``size`` of all records.

    ``logs`` are the logarithms of the factorials from 0 to ``total``.

    >>> round(fisher(8, 10, 9, 16), 6)
    0.034965
    """
    if logs is None:
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    counts = np.arange(max(0, size + hits - total), min(size, hits) + 1)
    ways = -logs[counts] - logs[hits - counts] - logs[size - counts] - logs[total - size - hits + counts]
    chances = np.exp(ways - ways.max())
    own = chances[mine - counts[0]]
    return float(chances[chances <= own * (1 + 1e-7)].sum() / chances.sum())
