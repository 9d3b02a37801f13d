"""Random programs survive JSON, and random text is refused."""

from __future__ import annotations

import json as standard
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unless.errors import ProgramError
from unless.export import json, to_text
from unless.export.clauses import flatten
from unless.export.json_text import _laid_out
from unless.rule import Literal, Program, Rule

texts = st.text(st.characters(codec="utf-8"), max_size=4) | st.sampled_from(
    ["inf", "missing", "a'b", "\n", "\ud800", "X"]
)
numbers = st.floats(allow_nan=False)
features = ("f", "Feature 2", "it's")
literals = st.one_of(
    st.builds(Literal, st.sampled_from(features), st.sampled_from(["<=", ">"]), numbers),
    st.builds(Literal, st.sampled_from(features), st.sampled_from(["==", "!="]), texts),
    st.builds(Literal, st.sampled_from(features), st.sampled_from(["missing", "present"])),
)
defaults = st.lists(literals, max_size=3).map(tuple)
exceptions = st.recursive(
    st.builds(Rule, st.none(), defaults),
    lambda inner: st.builds(Rule, st.none(), defaults, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program whose labels are all text, all numbers or all booleans."""
    labels = draw(st.sampled_from([texts, st.integers(-(2**80), 2**80) | numbers, st.booleans()]))
    rules = st.builds(Rule, labels, defaults, st.lists(exceptions, max_size=3).map(tuple))
    target = draw(texts.filter(lambda name: name not in features))
    return Program(target, features, tuple(draw(st.lists(rules, max_size=4))), draw(st.none() | labels))


def shape(program: Program) -> list[tuple[type, str]]:
    """The labels with their types, which equality does not tell apart."""
    labels = [*(rule.head for rule in program), program.otherwise]
    return [(type(label), repr(label)) for label in labels]


@settings(deadline=None)
@given(programs())
def test_programs_survive(program: Program) -> None:
    """A program comes back from a document and from text as it was, the types of its labels included."""
    for back in (json.from_dict(json.to_dict(program)), json.loads(json.dumps(program))):
        assert back == program
        assert shape(back) == shape(program)


@settings(deadline=None)
@given(programs())
def test_the_text_is_plain_json(program: Program) -> None:
    """Any JSON reader gets the same document, and the text can always be encoded and never depends on chance."""
    text = json.dumps(program)
    assert standard.loads(text.encode("utf-8")) == json.to_dict(program)
    assert json.dumps(json.loads(text)) == text
    assert max(map(len, text.splitlines())) <= 100 or any(len(line.strip()) > 60 for line in text.splitlines())


@settings(deadline=None)
@given(programs())
def test_printing_is_one_line_per_rule(program: Program) -> None:
    """The paper's text has a line for every flattened rule and one for the rest, whatever the values."""
    lines = to_text(program).splitlines()
    assert len(lines) == len(flatten(program)) + (program.otherwise is not None)
    assert all(line.endswith(".") and line.isprintable() for line in lines)


@settings(deadline=None)
@given(programs(), st.lists(st.sampled_from([0.0, 1.5, "x", "inf", None]), min_size=3, max_size=3))
def test_flattening_keeps_the_meaning(program: Program, cells: list[float | str | None]) -> None:
    """The flattened program, read rule by rule, covers exactly the records that the nested one covers."""
    record = dict(zip(features, cells, strict=True))
    flat = flatten(program)
    holding: set[int] = set()
    for number, body in enumerate(flat.exceptions, 1):
        if all(literal.holds(record[literal.feature]) for literal in body.literals) and not holding & set(
            body.exceptions
        ):
            holding.add(number)
    covered = [
        all(literal.holds(record[literal.feature]) for literal in body.literals) and not holding & set(body.exceptions)
        for _, body in flat.rules
    ]
    assert covered == [rule.covers(record) for rule in program]


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)


@settings(deadline=None)
@given(documents, st.integers(0, 60))
def test_what_fits_one_line_takes_one(document: object, indent: int) -> None:
    """Lists and objects are laid out as the plain definition says, which looks at all of a value on every level."""
    assert _laid_out(document, indent) == plainly_laid_out(document, indent)


def plainly_laid_out(value: Any, indent: int) -> str:
    """One line where it fits, else one item per line."""
    compact = standard.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or indent + len(compact) <= 100:
        return compact
    inner = " " * (indent + 2)
    lines = [inner + plainly_laid_out(item, indent + 2) for item in value] if isinstance(value, list) else [
        f"{inner}{standard.dumps(key, ensure_ascii=False)}: {plainly_laid_out(value[key], indent + 2)}" for key in value
    ]  # fmt: skip
    return f"{compact[0]}\n" + ",\n".join(lines) + f"\n{' ' * indent}{compact[-1]}"


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text(max_size=40))
def test_any_bytes_are_read_or_refused(content: bytes | str) -> None:
    """Whatever a file holds, reading it gives a program or our own error."""
    with pytest.raises(ProgramError):
        json.loads(content)
