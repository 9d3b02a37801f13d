"""Read notations from JSON documents."""

from __future__ import annotations

from typing import Any

from unless.values.notation.base import FLAG, WHOLE, LevelNotation, Notation
from unless.values.notation.times import DATE, DATETIME, DURATION, INSTANT, TIME, DateNotation
from unless.values.notation.units import Amounts

_BY_NAME: dict[str, Notation] = {one.name: one for one in (DATE, DATETIME, INSTANT, TIME, DURATION, FLAG, WHOLE)}


def notation_from_json(node: Any) -> Notation | None:
    """Read a notation that `Notation.data` wrote; None for anything else."""
    match node:
        case str():
            return _BY_NAME.get(node)
        case list() if node and all(isinstance(level, str) for level in node) and len(set(node)) == len(node):
            return LevelNotation(tuple(node))
        case {Amounts.name: form} if len(node) == 1:
            return Amounts.parse(form)
        case dict() if len(node) == 1:
            ((name, form),) = node.items()
            if name in ("date", "datetime", "instant") and isinstance(form, str):
                return DateNotation(name, _BY_NAME[name].step, format=form)
    return None
