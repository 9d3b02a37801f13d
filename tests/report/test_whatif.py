"""What-if in a real browser: by mouse and by keyboard, live, with changes that lead where they say."""

from __future__ import annotations

import random
import re
from datetime import date

import numpy as np
import pytest
from playwright.sync_api import expect

import unless
from tests.explanation.examples import LOAN, RANGES, REPEATING
from tests.report import examples
from tests.report.driving import RECORD, applicants, caption, changes, control, decision, drawn, go_to, open_loan
from tests.shared import SHARED, needs_shared
from unless.explanation.counterfactuals.nearest import counterfactuals
from unless.explanation.why import explain
from unless.model.prediction import deciding_rules, predict
from unless.report import report
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table
from unless.values.notation import LevelNotation, NotatedNumber


@pytest.fixture
def loan(open_page, tmp_path):
    """The page of the loan example at record 17: income 18,400, history late, no guarantor."""
    return open_loan(open_page, tmp_path)


@needs_shared
@pytest.mark.parametrize("name", ["adult", "anneal", "nursery", "credit-a"])
def test_decisions_are_those_of_predict(name, tmp_path, open_page):
    """On every sampled record of real data the page gives the rule and the label that `predict` gives."""
    table = SHARED.table(name)
    program = unless.fold_rm(table)
    report(program, table, tmp_path / "page.html", sample=1000)
    page = open_page(tmp_path / "page.html")
    answers = page.evaluate(
        """() => {
          const {records, program} = unless.page;
          return [...Array(records.shown).keys()].map((row) => {
            const {label, rule} = unless.decide(records.record(row));
            return [records.numbers[row], rule, label === null ? null : program.texts[label]];
          });
        }"""
    )
    labels, rules = predict(program, table), deciding_rules(program, table)
    assert len(answers) == min(1000, len(table))
    for number, rule, label in answers:
        assert (-1 if rule is None else rule) == rules[number - 1]
        assert label == (None if labels[number - 1] is None else str(labels[number - 1]))


def test_ranges(tmp_path, open_page):
    """The bounds of a number are one condition of a proof, and the nearest changes name both."""
    ages, cities = [34, 36, 55], ["Oslo", "Oslo", "Rome"]
    table = Table((Column.of("age", ages, "number"), Column.of("city", cities, "text")))
    report(RANGES, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    drawn(page)
    assert page.locator("#wi-proof > li").first.inner_text() == "✓ holds: age is 34, which is above 30 and at most 40"
    assert "does not apply: 'age is above 35 and at most 36' does not hold: age is 34" in " ".join(
        page.locator("#wi-proof").inner_text().split()
    )
    assert page.locator("#wi-proof details").count() == 0  # an exception of one condition has nothing to unfold
    assert changes(page)[0].startswith("age above 35 and at most 36 → extra")
    go_to(page, 3)
    page.locator("#wi-others summary").click()
    drawn(page)
    assert "did not apply: age is 55, but must be above 60 and at most 50" in page.locator("#wi-others").inner_text()


def test_a_record_is_explained(loan):
    """The address names the record; decision, rule and reasons are those of the record's proof."""
    proof = explain(LOAN, RECORD)
    assert decision(loan) == proof.label == "refuse"
    assert "rule 1" in loan.locator("#wi-decision").inner_text()
    text = " ".join(loan.locator("#wi-proof").inner_text().split())
    assert "✓ holds: income is 18,400, which is at most 21,000" in text
    assert "✓ holds: history is late, as required" in text
    assert "✗ does not apply: 'guarantor is yes' does not hold: guarantor is missing" in text
    for name in ("income", "history", "guarantor"):
        assert control(loan, name).get_by_text("matters").is_visible()


def test_equal_reasons_are_one(tmp_path, open_page):
    """Exceptions that fail for the same reason are one line that says how many; what each asks is in its fold."""
    table = unless.read_table([{"income": None, "city": "Oslo", "y": "a"}, {"income": 7, "city": None, "y": "b"}], "y")
    report(REPEATING, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", hash="#record=1")
    changes(page)
    proof = page.locator("#wi-proof")
    assert proof.get_by_text("income is missing, as required").count() == 1
    assert proof.locator(".wi-unless > ul > li").all_inner_texts() == [
        "✗ does not apply: 'income is at most 5' does not hold: income is missing",
        "✗ does not apply: 'income is at most 9' does not hold: income is missing",
        "✗ 3 do not apply: 'city is missing' does not hold: city is Oslo",
    ]
    proof.locator("summary").first.click()
    assert proof.locator("details").first.locator("li").all_inner_texts() == [
        "city is missing and income is at most 5",
        "city is missing and income is above 9",
        "city is missing and income is missing",
    ]


def test_typing_and_sliding(loan):
    """Values change by typing, beyond the training range too, and by the slider's keys; the decision follows."""
    field = control(loan, "income").get_by_label("income", exact=True)
    field.fill("21,001")
    assert decision(loan) == "ask"
    field.fill("1e9")
    assert decision(loan) == "ask"
    field.fill("21000")
    assert decision(loan) == "refuse"
    slider = control(loan, "income").get_by_label("income, slider")
    slider.press("ArrowRight")
    assert field.input_value() == "21001"
    assert decision(loan) == "ask"
    slider.press("Home")
    assert decision(loan) == "refuse"
    least = field.input_value()
    field.fill("many")
    assert control(loan, "income").get_by_text(f"not a number; still {float(least):,.0f}").is_visible()
    assert field.get_attribute("aria-invalid") == "true"
    assert decision(loan) == "refuse"


def test_choosing_other_and_missing(loan):
    """Categories are chosen from a list, any other text is typed, and a value can be missing and come back."""
    history = control(loan, "history")
    chooser = history.get_by_label("history", exact=True)
    chooser.select_option("good")
    assert decision(loan) == "accept"
    chooser.select_option("other…")
    history.get_by_label("history, other text").fill("unheard of")
    assert decision(loan) == "accept"
    history.get_by_label("missing").check()
    assert chooser.is_disabled()
    assert decision(loan) == "accept"
    control(loan, "income").get_by_label("income", exact=True).fill("9000")
    assert decision(loan) == "ask"
    history.get_by_label("missing").uncheck()
    drawn(loan)
    assert "history is 'unheard of'" not in loan.locator("#wi-proof").inner_text()
    assert "unheard of" in loan.locator("#wi-changed-list").inner_text()


def test_changes_are_listed_and_taken_back(loan):
    """What was changed is listed with its old value; it is undone one by one or all at once."""
    control(loan, "income").get_by_label("income", exact=True).fill("30000")
    control(loan, "guarantor").get_by_label("missing").uncheck()
    control(loan, "guarantor").get_by_label("guarantor", exact=True).select_option("yes")
    decision(loan)
    listed = loan.locator("#wi-changed-list li").all_inner_texts()
    assert [text.removesuffix("undo").strip() for text in listed] == [
        "income: 18,400 → 30,000",
        "guarantor: missing → yes",
    ]
    assert control(loan, "income").get_by_text("was 18,400").is_visible()
    loan.get_by_role("button", name="Undo income").click()
    assert decision(loan) == "ask"
    assert control(loan, "income").get_by_label("income", exact=True).input_value() == "18400"
    loan.get_by_role("button", name="Reset to record 17").click()
    assert decision(loan) == "refuse"
    assert not loan.locator("#wi-changed").is_visible()
    assert control(loan, "guarantor").get_by_label("missing").is_checked()


def test_proposed_changes_lead_where_they_say(loan):
    """Every proposed change is a button that leads to its label, by mouse and by keyboard; Python proposes the same."""
    table = unless.read_table(applicants(), "loan")
    expected = [str(one) for one in counterfactuals(LOAN, RECORD, table=table)]
    assert changes(loan) == expected
    for place, text in enumerate(expected):
        button = loan.locator("#wi-nearest button").nth(place)
        if place % 2:
            button.click()
        else:
            button.focus()
            loan.keyboard.press("Enter")
        label = re.search(r"→ (.*) \(", text)[1]
        assert decision(loan) == label
        assert loan.evaluate("document.activeElement.id") == "wi-decision"
        loan.get_by_role("button", name="Reset to record 17").click()
        assert changes(loan) == expected


def test_kept_features_and_wanted_labels(loan):
    """A kept feature is not changed, a wanted label is searched for, and values become missing only if allowed."""
    record, table = RECORD, unless.read_table(applicants(), "loan")
    control(loan, "income").get_by_label("keep").check()
    assert changes(loan) == [str(one) for one in counterfactuals(LOAN, record, fixed=["income"], table=table)]
    loan.locator("#wi-wanted").select_option("accept")
    assert changes(loan) == [str(one) for one in counterfactuals(LOAN, record, "accept", fixed=["income"], table=table)]
    for name in ("history", "guarantor"):
        control(loan, name).get_by_label("keep").check()
    assert changes(loan) == []
    assert "no feature that the rules use may change" in loan.locator("#wi-status").inner_text()
    control(loan, "history").get_by_label("keep").uncheck()
    loan.get_by_label("values may be missing").check()
    assert "history is missing → accept (rule 2)" in changes(loan)


def test_looking_further(loan):
    """After the nearest three there are more to see, until there are no others; the focus goes with them."""
    every = [str(one) for one in counterfactuals(LOAN, RECORD, table=unless.read_table(applicants(), "loan"), most=9)]
    assert changes(loan) == every[:3]
    loan.get_by_role("button", name="Look further").click()
    assert changes(loan) == every
    assert loan.locator("#wi-status").inner_text() == "There are no others."
    assert loan.evaluate("document.activeElement.textContent").startswith(every[3].split(" →")[0])


def test_a_long_search_is_stopped_and_said(tmp_path, open_page):
    """If the search takes longer than a few seconds, it stops, says so, and offers to go on."""
    rng = random.Random(1)
    features = tuple(f"f{k}" for k in range(30))

    def literals(count: int) -> list[Literal]:
        return [Literal(rng.choice(features), rng.choice(["==", "!="]), rng.choice("abc")) for _ in range(count)]

    program = Program("y", features, [*(Rule("common", literals(3)) for _ in range(150)), Rule("rare", literals(1))])
    record = {feature: rng.choice("abc") for feature in features}
    table = unless.read_table([{**record, "y": "common"}, {**dict.fromkeys(features, "b"), "y": "rare"}], "y")
    report(program, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    page.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => 2000 * now(); }")
    page.locator("#wi-wanted").select_option("rare")
    assert changes(page) == []
    assert "The search stopped after 3 seconds" in page.locator("#wi-status").inner_text()
    assert page.get_by_role("button", name="Look further").is_visible()
    page.get_by_role("button", name="Look further").click()
    assert changes(page) == []
    assert page.evaluate("document.activeElement.id") == "wi-decision"


def test_a_search_that_fails_says_so(tmp_path, open_page):
    """If a proposed change does not hold, it is not shown; the page says that the search failed."""
    path = tmp_path / "page.html"
    report(LOAN, unless.read_table(applicants(), "loan"), path)
    page = open_page(path)
    changes(page)
    page.evaluate("() => { console.error = () => {}; unless.engine.decide = () => ({ rule: null, label: -1 }); }")
    control(page, "income").get_by_label("keep").check()
    assert changes(page) == []
    assert "The search failed" in page.locator("#wi-status").inner_text()
    assert not page.locator("#wi-further").is_visible()


def test_another_record_forgets_the_last(loan):
    """The value that comes back after "missing" is that of this record, never of another one."""
    go_to(loan, next(k for k, row in enumerate(applicants(), 1) if row["guarantor"] == "yes"))
    go_to(loan, 17)
    missing = control(loan, "guarantor").get_by_label("missing")
    missing.uncheck()
    assert control(loan, "guarantor").get_by_label("guarantor", exact=True).input_value() == "0"
    assert "guarantor: missing → no" in loan.locator("#wi-changed-list").inner_text()


def test_stepping_through_records(loan):
    """Records are opened one after the other or by number, and the address follows; an unknown number is reported."""
    loan.get_by_role("button", name="Next record").click()
    assert loan.get_by_label("Record", exact=True).input_value() == "18"
    assert loan.evaluate("location.hash") == "#record=18"
    loan.get_by_role("button", name="Previous record").click()
    assert loan.get_by_label("Record", exact=True).input_value() == "17"
    loan.get_by_label("Record", exact=True).fill("60")
    loan.keyboard.press("Enter")
    assert loan.evaluate("location.hash") == "#record=60"
    assert loan.get_by_role("button", name="Next record").is_disabled()
    loan.get_by_label("Record", exact=True).fill("61")
    loan.keyboard.press("Enter")
    assert loan.get_by_text("Record 61 is not among the 60 here.").is_visible()
    go_to(loan, 3)


def test_every_control_is_reached_by_keyboard(loan):
    """The tab key reaches the controls of every feature in order, then what would change the decision."""
    loan.get_by_label("Record", exact=True).focus()
    seen = []
    for _ in range(40):
        loan.keyboard.press("Tab")
        seen.append(
            loan.evaluate(
                "document.activeElement.ariaLabel || document.activeElement.id || document.activeElement.className"
            )
        )
    order = ["income", "income, slider", "history", "wi-wanted", "wi-missing"]
    places = [seen.index(name) for name in order]
    assert places == sorted(places)
    outline = loan.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


@needs_shared
def test_learned_programs_change_as_promised(tmp_path, open_page):
    """On real data every proposed change, of several records, leads to the label that its button promises."""
    table = SHARED.table("credit-a")
    report(unless.fold_rm(table), table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", hash="#record=3")
    for _ in range(2):
        for place, text in enumerate(changes(page)):
            page.locator("#wi-nearest button").nth(place).click()
            assert decision(page) == re.search(r"→ (.*) \(", text)[1]
            page.get_by_role("button", name="Reset to record").click()
            changes(page)
        page.get_by_role("button", name="Next record").click()


def test_numbers_and_texts_in_one_column(tmp_path, open_page):
    """A mixed column has a choice between number and text; infinite numbers are shown, typed and decided."""
    program = Program(
        "y", ("m",), (Rule("big", (Literal("m", ">", 5.0),)), Rule("word", (Literal("m", "==", "x"),))), "rest"
    )
    cells = [1.0, 7.5, "x", "y", None, np.inf]
    columns = (Column.of("m", cells),)
    report(program, Table(columns, rows=len(cells)), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    found = []
    for number in range(1, 7):
        go_to(page, number)
        found.append(decision(page))
    assert found == ["rest", "big", "word", "rest", "rest", "big"]
    assert control(page, "m").get_by_label("m", exact=True).first.input_value() == "inf"
    kind = control(page, "m").get_by_label("m, kind")
    kind.select_option("text")
    control(page, "m").get_by_label("m", exact=True).last.select_option("x")
    assert decision(page) == "word"
    kind.select_option("number")
    control(page, "m").get_by_label("m", exact=True).first.fill("-inf")
    assert decision(page) == "rest"
    assert not page.get_by_label("wrong only").is_visible()


def test_texts_are_not_taken_for_numbers(tmp_path, open_page):
    """In the table a text that reads like a number of its column, or like a missing value, is in quotes."""
    program = Program("y", ("m", "t"), (Rule("a", (Literal("m", ">", 5.0), Literal("t", "==", "85"))),), "b")
    columns = Column.of("m", [1.0, "1", "inf", None], "mixed"), Column.of("t", ["85", "missing", "x", None], "text")
    report(program, Table(columns, rows=4), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    cells = page.locator("#rec-body td:nth-last-child(-n+2)").all_inner_texts()
    assert cells == ["1", "85", "'1'", "'missing'", "'inf'", "x", "missing", "missing"]


def test_phone_width(open_page, tmp_path):
    """At 360 px only the table scrolls sideways, in its own region, and the decision stays in sight."""
    page = open_loan(open_page, tmp_path, width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(
        "(() => { const r = document.querySelector('.rec-scroll'); return r.scrollWidth > r.clientWidth; })()"
    )
    control(page, "guarantor").scroll_into_view_if_needed()
    box = page.locator("#wi-decision").bounding_box()
    assert 0 <= box["y"] < 740
    control(page, "guarantor").get_by_label("missing").uncheck()
    control(page, "guarantor").get_by_label("guarantor", exact=True).select_option("yes")
    assert decision(page) == "ask"


def test_many_features_are_found(tmp_path, open_page):
    """With many features, those that matter, are offered or have changed are shown; all others are found by name."""
    features = tuple(f"feature {k}" for k in range(40))
    rules = tuple(Rule("ab"[k % 2], (Literal(name, ">", float(k)),)) for k, name in enumerate(features))
    program = Program("y", features, rules, "b")
    records = [
        {**{name: float(k if row != k else k + 1) for k, name in enumerate(features)}, "y": "a"} for row in range(41)
    ]
    report(program, unless.read_table(records, "y"), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", hash="#record=8")
    changes(page)
    shown = page.locator(".wi-control:visible")
    offered = {" ".join(text.split()[:2]) for text in changes(page)}
    assert set(page.locator(".wi-control:visible .wi-name bdi").all_inner_texts()) == {"feature 7", *offered}
    page.get_by_label("Find a feature").fill("39")
    assert shown.count() == 1
    page.get_by_label("Find a feature").fill("")
    page.get_by_label("only what matters").uncheck()
    assert shown.count() == 40
    page.locator("#wi-others summary").click()
    expect(page.locator("#wi-others li")).to_have_count(7)  # what is folded is written when it is unfolded
    assert "did not apply: feature 0 is 0, but must be above 0" in page.locator("#wi-others li").first.inner_text()


def test_on_paper(loan):
    """In print there are no controls; the record's values that matter, the proof and the changes are there as text."""
    loan.emulate_media(media="print")
    assert not control(loan, "income").is_visible()
    assert not loan.locator("#wi-number").is_visible()
    values = loan.get_by_text("Record 17: income is 18,400, history is late, guarantor is missing.")
    assert values.is_visible()
    assert loan.locator("#wi-nearest").get_by_text("income above 21,000").is_visible()
    loan.emulate_media(media="screen")
    assert not values.is_visible()


def test_an_exception_unfolds(tmp_path, open_page):
    """An exception that fails shows its first failing literal and, when opened, all, even while values change."""
    exception = Rule(None, (Literal("a", ">", 1.0), Literal("b", ">", 1.0)))
    program = Program("y", ("a", "b"), (Rule("yes", (), (exception,)),), "no")
    report(program, unless.read_table([{"a": 0.0, "b": 5.0, "y": "yes"}], "y"), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    fold = page.locator("#wi-proof details")
    assert "'a is above 1' does not hold: a is 0" in fold.locator("summary").inner_text()
    assert not fold.get_by_text("b is 5, above 1").is_visible()
    fold.locator("summary").click()
    control(page, "b").get_by_label("b", exact=True).fill("7")
    decision(page)
    assert fold.get_by_text("b is 7, above 1").is_visible()
    control(page, "a").get_by_label("a", exact=True).fill("7")
    assert decision(page) == "no"


def test_the_score_card(tmp_path, open_page, axe):
    """The page of a model shows the probability and, unfolded, the points of the record, also after a change."""
    draw = random.Random(0)
    frame = [{"a": draw.randrange(50), "b": draw.choice("xyz")} for _ in range(400)]
    y = ["yes" if one["a"] > 20 and one["b"] != "x" and draw.random() < 0.9 else "no" for one in frame]
    model = unless.UnlessClassifier().fit(frame, y)
    model.report(frame, y, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    number = model.predict(frame).tolist().index("yes")
    go_to(page, number + 1)
    points = page.locator("#wi-points")
    assert points.locator("tr").count() == 0  # what is folded is written when it is unfolded
    points.locator("summary").click()

    def agrees(record):
        found = model.score_card(record)
        expect(points.locator("tr")).to_have_count(len(found.table()))
        cells = points.locator("tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        )
        assert cells == found.table()
        expect(points.locator("summary")).to_have_text(f"Probability {found.table()[-1][1]}: the points")

    agrees(frame[number])
    control(page, "a").locator(".wi-number").fill("40")
    control(page, "b").locator("select").select_option(label="y")
    drawn(page)
    assert decision(page) == "yes"
    agrees({"a": 40, "b": "y"})
    assert axe(page) == []


def test_rules_alone_have_no_points(loan):
    """The page of a program has no score card."""
    assert not loan.locator("#wi-points").is_visible()


@pytest.fixture
def parcels(open_page, tmp_path):
    """The page of parcels, at record 1: early, with dates, times, durations, levels, flags and whole numbers."""
    report(*examples.parcels(), tmp_path / "parcels.html")
    page = open_page(tmp_path / "parcels.html", hash="#record=1", timezone_id="America/New_York")
    changes(page)
    return page


def test_every_sort_of_number_has_its_own_control(parcels, axe):
    """Dates and times have the browser's own fields, orders and flags a list; each shows the record, and all decide."""
    field = {name: control(parcels, name).locator("input, select").first for name in examples.parcels()[0].features}
    kinds = {name: one.evaluate("one => one.type") for name, one in field.items()}
    assert kinds == {
        "ordered": "date",
        "sent": "datetime-local",
        "size": "select-one",
        "gift": "select-one",
        "pieces": "text",
        "at": "time",
        "took": "text",
    }
    assert [field[name].input_value() for name in ("ordered", "sent", "at", "took", "pieces")] == [
        "2020-07-01",
        "2021-02-28T16:30",
        "00:15",
        "0 s",
        "0",
    ]
    assert field["size"].locator("option").all_inner_texts() == ["S", "M", "L"]
    assert field["gift"].locator("option").all_inner_texts() == ["0", "1"]
    assert decision(parcels) == "early"
    field["ordered"].fill("2020-08-02")
    assert decision(parcels) == "usual"
    assert control(parcels, "ordered").get_by_text("was 2020-07-01").is_visible()
    field["ordered"].fill("2020-08-01")
    assert decision(parcels) == "early"
    field["size"].select_option("L")
    assert decision(parcels) == "usual"
    field["size"].select_option("M")
    assert decision(parcels) == "early"
    field["gift"].select_option("1")
    assert decision(parcels) == "usual"
    field["sent"].fill("2021-03-01T12:31")
    field["at"].fill("12:31")
    assert decision(parcels) == "late"
    field["at"].fill("12:30")
    assert decision(parcels) == "usual"
    field["took"].fill("2 h 1 min")
    field["pieces"].fill("2")
    field["pieces"].press("ArrowUp")
    assert field["pieces"].input_value() == "3"
    assert decision(parcels) == "slow"
    field["took"].fill("long")
    assert control(parcels, "took").get_by_text("not a duration (such as 2 d 3 h); still 2 h 1 min").is_visible()
    field["ordered"].fill("")
    assert control(parcels, "ordered").get_by_text("not a date; still 2020-08-01").is_visible()
    control(parcels, "ordered").get_by_label("missing").check()
    control(parcels, "ordered").get_by_label("missing").uncheck()
    assert field["ordered"].input_value() == "2020-08-01"
    assert axe(parcels) == []


def test_dates_slide(parcels):
    """The slider of dates goes day by day, that of times by the unit they have, and says where it is."""
    slider = control(parcels, "ordered").get_by_label("ordered, slider")
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2020-07-02"
    assert control(parcels, "ordered").locator("input").first.input_value() == "2020-07-02"
    slider = control(parcels, "sent").get_by_label("sent, slider")
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2021-02-28 16:31Z"


def test_proposed_changes_of_dates(parcels):
    """Every proposed change of a date, a level or a flag is Python's, and leads where it says, to the microsecond."""
    program, table = examples.parcels()
    go_to(parcels, 9)
    record = table.record(8)
    for wanted in ("late", "early", "slow"):
        parcels.locator("#wi-wanted").select_option(wanted)
        if program.label(record) == wanted:
            continue
        expected = [str(one) for one in counterfactuals(program, record, wanted, table=table)]
        assert changes(parcels) == expected
        for place in range(len(expected)):
            parcels.locator("#wi-nearest button").nth(place).click()
            assert decision(parcels) == wanted
            parcels.get_by_role("button", name="Reset to record 9").click()
            changes(parcels)


def test_a_microsecond_is_not_lost(parcels):
    """A time that the browser's own field cannot hold is shown as text, and said to be just above the threshold."""
    for name in ("ordered", "size", "gift", "pieces", "took", "at"):
        control(parcels, name).get_by_label("keep").check()
    control(parcels, "at").locator("input").first.fill("18:00")
    control(parcels, "size").locator("select").select_option("L")
    assert changes(parcels) == ["sent above 2021-03-01 12:30Z → late (rule 2)"]
    parcels.locator("#wi-nearest button").click()
    assert decision(parcels) == "late"
    sent = control(parcels, "sent").locator("input").first
    assert sent.input_value() == "2021-03-01 12:30:00.000001Z"
    assert "→ just above 2021-03-01 12:30Z" in parcels.locator("#wi-changed-list").inner_text()
    parcels.get_by_role("button", name="Undo sent").click()
    assert sent.input_value() == "2021-02-28T16:30"


def test_dates_among_other_texts(tmp_path, open_page):
    """A column of dates and texts has a choice between them; a text that spells a date is the date, as in Python."""
    program = Program("y", ("when",), (Rule("new", (Literal("when", ">", date(2020, 8, 1)),)),), "old")
    rows = [{"when": cell, "y": "old"} for cell in ("2020-07-01", "2020-09-01", "unknown", None)]
    report(program, unless.read_table(rows, "y"), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", hash="#record=3")
    when = control(page, "when")
    assert decision(page) == program.label({"when": "unknown"}) == "old"
    when.get_by_label("when", exact=True).last.select_option("other…")
    typed = when.get_by_label("when, other text")
    typed.fill("2020-08-02 00:00")
    assert decision(page) == program.label({"when": "2020-08-02 00:00"}) == "new"
    typed.fill("2020-08-00")
    assert decision(page) == program.label({"when": "2020-08-00"}) == "old"
    kind = when.get_by_label("when, kind")
    assert kind.locator("option").all_inner_texts() == ["date", "text"]
    kind.select_option("date")
    when.get_by_label("when", exact=True).first.fill("2020-08-02")
    assert decision(page) == "new"


def test_hostile_levels_are_text(tmp_path, open_page):
    """The levels of an order may be anything: they are shown as text, in the list and in the table."""
    order = LevelNotation(examples.HOSTILE)
    program = Program("y", ("level",), (Rule("high", (Literal("level", ">", NotatedNumber(4.0, order)),)),), "low")
    cells = [NotatedNumber(float(place), order) for place in range(len(order.levels))]
    report(program, Table((Column.of("level", cells, "number"),), rows=len(cells)), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    found = []
    for place in range(len(cells)):
        control(page, "level").locator("select").select_option(index=place)
        found.append(decision(page))
    assert found == [program.label({"level": cell}) for cell in cells]
    assert page.title() != "bad"
    assert page.locator("#what-if img, #records img, #what-if b b").count() == 0


def test_records_show_dates(parcels):
    """The table writes dates, levels and flags as sentences do, sorts them by their order, and finds them."""
    cells = parcels.locator("#rec-body tr").first.locator("td").all_inner_texts()
    assert cells[-7:] == ["2020-07-01", "2021-02-28 16:30Z", "S", "0", "0", "00:15", "0 s"]
    parcels.get_by_role("button", name="size", exact=True).click()
    drawn(parcels)
    shown = parcels.locator("#rec-body td:nth-last-child(5)").all_inner_texts()
    assert shown == ["S"] * 14 + ["M"] * 11
    parcels.locator("#rec-search").fill("2020-07-03")
    assert caption(parcels).startswith("1 of 40")
