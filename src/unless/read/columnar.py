"""Parquet and Arrow files, as sources of cells; polars reads them."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from unless.limits import refuse_unpacked
from unless.read.bytes import Content, blaming, ends, size_of
from unless.read.frames import PolarsFrame
from unless.read.ranks import Cells

if TYPE_CHECKING:
    import polars as pl

_CELL = 8  # bytes of a number
_ROWS = 1 << 16  # of a frame


class _ColumnarFile:
    """A file of columns; only those that are wanted are read."""

    spelled = False
    rows = 0
    title: str
    scanner: str

    def __init__(self, source: Content, *, where: str) -> None:
        self._source = source
        self._where = where
        with self._polars() as pl:
            self.names: Sequence[str] = self._read_names(pl)

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read these columns."""
        wanted = list(names) or list(self.names[:1])  # without any column the rows could not be counted
        with self._polars() as pl:
            refuse_unpacked(_CELL * len(wanted) * self._count(pl), size_of(self._source), self._where)
            frame = self._scan(pl, wanted).collect()
        self.rows = frame.height
        self._frame = PolarsFrame(frame)
        self._frame.load(names, texts, missing)

    def cells(self, name: str) -> Cells:
        """The cells of a column that was loaded."""
        return self._frame.cells(name)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Read all columns, some rows at a time; there is at least one frame."""
        with self._polars() as pl:
            lazy, frame = self._scan(pl), None
            for frame in lazy.collect_batches(chunk_size=_ROWS, maintain_order=True):
                yield frame
            if frame is None:
                yield lazy.head(0).collect()

    def _input(self) -> Path | io.BytesIO:
        return io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source

    def _scan(self, pl: ModuleType, columns: list[str] | None = None) -> pl.LazyFrame:
        """The file, or some of its columns, yet to be read."""
        # A name such as a[1].parquet is not a pattern of names, and a folder called a=1 not a column.
        lazy = getattr(pl, self.scanner)(self._input(), glob=False, hive_partitioning=False)
        return lazy if columns is None else lazy.select(columns)  # type: ignore[no-any-return]

    def _read_names(self, pl: ModuleType) -> list[str]:
        return list(self._scan(pl).collect_schema())

    def _count(self, pl: ModuleType) -> int:
        """How many rows the file says it has."""
        return int(self._scan(pl).select(pl.len()).collect().item())

    @contextmanager
    def _polars(self) -> Iterator[ModuleType]:
        """Import polars, and turn its errors into ours."""
        import polars as pl  # takes 0.1 s; only files need it

        errors = pl.exceptions
        with blaming(self._where, errors.PolarsError, errors.PanicException, title=self.title):
            yield pl


class ParquetFile(_ColumnarFile):
    """A Parquet file."""

    title, scanner = "a Parquet", "scan_parquet"


class ArrowFile(_ColumnarFile):
    """An Arrow file (Feather is one), in the form of a file or of a stream."""

    title, scanner = "an Arrow", "scan_ipc"

    def _scan(self, pl: ModuleType, columns: list[str] | None = None) -> pl.LazyFrame:
        if self._streamed:
            return pl.read_ipc_stream(self._input(), columns=columns).lazy()  # type: ignore[no-any-return]
        return super()._scan(pl, columns)

    def _read_names(self, pl: ModuleType) -> list[str]:
        if self._streamed:
            return list(pl.read_ipc_stream(self._input(), n_rows=0).columns)
        return super()._read_names(pl)

    def _count(self, pl: ModuleType) -> int:
        return 0 if self._streamed else super()._count(pl)  # a stream does not say

    @property
    def _streamed(self) -> bool:
        return ends(self._source)[0].startswith(b"\xff\xff\xff\xff")
