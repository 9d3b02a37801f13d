"""Read the header of a text that `to_clingo` wrote: comments with what clingo cannot write, as JSON.

The header is checked like any text from outside.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from unless.errors import ProgramError
from unless.logic.engine_names import IDENTIFIER, RESERVED, for_comment, is_spellable, is_visible
from unless.logic.predicates import MOST_DECIMALS, SECONDS, WHOLE, Decimals, Feature, Ranks, Scale
from unless.values.notation import DURATION, LevelNotation, Notation, notation_from_json

_COMMENT = re.compile(r"^%:(.*)$", re.MULTILINE)


@dataclass(slots=True)
class Header:
    """The header: names, numbers and labels."""

    target: str
    predicate: str
    labels: str
    features: dict[str, Feature] = field(default_factory=dict)
    stand_ins: dict[str, str] = field(default_factory=dict)


def read_header(text: str) -> Header:
    """Read the comments of a text that begin with ``%:``; the target comes first."""
    words: Header | None = None
    place, line = 0, 1
    for found in _COMMENT.finditer(text):
        line += text.count("\n", place, found.start())
        place = found.start()
        match _parse_json(found[1], line):
            case {
                "target": str(target),
                "predicate": str(name),
                "labels": "text" | "boolean" | "number" as kind,
                **rest,
            }:
                _refuse_unknown_keys(rest, line)
                if words is not None:
                    raise line_error(line, "a second target")
                words = Header(target, name, kind)
            case {"feature": str(name), **rest} if words is not None:
                if name in words.features:
                    raise line_error(line, f"the feature {for_comment(name)!r} a second time")
                words.features[name] = _read_feature(name, rest, line)
            case {"stand_in": str(name), "text": str(meant), **rest} if words is not None:
                _refuse_unknown_keys(rest, line)
                if name in words.stand_ins or (is_spellable(meant) and is_visible(meant)):
                    raise line_error(
                        line, f"the stand-in {for_comment(name)!r} a second time, or for a text that needs none"
                    )
                words.stand_ins[name] = meant
            case _:
                raise line_error(line, "a header must be a target, a feature or a stand_in, the target first")
    if words is None:
        raise ProgramError('the header has no target; to_clingo writes it as %: {"target": …}')
    _check_names(words)
    return words


def parsed_headers(text: str) -> list[object]:
    """Parse the JSON in all comments of a text that begin with ``%:``."""
    return [_parse_json(one[1], 1 + text.count("\n", 0, one.start())) for one in _COMMENT.finditer(text)]


def _parse_json(text: str, line: int) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # also raised by an integer of thousands of digits
        raise line_error(line, "a header that is not JSON") from None


def _read_feature(name: str, parts: dict[Any, Any], line: int) -> Feature:
    predicates = {key: parts.pop(key, None) for key in ("number", "text", "present", "level")}
    notation = _read_notation(parts.pop("notation", None), line)
    fewest = SECONDS if notation == DURATION else 0
    scale = _read_scale(parts.pop("decimals", None), parts.pop("thresholds", None), fewest, line)
    _refuse_unknown_keys(parts, line)
    if not all(value is None or isinstance(value, str) for value in predicates.values()):
        raise line_error(line, "a predicate that is not text")
    spelled = predicates["number"] is not None and scale is None and notation is not None and notation.sortable
    if (predicates["number"] is None) != (scale is None) and not spelled:
        raise line_error(line, "numbers without decimals or thresholds, or the other way round")
    if predicates["present"] is not None and None in (predicates["number"], predicates["text"]):
        raise line_error(line, "presence without predicates for numbers and for text")
    if (predicates["level"] is None) == isinstance(notation, LevelNotation) or (
        notation and predicates["number"] is None
    ):
        raise line_error(line, "an order without a predicate for its levels, or a notation without numbers")
    return Feature(name, **predicates, scale=scale or WHOLE, notation=notation, spelled=spelled)


def _read_notation(node: object, line: int) -> Notation | None:
    found = None if node is None else notation_from_json(node)
    if node is not None and found is None:
        raise line_error(line, f"{json.dumps(node)[:40]} is not how numbers are written")
    return found


def _read_scale(decimals: object, thresholds: object, fewest: int, line: int) -> Scale | None:
    match decimals, thresholds:
        case (int(places), None) if fewest <= places <= MOST_DECIMALS and not isinstance(places, bool):
            return Decimals(places)
        case (None, list(spelled)):
            numbers = [_read_threshold(number, line) for number in spelled]
            if numbers != sorted(set(numbers)):
                raise line_error(line, "thresholds that do not ascend")
            return Ranks(tuple(numbers))
        case (None, None):
            return None
    raise line_error(line, f"decimals must be a number from {fewest} to {MOST_DECIMALS}, and thresholds a list")


def _read_threshold(number: object, line: int) -> float:
    match number:
        case "inf" | "-inf":
            return float(number)
        case int() | float() if not isinstance(number, bool) and abs(number) <= sys.float_info.max:
            return float(number) + 0.0
    raise line_error(line, f'{json.dumps(number)[:40]} for a threshold; write a number, "inf" or "-inf"')


def _check_names(words: Header) -> None:
    names = [words.predicate]
    for feature in words.features.values():
        names += feature.binary if feature.present is None else [*feature.binary, feature.present]
    if bad := next((name for name in words.stand_ins if not re.fullmatch("text[0-9]+", name)), None):
        raise ProgramError(f"{for_comment(bad)!r} in the header is not a stand-in; they are text1, text2 and so on")
    if bad := next((name for name in names if not IDENTIFIER.fullmatch(name) or RESERVED.fullmatch(name)), None):
        raise ProgramError(f"{for_comment(bad)!r} in the header is not a name that to_clingo gives a predicate")
    if twice := _find_duplicate(names):
        raise ProgramError(f"the predicate {twice!r} appears twice in the header")
    if twice := _find_duplicate(words.stand_ins.values()):
        raise ProgramError(f"two stand-ins in the header are for the text {ascii(twice)[:40]}")


def _find_duplicate(texts: Iterable[str]) -> str | None:
    return next((text for text, times in Counter(texts).items() if times > 1), None)


def _refuse_unknown_keys(rest: dict[Any, Any], line: int) -> None:
    for key in rest:
        raise line_error(line, f"{for_comment(str(key))!r} means nothing in the header")


def line_error(line: int, what: str) -> ProgramError:
    """Return an error about a line."""
    return ProgramError(f"line {line}: {what}")
