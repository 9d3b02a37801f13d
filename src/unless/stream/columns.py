"""What a record gets: the label, how sure it is, and the number of the rule that decided.

There are only as many different answers as rules, plus one for no rule. Each is spelled once, not for every row.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError
from unless.kernels import splice as kernels
from unless.model import Statistics
from unless.rule import Program
from unless.values import Label

if TYPE_CHECKING:
    pass

_ENDING = "\r\n"
_DIGITS = 6  # of a confidence, which is an estimate from counts: seventeen digits would only look precise

Choices = NDArray[np.int32]
"""The answer for every row: the index of its rule, or the number of rules where none decides."""


def free_names(wanted: Iterable[str], taken: Collection[str]) -> tuple[str, ...]:
    """Names for new columns: the wanted names, with a number added to those that are taken.

    >>> free_names(["label", "rule"], ["rule", "rule_2"])
    ('label', 'rule_3')
    """
    found: list[str] = []
    for name in wanted:
        number, free = 1, name
        while free in taken or free in found:
            number += 1
            free = f"{name}_{number}"
        found.append(free)
    return tuple(found)


def refuse_halves(what: str, text: str) -> None:
    """Refuse half of a surrogate pair: it is no character, and no file can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise ParameterError(f"{what} {text!r} has {half!r}, which is half a character: no file can hold it") from None


@dataclass(frozen=True, slots=True)
class NewColumns:
    """The cells that each rule puts into the new columns; the last ones are for records that no rule decides.

    A program without statistics has no confidences, and neither has a record without a label.
    """

    labels: tuple[Label | None, ...]
    confidences: tuple[float | None, ...] | None = None
    levels: int = 1
    """How many answers each label has, one after another; a program has one for each rule."""

    @classmethod
    def of(cls, program: Program, statistics: Statistics | None) -> NewColumns:
        """The answers of a program; the statistics from training tell how sure they are."""
        labels = program.heads
        for label in labels:
            refuse_halves("the label", str(label))
        if statistics is None:
            return cls(labels)
        place: dict[Label | None, int] = {label: k for k, label in enumerate(statistics.classes)}
        shares = zip(labels, statistics.probabilities(), strict=True)
        return cls(
            labels, tuple(None if one is None else round(float(row[place[one]]), _DIGITS) for one, row in shares)
        )

    @classmethod
    def voted(cls, classes: Sequence[Label]) -> NewColumns:
        """The answers of a committee: each class with every confidence, rounded so that there are not too many."""
        for label in classes:
            refuse_halves("the label", str(label))
        steps = 1000 if len(classes) <= 100 else 100
        confidences = tuple(step / steps for step in range(steps + 1))
        labels = tuple(label for label in classes for _ in confidences)
        return cls(labels, confidences * len(classes), len(confidences))

    def chosen(self, places: NDArray[np.intp], confidences: NDArray[np.float64]) -> Choices:
        """The answers of a committee, given the places of the classes and their probabilities."""
        return (places * self.levels + np.rint(confidences * (self.levels - 1)).astype(np.intp)).astype(np.int32)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The cells of each new column, one for every answer, by its usual name."""
        sure = {"confidence": self.confidences} if self.confidences else {}
        if self.levels > 1:
            return {"predicted": self.labels, **sure}
        return {"predicted": self.labels, **sure, "rule": [*range(1, len(self.labels)), None]}

    def as_fields(self, separator: str) -> Pieces:
        """The answers as the last fields of a line of text."""
        return Pieces(text_line(["", *row], separator) for row in self._rows())

    def as_members(self, names: Sequence[str], *, spaced: bool) -> Pieces:
        """The answers as the last members of a JSON object; then all again for an object that has no other members."""
        comma, colon = (", ", ": ") if spaced else (",", ":")
        objects = (dict(zip(names, map(_finite, row), strict=True)) for row in self._rows())
        rows = [json.dumps(one, ensure_ascii=False, separators=(comma, colon))[1:-1] for one in objects]
        return Pieces([*(comma + row for row in rows), *rows])

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns().values(), strict=True)


class Pieces:
    """Short texts to be put into a longer one."""

    def __init__(self, texts: Iterable[str]) -> None:
        encoded = [text.encode() for text in texts]
        self._lengths = np.array([len(text) for text in encoded], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._lengths)]).astype(np.int64)
        self._bytes = np.frombuffer(b"".join(encoded), dtype=np.uint8)

    def into(self, data: bytes, places: NDArray[np.int64], choices: Choices) -> memoryview:
        """The data with the chosen text put in at each place."""
        if len(places) != len(choices):  # the kernel would not notice
            raise ReadError(
                f"{len(places)} records were found, but {len(choices)} were read: this is our mistake, please report it"
            )
        out = np.empty(len(data) + int(self._lengths[choices].sum()), dtype=np.uint8)
        kernels.splice(np.frombuffer(data, dtype=np.uint8), places, choices, self._starts, self._bytes, out)
        return out.data


def text_line(cells: Iterable[object], separator: str) -> str:
    """A line of CSV or TSV without its ending; fields are quoted where they need it."""
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator=_ENDING).writerow(cells)  # it quotes what is in the ending
    return line.getvalue().removesuffix(_ENDING)


def _finite(cell: object) -> object:
    """A cell that JSON can hold: other numbers are text."""
    return str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
