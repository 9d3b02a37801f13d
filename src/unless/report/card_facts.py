"""What is on a model card, as values, and how each is said in one line of text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any

from unless.constraints import Constraints, to_constraints
from unless.evaluation.drift_results import Watch
from unless.evaluation.stability import Stability
from unless.evaluation.subgroups import Group
from unless.explanation.words import printable
from unless.files import write_whole
from unless.model.rule_statistics import wilson_interval
from unless.values import amount_text, count_text, label_to_json, percent, share_text


@dataclass(frozen=True, slots=True)
class Figure:
    """A share: so many right of so many, with its 95 % interval."""

    name: str
    right: int
    total: int

    @property
    def share(self) -> float | None:
        """The share; None of nothing."""
        return self.right / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson's)."""
        return wilson_interval(self.right, self.total)

    @property
    def text(self) -> str:
        """The share and its interval: "0.967 (0.929 to 0.985)"."""
        if self.share is None:
            return "–"
        low, high = map(share_text, self.interval)
        return f"{share_text(self.share)} ({low} to {high})"

    def to_dict(self) -> dict[str, Any]:
        """The figure for JSON."""
        ends = list(self.interval) if self.total else None
        return {"name": self.name, "right": self.right, "of": self.total, "share": self.share, "interval": ends}


@dataclass(frozen=True, slots=True)
class Tests:
    """How good the model is on some records; ``unseen`` if it was not learned from them, None if nobody knows."""

    on: str
    unseen: bool | None
    accuracy: Figure
    baseline: Figure
    labels: tuple[tuple[str, Figure, Figure], ...]
    """Each label with its precision and its recall."""
    undecided: int

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        labels = [
            {"label": name, "precision": one.to_dict(), "recall": two.to_dict()} for name, one, two in self.labels
        ]
        return {
            "on": self.on,
            "unseen": self.unseen,
            "accuracy": self.accuracy.to_dict(),
            "baseline": self.baseline.to_dict(),
            "undecided": self.undecided,
            "labels": labels,
        }

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of a table: label, precision, recall."""
        return [(name, precision.text, recall.text) for name, precision, recall in self.labels]


@dataclass(frozen=True, slots=True)
class ColumnFact:
    """A feature: its kind, how many of its cells are missing, if that is known, and what training had."""

    name: str
    kind: str
    missing: float | None
    of: float
    values: str
    used: bool

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of a table: name, kind, missing, values in training, used."""
        missing = "–" if self.missing is None else f"{amount_text(self.missing)} of {amount_text(self.of)}"
        return self.name, self.kind, missing, self.values, "yes" if self.used else "no"

    def to_dict(self) -> dict[str, Any]:
        """The column for JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "missing": self.missing,
            "of": self.of,
            "values": self.values,
            "used": self.used,
        }


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A rule in words, what it decided in training, and how often it was right on records held back."""

    number: int | None
    label: str
    lines: tuple[str, ...]
    decided: float
    right: float
    tested: Figure | None
    expected_precision: tuple[float, float, float] | None = None
    """The share of new records for which it is expected to be right, and the ends of its 95 % interval."""
    returns: float | None = None

    @property
    def text(self) -> str:
        """The rule in one line."""
        return " ".join(line.strip() for line in self.lines)

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of a table: number, label, text, decided in training, right in the test, expected, returns."""
        expected = "–"
        if self.expected_precision is not None:
            share, low, high = map(share_text, self.expected_precision)
            expected = f"{share} ({low} to {high})"
        return (
            "" if self.number is None else str(self.number),
            self.label,
            self.text,
            "–" if isnan(self.decided) else amount_text(self.decided),
            "–" if self.tested is None else f"{self.tested.right:,} of {self.tested.total:,}",
            expected,
            "–" if self.returns is None else percent(self.returns),
        )

    def to_dict(self) -> dict[str, Any]:
        """The rule for JSON."""
        return {
            "number": self.number,
            "label": self.label,
            "text": self.text,
            "decided": None if isnan(self.decided) else self.decided,
            "right": None if isnan(self.right) else self.right,
            "tested": None if self.tested is None else self.tested.to_dict(),
            "expected_precision": None if self.expected_precision is None else list(self.expected_precision),
            "returns": self.returns,
        }


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model card; `card` makes it."""

    title: str
    purpose: str | None
    not_for: str | None
    target: str
    decides: str
    fingerprint: str
    version: str
    written: datetime
    learner: str
    parameters: Mapping[str, Any]
    data: str | None
    records: int | None
    trained: float
    weighted: bool
    data_fingerprint: str | None
    classes: tuple[tuple[str, float], ...]
    columns: tuple[ColumnFact, ...]
    rules: tuple[RuleFact, ...]
    tests: Tests | None
    groups: tuple[Group, ...]
    limits: tuple[str, ...]
    stability: Stability | None = None
    watch: Watch | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, dicts and values that JSON can hold."""
        return {
            "title": self.title,
            "purpose": self.purpose,
            "not_for": self.not_for,
            "target": self.target,
            "decides": self.decides,
            "fingerprint": self.fingerprint,
            "unless": self.version,
            "written": self.date,
            "learner": self.learner,
            "parameters": {name: _plain(value) for name, value in self.parameters.items()},
            "data": {
                "name": self.data,
                "records": self.records,
                "trained": self.trained,
                "weighted": self.weighted,
                "fingerprint": self.data_fingerprint,
                "classes": [{"label": label, "share": share} for label, share in self.classes],
                "columns": [one.to_dict() for one in self.columns],
            },
            "rules": [one.to_dict() for one in self.rules],
            "tests": None if self.tests is None else self.tests.to_dict(),
            "groups": [one.to_dict() for one in self.groups],
            "limits": list(self.limits),
            "stability": None if self.stability is None else self.stability.to_dict(),
            "watch": None if self.watch is None else self.watch.to_dict(),
        }

    @property
    def date(self) -> str:
        """When the card was written, as in ISO 8601."""
        return self.written.isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The parameters that were given or have a default, as text; not what was shown while learning."""
        given = ((name, value) for name, value in self.parameters.items() if value is not None)
        return tuple((name, printable(_said(name, value))) for name, value in given if name not in ("verbose", "warn"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the card to a file, whole or not at all; its ending sets the format: .md, .html or .json."""
        from unless.report.card_rendering import format_of, written

        write_whole(path, written(self, format_of(path)).encode())

    def __str__(self) -> str:
        from unless.report.card_rendering import markdown  # it lays out what is here

        return markdown(self)


def _said(name: str, value: Any) -> str:
    """A parameter in words: "no rule tests age; income: more never refuse", "refuse 2, accept 1", "yes"."""
    if name == "constraints" and (asked := to_constraints(value)) is not None:
        return "; ".join(asked.lines())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{one} {_said('', said)}" for one, said in value.items())
    if isinstance(value, list | tuple | set):
        return ", ".join(_said("", one) for one in value)
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def _plain(value: Any) -> Any:
    """A parameter for JSON."""
    if value is None or isinstance(value, bool | int | float | str):
        return label_to_json(value)
    if isinstance(value, Constraints):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple | set) else str(value)


def accuracy_text(tests: Tests) -> str:
    """The result in a sentence: "Right for 0.967 (…) of 180 records held back; always accept: 0.583"."""
    always = share_text(tests.baseline.share or 0.0)
    undecided = f"; {count_text(tests.undecided, 'record')} not decided" if tests.undecided else ""
    return f"Accuracy {tests.accuracy.text} on {tests.on}; {tests.baseline.name}: {always}{undecided}."


def group_row(group: Group) -> tuple[str, ...]:
    """The cells of a table: column, group, records, accuracy, decisions; a star marks what differs by more than chance.

    "accept 58 %, refuse 18 %*".
    """
    parts = [
        f"{'nothing' if label is None else printable(str(label))} {percent(count / group.records)}"
        + ("*" if label in group.labels else "")
        for label, count in sorted(group.decided, key=lambda pair: -pair[1])
    ]
    accuracy = Figure("accuracy", group.right, group.labelled).text + ("*" if group.differs else "")
    return printable(group.feature), printable(group.name), f"{group.records:,}", accuracy, ", ".join(parts)
