"""Make the new cells of records: the label, its probability, and the deciding rule with its expected precision.

Many records have the same answer, so each distinct answer is written to text only once.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError
from unless.kernels import append_fields as kernels
from unless.libraries import pl
from unless.model.prediction import Decider
from unless.model.rule_statistics import RuleStatistics
from unless.read.frames import make_series
from unless.rule.reason_words import Reason
from unless.score.principal_reasons import TableReasons
from unless.score.score_decider import ScoreDecider
from unless.values import Label, cell_value, label_to_json

T = TypeVar("T")

_ENDING = "\r\n"
_DIGITS = 6  # of a probability, which is an estimate from counts: seventeen digits would suggest false precision

Choices = NDArray[np.int32]
"""The index of the answer of every row."""


def refuse_surrogates(what: str, text: str) -> None:
    """Raise an error for half of a surrogate pair, which is no character and cannot be written to a file."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise ParameterError(f"{what} {text!r} has {half!r}, which is half a character: no file can hold it") from None


@dataclass(frozen=True, slots=True)
class NewColumns:
    """The distinct answers: the cells of records in the new columns.

    The first answers are for each rule, then for records that no rule decides; for a committee, for each class. Further
    answers have other probabilities. A program without statistics has no probabilities and no expected precision; nor
    does a record without a label.
    """

    labels: tuple[Label | None, ...]
    probabilities: tuple[float | None, ...] | None = None
    precisions: tuple[float | None, ...] | None = None
    """The expected precision of the rules."""
    rules: tuple[int | None, ...] | None = None
    """The numbers of the rules; None for a committee, where no single rule decides."""
    reasons: tuple[tuple[Reason, ...], ...] | None = None
    """The principal reasons, if they are asked for."""
    most: int = 0
    """The number of columns of reasons."""
    costs: tuple[float | None, ...] | None = None
    """The expected costs of decisions, if points or costs decide; that of a record passed on is the price."""
    passed_on: tuple[bool, ...] | None = None
    """Whether records are passed on undecided, if the decider rejects any."""

    @classmethod
    def of(cls, decider: Decider, statistics: RuleStatistics | None) -> NewColumns:
        """Make the answers of a decider, with probabilities and precisions of rules from the training statistics.

        If no single rule decides, every record has its own probability.
        """
        labels = decider.heads
        for label in labels:
            refuse_surrogates("the label", str(label))
        if isinstance(decider, ScoreDecider):
            none = (None,) * len(labels)
            passed_on = tuple(place == decider.rejected for place in range(len(labels)))
            return cls(labels, none, costs=none, passed_on=None if decider.rejected is None else passed_on)
        if not decider.by_rule:
            return cls(labels, (1.0,) * len(labels))
        rules = (*range(1, len(labels)), None)
        if statistics is None:
            return cls(labels, rules=rules)
        place: dict[Label | None, int] = {label: k for k, label in enumerate(statistics.classes)}
        shares = zip(labels, statistics.probabilities(), strict=True)
        probabilities = tuple(None if one is None else _round_share(row[place[one]]) for one, row in shares)
        expected = zip(labels, statistics.expected_precision, strict=True)
        return cls(
            labels, probabilities, tuple(None if one is None else _round_share(share) for one, share in expected), rules
        )

    def with_probabilities(self, choices: Choices, shares: NDArray[np.float64]) -> tuple[NewColumns, Choices]:
        """Add answers for the probability of each record; return them and the index of the answer of every row."""
        unit = 10**_DIGITS
        cells = choices.astype(np.int64) * (unit + 1) + np.rint(shares * unit).astype(np.int64)
        distinct, places = np.unique(cells, return_inverse=True)
        first, amounts = (one.tolist() for one in np.divmod(distinct, unit + 1))
        labels = [self.labels[one] for one in first]
        shown = [None if label is None else amount / unit for label, amount in zip(labels, amounts, strict=True)]
        precisions = None if self.precisions is None else (*self.precisions, *(self.precisions[one] for one in first))
        rules = None if self.rules is None else (*self.rules, *(self.rules[one] for one in first))
        answers = NewColumns((*self.labels, *labels), (*(self.probabilities or ()), *shown), precisions, rules)
        return answers, (places + len(self.labels)).astype(np.int32)

    def with_costs(
        self, choices: Choices, shares: NDArray[np.float64], costs: NDArray[np.float64]
    ) -> tuple[NewColumns, Choices]:
        """Add answers for the probability and the expected cost of each record, as `with_probabilities` does."""
        rounded = np.array([float(f"{one:.{_DIGITS}g}") for one in costs.tolist()])
        rows = np.column_stack([choices, np.round(shares, _DIGITS), rounded])
        distinct, places = np.unique(rows, axis=0, return_inverse=True)
        first = distinct[:, 0].astype(int).tolist()
        labels = [self.labels[one] for one in first]
        shown = [None if label is None else share for label, share in zip(labels, distinct[:, 1].tolist(), strict=True)]
        answers = replace(
            self,
            labels=(*self.labels, *labels),
            probabilities=(*(self.probabilities or ()), *shown),
            costs=(*(self.costs or ()), *(None if math.isnan(cost) else cost for cost in distinct[:, 2].tolist())),
            passed_on=None if self.passed_on is None else (*self.passed_on, *(self.passed_on[one] for one in first)),
        )
        return answers, (places.reshape(-1) + len(self.labels)).astype(np.int32)

    def with_reasons(self, choices: Choices, found: TableReasons, bare: NewColumns) -> tuple[NewColumns, Choices]:
        """Add the reasons of each record; return the answers and the index of the answer of every row.

        The ``bare`` answers, without reasons, come first, so that labels have the same type in all batches.
        """
        places, firsts = distinct_rows([choices, *found.places.T])
        first = len(bare.labels)
        rows = [*range(first), *choices[firsts].tolist()]
        own = NewColumns(
            tuple(self.labels[row] for row in rows),
            _take(self.probabilities, rows),
            _take(self.precisions, rows),
            _take(self.rules, rows),
            (*((),) * first, *map(found.of_row, firsts.tolist())),
            bare.most,
            _take(self.costs, rows),
            _take(self.passed_on, rows),
        )
        return own, places + np.int32(first)

    def columns(self, decimal: str = ".") -> dict[str, Sequence[Any]]:
        """Return the cells of each new column by name, one per answer; with a decimal comma, numbers are text."""
        shares = {"probability": self.probabilities, "expected_precision": self.precisions, "expected_cost": self.costs}
        numbers = {
            name: [one if decimal == "." or one is None else str(one).replace(".", ",") for one in cells]
            for name, cells in shares.items()
            if cells is not None
        }
        rules = {"rule": self.rules} if self.rules else {}
        passed = {} if self.passed_on is None else {"passed_on": ["yes" if one else "no" for one in self.passed_on]}
        return {"predicted": self.labels, **numbers, **passed, **rules, **self._reason_columns()}

    def decisions(self) -> Iterator[dict[str, Any]]:
        """Yield the answers as values for JSON, with the codes of all reasons."""
        for place, label in enumerate(self.labels):
            yield {
                "label": label_to_json(label),
                "rule": None if self.rules is None else self.rules[place],
                "probability": None if self.probabilities is None else self.probabilities[place],
                **({} if self.costs is None else {"expected_cost": self.costs[place]}),
                **({} if self.passed_on is None else {"passed_on": self.passed_on[place]}),
                "reasons": [one.code for one in (() if self.reasons is None else self.reasons[place])],
            }

    def _reason_columns(self) -> dict[str, list[str | None]]:
        """Return the codes of the reasons, then their texts."""
        rows = self.reasons or ()
        return {
            name.format(place + 1): [getattr(own[place], part) if place < len(own) else None for own in rows]
            for name, part in (("reason_{}", "code"), ("reason_{}_text", "text"))
            for place in range(self.most)
        }

    def series(self, decimal: str = ".") -> list[pl.Series]:
        """Return the new columns as polars series; labels keep their type, whichever labels occur."""
        share = pl.Float64 if decimal == "." else pl.String
        types = {"rule": pl.Int64, "probability": share, "expected_precision": share, "expected_cost": share}
        types |= dict.fromkeys(self._reason_columns(), pl.String)
        named = self.columns(decimal).items()
        return [pl.Series(cells, dtype=types[name]) if name in types else make_series(cells) for name, cells in named]

    def as_fields(self, separator: str, decimal: str = ".") -> FieldTexts:
        """Write the answers as the last fields of text lines; numbers have the decimal sign of the file."""
        return FieldTexts(text_line(["", *row], separator) for row in self._rows(decimal))

    def as_members(self, names: Sequence[str], *, spaced: bool) -> FieldTexts:
        """Write the answers as the last members of a JSON object, and again for objects without other members."""
        comma, colon = (", ", ": ") if spaced else (",", ":")
        objects = (dict(zip(names, map(_to_json_cell, row), strict=True)) for row in self._rows())
        rows = [json.dumps(one, ensure_ascii=False, separators=(comma, colon))[1:-1] for one in objects]
        return FieldTexts([*(comma + row for row in rows), *rows])

    def _rows(self, decimal: str = ".") -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns(decimal).values(), strict=True)


class FieldTexts:
    """Short texts to insert into a longer text."""

    def __init__(self, texts: Iterable[str]) -> None:
        encoded = [text.encode() for text in texts]
        self._lengths = np.array([len(text) for text in encoded], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._lengths)]).astype(np.int64)
        self._bytes = np.frombuffer(b"".join(encoded), dtype=np.uint8)

    def into(self, data: bytes, places: NDArray[np.int64], choices: Choices) -> memoryview:
        """Insert the chosen text at each position of the data."""
        if len(places) != len(choices):  # the kernel would not detect it
            raise ReadError(
                f"{len(places)} records were found, but {len(choices)} were read: please report this bug in unless"
            )
        out = np.empty(len(data) + int(self._lengths[choices].sum()), dtype=np.uint8)
        kernels.insert_pieces(np.frombuffer(data, dtype=np.uint8), places, choices, self._starts, self._bytes, out)
        return out.data


def distinct_rows(columns: Sequence[NDArray[np.int32]]) -> tuple[Choices, NDArray[np.intp]]:
    """Number the distinct rows of columns of whole numbers above -2; return their number by row, and their first rows.

    >>> distinct_rows([np.array([7, 7, 2], np.int32), np.array([-1, -1, 0], np.int32)])
    (array([1, 1, 0], dtype=int32), array([2, 0]))
    """
    keys = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        keys = keys * (int(column.max(initial=0)) + 2) + column + 1
        _, firsts, keys = np.unique(keys, return_index=True, return_inverse=True)
    return keys.astype(np.int32), firsts


def _take(cells: tuple[T, ...] | None, rows: Iterable[int]) -> tuple[T, ...] | None:
    return None if cells is None else tuple(cells[row] for row in rows)


def _round_share(share: float) -> float | None:
    """Round a share to the digits that are written; None if it is unknown."""
    return None if math.isnan(share) else round(float(share), _DIGITS)


def iso_text(cell: object) -> str:
    """Write a cell as text: a date or a time as in ISO 8601, anything else as `read_table` spells it."""
    return cell.isoformat() if isinstance(cell, date | time) else str(cell_value(cell))


def text_line(cells: Iterable[object], separator: str) -> str:
    """Write a line of CSV or TSV without its ending; fields are quoted if needed."""
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator=_ENDING).writerow(cells)  # quotes characters of the ending
    return line.getvalue().removesuffix(_ENDING)


def _to_json_cell(cell: object) -> object:
    """Convert a cell for JSON: numbers that are not finite become text."""
    return str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
