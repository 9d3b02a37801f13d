"""Parquet and Arrow files, as sources of cells; polars reads them."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from unless.errors import ReadError
from unless.limits import refuse_unpacked
from unless.read.bytes import Content, called, ends
from unless.read.frames import PolarsFrame
from unless.read.ranks import Cells

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ArrowFile", "ParquetFile"]

_CELL = 8  # bytes of a number


class _ColumnarFile(ABC):
    """A file of columns, of which only the wanted ones are read."""

    spelled = False
    rows = 0
    title: str

    def __init__(self, source: Content, *, where: str | None = None) -> None:
        self._source = source
        self._where = where or called(source)
        with self._blaming_the_file() as pl:
            self.names: Sequence[str] = self._read_names(pl)

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read these columns."""
        wanted = list(names) or list(self.names[:1])  # without any column the rows could not be counted
        with self._blaming_the_file() as pl:
            size = len(self._source) if isinstance(self._source, bytes) else self._source.stat().st_size
            refuse_unpacked(_CELL * len(wanted) * self._count(pl), size, self._where)
            frame = self._read(pl, wanted)
        self.rows = frame.height
        self._frame = PolarsFrame(frame)
        self._frame.load(names, texts, missing)

    def cells(self, name: str) -> Cells:
        """The cells of a column that was loaded."""
        return self._frame.cells(name)

    def _input(self) -> Path | io.BytesIO:
        return io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source

    @abstractmethod
    def _read_names(self, pl: ModuleType) -> list[str]:
        """The names of the columns, without reading them."""

    @abstractmethod
    def _count(self, pl: ModuleType) -> int:
        """How many rows the file says it has."""

    @abstractmethod
    def _read(self, pl: ModuleType, columns: list[str]) -> pl.DataFrame:
        """These columns."""

    @contextmanager
    def _blaming_the_file(self) -> Iterator[ModuleType]:
        import polars as pl  # takes 0.1 s; only files need it

        try:
            yield pl
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            panic = isinstance(error, pl.exceptions.PanicException)
            reason = "polars gives up; are two columns of one name?" if panic else " ".join(str(error).split())
            raise ReadError(f"{self._where}: not {self.title} file that can be read: {reason}") from None


class ParquetFile(_ColumnarFile):
    """A Parquet file."""

    title = "a Parquet"

    def _read_names(self, pl: ModuleType) -> list[str]:
        return list(self._scan(pl).collect_schema())

    def _count(self, pl: ModuleType) -> int:
        return _rows(self._scan(pl), pl)

    def _read(self, pl: ModuleType, columns: list[str]) -> pl.DataFrame:
        return self._scan(pl).select(columns).collect()

    def _scan(self, pl: ModuleType) -> pl.LazyFrame:
        # A name such as a[1].parquet is no pattern of names, and a folder called a=1 no column.
        return pl.scan_parquet(self._input(), glob=False, hive_partitioning=False)  # type: ignore[no-any-return]


class ArrowFile(_ColumnarFile):
    """An Arrow file (Feather is one), in the form of a file or of a stream."""

    title = "an Arrow"

    def _read_names(self, pl: ModuleType) -> list[str]:
        self._streamed = ends(self._source)[0].startswith(b"\xff\xff\xff\xff")
        if self._streamed:
            return list(pl.read_ipc_stream(self._input(), n_rows=0).columns)
        return list(self._scan(pl).collect_schema())

    def _count(self, pl: ModuleType) -> int:
        return 0 if self._streamed else _rows(self._scan(pl), pl)  # a stream does not say

    def _read(self, pl: ModuleType, columns: list[str]) -> pl.DataFrame:
        if self._streamed:
            return pl.read_ipc_stream(self._input(), columns=columns)  # type: ignore[no-any-return]
        return self._scan(pl).select(columns).collect()

    def _scan(self, pl: ModuleType) -> pl.LazyFrame:
        return pl.scan_ipc(self._input(), glob=False, hive_partitioning=False)  # type: ignore[no-any-return]


def _rows(lazy: pl.LazyFrame, pl: ModuleType) -> int:
    return int(lazy.select(pl.len()).collect().item())
