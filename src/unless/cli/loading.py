"""Load models, and tables of records that are read like a model's training data."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import standard_input
from unless.cli.layout import shell_word
from unless.errors import LimitError, ParameterError, ProgramError, ReadError, UnknownNameError, suggest
from unless.estimators.model_file import read as read_file
from unless.estimators.model_file import read_stream
from unless.model import Model as FittedModel
from unless.model import decider_of
from unless.rule import Program
from unless.values import Label, count_text, label_index, parse_number

if TYPE_CHECKING:
    from unless.table import Column, Table

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx")


# Tables.


@dataclass(frozen=True, slots=True)
class DataSource:
    """A source of records, and how to read it; it is opened once, because a pipe can be read only once."""

    name: str
    """The argument as typed: a path, or - for standard input."""
    source: Any
    """The input for `read_table`: the path, or the bytes of a pipe."""
    file: FileOptions

    @classmethod
    def of(cls, data: str, file: FileOptions) -> DataSource:
        """Open the source that an argument names; standard input and named pipes, such as ``<(…)``, are read."""
        if data == "-":
            return cls(data, standard_input("… - < data.csv").buffer.read(), file.piped)
        path = Path(data)
        return cls(data, path.read_bytes(), file.piped) if path.is_fifo() else cls(data, data, file)

    def column_names(self) -> list[str]:
        """Return the names of the columns."""
        from unless.read.table import read_names

        return read_names(self.source, self.file.read_options())

    def read(
        self, target: str | None = None, *, features: Sequence[str] | None = None, like: Any = None, **columns: Any
    ) -> Table:
        """Read the table with `read_table`; ``columns`` are fields of `ReadOptions`."""
        from unless.read.table import read_with

        return read_with(self.source, self.file.read_options(**columns), target, features=features, like=like)

    def known_features(self, model: Any, used: Sequence[str]) -> list[str]:
        """Return the features that rules use or, if these may be the model's own records, all training features.

        The column by which the model's records were split is added if it is there.
        """
        if isinstance(model, Program) or model.origin is None:
            return list(used)
        there = model.schema.available(self.column_names())
        return [name for name in model.split_features if name in there or name in used]


def read_records(screen: Screen, data: DataSource, target: str | None = None, **options: Any) -> Table:
    """Read a table with a progress bar, and print how the file was read, if that is unusual."""
    restore_ctrl_c()
    with screen.busy(f"reading {data.name}"), name_missing_columns(by_model=target is None, data=data.name):
        table = data.read(target, **options)
    note_how_read(screen, data.name, table.read_as)
    return table


def read_column(data: DataSource, table: Table, name: str, **columns: Any) -> Column:
    """Read one column for the records of a table that was read from the same data."""
    found = data.read(features=[name], **columns)
    return found[[table.number(row) - 1 for row in range(len(table))]].column(name)


def read_labelled(
    screen: Screen, data: DataSource, model: Any, target: str | None = None, features: Sequence[str] | None = None
) -> Table:
    """Read a table like a model's training data; if most records have labels, leave out records without.

    By default, the features of training are read, and the column by which its records were split.
    """
    from unless.read.column_inference import MissingLabelsError

    if features is None and not isinstance(model, Program) and len(model.split_features) > len(model.schema.kinds):
        features = data.known_features(model, list(model.schema.kinds))
    try:
        table = read_records(screen, data, target, like=model, features=features)
    except MissingLabelsError:
        table = replace(read_records(screen, data, like=model, features=features), target=None)
    return with_labels(screen, data, model, table, target)


def with_labels(screen: Screen, data: DataSource, model: Any, table: Table, target: str | None = None) -> Table:
    """Return the table with its labels; if most records have labels, records without are left out.

    Records without labels are also left out if they were left out when the model was learned.
    """
    from unless.model import find_training_overlap
    from unless.read.table import take_labelled

    if table.target is not None:
        return table
    try:
        labelled = data.read(target, like=model, features=(), drop_unlabelled=True)
    except ReadError:  # there are no labels, or labels of mixed types
        return table
    if labelled.target is None:
        return table
    some = take_labelled(table, labelled)
    if 2 * len(some) < len(table) and (isinstance(model, Program) or find_training_overlap(model, some) is None):
        return table
    without, where = len(table) - len(some), f"{count_text(len(table), 'record')} of {data.name}"
    screen.note(f"{without:,} of {where} have no label in {labelled.labels.name!r}; they are left out")
    return some


def with_model_classes(model: FittedModel, table: Table, data: str, advice: str) -> Table:
    """Return the table with the model's classes as labels; reject a label that the model does not know."""
    from unless.evaluation.metrics import align_labels
    from unless.evaluation.unseen_values import unknown_labels
    from unless.table import Labels

    if strange := unknown_labels(model, table.labels):
        raise ReadError(f"{data}: {strange[0]}; {advice}")
    classes = model.statistics.classes
    return replace(table, target=Labels(model.program.target, classes, align_labels(table.labels, classes).codes))


def note_how_read(screen: Screen, data: str, read_as: str) -> None:
    """Print how a file was read, if that is unusual."""
    if read_as:
        screen.note(f"{source_name(data)}: {read_as}")


def source_name(data: str) -> str:
    """Return the name of a data argument for messages."""
    return "standard input" if data == "-" else data


def restore_ctrl_c() -> None:
    """Let Python handle Ctrl-C again, after polars took it over when it was imported.

    With polars' handler, waiting for a pipe cannot be interrupted, and KeyboardInterrupt may be raised again during
    cleanup.
    """
    import_module("polars")
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


@contextmanager
def show_stream_progress(
    screen: Screen, doing: str, data: str, *, by_model: bool = True
) -> Iterator[Callable[[int, float | None], None]]:
    """Show the progress of reading a file; yield a function to call with records and the share that was read."""
    restore_ctrl_c()
    with screen.busy(doing) as update, name_missing_columns(by_model=by_model, data=data):
        yield lambda rows, share: update(
            completed=share or 0.0, total=None if share is None else 1.0, said=f"{rows:,} records"
        )


@contextmanager
def name_missing_columns(by_model: bool, data: str) -> Iterator[None]:
    """Add to an error about a missing column that the model needs this column."""
    try:
        yield
    except UnknownNameError as error:
        if not by_model:
            raise
        raise UnknownNameError(f"{source_name(data)}: {error}\nThe model needs it.") from None


# Models.


def read_any_model(path: str) -> FittedModel | Program:
    """Read a model or a committee, or a program from a file with only rules."""
    if path == "-":
        return read_stream(standard_input("… - < model.json").buffer, "standard input")
    try:
        return read_file(path)
    except (ProgramError, LimitError):
        if path.lower().removesuffix(".gz").endswith(_TABLES):
            fit = f"unless fit {shell_word(path)} --target COLUMN -o model.json"
            raise ParameterError(f"{path} is a table, not a model; to make one: {fit}") from None
        raise


def read_model(path: str, command: str) -> FittedModel | Program:
    """Read a model, or a program from a file with only rules; reject a committee."""
    found = read_any_model(path)
    if not (decider := decider_of(found)).by_rule:
        raise ParameterError(
            f"{path} is a {decider.noun}, and {command} takes one list that decides by its rules; to see the list of "
            f"this model: unless show {shell_word(path)}; to learn one: unless fit --decide rules, without --reject"
        )
    return found


def read_fitted_model(path: str, unknown: str) -> FittedModel:
    """Read a model that fit wrote; reject a file with only rules, naming what is ``unknown`` in the error."""
    found = read_any_model(path)
    if isinstance(found, Program):
        raise ParameterError(f"{path} has only rules, not {unknown} a model that fit wrote")
    return found


def match_label(labels: Sequence[Label], text: str, complaint: str) -> Label:
    """Return the label that a text spells, of any type: ``1`` is 1 or 1.0, ``true`` is True."""
    index = label_index(text, labels)
    if index is None:
        texts = any(isinstance(label, str) for label in labels)
        shown = repr(text) if texts or parse_number(text) is None else text  # arguments from the shell are always text
        raise UnknownNameError(f"{complaint} {shown}{suggest(text, labels)}")
    return labels[index]
