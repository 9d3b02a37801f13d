"""Collect the data for the scripts of a page: rules, records, other columns, charts, groups, costs and words."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.explanation.sentences import rule_expectation_text
from unless.explanation.words import Phrase, Words, printable
from unless.export.cell_sources import typed_date_pattern
from unless.export.json import to_dict
from unless.report.by_feature import background_data
from unless.report.curves import Curves
from unless.report.facts import DecisionFacts, is_identifier
from unless.report.histograms import label_histograms
from unless.report.rule_sentences import LabelName
from unless.report.subgroup_views import GroupsView
from unless.rule import OPERATOR_WORDS, Literal, Program, Rule, label_text
from unless.score.score_card import ScoreCard
from unless.table import Column
from unless.values import Label, Value, label_to_json, number_to_json, value_to_json
from unless.values.notation import DAY, Amounts, LevelNotation, NotatedNumber, Notation

_COLUMNS = 40
"""The maximum number of columns that no rule tests; identifiers come first."""

_LONGEST = 200
"""The maximum number of characters of a text in such a column: essays would make the page too large to open."""

_COSTS = 12
"""The maximum number of labels for a table of costs."""


def shown_columns(facts: DecisionFacts) -> tuple[Column, ...]:
    """Choose the columns to show that no rule tests, identifiers first; of a wide table only some."""
    return tuple(sorted(facts.others, key=lambda column: not is_identifier(column))[:_COLUMNS])


def page_data(  # noqa: PLR0917 - what a page is made of
    everything: DecisionFacts,
    facts: DecisionFacts,
    rows: NDArray[np.intp],
    words: Words,
    spoken: Words,
    labels: tuple[LabelName, ...],
    groups: GroupsView,
    curves: Curves | None,
) -> dict[str, Any]:
    """Collect the data for JSON: the records are rows of ``everything``, the figures are about ``facts``.

    ``spoken`` are the given words, ``words`` the same with groups of digits where numbers need them.
    """
    program = facts.program
    label_names = [str(label) for label in facts.labels]
    return {
        "target": program.target,
        "labels": [label_to_json(label) for label in facts.labels],
        "label_texts": [words.labels.get(label) or printable(str(label)) for label in facts.labels],
        "operators": OPERATOR_WORDS,
        "features": [_feature_to_json(everything, everything.column(name), words) for name in facts.used],
        **_rules_to_json(everything),
        "records": _records_to_json(everything, rows),
        "colours": [label.colour for label in labels],
        "label_names": label_names,
        "printed": printed_names(program, facts.labels, facts.used),
        "sql": None
        if _has_special_codes(everything)
        else _sql_pieces(program if everything.model is None else everything.model.tests),
        "label_codes": [json.dumps(label_to_json(label), ensure_ascii=True) for label in facts.labels],
        "names": list(program.features),
        "used": [program.features.index(name) for name in facts.used],
        "fingerprint": fingerprint(program),
        "others": [_other_column_to_json(column, rows, words) for column in shown_columns(everything)],
        "histograms": label_histograms(facts),
        "confusion": None if facts.quality is None or len(labels) > _COSTS else facts.quality.confusion.tolist(),
        "curves": None if curves is None else curves.to_dict(),
        "groups": [
            {
                "place": one.place,
                "groups": [[group.name, *_group_test_to_json(group.test, one.used)] for group in one.groups],
            }
            for one in groups.columns
        ],
        "words": _words_to_json(spoken),
        "contributions": background_data(everything, rows),
    }


def _rules_to_json(facts: DecisionFacts) -> dict[str, Any]:
    """Return the rules with their counts in training, and the points of the score card or the committee."""
    program, trained, heads = facts.program, facts.trained if facts.decider.by_rule else None, facts.heads.tolist()
    place = {feature: k for k, feature in enumerate(facts.used)}
    return {
        "rules": [[head, *_rule_to_json(rule, place)] for head, rule in zip(heads, program.rules, strict=False)],
        "otherwise": None if heads[-1] < 0 else heads[-1],
        "figures": trained
        and [rule_expectation_text(trained, rule, labelled=head >= 0) for rule, head in enumerate(heads)],
        "card": facts.card and _score_card_to_json(facts.card, facts.labels, place),
        "committee": None if facts.decider.by_rule else _committee_to_json(facts.decider, facts.labels, place),
    }


def _records_to_json(facts: DecisionFacts, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return the cells and true labels of some rows, and which rows the model was not learned from."""
    return {
        "total": facts.records,
        "shown": len(rows),
        "rows": list(map(facts.table.number, rows.tolist())),
        "truth": None if facts.truth is None else facts.truth[rows].tolist(),
        "held": None if facts.own is None else facts.own.held_back[rows].tolist(),
        "columns": [_cells_to_json(facts.column(name), rows) for name in facts.used],
    }


def printed_names(program: Program, labels: Sequence[Label], used: Sequence[str]) -> dict[str, Any]:
    """Return the names of a program, labels and features as `rule` prints them, for scripts to assemble."""
    orders = {name: one for name, one in program.notations.items() if isinstance(one, LevelNotation)}
    levels = {name: [NotatedNumber(k, one) for k in range(len(one.levels))] for name, one in orders.items()}
    return {
        "target": str(Program(program.target, ())).removesuffix(": no rules"),
        "labels": [label_text(label) for label in labels],
        "features": [str(Literal(name, "missing")).removesuffix(" is missing") for name in used],
        "levels": {
            name: [str(Literal("x", "<=", level)).removeprefix("x <= ") for level in own]
            for name, own in levels.items()
        },
    }


def _sql_pieces(program: Program) -> list[Any] | None:
    """Return the pieces that scripts assemble to SQL; None without sqlglot, so that the page offers no SQL."""
    try:
        from unless.export.sql_pieces import condition_pieces
    except ImportError:
        return None
    return condition_pieces(program)


def _has_special_codes(facts: DecisionFacts) -> bool:
    """Whether some feature has special codes, which the page's SQL would not find in the data."""
    known = map(facts.known, facts.used)
    return any(column is not None and column.special for column in known)


def fingerprint(program: Program) -> str:
    """Return a hash of a program, which is the browser's storage key for a reader's edits."""
    try:
        text = json.dumps(to_dict(program), ensure_ascii=True)
    except ProgramError:  # a label that no file can represent
        text = str(program)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _score_card_to_json(card: ScoreCard, labels: Sequence[Label], place: Mapping[str, int]) -> dict[str, Any]:
    """Convert the score card: the indices of its classes, the base points and the points of each part, and its cuts."""
    classes = [labels.index(label) for label in card.classes]
    cuts = _literals_to_json(card.cuts, place)
    return {"classes": classes, "base": card.base.tolist(), "points": card.points.tolist(), "cuts": cuts}


def _committee_to_json(committee: Any, labels: Sequence[Label], place: Mapping[str, int]) -> dict[str, Any]:
    """Convert a committee: the indices of its classes, each literal once, and the rules and points of each list.

    A rule is a list of the numbers of its literals, then its exceptions, which are such lists. Points are in the order
    of the rules.
    """
    numbers: dict[Literal, int] = {}
    lists = [[_number_literals(rule, numbers) for rule in program.rules] for program in committee.lists]
    return {
        "classes": [labels.index(label) for label in committee.classes],
        "base": committee.base.tolist(),
        "literals": _literals_to_json(numbers, place),
        "lists": lists,
        "points": [points.reshape(-1).tolist() for points in committee.points],
    }


def _number_literals(rule: Rule, numbers: dict[Literal, int]) -> list[Any]:
    """Convert a rule to the numbers of its literals, then its exceptions; new literals get new numbers."""
    own: list[Any] = [numbers.setdefault(literal, len(numbers)) for literal in rule.default]
    return own + list(map(partial(_number_literals, numbers=numbers), rule.exceptions))


def _feature_to_json(facts: DecisionFacts, column: Column, words: Words) -> dict[str, Any]:
    """Describe a feature: its kind, its range in training, and its name for the reader."""
    known = facts.known(column.name)
    notation = facts.notations.get(column.name) or (None if known is None else known.notation)
    phrase = words.phrase(column.name)
    if isinstance(notation, Amounts) and phrase.number == Phrase().number:
        phrase = replace(phrase, number=notation.template)
    low, high = (None, None) if known is None or not len(known.numbers) else known.numbers[[0, -1]].tolist()
    return {
        "name": column.name,
        "kind": column.kind if known is None else known.kind,
        "low": low,
        "high": high,
        "step": _control_step(column.numbers, low, high, notation),
        "notation": None if notation is None else notation.data(),
        "form": typed_date_pattern(notation),
        "noted": column.name in facts.notations,
        "categories": [] if known is None else list(known.categories),
        **({} if known is None or not known.special else {"special": [list(pair) for pair in known.special]}),
        "phrase": asdict(phrase),
        "grouped": column.name in words.grouped,
        "whole": column.name in words.whole,
    }


_TIMES = (float(DAY), DAY / 24, DAY / 1440, DAY / 86_400, 1000.0)
"""A day, an hour, a minute, a second and a millisecond, in microseconds."""


def _control_step(
    numbers: NDArray[np.float64], low: float | None, high: float | None, notation: Notation | None
) -> float:
    """Return the step of a control: 1 for whole numbers, else a power of ten with at least 100 steps in the range.

    Even a range of over a thousand whole numbers has steps of 1, since any of them may be wanted. Times have steps of
    the largest unit that divides them all.
    """
    ends = [end for end in (low, high) if end is not None]
    finite = np.append(numbers[np.isfinite(numbers)], ends)
    if notation is not None and notation.name in ("datetime", "instant", "time", "duration"):
        return next((unit for unit in _TIMES if not (finite % unit).any()), 1.0)
    if (notation is not None and notation.step) or (finite == np.floor(finite)).all():
        return 1.0 if notation is None else notation.step or 1.0
    width = (high or 0.0) - (low or 0.0)
    if not 0 < width < math.inf:
        return 0.01
    return float(10.0 ** math.floor(math.log10(width / 100)))


def _rule_to_json(rule: Rule, place: Mapping[str, int]) -> list[Any]:
    exceptions = map(
        partial(_rule_to_json, place=place), rule.exceptions
    )  # one frame per level: 200 stay within the limit
    return [_literals_to_json(rule.default, place), list(exceptions)]


def _literals_to_json(literals: Iterable[Literal], place: Mapping[str, int]) -> list[list[Any]]:
    return [[place[literal.feature], literal.op, number_to_json(_plain_number(literal.value))] for literal in literals]


def _cells_to_json(column: Column, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Convert the cells of some rows: the distinct values, and for each row the index of its value."""
    distinct, codes = np.unique(column.codes[rows], return_inverse=True)
    return {
        "values": [value_to_json(_plain_number(column.value(int(code)))) for code in distinct],
        "codes": codes.tolist(),
    }


def _plain_number(value: Value) -> Value:
    """Return a value as a plain number, since scripts have the notation of each feature."""
    return float(value) if isinstance(value, NotatedNumber) else value


def _other_column_to_json(column: Column, rows: NDArray[np.intp], words: Words) -> dict[str, Any]:
    """Convert a column that no rule tests, with long texts cut."""
    cells = _cells_to_json(column, rows)
    return {
        "name": column.name,
        "shown": words.name(column.name),
        "identifier": is_identifier(column),
        "notation": None if column.notation is None else column.notation.data(),
        "grouped": False,
        "values": list(map(_shorten_text, cells["values"])),
        "codes": cells["codes"],
    }


def _group_test_to_json(test: tuple[object, ...], used: bool) -> list[object]:  # noqa: FBT001
    """Convert the test of a group, with texts shortened as in the cells of its column."""
    if used:
        return list(test)
    kind, *bounds = test
    return [kind, *(list(map(_shorten_text, one)) if isinstance(one, list) else _shorten_text(one) for one in bounds)]


def _shorten_text(value: object) -> object:
    return f"{value[:_LONGEST]}…" if isinstance(value, str) and len(value) > _LONGEST else value


def _words_to_json(words: Words) -> dict[str, Any]:
    """Convert the given words, which a reader can change in the page."""
    return {
        "purpose": words.purpose,
        "decision": words.decision,
        "labels": [[str(label), text] for label, text in words.labels.items()],
        "features": [[name, asdict(phrase)] for name, phrase in words.features.items()],
        "grouped": sorted(words.grouped),
    }
