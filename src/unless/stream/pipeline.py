"""Process one input to one output: read, decide and write records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import cast

from unless.model import Model
from unless.read.batches import File, Input, TextBatch
from unless.rule import Program
from unless.stream.batch_decisions import Outcome, Progress, Tally
from unless.stream.column_types import NumberColumns
from unless.stream.decision_log import DecisionLog, LogOptions, ReasonOptions
from unless.stream.output_file import never_waits, open_output, write_in_thread
from unless.stream.writers import PACKED, TEXTS, WRITERS


@dataclass(frozen=True, slots=True)
class PredictionRun:
    """A model with the options of a prediction: the names of new columns, and the records to reject."""

    model: Model | Program
    prefix: str
    strict: bool
    guarded: bool = False
    """Whether texts of CSV and TSV that a spreadsheet would treat as formulas are escaped."""
    reasons: ReasonOptions | None = None
    log: LogOptions | None = None

    def write(self, given: Input, out: File, form: str, progress: Progress | None = None) -> Outcome:
        """Write the records of an input with the decisions of the model."""
        reasons = self.reasons or (None if self.log is None else ReasonOptions(shown=False))
        log = None if self.log is None else DecisionLog(self.model, self.log, given.places)
        tally = Tally(self.model, strict=self.strict, reasons=reasons, log=log)
        wanted = tuple(self.prefix + name for name in tally.answers.columns())
        with open_output(out, given.places) as file, ExitStack() as stack:
            writer = WRITERS[form](file, wanted, **({"guarded": True} if self.guarded and form in TEXTS else {}))
            if needs_types(given, form) and given.convert is None:
                given.keep(stack)
                given.convert = find_numbers(given, self.model).convert
            results = tally.results(given, progress)
            if never_waits(file) or form in PACKED:
                # One thread writes while the other reads: 1.3 s instead of 1.6 for 1,000,000 records (250 MB).
                write_in_thread(writer.drain, results)
            else:  # Ctrl-C could not stop a thread that waits for a reader
                writer.drain(results)
        counts = tally.labels(), tally.labelled, tally.right, tally.unseen
        return Outcome(*counts, wanted, writer.added, given.said, own=tally.own)


def find_numbers(given: Input, model: Model | Program) -> NumberColumns:
    """Find the columns of a text file that are numbers, by reading the whole file."""
    return NumberColumns.find(cast("Iterator[TextBatch]", given.batches()), model)


def needs_types(given: Input, form: str) -> bool:
    """Whether text is converted to a typed format, which requires reading it twice."""
    return given.is_text and form not in TEXTS
