"""Workbooks that are small on disk only: what they hold is counted before a library takes memory for it."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress

from unless.limits import RATIO, limit, refuse_unpacked
from unless.read.content import Content

__all__ = ["refuse_bombs"]

_PIECE = 1 << 20
_CELL = 32  # bytes of each between the first cell and the last, empty ones too: calamine lays out all of them
_ROWS = 1 << 20  # that a sheet can have
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_COLUMN = re.compile(rb"""\br=["']([A-Z]{1,3})[0-9]""")
_FILLED = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})([0-9]{1,7})["'][^>]*(?<!/)>""")
_FAILURES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def refuse_bombs(source: Content, where: str) -> None:
    """Refuse a workbook that takes far more memory than its size, by its texts or by the places of its cells."""
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    # Columns are found three times as fast as cells: so many are fine however many rows there are.
    fine = max(limit("unpacked"), RATIO * size) // (_CELL * _ROWS)
    with suppress(*_FAILURES), zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        total = 0
        for entry in archive.infolist():
            sheet, wide = _SHEET.fullmatch(entry.filename), False
            for piece in _pieces(archive, entry):
                total += len(piece)
                refuse_unpacked(total, size, where)
                wide = wide or (bool(sheet) and any(_place(column) > fine for column in set(_COLUMN.findall(piece))))
            if wide:
                refuse_unpacked(_CELL * _cells(archive, entry), size, where)


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """What a file of the archive really holds, whatever size it claims to have, cut between tags."""
    entry.file_size = 1 << 62
    rest = b""
    with suppress(*_FAILURES), archive.open(entry) as file:  # who reads it will say so
        while piece := file.read(_PIECE):
            text = rest + piece
            end = text.rfind(b"<") if len(rest) < _PIECE else len(text)
            yield text[:end]
            rest = text[end:]
    yield rest


def _cells(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    """How many cells a sheet has up to the last column and the last row that have any."""
    columns = rows = 0
    for piece in _pieces(archive, entry):
        for column, row in _FILLED.findall(piece):
            columns, rows = max(columns, _place(column)), max(rows, int(row))
    return columns * rows


def _place(letters: bytes) -> int:
    """The number of a column, from 1.

    >>> _place(b"A"), _place(b"Z"), _place(b"AA"), _place(b"XFD")
    (1, 26, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
