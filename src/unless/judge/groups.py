"""Subgroups: how often a model is right, and what it decides, for the records with each value of a column.

A difference to all other records is one that chance does not explain, in view of how many groups and labels there are
(`chance`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.explanation.words import DEFAULT, Words
from unless.judge.chance import holm, same_share
from unless.model import interval
from unless.table import Column
from unless.values import Label, label_data

__all__ = ["Group", "groups_of"]

_CATEGORIES = 8
"""The most values of a column that are groups of their own; the rest are one group."""

_RANGES = 4
"""Into how many ranges of about the same number of records many numbers are divided."""


@dataclass(frozen=True, slots=True)
class Group:
    """The records with a value, or a range of values: how many, what is decided, and how many labelled ones are right.

    ``differs`` says that the accuracy differs from that of all other records, ``labels`` which labels are decided more
    or less often than there, both by more than chance.
    """

    feature: str
    name: str
    records: int
    decided: tuple[tuple[Label | None, int], ...]
    labelled: int = 0
    right: int = 0
    differs: bool = False
    labels: tuple[Label | None, ...] = ()

    @property
    def accuracy(self) -> float | None:
        """The share of labelled records that are right; None if there are none."""
        return self.right / self.labelled if self.labelled else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy."""
        return interval(self.right, self.labelled)

    def to_dict(self) -> dict[str, Any]:
        """The group for JSON."""
        return {
            "feature": self.feature,
            "group": self.name,
            "records": self.records,
            "labelled": self.labelled,
            "right": self.right,
            "accuracy": self.accuracy,
            "interval": list(self.interval) if self.labelled else None,
            "differs": self.differs,
            "decided": [{"label": label_data(label), "records": count} for label, count in self.decided],
            "labels_differ": [label_data(label) for label in self.labels],
        }


def groups_of(
    columns: Sequence[Column],
    given: NDArray[np.intp],
    truth: NDArray[np.intp] | None,
    labels: Sequence[Label],
    *,
    words: Words = DEFAULT,
    alpha: float = 0.05,
) -> tuple[Group, ...]:
    """The groups of each column; decisions and true labels are places among ``labels``, negative for none."""
    found = [
        (name, rows, _group(column.name, name, rows, given, truth, labels))
        for column in columns
        for name, rows in _parts(column, words)
    ]
    return tuple(_compared([(rows, group) for _, rows, group in found], given, truth, labels, alpha))


def _group(
    feature: str,
    name: str,
    rows: NDArray[np.bool_],
    given: NDArray[np.intp],
    truth: NDArray[np.intp] | None,
    labels: Sequence[Label],
) -> Group:
    counts = np.bincount(np.where(given[rows] < 0, len(labels), given[rows]), minlength=len(labels) + 1).tolist()
    decided = tuple((label, count) for label, count in zip((*labels, None), counts, strict=True) if count)
    group = Group(feature, name, int(rows.sum()), decided)
    if truth is None:
        return group
    known = rows & (truth >= 0)
    return replace(group, labelled=int(known.sum()), right=int((given[known] == truth[known]).sum()))


def _compared(
    found: Sequence[tuple[NDArray[np.bool_], Group]],
    given: NDArray[np.intp],
    truth: NDArray[np.intp] | None,
    labels: Sequence[Label],
    alpha: float,
) -> Iterator[Group]:
    """The groups, with what differs from all other records."""
    chances: list[float] = []
    for rows, group in found:
        rest = ~rows
        known = rest if truth is None else rest & (truth >= 0)
        right = 0 if truth is None else int((given[known] == truth[known]).sum())
        chances.append(same_share(group.right, group.labelled, right, int(known.sum()) if group.labelled else 0))
        inside = dict(group.decided)
        for place, label in enumerate(labels):
            elsewhere = int((given[rest] == place).sum())
            chances.append(same_share(inside.get(label, 0), group.records, elsewhere, int(rest.sum())))
    adjusted = iter(holm(chances))
    for _, group in found:
        differs = next(adjusted) <= alpha
        moved = tuple(label for label, chance in [(label, next(adjusted)) for label in labels] if chance <= alpha)
        yield replace(group, differs=differs, labels=moved)


def _parts(column: Column, words: Words) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The groups of a column: what they are called, and which records belong to them."""
    counts, codes = column.counts(), column.codes.astype(np.int64)
    numbers = len(column.numbers)
    there = np.flatnonzero(counts[:numbers])
    for first, last in _ranges(there, counts):
        low, high = (words.value(column.name, column.value(int(code))) for code in (first, last))
        yield low if first == last else f"{low} to {high}", (codes >= first) & (codes <= last)
    texts = [numbers + place for place in np.argsort(-counts[numbers:-1], kind="stable") if counts[numbers + place]]
    for code in texts[:_CATEGORIES]:
        yield words.value(column.name, column.value(int(code))), codes == code
    if rest := texts[_CATEGORIES:]:
        yield f"{len(rest):,} other values", np.isin(codes, rest)
    if counts[-1]:
        yield "missing", codes == column.missing


def _ranges(there: NDArray[np.intp], counts: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """The first and last codes of groups of numbers: each number alone, if there are few; else ranges."""
    if len(there) <= _CATEGORIES:
        yield from ((int(code), int(code)) for code in there)
        return
    upto = np.cumsum(counts[there])
    cuts = [int(np.searchsorted(upto, upto[-1] * share / _RANGES)) for share in range(1, _RANGES)]
    starts = sorted({0, *(min(cut + 1, len(there) - 1) for cut in cuts)})
    for start, end in zip(starts, [*starts[1:], len(there)], strict=True):
        yield int(there[start]), int(there[end - 1])
