# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Learning: the best literal of a grid, found exactly, by bounds."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.libc.math import log, sqrt
    from cython.cimports.unless.kernels.binning import RowSelection
    from cython.cimports.unless.kernels.row_filtering import RowGrid
else:
    from math import log, sqrt

    from unless.kernels.binning import RowSelection
    from unless.kernels.row_filtering import RowGrid

Size = cython.typedef(cython.Py_ssize_t)
AT_ONCE = cython.declare(cython.Py_ssize_t, 4)  # this many columns are searched together while a row is looked up


@cython.final
@cython.cclass
class LiteralSearch(RowGrid):
    """The best literal on given positives and negatives; ``literal_search.pxd`` lists the attributes.

    A literal is a point (a, b): how many of P positives and Q negatives it
    covers. By information gain (Algorithm 1) its score is, with T[n] = n ln n,

        T[a] + T[b] - T[a+b] + T[P-a] + T[Q-b] - T[P+Q-a-b],

    which is P+Q times the gain, and by impurity it is

        -(sqrt(a b) + sqrt((P-a) (Q-b))),

    and by worth it is a - b. All are convex in (a, b), and two corners of a rectangle of counts bound every literal
    inside (`reaches`). The first two are the same for the literal's complement. The search scores every 16th threshold,
    then looks only into those groups of bins, bins and rows of bins that can still reach the best score. The defining
    expression (`information_gain`) decides between candidates within rounding error, and the order of features and
    values decides ties.
    """

    def __init__(self, labels, weights, numbers, ranks, threads=1):
        super().__init__(labels, weights, numbers, ranks, threads)
        self.group_a = view(np.empty(self.size // 16 + 1, np.int32))
        self.group_b = view(np.empty(self.size // 16 + 1, np.int32))
        self.make_scratch()
        self.twins = []
        self.used_feature = view(np.empty(64, np.int32))
        self.used_rank = view(np.empty(64, np.int32))
        self.banned = []
        self.limited = False
        self.kinds = view(np.full(self.columns, 15, np.uint8))
        self.nlogn = view(np.empty(0, np.float64))

    @cython.cfunc
    def make_scratch(self):
        """Make room for keys and tallies; nothing is touched before it is used."""
        self.keys = view(np.empty(max(self.rows, 64), np.int64))
        self.spare = view(np.empty(max(self.rows, 64), np.int64))
        self.place, self.held = (view(np.empty(6 * 256, np.intp)) for _ in range(2))
        self.tally_a, self.tally_b = (view(np.empty(5 * 256, np.int32)) for _ in range(2))

    def ban(self, literals: list):
        """Leave out every literal on the value of one of these, from now on."""
        self.banned = literals

    def best(
        self,
        positive: RowSelection,
        negative: RowSelection,
        score: str,
        support: cython.longlong = 0,
        used: object = None,
        allowed: object = None,
    ):
        """The best literal as (feature, rank, other), see `covered_by_literal`, and how many (a, b) it covers.

        None if no literal is allowed. The ``score`` is "gain" (Algorithm 2), "purity" of literals that cover enough
        positives (``support``) and a larger share of them, or "net": positives less negatives. ``used`` are literals in
        the same form; no literal on their values is allowed. ``allowed`` are the kinds of literals that are, by column
        (`learn.literals.AllowedKinds`); None allows all.
        """
        self.limit(allowed)
        if score == "gain":
            self.score_by_gain()
        elif score == "purity":
            self.score_by_impurity(support)
        else:
            self.by_gain = False
            self.by_worth = True
        found = self.find(positive, negative, [] if used is None else used)
        return None if found is None else (found, self.best_a, self.best_b)

    @cython.cfunc
    def score_by_gain(self):
        """Score literals by their information gain from now on."""
        self.by_gain = True
        self.by_worth = False
        if len(self.nlogn) == 0:
            # A table of n ln n for whole weights; for finer ones, and for sums beyond 8 MB, it is computed.
            self.nlogn = view(table_to(min(int(np.sum(self.weights, dtype=np.int64)), 4 * self.rows, 1 << 20) + 1))

    @cython.cfunc
    def score_by_impurity(self, support: cython.longlong):
        """Score literals by their impurity from now on, if they cover enough positives."""
        self.by_gain = self.by_worth = False
        self.support = support

    @cython.cfunc
    def limit(self, allowed: object):
        """Allow only some kinds of literals in the next search."""
        self.limited = allowed is not None
        if self.limited:
            self.kinds = view(np.frombuffer(allowed, np.uint8).copy())

    # -- the search

    @cython.cfunc
    def find(self, positive: RowSelection, negative: RowSelection, used: list):
        """The literal with the best score."""
        if self.banned:
            used = used + self.banned
        self.used = len(used)
        if self.used > len(self.used_rank):
            self.used_feature = view(np.empty(2 * self.used, np.int32))
            self.used_rank = view(np.empty(2 * self.used, np.int32))
        for k in range(self.used):
            self.used_feature[k], self.used_rank[k] = used[k][0], used[k][1]
        self.positive, self.negative = positive.index, negative.index
        self.P, self.Q = positive.total, negative.total
        self.by_table = len(self.nlogn) > self.P + self.Q
        self.slack = 1e-12 * (self.P + self.Q)
        self.perfect = self.P if self.by_worth else 0.0
        self.bound = self.best_gain = -float("inf")
        self.best_feature = self.best_rank = self.best_a = self.best_b = -1
        if len(self.positive) + len(self.negative) <= 32:  # few rows: faster without histograms
            self.search_rows()
        else:
            self.need_histogram(positive)
            self.need_histogram(negative)
            self.histogram_a, self.histogram_b = positive.histogram, negative.histogram
            self.search_histogram()
        if self.best_feature < 0:
            return None
        return self.best_feature, self.best_rank, bool(self.best_other)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def score(self, a: Size, b: Size) -> cython.double:
        """The score of a literal that covers (a, b)."""
        c: Size = self.P - a
        d: Size = self.Q - b
        if self.by_worth:
            return a - b
        if not self.by_gain:
            return -(sqrt(cython.cast(cython.double, a) * b) + sqrt(cython.cast(cython.double, c) * d))
        if self.by_table:
            return (self.nlogn[a] + self.nlogn[b] - self.nlogn[a + b]) + (
                self.nlogn[c] + self.nlogn[d] - self.nlogn[c + d]
            )
        return scaled_gain(a, b, c, d)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def allowed(self, a: Size, b: Size) -> cython.bint:
        """Whether a literal may cover (a, b); by gain, it must not be wrong more often than right (Algorithm 1)."""
        if self.by_worth:
            return True
        if self.by_gain:
            return 2 * (a - b) >= self.P - self.Q
        return a >= self.support and cython.cast(cython.double, a) * self.Q > cython.cast(cython.double, b) * self.P

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def offer(
        self, feature: Size, rank: Size, other: cython.bint, a: Size, b: Size, score: cython.double
    ) -> cython.void:
        """Keep the literal, which covers (a, b), if it is allowed and beats the best, or ties and comes earlier."""
        if not self.allowed(a, b):
            return
        if self.limited:
            kind: Size = (8 if other else 4) if rank >= self.numbers[feature] else 2 if other else 1
            if not self.kinds[feature] & kind:
                return
        for k in range(self.used):
            if self.used_rank[k] == rank and self.used_feature[k] == feature:
                return
        if a == self.best_a and b == self.best_b:
            gain = self.best_gain
        else:
            gain = information_gain(a, self.P - a, self.Q - b, b) if self.by_gain else score
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
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def offer_number(self, feature: Size, rank: Size, a: Size, b: Size) -> cython.void:
        """Offer ``<=`` the number, which covers (a, b), and ``>`` it, which covers the other numbers."""
        score: cython.double = self.score(a, b)
        if score >= self.bound - self.slack:
            self.offer(feature, rank, False, a, b, score)
        if not self.mirrored():
            score = self.score(self.all_a - a, self.all_b - b)
        if score >= self.bound - self.slack:
            self.offer(feature, rank, True, self.all_a - a, self.all_b - b, score)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def offer_category(self, feature: Size, rank: Size, a: Size, b: Size) -> cython.void:
        """Offer ``==`` the category, which covers (a, b), and ``!=`` it, which covers the rest."""
        score: cython.double = self.score(a, b)
        if score >= self.bound - self.slack:
            self.offer(feature, rank, False, a, b, score)
        if self.by_worth:
            score = self.score(self.P - a, self.Q - b)
        if score >= self.bound - self.slack:
            self.offer(feature, rank, True, self.P - a, self.Q - b, score)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def mirrored(self) -> cython.bint:
        """Whether ``>`` has the score of ``<=``: it covers the rest, and the score is the same for the rest."""
        return not self.by_worth and self.all_a == self.P and self.all_b == self.Q

    # -- bounds

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def reaches(self, a0: Size, b0: Size, a1: Size, b1: Size) -> cython.bint:
        """Whether a point of the rectangle [a0, a1] x [b0, b1] could reach the best score.

        Where the share of positives is larger than among all, a score rises with a and falls with b, elsewhere the
        other way round: so it is largest in one of two corners. Worth always rises with a.
        """
        need: cython.double = self.bound - self.slack
        return self.score(a1, b0) >= need or (not self.by_worth and self.score(a0, b1) >= need)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def numbers_reach(self, a0: Size, b0: Size, a1: Size, b1: Size) -> cython.bint:
        """Whether a threshold between two prefixes of the numbers could reach the best score, as ``<=`` or as ``>``."""
        if self.reaches(a0, b0, a1, b1):
            return True
        if self.mirrored():
            return False
        return self.reaches(self.all_a - a1, self.all_b - b1, self.all_a - a0, self.all_b - b0)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def categories_reach(self, a: Size, b: Size) -> cython.bint:
        """Whether one of the categories that together cover (a, b) could reach the best score, as ``==`` or ``!=``."""
        return self.reaches(0, 0, a, b) or (self.by_worth and self.reaches(self.P - a, self.Q - b, self.P, self.Q))

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def raise_bound(self, a: Size, b: Size) -> cython.void:
        """Note the score of an allowed literal that covers (a, b); the literal itself is offered later."""
        if self.allowed(a, b):
            score = self.score(a, b)
            if score > self.bound:
                self.bound = score

    # -- more than a few rows: by histogram

    @cython.cfunc
    def search_histogram(self):
        for i in range(self.columns):
            self.sketch(i)
        if len(self.positive) + len(self.negative) >= self.many:  # bins are far fewer than rows
            for i in range(self.columns):
                self.sharpen(i)
        if self.shared(AT_ONCE * (len(self.positive) + len(self.negative))) and self.open_columns() > 1:
            self.search_by_twins()
            return
        for i in range(self.columns):
            if self.best_gain >= self.perfect and i > self.best_feature:  # a perfect literal: later features only tie
                break
            if (not self.limited or self.kinds[i]) and self.look_into(i):
                self.gather_keys(i)
                self.search_bins(i)

    @cython.cfunc
    def open_columns(self) -> Size:
        """How many columns may have bins whose rows must be looked at."""
        found: Size = 0
        for i in range(self.columns):
            a: Size = 0
            b: Size = 0
            if self.wide[i] < 0 or (self.limited and not self.kinds[i]):
                continue
            some: cython.bint = self.end[i] - self.split[i] > 1
            self.all_a = self.group_a[(self.split[i] - 1) // 16] if self.split[i] > self.first[i] else 0
            self.all_b = self.group_b[(self.split[i] - 1) // 16] if self.split[i] > self.first[i] else 0
            for at in range(self.first[i] // 16, self.split[i] // 16):
                some = some or self.numbers_reach(a, b, self.group_a[at], self.group_b[at])
                a = self.group_a[at]
                b = self.group_b[at]
            found += some
        return found

    # Threads share columns: each has a twin, with scratch of its own, that searches some of them.

    @cython.cfunc
    def search_by_twins(self):
        """Search all columns, and take the best literal of any: whoever finds it, order decides ties."""
        twin: LiteralSearch
        while len(self.twins) < self.threads:
            self.twins.append(self.twin())
        for twin in self.twins:
            self.brief(twin)
        self.share(search_some, [(self.twins[k], k, self.threads) for k in range(self.threads)])
        for twin in self.twins:
            if twin.best_feature >= 0:
                score: cython.double = self.score(twin.best_a, twin.best_b)
                self.offer(twin.best_feature, twin.best_rank, twin.best_other, twin.best_a, twin.best_b, score)

    @cython.cfunc
    def twin(self) -> LiteralSearch:
        """A search of the same columns, which never change."""
        twin: LiteralSearch = LiteralSearch.__new__(LiteralSearch)
        twin.threads, twin.many, twin.rows, twin.columns, twin.size = 1, self.many, self.rows, self.columns, self.size
        twin.bins, twin.fine, twin.weights, twin.even = self.bins, self.fine, self.weights, self.even
        twin.numbers, twin.first, twin.split, twin.end = self.numbers, self.first, self.split, self.end
        twin.wide, twin.low, twin.width = self.wide, self.low, self.width
        twin.group_a, twin.group_b = self.group_a, self.group_b
        twin.make_scratch()
        return twin

    @cython.cfunc
    def brief(self, twin: LiteralSearch):
        """Tell a twin what is searched for."""
        twin.nlogn, twin.by_table, twin.by_gain, twin.by_worth = self.nlogn, self.by_table, self.by_gain, self.by_worth
        twin.used, twin.used_feature, twin.used_rank = self.used, self.used_feature, self.used_rank
        twin.limited, twin.kinds, twin.support = self.limited, self.kinds, self.support
        twin.positive, twin.negative = self.positive, self.negative
        twin.histogram_a, twin.histogram_b, twin.P, twin.Q = self.histogram_a, self.histogram_b, self.P, self.Q
        twin.bound, twin.slack, twin.perfect = self.bound, self.slack, self.perfect
        twin.best_gain = self.best_gain
        twin.best_feature = twin.best_rank = twin.best_a = twin.best_b = -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_every(self, first: Size, step: Size) -> cython.void:
        """Search one of several columns."""
        i: Size = first
        while i < self.columns and not (self.best_gain >= self.perfect and i > self.best_feature):
            if (not self.limited or self.kinds[i]) and self.look_into(i):
                self.gather_alone(i)
                self.search_bins(i)
            i += step

    @cython.cfunc
    def sketch(self, i: Size):
        """Sum the numeric bins of a column in groups, and raise the bound by the thresholds between them.

        A threshold between groups is a literal on the largest number below it. If a value of the column is used, or
        not every kind of literal is allowed, that literal may not be, so such a column raises nothing.
        """
        a: cython.int = 0
        b: cython.int = 0
        at: Size = self.first[i] // 16
        start: Size = at
        for g in range(self.first[i], self.split[i], 16):
            for k in range(16):
                a += self.histogram_a[g + k]
                b += self.histogram_b[g + k]
            self.group_a[at] = a
            self.group_b[at] = b
            at += 1
        if self.free(i):
            for k in range(start, at):
                if self.group_a[k] + self.group_b[k] > 0:
                    self.raise_bound(self.group_a[k], self.group_b[k])
                    self.raise_bound(a - self.group_a[k], b - self.group_b[k])
            for g in range(self.split[i], self.end[i]):
                if self.width[g] == 1 and self.histogram_a[g] + self.histogram_b[g] > 0:
                    self.raise_bound(self.histogram_a[g], self.histogram_b[g])
                    self.raise_bound(self.P - self.histogram_a[g], self.Q - self.histogram_b[g])

    @cython.cfunc
    def sharpen(self, i: Size):
        """Raise the bound by the thresholds between the bins of those groups that can reach it.

        Then few columns are left whose rows have to be looked at.
        """
        a: Size = 0
        b: Size = 0
        at: Size = self.first[i] // 16
        if self.split[i] == self.first[i] or not self.free(i):
            return
        self.all_a = self.group_a[(self.split[i] - 1) // 16]
        self.all_b = self.group_b[(self.split[i] - 1) // 16]
        for group in range(self.first[i], self.split[i], 16):
            if self.numbers_reach(a, b, self.group_a[at], self.group_b[at]):
                for bin in range(group, group + 16):
                    a += self.histogram_a[bin]
                    b += self.histogram_b[bin]
                    if a + b > 0:
                        self.raise_bound(a, b)
                        self.raise_bound(self.all_a - a, self.all_b - b)
            a = self.group_a[at]
            b = self.group_b[at]
            at += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def free(self, i: Size) -> cython.bint:
        """Whether every literal of a column is allowed: no value is used."""
        if self.limited and self.kinds[i] != 15:
            return False
        for k in range(self.used):  # noqa: SIM110 - C has no generators
            if self.used_feature[k] == i:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_into(self, i: Size) -> cython.bint:
        """Offer every literal of a column that can reach the best; whether there are bins to be searched by rows."""
        first: Size = self.first[i]
        at: Size = first // 16
        a: Size = 0
        b: Size = 0
        some: cython.bint = False
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
                da = self.histogram_a[bin]
                db = self.histogram_b[bin]
                if da + db == 0:
                    continue
                if self.width[bin] == 1:
                    self.offer_number(i, self.low[bin], a + da, b + db)
                elif self.numbers_reach(a, b, a + da, b + db):
                    self.place[bin - first] = 0
                    some = True
                a += da
                b += db
        for bin in range(self.split[i], self.end[i]):
            da = self.histogram_a[bin]
            db = self.histogram_b[bin]
            if da + db == 0:
                continue
            if self.width[bin] == 1:
                self.offer_category(i, self.low[bin], da, db)
            elif self.categories_reach(da, db):
                self.place[bin - first] = 0
                some = True
        return some

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_bins(self, i: Size) -> cython.void:
        """Search the bins that have a place, by the keys of their rows."""
        first: Size = self.first[i]
        size: Size = self.end[i] - first
        start: Size = 0
        a: Size = 0
        b: Size = 0
        for bin in range(size):
            if self.place[bin] >= 0:
                numeric: cython.bint = first + bin < self.split[i]
                self.refine(i, start, self.held[bin], self.low[first + bin], self.width[first + bin], a, b, numeric, 0)
                start += self.held[bin]
            if first + bin < self.split[i]:
                a += self.histogram_a[first + bin]
                b += self.histogram_b[first + bin]

    @cython.cfunc
    def gather_keys(self, i: Size):
        """Put the rows of bins that have a place next to each other, bin after bin, as keys."""
        if self.shared(len(self.positive) + len(self.negative)):
            if self.even and self.threads <= 4:
                self.gather_from_both_ends(i)
            else:
                self.gather_by_blocks(i)
        else:
            self.gather_alone(i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gather_alone(self, i: Size) -> cython.void:
        """Do so by one thread."""
        first: Size = self.first[i]
        size: Size = self.end[i] - first
        start: Size = 0
        for bin in range(size):
            self.held[bin] = self.histogram_a[first + bin] + self.histogram_b[first + bin] if self.even else 0
        if not self.even:  # rows and weights differ
            self.hold_rows(i, self.positive, self.held)
            self.hold_rows(i, self.negative, self.held)
        for bin in range(size):
            if self.place[bin] >= 0:
                self.place[bin] = start
                start += self.held[bin]
        self.put_rows(i, self.positive, 0, self.place, 1)
        self.put_rows(i, self.negative, 1, self.place, 1)

    @cython.cfunc
    def gather_from_both_ends(self, i: Size):
        """Do the same by up to four threads: for each sign, one fills the places upwards, and one downwards."""
        first: Size = self.first[i]
        half_a: Size = len(self.positive) // 2
        half_b: Size = len(self.negative) // 2
        start: Size = 0
        places: Size[::1] = view(np.full(4 * 256, -1, np.intp))
        for bin in range(self.end[i] - first):
            if self.place[bin] >= 0:
                places[bin] = start
                places[512 + bin] = start + self.histogram_a[first + bin]
                self.held[bin] = self.histogram_a[first + bin] + self.histogram_b[first + bin]
                start += self.held[bin]
                places[256 + bin] = places[512 + bin] - 1
                places[768 + bin] = start - 1
        self.share(
            self.put,
            [
                (i, self.positive[:half_a], 0, places[:256], 1),
                (i, self.positive[half_a:], 0, places[256:512], -1),
                (i, self.negative[:half_b], 1, places[512:768], 1),
                (i, self.negative[half_b:], 1, places[768:], -1),
            ],
        )

    @cython.cfunc
    def gather_by_blocks(self, i: Size):
        """Do the same by any number: the places of a block of rows begin after those of the blocks before."""
        index: cython.int[::1]
        items: list = []
        for negative in range(2):
            index = self.negative if negative else self.positive
            items += [(i, index[begin:end], negative) for _, begin, end in self.blocks(len(index))]
        places: Size[::1] = view(np.zeros(256 * len(items), np.intp))
        own: list = [places[256 * k : 256 * k + 256] for k in range(len(items))]
        self.share(self.hold, [(i, items[k][1], own[k]) for k in range(len(items))])
        start: Size = 0
        for bin in range(self.end[i] - self.first[i]):
            self.held[bin] = start
            for k in range(len(items)):
                count: Size = places[256 * k + bin]
                places[256 * k + bin] = start if self.place[bin] >= 0 else -1
                start += count if self.place[bin] >= 0 else 0
            self.held[bin] = start - self.held[bin]
        self.share(self.put, [(*items[k], own[k], 1) for k in range(len(items))])

    @cython.ccall
    def hold(self, i: Size, index: cython.int[::1], held: Size[::1]):
        """Count the rows in each bin of a column."""
        with cython.nogil:
            self.hold_rows(i, index, held)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold_rows(self, i: Size, index: cython.int[::1], held: Size[::1]) -> cython.void:
        start: Size = i * self.rows
        bins: cython.uchar[::1] = self.bins
        for k in range(len(index)):
            held[bins[start + index[k]]] += 1

    @cython.ccall
    def put(self, i: Size, index: cython.int[::1], negative: cython.longlong, place: Size[::1], step: Size):
        """Put the rows of bins that have a place into that place, as keys, and move on by a step."""
        with cython.nogil:
            self.put_rows(i, index, negative, place, step)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put_rows(
        self, i: Size, index: cython.int[::1], negative: cython.longlong, place: Size[::1], step: Size
    ) -> cython.void:
        start: Size = i * self.rows
        wide: Size = self.wide[i] * self.rows
        bins: cython.uchar[::1] = self.bins
        fine: cython.int[::1] = self.fine
        keys: cython.longlong[::1] = self.keys
        even: cython.bint = self.even
        for k in range(len(index)):
            row = index[k]
            bin = bins[start + row]
            at = place[bin]
            if at >= 0:
                keys[at] = key_of(fine[wide + row], negative, 1 if even else self.weights[row])
                place[bin] = at + step

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def refine(
        self,
        i: Size,
        start: Size,
        number: Size,
        low: Size,
        width: Size,
        a: Size,
        b: Size,
        numeric: cython.bint,
        depth: Size,
    ) -> cython.void:
        """Search keys with ranks in [low, low + width): the histogram search again, with 256 narrower bins.

        ``a`` and ``b`` count what comes before these keys. Every depth has its own part of the tallies; there are at
        most four, because each narrows the ranks, which are below 2**31, by 8 bits.
        """
        base: Size = (depth + 1) * 256
        shift: Size = 0
        a1: Size = a
        b1: Size = b
        kept: Size = start
        if number <= 32:
            sort(self.keys, start, number)
            self.search_sorted(i, start, number, a, b, numeric)
            return
        while (width - 1) >> shift > 255:
            shift += 1
        for part in range(base, base + 256):
            self.tally_a[part] = 0
            self.tally_b[part] = 0
            self.held[part] = 0
            self.place[part] = -1
        for k in range(start, start + number):
            key = self.keys[k]
            part = base + ((rank_of(key) - low) >> shift)
            self.held[part] += 1
            if is_negative(key):
                self.tally_b[part] += weight_of(key)
            else:
                self.tally_a[part] += weight_of(key)
        for part in range(base, base + 256):
            da: Size = self.tally_a[part]
            db: Size = self.tally_b[part]
            if self.held[part] == 0:
                continue
            if shift == 0:
                if numeric:
                    self.offer_number(i, low + part - base, a1 + da, b1 + db)
                else:
                    self.offer_category(i, low + part - base, da, db)
            elif self.numbers_reach(a1, b1, a1 + da, b1 + db) if numeric else self.categories_reach(da, db):
                self.place[part] = kept
                kept += self.held[part]
            a1 += da
            b1 += db
        if kept == start:
            return
        for k in range(start, start + number):
            self.spare[k] = self.keys[k]
        for k in range(start, start + number):
            key = self.spare[k]
            part = base + ((rank_of(key) - low) >> shift)
            if self.place[part] >= 0:
                self.keys[self.place[part]] = key
                self.place[part] += 1
        kept = start
        for part in range(base, base + 256):
            if self.place[part] >= 0:
                at: Size = low + ((part - base) << shift)
                self.refine(i, kept, self.held[part], at, 1 << shift, a, b, numeric, depth + 1)
                kept += self.held[part]
            a += self.tally_a[part]
            b += self.tally_b[part]

    # -- few rows: by sorting or counting

    @cython.cfunc
    def search_rows(self):
        """Look at the rows themselves, column by column."""
        for i in range(self.columns):
            if self.limited and not self.kinds[i]:
                continue
            if self.wide[i] < 0 and self.end[i] - self.first[i] <= 2 * (self.P + self.Q):
                self.count_column(i)
            else:
                self.sort_column(i)
            if self.best_gain >= self.perfect:  # a perfect literal: later features only tie
                break

    @cython.cfunc
    def count_column(self, i: Size):
        """Offer the literals of a column with few values."""
        bins: Size = i * self.rows
        first: Size = self.first[i]
        numbers: Size = self.numbers[i]
        a: Size = 0
        b: Size = 0
        for bin in range(self.end[i] - first):
            self.tally_a[bin] = 0
            self.tally_b[bin] = 0
        for k in range(len(self.positive)):
            self.tally_a[self.bins[bins + self.positive[k]]] += self.weights[self.positive[k]]
        for k in range(len(self.negative)):
            self.tally_b[self.bins[bins + self.negative[k]]] += self.weights[self.negative[k]]
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
        for bin in range(self.split[i] - first, self.end[i] - first):
            if self.tally_a[bin] + self.tally_b[bin]:
                self.offer_category(i, self.low[first + bin], self.tally_a[bin], self.tally_b[bin])

    @cython.cfunc
    def sort_column(self, i: Size):
        """Offer the literals of a column with many values."""
        number: Size = len(self.positive) + len(self.negative)
        numeric: Size = 0
        for k in range(len(self.positive)):
            self.keys[k] = self.key(i, self.positive[k], 0)
        for k in range(len(self.negative)):
            self.keys[len(self.positive) + k] = self.key(i, self.negative[k], 1)
        sort(self.keys, 0, number)
        self.all_a = 0
        self.all_b = 0
        while numeric < number and rank_of(self.keys[numeric]) < self.numbers[i]:
            if is_negative(self.keys[numeric]):
                self.all_b += weight_of(self.keys[numeric])
            else:
                self.all_a += weight_of(self.keys[numeric])
            numeric += 1
        self.search_sorted(i, 0, numeric, 0, 0, True)
        self.search_sorted(i, numeric, number - numeric, 0, 0, False)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def key(self, i: Size, row: Size, negative: cython.longlong) -> cython.longlong:
        """A row as a key."""
        if self.wide[i] >= 0:
            return key_of(self.fine[self.wide[i] * self.rows + row], negative, self.weights[row])
        return key_of(self.low[self.first[i] + self.bins[i * self.rows + row]], negative, self.weights[row])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_sorted(self, i: Size, start: Size, number: Size, a: Size, b: Size, numeric: cython.bint) -> cython.void:
        """Offer the literals of sorted keys."""
        k: Size = start
        end: Size = start + number
        while k < end:
            rank = rank_of(self.keys[k])
            da: Size = 0
            db: Size = 0
            while k < end and rank_of(self.keys[k]) == rank:
                if is_negative(self.keys[k]):
                    db += weight_of(self.keys[k])
                else:
                    da += weight_of(self.keys[k])
                k += 1
            a += da
            b += db
            if numeric:
                self.offer_number(i, rank, a, b)
            else:
                self.offer_category(i, rank, da, db)


TABLE: object = np.zeros(1)


def table_to(size):
    """Values of n ln n; they are computed once, which takes 10 ms for a million."""
    global TABLE  # noqa: PLW0603 - it only grows
    if len(TABLE) < size:
        n = np.arange(size, dtype=np.float64)
        n[1:] *= np.log(n[1:])
        TABLE = n
    return TABLE[:size]


@cython.ccall
def search_some(search: LiteralSearch, first: Size, step: Size):
    """Let a twin search one of several columns."""
    with cython.nogil:
        search.search_every(first, step)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def key_of(rank: cython.longlong, negative: cython.longlong, weight: cython.longlong) -> cython.longlong:
    """A row as one number that sorts by rank."""
    return (rank << 33) | (negative << 32) | weight


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def rank_of(key: cython.longlong) -> cython.longlong:
    return key >> 33


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def is_negative(key: cython.longlong) -> cython.bint:
    return (key >> 32) & 1


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def weight_of(key: cython.longlong) -> cython.longlong:
    return key & 0x7FFFFFFF  # weights have 31 bits; a wider mask would not fit a C int, and would use Python objects


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def nlogn(n: cython.double) -> cython.double:
    return n * log(n) if n > 0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scaled_gain(a: cython.double, b: cython.double, c: cython.double, d: cython.double) -> cython.double:
    """The score by information gain without a table; apart from `score`, which C puts wherever it is called."""
    return (nlogn(a) + nlogn(b) - nlogn(a + b)) + (nlogn(c) + nlogn(d) - nlogn(c + d))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def information_gain(tp: Size, fn: Size, tn: Size, fp: Size) -> cython.double:
    """Algorithm 1 without its test. The order of terms decides which of two nearly equal gains is larger."""
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
def sort(keys: cython.longlong[::1], start: Size, number: Size) -> cython.void:
    """Insertion sort: the fastest for at most 32 keys."""
    k: Size
    j: Size
    key: cython.longlong
    for k in range(start + 1, start + number):
        key = keys[k]
        j = k - 1
        while j >= start and keys[j] > key:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = key
