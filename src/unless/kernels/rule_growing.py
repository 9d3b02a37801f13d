# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: rules of the best literals."""

from __future__ import annotations

import cython

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
    ratio: cython.double  # what is demanded of rules (`learn.engine.Demands`)
    penalty: cython.double
    least: cython.double  # how much the positives that a rule covers must weigh
    distinct_values: list
    unit: cython.double  # what a weight of 1 means

    def __init__(self, search: LiteralSearch):
        self.search = search

    # -- rules of the paper: `learn.fold` defines them, line by line; ``check_stop`` is called before every search

    def fold(
        self, positive: RowSelection, negative: RowSelection, ratio: cython.double, unit: cython.double, more: tuple
    ):
        """A rule (`learn_rule`), in the form of `covered_by_rule`, and the positives and negatives that it covers.

        ``more`` are literals on values that are used, how deep exceptions may nest, and ``check_stop``.
        """
        self.search.limit(None)
        self.search.score_by_gain()
        self.ratio, self.unit = ratio, unit
        return self.fold_rule(positive, negative, more[0], more[1], more[2])

    @cython.cfunc
    def fold_rule(
        self, positive: RowSelection, negative: RowSelection, used: list, levels: Size, check_stop: object
    ) -> tuple:
        search: LiteralSearch = self.search
        tests: list = []
        while True:
            check_stop()
            test = search.find(positive, negative, used + tests)
            if test is None:
                return (tests, []), positive, negative
            tests.append(test)
            positive = search.covered_by_literal(positive, search.best_feature, search.best_rank, search.best_other)
            negative = search.covered_by_literal(negative, search.best_feature, search.best_rank, search.best_other)
            if negative.total * self.unit <= positive.total * self.unit * self.ratio:
                break
        rules: list = []
        if levels > 0:
            rules, negative, positive = self.fold_rules(negative, positive, used + tests, levels - 1, check_stop)
        return (tests, rules), positive, negative

    @cython.cfunc
    def fold_rules(
        self, positive: RowSelection, negative: RowSelection, used: list, levels: Size, check_stop: object
    ) -> tuple:
        """Rules (`learn_rules`), and the positives and negatives that they do not cover."""
        rules: list = []
        spared: RowSelection = negative
        true: RowSelection
        while positive.total > 0:
            rule, true, false = self.fold_rule(positive, negative, used, levels, check_stop)
            if true.total == 0:
                break
            positive, spared = self.search.minus(positive, true), self.search.minus(spared, false)
            rules.append(rule)
        return rules, positive, spared

    # -- our own rules: `Engine.grow_rule` defines them; ``check_stop`` is called before every search

    def grow(self, positive: RowSelection, negative: RowSelection, criteria: tuple, levels: Size, check_stop: object):
        """A rule, as in `covered_by_rule`, and the positives and negatives that it covers; None if there is none.

        ``levels`` says how deep exceptions may nest.
        """
        self.demand(criteria)
        return self.grow_rule(positive, negative, levels, check_stop)

    def grow_all(
        self, positive: RowSelection, negative: RowSelection, criteria: tuple, levels: Size, check_stop: object
    ):
        """A list of rules for positives against negatives, and the positives and negatives that they do not cover."""
        self.demand(criteria)
        return self.grow_exceptions(positive, negative, levels, check_stop)

    @cython.cfunc
    def demand(self, criteria: tuple):
        """Prepare to grow; every kind of literal is allowed."""
        self.ratio, self.penalty, self.least, self.distinct_values, self.unit = criteria
        self.search.limit(None)
        # No rows weigh as much as the limit: their sum has 31 bits.
        self.search.score_by_impurity(cython.cast(cython.longlong, ceil(min(self.least / self.unit, 1e12))))

    @cython.cfunc
    def grow_rule(self, positive: RowSelection, negative: RowSelection, levels: Size, check_stop: object):
        grown = self.grow_default(positive, negative, check_stop)
        if grown is None:
            return None
        tests, positive, negative, general = grown
        exceptions: list = []
        if general and negative.total > 0 and levels > 0:
            exceptions, negative, positive = self.grow_exceptions(negative, positive, levels - 1, check_stop)
        if positive.total * self.unit < self.least or positive.total <= negative.total:
            return None
        return (tests, exceptions), positive, negative

    @cython.cfunc
    def grow_default(self, positive: RowSelection, negative: RowSelection, check_stop: object):
        search: LiteralSearch = self.search
        tests: list = []
        general: cython.bint = False
        while not general and not (tests and negative.total == 0):
            check_stop()
            test = search.find(positive, negative, [])
            if test is None or not is_significant(
                search.P * self.unit,
                search.Q * self.unit,
                search.best_a * self.unit,
                search.best_b * self.unit,
                self.penalty,
                self.distinct_values,
            ):
                break
            tests.append(test)
            positive = search.covered_by_literal(positive, search.best_feature, search.best_rank, search.best_other)
            negative = search.covered_by_literal(negative, search.best_feature, search.best_rank, search.best_other)
            general = negative.total * self.unit <= self.ratio * (positive.total * self.unit)
        return (self.without_implied(tests), positive, negative, bool(general)) if tests else None

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
    def grow_exceptions(self, positive: RowSelection, negative: RowSelection, levels: Size, check_stop: object):
        rules: list = []
        spared: RowSelection = negative
        while positive.total * self.unit >= self.least:
            grown = self.grow_rule(positive, negative, levels, check_stop)
            if grown is None:
                break
            rule, true, false = grown
            positive, spared = self.search.minus(positive, true), self.search.minus(spared, false)
            rules.append(rule)
        return rules, positive, spared


@cython.cfunc
@cython.exceptval(check=False)
def is_significant(
    p: cython.double, n: cython.double, tp: cython.double, fp: cython.double, penalty: cython.double, distinct: list
) -> cython.bint:
    """The test of `unless.learn.literals` for a literal: the same operations in the same order; rounding can decide.

    `list_growing` uses it too, by rules.pxd.
    """
    before: cython.double = nlogn(p) + nlogn(n) - nlogn(p + n)
    inside: cython.double = nlogn(tp) + nlogn(fp) - nlogn(tp + fp)
    outside: cython.double = nlogn(p - tp) + nlogn(n - fp) - nlogn(p - tp + n - fp)
    values: cython.double = 0.0
    for k in range(len(distinct)):
        count: cython.double = distinct[k]
        values += min(count, p + n)
    return 2 * (inside + outside - before) >= penalty * log(2 * values + 1)
