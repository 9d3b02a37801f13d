"""The records to learn from, and those held back, which show what rules do on records that they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_dataset import BlockDataset, decided_label_weights
from unless.estimators.training_data import TrainingData, occurring_labels
from unless.evaluation.metrics import count_rule_decisions, evaluate_decider
from unless.model import DataOrigin, HoldoutResult, Model
from unless.model.prediction import Decider
from unless.model.rule_statistics import RuleStatistics
from unless.table import HoldoutSplit, Table
from unless.table.holdout_split import (
    feature_hashes,
    fingerprint_text,
    identity_sample,
    identity_sums,
    record_identities,
)
from unless.values import Label, count_text, percent

Count = Callable[[Decider], RuleStatistics]
"""Counts what rules decide of the records held back."""


@dataclass(frozen=True, slots=True)
class Holdout:
    """Records to learn from, and what is known of the others."""

    records: TrainingData
    split: HoldoutSplit
    fingerprint: str
    """That of all records."""
    total: int
    """How many records there are in all."""
    usual: Label
    """The most frequent label of those to learn from."""
    held_back: tuple[int, ...]
    """The numbers of the records held back, counted from 1, if they are known."""
    count: Count | None
    """None if no record is held back."""
    sample: tuple[int, ...]
    """The hashes of a few records, by which the data is known again."""
    why_none: str = ""
    """Why no record is held back, if some were asked for."""

    @classmethod
    def of(
        cls, table: Table, share: float, salt: int, class_weight: Any = None, earlier: HoldoutSplit | None = None
    ) -> Holdout:
        """Hold back about that share of the records of a table, or those that an ``earlier`` split holds back."""
        table = replace(table, target=occurring_labels(table.labels))  # those to learn from have no others
        split = HoldoutSplit.of(table, share, salt if earlier is None else earlier.salt)
        split = split if earlier is None else split.following(earlier)
        back = split.held_back(table)
        tests, found = table[back], record_identities(feature_hashes(table), table.labels)
        return cls(
            TrainingData.of(table[~back], class_weight),
            split,
            fingerprint_text(identity_sums(found)),
            len(table),
            _most_frequent(table.labels.labels, np.bincount(table.labels.codes[~back])),
            tuple(map(table.number, np.flatnonzero(back).tolist())),
            (lambda decider: count_decisions(decider, tests)) if len(tests) else None,
            tuple(identity_sample(found).tolist()),
            "" if back.any() else _why_none(np.bincount(table.labels.codes), share, earlier),
        )

    @classmethod
    def of_blocks(cls, blocks: BlockDataset, share: float, salt: int, earlier: HoldoutSplit | None = None) -> Holdout:
        """Do the same for the records in blocks; a committee is tested on a sample of those held back."""
        split, mark, sample, total = blocks.split(share, salt if earlier is None else earlier.salt)
        split = split if earlier is None else split.following(earlier)
        held = split if any(split.cuts) else None
        engine = blocks.engine(held)
        learned, tests = engine.records(engine.all_rows()), engine.tests()

        def count(decider: Decider) -> RuleStatistics:
            if not decider.by_rule or tests is None:
                return count_decisions(decider, blocks.sample(held, tests=True)[0])
            weights = decided_label_weights(engine, decider.all_rules, tests)
            return RuleStatistics(engine.labels, decider.heads, weights)

        return cls(
            TrainingData.of_blocks(blocks, held),
            split,
            mark,
            total,
            _most_frequent(engine.labels, learned),
            (),
            count if held else None,
            sample,
            "" if held else _why_none(learned, share, earlier),
        )

    def tested(self, model: Model) -> Model:
        """Return the model with the fingerprint of its data, and with what held-out records show, if there are any."""
        tested = None if self.count is None else self._tested(self.count(model.decider))
        if model.imitation is not None:
            imitation = self.tested(model.imitation)
            found = replace(model, origin=self._origin, tested=tested, imitation=imitation)
            return replace(found, statistics=imitation.statistics)
        return replace(model, origin=self._origin) if tested is None else model.after(tested)

    @property
    def _origin(self) -> DataOrigin:
        return DataOrigin(self.split, self.fingerprint, self.total, self.usual, self.sample)

    def _tested(self, found: RuleStatistics) -> HoldoutResult:
        return HoldoutResult(self._origin, found)


def count_decisions(decider: Decider, table: Table) -> RuleStatistics:
    """Count what is decided of labelled records, by rule, or by label if not one rule decides."""
    if decider.by_rule:
        return count_rule_decisions(decider.all_rules, table)
    found = evaluate_decider(decider, table)
    return RuleStatistics(found.labels, (*found.labels, None), found.confusion.T.astype(np.float64))


def _why_none(sizes: NDArray[Any], share: float, earlier: HoldoutSplit | None) -> str:
    """Why no record is held back, given how many there are of each label."""
    total = round(float(sizes.sum()))
    if not share:
        return ""
    if earlier is not None:
        return "none of these would have been held back from the rules that stay"
    if share * total < 0.5:
        return f"{percent(share)} of {count_text(total, 'record')} is less than one"
    if sizes.max() < 2:
        return "no label has two records"
    return "those of each label are equal, or nearly all, and equal records stay together"


def _most_frequent(labels: tuple[Label, ...], counts: NDArray[np.int64]) -> Label:
    return labels[int(np.argmax(counts))]
