"""The section on reasons: how often each was given, and a column with those of each record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unless.errors import ParameterError
from unless.explanation.decision_reasons import Reasons
from unless.explanation.words import printable
from unless.export.free_names import free_name
from unless.report.rule_sentences import LabelName, Speaker, Text
from unless.table import Column, Table
from unless.values import Label


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """A reason for a label: its code, its text unless it is the same, and how many of the label's records have it."""

    label: LabelName | None
    code: Text
    text: Text | None
    records: int
    share: float


@dataclass(frozen=True, slots=True)
class ReasonsView:
    """The reasons of all records; ``column`` is the name of the column with the codes of each record."""

    rows: tuple[ReasonRow, ...]
    records: int
    most: int
    column: str

    @classmethod
    def of(cls, reasons: Reasons, column: str, labels: Sequence[Label], speaker: Speaker) -> ReasonsView:
        """Count the reasons by label; ``labels`` are those that the speaker names."""
        names = dict(zip(labels, speaker.labels, strict=True))
        rows = []
        for label, code, text, records, share in reasons.count_rows():
            name = None if label is None else names[label]
            said = None if text == code else speaker.text(printable(text))
            rows.append(ReasonRow(name, speaker.text(printable(code)), said, records, share))
        return cls(tuple(rows), len(reasons), reasons.most, column)


def with_reason_column(table: Table, reasons: Reasons) -> tuple[Table, str]:
    """Add a column with the codes of each record's reasons; return its name, too."""
    if len(reasons) != len(table):
        raise ParameterError(f"the reasons are those of {len(reasons):,} records, but there are {len(table):,}")
    taken = [*table.features, *([] if table.target is None else [table.labels.name])]
    name = free_name("reasons", taken)
    column = Column.of(name, ["; ".join(one.code for one in row) or None for row in reasons], "text")
    return replace(table, columns=(column, *table.columns)), name
