"""What the scripts of a page know: the program, its features, the records to start from. Plain values for JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.explanation.sentences import figures
from unless.explanation.words import Words, printable
from unless.report.facts import Facts
from unless.rule import Literal, Rule
from unless.table import Column
from unless.values import label_data, number_data, value_data

__all__ = ["as_script", "page_data"]


def page_data(facts: Facts, rows: NDArray[np.intp], words: Words) -> dict[str, Any]:
    """The program and the records of these rows; only the features that the program uses."""
    program, used = facts.program, facts.used
    place = {feature: k for k, feature in enumerate(used)}
    heads = facts.heads.tolist()
    columns = [facts.table.column(feature) for feature in used]
    return {
        "target": program.target,
        "labels": [label_data(label) for label in facts.labels],
        "label_texts": [words.labels.get(label) or printable(str(label)) for label in facts.labels],
        "words": _words(words, used),
        "features": [_feature(facts, column) for column in columns],
        "rules": [[head, *_body(rule, place)] for head, rule in zip(heads, program.rules, strict=False)],
        "otherwise": None if heads[-1] < 0 else heads[-1],
        "figures": _figures(facts),
        "records": {
            "total": len(facts.table),
            "shown": len(rows),
            "rows": (rows + 1).tolist(),
            "truth": None if facts.truth is None else facts.truth[rows].tolist(),
            "columns": [_cells(column, rows) for column in columns],
        },
    }


def as_script(data: object) -> str:
    """JSON that may stand inside a script element: ASCII, and nothing that HTML would read as markup."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _feature(facts: Facts, column: Column) -> dict[str, Any]:
    known = facts.domain.column(column.name) if column.name in facts.domain.features else None
    low, high = (None, None) if known is None or not len(known.numbers) else known.numbers[[0, -1]].tolist()
    return {
        "name": column.name,
        "kind": column.kind if known is None else known.kind,
        "low": low,
        "high": high,
        "step": _step(column.numbers, low, high),
        "categories": [] if known is None else list(known.categories),
    }


def _step(numbers: NDArray[np.float64], low: float | None, high: float | None) -> float:
    """What a control counts in: ones where all numbers are whole, else a power of ten, a hundred or more to the range.

    A range of a thousand whole numbers and more still counts in ones: any of them may be meant.
    """
    ends = [end for end in (low, high) if end is not None]
    finite = np.append(numbers[np.isfinite(numbers)], ends)
    if (finite == np.floor(finite)).all():
        return 1.0
    width = (high or 0.0) - (low or 0.0)
    if not 0 < width < math.inf:
        return 0.01
    return float(10.0 ** math.floor(math.log10(width / 100)))


def _body(rule: Rule, place: dict[str, int]) -> list[Any]:
    # One frame per level: 200 nested exceptions stay within Python's limit.
    exceptions = []
    for exception in rule.exceptions:
        exceptions.append(_body(exception, place))  # noqa: PERF401
    return [[_literal(literal, place) for literal in rule.default], exceptions]


def _literal(literal: Literal, place: dict[str, int]) -> list[Any]:
    return [place[literal.feature], literal.op, number_data(literal.value)]


def _figures(facts: Facts) -> list[str] | None:
    """How each rule did in training, at the end where none decided, in words; None where that is unknown."""
    if facts.trained is None:
        return None
    return [figures(facts.trained, place, labelled=head >= 0) for place, head in enumerate(facts.heads.tolist())]


def _cells(column: Column, rows: NDArray[np.intp]) -> dict[str, Any]:
    """The cells of these rows: their distinct values once, and the place of each row's."""
    distinct, codes = np.unique(column.codes[rows], return_inverse=True)
    return {"values": [value_data(column.value(int(code))) for code in distinct], "codes": codes.tolist()}


def _words(words: Words, used: tuple[str, ...]) -> dict[str, Any] | None:
    """The reader's own words, as far as there are any."""
    phrases = {feature: words.features[feature] for feature in used if feature in words.features}
    if not phrases:
        return None
    return {
        "features": {
            feature: {
                "name": phrase.name,
                "number": phrase.number,
                "values": dict(phrase.values),
                "sentence": phrase.sentence,
                "missing": phrase.missing,
            }
            for feature, phrase in phrases.items()
        }
    }
