"""Our programs equal those of the authors' own implementation, literal for literal."""

from __future__ import annotations

import json

import numpy as np
import pytest

import unless
from tests.shared import SHARED, needs_compiled, needs_shared
from unless.export.json import to_dict

pytestmark = [needs_shared, needs_compiled]


def recorded(algorithm):
    """A test case for every recorded program."""
    return pytest.mark.parametrize("path", SHARED.golden(algorithm), ids=lambda path: path.stem)


@recorded("foldrm")
def test_fold_rm(path):
    """FOLD-RM equals the recorded program, and is as accurate on its training data."""
    golden = json.loads(path.read_text())
    table = SHARED.table(golden["dataset"])
    program = unless.fold_rm(table, golden["ratio"])
    assert to_dict(program)["rules"] == golden["program"]
    truth = np.array(table.target.labels, dtype=object)[table.target.codes]
    assert np.mean(unless.predict(program, table) == truth) == pytest.approx(golden["train_accuracy"], abs=1e-12)


@recorded("foldrpp")
def test_fold_rpp(path):
    """FOLD-R++ equals the recorded program."""
    golden = json.loads(path.read_text())
    table = SHARED.table(golden["dataset"])
    program = unless.fold_rpp(table, golden["positive"], golden["ratio"])
    rules = [{key: rule[key] for key in ("default", "exceptions")} for rule in to_dict(program)["rules"]]
    assert rules == golden["program"]
    assert {rule.head for rule in program} == {golden["positive"]}
    truth = np.array(table.target.labels, dtype=object)[table.target.codes] == golden["positive"]
    accuracy = np.mean((unless.predict(program, table) == golden["positive"]) == truth)
    assert accuracy == pytest.approx(golden["train_accuracy"], abs=1e-12)
