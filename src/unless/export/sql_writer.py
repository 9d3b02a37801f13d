"""Write conditions, labels and sentences in SQL, for one database and the kinds of its columns."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from unless.errors import ProgramError
from unless.export.sql_interface import Dialect
from unless.export.sql_times import KIND_NOTATIONS, equal_bounds, text_bound, time_bound
from unless.export.sql_tree import all_of, any_of, cast, column, concat, first_true, in_parentheses, is_null
from unless.rule import Condition, Literal, Rule, condition_verbs, conditions, spoken_bounds, value_text
from unless.table import SpecialCodes
from unless.values import Label, parse_number
from unless.values.notation import LevelNotation, Notation, TimeNotation
from unless.values.spelling import CONTROLS, quote_if_needed

_MAX = sys.float_info.max

_NO_NUMBERS = {"nan", "inf", "-inf", "infinity", "-infinity"}
"""The texts as which a database may write a cell of a numeric column, though they represent no number."""


@dataclass(frozen=True, slots=True)
class SqlWriter:
    """Writes conditions, labels and sentences for one dialect and the kinds of the columns."""

    dialect: Dialect
    kinds: Mapping[str, str]
    notations: Mapping[str, Notation]
    """The notations of features whose numbers are not written as plain numbers."""
    special: Mapping[str, SpecialCodes] = field(default_factory=dict)
    """The numbers of some features that name a category."""

    def test(self, literal: Literal, *, sure: bool) -> exp.Expression | bool:
        """Write the truth of a literal; without ``sure``, unknown if a NULL makes it false."""
        found, codes = self._test_value(literal, sure=sure), self.special.get(literal.feature, ())
        if isinstance(literal.value, float):  # a code is no number
            others = [exp.NEQ(**self._code_sides(literal.feature, code)) for code, _ in codes if literal.holds(code)]
            return found if isinstance(found, bool) else all_of(found, *others)
        named = next((code for code, name in codes if name == literal.value), None)
        if named is None:
            return found
        if literal.op == "==":  # mixed columns may have the name itself
            equal = self._is_code(literal.feature, named, sure=sure)
            return equal if isinstance(found, bool) else any_of(found, equal)
        differs = self.negation(self._is_code(literal.feature, named, sure=True))
        return differs if isinstance(found, bool) else all_of(found, differs)

    def _is_code(self, feature: str, code: float, *, sure: bool) -> exp.Expression:
        """Write that a cell is a special code."""
        test = exp.EQ(**self._code_sides(feature, code))
        if not sure:
            return test
        if self.kinds[feature] == "mixed":
            return first_true([(test, True)], otherwise=False)
        return all_of(exp.Not(this=is_null(column(feature))), test)

    def _code_sides(self, feature: str, code: float) -> dict[str, exp.Expression]:
        """Return the number in a cell, and a special code to compare it with."""
        cell = column(feature)
        if self.kinds[feature] == "mixed":
            return {"this": self.dialect.value(cell), "expression": self.dialect.value_bound(code, cell)}
        return {"this": self.dialect.comparable_column(cell), "expression": self.dialect.compared_number(code)}

    def _test_value(self, literal: Literal, *, sure: bool) -> exp.Expression | bool:
        """Write the truth of a literal on a column without special codes."""
        kind = self.kinds[literal.feature]
        match literal.op, literal.value:
            case (("<=" | ">"), float(bound)):
                if notation := self.notations.get(literal.feature):
                    return self._compare_in_notation(literal, bound, notation, sure=sure)
                if kind == "mixed":
                    return self._compare_any_type(literal, bound, sure=sure)
                return kind == "number" and self._compare_number(literal, bound, sure=sure)
            case (("==" | "!="), str(category)):
                return self._compare_text(literal, category, sure=sure)
            case "missing", _:
                return self._missing(literal.feature)
        return self.negation(self._missing(literal.feature))

    def conjunction(self, parts: Sequence[exp.Expression]) -> exp.Expression:
        """Write that every part holds."""
        return all_of(*parts)

    def negation(self, part: exp.Expression) -> exp.Expression:
        """Write that the part does not hold."""
        return exp.Not(this=in_parentheses(part))

    def first_failing(self, gates: Sequence[tuple[exp.Expression, bool]], *, otherwise: bool) -> exp.Expression:
        """Write the truth value paired with the first gate that fails."""
        return first_true([(self.negation(gate), truth) for gate, truth in gates], otherwise=otherwise)

    def _missing(self, feature: str) -> exp.Expression:
        null, tests = is_null(column(feature)), {"number": self.dialect.is_nan, "mixed": self.dialect.is_any_nan}
        nan = tests[kind](column(feature)) if (kind := self.kinds[feature]) in tests else None
        return null if nan is None else any_of(null, nan)

    def _compare_number(self, literal: Literal, bound: float, *, sure: bool) -> exp.Expression | bool:
        """Compare a numeric column with a number."""
        if bound == math.inf:
            return literal.op == "<=" and self.negation(self._missing(literal.feature))
        limit, included = self.dialect.limit(bound)
        below, above = (exp.LTE, exp.GT) if included else (exp.LT, exp.GTE)
        kind = below if literal.op == "<=" else above
        test = kind(this=self.dialect.comparable_column(column(literal.feature)), expression=limit)
        parts = [exp.Not(this=is_null(column(literal.feature)))] if sure else []
        nan = self.dialect.is_nan(column(literal.feature)) if literal.op == ">" and self.dialect.nan_is_high else None
        return all_of(*parts, test, *([] if nan is None else [exp.Not(this=nan)]))

    def _compare_any_type(self, literal: Literal, bound: float, *, sure: bool) -> exp.Expression | bool:
        """Compare a column of any type with a number: text that is no number, or one beyond the doubles, is text."""
        cell = column(literal.feature)
        value = self.dialect.value(cell)
        if bound == math.inf:
            return literal.op == "<=" and exp.Not(this=is_null(value))
        below, above = (exp.LT, exp.GTE) if bound == -math.inf else (exp.LTE, exp.GT)
        limit = self.dialect.value_bound(max(bound, -_MAX), cell)
        test = (below if literal.op == "<=" else above)(this=value, expression=limit)
        return first_true([(test, True)], otherwise=False) if sure else test

    def _compare_in_notation(
        self, literal: Literal, bound: float, notation: Notation, *, sure: bool
    ) -> exp.Expression | bool:
        """Compare a column with a date, a time, a duration or a level of an order."""
        if isinstance(notation, LevelNotation):
            return self._compare_level(literal, bound, notation, sure=sure)
        if self.kinds[literal.feature] in KIND_NOTATIONS:
            return self._compare_time(literal.feature, literal.op, bound, sure=sure)
        read = self.dialect.time if isinstance(notation, TimeNotation) else self.dialect.moment
        value, found = read(column(literal.feature)), text_bound(notation, bound)
        if isinstance(found, bool):
            return found is (literal.op == "<=") and exp.Not(this=is_null(value))
        kind = exp.LT if literal.op == "<=" else exp.GTE
        test = kind(this=value, expression=exp.Literal.string(found))
        return first_true([(test, True)], otherwise=False) if sure else test

    def _compare_time(self, feature: str, op: str, bound: float, *, sure: bool) -> exp.Expression | bool:
        """Compare a column of a type that holds time with a number."""
        kind = self.kinds[feature]
        finer = kind in self.dialect.finer
        found = time_bound(kind, bound, finer=finer)
        if isinstance(found, bool):
            return found is (op == "<=") and self.negation(self._missing(feature))
        below, above = (exp.LT, exp.GTE) if finer else (exp.LTE, exp.GT)
        threshold = cast(exp.Literal.string(found), self.dialect.times[kind])
        test = (below if op == "<=" else above)(this=column(feature), expression=threshold)
        return all_of(exp.Not(this=is_null(column(feature))), test) if sure else test

    def _compare_level(
        self, literal: Literal, bound: float, notation: LevelNotation, *, sure: bool
    ) -> exp.Expression | bool:
        """Compare a text column with a level: the cell is one of the levels up to there, or one of the others."""
        upper = literal.op == ">"
        levels = [level for place, level in enumerate(notation.levels) if (place > bound) is upper]
        texts = [text for text in map(self.dialect.text, levels) if text is not None]
        if not texts:
            return False
        test = self.dialect.is_member(column(literal.feature), texts)
        return all_of(exp.Not(this=is_null(column(literal.feature))), test) if sure else test

    def _equals_time_text(self, literal: Literal, category: str) -> exp.Expression | bool:
        """Compare a column of a type that holds time with a category: a text as which its cells may be written."""
        bounds = equal_bounds(KIND_NOTATIONS[self.kinds[literal.feature]], category)
        if bounds is None or literal.feature in self.notations:
            return literal.op == "!="
        ends = zip((">", "<="), bounds, strict=True)
        tests = [self._compare_time(literal.feature, op, bound, sure=True) for op, bound in ends]
        if False in tests:
            return literal.op == "!="
        equal = all_of(*(test for test in tests if not isinstance(test, bool)))
        return equal if literal.op == "==" else self.negation(equal)

    def _compare_text(self, literal: Literal, category: str, *, sure: bool) -> exp.Expression | bool:
        """Compare a column with a category; always true or always false if no cell can be that category."""
        differs = literal.op == "!="
        kind, cell = self.kinds[literal.feature], column(literal.feature)
        if kind in KIND_NOTATIONS:
            return self._equals_time_text(literal, category)
        text, notation = self.dialect.text(category), self.notations.get(literal.feature)
        if notation is not None:
            impossible = notation.number(category) is not None
        else:
            impossible = kind == "number" or (kind == "mixed" and parse_number(category) is not None)
        if impossible or text is None or (kind == "boolean" and category not in {"True", "False"}):
            return differs
        truth = self.dialect.boolean(truth=category == "True")
        any_type = kind == "mixed" and notation is None
        own = self.dialect.cell_as_text(cell) if any_type else cell
        left, right = (cell, truth) if kind == "boolean" else self.dialect.equality_sides(own, text)
        numeric = self.dialect.is_numeric_cell(cell) if any_type and category.lower() in _NO_NUMBERS else None
        if differs:
            number = [] if numeric is None else [numeric]
            return any_of(is_null(column(literal.feature)), *number, exp.NEQ(this=left, expression=right))
        equal = exp.EQ(this=left, expression=right)
        text_only = [] if numeric is None else [exp.Not(this=numeric)]
        present = [exp.Not(this=is_null(column(literal.feature)))] if sure else []
        return all_of(*present, *text_only, equal)

    def label(self, label: Label) -> exp.Expression:
        """Write a label, with its type if the database has it."""
        node: exp.Expression | None
        match label:
            case str():
                node = self.dialect.text(label)
            case bool():
                node = self.dialect.boolean(truth=label)
            case int():
                node = exp.Literal.number(label) if -(2**63) < label < 2**63 else None
            case float():
                node = self.dialect.double_label(label)
        if node is None:
            raise ProgramError(f"{self.dialect.name} cannot hold the label {label!r}; give the class another name")
        return node

    def sentence(self, target: str, label: Label | None, rule: Rule | None) -> exp.Expression:
        """Write a sentence why the rule decides: the values of the record, and the exceptions that do not apply."""
        if rule is None:
            end = "is not decided: no rule applies" if label is None else f"{label}, because no rule applies"
            return self._printable(f"{target} {end}")
        pieces: list[str | exp.Expression] = [f"{target} {label}, because "]
        for number, condition in enumerate(conditions(rule.default)):
            pieces += [" and "] * (number > 0) + list(self._describe(condition))
        pieces += ["it is the default"] * (not rule.default)
        for number, exception in enumerate(rule.exceptions):
            pieces.append(f"{' or' if number else ', and not'} ({exception})")
        return self._join(pieces)

    def _describe(self, condition: Condition) -> Iterator[str | exp.Expression]:
        """Describe the value of the record, for a condition that holds."""
        feature = condition[0].feature
        if condition[0].op not in {"<=", ">", "!="} or (len(condition) == 1 and condition[0].as_spoken()[0] == "=="):
            yield str(condition[0])
            return
        yield f"{quote_if_needed(feature)} is "
        yield exp.Coalesce(this=self.dialect.as_text(column(feature)), expressions=[self._printable("missing")])
        asks = (
            f"{verb} {value_text(value)}"
            for verb, (_, value) in zip(condition_verbs(condition), spoken_bounds(condition), strict=True)
        )
        yield f", {' '.join(asks).removeprefix('is ')}"

    def _join(self, pieces: list[str | exp.Expression]) -> exp.Expression:
        """Concatenate the pieces, with neighbouring texts as one."""
        merged: list[str | exp.Expression] = []
        for piece in pieces:
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            else:
                merged.append(piece)
        return concat([self._printable(piece) if isinstance(piece, str) else piece for piece in merged])

    def _printable(self, text: str) -> exp.Expression:
        """Escape a text for people: characters that the database cannot store, or that control terminals."""
        clean = (
            CONTROLS.sub(lambda found: ascii(found.group())[1:-1], text).encode("utf-8", "backslashreplace").decode()
        )
        node = self.dialect.text(clean)
        return exp.Literal.string(clean) if node is None else node
