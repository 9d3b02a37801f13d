"""`unless predict`: predict the labels of the records of a file of any size."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated, BinaryIO, TextIO, cast
from typing import Literal as OneOf

from unless.cli.console import Screen, escape_invisible
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts, open_terminal, standard_input
from unless.cli.layout import duration_text, render_unseen_values
from unless.cli.loading import note_how_read, read_any_model, show_stream_progress
from unless.cli.options import OUTPUT, Data, Json, Model, Quiet, Strict, flag_option, output_option, value_option
from unless.cli.reason_options import ReasonColumns
from unless.cli.related_tables import RelationOptions, decider_of_relations, predict_relations, related_sources
from unless.errors import ParameterError
from unless.evaluation.training_overlap import OverlapAccuracy
from unless.explanation.words import printable
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
            "The file to write, completely or not at all; its extension sets the format. Or a folder for parts."
        ),
    ] = "-",
    to: Annotated[
        OneOf["csv", "tsv", "jsonl", "parquet", "arrow", "excel"] | None,
        flag_option("The format to write, if the file extension does not determine it.", panel=OUTPUT),
    ] = None,
    prefix: Annotated[str, value_option("TEXT", "Text to put before the names of the new columns.", panel=OUTPUT)] = "",
    strict: Strict = False,
    guard_formulas: Annotated[
        bool,
        flag_option(
            "CSV, TSV: put ' before texts that a spreadsheet would read as formulas (= + - @), except numbers.",
            "--guard-formulas",
            panel=OUTPUT,
        ),
    ] = False,
    jobs: Annotated[
        int | None,
        value_option(
            "N",
            "Number of processes for the parts of a folder; -1 means one per core.  [default: as many as are useful]",
        ),
    ] = None,
    reasons: ReasonColumns,
    related: RelationOptions,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict the label of every record, and add the columns predicted, probability, expected_precision and rule.

    The columns contain the label, its probability, the share of new records that the deciding rule is expected to get
    right, and the number of that rule.

    Files can have any size. From CSV to CSV, every byte of a record stays unchanged, with the same delimiter and
    encoding.

    DATA may be a folder of parts, or a pattern in quotes, such as "parts/*.csv". The parts are written to one file,
    sorted by name, or each to its own part in a folder.

    Example: unless predict model.json new.csv -o predicted.csv

    Example: unless predict model.json "new*.csv" -o predicted/

    With --reasons there are reason_1 to reason_4 and their texts: why the record got this label. --log appends a line
    of JSON for each decision to a file: time, fingerprint of the model, record, label, rule, probability, reasons.

    Example: unless predict model.json new.csv --reasons -o predicted.csv

    A model of several tables takes --key and --with, as fit does, with the same file names as in training.
    """
    screen = Screen(quiet=quiet, aside=output == "-")
    check_file_conflicts(output, model, data, reasons.codes, format=file.format)
    reasons.check_log(output, model, data, file.format)
    found = read_any_model(model)
    if related.check():
        reasons.refuse("it is only for models of one table; for several, unless explain names the parts that decide")
        check_file_conflicts(output, model, data, *related_sources(related))
        decider = decider_of_relations(found)
        counts = predict_relations(found, related.read(data, name=decider.features.root[0]), output, prefix)
        screen.note(f"{data}: {', '.join(f'{label} {count:,}' for label, count in counts.items())}")
        return
    source = standard_input("predict MODEL - < new.csv").buffer if data == "-" else data
    out = _open_output(output, to)
    started = time.perf_counter()
    with show_stream_progress(screen, "predicting", data) as tell:
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
            **reasons.options,
        )
    note_how_read(screen, data, done.read_as)
    if json:
        screen.data(done.to_dict())
    screen.note(*_prediction_notes(done, model, data), *render_unseen_values(done.unseen))
    if not json:
        screen.note(_summary_line(done, time.perf_counter() - started))


def _open_output(output: str, to: str | None) -> str | BinaryIO:
    screen = open_terminal(output)
    if screen is None:
        return sys.stdout.buffer if output == "-" else output
    if to in ("parquet", "arrow", "excel"):
        ending = "xlsx" if to == "excel" else to
        raise ParameterError(f"{to} cannot be shown in a terminal; write it to a file: -o predicted.{ending}")
    return cast("BinaryIO", _Terminal(screen))


class _Terminal:
    """A terminal as a file; characters that would move its cursor are escaped."""

    utf8 = True
    """The terminal takes UTF-8, whatever the encoding of the input is."""

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen

    def write(self, data: bytes) -> int:
        self._screen.write(escape_invisible(str(data, "utf-8", "replace").replace("\r\n", "\n")))
        return len(data)

    def flush(self) -> None:
        self._screen.flush()

    def fileno(self) -> int:
        return self._screen.fileno()


def _prediction_notes(done: PredictedFile, model: str, data: str) -> list[str]:
    """Return notes on renamed and missing columns."""
    found = []
    if done.renamed:
        taken, new = (", ".join(map(printable, names)) for names in (done.renamed, done.renamed.values()))
        found.append(f"{data} already has {taken}: the new one is called {new} (--prefix gives other names)")
    if not any("probability" in name for name in done.columns):
        missing = "there is no probability and no expected precision"
        found.append(f"{model} has only rules, not how often they were right in training: {missing}")
    return found


def _summary_line(done: PredictedFile, seconds: float) -> str:
    """Return a line with the number of records, the number of each label, and the accuracy."""
    counts = sorted(((n, str(label)) for label, n in done.labels.items() if label is not None and n), reverse=True)
    parts = [f"{printable(label)} {n:,}" for n, label in counts[:_LABELS]]
    if len(counts) > _LABELS:
        parts.append(f"{len(counts) - _LABELS} other labels {sum(n for n, _ in counts[_LABELS:]):,}")
    if done.undecided:
        what = "without a label" if any(name.endswith("passed_on") for name in done.columns) else "undecided"
        parts.append(f"{what} {done.undecided:,}")
    where = f" in {count_text(len(done.files), 'part')}" if done.files else ""
    text = (
        f"{count_text(done.rows, 'record')}{where} in {duration_text(seconds)}"
        + (": " if parts else "")
        + ", ".join(parts)
    )
    if done.accuracy is None:
        return text
    if done.own is not None:
        return f"{text}; {' and '.join(_accuracy_texts(done.own))}"
    on = "the labels in the data"
    if done.labelled < done.rows:
        on = f"the {count_text(done.labelled, 'record')} that {'has' if done.labelled == 1 else 'have'} a label"
    return f"{text}; accuracy {share_text(done.accuracy)} against {on}"


def _accuracy_texts(own: OverlapAccuracy) -> Iterator[str]:
    """Yield the accuracy on records that the rules were not learned from, and on the other records."""
    held, others = own.held_back, own.learned
    if held.total:
        yield f"accuracy {held.text} on {count_text(held.total, 'record')} that the rules were not learned from"
    if others.total and held.total:
        which = "those of training" if own.same else f"{others.total:,} others, with those of training"
        yield f"{share_text(others.value)} on {which}"
    elif others.total:
        which = "in training" if own.same else f"on {count_text(others.total, 'record')}, with those of training"
        yield f"accuracy {share_text(others.value)} {which}"
