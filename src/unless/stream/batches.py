"""What is predicted: the records of files, of any format, in batches that fit into memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import rank
from unless.limits import refuse_unpacked
from unless.read.blocks import Bytes, Places, cut, objects, records
from unless.read.excel import ExcelFile
from unless.read.folder import same_columns
from unless.read.formats import FORMATS, refuse_other
from unless.read.jsonlines import JsonLines, refuse_broken
from unless.read.ranks import Cells
from unless.read.source import refuse_twins
from unless.read.table import read_table
from unless.read.text import TextFile, long_fields, text_header
from unless.table import Table
from unless.values import spell

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Batch", "FrameBatch", "JsonBatch", "TextBatch", "frame_batches", "json_batches", "text_batches"]

_MARK = b"\xef\xbb\xbf"
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_MAGIC = 8  # bytes that tell formats apart
_HEAD = 1 << 16  # bytes to look for the header in
_ROWS = 1 << 16  # of a batch of a frame
_CELL = 8  # bytes at least, also of a member that a line does not have


class Batch(Protocol):
    """Some records of a file."""

    @property
    def names(self) -> Sequence[str]:
        """The columns."""

    @property
    def where(self) -> str:
        """What the file is called."""

    def table(self, like: object, features: Sequence[str]) -> Table:
        """These columns, and the target if it is there, read like an earlier table."""

    def frame(self, *, spelled: bool = False) -> pl.DataFrame:
        """All columns, as they stand; ``spelled`` for a text file, where numbers may be text that spells them."""


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Records of a CSV or TSV file: their bytes, where each ends, and the line that the first begins at."""

    data: bytes
    places: Places
    names: Sequence[str]
    separator: str
    where: str
    line: int
    head: bytes
    """What stands in the file up to its first record: the names, for one."""

    def table(self, like: object, features: Sequence[str]) -> Table:
        """The named columns, read like an earlier table."""
        source = TextFile(self.data, self.separator, where=self.where, names=self.names, first_line=self.line)
        return read_table(source, like=like, features=features)

    def frame(self, *, spelled: bool = False) -> pl.DataFrame:  # noqa: ARG002 - they always are
        """All columns as text; an empty cell is null."""
        import polars as pl  # takes 0.1 s

        schema = dict.fromkeys(self.names, pl.String)
        body = np.frombuffer(self.data, dtype=np.uint8)
        marked = self.data.startswith(_MARK)  # which is text in the midst of a file, but not to polars
        if self.data and not marked and rank.inspect(body, ord(self.separator), len(self.names)) != rank.IRREGULAR:
            return pl.read_csv(self.data, has_header=False, separator=self.separator, schema=schema, null_values="")
        rows = [[cell or None for cell in row] for row in self._rows()]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _rows(self) -> list[list[str]]:
        """The cells as the csv module reads them, of text that is not regular."""
        with long_fields():
            lines = io.StringIO(self.data.decode(), newline="")
            found = csv.reader(lines, delimiter=self.separator, strict=True)
            return [row or [""] for row in found if row or len(self.names) == 1]


def text_batches(files: Iterable[Bytes], form: str, size: int) -> Iterator[TextBatch]:
    """The records of CSV or TSV files, which have the same columns in any order; of each file a batch at least."""
    first: TextBatch | None = None
    separator = _SEPARATORS[form]
    for file in files:
        start = file.read(max(min(size, _HEAD), _MAGIC))
        refuse_other((start[:_MAGIC], b""), FORMATS[form], file.where)
        data, whole = _with_header(file, separator, start)
        header = text_header(data[:whole], separator, file.where)
        refuse_twins(header.names, file.where)
        if first is not None:
            same_columns(first.names, header.names, first.where, file.where)
        scan = partial(_records, separator, len(header.names) == 1)
        line, head = header.lines + 1, data[: header.size]
        for block, (places, lines) in cut(file, size, scan, data[header.size :]):
            batch = TextBatch(block, places, header.names, separator, file.where, line, head)
            first = first or batch
            yield batch
            line += lines


def _records(separator: str, blank: bool, data: bytes, final: bool) -> tuple[tuple[Places, int], int]:  # noqa: FBT001 - of `cut`
    return records(data, separator, blank=blank, final=final)


def _with_header(file: Bytes, separator: str, start: bytes) -> tuple[bytes, int]:
    """The start of a file, so much of it that it has a whole record, and the length of the whole ones."""
    data = fresh = start
    mark = _MARK if data.startswith(_MARK) else b""
    while True:
        (places, _), whole = records(data.removeprefix(mark), separator, blank=False, final=not fresh)
        if len(places) or not fresh:
            return data, len(mark) + whole
        file.refuse_endless(data)
        fresh = file.read(len(data))
        data += fresh


@dataclass
class JsonBatch:
    """Lines of JSON: their bytes, where the object of each closes, which objects are empty, and their first line."""

    data: bytes
    places: Places
    empty: NDArray[np.uint8]
    where: str
    line: int
    head: bytes
    seen: set[str] = field(default_factory=set)
    """The members that occur, once the table was read."""

    @cached_property
    def names(self) -> Sequence[str]:
        """The members that occur, in order of first appearance."""
        return JsonLines(self.data, where=self.where, first_line=self.line).names

    def table(self, like: object, features: Sequence[str]) -> Table:
        """The named columns, read like an earlier table; a member that no object has is missing in all."""
        target = getattr(like, "schema", like).target  # type: ignore[attr-defined]
        names = [*features, *({target} - {None, *features})]
        source = JsonLines(self.data, where=self.where, names=names, first_line=self.line)
        table = read_table(source, like=like, features=features)
        self.seen = source.seen
        return table

    def frame(self, *, spelled: bool = False) -> pl.DataFrame:
        """All members: whole numbers, numbers, booleans or text where all are that, else their JSON text.

        If ``spelled``, numbers are text where not all are whole, so that none depends on what else is in the batch.
        """
        refuse_unpacked(_CELL * len(self.names) * len(self.places), len(self.data), self.where)
        try:
            rows = [row for _, row in self._objects(_Spelled if spelled else None)]
        except (ValueError, RecursionError):  # in a member that no rule tests: nobody has looked at it before
            refuse_broken(self.data, self.where, self.line)
            raise
        return _framed({name: [row.get(name) for row in rows] for name in self.names})

    def line_of(self, name: str) -> int:
        """The line of the first object that has a member of that name."""
        return next(line for line, row in self._objects() if name in row)

    def _objects(self, number: Callable[[str], float] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every object with its line; ``number`` makes the numbers that are not whole."""
        for line, text in enumerate(self.data.split(b"\n"), self.line):
            if text.strip():
                yield line, json.loads(text.decode(), parse_float=number, parse_constant=number)


class _Spelled(float):
    """A number that remembers how it was written."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


def _framed(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    import polars as pl

    # Of a list of series, polars would rename one that is called ''.
    return pl.DataFrame({name: _series(cells) for name, cells in columns.items()})


def _series(cells: Sequence[Any]) -> pl.Series:
    import polars as pl

    types = {type(cell) for cell in cells if cell is not None}
    if types == {bool}:
        return pl.Series(cells, dtype=pl.Boolean)
    if types == {int} and all(abs(cell) < 2**63 for cell in cells if cell is not None):
        return pl.Series(cells, dtype=pl.Int64)
    if float in types and types <= {int, float} and all(map(_is_float, cells)):
        return pl.Series([None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series([_text(cell) for cell in cells], dtype=pl.String)


def _is_float(cell: float | None) -> bool:
    """Whether a float64 can hold a number, if it is one: not whole numbers of many digits."""
    try:
        return not isinstance(cell, int) or float(cell) == cell
    except OverflowError:
        return False


def _text(cell: object) -> str | None:
    match cell:
        case None | str():
            return cell
        case bool():
            return str(cell)  # as `read_table` calls it
        case _Spelled():
            return cell.text
    return json.dumps(cell, ensure_ascii=False)


def json_batches(files: Iterable[Bytes], size: int) -> Iterator[JsonBatch]:
    """The objects of files of JSON lines; of each file a batch at least."""
    for file in files:
        start = file.read(len(_MARK))
        head, line = (_MARK, 1) if start == _MARK else (b"", 1)
        for block, (places, empty) in cut(file, size, _objects, start.removeprefix(_MARK)):
            yield JsonBatch(block, places, empty, file.where, line, head)
            line += block.count(b"\n")


def _objects(data: bytes, final: bool) -> tuple[tuple[Places, NDArray[np.uint8]], int]:  # noqa: FBT001 - of `cut`
    return objects(data, final=final)


@dataclass(frozen=True, slots=True)
class FrameBatch:
    """Rows of a Parquet, Arrow or Excel file."""

    rows: pl.DataFrame
    where: str

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        return self.rows.columns

    def table(self, like: object, features: Sequence[str]) -> Table:
        """The named columns, read like an earlier table."""
        return read_table(self.rows, like=like, features=features)

    def frame(self, *, spelled: bool = False) -> pl.DataFrame:  # noqa: ARG002 - its types are those of the file
        """All columns."""
        return self.rows


def frame_batches(files: Iterable[Path | Bytes], form: str) -> Iterator[FrameBatch]:
    """The rows of Parquet, Arrow or Excel files, which have the same columns in any order; of each a batch at least.

    A file that is packed or piped is unpacked in memory, and so is a workbook.
    """
    first: FrameBatch | None = None
    for file in files:
        where = str(file) if isinstance(file, Path) else file.where
        with _blaming(where, form):
            for rows in _frames(file if isinstance(file, Path) else file.read(-1), form, where):
                batch = FrameBatch(rows, where)
                if first is not None:
                    same_columns(first.names, batch.names, first.where, where)
                first = first or batch
                yield batch


def _frames(source: Path | bytes, form: str, where: str) -> Iterator[pl.DataFrame]:
    import polars as pl

    if form == "excel":
        file = ExcelFile(source, where=where)
        refuse_twins(file.names, where)
        yield _sheet(file)
        return
    opened = io.BytesIO(source) if isinstance(source, bytes) else source
    if form == "arrow" and _streamed(source):
        frame = pl.read_ipc_stream(opened)
        yield from frame.iter_slices(_ROWS) if len(frame) else [frame]  # of no rows there would be no slice
        return
    scan = pl.scan_ipc if form == "arrow" else pl.scan_parquet
    lazy = scan(opened, glob=False, hive_partitioning=False)
    found = False
    for frame in lazy.collect_batches(chunk_size=_ROWS, maintain_order=True):
        found = True
        yield frame
    if not found:
        yield lazy.head(0).collect()


def _sheet(file: ExcelFile) -> pl.DataFrame:
    return _framed({name: _objects_of(file.cells(name)) for name in file.names})


def _objects_of(cells: Cells) -> list[object]:
    """A column of a workbook as Python has it: its dates are text by now, and beside text its numbers are too."""
    kind = spell if cells.texts else int if cells.type is int else float
    numbers = list(map(kind, cells.numbers.tolist()))
    texts = [text == "True" if cells.type is bool else text for text in cells.texts]
    values = [*numbers, *texts, None]
    return [values[code] for code in cells.codes.tolist()]


def _streamed(source: Path | bytes) -> bool:
    if isinstance(source, bytes):
        return source.startswith(b"\xff\xff\xff\xff")
    with source.open("rb") as file:
        return file.read(4) == b"\xff\xff\xff\xff"


@contextmanager
def _blaming(where: str, form: str) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        title = {"parquet": "a Parquet", "arrow": "an Arrow"}.get(form, "an Excel")
        raise ReadError(f"{where}: not {title} file that can be read: {' '.join(str(error).split())}") from None
