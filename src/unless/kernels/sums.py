# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Sums over lists of places, and back; and points for each row. All have one number per column, side by side."""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.libc.math import exp, log
else:
    from math import exp, log


def gather(
    starts: cython.int[::1],
    places: cython.int[::1],
    values: cython.double[::1],
    columns: cython.int,
    out: cython.double[::1],
):
    """For each list of places, the sum of their values; list k is ``places[starts[k]:starts[k + 1]]``."""
    if not cython.compiled:
        starts, places, values, out = map(memoryview, (starts, places, values, out))
    width: cython.Py_ssize_t = columns
    count: cython.Py_ssize_t = len(starts) - 1
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    column: cython.Py_ssize_t
    total: cython.double
    with cython.nogil:
        if width == 1:
            for k in range(count):
                total = 0.0
                for at in range(starts[k], starts[k + 1]):
                    total += values[places[at]]
                out[k] = total
        else:
            for k in range(count):
                for column in range(width):
                    out[k * width + column] = 0.0
                for at in range(starts[k], starts[k + 1]):
                    place: cython.Py_ssize_t = places[at]
                    for column in range(width):
                        out[k * width + column] += values[place * width + column]


def scatter(
    starts: cython.int[::1],
    places: cython.int[::1],
    values: cython.double[::1],
    columns: cython.int,
    out: cython.double[::1],
):
    """The reverse of `gather`: add the value of each list to all of its places."""
    if not cython.compiled:
        starts, places, values, out = map(memoryview, (starts, places, values, out))
    width: cython.Py_ssize_t = columns
    count: cython.Py_ssize_t = len(starts) - 1
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    column: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        if width == 1:
            for k in range(count):
                value = values[k]
                for at in range(starts[k], starts[k + 1]):
                    out[places[at]] += value
        else:
            for k in range(count):
                for at in range(starts[k], starts[k + 1]):
                    place: cython.Py_ssize_t = places[at]
                    for column in range(width):
                        out[place * width + column] += values[k * width + column]


def residuals(
    scores: cython.double[::1],
    totals: cython.double[::1],
    wanted: cython.double[::1],
    columns: cython.int,
    out: cython.double[::1],
) -> cython.double:
    """The log-loss of logits for records that count so often with each label, and its derivatives.

    One column is the logit of the second of two labels, against the first.
    """
    if not cython.compiled:
        scores, totals, wanted, out = map(memoryview, (scores, totals, wanted, out))
    width: cython.Py_ssize_t = columns
    loss: cython.double = 0.0
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    at: cython.Py_ssize_t
    top: cython.double
    odds: cython.double
    share: cython.double
    with cython.nogil:
        for row in range(len(totals)):
            at = row * width
            top = 0.0 if width == 1 else scores[at]
            for column in range(width):
                top = max(top, scores[at + column])
            odds = exp(-top) if width == 1 else 0.0
            for column in range(width):
                share = exp(scores[at + column] - top)
                out[at + column] = share
                odds += share
                loss -= wanted[at + column] * scores[at + column]
            loss += totals[row] * (top + log(odds))
            for column in range(width):
                out[at + column] = totals[row] * out[at + column] / odds - wanted[at + column]
    return loss


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


def add_where(truths: cython.uchar[::1], points: cython.longlong[::1], out: cython.longlong[::1]):
    """Add points to the rows for which a truth holds."""
    if not cython.compiled:
        truths, points, out = map(memoryview, (truths, points, out))
    width: cython.Py_ssize_t = len(points)
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    with cython.nogil:
        if width == 1:
            only: cython.longlong = points[0]
            for row in range(len(truths)):
                out[row] += only * truths[row]  # 1 or 0: no branch, so that it is done for many rows at once
        else:
            for row in range(len(truths)):
                if truths[row]:
                    for column in range(width):
                        out[row * width + column] += points[column]
