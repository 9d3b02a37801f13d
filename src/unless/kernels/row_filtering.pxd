# What `row_filtering.py` shares with the kernels that search when all are compiled.

from unless.kernels.binning cimport RowSelection
from unless.kernels.counting cimport CountingGrid

cdef class RowGrid(CountingGrid):
    cdef unsigned char[::1] mark  # scratch, all zero between calls
    cdef int[::1] scratch  # for as many rows as there are
    cdef int[::1] codes  # what `prepare` was given: the codes, if they are wide
    cdef unsigned char[::1] few_codes  # the codes, if they are bytes
    cdef bint by_few  # whether they are
    cdef Py_ssize_t start  # where the column starts
    cdef int from_code  # the codes that it means
    cdef int to_code
    cdef bint negated  # whether it means all other codes
    cdef bint by_edge  # whether it is about a number of a bare column
    cdef int edge_low  # the part
    cdef double edge_number  # the number
    cdef Py_ssize_t low_start  # where the parts of the column start

    cdef selected(self, int[::1] index)
    cpdef covered_by_literal(self, RowSelection rows, Py_ssize_t feature, Py_ssize_t rank, bint other)
    cpdef minus(self, RowSelection rows, RowSelection gone)
    cdef int[::1] filtered(self, int[::1] index, tuple rule)
    cdef int[::1] filtered_in_place(self, int[::1] index, list tests, list exceptions)
    cdef RowSelection without(self, int[::1] index, int[::1] gone)
    cdef paint(self, int[::1] index, unsigned char mark)
    cpdef paint_block(self, int[::1] index, unsigned char mark)
    cdef void prepare(self, Py_ssize_t feature, Py_ssize_t rank, bint other) noexcept
    cdef void prepare_bare(self, Py_ssize_t feature, Py_ssize_t rank, bint other) noexcept
    cdef int passes(self, Py_ssize_t row) noexcept nogil
    cdef void prepare_label(self, int label) noexcept
    cdef void prepare_mark(self, int mark) noexcept
    cdef RowSelection sift(self, int[::1] index, Py_ssize_t most)
    cdef Py_ssize_t moved(self, int[::1] index, int[::1] out, Py_ssize_t number, bint both)
    cdef Py_ssize_t sift_rows(self, int[::1] index, int[::1] out, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t keep_rows(self, int[::1] index, int[::1] out, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t[::1] prepared(self, list tests)
    cpdef fail_block(self, int[::1] index, Py_ssize_t[::1] prepared, int[::1] nearly, int[::1] failed, Py_ssize_t[::1] ends)
    cdef Py_ssize_t fail(self, Py_ssize_t[::1] prepared, int test, int[::1] nearly, int[::1] failed, Py_ssize_t near) noexcept nogil
    cpdef place_block(self, int[::1] nearly, int[::1] failed, Py_ssize_t[::1] ends, int[::1] out)
