"""A small reader of JSON schemas: the keywords that ``program.schema.json`` uses, and messages that name the place.

It accepts what a full validator accepts (``tests/property/test_json.py`` compares the two), says what was expected in
the words of the schema's descriptions, and walks without recursion, so that no file is too deep for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unless.errors import suggest

__all__ = ["KEYWORDS", "Fault", "Schema", "shown"]

KEYWORDS = frozenset(
    {"$ref", "additionalProperties", "allOf", "anyOf", "const", "enum", "if", "items", "maxItems", "maximum"}
    | {"minItems", "minimum", "prefixItems", "properties", "required", "then", "type", "uniqueItems"}
)
"""The keywords that are understood; any other one would be passed over in silence."""

Node = Mapping[str, Any] | bool
Place = tuple["Place", str | int] | None
"""Where a value stands: the place of what holds it, and its key there. None is the whole document."""

_TYPES: dict[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a JSON value, and where."""

    place: Place
    problem: str

    def __str__(self) -> str:
        where = _spelled(self.place)
        return f"{where}: {self.problem}" if where else self.problem


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON schema whose references point into its own ``$defs``."""

    root: Mapping[str, Any]

    def fault(self, value: object, node: Node | None = None) -> Fault | None:
        """The first fault of a value in the order of reading, None if it fits the schema (or the given part of it)."""
        to_do: list[tuple[Node, object, Place]] = [(self.root if node is None else node, value, None)]
        while to_do:
            part, found, place = to_do.pop()
            if isinstance(part, bool):
                continue
            if problem := self._problem(part, found):
                return Fault(place, problem)
            to_do.extend(reversed(list(self._inside(part, found, place))))
        return None

    def _problem(self, node: Mapping[str, Any], value: object) -> str | None:
        """What is wrong with a value itself, its parts left aside."""
        if not _fits(node, value) or ("anyOf" in node and all(self.fault(value, part) for part in node["anyOf"])):
            hint = suggest(value, node["enum"]) if isinstance(value, str) and "enum" in node else ""
            return f"expected {node.get('description', 'something else')}, not {shown(value)}{hint}"
        match value:
            case dict():
                return _wrong_keys(node, value)
            case list() if node.get("uniqueItems"):
                return _twice([item for item in value if isinstance(item, str)])
        return None

    def _inside(self, node: Mapping[str, Any], value: object, place: Place) -> Iterator[tuple[Node, object, Place]]:
        """What is left to check once a value itself is right: more about it, then each of its parts."""
        if "$ref" in node:
            yield self.root["$defs"][node["$ref"].removeprefix("#/$defs/")], value, place
        for part in node.get("allOf", ()):
            yield part, value, place
        if "if" in node and self.fault(value, node["if"]) is None:
            yield node["then"], value, place
        match value:
            case dict():
                parts = node.get("properties", {})
                yield from ((parts[key], item, (place, key)) for key, item in value.items() if key in parts)
            case list():
                first, rest = node.get("prefixItems", ()), node.get("items", True)
                for index, item in enumerate(value):
                    yield first[index] if index < len(first) else rest, item, (place, index)


def shown(value: object) -> str:
    """A JSON value in a few words, however large or deep it is."""
    match value:
        case dict():
            keys = ", ".join(_key(key) for key in list(value)[:3])
            return f"an object with {keys}{', …' if len(value) > 3 else ''}" if value else "an empty object"
        case list():
            return f"a list of {len(value)}"
        case str():
            return _key(value)
        case int() if value.bit_length() > 64:
            return f"an integer of {value.bit_length()} bits"
        case None | int() | float():
            return json.dumps(value)
    return f"a Python {type(value).__name__}"


def _key(text: object) -> str:
    """A text in double quotes, on one line, cut where it is long."""
    plain = str(text)
    cut = plain if len(plain) <= 60 else f"{plain[:60]}…"
    quoted = json.dumps(cut, ensure_ascii=False)
    return quoted if quoted.isprintable() else json.dumps(cut)


def _spelled(place: Place) -> str:
    """A place as one would write it in code: ``rules[2].default[0][1]``."""
    steps: list[str] = []
    while place is not None:
        place, key = place
        steps.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    steps.reverse()
    if len(steps) > 40:
        steps[20:-20] = ["…"]
    return "".join(steps).removeprefix(".")


def _fits(node: Mapping[str, Any], value: object) -> bool:
    """Whether the keywords that look at one value alone accept it."""
    types = node.get("type", ())
    return (
        ("type" not in node or any(_is(value, name) for name in ([types] if isinstance(types, str) else types)))
        and ("const" not in node or _same(value, node["const"]))
        and ("enum" not in node or any(_same(value, one) for one in node["enum"]))
        and _in_bounds(node, value)
    )


def _in_bounds(node: Mapping[str, Any], value: object) -> bool:
    match value:
        case list():
            return bool(node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value)))
        case int() | float() if not isinstance(value, bool):
            return not (
                ("minimum" in node and value < node["minimum"]) or ("maximum" in node and value > node["maximum"])
            )
    return True


def _is(value: object, name: str) -> bool:
    """Whether a value is of a JSON type: booleans are no numbers, and NaN, which JSON does not have, is none either."""
    if name == "number" and (isinstance(value, bool) or value != value):  # noqa: PLR0124 - only NaN differs from itself
        return False
    return isinstance(value, _TYPES[name])


def _same(value: object, wanted: object) -> bool:
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _wrong_keys(node: Mapping[str, Any], value: Mapping[object, object]) -> str | None:
    """An unknown key comes before a missing one, since it often is the missing one misspelled."""
    known = node.get("properties", {})
    for key in value:
        if key not in known and node.get("additionalProperties") is False:
            return f"unknown key {_key(key)}{suggest(str(key), known)}"
    absent = next((key for key in node.get("required", ()) if key not in value), None)
    return None if absent is None else f"{_key(absent)} is missing; add it"


def _twice(texts: list[str]) -> str | None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return f"{_key(text)} appears twice; remove one"
        seen.add(text)
    return None
