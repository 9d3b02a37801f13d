"""Read TOML files of words and reasons, with errors that name the file and the place in it."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from unless.errors import MissingFileError, ParameterError, suggest

T = TypeVar("T")


def read_toml(path: str | os.PathLike[str], parse: Callable[[str], T]) -> T:
    """Read a TOML file and parse its text; errors name the file."""
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = suggest(file.name, sorted(one.name for one in file.parent.glob("*.toml")))
        raise MissingFileError(f"no file {str(file)!r}{near}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"{file}: cannot be read as UTF-8 text: {error}") from None
    try:
        return parse(text)
    except ParameterError as error:
        raise ParameterError(f"{file}: {error}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML text; an error names the line and the column."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"not TOML: {error}") from None


def refuse_unknown_keys(table: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    """Raise an error for a key that is not known there."""
    for name in table:
        if name not in names:
            raise ParameterError(f"{where} has {name!r}, which is not known here{suggest(name, names)}")


def table_in(table: Mapping[str, Any], name: str, where: str = "") -> dict[str, Any]:
    """Return the table with a name; empty if it does not exist."""
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise ParameterError(f"{where}{name} must be a table, [{where}{name}], not {found!r:.60}")
    return found


def texts_in(table: Mapping[str, Any], name: str, where: str = "") -> dict[str, str]:
    """Return the texts of the table with a name."""
    found = table_in(table, name, where)
    return {key: text_in(found, key, f"{where}{name}") for key in found}


def text_in(table: Mapping[str, Any], name: str, where: str = "", usual: str = "") -> str:
    """Return the text with a name; ``usual`` if it does not exist."""
    found = table.get(name, usual)
    if not isinstance(found, str):
        inside = f" in [{where}]" if where else ""
        raise ParameterError(
            f"{name}{inside} must be a text, not {found!r:.60}; write {name} = {json.dumps(str(found))}"
        )
    return found
