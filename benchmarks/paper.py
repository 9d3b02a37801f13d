"""The tables of the paper: ``paper.json``, and the LaTeX that it was read from.

``python -m benchmarks.paper fold-rm.tex`` prints the data file. A row is a dataset as ``manifest.json`` calls it, a
cell the figures that the paper prints for a method; times are in milliseconds, on the authors' machine.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Figures", "Tables", "from_latex", "load", "records", "records_from_latex"]

Figures = Mapping[str, float]
"""``accuracy``, ``precision``, ``recall``, ``f1``, ``rules``, ``ms``: those that the paper prints."""

Tables = Mapping[str, Mapping[str, Mapping[str, Figures]]]
"""Figures by the label of the table, the dataset and the method."""

BINARY, XGBOOST, MLP, RIPPER = "tbl:foldrppxgb", "tbl:foldxgb", "tbl:foldmlp", "tab:ripperfoldrm"
_DATASETS = "tbl:datasets"
CROSS = (BINARY, XGBOOST, MLP)
"""The tables of ten-fold cross-validation; the other one repeats a split fifty times."""

_SOURCE = (
    "Wang, Shakerin, Gupta: FOLD-RM: A Scalable, Efficient, and Explainable Inductive Learning Algorithm for "
    "Multi-Category Classification of Mixed Data (arXiv:2202.06913), Experimental Results; read by benchmarks/paper.py"
)

_NAMES = {"kr vs. kp": "kr-vs-kp", "rain in aus": "rain"}
"""Datasets that the paper calls otherwise."""

_QUALITY = ("accuracy", "precision", "recall", "f1")
_COLUMNS = {
    BINARY: {"XGBoost": (3, (*_QUALITY, "ms")), "FOLD-R++": (8, (*_QUALITY, "ms", "rules"))},
    XGBOOST: {"FOLD-RM": (1, (*_QUALITY, "rules", "ms")), "XGBoost": (7, (*_QUALITY, "ms"))},
    MLP: {"FOLD-RM": (1, (*_QUALITY, "rules", "ms")), "MLP": (7, (*_QUALITY, "ms"))},
}
"""Where the figures of a method start in a row, and in which order they come."""


def load() -> Tables:
    """The tables, from the file beside this one."""
    found: Tables = _file()["tables"]
    return found


def records() -> Mapping[str, int]:
    """How many records the paper's datasets have."""
    found: Mapping[str, int] = _file()["records"]
    return found


@cache
def _file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return found


def from_latex(text: str) -> Tables:
    """The tables, from the paper's source."""
    rows = {label: _rows(text, label) for label in (*CROSS, RIPPER)}
    tables = {
        label: {
            _dataset(label, row[0]): {
                method: dict(zip(names, map(_number, row[start:]), strict=False))
                for method, (start, names) in _COLUMNS[label].items()
            }
            for row in rows[label]
        }
        for label in CROSS
    }
    halves = [half for row in rows[RIPPER] for half in (row[:3], row[3:])]
    pairs = {name: (_number(ripper), _number(ours)) for name, ripper, ours in halves}
    return tables | {
        RIPPER: {name: {"RIPPER": {"accuracy": a}, "FOLD-RM": {"accuracy": b}} for name, (a, b) in pairs.items()}
    }


def records_from_latex(text: str) -> dict[str, int]:
    """The sizes that the paper prints: of the first table, and of the one about datasets."""
    return {_dataset(label, row[0]): int(row[1]) for label in (BINARY, _DATASETS) for row in _rows(text, label)}


def _rows(text: str, label: str) -> list[Sequence[str]]:
    """The rows of figures in the table that has the label, as texts; what is commented out is not read."""
    kept = re.sub(r"(?<!\\)%.*", "", re.sub(r"\\iffalse.*?\\fi\b", "", text, flags=re.DOTALL))
    table = kept[: kept.index(rf"\label{{{label}}}")].rpartition(r"\begin{table}")[2]
    lines = [re.sub(r"\\textbf\{([^}]*)\}", r"\1", line) for line in table.splitlines() if "&" in line]
    cells = [[cell.strip() for cell in line.replace(r"\\", "").split("&")] for line in lines]
    return [row for row in cells if re.fullmatch(r"[\d.,]+", row[1])]


def _dataset(label: str, name: str) -> str:
    """As the manifest calls it: ecoli is made binary for the first table."""
    return "ecoli-binary" if (label, name) == (BINARY, "ecoli") else _NAMES.get(name, name)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def main(path: str) -> str:
    """The data file, a row of a table on each line."""
    text = Path(path).read_text("utf-8")
    tables = [
        f'  "{label}": {{\n' + ",\n".join(f'   "{name}": {json.dumps(row)}' for name, row in rows.items()) + "\n  }"
        for label, rows in from_latex(text).items()
    ]
    sizes = json.dumps(records_from_latex(text))
    head = f'{{\n "source": {json.dumps(_SOURCE)},\n "records": {sizes},\n "tables": {{\n'
    return head + ",\n".join(tables) + "\n }\n}\n"


if __name__ == "__main__":
    sys.stdout.write(main(*sys.argv[1:]))
