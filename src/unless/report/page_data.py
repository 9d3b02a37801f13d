"""What the scripts of a page need besides rules and records: other columns, pictures, groups, costs, words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.explanation.words import Words
from unless.export.json import to_dict
from unless.report.curves import Curves
from unless.report.facts import DecisionFacts, is_identifier
from unless.report.histograms import histograms
from unless.report.rule_sentences import LabelName
from unless.report.subgroup_views import Groups
from unless.rule import Literal, Program, label_text
from unless.table import Column
from unless.values import Label, Value, label_to_json, value_to_json
from unless.values.notation import LevelNotation, NotatedNumber

_COLUMNS = 40
"""The most columns that no rule tests; those that tell records apart come first."""

_LONGEST = 200
"""The most characters of a text in such a column: a table of essays would make a page that nobody can open."""

_COSTS = 12
"""The most labels for a table of costs."""


def shown_columns(facts: DecisionFacts) -> tuple[Column, ...]:
    """The columns that no rule tests, but that people look for, identifiers first; of a wide table only some."""
    ranked = sorted(facts.others, key=lambda column: not is_identifier(column))
    kept = {column.name for column in ranked[:_COLUMNS]}
    return tuple(column for column in ranked if column.name in kept)


def kept_data(
    everything: DecisionFacts,
    facts: DecisionFacts,
    rows: NDArray[np.intp],
    words: Words,
    *,
    spoken: Words,
    labels: tuple[LabelName, ...],
    groups: Groups,
    curves: Curves | None,
) -> dict[str, Any]:
    """The data, for JSON: the records are among ``everything``, the figures are about ``facts``.

    ``spoken`` are the words that were given, ``words`` the same with groups of digits where numbers need them.
    """
    others = shown_columns(everything)
    confusion = None if facts.quality is None or len(facts.labels) > _COSTS else facts.quality.confusion.tolist()
    return {
        "colours": [label.colour for label in labels],
        "label_names": [str(label) for label in facts.labels],
        "printed": printed(facts.program, facts.labels, facts.used),
        "sql": _sql_pieces(facts.program),
        "label_codes": [json.dumps(label_to_json(label), ensure_ascii=True) for label in facts.labels],
        "names": list(facts.program.features),
        "used": [facts.program.features.index(name) for name in facts.used],
        "fingerprint": fingerprint(facts.program),
        "others": [_other(column, rows, words) for column in others],
        "histograms": histograms(facts),
        "confusion": confusion,
        "curves": None if curves is None else curves.data(),
        "groups": [
            {"place": one.place, "groups": [[group.name, *_asked(group.test, one.used)] for group in one.groups]}
            for one in groups.columns
        ],
        "words": _words(spoken),
    }


def printed(program: Program, labels: Sequence[Label], used: Sequence[str]) -> dict[str, Any]:
    """The names of a program, of labels and of features as `rule` prints them: scripts only put them together."""
    levels = {name: one.levels for name, one in program.notations.items() if isinstance(one, LevelNotation)}
    return {
        "target": str(Program(program.target, ())).removesuffix(": no rules"),
        "labels": [label_text(label) for label in labels],
        "features": [str(Literal(name, "missing")).removesuffix(" is missing") for name in used],
        "levels": {
            name: [
                str(Literal("x", "<=", NotatedNumber(k, program.notations[name]))).removeprefix("x <= ")
                for k in range(len(own))
            ]
            for name, own in levels.items()
        },
    }


def _sql_pieces(program: Program) -> list[Any] | None:
    """What the SQL of rules is put together from; None without sqlglot, and then the page offers no SQL."""
    try:
        from unless.export.sql_pieces import condition_pieces
    except ImportError:
        return None
    return condition_pieces(program)


def fingerprint(program: Program) -> str:
    """What tells a program from all others: the browser keeps the changes that a reader makes under it."""
    try:
        text = json.dumps(to_dict(program), ensure_ascii=True)
    except ProgramError:  # a label that no file can hold
        text = str(program)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _other(column: Column, rows: NDArray[np.intp], words: Words) -> dict[str, Any]:
    distinct, codes = np.unique(column.codes[rows], return_inverse=True)
    return {
        "name": column.name,
        "shown": words.name(column.name),
        "identifier": is_identifier(column),
        "notation": None if column.notation is None else column.notation.data(),
        "grouped": False,
        "values": [_short(column.value(int(code))) for code in distinct],
        "codes": codes.tolist(),
    }


def _asked(test: tuple[object, ...], used: bool) -> list[object]:  # noqa: FBT001
    """What a group asks of a cell, as long as the cells of its column are."""
    if used:
        return list(test)
    kind, *asked = test
    return [kind, *(list(map(_cut, one)) if isinstance(one, list) else _cut(one) for one in asked)]


def _short(value: Value) -> object:
    return _cut(value_to_json(float(value) if isinstance(value, NotatedNumber) else value))


def _cut(value: object) -> object:
    return f"{value[:_LONGEST]}…" if isinstance(value, str) and len(value) > _LONGEST else value


def _words(words: Words) -> dict[str, Any]:
    """The words that are a reader's own, so that the page can go on from them."""
    return {
        "purpose": words.purpose,
        "decision": words.decision,
        "labels": [[str(label), text] for label, text in words.labels.items()],
        "features": [
            [name, {**asdict(phrase), "values": dict(phrase.values)}] for name, phrase in words.features.items()
        ],
        "grouped": sorted(words.grouped),
    }
