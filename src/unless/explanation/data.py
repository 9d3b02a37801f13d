"""Proofs as data: plain lists, dicts and values that JSON can hold.

``decided`` counts rules from 0, as in Python. JSON has no infinity: an infinite value is ``{"number": "inf"}``; in a
literal, whose operator tells numbers from text, it is ``"inf"``, as in program files.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from unless.export.json import spelled_label
from unless.rule import Literal
from unless.values import Label, Value

if TYPE_CHECKING:
    from unless.explanation.proof import Check, Proof, RuleProof

__all__ = ["label_data", "proof_dict", "rule_dict", "value_data"]


def proof_dict(proof: Proof) -> dict[str, Any]:
    """The whole proof, with its sentence."""
    return {
        "target": proof.program.target,
        "label": label_data(proof.label),
        "decided": proof.decided,
        "because": str(proof),
        "features": list(proof.features),
        "record": {feature: value_data(value) for feature, value in proof.items},
        "rules": [rule_dict(tried) for tried in proof.tried],
    }


def rule_dict(proof: RuleProof) -> dict[str, Any]:
    """One rule; an exception has no label, and its own exceptions are there if its default holds."""
    exceptions = list(map(rule_dict, proof.exceptions))  # one frame per level: 200 stay within Python's limit
    label = {} if proof.rule.head is None else {"label": label_data(proof.rule.head)}
    checks = [_check(check) for check in proof.checks]
    return {**label, "covers": proof.covers, "checks": checks, "exceptions": exceptions}


def value_data(value: Value) -> object:
    """A value: text, a number, null where missing."""
    return {"number": str(value)} if isinstance(value, float) and math.isinf(value) else value


def label_data(label: Label | None) -> object:
    """A label as program files spell it; null where there is none."""
    return None if label is None else spelled_label(label)


def _check(check: Check) -> dict[str, Any]:
    return {"literal": _literal(check.literal), "value": value_data(check.value), "holds": check.holds}


def _literal(literal: Literal) -> list[object]:
    value = literal.value
    infinite = isinstance(value, float) and math.isinf(value)
    return [literal.feature, literal.op, str(value) if infinite else value]
