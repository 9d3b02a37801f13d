"""Numbers with one unit in the whole column: read as numbers, said, and shown with the unit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import unless
from tests.cli.command import called
from unless import UnlessClassifier, read_table
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.sources import FileStream
from unless.export import to_rules
from unless.read.batches import Input
from unless.read.options import ReadOptions
from unless.values.notation import Amounts, notation_from_json

FORMS = [
    ("€", "{} €", True, ["362.802,00 €", "1.200,5 €", "7,00 €", "12 €"], [362802, 1200.5, 7, 12]),
    ("€", "{} €", True, ["362.802\u00a0€", "1.200 €", "7€"], [362802, 1200, 7]),
    ("$", "${}", False, ["$1,200", "$950", "-$12,500"], [1200, 950, -12500]),
    ("EUR", "EUR{}", False, ["EUR 1,200.50", "EUR 950", "EUR 3"], [1200.5, 950, 3]),
    ("%", "{} %", False, ["45 %", "7%", "0.5 %", "12"], [45, 7, 0.5, 12]),
    ("kg", "{} kg", False, ["12 kg", "7.5kg", "-9 kg"], [12, 7.5, -9]),
    ("km/h", "{} km/h", False, ["120 km/h", "50 km/h", "30 km/h", "unknown"], [120, 50, 30, "unknown"]),
    ("°C", "{} °C", True, ["12,5 °C", "7,25 °C", "9 °C"], [12.5, 7.25, 9]),
]


def column_of(cells: list[str]) -> unless.table.Column:
    """The column of a list of records."""
    return read_table([{"x": cell} for cell in cells]).columns[0]


def values(table: unless.Table) -> list[object]:
    """The cells of x."""
    return [table.record(row)["x"] for row in range(len(table))]


@pytest.mark.parametrize(("unit", "template", "comma", "cells", "numbers"), FORMS)
def test_numbers_with_a_unit(tmp_path: Path, unit, template, comma, cells, numbers) -> None:
    """They are the same numbers in text files, records, workbooks, batches and blocks, and that is said."""
    labels = ["ab"[place % 2] for place in range(len(cells))]
    sign = ";" if comma else ","
    quoted = [f'"{cell}"' for cell in cells]
    lines = [f"{cell}{sign}{label}" for cell, label in zip(quoted, labels, strict=True)]
    path = tmp_path / "d.csv"
    path.write_text("\n".join([f"x{sign}y", *lines]))
    records = [{"x": cell, "y": label} for cell, label in zip(cells, labels, strict=True)]
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    book = openpyxl.Workbook()
    for row in (["x", "y"], *zip(cells, labels, strict=True)):
        book.active.append(row)
    book.save(tmp_path / "d.xlsx")
    for source in (path, records, pd.DataFrame(records), tmp_path / "d.jsonl", tmp_path / "d.xlsx"):
        table = read_table(source, "y")
        assert values(table) == numbers
        assert (table.columns[0].notation.unit, table.columns[0].notation.template) == (unit, template)
        assert table.read_as.endswith(f"numbers in 'x' have the unit {unit!r}")
        assert values(read_table(source, "y", like=table)) == numbers
        assert values(read_table(source, "y", numeric=["x"])) == numbers
        assert values(read_table(source, "y", categorical=["x"])) == cells
        assert values(read_table([{"x": cells[0]}, {"x": 5.5}, {"x": "5.5"}], like=table)) == [numbers[0], 5.5, 5.5]
    table = read_table(path, "y")
    pieces = [batch.table(table, ["x"]) for batch in Input(path, ReadOptions(), 16).batches()]
    assert [value for one in pieces for value in values(one)] == numbers
    with make_block_dataset(FileStream(path), target="y") as blocks:
        assert blocks.schema == table.schema


@pytest.mark.parametrize(
    "cells",
    [
        ["12 kg", "7 lb", "9 kg"],  # several units
        ["5a", "7b", "3c"],
        ["7 am", "8 am", "9 am"],  # afternoons may follow
        ["12 kg", "7 kg"],  # too few
        ["red", "blue", "green", "white", "1 m", "2 m", "3 m"],
        ["1,234 kg", "2,345 kg", "4,222 kg"],  # thousands or fractions
        ["007 kg", "012 kg", "013 kg"],
        ["$5 kg", "$6 kg", "$7 kg"],
    ],
)
def test_no_unit(cells: list[str]) -> None:
    """Columns of several units, of few such cells, or whose numbers may be another stay text."""
    assert column_of(cells).kind == "text"


def test_numbers_stay_numbers() -> None:
    """Where half of the cells are plain numbers, the column is what it was."""
    column = column_of(["1", "2.5", "3", "4 kg", "5 kg", "6 kg", "7"])
    assert (column.kind, len(column.categories), column.notation) == ("mixed", 3, None)


@pytest.mark.parametrize("form", ["1.234,5 €", "$1,234.5", "1234.5 kg", "1\u00a0234,5 km/h"])
def test_the_form_comes_back(form: str) -> None:
    """A notation is its form in files; what is no form is no notation."""
    assert notation_from_json(Amounts(form).data()) == Amounts(form)
    wrong = ("", "1234.5", "kg", "1234.5 {}", "1.234.5 kg", "$1234.5 kg", "1234.5 \n")
    assert [notation_from_json({"unit": one}) for one in wrong] == [None] * len(wrong)


AMOUNTS = np.round(np.random.default_rng(4).uniform(0, 2000, 400), 2)
EUROS = [f"{amount:,.2f} €".translate(str.maketrans(",.", ".,")) for amount in AMOUNTS]
LABELS = ["high" if amount > 700 else "low" for amount in AMOUNTS]


FITTED = [UnlessClassifier(warn=False)]
X = pd.DataFrame({"amount": EUROS})
Y = LABELS


def test_rules_and_explanations_have_the_unit(model, tmp_path: Path) -> None:
    """Sentences say the unit; the text of rules declares it, and is read back; a model file keeps it."""
    assert "amount is 300 €" in str(model.explain({"amount": "300,00 €"}))
    assert "amount (unit '1.234,5 €')" in to_rules(model)
    assert unless.parse(to_rules(model)) == model.program_
    assert unless.parse(str(model.program_), like=model.program_) == model.program_
    model.save(tmp_path / "m.json")
    saved = unless.load(tmp_path / "m.json")
    assert saved.program_ == model.program_
    assert saved.program_.notations == model.program_.notations == {"amount": Amounts("1.234,5 €")}
    assert saved.predict([{"amount": "1.500,00 €"}, {"amount": 30}]).tolist() == ["high", "low"]


def test_commands(tmp_path: Path) -> None:
    """fit, inspect, explain and show say the unit."""
    path, out = tmp_path / "d.csv", tmp_path / "m.json"
    path.write_text("\n".join(["amount;y", *(f"{cell};{label}" for cell, label in zip(EUROS, LABELS, strict=True))]))
    done = called("fit", path, "--target", "y", "-o", out)
    assert (done.returncode, "numbers in 'amount' have the unit '€'" in done.stderr) == (0, True)
    assert "€" in called("show", out).stdout
    assert "€" in called("explain", out, path, "--row", "1").stdout
    assert "numbers with the unit '€'" in called("inspect", path, "--target", "y").stdout
    assert called("report", out, path, "-o", tmp_path / "r.html").returncode == 0
    assert called("predict", out, path, "-o", tmp_path / "p.csv").returncode == 0
    done = called("fit", path, "--target", "y", "--blocks", tmp_path / "kept")
    assert "numbers in 'amount' have the unit '€'" in done.stderr
