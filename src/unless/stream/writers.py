"""Write records with their new columns, as text with inserted fields or as frames."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, TypeGuard, cast

import numpy as np

from unless.errors import ParameterError, ReadError
from unless.export.free_names import free_names
from unless.libraries import pl
from unless.read.batches import Batch, JsonBatch, TextBatch
from unless.read.dialect import TextDialect, encoding_title
from unless.read.encodings import from_utf8
from unless.read.file_bytes import MARK
from unless.stream.excel_writer import FORMULA, import_xlsxwriter, write_sheet
from unless.stream.output_columns import Choices, FieldTexts, NewColumns, iso_text, text_line

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_ROWS = 1 << 16  # rows of a row group, which polars holds in memory; its default is four times as many

Result = tuple[Batch, NewColumns, Choices]
"""A batch, its answers, and the index of the answer of each record."""


class BatchWriter:
    """Writes batches to a file, each record with its answer. After the first batch ``added`` names the new columns.

    A subclass defines how to begin and how to write a batch, or how to drain all batches.
    """

    def __init__(self, file: BinaryIO, wanted: Sequence[str]) -> None:
        self._file = file
        self._wanted = wanted
        self._names: Sequence[str] | None = None
        self.added: tuple[str, ...] = ()
        self._open, self._ending = False, b"\n"

    def drain(self, results: Iterator[Result]) -> None:
        """Write all batches."""
        for batch, new, choices in results:
            if self._take_columns(batch):
                self._begin(batch)
            self._write(batch, new, choices)

    def _take_columns(self, batch: Batch) -> bool:
        """Take the columns from the first batch; return whether this is the first."""
        if self._names is not None:
            return False
        self._names = list(batch.names)
        self.added = free_names(self._wanted, self._names)
        return True

    def _begin(self, batch: Batch) -> None:
        """Write what comes before the first record."""

    def _write(self, batch: Batch, new: NewColumns, choices: Choices) -> None:
        """Write the records of a batch."""

    def _put(self, data: bytes | memoryview) -> None:
        """Write lines. A line without an ending, as at the end of a part, gets an ending when more lines follow."""
        if len(data):
            if self._open:
                self._file.write(self._encode(self._ending))
            self._file.write(self._encode(data))
            self._open = bytes(data[-1:]) not in (b"\n", b"\r", b"\xbf")  # the last byte may end a byte order mark

    def _encode(self, data: bytes | memoryview) -> bytes | memoryview:
        """Convert UTF-8 text to the encoding of the output."""
        return data

    def _make_frame(
        self,
        batch: Batch,
        new: NewColumns,
        choices: Choices,
        *,
        spelled: bool = False,
        texts: Collection[str] = (),
        decimal: str = ".",
    ) -> pl.DataFrame:
        """Make a frame of a batch, with the columns in the order of the first batch, and the new columns."""
        names, frame = self._names or (), batch.frame(spelled=spelled, texts=texts)
        wanted = set(names)
        if extra := [name for name in frame.columns if name not in wanted]:
            raise _new_member_error(batch, extra[0], "write .jsonl, where every line has its own members")
        known, absent = set(frame.columns), pl.repeat(None, len(choices), dtype=pl.Null, eager=True)
        columns = {name: frame.get_column(name) if name in known else absent for name in names}
        added = (cells.gather(choices) for cells in new.series(decimal))
        return pl.DataFrame({**columns, **dict(zip(self.added, added, strict=True))})


class TextWriter(BatchWriter):
    """Writes CSV or TSV. Records of the same format are copied byte for byte, with new fields at the end.

    The output has the delimiter, the decimal sign and the encoding of the first file of the same format. If
    ``guarded``, records are rewritten, with an apostrophe before texts that a spreadsheet would treat as formulas.
    """

    def __init__(
        self, form: str, separator: str, file: BinaryIO, wanted: Sequence[str], *, guarded: bool = False
    ) -> None:
        super().__init__(file, wanted)
        self._guarded = guarded
        self._form = form
        self._dialect = TextDialect(separator)
        self._ascii = True
        self._where = ""

    def _begin(self, batch: Batch) -> None:
        if isinstance(batch, TextBatch) and batch.form == self._form:
            self._dialect = batch.dialect
        if self._can_copy(batch):
            self._ascii = batch.head.removeprefix(MARK).isascii() and "".join(self.added).isascii()
            record = batch.head.rstrip(b"\r\n")
            self._ending = batch.head[len(record) :] or b"\n"
            names = FieldTexts([text_line(["", *self.added], self._dialect.delimiter)])
            self._put(names.into(batch.head, np.array([len(record)]), np.zeros(1, np.int32)))
        else:
            head = [self._guard_text(name) for name in (*batch.names, *self.added)]
            self._put(text_line(head, self._dialect.delimiter).encode() + b"\n")

    def _write(self, batch: Batch, new: NewColumns, choices: Choices) -> None:
        separator, decimal = self._dialect.delimiter, self._dialect.numerals.decimal
        if not self._can_copy(batch) or batch.names != self._names:
            self._ascii = False
            frame = self._make_frame(batch, new, choices, spelled=True, decimal=decimal)
            self._put(_as_text(self._guard_cells(frame) if self._guarded else frame, separator))
            return
        self._take_late_encoding(batch, new)
        self._put(new.as_fields(separator, decimal).into(batch.data, batch.places, choices))

    def _take_late_encoding(self, batch: TextBatch, new: NewColumns) -> None:
        """Adopt an encoding that is detected late: as long as all text is ASCII, the output does not depend on it."""
        self._where = batch.where
        if self._ascii and self._dialect.encoding == "utf-8" and not batch.ascii_only:
            self._dialect = batch.dialect
        self._ascii = self._ascii and batch.ascii_only and all(str(label).isascii() for label in new.labels)

    def _encode(self, data: bytes | memoryview) -> bytes | memoryview:
        if (encoding := self._dialect.encoding) == "utf-8" or getattr(self._file, "utf8", False):
            return data
        try:
            return from_utf8(bytes(data), encoding)
        except UnicodeEncodeError as error:
            letter, title = error.object[error.start], encoding_title(encoding)
            raise ParameterError(
                f"{letter!r} cannot be written in {title}, the encoding of {self._where or 'the input'}; write .jsonl, "
                "which is UTF-8"
            ) from None

    def _can_copy(self, batch: Batch) -> TypeGuard[TextBatch]:
        """Whether the records of a batch can be copied; the batch may have another encoding."""
        if self._guarded or not isinstance(batch, TextBatch):
            return False
        same = batch.dialect.numerals.decimal == self._dialect.numerals.decimal
        return same and batch.dialect.delimiter == self._dialect.delimiter

    def _guard_text(self, text: str) -> str:
        """Put an apostrophe before a text that a spreadsheet would treat as a formula; numbers stay numbers."""
        if not self._guarded or not text.startswith(FORMULA):
            return text
        number = self._dialect.numerals.number_in(text)
        return text if number is not None and math.isfinite(number) else f"'{text}"

    def _guard_cells(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Put an apostrophe before all texts of a frame that look like formulas."""
        texts = []
        for column in frame.select(pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum)):
            cells = column.cast(pl.String)
            risky = cells.drop_nulls().unique().str.extract(f"(?s)^([{re.escape(''.join(FORMULA))}].*)").drop_nulls()
            safe = pl.Series([self._guard_text(cell) for cell in risky.to_list()], dtype=pl.String)
            texts.append(cells.replace(risky, safe))
        return frame.with_columns(texts)


class JsonWriter(BatchWriter):
    """Writes JSON lines. Objects from JSON lines are copied byte for byte, with new members at the end."""

    def _begin(self, batch: Batch) -> None:
        if isinstance(batch, JsonBatch):
            self._put(batch.head)
        self._spaced = isinstance(batch, JsonBatch) and b'": ' in batch.data.lstrip().partition(b"\n")[0]

    def _write(self, batch: Batch, new: NewColumns, choices: Choices) -> None:
        if not isinstance(batch, JsonBatch):
            self._put(_as_json(self._make_frame(batch, new, choices)))
            return
        if taken := next((name for name in self.added if name in batch.seen), None):
            raise _new_member_error(batch, taken, "give the new column another name with prefix")
        pieces = new.as_members(self.added, spaced=self._spaced)
        without_comma = batch.empty.astype(np.int32) * len(new.labels)
        self._put(pieces.into(batch.data, batch.places, choices + without_comma))


class FrameWriter(BatchWriter):
    """Writes Parquet or Arrow by polars."""

    def __init__(self, form: str, file: BinaryIO, wanted: Sequence[str]) -> None:
        super().__init__(file, wanted)
        self._form = form
        self._error: Exception | None = None

    def drain(self, results: Iterator[Result]) -> None:
        """Write all batches; polars takes frames when it needs them."""
        from polars.io.plugins import register_io_source

        frames = self._make_frames(results)
        first = next(frames)
        lazy = register_io_source(lambda *_: chain([first], frames), schema=first.schema)
        target = _ErrorRecorder(self._file)
        try:
            if self._form == "parquet":
                lazy.sink_parquet(cast("BinaryIO", target), row_group_size=_ROWS)
            else:
                lazy.sink_ipc(cast("BinaryIO", target), record_batch_size=_ROWS)
        except (pl.exceptions.PolarsError, OSError) as error:
            if (known := target.error or self._error) is None:
                raise
            raise known from error  # polars may keep only the text of the error

    def _make_frames(self, results: Iterator[Result]) -> Iterator[pl.DataFrame]:
        schema, texts = pl.Schema(), list[str]()
        try:
            for batch, new, choices in results:
                first = self._take_columns(batch)
                frame = self._make_frame(batch, new, choices, texts=texts)
                if first:
                    schema, texts = frame.schema, [name for name, dtype in frame.schema.items() if dtype == pl.String]
                yield frame if frame.schema == schema else _cast_to_schema(frame, schema, batch.where)
        except Exception as error:
            self._error = error
            raise


class ExcelWriter(FrameWriter):
    """Writes an Excel workbook of one sheet."""

    def __init__(self, file: BinaryIO, wanted: Sequence[str]) -> None:
        import_xlsxwriter()
        super().__init__("excel", file, wanted)

    def drain(self, results: Iterator[Result]) -> None:
        """Write all batches."""
        write_sheet(self._make_frames(results), self._file)


class _ErrorRecorder(io.RawIOBase):
    """A file that records the error of a write."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise


def _as_text(frame: pl.DataFrame, separator: str) -> bytes:
    """Write the lines of a frame; booleans and dates are spelled as in `read_table`."""
    try:
        spelled = _write_flags_as_texts(_write_dates_as_texts(frame), pl.selectors.boolean())
        return spelled.write_csv(include_header=False, separator=separator).encode()
    except pl.exceptions.ComputeError as error:
        better = ".parquet" if any(map(_has_bytes, frame.dtypes)) else ".jsonl or .parquet"
        raise ParameterError(f"{str(error).splitlines()[0]}; write {better}") from None


def _as_json(frame: pl.DataFrame) -> bytes:
    """Write the objects of a frame; raise an error for values outside JSON, where polars would panic or write null."""
    if raw := [name for name, dtype in frame.schema.items() if _has_bytes(dtype)]:
        raise ParameterError(f"column {raw[0]!r} holds bytes, which JSON cannot hold; write .parquet")
    infinite = frame.select(pl.selectors.float().is_infinite().any())
    if endless := [column.name for column in infinite if column.item()]:
        raise ParameterError(f"column {endless[0]!r} holds an infinite number, which JSON cannot hold; write .parquet")
    return _write_dates_as_texts(frame).write_ndjson().encode()


def _write_dates_as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Convert dates and times in a frame to the texts that `read_table` makes of them."""
    texts = []
    for column in frame.select(pl.selectors.temporal()):
        distinct = column.drop_nulls().unique()
        spelled = pl.Series([iso_text(cell) for cell in distinct.to_list()], dtype=pl.String)
        texts.append(column.replace_strict(distinct, spelled, default=None, return_dtype=pl.String))
    return frame.with_columns(texts)


def _write_flags_as_texts(frame: pl.DataFrame, flags: pl.Expr) -> pl.DataFrame:
    """Convert some booleans of a frame to text."""
    return frame.with_columns(flags.replace_strict({True: "True", False: "False"}, return_dtype=pl.String))


def _has_bytes(dtype: pl.DataType) -> bool:
    """Whether a type contains bytes, possibly within lists or structs."""
    if isinstance(dtype, pl.Struct):
        return any(_has_bytes(cast("pl.DataType", field.dtype)) for field in dtype.fields)
    inner = getattr(dtype, "inner", None)
    return dtype == pl.Binary or (inner is not None and _has_bytes(inner))


def _cast_to_schema(frame: pl.DataFrame, schema: pl.Schema, where: str) -> pl.DataFrame:
    """Cast a frame to the types of the first frame, which must represent its cells unchanged: 1.5 is no integer."""
    flags = [name for name, dtype in schema.items() if frame.schema[name] == pl.Boolean and dtype == pl.String]
    frame = _write_flags_as_texts(frame, pl.col(flags))
    for name, dtype in schema.items():
        column = frame.get_column(name)
        if not _fits(column, dtype):
            raise ReadError(
                f"{where}: column {name!r} began as {dtype}, which cannot hold the {column.dtype} cells that follow; "
                "write .csv"
            )
    # Not frame.cast(schema), which skips a column named ''.
    return frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items())


def _fits(column: pl.Series, dtype: pl.DataType) -> bool:
    """Whether the cells of a column are unchanged after a cast to a type and back."""
    if column.dtype == dtype or column.null_count() == len(column):
        return True
    if pl.Boolean in (column.dtype, dtype):  # True is not 1
        return False
    try:
        return bool(column.cast(dtype).cast(column.dtype).eq_missing(column).all())
    except pl.exceptions.PolarsError:
        return False


def _new_member_error(batch: Batch, name: str, advice: str) -> ReadError:
    """Make the error for a member that the first batch of JSON lines did not have."""
    line = batch.line_of(name) if isinstance(batch, JsonBatch) else 0
    return ReadError(f"{batch.where}, line {line}: a member {name!r}, which the first lines do not have; {advice}")


WRITERS: dict[str, Callable[..., BatchWriter]] = {
    "csv": partial(TextWriter, "csv", ","),
    "tsv": partial(TextWriter, "tsv", "\t"),
    "jsonl": JsonWriter,
    "parquet": partial(FrameWriter, "parquet"),
    "arrow": partial(FrameWriter, "arrow"),
    "excel": ExcelWriter,
}
TEXTS = ("csv", "tsv")
"""Formats in which every cell is text."""
PACKED = ("parquet", "arrow", "excel")
"""Formats that a library writes, with their own compression."""
