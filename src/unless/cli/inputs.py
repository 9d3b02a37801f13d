"""What commands read: tables and models, from files or standard input."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unless.cli.layout import shell_word
from unless.errors import LimitError, ParameterError, ProgramError, UnknownNameError, suggest
from unless.rule import Program
from unless.values import DEFAULT_MISSING, label_place

if TYPE_CHECKING:
    from unless.cli.console import Screen
    from unless.estimators.file import SavedModel
    from unless.model import Model
    from unless.table import Table
    from unless.values import Label

__all__ = [
    "label_among",
    "label_named",
    "listed",
    "needed",
    "program_of",
    "read",
    "read_model",
    "source_of",
    "take_ctrl_c_back",
    "tokens",
]

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx", ".gz")


def source_of(data: str, format: str | None) -> tuple[Any, str | None]:
    """What `read_table` takes as source and format: a path, or the bytes of standard input, CSV unless said.

    A pipe with a name, such as the shell's ``<(…)``, is read like standard input: it can be read once only.
    """
    if data != "-":
        return (Path(data).read_bytes(), format or "csv") if Path(data).is_fifo() else (data, format)
    if sys.stdin.isatty():
        raise ParameterError("- is standard input, but nothing is piped into it: unless … - < data.csv")
    return sys.stdin.buffer.read(), format or "csv"


def read(screen: Screen, data: str, target: str | None = None, **options: Any) -> Table:
    """A table, while the screen says what takes so long."""
    from unless import read_table

    take_ctrl_c_back()
    source, options["format"] = source_of(data, options.get("format"))
    with screen.busy(f"reading {data}"), needed("like" in options and target is None, data):
        return read_table(source, target, **options)


def take_ctrl_c_back() -> None:
    """Let Python handle Ctrl-C again, which polars does from its import on.

    By its way a wait for a pipe goes on, and KeyboardInterrupt may come twice, the second time while we clean up.
    """
    import polars  # noqa: F401, ICN001

    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


@contextmanager
def needed(by_model: bool, data: str) -> Iterator[None]:
    """Say of a column that is not there that the model needs it."""
    try:
        yield
    except UnknownNameError as error:
        if not by_model:
            raise
        where = "standard input" if data == "-" else data
        raise UnknownNameError(f"{where}: {error}\nThe model needs it.") from None


def read_model(path: str) -> SavedModel | Program:
    """A model, or the program of a file that holds nothing more."""
    from unless.estimators.file import read, read_stream

    if path != "-":
        try:
            return read(path)
        except (ProgramError, LimitError):
            if path.lower().endswith(_TABLES):
                fit = f"unless fit {shell_word(path)} --target COLUMN -o model.json"
                raise ParameterError(f"{path} is a table, not a model; to make one: {fit}") from None
            raise
    if sys.stdin.isatty():
        raise ParameterError("- is standard input, but nothing is piped into it: unless … - < model.json")
    return read_stream(sys.stdin.buffer, "standard input")


def program_of(model: Model | Program) -> Program:
    """The rules of a model."""
    return model if isinstance(model, Program) else model.program_


def label_named(program: Program, text: str) -> Label:
    """The label of a program that a text spells."""
    labels = program.labels
    return label_among(labels, text, "no rule gives the label")


def label_among(labels: Sequence[Label], text: str, complaint: str) -> Label:
    """The label that a text spells, whatever its type: ``1`` is 1 or 1.0, ``true`` is True."""
    place = label_place(text, labels)
    if place is None:
        raise UnknownNameError(f"{complaint} {text!r}{suggest(text, dict.fromkeys(map(str, labels)))}")
    return labels[place]


def listed(names: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    """Names of columns as options give them: one at a time, or several with commas between."""
    found: list[str] = []
    for name in names or ():
        found += [name] if name in known else [part.strip() for part in name.split(",")]
    return list(dict.fromkeys(found))


def tokens(missing: Sequence[str] | None) -> tuple[str, ...]:
    """The cells that mean missing: the default itself unless some are given."""
    return DEFAULT_MISSING if missing is None else tuple(missing)
