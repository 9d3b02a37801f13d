"""Measure the drift in a file since a model was learned, in memory that does not grow with the file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError, UnknownNameError, suggest
from unless.evaluation.drift import compare_counts
from unless.evaluation.drift_counts import DriftCounts, class_indices
from unless.evaluation.drift_results import Watch
from unless.evaluation.significance import ALPHA
from unless.model import Model
from unless.read.batches import Batch, File, Input, JsonBatch
from unless.read.dialect_detection import merge_remarks
from unless.read.options import ReadOptions
from unless.stream.batch_decisions import Progress
from unless.table import Labels, Schema, Table

BLOCK = 1 << 23


def watch_file(  # noqa: PLR0913 - one parameter for each choice of the caller
    model: Model,
    source: File,
    *,
    labels: str | None = None,
    reference: File | None = None,
    alpha: float = ALPHA,
    least: float = 0.0,
    format: str | None = None,  # noqa: A002 - callers write format="csv"
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip: int | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> Watch:
    """Measure the drift in a file since a model was learned: see `unless.evaluation.drift`.

    ``source`` and its options are as in `predict_file`. ``labels`` names the column of true labels; by default, it is
    the column with the name of the target, if there is one. Some records may have no label yet.
    ``reference`` is an earlier file to compare with, instead of training.
    """
    options = ReadOptions(format, delimiter, decimal, encoding, sheet, header_row, skip)
    earlier = None
    if reference is not None:
        earlier, _ = _count_input(model, Input(reference, options, block), labels, None)
    found, said = _count_input(model, Input(source, options, block), labels, progress)
    return replace(compare_counts(found, alpha=alpha, least=least, reference=earlier), read_as=said)


def _count_input(model: Model, given: Input, labels: str | None, progress: Progress | None) -> tuple[DriftCounts, str]:
    """Count the records of an input; also return how it was read."""
    counts, rows, members = DriftCounts(model), 0, set[str]()
    like = _BatchReading.of(counts.model, labels)
    for batch in given.batches():
        table, truth = like.read(batch, counts, asked=labels is not None)
        counts.add(table, truth)
        rows += len(table)
        members |= batch.seen if isinstance(batch, JsonBatch) else set(batch.names)
        if progress is not None:
            progress(rows, given.share)
    lacking = [name for name in (*counts.used, *([labels] if labels else ())) if name not in members]
    if rows and lacking:  # a member missing in some lines of JSON must occur in others
        raise UnknownNameError(f"no column {lacking[0]!r}{suggest(lacking[0], members)}")
    remarks = merge_remarks(given.said) if given.said else None
    for guess in remarks.guesses if remarks else ():
        warnings.warn(guess, stacklevel=3)
    return counts, remarks.said if remarks else ""


@dataclass(frozen=True, slots=True)
class _BatchReading:
    """How to read the columns of the model, and the labels as a column of text with possibly missing cells."""

    schema: Schema
    domain: Table
    labels: str

    @classmethod
    def of(cls, model: Model, labels: str | None) -> _BatchReading:
        name = labels or model.program.target
        if name in model.schema.kinds:
            raise ReadError(f"{name!r} is a feature of the model, not its true labels; name another column")
        kinds: Mapping[str, Any] = {**model.schema.kinds, name: "text"}
        return cls(replace(model.schema, kinds=kinds, target=None), model.domain, name)

    def read(self, batch: Batch, counts: DriftCounts, *, asked: bool) -> tuple[Table, NDArray[np.intp] | None]:
        """Read the features of a batch, and the indices of its labels among the classes; None without labels."""
        names = set(batch.names)
        labelled = asked or isinstance(batch, JsonBatch) or self.labels in names
        features = [name for name in counts.wanted if name in names or name in counts.used]
        table = batch.table(self, [*features, self.labels] if labelled else features)
        if not labelled:
            return table, None
        column = table.column(self.labels)
        texts = tuple(str(column.value(code)) for code in range(column.missing))
        truth = class_indices((*texts, None), counts.classes)[column.codes]
        known = column.codes[column.codes < column.missing]
        counts.unseen.add_labels(Labels(self.labels, texts, known))
        return table, truth if len(known) else None
