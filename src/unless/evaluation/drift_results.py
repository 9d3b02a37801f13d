"""Define the result of watching a model on new records: shares now, compared with the same shares before.

`drift.watch` computes it. Text, JSON, log lines and the page are made from the same `Watch`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from typing import Literal as OneOf

from unless.evaluation.shares import Share, to_whole
from unless.evaluation.unseen_values import Unseen
from unless.explanation.rule_listing import rule_summary
from unless.explanation.sentences import words_for
from unless.explanation.words import printable
from unless.rule import Program
from unless.values import Label, amount_text, attributes_to_json, count_text, label_to_json

__all__ = ["DriftCheck", "Watch", "current_time", "p_value_text"]

Kind = OneOf["decides", "right", "accuracy", "given", "labels", "missing", "unseen"]
"""The kind of share: records that a rule decides, its right decisions, all right decisions, records that get a label,
records that have it, missing cells, cells with values that training did not have."""

Source = OneOf["training", "the test", "the reference"]
"""The records from which the earlier share was computed."""


@dataclass(frozen=True, slots=True)
class DriftCheck:
    """A share, now and before; ``rule`` counts from 0, and the number of rules means "no rule".

    ``chance`` is the p-value of the difference, and ``adjusted`` the p-value adjusted for the number of checks; both
    are None without a sound sample to compare with. ``moved`` is whether the difference is beyond chance.
    """

    kind: Kind
    """What is compared."""
    now: Share
    """The share in the new records."""
    before: Share | None = None
    """The earlier share, or None."""
    source: Source | None = None
    """Where the earlier share comes from."""
    rule: int | None = None
    label: Label | None = None
    """The label, for a check of a label."""
    feature: str | None = None
    """The feature, for a check of a feature."""
    chance: float | None = None
    adjusted: float | None = None
    moved: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Convert the check for JSON."""
        shares = attributes_to_json(self, "feature", "now", "before", "source", "chance", "adjusted", "moved")
        return {"kind": self.kind, "rule": self.rule, "label": label_to_json(self.label), **shares}


@dataclass(frozen=True, slots=True)
class Watch:
    """The changes since a model was learned: a check for every share that can be compared.

    If nothing has changed, the probability that ``moved`` is not empty is at most ``alpha``. ``checks`` start with the
    smallest p-values. ``program`` contains the rules that are counted; for a committee it is the list that imitates it.
    ``notes`` state what could not be compared, and why.
    """

    fingerprint: str
    """The fingerprint of the model's rules."""
    program: Program
    records: float
    """The number of new records, or their weight."""
    labelled: float
    """How many of them have a true label."""
    checks: tuple[DriftCheck, ...]
    unseen: tuple[Unseen, ...]
    """The values that training did not have."""
    notes: tuple[str, ...]
    alpha: float
    least: float = 0.0
    """Differences below this share raise no alarm."""
    read_as: str = ""
    """How the file of the new records was read, if in an unusual way."""

    @property
    def moved(self) -> tuple[DriftCheck, ...]:
        """The checks whose difference is beyond chance."""
        return tuple(check for check in self.checks if check.moved)

    @property
    def compared(self) -> int:
        """The number of checks with a p-value."""
        return sum(check.chance is not None for check in self.checks)

    @property
    def accuracy(self) -> Share | None:
        """The share of labelled records that are decided correctly; None without labels."""
        return next((check.now for check in self.checks if check.kind == "accuracy"), None)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for every check, for a data frame."""
        return [
            {
                "what": self.name(check),
                "kind": check.kind,
                "rule": None if check.rule is None else check.rule + 1,
                "label": check.label,
                "feature": check.feature,
                "before": None if check.before is None else check.before.value,
                "now": check.now.value,
                "source": check.source,
                "p": check.chance,
                "adjusted": check.adjusted,
                "moved": check.moved,
            }
            for check in self.checks
        ]

    def name(self, check: DriftCheck) -> str:
        """Name a check briefly: "rule 3 decides", "history is missing"."""
        label = "" if check.label is None else printable(str(check.label))
        match check.kind:
            case "decides" | "right":
                number = f"rule {(check.rule or 0) + 1}" if check.rule != len(self.program.rules) else "no rule"
                return f"{number} {'decides' if check.kind == 'decides' else 'is right'}"
            case "accuracy":
                return "accuracy"
            case "given":
                return f"{label or 'no label'} is decided"
            case "labels":
                return f"{label} is the true label" if label else "labels that training did not have"
            case "missing":
                return f"{printable(check.feature or '')} is missing"
            case "unseen":
                return f"{printable(check.feature or '')} is new"

    def about(self, check: DriftCheck) -> str:
        """Details of a check: the conditions of the rule, or the values or labels that training did not have."""
        if check.kind == "labels" and check.label is None:
            return next((one.text().partition(", ")[2] for one in self.unseen if one.kind == "label"), "")
        if check.kind == "unseen":
            return next(one.text().partition(": ")[2] for one in self.unseen if one.feature == check.feature)
        if check.kind not in ("decides", "right") or check.rule is None:
            return ""
        head = self.program.heads[check.rule]
        label = "no label" if head is None else printable(str(head))
        if check.rule == len(self.program.rules) or not self.program.rules[check.rule].default:
            return f"{label} otherwise"
        return f"{label} {rule_summary(self.program.rules[check.rule], words_for(self.program))}"

    def sentence(self, check: DriftCheck) -> str:
        """Write a check as a sentence: "rule 3 decides: 34.0 % of 40, 12.1 % in training"."""
        before = "" if check.before is None else f", {check.before} in {check.source}"
        return f"{self.name(check)}: {check.now} of {amount_text(check.now.total)}{before}"

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        if not self.records:
            return "there are no records"
        if not self.moved:
            return f"nothing moved: {count_text(self.compared, 'check')} on {amount_text(self.records)} records"
        return (
            f"{len(self.moved):,} of {count_text(self.compared, 'check')} moved, on {amount_text(self.records)} records"
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "model": self.fingerprint,
            "target": self.program.target,
            "records": to_whole(self.records),
            "labelled": to_whole(self.labelled),
            **attributes_to_json(self, "alpha", "least"),
            "alarms": len(self.moved),
            "compared": self.compared,
            "checks": [{"what": self.name(check), **check.to_dict()} for check in self.checks],
            **attributes_to_json(self, "unseen", "notes"),
        }

    def log_line(self, data: str, time: datetime | None = None) -> str:
        """Return a JSON object on one line for a log: the time, the model, the data, and what moved."""
        found = {
            "time": (time or current_time()).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "model": self.fingerprint,
            "data": data,
            "records": to_whole(self.records),
            "labelled": to_whole(self.labelled),
            "accuracy": None if self.accuracy is None else round(self.accuracy.value, 6),
            "checks": self.compared,
            "alarms": len(self.moved),
            "moved": [self.name(check) for check in self.moved],
        }
        return json.dumps(found, ensure_ascii=True, allow_nan=False) + "\n"

    def __str__(self) -> str:
        return "\n".join([self.headline, *(f"! {self.sentence(check)}" for check in self.moved), *self.notes])


def p_value_text(chance: float | None) -> str:
    """Write a p-value with few digits.

    >>> p_value_text(0.00001), p_value_text(0.0213), p_value_text(1.0), p_value_text(None)
    ('< 0.001', '0.021', '1', '')
    """
    if chance is None:
        return ""
    if chance >= 1:
        return "1"
    return "< 0.001" if chance < 0.001 else f"{chance:.3f}"


def current_time() -> datetime:
    """Return the time in UTC, or the time set by SOURCE_DATE_EPOCH, so that files are reproducible."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isascii() and given.isdigit() else datetime.now(UTC)
