"""Documents in which nothing is wrong, read in one pass.

The schema says what is wrong with a document, and where, at 0.6 MB a second. Most documents are right, and to see that
takes less: what can be long (features, rules, values, counts) is looked at here, plainly or many at once, and the short
rest by the schema. For whatever is unusual the answer is None, and `unless.export.json` goes the long way, which also
finds the words for it. ``tests/property/test_json.py`` compares the two ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from sys import float_info
from typing import Any

import numpy as np

from unless.export.checks import Schema
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.values import Label

__all__ = ["fits_around", "program_in"]

_LARGEST = float_info.max
_EXACT = 2**53
"""Whole numbers up to here are compared as floats exactly; larger ones go the long way."""

_TAKES: dict[str, Any] = {"<=": float, ">": float, "==": str, "!=": str, "missing": type(None), "present": type(None)}
_KINDS = {"number", "text", "mixed"}

# The constructors would check once more what was just checked: a literal takes them 0.74 µs, this way 0.28.
_new = object.__new__
_set_feature, _set_op, _set_value = (getattr(Literal, name).__set__ for name in ("feature", "op", "value"))
_set_head, _set_default, _set_exceptions = (getattr(Rule, name).__set__ for name in ("head", "default", "exceptions"))
_program_setters = [getattr(Program, name).__set__ for name in ("target", "features", "rules", "otherwise")]
_NO_EXCEPTIONS: list[Any] = []


class _Unusual(Exception):  # noqa: N818 - no error: something for the long way
    pass


_NOT_HERE = (_Unusual, KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What a document that is not as expected leads to, besides what is checked."""


def program_in(document: object, schema: Schema) -> Program | None:
    """The program of a document; None if anything about it is unusual."""
    try:
        light = _without_lists(document)
        features = tuple(light["features"])
        light["features"] = []
        if schema.fault(light) is not None:
            return None
        names = {name: name for name in features}  # one text for all literals that test it
        _expect(light["target"] not in names)
        rules = tuple([_rule(node, names) for node in document["rules"]])  # type: ignore[index]  # a dictionary, by now
        return _program(light["target"], features, rules, _label(light.get("otherwise"), none=True))
    except _NOT_HERE:
        return None


def _program(target: str, features: tuple[str, ...], rules: tuple[Rule, ...], otherwise: Label | None) -> Program:
    """A program of parts that are right each; what is left to see is that all labels are of one kind."""
    kinds = {rule.head.__class__ for rule in rules} | {otherwise.__class__} - {type(None)}
    _expect(len(kinds) < 2 or kinds == {int, float})
    program = _new(Program)
    for put, part in zip(_program_setters, (target, features, rules, otherwise), strict=True):
        put(program, part)
    return program


def fits_around(document: dict[str, Any], schema: Schema) -> bool:
    """Whether all of a document is right but for the bodies of its rules, which are not looked at."""
    try:
        for node in document["rules"]:
            _label(node["label"])
        return schema.fault({**_without_lists(document), "features": []}) is None
    except _NOT_HERE:
        return False


def _without_lists(document: Any) -> dict[str, Any]:
    """The document without what is checked here; its features, which are, are left in."""
    _expect(document.__class__ is dict and document["rules"].__class__ is list)
    _unique_texts(document["features"])
    light = {**document, "rules": []}
    if "columns" in document:
        light["columns"] = _columns(document["columns"])
    if "statistics" in document:
        light["statistics"] = _statistics(document["statistics"])
    return light


def _expect(usual: bool) -> None:  # noqa: FBT001 - the one thing that it is about
    if not usual:
        raise _Unusual


# Rules.


def _rule(node: Any, names: dict[str, str]) -> Rule:
    rule = _body(node, names, 2, 1)
    label = node["label"]
    _set_head(rule, label if label.__class__ is str else _label(label))
    return rule


def _body(node: Any, names: dict[str, str], keys: int, depth: int) -> Rule:
    """A rule without its label; the node has so many keys, exceptions not counted."""
    default, exceptions = node["default"], node.get("exceptions", _NO_EXCEPTIONS)
    if (
        default.__class__ is not list
        or exceptions.__class__ is not list
        or len(node) != keys + (exceptions is not _NO_EXCEPTIONS)
        or depth > MAX_DEPTH
    ):
        raise _Unusual
    rules = []
    for exception in exceptions:  # a loop: one frame per level, so that 200 levels stay within Python's limit
        rules.append(_body(exception, names, 1, depth + 1))  # noqa: PERF401
    rule = _new(Rule)
    _set_head(rule, None)
    _set_default(rule, _literals(default, names))
    _set_exceptions(rule, tuple(rules))
    return rule


def _literals(nodes: list[Any], names: dict[str, str]) -> tuple[Literal, ...]:
    literals = []
    for node in nodes:
        feature, op, value = node
        if node.__class__ is not list:
            raise _Unusual
        wanted = _TAKES[op]
        if value.__class__ is not wanted:
            value = _threshold(op, value)
        elif wanted is float:
            if not -_LARGEST <= value <= _LARGEST:
                raise _Unusual
            value += 0.0  # minus zero is zero
        literal = _new(Literal)
        _set_feature(literal, names[feature])
        _set_op(literal, op)
        _set_value(literal, value)
        literals.append(literal)
    return tuple(literals)


def _threshold(op: str, value: Any) -> float:
    """A whole number or an infinity, which JSON spells otherwise than other numbers."""
    whole = value.__class__ is int and -_EXACT <= value <= _EXACT
    _expect(_TAKES[op] is float and (whole or value in ("inf", "-inf")))
    return float(value)


def _label(value: Any, *, none: bool = False) -> Any:
    """A label, or, where it may be absent, None; an infinite one is unusual."""
    kind = value.__class__
    _expect(
        kind is str
        or kind is bool
        or (kind is int and -_EXACT <= value <= _EXACT)
        or (kind is float and -_LARGEST <= value <= _LARGEST)
        or (none and value is None)
    )
    return value


# Columns and statistics: lists of one kind of thing, at the speed of C.


def _columns(node: Any) -> dict[str, Any]:
    names, kinds = _rows(node["kinds"], 2)
    _texts(names)
    _expect(_KINDS.issuperset(kinds))
    _texts(_list(node["missing"]))
    light = {**node, "kinds": [], "missing": []}
    if "values" in node:
        names, numbers, categories = _rows(node["values"], 3)
        _texts(names)
        _types([*numbers, *categories], list)
        _expect(max(map(len, numbers), default=0) <= 2)
        _finite(list(chain.from_iterable(numbers)))
        for texts in categories:
            _unique_texts(texts)
        light["values"] = []
    return light


def _statistics(node: Any) -> dict[str, Any]:
    classes, counts = _list(node["classes"]), _list(node["counts"])
    for label in classes:
        _label(label)
    _types(counts, list)
    found = _finite(list(chain.from_iterable(counts)))
    _expect(not found.size or bool(found.min() >= 0 and found.max() <= 1e200))
    return {**node, "classes": classes[:1], "counts": []}


def _list(value: Any) -> list[Any]:
    _expect(value.__class__ is list)
    found: list[Any] = value
    return found


def _types(values: Sequence[Any], *types: type) -> None:
    _expect(set(map(type, values)).issubset(types))


def _texts(values: Sequence[Any]) -> None:
    _types(values, str)


def _unique_texts(values: Any) -> None:
    _texts(_list(values))
    _expect(len(set(values)) == len(values))


def _rows(value: Any, width: int) -> list[tuple[Any, ...]]:
    """A list of lists that are so wide, as columns."""
    _types(_list(value), list)
    _expect(set(map(len, value)) <= {width})
    return [*zip(*value, strict=True)] or [()] * width


def _finite(values: list[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Numbers as an array, all of them finite, and whole ones exact."""
    _types(values, int, float)
    found = np.array(values, dtype=np.float64)
    bound = _EXACT if int in set(map(type, values)) else _LARGEST
    _expect(not found.size or bool(found.min() >= -bound and found.max() <= bound))
    return found
