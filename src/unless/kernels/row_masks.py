# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: sets of rows as masks, a bit for each row.

Where the same few literals are asked about the same rows again and again, 64 rows at a time are faster than one after
another.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.unless.kernels.binning import RowSelection
    from cython.cimports.unless.kernels.row_filtering import RowGrid
    from cython.cimports.unless.kernels.row_masks import unless_lowest, unless_ones, unless_pack
else:
    from unless.kernels.binning import RowSelection
    from unless.kernels.row_filtering import RowGrid

Size = cython.typedef(cython.Py_ssize_t)

MEMORY: object = 1 << 24
"""How many bytes the masks of literals may take; then they are forgotten. A question that needs more takes it."""


@cython.final
@cython.cclass
class RowMask:
    """Rows, as a bit for each of all rows, and their ``total`` weight."""

    def weight(self):
        """The weight of the rows, which is their number if every row weighs 1."""
        return self.total


@cython.cclass
class MaskGrid:
    """Masks of the rows of a grid; ``row_masks.pxd`` lists the attributes.

    Masks lie side by side in a pool, in numbered slots. Those of literals, and of labels, stay there.
    """

    def __init__(self, grid: RowGrid):
        self.grid = grid
        self.rows = grid.rows
        self.size = max(self.rows + 63, 64) // 64
        self.pool = view(np.empty(0, np.uint64))
        self.holds = view(np.zeros(64 * self.size, np.uint8))
        self.forget()

    # -- slots

    @cython.cfunc
    def forget(self):
        """Take back all slots."""
        self.truths = {}
        self.labels = {}
        self.free = [*range(len(self.pool) // self.size)]

    @cython.cfunc
    def slot(self) -> Size:
        """A slot that nobody uses."""
        if not self.free:
            before: Size = len(self.pool)
            after: Size = before + max(before // self.size // 4, 16) * self.size
            pool: cython.ulonglong[::1] = view(np.empty(after, np.uint64))
            pool[:before] = self.pool
            self.pool = pool
            self.free = [*range(before // self.size, after // self.size)]
        return self.free.pop()

    @cython.cfunc
    def stored(self, rows: RowMask) -> Size:
        """A slot with these rows."""
        slot: Size = self.slot()
        start: Size = slot * self.size
        for k in range(self.size):
            self.pool[start + k] = rows.words[k]
        return slot

    @cython.cfunc
    def released(self, slot: Size) -> RowMask:
        """The rows of a slot, which is free then."""
        start: Size = slot * self.size
        words: cython.ulonglong[::1] = view(np.empty(self.size, np.uint64))
        for k in range(self.size):
            words[k] = self.pool[start + k]
        some = RowMask()
        some.words = words
        some.total = self.common_weight(slot, slot)
        self.free.append(slot)
        return some

    @cython.cfunc
    def begin(self):
        """Forget the masks of literals if they take too much memory: between questions nobody uses them."""
        if 8 * self.size * len(self.truths) > MEMORY:
            self.forget()

    def pool_bytes(self):
        """How many bytes the pool takes. It never shrinks, so this is the most that it ever took."""
        return 8 * len(self.pool)

    # -- rows and masks

    def of_selection(self, rows: RowSelection):
        """The same rows as a mask."""
        words: cython.ulonglong[::1] = view(np.zeros(self.size, np.uint64))
        one: cython.ulonglong = 1
        for k in range(len(rows.index)):
            row = rows.index[k]
            words[row >> 6] |= one << (row & 63)
        some = RowMask()
        some.words = words
        some.total = rows.total
        return some

    def selection(self, rows: RowMask):
        """The same rows by number."""
        slot: Size = self.stored(rows)
        some = RowSelection()
        some.index = self.positions(slot, slot)
        some.total = rows.total
        self.free.append(slot)
        return some

    # -- what literals and labels mean

    @cython.cfunc
    def truth(self, test: tuple) -> Size:
        """The slot with the rows for which a literal is true, as in `RowGrid.covered_by_literal`."""
        found = self.truths.get(test)
        if found is not None:
            return found
        grid: RowGrid = self.grid
        grid.prepare(test[0], test[1], test[2])
        start: Size = grid.start
        low: cython.int = grid.from_code
        over: cython.int = grid.to_code
        negated: cython.uchar = grid.negated
        holds: cython.uchar[::1] = self.holds
        if grid.by_few:
            few: cython.uchar[::1] = grid.few_codes[start : start + self.rows]
            for row in range(self.rows):
                holds[row] = ((few[row] >= low) & (few[row] < over)) ^ negated
        else:
            codes: cython.int[::1] = grid.codes[start : start + self.rows]
            for row in range(self.rows):
                holds[row] = ((codes[row] >= low) & (codes[row] < over)) ^ negated
        slot: Size = self.slot()
        self.pack(slot)
        self.truths[test] = slot
        return slot

    @cython.cfunc
    def of(self, label: Size) -> Size:
        """The slot with the rows of a label."""
        found = self.labels.get(label)
        if found is not None:
            return found
        for row in range(self.rows):
            self.holds[row] = self.grid.labels[row] == label
        slot: Size = self.slot()
        self.pack(slot)
        self.labels[label] = slot
        return slot

    @cython.cfunc
    def pack(self, slot: Size):
        """Put what holds of each row into a slot, a bit for each byte."""
        start: Size = slot * self.size
        holds: cython.uchar[::1] = self.holds
        for word in range(self.size):
            if cython.compiled:
                self.pool[start + word] = unless_pack(cython.address(holds[64 * word]))
            else:
                self.pool[start + word] = sum(holds[64 * word + k] << k for k in range(64))

    # -- questions

    def minus(self, rows: RowMask, gone: RowMask):
        """The rows that are not gone."""
        into: Size = self.stored(rows)
        other: Size = self.stored(gone)
        self.but(into, into, other)
        self.free.append(other)
        return self.released(into)

    def plus(self, rows: RowMask, more: RowMask):
        """The rows of both, which have none in common."""
        some = RowMask()
        words: cython.ulonglong[::1] = view(np.empty(self.size, np.uint64))
        for k in range(self.size):
            words[k] = rows.words[k] | more.words[k]
        some.words = words
        some.total = rows.total + more.total
        return some

    def covered_by_literal(self, rows: RowMask, test: tuple):
        """The rows for which a literal is true."""
        self.begin()
        into: Size = self.stored(rows)
        self.both(into, into, self.truth(test))
        return self.released(into)

    def of_label(self, rows: RowMask, label: Size):
        """The rows of a label."""
        into: Size = self.stored(rows)
        self.both(into, into, self.of(label))
        return self.released(into)

    def others(self, rows: RowMask, label: Size):
        """The rows of other labels."""
        into: Size = self.stored(rows)
        self.but(into, into, self.of(label))
        return self.released(into)

    def gains_and_losses(self, rows: RowMask, label: Size, right: RowMask):
        """Of the rows, those of the label that are not among the right ones, and those of other labels that are."""
        own: Size = self.stored(rows)
        other: Size = self.stored(rows)
        good: Size = self.stored(right)
        self.both(own, own, self.of(label))
        self.but(own, own, good)
        self.but(other, other, self.of(label))
        self.both(other, other, good)
        self.free.append(good)
        return self.released(own), self.released(other)

    def covered_by_rule(self, rows: RowMask, rule: tuple):
        """The rows that a rule covers: its literals, and its exceptions, which are such rules."""
        self.begin()
        all_rows: Size = self.stored(rows)
        into: Size = self.slot()
        self.satisfy(into, all_rows, rule)
        self.free.append(all_rows)
        return self.released(into)

    @cython.cfunc
    def satisfy(self, into: Size, rows: Size, rule: tuple):
        """Put the rows that a rule covers into a slot."""
        tests, exceptions = rule
        self.copy(into, rows)
        for test in tests:
            self.both(into, into, self.truth(test))
        if exceptions:
            covered: Size = self.slot()
            for exception in exceptions:
                self.satisfy(covered, into, exception)
                self.but(into, into, covered)
            self.free.append(covered)

    def label_weights(self, rows: RowMask, labels: Size):
        """The weight of the rows of each label."""
        counts: list = []
        slot: Size = self.stored(rows)
        for label in range(labels):
            counts.append(self.common_weight(slot, self.of(label)))
        self.free.append(slot)
        return counts

    def neighbouring_numbers(self, rows: RowMask, i: Size, first: Size):
        """The last rank before ``first`` that occurs in the rows, or -1, and the next, or the end of the numbers."""
        grid: RowGrid = self.grid
        below: Size = -1
        above: Size = grid.numbers[i]
        bits: cython.ulonglong
        for k in range(self.size):
            bits = rows.words[k]
            while bits:
                rank: Size = grid.rank(i, 64 * k + lowest(bits))
                bits &= bits - 1
                if rank < first:
                    below = max(below, rank)
                else:
                    above = min(above, rank)
        return below, above

    # -- words

    @cython.cfunc
    @cython.exceptval(check=False)
    def copy(self, into: Size, one: Size) -> cython.void:
        """The same rows."""
        at: Size = into * self.size
        a: Size = one * self.size
        pool: cython.ulonglong[::1] = self.pool
        for k in range(self.size):
            pool[at + k] = pool[a + k]

    @cython.cfunc
    @cython.exceptval(check=False)
    def both(self, into: Size, one: Size, other: Size) -> cython.void:
        """The rows that two masks have in common."""
        at: Size = into * self.size
        a: Size = one * self.size
        b: Size = other * self.size
        pool: cython.ulonglong[::1] = self.pool
        for k in range(self.size):
            pool[at + k] = pool[a + k] & pool[b + k]

    @cython.cfunc
    @cython.exceptval(check=False)
    def but(self, into: Size, one: Size, other: Size) -> cython.void:
        """The rows of one mask that the other does not have."""
        at: Size = into * self.size
        a: Size = one * self.size
        b: Size = other * self.size
        pool: cython.ulonglong[::1] = self.pool
        for k in range(self.size):
            pool[at + k] = pool[a + k] & ~pool[b + k]

    @cython.cfunc
    @cython.exceptval(check=False)
    def common_rows(self, one: Size, other: Size) -> Size:
        """How many rows two masks have in common."""
        a: Size = one * self.size
        b: Size = other * self.size
        pool: cython.ulonglong[::1] = self.pool
        found: Size = 0
        for k in range(self.size):
            if cython.compiled:
                found += unless_ones(pool[a + k] & pool[b + k])
            else:
                found += (pool[a + k] & pool[b + k]).bit_count()
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def common_weight(self, one: Size, other: Size) -> cython.longlong:
        """What the rows weigh that two masks have in common."""
        if self.grid.even:
            return self.common_rows(one, other)
        a: Size = one * self.size
        b: Size = other * self.size
        pool: cython.ulonglong[::1] = self.pool
        weights: cython.int[::1] = self.grid.weights
        found: cython.longlong = 0
        bits: cython.ulonglong
        for k in range(self.size):
            bits = pool[a + k] & pool[b + k]
            while bits:
                found += weights[64 * k + lowest(bits)]
                bits &= bits - 1
        return found

    @cython.cfunc
    def positions(self, one: Size, other: Size) -> cython.int[::1]:
        """The numbers of the rows that two masks have in common."""
        a: Size = one * self.size
        b: Size = other * self.size
        pool: cython.ulonglong[::1] = self.pool
        index: cython.int[::1] = view(np.empty(self.common_rows(one, other), np.int32))
        at: Size = 0
        bits: cython.ulonglong
        for k in range(self.size):
            bits = pool[a + k] & pool[b + k]
            while bits:
                index[at] = 64 * k + lowest(bits)
                at += 1
                bits &= bits - 1
        return index

    @cython.cfunc
    def positions_but(self, one: Size, other: Size) -> cython.int[::1]:
        """The numbers of the rows of one mask that the other does not have."""
        rest: Size = self.slot()
        self.but(rest, one, other)
        index: cython.int[::1] = self.positions(rest, rest)
        self.free.append(rest)
        return index


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def lowest(bits: cython.ulonglong) -> cython.int:
    """The place of the lowest bit that is set."""
    if cython.compiled:
        return unless_lowest(bits)
    return (bits & -bits).bit_length() - 1
