# What `row_masks.py` shares with `rule_improving.py` when both are compiled.

from unless.kernels.binning cimport RowSelection
from unless.kernels.row_filtering cimport RowGrid

cdef extern from *:
    """
    static inline int unless_ones(unsigned long long bits) {
        bits -= (bits >> 1) & 0x5555555555555555ULL;
        bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
        bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)((bits * 0x0101010101010101ULL) >> 56);
    }
    static inline int unless_lowest(unsigned long long bits) {
    #if defined(__GNUC__)
        return __builtin_ctzll(bits);
    #else
        return unless_ones((bits & (0 - bits)) - 1);
    #endif
    }
    static inline unsigned long long unless_pack(const unsigned char *holds) {
        unsigned long long found = 0;
        for (int k = 0; k < 8; k++) {
            unsigned long long bytes = 0;
            for (int i = 0; i < 8; i++) bytes |= (unsigned long long)holds[8 * k + i] << (8 * i);
            found |= ((bytes * 0x0102040810204080ULL) >> 56) << (8 * k);  // bit 8 i of the bytes becomes bit i
        }
        return found;
    }
    """
    int unless_ones(unsigned long long bits) noexcept nogil
    int unless_lowest(unsigned long long bits) noexcept nogil
    unsigned long long unless_pack(const unsigned char *holds) noexcept nogil

cdef class RowMask:
    cdef unsigned long long[::1] words
    cdef long long total

cdef class MaskGrid:
    cdef RowGrid grid
    cdef Py_ssize_t rows
    cdef Py_ssize_t size  # words of a mask
    cdef unsigned long long[::1] pool  # masks side by side, in numbered slots
    cdef list free  # slots that nobody uses
    cdef dict truths  # the slot of each test
    cdef dict labels  # the slot of each label
    cdef unsigned char[::1] holds  # scratch: whether a test is true of each row

    cdef Py_ssize_t slot(self)
    cdef Py_ssize_t stored(self, RowMask rows)
    cdef RowMask released(self, Py_ssize_t slot)
    cdef Py_ssize_t truth(self, tuple test)
    cdef Py_ssize_t of(self, Py_ssize_t label)
    cdef pack(self, Py_ssize_t slot)
    cdef forget(self)
    cdef begin(self)
    cdef satisfy(self, Py_ssize_t into, Py_ssize_t rows, tuple rule)
    cdef void copy(self, Py_ssize_t into, Py_ssize_t one) noexcept
    cdef void both(self, Py_ssize_t into, Py_ssize_t one, Py_ssize_t other) noexcept
    cdef void but(self, Py_ssize_t into, Py_ssize_t one, Py_ssize_t other) noexcept
    cdef Py_ssize_t common_rows(self, Py_ssize_t one, Py_ssize_t other) noexcept
    cdef long long common_weight(self, Py_ssize_t one, Py_ssize_t other) noexcept
    cdef int[::1] positions(self, Py_ssize_t one, Py_ssize_t other)
    cdef int[::1] positions_but(self, Py_ssize_t one, Py_ssize_t other)
