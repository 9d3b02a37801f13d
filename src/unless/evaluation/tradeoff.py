"""Compute the trade-off of accuracy and length: test lists of few and of many rules on other records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unless.evaluation.metrics import evaluate_decider
from unless.model.rule_statistics import wilson_interval
from unless.rule import Program
from unless.table import Table
from unless.values import attributes_to_json

Settings = Mapping[str, float]
"""The difference from the given settings: ``max_rules`` for fewer rules, ``penalty`` for more; empty for none."""

Learn = Callable[[Table, Settings], Program]
Progress = Callable[[int, int], object]
"""A function called with the number of settings done and the number of all settings."""

_FEWER = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
_MORE = (0.5, 0.25)
"""Numbers of rules to try if the given settings give longer lists; and shares of the penalty for longer lists."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Lists learned with the same settings: their mean number of rules, and how many records they decide correctly.

    The number includes the last rule, which decides all other records, but not exceptions.
    """

    settings: Settings
    rules: float
    right: int
    records: int

    @property
    def accuracy(self) -> float:
        """The share of records that are decided correctly."""
        return self.right / self.records if self.records else 0.0

    @property
    def between(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy."""
        return wilson_interval(self.right, self.records)

    def to_dict(self) -> dict[str, Any]:
        """Convert the choice for JSON."""
        return attributes_to_json(self, "settings", "rules", "right", "records", "accuracy", "interval=between")


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The accuracy for each number of rules, fewest first; the choice without settings is the given one."""

    choices: tuple[Choice, ...]
    """Each number of rules, with its accuracy."""

    @property
    def enough(self) -> Choice:
        """The shortest lists that are not worse than the best lists by more than chance."""
        best = max(self.choices, key=lambda one: one.accuracy)
        return next(one for one in self.choices if one.accuracy >= best.between[0])

    def to_dict(self) -> dict[str, Any]:
        """The trade-off for JSON."""
        return attributes_to_json(self, "choices", "enough")


def compute_trade_off(
    pairs: Sequence[tuple[Table, Table]], learn: Learn, penalty: float, progress: Progress | None = None
) -> TradeOff:
    """Learn lists from the first table of each pair and count their correct decisions on the second.

    ``penalty`` is the penalty of the given settings.
    """
    found = [_try_settings({}, pairs, learn)]
    others: list[Settings] = [{"max_rules": most} for most in _FEWER if most < found[0].rules]
    others += [{"penalty": penalty * share} for share in _MORE if penalty]
    for settings in others:
        if progress is not None:
            progress(len(found), 1 + len(others))
        found.append(_try_settings(settings, pairs, learn))
    by_rules: dict[float, Choice] = {}
    for one in sorted(found, key=lambda one: (one.rules, bool(one.settings))):  # prefer the given settings
        by_rules.setdefault(one.rules, one)
    return TradeOff(tuple(by_rules.values()))


def _try_settings(settings: Settings, pairs: Sequence[tuple[Table, Table]], learn: Learn) -> Choice:
    rules, right, records = 0, 0, 0
    for train, test in pairs:
        program = learn(train, settings)
        rules, right, records = rules + len(program), right + evaluate_decider(program, test).right, records + len(test)
    return Choice(settings, rules / len(pairs), right, records)
