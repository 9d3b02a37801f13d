"""The page in a real browser: it says what the summary says, safely, for every reader and on every screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.report.driving import drawn, until
from tests.report.examples import HOSTILE, deep, hostile, loans, long, many_labels, parcels
from unless.report import report

SECTIONS = ("rules", "flow", "quality", "features", "weak", "what-if", "records")
PAGES = {
    "loans": loans,
    "hostile": hostile,
    "long": lambda: long(200),
    "deep": deep,
    "many labels": lambda: many_labels(30),
    "parcels": parcels,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The files of the example pages, each written once."""
    folder, written = tmp_path_factory.mktemp("pages"), {}

    def page(name: str) -> Path:
        if name not in written:
            model, table = PAGES[name]()
            written[name] = folder / f"{name}.html"
            report(model, table, written[name])
        return written[name]

    return page


@pytest.mark.parametrize("name", PAGES)
def test_every_section_is_there(pages, open_page, name):
    """Every section has a heading that names it and a link that leads to it, and fits the screen of a phone."""
    page = open_page(pages(name))
    for section in SECTIONS:
        part = page.locator(f"section#{section}")
        assert part.get_attribute("aria-labelledby") == part.locator("h2").first.get_attribute("id")
        assert page.locator(f"nav a[href='#{section}']").count() == 1
    assert page.title()
    assert page.locator("h1").count() == 1
    for width in (768, 360):  # only what is wide by nature scrolls sideways, inside its own frame
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_rules_are_sentences(pages, open_page):
    """A rule reads as people would say it, with its exceptions below it and what it decides."""
    page = open_page(pages("loans"))
    model, _ = loans()
    items = page.locator("ol.rules > li")
    assert items.count() == len(model.program_)
    third = re.sub(r"\s+", " ", items.nth(2).inner_text()).replace(" more for rule 3", "")
    assert "review if amount is above 28,200 unless income is above 45,600 and history is good" in third
    expected = r"expected precision \d\d.% \(\d\d.% to 9\d.%\)"
    assert re.search(rf"74 decided \(25.%\), 95.% right 4 wrong {expected} in training 118, 96.% right", third)
    assert items.nth(2).locator(".bar").get_attribute("aria-label").startswith("70 review, 2 accept (wrong)")


def test_every_number_is_shown(pages, open_page):
    """The confusion matrix, the measures and the flow are those of the decisions."""
    model, table = loans()
    page = open_page(pages("loans"))
    predicted = model.predict(table)
    truth = [table.target.labels[code] for code in table.target.codes]
    rows = page.locator("#quality table.matrix tbody tr")
    for place, label in enumerate(table.target.labels):
        cells = rows.nth(place).locator("td").all_inner_texts()
        wanted = [
            sum(t == label and p == other for t, p in zip(truth, predicted, strict=True))
            for other in table.target.labels
        ]
        assert [int(cell.replace("·", "0")) for cell in cells] == [*wanted, sum(wanted)]
    accuracy = sum(t == p for t, p in zip(truth, predicted, strict=True)) / len(truth)
    assert f"{accuracy:.3f}" in page.locator(".figures").inner_text()
    taken = [int(row.split()[0]) for row in page.locator("table.flow td:nth-child(4)").all_inner_texts()]
    assert sum(taken) == len(table)


def test_hostile_texts_are_text(pages, open_page):
    """Markup, scripts and templates in the data are shown, not obeyed; long texts are in full at the end."""
    page = open_page(pages("hostile"))
    text = page.locator("body").inner_text()
    for shown in ("</script><img src=x onerror=", "<b>bold</b>&amp;&#60;", "{{ 7*7 }}{% raw %}${7*7}", "--><!-- ]]>"):
        assert shown in text
    assert page.locator("img, b:text('bold')").count() == 0
    assert page.title() != "bad"
    assert b"\x1b" not in pages("hostile").read_bytes()
    assert page.locator("#rules").inner_text().count("x" * 200) == 0
    link = page.locator("#rules a.long").first
    link.click()
    full = page.locator(link.get_attribute("href")).locator("p")
    full.wait_for(state="visible")
    assert full.inner_text().strip() == HOSTILE[2]


def test_right_to_left_text_stays_in_its_place(pages, open_page):
    """Text written from right to left is isolated: what follows it in the sentence is on its right."""
    page = open_page(pages("hostile"))
    condition = page.locator("#rules li > .say > p .cond", has_text=HOSTILE[4]).last
    name, verb = condition.evaluate(
        """span => [...span.childNodes].slice(0, 2).map(node => {
             const range = document.createRange();
             range.selectNodeContents(node);
             const { left, right } = range.getBoundingClientRect();
             return [left, right];
           })"""
    )
    assert name[1] <= verb[1] - 1
    assert name[0] < verb[0]


@pytest.mark.parametrize(
    ("name", "theme"),
    [("loans", "light"), ("loans", "dark"), ("hostile", "dark"), ("many labels", "light"), ("parcels", "dark")],
)
def test_accessible(pages, open_page, axe, name, theme):
    """The accessibility checker axe has no complaints: labels, roles, order, contrast."""
    page = open_page(pages(name), dark=theme == "dark")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert axe(page) == []


def test_the_theme_can_be_chosen(pages, open_page):
    """The page follows the system at first, without a flash; a button changes it, by keyboard too, and it is kept."""
    page = open_page(pages("loans"), dark=True)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.locator("#theme").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(paper) != dark
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_rules_can_be_filtered(pages, open_page):
    """Words, a label and a feature narrow the list of rules; a link to a hidden rule shows it again."""
    page = open_page(pages("long"))
    page.locator("#rule-all").click()
    drawn(page)
    items = page.locator("ol.rules > li:visible")
    everything = items.count()
    assert everything == 201
    page.locator("#rule-filter input").fill("review  ABOVE")
    drawn(page)
    some = items.count()
    assert 0 < some < everything
    assert all("review" in text and "above" in text for text in items.all_text_contents())
    page.locator("#rule-filter select[name=feature]").select_option(label="feature 3")
    drawn(page)
    assert 0 < items.count() < some
    assert all("feature 3" in text for text in items.all_text_contents())
    page.locator("#rule-filter select[name=label]").select_option(label="refuse")
    drawn(page)
    assert items.count() == 0
    assert "0 of 200 rules" in page.locator("#rule-filter output").inner_text()
    page.locator("#flow a[href='#rule-2']").click()
    until(page, f"document.querySelectorAll('ol.rules > li:not([hidden])').length === {everything}")
    assert items.count() == everything


def test_sections_are_reached_by_keyboard(pages, open_page):
    """The first key leads past the navigation, the next ones through it; the reader's place is marked."""
    page = open_page(pages("loans"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the rules"
    for _ in range(7):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#features"
    page.keyboard.press("Enter")
    until(page, "document.querySelector('nav a[aria-current]').hash === '#features'")


def test_prints(pages, open_page, tmp_path):
    """On paper there are no controls, everything is open, and ink is dark on white in any theme."""
    page = open_page(pages("many labels"), dark=True)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open], .on-demand, .rule-more)").count() == 0
    assert page.locator("nav, #rule-filter, #theme").evaluate_all("all => all.every(one => !one.offsetParent)")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')").strip() == "#1d2126"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open], .on-demand, .rule-more)").count() > 0
    page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").stat().st_size > 10_000


def test_small_and_fast(pages, open_page):
    """200 rules and 2,000 records take less than a megabyte and open in less than a second."""
    path = pages("long")
    assert path.stat().st_size < 1_000_000
    page = open_page(path)
    timing = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    until(page, f"{timing} > 0")
    # The bound is wide: CI machines are slow and busy. The figure that was measured is in docs/report.md.
    assert page.evaluate(timing) < 3000


def test_nothing_but_its_own_scripts_runs(pages, open_page):
    """The policy of the page allows two scripts by their hashes, and no network at all."""
    page = open_page(pages("hostile"))
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'; ")
    assert policy.count("'sha256-") == 2
    assert "connect-src" not in policy
    assert "base-uri 'none'; form-action 'none'" in policy
    assert page.locator("[onclick], [onload], [onerror]").count() == 0
    assert page.locator("script[src], link[rel=stylesheet], iframe").count() == 0


def test_a_foreign_script_does_not_run(pages, browser, tmp_path):
    """Markup that somebody adds to the file later can neither run nor send anything: the browser refuses it."""
    bad = "<script>document.title='bad'</script><img src=x onerror=\"document.title='bad'\"><form action=//x.invalid>"
    path = tmp_path / "page.html"
    path.write_text(pages("loans").read_text().replace("</main>", f"{bad}<button id=send></button></form></main>"))
    with browser.new_context() as context:
        page = context.new_page()
        refused, loaded = [], []
        page.on("console", lambda said: refused.append(said.text))
        page.on("requestfinished", lambda request: loaded.append(request.url))
        page.goto(path.as_uri())
        page.locator("#send").evaluate("button => button.click()")
        assert page.title() != "bad"
        assert sum("Content Security Policy" in text for text in refused) >= 3
        assert loaded == [path.as_uri()]


@pytest.mark.parametrize("place", ["#%", "#%E0%A4", "#wi-changed", "#wi-further", "#record=x", "#record=9999999"])
def test_any_address_is_borne(pages, open_page, place):
    """An address that leads nowhere, or to something that is not shown, does no harm."""
    page = open_page(pages("loans"), hash=place)
    assert page.locator("#wi-number").input_value() == "1"


def test_works_without_scripts(pages, open_page):
    """Without JavaScript the rules and figures are there, and the page says what is missing."""
    page = open_page(pages("loans"), java_script_enabled=False)
    assert page.locator("ol.rules > li").first.is_visible()
    assert not page.locator("#theme").is_visible()
    assert "needs JavaScript" in page.locator("#what-if").inner_text()
