"""`unless predict`: what a model decides, for files of any size."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, BinaryIO, TextIO, cast
from typing import Literal as OneOf

import typer

from unless.cli.console import Screen, visible
from unless.cli.inputs import needed, read_model, take_ctrl_c_back
from unless.cli.layout import duration, unseen_lines
from unless.cli.options import Data, Format, Json, Model, Quiet, Strict
from unless.cli.outputs import check_files, terminal
from unless.errors import ParameterError
from unless.explanation.words import printable
from unless.values import counted, share_text

if TYPE_CHECKING:
    from unless.stream import PredictedFile

__all__ = ["predict"]

_LABELS = 6  # that the summary counts


def predict(
    model: Model,
    data: Data,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write, whole or not at all; its ending tells the format.",
        ),
    ] = "-",
    to: Annotated[
        OneOf["csv", "tsv", "jsonl", "parquet", "arrow"] | None,
        typer.Option(help="The format to write, whatever the file is called."),
    ] = None,
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="What the names of the new columns begin with.")] = "",
    strict: Strict = False,
    format: Format = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict every record: all its columns, and predicted (the label), confidence, and rule (the one that decides).

    Files may be of any size. From CSV to CSV every byte of a record stays as it is.

    Example: unless predict model.json new.csv -o predicted.csv
    """
    from unless.stream import predict_file

    screen = Screen(quiet=quiet, aside=output == "-")
    check_files(output, model, data, format=format)
    found = read_model(model)
    take_ctrl_c_back()
    source, out = _source(data), _out(output, to)
    started = time.perf_counter()
    with screen.share("predicting") as tell, needed(by_model=True, data=data):
        done = predict_file(
            found,
            source,
            out,
            format=format or ("csv" if data == "-" else None),
            to=to,
            prefix=prefix,
            strict=strict,
            progress=lambda rows, share: tell(share, f"{rows:,} records"),
        )
    if json:
        screen.data(done.to_dict())
    for line in _remarks(done, model, data):
        screen.note(line)
    for told in unseen_lines(done.unseen):
        screen.note(told)
    if not json:
        screen.note(_summary(done, time.perf_counter() - started))


def _source(data: str) -> str | BinaryIO:
    if data != "-":
        return data
    if sys.stdin.isatty():
        raise ParameterError("- is standard input, but nothing is piped into it: unless predict MODEL - < new.csv")
    return sys.stdin.buffer


def _out(output: str, to: str | None) -> str | BinaryIO:
    screen = terminal(output)
    if screen is None:
        return sys.stdout.buffer if output == "-" else output
    if to in ("parquet", "arrow"):
        raise ParameterError(f"{to} is not for a terminal; name a file: -o predicted.{to}")
    return cast("BinaryIO", _Terminal(screen))


class _Terminal:
    """A terminal as a file: what would move its cursor is escaped."""

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen

    def write(self, data: bytes) -> int:
        self._screen.write(visible(str(data, "utf-8", "replace").replace("\r\n", "\n")))
        return len(data)

    def flush(self) -> None:
        self._screen.flush()

    def fileno(self) -> int:
        return self._screen.fileno()


def _remarks(done: PredictedFile, model: str, data: str) -> list[str]:
    """What may surprise."""
    found = []
    if done.renamed:
        taken, new = (", ".join(map(printable, names)) for names in (done.renamed, done.renamed.values()))
        found.append(f"{data} has {taken} already: called {new} (--prefix gives other names)")
    if len(done.columns) < 3:
        found.append(f"{model} holds rules alone, without what they decided in training: there is no confidence")
    return found


def _summary(done: PredictedFile, seconds: float) -> str:
    """One line: how many records, how many of each label, and how many of them are right."""
    counts = sorted(((n, str(label)) for label, n in done.labels.items() if label is not None and n), reverse=True)
    parts = [f"{printable(label)} {n:,}" for n, label in counts[:_LABELS]]
    if len(counts) > _LABELS:
        parts.append(f"{len(counts) - _LABELS} other labels {sum(n for n, _ in counts[_LABELS:]):,}")
    if done.undecided:
        parts.append(f"undecided {done.undecided:,}")
    text = f"{counted(done.rows, 'record')} in {duration(seconds)}" + (": " if parts else "") + ", ".join(parts)
    return text if done.accuracy is None else f"{text}; accuracy {share_text(done.accuracy)} by the labels in the data"
