"""Every count leads to its records, in a real browser: chips, history, files, rules as text."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

import unless
from tests.report.driving import caption, drawn, numbers, until
from tests.report.examples import long, many_labels
from unless.demo.applicants import TARGET, applicants
from unless.evaluation.periods import PeriodResult
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.model.prediction import deciding_rules
from unless.report import render, report, summarise


@pytest.fixture(scope="module")
def judged():
    """A model of two labels, records with an identifier, and what it decides."""
    rows = applicants()
    for row in rows:
        row[TARGET] = "accept" if row[TARGET] == "accept" else "other"
    features = [name for name in rows[0] if name not in ("applicant", TARGET)]
    training = unless.read_table(rows[:500], TARGET, features=features)
    fitted = unless.UnlessClassifier(warn=False).fit(training)
    table = unless.read_table(rows[500:], TARGET, like=training, features=[*features, "applicant"])
    return fitted, table


@pytest.fixture
def page(judged, tmp_path, open_page):
    """The page about them."""
    report(*judged, tmp_path / "page.html")
    found = open_page(tmp_path / "page.html", accept_downloads=True)
    drawn(found)
    return found


def count_of(text: str) -> int:
    """The first number of a text."""
    return int(re.sub(r"[^0-9]", "", re.search(r"[0-9][0-9,]*", text).group()))


def shown(page) -> int:
    """How many records the table shows."""
    return count_of(caption(page))


def test_every_count_is_its_records(page):
    """Each link shows as many records as it says: bars, matrix, flow, labels, weak spots, groups."""
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    links = page.locator("main a[href^='#records?']")
    counted = [
        (link.get_attribute("href"), link.inner_text())
        for link in links.all()
        if re.match(r"[0-9,]+( |$)", link.inner_text())
    ]
    assert len(counted) > 25
    assert {re.match(r"#records\?(\w+)", href)[1] for href, _ in counted} >= {"rule", "true", "group"}
    for href, text in counted:
        page.evaluate(f"location.hash = {href!r}")
        until(page, f"location.hash === {href!r}")
        assert shown(page) == count_of(text), (href, text)


def test_the_bar_of_a_rule(page, judged):
    """A click on the bar of a rule shows the records that it decides; a chip says so, and takes it back."""
    fitted, table = judged
    rules = deciding_rules(fitted.program_, table)
    page.locator("#rule-2 .barlink").click()
    assert numbers(page) == [str(k) for k in (np.flatnonzero(rules == 1) + 1).tolist()][:25]
    assert page.evaluate("document.activeElement.id") == "records-title"
    chip = page.locator("#rec-chips li")
    assert chip.inner_text().split("\n")[0].strip().startswith("rule 2")
    chip.get_by_role("button", name="Remove the filter: rule 2").click()
    assert shown(page) == len(table)
    assert page.locator("#rec-chips li").count() == 0
    assert page.evaluate("location.hash") == "#records"


def test_back_and_forward(page):
    """The browser's history leads from a record to the filtered table, and from filter to filter."""
    page.locator("#rule-1 .barlink").click()
    first = shown(page)
    page.evaluate("location.hash = '#records?wrong'")
    until(page, "document.querySelector('#rec-chips').textContent.includes('wrong')")
    page.locator("#rec-body tr").first.locator("td").nth(1).click()
    until(page, "location.hash.startsWith('#record=')")
    page.go_back()
    until(page, "location.hash === '#records?wrong'")
    page.go_back()
    until(page, "location.hash === '#records?rule=1'")
    assert shown(page) == first
    page.go_forward()
    until(page, "document.querySelector('#rec-chips').textContent.includes('wrong')")


def test_a_filter_is_kept_in_the_address(page):
    """What a reader types is in the address: a reload shows the same records."""
    page.locator("#rec-search").fill("late")
    some = shown(page)
    assert page.evaluate("location.hash") == "#records?text=late"
    page.reload()
    drawn(page)
    assert shown(page) == some
    assert page.locator("#rec-search").input_value() == "late"


def test_identifiers_are_found(page, judged):
    """A column that no rule tests is shown, and searched."""
    _, table = judged
    column = table.column("applicant")
    name = str(column.value(column.codes[7]))
    page.locator("#rec-search").fill(name)
    assert "8" in numbers(page)
    heads = page.locator("#rec-head th").all_inner_texts()
    assert heads.index("applicant") == 4


def test_records_as_csv(page, judged):
    """The records that match are saved with all columns, as they are in the table."""
    _, table = judged
    page.locator("#rule-1 .barlink").click()
    some = shown(page)
    with page.expect_download() as download:
        page.locator("#rec-csv").click()
    text = download.value.path().read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == some
    for row in rows:
        number = int(row["record"]) - 1
        assert row["in the data"] == table.y[number]
        assert row["rule"] == "1"
        value = table.column("income").value(table.column("income").codes[number])
        assert row["income"] == (
            "" if value is None else unless.values.number_to_text(value) if isinstance(value, float) else value
        )


def test_saved_formulas_are_texts(open_page, tmp_path):
    """A spreadsheet shows saved records as they are: no cell and no name of a column is a formula."""
    records = [{"=name": f"={k}+1", "n": -k} for k in range(30)]
    program = unless.Program("y", ("n", "=name"), (unless.Rule("-a", (unless.Literal("n", "<=", -9.0),)),), "+b")
    report(program, unless.read_table(records), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    with page.expect_download() as download:
        page.locator("#rec-csv").click()
    head, *rows = csv.reader(io.StringIO(download.value.path().read_text("utf-8-sig")))
    assert "'=name" in head
    assert len(rows) == 30
    for row in rows:
        found = dict(zip(head, row, strict=True))
        assert found["'=name"] == f"'={-int(found['n'])}+1"
        assert found["decision"] == ("'-a" if int(found["n"]) <= -9 else "'+b")


def test_a_rule_is_copied(page, judged):
    """A rule can be copied as text, as Python prints it, and as SQL."""
    fitted, _ = judged
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#rule-1 .rule-more summary").click()
    page.locator("#rule-1").get_by_role("button", name="copy as text").click()
    assert page.evaluate("navigator.clipboard.readText()") == str(fitted.program_.rules[0])
    page.locator("#rule-1").get_by_role("button", name="copy as SQL").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("-- rule 1: ")


def test_thresholds_are_drawn(page, judged):
    """A rule shows its numeric conditions on histograms of their features."""
    fitted, _ = judged
    rule = fitted.program_.rules[0]
    bounds = [literal for literal in rule.literals() if literal.op in ("<=", ">")]
    page.locator("#rule-1 .rule-more summary").click()
    drawn(page)
    assert page.locator("#rule-1 .hist line").count() == len(bounds)
    assert page.locator("#features .hist").count() >= 1


def test_rules_are_sorted(open_page, tmp_path):
    """Rules are sorted by records, errors and label, and go back to the order of the list."""
    program, table = long(60)
    report(program, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    decided = deciding_rules(program, table)
    counts = np.bincount(decided % 61, minlength=61)

    def order() -> list[int]:
        drawn(page)
        return [
            int(name.removeprefix("rule-") or 61)
            for name in page.locator("ol.rules > li").evaluate_all("all => all.map((li) => li.id)")
        ]

    sort = page.locator("#rule-filter select[name=sort]")
    sort.select_option("records decided")
    assert order() == sorted(range(1, 62), key=lambda k: (-counts[k - 1], k))[:30]
    sort.select_option("label")
    assert order()[:5] == [k + 1 for k, rule in enumerate(program.rules) if rule.head == "accept"][:5]
    sort.select_option("errors")
    wrong = [int(((decided == k) & (table.y != rule.head)).sum()) for k, rule in enumerate(program.rules)]
    assert order()[0] == int(np.argmax(wrong)) + 1
    sort.select_option("order of the list")
    assert order() == list(range(1, 31))


def test_a_long_list_has_pages(open_page, tmp_path):
    """Of 190 rules 30 are shown at a time, in less than 5,000 pixels; a link turns to the page of its rule."""
    report(*long(190), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.locator("ol.rules > li").count() == 30
    assert page.evaluate("document.querySelector('#rules').offsetHeight") < 5000
    page.evaluate("location.hash = '#rule-150'")
    until(page, "!!document.querySelector('#rule-150')")
    assert page.locator("#rule-150").is_visible()
    assert "121 to 150 of 191" in page.locator("#rule-page").inner_text()
    page.locator("#rule-next").click()
    assert page.locator("ol.rules > li").first.get_attribute("id") == "rule-151"
    page.locator("#rule-all").click()
    assert page.locator("ol.rules > li").count() == 191


def test_thousands_of_rules_stay_few_in_the_document(open_page, tmp_path):
    """Of thousands of rules only a page of them is in the document, however they are filtered and sorted."""
    report(*long(1200, rows=800), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.locator("ol.rules > li").count() == 30
    assert not page.locator("#rule-all").is_visible()
    page.locator("#rule-filter input").fill("feature 3")
    drawn(page)
    assert 0 < page.locator("ol.rules > li").count() <= 30
    assert "of 1,200 rules" in page.locator("#rule-filter output").inner_text()


def test_costs(page, judged):
    """The table of costs gives the total, the cheapest threshold, and is kept on reload."""
    fitted, table = judged
    decided, truth = fitted.predict(table), table.y
    assert f"cost {sum(decided != truth):,}," in page.locator("#costs-total").inner_text()
    page.get_by_label("cost of other decided as accept").fill("100")
    drawn(page)
    wanted = 99 * sum((truth == "other") & (decided == "accept")) + sum(decided != truth)
    assert f"cost {wanted:,}," in page.locator("#costs-total").inner_text()
    shares = fitted.predict_proba(table)[:, list(fitted.classes_).index("other")]
    least = min(
        100 * sum((truth == "other") & (shares < t)) + sum((truth == "accept") & (shares >= t))
        for t in [*np.unique(shares), 2]
    )
    assert least < wanted
    assert f"It would cost least, {least:,} instead of {wanted:,}" in page.locator("#costs-threshold").inner_text()
    page.get_by_label("cost of other decided as accept").fill("many")
    assert page.get_by_label("cost of other decided as accept").get_attribute("aria-invalid") == "true"
    page.reload()
    assert page.get_by_label("cost of other decided as accept").input_value() == "100"
    page.locator("#costs-reset").click()
    assert f"cost {sum(decided != truth):,}," in page.locator("#costs-total").inner_text()


def test_what_matters_agrees_with_the_changes(page):
    """Every feature of a change that is offered is marked."""
    until(page, "!document.querySelector('#wi-nearest[aria-busy]')")
    texts = page.locator("#wi-nearest button").all_inner_texts()
    assert texts
    marked = page.locator(".wi-control.matters .wi-name bdi").all_inner_texts()
    names = page.locator(".wi-control .wi-name bdi").all_inner_texts()
    for text in texts:
        assert all(name in marked for name in names if text.startswith(f"{name} "))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_everything_open_is_accessible(judged, tmp_path, open_page, axe, width, dark):
    """With edit mode, words, folds and filters open, the accessibility checker has no complaints."""
    report(*judged, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", width=width, dark=dark, hash="#records?rule=1&wrong")
    page.locator("#edit").click()
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    page.locator("#rule-1 .edit-panel input[type=checkbox]").first.click()
    until(page, "document.querySelector('#edit-effect').textContent.includes('decided otherwise')")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_one_page_on_paper(judged, tmp_path, open_page):
    """A single sheet has the sentences and the busiest rules, and is one page, however many rules there are."""
    for name, example in {"two": judged, "many": many_labels(26), "long": long(190)}.items():
        report(*example, tmp_path / f"{name}.html")
        page = open_page(tmp_path / f"{name}.html")
        page.evaluate("window.print = () => {}")
        page.locator("#print-one").click()
        page.pdf(path=tmp_path / f"{name}.pdf", format="A4")
        assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / f"{name}.pdf").read_bytes())) == 1
        assert not page.evaluate("document.documentElement.classList.contains('one-page')")


def test_wide_tables_on_paper(open_page, tmp_path):
    """Of a wide table twelve columns are printed, and the paper says so."""
    program, table = long(30, features=40)
    report(program, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    page.emulate_media(media="print")
    heads = page.locator("#rec-head th")
    assert sum(head.is_visible() for head in heads.all()) == 12
    assert f"12 of {heads.count()} columns are printed" in page.locator("#rec-paper").inner_text()


def test_the_trade_off_is_a_chart_to_click(tmp_path, open_page, axe):
    """Accuracy against number of rules: a dot for each choice leads to its line, which says how to learn it."""
    table = unless.read_table(applicants(), TARGET, features=["income", "history"])
    model = unless.UnlessClassifier(warn=False).fit(table)
    choices = (Choice({"max_rules": 2.0}, 2, 60, 100), Choice({}, 5, 80, 100), Choice({"penalty": 0.5}, 9.5, 81, 100))
    page = replace(summarise(model, table), trade_off=TradeOff(choices))
    (tmp_path / "page.html").write_text(render(page))
    shown = open_page(tmp_path / "page.html")
    assert shown.locator(".trade-off circle").count() == 3
    heights = [float(one.get_attribute("cy")) for one in shown.locator(".trade-off circle").all()]
    assert heights == sorted(heights, reverse=True)
    rows = [" ".join(text.split()) for text in shown.locator(".trade tbody tr").all_inner_texts()]
    assert rows[0] == "2 0.600 0.502 to 0.691 --rules 2"
    assert rows[1].startswith("5 0.800 ")
    assert "enough" in rows[1]
    assert rows[2].endswith("--penalty 0.5")
    shown.get_by_label("9.5 rules: accuracy 0.810").click()
    assert shown.evaluate("location.hash") == "#choice-3"
    assert axe(shown) == []


def test_periods_are_a_chart_to_click(tmp_path, open_page, axe):
    """A dot for each period on its interval, a dash for the most frequent label, and a line of the table."""
    table = unless.read_table(applicants(), TARGET, features=["income", "history"])
    model = unless.UnlessClassifier(warn=False).fit(table)
    tests = (PeriodResult("2023-01", 100, 50, 30, 25, 3, 0.5), PeriodResult("2023-02", 150, 60, 51, 30, 2))
    (tmp_path / "page.html").write_text(render(replace(summarise(model, table), periods=tests)))
    shown = open_page(tmp_path / "page.html")
    heights = [float(one.get_attribute("cy")) for one in shown.locator("#periods circle").all()]
    assert heights[0] > heights[1]
    assert shown.locator("#periods .usual").count() == 2
    rows = [" ".join(text.split()) for text in shown.locator("#periods tbody tr").all_inner_texts()]
    assert rows == ["2023-01 0.600 0.462 to 0.724 50 100 0.500 50 %", "2023-02 0.850 0.739 to 0.919 60 150 0.500"]
    shown.get_by_label("2023-02: accuracy 0.850").click()
    assert shown.evaluate("location.hash") == "#period-2"
    assert axe(shown) == []
