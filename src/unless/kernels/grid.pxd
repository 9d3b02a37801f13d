# What `grid.py` shares with `search.py` when both are compiled.

cdef class Selection:
    cdef int[::1] index
    cdef int[::1] rest
    cdef int[::1] whole
    cdef int[::1] histogram
    cdef int[::1] tallies  # a histogram per label
    cdef long long total

cdef class Grid:
    cdef Py_ssize_t rows
    cdef Py_ssize_t columns
    cdef Py_ssize_t size  # the number of bins
    cdef unsigned char[::1] grid  # the bin of every cell within its column, row by row
    cdef unsigned char[::1] bins  # the same, column by column
    cdef int[::1] fine  # the ranks of columns of many values
    cdef int[::1] first  # for every column: its first bin
    cdef int[::1] split  # its first categorical bin
    cdef int[::1] end  # the end of its bins
    cdef int[::1] wide  # its place among the fine columns, -1 if its bins are its ranks
    cdef int[::1] numbers  # how many of its ranks are numbers
    cdef int[::1] low  # for every bin: its first rank
    cdef int[::1] width  # how many ranks it holds
    cdef int[::1] labels  # the label of every row
    cdef int[::1] weights  # the weight of every row
    cdef bint even  # whether every row weighs 1
    cdef unsigned char[::1] mark  # scratch, all zero between calls
    cdef Py_ssize_t start  # the literal that `prepare` was given: where its column starts
    cdef int from_code  # the codes that it means
    cdef int to_code
    cdef bint negated  # whether it means all other codes
    cdef bint by_fine  # whether the codes are fine ranks

    cdef long long weigh(self, int[::1] index)
    cdef need_histogram(self, Selection rows)
    cdef count(self, int[::1] histogram, int[::1] index, int step)
    cdef tally(self, int[::1] tallies, int[::1] index, int step)
    cdef gather(self, int[::1] tallies, Py_ssize_t label, Py_ssize_t labels, int[::1] positive, int[::1] negative)
    cdef cut(self, int[::1] counts, unsigned char[::1] bin_of, Py_ssize_t rank, Py_ssize_t end, Py_ssize_t first, Py_ssize_t bin, Py_ssize_t last)
    cdef long long rank(self, Py_ssize_t i, Py_ssize_t row) noexcept
    cpdef minus(self, Selection rows, Selection gone)
    cpdef covered(self, Selection rows, Py_ssize_t feature, Py_ssize_t rank, bint other)
    cdef void prepare(self, Py_ssize_t feature, Py_ssize_t rank, bint other) noexcept
    cdef int[::1] filtered(self, int[::1] index, tuple rule)
    cdef Py_ssize_t keep(self, int[::1] index, int[::1] out) noexcept
    cdef void fail(self, int[::1] index, long long step, long long[::1] failed) noexcept
    cdef selected(self, int[::1] index)
