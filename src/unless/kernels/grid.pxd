# What `grid.py` shares with `search.py` when both are compiled.

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define unless_fetch(address) __builtin_prefetch(address)
    #else
    #define unless_fetch(address) ((void)(address))
    #endif
    """
    void unless_fetch(const void *address) noexcept nogil

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
    cdef unsigned char[::1] grid  # the bin of every cell within its column, row by row; nothing in blocks
    cdef unsigned char[::1] bins  # the same, column by column
    cdef int[::1] fine  # the ranks of columns of many values
    cdef unsigned char[::1] lows  # the parts of bins, column by column, of bare columns
    cdef double[::1] cells  # the numbers of bare columns
    cdef int[::1] first  # for every column: its first bin
    cdef int[::1] split  # its first categorical bin
    cdef int[::1] end  # the end of its bins
    cdef int[::1] wide  # its place among the fine columns, -1 if its bins are its ranks
    cdef int[::1] bare  # its place among the bare columns, -1 if it is none
    cdef int[::1] numbers  # how many of its ranks are numbers
    cdef int[::1] low  # for every bin: its first rank
    cdef int[::1] width  # how many ranks it holds
    cdef int[::1] labels  # the label of every row
    cdef unsigned char[::1] few_labels  # the same, if they are bytes
    cdef int[::1] weights  # the weight of every row
    cdef bint even  # whether every row weighs 1
    cdef unsigned char[::1] mark  # scratch, all zero between calls
    cdef Py_ssize_t threads
    cdef Py_ssize_t many  # from this many rows on, threads share the work
    cdef int[::1] scratch  # for as many rows as there are
    cdef int[::1] codes  # what `prepare` was given: the codes, if they are wide
    cdef unsigned char[::1] few_codes  # the codes, if they are bytes
    cdef bint by_few  # whether they are
    cdef Py_ssize_t start  # where the column starts
    cdef int from_code  # the codes that it means
    cdef int to_code
    cdef bint negated  # whether it means all other codes
    cdef bint by_edge  # whether it is about a number of a bare column
    cdef list edges  # bins, parts and numbers that literals on bare columns are about
    cdef int edge_low  # the part
    cdef double edge_number  # the number
    cdef Py_ssize_t low_start  # where the parts of the column start

    cdef bint shared(self, Py_ssize_t number)
    cdef list blocks(self, Py_ssize_t number)
    cdef list divided(self, Py_ssize_t number, Py_ssize_t count)
    cdef share(self, object function, list items)
    cdef void cut(self, int[::1] counts, unsigned char[::1] bin_of, Py_ssize_t rank, Py_ssize_t end, Py_ssize_t first, Py_ssize_t bin, Py_ssize_t last) noexcept nogil
    cdef bin_all(self, const int[::1] codes, const unsigned char[::1] bin_of, unsigned char[::1] bins)
    cpdef turn(self, Py_ssize_t begin, Py_ssize_t end)
    cpdef gap_block(self, int[::1] index, Py_ssize_t i, Py_ssize_t first, Py_ssize_t[::1] below, Py_ssize_t[::1] above)
    cpdef count_labels(self, int[::1] index, Py_ssize_t[::1] counts)
    cdef selected(self, int[::1] index)
    cpdef covered(self, Selection rows, Py_ssize_t feature, Py_ssize_t rank, bint other)
    cpdef minus(self, Selection rows, Selection gone)
    cdef int[::1] filtered(self, int[::1] index, tuple rule)
    cdef int[::1] filtered_in_place(self, int[::1] index, list tests, list exceptions)
    cdef Selection without(self, int[::1] index, int[::1] gone)
    cdef Selection weighed(self, Selection rows)
    cdef paint(self, int[::1] index, unsigned char mark)
    cpdef paint_block(self, int[::1] index, unsigned char mark)
    cdef void prepare(self, Py_ssize_t feature, Py_ssize_t rank, bint other) noexcept
    cdef void prepare_bare(self, Py_ssize_t feature, Py_ssize_t rank, bint other) noexcept
    cdef int passes(self, Py_ssize_t row) noexcept nogil
    cdef void prepare_label(self, int label) noexcept
    cdef void prepare_mark(self, int mark) noexcept
    cdef Selection sift(self, int[::1] index, Py_ssize_t most)
    cdef Py_ssize_t sift_rows(self, int[::1] index, int[::1] out, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t keep_rows(self, int[::1] index, int[::1] out, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t[::1] prepared(self, list tests)
    cpdef fail_block(self, int[::1] index, Py_ssize_t[::1] prepared, int[::1] nearly, int[::1] failed, Py_ssize_t[::1] ends)
    cdef Py_ssize_t fail(self, Py_ssize_t[::1] prepared, int test, int[::1] nearly, int[::1] failed, Py_ssize_t near) noexcept nogil
    cpdef place_block(self, int[::1] nearly, int[::1] failed, Py_ssize_t[::1] ends, int[::1] out)
    cdef long long weigh(self, int[::1] index)
    cdef name_bins(self, Py_ssize_t i)
    cpdef weigh_block(self, int[::1] index, long long[::1] sums)
    cdef need_histogram(self, Selection rows)
    cdef count(self, int[::1] histogram, int[::1] index, int step)
    cdef tally(self, int[::1] tallies, int[::1] index, int step)
    cdef add(self, object function, int[::1] histogram, int[::1] index, int step)
    cpdef count_block(self, int[::1] histogram, int[::1] index, int step)
    cpdef tally_block(self, int[::1] tallies, int[::1] index, int step)
    cdef count_columns(self, int[::1] out, int[::1] index, int step, bint by_label)
    cdef gather(self, int[::1] tallies, Py_ssize_t label, Py_ssize_t labels, int[::1] positive, int[::1] negative)
    cdef int label(self, Py_ssize_t row) noexcept nogil
    cdef long long rank(self, Py_ssize_t i, Py_ssize_t row) noexcept nogil
