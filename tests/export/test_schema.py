"""The reader and the published schema, ``program.schema.json``, agree on which documents are right."""

from __future__ import annotations

import copy
import json as standard
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.export.schemas import PATH, published_schema
from tests.export.test_random_json import programs, texts
from tests.strategies import cuts_of
from unless.errors import ProgramError
from unless.estimators.model_file import from_document
from unless.export import json
from unless.export.document_checks import _words
from unless.rule import Program
from unless.score.program_parts import program_parts

jsonschema = pytest.importorskip("jsonschema", reason="the validator to compare with is not installed")

SCHEMA = standard.loads(PATH.read_text("utf-8"))
VALIDATOR = jsonschema.validators.extend(  # to JSON Schema, 1.0 is an integer; to the reader, it is not
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, one: type(one) is int),
)(SCHEMA)
MODEL = standard.loads((Path(__file__).parents[1] / "data" / "model-v1-unless.json").read_text())
MODEL["statistics"].update(weighted=True, importances=[0.25] * len(MODEL["features"]))
CUTS = cuts_of(json.from_dict(MODEL))
MODEL["statistics"].update(base=[5], points=[[7]] * len(program_parts(json.from_dict(MODEL), CUTS)))
MODEL["statistics"]["cuts"] = json.literals_data(CUTS)
MODEL["statistics"]["tested"] = {
    "salt": 7,
    "cuts": [[label, 819] for label in MODEL["statistics"]["classes"]],
    "fingerprint": "0123456789abcdef" * 2,
    "records": 1000,
    "usual": MODEL["statistics"]["classes"][0],
    "sample": ["0123456789abcdef", "0" * 16],
    "counts": [[1.0] * len(counts) for counts in MODEL["statistics"]["counts"]],
}
MODEL["statistics"]["origin"] = {
    name: value for name, value in MODEL["statistics"]["tested"].items() if name != "counts"
}
MODEL["statistics"]["locked"] = [0]
MODEL["columns"]["gaps"] = [[name, 2.0] for name in MODEL["features"]]
MODEL["statistics"]["trade_off"] = [[[["max_rules", 2]], 2, 40, 60], [[], 2.5, 50, 60]]
GIVEN = ("class_weight", "numeric", "max_seconds", "constraints")
MODEL["statistics"]["parameters"] = [one for one in MODEL["statistics"]["parameters"] if one[0] not in GIVEN] + [
    ["class_weight", {"weights": [["yes", 2], [True, 0.5]]}],
    ["numeric", ["age", 3]],
    ["max_seconds", {"float": "inf"}],
    [
        "constraints",
        {
            "constraints": {
                "never": ["a"],
                "apart": [["b", "c"]],
                "monotone": ["b: more never yes", ["c", "less", 1]],
                "max_depth": 1,
            }
        },
    ],
]


scraps = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | st.sampled_from(["f", "==", "<=", "inf", 10**400, 1, 1.0, True, {"float": "inf"}, ["f", "missing", None]]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["default", "label", "x"]), inner),
    max_leaves=5,
)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of the schema."""
    if isinstance(schema, dict):
        yield schema
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from nodes(inner)


WORDS = {_words(node, SCHEMA) for node in nodes(SCHEMA)}


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or object in a document, with each of its indices or keys."""
    items = list(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ())
    for key, inner in items:
        yield node, key
        yield from places(inner)


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """The document of a program or a model after up to three changes anywhere in it."""
    document: Any = copy.deepcopy(MODEL) if draw(st.booleans()) else json.to_dict(draw(programs()))
    whole = copy.deepcopy(document)
    for _ in range(draw(st.integers(0, 3))):
        holder, key = draw(st.sampled_from(list(places(document))))
        other, name = draw(st.sampled_from(list(places(whole))))
        part = draw(st.sampled_from([copy.deepcopy(other[name]), name])) if draw(st.booleans()) else draw(scraps)
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "remove":
                del holder[key]
            case "add" if isinstance(holder, list):
                holder.insert(key, part)
            case "add":
                names = ["label", "columns", "otherwise", "values", "weights", "tested", "x"]
                holder[draw(st.sampled_from(names))] = part
            case _:
                holder[key] = part
        if not document:
            break
    return document


@settings(deadline=None, max_examples=500)
@given(changed() | scraps)
def test_the_reader_agrees_with_the_schema(document: Any) -> None:
    """The reader refuses what the schema refuses, in its words, and otherwise only what no schema can know."""
    try:
        found = from_document(document)
    except ProgramError as error:
        message = str(error)
        assert message.isprintable()
    else:
        message = ""
        program = found if isinstance(found, Program) else found.program
        assert json.loads(json.dumps(program)) == program
    told = re.search(r"(?:^|: )expected (.*), not ", message)
    if VALIDATOR.is_valid(document):
        assert not told
        assert "unknown key" not in message
        assert "is missing" not in message
    else:
        assert message
        assert told is None or told[1] in WORDS


def test_the_examples_fit_the_schema() -> None:
    """The model that is changed here is right before."""
    assert VALIDATOR.is_valid(MODEL)
    assert from_document(MODEL)


def test_the_shipped_schema_is_a_schema() -> None:
    """The schema is valid in the draft that it names."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_shipped_schema_is_that_of_the_types() -> None:
    """The schema says what the types say that are read; ``python -m tests.export.schemas`` writes it."""
    assert published_schema() == SCHEMA
