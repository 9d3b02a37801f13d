"""Facts about a table: frozen values, with `to_dict` for JSON. `table_profile` computes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from unless.values import Value, attributes_to_json, to_json

Code = OneOf[
    "identifier", "unique", "nearly-unique", "sentences", "empty", "constant", "nearly-constant", "mostly-missing",
    "number-as-text", "date-as-text", "spellings", "several-values", "missing-word", "missing-number",
    "special-number", "copy", "gives-away", "no-labels", "one-label", "continuous", "unique-labels", "rare-labels",
    "separator", "no-header", "few-records", "duplicates", "contradictions",
    "limited", "too-late", "no-knowledge", "no-knowledge-of-many", "weak-rule", "unpromising",
    "one-decision",
    "uncovered", "sampled",
    "idle-code", "idle-cut", "locked-idle", "locked-breaks", "past-dates", "repeated-group", "drifting-date",
]  # fmt: skip
"""The kinds of remarks; the last lines are about learned rules, the other lines about a table."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a column or, if ``column`` is None, about the whole table or what was learned from it.

    ``finding`` is a sentence without its full stop; about a column, also without its subject: "is nearly unique: …".
    ``example`` is the cell, column or number that the remark is about, ``others`` are further ones; advice can mention
    them.
    """

    code: Code
    column: str | None
    finding: str
    example: str | None = None
    others: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the remark for JSON."""
        return attributes_to_json(self, "code", "column", "finding", "example")


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The profile of one feature: its kind and the reason, its missing cells, and its values.

    ``tokens`` are the spellings of missing cells in a text file, with their counts. ``frequent`` are the most frequent
    values, ``low`` and ``high`` the smallest and largest number. ``histogram`` counts the numbers in ranges of equal
    width from the smallest to the largest finite number; it is empty without two different finite numbers.
    """

    name: str
    kind: str
    why: str
    present: int
    missing: int
    distinct: int
    low: float | None
    high: float | None
    frequent: tuple[tuple[Value, int], ...]
    histogram: tuple[int, ...] = ()
    tokens: tuple[tuple[str, int], ...] = ()
    remarks: tuple[Remark, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the column for JSON."""
        of_kind = attributes_to_json(self, "name", "kind", "why", "present", "missing")
        cells = [{"cell": cell, "records": count} for cell, count in self.tokens]
        numbers = attributes_to_json(self, "distinct", "low", "high")
        frequent = [{"value": to_json(value), "records": count} for value, count in self.frequent]
        more = attributes_to_json(self, "histogram", "remarks")
        return {**of_kind, "missing_cells": cells, **numbers, "frequent": frequent, **more}


@dataclass(frozen=True, slots=True)
class TargetProfile:
    """The profile of the labels: each label as text, most frequent first, and the number of records without a label."""

    name: str
    classes: tuple[tuple[str, int], ...]
    missing: int
    remarks: tuple[Remark, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the target for JSON."""
        classes = [{"label": label, "records": count} for label, count in self.classes]
        return {"name": self.name, "classes": classes, **attributes_to_json(self, "missing", "remarks")}


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a table: its features and its target, or a column that looks like a target if none was named."""

    records: int
    columns: tuple[ColumnProfile, ...]
    target: TargetProfile | None
    likely_target: str | None
    remarks: tuple[Remark, ...]
    """Remarks about the table as a whole."""
    read_as: str = ""
    """How the file was read, if it is unusual (`Table.read_as`)."""

    @property
    def all_remarks(self) -> tuple[Remark, ...]:
        """All remarks: on the target, on the columns in order, and on the table."""
        of_target = self.target.remarks if self.target else ()
        return (*of_target, *(remark for column in self.columns for remark in column.remarks), *self.remarks)

    def to_dict(self) -> dict[str, Any]:
        """Convert the profile for JSON."""
        return attributes_to_json(self, "records", "target", "likely_target", "columns", "read_as", "remarks")
