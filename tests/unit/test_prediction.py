"""Predictions for whole tables are the same as record by record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.learn.test_random_tables import random_rows, table_of, tables
from tests.models import defined_label
from unless.errors import ParameterError, UnknownNameError
from unless.model import prediction
from unless.model.prediction import deciding_rules
from unless.model.value_bins import fillers
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table

values = st.sampled_from([0.0, 1.0, 2.5, "a", "b", None])


def literals(feature):
    """Any literal on a feature, also on values that no record has."""
    return st.one_of(
        st.builds(Literal, st.just(feature), st.sampled_from(["<=", ">"]), st.sampled_from([-1.0, 0.0, 1.0, 2.0, 9.0])),
        st.builds(Literal, st.just(feature), st.sampled_from(["==", "!="]), st.sampled_from(["a", "b", "never seen"])),
        st.builds(Literal, st.just(feature), st.sampled_from(["missing", "present"])),
    )


literal = st.one_of(literals("f"), literals("g"))


def rules(head):
    """Rules nested a few levels deep."""
    exceptions = st.recursive(
        st.builds(Rule, st.none(), st.lists(literal, max_size=3).map(tuple)),
        lambda inner: st.builds(
            Rule, st.none(), st.lists(literal, max_size=2).map(tuple), st.lists(inner, max_size=2).map(tuple)
        ),
        max_leaves=6,
    )
    return st.builds(Rule, head, st.lists(literal, max_size=3).map(tuple), st.lists(exceptions, max_size=2).map(tuple))


programs = st.builds(
    Program,
    st.just("y"),
    st.just(("f", "g")),
    st.lists(rules(st.sampled_from("xyz")), max_size=5).map(tuple),
    st.sampled_from([None, "x", "other"]),
)


@given(programs, st.lists(st.tuples(values, values), max_size=20))
@settings(max_examples=400, deadline=None)
def test_predict_is_the_meaning_of_the_program(program, cells):
    """Labels and deciding rules equal those of `Program.label` and `Program.decides`, record by record."""
    table = Table(tuple(Column.of(name, [row[i] for row in cells]) for i, name in enumerate("fg")))
    records = [table.record(row) for row in range(len(table))]
    assert unless.predict(program, table).tolist() == [defined_label(program, record) for record in records]
    decided = [-1 if (rule := program.decides(record)) is None else rule for record in records]
    assert deciding_rules(program, table).tolist() == decided


@given(programs, st.lists(st.tuples(values, values, st.integers(-1, 5)), max_size=20))
@settings(max_examples=200, deadline=None)
def test_rules_after_a_rule_decide_as_if_there_were_no_others(program, cells):
    """Each row has a rule of its own after which rules count: the same as a program of only the later ones."""
    table = Table(tuple(Column.of(name, [row[i] for row in cells]) for i, name in enumerate("fg")))
    after = np.array([min(row[2], len(program) - 1) for row in cells], np.int32)
    columns = prediction.tested_columns(program, table)
    code = prediction.ProgramCode(program)
    rest = {k: Program("y", program.features, program.rules[k + 1 :]) for k in after.tolist()}
    wanted = [(k, rest[k].decides(table.record(row))) for row, k in enumerate(after.tolist())]
    found = code.decide(fillers(code.bins, columns), len(table), after=after).tolist()
    assert found == [-1 if rule is None else k + 1 + rule for k, rule in wanted]


@given(tables())
@settings(max_examples=100, deadline=None)
def test_learned_programs_too(drawn):
    """What is learned predicts the same in bulk and one by one."""
    table = table_of(*drawn)
    program = unless.fold_rm(table)
    assert unless.predict(program, table).tolist() == [
        defined_label(program, table.record(row)) for row in range(len(table))
    ]


def test_many_rows_in_blocks_and_threads():
    """A table of many blocks, large enough for two threads, is decided row by row like a small one."""
    table = table_of(*random_rows(seed=3, rows=500, columns=3))
    program = unless.fold_rm(table)
    rows = np.random.default_rng(0).integers(0, 500, 250_001)
    assert (unless.predict(program, table[rows]) == unless.predict(program, table)[rows]).all()


def test_only_used_columns_are_needed_in_any_order():
    """A program needs only the columns it uses, in any order."""
    program = Program("y", ("f", "g", "h"), (Rule("x", (Literal("g", ">", 1.0), Literal("f", "==", "a"))),))
    table = Table((Column.of("g", [1, 2, 3]), Column.of("other", [0, 0, 0]), Column.of("f", ["a", "b", "a"])))
    assert unless.predict(program, table).tolist() == [None, None, "x"]


def test_a_missing_column_is_named():
    """A table without a column that the program uses is refused, with the nearest name."""
    program = Program("y", ("age",), (Rule("x", (Literal("age", ">", 1.0),)),))
    with pytest.raises(UnknownNameError, match="the program uses 'age', which the table lacks; did you mean 'agee'"):
        unless.predict(program, Table((Column.of("agee", [1]),)))


def test_only_a_program_and_a_table_predict():
    """Anything else is refused, and the error says what to do."""
    program, table = Program("y", ()), Table(())
    with pytest.raises(ParameterError, match=r"a list is not a Table; make one: read_table\(source, like=program\)"):
        unless.predict(program, [{"f": 1}])
    with pytest.raises(ParameterError, match="a Table is not a Program; predict takes a program, then a table"):
        unless.predict(table, program)


def test_labels_keep_their_type():
    """Numbers stay numbers, booleans booleans, and unclassified is None."""
    table = Table((Column.of("f", [1, 2, 3]),))
    rules = (Rule(True, (Literal("f", "<=", 1.0),)), Rule(False, (Literal("f", "<=", 2.0),)))
    assert [repr(label) for label in unless.predict(Program("y", ("f",), rules), table)] == ["True", "False", "None"]


def test_an_empty_program_and_an_empty_table():
    """No rules: everything is `otherwise`. No rows: no labels."""
    assert unless.predict(Program("y", (), (), "z"), Table((), rows=2)).tolist() == ["z", "z"]
    assert unless.predict(Program("y", ()), Table(())).tolist() == []
