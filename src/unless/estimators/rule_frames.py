"""Return the rules of a model as a data frame: a row for each rule, with its support and precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unless.model import Model
from unless.score.committee import Committee

if TYPE_CHECKING:
    from unless.evaluation.stability import Stability


def rules_frame(model: Model, stability: Stability | None) -> Any:
    """Return the rules of a list with their statistics and, if known, their stability."""
    rules, statistics = model.program.rules, model.statistics
    low, high = statistics.expected_between
    columns = {
        "order": list(range(1, len(rules) + 1)),
        "label": [rule.head for rule in rules],
        "text": [str(replace(rule, head=None)) for rule in rules],
        "support": statistics.support[: len(rules)].tolist(),
        "coverage": statistics.coverage[: len(rules)].tolist(),
        "expected_precision": statistics.expected_precision[: len(rules)].tolist(),
        "low": low[: len(rules)].tolist(),
        "high": high[: len(rules)].tolist(),
        "in_training": statistics.precision[: len(rules)].tolist(),
        "lift": statistics.expected_lift[: len(rules)].tolist(),
        "exceptions": [len(rule.exceptions) for rule in rules],
    }
    if stability is not None:
        columns |= {name: [row[name] for row in stability.rows] for name in ("returns", "same_tests")}
    return to_frame(columns)


def committee_frame(committee: Committee) -> Any:
    """Return the rules of all lists of a committee with their points."""
    rules = [
        (place, number, rule)
        for place, program in enumerate(committee.lists, 1)
        for number, rule in enumerate(program.rules, 1)
    ]
    points = np.concatenate([np.empty((0, len(committee.classes)), np.int64), *committee.points])
    return to_frame(
        {
            "list": [place for place, _, _ in rules],
            "order": [number for _, number, _ in rules],
            "label": [rule.head for _, _, rule in rules],
            "text": [str(rule) for _, _, rule in rules],
            **{f"points: {label}": points[:, k].tolist() for k, label in enumerate(committee.classes)},
        }
    )


def to_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a data frame: of pandas, if it is installed."""
    try:
        import pandas as pd
    except ImportError:
        import polars as pl

        return pl.DataFrame(columns)
    return pd.DataFrame(columns)
