"""Write programs as one function in Python or JavaScript that needs no package, not even unless.

In the function, ``v_age`` is the value of a feature, and ``n_age`` the same value as a number, or NaN.
NaN is neither above nor at most anything, and a missing value equals no text, so every test is one comparison. Each
list of a committee is a function that returns the points of its deciding rule. Points are whole numbers, so their sums,
and therefore the label, are the same in every language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from unless.errors import ParameterError, suggest
from unless.export.cell_readers import TrainedColumns, find_cell_readers
from unless.export.conditions import card_of, decided_points, decisions, head_index, score_terms, writer_for
from unless.export.free_names import free_name
from unless.export.languages import JAVASCRIPT, PYTHON, Language, fill_in
from unless.export.reason_terms import ReasonStyle, ReasonTerm, decision_reasons
from unless.model import Model
from unless.model.costs import WHOLE
from unless.model.points import POINTS_PER_LOGIT
from unless.model.prediction import Decider
from unless.rule import Literal, Program
from unless.rule.reason_words import MOST_REASONS, ReasonWords
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider
from unless.values import Label
from unless.values.notation import LevelNotation, NotatedNumber

Returns = OneOf["label", "rule", "both", "points", "probability", "costs", "reasons"]

_RETURNED = {
    "label": "label",
    "rule": "deciding rule",
    "both": "label and deciding rule",
    "points": "points of each label",
    "probability": "probability of each label",
    "reasons": "codes of the reasons for the label",
    "costs": "expected cost of each decision",
}
_LIST_RETURNS = ("label", "rule", "both", "points", "probability")
_COMMITTEE_RETURNS = ("label", "points", "probability")
_SCORE_RETURNS = ("label", "points", "probability", "costs")


def to_python(
    program: Decider | Model,
    *,
    name: str = "classify",
    what: Returns = "label",
    words: ReasonWords | None = None,
    most: int = MOST_REASONS,
) -> str:
    """Write a function that takes a record and returns its label.

    A record is a mapping from features to cells: a text; a number; a boolean, which means the text ``True`` or
    ``False``; a date, a time or a duration; None or NaN if the cell is missing. If the rules compare dates, a
    text in ISO 8601, or in the declared format, is a date too. The function of a model reads cells as its
    `predict` does: ``"3"`` is a number if training had numbers. A record without a feature that the rules test is a
    KeyError.

    Parameters
    ----------
    what
        ``label``: the label, or None if no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the deciding rule, from 1, or None if no rule decides. ``both``: the two as a tuple. ``points`` and
        ``probability``: for a model or a committee, the value of each label, as a dict. ``costs``: for a model that
        decides by costs, the expected cost of each decision, as a dict. ``reasons``: a list of the codes of at most
        ``most`` reasons (`unless.explanation.reasons`), worded by ``words``. ``rule``, ``both`` and ``reasons`` need a
        model in which one rule decides. If a record is rejected, its label is None.

    Examples
    --------
    >>> from unless import Literal, Program, Rule
    >>> source = to_python(Program("risk", ("age",), (Rule("high", (Literal("age", "<=", 25.0),)),), "low"))
    >>> names = {}
    >>> exec(source, names)
    >>> names["classify"]({"age": 22}), names["classify"]({"age": None})
    ('high', 'low')
    """
    return _write(PYTHON, program, name, what, ReasonStyle(words, most))


def to_javascript(
    program: Decider | Model,
    *,
    name: str = "classify",
    what: Returns = "label",
    words: ReasonWords | None = None,
    most: int = MOST_REASONS,
) -> str:
    """Write a function that takes a record and returns its label (ECMAScript 2015 or later, no ``eval``).

    A record is an object with its own property for each feature: a text; a number; a boolean, which means the text
    ``True`` or ``False``; a Date, which is an instant; null, undefined, NaN or no such property if the cell is
    missing. ``"3"`` is a text, except for the function of a model, which reads cells as its `predict` does: a number
    if training had numbers. If the rules compare dates, times of the day or durations, a text in such a notation is
    read to the microsecond (this needs ECMAScript 2020). Names and texts are escaped, so the source is ASCII, and no
    text in it contains ``<`` or ends a script.

    Parameters
    ----------
    what
        ``label``: the label, or null if no rule decides and the program has no ``otherwise``. ``rule``: the number
        of the deciding rule, from 1, or null if no rule decides. ``both``: ``{label, rule}``. ``points`` and
        ``probability``: for a model or a committee, the value of each label, as an array of ``{label, points}`` or
        ``{label, probability}``. ``costs``: for a model that decides by costs, an array of ``{label, cost}``, the
        expected cost of each decision. ``reasons``: an array of the codes of at most ``most`` reasons, worded by
        ``words``. ``rule``, ``both`` and ``reasons`` need a model in which one rule decides. If a record is rejected,
        its label is null.
    """
    return _write(JAVASCRIPT, program, name, what, ReasonStyle(words, most))


def _write(language: Language, model: Decider | Model, name: str, what: Returns, style: ReasonStyle) -> str:
    """Write a function in a language."""
    language.check_name(name)
    if what == "reasons":
        return _write_reasons(model, language, name, style)
    if style.words is not None:
        raise ParameterError("words are for what='reasons'")
    writers: Mapping[type, Callable[..., str]] = {
        Program: _write_program,
        Committee: _write_committee,
        ScoreDecider: _write_scored,
    }
    write = writer_for(model, language.name, writers)
    text: str = write(model, language, name, what)
    return text


def _write_program(program: Program, model: Decider | Model, language: Language, name: str, what: Returns) -> str:
    _check_returns(what, _LIST_RETURNS, "a function")
    card = card_of(model) if what in ("points", "probability") else None
    lines = _read_features(language, program if card is None else card.tested, model, name, what)
    if card is not None:
        points = _add_points(card, language, language.lead)
        return "\n".join([*lines, points, _return_points_lines(language, what, card.classes)])
    for condition, index in decisions(program, SourceWriter.of(language, program)):
        remark = "" if index is None else language.remark.format(f"rule {index + 1}")
        lines.append(_return(language, condition, _returned_value(language, program, index, what), remark))
    return "\n".join(lines) + language.closing


def _write_committee(committee: Committee, model: Decider | Model, language: Language, name: str, what: Returns) -> str:
    _check_returns(what, _COMMITTEE_RETURNS, "the function of a committee")
    lines = _read_features(language, committee.all_rules, model, name, what)
    points = _add_votes(committee, language)
    return "\n".join([*lines, points, _return_points_lines(language, what, committee.classes)])


def _write_scored(decider: ScoreDecider, model: Decider | Model, language: Language, name: str, what: Returns) -> str:
    """Write a function that decides by points, or by what each decision is expected to cost."""
    _check_returns(what, _SCORE_RETURNS, f"the function of a {decider.noun}")
    score, costs, amounts = decider.score, decider.costs, decider.costs.used
    lines = _read_features(language, decider.all_rules, model, name, what, amounts)
    numbers = {one: f"n_{own}" for one, own in _name_features(decider.all_rules, amounts).items()}
    for amount in amounts:
        problem = language.string(f"costs need a number in the column {amount!r}")
        lines.append(language.amount.format(numbers[amount], problem))
    lines.append(_add_points(score, language) if isinstance(score, ScoreCard) else _add_votes(score, language))
    if what in ("points", "probability"):
        return "\n".join([*lines, _return_points_lines(language, what, decider.classes)])
    rows = [
        ", ".join(f"{numbers[one]} * {costs.unit}" if isinstance(one, str) else repr(float(one)) for one in row)
        for row in costs.whole_entries(costs.unit)
    ]
    fillings = {
        "@costs": f"[{', '.join(f'[{row}]' for row in rows)}]",
        "@unit": str(POINTS_PER_LOGIT),
        "@whole": str(WHOLE),
        "@scale": str(costs.unit),
        "@labels": ", ".join(map(language.constant, decider.classes)),
        "@chosen": language.chosen[decider.by],
    }
    price = None if decider.reject is None else repr(decider.reject * costs.unit)
    fillings["@rejecting"] = "" if price is None else language.rejecting.replace("@price", price)
    end = language.ends["decision" if what == "label" else "costs"]
    return "\n".join([*lines, fill_in(language.costs + end, fillings)])


def _write_reasons(model: Decider | Model, language: Language, name: str, style: ReasonStyle) -> str:
    program, words = style.find(model, language.name)
    writer_for(model, language.name, {Program: decision_reasons})  # refuses rules about several tables
    lines = _read_features(language, program, model, name, "reasons")
    lines.append(fill_in(language.reasons, {"@most": str(style.most)}).removesuffix("\n"))
    writer = SourceWriter.of(language, program)
    for one in decision_reasons(program, words, writer):
        near = [
            language.pair.format(_count_failing(some.conditions, language), _reason_pairs(some.terms, language))
            for some in one.shortfalls
        ]
        result = f"reasons({_reason_pairs(one.supports, language)}, [{', '.join(near)}])"
        remark = "" if one.index is None else language.remark.format(f"rule {one.index + 1}")
        lines.append(_return(language, one.condition, result, remark))
    return "\n".join(lines) + language.closing


def _reason_pairs(terms: Sequence[ReasonTerm[str]], language: Language) -> str:
    """Write a list of pairs: whether a reason holds, and its code."""
    pairs = [(_truth(one.condition, language), language.constant(one.reason.code)) for one in terms]
    lines = "".join(f"\n{language.indent * 2}{language.pair.format(*pair)}," for pair in pairs)
    return f"[{lines}\n{language.indent}]" if lines else "[]"


def _count_failing(conditions: Sequence[str | bool], language: Language) -> str:
    """Write the number of conditions that fail."""
    return " + ".join(f"({language.negation}({_truth(one, language)}))" for one in conditions) or "0"


def _truth(condition: str | bool, language: Language) -> str:  # noqa: FBT001 - a condition
    return language.constant(condition) if isinstance(condition, bool) else condition


def _read_features(
    language: Language, program: Program, model: Decider | Model, name: str, what: Returns, amounts: Sequence[str] = ()
) -> list[str]:
    """Write the first lines of a function, which read the features that the program uses, and columns of amounts."""
    identifiers, known = _name_features(program, amounts), find_cell_readers(program, TrainedColumns.of(model), amounts)
    numeric = {literal.feature for literal in program.literals() if isinstance(literal.value, float)}.union(amounts)
    summary = language.string(f"The {_RETURNED[what]} of a record, for the target {program.target}.")
    lines = [fill_in(language.opening, {"@name": name, "@summary": summary})]
    if identifiers:
        lines += language.readers({reader.name for some in known.values() for reader in some}, numeric=bool(numeric))
    for feature, identifier in identifiers.items():
        value = language.cell.format(language.string(feature))
        for reader in known.get(feature, ()):
            value = reader.call(value, language.argument(reader.argument))
        lines.append(language.assignment.format(f"v_{identifier}", value))
        if feature in numeric:
            lines.append(language.assignment.format(f"n_{identifier}", f"number(v_{identifier})"))
    for (_, text), (constant, number) in _name_thresholds(program).items():
        lines.append(language.assignment.format(constant, repr(number)) + language.remark.format(language.string(text)))
    return lines


def _name_thresholds(program: Program) -> dict[tuple[float, str], tuple[str, float]]:
    """Name the number of each date, time, duration and level in the program, by number and text."""
    found: dict[tuple[float, str], tuple[str, float]] = {}
    for literal in program.literals():
        if (key := _threshold_key(literal)) is not None and key not in found:
            prefix = "level" if isinstance(literal.value.notation, LevelNotation) else "at"  # type: ignore[union-attr]  # it is noted
            plain = re.sub(r"[^0-9a-z]+", "_", key[1].lower()).strip("_") or "other"
            minus = "minus_" * key[1].startswith("-")
            found[key] = free_name(f"{prefix}_{minus}{plain}", [name for name, _ in found.values()]), key[0]
    return found


def _threshold_key(literal: Literal) -> tuple[float, str] | None:
    """Return the number and the text of a threshold that is not a plain number."""
    value = literal.value
    if not isinstance(value, NotatedNumber) or value.notation.plain or math.isinf(value):
        return None
    return float(value), str(value)


def _return(language: Language, condition: str | None, result: str, remark: str = "", *, deep: bool = False) -> str:
    """Write a return statement, with or without a condition; ``deep`` inside the function of a list."""
    template, indent = language.result if condition is None else language.result_if, language.indent * (1 + deep)
    return template.format(indent=indent, condition=condition, result=result, remark=remark)


def _returned_value(language: Language, program: Program, index: int | None, what: str) -> str:
    """Write the value returned for a deciding rule; None means that no rule decides."""
    label = language.constant(program.otherwise if index is None else program.rules[index].head)
    rule = language.constant(None if index is None else index + 1)
    return {"label": label, "rule": rule, "both": language.both.format(label=label, rule=rule)}[what]


def _return_points_lines(language: Language, what: str, labels: Sequence[Label]) -> str:
    """Write the last lines of a function, which return a result computed from the points of each label."""
    fillings = {"@labels": ", ".join(map(language.constant, labels)), "@unit": str(POINTS_PER_LOGIT)}
    return fill_in(language.ends[what], fillings)


def _add_votes(committee: Committee, language: Language) -> str:
    """Write the functions of all lists, and the lines that add up their points."""
    lines, lists = list[str](), [f"list_{number}" for number in range(1, len(committee) + 1)]
    writer = SourceWriter.of(language, committee.all_rules)
    for own, program, points in zip(lists, committee.lists, committee.points, strict=True):
        lines.append(language.list_start.format(own))
        for condition, index in decisions(program, writer):  # the last rule covers every record, so some rule decides
            result = str(points[-1 if index is None else index].tolist())
            lines.append(_return(language, condition, result, deep=True))
        lines += [language.list_end] if language.list_end else []
    calls = ", ".join(f"{own}()" for own in lists)
    fillings = {"@base": str(committee.base.tolist()), "@lists": ", ".join(lists), "@calls": calls}
    return "\n".join([*lines, fill_in(language.votes, fillings).removesuffix("\n")])


def _add_points(card: ScoreCard, language: Language, lead: str = "") -> str:
    """Write the lines that add up the points of a list; ``lead`` are lines that let the list's own label lead."""
    writer, indent = SourceWriter.of(language, card.tested), language.indent * 2
    always, some = score_terms(card, writer)
    true = language.constant(True)  # noqa: FBT003 - a constant
    decided = [
        f"{indent}[{condition or true}, {head_index(card, index)}, {_all_points(card, decided_points(card, index))}],"
        for condition, index in decisions(card.program, writer)
    ]
    fillings = {
        "@base": _all_points(card, always),
        "@held": "\n".join(f"{indent}[{condition}, {_all_points(card, points)}]," for condition, points in some),
        "@decided": "\n".join(decided),
    }
    second = language.second if len(card.classes) == 2 else ""
    return (fill_in(language.points, fillings) + lead + second).removesuffix("\n")


def _all_points(card: ScoreCard, points: list[int]) -> str:
    """Write points for each label; with two labels, the first has no points."""
    return str([0, *points] if len(card.classes) == 2 else points)


def _check_returns(what: str, known: Sequence[str], whose: str) -> None:
    if what not in known:
        raise ParameterError(f"{whose} cannot return {what!r}{suggest(str(what), known)}")


def _name_features(program: Program, others: Sequence[str] = ()) -> dict[str, str]:
    """Choose a unique identifier for every feature in use and for others, of the letters and digits of its name."""
    features: dict[str, str] = {}
    for feature in dict.fromkeys((*program.used, *others)):
        plain = re.sub(r"[^0-9a-z]+", "_", feature.lower()).strip("_") or "column"
        features[free_name(plain, features)] = feature
    return {feature: identifier for identifier, feature in features.items()}


@dataclass(frozen=True, slots=True)
class SourceWriter:
    """Writes conditions as source text."""

    language: Language
    names: Mapping[str, str]
    constants: Mapping[tuple[float, str], tuple[str, float]]

    @classmethod
    def of(cls, language: Language, program: Program) -> SourceWriter:
        """Return the writer for the conditions of a program."""
        return cls(language, _name_features(program), _name_thresholds(program))

    def test(self, literal: Literal, *, sure: bool) -> str | bool:  # noqa: ARG002 - these tests are always true or false
        """Write the truth of a literal."""
        kind = "n" if isinstance(literal.value, float) else "v"
        operator = self.language.operators.get(literal.op, literal.op)
        key = _threshold_key(literal)
        constant = self.language.constant(literal.value) if key is None else self.constants[key][0]
        return f"{kind}_{self.names[literal.feature]} {operator} {constant}"

    def conjunction(self, parts: Sequence[str]) -> str:
        """Write that every part holds."""
        return self.language.conjunction.join(parts)

    def negation(self, part: str) -> str:
        """Write that the part does not hold."""
        return f"{self.language.negation}({part})"

    def first_failing(self, gates: Sequence[tuple[str, bool]], *, otherwise: bool) -> str:
        """Write the truth value paired with the first gate that fails."""
        text = self.language.constant(otherwise)
        for gate, truth in reversed(gates):
            text = self.language.choice.format(gate=gate, truth=self.language.constant(truth), further=text)
        return f"({text})"
