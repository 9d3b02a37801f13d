# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: a table as bins, and rows of it by number."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.work_sharing import run_in_threads

Size = cython.typedef(cython.Py_ssize_t)
SLAB = cython.declare(cython.Py_ssize_t, 1 << 15)  # numbers that small arrays share the memory of: 128 kB
COARSE = cython.declare(cython.Py_ssize_t, 1 << 13)  # leading bits of ranks, with two bytes each

compiled: object = bool(cython.compiled)
"""Whether this file was compiled."""

MANY: object = 50_000
"""From this many rows on, threads share the work, and selections take no more memory than they need.

Sharing costs about 50 µs, and going over this many rows of one column about as much.
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
class RowSelection:
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
class BinnedGrid:
    """A table as bins; ``binning.pxd`` lists the attributes.

    A column's ranks fall into at most 256 *bins*, so that a cell is one byte: a column with few values has a bin for
    each, a column with many has quantile bins, and its exact ranks besides (``fine``). A histogram holds the weight of
    the rows in each bin, column after column: numeric bins first, padded to whole groups of 16, then categorical bins,
    padded too.

    A *bare* column of a block has numbers only, and no ranks: its bins are cut into parts (``lows``), and its numbers
    lie apart (``cells``), column by column, too. Almost every question is answered by the bytes.
    """

    def __init__(self, labels, weights, numbers, ranks, threads=1, bins=None, bare=()):
        """Make an empty table, given how many numbers and ranks (with missing) each column has; fill it by `load_*`.

        ``bins``, if given, says of each column how many numeric and categorical bins it has, or None for a bin for
        each of its ranks; ``bare`` says which columns are.
        """
        self.threads = threads
        self.rows = len(labels)
        self.in_block = bins is not None
        self.many = self.rows + 1 if self.in_block else MANY  # a block is small: no scratch for each of thousands
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
                part: cython.int = (240 * cython.cast(cython.longlong, number) + rank - 1) // rank
                self.split[i] = self.first[i] + whole_groups(part)
                self.end[i] = self.first[i] + 256
            self.size = self.first[i] + whole_groups(self.end[i] - self.first[i])
        self.low = view(np.zeros(self.size, np.int32))
        self.width = view(np.zeros(self.size, np.int32))
        self.grid = view(np.empty(self.columns * self.rows if bins is None else 0, np.uint8))
        self.bins = view(np.empty(self.columns * self.rows, np.uint8))
        self.fine = view(np.empty(wide * self.rows, np.int32))
        self.lows = self.cells = None
        self.slab = view(np.empty(0, np.int32))
        self.slab_used = 0

    # -- threads

    @cython.cfunc
    @cython.inline
    def shared(self, number: Size) -> cython.bint:
        """Whether threads share the work on ``n`` rows."""
        return self.threads > 1 and number >= self.many

    @cython.cfunc
    def blocks(self, number: Size) -> list:
        """Blocks of rows, each with its number: one for all rows, or some for every thread."""
        return self.divided(number) if self.shared(number) else [(0, 0, number)]

    @cython.cfunc
    def divided(self, number: Size) -> list:
        """Some blocks for every thread."""
        count: Size = BLOCKS * self.threads
        return [(k, number * k // count, number * (k + 1) // count) for k in range(count)]

    @cython.cfunc
    def share(self, function: object, items: list):
        """Call a method, which releases the GIL, with every item."""
        run_in_threads(function, items, self.threads)

    # -- memory

    @cython.cfunc
    def room(self, size: Size) -> cython.int[::1]:
        """Memory for some numbers. A new array takes a microsecond or two, as long as counting a hundred rows.

        So small ones are pieces of a slab, which lives as long as any of them.
        """
        if size > SLAB // 16 or self.in_block:
            return view(np.empty(size, np.int32))
        if self.slab_used + size > len(self.slab):
            self.slab = view(np.empty(SLAB, np.int32))
            self.slab_used = 0
        self.slab_used += size
        return self.slab[self.slab_used - size : self.slab_used]

    # -- columns

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

    def spans(self):
        """Where the bins of every column begin, where its categorical bins do, and where they end."""
        return np.asarray(self.first), np.asarray(self.split), np.asarray(self.end)

    # -- ranks

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def rank(self, i: Size, row: Size) -> cython.longlong:
        """The rank of a cell."""
        if self.wide[i] >= 0:
            return self.fine[self.wide[i] * self.rows + row]
        return self.low[self.first[i] + self.bins[i * self.rows + row]]

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

    def neighbouring_numbers(self, rows: RowSelection, i: Size, first: Size):
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


@cython.cfunc
@cython.inline
def whole_groups(bins: cython.int) -> cython.int:
    """A number of bins rounded up to whole groups."""
    return (bins + 15) // 16 * 16
