"""Profile the labels: their counts, whether they really are labels, and which features leak them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from unless.inspection.cell_counts import CellCounts
from unless.inspection.findings import Remark, TargetProfile
from unless.inspection.text_findings import find_text_remarks, sample_texts
from unless.table import Codes, Column, Labels
from unless.values import number_to_text, parse_number, percent

_RARE = 10  # records of a label: fewer are too few to both learn from and test on
_CONTINUOUS = 20  # different numbers: more may be a quantity
_ROWS = 20_000  # records: enough to see that a feature gives the label away
_FIRST = 1000  # records: enough to show that most features do not
_SURE = 3.0  # standard deviations: many, because hundreds of features are tried
_NAMES = (
    "target", "label", "class", "y", "outcome", "decision", "diagnosis", "result", "response", "survived", "churn",
)  # fmt: skip


def labels_as_texts(labels: Labels) -> Column:
    """Convert labels to a column of texts, as `profile_target` and `find_giveaways` expect."""
    texts = [number_to_text(label) if isinstance(label, float) else str(label) for label in labels.labels]
    return text_column(labels.name, texts, labels.codes)


def text_column(name: str, texts: Sequence[str], codes: Codes) -> Column:
    """Make a column of categories from the text of each code, in any order; the next code means missing."""
    known = sorted(set(texts))
    place = np.array([*(bisect_left(known, text) for text in texts), len(known)])
    return Column(name, "text", np.empty(0), tuple(known), place[codes])


def profile_target(column: Column) -> TargetProfile:
    """Profile a target column that was read as categories."""
    counts = CellCounts.of(column)
    classes = tuple(sorted(counts.texts.items(), key=lambda one: -one[1]))
    return TargetProfile(
        column.name, classes, counts.missing, tuple(_find_target_remarks(column.name, classes, counts.missing))
    )


def _find_target_remarks(name: str, classes: Sequence[tuple[str, int]], missing: int) -> list[Remark]:
    total = sum(count for _, count in classes)
    found: list[Remark] = []
    if missing:
        found.append(Remark("no-labels", name, f"is missing in {missing:,} of {total + missing:,} records"))
    if len(classes) == 1:
        return [*found, single_label_remark(name, classes[0][0])]
    if (problem := check_labels(name, [label for label, _ in classes], total)) is not None:
        return [*found, problem]
    found += [one for one in find_text_remarks(name, dict(classes)) if one.code == "spellings"]
    if rare := [(label, count) for label, count in classes if count < _RARE]:
        some = [f"{_quote_text(label)} {count:,}" for label, count in rare[:4]]
        text = ", ".join([*some, *["…"] * (len(rare) > 4)])
        found.append(Remark("rare-labels", name, f"has labels with fewer than {_RARE} records: {text}"))
    return found


def single_label_remark(name: str, label: str) -> Remark:
    """Return the remark on a target that has the same label everywhere."""
    return Remark("one-label", name, f"has only one label, {_quote_text(label)}")


def _quote_text(label: str) -> str:
    """Quote a label, unless it is a number or a boolean."""
    return label if parse_number(label) is not None or label in ("True", "False") else repr(label)


def check_labels(name: str, labels: Sequence[str], records: int) -> Remark | None:
    """Check whether a target is unsuitable: it looks like a quantity, or most records have their own label.

    Rules can predict neither. Many different numbers are a quantity if some have fractions, or if each occurs in few
    records.
    """
    if len(labels) <= _CONTINUOUS:
        return None
    numbers = list(map(parse_number, sample_texts(labels)))
    many = 20 * len(labels) > records
    if None not in numbers and (many or any(number and number % 1 for number in numbers)):
        text = f"looks like a quantity: {len(labels):,} different numbers in {records:,} records"
        return Remark("continuous", name, text)
    if 2 * len(labels) > records:
        nearly = "nearly " if len(labels) < records else ""
        return Remark("unique-labels", name, f"is {nearly}unique: {len(labels):,} labels in {records:,} records")
    return None


def guess_target(columns: Sequence[Column]) -> str | None:
    """Guess the column of labels: by its name, else the last column if it has few values."""
    for name in _NAMES:
        for column in columns:
            if column.name.strip().casefold() == name:
                return column.name
    if columns and 2 <= CellCounts.of(columns[-1]).distinct <= _CONTINUOUS:
        return columns[-1].name
    return None


def tell_codes_apart(remark: Remark, column: Column, target: Column) -> Remark:
    """Return a remark about numbers that may mean missing, or that they differ: their labels do, by more than chance.

    A group is the records with one of the numbers, or those with a missing cell, if there are enough of them.
    """
    if remark.code != "missing-number" or remark.example is None:
        return remark
    codes = [float(text) for text in (remark.example, *remark.others)]
    ranks = [*np.searchsorted(column.numbers, codes).tolist(), column.missing]
    names = [*map(number_to_text, codes), "missing"]
    known = target.codes != target.missing
    counts = [np.bincount(target.codes[known & (column.codes == rank)], minlength=target.missing) for rank in ranks]
    groups = [(name, count) for name, count in zip(names, counts, strict=True) if count.sum() >= _RARE]
    if len(groups) < 2 or not _shares_differ(np.array([count for _, count in groups])):
        return remark
    label = int(np.argmax(sum(count for _, count in groups)))
    usual = target.categories[label]
    shares = ", ".join(f"{name} {percent(count[label] / count.sum())}" for name, count in groups)
    finding = (
        f"{remark.finding.rpartition(':')[0]}: they differ in how often the label is {_quote_text(usual)}: {shares}"
    )
    return Remark("special-number", column.name, finding, remark.example, remark.others)


def _shares_differ(counts: NDArray[np.intp]) -> bool:
    """Return whether groups (rows) differ in their labels (columns) by more than chance, by the chi-squared test."""
    counts = counts[:, counts.any(axis=0)]
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if not freedom:
        return False
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    ratio = float(((counts - expected) ** 2 / expected).sum()) / freedom
    width = 2 / (9 * freedom)  # Wilson and Hilferty: the cube root is nearly normal
    return float(ratio ** (1 / 3) - (1 - width)) / sqrt(width) > _SURE


def find_giveaways(
    columns: Sequence[Column], target: Column, share: float = 0.98, *, quick: bool = False
) -> list[Remark]:
    """Find the features that alone predict the label for a given share of records, by more than chance.

    Half of the labelled records (or of a sample of some thousands) map each value to a label; the other half test that
    map. So identifiers are not found, and a handful of records is not enough. If ``quick``, most features are ruled out
    by a thousand records.
    """
    rows = np.random.default_rng(0).permutation(np.flatnonzero(target.codes != target.missing))[:_ROWS]
    labels, half, tried = target.codes[rows], len(rows) // 2, len(rows) - len(rows) // 2
    errors = 1 - int(np.bincount(labels[half:]).max(initial=0)) / max(tried, 1)  # if every label were the same
    if not half or not errors:
        return []
    found: list[Remark] = []
    for column in columns:
        first = rows[:_FIRST] if quick else rows[:0]
        if len(rows) > len(first) > 0 and _wrong_share(column.codes[first], labels[: len(first)]) > errors / 2:
            continue
        wrong = _wrong_share(column.codes[rows], labels)
        if wrong <= 1 - share and _is_beyond_chance(wrong, tried, errors):
            right = percent(1 - wrong, 1)
            text = f"alone decides {target.name!r} for {right} of the records"
            found.append(Remark("gives-away", column.name, text, right))
    return found


def _wrong_share(codes: Codes, labels: Codes) -> float:
    """Return the share of wrong records in the second half when the first half maps codes to labels."""
    half = len(codes) // 2
    known, tried = _sort_by_code(codes[:half], labels[:half]), _sort_by_code(codes[half:], labels[half:])
    return _count_wrong(known, tried) / (len(codes) - half)


def _sort_by_code(codes: Codes, labels: Codes) -> tuple[Codes, Codes]:
    order = np.argsort(codes, kind="stable")
    return codes[order], labels[order]


def _count_wrong(known: tuple[Codes, Codes], tried: tuple[Codes, Codes]) -> int:
    """Count the tried records whose label differs from the majority of the five known records with the nearest codes.

    If many known records have the same code, the five middle ones are used. A wrong label is outvoted, and thresholds
    are found exactly. The median of five labels is the most frequent label if at least three are equal.
    """
    (codes, labels), (new, truth) = known, tried
    first, last = labels[:1], labels[-1:]
    edged = np.concatenate([first, first, labels, last, last])
    usual = _median_of_five(*(edged[k : k + len(labels)] for k in range(5)))
    middle = (np.searchsorted(codes, new, "left") + np.searchsorted(codes, new, "right") - 1) // 2
    return int(np.count_nonzero(usual[np.maximum(middle, 0)] != truth))


def _median_of_five(a: Codes, b: Codes, c: Codes, d: Codes, e: Codes) -> Codes:
    """Return the elementwise median of five arrays; sorting takes ten times as long."""
    low = np.maximum(np.minimum(a, b), np.minimum(c, d))
    high = np.minimum(np.maximum(a, b), np.maximum(c, d))
    found: Codes = np.maximum(np.minimum(e, low), np.minimum(np.maximum(e, low), high))
    return found


def _is_beyond_chance(wrong: float, tried: int, errors: float) -> bool:
    """Return whether a share of wrong records is below that of a constant guess by more than chance."""
    half = errors / 2
    surely = half - wrong > _SURE * sqrt(half * (1 - half) / tried)
    return wrong <= errors / 10 and surely
