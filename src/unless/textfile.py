"""CSV and TSV files, as sources of cells.

polars reads them, fast; the csv module says what they mean. polars is trusted only with what it reads alike: a regular
file (`kernels.inspect`), and as numbers only columns whose every cell is what `values.number_in` takes for one. All
else is read by the csv module, which also finds the line to blame.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import mmap
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unless.encode import Cells
from unless.errors import ReadError
from unless.frames import polars_cells, text_cells
from unless.kernels import rank as kernels
from unless.values import number_in

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TextFile"]

_MARK = b"\xef\xbb\xbf"
_SAMPLES, _SAMPLE = 4, 2048
_MANY = 1000
_SMALL = 1 << 24  # files up to this size are read at once; larger ones are mapped, to spare memory
_LINES = re.compile("[^\r]*\r\n?|[^\r]+")
_REASONS = {"unexpected end of data": "a quote is opened here and never closed"}


class TextFile:
    """A CSV or TSV file in UTF-8, packed by gzip or not, whose first record names the columns.

    A blank line is no record, except in a file of one column, where it is an empty cell.
    """

    spelled = True
    rows = 0

    def __init__(self, path: Path, separator: str) -> None:
        self._path = path
        self._separator = separator
        self._data = _content(path)
        self._start = len(_MARK) if self._data[:3] == _MARK else 0
        self._body = memoryview(self._data)[self._start :]
        self._header = 0  # how many lines it takes
        self.names: Sequence[str] = self._read_header()

    def _read_header(self) -> list[str]:
        for record, _, end in self._records():
            self._header = end
            return record
        raise ReadError(f"{self._path}: the file is empty; its first line should name the columns")

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read these columns, ``texts`` as text, and others too unless they look numeric."""
        places = {name: place for place, name in enumerate(self.names)}
        wanted, as_text = [places[name] for name in names], {places[name] for name in texts}
        frame = self._read_fast(wanted, as_text, missing)
        if frame is None:
            frame = self._read_slowly(wanted)
        self.rows = frame.height
        self._columns = {name: frame.get_column(_name(places[name])) for name in names}
        self._texts = self._rank_texts(frame.select(map(_name, wanted)), as_text, missing)
        self._places = places

    def cells(self, name: str) -> Cells:
        """The cells of a column that was loaded."""
        return self._texts.get(_name(self._places[name])) or polars_cells(self._columns[name])

    def _rank_texts(self, frame: pl.DataFrame, as_text: Collection[int], missing: Collection[str]) -> dict[str, Cells]:
        import polars as pl  # noqa: PLC0415

        kept = {_name(place) for place in as_text}
        wary = any(number_in(token) is not None for token in missing)

        def is_numeric(name: str, texts: pl.Series) -> bool:
            # Up to so many texts `settle` reads one by one; a million would take it a second.
            if wary or name in kept or len(texts) <= _MANY or not _plausible(texts.gather_every(_MANY // 50), missing):
                return False
            numbers = texts.cast(pl.Float64, strict=False)
            others = texts.filter(numbers.is_null())
            return len(others) <= _MANY and set(others).issubset(missing) and bool(numbers.is_finite().all())

        texts = frame.select(pl.selectors.string() if "" in missing else pl.selectors.string().fill_null(""))
        return text_cells(texts, is_numeric)

    def _read_fast(
        self, wanted: Sequence[int], texts: Collection[int], missing: Collection[str]
    ) -> pl.DataFrame | None:
        """The columns as polars reads them, None if it might read them otherwise than the csv module."""
        tab = ord("\r" if self._separator == "\t" else "\t")
        marked = kernels.has_any(np.frombuffer(self._body, dtype=np.uint8), ord('"'), ord("\r"), tab)
        open_end = bytes(self._body[-1:]) == self._separator.encode()  # polars passes over a last field that is empty
        found = self._inspect() if marked or open_end else None
        # A carriage return in a name makes a line of its own to the csv module, but not to polars' skip_lines.
        if found == kernels.IRREGULAR or any("\r" in name for name in self.names):
            return None
        # polars skips a tab before a number; and a missing cell that spells a number has to be seen as text.
        wary = found == kernels.TABBED or any(number_in(token) is not None for token in missing)
        numeric, tokens = ([], []) if wary else self._guess(set(wanted) - set(texts), missing)
        last = len(self.names) - 1
        frame = self._polars([*wanted, last], numeric, tokens)
        if frame is None or not _faithful(frame, numeric, missing):
            frame = self._polars([*wanted, last], (), ())
        if frame is None:
            return None
        # polars pads a short line with nulls, and so the last column has one.
        short = found is None and frame.get_column(_name(last)).null_count() and self._inspect() == kernels.IRREGULAR
        return None if short else frame

    def _inspect(self) -> int:
        body = np.frombuffer(self._body, dtype=np.uint8)
        return int(kernels.inspect(body, ord(self._separator), len(self.names)))

    def _polars(self, wanted: Sequence[int], numeric: Collection[int], tokens: Sequence[str]) -> pl.DataFrame | None:
        """The wanted columns, named by their places; None if polars finds fault with the file."""
        import polars as pl  # noqa: PLC0415 - takes 0.1 s; only files need it

        schema = {_name(place): pl.Float64 if place in numeric else pl.String for place in range(len(self.names))}
        try:
            return pl.read_csv(
                self._path if isinstance(self._data, mmap.mmap) else self._data,
                has_header=False,
                skip_lines=self._header,
                separator=self._separator,
                schema=schema,
                columns=[_name(place) for place in sorted(set(wanted))],
                null_values=tokens or None,
                glob=False,
            )
        except (pl.exceptions.PolarsError, OSError):
            return None

    def _guess(self, places: Collection[int], missing: Collection[str]) -> tuple[list[int], list[str]]:
        """The columns that look numeric, and the missing cells other than empty ones that occur in them.

        From a few pieces of the file: a wrong guess costs time only.
        """
        sample = [set(cells) for cells in zip(*self._sample(), strict=True)]
        numeric, tokens = [], set()
        for place in places if sample else ():
            if _plausible(sample[place], missing):
                lost = sample[place].intersection(missing) - {""}
                if lost and "" not in missing:  # polars would make both null
                    continue
                numeric.append(place)
                tokens |= lost
        return numeric, sorted(tokens and set(missing) - {""})

    def _sample(self) -> Iterator[list[str]]:
        """Some records from all over the file."""
        size = len(self._body)
        length = max(_SAMPLE, 2 * bytes(self._body[: 1 << 20]).find(b"\n"))  # of wide files too, a line or more
        for start in range(0, size, max(length, size // _SAMPLES)):
            lines = bytes(self._body[start : start + length]).decode("utf-8", "replace").split("\n")[1:]
            with suppress(csv.Error):
                rows = list(csv.reader(lines if start + length >= size else lines[:-1], delimiter=self._separator))
                yield from (row for row in rows if len(row) == len(self.names))

    def _read_slowly(self, wanted: Sequence[int]) -> pl.DataFrame:
        """The columns as the csv module reads them, all text; an error names the line."""
        import polars as pl  # noqa: PLC0415

        columns: list[list[str]] = [[] for _ in wanted]
        records = self._records()
        next(records)
        for record, line, _ in records:
            if len(record) != len(self.names):
                count = "1 field" if len(record) == 1 else f"{len(record)} fields"
                raise self._error(line, f"{count}, but the header names {len(self.names)} columns")
            for column, place in zip(columns, wanted, strict=True):
                column.append(record[place])
        names = [_name(place) for place in wanted]
        return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String))

    def _records(self) -> Iterator[tuple[list[str], int, int]]:
        """Every record, with its first line and its last: the csv module's word on what the file means."""
        limit = csv.field_size_limit(len(self._data) + 1)
        reader = csv.reader(self._lines(), delimiter=self._separator, strict=True)
        line, width = 1, 0
        try:
            for record in reader:
                width = width or len(record)
                if record or width == 1:
                    yield record or [""], line, reader.line_num
                line = reader.line_num + 1
        except csv.Error as error:
            raise self._error(line, _REASONS.get(str(error), str(error))) from None
        finally:
            csv.field_size_limit(limit)

    def _lines(self) -> Iterator[str]:
        """The lines as text; a line may end in a carriage return alone."""
        file = self._data if isinstance(self._data, mmap.mmap) else io.BytesIO(self._data)
        file.seek(self._start)
        for number, line in enumerate(iter(file.readline, b""), 1):
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise self._undecodable(number, line[error.start]) from None
            if "\r" in text:
                yield from _LINES.findall(text)
            else:
                yield text

    def _error(self, line: int, reason: str) -> ReadError:
        return ReadError(f"{self._path}, line {line}: {reason}")

    def _undecodable(self, line: int, byte: int) -> ReadError:
        marked = self._data[:2] in (b"\xff\xfe", b"\xfe\xff")
        advice = "the file seems to be UTF-16; save it as UTF-8" if marked else "save the file as UTF-8 text"
        return self._error(line, f"the byte 0x{byte:02x} is not UTF-8; {advice}")


def _plausible(cells: Iterable[str], missing: Collection[str]) -> bool:
    """Whether the present ones of some cells, of which there are any, are numbers that polars can read."""
    present = set(cells).difference(missing)
    return bool(present) and all(cell[-1:] != " " and number_in(cell) is not None for cell in present)


def _name(place: int) -> str:
    """The name of a column within this module; polars insists on the prefix where a file has no header."""
    return f"column_{place}"


def _content(path: Path) -> mmap.mmap | bytes:
    """The bytes of a file, unpacked."""
    try:
        if path.suffix.lower() == ".gz":
            return gzip.decompress(path.read_bytes())
        if path.stat().st_size <= _SMALL:
            return path.read_bytes()
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{path}: not a whole gzip file: {error}") from None
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror or error}") from None


def _faithful(frame: pl.DataFrame, numeric: Collection[int], missing: Collection[str]) -> bool:
    """Whether columns read as numbers hold what their text says.

    polars takes `inf`, `nan` and 1e999 for numbers; and it gives null for an empty cell, which may be a value.
    """
    import polars as pl  # noqa: PLC0415

    numbers = frame.select(map(_name, numeric))
    if "" not in missing and any(column.null_count() for column in numbers):
        return False
    if not numeric or all(map(math.isfinite, numbers.sum().row(0))):  # a sum tells faster
        return True
    return all(numbers.select(pl.all().is_finite().all()).row(0))
