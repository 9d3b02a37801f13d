# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""JSON lines: where the members of every object are.

The kernel looks only at what holds an object together. The json module decides what a value means; it is asked once for
each distinct value (`unless.read.json_lines`).
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.libc.string import memcmp, memcpy

DONE, UNKNOWN, IRREGULAR = 0, 1, 2
compiled = cython.compiled


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def past_spaces(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place of the next byte that is not a space; the data ends with a line feed, which does not count as one."""
    while data[i] == 32 or data[i] == 9 or data[i] == 13:
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def past_string(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after the string that begins here, or of the line feed that interrupts it."""
    i += 1
    while data[i] != 34 and data[i] != 10:
        i += 2 if data[i] == 92 and data[i + 1] != 10 else 1
    return i + 1 if data[i] == 34 else i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def past_value(data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after the value that begins here, or of the line feed that interrupts it; the same if none exists."""
    depth: cython.Py_ssize_t = 0
    if data[i] == 34:
        return past_string(data, i)
    if data[i] == 123 or data[i] == 91:
        while data[i] != 10:
            if data[i] == 34:
                i = past_string(data, i)
                continue
            if data[i] == 123 or data[i] == 91:
                depth += 1
            elif data[i] == 125 or data[i] == 93:
                depth -= 1
                if depth == 0:
                    return i + 1
            i += 1
        return i
    while data[i] > 32 and data[i] != 44 and data[i] != 125:
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same(
    a: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    b: cython.const[cython.uchar][::1],
    other: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
) -> cython.bint:
    """Whether two pieces of this length are equal."""
    if cython.compiled:
        return length == 0 or memcmp(cython.address(a[start]), cython.address(b[other]), length) == 0
    return a[start : start + length] == b[other : other + length]


def scan_members(
    data: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
    keys: cython.const[cython.uchar][::1],
    ends: cython.longlong[::1],
    names: cython.longlong[::1],
    columns: cython.longlong[::1],
    last: cython.longlong[::1],
    rows: cython.Py_ssize_t,
    starts: cython.longlong[::1],
    stops: cython.longlong[::1],
):
    """Find the members of the objects from ``start`` on, one object per line; the first object is row ``row``.

    ``data`` ends with a line feed. Key ``k`` is the bytes of ``keys`` from ``ends[k]`` to ``ends[k + 1]`` and means the
    name ``names[k]``, which goes to ``columns[name]``, or nowhere if that is -1. The value of a member begins at
    ``starts[column * rows + row]`` and ends before ``stops`` there. ``last`` holds the last row of every name.

    Return how it ended, the place of the last line, and the row: DONE; UNKNOWN, with where an unknown key begins and
    ends; IRREGULAR, if a line is not an object, or has a name twice.
    """
    if not cython.compiled:
        data, keys, ends, names, columns, last, starts, stops = map(
            memoryview, (data, keys, ends, names, columns, last, starts, stops)
        )
    size: cython.Py_ssize_t = len(data)
    count: cython.Py_ssize_t = len(names)
    i: cython.Py_ssize_t = start
    line: cython.Py_ssize_t = start
    key: cython.Py_ssize_t = 0
    tried: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 0
    name: cython.Py_ssize_t
    place: cython.Py_ssize_t
    status: cython.Py_ssize_t = 0
    with cython.nogil:
        while i < size:
            line = i
            i = past_spaces(data, i)
            if data[i] == 10:
                i += 1
                continue
            if data[i] != 123:
                status = 2
                break
            i = past_spaces(data, i + 1)
            key = -1
            if data[i] == 125:
                i += 1
            else:
                while True:  # one member: its key, a colon, its value, and what follows
                    if data[i] != 34:
                        status = 2
                        break
                    first = i + 1
                    i = past_string(data, i)
                    length = i - 1 - first
                    if data[i - 1] != 34 or length < 0:
                        status = 2
                        break
                    tried = 0
                    while tried < count:  # members mostly come in the same order
                        key = key + 1 if key + 1 < count else 0
                        if ends[key + 1] - ends[key] == length and same(keys, ends[key], data, first, length):
                            break
                        tried += 1
                    if tried == count:
                        status = 1
                        break
                    name = names[key]
                    i = past_spaces(data, i)
                    if data[i] != 58 or last[name] == row:
                        status = 2
                        break
                    last[name] = row
                    i = past_spaces(data, i + 1)
                    place = i
                    i = past_value(data, i)
                    if i == place:
                        status = 2
                        break
                    if columns[name] >= 0:
                        starts[columns[name] * rows + row] = place
                        stops[columns[name] * rows + row] = i
                    i = past_spaces(data, i)
                    if data[i] == 44:
                        i = past_spaces(data, i + 1)
                        continue
                    if data[i] != 125:
                        status = 2
                    i += 1
                    break
            if status:
                break
            i = past_spaces(data, i)
            if data[i] != 10:
                status = 2
                break
            i += 1
            row += 1
    return status, line, row, first, first + length


def gather(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    stops: cython.longlong[::1],
    ends: cython.longlong[::1],
    out: cython.uchar[::1],
):
    """Copy pieces of the data one after another; piece ``k`` then ends at ``ends[k + 1]``, and ``ends[0]`` is 0."""
    if not cython.compiled:
        data, starts, stops, ends, out = map(memoryview, (data, starts, stops, ends, out))
    count: cython.Py_ssize_t = len(starts)
    place: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        ends[0] = 0
        for k in range(count):
            length = stops[k] - starts[k]
            if length > 0:
                if cython.compiled:
                    memcpy(cython.address(out[place]), cython.address(data[starts[k]]), length)
                else:
                    out[place : place + length] = data[starts[k] : stops[k]]
            place += length
            ends[k + 1] = place
