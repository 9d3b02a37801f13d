"""A program on files of any size: every record unchanged, with its label, its confidence and its rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.judge.unseen import Unseen, UnseenCounts, refuse, refuse_ignorance
from unless.model import Model
from unless.prediction import deciding_rules
from unless.read.dialect import told_by
from unless.rule import Program
from unless.score.card import ScoreCard
from unless.score.committee import committee_of
from unless.score.points import leading, probabilities_of
from unless.stream.columns import Choices, NewColumns, refuse_halves
from unless.stream.input import Batch, File, Input, JsonBatch, TextBatch
from unless.stream.output import form_of_output, is_patient, output, write_in_thread
from unless.stream.types import types_of
from unless.stream.writers import PACKED, TEXTS, WRITERS, Result
from unless.table import Labels, Table
from unless.values import Label, class_place

BLOCK = 1 << 23

Progress = Callable[[int, float | None], None]
"""Called after every batch with the number of records done, and the share of the input, None if it is not known."""


@dataclass(frozen=True, slots=True)
class PredictedFile:
    """What was written: how many records, how many with each label (None: not decided), and the names of new columns.

    ``renamed`` has the new columns that got another name than usual, because the input has a column of that name.
    ``right`` is how many records got the label that the input gives; None unless every record there has one.
    ``unseen`` lists what the records hold that the model did not see in training.
    """

    rows: int
    labels: dict[Label | None, int]
    columns: tuple[str, ...]
    renamed: dict[str, str]
    right: int | None
    unseen: tuple[Unseen, ...] = ()
    read_as: str = ""
    """How the input was read, if it is not plain, as `Table.read_as` says it."""

    @property
    def undecided(self) -> int:
        """How many records got no label."""
        return self.labels.get(None, 0)

    @property
    def accuracy(self) -> float | None:
        """The share of records that got the label that the input gives."""
        return None if self.right is None or not self.rows else self.right / self.rows

    def to_dict(self) -> dict[str, Any]:
        """The summary as a JSON object."""
        labels = [{"label": label, "records": count} for label, count in self.labels.items() if label is not None]
        return {
            "records": self.rows,
            "labels": labels,
            "undecided": self.undecided,
            "columns": list(self.columns),
            "renamed": self.renamed,
            "accuracy": self.accuracy,
            "unseen": [one.to_dict() for one in self.unseen],
            "read_as": self.read_as,
        }


def predict_file(  # noqa: PLR0913 - one parameter for each choice of the caller
    model: Model | Program,
    source: File,
    out: File,
    *,
    format: str | None = None,  # noqa: A002 - callers write format="csv"
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    to: str | None = None,
    prefix: str = "",
    strict: bool = False,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> PredictedFile:
    """Write the records of a file with what a model decides, in memory that does not grow with the file.

    ``source`` is a path, as `read_table` takes it, a folder of parts, or a file opened to read bytes; ``format`` says
    what it is, whatever its name ends in; ``delimiter``, ``decimal``, ``encoding`` and ``sheet`` say how it is written,
    as in `read_table`. ``out`` is a path, or a file opened to write bytes. ``to`` is the format to write; without it
    the ending of the path tells: CSV, TSV, JSON lines (these also with ``.gz``), Parquet, Arrow or Excel. A path is
    written whole or not at all. A file that is read is never written to.

    All columns are kept. The new ones are ``predicted``, ``confidence`` (the probability of that label, to six digits)
    and ``rule`` (the number of the rule that decides, from 1; empty where none does). ``prefix`` is put before these
    names, and a number after a name that is taken. A `Program` has no confidences. A committee has no single deciding
    rule.

    From text to text of the same format the records are copied byte for byte, with new fields at the end: the output
    has the delimiter, the decimal sign and the encoding of the input. Otherwise it is plain UTF-8, and cells keep their
    types. From a text file to one with types (JSON lines, Parquet, Arrow, Excel), a column is numbers if every cell is
    a number that comes back the same, or is missing (`unless.stream.types`); to find out, the file is read twice, and
    what comes through a pipe is kept in a temporary file.

    ``strict`` refuses records that hold what training did not have: other categories, numbers outside the range, text
    in a column of numbers. A path is not written then.

    About ``block`` bytes are read at a time. ``progress`` is called with the number of records done, and the share of
    the input that has been read, None if it is not known.
    """
    refuse_halves("the prefix", prefix)
    given = Input(source, format, block, told_by(delimiter, decimal, encoding, sheet))
    form = form_of_output(out, to, given.form, source)
    tally = _Tally(model, strict=strict)
    with output(out, given.places) as file, ExitStack() as stack:
        wanted = [prefix + name for name in tally.answers.columns()]
        writer = WRITERS[form](file, wanted)
        if given.is_text and form not in TEXTS:
            given.keep(stack)
            given.types = types_of(cast("Iterator[TextBatch]", given.batches()), model)
        results = tally.results(given, progress)
        if is_patient(file) or form in PACKED:
            # While one thread writes, the other reads on: 1.3 s instead of 1.6 for 1,000,000 records (250 MB).
            write_in_thread(writer.drain, results)
        else:  # Ctrl-C could not stop a thread that waits for a reader
            writer.drain(results)
    renamed = {one: other for one, other in zip(wanted, writer.added, strict=True) if one != other}
    for doubt in given.remarks.doubts:
        warnings.warn(doubt, stacklevel=2)
    return PredictedFile(
        tally.rows, tally.labels(), writer.added, renamed, tally.right, tally.unseen.found(), given.remarks.said
    )


class _Tally:
    """Decides the records of batches, and counts the labels."""

    def __init__(self, model: Model | Program, *, strict: bool) -> None:
        if not isinstance(model, Program) and not hasattr(model, "program_"):
            raise ParameterError(f"a {type(model).__name__} is not a model; load one: unless.load('model.json')")
        self._committee = committee_of(model)
        self._program = model if isinstance(model, Program) else model.program_
        self._model = model
        self._used = self._program.used if self._committee is None else self._committee.used
        self._card: ScoreCard | None = getattr(model, "card_", None)
        self._members: set[str] | None = None
        if self._committee is None:
            self.answers = NewColumns.of(self._program, getattr(model, "statistics_", None))
        else:
            self.answers = NewColumns.voted(self._committee.classes)
        self._counts = np.zeros(len(self.answers.labels), dtype=np.int64)
        self.right: int | None = 0
        if strict:
            refuse_ignorance(model, self._program if self._committee is None else self._committee.rules)
        self.unseen = UnseenCounts(None if isinstance(model, Program) else model)
        self._strict = strict

    @property
    def rows(self) -> int:
        """How many records went through."""
        return int(self._counts.sum())

    def results(self, given: Input, progress: Progress | None) -> Iterator[Result]:
        """Yield every batch with the answers for its records."""
        for batch in given.batches():
            yield batch, *self._decide(batch)
            if progress is not None:
                progress(self.rows, given.share)
        if self._members is not None and self.rows:
            for name in self._used:  # a member is missing in a line of JSON only if other lines have it
                if name not in self._members:
                    raise UnknownNameError(f"no column {name!r}{suggest(name, self._members)}")

    def _decide(self, batch: Batch) -> tuple[NewColumns, Choices]:
        """The answers for a batch, and which of them each record gets."""
        table = batch.table(self._model, self._used)
        if isinstance(batch, JsonBatch):
            self._members = (self._members or set()).union(batch.seen)
        self.unseen.add(table)
        if self._strict:
            refuse(self.unseen.found(), f" in the first {self.rows + len(table):,} records")
        choices, shares = self._choices(table)
        self._counts += np.bincount(choices, minlength=len(self._counts))
        if len(table):
            self._compare(choices, table.target)
        return (self.answers, choices) if shares is None else self.answers.with_confidences(choices, shares)

    def _choices(self, table: Table) -> tuple[Choices, NDArray[np.float64] | None]:
        """The answer of every record and, if it is known, the probability of its label."""
        if self._committee is not None:
            sums = self._committee.sums(table)
            return leading(sums).astype(np.int32), probabilities_of(sums).max(axis=1, initial=0.0)
        choices: Choices = deciding_rules(self._program, table) % np.int32(len(self.answers.labels))
        if self._card is None:
            return choices, None
        return choices, self._card.probabilities(table)[np.arange(len(table)), self._card.heads[choices]]

    def _compare(self, choices: Choices, truth: Labels | None) -> None:
        if truth is None or self.right is None:
            self.right = None
            return
        labels = self.answers.labels
        known = [label for label in labels if label is not None]
        places = [class_place(other, known) for other in truth.labels]
        meant = [None if place is None else known[place] for place in places]
        same = np.array([[one is not None and one == other for other in meant] for one in labels])
        self.right += int(np.count_nonzero(same[choices, truth.codes]))

    def labels(self) -> dict[Label | None, int]:
        """How many records got each label, in the order of the rules; records without a label come last."""
        found: dict[Label | None, int] = {}
        for label, count in zip(self.answers.labels, self._counts.tolist(), strict=True):
            if label is not None or count:
                found[label] = found.get(label, 0) + count
        return found
