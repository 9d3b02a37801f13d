# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Prediction: the bins of numbers, and a program, assembled into jumps, run on blocks of rows."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython


def bin_numbers(
    values: cython.const[cython.double][::1],
    thresholds: cython.const[cython.double][::1],
    missing: cython.int,
    out: cython.int[::1],
):
    """Find how many thresholds are below each number; NaN is missing.

    There is no branch in the search: numbers come in any order, and each wrong guess takes as long as the search.
    """
    if not cython.compiled:
        values, thresholds, out = map(memoryview, (values, thresholds, out))
    count: cython.Py_ssize_t = len(thresholds)
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(len(values)):
            x: cython.double = values[row]
            at: cython.Py_ssize_t = 0
            size: cython.Py_ssize_t = count
            while size > 1:
                half: cython.Py_ssize_t = size >> 1
                at += half * (thresholds[at + half - 1] < x)
                size -= half
            if size:
                at += thresholds[at] < x
            out[row] = at if x == x else missing


def decide_rows(code: cython.int[::1], block: cython.int[::1], out: cython.int[::1]):
    """Find the rule that decides each row of a block, -1 if none does; `unless.model.prediction` describes the code.

    ``out`` has the address where each row starts, which its rule replaces. It takes four rows at a time: a jump waits
    for two loads, and four independent chains of jumps take little longer than one (2.3 times as fast with a program of
    435 literals).
    """
    if not cython.compiled:
        code, block, out = map(memoryview, (code, block, out))
    rows: cython.Py_ssize_t = len(out)
    row: cython.Py_ssize_t = 0
    with cython.nogil:
        while row + 4 <= rows:
            a: cython.Py_ssize_t = out[row]
            b: cython.Py_ssize_t = out[row + 1]
            c: cython.Py_ssize_t = out[row + 2]
            d: cython.Py_ssize_t = out[row + 3]
            while (a & b & c & d) >= 0:  # negative once all four are
                if a >= 0:
                    a = jump(code, block, a, row)
                if b >= 0:
                    b = jump(code, block, b, row + 1)
                if c >= 0:
                    c = jump(code, block, c, row + 2)
                if d >= 0:
                    d = jump(code, block, d, row + 3)
            out[row] = -2 - a
            out[row + 1] = -2 - b
            out[row + 2] = -2 - c
            out[row + 3] = -2 - d
            row += 4
        while row < rows:
            at: cython.Py_ssize_t = out[row]
            while at >= 0:
                at = jump(code, block, at, row)
            out[row] = -2 - at
            row += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def jump(
    code: cython.int[::1], block: cython.int[::1], at: cython.Py_ssize_t, row: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The address where the test at an address leads for a row."""
    rank = block[code[at] + row]
    return code[at + 3 + ((rank >= code[at + 1]) & (rank < code[at + 2]))]
