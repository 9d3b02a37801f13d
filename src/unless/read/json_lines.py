"""Read JSON lines as a source of cells: every line is an object, and its members are the cells of a row.

A file is read in chunks of lines. In each chunk, `kernels.json_scan` finds the members, and the json module parses each
distinct value. Without compiled kernels, or for invalid lines, the json module reads line by line, and finds the line
of an error.

With the kernel, reading a file of 100 MB (24 columns) takes 3.3 s of CPU time instead of 19.6, and predictions for it
are streamed in 2.2 s instead of 11.1. The json module takes 3.4 s just to parse the file. `polars.read_ndjson` takes
0.7 s, but it turns numbers into text in columns with text, rounds large integers in columns with fractions, and drops
one of two members of the same name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import json_scan as kernels
from unless.libraries import pl
from unless.limits import refuse_unpacked
from unless.read.cells import (
    Cells,
    cells_from_dictionary,
    cells_from_numbers,
    cells_from_objects,
    group_texts,
    join_cells,
)
from unless.read.dialect import NO_REMARKS, Remarks, encoding_title
from unless.read.dialect_detection import WINDOW
from unless.read.encodings import detect_encoding, to_utf8
from unless.read.file_bytes import (
    MARK,
    Content,
    OpenFile,
    as_file,
    find_objects,
    first_bytes,
    not_utf8_error,
    read_blocks,
    read_or_map,
)
from unless.read.frames import SpelledNumber, make_frame
from unless.read.options import ReadOptions

_SPACE = b" \t\r\n"
# An escape of a whole character as two surrogates, of one surrogate (the group), or of anything else.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_MANY = 1000
_HEAD = 1 << 13  # bytes to search for names, one name at a time
_CELL = 4  # the least bytes of a cell, even if its line lacks the member
_OBJECT = 8  # the same for a Python object
_CHUNK = 1 << 22  # bytes; each member takes 16 more while a chunk is read
_KEYS, _LESSONS = 4096, 200  # the json module is faster for many keys, or new keys in every line


class JsonLines:
    """A file of JSON lines in UTF-8, or bytes of one.

    A cell is a number, text, a boolean or null; an absent member is a missing cell, and an object or a list becomes its
    JSON text. The columns are the members in order of first appearance. Blank lines are not rows.

    A piece of a file gets the ``names`` of the columns and, for messages, the number of its ``first_line`` in the file;
    `read_table` also takes a JsonLines. ``seen`` has the names that occur, once the cells are loaded.
    """

    spelled, filed = False, True
    remarks = NO_REMARKS
    rows = 0

    def __init__(self, source: Content, *, where: str, names: Sequence[str] | None = None, first_line: int = 1) -> None:
        self._where = where
        self._data = read_or_map(source)
        self._first_line = first_line
        self._checked = 0  # the number of bytes known to be text
        self._keys = _Keys()
        self.seen: set[str] = set()
        if names is None:
            for data, line in self._chunks():
                self._read(data, line, ())
        self.names: Sequence[str] = list(self._keys.names if names is None else names)

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read the named columns."""
        del texts, missing  # cells are typed
        pieces: list[list[Cells]] = []
        lines = self.rows = 0
        for data, line in self._chunks():
            lines += data.count(b"\n")
            refuse_unpacked(_CELL * len(names) * lines, len(self._data), self._where)
            rows, cells = self._read(data, line, names)
            pieces.append(cells)
            self.rows += rows
        self.seen = set(self._keys.names)
        self._cells = {name: join_cells(cells) for name, cells in zip(names, zip(*pieces, strict=True), strict=True)}

    def cells(self, name: str) -> Cells:
        """Return the cells of a loaded column; a column that no object has is missing in all rows."""
        return self._cells[name]

    def frame(self, *, spelled: bool = False, texts: Collection[str] = ()) -> pl.DataFrame:
        """Read all columns as integers, numbers or booleans if all cells fit; otherwise, or in ``texts``, as text.

        If ``spelled``, fractional numbers stay text, so that none depends on the other cells of this piece.
        """
        lines = bytes(self._data).count(b"\n") + 1
        refuse_unpacked(_OBJECT * len(self.names) * lines, len(self._data), self._where)
        rows = [row for _, row in self.objects(SpelledNumber if spelled else None)]
        return make_frame({name: [row.get(name) for row in rows] for name in self.names}, texts)

    def objects(self, number: type[float] | None = None) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield every object with its line number; ``number`` is the type of fractional numbers."""
        return _read_objects(as_file(self._data), self._where, self._first_line, number)

    def _chunks(self) -> Iterator[tuple[bytes, int]]:
        """Yield chunks of some megabytes of whole lines, at least one, with the number of the first line."""
        start = len(MARK) if self._first_line == 1 and self._data[: len(MARK)] == MARK else 0
        line = self._first_line
        while True:
            end = self._data.find(b"\n", start + _CHUNK) + 1 or len(self._data)
            lines = self._data[start:end]
            if end > self._checked:
                _refuse_no_text(lines, self._where, line)
                self._checked = end
            yield lines if lines.endswith(b"\n") else lines + b"\n", line
            line += lines.count(b"\n")
            start = end
            if start == len(self._data):
                return

    def _read(self, data: bytes, line: int, names: Sequence[str]) -> tuple[int, list[Cells]]:
        """Read a chunk: return its number of rows, and the cells of these columns."""
        try:
            members = _Members(data, self._keys, names)
            return members.rows, [members.cells(place) for place in range(len(names))]
        except _IrregularError:
            records = [record for _, record in _read_objects(as_file(data), self._where, line)]
            for name in dict.fromkeys(name for record in records for name in record):
                self._keys.add(name)
            return len(records), [
                cells_from_objects([_to_cell(record.get(name)) for record in records]) for name in names
            ]


class _Keys:
    """The names of members in order of first appearance, and the name that each spelling of a key stands for."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.spellings: dict[bytes, int] = {}

    def add(self, name: str) -> int:
        """Add a name, with its most likely spelling."""
        place = self.names.setdefault(name, len(self.names))
        self.spellings.setdefault(json.dumps(name, ensure_ascii=False).encode()[1:-1], place)
        return place

    def learn(self, line: bytes, key: bytes) -> None:
        """Add all names of a line that contains a new spelling of a key."""
        try:
            for name in _parse_object(line):
                self.add(name)
            self.spellings[key] = self.add(json.loads(f'"{key.decode()}"'))
        except (ValueError, RecursionError):
            raise _IrregularError from None


class _IrregularError(Exception):
    """Raised for lines that the json module has to read one by one."""


class _Members:
    """The positions of the members of some lines, with the values of all rows for each wanted column."""

    def __init__(self, data: bytes, keys: _Keys, wanted: Sequence[str]) -> None:
        if not kernels.compiled or len(keys.spellings) > _KEYS:  # the json module is always compiled
            raise _IrregularError
        self._data = np.frombuffer(data, dtype=np.uint8)
        self._stride = data.count(b"\n") if wanted else 0
        self._starts = np.zeros(len(wanted) * self._stride, dtype=np.int64)
        self._stops = np.zeros(len(wanted) * self._stride, dtype=np.int64)
        places = {name: column for column, name in enumerate(wanted)}
        start = self.rows = 0
        for _ in range(_LESSONS):
            columns = np.array([places.get(name, -1) for name in keys.names], dtype=np.int64)
            status, start, self.rows, first, end = kernels.scan_members(
                self._data,
                start,
                self.rows,
                np.frombuffer(b"".join(keys.spellings), dtype=np.uint8),
                np.cumsum([0, *map(len, keys.spellings)], dtype=np.int64),
                np.fromiter(keys.spellings.values(), np.int64, len(keys.spellings)),
                columns,
                np.full(len(columns), -1, dtype=np.int64),
                self._stride,
                self._starts,
                self._stops,
            )
            if status == kernels.DONE:
                return
            if status == kernels.IRREGULAR:
                break
            keys.learn(data[start : data.index(b"\n", start)], data[first:end])
        raise _IrregularError

    def cells(self, column: int) -> Cells:
        """Return the cells of a wanted column."""
        part = slice(column * self._stride, column * self._stride + self.rows)
        starts, stops = self._starts[part], self._stops[part]
        ends = np.empty(self.rows + 1, dtype=np.int64)
        pieces = np.empty(int((stops - starts).sum()), dtype=np.uint8)
        kernels.gather(self._data, starts, stops, ends, pieces)
        codes, firsts = group_texts(ends, pieces)
        text = pieces.tobytes()
        spans = zip(ends[firsts].tolist(), ends[firsts + 1].tolist(), strict=True)
        return _rank_json_texts([text[start:end] or b"null" for start, end in spans], codes)


def _rank_json_texts(values: Sequence[bytes], codes: NDArray[np.int32]) -> Cells:
    """Make cells from indices into a list of JSON texts, which are parsed together.

    Each text is a string, has balanced brackets, or contains no comma, so together they are valid only if each is.
    """
    try:
        distinct = json.loads(f"[{b','.join(values).decode()}]", object_pairs_hook=_to_dict)
    except (ValueError, RecursionError):
        raise _IrregularError from None
    if len(distinct) != len(values):
        raise _IrregularError
    types = set(map(type, distinct)) - {type(None)}
    if types and types <= {int, float}:
        with suppress(OverflowError):  # an integer beyond float64
            numbers = cells_from_numbers(np.array(distinct, dtype=np.float64)[codes])  # None becomes NaN
            return replace(numbers, type=types.pop() if len(types) == 1 else None)
    return cells_from_dictionary(map(_to_cell, distinct), codes)


def open_lines(source: Content, *, where: str, options: ReadOptions) -> JsonLines:
    """Open JSON lines, in UTF-8 or UTF-16, as a source."""
    encoding = _choose_encoding(first_bytes(source, WINDOW), options)
    if encoding == "utf-8":
        return JsonLines(source, where=where)
    found = JsonLines(to_utf8(read_or_map(source)[:], encoding, where), where=where)
    if options.encoding is None:
        found.remarks = Remarks(f"read as {encoding_title(encoding)}")
    return found


def _choose_encoding(start: bytes, options: ReadOptions) -> str:
    """Choose the given encoding, otherwise UTF-16 if detected, otherwise UTF-8, as in the standard."""
    found = detect_encoding(start, options.encoding, final=len(start) < WINDOW) or "utf-8"
    return found if options.encoding is not None or found.startswith("utf") else "utf-8"


def decode_open_file(file: OpenFile, options: ReadOptions) -> Remarks:
    """Make a newly opened file return its bytes in UTF-8."""
    encoding = _choose_encoding(file.peek(WINDOW), options)
    if encoding != "utf-8":
        file.decode(encoding)
    return Remarks("" if encoding == "utf-8" or options.encoding else f"read as {encoding_title(encoding)}")


def read_names(file: OpenFile, options: ReadOptions) -> list[str]:
    """Read the names of the members of the first thousand objects."""
    decode_open_file(file, options)

    def records() -> Iterator[dict[str, object]]:
        line = 1
        for block, _ in read_blocks(file, _HEAD, find_objects):
            _refuse_no_text(block, file.where, line)
            yield from (record for _, record in _read_objects(as_file(block), file.where, line))
            line += block.count(b"\n")

    return list(dict.fromkeys(name for record in islice(records(), _MANY) for name in record))


def _read_objects(
    file: BinaryIO, where: str, first: int = 1, number: type[float] | None = None
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield every object with its line number, as the json module reads the file.

    ``number`` is the type of fractional numbers.
    """
    for line, data in enumerate(iter(file.readline, b""), first):
        text = data.removeprefix(MARK) if line == 1 else data
        if text.strip(_SPACE):
            try:
                yield line, _parse_object(text, number)
            except (ValueError, RecursionError) as error:
                raise ReadError(f"{where}, line {line}: {_explain(error)}") from None


def _refuse_no_text(lines: bytes, where: str, first: int) -> None:
    """Raise an error for bytes that are not UTF-8, and for escapes of half a character, anywhere in the lines.

    This check precedes parsing, so that it depends neither on the wanted columns nor on the chunks of a file.
    """
    try:
        lines.decode()
    except UnicodeDecodeError as error:
        start = lines.rfind(b"\n", 0, error.start) + 1
        number = first + lines.count(b"\n", 0, start)
        raise not_utf8_error(where, number, lines[start:], error.start - start) from None
    escapes = _ESCAPE.finditer(lines) if b"\\" in lines else ()
    if half := next((found for found in escapes if found[1]), None):
        number = first + lines.count(b"\n", 0, half.start())
        letter = chr(int(half[1], 16))
        raise ReadError(f"{where}, line {number}: {letter!r} is half a character; write both surrogates, or neither")


def _parse_object(line: bytes, number: type[float] | None = None) -> dict[str, object]:
    found = json.loads(line.decode(), object_pairs_hook=_to_dict, parse_float=number, parse_constant=number)
    if not isinstance(found, dict):
        kind = "a list" if isinstance(found, list) else "no object"
        raise ValueError(f'this is {kind}; every line should be one object, such as {{"age": 39}}')  # noqa: TRY004 - as json
    return found


def _to_dict(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        names = [name for name, _ in members]
        raise ValueError(next(f"the name {name!r} appears twice" for name in names if names.count(name) > 1))
    return found


def _explain(error: Exception) -> str:
    """Explain why a line cannot be read."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at character {error.pos + 1}; every line should be one whole object"
    return "the object is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _to_cell(value: object) -> object:
    """Convert a value to a cell: nested values become their JSON text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
