"""Programs as JSON: readable, diffable, exact to the last bit, and safe to load from a stranger.

A file holds ``{"format": "unless-program", "version": 1, "target": …, "features": […], "otherwise": …, "rules": […]}``;
``program.schema.json`` next to this module defines the format. A model file has ``columns`` and ``statistics`` too,
which `unless.estimators.model_file` reads and this module skips.

Labels keep their type: text is a string, a boolean ``true``, an int ``1``, a float ``1.0``. JSON has no infinity: a
numeric literal spells it ``"inf"`` or ``"-inf"``, a label ``{"float": "inf"}``, since the text ``"inf"`` is a label.
``notations`` says of which features numbers are written as dates, times, durations, levels of an order or flags:
``[["when", "date"], ["size", ["S", "M", "L"]]]``; their literals have these texts as values.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from unless.errors import ProgramError, suggest
from unless.export import document_checks
from unless.export.conditions import list_of
from unless.export.document_checks import FEATURE, LARGEST, Object, Place, at, row, shown, typed, wrong
from unless.export.json_text import TOO_DEEP, content, layout, parse, uncollected
from unless.files import gzip_if_named_so, write_whole
from unless.model import Model
from unless.rule import MAX_DEPTH, OPERATORS, Literal, Program, Rule
from unless.values import Label, label_to_json, number_to_json
from unless.values.notation import Notation, notation_from_json

FORMAT = "unless-program"
VERSION = 1


def dumps(program: Program | Model) -> str:
    """The program as JSON text, a rule or literal per line where it fits; ``loads(dumps(program)) == program``.

    Of a model these are its rules only; ``model.save(path)`` writes all of it.
    """
    return layout(to_dict(list_of(program, "a program in JSON")))


def loads(text: str | bytes) -> Program:
    """The program in a JSON text (bytes are UTF-8)."""
    with uncollected():
        return from_dict(parse(text))


def save(program: Program | Model, path: str | os.PathLike[str]) -> None:
    """Write the program to a file, whole or not at all: after a failure the old file is as it was.

    A file whose name ends with .gz is packed. Of a model only the rules are written, as by `dumps`.
    """
    write_whole(path, gzip_if_named_so((dumps(program) + "\n").encode(), path))


def load(path: str | os.PathLike[str]) -> Program:
    """Read the program from a file that `save` wrote, or from a model file."""
    text = content(path)
    try:
        return loads(text)
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error


# Writing.


def to_dict(program: Program) -> dict[str, Any]:
    """The program as plain lists, dicts and values that JSON can hold; ``from_dict(to_dict(program)) == program``."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": _target(program.target),
        "features": list(program.features),
        **notations_data(program.notations),
        "otherwise": None if program.otherwise is None else _label_data(program.otherwise, (None, "otherwise")),
        "rules": [
            {"label": _label_data(rule.head, ((_RULES, index), "label")), **_body_data(rule)}
            for index, rule in enumerate(program.rules)
        ],
    }


def notations_data(notations: Mapping[str, Notation]) -> dict[str, Any]:
    """How numbers are written, if some are not plain."""
    return {"notations": [[name, one.data()] for name, one in notations.items()]} if notations else {}


def _label_data(label: Label | None, place: Place) -> object:
    """A label for JSON; refuses a whole number that is too large to be read back."""
    if label.__class__ is str:
        return label
    data = label_to_json(label)
    document_checks.label(data, place)
    return data


def _body_data(rule: Rule) -> dict[str, Any]:
    return {
        "default": literals_data(rule.default),
        "exceptions": [_body_data(exception) for exception in rule.exceptions],
    }


def literals_data(literals: Iterable[Literal]) -> list[list[Any]]:
    """Literals as JSON holds them."""
    return [[literal.feature, literal.op, number_to_json(literal.value)] for literal in literals]


# Reading. Every value is checked where it is read, so that an error can name its place.

_RULES: Place = (None, "rules")
_PROGRAM = Object(
    "a program: an object with format, version, target, features and rules",
    ("format", "version", "target", "features", "rules"),
    ("otherwise", "columns", "statistics", "notations"),
)
_RULE = Object("a rule: an object with label, default and exceptions", ("label", "default"), ("exceptions",))
_EXCEPTION = Object("an exception: an object with default and exceptions", ("default",), ("exceptions",))
_NONE: list[Any] = []
_TAKES = {"<=": float, ">": float, "==": str, "!=": str, "missing": type(None), "present": type(None)}
_NOTATION = (
    'a notation: date, datetime, instant, time, duration, flag, whole, {"date": format}, {"unit": "1234.5 kg"} or a '
    "list of levels"
)
_WRITTEN = {
    "date": "a date like 2020-08-01",
    "datetime": "a time like 2020-08-01 12:30",
    "instant": "a time like 2020-08-01 12:30Z",
    "time": "a time like 12:30",
    "duration": "a duration like 2 d 3 h",
    "order": "one of the levels",
}
_EXPECTED = {
    float: 'a number of at most 1.7976931348623157e308, "inf" or "-inf", or the text of a date, time or level',
    str: "a category, a text",
    type(None): "null",
}

# Literals and rules are made without their constructors, which would check again what was just checked: a literal
# takes 0.7 µs that way and 0.3 µs this way, a rule 1.6 and 0.4. Files with many rules are read at 27 MB/s, not 20.
_new = object.__new__
_set_feature, _set_op, _set_value = (getattr(Literal, name).__set__ for name in ("feature", "op", "value"))
_set_head, _set_default, _set_exceptions = (getattr(Rule, name).__set__ for name in ("head", "default", "exceptions"))


def from_dict(document: object) -> Program:
    """The program in a parsed document; a ProgramError names the place of the first thing that is wrong."""
    _check_version(document)
    node = _PROGRAM.check(document, None)
    target = _target(node["target"])
    features = document_checks.texts(node["features"], (None, "features"), "a list of names", FEATURE, unique=True)
    notations = notations_in(node.get("notations", _NONE), (None, "notations"), features)
    known = _Names((name, name) for name in features)
    known.notations = notations
    rules = [
        _rule(rule, (_RULES, index), known)
        for index, rule in enumerate(typed(list, node["rules"], _RULES, "a list of rules"))
    ]
    return Program(target, tuple(features), tuple(rules), _otherwise(node.get("otherwise")))


class _Names(dict[str, str]):
    """The names of the features, so that all literals share the text of one, and how their numbers are written."""

    notations: dict[str, Notation]


def notations_in(value: Any, place: Place, features: Collection[str]) -> dict[str, Notation]:
    """How the numbers of features are written."""
    found: dict[str, Notation] = {}
    for index, pair in enumerate(typed(list, value, place, "a list of features and how their numbers are written")):
        name, node = row(pair, (place, index), "a feature and how its numbers are written", 2)
        notation = notation_from_json(node)
        if typed(str, name, ((place, index), 0), FEATURE) not in features:
            raise at(((place, index), 0), f"{shown(name)} is not one of the features{suggest(name, features)}")
        if name in found:
            raise at(((place, index), 0), f"{shown(name)} appears twice; remove one")
        if notation is None:
            raise wrong(((place, index), 1), _NOTATION, node)
        found[name] = notation
    return found


def literals_in(value: Any, place: Place, program: Program) -> tuple[Literal, ...]:
    """Literals on the features of a program, whose numbers are written as in its rules."""
    known = _Names((name, name) for name in program.features)
    known.notations = dict(program.notations)
    return _literals(value, place, known)


def _check_version(document: object) -> None:
    """Refuse other formats and versions before anything else: a newer version may differ in anything."""
    if not isinstance(document, dict):
        return
    if document.get("format") != FORMAT:
        found = f"its format is {shown(document['format'])}" if "format" in document else 'it has no "format"'
        raise ProgramError(f'not a program of unless: {found}; a program starts with {{"format": "{FORMAT}", …')
    version, place = document.get("version", VERSION), (None, "version")
    if isinstance(version, int | float) and version > VERSION:
        raise at(place, f"{shown(version)} is newer than {VERSION}, the newest known here; update unless")
    if version != VERSION or isinstance(version, bool):
        raise wrong(place, f"the version {VERSION}", version)


def _target(value: object) -> str:
    return typed(str, value, (None, "target"), "the name of the target, a text")


def _otherwise(value: object) -> Label | None:
    expected = "a label, or null where records that no rule covers stay unclassified"
    return None if value is None else document_checks.label(value, (None, "otherwise"), expected)


def _rule(node: Any, place: Place, features: _Names) -> Rule:
    _RULE.check(node, place)
    label = node["label"]
    head = label if label.__class__ is str else document_checks.label(label, (place, "label"))
    return _body(head, node, place, features, 1)


def _body(head: Label | None, node: dict[str, Any], place: Place, features: _Names, depth: int) -> Rule:
    """A rule, or an exception, which has no head."""
    if depth > MAX_DEPTH:
        raise at(_outermost(place), TOO_DEEP)
    rule = _new(Rule)
    _set_head(rule, head)
    _set_default(rule, _literals(node["default"], (place, "default"), features))
    exceptions = []
    inside = (place, "exceptions")
    for index, exception in enumerate(typed(list, node.get("exceptions", _NONE), inside, "a list of exceptions")):
        here = (inside, index)
        _EXCEPTION.check(exception, here)
        # One frame per level keeps 200 levels within Python's limit.
        exceptions.append(_body(None, exception, here, features, depth + 1))
    _set_exceptions(rule, tuple(exceptions))
    return rule


def _outermost(place: Place) -> Place:
    """The place of the rule that an exception belongs to."""
    while place is not None and place[0] != _RULES:
        place = place[0]
    return place


def _literals(nodes: Any, place: Place, features: _Names) -> tuple[Literal, ...]:
    literals = []
    for index, node in enumerate(typed(list, nodes, place, "a list of literals")):
        if node.__class__ is not list or len(node) != 3:
            raise wrong((place, index), "a literal: a list of feature, operator and value", node)
        feature, op, value = node
        try:
            name, wanted = features[feature], _TAKES[op]
        except (KeyError, TypeError):  # a list or an object is no key
            raise _unknown(feature, op, (place, index), features) from None
        if value.__class__ is not wanted or (wanted is float and not -LARGEST < value < LARGEST):  # type: ignore[operator]
            value = _other_value(value, wanted, ((place, index), 2), features.notations.get(feature))
        elif wanted is float and feature in features.notations:
            value = _noted(value, features.notations[feature], ((place, index), 2))
        literal = _new(Literal)
        _set_feature(literal, name)
        _set_op(literal, op)
        _set_value(literal, value + 0.0 if value.__class__ is float else value)  # minus zero is zero
        literals.append(literal)
    return tuple(literals)


def _unknown(feature: Any, op: Any, place: Place, features: _Names) -> ProgramError:
    """The error about a literal that has no feature of the program, or no operator."""
    if feature.__class__ is not str:
        return wrong((place, 0), FEATURE, feature)
    if op not in OPERATORS:
        return wrong((place, 1), "an operator", op, suggest(op, OPERATORS) if isinstance(op, str) else "")
    return at((place, 0), f"{shown(feature)} is not one of the features{suggest(feature, features)}")


def _noted(value: Any, notation: Notation, place: Place) -> float:
    """A number that knows how it is written."""
    if not notation.plain:
        raise at(place, f"{shown(value)} is not {_WRITTEN[notation.name]}")
    return notation.value(value)


def _other_value(value: Any, wanted: type, place: Place, notation: Notation | None) -> float:
    """A number that is whole, written in a notation, or infinite, which JSON spells as text."""
    if wanted is not float or not (isinstance(value, str) or document_checks.is_number(value)):
        raise wrong(place, _EXPECTED[wanted], value)
    if notation is None or notation.plain:
        if isinstance(value, str) and value not in ("inf", "-inf"):
            raise at(place, f"{shown(value)} is not a number, nor inf or -inf")
        return float(value) if notation is None else notation.value(float(value))
    number = notation.back(value) if isinstance(value, str) else None
    if number is None:
        raise at(place, f"{shown(value)} is not {_WRITTEN[notation.name]}")
    return notation.value(number)
