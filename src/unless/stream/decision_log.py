"""Log decisions: a line of JSON for each, with the time, the model's fingerprint, the label and its reasons."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from unless.errors import OverwriteError, UnknownNameError, suggest
from unless.export.fingerprint import fingerprint
from unless.files import FilePath
from unless.model import decider_of
from unless.model.prediction import Decider
from unless.read.batches import Batch, TextBatch
from unless.rule.reason_words import DEFAULT_REASONS, MOST_REASONS, ReasonWords
from unless.score.principal_reasons import ReasonFinder
from unless.storage.shared_log import append_lines
from unless.stream.output_columns import Choices, NewColumns
from unless.table import Table
from unless.values import cell_value, value_to_json

_START = '{"time":"'
"""How each line begins, by which an incomplete one is recognised."""


@dataclass(frozen=True, slots=True)
class ReasonOptions:
    """The wording of reasons, how many each decision has, and whether they are columns of the output."""

    words: ReasonWords = DEFAULT_REASONS
    most: int = MOST_REASONS
    shown: bool = True

    def finder(self, decider: Decider) -> ReasonFinder:
        """Return the finder of reasons for a decider."""
        return ReasonFinder(decider, self.words, self.most)


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The file of a log, the column that identifies records, and whether values of records are logged."""

    path: str | os.PathLike[str]
    key: str | None = None
    values: bool = False


class DecisionLog:
    """Appends decisions to a file, a line for each record."""

    def __init__(self, model: Any, options: LogOptions, inputs: Iterable[FilePath] = ()) -> None:
        decider = decider_of(model)
        self._options, self._inputs, self._used = options, tuple(inputs), decider.used
        self._head = f'","model":{_to_json(fingerprint(decider))}'
        self._rows: dict[str, int] = {}
        self._append(b"")  # fails now rather than after the first decisions

    def append_batch(self, batch: Batch, table: Table, answers: NewColumns, places: Choices) -> None:
        """Append the decisions on the records of a batch; records are counted within each file."""
        first = self._rows.get(batch.where, 0)
        self._rows[batch.where] = first + len(table)
        keys = None if self._options.key is None else _read_keys(batch, self._options.key)
        self.append(table, answers, places, keys, data=batch.where, first=first)

    def append(
        self,
        table: Table,
        answers: NewColumns,
        places: Choices,
        keys: Sequence[object] | None,
        *,
        data: str | None = None,
        first: int = 0,
    ) -> None:
        """Append the decisions on the records of a table."""
        head = _START + datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") + self._head
        head += "" if data is None else f',"data":{_to_json(data)}'
        decided, lines = [_to_json(one)[1:] for one in answers.decisions()], list[str]()
        for row, place in enumerate(places.tolist()):
            key = "" if keys is None else f',"key":{_to_json(_key_text(keys[row]))}'
            values = f',"values":{_to_json(self._values(table, row))}}}' if self._options.values else "}"
            lines.append(f'{head},"record":{first + row + 1}{key},{decided[place][:-1]}{values}\n')
        self._append("".join(lines).encode())

    def _append(self, lines: bytes) -> None:
        append_lines(self._options.path, lines, _START.encode(), self._inputs)

    def _values(self, table: Table, row: int) -> Mapping[str, object]:
        record = table.record(row)
        return {name: value_to_json(record[name]) for name in self._used}


def _to_json(found: object) -> str:
    """Write JSON in ASCII, which any reader of the log decodes alike."""
    return json.dumps(found, separators=(",", ":"), allow_nan=False)


def _read_keys(batch: Batch, name: str) -> list[object]:
    """Read the cells of the column that identifies records."""
    if name not in batch.names:
        raise UnknownNameError(f"{batch.where} has no column {name!r} to identify records{suggest(name, batch.names)}")
    if isinstance(batch, TextBatch):
        return batch.texts([name]).get_column(name).to_list()
    return batch.frame().get_column(name).to_list()


def _key_text(key: object) -> str | None:
    """Write a key as text, whatever its type in the data."""
    return None if cell_value(key) is None else key.isoformat() if isinstance(key, date | time) else str(key)


def refuse_same_output(path: str | os.PathLike[str], out: object) -> None:
    """Raise an error if the log is the file to write, which would replace it."""
    if isinstance(out, (str, os.PathLike)) and os.path.realpath(path) == os.path.realpath(out):
        raise OverwriteError(f"{os.fspath(path)!r} is the output, which would replace the log; name another file")
