"""The functions by which exported code and the report page read cells."""

from __future__ import annotations

from textwrap import dedent

import pytest

from unless.export.cell_functions import amount, clock, duration, level, measure, moment, value
from unless.export.cell_sources import javascript_readers, javascript_source, python_readers, typed_date_pattern
from unless.values import NUMBER_FORM
from unless.values.notation import DATE, DURATION_FORMS, TIME, DateNotation

ALL = ("moment", "clock", "duration", "level", "flag", "amount", "same", "known", "blank")


def test_javascript_has_the_forms_of_python():
    """Numbers and durations are recognised by the same regular expressions in both languages."""
    source = javascript_source()
    assert f"/^ *(?:{NUMBER_FORM}) *$/" in source
    for form in DURATION_FORMS:
        assert f"/^(?:{form.replace('?P<', '?<')})$/" in source


def test_exports_copy_the_functions_of_the_page():
    """What an exported function reads cells with is code of the page, letter by letter."""
    own, *shared = javascript_readers(ALL, numeric=True)
    assert "const value" in own
    assert all(dedent(one) in javascript_source() for one in shared)


def test_only_what_is_needed():
    """A function that reads no dates has none of their readers, in either language."""
    assert len(javascript_readers([], numeric=False)) == len(python_readers([], numeric=False)) == 1
    assert "datetime." not in "".join(python_readers(["measure"], numeric=True))
    assert len(javascript_readers(["flag"], numeric=True)) == 5  # value, numeral, measure, flag, number


def test_the_functions_run_where_they_are_written():
    """They are code like any other: what they read needs no export."""
    assert [value(True), value(float("nan")), measure("TRUE"), measure(" 1e3 ")] == ["True", None, 1.0, 1000.0]
    assert [moment("2020-08-01"), moment("1.8.2020", "%d.%m.%Y")] == [DATE.number("2020-08-01")] * 2
    assert [clock("7:30"), duration("1 d"), level("M", ["S", "M"])] == [TIME.number("07:30"), 86_400e6, 1.0]
    assert amount("1.234,5 €", [r"([+-]?)([0-9.,]+) €", ".", ","]) == 1234.5


@pytest.mark.parametrize(("form", "found"), [(None, None), ("%d.%m.%Y", "^"), ("%d %b", "(?!)")])
def test_what_a_page_reads(form, found):
    """A page reads dates in a format of digits; one with names of months, which depend on a language, it does not."""
    typed = typed_date_pattern(DateNotation("date", DATE.step, format=form))
    assert typed == found or (found == "^" and typed.startswith("^"))
