# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The hot loops of reading: ranking numbers, and checking that a text file is regular.

Plain loops over one-dimensional buffers, all allocated by the caller; `encode.rank` and `textfile` say how they are used.
"""

from __future__ import annotations

import cython

INFINITY_BITS = cython.declare(cython.longlong, 0x7FF0000000000000)  # NaNs have more, sign aside
MAGNITUDE = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF)
EXACT = cython.declare(cython.double, 9007199254740992.0)  # from 2**53 on, a double skips whole numbers

HASH_START = cython.declare(cython.ulonglong, 2166136261)  # of the hash FNV-1a, 32 bits
HASH_FACTOR = cython.declare(cython.ulonglong, 16777619)
LOW_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFF)

IRREGULAR, REGULAR, TABBED = 0, 1, 2
"""What `inspect` finds in a text file."""


def view(array: object) -> object:
    """What a kernel indexes: the array itself when compiled, else a memoryview, whose items are plain numbers."""
    return array if cython.compiled else memoryview(array)


def survey(values: cython.const[cython.double][::1]):
    """The least number, the greatest, and whether all are whole and exact; (1.0, 0.0, True) if every value is NaN."""
    if not cython.compiled:
        values = view(values)
    low: cython.double = float("inf")
    high: cython.double = float("-inf")
    whole: cython.bint = True
    x: cython.double
    with cython.nogil:
        for i in range(len(values)):
            x = values[i]
            if x == x:
                low = min(low, x)
                high = max(high, x)
                if whole:
                    whole = -EXACT < x < EXACT and x == cython.cast(cython.longlong, x)
    return (low, high, whole) if low <= high else (1.0, 0.0, True)


def rank_whole(values: cython.const[cython.double][::1], low: cython.double, ranks: cython.uint[::1], codes: cython.uint[::1]):
    """Rank whole numbers by counting; the number of ranks, which is also the code of NaN.

    ``ranks`` has a zero for every whole number from the least on; on return it has 1 + rank where a number occurs.
    """
    if not cython.compiled:
        values, ranks, codes = map(view, (values, ranks, codes))
    count: cython.uint = 0
    x: cython.double
    with cython.nogil:
        for i in range(len(values)):
            x = values[i]
            if x == x:
                ranks[cython.cast(cython.Py_ssize_t, x - low)] = 1
        for i in range(len(ranks)):
            if ranks[i]:
                count += 1
                ranks[i] = count
        for i in range(len(values)):
            x = values[i]
            codes[i] = ranks[cython.cast(cython.Py_ssize_t, x - low)] - 1 if x == x else count
    return count


def sortable(bits: cython.const[cython.longlong][::1], keys: cython.ulonglong[::1], rows: cython.uint[::1]):
    """Turn the bits of doubles into unsigned keys of the same order, the least 0; how many are not NaN, the greatest key.

    NaNs are left out: ``keys`` and ``rows`` are filled from the start with the others and their row numbers.
    """
    if not cython.compiled:
        bits, keys, rows = map(view, (bits, keys, rows))
    present: cython.Py_ssize_t = 0
    bit: cython.longlong
    least: cython.longlong = MAGNITUDE
    greatest: cython.longlong = -MAGNITUDE - 1
    with cython.nogil:
        for i in range(len(bits)):
            bit = bits[i]
            if (bit & MAGNITUDE) <= INFINITY_BITS:
                bit = _ordered(bit)
                least = min(least, bit)
                greatest = max(greatest, bit)
        for i in range(len(bits)):
            bit = bits[i]
            if (bit & MAGNITUDE) <= INFINITY_BITS:
                bit = _ordered(bit)
                keys[present] = cython.cast(cython.ulonglong, bit) - cython.cast(cython.ulonglong, least)
                rows[present] = i
                present += 1
    return present, (cython.cast(cython.ulonglong, greatest) - cython.cast(cython.ulonglong, least) if present else 0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ordered(bit: cython.longlong) -> cython.longlong:
    """The bits of a double as an integer that compares as the double does; minus zero is zero.

    Without a branch: the signs of a column are as good as random, and 1e6 mispredictions took 6 ms.
    """
    return (bit ^ ((bit >> 63) & MAGNITUDE)) - (bit >> 63)


def radix_pass(
    keys: cython.ulonglong[::1],
    rows: cython.uint[::1],
    count: cython.Py_ssize_t,
    shift: cython.int,
    starts: cython.uint[::1],
    keys_out: cython.ulonglong[::1],
    rows_out: cython.uint[::1],
):
    """Sort the first ``count`` keys, and their rows, by one digit; ``starts`` has a cell per digit, a power of two."""
    if not cython.compiled:
        keys, rows, starts, keys_out, rows_out = map(view, (keys, rows, starts, keys_out, rows_out))
    mask: cython.ulonglong = len(starts) - 1
    digit: cython.Py_ssize_t
    place: cython.uint
    total: cython.uint = 0
    with cython.nogil:
        for i in range(len(starts)):
            starts[i] = 0
        for i in range(count):
            starts[cython.cast(cython.Py_ssize_t, (keys[i] >> shift) & mask)] += 1
        for i in range(len(starts)):
            place = starts[i]
            starts[i] = total
            total += place
        for i in range(count):
            digit = cython.cast(cython.Py_ssize_t, (keys[i] >> shift) & mask)
            place = starts[digit]
            starts[digit] = place + 1
            keys_out[place] = keys[i]
            rows_out[place] = rows[i]


def finish_sorting(keys: cython.ulonglong[::1], rows: cython.uint[::1], count: cython.Py_ssize_t):
    """Sort nearly sorted keys, and their rows, by insertion; False if that was given up because they are not nearly so."""
    if not cython.compiled:
        keys, rows = map(view, (keys, rows))
    moves: cython.Py_ssize_t = 4 * count
    j: cython.Py_ssize_t
    key: cython.ulonglong
    row: cython.uint
    with cython.nogil:
        for i in range(1, count):
            key = keys[i]
            row = rows[i]
            j = i
            while j > 0 and moves > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                rows[j] = rows[j - 1]
                j -= 1
                moves -= 1
            keys[j] = key
            rows[j] = row
            if moves == 0:
                break
    return moves > 0


def rank_sorted(
    keys: cython.ulonglong[::1],
    rows: cython.uint[::1],
    count: cython.Py_ssize_t,
    codes: cython.uint[::1],
    firsts: cython.uint[::1],
):
    """Give every row the rank of its key, and every rank a row that has it; the number of ranks."""
    if not cython.compiled:
        keys, rows, codes, firsts = map(view, (keys, rows, codes, firsts))
    ranks: cython.uint = 0
    with cython.nogil:
        for i in range(count):
            if i == 0 or keys[i] != keys[i - 1]:
                firsts[ranks] = rows[i]
                ranks += 1
            codes[rows[i]] = ranks - 1
    return ranks


def rank_ordered(
    values: cython.const[cython.double][::1],
    order: cython.const[cython.Py_ssize_t][::1],
    codes: cython.uint[::1],
    firsts: cython.Py_ssize_t[::1],
):
    """Give every row the rank of its value, and every rank a row that has it; the number of ranks, the code of NaN.

    ``order`` has the rows by ascending value, NaNs last.
    """
    if not cython.compiled:
        values, order, codes, firsts = map(view, (values, order, codes, firsts))
    ranks: cython.uint = 0
    x: cython.double
    last: cython.double = 0.0
    with cython.nogil:
        for i in range(len(order)):
            x = values[order[i]]
            if x != x:
                codes[order[i]] = ranks
                continue
            if ranks == 0 or x != last:
                firsts[ranks] = order[i]
                ranks += 1
                last = x
            codes[order[i]] = ranks - 1
    return ranks


def group(
    ends: cython.const[cython.longlong][::1],
    data: cython.const[cython.uchar][::1],
    slots: cython.int[::1],
    codes: cython.int[::1],
    firsts: cython.int[::1],
):
    """Number the different texts in order of appearance; how many there are, or -1 if ``slots`` gets half full.

    Text i is ``data[ends[i]:ends[i + 1]]``. ``slots`` is a hash table, a power of two, all -1.
    """
    if not cython.compiled:
        ends, data, slots, codes, firsts = map(view, (ends, data, slots, codes, firsts))
    count: cython.Py_ssize_t = 0
    mask: cython.Py_ssize_t = len(slots) - 1
    slot: cython.Py_ssize_t
    start: cython.Py_ssize_t
    size: cython.Py_ssize_t
    other: cython.Py_ssize_t
    k: cython.Py_ssize_t
    key: cython.ulonglong
    with cython.nogil:
        for i in range(len(codes)):
            start = ends[i]
            size = ends[i + 1] - start
            key = HASH_START
            for k in range(start, start + size):
                key = ((key ^ data[k]) * HASH_FACTOR) & LOW_BITS
            slot = (key ^ (key >> 15)) & mask
            while slots[slot] >= 0:
                other = ends[firsts[slots[slot]]]
                if ends[firsts[slots[slot]] + 1] - other == size:
                    k = 0
                    while k < size and data[other + k] == data[start + k]:
                        k += 1
                    if k == size:
                        break
                slot = (slot + 1) & mask
            if slots[slot] < 0:
                if 2 * count > mask:
                    count = -1
                    break
                slots[slot] = cython.cast(cython.int, count)
                firsts[count] = cython.cast(cython.int, i)
                count += 1
            codes[i] = slots[slot]
    return count


def inspect(data: cython.const[cython.uchar][::1], separator: cython.uchar, fields: cython.Py_ssize_t):
    """Whether every record of a text file has so many fields, and is written so that no two readers could disagree.

    REGULAR: a quote opens only at the start of a field, closes only at its end, and is doubled inside; a carriage
    return outside quotes stands only before a line feed; no line is blank. TABBED: so, but a field begins with a tab,
    which some readers skip before a number. IRREGULAR: anything else.
    """
    if not cython.compiled:
        data = view(data)
    size: cython.Py_ssize_t = len(data)
    i: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t
    tabbed: cython.bint = False
    regular: cython.bint = True
    with cython.nogil:
        while regular and i < size:
            found = 0
            while True:  # one field: from its first byte to what ends it
                found += 1
                while i < size and data[i] == 32:
                    i += 1
                if i < size and data[i] == 34 and (i == 0 or data[i - 1] != 32):
                    i += 1
                    while i < size and data[i] == 32:
                        i += 1
                    tabbed = tabbed or (i < size and data[i] == 9)
                    while i < size and (data[i] != 34 or (i + 1 < size and data[i + 1] == 34)):
                        i += 2 if data[i] == 34 else 1
                    i += 1
                    regular = i <= size and (i == size or data[i] == separator or data[i] == 10 or data[i] == 13)
                elif i < size and data[i] == 9 and separator != 9:
                    tabbed = True
                while regular and i < size and data[i] != separator and data[i] != 10 and data[i] != 13:
                    regular = data[i] != 34
                    i += 1
                if not regular or i >= size or data[i] != separator:
                    break
                i += 1
            regular = regular and found == fields
            if regular and i < size and data[i] == 13:
                i += 1
                regular = i < size and data[i] == 10
            i += 1
    return IRREGULAR if not regular else TABBED if tabbed else REGULAR
