"""A few cases of every search of `make torture`, and its page."""

from __future__ import annotations

import random

import pytest

from tests.lengths import LONG
from tests.torture import engines, sanitize
from tests.torture.counts import Counts
from tests.torture.page import PAGE, page
from tests.torture.searches import SEARCHES
from unless.errors import ProgramError
from unless.stream import output_columns


@pytest.mark.parametrize("name", [name for name, planned in SEARCHES.items() if planned.of_tests])
def test_nothing_differs(name):
    """What is fast, exported or written agrees with what is slow and obvious; long tests draw other cases each time."""
    seed = random.randrange(10**6) if LONG else 0
    counts = SEARCHES[name].search(SEARCHES[name].of_tests, seed)
    assert not counts.differences, counts.told(name)
    assert counts.compared or counts.lacking
    assert all(counts.compared.values()), f"nothing was compared with some of {dict(counts.compared)}"


def test_a_difference_is_found(monkeypatch):
    """A search is no formality: an answer without its quotes is found, and can be shown again by its seed."""
    monkeypatch.setattr(output_columns, "text_line", lambda cells, separator: separator.join(map(str, cells)))
    counts = SEARCHES["streams"].search(5, 0)
    assert counts.differences
    assert "python -m tests.torture streams --seed" in counts.told("streams")


def test_a_refusal_is_a_difference(monkeypatch):
    """An engine that takes every program may refuse none: a `predict` that does is found."""

    def refuse(*_):
        raise ProgramError("no")

    monkeypatch.setattr(engines, "_predict", refuse)
    counts = SEARCHES["engines"].search(1, 0)
    assert counts.found["predict"] == counts.compared["predict"] == engines.AT_ONCE


def test_a_crash_is_shown_again_by_its_round():
    """The round in which a sanitizer ended the process is the last one that was told; if none was, the first."""
    assert sanitize.last_round("round 7\nround 8\n==1==ERROR: AddressSanitizer: round 9\n", 7) == 8
    assert sanitize.last_round("cannot be loaded", 7) == 7


def test_the_page_has_what_was_counted():
    """Every search has a row with its counts, and a section with those of each kind."""
    counts = {name: Counts() for name in SEARCHES}
    counts["kills"].check("fit", 7, lambda: "half a file", same=False)
    counts["kills"].besides["the old file was there"] += 3
    counts["engines"].lacking.append("node")
    written = page(counts, 7, "today")
    assert "| Commands killed at random moments | 100 kills | 1 | 1 | 0 |" in written
    assert "| fit | 1 | 1 |" in written
    assert "Besides: the old file was there 3." in written
    assert "Not installed where this was run: node." in written


def test_the_page_is_of_these_searches():
    """docs/reliability.md has a section for every search there is, and tells of no difference."""
    written = PAGE.read_text()
    rows = [line.split("|") for line in written.splitlines() if line.startswith("| ") and line.count("|") == 6][1:]
    assert [row[1].strip() for row in rows] == [planned.title for planned in SEARCHES.values()]
    assert {row[4].strip() for row in rows} == {"0"}
