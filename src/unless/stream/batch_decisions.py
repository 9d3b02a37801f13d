"""Decide the records of batches by a model, and count the results.

A `Tally` decides and counts. Its `Outcome` can be passed between processes, and outcomes of several parts are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.evaluation.training_overlap import OverlapCounts
from unless.evaluation.unseen_values import UnseenCounts, refuse_unseen, require_known_values
from unless.model import Model, decider_of, model_of, used_by
from unless.model.prediction import decide, head_indices
from unless.read.batches import Batch, Input, JsonBatch
from unless.read.dialect import Remarks
from unless.read.table import take_labelled
from unless.rule import Program
from unless.score.score_decider import ScoreDecider
from unless.stream.decision_log import DecisionLog, ReasonOptions
from unless.stream.output_columns import Choices, NewColumns
from unless.stream.writers import Result
from unless.table import Schema, Table
from unless.values import Label, class_index

Progress = Callable[[int, float | None], None]
"""Called after every batch with the number of records done and the share of the input, None if unknown."""


@dataclass(slots=True)
class Outcome:
    """The counts, and remarks on how files were read; `add` merges those of another part."""

    labels: dict[Label | None, int]
    labelled: int
    right: int
    unseen: UnseenCounts
    wanted: tuple[str, ...]
    columns: tuple[str, ...]
    said: dict[str, Remarks]
    files: list[str] = field(default_factory=list)
    own: OverlapCounts | None = None
    """The counts for comparison with the training data, as long as the records may be the training data."""

    @property
    def rows(self) -> int:
        """The number of records."""
        return sum(self.labels.values())

    def add(self, other: Outcome) -> None:
        """Add the counts of other records."""
        undecided = self.labels.pop(None, 0) + other.labels.get(None, 0)
        for label, count in other.labels.items():
            if label is not None:
                self.labels[label] = self.labels.get(label, 0) + count
        self.labels |= {None: undecided} if undecided else {}
        self.labelled += other.labelled
        self.right += other.right
        self.unseen.merge(other.unseen)
        if self.own is not None and other.own is not None:
            self.own.merge(other.own)
        else:
            self.own = None
        self.said |= other.said
        self.files += other.files


class Tally:
    """Decides the records of batches, and counts the labels."""

    def __init__(
        self,
        model: Model | Program,
        *,
        strict: bool,
        reasons: ReasonOptions | None = None,
        log: DecisionLog | None = None,
    ) -> None:
        known = model_of(model)
        if known is None and not isinstance(model, Program):
            raise ParameterError(f"a {type(model).__name__} is not a model; load one: unless.load('model.json')")
        self._decider, self._model = decider_of(model), model if known is None else known
        self._used = used_by(model)
        self._members: set[str] | None = None
        self.answers = NewColumns.of(self._decider, None if known is None else known.statistics)
        self._finder = None if reasons is None else reasons.finder(self._decider)
        if reasons is not None and reasons.shown:
            self.answers = replace(self.answers, reasons=((),) * len(self.answers.labels), most=reasons.most)
        self._log = log
        self._counts = np.zeros(len(self.answers.labels), dtype=np.int64)
        self.labelled = self.right = 0
        if strict:
            require_known_values(model, self._decider.all_rules)
        self.unseen = UnseenCounts(model)
        self._strict = strict
        origin = None if known is None else known.origin
        self._features = self._used if known is None or origin is None else tuple(known.schema.kinds)
        self.own = None if origin is None else OverlapCounts(origin, tuple(self._features))
        self._split_features = self._features if known is None else known.split_features

    @property
    def rows(self) -> int:
        """The number of records decided."""
        return int(self._counts.sum())

    def results(self, given: Input, progress: Progress | None) -> Iterator[Result]:
        """Yield every batch with the answers for its records."""
        for batch in given.batches():
            yield batch, *self._decide(batch)
            if progress is not None:
                progress(self.rows, given.share)
        if self._members is not None and self.rows:
            for name in self._used:  # a member missing in some lines of JSON must occur in others
                if name not in self._members:
                    raise UnknownNameError(f"no column {name!r}{suggest(name, self._members)}")

    def _decide(self, batch: Batch) -> tuple[NewColumns, Choices]:
        """Decide a batch: return the answers, and the index of the answer of each record."""
        table = batch.table(self._model, self._features_to_read(batch))
        if isinstance(batch, JsonBatch):
            self._members = (self._members or set()).union(batch.seen)
        labelled = _take_labelled(batch, table, self._model)
        self.unseen.add(table)
        if labelled is not None:
            self.unseen.add_labels(labelled.labels)
        if self._strict:
            refuse_unseen(self.unseen.found(), f" in the first {self.rows + len(table):,} records")
        choices, answers, places = self.answer(table)
        self._counts += np.bincount(choices, minlength=len(self._counts))
        if labelled is not None:
            self._compare(choices if labelled.numbers is None else choices[labelled.numbers - 1], labelled)
        if self._log is not None:
            self._log.append_batch(batch, table, answers, places)
        return answers, places

    def answer(self, table: Table) -> tuple[Choices, NewColumns, Choices]:
        """Decide records: return the index of each label, the answers, and the index of the answer of each record."""
        choices, shares = self._choose_answers(table)
        answers, places = self.answers, choices
        if shares is not None and isinstance(self._decider, ScoreDecider):
            answers, places = answers.with_costs(choices, shares, _decision_costs(self._decider, table, choices))
        elif shares is not None:
            answers, places = answers.with_probabilities(choices, shares)
        if self._finder is not None:
            answers, places = answers.with_reasons(places, self._finder.find(table, choices), self.answers)
        return choices, answers, places

    def _choose_answers(self, table: Table) -> tuple[Choices, NDArray[np.float64] | None]:
        """Choose the answer of every record; also return the probability of its label, if known."""
        decisions, model = decide(self._decider, table), model_of(self._model)
        choices: Choices = decisions.choices % np.int32(len(self.answers.labels))
        shares = None if model is None else model.probabilities(table, decisions)
        if model is None or shares is None:
            return choices, None
        heads = head_indices(self._decider, model.statistics.classes)
        return choices, shares[np.arange(len(table)), heads[choices]]

    def _features_to_read(self, batch: Batch) -> Sequence[str]:
        """Choose the features to read: those that rules test, or all as long as the records may be the training data.

        Only training data has the column of labels and all features.
        """
        known = model_of(self._model)
        there = (Schema({}) if known is None else known.schema).available(batch.names)
        if self.own is not None and not {self._decider.target, *self._features} <= there:
            self.own = None
        return self._used if self.own is None else [name for name in self._split_features if name in there]

    def _compare(self, choices: Choices, table: Table) -> None:
        truth, labels = table.labels, self.answers.labels
        self.labelled += len(table)
        known = [label for label in labels if label is not None]
        places = [class_index(other, known) for other in truth.labels]
        meant = [None if place is None else known[place] for place in places]
        same = np.array([[one is not None and one == other for other in meant] for one in labels])
        right = same[choices, truth.codes]
        self.right += int(np.count_nonzero(right))
        if self.own is not None:
            self.own.add(table, right)

    def labels(self) -> dict[Label | None, int]:
        """Count the records with each predicted label, in the order of the rules; undecided records come last."""
        found: dict[Label | None, int] = {}
        for label, count in zip(self.answers.labels, self._counts.tolist(), strict=True):
            if label is not None or count:
                found[label] = found.get(label, 0) + count
        return found


def _decision_costs(decider: ScoreDecider, table: Table, choices: Choices) -> NDArray[np.float64]:
    """Compute the expected cost of each record's decision; NaN if no rule covers the record."""
    costs = decider.expected_costs(table)
    known = np.column_stack([costs, np.full((len(table), len(decider.heads) - costs.shape[1]), np.nan)])
    found: NDArray[np.float64] = known[np.arange(len(table)), choices]
    return found


def _take_labelled(batch: Batch, table: Table, model: Model | Program) -> Table | None:
    """Select the records of a batch that have a true label; None if there are no such records."""
    if table.target is not None or not len(table):
        return table if len(table) else None
    try:
        found = batch.table(model, (), drop_unlabelled=True)
    except ReadError:  # no record has a label, or labels are of mixed types
        return None
    return None if found.target is None else take_labelled(table, found)
