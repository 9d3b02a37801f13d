# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: a table as bins, its rows and their histograms."""

from __future__ import annotations

import cython
import numpy as np

Size = cython.typedef(cython.Py_ssize_t)

compiled: object = bool(cython.compiled)
"""Whether this file was compiled."""


def view(array: object) -> object:
    """Give a new array the form that kernels index: unchanged when compiled, else a memoryview of plain numbers."""
    return array if cython.compiled else memoryview(array)


@cython.final
@cython.cclass
class Selection:
    """Rows by number (``index``), with their ``total`` weight and, once it is counted, their ``histogram``.

    ``whole`` minus the histogram of ``rest`` is the same histogram. ``tallies`` are histograms per label.
    """

    def __init__(self):
        self.index = self.rest = self.whole = self.histogram = self.tallies = None
        self.total = 0

    def weight(self):
        """The weight of the rows, which is their number if every row weighs 1."""
        return self.total

    def rows(self):
        """The row numbers."""
        return np.asarray(self.index)


@cython.cclass
class Grid:
    """A table as bins, and its rows; ``grid.pxd`` lists the attributes.

    A column's ranks fall into at most 256 *bins*, so that a cell is one byte: a column with few values has a bin for
    each, a column with many has quantile bins, and its exact ranks besides (``fine``). A histogram holds the weight of
    the rows in each bin, column after column: numeric bins first, padded to whole groups of 16, then categorical bins,
    padded too.
    """

    def __init__(self, labels, weights, numbers, ranks):
        """Make an empty grid, given how many numbers and ranks (with missing) each column has; fill it by `load_*`."""
        self.rows = len(labels)
        self.columns = len(numbers)
        self.size = 0
        self.labels = view(labels)
        self.weights = view(weights)
        self.even = bool((weights == 1).all())
        self.numbers = view(np.array(numbers, np.int32))
        self.first, self.split, self.end, self.wide = (view(np.zeros(self.columns, np.int32)) for _ in range(4))
        wide: cython.int = 0
        for i in range(self.columns):
            number: cython.int = self.numbers[i]
            rank: cython.int = ranks[i]
            self.wide[i] = -1
            self.first[i] = self.size
            self.split[i] = self.size + whole_groups(number)
            self.end[i] = self.split[i] + rank - number
            if self.end[i] - self.first[i] > 256:  # more ranks than bins: numbers and categories share them
                self.wide[i] = wide
                wide += 1
                # Rounded up, so that a single number among thousands of categories has a bin too.
                share: cython.int = (240 * cython.cast(cython.longlong, number) + rank - 1) // rank
                self.split[i] = self.first[i] + whole_groups(share)
                self.end[i] = self.first[i] + 256
            self.size = self.first[i] + whole_groups(self.end[i] - self.first[i])
        self.low = view(np.zeros(self.size, np.int32))
        self.width = view(np.zeros(self.size, np.int32))
        self.grid = view(np.empty(self.columns * self.rows, np.uint8))
        self.bins = view(np.empty(self.columns * self.rows, np.uint8))
        self.fine = view(np.empty(wide * self.rows, np.int32))
        self.mark = view(np.zeros(self.rows, np.uint8))

    # -- bins ------------------------------------------------------------------------------------------------------

    def is_wide(self, i: Size):
        """Whether a column has more ranks than bins."""
        return self.wide[i] >= 0

    def load_narrow(self, i: Size, codes: cython.const[cython.uchar][::1]):
        """Fill a column with few values, a bin for every rank; False if it has other codes."""
        if not cython.compiled:
            codes = memoryview(codes)
        start: Size = i * self.rows
        numbers: cython.int = self.numbers[i]
        padding: cython.int = self.split[i] - self.first[i] - numbers
        for rank in range(self.end[i] - self.first[i] - padding):
            bin: Size = self.first[i] + rank + (padding if rank >= numbers else 0)
            self.low[bin] = rank
            self.width[bin] = 1
        bins: cython.uchar[::1] = self.bins[start : start + self.rows]  # local: bytes may alias attributes of self
        most: cython.uchar = 0
        for row in range(self.rows):
            most = max(most, codes[row])
        if padding == 0:
            bins[:] = codes
        else:
            for row in range(self.rows):
                bins[row] = codes[row] + (padding if codes[row] >= numbers else 0)
        return most < self.end[i] - self.first[i] - padding

    def load_wide(self, i: Size, codes: cython.const[cython.int][::1], ranks: Size):
        """Fill a column with many values: bins of about equal size, and the ranks; False if it has other codes."""
        if not cython.compiled:
            codes = memoryview(codes)
        start: Size = i * self.rows
        fine: Size = self.wide[i] * self.rows
        counts: cython.int[::1] = view(np.zeros(ranks, np.int32))
        bin_of: cython.uchar[::1] = view(np.empty(ranks, np.uint8))
        for row in range(self.rows):
            if codes[row] < 0 or codes[row] >= ranks:
                return False
            counts[codes[row]] += 1
        self.cut(counts, bin_of, 0, self.numbers[i], self.first[i], self.first[i], self.split[i])
        self.cut(counts, bin_of, self.numbers[i], ranks, self.first[i], self.split[i], self.end[i])
        bins: cython.uchar[::1] = self.bins[start : start + self.rows]
        self.fine[fine : fine + self.rows] = codes
        for row in range(self.rows):
            bins[row] = bin_of[codes[row]]
        return True

    @cython.cfunc
    def cut(
        self,
        counts: cython.int[::1],
        bin_of: cython.uchar[::1],
        rank: Size,
        end: Size,
        first: Size,
        bin: Size,
        last: Size,
    ):
        """Cut the ranks up to ``end`` into bins up to ``last``. A frequent value has a bin of its own."""
        left: cython.longlong = 0
        filled: cython.longlong = 0
        for k in range(rank, end):
            left += counts[k]
        if rank < end:
            self.low[bin] = rank
        for k in range(rank, end):
            if filled > 0 and last - bin > 1 and (2 * filled + counts[k]) * (last - bin) > 2 * left:
                left -= filled
                filled = 0
                bin += 1
                self.low[bin] = k
            filled += counts[k]
            self.width[bin] += 1
            bin_of[k] = bin - first

    def loaded(self):
        """Copy the bins row by row, once every column is there, in blocks of rows that stay in the cache."""
        grid: cython.uchar[::1] = self.grid  # local, see `load_narrow`
        bins: cython.uchar[::1] = self.bins
        rows: Size = self.rows
        columns: Size = self.columns
        for block in range(0, rows, 512):
            end = min(block + 512, rows)
            for i in range(columns):
                for row in range(block, end):
                    grid[row * columns + i] = bins[i * rows + row]

    def distinct(self, i: Size, ranks: Size):
        """How many ranks of a column occur in rows with a weight."""
        seen: cython.uchar[::1] = view(np.zeros(ranks, np.uint8))
        count: Size = 0
        for row in range(self.rows):
            if self.weights[row] > 0:
                seen[self.rank(i, row)] = 1
        for rank in range(ranks):
            count += seen[rank]
        return count

    def gap(self, rows: Selection, i: Size, first: Size):
        """The last rank before ``first`` that occurs in the rows, or -1, and the next, or the end of the numbers."""
        below: Size = -1
        above: Size = self.numbers[i]
        index: cython.int[::1] = rows.index
        for k in range(len(index)):
            rank: Size = self.rank(i, index[k])
            if rank < first:
                below = max(below, rank)
            else:
                above = min(above, rank)
        return below, above

    # -- rows ------------------------------------------------------------------------------------------------------

    def everything(self):
        """All rows with a weight."""
        rows = Selection()
        rows.index = view(np.flatnonzero(self.weights).astype(np.int32))
        rows.total = int(np.sum(self.weights, dtype=np.int64))
        return rows

    def popularity(self, rows: Selection, labels: Size):
        """The weight of the rows of each label."""
        counts: Size[::1] = view(np.zeros(labels, np.intp))
        for k in range(len(rows.index)):
            counts[self.labels[rows.index[k]]] += self.weights[rows.index[k]]
        return list(counts)

    def by_label(self, rows: Selection, label: cython.int, labels: Size):
        """The rows of a label, and the others."""
        out: cython.int[::1] = view(np.empty(len(rows.index), np.int32))
        number: Size = len(rows.index)
        front: Size = 0
        back: Size = number - 1
        inside: cython.int
        index: cython.int[::1] = rows.index
        positive = Selection()
        negative = Selection()
        for k in range(number):
            row = index[k]
            inside = self.labels[row] == label
            out[front] = row
            out[back] = row
            front += inside
            back -= 1 - inside
        positive.index = out[:front]
        negative.index = out[front:]
        positive.total = self.weigh(positive.index)
        negative.total = rows.total - positive.total
        # A histogram per label saves counting the rows again for every rule, unless all of them take too much (16 MB).
        if labels * self.size <= 1 << 22 and number > 32:
            if rows.tallies is None:
                rows.tallies = view(np.zeros(labels * self.size, np.int32))
                self.tally(rows.tallies, index, 1)
            positive.histogram = view(np.zeros(self.size, np.int32))
            negative.histogram = view(np.zeros(self.size, np.int32))
            self.gather(rows.tallies, label, labels, positive.histogram, negative.histogram)
        return positive, negative

    def of_label(self, rows: Selection, label: cython.int):
        """The rows of a label."""
        kept: Size = 0
        index: cython.int[::1] = rows.index
        out: cython.int[::1] = view(np.empty(len(index), np.int32))
        for k in range(len(index)):
            out[kept] = index[k]
            kept += self.labels[index[k]] == label
        return self.selected(out[:kept])

    def stakes(self, rows: Selection, label: cython.int, right: Selection):
        """Of the rows, those of the label that are not among the right ones, and those of other labels that are."""
        number: Size = len(rows.index)
        front: Size = 0
        back: Size = number
        own: cython.int
        index: cython.int[::1] = rows.index
        right_index: cython.int[::1] = right.index
        out: cython.int[::1] = view(np.empty(number, np.int32))
        for k in range(len(right_index)):
            self.mark[right_index[k]] = 1
        for k in range(number):
            row = index[k]
            own = self.labels[row] == label
            if own != self.mark[row]:
                if own:
                    out[front] = row
                    front += 1
                else:
                    back -= 1
                    out[back] = row
        for k in range(len(right_index)):
            self.mark[right_index[k]] = 0
        return self.selected(out[:front]), self.selected(out[back:])

    def of_rows(self, index):
        """The rows with these numbers."""
        return self.selected(view(index))

    @cython.cfunc
    def selected(self, index: cython.int[::1]):
        """The rows as a selection."""
        some = Selection()
        some.index = index
        some.total = self.weigh(index)
        return some

    @cython.ccall
    def covered(self, rows: Selection, feature: Size, rank: Size, other: cython.bint):
        """The rows where a literal is true: ``<=`` or ``==`` the rank's value, or, if other, ``>`` or ``!=`` it."""
        number: Size = len(rows.index)
        front: Size = 0
        back: Size = number - 1
        inside: cython.int
        index: cython.int[::1] = rows.index
        out: cython.int[::1] = view(np.empty(number, np.int32))
        self.prepare(feature, rank, other)
        start: Size = self.start
        low: cython.int = self.from_code
        end: cython.int = self.to_code
        negated: cython.int = self.negated
        code: cython.int
        if self.by_fine:
            for k in range(number):
                row = index[k]
                code = self.fine[start + row]
                inside = ((code >= low) & (code < end)) ^ negated
                out[front] = row  # both writes, no branch: the truth of a literal is hard to predict
                out[back] = row
                front += inside
                back -= 1 - inside
        else:
            for k in range(number):
                row = index[k]
                code = self.bins[start + row]
                inside = ((code >= low) & (code < end)) ^ negated
                out[front] = row
                out[back] = row
                front += inside
                back -= 1 - inside
        some = Selection()
        some.index = out[:front]
        some.total = self.weigh(some.index)
        some.rest = out[front:]
        some.whole = rows.histogram
        return some

    @cython.ccall
    def minus(self, rows: Selection, gone: Selection):
        """The rows that are not gone."""
        number: Size = len(rows.index)
        kept: Size = 0
        index: cython.int[::1] = rows.index
        gone_index: cython.int[::1] = gone.index
        out: cython.int[::1] = view(np.empty(number, np.int32))
        if len(gone_index) == 0:
            return rows
        for k in range(len(gone_index)):
            self.mark[gone_index[k]] = 1
        for k in range(number):
            out[kept] = index[k]
            kept += 1 - self.mark[index[k]]
        for k in range(len(gone_index)):
            self.mark[gone_index[k]] = 0
        left = Selection()
        left.index = out[:kept]
        left.total = self.weigh(left.index)
        if number - kept == len(gone_index):  # all that is gone was there, so histograms can be subtracted
            left.rest = gone_index
            left.whole = rows.histogram
        if rows.tallies is not None:  # handed on, not copied: the learner does not look back
            left.tallies = rows.tallies
            rows.tallies = None
            self.tally(left.tallies, gone_index, -1)
        return left

    def plus(self, rows: Selection, more: Selection):
        """The rows of both, which have none in common."""
        both = Selection()
        number: Size = len(rows.index)
        both.index = view(np.empty(number + len(more.index), np.int32))
        both.index[:number] = rows.index
        both.index[number:] = more.index
        both.total = rows.total + more.total
        return both

    def satisfying(self, rows: Selection, rule: tuple):
        """The rows that a rule covers: its literals, as in `covered`, and its exceptions, which are such rules."""
        return self.selected(self.filtered(rows.index, rule))

    @cython.cfunc
    def filtered(self, index: cython.int[::1], rule: tuple) -> cython.int[::1]:
        tests, exceptions = rule
        out: cython.int[::1] = view(np.empty(len(index), np.int32))
        source: cython.int[::1] = index
        gone: cython.int[::1]
        kept: Size = len(index)
        if not tests:  # never the same memory: exceptions are marked while the rows are moved
            out[:] = index
            source = out
        for feature, rank, other in tests:
            self.prepare(feature, rank, other)
            kept = self.keep(source[:kept], out)
            source = out
        for exception in exceptions:
            if kept == 0:
                break
            gone = self.filtered(source[:kept], exception)
            for k in range(len(gone)):
                self.mark[gone[k]] = 1
            number: Size = kept
            kept = 0
            for k in range(number):
                row: cython.int = source[k]
                out[kept] = row
                kept += 1 - self.mark[row]
            for k in range(len(gone)):
                self.mark[gone[k]] = 0
            source = out
        return source[:kept]

    @cython.cfunc
    @cython.exceptval(check=False)
    def keep(self, index: cython.int[::1], out: cython.int[::1]) -> Size:
        """Copy the rows for which the prepared literal is true, maybe onto themselves, and return how many they are."""
        start: Size = self.start
        low: cython.int = self.from_code
        end: cython.int = self.to_code
        negated: cython.int = self.negated
        kept: Size = 0
        if self.by_fine:
            for k in range(len(index)):
                row: cython.int = index[k]
                rank: cython.int = self.fine[start + row]
                out[kept] = row  # no branch: the truth of a literal is hard to predict
                kept += ((rank >= low) & (rank < end)) ^ negated
        else:
            for k in range(len(index)):
                row = index[k]
                rank = self.bins[start + row]
                out[kept] = row
                kept += ((rank >= low) & (rank < end)) ^ negated
        return kept

    def failing(self, rows: Selection, tests: list):
        """The rows for which all literals are true, and for each literal the rows for which only it is false."""
        number: Size = len(rows.index)
        count: Size = len(tests)
        index: cython.int[::1] = rows.index
        out: cython.int[::1] = view(np.empty(number, np.int32))
        failed: cython.longlong[::1] = view(np.zeros(number, np.int64))  # how many fail, times 2**32, plus which
        starts: Size[::1] = view(np.zeros(count + 2, np.intp))
        for test in range(count):
            feature, rank, other = tests[test]
            self.prepare(feature, rank, other)
            self.fail(index, (cython.cast(cython.longlong, 1) << 32) + test + 1, failed)
        near: Size = 0
        nearly: cython.int[::1] = view(np.empty(number, np.int32))
        for k in range(number):  # most rows fail several
            nearly[near] = index[k]
            failed[near] = failed[k]
            near += failed[k] < cython.cast(cython.longlong, 2) << 32
        for k in range(near):
            failed[k] &= 0xFFFFFFFF
            starts[failed[k] + 1] += 1
        for kind in range(count + 1):
            starts[kind + 1] += starts[kind]
        ends: Size[::1] = view(np.array(starts))
        for k in range(near):
            out[ends[failed[k]]] = nearly[k]
            ends[failed[k]] += 1
        return [self.selected(out[starts[kind] : starts[kind + 1]]) for kind in range(count + 1)]

    @cython.cfunc
    @cython.exceptval(check=False)
    def fail(self, index: cython.int[::1], step: cython.longlong, failed: cython.longlong[::1]) -> cython.void:
        """Add a step for each row for which the prepared literal is false."""
        start: Size = self.start
        low: cython.int = self.from_code
        end: cython.int = self.to_code
        negated: cython.int = self.negated
        if self.by_fine:
            for k in range(len(index)):
                rank: cython.int = self.fine[start + index[k]]
                failed[k] += step * (1 - (((rank >= low) & (rank < end)) ^ negated))
        else:
            for k in range(len(index)):
                rank = self.bins[start + index[k]]
                failed[k] += step * (1 - (((rank >= low) & (rank < end)) ^ negated))

    @cython.cfunc
    @cython.exceptval(check=False)
    def prepare(self, feature: Size, rank: Size, other: cython.bint) -> cython.void:
        """Note where the column of a literal starts, and which codes it means: [from_code, to_code), or all others."""
        numbers: Size = self.numbers[feature]
        self.by_fine = self.wide[feature] >= 0
        self.start = (self.wide[feature] if self.by_fine else feature) * self.rows
        self.negated = other and rank >= numbers
        self.from_code = rank
        if rank < numbers:
            self.from_code = rank + 1 if other else 0
        elif not self.by_fine:  # categorical bins come after the padding of numeric ones
            self.from_code += self.split[feature] - self.first[feature] - numbers
        self.to_code = self.from_code + 1
        if rank < numbers:
            self.to_code = numbers if other else rank + 1

    @cython.cfunc
    def weigh(self, index: cython.int[::1]) -> cython.longlong:
        """The weight of rows."""
        total: cython.longlong = len(index)
        if not self.even:
            total = 0
            for k in range(len(index)):
                total += self.weights[index[k]]
        return total

    # -- histograms ------------------------------------------------------------------------------------------------

    @cython.cfunc
    def need_histogram(self, rows: Selection):
        """Count the rows in each bin, once: from these rows, or from the rest if that is known and smaller."""
        if rows.histogram is not None:
            return
        rows.histogram = view(np.zeros(self.size, np.int32))
        if rows.whole is not None and len(rows.rest) < len(rows.index):
            rows.histogram[:] = rows.whole
            self.count(rows.histogram, rows.rest, -1)
        else:
            self.count(rows.histogram, rows.index, 1)
        rows.whole = rows.rest = None

    @cython.cfunc
    def count(self, histogram: cython.int[::1], index: cython.int[::1], step: cython.int):
        """Add the weight of every row to the bin of each of its cells, or subtract it (``step`` -1)."""
        columns = self.columns
        for k in range(len(index)):
            cell = index[k] * columns
            weight: cython.int = step if self.even else step * self.weights[index[k]]
            for i in range(columns):
                histogram[self.first[i] + self.grid[cell + i]] += weight

    @cython.cfunc
    def tally(self, tallies: cython.int[::1], index: cython.int[::1], step: cython.int):
        """Do the same in the histogram of the row's label."""
        columns = self.columns
        for k in range(len(index)):
            cell = index[k] * columns
            start = self.labels[index[k]] * self.size
            weight: cython.int = step if self.even else step * self.weights[index[k]]
            for i in range(columns):
                tallies[start + self.first[i] + self.grid[cell + i]] += weight

    @cython.cfunc
    def gather(
        self, tallies: cython.int[::1], label: Size, labels: Size, positive: cython.int[::1], negative: cython.int[::1]
    ):
        """The histogram of a label, and the sum of the others'."""
        for k in range(labels):
            start = k * self.size
            for bin in range(self.size):
                if k == label:
                    positive[bin] = tallies[start + bin]
                else:
                    negative[bin] += tallies[start + bin]

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def rank(self, i: Size, row: Size) -> cython.longlong:
        """The rank of a cell."""
        if self.wide[i] >= 0:
            return self.fine[self.wide[i] * self.rows + row]
        return self.low[self.first[i] + self.bins[i * self.rows + row]]


@cython.cfunc
@cython.inline
def whole_groups(bins: cython.int) -> cython.int:
    """A number of bins rounded up to whole groups."""
    return (bins + 15) // 16 * 16
