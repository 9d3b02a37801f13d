"""Check, read and write files and standard streams of commands."""

from __future__ import annotations

import os
import sys
from glob import has_magic
from pathlib import Path
from typing import TextIO

from unless.cli.console import escape_invisible
from unless.errors import ParameterError
from unless.files import FilePath, file_descriptor_named, gzip_if_named_so, refuse_inputs, write_whole


def check_file_conflicts(output: str | None, *inputs: str | None, format: str | None = None) -> None:
    """Reject reading standard input twice, and writing to a file that is read, by -o or by the shell's ``>>``."""
    given = [one for one in inputs if one is not None]
    if given.count("-") > 1:
        raise ParameterError("- is standard input, which can be read only once; give the others as files")
    read = [place for one in given for place in _input_files(one, format)]
    for place in [*_file_descriptor(sys.stdout), *([] if output in (None, "-") else [output])]:
        refuse_inputs(place, read)
    if output is not None:
        for folder in filter(_is_folder, given):
            from unless.read.formats import refuse_part

            refuse_part(output, folder, format)


def _input_files(one: str, form: str | None) -> list[FilePath]:
    if one == "-":
        return _file_descriptor(sys.stdin)
    if not _is_folder(one) and not has_magic(one):
        return [one]
    from unless.read.formats import files_of

    return list(files_of(one, form))


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where a path cannot be followed


def _file_descriptor(stream: TextIO) -> list[FilePath]:
    """Return the file descriptor of a stream, if it has one."""
    try:
        return [stream.fileno()]
    except OSError:
        return []


# Reading.


def standard_input(example: str) -> TextIO:
    """Return standard input; reject a terminal, since the command would wait for it forever."""
    if sys.stdin.isatty():
        raise ParameterError(f"- is standard input, but nothing is piped into it: unless {example}")
    return sys.stdin


# Writing.


def open_terminal(output: str | None) -> TextIO | None:
    """Return the terminal if an output is one, even as a path such as /dev/stdout or /dev/tty; else None."""
    if output in (None, "-"):
        return sys.stdout if sys.stdout.isatty() else None
    number = file_descriptor_named(output)
    try:
        if number is None and not Path(output).is_char_device():  # opening a named pipe would wait for a reader
            return None
        opened = os.open(output, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)) if number is None else os.dup(number)
    except (OSError, ValueError):
        return None
    if os.isatty(opened):
        return os.fdopen(opened, "w", encoding=sys.stdout.encoding, errors="backslashreplace")
    os.close(opened)
    return None


def write_document(text: str, output: str | None) -> None:
    """Write a text as UTF-8 in any locale.

    A file whose name ends with .gz is compressed. Only for a terminal, characters that would move its cursor are
    escaped.
    """
    if (screen := open_terminal(output)) is not None:
        screen.write(escape_invisible(text))
        screen.flush()
    elif output not in (None, "-"):
        write_whole(Path(output), gzip_if_named_so(text.encode(), output))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
