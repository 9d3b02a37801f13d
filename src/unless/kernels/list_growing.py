# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: many lists from one table in bins, each with other weights, records and columns; and boosting them."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view
from unless.kernels.work_sharing import run_in_threads

if cython.compiled:
    from cython.cimports.libc.math import ceil, exp, sqrt
    from cython.cimports.unless.kernels.rule_growing import is_significant
else:
    from math import ceil, exp, sqrt

    from unless.kernels.rule_growing import is_significant

Size = cython.typedef(cython.Py_ssize_t)

OFTEN: object = 1 << 20
"""After looking at this many cells, about a millisecond, the learner asks whether to go on."""

MANY: object = 1 << 19
"""From this many cells on, threads share the counting; starting them costs as much as counting some 50,000."""


@cython.final
@cython.cclass
class ListGrower:
    """Lists learned rule by rule; `learn.unless_learner` defines them, and `Search` finds the same literals.

    A cell is a byte: its *bin*. Those of numbers come first, then those of categories and missing; bins from ``ends``
    on are counted, but no literal tests them. Rows are numbers in ``index``; a set of rows is a stretch of it, and a
    literal moves the rows for which it is true to the front of theirs. Histograms lie in numbered slots: 0 is that of
    all rows that no rule covers yet, 1 and 2 those of the label under search and of the others, then two for every
    level of exceptions. A list is a row of numbers: for each rule how many literals and exceptions it has, the
    literals as feature, bin, and whether it is the negative one (``>``, ``!=``), and the exceptions, in the same form.
    """

    rows: Size
    columns: Size
    threads: Size
    bins: cython.uchar[::1]  # column by column
    cells: cython.uchar[::1]  # the same, row by row
    numbers: cython.int[::1]  # of each column: how many bins are of numbers
    ends: cython.int[::1]  # how many bins literals can test
    sizes: cython.int[::1]  # how many bins it has
    labels: cython.int[::1]
    weights: cython.int[::1]
    index: cython.int[::1]
    scratch: cython.int[::1]
    marks: cython.uchar[::1]  # as many rows for every level
    histograms: cython.int[::1]
    size: Size  # the bins of the columns that take part
    picked: cython.int[::1]  # these columns
    first: cython.int[::1]  # where the bins of each begin
    distinct: list  # how many of them rows have
    heads: list
    code: cython.int[::1]
    length: Size
    program: cython.int[::1]  # the code that `deciding` reads
    complete: Size  # how much of the code are whole rules
    left: Size  # how many rows no rule covers yet
    label_weights: cython.longlong[::1]
    decided: cython.int[::1]  # the rule that decides each row
    work: Size
    check_stop: object

    ratio: cython.double  # what is demanded (`learn.engine.Demands`)
    penalty: cython.double
    least: cython.double
    support: cython.longlong
    unit: cython.double

    P: cython.longlong  # the search, and the best literal so far
    Q: cython.longlong
    best_score: cython.double
    best_feature: Size
    best_bin: Size
    best_other: cython.bint
    best_a: cython.longlong
    best_b: cython.longlong

    true_end: Size  # what a function finds besides its result: a rule covers the positives up to here,
    true_total: cython.longlong
    false_begin: Size  # and the negatives from here
    false_end: Size
    at: Size

    def __init__(self, bins, numbers, ends, sizes, threads=1):
        """Take the bins of every cell, column by column, and how many bins each column has."""
        self.columns = len(numbers)
        self.rows = len(bins) // max(self.columns, 1)
        self.threads = threads
        self.bins = view(bins)
        self.cells = view(np.ascontiguousarray(bins.reshape(self.columns, self.rows).T).reshape(-1))
        self.numbers, self.ends, self.sizes = (view(np.array(one, np.int32)) for one in (numbers, ends, sizes))
        self.scratch = view(np.empty(self.rows, np.int32))
        self.marks = view(np.zeros(self.rows, np.uint8))
        self.code = view(np.empty(1024, np.int32))
        self.histograms = view(np.empty(0, np.int32))

    # -- a list

    def learn(self, index, labels, weights, picked, criteria, rare_first: cython.bint, most: Size, check_stop, decided):
        """Learn a list from some rows and columns, with at most ``most`` rules, the last one included.

        ``check_stop`` is called before each rule, and now and then, with the number of rules; if it raises something,
        `learned` has the rules until then. The number of the rule that decides each of these rows goes to ``decided``,
        if it is not the last one.

        The last of the ``criteria`` says when a label without a rule is tried again: when that share of the rows
        is left since then, or no other label has a rule, as in `learn.unless_learner`.
        """
        self.index, self.labels, self.weights, self.picked = map(view, (index, labels, weights, picked))
        self.decided = view(decided)
        self.ratio, self.penalty, self.least, self.unit = criteria[:4]
        many: Size = criteria[4]
        classes: Size = criteria[5]
        again: cython.double = criteria[6]
        k: Size
        self.support = cython.cast(cython.longlong, ceil(min(self.least / self.unit, 1e12)))
        self.check_stop, self.work = check_stop, 0
        self.heads = []
        self.length = self.complete = 0
        self.left = len(index)
        for k in range(len(self.marks)):  # what was interrupted may have left some
            self.marks[k] = 0
        self.lay_out(many)
        self.label_weights = view(np.zeros(classes, np.int64))
        for k in range(self.left):
            self.label_weights[self.labels[self.index[k]]] += self.weights[self.index[k]]
        aside: cython.longlong[::1] = view(np.zeros(classes, np.int64))  # of a label without a rule: how much was left
        usual: Size = -1
        for k in range(classes):
            if rare_first and (usual < 0 or self.label_weights[k] > self.label_weights[usual]):
                usual = k
        while len(self.heads) + 1 < most:
            self.check_stop(len(self.heads))
            label: Size = self.next_label(aside, usual)
            if label < 0:
                if not self.try_again(aside, 1.0):
                    break
            elif self.learn_rule(label):
                self.try_again(aside, again)
            else:
                aside[label] = self.weight_left()

    def learned(self):
        """The labels of the rules of the list, where the last rule has no literals, and the code of the others."""
        last: Size = 0
        for k in range(len(self.label_weights)):
            if self.label_weights[k] > self.label_weights[last]:
                last = k
        if self.heads and self.label_weights[last] == 0:
            last = self.heads[len(self.heads) - 1][0]
        while self.heads and self.heads[len(self.heads) - 1][0] == last:  # the last rule decides the same
            self.complete = self.heads.pop()[1]
        return [head[0] for head in self.heads] + [last], np.array(self.code[: self.complete], np.int32)

    @cython.cfunc
    def lay_out(self, many: Size):
        """Place the bins of the columns that take part, count all rows, and the bins that they have."""
        self.size = 0
        self.first = view(np.zeros(len(self.picked), np.int32))
        self.distinct = []
        for j in range(len(self.picked)):
            self.first[j] = self.size
            self.size += self.sizes[self.picked[j]]
        self.need_slots(5)
        self.clear(0)
        self.count(0, 0, self.left, 1)
        for j in range(len(self.picked)):
            number: Size = 0
            for k in range(self.first[j], self.first[j] + self.sizes[self.picked[j]]):
                number += self.histograms[k] != 0
            self.distinct.append(min(number, many))

    @cython.cfunc
    def next_label(self, aside: cython.longlong[::1], usual: Size) -> Size:
        """The most popular label that is not put aside, or the rarest but for the usual one; -1 ends the list."""
        found: Size = -1
        there: Size = 0
        for k in range(len(self.label_weights)):
            if self.label_weights[k] == 0:
                continue
            there += 1
            if aside[k] or k == usual:
                continue
            if found < 0 or (
                self.label_weights[k] < self.label_weights[found]
                if usual >= 0
                else self.label_weights[k] > self.label_weights[found]
            ):
                found = k
        return found if there > 1 else -1

    @cython.cfunc
    def try_again(self, aside: cython.longlong[::1], run_in_threads: cython.double) -> cython.bint:
        """Take back labels that were put aside, if only such a share of the rows is left; whether there are some."""
        found: cython.bint = False
        left: cython.longlong = self.weight_left()
        for k in range(len(aside)):
            if left < aside[k] and left <= run_in_threads * aside[k]:
                aside[k] = 0
                found = True
        return found

    @cython.cfunc
    def weight_left(self) -> cython.longlong:
        """The weight of the rows that no rule covers yet."""
        total: cython.longlong = 0
        for k in range(len(self.label_weights)):
            total += self.label_weights[k]
        return total

    @cython.cfunc
    def learn_rule(self, label: Size) -> cython.bint:
        """Add a rule for a label; False if none exists."""
        everything: cython.longlong = self.weight_left()
        self.split_label(label)
        positive: Size = self.at
        total: cython.longlong = self.label_weights[label]
        self.clear(1)
        if 2 * positive <= self.left:
            self.count(1, 0, positive, 1)
        else:
            self.copy(0, 1)
            self.count(1, positive, self.left, -1)
        for k in range(self.size):
            self.histograms[2 * self.size + k] = self.histograms[k] - self.histograms[self.size + k]
        if not self.rule(0, positive, total, positive, self.left, everything - total, 1, 2, 0):
            return False
        self.paint(0, 0, self.true_end)
        self.paint(0, self.false_begin, self.false_end)
        self.label_weights[label] -= self.true_total
        for k in range(self.false_begin, self.false_end):
            self.label_weights[self.labels[self.index[k]]] -= self.weights[self.index[k]]
        kept: Size = self.unmarked(0, 0, self.left)
        for k in range(kept, self.left):
            self.decided[self.index[k]] = len(self.heads)
        if 2 * kept < self.left:
            self.clear(0)
            self.count(0, 0, kept, 1)
        else:
            self.count(0, kept, self.left, -1)
        self.left = kept
        self.heads.append((label, self.complete))
        self.complete = self.length
        return True

    # -- a rule: `Engine.grow_rule` defines it

    @cython.cfunc
    def rule(
        self,
        begin: Size,
        end: Size,
        positive: cython.longlong,
        other_begin: Size,
        other_end: Size,
        negative: cython.longlong,
        slot: Size,
        other_slot: Size,
        level: Size,
    ) -> cython.bint:
        """Grow a rule for positives against negatives, each rows from begin to end, their weight, and a histogram."""
        own: Size = 3 + 2 * level
        start: Size = self.length
        general: cython.bint = False
        tests: Size = 0
        self.need_slots(own + 4)
        self.put(0)
        self.put(0)
        while not general and not (tests > 0 and negative == 0):
            self.ask(end - begin + other_end - other_begin)
            self.search(slot, other_slot, positive, negative)
            if self.best_feature < 0 or not is_significant(
                self.P * self.unit,
                self.Q * self.unit,
                self.best_a * self.unit,
                self.best_b * self.unit,
                self.penalty,
                self.distinct,
            ):
                break
            feature: Size = self.best_feature
            bin: Size = self.best_bin
            other: cython.bint = self.best_other
            tests += 1
            self.put(feature)
            self.put(bin)
            self.put(other)
            middle: Size = self.split(begin, end, feature, bin, other)
            other_middle: Size = self.split(other_begin, other_end, feature, bin, other)
            positive, negative = self.best_a, self.best_b
            general = negative * self.unit <= self.ratio * (positive * self.unit)
            if negative * self.unit >= self.least if general else negative > 0:  # something will be searched
                self.narrow(slot, own, begin, middle, end)
                self.narrow(other_slot, own + 1, other_begin, other_middle, other_end)
                slot, other_slot = own, own + 1
            end = middle
            other_end = other_middle
        exceptions: Size = 0
        if tests > 0 and general and negative > 0 and level + 1 < 200:
            while negative * self.unit >= self.least:
                if not self.rule(other_begin, other_end, negative, begin, end, positive, other_slot, slot, level + 1):
                    break
                exceptions += 1
                self.paint(level + 1, self.false_begin, self.false_end)
                negative -= self.true_total
                self.count(other_slot, other_begin, self.true_end, -1)
                other_begin = self.true_end
            if exceptions > 0:
                middle = self.unmarked(level + 1, begin, end)
                positive = self.weigh(begin, middle)
                end = middle
        if tests == 0 or positive * self.unit < self.least or positive <= negative:
            self.length = start
            return False
        self.code[start] = tests
        self.code[start + 1] = exceptions
        self.true_end = end
        self.true_total = positive
        self.false_begin = other_begin
        self.false_end = other_end
        return True

    @cython.cfunc
    def ask(self, rows: Size):
        """Now and then, ask whether to go on."""
        self.work += rows * len(self.picked) + self.size
        if self.work > OFTEN:
            self.work = 0
            self.check_stop(len(self.heads))

    # -- the purest literal

    @cython.cfunc
    def search(self, slot: Size, other_slot: Size, positive: cython.longlong, negative: cython.longlong):
        """The first literal with the least impurity that covers enough positives, and a larger share of them."""
        self.P, self.Q = positive, negative
        self.best_score = -float("inf")
        self.best_feature = -1
        for j in range(len(self.picked)):
            i: Size = self.picked[j]
            first: Size = slot * self.size + self.first[j]
            other: Size = other_slot * self.size + self.first[j]
            self.search_numbers(i, first, other, self.numbers[i])
            self.search_categories(i, first, other, self.numbers[i], self.ends[i])

    @cython.cfunc
    def search_numbers(self, i: Size, first: Size, other: Size, number: Size):
        all_a: cython.longlong = 0
        all_b: cython.longlong = 0
        a: cython.longlong = 0
        b: cython.longlong = 0
        da: cython.longlong
        db: cython.longlong
        histograms: cython.int[::1] = self.histograms
        for k in range(number):
            all_a += histograms[first + k]
            all_b += histograms[other + k]
        mirrored: cython.bint = all_a == self.P and all_b == self.Q
        for k in range(number):
            da = histograms[first + k]
            db = histograms[other + k]
            if da + db == 0:
                continue
            a += da
            b += db
            if not self.offer(i, k, False, a, b) or not mirrored:  # if mirrored, one of them at most is allowed
                self.offer(i, k, True, all_a - a, all_b - b)

    @cython.cfunc
    def search_categories(self, i: Size, first: Size, other: Size, begin: Size, end: Size):
        for k in range(begin, end):
            a: cython.longlong = self.histograms[first + k]
            b: cython.longlong = self.histograms[other + k]
            if a + b > 0 and not self.offer(i, k, False, a, b):
                self.offer(i, k, True, self.P - a, self.Q - b)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def offer(self, i: Size, bin: Size, other: cython.bint, a: cython.longlong, b: cython.longlong) -> cython.bint:
        """Keep a literal that covers (a, b) if it beats the best; whether it covers a larger share of positives."""
        if cython.cast(cython.double, a) * self.Q <= cython.cast(cython.double, b) * self.P:
            return False
        if a < self.support:
            return True
        c: cython.longlong = self.P - a
        d: cython.longlong = self.Q - b
        score: cython.double = -(sqrt(cython.cast(cython.double, a) * b) + sqrt(cython.cast(cython.double, c) * d))
        if score > self.best_score:
            self.best_score = score
            self.best_feature = i
            self.best_bin = bin
            self.best_other = other
            self.best_a = a
            self.best_b = b
        return True

    # -- rows

    @cython.cfunc
    def split(self, begin: Size, end: Size, feature: Size, bin: Size, other: cython.bint) -> Size:
        """Move rows for which a literal is true to the front; where they end."""
        numbers: Size = self.numbers[feature]
        negated: cython.int = other
        low: cython.int = 0 if bin < numbers else bin
        bins: cython.uchar[::1] = self.bins[feature * self.rows : (feature + 1) * self.rows]
        index: cython.int[::1] = self.index
        scratch: cython.int[::1] = self.scratch
        front: Size = begin
        back: Size = 0
        row: cython.int
        inside: cython.int
        code: cython.int
        top: cython.int = numbers if bin < numbers and other else 256  # > is false for what is no number
        with cython.nogil:
            for k in range(begin, end):
                row = index[k]
                code = bins[row]
                inside = (((code >= low) & (code <= bin)) ^ negated) & (code < top)
                index[front] = row  # both writes, no branch: the truth of a literal is hard to predict
                scratch[back] = row
                front += inside
                back += 1 - inside
            for k in range(back):
                index[front + k] = scratch[k]
        return front

    @cython.cfunc
    def split_label(self, label: Size):
        """Move the rows of a label to the front; ``at`` is where they end."""
        front: Size = 0
        back: Size = self.left - 1
        for k in range(self.left):
            row = self.index[k]
            if self.labels[row] == label:
                self.scratch[front] = row
                front += 1
            else:
                self.scratch[back] = row
                back -= 1
        for k in range(self.left):
            self.index[k] = self.scratch[k]
        self.at = front

    @cython.cfunc
    def paint(self, level: Size, begin: Size, end: Size):
        """Mark rows for a level."""
        if len(self.marks) < (level + 1) * self.rows:
            self.marks = view(np.concatenate([self.marks, np.zeros((level + 1) * self.rows, np.uint8)]))
        start: Size = level * self.rows
        for k in range(begin, end):
            self.marks[start + self.index[k]] = 1

    @cython.cfunc
    def unmarked(self, level: Size, begin: Size, end: Size) -> Size:
        """Move rows without a mark to the front, and take the marks of the others away; where the front ends."""
        start: Size = level * self.rows
        front: Size = begin
        back: Size = end - 1
        for k in range(begin, end):
            row = self.index[k]
            if self.marks[start + row]:
                self.marks[start + row] = 0
                self.scratch[back] = row
                back -= 1
            else:
                self.scratch[front] = row
                front += 1
        for k in range(begin, end):
            self.index[k] = self.scratch[k]
        return front

    @cython.cfunc
    def weigh(self, begin: Size, end: Size) -> cython.longlong:
        total: cython.longlong = 0
        for k in range(begin, end):
            total += self.weights[self.index[k]]
        return total

    # -- histograms

    @cython.cfunc
    def need_slots(self, number: Size):
        if len(self.histograms) < number * self.size:
            longer: cython.int[::1] = view(np.empty(2 * number * self.size, np.int32))
            longer[: len(self.histograms)] = self.histograms
            self.histograms = longer

    @cython.cfunc
    def clear(self, slot: Size):
        for k in range(slot * self.size, (slot + 1) * self.size):
            self.histograms[k] = 0

    @cython.cfunc
    def copy(self, slot: Size, to: Size):
        for k in range(self.size):
            self.histograms[to * self.size + k] = self.histograms[slot * self.size + k]

    @cython.cfunc
    def narrow(self, slot: Size, own: Size, begin: Size, middle: Size, end: Size):
        """Make the histogram of the rows up to the middle from that of all, by counting the fewer rows."""
        if middle - begin <= end - middle:
            self.clear(own)
            self.count(own, begin, middle, 1)
        else:
            if slot != own:
                self.copy(slot, own)
            self.count(own, middle, end, -1)

    @cython.cfunc
    def count(self, slot: Size, begin: Size, end: Size, sign: cython.int):
        """Add the weight of rows to the bins of their cells, or subtract it."""
        width: Size = len(self.picked)
        if self.threads > 1 and (end - begin) * width >= MANY:
            shares: Size = min(self.threads, width)
            cuts: list = [width * k // shares for k in range(shares + 1)]
            work: list = [(slot, begin, end, sign, cuts[k], cuts[k + 1]) for k in range(shares)]
            run_in_threads(self.count_columns, work, self.threads)
        else:
            self.count_columns(slot, begin, end, sign, 0, width)

    @cython.ccall
    def count_columns(self, slot: Size, begin: Size, end: Size, sign: cython.int, first: Size, last: Size):
        columns: Size = self.columns
        base: Size = slot * self.size
        cells: cython.uchar[::1] = self.cells
        index: cython.int[::1] = self.index
        weights: cython.int[::1] = self.weights
        histograms: cython.int[::1] = self.histograms
        firsts: cython.int[::1] = self.first
        picked: cython.int[::1] = self.picked
        with cython.nogil:
            for k in range(begin, end):
                row: Size = index[k]
                cell: Size = row * columns
                weight: cython.int = sign * weights[row]
                for j in range(first, last):
                    histograms[base + firsts[j] + cells[cell + picked[j]]] += weight

    @cython.cfunc
    def put(self, number: cython.int):
        """Add a number to the code."""
        if self.length == len(self.code):
            longer: cython.int[::1] = view(np.empty(2 * self.length, np.int32))
            longer[: self.length] = self.code
            self.code = longer
        self.code[self.length] = number
        self.length += 1

    # -- which rule decides

    def decide(self, code, rules: Size, index, out: cython.int[::1]):
        """Write the number of the deciding rule of some rows; the number of the last rule follows those of the code."""
        if not cython.compiled:
            out = memoryview(out)
        self.program = view(code)
        self.index = view(index)
        left: Size = len(index)
        self.at = 0
        for number in range(rules):
            begin: Size = self.cover(0, left)
            end: Size = self.true_end
            for k in range(begin, end):
                out[self.index[k]] = number
            gap: Size = end - begin
            moved: Size = min(gap, left - end)
            for k in range(moved):  # the last rows fill the gap
                self.index[begin + k] = self.index[left - moved + k]
            left -= gap
        for k in range(left):
            out[self.index[k]] = rules

    @cython.cfunc
    def cover(self, begin: Size, end: Size) -> Size:
        """Move the rows that the next rule of the code covers; where they begin, and in ``true_end`` where they end."""
        tests: Size = self.program[self.at]
        exceptions: Size = self.program[self.at + 1]
        self.at += 2
        for _ in range(tests):
            end = self.split(
                begin, end, self.program[self.at], self.program[self.at + 1], self.program[self.at + 2] != 0
            )
            self.at += 3
        for _ in range(exceptions):
            taken: Size = self.cover(begin, end)
            number: Size = self.true_end - taken
            for k in range(number):  # what an exception covers goes to the front
                row = self.index[begin + k]
                self.index[begin + k] = self.index[taken + k]
                self.index[taken + k] = row
            begin += number
        self.true_end = end
        return begin


# -- boosting


def sum_loss_derivatives(
    rule: cython.const[cython.int][::1],
    truth: cython.const[cython.int][::1],
    weight: cython.const[cython.double][::1],
    chances: cython.const[cython.double][::1],
    first: cython.double[::1],
    second: cython.double[::1],
):
    """Add up the derivatives of the log-loss by the points of each rule and class, over the rows that it decides."""
    if not cython.compiled:
        rule, truth, weight, chances, first, second = map(memoryview, (rule, truth, weight, chances, first, second))
    rows: cython.Py_ssize_t = len(rule)
    classes: cython.Py_ssize_t = len(chances) // max(rows, 1)
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for row in range(rows):
            at: cython.Py_ssize_t = rule[row] * classes
            first[at + truth[row]] += weight[row]
            for k in range(classes):
                chance: cython.double = chances[row * classes + k]
                expected: cython.double = weight[row] * chance
                first[at + k] -= expected
                second[at + k] += expected * (1.0 - chance)


def add_points_and_chances(
    rule: cython.const[cython.int][::1],
    points: cython.const[cython.longlong][::1],
    per_logit: cython.double,
    truth: cython.const[cython.int][::1],
    sums: cython.longlong[::1],
    chances: cython.double[::1],
    wrong: cython.double[::1],
):
    """Add the points of its rule to each row; write its probabilities, and what its label lacks."""
    if not cython.compiled:
        rule, points, truth, sums, chances, wrong = map(memoryview, (rule, points, truth, sums, chances, wrong))
    rows: cython.Py_ssize_t = len(rule)
    classes: cython.Py_ssize_t = len(chances) // max(rows, 1)
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t
    most: cython.longlong
    whole: cython.double
    with cython.nogil:
        for row in range(rows):
            at: cython.Py_ssize_t = row * classes
            most = sums[at] + points[rule[row] * classes]
            for k in range(classes):
                sums[at + k] += points[rule[row] * classes + k]
                most = max(most, sums[at + k])
            whole = 0.0
            for k in range(classes):
                chances[at + k] = exp((sums[at + k] - most) / per_logit)
                whole += chances[at + k]
            for k in range(classes):
                chances[at + k] /= whole
            wrong[row] = 1.0 - chances[at + truth[row]]
