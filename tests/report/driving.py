"""The loan example as a page, and functions that use it and read it once values have settled."""

from __future__ import annotations

import random

import unless
from tests.explanation.examples import LOAN
from unless.report import report

__all__ = [
    "RECORD",
    "applicants",
    "caption",
    "changes",
    "control",
    "decision",
    "go_to",
    "numbers",
    "open_loan",
    "until",
]

RECORD = {"income": 18400.0, "history": "late", "guarantor": None}
"""Record 17 of the applicants."""


def applicants() -> list[dict]:
    """60 records of the loan example, on three pages; some labels differ from what the rules say."""
    rng = random.Random(5)
    rows = [
        {
            "income": float(rng.randrange(5, 60) * 1000),
            "history": rng.choice(["late", "good", "none", None]),
            "guarantor": rng.choice(["yes", "no", None]),
        }
        for _ in range(59)
    ]
    rows.insert(16, dict(RECORD))
    for row in rows:
        row["loan"] = rng.choice(["accept", "refuse"]) if rng.random() < 0.2 else LOAN.label(row)
    return rows


def open_loan(open_page, folder, **options):
    """The page of the applicants, at record 17."""
    path = folder / "loans.html"
    report(LOAN, unless.read_table(applicants(), "loan"), path)
    page = open_page(path, hash="#record=17", **options)
    changes(page)
    return page


def until(page, truth: str) -> None:
    """Wait until an expression is true; the page's policy forbids what Playwright itself would do."""
    for _ in range(500):
        if page.evaluate(truth):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"this did not become true: {truth}")


def drawn(page) -> None:
    """Wait until changes are drawn: values are shown once per frame."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def decision(page) -> str:
    """The label that is shown large."""
    drawn(page)
    return page.locator("#wi-decision .wi-label .chip").inner_text()


def settled(page) -> None:
    """Wait until changes are drawn and no search for the nearest ones goes on: until then they are pale."""
    drawn(page)
    until(page, "!document.querySelector('#wi-nearest[aria-busy]')")


def changes(page) -> list[str]:
    """The changes that the page proposes, once the search has ended."""
    settled(page)
    return [" ".join(text.split()) for text in page.locator("#wi-nearest button").all_inner_texts()]


def control(page, name: str):
    """The control of a feature."""
    return page.get_by_role("group", name=name, exact=True)


def go_to(page, number: int) -> None:
    """Open a record by the address."""
    page.evaluate(f"location.hash = '#record={number}'")
    until(page, f"document.getElementById('wi-number').value === '{number}'")


def numbers(page) -> list[str]:
    """The numbers of the records in the table."""
    drawn(page)
    return [text.split()[0] for text in page.locator("#rec-body th").all_inner_texts()]


def caption(page) -> str:
    """What the caption of the table says."""
    drawn(page)
    return page.locator("#rec-caption").inner_text()
