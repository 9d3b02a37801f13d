"""Sentences are true: their text is read back, and checked against the record and the decision that they are about."""

from __future__ import annotations

import re
from datetime import date, timedelta

import numpy as np
import pytest

from unless import FoldRMClassifier, UnlessClassifier
from unless.explanation.changes.axes import Axis, allowed_values
from unless.rule import Literal
from unless.values import Value, value_of
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
    value = literal.reads(value_of(cell))
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
    allowed = allowed_values("x", {"x": (10, 20)}, None, (), numeric=True)
    offer = Axis("x", -5.0, (0.0, 10.0), (), allowed).offers[1]
    assert (offer.value, offer.how) == (10.0, "is")
