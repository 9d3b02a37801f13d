"""Words that were replaced by plainer ones stay away from names, docstrings, comments and messages."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "unless"
ROOMS = sorted({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")})

IN_NAMES = {
    "alike": "like_training",
    "believed": "validated",
    "demands": "growth_criteria",
    "diary": "checkpoint",
    "doubt": "chance_test, uncertain",
    "halves": "holdout",
    "lenient": "penalty_search",
    "settle": "infer",
    "settled": "inferred",
    "stakes": "gains_and_losses",
    "student": "imitation, distilled",
    "survey": "column_stats",
    "taught": "distilled",
    "told": "hints, known",
    "torn": "conflicting",
    "wish": "constraint",
    "wishes": "constraints",
}
"""Words that are no part of any name, and what to write instead."""

NAMES = {
    "Asked": "Interval, Query",
    "Demands": "GrowthCriteria",
    "Enough": "StopLearning",
    "Kept": "BlockCache",
    "Looks": "SizesAndHistograms",
    "Made": "RowSetCache",
    "Overview": "ColumnStats",
    "Place": "RuleLimits",
    "Told": "ReadHints",
    "could_be_chance": "is_significant",
    "gaps_": "missing_counts_",
    "read_alike": "read_like_training",
    "told_by": "ReadHints",
}
"""Whole names."""

MODULES = {
    "given": "sources",
    "grammar": "rule_parser",
    "here": "local",
    "judge": "evaluation",
    "kept": "block_cache",
    "meaning": "rule_parser",
    "members": "json_scan",
    "modelparts": "model_schema",
    "notes": "checkpoint",
    "own": "unless_learner",
    "places": "rule_limits",
    "questions": "block_queries",
    "remarks": "warnings, findings",
    "room": "memory_budget",
    "splice": "append_fields",
    "tokens": "rule_tokens",
}
"""Names of modules and packages."""

IN_TEXTS = {
    "diary": "checkpoint",
    "halves": "holdout",
    "is none": "does not exist",
    "lenient": "with a penalty",
    "of which": "a plainer sentence",
    "so many": "the number itself",
    "told": "stated, known, given",
    "torn": "conflicting",
    "wish": "constraint",
    "wishes": "constraints",
}
"""Words of docstrings, comments and messages."""

TEXTS = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
"""The tokens of texts; from Python 3.12 on an f-string has several."""


def _files(room: str) -> list[Path]:
    path = PACKAGE / room
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _tokens(path: Path) -> list[tokenize.TokenInfo]:
    with path.open("rb") as file:
        return list(tokenize.tokenize(file.readline))


def retired_names(name: str) -> list[str]:
    """What is wrong with a name: a part of it, or all of it."""
    parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    found = [f"{part} in {name}: {IN_NAMES[part]}" for part in sorted(parts & set(IN_NAMES))]
    return found + ([f"{name}: {NAMES[name]}"] if name in NAMES else [])


def retired_texts(text: str) -> list[str]:
    """What is wrong with a text."""
    plain = " ".join(text.split())  # "is None" is Python
    return [
        f"{word!r}: {instead}"
        for word, instead in IN_TEXTS.items()
        if re.search(rf"\b[{word[0]}{word[0].upper()}]{word[1:]}\b", plain)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_has_retired_words(room):
    """Names are free of all of them, texts of those that can mean nothing else; the message says what to write."""
    found = []
    for path in _files(room):
        where = path.relative_to(PACKAGE).as_posix()
        module = path.parent.name if path.stem == "__init__" else path.stem
        found += [f"{where}: {MODULES[module]}"] if module in MODULES else []
        for token in _tokens(path):
            if token.type == tokenize.NAME:
                wrong = retired_names(token.string)
            elif token.type in TEXTS:
                wrong = retired_texts(token.string)
            else:
                continue
            found += [f"{where}:{token.start[0]}: {one}" for one in wrong]
    assert not found, "\n".join(found)


def test_parts_of_names_and_phrases_over_lines_are_found():
    """A word is found in any spelling of a name, and a phrase where a line ends within it; parts of words are not."""
    assert retired_names("make_ReadWishes") == ["wishes in make_ReadWishes: constraints"]
    assert retired_names("Enough") == ["Enough: StopLearning"]
    assert retired_names("bold_tornado") == []
    assert retired_texts("As so\n    many rows") == ["'so many': the number itself"]
    assert retired_texts("untold wishful tornados") == []
