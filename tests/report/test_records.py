"""The table of records in a real browser: searched, filtered, sorted, paged, and a way into what-if."""

from __future__ import annotations

import re

import pytest

from tests.explanation.examples import LOAN
from tests.report.driving import applicants, caption, decision, go_to, numbers, open_loan
from tests.report.examples import hostile
from unless.model.prediction import predict
from unless.report import report


@pytest.fixture
def loan(open_page, tmp_path):
    """The page of the loan example."""
    return open_loan(open_page, tmp_path)


def test_the_table_is_searched(loan):
    """Every word must occur in some cell, in the number or in a label; the caption counts what is shown."""
    assert caption(loan) == "60 of 60 records"
    search, rows = loan.locator("#rec-search"), applicants()
    search.fill("LATE yes")
    expected = [k for k, row in enumerate(rows, 1) if row["history"] == "late" and row["guarantor"] == "yes"]
    assert caption(loan) == f"{len(expected)} of 60 records"
    assert numbers(loan) == list(map(str, expected[:25]))
    for number in ("18,400", "18400"):
        search.fill(number)
        assert numbers(loan) == ["17"]
    search.fill("nowhere")
    assert caption(loan) == "0 of 60 records"
    assert loan.get_by_text("No record matches.").is_visible()


def test_the_table_is_filtered(loan):
    """Wrong decisions, decisions and rules can be picked out, each with its count."""
    rows = applicants()
    wrong = [k for k, row in enumerate(rows, 1) if LOAN.label(row) != row["loan"]]
    loan.get_by_label("wrong only").check()
    assert caption(loan) == f"{len(wrong)} of 60 records"
    assert numbers(loan) == list(map(str, wrong[:25]))
    loan.get_by_label("wrong only").uncheck()
    asked = sum(LOAN.label(row) == "ask" for row in rows)
    loan.locator("#rec-decision").select_option(f"ask ({asked})")
    assert caption(loan) == f"{asked} of 60 records"
    loan.locator("#rec-decision").select_option("any")
    second = sum(LOAN.decides(row) == 1 for row in rows)
    loan.locator("#rec-rule").select_option(f"rule 2 ({second})")
    assert caption(loan) == f"{second} of 60 records"


def test_the_table_is_sorted(loan):
    """A heading sorts by its column, and the second time the other way round; missing values are last both times."""
    incomes = [row["income"] for row in applicants()]
    heading = loan.get_by_role("button", name="income", exact=True)
    heading.click()
    assert numbers(loan) == [str(k + 1) for k in sorted(range(60), key=lambda k: incomes[k])[:25]]
    assert loan.locator("th[aria-sort=ascending]").inner_text().startswith("income")
    heading.click()
    assert numbers(loan) == [str(k + 1) for k in sorted(range(60), key=lambda k: -incomes[k])[:25]]
    for _ in range(2):
        loan.get_by_role("button", name="history", exact=True).click()
        loan.get_by_role("button", name="Last page").click()
        assert loan.locator("#rec-body tr").last.locator("td").nth(-2).inner_text() == "missing"


def test_the_table_has_pages(loan):
    """There are 25 records on a page, and the buttons turn pages."""
    assert len(numbers(loan)) == 25
    loan.get_by_role("button", name="Next page").click()
    assert numbers(loan)[0] == "26"
    loan.get_by_role("button", name="Last page").click()
    assert len(numbers(loan)) == 10
    assert loan.get_by_role("button", name="Next page").is_disabled()
    loan.get_by_role("button", name="First page").click()
    assert numbers(loan)[0] == "1"


def test_a_row_starts_a_what_if(loan):
    """A click on a row starts from its record, and so does Enter in it; arrows move between rows."""
    loan.locator("#rec-body tr").nth(4).locator("td").nth(2).click()
    assert loan.evaluate("location.hash") == "#record=5"
    assert loan.evaluate("document.activeElement.id") == "what-if-title"
    assert loan.locator("tr[aria-current=true] th").inner_text().startswith("5 ")
    loan.get_by_role("button", name="What if, from record 1", exact=True).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        loan.keyboard.press(key)
    assert loan.evaluate("location.hash") == "#record=2"
    assert loan.locator("#wi-number").input_value() == "2"


def test_a_sample_is_said_to_be_one(open_page, tmp_path):
    """If only some of the records are in the page, the caption says so."""
    program, table = hostile()
    report(program, table, tmp_path / "page.html", sample=30)
    assert caption(open_page(tmp_path / "page.html")) == f"30 of 30 sampled records (of {len(table)})"


@pytest.mark.parametrize("width", [1280, 360])
def test_hostile_texts_are_shown_as_text(tmp_path, open_page, width):
    """Markup, quotes, long, invisible and right-to-left texts are shown, decided and searched as text; nothing runs."""
    program, table = hostile()
    report(program, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", width=width)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    tags = "b, img, script"
    assert page.locator(f":is(#what-if, #records) :is({tags})").count() == 0
    labels = predict(program, table)
    for number in range(1, len(table), 7):
        go_to(page, number)
        label, shown = labels[number - 1], decision(page)
        plain = label.isprintable() and label.strip()
        assert not plain or shown == label or label.startswith(re.sub("…$", "", shown))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#rec-search").fill("</script>")
    assert not caption(page).startswith("0 ")
    assert page.locator(f":is(#what-if, #records) :is({tags})").count() == 0
    assert page.title() != "bad"
