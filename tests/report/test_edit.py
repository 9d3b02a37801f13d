"""Edit mode and words in a real browser: effects at once, nothing lost on reload, files that `unless` reads."""

from __future__ import annotations

import pytest

import unless
from tests.explanation.examples import LOAN
from tests.report.driving import applicants, caption, drawn, numbers, open_loan, until
from unless.explanation import Phrase, Words
from unless.explanation.words_file import parse_words
from unless.report import report
from unless.rule import Literal
from unless.values import share_text


@pytest.fixture
def loan(open_page, tmp_path):
    """The page of the loan example, in edit mode."""
    page = open_loan(open_page, tmp_path)
    page.locator("#edit").click()
    drawn(page)
    return page


def effect(page) -> str:
    """What the bar says, once it is known."""
    drawn(page)
    until(page, "document.querySelector('#edit-effect').textContent.includes('decided otherwise')")
    return page.locator("#edit-effect").inner_text()


def wanted(program) -> str:
    """What it should say of a program instead of the loan rules."""
    rows = applicants()
    pairs = [(LOAN.label(row), program.label(row), row["loan"]) for row in rows]
    changed = sum(was != now for was, now, _ in pairs)
    better, worse = (
        sum(was != now and one == truth for was, now, truth in pairs for one in [now if k else was]) for k in (1, 0)
    )
    before, after = (share_text(sum(pair[k] == pair[2] for pair in pairs) / len(rows)) for k in (0, 1))
    is_ = "is" if changed == 1 else "are"
    return (
        f"{changed} of 60 records {is_} decided otherwise; {better} become right, {worse} become wrong; "
        f"accuracy {before} → {after}."
    )


def saved(page, button: str) -> str:
    """The file that a button saves."""
    with page.expect_download() as download:
        page.locator(button).click()
    return download.value.path().read_text("utf-8")


def without(rule: int):
    """The loan program without a rule."""
    return unless.Program(LOAN.target, LOAN.features, LOAN.rules[:rule] + LOAN.rules[rule + 1 :], LOAN.otherwise)


def test_a_rule_is_switched_off(loan):
    """What changes is said at once; records that change are shown with both decisions; on again, nothing is left."""
    loan.get_by_label("rule 1 is used").uncheck()
    assert effect(loan) == f"1 edit: {wanted(without(0))}"
    loan.locator("#edit-records").click()
    changed = [str(k) for k, row in enumerate(applicants(), 1) if LOAN.label(row) != without(0).label(row)]
    assert numbers(loan) == changed[:25]
    assert loan.locator("#rec-head th").all_inner_texts()[2] == "after your edits"
    loan.get_by_label("rule 1 is used").check()
    drawn(loan)
    assert loan.locator("#edit-json").is_disabled()
    assert "after your edits" not in loan.locator("#rec-head th").all_inner_texts()
    assert caption(loan).startswith("0 of")


def test_an_exception_is_switched_off(loan):
    """An exception alone can be switched off; the rule is shown as edited."""
    panel = loan.locator("#rule-1 .edit-panel")
    panel.locator("summary").click()
    panel.get_by_label("exception 1 is used").uncheck()
    rule = LOAN.rules[0]
    edited = unless.Rule(rule.head, rule.default, rule.exceptions[1:])
    program = unless.Program(LOAN.target, LOAN.features, (edited, *LOAN.rules[1:]), LOAN.otherwise)
    assert effect(loan) == f"1 edit: {wanted(program)}"
    assert unless.export.json.loads(saved(loan, "#edit-json")) == program
    assert saved(loan, "#edit-text") == f"{program}\n"
    assert "as edited" in loan.locator("#rule-1 .edit-now").inner_text()


def test_a_threshold_is_moved(loan):
    """A threshold is typed or slid; the saved program has the new one, and `unless` loads it."""
    panel = loan.locator("#rule-1 .edit-panel")
    panel.locator("summary").click()
    panel.locator("input[type=text]").first.fill("40000")
    rule = LOAN.rules[0]
    moved = tuple(Literal(one.feature, one.op, 40000.0) if one.op == "<=" else one for one in rule.default)
    program = unless.Program(
        LOAN.target, LOAN.features, (unless.Rule(rule.head, moved, rule.exceptions), *LOAN.rules[1:]), LOAN.otherwise
    )
    assert effect(loan) == f"1 edit: {wanted(program)}"
    assert unless.export.json.loads(saved(loan, "#edit-json")) == program
    assert "was 21,000" in panel.inner_text()
    loan.context.grant_permissions(["clipboard-read", "clipboard-write"])
    loan.locator("#rule-1 .rule-more summary").click()
    for button, copied in (("copy as text", str(program.rules[0])), ("copy as SQL", '"income" <= 40000.0')):
        loan.locator("#rule-1").get_by_role("button", name=button).click()
        assert copied in loan.evaluate("navigator.clipboard.readText()")
    panel.locator("input[type=text]").first.fill("nonsense")
    assert effect(loan) == f"1 edit: {wanted(program)}"
    loan.locator("#edit-undo").click()
    drawn(loan)
    assert loan.locator("#edit-json").is_disabled()


def test_rules_change_places(loan):
    """A rule moves down by keyboard; the order of the list and of the saved program follows."""
    loan.get_by_role("button", name="Move rule 1 down").focus()
    loan.keyboard.press("Enter")
    order = (LOAN.rules[1], LOAN.rules[0], *LOAN.rules[2:])
    program = unless.Program(LOAN.target, LOAN.features, order, LOAN.otherwise)
    drawn(loan)
    assert [one for one in loan.locator("ol.rules > li").evaluate_all("all => all.map((li) => li.id)") if one][:2] == [
        "rule-2",
        "rule-1",
    ]
    assert loan.evaluate("document.activeElement.getAttribute('aria-label')") == "Move rule 1 up"  # it is the last now
    assert unless.export.json.loads(saved(loan, "#edit-json")) == program


def test_nothing_is_lost_on_reload(loan):
    """Edits are there again after a reload, can be taken back, and belong to this program only."""
    loan.get_by_label("rule 2 is used").uncheck()
    said = effect(loan)
    loan.reload()
    assert effect(loan) == said
    assert loan.locator("#rule-2.off").count() == 1
    loan.locator("#edit-reset").click()
    drawn(loan)
    loan.reload()
    assert not loan.locator("#edit-bar").is_visible()


def test_nothing_is_lost_on_a_reload_that_comes_too_soon(loan):
    """Chromium's storage may pass a change on after the page was loaded again: the tab itself has it at once."""
    loan.get_by_label("rule 2 is used").uncheck()
    said = effect(loan)
    loan.evaluate("localStorage.clear()")  # what the page that comes too soon sees
    loan.reload()
    assert effect(loan) == said
    loan.locator("#edit-reset").click()
    drawn(loan)
    loan.reload()
    assert not loan.locator("#edit-bar").is_visible()


def test_another_program_is_not_edited(loan, tmp_path):
    """A page about another program, in the same browser, starts without edits."""
    loan.get_by_label("rule 2 is used").uncheck()
    effect(loan)
    path = tmp_path / "other.html"
    report(without(0), unless.read_table(applicants(), "loan"), path)
    other = loan.context.new_page()
    other.goto(path.as_uri())
    drawn(other)
    assert not other.locator("#edit-bar").is_visible()


def test_dates_and_levels_are_moved(open_page, tmp_path):
    """Thresholds that are dates and levels are moved as such, and saved as such."""
    from tests.report.examples import parcels

    program, table = parcels()
    report(program, table, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    page.locator("#edit").click()
    page.locator("#rule-1 .edit-panel summary").click()
    page.locator("#rule-1 .edit-panel select").select_option("S")
    page.locator("#rule-1 .edit-panel input[type=date]").fill("2020-07-15")
    effect(page)
    found = unless.export.json.loads(saved(page, "#edit-json"))
    assert str(found.rules[0].default[0]) == "ordered <= 2020-07-15"
    assert str(found.rules[0].default[1]) == "size <= S"
    assert found.rules[1:] == program.rules[1:]


def test_words_are_changed(open_page, tmp_path):
    """Words of a reader are shown on the page, as text, kept on reload, and saved for `unless report --words`."""
    words = Words({"history": Phrase(sentence="the {name} shows {value}")}, purpose="Loans")
    path = tmp_path / "page.html"
    report(LOAN, unless.read_table(applicants(), "loan"), path, words=words)
    page = open_page(path)
    assert page.locator("#purpose").inner_text() == "Loans"
    page.locator("#words > summary").click()
    page.get_by_label("words for the feature income").fill("<b>pay</b>")
    page.get_by_label("numbers of income, with {} for the number").fill("{} €")
    page.get_by_label("words for the label refuse").fill("no loan")
    page.locator("#words-body details", has_text="late").locator("summary").click()
    page.get_by_label("words for the value late of history").fill("delayed")
    page.get_by_label("purpose of the page").fill("Who gets one?")
    found = parse_words(saved(page, "#words-save"), features=LOAN.features, labels=LOAN.labels)
    assert found == Words(
        {
            "history": Phrase(sentence="the {name} shows {value}", values={"late": "delayed"}),
            "income": Phrase("<b>pay</b>", "{} €"),
        },
        {"refuse": "no loan"},
        purpose="Who gets one?",
    )
    page.locator("#words-apply").click()
    until(page, "document.querySelector('#purpose').textContent === 'Who gets one?'")
    drawn(page)
    assert "no loan if <b>pay</b> is at most 21,000 €" in " ".join(page.locator("#rule-1 .say").inner_text().split())
    assert "<b>pay</b>" in page.locator("#wi-controls").inner_text()
    names = page.locator("#groups [data-group]").all_text_contents()
    assert any(name.startswith("at most ") and name.endswith(" €") for name in names)
    assert "delayed" in names
    assert "late" not in names
    assert "missing" in names
    assert page.locator("main b:text('pay')").count() == 0
    page.locator("#words > summary").click()
    page.locator("#words-reset").click()
    until(page, "document.querySelector('#purpose').textContent === 'Loans'")
    assert "refuse if income is at most 21,000" in " ".join(page.locator("#rule-1 .say").inner_text().split())


def test_a_template_with_an_unknown_place(open_page, tmp_path):
    """How numbers are written may have one place only, {}; anything else is marked and not taken."""
    page = open_loan(open_page, tmp_path)
    page.locator("#words > summary").click()
    field = page.get_by_label("numbers of income, with {} for the number")
    field.fill("{value} €")
    assert field.get_attribute("aria-invalid") == "true"
    assert parse_words(saved(page, "#words-save")).features == {}


def test_effects_on_a_sample_say_so(open_page, tmp_path):
    """Where the page has only some of the records, the effects of edits are said to be about those."""
    path = tmp_path / "page.html"
    report(LOAN, unless.read_table(applicants(), "loan"), path, sample=20)
    page = open_page(path)
    page.locator("#edit").click()
    page.get_by_label("rule 2 is used").uncheck()
    assert " of 20 records on this page, drawn from 60, " in effect(page)


def test_a_bound_is_moved_as_it_is_said(open_page, tmp_path):
    """At least 3 is a 3 in the editor, not the last number before it, and what is typed is what is kept."""
    program = unless.parse("a if n >= 3\nb if n < 7.5\nc otherwise", target="y")
    rows = [{"n": float(k), "y": "a"} for k in range(10)]
    report(program, unless.read_table(rows, "y"), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", accept_downloads=True)
    page.locator("#edit").click()
    for rule in (1, 2):
        page.locator(f"#rule-{rule} .edit-panel summary").click()
    least = page.get_by_label("n is at least (rule 1)").first
    assert least.input_value() == "3"
    assert page.get_by_label("n is below (rule 2)").first.input_value() == "7.5"
    least.fill("4")
    effect(page)
    found = unless.export.json.loads(saved(page, "#edit-json"))
    assert found == unless.parse("a if n >= 4\nb if n < 7.5\nc otherwise", target="y")
    assert page.locator("#rule-1 .wi-was").inner_text() == "was 3"
