"""Number the cells of each feature, so that the rules of a committee compare small whole numbers.

All literals on a feature split its cells into classes: the numbers between two thresholds, each category, the other
texts, the missing cells. The class of a cell is found once, by halving; after that a literal is a set of classes, and
several literals on one feature are one comparison, such as ``bin_3 BETWEEN 2 AND 5``. The conditions that find classes
are those of `SqlWriter`, so that they are as exact in every database.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from unless.export.conditions import decisions
from unless.export.free_names import FreeNames
from unless.export.sql_times import KIND_NOTATIONS
from unless.export.sql_tree import all_of, any_of, in_parentheses, integer, new_column
from unless.export.sql_writer import SqlWriter
from unless.rule import Literal, Program

Test = exp.Expression | bool


@dataclass(frozen=True, slots=True)
class Scale:
    """The classes of the cells of a feature, in a column that holds the number of each cell's class.

    First the numbers, ``thresholds`` apart, then the categories, then other cells, then missing ones.
    """

    column: str
    feature: str
    thresholds: tuple[float, ...]
    categories: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """The number of classes of numbers."""
        return len(self.thresholds) + bool(self.thresholds)

    @property
    def other(self) -> int:
        """The class of cells that no test names; missing cells are the class after that."""
        return self.numbers + len(self.categories)

    @property
    def all(self) -> int:
        """All classes, as bits."""
        return (1 << (self.other + 2)) - 1

    def classes(self, literal: Literal) -> int:
        """Return the classes of the cells for which a literal holds, as bits."""
        match literal.op, literal.value:
            case (("<=" | ">"), float(bound)):
                below = (1 << (bisect_left(self.thresholds, bound) + 1)) - 1
                return below if literal.op == "<=" else (1 << self.numbers) - 1 - below
            case (("==" | "!="), str(category)):
                own = 1 << (self.numbers + bisect_left(self.categories, category))
            case _:
                own = 1 << (self.other + 1)
        return own if literal.op in {"==", "missing"} else self.all - own

    def number(self, writer: SqlWriter) -> exp.Expression:
        """Write the number of a cell's class."""
        arms = [(writer.test(Literal(self.feature, "missing"), sure=False), integer(self.other + 1))]
        if self.thresholds:
            top, last = self.thresholds[-1], len(self.thresholds)
            arms.append((writer.test(Literal(self.feature, "<=", top), sure=False), self._below(writer, 0, last - 1)))
            arms.append((writer.test(Literal(self.feature, ">", top), sure=False), integer(last)))
        for place, category in enumerate(self.categories, self.numbers):
            arms.append((writer.test(Literal(self.feature, "==", category), sure=False), integer(place)))
        return _first(arms, integer(self.other))

    def _below(self, writer: SqlWriter, first: int, last: int) -> exp.Expression:
        """Write the class of a number that is in one of some classes."""
        if first == last:
            return integer(first)
        middle = (first + last) // 2
        test = writer.test(Literal(self.feature, "<=", self.thresholds[middle]), sure=False)
        return _first([(test, self._below(writer, first, middle))], self._below(writer, middle + 1, last))


@dataclass(frozen=True, slots=True)
class Cells:
    """A condition on one feature: its cell is in one of some classes."""

    scale: Scale
    classes: int


Condition = Cells | exp.Expression


@dataclass(frozen=True, slots=True)
class ScaleWriter:
    """Writes conditions about the columns that number cells; they are never unknown."""

    scales: dict[str, Scale]
    plain: SqlWriter
    """Writes literals on features without numbers."""

    @classmethod
    def of(cls, rules: Program, writer: SqlWriter, names: FreeNames) -> ScaleWriter:
        """Prepare a writer for some rules, with free names for the columns.

        Columns that hold times of a type of the database have no classes if their categories are texts: two texts can
        spell the same time there.
        """
        scales: dict[str, Scale] = {}
        for feature, literals in rules.literals_by_feature().items():
            if writer.kinds[feature] in KIND_NOTATIONS and feature not in writer.notations:
                continue
            values = {literal.value for literal in literals}
            thresholds = sorted(value for value in values if isinstance(value, float))
            categories = sorted(value for value in values if isinstance(value, str))
            name = names.take(f"bin_{len(scales) + 1}")
            scales[feature] = Scale(name, feature, tuple(thresholds), tuple(categories))
        return cls(scales, writer)

    def columns(self) -> list[tuple[exp.Expression, str]]:
        """Write the columns that number cells, with their names."""
        return [(scale.number(self.plain), scale.column) for scale in self.scales.values()]

    def decisions(self, program: Program) -> Iterator[tuple[exp.Expression | None, int | None]]:
        """Write a list of rules: each condition with the rule that decides, as `conditions.decisions` does."""
        for condition, index in decisions(program, self):
            yield None if condition is None else _written(condition), index

    def test(self, literal: Literal, *, sure: bool) -> Condition | bool:  # noqa: ARG002 - it always is
        """Write a literal."""
        scale = self.scales.get(literal.feature)
        return self.plain.test(literal, sure=True) if scale is None else Cells(scale, scale.classes(literal))

    def conjunction(self, parts: Sequence[Condition]) -> Condition:
        """Write that every part holds; parts about one feature are one comparison."""
        together: dict[str, Cells] = {}
        others = []
        for part in parts:
            if isinstance(part, Cells):
                own = together.get(part.scale.column, part)
                together[part.scale.column] = Cells(part.scale, own.classes & part.classes)
            else:
                others.append(part)
        if len(together) == 1 and not others:
            return next(iter(together.values()))
        return all_of(*map(_written, together.values()), *others)

    def negation(self, part: Condition) -> Condition:
        """Write that the part does not hold."""
        return (
            Cells(part.scale, part.scale.all - part.classes) if isinstance(part, Cells) else self.plain.negation(part)
        )

    def first_failing(self, gates: Sequence[tuple[Condition, bool]], *, otherwise: bool) -> Condition:
        """Write the truth value paired with the first gate that does not hold."""
        return self.plain.first_failing([(_written(gate), truth) for gate, truth in gates], otherwise=otherwise)


def _written(condition: Condition) -> exp.Expression:
    """Write the classes as ranges, or those that are left out if these are fewer. No IN, which DuckDB would join."""
    if not isinstance(condition, Cells):
        return condition
    column, last = condition.scale.column, condition.scale.other + 1
    inside, outside = (list(_runs(classes)) for classes in (condition.classes, condition.scale.all - condition.classes))
    if not inside or 0 < len(outside) < len(inside):
        return all_of(*(_outside(column, run, last) for run in outside))
    return any_of(*(_between(column, run, last) for run in inside))


def _runs(classes: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last class of each run of neighbours."""
    while classes:
        first = (classes & -classes).bit_length() - 1
        beyond = classes + (1 << first)  # carried past the run
        after = (beyond & -beyond).bit_length() - 1
        yield first, after - 1
        classes &= -1 << after


def _between(column: str, run: tuple[int, int], last: int) -> exp.Expression:
    first, end = map(integer, run)
    if run[0] == run[1]:
        return exp.EQ(this=new_column(column), expression=first)
    if run[0] == 0:
        return exp.LTE(this=new_column(column), expression=end)
    if run[1] == last:
        return exp.GTE(this=new_column(column), expression=first)
    return exp.Between(this=new_column(column), low=first, high=end)


def _outside(column: str, run: tuple[int, int], last: int) -> exp.Expression:
    if run == (0, last):
        return exp.LT(this=new_column(column), expression=integer(0))
    if run[0] == run[1]:
        return exp.NEQ(this=new_column(column), expression=integer(run[0]))
    return exp.Not(this=_between(column, run, last))


def _first(arms: Sequence[tuple[Test, exp.Expression]], otherwise: exp.Expression) -> exp.Expression:
    """Write the value of the first test that holds; some are always or never true."""
    case = exp.Case()
    for test, found in arms:
        if test is True:
            otherwise = found
            break
        if not isinstance(test, bool):
            case = case.when(in_parentheses(test) if isinstance(test, exp.Connector) else test, found, copy=False)
    return case.else_(otherwise, copy=False) if case.args.get("ifs") else otherwise
