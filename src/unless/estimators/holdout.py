"""Split records into those to learn from and held-out records, and test models on the held-out records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_dataset import BlockDataset, decided_label_weights
from unless.estimators.split_by import SplitBy
from unless.estimators.training_data import TrainingData, occurring_labels
from unless.evaluation.decision_costs import DecisionCosts, measure_costs
from unless.evaluation.metrics import count_rule_decisions, evaluate_decider
from unless.model import DataOrigin, HoldoutResult, Model
from unless.model.prediction import Decider
from unless.model.rule_statistics import RuleStatistics
from unless.table import Column, HoldoutSplit, Table
from unless.table.holdout_split import (
    feature_hashes,
    fingerprint_text,
    identity_sample,
    identity_sums,
    record_identities,
)
from unless.values import Label, count_text, percent

Count = Callable[[Decider], RuleStatistics]
"""Counts what rules decide for the held-out records."""


@dataclass(frozen=True, slots=True)
class Holdout:
    """The records to learn from, and a summary of the held-out records."""

    records: TrainingData
    split: HoldoutSplit
    fingerprint: str
    """The fingerprint of all records."""
    total: int
    """The number of all records."""
    usual: Label
    """The most frequent label of the records to learn from."""
    held_back: tuple[int, ...]
    """The numbers of the held-out records, counted from 1, if they are known."""
    count: Count | None
    """The function that tests a decider; None if no record is held out."""
    sample: tuple[int, ...]
    """The hashes of a few records, by which the data is recognised later."""
    why_none: str = ""
    """The reason why no record is held out although a share was requested."""
    by: SplitBy | None = None
    """The column of times or groups that divides the records, if there is one."""
    costs: Callable[[Model], DecisionCosts | None] | None = None
    """The function that measures what the decisions of a model cost on the held-out records."""

    @classmethod
    def of(
        cls,
        table: Table,
        share: float,
        salt: int,
        class_weight: Any = None,
        earlier: HoldoutSplit | None = None,
        by: SplitBy | None = None,
        *,
        compare: Column | None = None,
    ) -> Holdout:
        """Hold out about this share of the records of a table, or the records that an ``earlier`` split holds out.

        With ``by``, the records from a moment on or whole groups are held out. ``compare`` contains other decisions for
        these records, whose costs are compared.
        """
        table = replace(table, target=occurring_labels(table.labels))  # the records to learn from have no other labels
        whole, features = (table if by is None else by.added_to(table)), table.features
        salt = salt if earlier is None else earlier.salt
        split = HoldoutSplit.of(whole, share, salt, None if by is None else by.column, features)
        split = split if earlier is None else split.following(earlier)
        back = split.held_back(whole, features)
        if by is not None:
            by.check(table.labels, back)
        tests, found = table[back], record_identities(feature_hashes(table), table.labels)
        today = None if compare is None else replace(compare, codes=compare.codes[back])
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
            by,
            (lambda model: measure_costs(model, tests, today)) if len(tests) else None,
        )

    @classmethod
    def of_blocks(cls, blocks: BlockDataset, share: float, salt: int, earlier: HoldoutSplit | None = None) -> Holdout:
        """Hold out records in blocks in the same way; a committee is tested on a sample of the held-out records."""
        split, mark, sample, total = blocks.split(share, salt if earlier is None else earlier.salt)
        split = split if earlier is None else split.following(earlier)
        held = split if split.holds_back else None
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
            costs=(lambda model: measure_costs(model, blocks.sample(held, tests=True)[0])) if held else None,
        )

    def tested(self, model: Model) -> Model:
        """Return the model with the fingerprint of its data, and the results on held-out records, if there are any."""
        tested = None if self.count is None else HoldoutResult(self._origin, self.count(model.decider))
        if tested is not None and self.costs is not None:
            tested = replace(tested, costs=self.costs(model))
        if model.imitation is not None:
            imitation = self.tested(replace(model.imitation, costs=None))
            found = replace(model, origin=self._origin, tested=tested, imitation=imitation)
            return replace(found, statistics=imitation.statistics)
        return replace(model, origin=self._origin) if tested is None else model.after(tested)

    @property
    def _origin(self) -> DataOrigin:
        return DataOrigin(self.split, self.fingerprint, self.total, self.usual, self.sample)


def count_decisions(decider: Decider, table: Table) -> RuleStatistics:
    """Count the decisions for labelled records by rule, or by label if a record is not decided by a single rule."""
    if decider.by_rule:
        return count_rule_decisions(decider.all_rules, table)
    found = evaluate_decider(decider, table)
    return RuleStatistics(found.labels, (*found.labels, None), found.confusion.T.astype(np.float64))


def _why_none(sizes: NDArray[Any], share: float, earlier: HoldoutSplit | None) -> str:
    """Explain why no record is held out, given the number of records of each label."""
    total = round(float(sizes.sum()))
    if not share:
        return ""
    if earlier is not None:
        return "none of these would have been held back from the rules that stay"
    if share * total < 0.5:
        return f"{percent(share)} of {count_text(total, 'record')} is less than one"
    if sizes.max() < 2:
        return "no label has two records"
    return "all or nearly all records of each label are equal, and equal records stay together"


def _most_frequent(labels: tuple[Label, ...], counts: NDArray[np.int64]) -> Label:
    return labels[int(np.argmax(counts))]
