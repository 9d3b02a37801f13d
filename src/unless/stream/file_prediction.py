"""Predict for files of any size: write every record unchanged, with its label, its rule and their probabilities."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

from unless.errors import ParameterError
from unless.evaluation.training_overlap import OverlapAccuracy
from unless.evaluation.unseen_values import Unseen
from unless.explanation.decision_reasons import reason_words
from unless.model import Model
from unless.read.batches import File, Input
from unless.read.dialect import NO_REMARKS
from unless.read.dialect_detection import merge_remarks
from unless.read.options import ReadOptions
from unless.rule import Program
from unless.rule.reason_words import MOST_REASONS, ReasonWords
from unless.stream.batch_decisions import Progress
from unless.stream.decision_log import LogOptions, ReasonOptions, refuse_same_output
from unless.stream.output_columns import refuse_surrogates
from unless.stream.output_file import form_of_output
from unless.stream.partitions import choose_folder, predict_parts
from unless.stream.pipeline import PredictionRun
from unless.values import Label

BLOCK = 1 << 23


@dataclass(frozen=True, slots=True)
class PredictedFile:
    """The summary of a prediction: the records, the count of each label (None: not decided), and the new columns.

    ``renamed`` has the new columns with another name than usual, because the input has a column of the usual name.
    ``right`` counts the ``labelled`` records whose prediction is their label in the input; None if no record has one.
    ``unseen`` lists the values of the records that did not occur in training.
    """

    rows: int
    labels: dict[Label | None, int]
    columns: tuple[str, ...]
    renamed: dict[str, str]
    right: int | None
    unseen: tuple[Unseen, ...] = ()
    read_as: str = ""
    """How the input was read, if in an unusual way, as in `Table.read_as`."""
    files: tuple[str, ...] = ()
    """The parts that were written to a folder, sorted by name."""
    own: OverlapAccuracy | None = None
    """If the records are the training data: the quality of the model on held-back records and on the others."""
    labelled: int = 0
    """The number of records of the input that have a label."""

    @property
    def undecided(self) -> int:
        """The number of records that no rule decided."""
        return self.labels.get(None, 0)

    @property
    def accuracy(self) -> float | None:
        """The share of the labelled records whose prediction is their label in the input."""
        return None if self.right is None or not self.labelled else self.right / self.labelled

    def to_dict(self) -> dict[str, Any]:
        """Convert the summary to a JSON object."""
        labels = [{"label": label, "records": count} for label, count in self.labels.items() if label is not None]
        return {
            "records": self.rows,
            "labels": labels,
            "undecided": self.undecided,
            "columns": list(self.columns),
            "renamed": self.renamed,
            "accuracy": self.accuracy,
            "labelled": self.labelled,
            "own": self.own and self.own.to_dict(),
            "unseen": [one.to_dict() for one in self.unseen],
            "read_as": self.read_as,
            "files": list(self.files),
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
    header_row: int | None = None,
    skip: int | None = None,
    to: str | None = None,
    prefix: str = "",
    strict: bool = False,
    guard_formulas: bool = False,
    block: int = BLOCK,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    reasons: ReasonWords | str | os.PathLike[str] | bool = False,
    most: int = MOST_REASONS,
    log: LogOptions | str | os.PathLike[str] | None = None,
) -> PredictedFile:
    """Write the records of a file with the decisions of a model, in memory that does not grow with the file.

    ``source`` is a path, as `read_table` takes it, a folder of parts, a pattern that they match, such as
    ``parts/*.csv``, or a file opened to read bytes; ``format`` is its format, whatever its name ends in;
    ``delimiter``, ``decimal``, ``encoding``, ``sheet``, ``header_row`` and ``skip`` describe how it is written, as in
    `read_table`. ``out`` is a path, or a file opened to write bytes. ``to`` is the format to write; without it, the
    ending of the path decides: CSV, TSV, JSON lines (these also with ``.gz``), Parquet, Arrow or Excel. A path is
    written completely or not at all. A file that is read is never written to.

    ``out`` may be a folder: it exists, its name ends with a slash, or it has no ending and there are several parts.
    Each part is then written to a part of the same name there, in the format of the input or ``to``. The parts are
    still one table: they have the same columns, and their outputs have the same types. ``n_jobs`` is the number of
    processes that share the parts, -1 for one per core; by default as many as are worth starting. Finished parts stay,
    even if other parts fail. A single output file contains the parts sorted by name.

    All columns are kept. The new ones are ``predicted`` (the label), ``probability`` (of that label, as `predict_proba`
    gives it), ``expected_precision`` (the expected share of correct decisions of the rule on new records) and
    ``rule`` (its number, from 1; empty where no rule decides), shares to six digits. ``prefix`` is put before these
    names, and a number after a name already in use. A `Program` gives only ``predicted`` and ``rule``; a committee, in
    which no single rule decides, gives only ``predicted`` and ``probability``.

    From text to text of the same format the records are copied byte for byte, with new fields at the end: the output
    has the delimiter, the decimal sign and the encoding of the input. Otherwise it is plain UTF-8, and cells keep
    their types. From a text file to a typed format (JSON lines, Parquet, Arrow, Excel), a column becomes numbers if
    every cell is missing or a number that reads back unchanged (`unless.stream.column_types`); to find these columns,
    the file is read twice, and pipe input is copied to a temporary file.

    ``strict`` raises an error for records with values that training did not have: other categories, numbers outside the
    range, text in a column of numbers. The path is then not written; of several parts, each is checked separately.

    ``guard_formulas`` puts an apostrophe before texts of CSV and TSV that a spreadsheet would treat as formulas, since
    they begin with =, +, -, @, a tab or a line break: labels, names of columns and all other cells. Numbers stay
    numbers. Records are then rewritten, not copied. Other formats, including Excel, mark text as text.

    ``reasons`` adds the principal reasons for each decision, at most ``most``: their codes (``reason_1``, …) and texts
    (``reason_1_text``, …). It is True, or the wording, or the path of its TOML file (`unless.explanation.reasons`).

    ``log`` is a file to which a line of JSON is appended for each decision: the time, the fingerprint of the model, the
    file and the number of the record, its label, rule, probability and codes of reasons; `LogOptions` also takes a
    column that identifies records, and whether the values that rules test are logged. Decisions are logged before they
    are written: a run that fails has logged those that it made.

    About ``block`` bytes are read at a time. ``progress`` is called with the number of records done and the share of
    the input that has been read, None if unknown.
    """
    refuse_surrogates("the prefix", prefix)
    options = ReadOptions(format, delimiter, decimal, encoding, sheet, header_row, skip)
    words = reason_words(None if isinstance(reasons, bool) else reasons, model)
    own = None if reasons is False else ReasonOptions(words, most)
    named = LogOptions(log) if isinstance(log, (str, os.PathLike)) else log
    if named is not None:
        refuse_same_output(named.path, out)
    run = PredictionRun(model, prefix, strict, guard_formulas, own, named)
    if (folder := choose_folder(out, source, to)) is not None:
        done = predict_parts(run, source, folder, options, to=to, block=block, n_jobs=n_jobs, progress=progress)
    else:
        if n_jobs is not None:
            raise ParameterError("several processes are for parts: write to a folder, whose name ends with /")
        given = Input(source, options, block)
        done = run.write(given, out, form_of_output(out, to, given.form, source), progress)
    remarks = merge_remarks(done.said) if done.said else NO_REMARKS
    for guess in remarks.guesses:
        warnings.warn(guess, stacklevel=2)
    renamed = {one: other for one, other in zip(done.wanted, done.columns, strict=True) if one != other}
    return PredictedFile(
        done.rows,
        done.labels,
        done.columns,
        renamed,
        done.right if done.labelled else None,
        done.unseen.found(),
        remarks.said,
        tuple(done.files),
        None if done.own is None else done.own.found(),
        done.labelled,
    )
