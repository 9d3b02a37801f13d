# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: one rule of a list improved, given what it gains and loses; `learn.rule_improvement` defines it."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.unless.kernels.binning import RowSelection
    from cython.cimports.unless.kernels.row_masks import MaskGrid, RowMask
else:
    from unless.kernels.binning import RowSelection
    from unless.kernels.row_masks import MaskGrid, RowMask

Size = cython.typedef(cython.Py_ssize_t)

FEW = cython.declare(cython.Py_ssize_t, 32)  # so few rows are searched without histograms


@cython.final
@cython.cclass
class MaskedRuleImprover(MaskGrid):
    """Better rules: each literal and exception chosen anew, given the others.

    Gains and losses are masks of rows that have none in common, so that one mask of both is enough: an exception is the
    same with gains and losses swapped. A rule is a tuple of tests and exceptions, as in `Grid.covered_by_rule`.
    """

    search: object  # the `Search` of the table
    rules: object  # the `Rules` of it
    gains: Size  # the slots of what there is to gain
    losses: Size
    gained: RowSelection  # the same rows by number
    lost: RowSelection
    price: cython.double  # of a rule or exception
    step: cython.double  # how much a change must gain
    unit: cython.double  # what a weight of 1 means
    criteria: tuple
    levels: Size  # how deep exceptions may nest
    check_stop: object
    histograms: cython.int[::1]  # scratch: of gains and losses

    def __init__(self, search: object, rules: object, check_stop: object):
        super().__init__(search)
        self.histograms = view(np.empty(2 * self.grid.size, np.int32))
        self.search, self.rules, self.check_stop = search, rules, check_stop

    def improve_rule(
        self, rule: object, gains: RowMask, losses: RowMask, criteria: tuple, price: cython.double, step: cython.double
    ):
        """The rule improved, or one with new exceptions, or a new one, if that is worth more.

        Without a rule, a new one; None if none exists. ``criteria`` are those of `Rules.grow`, with the levels.
        """
        self.begin()
        *given, self.levels = criteria
        self.criteria = tuple(given)
        self.unit = self.criteria[4]
        self.price, self.step = price, step
        self.gains, self.losses = self.stored(gains), self.stored(losses)
        self.gained, self.lost = self.rows_of(self.gains, gains.total), self.rows_of(self.losses, losses.total)
        everything: Size = self.stored(gains)
        start: Size = everything * self.size
        for k in range(self.size):
            self.pool[start + k] |= losses.words[k]
        try:
            found = self.grow_improved_rule(everything) if rule is None else self.best(rule, everything)
        except BaseException:
            self.forget()
            raise
        finally:
            self.gained = self.lost = None
        self.free += [self.gains, self.losses, everything]
        return found

    @cython.cfunc
    def rows_of(self, slot: Size, total: cython.longlong) -> RowSelection:
        some = RowSelection()
        some.index = self.positions(slot, slot)
        some.total = total
        return some

    @cython.cfunc
    def best(self, rule: tuple, rows: Size) -> tuple:
        best: tuple = self.improve_parts(rule, rows, False)
        if self.gained.total == 0 or self.lost.total == 0:
            return best
        improved: tuple = best
        most: cython.double = self.worth(best, rows, False)
        if self.bound(0) > most + self.step:
            best, most = self.better(best, most, self.grow_improved_rule(rows), rows)
        if self.bound(1) > most + self.step:
            best, most = self.better(best, most, self.replace_exceptions(improved, rows), rows)
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def bound(self, exceptions: Size) -> cython.double:
        """The most that a rule with this number of exceptions can be worth: it covers all gains, and no losses."""
        return self.gained.total * self.unit - self.price - self.price * exceptions

    @cython.cfunc
    def better(self, best: tuple, most: cython.double, new: object, rows: Size) -> tuple:
        """The better one of two rules, and its worth; there may be no new one."""
        if new is not None:
            worth: cython.double = self.worth(new, rows, False)
            if worth > most + self.step:
                return new, worth
        return best, most

    @cython.cfunc
    def grow_improved_rule(self, rows: Size):
        """A new rule, improved."""
        found = self.rules.grow(self.gained, self.lost, self.criteria, self.levels, self.check_stop)
        return None if found is None else self.improve_parts(found[0], rows, False)

    @cython.cfunc
    def replace_exceptions(self, rule: tuple, rows: Size):
        """The same default with new exceptions."""
        if self.levels <= 0:
            return None
        covered: Size = self.slot()
        self.satisfy(covered, rows, (rule[0], []))
        gained: RowSelection = self.some(covered, False)
        lost: RowSelection = self.some(covered, True)
        self.free.append(covered)
        exceptions = self.rules.grow_all(lost, gained, self.criteria, self.levels - 1, self.check_stop)[0]
        return (rule[0], exceptions) if exceptions else None

    @cython.cfunc
    def improve_parts(self, rule: tuple, rows: Size, swapped: cython.bint) -> tuple:
        """The rule with better literals, then with better exceptions."""
        default: list = self.improve_literals(rule, rows, swapped)
        exceptions: list = rule[1]
        return default, self.improve_exceptions(default, exceptions, rows, swapped) if exceptions else exceptions

    @cython.cfunc
    def worth(self, rule: tuple, rows: Size, swapped: cython.bint) -> cython.double:
        """What a rule gains less what it loses, less its price and that of its exceptions."""
        covered: Size = self.slot()
        self.satisfy(covered, rows, rule)
        gain: cython.double = self.common_weight(covered, self.losses if swapped else self.gains) * self.unit
        loss: cython.double = self.common_weight(covered, self.gains if swapped else self.losses) * self.unit
        self.free.append(covered)
        return gain - loss - self.price - self.price * parts_of(rule[1])

    @cython.cfunc
    def improve_literals(self, rule: tuple, rows: Size, swapped: cython.bint) -> list:
        """The default with each literal chosen anew, given the others; a literal that is worth nothing is dropped.

        The rows for which the literals before are true change with them, those for the literals behind do not.
        """
        tests: list = rule[0]
        number: Size = len(tests)
        left: Size = number
        gains: Size = self.losses if swapped else self.gains
        losses: Size = self.gains if swapped else self.losses
        before: Size = self.slot()
        others: Size = self.slot()
        self.satisfy(before, rows, ([], rule[1]))
        behind: list = self.behind(tests)
        default: list = []
        for k in range(number):
            test: tuple = tests[k]
            if k < number - 1:
                self.both(others, before, behind[k])
            else:
                self.copy(others, before)
            truth: Size = self.truth(test)
            all_gains: cython.longlong = self.common_weight(others, gains)
            all_losses: cython.longlong = self.common_weight(others, losses)
            now: Size = self.slot()
            self.both(now, others, truth)
            gain: cython.longlong = self.common_weight(now, gains)
            loss: cython.longlong = self.common_weight(now, losses)
            self.free.append(now)
            if left > 1 and all_gains - gain >= all_losses - loss:
                left -= 1
                continue
            worth: cython.double = gain * self.unit - loss * self.unit
            if gain * self.unit + (all_gains - gain) * self.unit > worth + self.step:
                self.check_stop()
                found = self.best_net(others, swapped)
                if found is not None and found[1] * self.unit > worth + self.step:
                    test = found[0]
            default.append(test)
            self.both(before, before, self.truth(test))
        self.free += [before, others, *behind]
        return default

    @cython.cfunc
    def behind(self, tests: list) -> list:
        """For each literal but the last one, a slot with the rows for which all literals behind it are true."""
        found: list = []
        for k in range(len(tests) - 1, 0, -1):
            slot: Size = self.slot()
            if found:
                self.both(slot, found[len(found) - 1], self.truth(tests[k]))
            else:
                self.copy(slot, self.truth(tests[k]))
            found.append(slot)
        found.reverse()
        return found

    @cython.cfunc
    def improve_exceptions(self, default: list, exceptions: list, rows: Size, swapped: cython.bint) -> list:
        """The exceptions improved, the last one first, each for what the others leave; those worth nothing dropped."""
        covered: Size = self.slot()
        left: Size = self.slot()
        self.satisfy(covered, rows, (default, []))
        kept: list = exceptions
        for k in range(len(exceptions) - 1, -1, -1):
            others: list = kept[:k] + kept[k + 1 :]
            self.satisfy(left, covered, ([], others))
            exception: tuple = self.improve_parts(kept[k], left, not swapped)
            if self.worth(exception, left, not swapped) > 0:
                others.insert(k, exception)
            kept = others
        self.free += [covered, left]
        return kept

    @cython.cfunc
    def best_net(self, rows: Size, swapped: cython.bint):
        """The literal that covers the most gains less losses among the rows, and how many those are."""
        gained: RowSelection = self.some(rows, swapped)
        lost: RowSelection = self.some(rows, not swapped)
        if len(gained.index) + len(lost.index) > FEW:
            self.count(gained, swapped, 0)
            self.count(lost, not swapped, 1)
        found = self.search.best(gained, lost, "net")
        return None if found is None else (found[0], found[1] - found[2])

    @cython.cfunc
    def count(self, some: RowSelection, losses: cython.bint, place: Size):
        """Count a selection into a histogram that the next search overwrites: small tables spend more on new ones.

        Where it has most of the gains, or losses, the others are counted instead.
        """
        every: RowSelection = self.lost if losses else self.gained
        if some is every:
            self.grid.need_histogram(every)
            return
        size: Size = self.grid.size
        histogram: cython.int[::1] = self.histograms[place * size : (place + 1) * size]
        if 2 * len(some.index) > len(every.index) > FEW:
            self.grid.need_histogram(every)
            histogram[:] = every.histogram
            self.grid.count(histogram, some.rest, -1, False)
        else:
            for bin in range(size):
                histogram[bin] = 0
            self.grid.count(histogram, some.index, 1, False)
        some.histogram = histogram

    @cython.cfunc
    def some(self, rows: Size, losses: cython.bint) -> RowSelection:
        """Those of the gains, or of the losses, that are among the rows, and the rest of them if that is smaller."""
        every: RowSelection = self.lost if losses else self.gained
        slot: Size = self.losses if losses else self.gains
        number: Size = self.common_rows(rows, slot)
        if number == len(every.index):
            return every
        some = RowSelection()
        some.index = self.positions(rows, slot)
        some.total = self.common_weight(rows, slot)
        if 2 * number > len(every.index) > FEW:
            some.rest = self.positions_but(slot, rows)
        return some


@cython.cfunc
def parts_of(exceptions: list) -> Size:
    """The number of exceptions, with those inside."""
    found: Size = 0
    for exception in exceptions:
        found += 1 + parts_of(exception[1])
    return found
