"""Compare the decisions of two programs on the same records: which records change label, or become right or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.explanation.proof import Proof
from unless.explanation.why import proof_of
from unless.model import Model, holdout_rows, model_of
from unless.model.prediction import deciding_rules
from unless.rule import Program
from unless.table import Table
from unless.values import Label, attributes_to_json, label_index, label_to_json


@dataclass(frozen=True, slots=True)
class ChangedRecord:
    """A record that changes label: its number (from 1), its label in the data, and the proof of each program."""

    number: int
    truth: Label | None
    old: Proof
    new: Proof

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        proofs = {"old": self.old.to_dict(), "new": self.new.to_dict()}
        return {"row": self.number, "label_in_data": label_to_json(self.truth), **proofs}


@dataclass(frozen=True, slots=True)
class CorrectnessChange:
    """Counts of records that the old and the new program decide correctly, and that become right or wrong."""

    records: int
    right: tuple[int, int]
    better: int
    worse: int

    @classmethod
    def of(cls, before: NDArray[np.bool_], after: NDArray[np.bool_]) -> CorrectnessChange:
        """Count the changes, given which records each program gets right."""
        right = int(before.sum()), int(after.sum())
        return cls(len(before), right, int((~before & after).sum()), int((before & ~after).sum()))

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return attributes_to_json(self, "records", "right", "better", "worse")


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """The decisions of two programs on the same records.

    ``shifts`` counts the records that change from one label to another, most frequent first; None means no label.
    ``turn`` counts records that become right or wrong; None if the data has no labels. If it is known which records
    neither program was learned from, ``unseen`` covers these records, and ``others`` the rest.
    """

    records: int
    shifts: tuple[tuple[Label | None, Label | None, int], ...]
    switches: tuple[ChangedRecord, ...]
    turn: CorrectnessChange | None = None
    unseen: CorrectnessChange | None = None
    others: CorrectnessChange | None = None

    @property
    def changed(self) -> int:
        """How many records change label."""
        return sum(count for *_, count in self.shifts)

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        pairs = ((label_to_json(old), label_to_json(new), count) for old, new, count in self.shifts)
        turn = dict.fromkeys(("right", "better", "worse")) if self.turn is None else self.turn.to_dict()
        return {
            "records": self.records,
            "changed": self.changed,
            "shifts": [{"old": old, "new": new, "records": count} for old, new, count in pairs],
            "switches": [switch.to_dict() for switch in self.switches],
            **{name: turn[name] for name in ("right", "better", "worse")},
            **attributes_to_json(self, "unseen", "others"),
        }


def compare_records(
    old: Program,
    new: Program,
    old_table: Table,
    new_table: Table,
    most: int = 5,
    unseen: NDArray[np.bool_] | None = None,
) -> RecordComparison:
    """Compare two programs on the same records, given as a table for each, with proofs for the first changed records.

    A text equals the label that it spells, so that a model learned from a text file and a model learned from a data
    frame may agree. If the targets differ, the labels of the data are not used. ``unseen`` marks the records that
    neither program was learned from, if that is known (`find_unseen_records`).
    """
    labelled = old_table.target if old.target == new.target else None
    known: list[Label] = []
    tables = ((old, old_table), (new, new_table))
    before, after = (_label_codes(program.heads, known)[deciding_rules(program, table)] for program, table in tables)
    differ = before != after
    shifts, switches = _count_label_changes(before[differ], after[differ], (old, new), known), []
    for row in np.flatnonzero(differ)[:most].tolist():
        truth = None if labelled is None else labelled.labels[int(labelled.codes[row])]
        proofs = (proof_of(program, table.record(row)) for program, table in tables)
        switches.append(ChangedRecord(old_table.number(row), truth, *proofs))
    if labelled is None:
        return RecordComparison(len(old_table), shifts, tuple(switches))
    codes = _label_codes(labelled.labels, known)[labelled.codes]
    was, is_ = before == codes, after == codes
    parts = (
        ()
        if unseen is None
        else (CorrectnessChange.of(was[unseen], is_[unseen]), CorrectnessChange.of(was[~unseen], is_[~unseen]))
    )
    return RecordComparison(len(old_table), shifts, tuple(switches), CorrectnessChange.of(was, is_), *parts)


def find_unseen_records(*models: tuple[Program | Model, Table]) -> NDArray[np.bool_] | None:
    """Return which records no model was learned from, given a table for each; None if no table is training data."""
    found = [held for model, table in models if (held := _find_held_back(model, table)) is not None]
    return np.logical_and.reduce(found) if found else None


def _find_held_back(model: Program | Model, table: Table) -> NDArray[np.bool_] | None:
    """Return which records a model held back, if the table contains some of its training data."""
    known = model_of(model)
    if known is None or (held := holdout_rows(known, table)) is None or known.origin is None:
        return None
    seen = known.origin.among(known.origin.identities(table, tuple(known.schema.kinds)))
    return held if seen.any() else None


def _label_codes(labels: Sequence[Label | None], known: list[Label]) -> NDArray[np.intp]:
    """Return the index of each label in ``known``, -1 for None; new labels are appended to ``known``."""
    known += [label for label in dict.fromkeys(labels) if label is not None and label_index(label, known) is None]
    places = {label: -1 if label is None else label_index(label, known) for label in labels}
    return np.array([places[label] for label in labels], dtype=np.intp)


def _count_label_changes(
    before: NDArray[np.intp], after: NDArray[np.intp], programs: tuple[Program, Program], known: list[Label]
) -> tuple[tuple[Label | None, Label | None, int], ...]:
    spoken = [{label_index(label, known): label for label in one.labels} for one in programs]
    pairs, counts = np.unique(np.stack([before, after], axis=1), axis=0, return_counts=True)
    found = [
        (spoken[0].get(first), spoken[1].get(second), count)
        for (first, second), count in zip(pairs.tolist(), counts.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda shift: -shift[2]))
