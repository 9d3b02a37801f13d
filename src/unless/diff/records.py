"""What two programs decide on the same records: which records change label, and how many become right or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.explanation.proof import Proof
from unless.explanation.why import proof_of
from unless.prediction import deciding_rules
from unless.rule import Program
from unless.table import Labels, Table
from unless.values import Label, label_data, label_place


@dataclass(frozen=True, slots=True)
class Switch:
    """A record that changes label: its number from 1, its label in the data, and the proof of each program."""

    number: int
    truth: Label | None
    old: Proof
    new: Proof

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, dicts and values that JSON can hold."""
        proofs = {"old": self.old.to_dict(), "new": self.new.to_dict()}
        return {"row": self.number, "label_in_data": label_data(self.truth), **proofs}


@dataclass(frozen=True, slots=True)
class Effect:
    """What two programs do on the same records.

    ``shifts`` has the number of records that change from one label to another, the largest first; None is no label.
    ``right`` is how many records each program gets right, ``better`` and ``worse`` how many become right and wrong;
    these are None if the data has no labels.
    """

    records: int
    shifts: tuple[tuple[Label | None, Label | None, int], ...]
    switches: tuple[Switch, ...]
    right: tuple[int, int] | None
    better: int | None
    worse: int | None

    @property
    def changed(self) -> int:
        """How many records change label."""
        return sum(count for *_, count in self.shifts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, dicts and values that JSON can hold."""
        return {
            "records": self.records,
            "changed": self.changed,
            "shifts": [
                {"old": label_data(old), "new": label_data(new), "records": count} for old, new, count in self.shifts
            ],
            "switches": [switch.to_dict() for switch in self.switches],
            "right": None if self.right is None else list(self.right),
            "better": self.better,
            "worse": self.worse,
        }


def compare_records(old: Program, new: Program, old_table: Table, new_table: Table, most: int = 5) -> Effect:
    """Compare two programs on the same records, given as a table for each, with proofs of the first ``most`` switches.

    A text and the label that it spells are the same: a model of a text file and one of a data frame may agree.
    If the targets differ, no labels of the data are compared with.
    """
    labelled = old_table.target if old.target == new.target else None
    known: list[Label] = []
    before, after = (
        _codes(program.heads, known)[deciding_rules(program, table)]
        for program, table in ((old, old_table), (new, new_table))
    )
    differ = before != after
    tables = ((old, old_table), (new, new_table))
    switches = tuple(
        Switch(row + 1, _truth(labelled, row), *(proof_of(one, table.record(row)) for one, table in tables))
        for row in np.flatnonzero(differ)[:most].tolist()
    )
    shifts = _shifts(before[differ], after[differ], (old, new), known)
    if labelled is None:
        return Effect(len(old_table), shifts, switches, None, None, None)
    truth = _codes(labelled.labels, known)[labelled.codes]
    was, is_ = before == truth, after == truth
    right = int(was.sum()), int(is_.sum())
    return Effect(len(old_table), shifts, switches, right, int((~was & is_).sum()), int((was & ~is_).sum()))


def _codes(labels: Sequence[Label | None], known: list[Label]) -> NDArray[np.intp]:
    """The place of every label among the known ones, -1 for None; new labels are added to the known ones."""
    known += [label for label in dict.fromkeys(labels) if label is not None and label_place(label, known) is None]
    places = {label: -1 if label is None else label_place(label, known) for label in labels}
    return np.array([places[label] for label in labels], dtype=np.intp)


def _shifts(
    before: NDArray[np.intp], after: NDArray[np.intp], programs: tuple[Program, Program], known: list[Label]
) -> tuple[tuple[Label | None, Label | None, int], ...]:
    spoken = [{label_place(label, known): label for label in one.labels} for one in programs]
    pairs, counts = np.unique(np.stack([before, after], axis=1), axis=0, return_counts=True)
    found = [
        (spoken[0].get(first), spoken[1].get(second), count)
        for (first, second), count in zip(pairs.tolist(), counts.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda shift: -shift[2]))


def _truth(labels: Labels | None, row: int) -> Label | None:
    return None if labels is None else labels.labels[int(labels.codes[row])]
