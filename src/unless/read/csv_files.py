"""CSV and TSV files, as sources of cells.

polars reads them, fast; the csv module defines what they mean. polars is trusted only where both agree: with a regular
file (`kernels.inspect`), and with numbers only in columns where `values.parse_number` takes every cell for one.
Everything else is read by the csv module, which also finds the line of an error.
"""

from __future__ import annotations

import csv
import math
import mmap
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from unless.errors import ReadError
from unless.kernels import ranking as kernels
from unless.limits import refuse_above_limit
from unless.read.column_inference import Cells
from unless.read.dialect import NOTHING, Dialect, Numerals, Told
from unless.read.dialect_detection import WINDOW, Guess, named_delimiter, sniff
from unless.read.encodings import to_utf8, unmarked
from unless.read.file_bytes import MARK, Content, OpenFile, as_file, content, first_bytes, records, undecodable
from unless.read.frames import polars_cells, text_cells
from unless.read.headers import column_titles
from unless.values import LEADING_ZERO, WHOLE_NUMBER, are_codes_not_numbers, missing_among, parse_number
from unless.values.spelling import SURROGATE

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 13  # bytes to look for a header in; if they are too few, twice as many
_SAMPLES, _SAMPLE = 4, 2048
_MANY, _STEP = 1000, 20
_PIECE = 1 << 18  # bytes to look at in one go
_LINES = re.compile("[^\r]*\r\n?|[^\r]+")
_SEPARATORS = {";": "semicolons", "|": "bars", "\t": "tabs", ",": "commas"}
_LOCK, _LIMITS = Lock(), list[int]()
_REASONS = {"unexpected end of data": "a quote is opened here and never closed"}


@dataclass(frozen=True, slots=True)
class TextHeader:
    """The names of the columns of a text file, and where their record ends.

    ``size`` bytes and ``lines`` lines include a byte order mark, lines that are skipped, blank lines before the record
    and its line ending; the table begins after ``start`` bytes. ``said`` tells of names that are not those of the file.
    """

    names: list[str]
    size: int
    lines: int
    start: int = 0
    said: str = ""


def text_header(file: BinaryIO, separator: str, where: str, above: int = 0) -> TextHeader:
    """The header of a text file, of which at least that much is there; lines ``above`` it are skipped."""
    start = len(MARK) if file.read(len(MARK)) == MARK else 0
    file.seek(start)
    skipped = [len(line.encode()) for line in islice(_lines(file, where), above)]
    if len(skipped) < above:
        raise ReadError(f"{where}: there are only {len(skipped):,} lines; the names should be in line {above + 1:,}")
    start += sum(skipped)
    file.seek(start)
    commas = file.readline().count(separator.encode())  # before there is a list of them
    refuse_above_limit("columns", commas + 1, f"{where}: {commas + 1:,} columns")
    file.seek(start)
    for record, _, end in _records(file, separator, where, above + 1):
        if end == 1 and named_delimiter(separator.join(record)) == separator:
            continue
        file.seek(start)
        size = sum(len(line.encode()) for line in islice(_lines(file, where), end - above))
        names, said = column_titles(record)
        return TextHeader(names, start + size, end, start, said)
    if above:
        raise ReadError(f"{where}: nothing comes after the {above:,} lines that are skipped")
    raise ReadError(f"{where}: the file is empty; its first line should name the columns")


def next_header(file: OpenFile, separator: str, above: int = 0) -> TextHeader:
    """The header of a file that was just opened; its bytes are yet to be read."""
    size, found = _HEAD // 2, False
    while not found:
        size *= 2
        data = file.peek(size)
        start, final = _size_of_lines(data, above), len(data) < size
        (places, _), whole = records(data[start:], separator, blank=False, final=final)
        found = final or len(places) > (not above and data[start:].startswith(b"sep="))
        if not found:
            file.refuse_endless(data)
    return text_header(as_file(data[: start + whole]), separator, file.where, above)


def _size_of_lines(data: bytes, lines: int) -> int:
    """How many bytes the first lines have, with a byte order mark; all, if there are no more lines."""
    start = len(MARK) if data.startswith(MARK) else 0
    ends = islice(re.finditer(rb"\r\n?|\n", data), lines - 1, None) if lines else iter(())
    found = next(ends, None)
    return start if not lines else len(data) if found is None else found.end()


def separator_hint(names: Sequence[str]) -> str | None:
    """If the only column of a file looks like several: what separates them."""
    found = (word for sign, word in _SEPARATORS.items() if len(names) == 1 and sign in names[0])
    return next((f"the file seems to be separated by {word}; is that the right delimiter?" for word in found), None)


def open_text(source: Content, *, usual: str, where: str, told: Told, numerals: Numerals | None = None) -> TextFile:
    """The source that reads a text file; what the caller does not tell is sniffed from its first bytes."""
    guess = sniff(first_bytes(source, WINDOW), usual, told, where=where, numerals=numerals)
    if guess.dialect.encoding != "utf-8":
        source = to_utf8(content(source)[:], guess.dialect.encoding, where)
    return TextFile(source, guess.dialect, where=where, guess=guess, above=told.above)


def sniff_next(file: OpenFile, usual: str, told: Told, numerals: Numerals | None = None) -> Guess:
    """How a file is written that was just opened; its bytes, yet to be read, are UTF-8 from now on."""
    guess = sniff(file.peek(WINDOW), usual, told, where=file.where, numerals=numerals)
    if guess.dialect.encoding != "utf-8" or guess.open:
        file.decode(None if guess.open else guess.dialect.encoding)
    return guess


def head_names(file: OpenFile, usual: str, told: Told) -> list[str]:
    """The names of the columns of a file that was just opened."""
    return next_header(file, sniff_next(file, usual, told).dialect.delimiter, told.above).names


class TextFile:
    """A CSV or TSV file in UTF-8, or bytes of one; its dialect tells which encoding it had before.

    Its first record names the columns; lines ``above`` it are skipped. A piece from the middle of a file, made of whole
    records, is given ``names`` instead, and the number of its ``first_line`` in the file, for messages; `read_table`
    takes a TextFile too.

    A blank line is no record, except in a file of one column, where it is an empty cell.
    """

    spelled = filed = True
    rows = 0

    def __init__(
        self,
        source: Content,
        dialect: Dialect,
        *,
        where: str,
        names: Sequence[str] | None = None,
        first_line: int = 1,
        guess: Guess | None = None,
        above: int = 0,
    ) -> None:
        self._where = where
        self._separator, self._numerals = dialect.delimiter, dialect.numerals
        self._sniffed = guess
        self._first_line = first_line
        self._above = above
        self._hold(source, None if names is None else TextHeader(list(names), 0, 0))

    def _hold(self, source: Content, given: TextHeader | None = None) -> None:
        """Take the bytes, and read their header unless it is given."""
        self._path, self._data = source, content(source)
        header = given or text_header(as_file(self._data), self._separator, self._where, self._above)
        self.names: Sequence[str] = header.names
        self._size, self._header, self._start = header.size, header.lines, header.start
        self.remarks = (NOTHING if self._sniffed is None else self._sniffed.remarks).also(header.said)
        self._body = np.frombuffer(self._data, dtype=np.uint8)[self._start :]

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read these columns, ``texts`` as text, and others too unless they look numeric."""
        places = {name: place for place, name in enumerate(self.names)}
        wanted, as_text = [places[name] for name in names], {places[name] for name in texts}
        frame = self._read(wanted or [0], as_text, missing)  # without any column the rows could not be counted
        self.rows = frame.height
        self._columns = {name: frame.get_column(_name(places[name])) for name in names}
        self._texts = self._rank_texts([frame.get_column(_name(place)) for place in wanted], as_text, missing)
        self._places = places

    def cells(self, name: str) -> Cells:
        """The cells of a column that was loaded."""
        cells = self._texts.get(_name(self._places[name])) or polars_cells(self._columns[name])
        return cells if self._numerals.plain else replace(cells, numerals=self._numerals)

    def frame(self, names: Collection[str] | None = None) -> pl.DataFrame:
        """Read these columns, by default all, as text; an empty cell is null."""
        import polars as pl  # takes 0.1 s; only files need it

        wanted = [place for place, name in enumerate(self.names) if names is None or name in names]
        frame = self._read(wanted, wanted, ()).select(map(_name, wanted)).with_columns(pl.all().replace("", None))
        frame.columns = [self.names[place] for place in wanted]
        return frame

    def _read(self, wanted: Sequence[int], texts: Collection[int], missing: Collection[str]) -> pl.DataFrame:
        frame = self._read_fast(wanted, texts, missing)
        if frame is not None:
            return frame
        try:
            return self._read_slowly(wanted)
        except ReadError:
            if not self._recode():
                raise
            return self._read(wanted, texts, missing)

    def _recode(self) -> bool:
        """Read the file as cp1252 if it began as ASCII and is not UTF-8; return whether it is so."""
        if self._sniffed is None or not self._sniffed.open or unmarked(data := self._data[:]) != "cp1252":
            return False
        self._sniffed = self._sniffed.decided("cp1252")
        self._hold(to_utf8(data, "cp1252", self._where))
        return True

    def _rank_texts(
        self, columns: Iterable[pl.Series], as_text: Collection[int], missing: Collection[str]
    ) -> dict[str, Cells]:
        """The cells of those columns that are text."""
        import polars as pl

        kept, numbers_in = {_name(place) for place in as_text}, _conversion(self._numerals)
        wary = any(self._numerals.number_in(token) is not None for token in missing)

        def is_numeric(name: str, texts: pl.Series) -> bool:
            # `settle` reads up to this many texts one by one; a million would take it a second.
            if wary or name in kept or len(texts) <= _MANY or not self._plausible(texts.gather_every(_STEP), missing):
                return False
            gone = missing_among(texts, missing)
            present = texts.filter(~texts.is_in([one for one in gone if not SURROGATE.search(one)]))
            if present.str.contains(LEADING_ZERO.pattern).any() and present.str.contains(WHOLE_NUMBER.pattern).all():
                return False
            numbers = pl.select(numbers_in(pl.lit(texts))).to_series()
            others = texts.filter(numbers.is_null())
            return len(others) <= _MANY and gone.issuperset(others) and bool(numbers.is_finite().all())

        texts = pl.DataFrame([column for column in columns if column.dtype == pl.String])  # in 20 us, a query in 100
        if "" not in missing:
            texts = texts.with_columns(pl.all().fill_null(""))
        return text_cells(texts, is_numeric, numbers_in)

    def _read_fast(
        self, wanted: Sequence[int], texts: Collection[int], missing: Collection[str]
    ) -> pl.DataFrame | None:
        """The columns as polars reads them; None if the csv module might read them differently."""
        tab = ord("\r" if self._separator == "\t" else "\t")
        marked = kernels.has_any(self._body, ord('"'), ord("\r"), tab)
        open_end = self._body[-1:].tobytes() == self._separator.encode()  # polars skips a last field that is empty
        found = self._inspect() if marked or open_end else None
        # A carriage return in a name makes a line of its own to the csv module, but not to polars' skip_lines; and a
        # mark where the first record begins is text, but not to polars.
        returns = self._header and b"\r" in self._data[: self._size].replace(b"\r\n", b"")
        if found == kernels.IRREGULAR or returns or self._data[self._size : self._size + len(MARK)] == MARK:
            return None
        last = len(self.names) - 1
        # polars skips a tab before a number; and a missing cell that spells a number has to be seen as text.
        wary = found == kernels.TABBED or any(self._numerals.number_in(token) is not None for token in missing)
        # To polars a point is a decimal sign even where commas are.
        wary = wary or (self._numerals.decimal == "," and kernels.has_any(self._body, ord("."), ord("."), ord(".")))
        numeric, tokens, whole = ([], [], []) if wary else self._guess(set(wanted) - set(texts), missing)
        if whole and kernels.has_padded(self._body, ord(self._separator)):
            numeric = [place for place in numeric if place not in whole]  # 007 may be among them, and is a name
        frame = self._with_numbers([*wanted, last], numeric, tokens, missing)
        if frame is None or found is not None:
            return frame
        # polars pads a short line with nulls: then the last column has one.
        holed = frame.get_column(_name(last)).null_count() > 0
        return None if self._ragged(frame, holed=holed) else frame

    def _with_numbers(
        self, wanted: Sequence[int], numeric: Sequence[int], tokens: Sequence[str], missing: Collection[str]
    ) -> pl.DataFrame | None:
        """The columns as polars reads them, with those as numbers that look numeric and are."""
        frame = self._polars(wanted, numeric, tokens)
        if frame is None or not _faithful(frame, numeric, missing):
            return self._polars(wanted, (), ())
        # polars takes a cell of spaces for an empty one.
        if " " in missing:
            return frame
        holed = {place for place in numeric if frame.get_column(_name(place)).null_count()}
        blank = holed and kernels.has_blank(self._body, ord(self._separator))
        return self._polars(wanted, set(numeric) - holed, tokens) if blank else frame

    def _ragged(self, frame: pl.DataFrame, *, holed: bool) -> bool:
        """Whether a line without quotes has fewer or more fields than the header; fewer only if the frame is holed.

        If polars reads all columns, it refuses a line that has more. So a count of the separators mostly tells, which
        takes 1.2 ms for 8 MB; `inspect` takes 17.
        """
        whole = frame.width == len(self.names)
        if holed and not (whole and frame.width > 1):
            return self._inspect() == kernels.IRREGULAR
        if whole and not holed:
            return False
        pieces = (self._body[start : start + _PIECE] for start in range(0, len(self._body), _PIECE))
        count = sum(int(np.count_nonzero(piece == ord(self._separator))) for piece in pieces)
        return count != (frame.height + bool(self._header)) * (len(self.names) - 1)

    def _inspect(self) -> int:
        return int(kernels.inspect(self._body, ord(self._separator), len(self.names)))

    def _polars(self, wanted: Sequence[int], numeric: Collection[int], tokens: Sequence[str]) -> pl.DataFrame | None:
        """The wanted columns, named by their places; None if polars cannot read the file."""
        import polars as pl  # takes 0.1 s; only files need it

        numbers = set(numeric)
        schema = {_name(place): pl.Float64 if place in numbers else pl.String for place in range(len(self.names))}
        try:
            return pl.read_csv(
                self._path if isinstance(self._data, mmap.mmap) else self._data,  # polars maps it too
                has_header=False,
                skip_lines=self._header,
                separator=self._separator,
                schema=schema,
                columns=[_name(place) for place in sorted(set(wanted))],
                null_values=tokens or None,
                decimal_comma=self._numerals.decimal == ",",
                glob=False,
            )
        except (pl.exceptions.PolarsError, OSError):
            return None

    def _guess(self, places: Collection[int], missing: Collection[str]) -> tuple[list[int], list[str], list[int]]:
        """The columns that look numeric, the missing cells in them, apart from empty ones, and which look whole.

        The guess is made from a few pieces of the file; a wrong one only costs time.
        """
        sample = [set(cells) for cells in zip(*self._sample(), strict=True)]
        numeric, tokens, whole = [], set(), []
        for place in places if sample else ():
            if self._plausible(sample[place], missing):
                lost = sample[place].intersection(missing) - {"", " "}  # polars takes spaces for an empty cell
                if lost and "" not in missing:  # polars would make both null
                    continue
                numeric.append(place)
                tokens |= lost
                if all(map(WHOLE_NUMBER.match, sample[place] - missing_among(sample[place], missing))):
                    whole.append(place)
        return numeric, sorted(tokens and set(missing) - {""}), whole

    def _plausible(self, cells: Iterable[str], missing: Collection[str]) -> bool:
        """Whether the cells that are not missing, at least one, are all numbers that polars can read."""
        cells = set(cells)
        present = cells - missing_among(cells, missing)
        read = parse_number if self._numerals.plain else self._numerals.number_in
        if not present or are_codes_not_numbers(present):
            return False
        return all(cell[-1:] != " " and read(cell) is not None for cell in present)

    def _sample(self) -> Iterator[list[str]]:
        """Some records from all over the file."""
        size = len(self._body)
        first = self._data.find(b"\n", self._start, self._start + (1 << 20)) - self._start
        length = max(_SAMPLE, 2 * first)  # at least a line, in wide files too
        for start in range(0, size, max(length, size // _SAMPLES)):
            lines = self._body[start : start + length].tobytes().decode("utf-8", "replace").split("\n")[1:]
            with suppress(csv.Error):
                rows = list(csv.reader(lines if start + length >= size else lines[:-1], delimiter=self._separator))
                yield from (row for row in rows if len(row) == len(self.names))

    def _read_slowly(self, wanted: Sequence[int]) -> pl.DataFrame:
        """The columns as the csv module reads them, all text; an error names the line."""
        import polars as pl

        columns: list[list[str]] = [[] for _ in wanted]
        file, line, width = as_file(self._data), self._first_line + self._header, len(self.names)
        file.seek(self._size)
        for record, number, _ in _records(file, self._separator, self._where, line, width):
            if len(record) != width:
                count = "1 field" if len(record) == 1 else f"{len(record)} fields"
                named = f"{width} column{'s' * (width != 1)}"
                later = "if a title comes first, give the line with the names as the header row"
                hint = separator_hint(self.names) or (later if len(record) > width else None)
                more = f"; {hint}" if hint else ""
                raise _error(self._where, number, f"{count}, but the header names {named}{more}")
            for column, place in zip(columns, wanted, strict=True):
                column.append(record[place])
        names = [_name(place) for place in wanted]
        return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String))


def _records(
    file: BinaryIO, separator: str, where: str, line: int = 1, width: int = 0
) -> Iterator[tuple[list[str], int, int]]:
    """Yield every record with its first and last line: what the csv module says the file means.

    ``line`` is the number of the first line; ``width`` how many fields a record has, 0 for as many as the first one.
    """
    reader = csv.reader(_lines(file, where, line), delimiter=separator, strict=True)
    before = line - 1
    try:
        with long_fields():
            for record in reader:
                width = width or len(record)
                if record or width == 1:
                    yield record or [""], line, before + reader.line_num
                line = before + reader.line_num + 1
    except csv.Error as error:
        raise _error(where, line, _REASONS.get(str(error), str(error))) from None


@contextmanager
def long_fields() -> Iterator[None]:
    """Let the csv module read fields of any length in this block.

    All threads share the limit: the first block that begins finds the usual one, and the last that ends restores it.
    """
    with _LOCK:
        _LIMITS.append(csv.field_size_limit(2**31 - 1))  # as large as a C long is everywhere
    try:
        yield
    finally:
        with _LOCK:
            csv.field_size_limit(_LIMITS.pop())


def _lines(file: BinaryIO, where: str, first: int = 1) -> Iterator[str]:
    """Yield the lines as text; a carriage return alone may end one."""
    for number, line in enumerate(iter(file.readline, b""), first):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise undecodable(where, number, line, error.start) from None
        if "\r" in text:
            yield from _LINES.findall(text)
        else:
            yield text


def _error(where: str, line: int, reason: str) -> ReadError:
    return ReadError(f"{where}, line {line}: {reason}")


def _conversion(numerals: Numerals) -> Callable[[pl.Expr], pl.Expr]:
    """The numbers that texts spell; null where they do not."""
    import polars as pl

    def convert(texts: pl.Expr) -> pl.Expr:
        if numerals.thousands:
            ungrouped = texts.str.replace_all(numerals.thousands, "", literal=True)
            grouped = texts.str.contains(f"^ *(?:{numerals.grouped.pattern}) *$")
            texts = pl.when(grouped).then(ungrouped).otherwise(texts)
        if numerals.decimal == ",":
            whole = ~texts.str.contains(".", literal=True)
            texts = pl.when(whole).then(texts.str.replace(",", ".", literal=True))
        return texts.cast(pl.Float64, strict=False)

    return convert


def _name(place: int) -> str:
    """The name of a column within this module; polars insists on the prefix where a file has no header."""
    return f"column_{place}"


def _faithful(frame: pl.DataFrame, numeric: Collection[int], missing: Collection[str]) -> bool:
    """Whether columns that were read as numbers hold what their text says.

    polars takes `inf`, `nan` and 1e999 for numbers, and makes an empty cell null, though it may be a value.
    """
    numbers = [frame.get_column(_name(place)) for place in numeric]
    if "" not in missing and any(column.null_count() for column in numbers):
        return False
    if all(math.isfinite(column.sum()) for column in numbers):  # a sum is faster to look at
        return True
    return all(column.is_finite().all() for column in numbers)
