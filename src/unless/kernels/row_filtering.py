# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: sets of rows of a table, and which rows a literal, a rule or a label leaves of them."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.unless.kernels.binning import RowSelection
    from cython.cimports.unless.kernels.counting import CountingGrid
else:
    from unless.kernels.binning import RowSelection
    from unless.kernels.counting import CountingGrid

Size = cython.typedef(cython.Py_ssize_t)
NO_REST = cython.declare(cython.Py_ssize_t, -1)  # what `sift` takes if nobody asks for the others
FEW = cython.declare(cython.Py_ssize_t, 4096)  # rows whose bytes are sifted in a few microseconds: others can wait


@cython.cclass
class RowGrid(CountingGrid):
    """A table in bins, and sets of its rows; ``row_filtering.pxd`` lists the attributes."""

    def __init__(self, labels, weights, numbers, ranks, threads=1, bins=None, bare=()):
        super().__init__(labels, weights, numbers, ranks, threads, bins, bare)
        self.mark = view(np.zeros(self.rows, np.uint8))
        self.scratch = self.codes = self.few_codes = None

    # -- sets of rows

    def all_rows(self):
        """All rows with a weight."""
        rows = RowSelection()
        if self.even:
            rows.index = view(np.arange(self.rows, dtype=np.int32))
        else:
            rows.index = view(np.flatnonzero(self.weights).astype(np.int32))
        rows.total = int(np.sum(self.weights, dtype=np.int64))
        return rows

    def of_rows(self, index):
        """The rows with these numbers."""
        return self.selected(view(index))

    @cython.cfunc
    def selected(self, index: cython.int[::1]):
        """The rows as a selection."""
        some = RowSelection()
        some.index = index
        return self.weighed(some)

    def by_label(self, rows: RowSelection, label: cython.int, labels: Size):
        """The rows of a label, and the others."""
        number: Size = len(rows.index)
        self.prepare_label(label)
        positive: RowSelection = self.weighed(self.sift(rows.index, number))
        negative = RowSelection()
        negative.index = positive.rest if number > 0 else rows.index
        positive.rest = None
        negative.total = rows.total - positive.total
        # A histogram per label saves counting the rows again for every rule, unless all of them take too much (16 MB).
        if labels * self.size <= 1 << 22 and number > 32:
            if rows.tallies is None:
                tallies: cython.int[::1] = view(np.zeros(labels * self.size, np.int32))
                self.count(tallies, rows.index, 1, True)
                rows.tallies = tallies
            positive.histogram = view(np.zeros(self.size, np.int32))
            negative.histogram = view(np.zeros(self.size, np.int32))
            self.gather(rows.tallies, label, labels, positive.histogram, negative.histogram)
        return positive, negative

    def of_label(self, rows: RowSelection, label: cython.int):
        """The rows of a label."""
        self.prepare_label(label)
        return self.weighed(self.sift(rows.index, NO_REST))

    def gains_and_losses(self, rows: RowSelection, label: cython.int, right: RowSelection):
        """Of the rows, those of the label that are not among the right ones, and those of other labels that are."""
        number: Size = len(rows.index)
        try:
            self.paint(right.index, 1)
            if number < self.many:
                out: cython.int[::1] = view(np.empty(number, np.int32))
                front: Size = 0
                back: Size = number
                few: cython.bint = len(self.few_labels) > 0
                own: cython.int
                with cython.nogil:
                    for k in range(number):
                        row = rows.index[k]
                        own = (self.few_labels[row] if few else self.labels[row]) == label
                        if own != self.mark[row]:
                            if own:
                                out[front] = row
                                front += 1
                            else:
                                back -= 1
                                out[back] = row
                return self.selected(out[:front]), self.selected(out[back:])
            self.prepare_label(label)
            some: RowSelection = self.sift(rows.index, number)
            self.prepare_mark(0)
            gains: RowSelection = self.sift(some.index, NO_REST)
            self.prepare_mark(1)
            losses: RowSelection = self.sift(some.rest, NO_REST)
            return self.weighed(gains), self.weighed(losses)
        finally:
            self.paint(right.index, 0)

    @cython.ccall
    def covered_by_literal(self, rows: RowSelection, feature: Size, rank: Size, other: cython.bint):
        """The rows where a literal is true: ``<=`` or ``==`` the rank's value, or, if other, ``>`` or ``!=`` it."""
        self.prepare(feature, rank, other)
        some: RowSelection = self.weighed(
            self.sift(rows.index, len(rows.index) // 2)
        )  # a larger rest saves no counting
        if some.rest is not None:
            some.whole = rows.histogram
        return some

    @cython.ccall
    def minus(self, rows: RowSelection, gone: RowSelection):
        """The rows that are not gone."""
        if len(gone.index) == 0:
            return rows
        left: RowSelection = self.weighed(self.without(rows.index, gone.index))
        there: Size = len(rows.index) - len(left.index)
        if there == len(gone.index):  # all that is gone was there: histograms can be subtracted
            left.rest = gone.index
            left.whole = rows.histogram
            if rows.tallies is not None:  # handed on, not copied: the learner does not look back
                left.tallies = rows.tallies
                rows.tallies = None
                self.count(left.tallies, gone.index, -1, True)
        return left

    def plus(self, rows: RowSelection, more: RowSelection):
        """The rows of both, which have none in common."""
        both = RowSelection()
        number: Size = len(rows.index)
        both.index = view(np.empty(number + len(more.index), np.int32))
        both.index[:number] = rows.index
        both.index[number:] = more.index
        both.total = rows.total + more.total
        return both

    def covered_by_rule(self, rows: RowSelection, rule: tuple):
        """The rows that a rule covers: its literals (`covered_by_literal`) and its exceptions, which are such rules."""
        return self.selected(self.filtered(rows.index, rule))

    @cython.cfunc
    def filtered(self, index: cython.int[::1], rule: tuple) -> cython.int[::1]:
        tests, exceptions = rule
        if len(index) < self.many:
            return self.filtered_in_place(index, tests, exceptions)
        some: RowSelection
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
            kept = self.moved(source, out, kept, False)
            source = out
        for exception in exceptions:
            if kept == 0:
                break
            gone = self.filtered(source[:kept], exception)
            self.paint_block(gone, 1)
            self.prepare_mark(0)
            kept = self.moved(source, out, kept, False)
            self.paint_block(gone, 0)
            source = out
        return source[:kept]

    @cython.cfunc
    def without(self, index: cython.int[::1], gone: cython.int[::1]) -> RowSelection:
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

    def in_parts(
        self,
        rows: RowSelection,
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

    # -- sifting: the rows for which what was prepared is true

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
    def sift(self, index: cython.int[::1], most: Size) -> RowSelection:
        """The rows for which it is true; and as their ``rest`` the others, if they are no more than ``most``."""
        some = RowSelection()
        number: Size = len(index)
        if number < self.many:
            out: cython.int[::1] = self.room(number)
            front: Size = self.moved(index, out, number, most >= 0)
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

    @cython.cfunc
    def moved(self, index: cython.int[::1], out: cython.int[::1], number: Size, both: cython.bint) -> Size:
        """Move the first rows that pass, and if both are wanted the others, and count the former.

        Other threads can go on meanwhile: with blocks, a number may have to be read from the disk.
        """
        front: Size
        if number < FEW and not self.by_edge:
            return self.sift_rows(index, out, 0, number) if both else self.keep_rows(index, out, 0, number)
        with cython.nogil:
            front = self.sift_rows(index, out, 0, number) if both else self.keep_rows(index, out, 0, number)
        return front

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

    # -- rows by the literals of a rule that are false

    def split_by_failing_literal(self, rows: RowSelection, tests: list):
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
        """Find the rows of a block for which at most one literal is false, and which: 0 for no literal.

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
