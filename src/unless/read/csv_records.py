"""Read the header and records of a CSV or TSV file with the csv module, which defines their meaning."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import BinaryIO

from unless.errors import ReadError
from unless.limits import refuse_above_limit
from unless.read.dialect_detection import named_delimiter
from unless.read.file_bytes import MARK, OpenFile, as_file, find_records, not_utf8_error
from unless.read.headers import column_titles

_HEAD = 1 << 13  # bytes to search for a header, doubled until it is found
_LINES = re.compile("[^\r]*\r\n?|[^\r]+")
_SEPARATORS = {";": "semicolons", "|": "bars", "\t": "tabs", ",": "commas"}
_LOCK, _LIMITS = Lock(), list[int]()
_REASONS = {"unexpected end of data": "a quote is opened here and never closed"}


@dataclass(frozen=True, slots=True)
class TextHeader:
    """The names of the columns of a text file, and the end of their record.

    ``size`` bytes and ``lines`` lines include a byte order mark, lines that are skipped, blank lines before the record
    and its line ending; the table begins after ``start`` bytes. ``said`` is a remark about names that were changed.
    """

    names: list[str]
    size: int = 0
    lines: int = 0
    start: int = 0
    said: str = ""


def read_header(file: BinaryIO, separator: str, where: str, above: int = 0) -> TextHeader:
    """Read the header of a text file, and no more than needed; lines ``above`` the header are skipped."""
    start = len(MARK) if file.read(len(MARK)) == MARK else 0
    file.seek(start)
    skipped = [len(line.encode()) for line in islice(_decode_lines(file, where), above)]
    if len(skipped) < above:
        raise ReadError(f"{where}: there are only {len(skipped):,} lines; the names should be in line {above + 1:,}")
    start += sum(skipped)
    file.seek(start)
    commas = file.readline().count(separator.encode())  # before they are listed
    refuse_above_limit("columns", commas + 1, f"{where}: {commas + 1:,} columns")
    file.seek(start)
    for record, _, end in read_records(file, separator, where, above + 1):
        if end == 1 and named_delimiter(separator.join(record)) == separator:
            continue
        file.seek(start)
        size = sum(len(line.encode()) for line in islice(_decode_lines(file, where), end - above))
        names, said = column_titles(record)
        return TextHeader(names, start + size, end, start, said)
    if above:
        raise ReadError(f"{where}: nothing comes after the {above:,} lines that are skipped")
    raise ReadError(f"{where}: the file is empty; its first line should name the columns")


def read_next_header(file: OpenFile, separator: str, above: int = 0) -> TextHeader:
    """Read the header of a newly opened file, whose bytes were not read yet."""
    size, found = _HEAD // 2, False
    while not found:
        size *= 2
        data = file.peek(size)
        start, final = _size_of_lines(data, above), len(data) < size
        (places, _), whole = find_records(data[start:], separator, blank=False, final=final)
        found = final or len(places) > (not above and data[start:].startswith(b"sep="))
        if not found:
            file.refuse_endless(data)
    return read_header(as_file(data[: start + whole]), separator, file.where, above)


def _size_of_lines(data: bytes, lines: int) -> int:
    """Count the bytes of the first lines, with a byte order mark; all bytes if there are no more lines."""
    if not lines:
        return len(MARK) if data.startswith(MARK) else 0
    found = next(islice(re.finditer(rb"\r\n?|\n", data), lines - 1, None), None)
    return len(data) if found is None else found.end()


TITLE_HINT = "if a title comes first, give the line with the names as the header row"
"""The advice for a file whose first line does not seem to be a header."""


def separator_hint(names: Sequence[str]) -> str | None:
    """Hint at another delimiter if the only column of a file looks like several."""
    found = (word for sign, word in _SEPARATORS.items() if len(names) == 1 and sign in names[0])
    return next((f"the file seems to be separated by {word}; is that the right delimiter?" for word in found), None)


def read_records(
    file: BinaryIO, separator: str, where: str, line: int = 1, width: int = 0
) -> Iterator[tuple[list[str], int, int]]:
    """Yield every record with its first and last line number, as the csv module reads the file.

    ``line`` is the number of the first line; ``width`` is the number of fields, 0 for that of the first record.
    """
    reader = csv.reader(_decode_lines(file, where, line), delimiter=separator, strict=True)
    before = line - 1
    try:
        with allow_long_fields():
            for record in reader:
                width = width or len(record)
                if record or width == 1:
                    yield record or [""], line, before + reader.line_num
                line = before + reader.line_num + 1
    except csv.Error as error:
        raise ReadError(f"{where}, line {line}: {_REASONS.get(str(error), str(error))}") from None


def refuse_width(record: Sequence[str], names: Sequence[str], where: str, line: int) -> None:
    """Raise an error for a record that has more or fewer fields than the header."""
    width = len(names)
    if len(record) == width:
        return
    count = "1 field" if len(record) == 1 else f"{len(record)} fields"
    named = f"{width} column{'s' * (width != 1)}"
    hint = separator_hint(names) or (TITLE_HINT if len(record) > width else None)
    more = f"; {hint}" if hint else ""
    raise ReadError(f"{where}, line {line}: {count}, but the header names {named}{more}")


@contextmanager
def allow_long_fields() -> Iterator[None]:
    """Let the csv module read fields of any length in this block.

    All threads share the limit: the first block to begin saves it, and the last block to end restores it.
    """
    with _LOCK:
        _LIMITS.append(csv.field_size_limit(2**31 - 1))  # the largest C long on every platform
    try:
        yield
    finally:
        with _LOCK:
            csv.field_size_limit(_LIMITS.pop())


def _decode_lines(file: BinaryIO, where: str, first: int = 1) -> Iterator[str]:
    """Yield the lines as text; a carriage return alone may end one."""
    for number, line in enumerate(iter(file.readline, b""), first):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise not_utf8_error(where, number, line, error.start) from None
        if "\r" in text:
            yield from _LINES.findall(text)
        else:
            yield text
