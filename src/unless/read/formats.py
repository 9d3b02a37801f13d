"""Find the format of a file, and open the source that reads it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from glob import has_magic, iglob
from pathlib import Path
from typing import Any

from unless.errors import (
    FormatError,
    MissingFileError,
    OverwriteError,
    ParameterError,
    ReadError,
    join_choices,
    suggest,
)
from unless.limits import refuse_above_limit
from unless.read.binary_files import ArrowFile, ExcelFile, ParquetFile
from unless.read.csv_files import open_text, read_header_names
from unless.read.dialect import Numerals
from unless.read.dialect_detection import WINDOW, detect_dialect, shared_numerals
from unless.read.file_bytes import (
    Content,
    OpenFile,
    as_read_errors,
    detect_kind,
    first_and_last_bytes,
    is_packed,
    open_file,
)
from unless.read.headers import refuse_twins
from unless.read.json_lines import open_lines, read_names
from unless.read.options import PLAIN_OPTIONS, ReadOptions
from unless.read.source import Source, SourceParts


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its name, its title in messages, the endings of file names, and its reader."""

    name: str
    title: str
    endings: tuple[str, ...]
    open: Callable[..., Any]
    head: Callable[[OpenFile, ReadOptions], list[str]] | None = None
    """Reads only the names of the columns; None if opening the file already does so."""
    loose: bool = False
    """Whether a part may lack a column."""
    delimiter: str | None = None
    """The usual delimiter."""
    takes: frozenset[str] = frozenset()
    """The options that apply to files of this format."""


_LINES = ("header_row", "skip")


def _text_format(name: str, usual: str) -> Format:
    return Format(
        name,
        name.upper(),
        (f".{name}",),
        partial(open_text, usual=usual),
        lambda file, options: read_header_names(file, usual, options),
        delimiter=usual,
        takes=frozenset({"delimiter", "decimal", "encoding", *_LINES}),
    )


_ALL = (
    _text_format("csv", ","),
    _text_format("tsv", "\t"),
    Format(
        "jsonl", "JSON lines", (".jsonl", ".ndjson"), open_lines, read_names, loose=True, takes=frozenset({"encoding"})
    ),
    Format("parquet", "Parquet", (".parquet",), ParquetFile),
    Format("arrow", "Arrow", (".arrow", ".ipc", ".feather"), ArrowFile),
    Format(
        "excel", "Excel", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), ExcelFile, takes=frozenset({"sheet", *_LINES})
    ),
)
FORMATS = {entry.name: entry for entry in _ALL}
_ENDINGS = {ending: entry for entry in _ALL for ending in entry.endings}
_CONTENTS = {"parquet": "a Parquet file", "arrow": "an Arrow file", "excel": "an Excel file (or another zip archive)"}


def format_of(path: str | os.PathLike[str], form: str | None = None) -> Format:
    """Return the format named ``form``; without it, the format of the ending of the file name."""
    if form is not None and form not in FORMATS:
        raise ParameterError(f"no format {form!r}{suggest(str(form), FORMATS)}")
    if form is not None:
        return FORMATS[form]
    if (found := _ENDINGS.get(ending := _ending(path))) is None:
        named = f"ends in {ending!r}, which is no known format" if ending else "has no ending that tells its format"
        raise FormatError(f"{os.fspath(path)!r} {named}; say which format it has", *FORMATS)
    return found


def files_at(path: str | os.PathLike[str], form: str | None = None) -> tuple[Format, list[Path]]:
    """Find the format and the files of a path: one file, or the parts of a folder or a pattern like ``parts/*.csv``."""
    if is_several(path):
        return parts_at(path, form)
    _refuse_absent(Path(path))
    return format_of(path, form), [Path(path)]


def parts_at(path: str | os.PathLike[str], form: str | None = None) -> tuple[Format, list[Path]]:
    """Find the data files in a folder or matching a pattern, sorted by name, and their common format.

    Folders, hidden files, names that begin with ``_`` (such as ``_SUCCESS``), and names without a known ending are
    skipped; if ``form`` is given, any ending is accepted.
    """
    folder = _is_folder(path)
    with as_read_errors(str(path)):
        found = Path(path).iterdir() if folder else map(Path, iglob(os.fspath(path), recursive=True))  # noqa: PTH207 - Path.glob takes no whole path
        files = sorted(one for one in found if one.name[0] not in "._" and one.is_file())
    data = files if form else [one for one in files if _ending(one) in _ENDINGS]
    if not data:
        held = ", ".join(one.name for one in files[:3])
        if not folder:
            only = f", only {held}" if held else ""
            raise MissingFileError(
                f"no data file matches {os.fspath(path)!r}{only}; names end in {', '.join(_ENDINGS)}"
            )
        holds = f"; it holds {held}" if held else ""
        raise ReadError(
            f"{os.fspath(path)!r} is a folder without data files{holds}; their names end in {', '.join(_ENDINGS)}"
        )
    known = format_of(data[0], form)
    for one in data:
        if (other := _ENDINGS.get(_ending(one), known)) is not known:
            verb, advice = ("holds", "keep one format in a folder") if folder else ("matches", "match one format")
            raise ReadError(
                f"{os.fspath(path)!r} {verb} files of several formats: {data[0].name} is {known.title}, {one.name} is "
                f"{other.title}; {advice}"
            )
    return known, data


def is_pattern(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pattern for several files: it has ``*``, ``?`` or brackets, and no file has that name."""
    return has_magic(os.fspath(path)) and not os.path.lexists(path)


def folder_of_parts(path: str | os.PathLike[str]) -> Path:
    """Return the folder of parts: the path itself, or the start of a pattern before the first ``*``."""
    if not is_pattern(path):
        return Path(path) if _is_folder(path) else Path(path).parent
    parts = Path(path).parts
    return Path(*parts[: next(place for place, part in enumerate(parts) if has_magic(part))])


def files_of(path: str | os.PathLike[str], form: str | None = None) -> list[Path]:
    """List the files that a path stands for: the file, or the parts of a folder; empty if it cannot be read."""
    if not is_several(path):
        return [Path(path)]
    with suppress(ReadError):
        return files_at(path, form)[1]
    return []


def is_several(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder or a pattern of files that are parts of one table."""
    return _is_folder(path) or is_pattern(path)


def refuse_part(path: str | os.PathLike[str], source: str | os.PathLike[str], form: str | None = None) -> None:
    """Raise an error for an output in the folder that is read, or one that would match the pattern."""
    if form is None and _ending(path) not in _ENDINGS:
        return
    if is_pattern(source):
        pattern = os.path.abspath(source).replace("**/", "*")  # noqa: PTH100 - Path.resolve would follow links
        if fnmatch(os.path.abspath(path), pattern):  # noqa: PTH100
            raise OverwriteError(
                f"{os.fspath(path)!r} would match {os.fspath(source)!r}, which is read; write it elsewhere"
            )
        return
    home = Path(os.path.realpath(path)).parent
    if home.is_dir() and home.samefile(source):
        raise OverwriteError(f"{os.fspath(path)!r} would be a part of the folder that is read; write it elsewhere")


def open_path(path: Path, options: ReadOptions = PLAIN_OPTIONS) -> Source:
    """Open a file or a folder of parts as a source."""
    known, files = files_at(path, options.format)
    refuse_hints(options, known, str(path))
    numerals = numerals_at(files, known, options)
    sources = [_open_file(file, known, options, numerals) for file in files]
    whole = SourceParts(files, sources, loose=known.loose) if is_several(path) else sources[0]
    return _check_columns(whole, str(path))


def refuse_hints(options: ReadOptions, known: Format, where: str) -> None:
    """Reject options that do not apply to a format, such as the sheet of a CSV file."""
    if wrong := [name for name in options.hints if name not in known.takes]:
        takers = join_choices(entry.title for entry in _ALL if wrong[0] in entry.takes)
        raise ParameterError(
            f"{where}: the {wrong[0]} is for {takers} files, and this one is {known.title}; leave it out"
        )


def numerals_at(files: Sequence[Path], known: Format, options: ReadOptions) -> Numerals | None:
    """Detect the common numerals of all parts of a table; None if there is only one part."""
    if len(files) < 2 or known.delimiter is None:
        return None
    dialects = {}
    for path in files:
        with open_file(path) as file:
            start = file.peek(WINDOW)
        dialects[path.name] = detect_dialect(start, known.delimiter, options, where=str(path), part=True)
    found = shared_numerals(dialects)
    if isinstance(found, str):
        raise ReadError(f"{files[0].parent}: {found}; the files of a folder write numbers in one way")
    return found


def open_bytes(data: bytes, options: ReadOptions) -> Source:
    """Open bytes of a format, possibly packed by gzip, as a source."""
    where, packed = "the data", detect_kind(*first_and_last_bytes(data)) == "gzip"
    source, known = OpenFile(where, io.BytesIO(data), packed=packed).content(), format_of("", options.format)
    refuse_hints(options, known, where)
    return _check_columns(_open(source, known, where, options), where)


def names_of(path: Path, options: ReadOptions = PLAIN_OPTIONS) -> list[str]:
    """Read the names of the columns from as little of the file as possible; for a folder, from its first part."""
    known, (first, *_) = files_at(path, options.format)
    refuse_hints(options, known, str(path))
    if known.head is None or not first.is_file():
        return list(_open_file(first, known, options).names)
    if not is_packed(first):
        refuse_other(first_and_last_bytes(first), known, str(first))
    with open_file(first) as file:
        return known.head(file, options)


def _open_file(path: Path, known: Format, options: ReadOptions, numerals: Numerals | None = None) -> Source:
    with open_file(path) as file:
        return _open(file.content(), known, str(path), options, numerals)


def _open(source: Content, known: Format, where: str, options: ReadOptions, numerals: Numerals | None = None) -> Source:
    refuse_other(first_and_last_bytes(source), known, where)
    shared = {} if numerals is None else {"numerals": numerals}
    found: Source = known.open(source, where=where, options=options, **shared)
    return found


def refuse_other(first_and_last: tuple[bytes, bytes], known: Format, where: str) -> None:
    """Raise an error for a file that has another format, according to its first and last bytes."""
    kind = detect_kind(*first_and_last)
    if kind == "gzip":
        raise ReadError(f"{where}: packed by gzip, but its name does not end in .gz; rename it")
    if kind == "feather":
        raise ReadError(f"{where}: a Feather file of version 1; write it again as version 2, which is Arrow")
    if kind is not None and kind != known.name:
        found = _CONTENTS[kind]
        raise FormatError(f"{where}: this is {found}, not {known.title}; rename it, or say so", kind)


def _check_columns(source: Source, where: str) -> Source:
    if not source.names:
        raise ReadError(f"{where}: no columns; the file is empty")
    refuse_above_limit("columns", len(source.names), f"{where}: {len(source.names):,} columns")
    refuse_twins(source.names, where)
    return source


def _is_folder(path: str | os.PathLike[str]) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises errors, such as for a name that is too long


def path_in_format(path: Path, form: str) -> Path:
    """Return the path for writing a file in another format: the name stays if its ending fits."""
    if form == "excel":
        return path if path.suffix.lower() == ".xlsx" else path.with_suffix(".xlsx")
    if _ENDINGS.get(_ending(path)) is FORMATS[form]:
        return path
    name = path.name[: -len(".gz")] if is_packed(path) else path.name
    known = Path(name).suffix.lower() in _ENDINGS
    return path.with_name((Path(name).stem if known else name) + FORMATS[form].endings[0])


def _ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file name that shows the format, ignoring .gz."""
    name = Path(path).name.lower().removesuffix(".gz")
    return Path(name).suffix


def _refuse_absent(path: Path) -> None:
    if not os.path.exists(path):  # noqa: PTH110 - as above
        near: list[str] = []
        with suppress(OSError, ValueError):  # such as a folder without permission to list it
            near = sorted(other.name for other in path.parent.iterdir() if _ending(other) in _ENDINGS)
        raise MissingFileError(f"no file {str(path)!r}{suggest(path.name, near) if near else ''}")
