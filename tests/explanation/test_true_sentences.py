"""Sentences are true: their text is read back, and checked against the record and the decision that they are about."""

from __future__ import annotations

import re
from datetime import date, timedelta

import numpy as np
import pytest

from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, parse
from unless.explanation.counterfactuals.feature_cells import Axis, find_allowed_values
from unless.explanation.sentences import default_texts, outline_lines, words_for, words_for_checks
from unless.explanation.words import DEFAULT
from unless.export import to_rules
from unless.rule import Literal, Program, Rule, conditions
from unless.values import Value, cell_value
from unless.values.notation import Notation

SIZES = ("S", "M", "L", "XL", "3XL")


def literals(text: str, notations: dict[str, Notation]) -> list[Literal]:
    """The literals of a text such as "age above 30 and at most 40 and city is Oslo"."""
    found: list[Literal] = []
    for part in text.split(" and "):
        continued = re.match(r"(?:at most|above) ", part)
        feature, rest = (found[-1].feature, part) if continued else part.split(" ", 1)
        found += _literals(feature, rest.removeprefix("is "), notations.get(feature))
    return found


def _literals(feature: str, asked: str, notation: Notation | None) -> list[Literal]:
    if asked in ("missing", "present"):
        return [Literal(feature, asked)]
    for words, op in (("at most ", "<="), ("above ", ">"), ("below ", "<"), ("at least ", ">=")):
        if asked.startswith(words):
            number = _number(asked.removeprefix(words), notation)
            assert number is not None, asked
            if op in ("<", ">="):
                number = float(np.nextafter(number, -np.inf))
            return [Literal(feature, "<=" if op in ("<", "<=") else ">", number)]
    negated, asked = asked.startswith("not "), asked.removeprefix("not ")
    number = _number(asked, notation)
    if number is None:
        return [Literal(feature, "!=" if negated else "==", asked.strip("'"))]
    assert not negated, asked
    return [Literal(feature, ">", float(np.nextafter(number, -np.inf))), Literal(feature, "<=", float(number))]


def _number(text: str, notation: Notation | None) -> float | None:
    if notation is not None and not notation.plain:
        found = notation.back(text)
        return None if found is None else notation.value(found)
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def holds(found: list[Literal], record: dict[str, object], notations: dict[str, Notation]) -> bool:
    """Whether all literals hold; a number that a text names as one value is compared as a number."""
    return all(one.holds(_cell(record[one.feature], one, notations.get(one.feature))) for one in found)


def _cell(cell: object, literal: Literal, notation: Notation | None) -> Value:
    value = literal.reads(cell_value(cell))
    if isinstance(literal.value, float) and isinstance(value, str) and notation is not None and not notation.plain:
        return notation.number(value)
    return value


def random_records(rng: np.random.Generator, rows: int) -> list[dict[str, object]]:
    """Records with a column of every kind, some cells missing."""
    first = date(2020, 1, 1)
    return [
        {
            "count": int(rng.integers(0, 9)),
            "width": float(rng.integers(0, 40)) / 8,
            "amount": int(rng.integers(0, 6)) * 7000,
            "day": (first + timedelta(days=int(rng.integers(0, 12)))).isoformat(),
            "hour": f"{int(rng.integers(6, 12)):02}:30",
            "lasts": f"P{int(rng.integers(1, 6))}D",
            "size": SIZES[int(rng.integers(0, len(SIZES)))],
            "flag": bool(rng.integers(0, 2)),
            "senior": int(rng.integers(0, 2)),
            "city": str(rng.choice(["Oslo", "Rome", "Bonn"])),
        }
        for _ in range(rows)
    ]


def random_labels(rng: np.random.Generator, records: list[dict[str, object]]) -> list[str]:
    """Labels that depend on bands of some columns, so that rules have ranges, and cells of one value."""
    names = rng.permutation(["count", "width", "amount", "day", "hour", "lasts", "size", "flag", "city"])[:3]
    ranks = {
        name: {value: k for k, value in enumerate(sorted({r[name] for r in records}, key=_rank))} for name in names
    }
    start = {name: int(rng.integers(1, 4)) for name in names}
    sums = [sum(start[n] <= ranks[n][r[n]] < start[n] + 2 for n in names) for r in records]
    return [("none", "one", "two", "three")[found] for found in sums]


def _rank(value: object) -> object:
    return SIZES.index(value) if value in SIZES else value


def fitted(seed: int, learner: type) -> tuple[object, list[dict[str, object]]]:
    """A model of random records, and records of which some have a missing cell."""
    rng = np.random.default_rng(seed)
    records = random_records(rng, 400)
    model = learner(orders={"size": SIZES}, warn=False).fit(records, random_labels(rng, records))
    asked = random_records(rng, 25)
    for record in asked[::5]:
        record[str(rng.choice(sorted(record)))] = None
    return model, asked


MODELS = [(seed, learner) for seed in range(6) for learner in (UnlessClassifier, FoldRMClassifier)]


@pytest.mark.parametrize(("seed", "learner"), MODELS)
def test_what_a_counterfactual_says_is_false_before_and_true_after(seed, learner):
    """Each change asks for what the record does not have and the changed record has, which gets the stated label."""
    model, records = fitted(seed, learner)
    notations, said = dict(model.schema_.notations), 0
    for record in records:
        for one in model.counterfactuals(record, most=5):
            text, outcome = str(one).split(" → ")
            assert outcome.split(" (")[0] == one.label == model.predict([{**record, **one.record}])[0]
            for change in one.changes:
                asked = literals(change.text(), notations)
                assert not holds(asked, record, notations), text
                assert holds(asked, one.record, notations), text
                said += 1
            assert not holds(literals(text, notations), record, notations)
    assert said > 20


def test_a_whole_number_that_must_fall_into_a_cell_of_one_value():
    """Of 8, "above 5" holds already: what is said is how far it must fall."""
    records = [{"x": v} for v in list(range(12)) * 30]
    labels = ["good" if one["x"] > 6 else "mid" if one["x"] > 3 else "bad" for one in records]
    model = UnlessClassifier(warn=False).fit(records, labels)
    for value in range(12):
        for one in model.counterfactuals({"x": value}):
            asked = literals(one.text(), {})
            reached = {v for v in range(12) if holds(asked, {"x": v}, {})}
            assert value not in reached
            assert one.record["x"] in reached
            assert set(model.predict([{"x": v} for v in reached])) == {one.label}


def test_many_labels_of_small_whole_numbers():
    """As for letters that are told apart by counts from 0 to 15: no change asks for what the record has."""
    rng = np.random.default_rng(5)
    centres = rng.integers(0, 16, (8, 6))
    picked = rng.integers(0, 8, 900)
    cells = np.clip(centres[picked] + rng.integers(-2, 3, (900, 6)), 0, 15)
    records = [{f"n{k}": int(v) for k, v in enumerate(row)} for row in cells]
    model = UnlessClassifier(warn=False).fit(records, [f"letter {k}" for k in picked])
    for record in records[:60]:
        for one in model.counterfactuals(record):
            for change in one.changes:
                assert not holds(literals(change.text(), {}), record, {}), str(one)
                assert holds(literals(change.text(), {}), one.record, {}), str(one)


def test_a_number_that_must_rise_to_the_end_of_its_range():
    """Where only the upper end of a cell is allowed, that is the value: "at most" would hold of the record already."""
    allowed = find_allowed_values("x", {"x": (10, 20)}, None, (), numeric=True)
    offer = Axis("x", (0.0, 10.0), (), -5.0, allowed).nearest[1]
    assert (offer.value, offer.how) == (10.0, "is")


# Proofs: each fact holds of the record, and so does what is said of conditions.


PROVED = [(seed, learner) for seed in range(4) for learner in (UnlessClassifier, FoldRMClassifier, FoldRPPClassifier)]
UNCONDITIONAL = ("it is the default", "it always applies")


def proved(seed: int, learner: type) -> tuple[object, list[dict[str, object]]]:
    """A model of records of which some have missing cells, and some of them."""
    rng = np.random.default_rng(100 + seed)
    records = random_records(rng, 400)
    labels = random_labels(rng, records)
    if learner is FoldRPPClassifier:
        labels = ["some" if label == "one" else "other" for label in labels]
    for record in records[::7]:
        record[str(rng.choice(sorted(record)))] = None
    model = learner(orders={"size": SIZES}, warn=False).fit(records, labels)
    return model, records[:40]


def asks(text: str) -> list[str]:
    """The conditions of a text: "age is above 30 and at most 40 and city is Oslo" has two."""
    return [] if text == "always" else re.split(r",? and (?=\w+ is )", text)


class Truth:
    """Whether sentences about a record are true; it counts what it looked at."""

    def __init__(self, model, record) -> None:
        self.record, self.notations, self.seen = record, dict(model.schema_.notations), 0

    def holds(self, text: str) -> bool:
        """Whether a condition such as "age is above 30 and at most 40" holds of the record."""
        self.seen += 1
        return holds(literals(text, self.notations), self.record, self.notations)

    def states(self, fact: str) -> bool:
        """Whether the record has the value that a fact such as "age is 35, above 30" states, which lies as it says."""
        feature, value, lies = re.fullmatch(r"(\w+) is ((?:[^,]|,\d)+)(?:, (.+))?", fact).groups()
        there = self.holds(f"{feature} is {value}")
        sort = lies is not None and re.fullmatch("not (a|in the) [a-z]+", lies)
        return there and (lies is None or bool(sort) or lies == "as required" or self.holds(f"{feature} is {lies}"))

    def facts(self, text: str) -> bool:
        """Whether all facts are true that "and" joins."""
        return text in UNCONDITIONAL or all(map(self.states, asks(text)))

    def reason(self, text: str) -> bool:
        """Whether all is true that a reason says, with its exceptions, and theirs, and those of other rules."""
        parts = re.split(
            r"; |,? and although |, because |: (?=\w+ is |although )|, an exception .*?applies(?=: |$)", text
        )
        about = [re.sub("^although ", "", part) for part in parts if re.match(r"(although )?\w+ is ", part)]
        return all(self.facts(part) for part in about)

    def obstacle(self, text: str) -> bool:
        """Whether what a value must be is not so: "age is 50, but must be above 30 and at most 40"."""
        fact, wanted = text.split(", but must ")
        asked = re.sub("^(not )?be ", r"is \1", wanted)
        return self.states(fact) and not self.holds(f"{fact.split(' is ')[0]} {asked}")


LINES = {
    "'(.*)' does not hold: (.*)": lambda truth, asked, fact: (
        not all(map(truth.holds, asks(asked))) and truth.facts(fact)
    ),
    "'(.*)' (?:applies|holds).*": lambda truth, asked: all(map(truth.holds, asks(asked))),
    "rule .* did not apply: an exception applies, because (.*)": Truth.reason,
    "rule .* did not apply: (.*)": Truth.obstacle,
    "(?:because|and) +(.*, )which is (.*)": lambda truth, fact, asked: truth.states(fact + asked),
    "(?:because|and) +((?!no exception).*)": Truth.facts,
    "The record is decided: .*|and no exception applies:": lambda truth: truth is not None,
}
"""The lines of a story, and whether what is said in their places is true."""


def is_true(line: str, truth: Truth) -> bool:
    """Whether a line of a story is true."""
    matches = ((re.fullmatch(pattern, line.strip()), tells) for pattern, tells in LINES.items())
    found, tells = next((found, tells) for found, tells in matches if found)
    return tells(truth, *found.groups())


@pytest.mark.parametrize(("seed", "learner"), PROVED)
def test_what_a_proof_says_is_true(seed, learner):
    """Each line of a story, and each part of the sentence, is true of the record and of what was decided."""
    model, records = proved(seed, learner)
    seen = 0
    for record in records:
        proof, truth = model.explain(record), Truth(model, record)
        assert proof.label == model.predict([record])[0]
        assert f"{proof.label}, because " in str(proof)
        assert truth.reason(str(proof).split(", because ", 1)[1]), str(proof)
        for line in proof.story().splitlines():
            assert is_true(line, truth), line
        for node in (
            [] if proof.rule is None else outline_lines(proof.rule, words_for_checks(DEFAULT, proof.every_check()))
        ):
            assert node.holds is None or truth.facts(node.text), node
        seen += truth.seen
    assert seen > 150


@pytest.mark.parametrize(("seed", "learner"), PROVED)
def test_what_stopped_a_label_is_true(seed, learner):
    """What a rule asks does not hold, the record has what is said, and an exception that applies does."""
    model, records = proved(seed, learner)
    seen = 0
    for record in records[:20]:
        truth = Truth(model, record)
        for label in model.program_.labels:
            for line in str(model.why_not(record, label)).splitlines()[1:]:
                if found := re.fullmatch(r"  .* asks that (.*), but (.*)", line):
                    assert not any(map(truth.holds, asks(found[1]))), line
                    assert truth.facts(found[2]), line
                elif found := re.fullmatch(r"  .* has an exception that applies: (.*)", line):
                    assert truth.reason(found[1]), line
                else:
                    decided = model.explain(record).decided
                    last = "otherwise" if decided is None else f"rule {decided + 1}"
                    assert re.fullmatch(f"  .* came too late: {last} decided first|  {last} decides", line), line
        seen += truth.seen
    assert seen > 30


@pytest.mark.parametrize(("seed", "learner"), PROVED)
def test_what_a_rule_says_holds_where_it_holds(seed, learner):
    """The sentence of each condition holds of the same records as its literals, and the text of the rules is them."""
    model, records = proved(seed, learner)
    program, words = model.program_, words_for(model.program_, tables=(model.domain_,))
    assert parse(to_rules(program), like=program) == program
    told = parse(str(program), like=program)
    truths = [(model.explain(record).record, Truth(model, record)) for record in records]
    assert [told.label(values) for values, _ in truths] == list(model.predict(records))
    for rule in levels(program):
        for condition, text in zip(conditions(rule.default), default_texts(rule, words), strict=True):
            for values, truth in truths:
                found = all(literal.holds(values[literal.feature]) for literal in condition)
                assert truth.holds(text) == found, (text, values)


def levels(program: Program) -> list[Rule]:
    """The rules of a program and all their exceptions."""
    found = list(program.rules)
    for rule in found:
        found += rule.exceptions
    return found


def test_a_range_of_one_whole_number_is_that_number():
    """What is above 2 and at most 3 is 3 where training had whole numbers only; text that is parsed has the range."""
    records = [{"cod": v} for v in list(range(12)) * 30]
    labels = ["odd" if one["cod"] == 3 else "low" if one["cod"] <= 6 else "high" for one in records]
    model = FoldRMClassifier(warn=False).fit(records, labels)
    three = next(rule for rule in levels(model.program_) if len(conditions(rule.default)[0]) == 2)
    assert default_texts(three, words_for(model.program_, tables=(model.domain_,))) == ["cod is 3"]
    assert "cod is above 2 and at most 3" in str(model.program_)
    assert "above 2 and at most 3" not in "".join(model.explain({"cod": v}).story() for v in range(12))
    assert "above 2 and at most 3" in model.explain({"cod": 2.5}).story()
