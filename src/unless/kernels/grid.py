# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: a table as bins, its rows and their histograms."""

from __future__ import annotations

import cython
import numpy as np

from unless.kernels.share import share

if cython.compiled:
    from cython.cimports.unless.kernels.grid import unless_fetch

Size = cython.typedef(cython.Py_ssize_t)
AHEAD = cython.declare(cython.Py_ssize_t, 12)  # rows whose cells are fetched before they are counted
COARSE = cython.declare(cython.Py_ssize_t, 1 << 13)  # leading bits of ranks, with two bytes each
NO_REST = cython.declare(cython.Py_ssize_t, -1)  # what `sift` takes if nobody asks for the others

compiled: object = bool(cython.compiled)
"""Whether this file was compiled."""

MANY: object = 50_000
"""From this many rows on, threads share the work, and selections take no more memory than they need.

Sharing costs about 50 µs, and going over so many rows of one column about as much.
"""

BLOCKS: object = 4
"""Blocks of rows per thread, so that a thread that is held up by others leaves work to the rest."""

SAMPLE: object = 1 << 18
"""How many rows are looked at to cut a column of many values into bins of about equal size."""


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

    A *bare* column of a block has numbers only, and no ranks: its bins are cut into parts (``lows``), and its numbers
    lie apart (``cells``), column by column, too. Almost every question is answered by the bytes.
    """

    def __init__(self, labels, weights, numbers, ranks, threads=1, bins=None, bare=()):
        """Make an empty grid, given how many numbers and ranks (with missing) each column has; fill it by `load_*`.

        ``bins``, if given, says of each column how many numeric and categorical bins it has, or None for a bin for
        each of its ranks; ``bare`` says which columns are.
        """
        self.threads = threads
        self.rows = len(labels)
        self.many = MANY if bins is None else self.rows + 1  # a block is small: no scratch for each of thousands
        self.columns = len(numbers)
        self.size = 0
        self.few_labels = view(labels if labels.dtype == np.uint8 else np.empty(0, np.uint8))
        self.labels = view(labels if labels.dtype != np.uint8 else np.empty(0, np.int32))
        self.weights = view(weights)
        self.even = bool((weights == 1).all())
        self.numbers = view(np.array(numbers, np.int32))
        self.first, self.split, self.end, self.wide = (view(np.zeros(self.columns, np.int32)) for _ in range(4))
        self.bare = view(np.full(self.columns, -1, np.int32))
        bares: Size = 0
        self.edges = []
        wide: cython.int = 0
        for i in range(self.columns):
            number: cython.int = self.numbers[i]
            rank: cython.int = ranks[i]
            self.wide[i] = -1
            self.first[i] = self.size
            self.split[i] = self.size + whole_groups(number)
            self.end[i] = self.split[i] + rank - number
            if bins is not None and bins[i] is not None:
                if bare and bare[i]:
                    self.bare[i] = bares
                    bares += 1
                else:
                    self.wide[i] = wide
                    wide += 1
                self.split[i] = self.first[i] + whole_groups(bins[i][0])
                self.end[i] = self.split[i] + bins[i][1]
            elif self.end[i] - self.first[i] > 256:  # more ranks than bins: numbers and categories share them
                self.wide[i] = wide
                wide += 1
                # Rounded up, so that a single number among thousands of categories has a bin too.
                share: cython.int = (240 * cython.cast(cython.longlong, number) + rank - 1) // rank
                self.split[i] = self.first[i] + whole_groups(share)
                self.end[i] = self.first[i] + 256
            self.size = self.first[i] + whole_groups(self.end[i] - self.first[i])
        self.low = view(np.zeros(self.size, np.int32))
        self.width = view(np.zeros(self.size, np.int32))
        self.grid = view(np.empty(self.columns * self.rows if bins is None else 0, np.uint8))
        self.bins = view(np.empty(self.columns * self.rows, np.uint8))
        self.fine = view(np.empty(wide * self.rows, np.int32))
        self.mark = view(np.zeros(self.rows, np.uint8))
        self.scratch = self.codes = self.few_codes = self.lows = self.cells = None

    # -- threads ---------------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    def shared(self, number: Size) -> cython.bint:
        """Whether threads share the work on so many rows."""
        return self.threads > 1 and number >= self.many

    @cython.cfunc
    def blocks(self, number: Size) -> list:
        """Blocks of so many rows, each with its number: one for all rows, or some for every thread."""
        return self.divided(number, BLOCKS * self.threads if self.shared(number) else 1)

    @cython.cfunc
    def divided(self, number: Size, count: Size) -> list:
        """So many blocks of rows, each with its number."""
        return [(k, number * k // count, number * (k + 1) // count) for k in range(count)]

    @cython.cfunc
    def share(self, function: object, items: list):
        """Call a method, which releases the GIL, with every item."""
        share(function, items, self.threads)

    # -- bins ------------------------------------------------------------------------------------------------------

    def is_wide(self, i: Size):
        """Whether a column has more ranks than bins."""
        return self.wide[i] >= 0

    def load_narrow(self, i: Size, codes: cython.const[cython.uchar][::1]):
        """Fill a column with few values, a bin for every rank; False if it has other codes."""
        if not cython.compiled:
            codes = memoryview(codes)
        self.name_bins(i)
        start: Size = i * self.rows
        numbers: cython.int = self.numbers[i]
        padding: cython.int = self.split[i] - self.first[i] - numbers
        bins: cython.uchar[::1] = self.bins[start : start + self.rows]  # local: bytes may alias attributes of self
        most: cython.uchar = 0
        with cython.nogil:
            for row in range(self.rows):
                most = max(most, codes[row])
            if padding == 0:
                bins[:] = codes
            else:
                for row in range(self.rows):
                    bins[row] = codes[row] + (padding if codes[row] >= numbers else 0)
        return most < self.end[i] - self.first[i] - padding

    @cython.cfunc
    def name_bins(self, i: Size):
        """Note the rank of every bin of a column with few values."""
        numbers: cython.int = self.numbers[i]
        padding: cython.int = self.split[i] - self.first[i] - numbers
        for rank in range(self.end[i] - self.first[i] - padding):
            bin: Size = self.first[i] + rank + (padding if rank >= numbers else 0)
            self.low[bin] = rank
            self.width[bin] = 1

    def load_wide(self, i: Size, codes: cython.const[cython.int][::1], ranks: Size):
        """Fill a column with many values: bins of about equal size, and the ranks; False if it has other codes."""
        if not cython.compiled:
            codes = memoryview(codes)
        rows: Size = self.rows
        bins: cython.uchar[::1] = self.bins[i * rows : (i + 1) * rows]
        fine: cython.int[::1] = self.fine[self.wide[i] * rows : (self.wide[i] + 1) * rows]
        counts: cython.int[::1] = view(np.zeros(ranks, np.int32))
        bin_of: cython.uchar[::1] = view(np.empty(ranks, np.uint8))
        step: Size = max(rows // SAMPLE, 1)
        least: cython.int = 0
        most: cython.int = 0
        with cython.nogil:
            for row in range(rows):
                least = min(least, codes[row])
                most = max(most, codes[row])
        if least < 0 or most >= ranks:
            return False
        with cython.nogil:
            for k in range(rows // step):  # one row of every few, now here, now there: columns may repeat themselves
                counts[codes[k * step + (k * cython.cast(cython.longlong, 2654435761) >> 16) % step]] += 1
            self.cut(counts, bin_of, 0, self.numbers[i], self.first[i], self.first[i], self.split[i])
            self.cut(counts, bin_of, self.numbers[i], ranks, self.first[i], self.split[i], self.end[i])
            fine[:] = codes
        self.bin_all(codes, bin_of, bins)
        return True

    @cython.cfunc
    def bin_all(
        self, codes: cython.const[cython.int][::1], bin_of: cython.const[cython.uchar][::1], bins: cython.uchar[::1]
    ):
        """The bin of every rank: ranks that share their leading bits mostly share it.

        Those are few enough for the fastest cache. Filling a grid of 10,000,000 rows and 23 columns took 3.3 and 2.5
        CPU seconds without this, and 2.2 and 2.1 with it, on a busy machine.
        """
        ranks: Size = len(bin_of)
        shift: cython.int = 0
        while ranks >> shift > COARSE:
            shift += 1
        several: cython.short = -1
        coarse: cython.short[::1] = view(np.empty((ranks >> shift) + 1, np.int16))
        bin: cython.short
        with cython.nogil:
            for rank in range(ranks):
                place: Size = rank >> shift
                if rank == place << shift:
                    coarse[place] = bin_of[rank]
                elif coarse[place] != bin_of[rank]:
                    coarse[place] = several
            for row in range(len(codes)):
                bin = coarse[codes[row] >> shift]
                if bin < 0:
                    bin = bin_of[codes[row]]
                bins[row] = bin

    def load_binned(self, i: Size, codes: cython.const[cython.int][::1], bin_of: cython.const[cython.uchar][::1]):
        """Fill a column whose bins were given, by the bin of every rank; it is not searched."""
        if not cython.compiled:
            codes, bin_of = memoryview(codes), memoryview(bin_of)
        start: Size = i * self.rows
        fine: Size = self.wide[i] * self.rows
        bins: cython.uchar[::1] = self.bins[start : start + self.rows]
        self.fine[fine : fine + self.rows] = codes
        with cython.nogil:
            for row in range(self.rows):
                bins[row] = bin_of[codes[row]]

    def planes(self):
        """The bins column by column, and the ranks: what `adopt` takes."""
        return np.asarray(self.bins), np.asarray(self.fine)

    def adopt(self, bins: object, fine: object, lows: object, cells: object):
        """Take the planes of a grid of the same columns and rows, such as arrays that lie in a file."""
        self.bins, self.fine, self.lows, self.cells = view(bins), view(fine), view(lows), view(cells)
        for i in range(self.columns):
            if self.wide[i] < 0 and self.bare[i] < 0:
                self.name_bins(i)

    def edge(self, byte: Size, low: Size, number: cython.double):
        """Note a number of a bare column, its bin and its part within: the rank that literals on it have in tests."""
        self.edges.append((byte, low, number))
        return len(self.edges) - 1

    def forget_edges(self):
        """Forget such numbers."""
        self.edges = []

    def ranks_of(self, i: Size, index: cython.const[cython.int][::1]):
        """The ranks that some rows have in a column."""
        if not cython.compiled:
            index = memoryview(index)
        number: Size = len(index)
        found: cython.int[::1] = view(np.empty(number, np.int32))
        with cython.nogil:
            for k in range(number):
                found[k] = self.rank(i, index[k])
        return np.asarray(found)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut(
        self,
        counts: cython.int[::1],
        bin_of: cython.uchar[::1],
        rank: Size,
        end: Size,
        first: Size,
        bin: Size,
        last: Size,
    ) -> cython.void:
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
        """Copy the bins row by row, once every column is there."""
        if self.shared(self.rows):
            self.share(self.turn, [(begin, end) for _, begin, end in self.blocks(self.rows)])
        else:
            self.turn(0, self.rows)

    @cython.ccall
    def turn(self, begin: Size, end: Size):
        """Copy the bins of a block of rows, in smaller blocks that stay in the cache."""
        grid: cython.uchar[::1] = self.grid  # local, see `load_narrow`
        bins: cython.uchar[::1] = self.bins
        rows: Size = self.rows
        columns: Size = self.columns
        with cython.nogil:
            for block in range(begin, end, 512):
                last = min(block + 512, end)
                for i in range(columns):
                    for row in range(block, last):
                        grid[row * columns + i] = bins[i * rows + row]

    def distinct(self, i: Size, ranks: Size):
        """How many ranks of a column occur in rows with a weight."""
        seen: cython.uchar[::1] = view(np.zeros(ranks, np.uint8))
        count: Size = 0
        with cython.nogil:
            for row in range(self.rows):
                if self.weights[row] > 0:
                    seen[self.rank(i, row)] = 1
            for rank in range(ranks):
                count += seen[rank]
        return count

    def gap(self, rows: Selection, i: Size, first: Size):
        """The last rank before ``first`` that occurs in the rows, or -1, and the next, or the end of the numbers."""
        blocks: list = self.blocks(len(rows.index))
        below: Size[::1] = view(np.full(len(blocks), -1, np.intp))
        above: Size[::1] = view(np.full(len(blocks), self.numbers[i], np.intp))
        if len(blocks) == 1:
            self.gap_block(rows.index, i, first, below, above)
            return below[0], above[0]
        items: list = [(rows.index[begin:end], i, first, below[k:], above[k:]) for k, begin, end in blocks]
        self.share(self.gap_block, items)
        return max(below), min(above)

    @cython.ccall
    def gap_block(self, index: cython.int[::1], i: Size, first: Size, below: Size[::1], above: Size[::1]):
        last: Size = below[0]
        after: Size = above[0]
        with cython.nogil:
            for k in range(len(index)):
                rank: Size = self.rank(i, index[k])
                if rank < first:
                    last = max(last, rank)
                else:
                    after = min(after, rank)
        below[0] = last
        above[0] = after

    # -- rows ------------------------------------------------------------------------------------------------------

    def everything(self):
        """All rows with a weight."""
        rows = Selection()
        if self.even:
            rows.index = view(np.arange(self.rows, dtype=np.int32))
        else:
            rows.index = view(np.flatnonzero(self.weights).astype(np.int32))
        rows.total = int(np.sum(self.weights, dtype=np.int64))
        return rows

    def popularity(self, rows: Selection, labels: Size):
        """The weight of the rows of each label."""
        blocks = self.blocks(len(rows.index))
        counts: Size[::1] = view(np.zeros(len(blocks) * labels, np.intp))
        if len(blocks) == 1:
            self.count_labels(rows.index, counts)
            return list(counts)
        self.share(
            self.count_labels,
            [(rows.index[begin:end], counts[k * labels : (k + 1) * labels]) for k, begin, end in blocks],
        )
        return np.asarray(counts).reshape(-1, labels).sum(axis=0).tolist()

    @cython.ccall
    def count_labels(self, index: cython.int[::1], counts: Size[::1]):
        """Add the weight of rows to the count of their label."""
        with cython.nogil:
            for k in range(len(index)):
                counts[self.label(index[k])] += self.weights[index[k]]

    def by_label(self, rows: Selection, label: cython.int, labels: Size):
        """The rows of a label, and the others."""
        number: Size = len(rows.index)
        self.prepare_label(label)
        positive: Selection = self.weighed(self.sift(rows.index, number))
        negative = Selection()
        negative.index = positive.rest if number > 0 else rows.index
        positive.rest = None
        negative.total = rows.total - positive.total
        # A histogram per label saves counting the rows again for every rule, unless all of them take too much (16 MB).
        if labels * self.size <= 1 << 22 and number > 32:
            if rows.tallies is None:
                tallies: cython.int[::1] = view(np.zeros(labels * self.size, np.int32))
                self.tally(tallies, rows.index, 1)
                rows.tallies = tallies
            positive.histogram = view(np.zeros(self.size, np.int32))
            negative.histogram = view(np.zeros(self.size, np.int32))
            self.gather(rows.tallies, label, labels, positive.histogram, negative.histogram)
        return positive, negative

    def of_label(self, rows: Selection, label: cython.int):
        """The rows of a label."""
        self.prepare_label(label)
        return self.weighed(self.sift(rows.index, NO_REST))

    def stakes(self, rows: Selection, label: cython.int, right: Selection):
        """Of the rows, those of the label that are not among the right ones, and those of other labels that are."""
        number: Size = len(rows.index)
        try:
            self.paint(right.index, 1)
            if number < self.many:
                out: cython.int[::1] = view(np.empty(number, np.int32))
                front: Size = 0
                back: Size = number
                for k in range(number):
                    row = rows.index[k]
                    own: cython.int = self.label(row) == label
                    if own != self.mark[row]:
                        if own:
                            out[front] = row
                            front += 1
                        else:
                            back -= 1
                            out[back] = row
                return self.selected(out[:front]), self.selected(out[back:])
            self.prepare_label(label)
            some: Selection = self.sift(rows.index, number)
            self.prepare_mark(0)
            gains: Selection = self.sift(some.index, NO_REST)
            self.prepare_mark(1)
            losses: Selection = self.sift(some.rest, NO_REST)
            return self.weighed(gains), self.weighed(losses)
        finally:
            self.paint(right.index, 0)

    def of_rows(self, index):
        """The rows with these numbers."""
        return self.selected(view(index))

    @cython.cfunc
    def selected(self, index: cython.int[::1]):
        """The rows as a selection."""
        some = Selection()
        some.index = index
        return self.weighed(some)

    @cython.cfunc
    @cython.inline
    def weighed(self, rows: Selection) -> Selection:
        """The same rows, with their weight."""
        rows.total = len(rows.index) if self.even else self.weigh(rows.index)
        return rows

    @cython.ccall
    def covered(self, rows: Selection, feature: Size, rank: Size, other: cython.bint):
        """The rows where a literal is true: ``<=`` or ``==`` the rank's value, or, if other, ``>`` or ``!=`` it."""
        self.prepare(feature, rank, other)
        some: Selection = self.weighed(self.sift(rows.index, len(rows.index) // 2))  # a larger rest saves no counting
        if some.rest is not None:
            some.whole = rows.histogram
        return some

    @cython.ccall
    def minus(self, rows: Selection, gone: Selection):
        """The rows that are not gone."""
        if len(gone.index) == 0:
            return rows
        left: Selection = self.weighed(self.without(rows.index, gone.index))
        there: Size = len(rows.index) - len(left.index)
        if there == len(gone.index):  # all that is gone was there: histograms can be subtracted
            left.rest = gone.index
            left.whole = rows.histogram
            if rows.tallies is not None:  # handed on, not copied: the learner does not look back
                left.tallies = rows.tallies
                rows.tallies = None
                self.tally(left.tallies, gone.index, -1)
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
        if len(index) < self.many:
            return self.filtered_in_place(index, tests, exceptions)
        some: Selection
        for feature, rank, other in tests:
            self.prepare(feature, rank, other)
            some = self.sift(index, NO_REST)
            index = some.index
        for exception in exceptions:
            if len(index) > 0:
                some = self.without(index, self.filtered(index, exception))
                index = some.index
        return index

    @cython.cfunc
    def filtered_in_place(self, index: cython.int[::1], tests: list, exceptions: list) -> cython.int[::1]:
        """The same in one piece of memory: for few rows, a new one for every literal would take as long as the rows."""
        out: cython.int[::1] = view(np.empty(len(index), np.int32))
        source: cython.int[::1] = index
        gone: cython.int[::1]
        kept: Size = len(index)
        if not tests:  # never the same memory: exceptions are marked while the rows are moved
            out[:] = index
            source = out
        for feature, rank, other in tests:
            self.prepare(feature, rank, other)
            kept = self.keep_rows(source, out, 0, kept)
            source = out
        for exception in exceptions:
            if kept == 0:
                break
            gone = self.filtered(source[:kept], exception)
            self.paint_block(gone, 1)
            self.prepare_mark(0)
            kept = self.keep_rows(source, out, 0, kept)
            self.paint_block(gone, 0)
            source = out
        return source[:kept]

    @cython.cfunc
    def without(self, index: cython.int[::1], gone: cython.int[::1]) -> Selection:
        """The rows that are not among others."""
        try:
            self.paint(gone, 1)
            self.prepare_mark(0)
            return self.sift(index, NO_REST)
        finally:
            self.paint(gone, 0)

    @cython.cfunc
    def paint(self, index: cython.int[::1], mark: cython.uchar):
        """Mark rows, or take their marks away."""
        if self.shared(len(index)):
            self.share(self.paint_block, [(index[begin:end], mark) for _, begin, end in self.blocks(len(index))])
        else:
            self.paint_block(index, mark)

    @cython.ccall
    def paint_block(self, index: cython.int[::1], mark: cython.uchar):
        marks: cython.uchar[::1] = self.mark
        with cython.nogil:
            for k in range(len(index)):
                marks[index[k]] = mark

    # Sifting: the rows for which what was prepared is true.

    @cython.cfunc
    @cython.exceptval(check=False)
    def prepare(self, feature: Size, rank: Size, other: cython.bint) -> cython.void:
        """Note where the column of a literal starts, and which codes it means: [from_code, to_code), or all others."""
        self.by_edge = False
        if self.bare[feature] >= 0:
            self.prepare_bare(feature, rank, other)
            return
        numbers: Size = self.numbers[feature]
        self.by_few = self.wide[feature] < 0
        if self.by_few:
            self.few_codes = self.bins
        else:
            self.codes = self.fine
        self.start = (feature if self.by_few else self.wide[feature]) * self.rows
        self.negated = other and rank >= numbers
        self.from_code = rank
        if rank < numbers:
            self.from_code = rank + 1 if other else 0
        elif self.by_few:  # categorical bins come after the padding of numeric ones
            self.from_code += self.split[feature] - self.first[feature] - numbers
        self.to_code = self.from_code + 1
        if rank < numbers:
            self.to_code = numbers if other else rank + 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def prepare_bare(self, feature: Size, rank: Size, other: cython.bint) -> cython.void:
        """The same for a bare column: a number (`edge`), -1 for missing cells, or -2 for what no cell is."""
        self.by_few = True
        self.few_codes = self.bins
        self.start = feature * self.rows
        self.negated = other
        self.from_code = self.end[feature] - 1 - self.first[feature] if rank == -1 else 256
        self.to_code = self.from_code + 1
        if rank >= 0:
            self.by_edge = True
            self.from_code, self.edge_low, self.edge_number = self.edges[rank]
            self.to_code = self.split[feature] - self.first[feature]
            self.low_start = self.bare[feature] * self.rows

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def passes(self, row: Size) -> cython.int:
        """Whether a literal on a number of a bare column is true: its cell is looked at in its own part only."""
        bin: cython.int = self.few_codes[self.start + row]
        up_to: cython.int = bin < self.from_code
        if bin == self.from_code:
            low: cython.int = self.lows[self.low_start + row]
            up_to = low < self.edge_low
            if low == self.edge_low:
                up_to = self.cells[self.low_start + row] <= self.edge_number
        if self.negated:
            return bin < self.to_code and not up_to
        return up_to

    @cython.cfunc
    @cython.exceptval(check=False)
    def prepare_label(self, label: cython.int) -> cython.void:
        """The same for a label."""
        self.by_edge = self.negated = False
        self.by_few = len(self.few_labels) > 0
        if self.by_few:
            self.few_codes = self.few_labels
        else:
            self.codes = self.labels
        self.start = 0
        self.from_code = label
        self.to_code = label + 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def prepare_mark(self, mark: cython.int) -> cython.void:
        """The same for marked rows, or for those without a mark."""
        self.by_few = True
        self.by_edge = self.negated = False
        self.few_codes = self.mark
        self.start = 0
        self.from_code = mark
        self.to_code = mark + 1

    @cython.cfunc
    def sift(self, index: cython.int[::1], most: Size) -> Selection:
        """The rows for which it is true; and as their ``rest`` the others, if they are no more than ``most``."""
        some = Selection()
        number: Size = len(index)
        if number < self.many:
            out: cython.int[::1] = view(np.empty(number, np.int32))
            front: Size = self.sift_rows(index, out, 0, number) if most >= 0 else self.keep_rows(index, out, 0, number)
            some.index = out[:front]
            if most >= 0:
                some.rest = out[front:]
            return some
        if self.scratch is None:
            self.scratch = view(np.empty(self.rows, np.int32))
        blocks = self.blocks(number)
        fronts: Size[::1] = view(np.zeros(len(blocks), np.intp))
        self.share(self.sift_block, [(index, block, begin, end, most >= 0, fronts) for block, begin, end in blocks])
        front = np.sum(fronts)
        some.index = view(np.empty(front, np.int32))
        rest: cython.int[::1] = view(np.empty(number - front if number - front <= most else 0, np.int32))
        moves: list = []
        at: Size = 0
        for k in range(len(fronts)):
            begin: Size = blocks[k][1]
            moves.append((begin, begin + fronts[k], blocks[k][2], some.index[at:], rest[begin - at :]))
            at += fronts[k]
        self.share(self.move_block, moves)
        if number - front <= most:
            some.rest = rest
        return some

    def sift_block(
        self, index: cython.int[::1], block: Size, begin: Size, end: Size, both: cython.bint, fronts: Size[::1]
    ):
        """Sift a block of rows into the same place of the scratch, and note how many pass."""
        with cython.nogil:
            if both:
                fronts[block] = self.sift_rows(index, self.scratch, begin, end)
            else:
                fronts[block] = self.keep_rows(index, self.scratch, begin, end)

    def move_block(self, begin: Size, front: Size, end: Size, passed: cython.int[::1], rest: cython.int[::1]):
        """Move the rows of a block from the scratch to where they belong."""
        scratch: cython.int[::1] = self.scratch
        with cython.nogil:
            for k in range(front - begin):
                passed[k] = scratch[begin + k]
            if len(rest) >= end - front:  # else it is not asked for
                for k in range(end - front):
                    rest[k] = scratch[end - 1 - k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sift_rows(self, index: cython.int[::1], out: cython.int[::1], begin: Size, end: Size) -> Size:
        """Put rows that pass to the front of their place in ``out``, the others to its back; and count the former."""
        front: Size = begin
        back: Size = end - 1
        start: Size = self.start
        low: cython.int = self.from_code
        over: cython.int = self.to_code
        negated: cython.int = self.negated
        code: cython.int
        inside: cython.int
        if self.by_edge:
            for k in range(begin, end):
                row = index[k]
                inside = self.passes(row)
                out[front] = row
                out[back] = row
                front += inside
                back -= 1 - inside
        elif self.by_few:
            few_codes: cython.uchar[::1] = self.few_codes
            for k in range(begin, end):
                row = index[k]
                code = few_codes[start + row]
                inside = ((code >= low) & (code < over)) ^ negated
                out[front] = row  # both writes, no branch: the truth of a literal is hard to predict
                out[back] = row
                front += inside
                back -= 1 - inside
        else:
            codes: cython.int[::1] = self.codes
            for k in range(begin, end):
                row = index[k]
                code = codes[start + row]
                inside = ((code >= low) & (code < over)) ^ negated
                out[front] = row
                out[back] = row
                front += inside
                back -= 1 - inside
        return front - begin

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_rows(self, index: cython.int[::1], out: cython.int[::1], begin: Size, end: Size) -> Size:
        """Do the same for the rows that pass only, maybe onto themselves."""
        front: Size = begin
        start: Size = self.start
        low: cython.int = self.from_code
        over: cython.int = self.to_code
        negated: cython.int = self.negated
        code: cython.int
        if self.by_edge:
            for k in range(begin, end):
                row = index[k]
                out[front] = row
                front += self.passes(row)
        elif self.by_few:
            few_codes: cython.uchar[::1] = self.few_codes
            for k in range(begin, end):
                row = index[k]
                code = few_codes[start + row]
                out[front] = row
                front += ((code >= low) & (code < over)) ^ negated
        else:
            codes: cython.int[::1] = self.codes
            for k in range(begin, end):
                row = index[k]
                code = codes[start + row]
                out[front] = row
                front += ((code >= low) & (code < over)) ^ negated
        return front - begin

    # Rows by the literals of a rule that are false.

    def failing(self, rows: Selection, tests: list):
        """The rows for which all literals are true, and for each literal the rows for which only it is false."""
        number: Size = len(rows.index)
        kinds: Size = len(tests) + 1
        slots: Size = kinds + 1
        index: cython.int[::1] = rows.index
        nearly: cython.int[::1] = view(np.empty(number, np.int32))
        failed: cython.int[::1] = view(np.zeros(number, np.int32))
        prepared: Size[::1] = self.prepared(tests)
        blocks: list = self.blocks(number)
        ends: Size[::1] = view(np.zeros(len(blocks) * slots, np.intp))
        items: list = []
        if len(blocks) == 1:
            self.fail_block(index, prepared, nearly, failed, ends)
        else:
            for k, begin, end in blocks:
                place = nearly[begin:end], failed[begin:end], ends[k * slots : (k + 1) * slots]
                items.append((index[begin:end], prepared, *place))
            self.share(self.fail_block, items)
        starts: list = [0]
        at: Size = 0
        for kind in range(kinds):  # from how many rows there are to where they begin: block after block of each kind
            for block in range(len(blocks)):
                count: Size = ends[block * slots + kind]
                ends[block * slots + kind] = at
                at += count
            starts.append(at)
        out: cython.int[::1] = view(np.empty(at, np.int32))
        if len(blocks) == 1:
            self.place_block(nearly, failed, ends, out)
        else:
            self.share(self.place_block, [(*item[2:], out) for item in items])
        return [self.selected(out[starts[kind] : starts[kind + 1]]) for kind in range(kinds)]

    @cython.cfunc
    def prepared(self, tests: list) -> Size[::1]:
        """What is prepared for each of some literals."""
        found: Size[::1] = view(np.empty(5 * len(tests), np.intp))
        for test in range(len(tests)):
            feature, rank, other = tests[test]
            self.prepare(feature, rank, other)
            found[5 * test] = self.by_few
            found[5 * test + 1] = self.start
            found[5 * test + 2] = self.from_code
            found[5 * test + 3] = self.to_code
            found[5 * test + 4] = self.negated
        return found

    @cython.ccall
    def fail_block(
        self,
        index: cython.int[::1],
        prepared: Size[::1],
        nearly: cython.int[::1],
        failed: cython.int[::1],
        ends: Size[::1],
    ):
        """Find the rows of a block for which at most one literal is false, and which: 0 is none.

        Count them by that, and all.
        """
        near: Size = len(index)
        with cython.nogil:
            nearly[:] = index
            for test in range(len(prepared) // 5):
                near = self.fail(prepared[5 * test : 5 * test + 5], test + 1, nearly, failed, near)
            for k in range(near):
                ends[failed[k]] += 1
            ends[len(ends) - 1] = near

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fail(
        self, prepared: Size[::1], test: cython.int, nearly: cython.int[::1], failed: cython.int[::1], near: Size
    ) -> Size:
        """Note the rows for which a literal is false, and leave out those for which another one is, too."""
        start: Size = prepared[1]
        low: cython.int = prepared[2]
        over: cython.int = prepared[3]
        negated: cython.int = prepared[4]
        kept: Size = 0
        code: cython.int
        false: cython.int
        if prepared[0]:
            bins: cython.uchar[::1] = self.bins
            for k in range(near):
                row = nearly[k]
                before = failed[k]
                code = bins[start + row]
                false = 1 - (((code >= low) & (code < over)) ^ negated)
                nearly[kept] = row
                failed[kept] = before + false * test
                kept += 1 - (false & (before > 0))
        else:
            fine: cython.int[::1] = self.fine
            for k in range(near):
                row = nearly[k]
                before = failed[k]
                code = fine[start + row]
                false = 1 - (((code >= low) & (code < over)) ^ negated)
                nearly[kept] = row
                failed[kept] = before + false * test
                kept += 1 - (false & (before > 0))
        return kept

    @cython.ccall
    def place_block(self, nearly: cython.int[::1], failed: cython.int[::1], ends: Size[::1], out: cython.int[::1]):
        """Put the rows of a block where their kind begins."""
        with cython.nogil:
            for k in range(ends[len(ends) - 1]):
                out[ends[failed[k]]] = nearly[k]
                ends[failed[k]] += 1

    @cython.cfunc
    def weigh(self, index: cython.int[::1]) -> cython.longlong:
        """The weight of rows that do not all weigh 1."""
        blocks: list = self.blocks(len(index))
        sums: cython.longlong[::1] = view(np.zeros(len(blocks), np.int64))
        if len(blocks) == 1:
            self.weigh_block(index, sums)
        else:
            self.share(self.weigh_block, [(index[begin:end], sums[k:]) for k, begin, end in blocks])
        return np.sum(sums)

    @cython.ccall
    def weigh_block(self, index: cython.int[::1], sums: cython.longlong[::1]):
        total: cython.longlong = 0
        with cython.nogil:
            for k in range(len(index)):
                total += self.weights[index[k]]
        sums[0] = total

    # -- histograms ------------------------------------------------------------------------------------------------

    def histogram(self, rows: Selection):
        """The weight of the rows in each bin of each column."""
        self.need_histogram(rows)
        return np.asarray(rows.histogram)

    def weigh_ranks(self, rows: Selection, i: Size, first: Size, out: Size[::1]):
        """Add the weight of every row to its rank in a column, if ``out`` has it: some ranks, from ``first`` on."""
        if not cython.compiled:
            out = memoryview(out)
        index: cython.int[::1] = rows.index
        weights: cython.int[::1] = self.weights
        number: Size = len(index)
        span: Size = len(out)
        fine: Size = self.wide[i] * self.rows
        place: Size
        with cython.nogil:
            if fine >= 0:
                ranks: cython.int[::1] = self.fine[fine : fine + self.rows]
                for k in range(number):
                    place = ranks[index[k]] - first
                    if 0 <= place < span:
                        out[place] += weights[index[k]]
            else:
                for k in range(number):
                    place = self.rank(i, index[k]) - first
                    if 0 <= place < span:
                        out[place] += weights[index[k]]

    def weigh_parts(self, rows: Selection, i: Size, starts: cython.const[cython.int][::1], first: Size, out: Size[::1]):
        """Do the same for the parts of a bare column, given the first part of each bin."""
        if not cython.compiled:
            starts, out = memoryview(starts), memoryview(out)
        index: cython.int[::1] = rows.index
        weights: cython.int[::1] = self.weights
        bins: cython.uchar[::1] = self.bins[i * self.rows : (i + 1) * self.rows]
        lows: cython.uchar[::1] = self.lows[self.bare[i] * self.rows : (self.bare[i] + 1) * self.rows]
        number: Size = len(index)
        span: Size = len(out)
        place: Size
        with cython.nogil:
            for k in range(number):
                place = starts[bins[index[k]]] + lows[index[k]] - first
                if 0 <= place < span:
                    out[place] += weights[index[k]]

    def in_parts(
        self,
        rows: Selection,
        i: Size,
        starts: cython.const[cython.int][::1],
        bins_wanted: cython.const[cython.uchar][::1],
        wanted: cython.const[cython.uchar][::1],
    ):
        """The numbers of the rows in some parts of a bare column, which are in some bins."""
        if not cython.compiled:
            starts, bins_wanted, wanted = memoryview(starts), memoryview(bins_wanted), memoryview(wanted)
        index: cython.int[::1] = rows.index
        bins: cython.uchar[::1] = self.bins[i * self.rows : (i + 1) * self.rows]
        lows: cython.uchar[::1] = self.lows[self.bare[i] * self.rows : (self.bare[i] + 1) * self.rows]
        found: cython.int[::1] = view(np.empty(len(index), np.int32))
        number: Size = 0
        with cython.nogil:
            for k in range(len(index)):
                row = index[k]
                if bins_wanted[bins[row]] and wanted[starts[bins[row]] + lows[row]]:
                    found[number] = row
                    number += 1
        return np.asarray(found)[:number].copy()

    def spans(self):
        """Where the bins of every column begin, where its categorical bins do, and where they end."""
        return np.asarray(self.first), np.asarray(self.split), np.asarray(self.end)

    @cython.cfunc
    def need_histogram(self, rows: Selection):
        """Count the rows in each bin, once: from these rows, or from the rest if that is known and smaller."""
        if rows.histogram is not None:
            return
        histogram: cython.int[::1] = view(np.zeros(self.size, np.int32))
        if rows.whole is not None and len(rows.rest) < len(rows.index):
            histogram[:] = rows.whole
            self.count(histogram, rows.rest, -1)
        else:
            self.count(histogram, rows.index, 1)
        rows.histogram = histogram
        rows.whole = rows.rest = None

    @cython.cfunc
    def count(self, histogram: cython.int[::1], index: cython.int[::1], step: cython.int):
        """Add the weight of every row to the bin of each of its cells, or subtract it (``step`` -1)."""
        if self.shared(len(index) * self.columns // 4):  # four cells are counted while a row is sifted
            self.add(self.count_block, histogram, index, step)
        else:
            self.count_block(histogram, index, step)

    @cython.cfunc
    def tally(self, tallies: cython.int[::1], index: cython.int[::1], step: cython.int):
        """Do the same in the histogram of the row's label."""
        if self.shared(len(index) * self.columns // 4):
            self.add(self.tally_block, tallies, index, step)
        else:
            self.tally_block(tallies, index, step)

    @cython.cfunc
    def add(self, function: object, histogram: cython.int[::1], index: cython.int[::1], step: cython.int):
        """Count blocks of rows, each into a histogram of its own, and add those up."""
        size: Size = len(histogram)
        blocks: list = self.divided(len(index), BLOCKS * self.threads)
        own: cython.int[::1] = view(np.zeros(len(blocks) * size, np.int32))
        self.share(function, [(own[k * size : (k + 1) * size], index[begin:end], step) for k, begin, end in blocks])
        for k in range(len(blocks)):
            for bin in range(size):
                histogram[bin] += own[k * size + bin]

    @cython.ccall
    def count_block(self, histogram: cython.int[::1], index: cython.int[::1], step: cython.int):
        columns = self.columns
        ahead: Size = len(index) - AHEAD
        if len(self.grid) == 0:
            self.count_columns(histogram, index, step, False)
            return
        with cython.nogil:
            for k in range(len(index)):
                if cython.compiled and k < ahead:
                    unless_fetch(cython.address(self.grid[index[k + AHEAD] * columns]))
                cell = index[k] * columns
                weight: cython.int = step if self.even else step * self.weights[index[k]]
                for i in range(columns):
                    histogram[self.first[i] + self.grid[cell + i]] += weight

    @cython.ccall
    def tally_block(self, tallies: cython.int[::1], index: cython.int[::1], step: cython.int):
        columns = self.columns
        ahead: Size = len(index) - AHEAD
        if len(self.grid) == 0:
            self.count_columns(tallies, index, step, True)
            return
        with cython.nogil:
            for k in range(len(index)):
                if cython.compiled and k < ahead:
                    unless_fetch(cython.address(self.grid[index[k + AHEAD] * columns]))
                cell = index[k] * columns
                start = self.labels[index[k]] * self.size
                weight: cython.int = step if self.even else step * self.weights[index[k]]
                for i in range(columns):
                    tallies[start + self.first[i] + self.grid[cell + i]] += weight

    @cython.cfunc
    def count_columns(self, out: cython.int[::1], index: cython.int[::1], step: cython.int, by_label: cython.bint):
        """Do either column by column, some rows at a time: blocks have no bins row by row, which take as many bytes."""
        bins: cython.uchar[::1] = self.bins
        weights: cython.int[::1] = self.weights
        even: cython.bint = self.even
        number: Size = len(index)
        start: Size
        with cython.nogil:
            for begin in range(0, number, 4096):
                end: Size = min(begin + 4096, number)
                for i in range(self.columns):
                    column: Size = i * self.rows
                    start = self.first[i]
                    if even and not by_label:
                        for k in range(begin, end):
                            out[start + bins[column + index[k]]] += step
                    elif by_label:
                        for k in range(begin, end):
                            place: Size = start + self.label(index[k]) * self.size
                            out[place + bins[column + index[k]]] += step * weights[index[k]]
                    else:
                        for k in range(begin, end):
                            out[start + bins[column + index[k]]] += step * weights[index[k]]

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
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def label(self, row: Size) -> cython.int:
        """The label of a row."""
        return self.few_labels[row] if len(self.few_labels) > 0 else self.labels[row]

    @cython.cfunc
    @cython.nogil
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
