"""The fingerprint of what decides: two models with the same one decide alike, whoever wrote their files."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from unless.export.json import to_dict
from unless.rule import Program
from unless.score.committee import Committee
from unless.values import label_to_json

__all__ = ["fingerprint"]

_DIGITS = 16


def fingerprint(decides: Program | Committee) -> str:
    """Sixteen hexadecimal digits of a hash of the rules, and of a committee's points; statistics do not count."""
    document = to_dict(decides) if isinstance(decides, Program) else _committee(decides)
    text = json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _committee(committee: Committee) -> dict[str, Any]:
    return {
        "classes": [label_to_json(label) for label in committee.classes],
        "base": committee.base.tolist(),
        "lists": [to_dict(program) for program in committee.lists],
        "points": [points.tolist() for points in committee.points],
    }
