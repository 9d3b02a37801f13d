"""Proofs as plain lists, dicts and values that JSON can hold.

``decided`` counts rules from 0, as in Python. JSON has no infinity: an infinite value is ``{"number": "inf"}``. In a
literal it is ``"inf"``, as in program files: there the operator tells numbers from text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unless.rule import Literal
from unless.values import label_data, number_data, value_data

if TYPE_CHECKING:
    from unless.explanation.proof import Check, Proof, RuleProof


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
    """One rule. An exception has no label; the exceptions to a rule are there if its default holds."""
    exceptions = list(map(rule_dict, proof.exceptions))  # one frame per level: 200 stay within Python's limit
    label = {} if proof.rule.head is None else {"label": label_data(proof.rule.head)}
    checks = [_check(check) for check in proof.checks]
    return {**label, "covers": proof.covers, "checks": checks, "exceptions": exceptions}


def _check(check: Check) -> dict[str, Any]:
    return {"literal": literal_data(check.literal), "value": value_data(check.value), "holds": check.holds}


def literal_data(literal: Literal) -> list[object]:
    """A literal: feature, operator and value."""
    return [literal.feature, literal.op, number_data(literal.value)]
