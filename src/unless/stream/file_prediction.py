"""Predictions for files of any size: every record unchanged, with its label, its rule and their probabilities."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from unless.errors import ParameterError
from unless.evaluation.training_overlap import OverlapAccuracy
from unless.evaluation.unseen_values import Unseen
from unless.model import Model
from unless.read.batches import File, Input
from unless.read.dialect import NO_REMARKS
from unless.read.dialect_detection import merge_remarks
from unless.read.options import ReadOptions
from unless.rule import Program
from unless.stream.batch_decisions import Progress
from unless.stream.output_columns import refuse_surrogates
from unless.stream.output_file import form_of_output
from unless.stream.partitions import choose_folder, predict_parts
from unless.stream.pipeline import PredictionRun
from unless.values import Label

BLOCK = 1 << 23


@dataclass(frozen=True, slots=True)
class PredictedFile:
    """What was written: how many records, how many with each label (None: not decided), and the names of new columns.

    ``renamed`` has the new columns that got another name than usual, because the input has a column of that name.
    ``right`` is how many of the ``labelled`` records got the label that the input gives; None if no record has one.
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
    files: tuple[str, ...] = ()
    """The parts that were written to a folder, by name."""
    own: OverlapAccuracy | None = None
    """If these records are the training data: how good the model is on those held back, and on the others."""
    labelled: int = 0
    """How many records of the input have a label."""

    @property
    def undecided(self) -> int:
        """How many records got no label."""
        return self.labels.get(None, 0)

    @property
    def accuracy(self) -> float | None:
        """The share of the labelled records that got the label that the input gives."""
        return None if self.right is None or not self.labelled else self.right / self.labelled

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
) -> PredictedFile:
    """Write the records of a file with what a model decides, in memory that does not grow with the file.

    ``source`` is a path, as `read_table` takes it, a folder of parts, a pattern that they match, such as
    ``parts/*.csv``, or a file opened to read bytes; ``format`` says what it is, whatever its name ends in;
    ``delimiter``, ``decimal``, ``encoding``, ``sheet``, ``header_row`` and ``skip`` say how it is written, as in
    `read_table`. ``out`` is a path, or a file opened to write bytes. ``to`` is the format to write; without it the
    ending of the path tells: CSV, TSV, JSON lines (these also with ``.gz``), Parquet, Arrow or Excel. A path is
    written whole or not at all. A file that is read is never written to.

    ``out`` may be a folder: it exists, its name ends with a slash, or it has no ending and there are several parts.
    Each part is then written to a part of the same name there, in the format of the input or ``to``. The parts are
    still one table: they have the same columns, and their outputs the same types. ``n_jobs`` is the number of processes
    that share them, -1 one for each core; by default as many as are worth starting. Parts that are done stay, whatever
    happens to others. One output file has the parts in the order of their names.

    All columns are kept. The new ones are ``predicted`` (the label), ``probability`` (of that label, as `predict_proba`
    gives it), ``expected_precision`` (the share that the deciding rule is expected to get right on new records) and
    ``rule`` (its number, from 1; empty where no rule decides), shares to six digits. ``prefix`` is put before these
    names, and a number after a name that is taken. A `Program` has only ``predicted`` and ``rule``, a committee, in
    which no single rule decides, only ``predicted`` and ``probability``.

    From text to text of the same format the records are copied byte for byte, with new fields at the end: the output
    has the delimiter, the decimal sign and the encoding of the input. Otherwise it is plain UTF-8, and cells keep
    their types. From a text file to one with types (JSON lines, Parquet, Arrow, Excel), a column is numbers if every
    cell is a number that comes back the same, or is missing (`unless.stream.column_types`); to find out, the file is
    read twice, and what comes through a pipe is kept in a temporary file.

    ``strict`` refuses records that hold what training did not have: other categories, numbers outside the range, text
    in a column of numbers. A path is not written then; of several parts, each is looked at alone.

    ``guard_formulas`` puts an apostrophe before texts of CSV and TSV that a spreadsheet would take for formulas, since
    they begin with =, +, -, @, a tab or a line break: labels, names of columns and all other cells. Numbers stay
    numbers. Records are then written anew, not copied. Other formats, Excel among them, say what is text.

    About ``block`` bytes are read at a time. ``progress`` is called with the number of records done, and the share of
    the input that has been read, None if it is not known.
    """
    refuse_surrogates("the prefix", prefix)
    options = ReadOptions(format, delimiter, decimal, encoding, sheet, header_row, skip)
    run = PredictionRun(model, prefix, strict, guard_formulas)
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
