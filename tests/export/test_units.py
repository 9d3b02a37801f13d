"""Numbers with a unit in exported programs: read as the model reads them, or refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from unless import UnlessClassifier
from unless.errors import ParameterError
from unless.export import to_javascript, to_onnx, to_python, to_sql

AMOUNTS = np.round(np.random.default_rng(4).uniform(0, 2000, 400), 2)
CELLS = ["1.500,00 €", "1.500 €", "1500,5€", 1500.0, "1500.5", "30,00 €", " 30 €", 30, "-1.000,0 €", "9 $", "x", None]


FITTED = [UnlessClassifier(warn=False)]
EUROS = [f"{amount:,.2f} €".translate(str.maketrans(",.", ".,")) for amount in AMOUNTS]
X, Y = pd.DataFrame({"amount": EUROS}), np.where(AMOUNTS > 700, "high", "low")


def expected(model: UnlessClassifier) -> list[str]:
    """What the model says of the cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.predict([{"amount": cell} for cell in CELLS]).tolist()
    assert found[:9] == ["high"] * 5 + ["low"] * 4
    return found


def test_python_and_javascript_read_units(model, node) -> None:
    """With the unit or without it, as text or as a number, a cell means what it means to the model."""
    records = [{"amount": cell} for cell in CELLS]
    namespace: dict[str, object] = {}
    exec(to_python(model), namespace)
    assert [namespace["classify"](record) for record in records] == expected(model)
    assert node.run(to_javascript(model), records) == expected(model)


def test_sql_refuses_units(model) -> None:
    """SQL refuses a column of texts with units, and takes one of plain numbers."""
    for columns in ({}, {"amount": "text"}, {"amount": "mixed"}):
        with pytest.raises(ParameterError, match=r"'amount' has numbers with a unit, .*which SQL does not read"):
            to_sql(model, columns=columns)
    assert '"amount"' in to_sql(model, columns={"amount": "number"})


def test_onnx_takes_numbers(model) -> None:
    """A graph has an input of numbers."""
    pytest.importorskip("onnx")
    (given, *_) = to_onnx(model).graph.input
    assert given.type.tensor_type.elem_type in (1, 11)
