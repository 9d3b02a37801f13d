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

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from unless.errors import ParameterError, suggest
from unless.explanation.toml_parts import parse_toml, read_toml, refuse_unknown_keys, table_in, text_in, texts_in
from unless.explanation.words import Phrase, Words
from unless.values import Label, label_index

_TOP = ("purpose", "decision", "labels", "features")
_PHRASE = tuple(part.name for part in fields(Phrase))
_FEATURE = (*_PHRASE, "grouped")


def read_words(
    path: str | os.PathLike[str], *, features: Sequence[str] | None = None, labels: Sequence[Label] | None = None
) -> Words:
    """Read words from a TOML file; reject names that are not among the model's ``features`` or ``labels``."""
    return read_toml(path, lambda text: parse_words(text, features=features, labels=labels))


def parse_words(text: str, *, features: Sequence[str] | None = None, labels: Sequence[Label] | None = None) -> Words:
    r"""Parse words from TOML text.

    >>> parse_words('[features.income]\nnumber = "{} €"').features["income"].number
    '{} €'
    """
    found = parse_toml(text)
    refuse_unknown_keys(found, _TOP, "the file")
    tables = table_in(found, "features")
    read = {name: _read_phrase(name, tables, features) for name in tables}
    return Words(
        features={name: phrase for name, (phrase, _) in read.items()},
        labels=dict(_match_label(name, text, labels) for name, text in texts_in(found, "labels").items()),
        decision=text_in(found, "decision", usual=Words().decision),
        grouped=frozenset(name for name, (_, grouped) in read.items() if grouped),
        purpose=text_in(found, "purpose"),
    )


def _read_phrase(name: str, tables: Mapping[str, Any], known: Sequence[str] | None) -> tuple[Phrase, bool]:
    """Read the phrase of one feature, and whether its numbers are grouped."""
    if known is not None and name not in known:
        raise ParameterError(f"[features.{name}]: the model has no feature {name!r}{suggest(name, known)}")
    where = f"features.{name}"
    table = table_in(tables, name, "features.")
    refuse_unknown_keys(table, _FEATURE, f"[{where}]")
    grouped = table.get("grouped", False)
    if not isinstance(grouped, bool):
        raise ParameterError(f"grouped in [{where}] must be true or false, not {grouped!r}")
    given = {key: text_in(table, key, where) for key in _PHRASE if key in table and key != "values"}
    try:
        return Phrase(**given, values=texts_in(table, "values", f"{where}.")), grouped
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
