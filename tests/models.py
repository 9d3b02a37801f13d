"""Models of which a test gives only what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unless.model import Model
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.table import Schema, Table
from unless.values import Label

__all__ = ["defined_label", "model_of_program"]


def model_of_program(program: Program, **parts: Any) -> Model:
    """Return the model of a program that was never measured, with the parts that a test names."""
    card = parts.get("card")
    classes = card.classes if card is not None else tuple(sorted(set(program.labels), key=str))
    statistics = RuleStatistics(classes, program.heads, np.zeros((len(program.heads), len(classes))))
    given = {"statistics": statistics, "schema": Schema({}), "domain": Table((), rows=0), **parts}
    return Model(program, **given, learner="UnlessClassifier", parameters={}, named=True)


def defined_label(program: Program, record: Mapping[str, object]) -> Label | None:
    """The label of a record by definition, of cells that were read already: `Program.label` reads them first."""
    place = program.decides(record)
    return program.otherwise if place is None else program.rules[place].head
