# What `literal_search.py` shares with `rule_growing.py` when both are compiled.

cimport cython

from unless.kernels.binning cimport RowSelection
from unless.kernels.row_filtering cimport RowGrid

@cython.final
cdef class LiteralSearch(RowGrid):
    cdef double[::1] nlogn  # a table of n ln n
    cdef bint by_table  # whether it is long enough

    cdef long long[::1] keys  # scratch: rows as rank, is negative (1 bit), weight (32 bits)
    cdef long long[::1] spare
    cdef int[::1] group_a  # positives up to the end of every group
    cdef int[::1] group_b
    cdef Py_ssize_t[::1] place  # where the next key of a bin goes, -1 if the bin cannot reach the best
    cdef Py_ssize_t[::1] held  # how many keys a bin has
    cdef int[::1] tally_a  # histograms of one column, one for every depth of `refine`
    cdef int[::1] tally_b

    cdef list twins  # searches for other threads, if there are any

    cdef list banned  # literals, as (feature, rank, …): no literal on their values is allowed in any search
    cdef Py_ssize_t used  # these, and literals on the path: no other literal on their values is allowed
    cdef int[::1] used_feature
    cdef int[::1] used_rank
    cdef bint limited  # whether only some kinds of literals are allowed
    cdef unsigned char[::1] kinds  # which ones, for each column (`learn.literals.KIND`)
    cdef bint by_gain  # by information gain
    cdef bint by_worth  # by worth; if neither, by impurity
    cdef long long support  # by impurity: how many positives a literal must cover
    cdef int[::1] positive  # E+ and E- of the search, with their histograms
    cdef int[::1] negative
    cdef int[::1] histogram_a
    cdef int[::1] histogram_b
    cdef Py_ssize_t P
    cdef Py_ssize_t Q
    cdef Py_ssize_t all_a  # positives and negatives with a number in the column under search
    cdef Py_ssize_t all_b
    cdef double bound  # a score that some allowed literal reaches
    cdef double slack  # the rounding error of scores
    cdef double perfect  # the score that no literal can beat
    cdef double best_gain
    cdef Py_ssize_t best_feature
    cdef Py_ssize_t best_rank
    cdef bint best_other
    cdef Py_ssize_t best_a
    cdef Py_ssize_t best_b

    cdef make_scratch(self)
    cdef score_by_gain(self)
    cdef score_by_impurity(self, long long support)
    cdef limit(self, object allowed)
    cdef find(self, RowSelection positive, RowSelection negative, list used)
    cdef inline double score(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef inline bint allowed(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef void offer(self, Py_ssize_t feature, Py_ssize_t rank, bint other, Py_ssize_t a, Py_ssize_t b, double score) noexcept nogil
    cdef inline void offer_number(self, Py_ssize_t feature, Py_ssize_t rank, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef inline void offer_category(self, Py_ssize_t feature, Py_ssize_t rank, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef inline bint mirrored(self) noexcept nogil
    cdef inline bint reaches(self, Py_ssize_t a0, Py_ssize_t b0, Py_ssize_t a1, Py_ssize_t b1) noexcept nogil
    cdef inline bint numbers_reach(self, Py_ssize_t a0, Py_ssize_t b0, Py_ssize_t a1, Py_ssize_t b1) noexcept nogil
    cdef inline bint categories_reach(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef inline void raise_bound(self, Py_ssize_t a, Py_ssize_t b) noexcept
    cdef search_histogram(self)
    cdef Py_ssize_t open_columns(self)
    cdef search_by_twins(self)
    cdef LiteralSearch twin(self)
    cdef brief(self, LiteralSearch twin)
    cdef void search_every(self, Py_ssize_t first, Py_ssize_t step) noexcept nogil
    cdef sketch(self, Py_ssize_t i)
    cdef sharpen(self, Py_ssize_t i)
    cdef bint free(self, Py_ssize_t i) noexcept
    cdef bint look_into(self, Py_ssize_t i) noexcept nogil
    cdef void search_bins(self, Py_ssize_t i) noexcept nogil
    cdef gather_keys(self, Py_ssize_t i)
    cdef void gather_alone(self, Py_ssize_t i) noexcept nogil
    cdef gather_from_both_ends(self, Py_ssize_t i)
    cdef gather_by_blocks(self, Py_ssize_t i)
    cpdef hold(self, Py_ssize_t i, int[::1] index, Py_ssize_t[::1] held)
    cdef void hold_rows(self, Py_ssize_t i, int[::1] index, Py_ssize_t[::1] held) noexcept nogil
    cpdef put(self, Py_ssize_t i, int[::1] index, long long negative, Py_ssize_t[::1] place, Py_ssize_t step)
    cdef void put_rows(self, Py_ssize_t i, int[::1] index, long long negative, Py_ssize_t[::1] place, Py_ssize_t step) noexcept nogil
    cdef void refine(self, Py_ssize_t i, Py_ssize_t start, Py_ssize_t number, Py_ssize_t low, Py_ssize_t width, Py_ssize_t a, Py_ssize_t b, bint numeric, Py_ssize_t depth) noexcept nogil
    cdef search_rows(self)
    cdef count_column(self, Py_ssize_t i)
    cdef sort_column(self, Py_ssize_t i)
    cdef inline long long key(self, Py_ssize_t i, Py_ssize_t row, long long negative) noexcept nogil
    cdef void search_sorted(self, Py_ssize_t i, Py_ssize_t start, Py_ssize_t number, Py_ssize_t a, Py_ssize_t b, bint numeric) noexcept nogil

cdef double nlogn(double n) noexcept nogil
