# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: rules of the best literals."""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, log
    from cython.cimports.unless.kernels.bins import Selection
    from cython.cimports.unless.kernels.search import Search, nlogn
else:
    from math import ceil, log

    from unless.kernels.bins import Selection
    from unless.kernels.search import Search, nlogn

Size = cython.typedef(cython.Py_ssize_t)


@cython.final
@cython.cclass
class Rules:
    """Rules for positives against negatives, literal by literal; a search finds each."""

    search: Search
    ratio: cython.double  # what is demanded of rules (`learn.engine.Demands`)
    penalty: cython.double
    least: cython.double  # how much the positives that a rule covers must weigh
    distinct_values: list
    unit: cython.double  # what a weight of 1 means

    def __init__(self, search: Search):
        self.search = search

    # -- rules of the paper: `learn.fold` defines them, line by line; ``go_on`` is called before every search

    def fold(self, positive: Selection, negative: Selection, ratio: cython.double, unit: cython.double, more: tuple):
        """A rule (`learn_rule`), in the form of `satisfying`, and the positives and negatives that it covers.

        ``more`` are literals on values that are used, how deep exceptions may nest, and ``go_on``.
        """
        self.search.limit(None)
        self.search.score_by_gain()
        self.ratio, self.unit = ratio, unit
        return self.fold_rule(positive, negative, more[0], more[1], more[2])

    @cython.cfunc
    def fold_rule(self, positive: Selection, negative: Selection, used: list, levels: Size, go_on: object) -> tuple:
        search: Search = self.search
        tests: list = []
        while True:
            go_on()
            test = search.find(positive, negative, used + tests)
            if test is None:
                return (tests, []), positive, negative
            tests.append(test)
            positive = search.covered(positive, search.best_feature, search.best_rank, search.best_other)
            negative = search.covered(negative, search.best_feature, search.best_rank, search.best_other)
            if negative.total * self.unit <= positive.total * self.unit * self.ratio:
                break
        rules: list = []
        if levels > 0:
            rules, negative, positive = self.fold_rules(negative, positive, used + tests, levels - 1, go_on)
        return (tests, rules), positive, negative

    @cython.cfunc
    def fold_rules(self, positive: Selection, negative: Selection, used: list, levels: Size, go_on: object) -> tuple:
        """Rules (`learn_rules`), and the positives and negatives that they do not cover."""
        rules: list = []
        spared: Selection = negative
        true: Selection
        while positive.total > 0:
            rule, true, false = self.fold_rule(positive, negative, used, levels, go_on)
            if true.total == 0:
                break
            positive, spared = self.search.minus(positive, true), self.search.minus(spared, false)
            rules.append(rule)
        return rules, positive, spared

    # -- our own rules: `Engine.rule`, `default` and `exceptions` define them; ``go_on`` is called before every search

    def grow(self, positive: Selection, negative: Selection, demands: tuple, levels: Size, go_on: object):
        """A rule, in the form of `satisfying`, and the positives and negatives that it covers; None if there is none.

        ``levels`` says how deep exceptions may nest.
        """
        self.demand(demands)
        return self.rule(positive, negative, levels, go_on)

    def grow_all(self, positive: Selection, negative: Selection, demands: tuple, levels: Size, go_on: object):
        """A list of rules for positives against negatives, and the positives and negatives that they do not cover."""
        self.demand(demands)
        return self.exceptions(positive, negative, levels, go_on)

    @cython.cfunc
    def demand(self, demands: tuple):
        """Prepare to grow; every kind of literal is allowed."""
        self.ratio, self.penalty, self.least, self.distinct_values, self.unit = demands
        self.search.limit(None)
        # No rows weigh as much as the limit: their sum has 31 bits.
        self.search.score_by_impurity(cython.cast(cython.longlong, ceil(min(self.least / self.unit, 1e12))))

    @cython.cfunc
    def rule(self, positive: Selection, negative: Selection, levels: Size, go_on: object):
        grown = self.default(positive, negative, go_on)
        if grown is None:
            return None
        tests, positive, negative, general = grown
        exceptions: list = []
        if general and negative.total > 0 and levels > 0:
            exceptions, negative, positive = self.exceptions(negative, positive, levels - 1, go_on)
        if positive.total * self.unit < self.least or positive.total <= negative.total:
            return None
        return (tests, exceptions), positive, negative

    @cython.cfunc
    def default(self, positive: Selection, negative: Selection, go_on: object):
        search: Search = self.search
        tests: list = []
        general: cython.bint = False
        while not general and not (tests and negative.total == 0):
            go_on()
            test = search.find(positive, negative, [])
            if test is None or not significant(
                search.P * self.unit,
                search.Q * self.unit,
                search.best_a * self.unit,
                search.best_b * self.unit,
                self.penalty,
                self.distinct_values,
            ):
                break
            tests.append(test)
            positive = search.covered(positive, search.best_feature, search.best_rank, search.best_other)
            negative = search.covered(negative, search.best_feature, search.best_rank, search.best_other)
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
    def exceptions(self, positive: Selection, negative: Selection, levels: Size, go_on: object):
        rules: list = []
        spared: Selection = negative
        while positive.total * self.unit >= self.least:
            grown = self.rule(positive, negative, levels, go_on)
            if grown is None:
                break
            rule, true, false = grown
            positive, spared = self.search.minus(positive, true), self.search.minus(spared, false)
            rules.append(rule)
        return rules, positive, spared


@cython.cfunc
@cython.exceptval(check=False)
def significant(
    p: cython.double, n: cython.double, tp: cython.double, fp: cython.double, penalty: cython.double, distinct: list
) -> cython.bint:
    """The test of `unless.learn.literals` for a literal: the same operations in the same order; rounding can decide.

    `lists` uses it too, by rules.pxd.
    """
    before: cython.double = nlogn(p) + nlogn(n) - nlogn(p + n)
    inside: cython.double = nlogn(tp) + nlogn(fp) - nlogn(tp + fp)
    outside: cython.double = nlogn(p - tp) + nlogn(n - fp) - nlogn(p - tp + n - fp)
    values: cython.double = 0.0
    for k in range(len(distinct)):
        count: cython.double = distinct[k]
        values += min(count, p + n)
    return 2 * (inside + outside - before) >= penalty * log(2 * values + 1)
