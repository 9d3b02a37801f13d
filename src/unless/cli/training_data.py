"""Read tables for fit and evaluate, without columns from which nothing can be learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import typer

from unless.cli.console import Screen
from unless.cli.data_options import ColumnOptions, LabelOptions, split_names
from unless.cli.inspect import COMMAND
from unless.cli.loading import DataSource, note_how_read, read_column
from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.explanation.words import join_names, printable
from unless.inspection import Remark, check_labels, find_kind_splits, find_useless_columns, labels_as_texts
from unless.read.column_inference import MissingLabelsError
from unless.table import Column, Labels, Table, part_names
from unless.values import count_text

if TYPE_CHECKING:
    from unless.blocks.block_dataset import BlockDataset

_WORDS = {
    "unique": ("unique", "unique"),
    "nearly-unique": ("nearly unique", "nearly unique"),
    "identifier": ("an identifier", "identifiers"),
    "sentences": ("sentences", "sentences"),
    "number-as-text": ("numbers written as text", "numbers written as text"),
    "date-as-text": ("dates written as text", "dates written as text"),
    "constant": ("constant", "constant"),
    "empty": ("empty", "empty"),
}
ALL_COLUMNS, ALL_LABELLED = ColumnOptions(), LabelOptions()
_MOST = 6  # names of columns that a line lists


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """A table to learn from, and the columns that were left out because they are identifiers or constant."""

    table: Table
    left_out: tuple[Remark, ...]
    blocks: BlockDataset | None = None
    """All records, if they are learned from in blocks; the table then contains only some of them."""
    beside: Mapping[str, Column] = field(default_factory=dict)
    """The columns by which records are split, by name; they are no features unless --include names them."""
    too_kind: tuple[Remark, ...] = ()
    """Remarks on columns that make a random split too easy, if the split is random."""

    def close(self) -> None:
        """Remove the temporary blocks."""
        if self.blocks is not None:
            self.blocks.close()

    def left_out_names(self, options: ColumnOptions) -> set[str]:
        """Return the columns that are not learned from: excluded, or left out."""
        left_out = {str(remark.column) for remark in self.left_out}
        return left_out | set(split_names(options.exclude, self.table.features))

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.table) if self.blocks is None else self.blocks.rows

    @property
    def size(self) -> str:
        """The size of the table, and the columns that were left out.

        "900 records, 7 features; left out: name and ticket (nearly unique), id (an identifier)".
        """
        parts = []
        for code, (one, several) in _WORDS.items():
            names = [str(remark.column) for remark in self.left_out if remark.code == code]
            if names:
                parts.append(f"{join_names(map(printable, names), _MOST)} ({several if len(names) > 1 else one})")
        size = f"{count_text(self.records, 'record')}, {count_text(len(self.table.columns), 'feature')}"
        return f"{size}; left out: {', '.join(parts)}" if parts else size


def read_training(
    screen: Screen,
    data: DataSource,
    target: str,
    columns: ColumnOptions,
    labels: LabelOptions,
    beside: Sequence[str] = (),
) -> TrainingTable:
    """Read a table with labels, without the features that are excluded, look like identifiers or are constant.

    The columns named in ``beside`` are read, but are features only if they are included.
    """
    with screen.busy(f"reading {data.name}"):
        training = read_training_table(data, target, columns, labels, beside)
    note_how_read(screen, data.name, training.table.read_as)
    check_label_kind(screen, training, labels)
    return training


def check_label_kind(screen: Screen, training: TrainingTable, options: LabelOptions) -> None:
    """Reject a target that is a quantity, unless --classes is given; warn if most records have their own label."""
    labels = training.table.labels
    remark = check_labels(labels.name, [str(label) for label in labels.labels], training.records)
    if remark is None or (remark.code == "continuous" and options.classes):
        return
    if remark.code != "continuous":
        screen.note(f"{remark.column!r} {remark.finding}. {COMMAND.advice[remark.code]}")
        return
    raise ReadError(
        f"{remark.column!r} {remark.finding}; rules decide between labels. Make a column of a few ranges of it, such "
        "as low and high, and leave this one out. If its numbers are labels: --classes"
    )


def read_training_table(
    data: DataSource,
    target: str,
    options: ColumnOptions = ALL_COLUMNS,
    labels: LabelOptions = ALL_LABELLED,
    beside: Sequence[str] = (),
) -> TrainingTable:
    """Read a table as `read_training` does, without a screen."""
    names = data.column_names()
    with advise_on_unlabelled():
        table = data.read(target, **options.reading(names), drop_unlabelled=labels.drop_unlabelled)
    names = part_names(names, split_names(options.parts, names))
    excluded, included = split_names(options.exclude, names), split_names(options.include, names)
    check_column_names(table.features, target, excluded, included)
    split_by = {name: _column_beside(data, table, name, options) for name in beside}
    excluded += [name for name in beside if name not in included]
    left_out = tuple(one for one in find_useless_columns(table) if one.column not in {*excluded, *included})
    dropped = {*excluded, *(remark.column for remark in left_out)}
    columns = tuple(column for column in table.columns if column.name not in dropped)
    check_enough_to_learn(table.labels, columns, left_out)
    kind = () if beside else tuple(find_kind_splits(table.columns, labels_as_texts(table.labels)))
    return TrainingTable(replace(table, columns=columns), left_out, beside=split_by, too_kind=kind)


def _column_beside(data: DataSource, table: Table, name: str, options: ColumnOptions) -> Column:
    """Return a column by which records are split; it is read again if its parts have replaced it."""
    if table.target is not None and name == table.target.name:
        raise ParameterError(f"{name!r} is the target, by which records cannot be split")
    if name not in table.parts:
        return table.column(name)
    return read_column(data, table, name, **options.declared([name], options.missing))


@contextmanager
def advise_on_unlabelled() -> Iterator[None]:
    """Add a hint to the error about records without a label: how to leave them out."""
    try:
        yield
    except MissingLabelsError as error:
        raise ReadError(f"{error}\nTo leave them out: --drop-unlabelled") from None


def check_column_names(features: Sequence[str], target: str, excluded: Sequence[str], included: Sequence[str]) -> None:
    """Reject names that are not features, and names that are both excluded and included.

    This check runs after the table is read, because the columns of JSON lines are not known before.
    """
    for name in (*excluded, *included):
        if name == target:
            raise typer.BadParameter(f"{name!r} is the target; it is never a feature", param_hint="--exclude")
        if name not in features:
            raise UnknownNameError(f"no column {name!r}{suggest(name, features)}")
    if both := [name for name in included if name in excluded]:
        raise typer.BadParameter(f"{both[0]!r} is in --exclude too", param_hint="--include")


def check_enough_to_learn(labels: Labels, columns: Sequence[object], left_out: Sequence[Remark]) -> None:
    """Reject a table from which nothing can be learned."""
    if len(labels.labels) < 2:
        raise ReadError(
            f"every record has the label {labels.labels[0]!r} in {labels.name!r}: there is nothing to learn; "
            "is it the right column?"
        )
    if not columns:
        keep = "they look like identifiers, or are constant; to keep one: --include"
        raise ReadError(f"no features are left to learn from{f': {keep} {left_out[0].column}' if left_out else ''}")
