"""Model files with something changed in them: they are refused when they are read, or stay what they are when saved."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, product
from random import Random
from typing import Any

import pytest

import unless
from unless.constraints import Constraints
from unless.errors import ProgramError
from unless.estimators.model_file import file_text, parsed
from unless.export.json import dumps
from unless.rule import Program

VALUES = [
    *(None, True, 0, -1, 1.5, 1e308, 5e-324, 2**53 + 1, 10**30, 10**400, float("nan"), float("inf")),
    *("", "x", "\0", "\ud800", "nan", "a" * 300, "yes", "size", [], {}, [None], ["x"], [["x", 1]], {"a": 1}),
]
MUTATIONS = 300
"""How many are tried of each model, of all that there are."""


def _records() -> tuple[list[dict[str, Any]], list[str]]:
    rows = [
        {"age": 20 + k % 50, "size": "SML"[k % 3], "when": f"2020-{1 + k % 12:02}-01", "city": ("Oslo", None)[k % 2]}
        for k in range(150)
    ]
    labels = ["yes" if row["age"] > 40 and row["city"] else "maybe" if row["size"] == "L" else "no" for row in rows]
    return rows, labels


@cache
def _document(name: str) -> Any:
    """The content of a model file."""
    rows, labels = _records()
    told: dict[str, Any] = {"orders": {"size": ("S", "M", "L")}, "warn": False}
    match name:
        case "weighted":
            model: Any = unless.FoldRMClassifier(class_weight={"yes": 2.5, "no": 1, "maybe": 1}, **told)
        case "committee":
            model = unless.UnlessCommittee(size=3, **told)
        case _:
            model = unless.UnlessClassifier(constraints=Constraints(never=("when",)), **told)
    model.fit(rows, labels)
    if name == "edited":
        model = model.with_program(replace(model.program_, rules=model.program_.rules[::-1]))
    return json.loads(file_text(model._current()))


def _places(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all parts of a document."""
    keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        yield (*place, key)
        yield from _places(node[key], (*place, key))


def _at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


def _mutations(document: Any, seed: int) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The document with one thing changed: a value replaced, removed, repeated, or swapped with its neighbour."""
    draw, places = Random(seed), list(_places(document))
    while True:
        place = draw.choice(places)
        mutated = copy.deepcopy(document)
        around, key = _at(mutated, place[:-1]), place[-1]
        old = around[key]
        match draw.randrange(5):
            case 0:
                del around[key]
            case 1 if isinstance(old, list) and old:
                around[key] = draw.choice([old[1:], old[:-1], old[::-1], [*old, old[-1]]])
            case 1 | 2 if isinstance(old, int | float) and not isinstance(old, bool):
                around[key] = draw.choice([old + 1, old - 1, -old, old * 2, old + 0.5, float(old), str(old), bool(old)])
            case 3 if isinstance(around, list):
                other = draw.randrange(len(around))
                around[key], around[other] = around[other], around[key]
            case _:
                around[key] = draw.choice(VALUES)
        yield place, mutated


@pytest.mark.parametrize("name", ["list", "edited", "weighted", "committee"])
def test_what_loads_can_be_saved_and_is_the_same_again(name):
    """Whatever is changed in a file, it is refused with the place of the error, or can be saved and read again."""
    loaded = 0
    for place, document in islice(_mutations(_document(name), seed=1), MUTATIONS):
        try:
            model = parsed(json.dumps(document).encode(), "model.json")
        except ProgramError:
            continue
        loaded += 1
        written = dumps if isinstance(model, Program) else file_text
        text = written(model)
        assert written(parsed(text.encode(), "model.json")) == text, place
    assert MUTATIONS / 100 < loaded < MUTATIONS / 2


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("constraints", "yes", 'null or {"constraints": …}'),
        ("constraints", ["age"], 'null or {"constraints": …}'),
        ("constraints", {"weights": [["yes", 1]]}, "a value for constraints"),
        ("ratio", {"constraints": {"never": ["age"]}}, "a value for ratio"),
        ("class_weight", {"columns": [["size", ["S", "M"]]]}, "a value for class_weight"),
        ("orders", {"weights": [["yes", 1]]}, "a value for orders"),
    ],
)
def test_a_parameter_that_could_not_be_saved(name, value, message):
    """A parameter whose value is of another kind is refused when it is read, with its place."""
    document = copy.deepcopy(_document("list"))
    parameters = document["statistics"]["parameters"]
    place = [one for one, _ in parameters].index(name)
    parameters[place][1] = value
    with pytest.raises(ProgramError) as error:
        parsed(json.dumps(document).encode(), "model.json")
    assert str(error.value).startswith(f"model.json: statistics.parameters[{place}][1]: ")
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["list", "weighted", "committee"])
def test_classifiers_that_load_can_be_saved(name, tmp_path):
    """Whatever a parameter becomes, the file is refused with the parameter's name, or its classifier can be saved."""
    document, refusals = _document(name), []
    count = len(_parameters(document))
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    for index, value in product(range(count), (-1, 0.5, 10**30, "x", "\0", ["x"], True, {"weights": [["yes", -1]]})):
        mutated = copy.deepcopy(document)
        _parameters(mutated)[index][1] = value
        first.write_text(json.dumps(mutated))
        try:
            model = unless.load(first)
        except ProgramError as error:
            refusals.append(str(error))
            continue
        model.save(first)
        unless.load(first).save(again)
        assert first.read_bytes() == again.read_bytes()
    assert count < len(refusals) < count * 8
    assert all("parameters" in refusal for refusal in refusals)


def _parameters(document: Any) -> list[list[Any]]:
    """The parameters of a learner in a document, as pairs of names and values."""
    return document.get("statistics", document)["parameters"]


def test_a_parameter_that_appears_twice():
    """Only one of the two values could be meant."""
    document = copy.deepcopy(_document("list"))
    document["statistics"]["parameters"].append(document["statistics"]["parameters"][0])
    with pytest.raises(ProgramError, match=r"statistics.parameters\[\d+\]\[0\]: .\w+. appears twice"):
        parsed(json.dumps(document).encode(), "model.json")


def test_numbers_written_in_two_ways():
    """Columns and rules of a file agree how the numbers of a feature are written: else records would be misread."""
    document = copy.deepcopy(_document("list"))
    for pair in document["columns"]["notations"]:
        if pair[0] == "size":
            pair[1][-1] = "XL"
    with pytest.raises(ProgramError, match=r"columns\.notations: the numbers of .size. are written otherwise than in"):
        parsed(json.dumps(document).encode(), "model.json")


def test_more_records_than_there_can_be():
    """A count beyond whole numbers of records is refused, unless it is a sum of weights."""
    for name, refused in (("list", True), ("weighted", False)):
        document = copy.deepcopy(_document(name))
        document["statistics"]["counts"][0][0] = 1e30
        text = json.dumps(document).encode()
        if refused:
            with pytest.raises(ProgramError, match=r"statistics\.counts: there are counts above"):
                parsed(text, "model.json")
        else:
            assert parsed(text, "model.json").statistics.counts[0, 0] == 1e30


def test_a_missing_cell_that_is_half_a_character(tmp_path):
    """No cell of a file is equal to half a surrogate pair: files are read as if it were not named."""
    document = copy.deepcopy(_document("list"))
    document["columns"]["missing"].append("\ud800")
    (tmp_path / "model.json").write_text(json.dumps(document))
    (tmp_path / "new.csv").write_text("age,size,when,city\n50,S,2020-01-01,Oslo\n")
    model = unless.load(tmp_path / "model.json")
    done = unless.stream.predict_file(model, tmp_path / "new.csv", tmp_path / "out.jsonl")
    assert done.rows == 1
