# What `binning.py` shares with the kernels that count and search when all are compiled.

cdef class RowSelection:
    cdef int[::1] index
    cdef int[::1] rest
    cdef int[::1] whole
    cdef int[::1] histogram
    cdef int[::1] tallies  # a histogram per label
    cdef long long total

cdef class BinnedGrid:
    cdef Py_ssize_t rows
    cdef Py_ssize_t columns
    cdef Py_ssize_t size  # the number of bins
    cdef unsigned char[::1] grid  # the bin of every cell within its column, row by row; nothing in blocks
    cdef unsigned char[::1] bins  # the same, column by column
    cdef int[::1] fine  # the ranks of columns of many values
    cdef unsigned char[::1] lows  # the parts of bins, column by column, of bare columns
    cdef double[::1] cells  # the numbers of bare columns, in the same way
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
    cdef list edges  # bins, parts and numbers that literals on bare columns are about
    cdef int[::1] slab  # memory for small arrays
    cdef Py_ssize_t slab_used  # how much of it is in use
    cdef bint in_block  # whether this is one of many blocks
    cdef Py_ssize_t threads
    cdef Py_ssize_t many  # from this many rows on, threads share the work

    cdef bint shared(self, Py_ssize_t number)
    cdef list blocks(self, Py_ssize_t number)
    cdef list divided(self, Py_ssize_t number)
    cdef share(self, object function, list items)
    cdef int[::1] room(self, Py_ssize_t size)
    cdef name_bins(self, Py_ssize_t i)
    cdef void cut(self, int[::1] counts, unsigned char[::1] bin_of, Py_ssize_t rank, Py_ssize_t end, Py_ssize_t first, Py_ssize_t bin, Py_ssize_t last) noexcept nogil
    cdef bin_all(self, const int[::1] codes, const unsigned char[::1] bin_of, unsigned char[::1] bins)
    cpdef turn(self, Py_ssize_t begin, Py_ssize_t end)
    cdef long long rank(self, Py_ssize_t i, Py_ssize_t row) noexcept nogil
    cpdef gap_block(self, int[::1] index, Py_ssize_t i, Py_ssize_t first, Py_ssize_t[::1] below, Py_ssize_t[::1] above)
