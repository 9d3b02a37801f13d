"""The data for the scripts of a page, as plain values for JSON: the program, its features, records to start from."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.explanation.sentences import figures
from unless.explanation.words import Phrase, Words, printable
from unless.report.facts import Facts
from unless.rule import OPERATOR_WORDS, Literal, Rule
from unless.table import Column
from unless.values import label_data, number_data, value_data


def page_data(facts: Facts, rows: NDArray[np.intp], words: Words) -> dict[str, Any]:
    """The program and the records of some rows, with only the features that the program uses."""
    program = facts.program
    place = {feature: k for k, feature in enumerate(facts.used)}
    heads = facts.heads.tolist()
    columns = [facts.table.column(feature) for feature in facts.used]
    return {
        "target": program.target,
        "labels": [label_data(label) for label in facts.labels],
        "label_texts": [words.labels.get(label) or printable(str(label)) for label in facts.labels],
        "operators": OPERATOR_WORDS,
        "features": [_feature(facts, column, words) for column in columns],
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
    """JSON for the inside of a script element: ASCII, without anything that HTML would read as markup."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _feature(facts: Facts, column: Column, words: Words) -> dict[str, Any]:
    """A feature: what it was in training, and what the reader calls it."""
    known = facts.domain.column(column.name) if column.name in facts.domain.features else None
    low, high = (None, None) if known is None or not len(known.numbers) else known.numbers[[0, -1]].tolist()
    return {
        "name": column.name,
        "kind": column.kind if known is None else known.kind,
        "low": low,
        "high": high,
        "step": _step(column.numbers, low, high),
        "categories": [] if known is None else list(known.categories),
        "phrase": _phrase(words.phrase(column.name)),
        "grouped": column.name in words.grouped,
    }


def _step(numbers: NDArray[np.float64], low: float | None, high: float | None) -> float:
    """The step of a control: 1 if all numbers are whole, else a power of ten with 100 steps or more in the range.

    A range of a thousand whole numbers and more still has steps of 1: any of them may be meant.
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
    exceptions = map(partial(_body, place=place), rule.exceptions)  # one frame per level: 200 stay within the limit
    return [[_literal(literal, place) for literal in rule.default], list(exceptions)]


def _literal(literal: Literal, place: dict[str, int]) -> list[Any]:
    return [place[literal.feature], literal.op, number_data(literal.value)]


def _figures(facts: Facts) -> list[str] | None:
    """How each rule did in training, in words, and last the records without a rule; None if that is unknown."""
    if facts.trained is None:
        return None
    return [figures(facts.trained, place, labelled=head >= 0) for place, head in enumerate(facts.heads.tolist())]


def _cells(column: Column, rows: NDArray[np.intp]) -> dict[str, Any]:
    """The cells of some rows: the distinct values, and for each row the place of its value."""
    distinct, codes = np.unique(column.codes[rows], return_inverse=True)
    return {"values": [value_data(column.value(int(code))) for code in distinct], "codes": codes.tolist()}


def _phrase(phrase: Phrase) -> dict[str, Any]:
    return {
        "name": phrase.name,
        "number": phrase.number,
        "values": dict(phrase.values),
        "sentence": phrase.sentence,
        "missing": phrase.missing,
    }
