"""The forms of a proof: a sentence, a story, the paper's two texts, JSON, HTML and rich."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from tests.explanation.examples import LOAN, RANGES, REPEATING, deep, programs, records
from unless.errors import ParameterError
from unless.explanation import Phrase, Words
from unless.explanation.counterfactuals.nearest import counterfactuals
from unless.explanation.why import explain
from unless.export.clauses import flatten
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Literal, Program, Rule
from unless.values.notation import FLAG, LevelNotation, NotatedNumber

LATE = {"income": 18400, "history": "late", "guarantor": None}
HOSTILE = "</script><b onclick='x'>[bold]&amp;\x1b[31m\"\n"


def test_the_tree_of_numbers_and_missing_values():
    """The paper says "greater than" and "less than or equal to" for numbers; a missing value is called missing."""
    assert explain(LOAN, LATE).text("tree", number=17).splitlines() == [
        "Proof Tree for example number 17 :",
        "the value of loan is refuse DOES HOLD because",
        "    the value of history is 'late' which should equal 'late' (DOES HOLD)",
        "    the value of income is 18400.0 which should be less than or equal to 21000.0 (DOES HOLD)",
        "    exception ab2 DOES NOT HOLD because",
        "        the value of guarantor is missing which should equal 'yes' (DOES NOT HOLD)",
        "{'guarantor: missing', 'history: late', 'income: 18400.0'}",
    ]


def test_the_rules_of_a_proof():
    """Goals are marked true or false, and exceptions that did not matter as unnecessary."""
    assert explain(LOAN, LATE).text("rules").splitlines() == [
        "[F]ab2(X) :- [F]guarantor(X,'yes'), not [U]ab1(X).",
        "[T]loan(X,'refuse') :- [T]history(X,'late'), [T]income(X,N0), [T]N0=<21000.0, not [F]ab2(X).",
        "{'guarantor: missing', 'history: late', 'income: 18400.0'}",
    ]


def test_exceptions_stand_before_their_rule():
    """An exception to an exception comes first if it matters, and both bounds of a feature share a predicate."""
    inner = Rule(None, (Literal("g", "!=", "a"), Literal("f", "present")))
    exception = Rule(None, (Literal("f", ">", 1.0), Literal("f", "<=", 3.0)), (inner,))
    proof = explain(Program("y", ("f", "g"), (Rule(True, (), (exception,)),)), {"f": 2, "g": None})
    assert proof.text("rules").splitlines() == [
        "[T]ab1(X) :- not [F]g(X,'a'), [T]f(X,_).",
        "[F]ab2(X) :- [T]f(X,N0), [T]N0>1.0, [T]N0=<3.0, not [T]ab1(X).",
        "[T]y(X,true) :- not [F]ab2(X).",
        "{'f: 2.0', 'g: missing'}",
    ]
    assert "which should be present (DOES HOLD)" in proof.text("tree")


def test_names_stay_on_their_line_in_the_papers_forms():
    """Names and labels that would start a line or move the cursor are escaped."""
    rule = Rule("a\nb", (Literal(HOSTILE, "==", HOSTILE),))
    proof = explain(Program(f"y{HOSTILE}", (HOSTILE,), (rule,)), {HOSTILE: HOSTILE})
    for style, lines in (("tree", 4), ("rules", 2)):
        text = proof.text(style)
        assert len(text.splitlines()) == lines
        assert all(line.isprintable() for line in text.splitlines())


def test_no_rule_in_the_papers_forms():
    """If no rule holds, the other label holds by itself, or nothing does."""
    record = {**LATE, "guarantor": "yes"}
    assert explain(LOAN, record).text("rules") == "[T]loan(X,'ask').\n{}"
    assert "is ask DOES HOLD because no rule holds" in explain(LOAN, record).text("tree")
    undecided = explain(Program("loan", LOAN.features, LOAN.rules), record)
    assert undecided.text("rules") == "{}"
    assert "is not decided because no rule holds" in undecided.text("tree")


@settings(deadline=None)
@given(programs, records)
def test_the_papers_forms_tell_the_truth(program, record):
    """In both forms the deciding rule holds, and every shown exception as often as it covers the record."""
    proof = explain(program, record)
    tree, rules = proof.text("tree"), proof.text("rules")
    assert proof.story()
    assert tree.splitlines()[-1] == rules.splitlines()[-1]
    if proof.rule is None:
        return
    body = flatten(program).rules[proof.decided][1]
    for number in body.exceptions:
        assert f"exception ab{number} DOES NOT HOLD" in tree
        assert f"[F]ab{number}(X)" in rules
    *_, head, _ = rules.splitlines()
    assert head.startswith(f"[T]y(X,'{proof.label}')")
    assert ("[U]" in head) is False


def test_unknown_style():
    """A style that does not exist is refused, with the nearest one."""
    with pytest.raises(ParameterError, match="no style 'trees'; did you mean 'tree'"):
        explain(LOAN, LATE).text("trees")


def test_the_story():
    """The long form has the decision with its figures, a reason per line, exceptions, and the rules before."""
    statistics = RuleStatistics(
        ("accept", "ask", "refuse"), ("refuse", "accept", "ask"), np.array([[8, 1, 191], [9, 1, 0], [0] * 3])
    )
    expected = "expected precision 0.955, between 0.92 and 0.98"
    assert explain(LOAN, LATE).story(17, statistics=statistics).splitlines() == [
        f"Record 17 is decided: refuse (rule 1, {expected}; it decided 200 in training).",
        "  because income is 18,400, which is at most 21,000",
        "  and     history is late, as required",
        "  and no exception applies:",
        "          'guarantor is yes' does not hold: guarantor is missing",
    ]
    assert explain(LOAN, {**LATE, "income": 30000, "history": "good"}).story().splitlines() == [
        "The record is decided: accept (rule 2).",
        "  because history is good, which is not late",
        "  and     income is 30,000, which is above 10,000",
        "  rule 1 did not apply: income is 30,000, but must be at most 21,000",
    ]
    assert explain(LOAN, {**LATE, "guarantor": "yes"}).story(statistics=statistics).splitlines() == [
        "The record is decided: ask (no rule applies, which decided no record in training).",
        (
            "  rule 1 did not apply: an exception applies, because guarantor is yes; "
            "its own exception does not apply, because history is late, not missing"
        ),
        "  rule 2 did not apply: history is late, but must not be late",
    ]


def test_the_story_of_weights():
    """If records were weighted, the figures are about weight, which may have decimals; one record is "1 record"."""
    labels, classes = ("refuse", "accept", None), ("accept", "refuse")
    program = replace(LOAN, otherwise=None)
    counts = np.array([[8.25, 191.25], [2, 1], [0.5, 0]])
    undecided, good = {**LATE, "guarantor": "yes"}, {**LATE, "income": 30000, "history": "good"}

    def headline(record: dict, *, weighted: bool, counts: np.ndarray = counts) -> str:
        statistics = RuleStatistics(classes, labels, counts, weighted)
        return explain(program, record).story(statistics=statistics).splitlines()[0]

    weight = "; it decided a weight of 199.5 in training)."
    assert headline(LATE, weighted=True).endswith(weight)
    assert headline(good, weighted=True).endswith("; it decided a weight of 3 in training).")
    assert headline(undecided, weighted=True).endswith(
        "no rule applies, as for others with a weight of 0.5 in training."
    )
    single = np.array([[0, 1], [0, 0], [0, 1]])
    assert headline(LATE, weighted=False, counts=single).endswith("; it decided 1 in training).")
    assert headline(undecided, weighted=False, counts=single).endswith("no rule applies, as for 1 other in training.")
    nothing = headline(good, weighted=True, counts=single)
    assert nothing.endswith("(rule 2, which decided no record of any weight in training).")


def test_equal_reasons_are_said_once():
    """Exceptions that fail for the same reason share one sentence; those with another reason keep theirs."""
    proof = explain(REPEATING, {"income": None, "city": "Oslo"})
    assert str(proof) == (
        "y a, because income is missing; no exception applies, because income is missing and city is Oslo, not missing"
    )
    assert proof.story().splitlines() == [
        "The record is decided: a (rule 1).",
        "  because income is missing, as required",
        "  and no exception applies:",
        "          'income is at most 5' does not hold: income is missing",
        "          'income is at most 9' does not hold: income is missing",
        "          'city is missing' does not hold: city is Oslo",
    ]
    tree = io.StringIO()
    Console(file=tree, width=100).print(proof)
    for shown in (tree.getvalue(), proof.to_html()):
        assert shown.count("an exception does not apply") == 3
        assert shown.count("city is Oslo, not missing") == 2
    assert proof.text("tree").count("DOES NOT HOLD because") == 5


def test_a_reason_of_its_own_stays():
    """Exceptions that hold are told apart by what follows: their own exceptions."""
    inner = [Rule(None, (Literal("city", "==", city),)) for city in ("Rome", "Oslo", "Oslo")]
    exceptions = tuple(Rule(None, (Literal("income", "missing"),), (one, Rule(None, ()))) for one in inner)
    proof = explain(Program("y", ("income", "city"), (Rule("a", (), exceptions),)), {"income": None, "city": "Oslo"})
    told = [line.strip() for line in proof.story().splitlines()]
    assert told.count("'income is missing' holds, but has an exception that applies:") == 2
    assert told.count("'city is Oslo' applies") == told.count("'city is Rome' does not hold: city is Oslo") == 1


def test_phrases():
    """Names, units, words for categories and sentences for labels can be supplied."""
    words = Words(
        features={
            "income": Phrase("your yearly income", number="{} €"),
            "history": Phrase(values={"late": "paid late"}, sentence="you {value}"),
            "guarantor": Phrase(missing="you named no guarantor"),
        },
        labels={"refuse": "we refuse the loan"},
    )
    proof = explain(LOAN, LATE)
    assert proof.text(words=words) == (
        "we refuse the loan, because your yearly income is 18,400 €, at most 21,000 €, and you paid late; "
        "the exception does not apply, because you named no guarantor, not yes"
    )
    assert "your yearly income is 18,400 €, which is at most 21,000 €" in proof.story(words=words)
    assert "we refuse the loan" in proof.to_html(words)
    decided = Words(decision="the {target} desk says {label}")
    assert proof.text(words=decided).startswith("the loan desk says refuse, because")


def test_numbers_of_a_feature_are_spelled_alike():
    """If one number of a feature has groups of digits, all its numbers have; other features are not affected."""
    asked = Literal("amount", ">", 27500.0), Literal("amount", "<=", 5000.0), Literal("year", "<=", 2020.0)
    program = Program("y", ("amount", "year"), tuple(Rule("a", (one,)) for one in asked), "b")
    proof = explain(program, {"amount": 6000, "year": 2024})
    assert proof.story().splitlines()[1:] == [
        "  rule 1 did not apply: amount is 6,000, but must be above 27,500",
        "  rule 2 did not apply: amount is 6,000, but must be at most 5,000",
        "  rule 3 did not apply: year is 2024, but must be at most 2020",
    ]
    distant = replace(program, rules=(*program.rules[1:], program.rules[0]))
    near = explain(distant, {"amount": 4000, "year": 2024})
    assert near.story().splitlines()[1] == "  because amount is 4000, which is at most 5000"
    changed = near.story(changes=counterfactuals(distant, {"amount": 4000, "year": 2024}))
    assert changed.splitlines()[1] == "  because amount is 4,000, which is at most 5,000"
    assert "  amount above 5,000 and at most 27,500  → b (no rule applies)" in changed.splitlines()
    first, second, _ = proof.tried
    assert str(first) == str(first.checks[0]) == "amount is 6,000, at most 27,500"
    assert str(second) == "amount is 6000, above 5000"
    assert second.reason(Words(grouped={"amount"})) == "amount is 6,000, above 5,000"
    assert "✗" not in proof.to_html()
    assert "amount is 6,000, but must be at most 5,000" in proof.to_html()
    assert "amount is 6,000, but must be at most 5,000" in rich_text(proof)


def test_ranges_in_the_long_form():
    """Both bounds of a number are told together: what holds, what must hold, and of an exception what does not."""
    assert explain(RANGES, {"age": 34, "city": "Oslo"}).story().splitlines() == [
        "The record is decided: basic (rule 1).",
        "  because age is 34, which is above 30 and at most 40",
        "  and     city is Oslo, as required",
        "  and no exception applies:",
        "          'age is above 35 and at most 36' does not hold: age is 34",
        "          'age is at most 32' does not hold: age is 34",
    ]
    assert explain(RANGES, {"age": 55, "city": "Rome"}).story().splitlines() == [
        "The record is decided: extra (rule 3).",
        "  because age is 55, which is above 20 and at most 70",
        "  rule 1 did not apply: age is 55, but must be above 30 and at most 40",
        "  rule 2 did not apply: age is 55, but must be above 60 and at most 50",
    ]
    assert explain(RANGES, {"age": 36, "city": "Oslo"}).story().splitlines()[2:] == [
        "  rule 1 did not apply: an exception applies, because age is 36, above 35 and at most 36",
        "  rule 2 did not apply: age is 36, but must be above 60 and at most 50",
    ]
    lines = explain(RANGES, {"age": None, "city": "Oslo"}).story().splitlines()
    assert lines[1] == "  rule 1 did not apply: age is missing, but must be above 30 and at most 40"


def test_a_range_is_a_line_of_a_tree():
    """Trees and HTML have one line for a range, and of one that fails they say what fails; JSON has both checks."""
    proof = explain(RANGES, {"age": 34, "city": "Oslo"})
    lines = [line.strip("│├└─ ") for line in rich_text(proof).splitlines()]
    assert lines == [
        "plan basic  rule 1",
        "✓ age is 34, above 30 and at most 40",
        "✓ city is Oslo",
        "an exception does not apply",
        "✗ age is 34, at most 35",
        "an exception does not apply",
        "✗ age is 34, above 32",
    ]
    assert proof.to_html().count("age is 34, above 30 and at most 40") == 1
    assert [one["literal"][1:] for one in proof.to_dict()["rules"][0]["checks"]] == [
        [">", 30.0],
        ["==", "Oslo"],
        ["<=", 40.0],
    ]


@pytest.mark.parametrize(
    ("value", "op", "wanted", "told"),
    [
        (2, "<=", 1.0, "f is 2, but must be at most 1"),
        (2, ">", 3.0, "f is 2, but must be above 3"),
        ("k", "==", "x", "f is k, but must be x"),
        ("k", "!=", "k", "f is k, but must not be k"),
        (2, "missing", None, "f is 2, but must be missing"),
        (None, "present", None, "f is missing, but must be present"),
    ],
)
def test_why_a_rule_did_not_apply(value, op, wanted, told):
    """For every operator, the story says what the value must be."""
    program = Program("y", ("f",), (Rule("a", (Literal("f", op, wanted),)),))
    assert explain(program, {"f": value}).story().splitlines()[1] == f"  rule 1 did not apply: {told}"


def test_wrong_templates():
    """A place that a template cannot fill is refused where the template is given; braces mean nothing else."""
    with pytest.raises(ParameterError, match=r"placeholder \{nmae\}; the placeholders are \{name\} and \{value\}"):
        Phrase(sentence="{nmae} is {value}")
    with pytest.raises(ParameterError, match="place"):
        Words(decision="{0}")
    words = Words({"income": Phrase(name="{value.__class__}")})
    assert "{value.__class__} is 18,400" in explain(LOAN, LATE).text(words=words)


@pytest.mark.parametrize(
    "category", ["", " ", "5", "inf", "missing", "a, not b", "x and y", "\x1b[31m", "it's", "'", "\n"]
)
def test_categories_that_could_mislead_are_quoted(category):
    """A category that could be read as something else, or not be read at all, is in quotes, escaped."""
    proof = explain(Program("y", ("f",), (Rule("a", (Literal("f", "==", category),)),)), {"f": category})
    assert str(proof) == f"y a, because f is {category!r}"


def test_json():
    """The JSON form holds the decision, the record and every check."""
    data = json.loads(json.dumps(explain(LOAN, LATE).to_dict(), allow_nan=False))
    assert data["label"] == "refuse"
    assert data["decided"] == 0
    assert data["record"] == {"income": 18400.0, "history": "late", "guarantor": None}
    assert data["features"] == ["income", "history", "guarantor"]
    (rule,) = data["rules"]
    assert rule["checks"][0] == {"literal": ["income", "<=", 21000.0], "value": 18400.0, "holds": True}
    assert rule["exceptions"][0] == {
        "covers": False,
        "checks": [{"literal": ["guarantor", "==", "yes"], "value": None, "holds": False}],
        "exceptions": [],
    }
    infinite = explain(Program("y", ("f",), (Rule(1.5, (Literal("f", "<=", float("inf")),)),)), {"f": -np.inf})
    data = json.loads(json.dumps(infinite.to_dict(), allow_nan=False))
    assert data["rules"][0]["checks"] == [{"literal": ["f", "<=", "inf"], "value": {"number": "-inf"}, "holds": True}]


class Tags(HTMLParser):
    """The tags and the text of a document; opened tags must be closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], set(), ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@settings(deadline=None)
@given(st.sampled_from([HOSTILE, "<", "a" * 10_000, "\u202eabc"]), st.booleans())
def test_html_is_safe(text, holds):
    """Names, values and labels are shown as text; every tag is ours and closed."""
    program = Program(
        f"y{text}", (text,), (Rule("x", (Literal(text, "missing"),)), Rule(text, (Literal(text, "==", text),)))
    )
    html = explain(program, {text: text if holds else None})._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert not tags.open
    assert tags.tags <= {"div", "style", "b", "ul", "li", "details", "summary", "span", "bdi"}
    assert "\x1b" not in html


def test_html_shows_the_proof():
    """Checks, exceptions and the rules that did not apply are all there."""
    tags = Tags()
    tags.feed(explain(LOAN, {**LATE, "income": 30000, "history": "good"}).to_html())
    assert "loan accept (rule 2)" in tags.text
    assert "✓ history is good, not late" in tags.text
    assert "1 earlier rule does not apply" in tags.text
    tags.feed(explain(LOAN, LATE).to_html())
    assert "an exception does not apply✗ guarantor is missing, not yes" in tags.text


def rich_text(proof) -> str:
    """What rich prints, without colours."""
    console = pytest.importorskip("rich.console")
    terminal = console.Console(width=100, record=True, file=io.StringIO(), force_terminal=True)
    terminal.print(proof)
    return terminal.export_text()


def test_rich():
    """In a terminal a proof is a tree; markup and escape codes in the data are text."""
    text = rich_text(explain(LOAN, {**LATE, "income": 30000, "history": "[red]x"}))
    assert "loan accept  rule 2" in text
    assert "✓ history is '[red]x', not late" in text
    assert "rule 1 did not apply: income is 30,000" in text
    hostile = Program(f"y{HOSTILE}", (HOSTILE,), (Rule(HOSTILE, (Literal(HOSTILE, "==", HOSTILE),)),))
    text = rich_text(explain(hostile, {HOSTILE: HOSTILE}))
    assert "\x1b[31m" not in text
    assert "[bold]" in text


def test_without_rich():
    """Explaining needs neither rich nor the exports; a proof prints as a sentence without them."""
    code = (
        "import sys; sys.modules['rich'] = None\n"
        "import unless\n"
        "p = unless.Program('y', ('f',), (unless.Rule('a', (unless.Literal('f', '>', 1.0),)),))\n"
        "print(unless.explain(p, {'f': 2}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "y a, because f is 2, above 1\n"


@pytest.mark.parametrize("x", [0.0, 100.5, None])
def test_deep_proofs_in_every_form(x):
    """Proofs that are 200 levels deep can be shown in every form."""
    for levels in (199, 200):
        proof = explain(deep(levels), {"x": x})
        assert proof.label == deep(levels).label({"x": x})
        forms = [str(proof), proof.text("tree"), proof.text("rules"), proof.story(), proof.to_html(), rich_text(proof)]
        assert all(forms)
        assert json.dumps(proof.to_dict())


def test_dates_in_json_are_text():
    """In a proof for JSON, thresholds and values that are dates or levels are their texts, and flags are numbers."""
    sizes = LevelNotation(("S", "M"))
    default = (
        Literal("opened", ">", date(2020, 8, 1)),
        Literal("size", "<=", NotatedNumber(0, sizes)),
        Literal("senior", ">", NotatedNumber(0, FLAG)),
    )
    program = Program("y", ("opened", "size", "senior"), (Rule("a", default),))
    data = explain(program, {"opened": date(2020, 8, 2), "size": "S", "senior": 1}).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["record"] == {"opened": "2020-08-02", "size": "S", "senior": 1.0}
    assert [check["literal"] for check in data["rules"][0]["checks"]] == [
        ["opened", ">", "2020-08-01"],
        ["size", "<=", "S"],
        ["senior", ">", 0.0],
    ]
