"""Principal reasons: against a plain definition on random programs, and their wording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.explanation.examples import LOAN
from tests.export.test_committee import committees
from tests.strategies import CELLS, KINDS, card_of, chain, meaning, noted_cases, programs, records
from unless import Literal, Program, Rule, UnlessClassifier, UnlessCommittee
from unless.errors import MissingFileError, ParameterError, UnknownNameError
from unless.explanation import read_reason_words, reasons, reasons_template
from unless.explanation.reasons_file import check_reason_words, parse_reason_words
from unless.explanation.vote_explanation import explain_vote
from unless.model.costs import Costs
from unless.model.points import expand_to_all_labels
from unless.model.prediction import Decisions, decide
from unless.rule import conditions
from unless.rule.reason_words import Reason, ReasonWords
from unless.score.principal_reasons import ReasonFinder
from unless.score.score_decider import ScoreDecider
from unless.table import Column, Table
from unless.values import cell_value, number_to_text, value_in_notation

# The plain definition: of a single record, without tables.


def true_of(condition, record):
    """What is true of a record, whichever way a condition came out, as kind and bound or category."""
    first, last = condition[0], condition[-1]
    value = first.reads(cell_value(record[first.feature]))
    if value is None:
        return [("missing",)]
    if first.op in ("missing", "present"):
        return [("present",)]
    if first.op in ("==", "!="):
        return [("is" if value == first.value else "is_not", first.value)]
    if not isinstance(value, float):
        return [("other",)]
    if len(condition) > 1 and all(one.holds(value) for one in condition):
        return [("between", first.value, last.value)]
    found = [("low" if value <= one.value else "high", one) for one in condition]
    if len(condition) > 1:
        found = [pair for pair, failing in zip(found, ("low", "high"), strict=True) if pair[0] == failing]
    return [spoken(kind, one) for kind, one in found]


def spoken(kind, literal):
    """A bound, or the number of a flag."""
    own = Literal(literal.feature, "<=" if kind == "low" else ">", literal.value)
    op, value = own.as_spoken()
    return ("is", number_to_text(value)) if op == "==" else (kind, literal.value)


def holds(condition, record):
    return all(one.holds(record[one.feature]) for one in condition)


def why(rule, record):
    """Why a rule covers a record."""
    yield from ((one, fact) for one in conditions(rule.default) for fact in true_of(one, record))
    for exception in rule.exceptions:
        yield from why_not(exception, record)


def why_not(rule, record):
    """Why a rule does not cover a record."""
    failing = [one for one in conditions(rule.default) if not holds(one, record)]
    yield from ((one, fact) for one in failing for fact in true_of(one, record))
    if not failing:
        for exception in rule.exceptions:
            if exception.covers(record):
                yield from why(exception, record)


def plain_reasons(program, record):
    """Every reason for the decision on a record, each once, in order."""
    index, label = program.decides(record), program.label(record)
    found = []
    if index is not None:
        found += why(program.rules[index], record)
        for rule in program.rules[index + 1 :]:
            if any(not one.default and not one.exceptions for one in program.rules[: program.rules.index(rule)]):
                break
            if rule.head == label and rule.covers(record):
                found += why(rule, record)
    if index is None or not program.rules[index].default:
        others = [rule for rule in program.rules[:index] if rule.head != label]
        distance = [sum(not holds(one, record) for one in conditions(rule.default)) for rule in others]
        for place in sorted(range(len(others)), key=distance.__getitem__):
            found += why_not(others[place], record)
    return list(dict.fromkeys((condition[0].feature, *fact) for condition, fact in found))


@dataclass(frozen=True)
class Exact(ReasonWords):
    """A code for every factor, with its bounds."""

    def reason(self, factor):
        values = () if factor.kind in ("missing", "present", "other") else [one.value for one in factor.condition]
        values = values if factor.category is None else [factor.category]
        return Reason(repr((factor.feature, factor.kind, *values)), "text")


def found_codes(program, table, most=100):
    found = ReasonFinder(program, Exact(), most).find(table, decide(program, table).choices)
    return [[one.code for one in found.of_row(row)] for row in range(len(table))]


@given(programs(), st.integers(0, 3))
def test_reasons_are_those_of_the_plain_definition(program, seed):
    """Every reason is true and comes from the rules that decided; none is left out while there is room."""
    cells = {name: own[:5] for name, own in records(max(map(len, CELLS.values())), seed).items()}
    table = Table(tuple(Column.of(name, [meaning(KINDS[name], one) for one in own]) for name, own in cells.items()))
    wanted = [[*map(repr, plain_reasons(program, table.record(row)))] for row in range(len(table))]
    assert found_codes(program, table) == wanted
    assert found_codes(program, table, 2) == [codes[:2] for codes in wanted]


@given(noted_cases())
def test_reasons_of_dates_levels_and_flags(case):
    """Thresholds in notations give the reasons of the plain definition, too."""
    program, table = case
    columns = [
        Column.of(one.name, [value_in_notation(one.value(code), one.notation) for code in one.codes.tolist()])
        for one in table.columns
    ]
    table = Table(tuple(columns), rows=len(table))
    wanted = [[*map(repr, plain_reasons(program, table.record(row)))] for row in range(len(table))]
    assert found_codes(program, table) == wanted


# Committees.


def vote_reasons(committee, record):
    """Every reason for a committee's decision on a record: those with the most points first."""
    first, rival = ranked(explain_vote(committee, record).total)
    points = {}
    for program, own in zip(committee.lists, committee.points, strict=True):
        leads = (own[:, first] - own[:, rival]).tolist()
        add_vote(points, program.rules, leads, program.decides(record), record)
    return sorted(points, key=lambda one: -points[one])


def ranked(total):
    """The two classes with most points."""
    return sorted(range(len(total)), key=lambda place: -total[place])[:2]


def add_vote(points, rules, leads, index, record):
    """Add the lead of the deciding rule to each reason why it holds."""
    if leads[index] <= 0:
        return
    rule = rules[index]
    found = list(why(rule, record))
    if not rule.default and not rule.exceptions:
        others = [one for one, lead in zip(rules[:index], leads, strict=False) if lead < leads[index]]
        distance = [sum(not holds(one, record) for one in conditions(rule.default)) for rule in others]
        nearest = [rule for rule, own in zip(others, distance, strict=True) if own == min(distance)]
        found = [fact for rule in nearest for fact in why_not(rule, record)]
    for one in dict.fromkeys((condition[0].feature, *fact) for condition, fact in found):
        points[one] = points.get(one, 0) + leads[index]


def card_reasons(decider, record, total):
    """Every reason for the decision by the points of a score card: what its parts say that hold, or do not."""
    card, (first, rival) = decider.score, ranked(total)
    full = expand_to_all_labels(card.points, len(card.classes))
    lead = (full[:, first] - full[:, rival]).tolist()
    size = sum(part.kind == "decides" for part in card.parts)
    index = card.program.decides(record)
    mean = np.rint(2 * full[:size].mean(axis=0))
    points, rules = {}, (*card.program.rules, *[Rule("x")] * (size - len(card.program.rules)))
    leads = [2 * one - int(mean[first] - mean[rival]) for one in lead[:size]]
    add_vote(points, rules, leads, size - 1 if index is None else index, record)
    for part, own in zip(card.parts, lead, strict=True):
        if (rule := part.condition) is not None:
            add_vote(points, (rule, Rule(None)), [own, -own], 0 if rule.covers(record) else 1, record)
    return sorted(points, key=lambda one: -points[one])


@given(programs(), st.integers(2, 3), st.integers(0, 3))
def test_reasons_of_decisions_by_points(program, labels, seed):
    """Parts of a score card that favour the label count where they hold, others where they do not."""
    card = card_of(program, labels, seed)
    assume(len(card.classes) > 1)
    decider = ScoreDecider(card, "score", Costs.of({}, card.classes))
    cells = {name: own[:5] for name, own in records(max(map(len, CELLS.values())), seed).items()}
    table = Table(tuple(Column.of(name, [meaning(KINDS[name], one) for one in own]) for name, own in cells.items()))
    totals = decide(decider, table).points.tolist()
    wanted = [[*map(repr, card_reasons(decider, table.record(row), totals[row]))] for row in range(len(table))]
    assert found_codes(decider, table) == wanted


def test_decisions_by_costs_have_reasons():
    """Where costs overrule the rule, the reasons are those of the label that is given, and the text names both."""
    rng = np.random.default_rng(0)
    X = [{"income": float(income), "age": float(age)} for income, age in rng.integers(0, 100, (400, 2))]
    y = ["bad" if row["income"] < 30 or (row["income"] < 60 and rng.random() < 0.3) else "good" for row in X]
    model = UnlessClassifier(costs={("bad", "good"): 6, ("good", "bad"): 1}).fit(X, y)
    found = model.reasons(X)
    assert list(found.labels) == model.predict(X).tolist()
    overruled = [row for row in range(len(X)) if found.labels[row] != found.rule_labels[row]]
    assert overruled
    assert all("says" in found.sentence(row) for row in overruled)
    assert all(found[row][0].code == "income is low" for row in overruled)


@given(committees(), st.integers(0, 3))
def test_reasons_of_committees(committee, seed):
    """Each vote for the label over the runner-up counts with its points, for the reasons why its rule holds."""
    cells = {name: own[:5] for name, own in records(max(map(len, CELLS.values())), seed).items()}
    table = Table(tuple(Column.of(name, [meaning(KINDS[name], one) for one in own]) for name, own in cells.items()))
    wanted = [[*map(repr, vote_reasons(committee, table.record(row)))] for row in range(len(table))]
    assert found_codes(committee, table) == wanted
    assert found_codes(committee, table, 2) == [codes[:2] for codes in wanted]


def test_a_committee_has_reasons_and_a_template(tmp_path):
    """The classifier, the function and the file take a committee like a list."""
    X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
    y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
    model = UnlessCommittee(size=5, random_state=0).fit(X, y)
    found = model.reasons(X)
    assert found.rules is None
    assert "age is high" in {one.code for one in found[X.index({"age": 59, "smokes": "yes"})]}
    (tmp_path / "reasons.toml").write_text(reasons_template(model).replace('text = ""', 'text = "x"'))
    assert [len(one) for one in reasons(model, X, tmp_path / "reasons.toml")] == [len(one) for one in found]
    assert "rule" not in found.frame().columns
    assert str(found).startswith("record 1: fine: ")


@dataclass(frozen=True)
class Overruling:
    """A decider by costs, in short: the label of a list's decision is another one."""

    source: Program
    by_rule = False
    noun = "list that decides by costs"

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "source"), name)

    @property
    def heads(self):
        return self.source.labels[::-1]

    def decide(self, table, threads=2):  # noqa: ARG002 - as in the protocol
        return Decisions(np.zeros(len(table), np.int32))


def test_a_label_that_the_rule_does_not_have():
    """If costs decide, the rule is named with its label; reasons are for the label that is given."""
    rules = (Rule("a", (Literal("x", ">", 3.0),)), Rule("b", (Literal("y", "==", "q"),)))
    found = reasons(Overruling(Program("t", ("x", "y"), rules, "a")), [{"x": 5.0, "y": "q"}, {"x": 1.0, "y": "r"}])
    assert str(found) == "record 1: b (rule 1 says a): x is high; y is 'q'\nrecord 2: b (otherwise says a): x is low"


# Examples.

RECORDS = [
    {"income": 18400.0, "history": "late", "guarantor": None},
    {"income": None, "history": "good", "guarantor": "yes"},
]


def test_a_frame_has_a_row_for_each_record():
    """Codes and texts are columns; without a wording both name the factor."""
    found = reasons(LOAN, RECORDS, most=2)
    frame = found.frame()
    columns = ["loan", "rule", "reason_1", "reason_2", "reason_1_text", "reason_2_text"]
    assert list(frame.columns) == columns
    assert len(found) == 2
    assert [one.code for one in found[0]] == frame[["reason_1", "reason_2"]].iloc[0].dropna().tolist()
    assert "record 1: " in str(found)


def test_order_of_reasons():
    """First the deciding rule, then why exceptions fail, then later rules; a default lacks the nearest rule first."""
    near = Rule("a", (Literal("x", ">", 5.0),))
    far = Rule("a", (Literal("y", "==", "q"), Literal("z", "==", "q")))
    program = Program("t", ("x", "y", "z"), (far, near), "b")
    record = {"x": 1.0, "y": "r", "z": "r"}
    assert [one.code for one in reasons(program, record)[0]] == ["x is low", "y is not 'q'", "z is not 'q'"]
    first = Rule("b", (Literal("z", "==", "r"),), (Rule(None, (Literal("x", ">", 3.0),)),))
    later = Rule("b", (Literal("y", "==", "r"),))
    program = Program("t", ("x", "y", "z"), (first, Rule("a", ()), later))
    assert [one.code for one in reasons(program, record)[0]] == ["z is 'r'", "x is low"]
    program = Program("t", ("x", "y", "z"), (first, later), "a")
    assert [one.code for one in reasons(program, record)[0]] == ["z is 'r'", "x is low", "y is 'r'"]


def test_a_decision_without_conditions_has_no_reasons():
    """A program that tests nothing says so."""
    found = reasons(Program("t", ("x",), (), "b"), {"x": 1})
    assert found[0] == ()
    assert str(found) == "record 1: b (otherwise): no reasons"
    assert check_reason_words(Program("t", ("x",), (), "b"), ReasonWords()).unexplained == (None,)


def test_a_classifier_reads_records_as_in_training(tmp_path):
    """`clf.reasons` and the function give the same; a wording may be a file."""
    X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
    y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
    model = UnlessClassifier().fit(X, y)
    assert str(model.reasons(X)) == str(reasons(model, X)) == str(reasons(model.model_, X))
    text = reasons_template(model)
    for number in range(text.count('""')):
        text = text.replace('text = ""', f'text = "{number}: “{number}” & <b>"', 1)
    (tmp_path / "reasons.toml").write_text(text, encoding="utf-8")
    found = model.reasons(X, tmp_path / "reasons.toml")
    assert found[0][0].code.startswith("R")
    assert found[0][0].text.endswith("& <b>")
    plain = model.reasons(X)
    assert [len(one) for one in found] == [len(one) for one in plain]
    counts = found.to_dict()["counts"]
    assert sum(one["records"] for one in counts) == sum(map(len, found))


def test_order_of_records_does_not_matter():
    """Each record has its own reasons, whatever the others are."""
    found = [reasons(LOAN, one)[0] for one in RECORDS]
    assert list(reasons(LOAN, RECORDS)) == found
    assert list(reasons(LOAN, RECORDS[::-1])) == found[::-1]


# The file.

HOSTILE = Program(
    "t",
    ('a "b".c\n]', "\x7f#"),
    (Rule("x", (Literal('a "b".c\n]', "==", "'''\\\"=\n\x01"), Literal("\x7f#", ">", 1.0))),),
    "y",
)


def test_a_template_survives_hostile_names(tmp_path):
    """Names and categories with quotes, brackets and control characters are keys of the file."""
    text = reasons_template(HOSTILE).replace('text = ""', 'text = "x"')
    words = parse_reason_words(text, HOSTILE)
    assert not check_reason_words(HOSTILE, words).unworded
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    assert read_reason_words(tmp_path / "r.toml", HOSTILE) == words


@given(programs())
def test_every_template_can_be_filled_in(program):
    """A template has an entry for each reason."""
    text = reasons_template(program).replace('text = ""', 'text = "x"')
    assert not check_reason_words(program, parse_reason_words(text, program)).unworded


def test_the_most_precise_wording_is_used():
    """A condition comes before its kind, the kind before the feature; a text instead of a number is missing."""
    text = """
        [features.x]
        any = { code = "A", text = "a" }
        low = { code = "L", text = "l" }
        missing = { code = "M", text = "m" }
        [conditions]
        "x <= 3" = { code = "C", text = "c" }
    """
    rules = (Rule("a", (Literal("x", ">", 3.0),)), Rule("a", (Literal("x", ">", 5.0),)))
    program = Program("t", ("x",), rules, "b")
    words = parse_reason_words(text, program)
    codes = [[one.code for one in row] for row in reasons(program, [{"x": x} for x in (1, None, "soon", 9)], words)]
    assert codes == [["C", "L"], ["M"], ["M"], ["A"]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[features.income\n", "not TOML: .*line 1"),
        ("[feature.income]", "the file has 'feature', which is not known here; did you mean 'features'?"),
        (
            "[features.incom]\nlow = { code = 'R', text = 't' }",
            r"\[features.incom\]: the model has no feature 'incom'; did you mean 'income'?",
        ),
        ("[features.income]\nlo = { code = 'R', text = 't' }", r"\[features.income\] has 'lo', .*did you mean 'low'?"),
        ("[features.income]\nlow = { code = 'R' }", r"'low' in \[features.income\] has no text"),
        ("[features.income]\nlow = 'R'", r"'low' in \[features.income\] needs a code and a text, not 'R'"),
        ("[features.income]\nlow = { code = 'R', text = 3 }", "needs a code and a text"),
        ("[features.income]\nlow = { code = ' ', text = 't' }", r"an empty code or text: 'low' in \[features.income\]"),
        (
            "[features.history.is]\nlatr = { code = 'R', text = 't' }",
            r"\[features.history.is\]: 'history' is never 'latr'; did you mean 'late'?",
        ),
        ("[conditions]\n'income <= 3' = { code = 'R', text = 't' }", "no rule tests 'income <= 3'"),
        (
            "[features.income]\nlow = { code = 'R', text = 't' }\nhigh = { code = 'R', text = 'u' }",
            "the code 'R' has two texts, 't' and 'u'",
        ),
    ],
)
def test_refuses_what_is_wrong_in_a_file(tmp_path, text, complaint):
    """An error names the place in the file and what is meant."""
    (tmp_path / "reasons.toml").write_text(text)
    with pytest.raises(ParameterError, match=complaint) as error:
        read_reason_words(tmp_path / "reasons.toml", LOAN)
    assert "reasons.toml: " in str(error.value)


def test_refuses_a_wording_that_lacks_a_reason(tmp_path):
    """A decision never gets an empty reason."""
    words = parse_reason_words("[features.income]\nany = { code = 'R', text = 't' }")
    with pytest.raises(ParameterError, match="no wording for history is"):
        reasons(LOAN, RECORDS, words)
    with pytest.raises(MissingFileError, match="no file"):
        reasons(LOAN, RECORDS, tmp_path / "none.toml")


@pytest.mark.parametrize("most", [0, -1, 101, 2.5, True, "4"])
def test_refuses_a_wrong_number_of_reasons(most):
    """The number of reasons is from 1 to 100."""
    with pytest.raises(ParameterError, match="from 1 to 100"):
        reasons(LOAN, RECORDS, most=most)


def test_refuses_a_record_without_a_feature():
    """A record without a feature that rules test has no decision."""
    with pytest.raises(UnknownNameError, match=r"the rules test 'income', .*did you mean 'incom'"):
        reasons(LOAN, [{"incom": 1, "history": "late", "guarantor": None}])


def test_many_rows_are_like_few():
    """Blocks of rows do not matter."""
    rng = np.random.default_rng(0)
    cells = rng.choice([1.0, 3000.0, 50000.0, np.nan], 70_000)
    table = Table((
        Column.of("income", cells),
        Column.of("history", rng.choice(["late", "good"], 70_000).tolist()),
        Column.of("guarantor", rng.choice(["yes", "no"], 70_000).tolist()),
    ))  # fmt: skip
    found = found_codes(LOAN, table, 4)
    rows = [0, 65_535, 65_536, 69_999]
    assert [found[row] for row in rows] == found_codes(LOAN, table[rows], 4)


def test_exceptions_as_deep_as_programs_may_have_them():
    """200 levels of exceptions have reasons."""
    program = Program("t", ("n",), (chain(200),), "shallow")
    found = found_codes(program, Table((Column.of("n", [0.0, 57.0, 300.0]),)))
    assert [len(one) for one in found] == [1, 30, 100]
