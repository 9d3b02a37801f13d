"""What commands write: documents, exactly, to a file or to standard output."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

from unless.cli.console import visible
from unless.files import Place, descriptor_of, refuse_inputs, write_whole

__all__ = ["Output", "keep_inputs", "shell_word", "terminal", "write_document"]

Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to a file, whole or not at all; - is standard output."),
]


def keep_inputs(output: str | None, *inputs: str | None, format: str | None = None) -> None:
    """Refuse, before anything is done, to write to a file that is read: to the output, or by ``>>``."""
    read = [place for one in inputs if one is not None for place in _read_at(one, format)]
    written = _number(sys.stdout) if output in (None, "-") else [output, *_number(sys.stdout)]
    for place in written:
        refuse_inputs(place, read)
    for one in inputs:
        if output is not None and one is not None and os.path.isdir(one):  # noqa: PTH112 - see below
            from unless.read.formats import refuse_part

            refuse_part(output, one, format)


def _read_at(one: str, form: str | None) -> list[Place]:
    if one == "-":
        return _number(sys.stdin)
    if not os.path.isdir(one):  # noqa: PTH112 - False where a path cannot be followed
        return [one]
    from unless.read.formats import files_of

    return list(files_of(one, form))


def _number(stream: TextIO) -> list[Place]:
    """The number of a stream, if it has one."""
    try:
        return [stream.fileno()]
    except OSError:
        return []


def terminal(output: str | None) -> TextIO | None:
    """The terminal that an output is, by whatever path, such as /dev/stdout or /dev/tty; None if it is none."""
    if output in (None, "-"):
        return sys.stdout if sys.stdout.isatty() else None
    number = descriptor_of(output)
    try:
        if number is None and not Path(output).is_char_device():  # a pipe would wait for a reader
            return None
        opened = os.open(output, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)) if number is None else os.dup(number)
    except (OSError, ValueError):
        return None
    if os.isatty(opened):
        return os.fdopen(opened, "w", encoding=sys.stdout.encoding, errors="backslashreplace")
    os.close(opened)
    return None


def write_document(text: str, output: str | None) -> None:
    """Write a text as UTF-8, whatever the language of the terminal: a program with other letters is another program.

    Only for a person at a terminal, what would move the cursor is escaped.
    """
    if (screen := terminal(output)) is not None:
        screen.write(visible(text))
        screen.flush()
    elif output not in (None, "-"):
        write_whole(Path(output), text.encode())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()


def shell_word(text: str) -> str:
    r"""A text as one word of a command line that can be seen: ``$'\x1b'`` (of bash, zsh and ksh) where need be."""
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_escaped, text))}'"


def _escaped(one: str) -> str:
    if one in "\\'":
        return f"\\{one}"
    if one.isprintable():
        return one
    code = ord(one)
    if code < 0x80 or 0xDC80 <= code <= 0xDCFF:  # the latter is a byte that is not UTF-8, as Python keeps it
        return f"\\x{code & 0xFF:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
