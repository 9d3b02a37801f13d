"""Programs as JSON: readable, diffable, exact to the last bit, and safe to load from a stranger.

A file holds ``{"format": "unless-program", "version": 1, "target": …, "features": […], "otherwise": …, "rules": […]}``;
``program.schema.json`` next to this module is its definition, and every document, read or written, is checked against
it. A model is the same file with ``columns`` and ``statistics``, which are passed over here.

Labels keep their type: text is a string, a boolean ``true``, an int ``1``, a float ``1.0``. JSON has no infinity: a
numeric literal spells it ``"inf"`` or ``"-inf"``, a label ``{"float": "inf"}``, since the text ``"inf"`` is a label.
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files as resources
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from unless.errors import MissingFileError, ProgramError, suggest
from unless.export.checks import Schema, shown
from unless.export.quick import fits_around, program_in
from unless.files import write_whole
from unless.limits import limit, refuse_more
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.values import label_data, label_in

__all__ = [
    "FORMAT",
    "VERSION",
    "checked",
    "content",
    "dumps",
    "from_dict",
    "layout",
    "load",
    "loads",
    "parse",
    "refuse_long",
    "save",
    "to_dict",
    "unchecked",
    "uncollected",
]

FORMAT = "unless-program"
VERSION = 1

_WIDTH = 100
_INFINITE = (math.inf, -math.inf)
_TOO_DEEP = f"exceptions may nest {MAX_DEPTH} deep"
# Characters that are legal in JSON as they are, but break lines in editors or, lone surrogates, cannot be encoded.
_UNSAFE = re.compile(r"[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SPLIT_PAIR = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")


def to_dict(program: Program) -> dict[str, Any]:
    """The program as plain lists, dicts and values that JSON can hold; ``from_dict(to_dict(program)) == program``."""
    return checked(unchecked(program))


def unchecked(program: Program) -> dict[str, Any]:
    """The same, though it may hold what no file can: a label beyond all floats."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": program.target,
        "features": list(program.features),
        "otherwise": label_data(program.otherwise),
        "rules": [{"label": label_data(rule.head), **_body(rule)} for rule in program.rules],
    }


def checked(document: dict[str, Any]) -> dict[str, Any]:
    """A document that was made of a program, if it can be read back; what literals may be the program has seen to."""
    return document if fits_around(document, _schema()) else _check(document)


def from_dict(document: object) -> Program:
    """The program that a parsed document holds; a ProgramError names the place of the first thing that is wrong."""
    program = program_in(document, _schema())
    return _program(_check(document)) if program is None else program


def _program(document: dict[str, Any]) -> Program:
    """The program of a document that fits the schema."""
    features: list[str] = document["features"]
    known = set(features)
    rules = [_rule(rule, f"rules[{index}]", known) for index, rule in enumerate(document["rules"])]
    otherwise = document.get("otherwise")
    label = None if otherwise is None else label_in(otherwise)
    return Program(document["target"], tuple(features), tuple(rules), label)


def dumps(program: Program) -> str:
    """The program as JSON text, a rule or literal per line where it fits; ``loads(dumps(program)) == program``."""
    return layout(to_dict(program))


def loads(text: str | bytes) -> Program:
    """The program in a JSON text (bytes are UTF-8)."""
    with uncollected():
        return from_dict(parse(text))


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the garbage collector wait: looking for garbage, of which there is none, takes half as long as the rest."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def save(program: Program, path: str | os.PathLike[str]) -> None:
    """Write the program to a file, whole or not at all: after a failure the old file is as it was."""
    write_whole(path, (dumps(program) + "\n").encode())


def load(path: str | os.PathLike[str]) -> Program:
    """The program in a file that `save` wrote, or in a model file."""
    try:
        return loads(content(Path(path)))
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error


def parse(text: str | bytes) -> object:
    """JSON text as lists, dicts and values; refuses what the format has no meaning for: NaN and keys that repeat."""
    if isinstance(text, str | bytes | bytearray):
        refuse_long(text, "the text")
    plain = _decoded(text)
    if not plain or plain.isspace():
        raise ProgramError("it is empty; a program starts with {")
    try:
        return json.loads(plain, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        line = plain.splitlines()[error.lineno - 1 :][:1] or [""]
        where = f"line {error.lineno}, column {error.colno}"
        raise ProgramError(f"not JSON: {error.msg} at {where}: {shown(line[0].strip())}") from error
    except RecursionError:
        # The parser gives up at Python's recursion limit, beyond the depth of any valid program.
        raise ProgramError(f"it nests too deep; {_TOO_DEEP}") from None


def layout(document: object) -> str:
    """JSON text with every list and object on one line where it fits, otherwise one item per line; no final newline.

    The document is one that `checked` lets pass: JSON has no text for other numbers than finite ones.
    """
    text = _laid_out(document, 0)
    if text.isascii() and "\x7f" not in text:
        return text
    if pair := _SPLIT_PAIR.search(text):
        raise ProgramError(
            f"JSON would read the two surrogates {pair.group()!r} as one character; "
            "decode the data again, as UTF-8 or with errors='replace'"
        )
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _laid_out(value: Any, indent: int) -> str:
    """From the inside outwards: what holds something that takes several lines does not fit one line either."""
    kind = value.__class__
    if kind in _SPELLED:
        return _SPELLED[kind](value)
    if not value or (kind is not list and kind is not dict):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    items = _spelled(value, _WIDTH - indent - 2) if kind is list else None
    if items is None:
        items = []  # filled by a loop: one frame per level keeps 200 nested exceptions within Python's limit
        for item in value:
            part = item if kind is list else value[item]
            inner = _laid_out(part, indent + 2) if part or part.__class__ is not list else "[]"
            items.append(inner if kind is list else f"{encode_basestring(item)}: {inner}")
    opening, closing = "[]" if kind is list else "{}"
    if indent + sum(map(len, items)) + 2 * len(items) <= _WIDTH:
        return f"{opening}{', '.join(items)}{closing}"
    margin = f"\n{' ' * indent}"
    return f"{opening}{margin}  {f',{margin}  '.join(items)}{margin}{closing}"


def _spelled(values: list[Any], width: int) -> list[str] | None:
    """The items of a literal or a list of literals, or of what is alike: texts and numbers, or short lists of them.

    They are most of a file. None if there is anything else, or if a list is wider.
    """
    try:
        if values[0].__class__ is not list:
            return [_SPELLED[value.__class__](value) for value in values]
        if not {list}.issuperset(map(type, values)):
            return None
        lines = [f"[{', '.join([_SPELLED[value.__class__](value) for value in line])}]" for line in values]
    except KeyError:
        return None
    return lines if max(map(len, lines)) <= width else None


_SPELLED: dict[type, Callable[[Any], str]] = {str: encode_basestring, float: float.__repr__, int: int.__repr__}
"""How the common values are spelled: json.dumps does the same, in five times the time."""


@cache
def _schema() -> Schema:
    return Schema(json.loads(resources("unless.export").joinpath("program.schema.json").read_text("utf-8")))


def _check(document: object) -> dict[str, Any]:
    """The document if it is valid; format and version first, since a newer version may differ in anything."""
    if isinstance(document, dict) and document.get("format") != FORMAT:
        found = f"its format is {shown(document['format'])}" if "format" in document else 'it has no "format"'
        raise ProgramError(f'not a program of unless: {found}; a program starts with {{"format": "{FORMAT}", …')
    version = document.get("version") if isinstance(document, dict) else None
    if isinstance(version, int | float) and version > VERSION:
        raise ProgramError(f"version: {shown(version)} is newer than {VERSION}, the newest known here; update unless")
    if fault := _schema().fault(document):
        raise ProgramError(str(fault))
    checked: dict[str, Any] = document  # type: ignore[assignment]  # the schema says so
    for index, rule in enumerate(checked["rules"]):
        _check_depth(rule, f"rules[{index}]")
    return checked


def _check_depth(rule: dict[str, Any], place: str) -> None:
    level = [rule]
    for _ in range(MAX_DEPTH):
        level = [exception for one in level for exception in one.get("exceptions", ())]
    if level:
        raise ProgramError(f"{place}: it nests too deep; {_TOO_DEEP}")


def _body(rule: Rule) -> dict[str, Any]:
    return {
        "default": [
            [literal.feature, literal.op, str(literal.value) if literal.value in _INFINITE else literal.value]
            for literal in rule.default
        ],
        "exceptions": [_body(exception) for exception in rule.exceptions],
    }


def _rule(node: dict[str, Any], place: str, features: set[str]) -> Rule:
    default = []
    for index, (feature, op, value) in enumerate(node["default"]):
        if feature not in features:
            where = f"{place}.default[{index}][0]"
            raise ProgramError(f"{where}: {shown(feature)} is not one of the features{suggest(feature, features)}")
        default.append(Literal(feature, op, _number(value) if op in {"<=", ">"} else value))
    exceptions = [
        _rule(exception, f"{place}.exceptions[{index}]", features)
        for index, exception in enumerate(node.get("exceptions", ()))
    ]
    return Rule(label_in(node["label"]) if "label" in node else None, tuple(default), tuple(exceptions))


def _number(value: float | str) -> float:
    """A number of a literal. Here, not in `Literal`, the texts "inf" and "-inf" are numbers."""
    return float(value)


def content(path: Path) -> bytes:
    """The bytes of a file, or an error that names it. One that is too large is refused, without reading all of it."""
    try:
        with path.open("rb") as file:  # which may be endless, such as a device
            found = file.read(limit("model") + 1)
    except FileNotFoundError:
        names = sorted(one.name for one in path.parent.glob("*.json"))
        raise MissingFileError(f"no file {str(path)!r}{suggest(path.name, names) if names else ''}") from None
    except OSError as error:
        raise ProgramError(f"cannot be read: {error.strerror}") from error
    refuse_long(found, str(path))
    return found


def refuse_long(text: str | bytes | bytearray, name: str) -> None:
    """Refuse a file that is too large for a program, or a model."""
    refuse_more("model", len(text), f"{name}: too large for a model")


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    if not isinstance(text, bytes | bytearray):
        raise ProgramError(f"a program is JSON text, not {shown(text)}")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{text[error.start]:02x} at position {error.start}"
        raise ProgramError(f"not UTF-8: {byte}; a program is JSON text, saved as UTF-8") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        before: dict[str, Any] = {}
        for key, value in pairs:
            if key in before:
                raise ProgramError(f"the key {shown(key)} appears twice in {shown(before)}; remove one")
            before[key] = value
    return found


def _no_constant(name: str) -> float:
    raise ProgramError(f'{name} is not JSON; an infinity is spelled "inf" or "-inf", and NaN has no meaning here')


def _integer(digits: str) -> int:
    """An integer; beyond 400 digits it fits no number of a program, and Python refuses some of them by itself."""
    if len(digits) > 400:
        raise ProgramError(f"the integer {digits[:10]}… has {len(digits)} digits; numbers end at 1.8e308")
    return int(digits)
