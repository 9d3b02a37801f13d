"""Counterfactuals the slow, obvious way: every combination of candidate values, labelled by the program, sorted."""

from __future__ import annotations

import itertools
import math

from unless.rule import Program

__all__ = ["naive_counterfactuals"]


def naive_counterfactuals(program: Program, record: dict, labels: set, allowed: dict, scales: dict) -> list[tuple]:
    """All minimal changes that give one of the labels: (changed features, distance, changes, label), sorted.

    ``allowed[feature]`` is what the feature may become: values, and (low, high) pairs of numbers.
    """
    choices = [_candidates(program, feature, record[feature], allowed.get(feature, [])) for feature in program.used]
    found = []
    for values in itertools.product(*choices):
        changed = {**record, **dict(zip(program.used, values, strict=True))}
        label = program.label(changed)
        if label in labels:
            changes = {f: changed[f] for f in program.used if not _same(changed[f], record[f])}
            far = sum(_distance(record[f], value, scales.get(f, 1.0)) for f, value in changes.items())
            found.append((len(changes), far, changes, label))
    minimal = [one for one in found if not any(_less(other, one, record) for other in found)]
    return sorted(minimal, key=lambda one: one[:2])


def _candidates(program: Program, feature: str, own: object, allowed: list) -> list:
    """The record's value and, among allowed values that no literal tells apart, the nearest."""
    literals = [literal for rule in program for literal in rule.literals() if literal.feature == feature]
    pairs = [item for item in allowed if isinstance(item, tuple)]
    ends = {0.0, *(literal.value for literal in literals if isinstance(literal.value, float))}
    ends |= {end for pair in pairs for end in pair if math.isfinite(end)}
    numbers = {x for x in ends | {math.nextafter(t, math.inf) for t in ends} if any(a <= x <= b for a, b in pairs)}
    nearest: dict[tuple, object] = {}
    others = sorted((value for value in allowed if not isinstance(value, tuple)), key=str)
    for value in sorted(numbers, key=lambda x: abs(x - own) if isinstance(own, float) else 0) + others:
        nearest.setdefault(_seen(value, literals), value)
    return [own, *(value for seen, value in nearest.items() if seen != _seen(own, literals))]


def _seen(value: object, literals: list) -> tuple:
    """What a program can see of a value: its kind, and which literals hold."""
    return type(value), *(literal.holds(value) for literal in literals)


def _less(one: tuple, other: tuple, record: dict) -> bool:
    """Whether one change is a part of the other: fewer features or shorter ways, to the same label."""
    if one[3] != other[3] or one[2] == other[2]:
        return False
    return all(f in other[2] and _on_the_way(record[f], value, other[2][f]) for f, value in one[2].items())


def _on_the_way(own: object, near: object, far: object) -> bool:
    numbers = [isinstance(value, float) for value in (own, near, far)]
    return (own < near <= far or own > near >= far) if all(numbers) else _same(near, far)


def _distance(own: object, new: object, scale: float) -> float:
    return abs(new - own) / scale if isinstance(own, float) and isinstance(new, float) else 1.0


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other
