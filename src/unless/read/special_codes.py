"""Special codes: numbers that name a category, such as -7 for "no inquiry" among months since the last one.

A cell with such a code is neither a number nor missing: it is read as the category (`columns.name_special_codes`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from unless.errors import MissingFileError, ParameterError, ReadError
from unless.table import SpecialCodes
from unless.values import NUMBER_FORM, cell_value, count_text, is_blank, number_to_text, parse_number

_OPTION = re.compile(rf"(?P<column>.*?):(?P<code> *{NUMBER_FORM} *)=(?P<name>.*)", re.DOTALL)


def check_special(given: object, *, keep_columns: bool = False) -> dict[Any, SpecialCodes]:
    """Return the special codes of each column, ascending; anything else than ``{column: {code: name}}`` is an error.

    The names of columns become text, unless they are kept: the columns of an array may have numbers.

    >>> check_special({"months": {"-7.0": "no inquiry", -8: "no trades"}})
    {'months': ((-8.0, 'no trades'), (-7.0, 'no inquiry'))}
    """
    if not isinstance(given, Mapping):
        example = '{"months": {-7: "no inquiry"}}'
        raise ParameterError(f"special= takes columns, and the names of their codes, {example}, not {given!r:.60}")
    found = {}
    for column, said in given.items():
        codes = dict(said) if isinstance(said, tuple) and all(map(_is_pair, said)) else said  # checked before
        if not isinstance(codes, Mapping):
            raise ParameterError(f"special= gives {column!r} {codes!r:.60}; it takes codes and their names")
        if names := _check_codes(column, codes):
            found[column if keep_columns else str(column)] = tuple(sorted(names.items()))
    return found


def _is_pair(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2


def _check_codes(column: object, codes: Mapping[object, object]) -> dict[float, str]:
    """Return the names of the codes of a column."""
    names = dict[float, str]()
    for code, name in codes.items():
        number = _check_code(column, code)
        if number in names:
            raise ParameterError(f"special= names the code {number_to_text(number)} of {column!r} twice")
        names[number] = _check_name(column, code, name, names.values())
    return names


def refuse_missing_codes(special: Mapping[str, SpecialCodes], missing: Iterable[str]) -> None:
    """Reject codes and names that also mean a missing cell."""
    texts = set(missing)
    numbers = {parse_number(text) for text in texts}
    for column, codes in special.items():
        for code, name in codes:
            if code in numbers or name in texts:
                what = repr(name) if name in texts else number_to_text(code)
                raise ParameterError(f"{what} of {column!r} is in special= and in missing=; leave it out of one")


def special_to_json(special: Mapping[Any, SpecialCodes]) -> list[list[Any]]:
    """Convert the special codes of columns to pairs for JSON; `special_from_json` reads them."""
    return [[column, [[code, name] for code, name in codes]] for column, codes in special.items()]


def special_from_json(data: Iterable[Sequence[Any]]) -> dict[Any, SpecialCodes]:
    """Read the special codes of columns from pairs."""
    return check_special({column: dict(codes) for column, codes in data}, keep_columns=True)


def read_special_file(path: str | os.PathLike[str]) -> dict[str, SpecialCodes]:
    """Read special codes from a TOML file: a table for each column, with a name for each code."""
    try:
        return check_special(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise MissingFileError(f"no file {os.fspath(path)!r}") from None
    except OSError as error:
        raise ReadError(f"{os.fspath(path)!r} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ParameterError) as error:
        raise ParameterError(f"{os.fspath(path)}: {error}") from error


def parse_special_option(text: str, columns: Iterable[str]) -> tuple[str, str, str] | None:
    """Split ``COLUMN:CODE=NAME`` into its parts; the column, whose name may have any signs, is one of these if it can.

    >>> parse_special_option("a:1=b:-7=no: yes", ["a:1=b"]), parse_special_option("codes.toml", [])
    (('a:1=b', '-7', 'no: yes'), None)
    """
    for column in sorted(columns, key=len, reverse=True):
        if text.startswith(f"{column}:") and (found := _OPTION.fullmatch(text[len(column) :])) and not found["column"]:
            return column, found["code"], found["name"]
    found = _OPTION.fullmatch(text)
    return None if found is None else (found["column"], found["code"], found["name"])


def _check_code(column: object, code: object) -> float:
    value = cell_value(code)
    number = parse_number(value) if isinstance(value, str) and not isinstance(code, bool) else value
    if not isinstance(number, float) or not isfinite(number):
        raise ParameterError(f"special= gives {column!r} the code {code!r}; codes are numbers")
    return number


def _check_name(column: object, code: object, name: object, others: Iterable[str]) -> str:
    if not isinstance(name, str) or not name or is_blank(name) or parse_number(name) is not None:
        raise ParameterError(f"special= gives the code {code!r} of {column!r} the name {name!r}; a name has letters")
    if name in others:
        raise ParameterError(
            f"special= gives {count_text(2, 'code')} of {column!r} the name {name!r}; each name belongs to one code"
        )
    return name
