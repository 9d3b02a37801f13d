"""`unless predict`: the labels that a model gives to the records of a file, of any size."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated, BinaryIO, TextIO, cast
from typing import Literal as OneOf

from unless.cli.console import Screen, visible
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_files, standard_input, terminal
from unless.cli.layout import duration, unseen_lines
from unless.cli.loading import read_any_model, streaming, tell_reading
from unless.cli.options import OUTPUT, Data, Json, Model, Quiet, Strict, flag_option, output_option, value_option
from unless.errors import ParameterError
from unless.evaluation.training_overlap import OwnResult
from unless.explanation.words import printable
from unless.model.rule_statistics import wilson_interval
from unless.stream import PredictedFile, predict_file
from unless.values import count_text, share_text

_LABELS = 6  # labels that the summary counts


def predict(
    model: Model,
    data: Data,
    *,
    output: Annotated[
        str,
        output_option(
            "The file to write, completely or not at all; its ending sets the format. Or a folder for parts."
        ),
    ] = "-",
    to: Annotated[
        OneOf["csv", "tsv", "jsonl", "parquet", "arrow", "excel"] | None,
        flag_option("The format to write, if the name of the file does not show it.", panel=OUTPUT),
    ] = None,
    prefix: Annotated[str, value_option("TEXT", "Text to put before the names of the new columns.", panel=OUTPUT)] = "",
    strict: Strict = False,
    guard_formulas: Annotated[
        bool,
        flag_option(
            "CSV, TSV: put ' before texts that a spreadsheet would take for formulas (= + - @); numbers stay.",
            "--guard-formulas",
            panel=OUTPUT,
        ),
    ] = False,
    jobs: Annotated[
        int | None,
        value_option(
            "N", "Processes that share the parts of a folder, -1 one per core.  [default: as many as are worth it]"
        ),
    ] = None,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict the label of every record, and add the columns predicted, probability, expected_precision and rule.

    They are the label, its probability, the share of new records that the deciding rule is expected to get right, and
    the number of that rule.

    Files can have any size. From CSV to CSV, every byte of a record stays as it is, in its delimiter and encoding.

    DATA may be a folder of parts, or a pattern in quotes, such as "parts/*.csv". They are written to one file, in the
    order of their names, or each to a part of its own in a folder.

    Example: unless predict model.json new.csv -o predicted.csv

    Example: unless predict model.json "new*.csv" -o predicted/
    """
    screen = Screen(quiet=quiet, aside=output == "-")
    check_files(output, model, data, format=file.format)
    found = read_any_model(model)
    source = standard_input("predict MODEL - < new.csv").buffer if data == "-" else data
    out = _out(output, to)
    started = time.perf_counter()
    with streaming(screen, "predicting", data) as tell:
        done = predict_file(
            found,
            source,
            out,
            **(file.piped if data == "-" else file).options,
            to=to,
            prefix=prefix,
            strict=strict,
            guard_formulas=guard_formulas,
            n_jobs=jobs,
            progress=tell,
        )
    tell_reading(screen, data, done.read_as)
    if json:
        screen.data(done.to_dict())
    screen.note(*_remarks(done, model, data), *unseen_lines(done.unseen))
    if not json:
        screen.note(_summary(done, time.perf_counter() - started))


def _out(output: str, to: str | None) -> str | BinaryIO:
    screen = terminal(output)
    if screen is None:
        return sys.stdout.buffer if output == "-" else output
    if to in ("parquet", "arrow", "excel"):
        ending = "xlsx" if to == "excel" else to
        raise ParameterError(f"{to} cannot be shown in a terminal; write it to a file: -o predicted.{ending}")
    return cast("BinaryIO", _Terminal(screen))


class _Terminal:
    """A terminal as a file, with escapes for what would move its cursor."""

    utf8 = True
    """It takes UTF-8, whatever the encoding of the input is."""

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
    """Say what may surprise."""
    found = []
    if done.renamed:
        taken, new = (", ".join(map(printable, names)) for names in (done.renamed, done.renamed.values()))
        found.append(f"{data} already has {taken}: the new one is called {new} (--prefix gives other names)")
    if not any("probability" in name for name in done.columns):
        missing = "there is no probability and no expected precision"
        found.append(f"{model} has only rules, not how often they were right in training: {missing}")
    return found


def _summary(done: PredictedFile, seconds: float) -> str:
    """Return a line with the number of records, the number with each label, and how many are right."""
    counts = sorted(((n, str(label)) for label, n in done.labels.items() if label is not None and n), reverse=True)
    parts = [f"{printable(label)} {n:,}" for n, label in counts[:_LABELS]]
    if len(counts) > _LABELS:
        parts.append(f"{len(counts) - _LABELS} other labels {sum(n for n, _ in counts[_LABELS:]):,}")
    if done.undecided:
        parts.append(f"undecided {done.undecided:,}")
    where = f" in {count_text(len(done.files), 'part')}" if done.files else ""
    text = (
        f"{count_text(done.rows, 'record')}{where} in {duration(seconds)}" + (": " if parts else "") + ", ".join(parts)
    )
    if done.accuracy is None:
        return text
    if done.own is not None:
        return f"{text}; {' and '.join(_own(done.own))}"
    on = "the labels in the data"
    if done.labelled < done.rows:
        on = f"the {count_text(done.labelled, 'record')} that {'has' if done.labelled == 1 else 'have'} a label"
    return f"{text}; accuracy {share_text(done.accuracy)} against {on}"


def _own(own: OwnResult) -> Iterator[str]:
    """Yield the accuracy on records that the rules were not learned from, and that on the others."""
    if own.accuracy is not None:
        low, high = map(share_text, wilson_interval(own.held_back_right, own.held_back))
        unseen = f"{count_text(own.held_back, 'record')} that the rules were not learned from"
        yield f"accuracy {share_text(own.accuracy)} ({low} to {high}) on {unseen}"
    if own.in_training is None:
        return
    if own.accuracy is None:
        which = "in training" if own.same else f"on {count_text(own.learned, 'record')}, with those of training"
        yield f"accuracy {share_text(own.in_training)} {which}"
    else:
        which = "those of training" if own.same else f"{own.learned:,} others, with those of training"
        yield f"{share_text(own.in_training)} on {which}"
