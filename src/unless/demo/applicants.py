"""Generate an example table: invented applicants for a loan, with numbers, categories, both, and missing cells.

The decisions follow a policy with exceptions, but one in thirty is random. The table is the same on every
machine: Python guarantees the numbers of `random.Random.random`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from random import Random

TARGET = "decision"


def applicants(rows: int = 900, seed: int = 5) -> list[dict[str, object]]:
    """Return invented applicants, each as a dict with None for a missing cell."""
    random = Random(seed)  # noqa: S311 - nothing here is a secret
    return [_applicant(number, random) for number in range(1, rows + 1)]


def applicants_csv(rows: int = 900, seed: int = 5) -> str:
    """Return the applicants as a CSV file; a missing cell is empty."""
    return csv_text(applicants(rows, seed))


def csv_text(records: Sequence[dict[str, object]]) -> str:
    """Return records as a CSV file; a missing cell is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def _applicant(number: int, random: Random) -> dict[str, object]:
    def drawn(*choices: tuple[object, float]) -> object:
        point, seen = random.random(), 0.0
        for choice, share in choices:
            seen += share
            if point < seen:
                return choice
        return choices[-1][0]

    def between(low: float, high: float, step: int) -> int:
        return round((low + (high - low) * random.random()) / step) * step

    person: dict[str, object] = {
        "applicant": f"A-{1000 + number}",
        "age": between(19, 74, 1),
        "income": between(9_000, 60_000, 100),
        "employed": drawn(("yes", 0.7), ("no", 0.15), ("self", 0.15)),
        "history": drawn(("good", 0.55), ("late", 0.25), ("none", 0.2)),
        "guarantor": drawn(("yes", 0.2), ("no", 0.5), (None, 0.3)),
        "amount": between(1_000, 40_000, 500),
        "years_at_address": drawn(("under 1", 0.15), ("abroad", 0.05), (between(1, 25, 1), 0.8)),
    }
    gap, slip = random.random() < 0.04, random.random() < 1 / 30
    decision = drawn(("accept", 0.5), ("refuse", 0.3), ("review", 0.2)) if slip else _policy(person)
    return {**person, "income": None if gap else person["income"], TARGET: decision}


def _policy(person: dict[str, object]) -> str:
    """Decide: refuse late payers with low income and people without work, review large sums, accept the rest."""
    income, amount, age = (float(str(person[name])) for name in ("income", "amount", "age"))
    vouched = person["guarantor"] == "yes"
    if person["history"] == "late" and income <= 30_000 and not (vouched and amount <= 20_000):
        return "refuse"
    if person["employed"] == "no" and not vouched and age <= 65:
        return "refuse"
    if amount > 28_000 and not (income > 45_000 and person["history"] == "good"):
        return "review"
    return "review" if person["years_at_address"] == "abroad" else "accept"
