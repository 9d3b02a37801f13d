"""Checks of the values in a JSON document: an error says where a value is, what was expected and what was found.

They accept what ``program.schema.json`` accepts, and use the words of its descriptions; ``tests/export/test_schema.py``
compares the two.
"""

from __future__ import annotations

import json
from sys import float_info
from typing import Any, TypeVar

from unless.errors import ProgramError, suggest
from unless.values import Label, label_from_json

T = TypeVar("T")
Place = tuple["Place", str | int] | None
"""Where a value is: the place of the list or object around it, and its index or key there. None is the document."""

LARGEST = float_info.max
FEATURE = "the name of a feature, a text"

_LABEL = (
    'a label: a text, true or false, a number of at most 1.7976931348623157e308, {"float": "inf"} or {"float": "-inf"}'
)


def wrong(place: Place, expected: str, found: object, hint: str = "") -> ProgramError:
    """The error about a value that is not what was expected."""
    return at(place, f"expected {expected}, not {shown(found)}{hint}")


def at(place: Place, problem: str) -> ProgramError:
    """The error about a problem at some place of the document."""
    where = _spelled(place)
    return ProgramError(f"{where}: {problem}" if where else problem)


def _spelled(place: Place) -> str:
    """A place as one would write it in code: ``rules[2].default[0][1]``."""
    steps: list[str] = []
    while place is not None:
        place, key = place
        steps.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return "".join(reversed(steps)).removeprefix(".")


def shown(value: object) -> str:
    """A JSON value in a few words, however large or deep it is."""
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
    """A text in double quotes, on one line, cut where it is long."""
    plain = str(text)
    cut = plain if len(plain) <= 60 else f"{plain[:60]}…"
    quoted = json.dumps(cut, ensure_ascii=False)
    return quoted if quoted.isprintable() else json.dumps(cut)


class Object:
    """An object with all required keys. Its other keys must be optional ones; where those are None, they can be any."""

    def __init__(self, expected: str, required: tuple[str, ...], optional: tuple[str, ...] | None = None) -> None:
        self.expected = expected
        self.required = required
        self.optional = optional or ()
        self.known = None if optional is None else frozenset(required + optional)

    def check(self, value: Any, place: Place) -> dict[str, Any]:
        """The value if it is such an object.

        An unknown key is reported before a missing one, since it often is the missing one misspelled.
        """
        if not isinstance(value, dict):
            raise wrong(place, self.expected, value)
        if self.known is not None and not self.known.issuperset(value):
            unknown = next(key for key in value if key not in self.known)
            raise at(place, f"unknown key {_quoted(unknown)}{suggest(str(unknown), self.required + self.optional)}")
        for key in self.required:
            if key not in value:
                raise at(place, f"{_quoted(key)} is missing; add it")
        return value


def typed(kind: type[T], value: Any, place: Place, expected: str) -> T:
    """A value of one of JSON's types: a list, a text, true or false."""
    if value.__class__ is not kind:
        raise wrong(place, expected, value)
    return value


def row(value: Any, place: Place, expected: str, width: int) -> list[Any]:
    """A list with ``width`` items."""
    if value.__class__ is not list or len(value) != width:
        raise wrong(place, expected, value)
    return value


def texts(value: Any, place: Place, expected: str, each: str, *, unique: bool = False) -> list[str]:
    """A list of texts, all different if they are to be ``unique``."""
    found: list[Any] = typed(list, value, place, expected)
    if not {str}.issuperset(map(type, found)):
        for index, item in enumerate(found):
            typed(str, item, (place, index), each)
    if unique and len(set(found)) < len(found):
        seen: set[str] = set()
        twice = next(item for item in found if item in seen or seen.add(item))  # type: ignore[func-returns-value]
        raise at(place, f"{_quoted(twice)} appears twice; remove one")
    return found


def is_number(value: Any, low: float = -LARGEST, high: float = LARGEST) -> bool:
    """Whether a value is a number from low to high; NaN and booleans are not numbers."""
    return (value.__class__ is float or value.__class__ is int) and low <= value <= high


def numbers(
    value: Any, place: Place, expected: str, each: str, low: float = -LARGEST, high: float = LARGEST
) -> list[float]:
    """A list of numbers from low to high."""
    found: list[Any] = typed(list, value, place, expected)
    for index, number in enumerate(found):
        if not is_number(number, low, high):
            raise wrong((place, index), each, number)
    return found


def label(value: Any, place: Place, expected: str = _LABEL) -> Label:
    """A label, as `values.label_data` spells it."""
    if value.__class__ is str or value.__class__ is bool or is_number(value):
        found: Label = value
        return found
    if value not in ({"float": "inf"}, {"float": "-inf"}):
        raise wrong(place, expected, value)
    return label_from_json(value)
