# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hot loops, and only they: an ordinary Python file with C types as annotations, compiled when unless is installed.

Where no C compiler was found the same file runs interpreted: slower, same answers. Buffers have one dimension, because
a one-dimensional ``memoryview`` gives interpreted code plain Python numbers, which neither wrap nor overflow.
Nothing is validated here: callers have done that.

A column's ranks fall into *bins*, at most 256, so that a cell is one byte: a column of few values has a bin for each,
a column of many has quantile bins and its exact ranks besides (``fine``). A histogram holds the number of rows in each
bin, column after column. Numeric bins come first in a column, padded to whole groups of 16, then categorical bins.
"""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.libc.math import log
else:
    from math import log

compiled: object = cython.compiled

GROUP = 16
"""Numeric bins are summed and bounded in groups of so many."""

SMALL = 32
"""Up to so many rows a search looks at the rows themselves and needs no histogram."""


def view(array: object) -> object:
    """What a kernel indexes: the array itself when compiled, else a memoryview, whose items are plain numbers."""
    return array if cython.compiled else memoryview(array)


# ---- rows --------------------------------------------------------------------------------------------------------


def transpose(bins: cython.uchar[::1], grid: cython.uchar[::1], columns: cython.Py_ssize_t, rows: cython.Py_ssize_t):
    """``grid[row, column] = bins[column, row]``, in blocks of rows that stay in the cache."""
    block: cython.Py_ssize_t
    column: cython.Py_ssize_t
    row: cython.Py_ssize_t
    end: cython.Py_ssize_t
    if not cython.compiled:
        bins, grid = map(view, (bins, grid))
    with cython.nogil:
        for block in range(0, rows, 512):
            end = min(block + 512, rows)
            for column in range(columns):
                for row in range(block, end):
                    grid[row * columns + column] = bins[column * rows + row]


def count(
    grid: cython.uchar[::1], first: cython.int[::1], rows: cython.int[::1], histogram: cython.int[::1], step: cython.int
):
    """Add ``step`` to the bin of every cell of the rows."""
    columns: cython.Py_ssize_t = len(first)
    number: cython.Py_ssize_t = len(rows)
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    cell: cython.Py_ssize_t
    if not cython.compiled:
        grid, first, rows, histogram = map(view, (grid, first, rows, histogram))
    with cython.nogil:
        for k in range(number):
            cell = rows[k] * columns
            for i in range(columns):
                histogram[first[i] + grid[cell + i]] += step


def count_by_label(
    grid: cython.uchar[::1],
    first: cython.int[::1],
    labels: cython.int[::1],
    rows: cython.int[::1],
    histograms: cython.int[::1],
    bins: cython.Py_ssize_t,
    step: cython.int,
):
    """Add ``step`` to the bin of every cell of the rows, in the histogram of the row's label."""
    columns: cython.Py_ssize_t = len(first)
    number: cython.Py_ssize_t = len(rows)
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    cell: cython.Py_ssize_t
    start: cython.Py_ssize_t
    if not cython.compiled:
        grid, first, labels, rows, histograms = map(view, (grid, first, labels, rows, histograms))
    with cython.nogil:
        for k in range(number):
            cell = rows[k] * columns
            start = labels[rows[k]] * bins
            for i in range(columns):
                histograms[start + first[i] + grid[cell + i]] += step


def count_labels(labels: cython.int[::1], rows: cython.int[::1], counts: cython.Py_ssize_t[::1], step: cython.int):
    """Add ``step`` to the count of every row's label."""
    k: cython.Py_ssize_t
    number: cython.Py_ssize_t = len(rows)
    if not cython.compiled:
        labels, rows, counts = map(view, (labels, rows, counts))
    with cython.nogil:
        for k in range(number):
            counts[labels[rows[k]]] += step


def split(labels: cython.int[::1], rows: cython.int[::1], label: cython.int, out: cython.int[::1]) -> cython.Py_ssize_t:
    """Rows of the label from the front of ``out``, the others from its back; how many of the label."""
    k: cython.Py_ssize_t
    row: cython.int
    number: cython.Py_ssize_t = len(rows)
    front: cython.Py_ssize_t = 0
    back: cython.Py_ssize_t = number - 1
    if not cython.compiled:
        labels, rows, out = map(view, (labels, rows, out))
    with cython.nogil:
        for k in range(number):
            row = rows[k]
            if labels[row] == label:
                out[front] = row
                front += 1
            else:
                out[back] = row
                back -= 1
    return front


def minus(
    rows: cython.int[::1], gone: cython.int[::1], mark: cython.uchar[::1], out: cython.int[::1]
) -> cython.Py_ssize_t:
    """The rows that are not gone; how many. ``mark`` is all zero before and after."""
    k: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t = len(rows)
    number_gone: cython.Py_ssize_t = len(gone)
    if not cython.compiled:
        rows, gone, mark, out = map(view, (rows, gone, mark, out))
    with cython.nogil:
        for k in range(number_gone):
            mark[gone[k]] = 1
        for k in range(number):
            out[kept] = rows[k]
            kept += 1 - mark[rows[k]]
        for k in range(number_gone):
            mark[gone[k]] = 0
    return kept


# ---- the best literal --------------------------------------------------------------------------------------------


@cython.cclass
class Search:
    """Algorithm 2 on bins: the best literal, exactly, by bounds.

    A literal is a point (a, b): how many of P positives and Q negatives it covers. With T[n] = n ln n its score

        T[a] + T[b] - T[a+b] + T[P-a] + T[Q-b] - T[P+Q-a-b]

    is (P+Q) times its information gain. It is the same for the literal's complement and convex in (a, b), so the
    corners of a rectangle of counts bound every literal inside. The search scores every 16th threshold, then looks only
    into groups of bins, bins, and rows of bins that can still reach the best. Candidates within rounding error of it
    are decided by the paper's own expression (`information_gain`), and ties by the order of features and values.
    """

    bins: cython.uchar[::1]
    fine: cython.int[::1]
    rows: cython.Py_ssize_t
    columns: cython.Py_ssize_t
    first: cython.int[::1]  # of every column: its first bin
    split: cython.int[::1]  # its first categorical bin
    end: cython.int[::1]  # the end of its bins
    wide: cython.int[::1]  # where its exact ranks are in ``fine``, -1 if its bins are its ranks
    numbers: cython.int[::1]  # how many of its ranks are numbers
    low: cython.int[::1]  # of every bin: its first rank
    width: cython.int[::1]  # how many ranks it holds
    nlogn: cython.double[::1]

    group_a: cython.int[::1]
    group_b: cython.int[::1]
    group_score: cython.double[::1]
    keys: cython.longlong[::1]
    spare: cython.longlong[::1]
    place: cython.Py_ssize_t[::1]
    tally_a: cython.int[::1]
    tally_b: cython.int[::1]

    used_feature: cython.int[::1]
    used_rank: cython.int[::1]
    used: cython.Py_ssize_t
    P: cython.Py_ssize_t
    Q: cython.Py_ssize_t
    all_a: cython.Py_ssize_t  # positives and negatives with a number in the column under search
    all_b: cython.Py_ssize_t
    bound: cython.double  # a score that some allowed literal reaches
    slack: cython.double  # the rounding error of scores
    best_gain: cython.double
    best_feature: cython.Py_ssize_t
    best_rank: cython.Py_ssize_t
    best_other: cython.bint
    best_a: cython.Py_ssize_t
    best_b: cython.Py_ssize_t

    def __init__(self, bins, fine, rows, first, split, end, wide, numbers, low, width, nlogn, scratch):
        self.bins = view(bins)
        self.fine = view(fine)
        self.rows = rows
        self.columns = len(first)
        self.first = view(first)
        self.split = view(split)
        self.end = view(end)
        self.wide = view(wide)
        self.numbers = view(numbers)
        self.low = view(low)
        self.width = view(width)
        self.nlogn = view(nlogn)
        self.group_a, self.group_b, self.group_score = map(view, scratch[:3])
        self.keys, self.spare, self.place, self.tally_a, self.tally_b = map(view, scratch[3:])

    def best(
        self,
        positive: cython.int[::1],
        negative: cython.int[::1],
        histogram_a: cython.int[::1],
        histogram_b: cython.int[::1],
        used_feature: cython.int[::1],
        used_rank: cython.int[::1],
    ):
        """The best literal as (feature, rank, other): ``<=`` or ``==`` the rank's value, ``>`` or ``!=`` it if other.

        The feature is -1 where no literal is allowed. Histograms are read only for more than SMALL rows.
        """
        self.used = len(used_feature)
        self.used_feature = used_feature
        self.used_rank = used_rank
        self.P = len(positive)
        self.Q = len(negative)
        self.slack = 1e-12 * (self.P + self.Q)
        self.bound = self.best_gain = -float("inf")
        self.best_feature = self.best_rank = self.best_a = self.best_b = -1
        self.best_other = False
        if not cython.compiled:
            positive, negative, histogram_a, histogram_b = map(view, (positive, negative, histogram_a, histogram_b))
        with cython.nogil:
            if self.P + self.Q <= 32:
                self.search_rows(positive, negative)
            else:
                self.search_histogram(positive, negative, histogram_a, histogram_b)
        return self.best_feature, self.best_rank, bool(self.best_other)

    def cover(
        self,
        feature: cython.Py_ssize_t,
        low: cython.int,
        end: cython.int,
        negated: cython.bint,
        rows: cython.int[::1],
        out: cython.int[::1],
    ) -> cython.Py_ssize_t:
        """Rows whose rank is in [low, end), or is not if negated, from the front of ``out``; the others from its back."""
        k: cython.Py_ssize_t
        row: cython.int
        inside: cython.bint
        start: cython.Py_ssize_t = feature * self.rows
        number: cython.Py_ssize_t = len(rows)
        front: cython.Py_ssize_t = 0
        back: cython.Py_ssize_t = number - 1
        padding: cython.int = self.split[feature] - self.first[feature] - self.numbers[feature]
        if not cython.compiled:
            rows, out = map(view, (rows, out))
        with cython.nogil:
            if self.wide[feature] < 0:
                if low >= self.numbers[feature]:
                    low += padding
                    end += padding
                for k in range(number):
                    row = rows[k]
                    inside = (low <= self.bins[start + row] < end) != negated
                    out[front] = row  # both writes, no branch: the truth of a literal is hard to predict
                    out[back] = row
                    front += inside
                    back -= not inside
            else:
                start = self.wide[feature] * self.rows
                for k in range(number):
                    row = rows[k]
                    inside = (low <= self.fine[start + row] < end) != negated
                    out[front] = row
                    out[back] = row
                    front += inside
                    back -= not inside
        return front

    # -- candidates

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def score(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.double:
        c: cython.Py_ssize_t = self.P - a
        d: cython.Py_ssize_t = self.Q - b
        return (self.nlogn[a] + self.nlogn[b] - self.nlogn[a + b]) + (
            self.nlogn[c] + self.nlogn[d] - self.nlogn[c + d]
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def offer(
        self,
        feature: cython.Py_ssize_t,
        rank: cython.Py_ssize_t,
        other: cython.bint,
        a: cython.Py_ssize_t,
        b: cython.Py_ssize_t,
        score: cython.double,
    ) -> cython.void:
        """Keep the literal, which covers (a, b), if it is allowed and beats the best, or equals it and comes earlier."""
        k: cython.Py_ssize_t
        gain: cython.double
        if 2 * (a - b) < self.P - self.Q:  # more wrong than right: the gain is minus infinity
            return
        for k in range(self.used):
            if self.used_rank[k] == rank and self.used_feature[k] == feature:
                return
        if a == self.best_a and b == self.best_b:
            gain = self.best_gain
        else:
            gain = information_gain(a, self.P - a, self.Q - b, b)
        if gain > self.best_gain or (
            gain == self.best_gain
            and (feature < self.best_feature or (feature == self.best_feature and rank < self.best_rank))
        ):
            self.best_gain = gain
            self.best_feature = feature
            self.best_rank = rank
            self.best_other = other
            self.best_a = a
            self.best_b = b
        if score > self.bound:
            self.bound = score

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def offer_number(
        self, feature: cython.Py_ssize_t, rank: cython.Py_ssize_t, a: cython.Py_ssize_t, b: cython.Py_ssize_t
    ) -> cython.void:
        """Offer ``<=`` the number, which covers (a, b), and ``>`` it, which covers the other numbers."""
        score: cython.double = self.score(a, b)
        pure: cython.bint = self.all_a == self.P and self.all_b == self.Q
        if score >= self.bound - self.slack:
            self.offer(feature, rank, False, a, b, score)
        if not pure:
            score = self.score(self.all_a - a, self.all_b - b)
        if score >= self.bound - self.slack:
            self.offer(feature, rank, True, self.all_a - a, self.all_b - b, score)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def offer_category(
        self, feature: cython.Py_ssize_t, rank: cython.Py_ssize_t, a: cython.Py_ssize_t, b: cython.Py_ssize_t
    ) -> cython.void:
        """Offer ``==`` the category, which covers (a, b), and ``!=`` it, which covers the rest."""
        score: cython.double = self.score(a, b)
        if score >= self.bound - self.slack:
            self.offer(feature, rank, False, a, b, score)
            self.offer(feature, rank, True, self.P - a, self.Q - b, score)

    # -- bounds

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def reaches(
        self, a0: cython.Py_ssize_t, b0: cython.Py_ssize_t, a1: cython.Py_ssize_t, b1: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether a point of the rectangle [a0, a1] x [b0, b1] could reach the best score."""
        need: cython.double = self.bound - self.slack
        return (
            self.score(a1, b0) >= need
            or self.score(a0, b1) >= need
            or self.score(a0, b0) >= need
            or self.score(a1, b1) >= need
        )

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def numbers_reach(
        self, a0: cython.Py_ssize_t, b0: cython.Py_ssize_t, a1: cython.Py_ssize_t, b1: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether a threshold between two prefixes of the numbers could reach the best score, as ``<=`` or as ``>``."""
        if self.reaches(a0, b0, a1, b1):
            return True
        if self.all_a == self.P and self.all_b == self.Q:
            return False
        return self.reaches(self.all_a - a1, self.all_b - b1, self.all_a - a0, self.all_b - b0)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def raise_bound(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.void:
        """Note the score of a literal that covers (a, b), if it is allowed; it will be offered later."""
        score: cython.double
        if 2 * (a - b) >= self.P - self.Q:
            score = self.score(a, b)
            if score > self.bound:
                self.bound = score

    # -- more than a few rows: by histogram

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_histogram(
        self,
        positive: cython.int[::1],
        negative: cython.int[::1],
        histogram_a: cython.int[::1],
        histogram_b: cython.int[::1],
    ) -> cython.void:
        i: cython.Py_ssize_t
        for i in range(self.columns):
            self.sketch(i, histogram_a, histogram_b)
        for i in range(self.columns):
            if self.best_gain >= 0.0 and i > self.best_feature:  # a perfect literal: later features only tie
                break
            self.search_column(i, positive, negative, histogram_a, histogram_b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sketch(self, i: cython.Py_ssize_t, histogram_a: cython.int[::1], histogram_b: cython.int[::1]) -> cython.void:
        """Sum the numeric bins of a column in groups, and raise the bound by the thresholds between them.

        A threshold between groups is a literal on the largest number present below it. Where a value of the column
        is used that literal may not be allowed, so such a column raises nothing.
        """
        a: cython.int = 0
        b: cython.int = 0
        g: cython.Py_ssize_t
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.first[i] // 16
        start: cython.Py_ssize_t = at
        free: cython.bint = True
        for g in range(self.first[i], self.split[i], 16):
            for k in range(16):
                a += histogram_a[g + k]
                b += histogram_b[g + k]
            self.group_a[at] = a
            self.group_b[at] = b
            at += 1
        for k in range(self.used):
            if self.used_feature[k] == i:
                free = False
        if free:
            for k in range(start, at):
                if self.group_a[k] + self.group_b[k] > 0:
                    self.raise_bound(self.group_a[k], self.group_b[k])
                    self.raise_bound(a - self.group_a[k], b - self.group_b[k])
            for g in range(self.split[i], self.end[i]):
                if self.width[g] == 1 and histogram_a[g] + histogram_b[g] > 0:
                    self.raise_bound(histogram_a[g], histogram_b[g])
                    self.raise_bound(self.P - histogram_a[g], self.Q - histogram_b[g])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_column(
        self,
        i: cython.Py_ssize_t,
        positive: cython.int[::1],
        negative: cython.int[::1],
        histogram_a: cython.int[::1],
        histogram_b: cython.int[::1],
    ) -> cython.void:
        """Offer every literal of a column that can reach the best: from bins of one rank at once, else from their rows."""
        first: cython.Py_ssize_t = self.first[i]
        group: cython.Py_ssize_t
        at: cython.Py_ssize_t = first // 16
        a: cython.Py_ssize_t = 0
        b: cython.Py_ssize_t = 0
        bin: cython.Py_ssize_t
        da: cython.Py_ssize_t
        db: cython.Py_ssize_t
        rows: cython.Py_ssize_t = 0
        if self.split[i] > first:
            self.all_a = self.group_a[(self.split[i] - 1) // 16]
            self.all_b = self.group_b[(self.split[i] - 1) // 16]
        if self.wide[i] >= 0:
            for bin in range(self.end[i] - first):
                self.place[bin] = -1
        for group in range(first, self.split[i], 16):
            da = self.group_a[at]
            db = self.group_b[at]
            at += 1
            if (da == a and db == b) or not self.numbers_reach(a, b, da, db):
                a = da
                b = db
                continue
            for bin in range(group, group + 16):
                da = histogram_a[bin]
                db = histogram_b[bin]
                if da + db == 0:
                    continue
                if self.width[bin] == 1:
                    self.offer_number(i, self.low[bin], a + da, b + db)
                elif self.numbers_reach(a, b, a + da, b + db):
                    self.place[bin - first] = rows
                    rows += da + db
                a += da
                b += db
        for bin in range(self.split[i], self.end[i]):
            da = histogram_a[bin]
            db = histogram_b[bin]
            if da + db == 0:
                continue
            if self.width[bin] == 1:
                self.offer_category(i, self.low[bin], da, db)
            elif self.reaches(0, 0, da, db):
                self.place[bin - first] = rows
                rows += da + db
        if rows:
            self.search_bins(i, positive, negative, histogram_a, histogram_b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_bins(
        self,
        i: cython.Py_ssize_t,
        positive: cython.int[::1],
        negative: cython.int[::1],
        histogram_a: cython.int[::1],
        histogram_b: cython.int[::1],
    ) -> cython.void:
        """Gather the rows of the bins that have a place, bin by bin, as keys (rank * 2 + is negative), and search them."""
        bins: cython.Py_ssize_t = i * self.rows
        fine: cython.Py_ssize_t = self.wide[i] * self.rows
        first: cython.Py_ssize_t = self.first[i]
        k: cython.Py_ssize_t
        row: cython.Py_ssize_t
        bin: cython.Py_ssize_t
        at: cython.Py_ssize_t
        number: cython.Py_ssize_t
        a: cython.Py_ssize_t = 0
        b: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t = 0
        for k in range(self.P):
            row = positive[k]
            bin = self.bins[bins + row]
            at = self.place[bin]
            if at >= 0:
                self.keys[at] = self.fine[fine + row] * 2
                self.place[bin] = at + 1
        for k in range(self.Q):
            row = negative[k]
            bin = self.bins[bins + row]
            at = self.place[bin]
            if at >= 0:
                self.keys[at] = self.fine[fine + row] * 2 + 1
                self.place[bin] = at + 1
        for bin in range(first, self.end[i]):
            number = histogram_a[bin] + histogram_b[bin]
            if self.place[bin - first] >= 0:
                self.refine(i, start, number, self.low[bin], self.width[bin], a, b, bin < self.split[i], 0)
                start += number
            if bin < self.split[i]:
                a += histogram_a[bin]
                b += histogram_b[bin]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def refine(
        self,
        i: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        number: cython.Py_ssize_t,
        low: cython.Py_ssize_t,
        width: cython.Py_ssize_t,
        a: cython.Py_ssize_t,
        b: cython.Py_ssize_t,
        numeric: cython.bint,
        depth: cython.Py_ssize_t,
    ) -> cython.void:
        """Search keys of ranks in [low, low + width): the histogram search once more, on 256 narrower bins.

        ``a`` and ``b`` count what comes before them. ``tally`` has a stretch of its own for every depth; at most four
        are needed, as each narrows the ranks, below 2**32, by 8 bits.
        """
        shift: cython.int = 0
        base: cython.Py_ssize_t = depth * 256
        k: cython.Py_ssize_t
        part: cython.Py_ssize_t
        key: cython.longlong
        da: cython.Py_ssize_t
        db: cython.Py_ssize_t
        a1: cython.Py_ssize_t = a
        b1: cython.Py_ssize_t = b
        kept: cython.Py_ssize_t = 0
        if number <= 32:
            sort(self.keys, start, number)
            self.search_sorted(i, start, number, a, b, numeric)
            return
        while (width - 1) >> shift > 255:
            shift += 1
        for part in range(256):
            self.tally_a[base + part] = 0
            self.tally_b[base + part] = 0
        for k in range(start, start + number):
            key = self.keys[k]
            part = base + (((key >> 1) - low) >> shift)
            self.tally_b[part] += key & 1
            self.tally_a[part] += 1 - (key & 1)
        for part in range(256):
            da = self.tally_a[base + part]
            db = self.tally_b[base + part]
            self.place[base + 256 + part] = -1
            if da + db == 0:
                continue
            if shift == 0:
                if numeric:
                    self.offer_number(i, low + part, a1 + da, b1 + db)
                else:
                    self.offer_category(i, low + part, da, db)
            elif self.numbers_reach(a1, b1, a1 + da, b1 + db) if numeric else self.reaches(0, 0, da, db):
                self.place[base + 256 + part] = start + kept
                kept += da + db
            a1 += da
            b1 += db
        if kept == 0:
            return
        for k in range(start, start + number):
            self.spare[k] = self.keys[k]
        for k in range(start, start + number):
            key = self.spare[k]
            part = base + 256 + (((key >> 1) - low) >> shift)
            if self.place[part] >= 0:
                self.keys[self.place[part]] = key
                self.place[part] += 1
        kept = start
        for part in range(256):
            da = self.tally_a[base + part]
            db = self.tally_b[base + part]
            if self.place[base + 256 + part] >= 0:
                self.refine(i, kept, da + db, low + (part << shift), 1 << shift, a, b, numeric, depth + 1)
                kept += da + db
            a += da
            b += db

    # -- few rows: by sorting or counting

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_rows(self, positive: cython.int[::1], negative: cython.int[::1]) -> cython.void:
        """Look at the rows themselves, column by column."""
        i: cython.Py_ssize_t
        for i in range(self.columns):
            if self.wide[i] < 0 and self.end[i] - self.first[i] <= 2 * (self.P + self.Q):
                self.count_column(i, positive, negative)
            else:
                self.sort_column(i, positive, negative)
            if self.best_gain >= 0.0:  # a perfect literal: later features only tie
                break

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_column(self, i: cython.Py_ssize_t, positive: cython.int[::1], negative: cython.int[::1]) -> cython.void:
        """Offer the literals of a column of few values."""
        bins: cython.Py_ssize_t = i * self.rows
        first: cython.Py_ssize_t = self.first[i]
        numbers: cython.Py_ssize_t = self.numbers[i]
        split: cython.Py_ssize_t = self.split[i] - first
        bin: cython.Py_ssize_t
        k: cython.Py_ssize_t
        a: cython.Py_ssize_t = 0
        b: cython.Py_ssize_t = 0
        for bin in range(self.end[i] - first):
            self.tally_a[bin] = 0
            self.tally_b[bin] = 0
        for k in range(self.P):
            self.tally_a[self.bins[bins + positive[k]]] += 1
        for k in range(self.Q):
            self.tally_b[self.bins[bins + negative[k]]] += 1
        self.all_a = 0
        self.all_b = 0
        for bin in range(numbers):
            self.all_a += self.tally_a[bin]
            self.all_b += self.tally_b[bin]
        for bin in range(numbers):
            if self.tally_a[bin] + self.tally_b[bin]:
                a += self.tally_a[bin]
                b += self.tally_b[bin]
                self.offer_number(i, bin, a, b)
        for bin in range(split, self.end[i] - first):
            if self.tally_a[bin] + self.tally_b[bin]:
                self.offer_category(i, self.low[first + bin], self.tally_a[bin], self.tally_b[bin])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_column(self, i: cython.Py_ssize_t, positive: cython.int[::1], negative: cython.int[::1]) -> cython.void:
        """Offer the literals of a column of many values."""
        bins: cython.Py_ssize_t = i * self.rows
        fine: cython.Py_ssize_t = self.wide[i] * self.rows
        first: cython.Py_ssize_t = self.first[i]
        number: cython.Py_ssize_t = self.P + self.Q
        numeric: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        if self.wide[i] >= 0:
            for k in range(self.P):
                self.keys[k] = self.fine[fine + positive[k]] * 2
            for k in range(self.Q):
                self.keys[self.P + k] = self.fine[fine + negative[k]] * 2 + 1
        else:
            for k in range(self.P):
                self.keys[k] = self.low[first + self.bins[bins + positive[k]]] * 2
            for k in range(self.Q):
                self.keys[self.P + k] = self.low[first + self.bins[bins + negative[k]]] * 2 + 1
        sort(self.keys, 0, number)
        self.all_a = 0
        self.all_b = 0
        while numeric < number and self.keys[numeric] < 2 * self.numbers[i]:
            self.all_b += self.keys[numeric] & 1
            numeric += 1
        self.all_a = numeric - self.all_b
        self.search_sorted(i, 0, numeric, 0, 0, True)
        self.search_sorted(i, numeric, number - numeric, 0, 0, False)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_sorted(
        self,
        i: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        number: cython.Py_ssize_t,
        a: cython.Py_ssize_t,
        b: cython.Py_ssize_t,
        numeric: cython.bint,
    ) -> cython.void:
        """Offer the literals of sorted keys."""
        k: cython.Py_ssize_t = start
        end: cython.Py_ssize_t = start + number
        rank: cython.longlong
        da: cython.Py_ssize_t
        db: cython.Py_ssize_t
        while k < end:
            rank = self.keys[k] >> 1
            da = 0
            db = 0
            while k < end and self.keys[k] >> 1 == rank:
                db += self.keys[k] & 1
                da += 1 - (self.keys[k] & 1)
                k += 1
            a += da
            b += db
            if numeric:
                self.offer_number(i, rank, a, b)
            else:
                self.offer_category(i, rank, da, db)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def information_gain(
    tp: cython.Py_ssize_t, fn: cython.Py_ssize_t, tn: cython.Py_ssize_t, fp: cython.Py_ssize_t
) -> cython.double:
    """Algorithm 1 without its test: which of two nearly equal gains is larger depends on this order of terms."""
    total: cython.double = tp + fn + tn + fp
    gain: cython.double = 0.0
    if tp:
        gain += tp / total * log(cython.cast(cython.double, tp) / (tp + fp))
    if fp:
        gain += fp / total * log(cython.cast(cython.double, fp) / (tp + fp))
    if tn:
        gain += tn / total * log(cython.cast(cython.double, tn) / (tn + fn))
    if fn:
        gain += fn / total * log(cython.cast(cython.double, fn) / (tn + fn))
    return gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort(keys: cython.longlong[::1], start: cython.Py_ssize_t, number: cython.Py_ssize_t) -> cython.void:
    """Insertion sort: the fastest for at most 32 keys."""
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    key: cython.longlong
    for k in range(start + 1, start + number):
        key = keys[k]
        j = k - 1
        while j >= start and keys[j] > key:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = key
