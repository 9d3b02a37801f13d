"""Compare subgroups: the accuracy and the decisions of a model for the records with each value of a column.

A group differs if its difference from all other records is beyond chance. P-values are adjusted for all tests of all
columns (`significance`): if there are no real differences, the probability of finding any is at most 5 %. The model
card and the page both show these groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unless.evaluation.significance import adjust_p_values, share_p_value
from unless.explanation.words import DEFAULT, Words
from unless.model.rule_statistics import wilson_interval
from unless.table import Column
from unless.values import Label, attributes_to_json, label_to_json, value_to_json
from unless.values.notation import NotatedNumber

__all__ = ["LEAST", "Difference", "Group", "Subgroups", "find_subgroups"]

_VALUES = 8
"""The maximum number of values of a column with a group each: more numbers are split into ranges, and rarer texts are
combined into one group."""

_RANGES = 4
"""The number of ranges into which many numbers are split."""

LEAST = 10
"""A group with fewer records is counted but not compared, because it would only weaken the other tests."""

_LABELS = 6
"""The maximum number of labels whose shares of decisions are compared: the most frequent labels."""

_LONG = 60
"""The maximum number of characters in the name of a group."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A share in a group that differs from the share in all other records by more than chance.

    ``label`` is the decided label, or None for the share of right decisions.
    """

    label: Label | None
    share: float
    elsewhere: float


@dataclass(frozen=True, slots=True)
class Group:
    """The records with a value or in a range: their number, their decisions, and how many labelled ones are right.

    ``test`` is the condition on a value, as data: ("=", value), ("between", above, up to) with None for no bound,
    ("other", texts) for any other text, or ("missing",).
    """

    feature: str
    name: str
    test: tuple[object, ...]
    records: int
    decided: tuple[tuple[Label | None, int], ...]
    labelled: int = 0
    right: int = 0
    differences: tuple[Difference, ...] = ()

    @property
    def accuracy(self) -> float | None:
        """The share of labelled records that are decided correctly; None without labelled records."""
        return self.right / self.labelled if self.labelled else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy."""
        return wilson_interval(self.right, self.labelled)

    @property
    def differs(self) -> bool:
        """Whether the accuracy differs from the accuracy on all other records by more than chance."""
        return any(one.label is None for one in self.differences)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that are decided more or less often than for all other records, beyond chance."""
        return tuple(one.label for one in self.differences if one.label is not None)

    def given(self, label: Label) -> int:
        """Return how many of the records are given a label."""
        return dict(self.decided).get(label, 0)

    def to_dict(self) -> dict[str, Any]:
        """Convert the group for JSON."""
        counts = attributes_to_json(self, "feature", "group=name", "records", "labelled", "right", "accuracy")
        return {
            **counts,
            "interval": list(self.interval) if self.labelled else None,
            "differs": self.differs,
            "decided": [{"label": label_to_json(label), "records": count} for label, count in self.decided],
            "labels_differ": [label_to_json(label) for label in self.labels],
        }


@dataclass(frozen=True, slots=True)
class Subgroups:
    """The groups of each column, the labels whose shares of decisions were compared, and how many tests were made."""

    columns: tuple[tuple[Group, ...], ...]
    labels: tuple[Label, ...]
    tests: int


def find_subgroups(
    columns: Sequence[Column],
    given: NDArray[np.integer[Any]],
    truth: NDArray[np.integer[Any]] | None,
    labels: Sequence[Label],
    *,
    words: Words = DEFAULT,
    alpha: float = 0.05,
) -> Subgroups:
    """Find the groups of each column; decisions and true labels are indices of ``labels``, negative for none."""
    records = _Records(given, truth, tuple(labels))
    (whole,) = records.count_groups("", [_Part("all", (), np.array([0]))], np.zeros(len(given), np.int64))
    found = [tuple(_column_groups(column, records, words)) for column in columns]
    compared = records.compared_labels()
    shares = [_shares_to_compare(group, whole, compared) for groups in found for group in groups]
    adjusted = adjust_p_values([one.p_value for many in shares for one in many])
    marked = _mark_differences((group for groups in found for group in groups), shares, iter(adjusted), alpha)
    return Subgroups(tuple(tuple(islice(marked, len(groups))) for groups in found), compared, len(adjusted))


# Dividing records into groups.


class _Part(NamedTuple):
    """A part of a column's values: its name, its test, and the ranks of its values."""

    name: str
    test: tuple[object, ...]
    codes: NDArray[np.intp]


def _split_column(column: Column, words: Words) -> Iterator[_Part]:
    """Split a column into non-empty parts, such that every record is in exactly one part."""
    counts, numbers = column.counts(), len(column.numbers)
    present = np.flatnonzero(counts[:numbers])
    if len(present) <= _VALUES:
        yield from (_value_part(column, code, words) for code in present.tolist())
    else:
        yield from _range_parts(column, present, counts, words)
    yield from _text_parts(column, counts[numbers:-1], words)
    if counts[-1]:
        yield _Part("missing", ("missing",), np.array([column.missing]))


def _value_part(column: Column, code: int, words: Words) -> _Part:
    return _Part(words.value(column.name, column.value(code)), ("=", _part_value(column, code)), np.array([code]))


def _range_parts(column: Column, present: NDArray[np.intp], counts: NDArray[np.intp], words: Words) -> Iterator[_Part]:
    """Yield ranges that cover all numbers; the first and the last range are open."""
    upto = np.cumsum(counts[present])
    cuts = np.searchsorted(upto, upto[-1] * np.arange(1, _RANGES) / _RANGES)
    ends = np.unique(present[np.minimum(cuts, len(present) - 2)]).tolist()  # the last range is not empty
    for low, high in pairwise([None, *ends, None]):
        said = [("above", low), ("at most", high)]
        name = " and ".join(f"{how} {words.value(column.name, column.value(k))}" for how, k in said if k is not None)
        bounds = (None if k is None else _part_value(column, k) for k in (low, high))
        first, end = 0 if low is None else low + 1, len(column.numbers) if high is None else high + 1
        yield _Part(name, ("between", *bounds), np.arange(first, end))


def _text_parts(column: Column, counts: NDArray[np.intp], words: Words) -> Iterator[_Part]:
    """Yield the most frequent texts, by code point, and one part for all other texts, unless only one is left."""
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    shown = order[: _VALUES if len(order) > _VALUES + 1 else len(order)]
    first, others = len(column.numbers), order[len(shown) :]
    yield from (_value_part(column, first + place, words) for place in np.sort(shown).tolist())
    if len(others):
        names = [column.categories[place] for place in shown.tolist()]
        yield _Part(f"{len(others):,} other values", ("other", names), others + first)


def _part_value(column: Column, code: int) -> object:
    value = column.value(code)
    return value_to_json(float(value) if isinstance(value, NotatedNumber) else value)


# Counting decisions in groups.


class _Records(NamedTuple):
    """The decision and the true label of each record, as indices of the labels; negative for none."""

    given: NDArray[np.integer[Any]]
    truth: NDArray[np.integer[Any]] | None
    labels: tuple[Label, ...]

    def count_groups(self, feature: str, parts: Sequence[_Part], member: NDArray[np.int64]) -> Iterator[Group]:
        """Yield the groups of a column; ``member`` has the index of the part of each record."""
        width, groups = len(self.labels) + 1, len(parts)
        given = np.where(self.given < 0, width - 1, self.given)
        decided = np.bincount(member * width + given, minlength=groups * width).reshape(groups, width).tolist()
        known = np.zeros(len(given), np.bool_) if self.truth is None else self.truth >= 0
        labelled = np.bincount(member[known], minlength=groups).tolist()
        right = np.bincount(member[known & (self.given == self.truth)], minlength=groups).tolist()
        for part, row, *counts in zip(parts, decided, labelled, right, strict=True):
            pairs = tuple((label, count) for label, count in zip((*self.labels, None), row, strict=True) if count)
            name = part.name if len(part.name) <= _LONG else f"{part.name[: _LONG - 1]}…"
            yield Group(feature, name, part.test, sum(row), pairs, *counts)

    def compared_labels(self) -> tuple[Label, ...]:
        """Choose the labels whose shares of decisions are compared: the most frequent ones, ties by their text.

        With two labels, only the rarer label is compared, since the other has the rest, unless some records are
        undecided.
        """
        known = self.given if self.truth is None else self.truth
        often = np.bincount(known[known >= 0], minlength=len(self.labels))
        order = sorted(range(len(self.labels)), key=lambda place: (-often[place], str(self.labels[place])))
        kept = order[1:] if len(order) == 2 and (self.given >= 0).all() else sorted(order[:_LABELS])
        return tuple(self.labels[place] for place in kept)


def _column_groups(column: Column, records: _Records, words: Words) -> Iterator[Group]:
    parts, place = list(_split_column(column, words)), np.zeros(column.missing + 1, np.int64)
    for number, part in enumerate(parts):
        place[part.codes] = number
    return records.count_groups(column.name, parts, place[column.codes])


# Testing for differences beyond chance.


class _Share(NamedTuple):
    """A share to compare, such as right decisions: its counts in the group and in all records."""

    label: Label | None
    some: int
    of: int
    all_some: int
    all: int

    @property
    def is_testable(self) -> bool:
        """Whether there are enough records to find a difference."""
        return min(self.of, self.all - self.of) >= LEAST and 0 < self.all_some < self.all

    @property
    def p_value(self) -> float:
        return share_p_value(self.some, self.of, self.all_some - self.some, self.all - self.of)

    @property
    def difference(self) -> Difference:
        return Difference(self.label, self.some / self.of, (self.all_some - self.some) / (self.all - self.of))


def _shares_to_compare(group: Group, whole: Group, labels: Sequence[Label]) -> list[_Share]:
    """Return the shares of a group that can be compared with all other records."""
    right = _Share(None, group.right, group.labelled, whole.right, whole.labelled)
    decided = (_Share(one, group.given(one), group.records, whole.given(one), whole.records) for one in labels)
    return [share for share in (right, *decided) if share.is_testable]


def _mark_differences(
    groups: Iterator[Group], shares: Sequence[Sequence[_Share]], adjusted: Iterator[float], alpha: float
) -> Iterator[Group]:
    """Yield the groups with their differences; ``adjusted`` has a p-value for each share."""
    for group, many in zip(groups, shares, strict=True):
        yield replace(group, differences=tuple(one.difference for one in many if next(adjusted) <= alpha))
