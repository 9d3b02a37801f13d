"""The labels: their balance, whether they are labels at all, and which feature gives them away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unless.inspection.identity import counts_of
from unless.inspection.remarks import Remark, TargetProfile
from unless.inspection.spelling import remarks_on_texts, sample
from unless.judge.labels import interval
from unless.learn.own import fold_unless
from unless.prediction import predict
from unless.table import Column, Labels, Table
from unless.values import number_in, percent

__all__ = ["giveaways", "likely_target", "no_labels", "target_profile"]

_RARE = 10  # records of a label: fewer are too few to learn from and to test on
_CONTINUOUS = 20  # different numbers
_ROWS = 20_000  # that are enough to see that a feature gives the label away
_BINS = 64
_SURE = 3.0  # standard deviations: hundreds of features are tried
_DECIDES = 0.98
_NAMES = (
    "target",
    "label",
    "class",
    "y",
    "outcome",
    "decision",
    "diagnosis",
    "result",
    "response",
    "survived",
    "churn",
)


def target_profile(column: Column) -> TargetProfile:
    """The classes of a target that was read as categories."""
    counts = counts_of(column)
    often = counts[len(column.numbers) : -1]
    order = np.argsort(-often, kind="stable")
    classes = tuple((column.categories[place], int(often[place])) for place in order.tolist() if often[place])
    return TargetProfile(column.name, classes, int(counts[-1]), tuple(_remarks(column.name, classes, int(counts[-1]))))


def _remarks(name: str, classes: Sequence[tuple[str, int]], missing: int) -> list[Remark]:
    total = sum(count for _, count in classes)
    found: list[Remark] = []
    if missing:
        found.append(Remark("no-labels", name, f"is missing in {missing:,} of {total + missing:,} records"))
    if len(classes) == 1:
        return [*found, Remark("one-label", name, f"has one label only, {classes[0][0]!r}")]
    if (doubt := no_labels(name, [label for label, _ in classes], total)) is not None:
        return [*found, doubt]
    found += [one for one in remarks_on_texts(name, dict(classes)) if one.code == "spellings"]
    if rare := [(label, count) for label, count in classes if count < _RARE]:
        said = ", ".join(f"{label!r} {count:,}" for label, count in rare[:4]) + (", …" if len(rare) > 4 else "")
        found.append(Remark("rare-labels", name, f"has labels of fewer than {_RARE} records: {said}"))
    return found


def no_labels(name: str, labels: Sequence[str], records: int) -> Remark | None:
    """Why a target looks like none: many different numbers are a quantity, and most records have a label of their own.

    Rules can predict neither.
    """
    if len(labels) <= _CONTINUOUS or 20 * len(labels) <= records:
        return None
    if all(number_in(label) is not None for label in sample(labels)):
        said = f"looks like a quantity: {len(labels):,} different numbers in {records:,} records"
        return Remark("continuous", name, said)
    if 2 * len(labels) > records:
        nearly = "nearly " if len(labels) < records else ""
        return Remark("unique-labels", name, f"is {nearly}unique: {len(labels):,} labels in {records:,} records")
    return None


def likely_target(columns: Sequence[Column]) -> str | None:
    """The column that looks most like labels: by its name, else the last one if it has few values."""
    for name in _NAMES:
        for column in columns:
            if column.name.strip().casefold() == name:
                return column.name
    if columns and 2 <= int(np.count_nonzero(counts_of(columns[-1])[:-1])) <= _CONTINUOUS:
        return columns[-1].name
    return None


def giveaways(columns: Sequence[Column], target: Column, seed: int = 0) -> list[Remark]:
    """The features that by themselves decide the label (nearly) always, beyond what chance allows.

    Of the labelled records, some thousand at most, rules about the one feature are learned from one half and tried on
    the other. An identifier decides nothing there; a few records are too few to be sure of.
    """
    rows = np.flatnonzero(target.codes != target.missing)
    rows = np.random.default_rng(seed).permutation(rows)[:_ROWS]
    labels = _labels(target, rows)
    half = len(rows) // 2
    errors = 1 - int(np.bincount(labels.codes[half:]).max(initial=0)) / max(len(rows) - half, 1)
    if len(labels.labels) < 2 or errors == 0 or half == 0:
        return []
    found: list[Remark] = []
    for column in columns:
        codes = column.codes[rows]
        if _purity(codes, column.missing + 1, labels) < _DECIDES - 0.1:
            continue
        wrong = _wrong(_few_ranks(column, codes), labels, half)
        if _gives_away(wrong, len(rows) - half, errors):
            share = percent(1 - wrong / (len(rows) - half), 1)
            said = f"alone decides {target.name!r} for {share} of the records"
            found.append(Remark("gives-away", column.name, said, share))
    return found


def _labels(target: Column, rows: NDArray[np.intp]) -> Labels:
    """The labels of these rows, those that occur."""
    found, codes = np.unique(target.codes[rows], return_inverse=True)
    names = tuple(target.categories[code - len(target.numbers)] for code in found.tolist())
    return Labels(target.name, names, codes)


def _purity(codes: NDArray[np.unsignedinteger], ranks: int, labels: Labels) -> float:
    """The share of records whose label is the most frequent one of their value, or of their part of the range.

    It bounds what rules could do, roughly, at the price of counting.
    """
    parts = codes if ranks <= _BINS else np.argsort(np.argsort(codes, kind="stable")) * _BINS // len(codes)
    joint = np.bincount(parts.astype(np.int64) * len(labels.labels) + labels.codes, minlength=0)
    joint = np.pad(joint, (0, -len(joint) % len(labels.labels))).reshape(-1, len(labels.labels))
    return float(joint.max(axis=1).sum()) / len(codes)


def _few_ranks(column: Column, codes: NDArray[np.unsignedinteger]) -> Column:
    """The column of some rows, with only the ranks that occur there."""
    kept, again = np.unique(codes, return_inverse=True)
    numbers = kept[kept < len(column.numbers)]
    texts = kept[(kept >= len(column.numbers)) & (kept < column.missing)]
    categories = tuple(column.categories[code] for code in (texts - len(column.numbers)).tolist())
    return Column(column.name, column.kind, column.numbers[numbers], categories, again)


def _wrong(column: Column, labels: Labels, half: int) -> int:
    """How many records of the second half rules of the first half get wrong."""
    table = Table((column,), labels)
    enough = 4 * len(labels.labels) + 8
    program = fold_unless(table[:half], progress=lambda left, rules: rules >= enough)
    truth = np.array(labels.labels, dtype=object)[labels.codes[half:]]
    return int(np.count_nonzero(predict(program, table[half:]) != truth))


def _gives_away(wrong: int, tried: int, errors: float) -> bool:
    """Whether so few errors are left of those that always the same label would make, and not by chance."""
    share = wrong / tried
    _, bound = interval(wrong, tried, _SURE)
    return share <= 1 - _DECIDES and share <= errors / 10 and bound < errors / 2
