"""The sections of a page on what has moved, what comes back, and reasons: in a browser, for every reader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.examples import HOSTILE, loans
from unless import UnlessClassifier
from unless.errors import ParameterError
from unless.report import report, summarise
from unless.table import Column, Labels, Table


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    """A page with these sections: an ordinary one, and one whose names and values a page could misunderstand."""
    folder, found = tmp_path_factory.mktemp("keeping"), {}
    model, table = loans()
    shifted = replace(table, columns=tuple(
        Column.of(one.name, ["Late"] * len(table)) if one.name == "history" else one for one in table.columns
    ))  # fmt: skip
    found["loans"] = folder / "loans.html"
    stable = model.stability(table, table.y, n=2)
    named = model.reasons(table)
    report(model, table, found["loans"], watch=model.watch(shifted, table.y), stability=stable, reasons=named)
    rows = 40 * len(HOSTILE)
    values = [HOSTILE[row % len(HOSTILE)] for row in range(rows)]
    strange = Table((Column.of(HOSTILE[0], values),), Labels.of(HOSTILE[1], [HOSTILE[row % 3] for row in range(rows)]))
    own = UnlessClassifier(warn=False).fit(strange)
    moved = replace(
        strange, columns=(Column.of(HOSTILE[0], [HOSTILE[2]] * (rows // 2) + ["<i>new</i>"] * (rows // 2)),)
    )
    found["hostile"] = folder / "hostile.html"
    parts = {"stability": own.stability(strange, strange.y, n=2), "reasons": own.reasons(strange)}
    report(own, strange, found["hostile"], watch=own.watch(moved), **parts)
    return found


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["loans", "hostile"])
def test_sections_in_a_browser(sections, open_page, axe, name, dark):
    """The sections are there, linked, accessible, and as wide as the screen of a phone."""
    page = open_page(sections[name], width=390, height=800, dark=dark)
    for section in ("watch", "stability", "reasons"):
        part = page.locator(f"section#{section}")
        assert part.get_attribute("aria-labelledby") == part.locator("h2").get_attribute("id")
        assert page.locator(f"nav a[href='#{section}']").count() == 1
    page.locator("#watch details summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe(page) == []
    assert page.title() != "bad"


def test_every_number_is_pythons(sections, open_page):
    """The page shows the shares, probabilities and quantiles that Python found."""
    model, table = loans()
    stable = model.stability(table, table.y, n=2)
    page = open_page(sections["loans"])
    lines = [line.split() for line in page.locator("#stability table").first.inner_text().splitlines()[1:]]
    wanted = [[number, *returns.split(), *same.split()] for number, returns, same, _, _ in stable.lines()]
    assert [[line[0], *line[-4:]] for line in lines] == wanted
    assert page.locator("#watch tbody tr").first.inner_text().startswith("history is new")


def test_pages_have_them_on_request_only():
    """Without a watch, a stability or reasons there is no section."""
    model, table = loans()
    page = summarise(model, table)
    assert (page.watch, page.stability, page.reasons) == (None, None, None)


def test_reasons_are_counted_and_in_the_records(sections, open_page):
    """The table has the counts of Python, and each record its codes, which can be searched."""
    model, table = loans()
    named = model.reasons(table)
    page = open_page(sections["loans"])
    rows = page.locator("#reasons tbody tr").all_inner_texts()
    counts = [(row.split("\t")[0].strip(), row.split("\t")[-2].strip()) for row in rows]
    assert counts == [(str(label), f"{records:,}") for label, _, _, records, _ in named.count_rows()]
    cell = page.locator("#records tbody tr").first.inner_text().split("\t")[-1]
    assert "; ".join(one.code for one in named[0]).startswith(cell.removesuffix("…"))
    with pytest.raises(ParameterError, match="records, but there are 5"):
        summarise(model, table[:5], reasons=named)
