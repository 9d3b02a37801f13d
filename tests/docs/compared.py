"""The tables of docs/comparison.md, copied from docs/accuracy.md: python -m tests.docs.compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.docs.pages import ROOT

__all__ = ["GROUPS", "PAGE", "written"]

PAGE = ROOT / "docs" / "comparison.md"
MEASURED = ROOT / "docs" / "accuracy.md"
BEGIN, END = "<!-- {} sets, copied by tests/docs/compared.py: python -m tests.docs.compared -->", "<!-- end -->"

NAMES = {
    "Unless": "`UnlessClassifier`",
    "Unless distilled": 'the same, `teacher="committee"`',
    "UnlessCommittee": "`UnlessCommittee`",
    "FOLD-RM": "FOLD-RM as published",
    "FOLD-R++": "FOLD-R++ as published",
    "DecisionTree": "scikit-learn: tree",
    "RandomForest": "scikit-learn: forest",
    "FIGS": "imodels: FIGS",
    "RuleFit": "imodels: RuleFit",
    "EBM": "interpret: EBM",
    "RIPPER": "wittgenstein: RIPPER",
    "LightGBM": "LightGBM",
    "XGBoost": "XGBoost",
}
GROUPS = ("run-once", "confirmation", "fresh")
COLUMNS = ("datasets", "accuracy", "log-loss", "AUC", "rules", "fit")


def means(group: str) -> dict[str, dict[str, str]]:
    """The row of each method in the table of means of a group of datasets: cells by column."""
    section = MEASURED.read_text().split("\n## Means\n")[1].split("\n## ")[0]
    table = re.search(rf"The {group} sets.*?\n(\|.*?)(?:\n\n|\Z)", section, re.DOTALL)
    assert table, group
    names, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def table(group: str) -> Iterator[str]:
    """The lines of the table of a group."""
    yield from (f"| method | {' | '.join(COLUMNS)} |", f"|---{'|---' * len(COLUMNS)}|")
    found = means(group)
    for method, name in NAMES.items():
        if method in found:
            yield f"| {name} | {' | '.join(found[method][column] for column in COLUMNS)} |"


def written(page: str) -> str:
    """Return the page with its tables up to date."""
    for group in GROUPS:
        begin = BEGIN.format(group)
        before, rest = page.split(begin)
        page = "\n".join([f"{before}{begin}", "", *table(group), "", END]) + rest.split(END, 1)[1]
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
