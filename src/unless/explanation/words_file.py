"""Read `Words` from a TOML file, for people who do not write Python. The HTML page writes such files.

```toml
purpose = "Who gets a loan without a second look"
decision = "{target} {label}"

[labels]
"refuse" = "the loan is refused"

[features."income"]
name = "yearly income"
number = "{} €"
grouped = true

[features."history".values]
"late" = "late with payments"
```
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from unless.errors import MissingFileError, ParameterError, suggest
from unless.explanation.words import Phrase, Words
from unless.values import Label, label_index

_TOP = ("purpose", "decision", "labels", "features")
_PHRASE = tuple(part.name for part in fields(Phrase))
_FEATURE = (*_PHRASE, "grouped")


def read_words(
    path: str | os.PathLike[str], *, features: Sequence[str] | None = None, labels: Sequence[Label] | None = None
) -> Words:
    """Read words from a TOML file; reject names that are not among the model's ``features`` or ``labels``."""
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = suggest(file.name, sorted(one.name for one in file.parent.glob("*.toml")))
        raise MissingFileError(f"no file {str(file)!r}{near}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"{file}: cannot be read as UTF-8 text: {error}") from None
    try:
        return parse_words(text, features=features, labels=labels)
    except ParameterError as error:
        raise ParameterError(f"{file}: {error}") from None


def parse_words(text: str, *, features: Sequence[str] | None = None, labels: Sequence[Label] | None = None) -> Words:
    r"""Parse words from TOML text.

    >>> parse_words('[features.income]\nnumber = "{} €"').features["income"].number
    '{} €'
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"not TOML: {error}") from None
    _refuse_unknown_keys(found, _TOP, "the file")
    tables = _read_table(found, "features")
    read = {name: _read_phrase(name, tables, features) for name in tables}
    return Words(
        features={name: phrase for name, (phrase, _) in read.items()},
        labels=dict(_match_label(name, text, labels) for name, text in _read_texts(found, "labels").items()),
        decision=_read_text(found, "decision", usual=Words().decision),
        grouped=frozenset(name for name, (_, grouped) in read.items() if grouped),
        purpose=_read_text(found, "purpose"),
    )


def _read_phrase(name: str, tables: Mapping[str, Any], known: Sequence[str] | None) -> tuple[Phrase, bool]:
    """Read the phrase of one feature, and whether its numbers are grouped."""
    if known is not None and name not in known:
        raise ParameterError(f"[features.{name}]: the model has no feature {name!r}{suggest(name, known)}")
    where = f"features.{name}"
    table = _read_table(tables, name, "features.")
    _refuse_unknown_keys(table, _FEATURE, f"[{where}]")
    grouped = table.get("grouped", False)
    if not isinstance(grouped, bool):
        raise ParameterError(f"grouped in [{where}] must be true or false, not {grouped!r}")
    given = {key: _read_text(table, key, where) for key in _PHRASE if key in table and key != "values"}
    try:
        return Phrase(**given, values=_read_texts(table, "values", f"{where}.")), grouped
    except ParameterError as error:
        raise ParameterError(f"[{where}]: {error}") from None


def _match_label(name: str, text: str, known: Sequence[Label] | None) -> tuple[Label, str]:
    """Find the model's label that matches a text, since a file contains labels only as text."""
    if known is None:
        return name, text
    index = label_index(name, known)
    if index is None:
        raise ParameterError(f"[labels]: the model has no label {name!r}{suggest(name, known)}")
    return known[index], text


def _refuse_unknown_keys(table: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    for name in table:
        if name not in names:
            raise ParameterError(f"{where} has {name!r}, which is not known here{suggest(name, names)}")


def _read_table(table: Mapping[str, Any], name: str, where: str = "") -> dict[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise ParameterError(f"{where}{name} must be a table, [{where}{name}], not {found!r:.60}")
    return found


def _read_texts(table: Mapping[str, Any], name: str, where: str = "") -> dict[str, str]:
    found = _read_table(table, name, where)
    return {key: _read_text(found, key, f"{where}{name}") for key in found}


def _read_text(table: Mapping[str, Any], name: str, where: str = "", usual: str = "") -> str:
    found = table.get(name, usual)
    if not isinstance(found, str):
        inside = f" in [{where}]" if where else ""
        raise ParameterError(
            f"{name}{inside} must be a text, not {found!r:.60}; write {name} = {json.dumps(str(found))}"
        )
    return found
