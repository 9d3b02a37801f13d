"""Compute the fingerprint of a decider: models with the same fingerprint decide alike, whatever their files."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from unless.export.json import literals_data, to_dict
from unless.model.prediction import Decider
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider
from unless.values import label_to_json

_DIGITS = 16


def fingerprint(decider: Decider) -> str:
    """Return sixteen hexadecimal digits of a hash of the decider; statistics do not count."""
    text = json.dumps(decider_data(decider), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def decider_data(decider: Any) -> dict[str, Any]:
    """Return a decider as data for JSON; other kinds of deciders have a method ``to_dict``."""
    if isinstance(decider, Program):
        return to_dict(decider)
    if isinstance(decider, Committee):
        return {
            "classes": [label_to_json(label) for label in decider.classes],
            "base": decider.base.tolist(),
            "lists": [to_dict(program) for program in decider.lists],
            "points": [points.tolist() for points in decider.points],
        }
    if isinstance(decider, ScoreDecider):
        return {**decider.to_dict(), "score": _score_data(decider.score)}
    found: dict[str, Any] = decider.to_dict()
    return found


def _score_data(score: ScoreCard | Committee) -> dict[str, Any]:
    """Return what gives points as data for JSON."""
    if isinstance(score, Committee):
        return decider_data(score)
    card = {"base": score.base.tolist(), "points": score.points.tolist(), "cuts": literals_data(score.cuts)}
    return {**to_dict(score.program), **card, "classes": [label_to_json(label) for label in score.classes]}
