# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Prediction by many lists: the points of the rules that decide each row, added up."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.unless.kernels.row_masks import unless_lowest as lowest
else:
    from unless.kernels.row_masks import lowest

Size = cython.typedef(cython.Py_ssize_t)

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


def add_votes(
    counts: cython.const[cython.int][::1],
    tests: cython.const[cython.int][::1],
    code: cython.const[cython.int][::1],
    points: cython.const[cython.longlong][::1],
    width: cython.Py_ssize_t,
    words: cython.Py_ssize_t,
    block: cython.const[cython.int][::1],
    room: cython.ulonglong[::1],
    sums: cython.longlong[::1],
):
    """Add to ``sums``, which has ``width`` numbers per row, the points of each row of a block.

    `unless.score.voting_code` describes the code, and makes enough ``room``. A condition is a bit for each row, in
    ``words`` words, so that wide instructions work out a test of many rows, and a rule decides all its rows at once.
    """
    if not cython.compiled:
        counts, tests, code, points, block, room, sums = map(
            memoryview, (counts, tests, code, points, block, room, sums)
        )
    rows: Size = len(sums) // width
    columns: Size = len(counts)
    stride: Size = len(block) // columns if columns else 0
    least: Size = 0  # where the tests are, after the bins of all columns
    for c in range(columns):
        least += counts[c] + 1
    left: Size = least + len(tests) // 3  # then the rows that no rule of a list has decided, and a stack of conditions
    first: Size = 0
    with cython.nogil:
        for c in range(columns):
            sort(room, words, first, counts[c], block, c * stride, rows)
            first += counts[c] + 1
        for k in range(len(tests) // 3):
            between(room, words, least + k, tests[3 * k], tests[3 * k + 1], FULL if tests[3 * k + 2] else 0)
        decide(room, words, least, left, code, points, width, sums, rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def decide(
    room: cython.ulonglong[::1],
    words: Size,
    least: Size,
    left: Size,
    code: cython.const[cython.int][::1],
    points: cython.const[cython.longlong][::1],
    width: Size,
    sums: cython.longlong[::1],
    rows: Size,
) -> cython.void:
    """Follow the code of all lists."""
    top: Size = left
    k: Size = 0
    while k < len(code):
        what: cython.int = code[k]
        operand: Size = code[k + 1]
        after: Size = code[k + 2]
        k += 3
        if what == 0:  # a new condition: the one below it, and a test
            top += 1
            if not both(room, words, top, top - 1, least + operand):
                top -= 1
                k = after
        elif what == 1:  # and a test
            if not both(room, words, top, top, least + operand):
                top -= 1
                k = after
        elif what == 2:  # a new condition, so far the one below it
            top += 1
            both(room, words, top, top - 1, top - 1)
        elif what == 3:  # the condition below, unless this one
            top -= 1
            but(room, words, top, top + 1)
        elif what == 4:  # the condition of a rule, and where its points are: it decides its rows
            top -= 1
            but(room, words, left, top + 1)
            add(room, words, top + 1, points, operand, width, sums)
        elif what == 5:  # a new list: the rows that no rule has decided, and if rules may overlap, all rows
            begin(room, words, left, rows)
            top = left + operand
            if operand:
                begin(room, words, top, rows)
        elif what == 6:  # the last rule of a list decides the other rows
            add(room, words, left, points, operand, width, sums)
        elif what == 7:  # points wherever the condition holds
            add(room, words, top, points, operand, width, sums)
        elif what == 8:  # and no rule before has decided
            both(room, words, top, top, left)
        elif what == 9:  # the condition two below, unless this one
            top -= 1
            but(room, words, top - 1, top + 1)
        else:  # back to the condition below
            top -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort(
    room: cython.ulonglong[::1],
    words: Size,
    first: Size,
    count: Size,
    block: cython.const[cython.int][::1],
    at: Size,
    rows: Size,
) -> cython.void:
    """Write which rows lie before each bin of a column, and, last, which lie in any."""
    i: Size
    one: cython.ulonglong = 1
    for i in range(first * words, (first + count + 1) * words):
        room[i] = 0
    for i in range(rows):
        room[(first + block[at + i] + 1) * words + (i >> 6)] |= one << (i & 63)
    for i in range((first + 1) * words, (first + count + 1) * words):
        room[i] |= room[i - words]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def between(
    room: cython.ulonglong[::1], words: Size, to: Size, low: Size, end: Size, other: cython.ulonglong
) -> cython.void:
    """Write which rows lie in the bins from low to end, or which do not."""
    i: Size
    for i in range(words):
        room[to * words + i] = room[low * words + i] ^ room[end * words + i] ^ other


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def both(room: cython.ulonglong[::1], words: Size, to: Size, a: Size, b: Size) -> cython.bint:
    """Write where both conditions hold; whether they do anywhere."""
    i: Size
    found: cython.ulonglong = 0
    for i in range(words):
        room[to * words + i] = room[a * words + i] & room[b * words + i]
        found |= room[to * words + i]
    return found != 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def but(room: cython.ulonglong[::1], words: Size, one: Size, other: Size) -> cython.void:
    """Take away where another condition holds."""
    i: Size
    for i in range(words):
        room[one * words + i] &= room[other * words + i] ^ FULL


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def begin(room: cython.ulonglong[::1], words: Size, left: Size, rows: Size) -> cython.void:
    """Write that none of the rows is decided."""
    i: Size
    one: cython.ulonglong = 1
    for i in range(words):
        room[left * words + i] = FULL if rows >= 64 * (i + 1) else (one << (rows - 64 * i)) - 1 if rows > 64 * i else 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add(
    room: cython.ulonglong[::1],
    words: Size,
    where: Size,
    points: cython.const[cython.longlong][::1],
    first: Size,
    width: Size,
    sums: cython.longlong[::1],
) -> cython.void:
    """Add points to the rows for which a condition holds."""
    i: Size
    label: Size
    bits: cython.ulonglong
    for i in range(words):
        bits = room[where * words + i]
        while bits:
            at: Size = (64 * i + lowest(bits)) * width
            for label in range(width):
                sums[at + label] += points[first + label]
            bits &= bits - 1
