# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""Prediction: a program, assembled into jumps, run on blocks of rows."""

from __future__ import annotations

import cython


def decide(code: cython.int[::1], block: cython.int[::1], out: cython.int[::1]):
    """The rule that decides each row of a block, -1 if none does; `unless.predict` describes the code."""
    if not cython.compiled:
        code, block, out = map(memoryview, (code, block, out))
    at: cython.Py_ssize_t
    rank: cython.int
    with cython.nogil:
        for row in range(len(out)):
            at = code[0]
            while at >= 0:
                rank = block[code[at] + row]
                at = code[at + 3 + ((rank >= code[at + 1]) & (rank < code[at + 2]))]
            out[row] = -2 - at
