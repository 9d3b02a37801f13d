"""What would change a decision: exact, minimal, allowed, verified."""

from __future__ import annotations

import json
import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.explanation.examples import LOAN, RANGES, deep, programs, records
from tests.explanation.naive import naive_counterfactuals
from tests.shared import SHARED, needs_shared
from unless.errors import ParameterError, UnknownNameError
from unless.explanation.counterfactuals.nearest import counterfactuals
from unless.explanation.why import explain
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table

LATE = {"income": 18400, "history": "late", "guarantor": None}
EVERYWHERE = (-math.inf, math.inf)


def named(program: Program, feature: str, record: dict) -> list:
    """What a feature may become by default: any number, and the categories that the program names."""
    values = {literal.value for rule in program for literal in rule.literals() if literal.feature == feature}
    numeric = any(isinstance(value, float) for value in [*values, record[feature]])
    return sorted(value for value in values if isinstance(value, str)) + [EVERYWHERE] * numeric


def labels_of(program: Program) -> set:
    """Every label that a program can give."""
    return {*(rule.head for rule in program), program.otherwise} - {None}


def compare(program, record, found, goals, expected):
    """Check answers against those of the slow twin, and what must be true for each."""
    assert [(len(one.changes), one.distance) for one in found] == [one[:2] for one in expected]
    for one in found:
        assert one.label == program.label(one.record) in goals
        assert {change.feature: change.new for change in one.changes} == {
            f: value for f, value in one.record.items() if value != record[f] or type(value) is not type(record[f])
        }


@settings(deadline=None)
@given(programs, records, st.sampled_from(["A", "B", "D", None]), st.sampled_from([1, 3, 50]))
def test_the_slow_twin_agrees(program, record, label, most):
    """Trying every combination of values gives the same counts and distances, in the same order."""
    if label is not None and label not in labels_of(program):
        label = None
    found = counterfactuals(program, record, label, most=most)
    goals = labels_of(program) - {program.label(record)} if label is None else {label}
    allowed = {feature: named(program, feature, record) for feature in program.used}
    compare(program, record, found, goals, naive_counterfactuals(program, record, goals, allowed, {})[:most])


@settings(deadline=None)
@given(
    programs,
    records,
    st.sets(st.sampled_from(["number", "category", "mixed"]), max_size=2),
    st.tuples(st.sampled_from([-2.0, 0.0, 0.7]), st.sampled_from([0.7, 1.0, 5.0])),
    st.sets(st.sampled_from(["a", "b", "z", None]), max_size=3),
)
def test_the_slow_twin_agrees_under_limits(program, record, fixed, pair, categories):
    """With fixed features, ranges and missing values the twin agrees too, and nothing forbidden is proposed."""
    ranges = {"number": pair, "category": categories, "mixed": [pair, *categories]}
    found = counterfactuals(program, record, fixed=fixed, ranges=ranges, most=4)
    pairs, listed = [pair], list(categories)
    allowed = {"number": pairs, "category": listed, "mixed": [*pairs, *listed]}
    allowed = {f: [] if f in fixed else values for f, values in allowed.items()}
    scale = pair[1] - pair[0] or 1.0
    goals = labels_of(program) - {program.label(record)}
    expected = naive_counterfactuals(program, record, goals, allowed, {"number": scale, "mixed": scale})
    compare(program, record, found, goals, expected[:4])
    for one in found:
        for change in one.changes:
            assert change.feature not in fixed
            inside = isinstance(change.new, float) and change.feature != "category" and pair[0] <= change.new <= pair[1]
            assert inside or (change.new in categories and change.feature != "number")


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_slow_twin_agrees_on_many_changes(rng):
    """The twin agrees even if many rules come before the label, so that many features must change."""
    features = tuple(f"f{k}" for k in range(6))

    def literals(count: int) -> list[Literal]:
        return [Literal(rng.choice(features), rng.choice(["==", "!="]), rng.choice("abc")) for _ in range(count)]

    earlier = [Rule("common", literals(2), [Rule(None, literals(2))]) for _ in range(24)]
    program = Program("y", features, [*earlier, Rule("rare", literals(1))])
    record = {feature: rng.choice("abc") for feature in features}
    allowed = {feature: named(program, feature, record) for feature in program.used}
    found = counterfactuals(program, record, "rare", most=5)
    compare(program, record, found, {"rare"}, naive_counterfactuals(program, record, {"rare"}, allowed, {})[:5])


def test_what_would_change_it():
    """Answers name the feature and the bound, the new label and its rule; the value above a bound is the next float."""
    found = counterfactuals(LOAN, LATE)
    assert str(found).splitlines() == [
        "What would change it:",
        "  guarantor is yes     → ask (no rule applies)",
        "  income above 21,000  → ask (no rule applies)",
    ]
    assert found[1].record == {"income": math.nextafter(21000.0, math.inf), "history": "late", "guarantor": None}
    assert found[1].changes[0].bound == 21000.0
    assert found[1].distance == pytest.approx(2600)
    assert "What would change it:" in explain(LOAN, LATE).story(17, changes=found)
    assert (
        str(counterfactuals(LOAN, LATE, "accept", ranges={"history": ["good"]})[0])
        == "history is good → accept (rule 2)"
    )


def test_downwards():
    """A number that must fall falls to the threshold itself."""
    (one,) = counterfactuals(LOAN, {**LATE, "income": 30000}, "refuse")
    assert str(one) == "income at most 21,000 → refuse (rule 1)"
    assert one.record["income"] == 21000.0


def test_ranges():
    """Where going too far would give another label again, the answer names both bounds, the lower one first."""
    texts = [[str(one) for one in counterfactuals(RANGES, {"age": age, "city": "Oslo"})] for age in (10, 75, 34)]
    assert texts[0] == ["age above 20 and at most 32 → extra (rule 3)", "age above 32 and at most 35 → basic (rule 1)"]
    assert texts[1] == ["age above 40 and at most 70 → extra (rule 3)", "age above 36 and at most 40 → basic (rule 1)"]
    assert texts[2] == [
        "age above 35 and at most 36 → extra (rule 3)",
        "age above 20 and at most 32 → extra (rule 3)",
        "age at most 20 → free (no rule applies)",
    ]
    rules = (Rule("a", (Literal("f", "<=", 5000.0),)), Rule("b", (Literal("f", "<=", 9000.0),)))
    program = Program("y", ("f",), (*rules, Rule("b", (Literal("f", "<=", 20000.0),))), "a")
    (one,) = counterfactuals(program, {"f": 4000})
    assert str(one) == "f above 5,000 and at most 20,000 → b (rule 2)"  # spelled alike, though rule 2 knows no groups
    only = counterfactuals(RANGES, {"age": 75, "city": "Oslo"}, "extra", ranges={"age": (60, None)})
    assert list(map(str, only)) == ["age at most 70 → extra (rule 3)"]  # nothing below 60 is allowed anyway


@settings(deadline=None)
@given(programs, records)
def test_the_bounds_of_an_answer_are_true(program, record):
    """All numbers between the bounds keep the new label, and the next number beyond the second bound has another."""
    for one in counterfactuals(program, record, most=9):
        for change in one.changes:
            if change.how == "is":
                assert change.end is None
                continue
            low, high = (change.bound, change.end) if change.how == "above" else (change.end, change.bound)
            for number in (-9.0, -1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 9.0):
                label = program.label({**one.record, change.feature: number})
                if (low is None or number > low) and (high is None or number <= high):
                    assert label == one.label
            if change.end is not None:
                beyond = math.nextafter(high, math.inf) if change.how == "above" else low
                assert program.label({**one.record, change.feature: beyond}) != one.label


def test_none_exists():
    """If no allowed change gives the label, the answer says so."""
    found = counterfactuals(LOAN, LATE, "accept")
    assert len(found) == 0
    assert str(found) == "Nothing would change it: no allowed change of income, guarantor gives accept."
    locked = counterfactuals(LOAN, LATE, fixed=LOAN.features)
    assert "no feature that the rules use may change" in str(locked)
    assert str(counterfactuals(Program("y", (), (), "a"), {})).startswith("Nothing would change it")


def test_the_label_it_has():
    """The label that a record has needs no change."""
    (one,) = counterfactuals(LOAN, LATE, "refuse")
    assert str(one) == "nothing has to change → refuse (rule 1)"


def test_categories_and_scales_of_the_training_data():
    """The training data gives categories that the program does not name, and the scale of numbers."""
    columns = (
        Column.of("income", [0, 50000, 0]),
        Column.of("history", ["late", "good", "none"]),
        Column.of("guarantor", ["yes"] * 3),
    )
    found = counterfactuals(LOAN, LATE, table=Table(columns))
    assert [str(one) for one in found] == [
        "income above 21,000 → ask (no rule applies)",
        "history is good → accept (rule 2)",
        "guarantor is yes → ask (no rule applies)",
    ]
    assert found[0].distance == pytest.approx(2600 / 50000)


def test_missing_only_where_allowed():
    """A feature becomes missing only if None is among its values."""
    program = Program("y", ("f",), (Rule("a", (Literal("f", "missing"),)),), "b")
    assert not counterfactuals(program, {"f": 1}, "a")
    (one,) = counterfactuals(program, {"f": 1}, "a", ranges={"f": [None]})
    assert str(one) == "f is missing → a (rule 1)"
    (back,) = counterfactuals(program, {"f": None}, "b", ranges={"f": (3, None)})
    assert back.record == {"f": 3.0}


def test_an_earlier_rule_is_not_walked_into():
    """A value that an earlier rule or an exception catches is never proposed."""
    rules = (
        Rule("no", (Literal("f", ">", 1.0), Literal("f", "<=", 2.0))),
        Rule(
            "yes",
            (Literal("f", ">", 1.0),),
            (Rule(None, (Literal("f", "<=", 3.0),), (Rule(None, (Literal("g", "==", "x"),)),)),),
        ),
    )
    program = Program("y", ("f", "g"), rules, "no")
    found = counterfactuals(program, {"f": 0, "g": "z"}, "yes")
    assert [str(one) for one in found] == ["f above 3 → yes (rule 2)", "f above 2 and g is x → yes (rule 2)"]


def test_infinite_and_extreme_numbers():
    """Proposed numbers are finite; beyond the largest float there is nothing to propose."""
    largest = float(np.finfo(float).max)
    program = Program(
        "y", ("f",), (Rule("a", (Literal("f", ">", largest),)), Rule("b", (Literal("f", "<=", -math.inf),))), "c"
    )
    assert not counterfactuals(program, {"f": 0})
    assert program.label({"f": math.inf}) == "a"
    assert counterfactuals(program, {"f": math.inf}, "c")[0].record == {"f": largest}
    for label in ("a", "b"):
        assert not counterfactuals(program, {"f": None}, label)


def test_a_range_open_at_both_ends():
    """Two open ends allow any number, and nothing else."""
    found = counterfactuals(LOAN, LATE, ranges={"income": (None, None)}, fixed=["history", "guarantor"])
    assert list(map(str, found)) == ["income above 21,000 → ask (no rule applies)"]


def test_minimal_where_distances_cannot_tell():
    """The shortest way represents those beyond it, even from infinity, and where large floats absorb small ones."""
    rules = (Rule("b", (Literal("f", "<=", 2.0),)), Rule("b", (Literal("f", "<=", 1.0),)), Rule("a"))
    for record in ({"f": math.inf}, {"f": 1e300}):
        assert list(map(str, counterfactuals(Program("y", ("f",), rules), record))) == ["f at most 2 → b (rule 1)"]


def test_an_answer_has_the_label_that_was_searched_for(monkeypatch):
    """An answer with another label would be an error, even if it is not the label of the record."""
    program = Program("y", ("f",), (Rule("a", (Literal("f", "==", "a"),)), Rule("b", (Literal("f", "==", "b"),))), "c")
    wrong = [("a", ((0, 2),))]  # the cells: any number, a, b
    monkeypatch.setattr("unless.explanation.counterfactuals.nearest.cheapest_changes", lambda *_: iter(wrong))
    with pytest.raises(AssertionError, match=r"f is b → b .* does not hold; please report"):
        counterfactuals(program, {"f": "z"}, "a")


def test_labels_keep_their_type():
    """Labels may be numbers or booleans."""
    program = Program("y", ("f",), (Rule(True, (Literal("f", "==", "x"),)),), False)
    (one,) = counterfactuals(program, {"f": "z"}, np.True_)
    assert one.label is True
    assert json.loads(json.dumps(counterfactuals(program, {"f": "z"}).to_dict()))["changes"] == [
        {"label": True, "decided": 0, "distance": 1.0, "proven": True, "set": {"f": "x"}, "text": "f is x"}
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"label": "acept"}, UnknownNameError, "did you mean 'accept'"),
        ({"fixed": ["incom"]}, UnknownNameError, "fixed: no feature 'incom'; did you mean 'income'"),
        ({"fixed": "income"}, ParameterError, r"fixed=\['income'\]"),
        ({"ranges": {"incom": (0, 1)}}, UnknownNameError, "ranges: no feature 'incom'"),
        ({"ranges": {"income": (2, 1)}}, ParameterError, "from high to low"),
        ({"ranges": {"income": "0-1"}}, ParameterError, "takes \\(low, high\\) or a list of categories"),
        ({"ranges": {"income": 3}}, ParameterError, "takes \\(low, high\\) or a list of categories"),
        ({"most": 0}, ParameterError, "most is 0"),
        ({"most": True}, ParameterError, "most is True"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    """Unknown labels and features, and ranges without a meaning, are refused, with the remedy."""
    with pytest.raises(error, match=message):
        counterfactuals(LOAN, LATE, **arguments)


def test_columns_of_the_record():
    """A record without a used feature is refused; other columns are fine, and may be named as fixed."""
    with pytest.raises(UnknownNameError, match="uses 'income'"):
        counterfactuals(LOAN, {"history": "late", "guarantor": None})
    assert len(counterfactuals(LOAN, {**LATE, "name": "Ada"}, fixed=["name"])) == 2


def test_deep_nesting():
    """200 levels of exceptions are searched too."""
    found = counterfactuals(deep(), {"x": 0}, "yes")
    assert len(found) == 0
    # Of 200 levels in turn the last exception holds alone above 199; one level less turns the answer round.
    assert counterfactuals(deep(199), {"x": 5}, "yes")[0].record == {"x": 1.0}


def test_html_is_safe():
    """Markup in names, values and labels is shown as text."""
    program = Program("y", ("<i>",), (Rule("<script>", (Literal("<i>", "==", "<b>"),)),), "no")
    html = counterfactuals(program, {"<i>": None})._repr_html_()
    assert "<script>" not in html
    assert "<i>" not in html
    assert "&lt;script&gt;" in html


def test_speed():
    """200 rules over 20 features take far less than a second of CPU (20 ms)."""
    rng = random.Random(3)
    features = tuple(f"f{k}" for k in range(20))

    def literal() -> Literal:
        k = rng.randrange(20)
        if k % 2:
            return Literal(f"f{k}", rng.choice(["==", "!="]), rng.choice("abcd"))
        return Literal(f"f{k}", rng.choice(["<=", ">"]), round(rng.random(), 2))

    def rule() -> Rule:
        return Rule(
            rng.choice("ABCD"), [literal() for _ in range(3)], [Rule(None, [literal(), literal()]) for _ in range(2)]
        )

    program = Program("y", features, [rule() for _ in range(200)], "A")
    record = {f"f{k}": rng.choice("abcde") if k % 2 else rng.random() for k in range(20)}
    for label in (None, "A", "B", "C", "D"):
        start = time.process_time()
        assert counterfactuals(program, record, label)
        assert time.process_time() - start < 1.0


@needs_shared
@pytest.mark.parametrize("name", ["anneal", "wine"])
def test_real_programs(name):
    """On learned programs every answer has the label that `predict` gives it, and no single change is overlooked."""
    table = SHARED.table(name)
    program = unless.fold_rm(table)
    for row in range(0, len(table), len(table) // 10):
        record = table.record(row)
        found = counterfactuals(program, record, table=table)
        assert found
        if len(found[0].changes) > 1:
            for column in table.columns:
                for value in [*column.numbers.tolist(), *column.categories]:
                    assert program.label({**record, column.name: value}) in {program.label(record), None}
