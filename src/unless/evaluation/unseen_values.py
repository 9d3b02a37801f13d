"""Find values that training did not have: categories, numbers outside the range, text among numbers, labels.

The rules still decide such records, literally: a new category just differs from the category that a rule names. So a
renamed category can change every decision without an error, and users need to know. If a label is spelled differently
than in training, every decision for it counts as wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, UnseenValuesError, suggest
from unless.explanation.words import DEFAULT, Words
from unless.model import Model, model_of, program_of
from unless.rule import Program
from unless.table import MAX_DOMAIN_VALUES, Column, Labels, Table
from unless.values import Value, attributes_to_json, class_index, count_text
from unless.values.notation import NotatedNumber, Notation

Kind = OneOf["category", "text", "number", "range", "label"]
"""The kinds: a new category, text where training had only numbers, numbers where it had only text, out of range,

and a true label that the model does not know, so that no decision can be right.
"""

_SHOWN = 3  # values in a sentence
_LONG = 60  # letters of a value or a name
_KEPT = 10  # values kept as examples
_COLUMNS = 8  # columns in a summary
_UNLIKELY = 0.01  # a probability


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of one column that training did not have, in ``records`` of ``total`` records.

    ``examples`` are the most frequent texts, or the smallest and largest number. ``seen`` are some categories of
    training, or the ends of its range. ``by_chance`` is whether records like the training records may well have such
    values: a few numbers slightly outside the range, or a rare category.
    """

    feature: str
    kind: Kind
    records: int
    total: int
    examples: tuple[Value, ...]
    seen: tuple[Value, ...]
    by_chance: bool = False

    def text(self, words: Words = DEFAULT) -> str:
        """A sentence: "contract: 3,875 of 7,043 records hold 'Monthly', which training did not have (it had …)."."""
        words = words.for_values((self.feature, value) for value in (*self.examples, *self.seen))
        name, one = _shorten(words.name(self.feature)), self.records == 1
        said, seen = (_list_values(values, partial(words.value, self.feature)) for values in (self.examples, self.seen))
        hold = "holds" if one else "hold"
        match self.kind:
            case "category":
                found = f"{hold} {said}, which training did not have (it had {seen})"
            case "text":
                had = number_kind_text(self.seen[0].notation if isinstance(self.seen[0], NotatedNumber) else None)
                found = f"{hold} text where training had only {had}: {said}"
            case "number":
                found = f"{hold} numbers where training had only text: {said}"
            case "range":
                low, high = (words.value(self.feature, end) for end in self.seen)
                found = f"{'is' if one else 'are'} outside the range of training, {low} to {high}: {said}"
            case "label":
                listed = ", ".join(map(repr, self.examples[:_SHOWN])) + ", …" * (len(self.examples) > _SHOWN)
                hint = suggest(self.examples[0], self.seen)
                found = f"{'has' if one else 'have'} a label that the model does not know, {listed}{hint}"
        some = "the record" if self.total == 1 else f"{self.records:,} of {self.total:,} records"
        some = f"all {self.total:,} records" if self.records == self.total > 1 else some
        return f"{name}: {some} {found}{' (few enough to be chance)' if self.by_chance else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the values for JSON."""
        counts = attributes_to_json(self, "feature", "kind", "records", "of=total")
        return {**counts, **attributes_to_json(self, "examples", "training=seen", "by_chance")}

    def __str__(self) -> str:
        return self.text()


def unseen_values(model: Model, table: Table, *, labels: bool = False) -> tuple[Unseen, ...]:
    """Find the values in a table that training did not have, for the features whose values the model stores.

    With ``labels``, the result starts with true labels that the model does not know.
    """
    counts = UnseenCounts(model)
    counts.add(table)
    if labels and table.target is not None:
        counts.add_labels(table.target)
    return counts.found()


def unknown_labels(model: Model | Program, labels: Labels | None) -> tuple[Unseen, ...]:
    """Find true labels that a model does not know."""
    counts = UnseenCounts(model)
    if labels is not None:
        counts.add_labels(labels)
    return counts.found()


def beyond_chance(found: Iterable[Unseen]) -> list[Unseen]:
    """Return the findings that are beyond chance."""
    return [one for one in found if not one.by_chance]


def unseen_summary(found: Sequence[Unseen], words: Words = DEFAULT) -> list[str]:
    """Return a line for each of the first few columns, and one with the number of other columns."""
    lines = [one.text(words) for one in found[:_COLUMNS]]
    more = len(found) - len(lines)
    return [*lines, f"the same in {count_text(more, 'more column')}"] if more > 0 else lines


def refuse_unseen(found: Iterable[Unseen], where: str = "") -> None:
    """Reject values that training did not have, unless they may be chance; ``where`` names their location."""
    if lines := unseen_summary(beyond_chance(found)):
        raise UnseenValuesError("\n".join([f"values that training did not have{where}:", *lines]))


def require_known_values(model: object, program: Program) -> None:
    """Reject a model that does not store the values of training, since it cannot detect unseen values."""
    known = model_of(model)
    if known is None or not set(program.used) <= set(known.domain.features):
        raise ParameterError(
            "rules alone, and models of earlier versions, do not know which values training had, so they cannot "
            "refuse new ones; use a model that fit has written"
        )


class UnseenCounts:
    """Counts values that training did not have, batch by batch.

    A program stores only its labels, not values; true labels are reported only if the program has none of them.
    """

    def __init__(self, model: Model | Program) -> None:
        known = model_of(model)
        self._columns = [] if known is None else [_ColumnCounts(column) for column in known.domain.columns]
        self._trained = 0.0 if known is None else known.statistics.total
        self._total = 0
        self._knows = program_of(model).labels if known is None else known.statistics.classes
        self._complete = known is not None
        self._labels: Counter[str] = Counter()
        self._target, self._labelled = "", 0

    def add(self, table: Table) -> None:
        """Count the records of a batch."""
        self.add_cells(len(table), {column.name: column for column in table.columns})

    def add_cells(self, rows: int, cells: Mapping[str, Column | NDArray[np.float64]]) -> None:
        """Count the records of a batch, given their columns, or arrays of plain numbers."""
        self._total += rows
        for counts in self._columns:
            found = cells.get(counts.seen.name)
            if isinstance(found, Column):
                counts.add(found.in_notation(counts.notation))
            elif found is not None:
                counts.add_numbers(found)

    def add_labels(self, labels: Labels) -> None:
        """Count true labels."""
        self._target, self._labelled = labels.name, self._labelled + len(labels.codes)
        counts = np.bincount(labels.codes, minlength=len(labels.labels)).tolist()
        for label, count in zip(labels.labels, counts, strict=True):
            if count and class_index(label, self._knows) is None:
                self._labels[str(label)] += count

    def merge(self, other: UnseenCounts) -> None:
        """Add what was counted in other batches, with the same model."""
        self._total += other._total
        self._target, self._labelled = other._target or self._target, self._labelled + other._labelled
        self._labels.update(other._labels)
        for own, others in zip(self._columns, other._columns, strict=True):
            own.merge(others)

    def found(self) -> tuple[Unseen, ...]:
        """Return the findings so far: labels, then features in order."""
        found = (one for counts in self._columns for one in counts.found(self._total))
        return (*self._found_labels(), *(replace(one, by_chance=_may_be_chance(one, self._trained)) for one in found))

    def _found_labels(self) -> Iterator[Unseen]:
        unknown = sum(self._labels.values())
        if unknown and (unknown == self._labelled or self._complete):
            often = tuple(sorted(self._labels, key=lambda label: (-self._labels[label], label)))[:_KEPT]
            known = tuple(map(str, self._knows[:_KEPT]))
            yield Unseen(self._target, "label", unknown, self._labelled, often, known)

    def chances(self) -> dict[str, float]:
        """Return an upper bound on the p-value of the findings about each feature."""
        share = self._total / max(self._trained + self._total, 1.0)
        return {counts.seen.name: counts.chance(share) for counts in self._columns if counts.any}


def _may_be_chance(found: Unseen, trained: float) -> bool:
    """Return whether a finding may well be chance, given the number of training records.

    Suppose the m new records are like the n training records. Then the j smallest and k - j largest of all numbers are
    all in new records with a probability of about (m / (n + m)) ** k, for each of k + 1 values of j. Numbers outside by
    more than the width of the range are never chance. If k records have a category, all k are new with the same
    probability; this may be chance if at most one in a hundred new records has the category.
    """
    share, records = found.total / (trained + found.total), found.records
    match found.kind:
        case "range":
            low, high = (float(end or 0) for end in found.seen)
            near = all(2 * low - high <= float(one or 0) <= 2 * high - low for one in found.examples)
            return near and (records + 1) * share**records > _UNLIKELY
        case "category":
            return 100 * records <= found.total and share**records > _UNLIKELY
    return False


@dataclass(slots=True)
class _ColumnCounts:
    """Counts values of one column that training did not have; ``seen`` is the training column without rows."""

    seen: Column
    texts: Counter[str] = field(default_factory=Counter)
    text_records: int = 0
    low: float = math.inf
    high: float = -math.inf
    number_records: int = 0

    @property
    def notation(self) -> Notation | None:
        """The notation of the training numbers; None for plain numbers."""
        notation = self.seen.notation
        return None if notation is None or notation.plain else notation

    def add(self, column: Column) -> None:
        known = set(self.seen.categories)
        new = [place for place, text in enumerate(column.categories) if text not in known]
        # A model stores only this many categories; any other category may just be rare.
        if new and len(known) < MAX_DOMAIN_VALUES:
            counts = column.counts()[len(column.numbers) + np.array(new)].tolist()
            self._add_texts(dict(zip((column.categories[place] for place in new), counts, strict=True)), sum(counts))
        outside = _outside_range(column.numbers, self.seen.numbers)
        if outside.any():
            often = column.counts()[: len(outside)]
            self._note(column.numbers[outside & (often > 0)], int(often[outside].sum()))

    def add_numbers(self, numbers: NDArray[np.float64]) -> None:
        """Count cells that are plain numbers, or NaN."""
        seen = self.seen.numbers
        if len(seen) and len(numbers) and seen[0] <= numbers.min() and numbers.max() <= seen[-1]:
            return  # then none is NaN either; this test takes a third of the time
        found = numbers[_outside_range(numbers, seen)]
        self._note(found, len(found))

    def _note(self, outside: NDArray[np.float64], records: int) -> None:
        """Count records whose numbers are outside the range."""
        self.number_records += records
        if len(outside):
            self.low, self.high = min(self.low, outside.min() + 0.0), max(self.high, outside.max() + 0.0)

    def _add_texts(self, texts: Mapping[str, int], records: int) -> None:
        self.texts.update(texts)
        self.texts = Counter(dict((+self.texts).most_common(MAX_DOMAIN_VALUES)))
        self.text_records += records

    def merge(self, other: _ColumnCounts) -> None:
        """Add what was counted in other rows of the column."""
        self._add_texts(other.texts, other.text_records)
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.number_records += other.number_records

    @property
    def any(self) -> bool:
        """Whether any value was found that training did not have."""
        return bool(self.text_records or self.number_records)

    def chance(self, share: float) -> float:
        """Return an upper bound on the p-value, if the new records are this ``share`` of all records.

        If k records have a category, all k are new with a probability of share ** k, and any category may be that
        category. With text among numbers, or numbers among text, the k records are all new. For numbers outside the
        range see `_by_chance`. Two kinds of findings in one column are two chances.
        """
        chances = []
        if self.text_records:
            other = bool(len(self.seen.numbers)) and not self.seen.categories
            most = self.text_records if other else max(self.texts.values())
            chances.append((1 if other else len(self.seen.categories) + len(self.texts)) * share**most)
        if self.number_records:
            ends = self.number_records + 1 if len(self.seen.numbers) else 1
            chances.append(ends * share**self.number_records)
        return min(1.0, len(chances) * min(chances, default=1.0))

    def found(self, total: int) -> Iterator[Unseen]:
        name, categories = self.seen.name, self.seen.categories[:_KEPT]
        written = float if self.notation is None else self.notation.value
        ends = tuple(map(written, self.seen.numbers.tolist()))
        if self.text_records:
            often = tuple(sorted(self.texts, key=lambda text: (-self.texts[text], text)))[:_KEPT]
            if ends and not categories:
                yield Unseen(name, "text", self.text_records, total, often, ends)
            else:
                yield Unseen(name, "category", self.text_records, total, often, categories)
        if self.number_records:
            found = tuple(map(written, dict.fromkeys((self.low, self.high))))
            if ends:
                farthest = tuple(one for one in found if not ends[0] <= one <= ends[-1])
                yield Unseen(name, "range", self.number_records, total, farthest, (ends[0], ends[-1]))
            else:
                yield Unseen(name, "number", self.number_records, total, found, categories)


def _outside_range(numbers: NDArray[np.float64], seen: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which finite numbers are outside the range of training; all of them if training had no numbers."""
    finite = np.isfinite(numbers)
    return finite & ((numbers < seen[0]) | (numbers > seen[-1])) if len(seen) else finite


def number_kind_text(notation: Notation | None) -> str:
    """Name the kind of numbers of a column: numbers, dates, times."""
    return "numbers" if notation is None else _CALLED.get(notation.name, "numbers")


_CALLED = {"date": "dates", "datetime": "dates", "instant": "dates", "time": "times", "duration": "durations"}
_CALLED |= {"order": "ordered categories", "whole": "whole numbers"}


def _list_values(values: Sequence[Value], word: Callable[[Value], str]) -> str:
    shown = ", ".join(_shorten(word(value)) for value in values[:_SHOWN])
    return f"{shown}, …" if len(values) > _SHOWN else shown or "nothing"


def _shorten(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
