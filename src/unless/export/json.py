"""Programs as JSON: readable, diffable, exact to the last bit, and safe to load from a stranger.

A file holds ``{"format": "unless-program", "version": 1, "target": …, "features": […], "otherwise": …, "rules": […]}``;
`program_schema` defines the format, for people and other tools as ``program.schema.json``. A model file has ``columns``
and ``statistics`` too, which `unless.estimators.model_file` reads and this module skips.

Labels keep their type: text is a string, a boolean ``true``, an int ``1``, a float ``1.0``. JSON has no infinity: a
numeric literal writes it as ``"inf"`` or ``"-inf"``, a label as ``{"float": "inf"}``, since ``"inf"`` is a text label.
``notations`` lists the features whose numbers are written as dates, times, durations, levels of an order or flags:
``[["when", "date"], ["size", ["S", "M", "L"]]]``; their literals have these texts as values.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from unless.errors import ProgramError, suggest
from unless.export.conditions import list_of
from unless.export.document_checks import TOO_DEEP, at, convert, label_of, shown, unique, unique_keys, wrong
from unless.export.json_text import content, layout, parse, uncollected
from unless.export.program_schema import (
    FORMAT,
    VERSION,
    ExceptionData,
    LiteralData,
    NotationPair,
    ProgramData,
    RuleData,
)
from unless.files import gzip_if_named_so, write_whole
from unless.model import Model
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.values import Label, label_to_json, number_to_json
from unless.values.notation import Notation, notation_from_json

__all__ = ["FORMAT", "VERSION", "dumps", "from_dict", "load", "loads", "save", "to_dict"]

T = TypeVar("T")


def dumps(program: Program | Model) -> str:
    """Write a program as JSON text, with a rule or literal per line if it fits; ``loads(dumps(program)) == program``.

    Of a model only the rules are written; ``model.save(path)`` writes all of it.
    """
    return layout(to_dict(list_of(program, "a program in JSON")))


def loads(text: str | bytes) -> Program:
    """Read the program in a JSON text (bytes are UTF-8)."""
    with uncollected():
        return from_dict(parse(text))


def save(program: Program | Model, path: str | os.PathLike[str]) -> None:
    """Write the program to a file, whole or not at all: after a failure the old file is as it was.

    A file whose name ends with .gz is compressed. Of a model only the rules are written, as by `dumps`.
    """
    write_whole(path, gzip_if_named_so((dumps(program) + "\n").encode(), path))


def load(path: str | os.PathLike[str]) -> Program:
    """Read the program from a file that `save` wrote, or from a model file."""
    text = content(path)
    try:
        return loads(text)
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error


# Writing programs.


def to_dict(program: Program) -> dict[str, Any]:
    """Return the program as plain lists, dicts and values for JSON; ``from_dict(to_dict(program)) == program``."""
    found = {
        "format": FORMAT,
        "version": VERSION,
        "target": program.target,
        "features": list(program.features),
        **notations_data(program.notations),
        "otherwise": label_to_json(program.otherwise),
        "rules": [{"label": label_to_json(rule.head), **_body_data(rule)} for rule in program.rules],
    }
    labels = [{"label": label_to_json(label), "default": []} for label in program.labels]
    read_program(convert({**found, "rules": labels}, ProgramData))  # a number can be too large to be read back
    return found


def notations_data(notations: Mapping[str, Notation]) -> dict[str, Any]:
    """Return the notations of the features whose numbers are not plain."""
    return {"notations": [[name, one.data()] for name, one in notations.items()]} if notations else {}


def _body_data(rule: Rule) -> dict[str, Any]:
    return {
        "default": literals_data(rule.default),
        "exceptions": [_body_data(exception) for exception in rule.exceptions],
    }


def literals_data(literals: Iterable[Literal]) -> list[list[Any]]:
    """Return literals as data for JSON."""
    return [[literal.feature, literal.op, number_to_json(literal.value)] for literal in literals]


# Reading programs. Checks that types cannot express run when values are made, so that errors can name the position.

_EXPECTED = {float: "a number", str: "a category, a text,", type(None): "null"}
_TAKES = {"<=": float, ">": float, "==": str, "!=": str, "missing": type(None), "present": type(None)}
_WRITTEN = {
    "date": "a date like 2020-08-01",
    "datetime": "a time like 2020-08-01 12:30",
    "instant": "a time like 2020-08-01 12:30Z",
    "time": "a time like 12:30",
    "duration": "a duration like 2 d 3 h",
    "order": "one of the levels",
}

# Literals and rules are made without their constructors, which would repeat the checks just made: a literal
# takes 0.7 µs that way and 0.3 µs this way, a rule 1.6 and 0.4. Files with many rules are read at 27 MB/s, not 20.
_new = object.__new__
_set_feature, _set_op, _set_value = (getattr(Literal, name).__set__ for name in ("feature", "op", "value"))
_set_head, _set_default, _set_exceptions = (getattr(Rule, name).__set__ for name in ("head", "default", "exceptions"))


_RELATIONAL = "unless-relational"
"""The format of `unless.logic.RelationalHypothesis`, which is above this room."""


def from_dict(document: object) -> Program:
    """Read the program in a parsed document; a ProgramError names the position of the first error."""
    refuse_other_formats(document, FORMAT, VERSION)
    return read_program(convert(document, ProgramData))


def refuse_other_formats(document: Any, name: str, version: int) -> None:
    """Reject other formats and versions before anything else: a newer version may differ in anything."""
    if not isinstance(document, dict):
        return
    if document.get("format") == _RELATIONAL:
        raise ProgramError(
            "the rules in this file are about connected things, so they need background knowledge, not a table; "
            "unless learn wrote them: read them with unless.logic.RelationalHypothesis.load, or write another "
            "form of them with unless learn … -o rules.lp, rules.pl or rules.sql"
        )
    if document.get("format") != name:
        found = f"its format is {shown(document['format'])}" if "format" in document else 'it has no "format"'
        raise ProgramError(f'not a program of unless: {found}; a program starts with {{"format": "{name}", …')
    found = document.get("version", version)
    if isinstance(found, int | float) and found > version:
        raise at("version", f"{shown(found)} is newer than {version}, the newest known here; update unless")
    if found != version or isinstance(found, bool):
        raise wrong("version", f"the version {version}", found)


def read_program(data: ProgramData) -> Program:
    """Read the program in a document that has the right types."""
    known = KnownFeatures.of(data.features, data.notations)
    otherwise = None if data.otherwise is None else label_of(data.otherwise, "otherwise")
    return Program(data.target, tuple(data.features), read_rules(data.rules, "rules", known), otherwise)


class KnownFeatures(NamedTuple):
    """The features of a program: their names, so that all literals share one text, and their notations."""

    names: Mapping[str, str]
    notations: Mapping[str, Notation]

    @classmethod
    def of(cls, names: Sequence[str], notations: Sequence[NotationPair]) -> KnownFeatures:
        """Return the features that a document names."""
        unique(names, "features")
        return cls(dict(zip(names, names, strict=True)), read_notations(notations, "notations", names))


def read_notations(pairs: Sequence[NotationPair], place: str, features: Collection[str]) -> dict[str, Notation]:
    """Read the notations of the numbers of features."""
    unique_keys(pairs, place, features)
    found: dict[str, Notation] = {}
    for index, (name, node) in enumerate(pairs):
        if (notation := notation_from_json(node)) is None:
            raise at(f"{place}[{index}][1]", f"{shown(node)} is not a notation; levels differ, and a unit has a number")
        found[name] = notation
    return found


def read_rules(nodes: Sequence[RuleData], place: str, known: KnownFeatures) -> tuple[Rule, ...]:
    """Read the rules in a document that has the right types."""
    rules = []
    for index, node in enumerate(nodes):
        here = f"{place}[{index}]"
        head = node.label if node.label.__class__ is str else label_of(node.label, f"{here}.label")
        rules.append(_body(head, node, here, known, 1))
    return tuple(rules)


def _body(head: Label | None, node: RuleData | ExceptionData, place: str, known: KnownFeatures, depth: int) -> Rule:
    """Read a rule, or an exception, which has no head."""
    if depth > MAX_DEPTH:
        raise at(place.partition(".")[0], TOO_DEEP)
    rule = _new(Rule)
    _set_head(rule, head)
    _set_default(rule, read_literals(node.default, f"{place}.default", known))
    exceptions = []  # filled by a loop: one frame per level keeps 200 levels within Python's limit
    for index, exception in enumerate(node.exceptions):
        exceptions.append(_body(None, exception, f"{place}.exceptions[{index}]", known, depth + 1))
    _set_exceptions(rule, tuple(exceptions))
    return rule


def read_literals(nodes: Sequence[LiteralData], place: str, known: KnownFeatures) -> tuple[Literal, ...]:
    """Read literals on known features."""
    literals, (names, notations) = [], known
    for index, (feature, op, value) in enumerate(nodes):
        wanted = _TAKES[op]
        if feature not in names:
            raise at(f"{place}[{index}][0]", f"{shown(feature)} is not one of the features{suggest(feature, names)}")
        if value.__class__ is not wanted and not (wanted is float and value.__class__ is str):
            raise wrong(f"{place}[{index}][2]", f"{_EXPECTED[wanted]} after {op}", value)
        literal = _new(Literal)
        _set_feature(literal, names[feature])
        _set_op(literal, op)
        _set_value(literal, _bound(value, notations.get(feature), place, index) if wanted is float else value)
        literals.append(literal)
    return tuple(literals)


def _bound(value: Any, notation: Notation | None, place: str, index: int) -> float:
    """Read the number of a literal: JSON holds infinities, dates, times and levels as text."""
    if notation is None and value.__class__ is float:
        return value + 0.0  # minus zero is zero
    if notation is None or notation.plain:
        number = float(value) if not isinstance(value, str) or value in ("inf", "-inf") else None
        what = "a number, nor inf or -inf"
    else:
        number = notation.back(value) if isinstance(value, str) else None
        what = _WRITTEN[notation.name]
    if number is None:
        raise at(f"{place}[{index}][2]", f"{shown(value)} is not {what}")
    return number if notation is None else notation.value(number)
