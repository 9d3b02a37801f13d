"""Programs as one SQL expression.

A missing cell is NULL, or NaN in a numeric column. Three-valued logic does not matter: under a NOT, every test is true
or false of every cell. Nothing is pasted: names, texts and numbers are nodes of a sqlglot tree, which quotes them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, ProgramError, UnknownNameError, suggest
from unless.export.conditions import card_of, decisions, written_by
from unless.model import Model, decider_of, model_of
from unless.model.prediction import Decider
from unless.rule import Condition, Literal, Program, Rule, condition_verbs, conditions, spoken_bounds, value_text
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.table import Schema
from unless.values import Label, count_text, parse_number
from unless.values.notation import Amounts, DateNotation, LevelNotation, Notation, TimeNotation
from unless.values.spelling import CONTROLS, quote_if_needed

try:
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel
    from sqlglot.generator import Generator
except ImportError as error:
    raise ImportError("SQL is written with sqlglot; install it with: pip install 'unless[sql]'") from error

from unless.export import committee_sql, sql_scores
from unless.export.sql_dialects import DIALECTS
from unless.export.sql_interface import Dialect
from unless.export.sql_times import KIND_NOTATIONS, equal_bounds, kinds_for, limit, text_limit
from unless.export.sql_tree import all_of, any_of, bracketed, cast, column, concat, first_true, is_null

What = OneOf["label", "rule", "because", "probability"]
ColumnKind = OneOf[
    "number", "text", "mixed", "boolean", "date", "timestamp", "timestamp_ns", "timestamptz", "time", "interval"
]

_MAX = sys.float_info.max
_NO_NUMBERS = {"nan", "inf", "-inf", "infinity", "-infinity"}
"""Texts as which a database may write a cell of a numeric column, though they spell no number."""


def to_sql(
    program: Decider | Model,
    dialect: str = "duckdb",
    what: What = "label",
    columns: Mapping[str, ColumnKind] | None = None,
) -> str:
    """Write a program as one SQL expression over the columns of a table: ``SELECT *, <expression> FROM ...``.

    Parameters
    ----------
    program
        A program or a committee, or a fitted classifier, which knows the kinds of its columns.
    dialect
        ``duckdb``, ``postgres``, ``sqlite``, ``spark``, ``mysql`` (run in MariaDB), ``bigquery``, ``snowflake`` or
        ``tsql``. The last three follow manuals, and were never run in their databases.
    what
        ``label``: what `predict` gives, NULL where it gives None. ``rule``: the number of the rule that decides, from
        1, or NULL where no rule does. ``because``: a sentence, with the record's values as the database spells them.
        A committee has neither of these two. ``probability``: of a model or a committee with two labels, the
        probability of the second; `to_query` has those of any number of labels.
    columns
        The kinds of columns, where the literals do not show them. ``number``: a numeric type; NULL and NaN are missing.
        ``text``: never a number, even if it looks like one. ``mixed``: a numeric type, or text in which cells that
        spell a number, as `read_table` understands it, are numbers. ``boolean``: TRUE and FALSE are the categories
        ``True`` and ``False``. Without this, a feature that is compared with numbers is mixed, unless it is known that
        training had numbers there, not text; and a feature that is only compared with ``True`` and ``False`` is
        boolean.

        ``date``, ``timestamp``, ``timestamptz``, ``time``, ``interval``: columns of these types; ``timestamp_ns`` where
        cells are finer than microseconds, which are cut off. In ``text`` and ``mixed`` columns of a feature that is
        compared with dates or times, cells that spell one as in ISO 8601 are dates or times. Without this, dates are
        ``date``, dates with a time ``timestamp``, or with a zone ``timestamptz``, times of the day ``time``, durations
        ``interval``, and ordered categories ``text``.
    """
    if what not in get_args(What):
        raise ParameterError(f"no SQL for {what!r}{suggest(str(what), get_args(What))}")
    rules, engine, writer = prepared(program, dialect, columns)
    return in_words_of(engine, rules)(expression(program, what, writer))


def expression(model: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    """What `to_sql` writes, as a tree."""
    found: exp.Expression = written_by(model, "SQL", {Program: _listed, Committee: _voted})(model, what, writer)
    return found


def _listed(rules: Program, model: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    return _probability(card_of(model), writer) if what == "probability" else _cases(rules, what, writer)


def prepared(
    program: Decider | Model, dialect: str, columns: Mapping[str, ColumnKind] | None
) -> tuple[Program, Dialect, SqlWriter]:
    """The rules, the database, and what writes conditions for it."""
    if dialect not in DIALECTS:
        raise ParameterError(f"no dialect {dialect!r}{suggest(str(dialect), DIALECTS)}")
    rules, engine = decider_of(program).all_rules, DIALECTS[dialect]
    known = model_of(program)
    schema = Schema({}) if known is None else known.schema
    check_columns(rules, engine)
    written = {**schema.notations, **rules.notations}
    notations = {name: one for name, one in written.items() if not one.plain}
    kinds = kinds_of(rules, _Known(schema.kinds, schema.typed, notations, engine, written), columns or {})
    compared = {name: one for name, one in notations.items() if name in rules.notations}
    return rules, engine, SqlWriter(engine, kinds, compared)


def in_words_of(engine: Dialect, rules: Program) -> Callable[[exp.Expression], str]:
    """What writes expressions about rules as text."""
    # sqlglot 30 indents inside of names with line breaks, and its mark for line breaks in texts may be in one already.
    marked = Generator.SENTINEL_LINE_BREAK.rstrip("_") in str(rules)
    pretty = not marked and not any("\n" in feature for feature in rules.used)
    return lambda found: found.sql(engine.syntax, copy=False, pretty=pretty, unsupported_level=ErrorLevel.RAISE)


def _probability(card: ScoreCard, writer: SqlWriter) -> exp.Expression:
    _refuse_many(card.classes)
    return sql_scores.second_probability(card, writer)


def _voted(committee: Committee, _: Decider | Model, what: What, writer: SqlWriter) -> exp.Expression:
    if what == "label":
        return committee_sql.label(committee, writer, [writer.label(label) for label in committee.classes])
    if what != "probability":
        raise ParameterError(f"no SQL for {what!r} of a committee: many rules decide; take label or probability")
    _refuse_many(committee.classes)
    return committee_sql.second_probability(committee, writer)


def _refuse_many(classes: Sequence[Label]) -> None:
    if len(classes) != 2:
        raise ParameterError(
            f"there {'is' if len(classes) == 1 else 'are'} {count_text(len(classes), 'label')}, "
            "and one expression is for "
            'two; to_query gives a column for each: to_query(model, table, what=["probability"]), or in the shell '
            "--table NAME"
        )


def check_columns(program: Program, dialect: Dialect) -> None:
    """Refuse names that no column can have, and pairs of names that the database takes for one column."""
    seen: dict[str, str] = {}
    for feature in program.used:
        if not dialect.has_name(feature):
            raise ProgramError(f"no column of {dialect.name} can have the name {feature!r}; rename the feature")
        twin = seen.setdefault(dialect.folded(feature), feature)
        if twin != feature:
            raise ProgramError(f"{twin!r} and {feature!r} are one column in {dialect.name}; rename one of the features")


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of columns: kinds and types in training, how their numbers are written, and their database."""

    kinds: Mapping[str, str]
    typed: frozenset[str]
    notations: Mapping[str, Notation]
    dialect: Dialect
    units: Mapping[str, Notation] = field(default_factory=dict)

    def kind(self, feature: str, literals: list[Literal]) -> str:
        """The kind of a column that nobody gave."""
        self.refuse_unit(feature, "text")
        values, known = {literal.value for literal in literals} - {None}, self.kinds.get(feature)
        numbers = {value for value in values if isinstance(value, float)}
        if notation := self.notations.get(feature):
            words = known == "mixed" or (known is None and numbers != values)
            possible = kinds_for(notation)
            held = [one for one in possible if one in {"text", *self.dialect.times}]
            return self.checked(feature, "text" if words and "text" in possible else [*held, *possible][0])
        if known in {None, "text"} and values and values <= {"True", "False"}:
            return "boolean"  # tables have no kind for it: read_table makes booleans text
        if known == "number" and feature not in self.typed:
            return "mixed"  # training read text, or an earlier version did not write what it read
        return known or ("mixed" if numbers else "text")

    def refuse_unit(self, feature: str, kind: str) -> None:
        """Refuse a column of texts that are numbers with a unit, unless it is said that it has plain numbers."""
        if isinstance(unit := self.units.get(feature), Amounts) and kind != "number":
            raise ParameterError(
                f"the column {feature!r} has numbers with a unit, such as {unit.form!r}, which SQL does not read; "
                "if it has plain numbers in the database, say that it is a number"
            )

    def checked(self, feature: str, kind: str) -> str:
        """A kind that the database has, and in which the numbers of the feature can be written."""
        self.refuse_unit(feature, kind)
        own, notation = self.dialect, self.notations.get(feature)
        if kind in KIND_NOTATIONS and not own.times and kind != "interval":
            return "text"  # SQLite: the type of a column means nothing
        fitting = (kind,) if notation is None else kinds_for(notation)
        typed = [one for one in fitting if one in own.times]
        other = f"; make it {' or '.join(typed)}" if typed else ", and has no type for it: use another database"
        if kind in KIND_NOTATIONS and kind not in own.times:
            raise ParameterError(f"{own.name} has no type {kind}, as the column {feature!r} should be{other}")
        if notation is not None and kind not in fitting:
            raise ParameterError(
                f"the column {feature!r} cannot be {kind}: the rules compare it as {notation.name}; "
                f"it may be {', '.join(fitting)}"
            )
        form = notation.format if isinstance(notation, DateNotation) else None
        if (
            isinstance(notation, DateNotation | TimeNotation)
            and kind in {"text", "mixed"}
            and (form or not own.reads_times)
        ):
            found = f"{own.name} cannot read text as {form or 'ISO 8601'}, as the column {feature!r} holds it"
            raise ParameterError(found + other)
        return kind


def kinds_of(program: Program, known: _Known, given: Mapping[str, str]) -> dict[str, str]:
    """The kind of every column in use: as given, else as the model knows it, else as the literals show."""
    for feature, kind in given.items():
        if feature not in program.features:
            raise UnknownNameError(
                f"columns= names {feature!r}, which is not a feature{suggest(feature, program.features)}"
            )
        if kind not in get_args(ColumnKind):
            hint = suggest(str(kind), get_args(ColumnKind))
            raise ParameterError(f"columns= says that {feature!r} is {kind!r}, which is not a kind{hint}")
    literals: dict[str, list[Literal]] = {feature: [] for feature in program.used}
    for rule in program.rules:
        for literal in rule.literals():
            literals[literal.feature].append(literal)
    return {
        feature: known.checked(feature, given[feature]) if feature in given else known.kind(feature, tests)
        for feature, tests in literals.items()
    }


def _cases(program: Program, what: str, writer: SqlWriter) -> exp.Expression:
    """The decision list: the first condition that holds gives the result."""
    case = exp.Case()
    for condition, index in decisions(program, writer):
        result = _result(program, index, what, writer)
        if condition is not None:
            case = case.when(condition, result, copy=False)
    if not case.args.get("ifs"):
        return result
    return case if isinstance(result, exp.Null) else case.else_(result, copy=False)


def _result(program: Program, index: int | None, what: str, writer: SqlWriter) -> exp.Expression:
    rule = None if index is None else program.rules[index]
    label = program.otherwise if rule is None else rule.head
    match what:
        case "label":
            return exp.Null() if label is None else writer.label(label)
        case "rule":
            return exp.Null() if index is None else exp.Literal.number(index + 1)
    return writer.sentence(program.target, label, rule)


@dataclass(frozen=True, slots=True)
class SqlWriter:
    """Conditions, labels and sentences for one dialect and the kinds of the columns."""

    dialect: Dialect
    kinds: Mapping[str, str]
    notations: Mapping[str, Notation]
    """How the numbers of features are written that are no plain numbers."""

    def test(self, literal: Literal, *, sure: bool) -> exp.Expression | bool:
        """The truth of a literal; without ``sure``, unknown where a NULL makes it false."""
        kind = self.kinds[literal.feature]
        match literal.op, literal.value:
            case (("<=" | ">"), float(bound)):
                if notation := self.notations.get(literal.feature):
                    return self._noted(literal, bound, notation, sure=sure)
                if kind == "mixed":
                    return self._valued(literal, bound, sure=sure)
                return kind == "number" and self._compared(literal, bound, sure=sure)
            case (("==" | "!="), str(category)):
                return self._equals(literal, category, sure=sure)
            case "missing", _:
                return self._missing(literal.feature)
        return self.negation(self._missing(literal.feature))

    def both(self, parts: Sequence[exp.Expression]) -> exp.Expression:
        """Every part holds."""
        return all_of(*parts)

    def negation(self, part: exp.Expression) -> exp.Expression:
        """The part does not hold."""
        return exp.Not(this=bracketed(part))

    def first_failing(self, gates: Sequence[tuple[exp.Expression, bool]], *, otherwise: bool) -> exp.Expression:
        """The truth beside the first gate that fails."""
        return first_true([(self.negation(gate), truth) for gate, truth in gates], otherwise=otherwise)

    def _missing(self, feature: str) -> exp.Expression:
        null, tests = is_null(column(feature)), {"number": self.dialect.is_nan, "mixed": self.dialect.is_any_nan}
        nan = tests[kind](column(feature)) if (kind := self.kinds[feature]) in tests else None
        return null if nan is None else any_of(null, nan)

    def _compared(self, literal: Literal, bound: float, *, sure: bool) -> exp.Expression | bool:
        """A numeric column against a number."""
        if bound == math.inf:
            return literal.op == "<=" and self.negation(self._missing(literal.feature))
        limit, included = self.dialect.limit(bound)
        below, above = (exp.LTE, exp.GT) if included else (exp.LT, exp.GTE)
        kind = below if literal.op == "<=" else above
        test = kind(this=self.dialect.number(column(literal.feature)), expression=limit)
        parts = [exp.Not(this=is_null(column(literal.feature)))] if sure else []
        nan = self.dialect.is_nan(column(literal.feature)) if literal.op == ">" and self.dialect.nan_is_high else None
        return all_of(*parts, test, *([] if nan is None else [exp.Not(this=nan)]))

    def _valued(self, literal: Literal, bound: float, *, sure: bool) -> exp.Expression | bool:
        """A column of any type against a number: text that spells no number, or one beyond the doubles, is text."""
        cell = column(literal.feature)
        value = self.dialect.value(cell)
        if bound == math.inf:
            return literal.op == "<=" and exp.Not(this=is_null(value))
        below, above = (exp.LT, exp.GTE) if bound == -math.inf else (exp.LTE, exp.GT)
        limit = self.dialect.bound(max(bound, -_MAX), cell)
        test = (below if literal.op == "<=" else above)(this=value, expression=limit)
        return first_true([(test, True)], otherwise=False) if sure else test

    def _noted(self, literal: Literal, bound: float, notation: Notation, *, sure: bool) -> exp.Expression | bool:
        """A column against a date, a time, a duration or a level of an order."""
        if isinstance(notation, LevelNotation):
            return self._levels(literal, bound, notation, sure=sure)
        if self.kinds[literal.feature] in KIND_NOTATIONS:
            return self._timed(literal.feature, literal.op, bound, sure=sure)
        read = self.dialect.time if isinstance(notation, TimeNotation) else self.dialect.moment
        value, found = read(column(literal.feature)), text_limit(notation, bound)
        if isinstance(found, bool):
            return found is (literal.op == "<=") and exp.Not(this=is_null(value))
        kind = exp.LT if literal.op == "<=" else exp.GTE
        test = kind(this=value, expression=exp.Literal.string(found))
        return first_true([(test, True)], otherwise=False) if sure else test

    def _timed(self, feature: str, op: str, bound: float, *, sure: bool) -> exp.Expression | bool:
        """A column of a type that holds time, against a number."""
        kind = self.kinds[feature]
        finer = kind in self.dialect.finer
        found = limit(kind, bound, finer=finer)
        if isinstance(found, bool):
            return found is (op == "<=") and self.negation(self._missing(feature))
        below, above = (exp.LT, exp.GTE) if finer else (exp.LTE, exp.GT)
        threshold = cast(exp.Literal.string(found), self.dialect.times[kind])
        test = (below if op == "<=" else above)(this=column(feature), expression=threshold)
        return all_of(exp.Not(this=is_null(column(feature))), test) if sure else test

    def _levels(self, literal: Literal, bound: float, notation: LevelNotation, *, sure: bool) -> exp.Expression | bool:
        """A text column against a level: it is one of those up to there, or one of the others."""
        upper = literal.op == ">"
        levels = [level for place, level in enumerate(notation.levels) if (place > bound) is upper]
        texts = [text for text in map(self.dialect.text, levels) if text is not None]
        if not texts:
            return False
        test = self.dialect.member(column(literal.feature), texts)
        return all_of(exp.Not(this=is_null(column(literal.feature))), test) if sure else test

    def _written(self, literal: Literal, category: str) -> exp.Expression | bool:
        """A column of a type that holds time, against a category: a text that its cells may be written as."""
        bounds = equal_bounds(KIND_NOTATIONS[self.kinds[literal.feature]], category)
        if bounds is None or literal.feature in self.notations:
            return literal.op == "!="
        ends = zip((">", "<="), bounds, strict=True)
        tests = [self._timed(literal.feature, op, bound, sure=True) for op, bound in ends]
        if False in tests:
            return literal.op == "!="
        equal = all_of(*(test for test in tests if not isinstance(test, bool)))
        return equal if literal.op == "==" else self.negation(equal)

    def _equals(self, literal: Literal, category: str, *, sure: bool) -> exp.Expression | bool:
        """A column against a category; always true or always false where no cell can be that category."""
        differs = literal.op == "!="
        kind, cell = self.kinds[literal.feature], column(literal.feature)
        if kind in KIND_NOTATIONS:
            return self._written(literal, category)
        text, notation = self.dialect.text(category), self.notations.get(literal.feature)
        if notation is not None:
            impossible = notation.number(category) is not None
        else:
            impossible = kind == "number" or (kind == "mixed" and parse_number(category) is not None)
        if impossible or text is None or (kind == "boolean" and category not in {"True", "False"}):
            return differs
        truth = self.dialect.boolean(truth=category == "True")
        any_type = kind == "mixed" and notation is None
        own = self.dialect.any_text(cell) if any_type else cell
        left, right = (cell, truth) if kind == "boolean" else self.dialect.sides(own, text)
        numeric = self.dialect.numeric(cell) if any_type and category.lower() in _NO_NUMBERS else None
        if differs:
            number = [] if numeric is None else [numeric]
            return any_of(is_null(column(literal.feature)), *number, exp.NEQ(this=left, expression=right))
        equal = exp.EQ(this=left, expression=right)
        text_only = [] if numeric is None else [exp.Not(this=numeric)]
        present = [exp.Not(this=is_null(column(literal.feature)))] if sure else []
        return all_of(*present, *text_only, equal)

    def label(self, label: Label) -> exp.Expression:
        """A label, with its type if the database has it."""
        node: exp.Expression | None
        match label:
            case str():
                node = self.dialect.text(label)
            case bool():
                node = self.dialect.boolean(truth=label)
            case int():
                node = exp.Literal.number(label) if -(2**63) < label < 2**63 else None
            case float():
                node = self.dialect.double(label)
        if node is None:
            raise ProgramError(f"{self.dialect.name} cannot hold the label {label!r}; give the class another name")
        return node

    def sentence(self, target: str, label: Label | None, rule: Rule | None) -> exp.Expression:
        """Why the rule decides: what the record has, and the exceptions that do not apply."""
        if rule is None:
            end = "is not decided: no rule applies" if label is None else f"{label}, because no rule applies"
            return self._text(f"{target} {end}")
        pieces: list[str | exp.Expression] = [f"{target} {label}, because "]
        for number, condition in enumerate(conditions(rule.default)):
            pieces += [" and "] * (number > 0) + list(self._has(condition))
        pieces += ["it is the default"] * (not rule.default)
        for number, exception in enumerate(rule.exceptions):
            pieces.append(f"{' or' if number else ', and not'} ({exception})")
        return self._joined(pieces)

    def _has(self, condition: Condition) -> Iterator[str | exp.Expression]:
        """What the record has, for a condition that holds."""
        feature = condition[0].feature
        if condition[0].op not in {"<=", ">", "!="} or (len(condition) == 1 and condition[0].as_spoken()[0] == "=="):
            yield str(condition[0])
            return
        yield f"{quote_if_needed(feature)} is "
        yield exp.Coalesce(this=self.dialect.as_text(column(feature)), expressions=[self._text("missing")])
        asks = (
            f"{verb} {value_text(value)}"
            for verb, (_, value) in zip(condition_verbs(condition), spoken_bounds(condition), strict=True)
        )
        yield f", {' '.join(asks).removeprefix('is ')}"

    def _joined(self, pieces: list[str | exp.Expression]) -> exp.Expression:
        """The pieces one after another, with neighbouring texts as one."""
        merged: list[str | exp.Expression] = []
        for piece in pieces:
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            else:
                merged.append(piece)
        return concat([self._text(piece) if isinstance(piece, str) else piece for piece in merged])

    def _text(self, text: str) -> exp.Expression:
        """A text for people: what the database cannot hold, or a terminal would obey, is escaped."""
        clean = (
            CONTROLS.sub(lambda found: ascii(found.group())[1:-1], text).encode("utf-8", "backslashreplace").decode()
        )
        node = self.dialect.text(clean)
        return exp.Literal.string(clean) if node is None else node
