"""The engine for a table in memory, which counts rows with the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import ceil
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import LiteralSearch, RowSelection, RuleGrower, binning, run_in_threads
from unless.learn.engine import Engine, GrowthCriteria, LabelCounts
from unless.learn.literals import AllowedKinds, FoundLiteral, LiteralScore, ValueCounts
from unless.learn.mask_engine import MaskEngine
from unless.learn.rule_limits import NO_LIMITS, RuleLimits
from unless.learn.weights import counts_to_units
from unless.limits import refuse_above_limit
from unless.rule import MAX_DEPTH, Literal, Operator, Rule
from unless.table import Codes, Column, Table
from unless.table.record_hashes import record_hashes
from unless.threads import resolve_n_jobs
from unless.values.notation import WHOLE

Test = tuple[int, int, bool]
"""A literal for the kernels: feature, rank, and whether it is the negated form (``>``, ``!=``) for that value."""

Tests = tuple[list[Test], list["Tests"]]
"""A rule for the kernels: the tests of its default, and its exceptions."""

FEW_ENOUGH, FEW_CELLS = 1 << 19, 1 << 26
"""The maximum number of rows, and of labels times rows, for optimising lists with masks: each label has a mask.

With 100,000 rows, masks reduce the time of `fit` to two thirds; with a million, they save no time and need 100 MB more.
With 5,000 labels of 200,000 rows, counting labels by masks took 60 times as long as by rows.
"""

_MANY_LABELS = 100
"""With this many labels, their counts are an array at once: as lists, 10,000 labels took half of the time of a fit."""

MORE_THAN_ALL = 2**40
"""A support, in units, that no rows reach."""


class MemoryEngine(Engine[RowSelection]):
    """The engine for a table in memory.

    Histograms are cached: the histogram of a subset is that of its superset minus the rest, and swapping E+ and E- is
    free, so that hardly any row is counted twice. ``counts`` contains how often each row counts (`weights.as_counts`);
    by default once. With a ``unit``, counts are whole multiples of it. ``n_jobs`` threads share the work on many rows;
    results do not depend on their number.
    """

    def __init__(
        self,
        table: Table,
        counts: NDArray[np.float64] | None = None,
        unit: float | None = None,
        banned: Iterable[Literal] = (),
        n_jobs: int | None = None,
    ) -> None:
        labels = table.labels
        count = len(labels.labels)
        refuse_above_limit("labels", count, f"{labels.name!r} has {count:,} labels: is it the right column?")
        self.target = labels.name
        self.features = table.features
        self.labels = labels.labels
        self.columns = self._columns = table.columns
        self._count = len(table)
        units, self._unit = np.ones(len(table), np.int32), 1.0
        if counts is not None:
            units, self._unit = counts_to_units(counts) if unit is None else (counts.astype(np.int32), unit)
        threads = resolve_n_jobs(n_jobs)
        self._threads = threads if len(table) >= binning.MANY else 1
        self._codes, self._weights = labels.codes.astype(np.int32), units
        self._grid = _make_search(table.columns, self._codes, units, self._threads)
        self.rules = RuleGrower(self._grid)
        self._literals: dict[Test, Literal] = {}
        self._tests: dict[int, Test] = {}
        self._rules: dict[tuple[int, int], tuple[Rule, Tests, bool]] = {}
        self._folds = table.group_numbers
        self._distinct: list[int] = []
        self._masks: ref[MaskEngine] | None = None
        self.banned = tuple(banned)
        self.whole = frozenset(column.name for column in table.columns if column.notation == WHOLE)
        self._grid.ban([self.test_of(literal) for literal in self.banned])

    @property
    def search(self) -> LiteralSearch:
        """The kernel that contains the table."""
        return self._grid

    @property
    def unit(self) -> float:
        """The unit that corresponds to a weight of 1 in the kernel."""
        return self._unit

    def all_rows(self) -> RowSelection:
        return self._grid.all_rows()

    def size(self, rows: RowSelection) -> float:
        return rows.weight() if self._unit == 1 else rows.weight() * self._unit

    def label_weights(self, rows: RowSelection) -> Sequence[float]:
        weights = self.units(rows)
        return weights if self._unit == 1 else [weight * self._unit for weight in weights]

    def label_counts(self, rows: RowSelection) -> LabelCounts:
        if len(self.labels) < _MANY_LABELS or self._unit != 1 or rows.weight() >= 2**31:
            return super().label_counts(rows)
        index = rows.rows()
        counts = np.bincount(self._codes[index], self._weights[index], len(self.labels))  # exact below 2 ** 53
        return counts.astype(np.int32)

    def units(self, rows: RowSelection) -> Sequence[int]:
        """Return the weight of the rows of each label, in units."""
        return self._grid.label_weights(rows, len(self.labels))

    def of_rows(self, index: NDArray[np.int32]) -> RowSelection:
        """Return the rows with these numbers."""
        return self._grid.of_rows(index)

    def distinct(self) -> Sequence[int]:
        if not self._distinct:  # cached: learning a list takes several learners
            found = [0] * len(self._columns)

            def count(i: int, ranks: int) -> None:
                found[i] = self._grid.distinct(i, ranks)

            run_in_threads(count, [(i, column.missing + 1) for i, column in enumerate(self._columns)], self._threads)
            self._distinct = found
        return self._distinct

    def split(self, rows: RowSelection, label: int) -> tuple[RowSelection, RowSelection]:
        return self._grid.by_label(rows, label, len(self.labels))

    def covered_by_literal(self, rows: RowSelection, literal: Literal) -> RowSelection:
        return self._grid.covered_by_literal(rows, *self.test_of(literal))

    def minus(self, rows: RowSelection, gone: RowSelection) -> RowSelection:
        return self._grid.minus(rows, gone)

    def find_literal(
        self,
        positive: RowSelection,
        negative: RowSelection,
        score: LiteralScore,
        used: tuple[Literal, ...] = (),
        allowed: AllowedKinds | None = None,
    ) -> FoundLiteral | None:
        """Find the same literal faster, by bounds (`kernels.LiteralSearch`)."""
        self.check_stop()
        support = min(ceil(score.support / self._unit), MORE_THAN_ALL)
        tests = [self.test_of(literal) for literal in used]
        found = self._grid.best(positive, negative, score.name, support, tests, allowed)
        return None if found is None else FoundLiteral(self.literal(found[0]), (found[1] - found[2]) * self._unit)

    def learn_paper_rule(
        self, positive: RowSelection, negative: RowSelection, ratio: float, used: tuple[Literal, ...], level: int
    ) -> tuple[Rule, RowSelection, RowSelection] | None:
        more = [self.test_of(literal) for literal in used], MAX_DEPTH - level, self.check_stop
        tests, positive, negative = self.rules.fold(positive, negative, ratio, self._unit, more)
        return self.rule_of(tests), positive, negative

    def grow_rule(
        self, positive: RowSelection, negative: RowSelection, criteria: GrowthCriteria, limits: RuleLimits = NO_LIMITS
    ) -> tuple[Rule, RowSelection, RowSelection] | None:
        """Grow the same rule in one call that calls `check_stop` often; literal by literal under constraints."""
        if limits.label_limits is not None:
            return super().grow_rule(positive, negative, criteria, limits)
        grown = self.rules.grow(
            positive, negative, self.criteria_in_units(criteria), MAX_DEPTH - limits.level, self.check_stop
        )
        return None if grown is None else (self.rule_of(grown[0]), grown[1], grown[2])

    def grow_exceptions(
        self, positive: RowSelection, negative: RowSelection, criteria: GrowthCriteria, limits: RuleLimits
    ) -> tuple[tuple[Rule, ...], RowSelection, RowSelection]:
        """Grow the same exceptions in one call."""
        if limits.label_limits is not None:
            return super().grow_exceptions(positive, negative, criteria, limits)
        levels = MAX_DEPTH - limits.level
        rules, left, spared = self.rules.grow_all(
            positive, negative, self.criteria_in_units(criteria), levels, self.check_stop
        )
        return tuple(map(self.rule_of, rules)), left, spared

    def plus(self, rows: RowSelection, more: RowSelection) -> RowSelection:
        return self._grid.plus(rows, more)

    def of_label(self, rows: RowSelection, label: int) -> RowSelection:
        return self._grid.of_label(rows, label)

    def covered_by_rule(self, rows: RowSelection, rule: Rule) -> RowSelection:
        """Return the same rows in one call."""
        return self._grid.covered_by_rule(rows, self.literal_tests(rule))

    def split_by_failing_literal(self, rows: RowSelection, literals: tuple[Literal, ...]) -> list[RowSelection]:
        """Return the same rows in one pass."""
        return self._grid.split_by_failing_literal(rows, [self.test_of(literal) for literal in literals])

    def gains_and_losses(
        self, rows: RowSelection, label: int, right: RowSelection
    ) -> tuple[RowSelection, RowSelection]:
        return self._grid.gains_and_losses(rows, label, right)

    def neighbouring_numbers(self, rows: RowSelection, literal: Literal) -> tuple[float, float] | None:
        position = self.features.index(literal.feature)
        column = self._columns[position]
        first = column.span(literal)[1 if literal.op == "<=" else 0]  # the first rank above
        below, above = self._grid.neighbouring_numbers(rows, position, first)
        if below < 0 or above == len(column.numbers):
            return None
        return float(column.numbers[below]), float(column.numbers[above])

    def optimiser_engine(self, rows: RowSelection) -> tuple[Engine[Any], Any]:
        if self._count > FEW_ENOUGH or len(self.labels) * self._count > FEW_CELLS:
            return self, rows
        masks = self._masks() if self._masks is not None else None
        if masks is None:
            masks = MaskEngine(self)
            self._masks = ref(masks)  # a weak reference, because the mask engine refers to this one
        return masks, masks.mask(rows)

    def folds(self, rows: RowSelection, count: int, among: int | None = None) -> list[RowSelection]:
        if self._folds is None:
            self._folds = self._hashes()
        fold = self._folds[rows.rows()] % np.uint64(among or count)
        return [self.of_rows(rows.rows()[fold == k]) for k in range(count)]

    def _hashes(self) -> NDArray[np.uint64]:
        threads = self._threads
        parts = binning.BLOCKS * threads if threads > 1 else 1
        return record_hashes(self._columns, self._count, partial(run_in_threads, threads=threads), parts)

    def counts(self, positive: RowSelection, negative: RowSelection) -> Iterator[ValueCounts]:
        for column in self._columns:
            size = column.missing + 1
            p = np.bincount(column.codes[positive.rows()], minlength=size)
            n = np.bincount(column.codes[negative.rows()], minlength=size)
            present = np.flatnonzero(p + n).tolist()
            values = [column.value(code) for code in present]
            yield ValueCounts(column.name, values, p[present].tolist(), n[present].tolist())

    def criteria_in_units(self, criteria: GrowthCriteria) -> tuple[float, float, float, list[int], float]:
        """Convert growth criteria to the form of the kernels."""
        return criteria.ratio, criteria.penalty, criteria.support, criteria.distinct, self._unit

    def rule_of(self, tests: Tests) -> Rule:
        """Convert tests to a rule."""
        rule = Rule(None, tuple(map(self.literal, tests[0])), tuple(map(self.rule_of, tests[1])))
        self._rules[_identity(rule)] = rule, tests, True
        return rule

    def literal_tests(self, rule: Rule) -> Tests:
        """Convert the literals of a rule and of its exceptions to tests; the result is cached."""
        return self._known(rule)[1]

    def knows(self, rule: Rule) -> bool:
        """Return whether every literal of a rule was found by this engine."""
        return self._known(rule)[2]

    def _known(self, rule: Rule) -> tuple[Rule, Tests, bool]:
        """Return the cached rule with these parts and any label, its tests, and whether all are from this engine."""
        if (found := self._rules.get(_identity(rule))) is None:
            inner = [self._known(one) for one in rule.exceptions]
            tests = [self.test_of(literal) for literal in rule.default], [one[1] for one in inner]
            known = all(id(literal) in self._tests for literal in rule.default) and all(one[2] for one in inner)
            found = self._rules[_identity(rule)] = rule, tests, known
        return found

    def literal(self, test: Test) -> Literal:
        """Return the literal of a test; always the same object, so that `test_of` recognizes it."""
        if test not in self._literals:
            feature, rank, other = test
            column = self._columns[feature]
            literal = Literal(column.name, _operator_of_test(column, rank, other=other), column.value(rank))
            self._literals[test] = literal
            self._tests[id(literal)] = test
        return self._literals[test]

    def test_of(self, literal: Literal) -> Test:
        """Return the test of a literal; the engine finds its own literals by identity, because hashing is slower."""
        if (test := self._tests.get(id(literal))) is not None:
            return test
        feature = self.features.index(literal.feature)
        first, end, other = self._columns[feature].span(literal)
        match literal.op:
            case "<=":
                return feature, end - 1, False
            case ">":
                return feature, first - 1, True
        # No code is beyond missing: an unknown category equals no cell.
        return feature, first if end > first else self._columns[feature].missing + 1, other


def _identity(rule: Rule) -> tuple[int, int]:
    """Return a key that identifies the parts of a rule as long as they exist."""
    return id(rule.default), id(rule.exceptions)


def _make_search(
    columns: tuple[Column, ...], labels: NDArray[np.int32], weights: NDArray[np.int32], threads: int
) -> LiteralSearch:
    """Create the kernel with the columns in bins, and the labels and weights of the rows."""
    ranks = [column.missing + 1 for column in columns]
    grid = LiteralSearch(labels, weights, [len(column.numbers) for column in columns], ranks, threads)

    def load(i: int, column: Column) -> None:
        if grid.is_wide(i):
            loaded = grid.load_wide(i, _to_signed_codes(column.codes), ranks[i])
        else:
            loaded = grid.load_narrow(i, column.codes.astype(np.uint8, copy=False))
        if not loaded:
            raise ReadError(f"the column {column.name!r} has codes beyond its {ranks[i] - 1} values and missing")

    run_in_threads(load, list(enumerate(columns)), threads)
    grid.loaded()
    return grid


def _to_signed_codes(codes: Codes) -> NDArray[np.int32]:
    """Convert codes to the type of the kernels; codes of 32 bits are not copied."""
    return codes.view(np.int32) if codes.dtype == np.uint32 else codes.astype(np.int32)


def _operator_of_test(column: Column, rank: int, *, other: bool) -> Operator:
    if rank < len(column.numbers):
        return ">" if other else "<="
    if rank == column.missing:
        return "present" if other else "missing"
    return "!=" if other else "=="
