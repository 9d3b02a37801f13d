"""What two programs decide on the same records: which records change label, and how many become right or wrong."""

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
from unless.table import Labels, Table
from unless.values import Label, label_index, label_to_json


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
        return {"row": self.number, "label_in_data": label_to_json(self.truth), **proofs}


@dataclass(frozen=True, slots=True)
class Turn:
    """How many records each program gets right, the old one and the new, and how many become right and wrong."""

    records: int
    right: tuple[int, int]
    better: int
    worse: int

    @classmethod
    def of(cls, before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Turn:
        """Count, given which records each program gets right."""
        right = int(before.sum()), int(after.sum())
        return cls(len(before), right, int((~before & after).sum()), int((before & ~after).sum()))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, dicts and values that JSON can hold."""
        return {"records": self.records, "right": list(self.right), "better": self.better, "worse": self.worse}


@dataclass(frozen=True, slots=True)
class Effect:
    """What two programs do on the same records.

    ``shifts`` has the number of records that change from one label to another, the largest first; None is no label.
    ``turn`` is what becomes right and wrong; None if the data has no labels. If it is known which records neither
    program was learned from, ``unseen`` is about those, and ``others`` about the rest.
    """

    records: int
    shifts: tuple[tuple[Label | None, Label | None, int], ...]
    switches: tuple[Switch, ...]
    turn: Turn | None = None
    unseen: Turn | None = None
    others: Turn | None = None

    @property
    def changed(self) -> int:
        """How many records change label."""
        return sum(count for *_, count in self.shifts)

    @property
    def right(self) -> tuple[int, int] | None:
        """How many records each program gets right."""
        return None if self.turn is None else self.turn.right

    @property
    def better(self) -> int | None:
        """How many records become right."""
        return None if self.turn is None else self.turn.better

    @property
    def worse(self) -> int | None:
        """How many records become wrong."""
        return None if self.turn is None else self.turn.worse

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, dicts and values that JSON can hold."""
        return {
            "records": self.records,
            "changed": self.changed,
            "shifts": [
                {"old": label_to_json(old), "new": label_to_json(new), "records": count}
                for old, new, count in self.shifts
            ],
            "switches": [switch.to_dict() for switch in self.switches],
            "right": None if self.right is None else list(self.right),
            "better": self.better,
            "worse": self.worse,
            "unseen": self.unseen and self.unseen.to_dict(),
            "others": self.others and self.others.to_dict(),
        }


def compare_records(
    old: Program,
    new: Program,
    old_table: Table,
    new_table: Table,
    most: int = 5,
    unseen: NDArray[np.bool_] | None = None,
) -> Effect:
    """Compare two programs on the same records, given as a table for each, with proofs of the first ``most`` switches.

    A text and the label that it spells are the same: a model of a text file and one of a data frame may agree.
    If the targets differ, no labels of the data are compared with. ``unseen`` says which records neither program was
    learned from, if that is known (`unseen_by`).
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
        Switch(
            old_table.number(row), _truth(labelled, row), *(proof_of(one, table.record(row)) for one, table in tables)
        )
        for row in np.flatnonzero(differ)[:most].tolist()
    )
    shifts = _shifts(before[differ], after[differ], (old, new), known)
    if labelled is None:
        return Effect(len(old_table), shifts, switches)
    truth = _codes(labelled.labels, known)[labelled.codes]
    was, is_ = before == truth, after == truth
    parts = () if unseen is None else (Turn.of(was[unseen], is_[unseen]), Turn.of(was[~unseen], is_[~unseen]))
    return Effect(len(old_table), shifts, switches, Turn.of(was, is_), *parts)


def unseen_by(*models: tuple[Program | Model, Table]) -> NDArray[np.bool_] | None:
    """Which records no model was learned from, given as a table for each; None if none of its data is seen here."""
    found = [held for model, table in models if (held := _held_back(model, table)) is not None]
    return np.logical_and.reduce(found) if found else None


def _held_back(model: Program | Model, table: Table) -> NDArray[np.bool_] | None:
    """Which records a model held back, if some of its data are here."""
    known = model_of(model)
    if known is None or (held := holdout_rows(known, table)) is None or known.origin is None:
        return None
    seen = known.origin.among(known.origin.identities(table, tuple(known.schema.kinds)))
    return held if seen.any() else None


def _codes(labels: Sequence[Label | None], known: list[Label]) -> NDArray[np.intp]:
    """The place of every label among the known ones, -1 for None; new labels are added to the known ones."""
    known += [label for label in dict.fromkeys(labels) if label is not None and label_index(label, known) is None]
    places = {label: -1 if label is None else label_index(label, known) for label in labels}
    return np.array([places[label] for label in labels], dtype=np.intp)


def _shifts(
    before: NDArray[np.intp], after: NDArray[np.intp], programs: tuple[Program, Program], known: list[Label]
) -> tuple[tuple[Label | None, Label | None, int], ...]:
    spoken = [{label_index(label, known): label for label in one.labels} for one in programs]
    pairs, counts = np.unique(np.stack([before, after], axis=1), axis=0, return_counts=True)
    found = [
        (spoken[0].get(first), spoken[1].get(second), count)
        for (first, second), count in zip(pairs.tolist(), counts.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda shift: -shift[2]))


def _truth(labels: Labels | None, row: int) -> Label | None:
    return None if labels is None else labels.labels[int(labels.codes[row])]
