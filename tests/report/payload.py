"""The data of a page for any program, written a second time from its description."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

from unless.explanation.sentences import rule_expectation_text
from unless.explanation.words import Phrase, Words, printable
from unless.export.cell_sources import typed_date_pattern
from unless.export.sql_pieces import condition_pieces
from unless.model.rule_statistics import RuleStatistics
from unless.report.page_data import printed_names
from unless.rule import OPERATOR_WORDS, Literal, Program, Rule
from unless.score.score_card import ScoreCard
from unless.table import Table
from unless.values import label_to_json
from unless.values.notation import WHOLE, Amounts, Notation

__all__ = ["page_words", "payload", "value_data"]


def payload(
    program: Program,
    domain: Table | None = None,
    statistics: RuleStatistics | None = None,
    words: Words | None = None,
    records: list[dict] | None = None,
    card: ScoreCard | None = None,
) -> dict:
    """The data that the page of a program holds; ``domain`` has what its features could be."""
    labels = list(dict.fromkeys([*(rule.head for rule in program), program.otherwise, *(card.classes if card else ())]))
    labels = [label for label in labels if label is not None]
    return {
        "target": program.target,
        "labels": labels,
        "label_texts": [printable(str(label)) for label in labels],
        "label_names": [str(label) for label in labels],
        "label_codes": [json.dumps(label_to_json(label)) for label in labels],
        "names": list(program.features),
        "printed": printed_names(program, labels, program.used),
        "sql": condition_pieces(program),
        "operators": OPERATOR_WORDS,
        "features": [_feature(program, name, domain, words or page_words(program, domain)) for name in program.used],
        "rules": [[labels.index(rule.head), *_body(rule, program.used)] for rule in program],
        "otherwise": None if program.otherwise is None else labels.index(program.otherwise),
        "figures": statistics and _figures(program, statistics),
        "card": card
        and {
            "classes": [labels.index(label) for label in card.classes],
            "base": card.base.tolist(),
            "points": card.points.tolist(),
            "cuts": [_literal(cut, program.used) for cut in card.cuts],
        },
        "records": _records(program, records or []),
    }


def value_data(value: object) -> object:
    """A value as JSON holds it."""
    return {"number": str(value)} if isinstance(value, float) and math.isinf(value) else value


def _figures(program: Program, statistics: RuleStatistics) -> list[str]:
    heads = [*(rule.head for rule in program), program.otherwise]
    return [rule_expectation_text(statistics, place, labelled=head is not None) for place, head in enumerate(heads)]


def page_words(program: Program, domain: Table | None = None, words: Words | None = None) -> Words:
    """The words of a page: all numbers of a feature have groups if it has, or is compared with, one of five digits.

    In a domain of whole numbers, a range of one number is that number.
    """
    numbers = [(literal.feature, literal.value) for rule in program for literal in rule.literals()]
    numbers += [
        (column.name, number) for column in (() if domain is None else domain.columns) for number in column.numbers
    ]
    large = {name for name, number in numbers if isinstance(number, float) and 10_000 <= abs(number) < 1e16}
    whole = {column.name for column in (() if domain is None else domain.columns) if column.notation == WHOLE}
    return replace(words or Words(), grouped=large, whole=whole)


def _feature(program: Program, name: str, domain: Table | None, words: Words) -> dict:
    column = None if domain is None else domain.column(name)
    notation = program.notations.get(name) or (None if column is None else column.notation)
    numbers = [] if column is None else column.numbers.tolist()
    return {
        "name": name,
        "kind": "mixed" if column is None else column.kind,
        "low": numbers[0] if numbers else None,
        "high": numbers[-1] if numbers else None,
        "step": 1,
        "notation": notation and notation.data(),
        "form": typed_date_pattern(notation),
        "noted": name in program.notations,
        "categories": [] if column is None else list(column.categories),
        "special": [] if column is None else [list(pair) for pair in column.special],
        "phrase": asdict(_phrase(words.features.get(name, Phrase()), notation)),
        "grouped": name in words.grouped,
        "whole": name in words.whole,
    }


def _phrase(phrase: Phrase, notation: Notation | None) -> Phrase:
    """The phrase of a feature: without words of their own, its numbers have their unit."""
    own = not isinstance(notation, Amounts) or phrase.number != "{}"
    return phrase if own else replace(phrase, number=f"{{}} {notation.unit}")


def _body(rule: Rule, used: tuple[str, ...]) -> list:
    exceptions = [_body(exception, used) for exception in rule.exceptions]
    return [[_literal(literal, used) for literal in rule.default], exceptions]


def _literal(literal: Literal, used: tuple[str, ...]) -> list:
    value = float(literal.value) if isinstance(literal.value, float) else literal.value
    return [used.index(literal.feature), literal.op, str(value) if value in (math.inf, -math.inf) else value]


def _records(program: Program, records: list[dict]) -> dict:
    columns = [
        {"values": [value_data(one[name]) for one in records], "codes": list(range(len(records)))}
        for name in program.used
    ]
    rows = list(range(1, len(records) + 1))
    return {"total": len(records), "shown": len(records), "rows": rows, "truth": None, "columns": columns}
