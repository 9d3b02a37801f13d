"""Convert documents to typed values; errors name the part that does not fit, and its position.

Types are `msgspec` structs, and the published schema is generated from them (``tests/export/schemas.py``). Conditions
that types cannot express, such as that a feature belongs to the program, are checked when values are made from structs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from sys import float_info
from typing import Annotated, Any, TypeVar
from typing import Literal as OneOf

import msgspec
from msgspec import Meta

from unless.errors import ProgramError, suggest
from unless.rule import MAX_DEPTH
from unless.values import Label, label_from_json

__all__ = ["TOO_DEEP", "Finite", "LabelData", "at", "convert", "label_of", "shown", "unique", "unique_keys", "wrong"]

T = TypeVar("T")

LARGEST = float_info.max
TOO_DEEP = f"it nests too deep; exceptions may nest {MAX_DEPTH} deep"

_LABEL = (
    'a label: a text, true or false, a number of at most 1.7976931348623157e308, {"float": "inf"} or {"float": "-inf"}'
)
Finite = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
LabelData = Annotated[
    str
    | bool
    | Annotated[int, Meta(extra_json_schema={"minimum": -LARGEST, "maximum": LARGEST})]  # msgspec's bounds have 64 bits
    | Finite
    | Annotated[dict[OneOf["float"], OneOf["inf", "-inf"]], Meta(min_length=1)],
    Meta(description=_LABEL),
]


def convert(document: Any, kind: type[T], place: str = "") -> T:
    """Return a document as a value of a type; a ProgramError names the position of the first error."""
    try:
        try:
            return msgspec.convert(document, kind)
        except UnicodeEncodeError:  # half a character where no text is allowed: any other text is as wrong
            text = json.dumps(document, ensure_ascii=False, default=repr).encode("utf-8", "replace")
            msgspec.convert(json.loads(text), kind)
            raise ProgramError("a key has half a character, a lone surrogate; remove it") from None
    except msgspec.ValidationError as error:
        raise _explained(str(error), document, msgspec.json.schema(kind), place) from None
    except RecursionError:
        raise at(_deep_rule(document), TOO_DEEP) from None


def _deep_rule(document: Any) -> str:
    """Find the position of the first rule that nests too deep."""
    for index, rule in enumerate(document.get("rules", ())):
        try:
            json.dumps(rule, default=repr)
        except RecursionError:
            return f"rules[{index}]"
    return ""


def label_of(node: Any, place: str) -> Label:
    """Return the label in a document that fits `LabelData`."""
    if node.__class__ is int and not -LARGEST <= node <= LARGEST:
        raise wrong(place, _LABEL, node)
    return label_from_json(node)


def unique(names: Iterable[str], place: str, features: Collection[str] | None = None, *, inside: str = "") -> None:
    """Reject the first name that appears twice, or that is not one of the features; it is ``inside`` an item."""
    seen = set[str]()
    for index, name in enumerate(names):
        if features is not None and name not in features:
            raise at(f"{place}[{index}]{inside}", f"{shown(name)} is not one of the features{suggest(name, features)}")
        if name in seen:
            raise at(f"{place}[{index}]{inside}", f"{shown(name)} appears twice; remove one")
        seen.add(name)


def unique_keys(pairs: Iterable[tuple[Any, ...]], place: str, features: Collection[str] | None = None) -> None:
    """Reject the first item that starts with the name of another item, or not with one of the features."""
    unique((name for name, *_ in pairs), place, features, inside="[0]")


def wrong(place: str, expected: str, found: object) -> ProgramError:
    """Return the error about an unexpected value."""
    return at(place, f"expected {expected}, not {shown(found)}")


def at(place: str, problem: str) -> ProgramError:
    """Return the error about a problem at a position in the document, such as ``rules[2].default[0][1]``."""
    where = place.removeprefix(".")
    return ProgramError(f"{where}: {problem}" if where else problem)


def shown(value: object) -> str:
    """Describe a JSON value in a few words, however large or deep it is."""
    match value:
        case dict():
            names = ", ".join(_quoted(key) for key in list(value)[:3])
            return f"an object with {names}{', …' if len(value) > 3 else ''}" if value else "an empty object"
        case list():
            return f"a list of {len(value)}"
        case str():
            return _quoted(value)
        case int() if value.bit_length() > 64:
            return f"an integer of {value.bit_length()} bits"
    if value is None or type(value) in (bool, int, float):
        return json.dumps(value)
    return f"a Python {type(value).__name__}"


def _quoted(text: object) -> str:
    """Write a text in double quotes, on one line, cut if it is long."""
    plain = str(text)
    cut = plain if len(plain) <= 60 else f"{plain[:60]}…"
    quoted = json.dumps(cut, ensure_ascii=False)
    return quoted if quoted.isprintable() else json.dumps(cut)


# Rewriting msgspec's errors in plain words, with the expected type from the schema.

_PATH = re.compile(r" - at `(?:key` in `)?\$([\w.\[\]]*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_KINDS = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _explained(said: str, document: Any, schema: Any, place: str) -> ProgramError:
    """Return the error about a document, given msgspec's message: the problem, and a path like ``$.rules[3]``."""
    path, value, node = _PATH.search(said), document, schema
    for name, number in _STEP.findall(path[1] if path else ""):
        place += f".{name}" if name else f"[{number}]"
        value, node = value[name or int(number)], _inside(node, name or int(number), schema)
    branches = _branches(node, schema)
    if isinstance(value, dict) and (known := next((one for one in branches if "properties" in one), None)):
        if unknown := [one for one in value if one not in known["properties"] and "additionalProperties" in known]:
            return at(place, f"unknown key {_quoted(unknown[0])}{suggest(str(unknown[0]), known['properties'])}")
        if missing := [one for one in known["required"] if one not in value]:
            return at(place, f"{_quoted(missing[0])} is missing; add it")
    return wrong(place, _words(node, schema), value)


def _branches(node: Any, schema: Any) -> list[dict[str, Any]]:
    """List the alternatives of a schema node, or of the node it refers to; its own description takes precedence."""
    if "$ref" in node:
        return [{**schema["$defs"][node["$ref"].rpartition("/")[2]], **node}]
    return [one for branch in node["anyOf"] for one in _branches(branch, schema)] if "anyOf" in node else [node]


def _inside(node: Any, step: str | int, schema: Any) -> Any:
    """Return the schema node of an item of a list, or of a value of an object."""
    for one in _branches(node, schema):
        if step in one.get("properties", ()):
            return one["properties"][step]
        if isinstance(step, int) and one.get("type") == "array":
            first = one.get("prefixItems", ())
            return first[step] if step < len(first) else one["items"]
    raise KeyError(step)


def _words(node: Any, schema: Any) -> str:
    """Describe the expected value of a node in words."""
    if "description" not in node and "anyOf" in node:
        return " or ".join(_words(one, schema) for one in node["anyOf"])
    words = "something else"
    match _branches(node, schema)[0] if "$ref" in node else node:
        case {"description": str(said)}:
            words = f"{said[0].lower()}{said[1:].removesuffix('.')}"
        case {"enum": known}:
            words = f"one of {', '.join(map(json.dumps, known))}"
        case {"pattern": pattern}:
            words = f"a text that matches {pattern}"
        case {"maximum": high} if high == LARGEST:
            words = "a finite number"
        case {"type": kind, "minimum": low, "maximum": high}:
            words = f"{_KINDS[kind]} from {low} to {high}".replace("e+", "e")
        case {"minItems": low, **more}:
            words = f"a list of {'' if 'maxItems' in more else 'at least '}{low} items"
        case {"maxItems": high}:
            words = f"a list of at most {high} items"
        case {"type": kind}:
            words = _KINDS[kind]
    return words
