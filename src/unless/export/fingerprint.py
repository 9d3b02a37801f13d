"""The fingerprint of what decides: two models with the same one decide alike, whoever wrote their files."""

from __future__ import annotations

import json
from functools import singledispatch
from hashlib import sha256
from typing import Any

from unless.export.json import to_dict
from unless.model.prediction import Decider
from unless.rule import Program
from unless.score.committee import Committee
from unless.values import label_to_json

__all__ = ["fingerprint"]

_DIGITS = 16


def fingerprint(decider: Decider) -> str:
    """Return sixteen hexadecimal digits of a hash of what decides; statistics do not count."""
    text = json.dumps(decider_data(decider), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_DIGITS]


@singledispatch
def decider_data(decider: Any) -> dict[str, Any]:
    """Return what decides as JSON holds it; a program is `to_dict`, another decider has a method of that name."""
    found: dict[str, Any] = decider.to_dict()
    return found


decider_data.register(Program, to_dict)


@decider_data.register(Committee)
def _(committee: Committee) -> dict[str, Any]:
    return {
        "classes": [label_to_json(label) for label in committee.classes],
        "base": committee.base.tolist(),
        "lists": [to_dict(program) for program in committee.lists],
        "points": [points.tolist() for points in committee.points],
    }
