# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: rows counted, which is to say weighed: by label, by rank, and in every bin of a table."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.unless.kernels.binning import BinnedGrid, RowSelection
    from cython.cimports.unless.kernels.counting import unless_fetch
else:
    from unless.kernels.binning import BinnedGrid, RowSelection

Size = cython.typedef(cython.Py_ssize_t)
AHEAD = cython.declare(cython.Py_ssize_t, 12)  # rows whose cells are fetched before they are counted


@cython.cclass
class CountingGrid(BinnedGrid):
    """A table in bins whose rows are counted."""

    # -- rows

    @cython.cfunc
    @cython.inline
    def weighed(self, rows: RowSelection) -> RowSelection:
        """The same rows, with their weight."""
        rows.total = len(rows.index) if self.even else self.weigh(rows.index)
        return rows

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

    # -- labels

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def label(self, row: Size) -> cython.int:
        """The label of a row."""
        return self.few_labels[row] if len(self.few_labels) > 0 else self.labels[row]

    def label_weights(self, rows: RowSelection, labels: Size):
        """The weight of the rows of each label."""
        blocks = self.blocks(len(rows.index))
        counts: Size[::1] = view(np.zeros(len(blocks) * labels, np.intp))
        if len(blocks) == 1:
            self.count_labels(rows.index, counts)
            return np.asarray(counts).tolist()
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

    # -- ranks

    def weigh_ranks(self, rows: RowSelection, i: Size, first: Size, out: Size[::1]):
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
                low: cython.int[::1] = self.low[self.first[i] : self.end[i]]
                bins: cython.uchar[::1] = self.bins[i * self.rows : (i + 1) * self.rows]
                for k in range(number):
                    place = low[bins[index[k]]] - first
                    if 0 <= place < span:
                        out[place] += weights[index[k]]

    def weigh_parts(
        self, rows: RowSelection, i: Size, starts: cython.const[cython.int][::1], first: Size, out: Size[::1]
    ):
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

    # -- histograms

    def histogram(self, rows: RowSelection):
        """The weight of the rows in each bin of each column."""
        self.need_histogram(rows)
        return np.asarray(rows.histogram)

    @cython.cfunc
    def need_histogram(self, rows: RowSelection):
        """Count the rows in each bin, once: from these rows, or from the rest if that is known and smaller."""
        if rows.histogram is not None:
            return
        histogram: cython.int[::1] = self.room(self.size)
        if rows.whole is not None and len(rows.rest) < len(rows.index):
            histogram[:] = rows.whole
            self.count(histogram, rows.rest, -1, False)
        else:
            for bin in range(self.size):
                histogram[bin] = 0
            self.count(histogram, rows.index, 1, False)
        rows.histogram = histogram
        rows.whole = rows.rest = None

    @cython.cfunc
    def count(self, histogram: cython.int[::1], index: cython.int[::1], step: cython.int, by_label: cython.bint):
        """Add the weight of every row to the bin of each of its cells, or subtract it (``step`` -1).

        ``by_label`` there is a histogram for each label.
        """
        if not self.shared(len(index) * self.columns // 4):  # four cells are counted while a row is sifted
            self.count_block(histogram, index, step, by_label)
            return
        size: Size = len(histogram)
        blocks: list = self.divided(len(index))
        own: cython.int[::1] = view(np.zeros(len(blocks) * size, np.int32))  # each block has its own, to be added up
        items: list = [(own[k * size : (k + 1) * size], index[begin:end], step, by_label) for k, begin, end in blocks]
        self.share(self.count_block, items)
        for k in range(len(blocks)):
            for bin in range(size):
                histogram[bin] += own[k * size + bin]

    @cython.ccall
    def count_block(self, histogram: cython.int[::1], index: cython.int[::1], step: cython.int, by_label: cython.bint):
        columns = self.columns
        ahead: Size = len(index) - AHEAD
        start: Size = 0
        if len(self.grid) == 0:
            self.count_columns(histogram, index, step, by_label)
            return
        with cython.nogil:
            for k in range(len(index)):
                if cython.compiled and k < ahead:
                    unless_fetch(cython.address(self.grid[index[k + AHEAD] * columns]))
                cell = index[k] * columns
                if by_label:
                    start = self.labels[index[k]] * self.size
                weight: cython.int = step if self.even else step * self.weights[index[k]]
                for i in range(columns):
                    histogram[start + self.first[i] + self.grid[cell + i]] += weight

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
