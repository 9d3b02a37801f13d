"""Which format a file has, and the sources that read it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from unless.errors import FormatError, MissingFileError, OverwriteError, ParameterError, ReadError, suggest
from unless.limits import refuse_more
from unless.read.bytes import Content, PackedLines, blaming, ends, kind_of, unpack
from unless.read.columnar import ArrowFile, ParquetFile
from unless.read.excel import ExcelFile
from unless.read.folder import Parts
from unless.read.jsonlines import JsonLines, first_names
from unless.read.source import Source, refuse_twins
from unless.read.text import TextFile, text_header

__all__ = [
    "FORMATS",
    "Format",
    "files_of",
    "format_of",
    "names_of",
    "open_bytes",
    "open_path",
    "packed",
    "parts_of",
    "refuse_other",
    "refuse_part",
]


class _Opener(Protocol):
    def __call__(self, source: Content, *, where: str) -> Source: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: how it is called, which names of files end in it, and how to read it."""

    name: str
    title: str
    endings: tuple[str, ...]
    open: _Opener
    head: Callable[[BinaryIO, str], list[str]] | None = None
    """Reads no more than the names of the columns; None if opening does so."""
    loose: bool = False
    """Whether a row may lack a column."""


def _separated(name: str, separator: str) -> Format:
    def head(file: BinaryIO, where: str) -> list[str]:
        return text_header(file, separator, where).names

    return Format(name, name.upper(), (f".{name}",), partial(TextFile, separator=separator), head)


_ALL = (
    _separated("csv", ","),
    _separated("tsv", "\t"),
    Format("jsonl", "JSON lines", (".jsonl", ".ndjson"), JsonLines, first_names, loose=True),
    Format("parquet", "Parquet", (".parquet",), ParquetFile),
    Format("arrow", "Arrow", (".arrow", ".ipc", ".feather"), ArrowFile),
    Format("excel", "Excel", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), ExcelFile),
)
FORMATS = {entry.name: entry for entry in _ALL}
_ENDINGS = {ending: entry for entry in _ALL for ending in entry.endings}
_CONTENTS = {"parquet": "a Parquet file", "arrow": "an Arrow file", "excel": "an Excel file (or another zip archive)"}


def format_of(path: str | os.PathLike[str], format: str | None = None) -> Format:  # noqa: A002 - the word for it
    """The format that a file's name tells, unless ``format`` says it."""
    if format is not None:
        return _named(format)
    if (found := _ENDINGS.get(ending := _ending(path))) is None:
        named = f"ends in {ending!r}, which tells no format" if ending else "has no ending that tells its format"
        raise FormatError(f"{os.fspath(path)!r} {named}; say which it has", *FORMATS)
    return found


def packed(path: str | os.PathLike[str]) -> bool:
    """Whether a file's name says that gzip packed it."""
    return Path(path).suffix.lower() == ".gz"


def parts_of(folder: str | os.PathLike[str], format: str | None = None) -> tuple[Format, list[Path]]:  # noqa: A002
    """The data files in a folder, sorted by name, and the format that they all have.

    Hidden files, those whose names begin with ``_`` (such as ``_SUCCESS``), folders, and files whose endings tell no
    format are passed over; if ``format`` says what they are, the latter are not.
    """
    with blaming(str(folder)):
        files = sorted(path for path in Path(folder).iterdir() if path.name[0] not in "._" and path.is_file())
    data = files if format else [path for path in files if _ending(path) in _ENDINGS]
    if not data:
        held = f"; it holds {', '.join(path.name for path in files[:3])}" if files else ""
        raise ReadError(
            f"{os.fspath(folder)!r} is a folder without data files{held}; their names end in {', '.join(_ENDINGS)}"
        )
    known = _named(format) if format else format_of(data[0])
    for path in data:
        if (other := _ENDINGS.get(_ending(path), known)) is not known:
            raise ReadError(
                f"{os.fspath(folder)!r} holds files of several formats: {data[0].name} is {known.title}, {path.name} "
                f"is {other.title}; keep one format in a folder"
            )
    return known, data


def files_of(path: str | os.PathLike[str], format: str | None = None) -> list[Path]:  # noqa: A002
    """The files that are read where a path is given: the parts of a folder, none if it cannot be read, or that file."""
    if not os.path.isdir(path):  # noqa: PTH112
        return [Path(path)]
    with suppress(ReadError):
        return parts_of(path, format)[1]
    return []


def refuse_part(path: str | os.PathLike[str], folder: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Refuse to write a file that the next run would take for a part of the folder that is read."""
    home = Path(os.path.realpath(path)).parent
    if (format is not None or _ending(path) in _ENDINGS) and home.is_dir() and home.samefile(folder):
        raise OverwriteError(f"{os.fspath(path)!r} would be a part of the folder that is read; write it elsewhere")


def open_path(path: Path, format: str | None = None) -> Source:  # noqa: A002
    """The source that reads a file, or a folder of parts."""
    if os.path.isdir(path):  # noqa: PTH112 - unlike Path's, it is False where the path cannot be followed
        known, files = parts_of(path, format)
        return _named_columns(Parts(files, [_open_file(file, known) for file in files], loose=known.loose), str(path))
    _refuse_absent(path)
    return _named_columns(_open_file(path, format_of(path, format)), str(path))


def open_bytes(data: bytes, format: str, where: str = "the data") -> Source:  # noqa: A002
    """The source that reads bytes of a format; if gzip packed them, what they hold."""
    if kind_of(*ends(data)) == "gzip":
        data = unpack(io.BytesIO(data), where)
    return _named_columns(_open(data, _named(format), where), where)


def names_of(path: Path, format: str | None = None) -> list[str]:  # noqa: A002
    """The names of the columns, without reading more of the file than that takes; of a folder, of its first part.

    Of JSON lines they are the names in the first thousand lines.
    """
    if os.path.isdir(path):  # noqa: PTH112
        known, (path, *_) = parts_of(path, format)
    else:
        _refuse_absent(path)
        known = format_of(path, format)
    if known.head is None or not path.is_file():
        return list(_open_file(path, known).names)
    if not packed(path):
        refuse_other(ends(path), known, str(path))
    with blaming(str(path)), PackedLines(path) if packed(path) else path.open("rb") as file:
        return known.head(file, str(path))  # type: ignore[arg-type]  # a gzip file reads lines too


def _open_file(path: Path, known: Format) -> Source:
    if path.is_file() and not packed(path):
        return _open(path, known, str(path))
    with blaming(str(path)), path.open("rb") as file:  # a pipe is read once, and so as a whole
        return _open(unpack(file, str(path)) if packed(path) else file.read(), known, str(path))


def _open(source: Content, known: Format, where: str) -> Source:
    refuse_other(ends(source), known, where)
    return known.open(source, where=where)


def refuse_other(first_and_last: tuple[bytes, bytes], known: Format, where: str) -> None:
    """Refuse a file that is, by its first and last bytes, of another format."""
    kind = kind_of(*first_and_last)
    if kind == "gzip":
        raise ReadError(f"{where}: packed by gzip, but its name does not end in .gz; rename it")
    if kind == "feather":
        raise ReadError(f"{where}: a Feather file of version 1; write it again as version 2, which is Arrow")
    if kind is not None and kind != known.name:
        found = _CONTENTS[kind]
        raise FormatError(f"{where}: by its content {found}, not {known.title}; rename it, or say so", kind)


def _named_columns(source: Source, where: str) -> Source:
    if not source.names:
        raise ReadError(f"{where}: no columns; the file is empty")
    refuse_more("columns", len(source.names), f"{where}: {len(source.names):,} columns")
    refuse_twins(source.names, where)
    return source


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise ParameterError(f"no format {name!r}{suggest(str(name), FORMATS)}")
    return FORMATS[name]


def _ending(path: str | os.PathLike[str]) -> str:
    """The ending of a file's name that tells the format, the one before .gz."""
    name = Path(path).name.lower().removesuffix(".gz")
    return Path(name).suffix


def _refuse_absent(path: Path) -> None:
    if not os.path.exists(path):  # noqa: PTH110
        near: list[str] = []
        with suppress(OSError, ValueError):  # such as a folder that may not be listed
            near = sorted(other.name for other in path.parent.iterdir() if _ending(other) in _ENDINGS)
        raise MissingFileError(f"no file {str(path)!r}{suggest(path.name, near) if near else ''}")
