# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: rules of the best literals."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, log
    from cython.cimports.unless.kernels.binning import RowSelection
    from cython.cimports.unless.kernels.literal_search import LiteralSearch, nlogn
else:
    from math import ceil, log

    from unless.kernels.binning import RowSelection
    from unless.kernels.literal_search import LiteralSearch, nlogn

Size = cython.typedef(cython.Py_ssize_t)


@cython.final
@cython.cclass
class RuleGrower:
    """Rules for positives against negatives, literal by literal; a search finds each."""

    search: LiteralSearch
    paper: cython.bint  # whether rules are those of the paper, or our own
    ratio: cython.double  # what is demanded of rules (`learn.engine.GrowthCriteria`)
    penalty: cython.double
    least: cython.double  # how much the positives that a rule covers must weigh
    distinct_values: list
    unit: cython.double  # what a weight of 1 means

    def __init__(self, search: LiteralSearch):
        self.search = search

    def fold(
        self, positive: RowSelection, negative: RowSelection, ratio: cython.double, unit: cython.double, more: tuple
    ):
        """A rule of the paper (`learn.fold.learn_rule`), and the positives and negatives that it covers.

        A rule has the form of `covered_by_rule`. ``more`` are literals on values that are used, how deep exceptions may
        nest, and ``check_stop``, which is called before every search.
        """
        self.search.limit(None)
        self.search.score_by_gain()
        self.paper = True
        self.ratio, self.unit, self.least = ratio, unit, 0.0
        return self.rule(positive, negative, more[0], more[1], more[2])

    def grow(self, positive: RowSelection, negative: RowSelection, criteria: tuple, levels: Size, check_stop: object):
        """A rule of our own (`Engine.grow_rule`), and the positives and negatives that it covers; None without one.

        ``levels`` says how deep exceptions may nest.
        """
        self.set_criteria(criteria)
        return self.rule(positive, negative, [], levels, check_stop)

    def grow_all(
        self, positive: RowSelection, negative: RowSelection, criteria: tuple, levels: Size, check_stop: object
    ):
        """A list of such rules, and the positives and negatives that they do not cover."""
        self.set_criteria(criteria)
        return self.rules(positive, negative, [], levels, check_stop)

    @cython.cfunc
    def set_criteria(self, criteria: tuple):
        """Prepare to grow our own rules; every kind of literal is allowed."""
        self.paper = False
        self.ratio, self.penalty, self.least, self.distinct_values, self.unit = criteria
        self.search.limit(None)
        # No rows weigh as much as the limit: their sum has 31 bits.
        self.search.score_by_impurity(cython.cast(cython.longlong, ceil(min(self.least / self.unit, 1e12))))

    @cython.cfunc
    def rule(self, positive: RowSelection, negative: RowSelection, used: list, levels: Size, check_stop: object):
        search: LiteralSearch = self.search
        tests: list = []
        exceptions: list = []
        general: cython.bint = False
        while not general:
            check_stop()
            test = search.find(positive, negative, used)
            if test is None or not (self.paper or self.is_significant()):
                break
            tests.append(test)
            if self.paper:  # no other literal on a value that is used
                used = [*used, test]
            positive = search.covered_by_literal(positive, search.best_feature, search.best_rank, search.best_other)
            negative = search.covered_by_literal(negative, search.best_feature, search.best_rank, search.best_other)
            general = negative.total * self.unit <= positive.total * self.unit * self.ratio
        if general and negative.total > 0 and levels > 0:
            exceptions, negative, positive = self.rules(negative, positive, used, levels - 1, check_stop)
        if self.paper:
            return (tests, exceptions), positive, negative
        if not tests or positive.total * self.unit < self.least or positive.total <= negative.total:
            return None
        return (self.without_implied(tests), exceptions), positive, negative

    @cython.cfunc
    def rules(self, positive: RowSelection, negative: RowSelection, used: list, levels: Size, check_stop: object):
        """Rules, and the positives and negatives that they do not cover."""
        rules: list = []
        spared: RowSelection = negative
        true: RowSelection
        while positive.total > 0 and positive.total * self.unit >= self.least:
            grown = self.rule(positive, negative, used, levels, check_stop)
            if grown is None:
                break
            rule, true, false = grown
            if true.total == 0:
                break
            positive, spared = self.search.minus(positive, true), self.search.minus(spared, false)
            rules.append(rule)
        return rules, positive, spared

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_significant(self) -> cython.bint:
        """Whether the literal that was found is better than random ones."""
        search: LiteralSearch = self.search
        unit: cython.double = self.unit
        return is_significant(
            search.P * unit,
            search.Q * unit,
            search.best_a * unit,
            search.best_b * unit,
            self.penalty,
            self.distinct_values,
        )

    @cython.cfunc
    def without_implied(self, tests: list) -> list:
        """The literals without those that follow from another one (`learn.literals.without_implied`)."""
        kept: list = []
        for k in range(len(tests)):
            for j in range(len(tests)):
                if j != k and self.implies(tests[j], tests[k]) and (j < k or tests[j] != tests[k]):
                    break
            else:
                kept.append(tests[k])
        return kept

    @cython.cfunc
    def implies(self, test: tuple, other: tuple) -> cython.bint:
        """Whether one literal implies another one (`Literal.implies`)."""
        feature: Size = test[0]
        rank: Size = test[1]
        negated: cython.bint = test[2]
        limit: Size = other[1]
        if feature != other[0]:
            return False
        numbers: Size = self.search.numbers[feature]
        if limit >= numbers:  # a number, or another category, is not this category
            if other[2]:
                return rank == limit if negated and rank >= numbers else rank != limit
            return rank == limit and not negated
        if rank >= numbers or negated != other[2]:
            return False
        return rank >= limit if negated else rank <= limit


@cython.cfunc
@cython.exceptval(check=False)
def is_significant(
    p: cython.double, n: cython.double, tp: cython.double, fp: cython.double, penalty: cython.double, distinct: list
) -> cython.bint:
    """The test of `unless.learn.literals` for a literal: the same operations in the same order; rounding can decide.

    `list_growing` uses it too, by rule_growing.pxd.
    """
    before: cython.double = nlogn(p) + nlogn(n) - nlogn(p + n)
    inside: cython.double = nlogn(tp) + nlogn(fp) - nlogn(tp + fp)
    outside: cython.double = nlogn(p - tp) + nlogn(n - fp) - nlogn(p - tp + n - fp)
    values: cython.double = 0.0
    for k in range(len(distinct)):
        count: cython.double = distinct[k]
        values += min(count, p + n)
    return 2 * (inside + outside - before) >= penalty * log(2 * values + 1)
