"""The principal reasons for decisions: up to four for each record, with codes and texts of one's own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unless.errors import UnknownNameError, suggest
from unless.explanation import proof_rendering
from unless.explanation.input_records import find_method, read_records, wrap_single_record
from unless.explanation.reasons_file import read_reason_words
from unless.explanation.words import printable
from unless.model import Model, decider_of, used_by
from unless.model.prediction import Decider, decide
from unless.rule.reason_words import DEFAULT_REASONS, MOST_REASONS, Reason, ReasonWords
from unless.score.principal_reasons import ReasonFinder, TableReasons, require_wording, rules_of_list
from unless.score.score_decider import committee_of
from unless.table import Column, Table
from unless.table.to_frames import data_frame
from unless.values import Label, count_text, label_to_json

_SHOWN = 10
"""How many records are printed."""

Wording = ReasonWords | str | os.PathLike[str] | None
"""The wording of reasons: as a value, as the path of a TOML file, or None for the names of factors."""


def reasons(model: Any, X: Any, words: Wording = None, most: int = MOST_REASONS) -> Reasons:  # noqa: N803
    """Find the principal reasons for the decisions on records, at most ``most`` for each.

    Parameters
    ----------
    model
        A program, a model or a fitted classifier, which reads records as it read the training records.
    X
        The records: one or several, as for `unless.explain`, or a `Table`.
    words
        The wording, or the path of its TOML file; every reason that the model can give must have one.

    Returns
    -------
    Reasons
        Prints itself; ``frame()`` has a row for each record, ``counts()`` one for each label and code.
    """
    if (ask := find_method(model, "reasons")) is not None:
        return ask(X, words=words, most=most)  # type: ignore[no-any-return]
    return table_reasons(decider_of(model), read_reason_table(model, X), reason_words(words, model), most)


def reason_words(words: Wording, model: Decider | Model | Any) -> ReasonWords:
    """Return the wording of reasons for a model; it must have one for each reason that the model can give."""
    if words is None:
        return DEFAULT_REASONS
    found = words if isinstance(words, ReasonWords) else read_reason_words(words, model)
    require_wording(decider_of(model), found)
    return found


def table_reasons(decider: Decider, table: Table, words: ReasonWords, most: int) -> Reasons:
    """Find the reasons for the decisions on the records of a table."""
    choices = decide(decider, table).choices
    found = ReasonFinder(decider, words, most).find(table, choices)
    labels = tuple(decider.heads[one] for one in choices.tolist())
    if committee_of(decider) is not None:
        return Reasons(decider.target, labels, None, None, found)
    rules, program = rules_of_list(decider, table, choices).tolist(), decider.lists[0]
    numbers = tuple(one + 1 if 0 <= one < len(program.rules) else None for one in rules)
    return Reasons(decider.target, labels, numbers, tuple(program.heads[one] for one in rules), found)


def read_reason_table(model: Any, X: Any) -> Table:  # noqa: N803
    """Read records as a table of the features that decisions and probabilities need."""
    if isinstance(X, Table):
        return X
    records, used = read_records(model, wrap_single_record(X)), used_by(model)
    for name in used:
        if (near := next((suggest(name, map(str, one)) for one in records if name not in one), None)) is not None:
            raise UnknownNameError(f"the rules test {name!r}, which a record does not have{near}")
    return Table(tuple(Column.of(name, [one[name] for one in records]) for name in used), rows=len(records))


@dataclass(frozen=True, eq=False, repr=False)
class Reasons:
    """The principal reasons for the decisions on some records, the first one first.

    ``rules`` are the numbers of the first rules that cover the records, from 1, and ``rule_labels`` their labels, which
    the records have unless costs or points decide; None for a committee. Iterating gives the reasons of each record, as
    tuples of `Reason`.
    """

    target: str
    labels: tuple[Label | None, ...]
    rules: tuple[int | None, ...] | None
    rule_labels: tuple[Label | None, ...] | None
    found: TableReasons

    @property
    def most(self) -> int:
        """The number of reasons that a record may have."""
        return int(self.found.places.shape[1])

    def __len__(self) -> int:
        """The number of records."""
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[Reason, ...]]:
        return map(self.found.of_row, range(len(self)))

    def __getitem__(self, row: int) -> tuple[Reason, ...]:
        """Return the reasons of one record, counted from 0."""
        return self.found.of_row(range(len(self))[row])

    def frame(self) -> Any:
        """Return a data frame with a row for each record: label, rule, the codes and the texts of its reasons."""
        numbers = {} if self.rules is None else {"rule": list(self.rules)}
        cells: dict[str, list[Any]] = {self.target: list(self.labels), **numbers}
        rows = list(self)
        for name, part in (("reason_{}", "code"), ("reason_{}_text", "text")):
            for place in range(self.most):
                own = [getattr(row[place], part) if place < len(row) else None for row in rows]
                cells[name.format(place + 1)] = own
        return data_frame(cells)

    def counts(self) -> Any:
        """Return a data frame with the number of records that have each reason, by label."""
        rows = self.count_rows()
        names = ("label", "code", "text", "records", "share")
        return data_frame({name: [row[place] for row in rows] for place, name in enumerate(names)})

    def count_rows(self) -> list[tuple[Label | None, str, str, int, float]]:
        """Return label, code, text, records and their share of the label's records, most frequent first."""
        found = []
        for label in sorted(dict.fromkeys(self.labels), key=lambda one: (one is None, str(one))):
            rows = np.array([one == label for one in self.labels])
            own = TableReasons(self.found.reasons, self.found.places[rows])
            size = int(rows.sum())
            found += [(label, one.code, one.text, count, count / size) for one, count in own.counts().items()]
        return found

    def sentence(self, row: int = 0) -> str:
        """Return the label of a record and its reasons: "refuse (rule 2): R01, R03"."""
        named = "; ".join(printable(str(one)) for one in self[row])
        said = f"{_label_text(self.labels[row])}{self._rule_text(row)}"
        return f"{said}: {named or 'no reasons'}"

    def _rule_text(self, row: int) -> str:
        """Name the rule that covers a record first, and its label if the record has another one."""
        if self.rules is None or self.rule_labels is None:
            return ""
        rule = "otherwise" if self.rules[row] is None else f"rule {self.rules[row]}"
        own = self.rule_labels[row]
        return f" ({rule})" if own == self.labels[row] else f" ({rule} says {_label_text(own)})"

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        rules = self.rules or (None,) * len(self)
        records = [
            {"label": label_to_json(label), "rule": rule, "reasons": reasons_to_json(own)}
            for label, rule, own in zip(self.labels, rules, self, strict=True)
        ]
        counts = [
            {"label": label_to_json(label), "code": code, "text": text, "records": records, "share": share}
            for label, code, text, records, share in self.count_rows()
        ]
        return {"target": self.target, "records": records, "counts": counts}

    def _lines(self) -> list[str]:
        lines = [f"record {row + 1}: {self.sentence(row)}" for row in range(min(len(self), _SHOWN))]
        more = len(self) - _SHOWN
        return [*lines, f"… and {count_text(more, 'more record')}"] if more > 0 else lines

    def _repr_html_(self) -> str | None:
        return proof_rendering.render_list(f"reasons for {printable(self.target)}", self._lines())

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__


def _label_text(label: Label | None) -> str:
    return "not decided" if label is None else printable(str(label))


def reasons_to_json(reasons: tuple[Reason, ...]) -> list[Mapping[str, str]]:
    """Convert reasons to values that JSON supports."""
    return [{"code": one.code, "text": one.text} for one in reasons]
