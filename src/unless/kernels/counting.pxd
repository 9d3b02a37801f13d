# What `counting.py` shares with the kernels that search when all are compiled.

from unless.kernels.binning cimport BinnedGrid, RowSelection

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define unless_fetch(address) __builtin_prefetch(address)
    #else
    #define unless_fetch(address) ((void)(address))
    #endif
    """
    void unless_fetch(const void *address) noexcept nogil

cdef class CountingGrid(BinnedGrid):
    cdef RowSelection weighed(self, RowSelection rows)
    cdef long long weigh(self, int[::1] index)
    cpdef weigh_block(self, int[::1] index, long long[::1] sums)
    cdef int label(self, Py_ssize_t row) noexcept nogil
    cpdef count_labels(self, int[::1] index, Py_ssize_t[::1] counts)
    cdef need_histogram(self, RowSelection rows)
    cdef count(self, int[::1] histogram, int[::1] index, int step, bint by_label)
    cpdef count_block(self, int[::1] histogram, int[::1] index, int step, bint by_label)
    cdef count_columns(self, int[::1] out, int[::1] index, int step, bint by_label)
    cdef gather(self, int[::1] tallies, Py_ssize_t label, Py_ssize_t labels, int[::1] positive, int[::1] negative)
