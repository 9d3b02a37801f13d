# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Prediction by many lists: the points of the rules that decide each row, added up."""

from __future__ import annotations

import cython


def vote(
    tests: cython.const[cython.int][::1],
    code: cython.const[cython.int][::1],
    points: cython.const[cython.int][::1],
    width: cython.Py_ssize_t,
    block: cython.const[cython.int][::1],
    room: cython.uchar[::1],
    sums: cython.int[::1],
):
    """Add to ``sums``, which has ``width`` numbers per row, the points of each row of a block.

    `unless.score.votes` describes the code, and makes enough ``room``. Rows are taken 256 at a time: a condition is
    then 256 bytes, 255 where it holds, and a compiler turns each of the short loops below into wide instructions, since
    they are functions of their own (in one large function bytes might alias anything).
    """
    if not cython.compiled:
        tests, code, points, block, room, sums = map(memoryview, (tests, code, points, block, room, sums))
    rows: cython.Py_ssize_t = len(sums) // width
    low: cython.Py_ssize_t = (len(tests) // 5) * 256  # after the tests: the rule that decides each row, in two bytes
    high: cython.Py_ssize_t = low + 256
    top: cython.Py_ssize_t
    start: cython.Py_ssize_t
    k: cython.Py_ssize_t
    what: cython.int
    number: cython.Py_ssize_t
    with cython.nogil:
        for start in range(0, rows, 256):
            for k in range(len(tests) // 5):
                compare(
                    room,
                    256 * k,
                    block,
                    tests[5 * k] + start,
                    tests[5 * k + 1],
                    tests[5 * k + 2],
                    tests[5 * k + 3],
                    tests[5 * k + 4],
                )
            top = high
            for k in range(0, len(code), 2):
                what = code[k]
                number = code[k + 1]
                if what == 0:  # a new condition, so far the same as a test
                    top += 256
                    both(room, top, 256 * number, 256 * number)
                elif what == 1:  # and a test
                    both(room, top, top, 256 * number)
                elif what == 2:  # a new condition, so far true
                    top += 256
                    fill(room, top, 255)
                elif what == 3:  # the condition before, unless this one
                    top -= 256
                    put(room, top, top + 256, 0)
                elif what == 4:  # the condition of a rule, which decides before the rules that were there
                    put(room, low, top, number & 255)
                    top -= 256
                elif what == 5:  # the other byte of the rule's number, if the list has more than 256 rules
                    put(room, high, top, number >> 8)
                elif what == 6:  # a new list, and its last rule, which decides every row
                    fill(room, low, number & 255)
                    fill(room, high, number >> 8)
                else:  # the end of a list, and where its points start
                    add(sums, start, min(rows - start, 256), points, number, width, room, low)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def compare(
    room: cython.uchar[::1],
    to: cython.Py_ssize_t,
    block: cython.const[cython.int][::1],
    at: cython.Py_ssize_t,
    first: cython.int,
    end: cython.int,
    inside: cython.uchar,
    outside: cython.uchar,
) -> cython.void:
    """Write one byte for the ranks from first to end, another one for the others."""
    i: cython.Py_ssize_t
    for i in range(256):
        room[to + i] = inside if (block[at + i] >= first) & (block[at + i] < end) else outside


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def both(room: cython.uchar[::1], to: cython.Py_ssize_t, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.void:
    """Write where both conditions hold."""
    i: cython.Py_ssize_t
    for i in range(256):
        room[to + i] = room[a + i] & room[b + i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put(room: cython.uchar[::1], to: cython.Py_ssize_t, where: cython.Py_ssize_t, value: cython.uchar) -> cython.void:
    """Write a value where a condition holds."""
    i: cython.Py_ssize_t
    for i in range(256):
        room[to + i] = (room[to + i] & (room[where + i] ^ 255)) | (value & room[where + i])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def fill(room: cython.uchar[::1], to: cython.Py_ssize_t, value: cython.uchar) -> cython.void:
    """Write a value everywhere."""
    i: cython.Py_ssize_t
    for i in range(256):
        room[to + i] = value


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add(
    sums: cython.int[::1],
    start: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    points: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    room: cython.uchar[::1],
    low: cython.Py_ssize_t,
) -> cython.void:
    """Add the points of the deciding rules."""
    i: cython.Py_ssize_t
    label: cython.Py_ssize_t
    for i in range(count):
        rule: cython.Py_ssize_t = room[low + i] + 256 * room[low + 256 + i]
        for label in range(width):
            sums[(start + i) * width + label] += points[first + rule * width + label]
