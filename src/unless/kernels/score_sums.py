# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""The points of rows: one number per column, side by side."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython


def add_chosen(choices: cython.int[::1], points: cython.longlong[::1], columns: cython.int, out: cython.longlong[::1]):
    """Add the points of its choice to each row."""
    if not cython.compiled:
        choices, points, out = map(memoryview, (choices, points, out))
    width: cython.Py_ssize_t = columns
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    with cython.nogil:
        if width == 1:
            for row in range(len(choices)):
                out[row] += points[choices[row]]
        else:
            for row in range(len(choices)):
                choice: cython.Py_ssize_t = choices[row]
                for column in range(width):
                    out[row * width + column] += points[choice * width + column]
