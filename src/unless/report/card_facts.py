"""The contents of a model card as values that can render themselves as text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any

from unless.constraints import Constraints, to_constraints
from unless.evaluation.decision_costs import DecisionCosts
from unless.evaluation.drift_results import Watch
from unless.evaluation.shares import Share
from unless.evaluation.stability import Stability
from unless.evaluation.subgroups import Group
from unless.explanation.words import printable
from unless.files import write_whole
from unless.values import amount_text, attributes_to_json, count_text, label_to_json, percent, share_text


@dataclass(frozen=True, slots=True)
class QualityFacts:
    """The model's quality on some records; ``unseen`` is whether it was not learned from them, None if unknown.

    ``labels`` has the precision and the recall of each label, ``usual`` is the label that ``baseline`` always predicts.
    """

    on: str
    unseen: bool | None
    accuracy: Share
    usual: str
    baseline: Share
    labels: tuple[tuple[str, Share, Share], ...]
    undecided: int
    costs: DecisionCosts | None = None
    """What the decisions cost, and how many were passed on, if that was measured."""

    @property
    def always(self) -> str:
        """The baseline in words: "always accept"."""
        return f"always {self.usual}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the figures for JSON."""
        return {
            "on": self.on,
            "unseen": self.unseen,
            "accuracy": self.accuracy.to_figure("accuracy"),
            "baseline": self.baseline.to_figure(self.always),
            "undecided": self.undecided,
            "labels": [
                {"label": name, "precision": precision.to_figure("precision"), "recall": recall.to_figure("recall")}
                for name, precision, recall in self.labels
            ],
            **({} if self.costs is None else {"costs": self.costs.to_dict()}),
        }

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of a table: label, precision, recall."""
        return [(name, precision.text, recall.text) for name, precision, recall in self.labels]

    def __str__(self) -> str:
        undecided = f"; {count_text(self.undecided, 'record')} not decided" if self.undecided else ""
        always = share_text(self.baseline.value if self.baseline.total else 0.0)
        costs = [] if self.costs is None else [f" {line[:1].upper()}{line[1:]}." for line in self.costs.lines()]
        return f"Accuracy {self.accuracy.text} on {self.on}; {self.always}: {always}{undecided}.{''.join(costs)}"


@dataclass(frozen=True, slots=True)
class FeatureFact:
    """A feature: its kind, the number of missing cells (if known), and its values in training."""

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
        """Convert the feature for JSON."""
        return attributes_to_json(self, *self.__slots__)


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A rule in words, its decisions in training, and how often it was right on records held back.

    ``expected_precision`` is the share of new records for which the rule is expected to be right, with the ends of its
    95 % interval; ``returns`` is the share of refits in which the rule comes back.
    """

    number: int | None
    label: str
    text: str
    decided: float
    right: float
    tested: Share | None
    expected_precision: tuple[float, float, float] | None = None
    returns: float | None = None

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
            "–" if self.tested is None else f"{self.tested.count:,} of {self.tested.total:,}",
            expected,
            "–" if self.returns is None else percent(self.returns),
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert the rule for JSON."""
        tested = None if self.tested is None else self.tested.to_figure("right")
        training = attributes_to_json(self, "number", "label", "text", "decided", "right")
        return {**training, "tested": tested, **attributes_to_json(self, "expected_precision", "returns")}


@dataclass(frozen=True, slots=True)
class EffectFacts:
    """How much the features and the strongest pairs of a committee matter, on ``records`` records, and what is odd."""

    records: int
    features: tuple[tuple[str, float], ...]
    pairs: tuple[tuple[str, float], ...]
    findings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert the figures for JSON."""
        means = {
            name: [{"name": one, "mean": mean} for one, mean in getattr(self, name)] for name in ("features", "pairs")
        }
        return {"records": self.records, **means, "findings": list(self.findings)}

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The cells of a table: feature or pair, and its mean."""
        return [(name, f"{mean:.2f}") for name, mean in (*self.features, *self.pairs)]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model card; `card` creates it."""

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
    columns: tuple[FeatureFact, ...]
    rules: tuple[RuleFact, ...]
    tests: QualityFacts | None
    groups: tuple[Group, ...]
    limits: tuple[str, ...]
    stability: Stability | None = None
    watch: Watch | None = None
    effects: EffectFacts | None = None

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        names = ("title", "purpose", "not_for", "target", "decides", "fingerprint", "unless=version", "written=date")
        size = attributes_to_json(self, "name=data", "records", "trained", "weighted", "fingerprint=data_fingerprint")
        classes = [{"label": label, "share": share} for label, share in self.classes]
        return {
            **attributes_to_json(self, *names, "learner"),
            "parameters": _parameter_to_json(self.parameters),
            "data": {**size, "classes": classes, "columns": [one.to_dict() for one in self.columns]},
            **attributes_to_json(self, "rules", "tests", "groups", "limits", "stability", "watch", "effects"),
        }

    @property
    def date(self) -> str:
        """The date of the card, as in ISO 8601."""
        return self.written.isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The parameters that were given or have a default, as text, except parameters about output."""
        given = ((name, value) for name, value in self.parameters.items() if value is not None)
        return tuple((name, printable(_parameter_text(name, one))) for name, one in given if name not in _NOT_SHOWN)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the card to a file atomically; the file extension sets the format: .md, .html or .json."""
        from unless.report.card_rendering import file_text, format_of

        write_whole(path, file_text(self, format_of(path)).encode())

    def __str__(self) -> str:
        from unless.report.card_rendering import markdown  # which renders the values of this module

        return markdown(self)


_NOT_SHOWN = ("verbose", "warn")


def _parameter_text(name: str, value: Any) -> str:
    """Write a parameter in words: "no rule tests age; income: more never refuse", "refuse 2, accept 1", "yes"."""
    if name == "constraints" and (constraints := to_constraints(value)) is not None:
        return "; ".join(constraints.lines())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{_parameter_text('', key)} {_parameter_text('', one)}" for key, one in value.items())
    if isinstance(value, list | tuple | set):
        return ", ".join(_parameter_text("", one) for one in value)
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def _parameter_to_json(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return label_to_json(value)
    if isinstance(value, Constraints):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _parameter_to_json(one) for name, one in value.items()}
    return [_parameter_to_json(one) for one in value] if isinstance(value, list | tuple | set) else str(value)


def group_row(group: Group) -> tuple[str, ...]:
    """Return the cells of a table: column, group, records, accuracy, decisions.

    A star marks a difference beyond chance: "accept 58 %, refuse 18 %*".
    """
    parts = [
        f"{'nothing' if label is None else printable(str(label))} {percent(count / group.records)}"
        + ("*" if label in group.labels else "")
        for label, count in sorted(group.decided, key=lambda pair: -pair[1])
    ]
    accuracy = Share(group.right, group.labelled).text + ("*" if group.differs else "")
    return printable(group.feature), printable(group.name), f"{group.records:,}", accuracy, ", ".join(parts)
