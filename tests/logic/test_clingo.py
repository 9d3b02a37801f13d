"""clingo derives what `predict` predicts, whatever the names and values, and its programs read back unchanged."""

from __future__ import annotations

import decimal
import json

import pytest
from hypothesis import HealthCheck, given, settings

import unless
from tests.lengths import SHARE
from tests.logic.traps import NAMES, cases, everything
from tests.shared import SHARED, needs_compiled, needs_shared
from unless.errors import ProgramError, UnknownNameError, UnlessError
from unless.export import to_text
from unless.logic import clingo_runner as engine_room
from unless.logic import from_clingo, run_clingo, to_clingo, to_prolog
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.table import Column, Table

pytestmark = pytest.mark.usefixtures("clingo")

DATASETS = sorted(name for name, entry in SHARED.manifest.items() if entry["file"]) if SHARED.here else []


def shape(program):
    """The labels with their types, which equality does not tell apart."""
    return [(type(label), repr(label)) for label in [*(rule.head for rule in program), program.otherwise]]


def agree(program, table):
    """Whether clingo derives the predicted labels, types included."""
    derived, predicted = run_clingo(program, table).tolist(), unless.predict(program, table).tolist()
    return list(map(repr, derived)) == list(map(repr, predicted))


@needs_shared
@needs_compiled
@pytest.mark.parametrize("name", DATASETS)
def test_clingo_agrees_on_real_data(name):
    """On every record of a dataset, or a sample of a large one, clingo derives the predicted label."""
    table = SHARED.table(name)
    program = unless.fold_rm(table)
    step = max(1, len(table) * len(program) // (40_000 // SHARE))
    sample = table[::step]
    assert agree(program, sample)
    assert from_clingo(to_clingo(program, sample[:5])) == program


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_clingo_agrees_whatever_the_names_and_values(case):
    """No spelling of columns, values or labels changes the meaning, or what is read back."""
    program, table = case
    assert agree(program, table)
    back = from_clingo(to_clingo(program, table))
    assert back == program
    assert shape(back) == shape(program)


def test_a_whole_number_and_its_decimal():
    """1 and 1.0 are equal as labels, but clingo spells them differently; each record gets the spelling of its rule."""
    rules = (Rule(1.0, (Literal("f", "==", "x"),)), Rule(1, ()))
    assert agree(Program("y", ("f",), rules), Table((Column.of("f", ["x", "z"]),)))


def test_every_trap_at_once():
    """With all awkward names and values at once, clingo derives what is predicted, and the program reads back."""
    program, table = everything()
    assert agree(program, table)
    assert from_clingo(to_clingo(program, table)) == program


def test_the_text_survives_a_file(tmp_path):
    """Written to a file and read again, newlines translated or not, the program is the same."""
    program, table = everything()
    path = tmp_path / "program.lp"
    path.write_text(to_clingo(program, table), encoding="utf-8")
    assert from_clingo(path.read_text(encoding="utf-8")) == program
    path.write_text(to_clingo(program, table), encoding="utf-8", newline="\r\n")
    assert from_clingo(path.read_bytes().decode()) == program


def test_no_name_is_injected():
    """Names with newlines and rules in them stay within comments and header: no predicate is called evil."""
    program, table = everything()
    control = engine_room.grounded(to_clingo(program, table))
    assert not [atom for atom in control.symbolic_atoms if atom.symbol.name == "evil"]
    names = [json.loads(line[2:])["feature"] for line in to_clingo(program).splitlines() if line.startswith('%: {"fea')]
    assert names == NAMES


def test_the_written_form():
    """Bounds are integers, with the number beside them; the last label is for records that no rule covers."""
    inner = Rule(None, (Literal("Ash %", ">", 2.03), Literal("Ash %", "<=", 3.4)))
    program = Program("class", ("Ash %", "hue"), (Rule("1", (Literal("hue", "!=", "red"),), (inner,)),), "2")
    assert to_clingo(program, Table((Column.of("hue", ["red", 1]), Column.of("Ash %", [2.5, None])))).splitlines() == [
        "% unless-program 2",
        '%: {"target": "class", "predicate": "class", "labels": "text"}',
        '%: {"feature": "Ash %", "number": "ash", "decimals": 2}',
        '%: {"feature": "hue", "text": "hue"}',
        'class(X,"1") :- rule1(X).',
        'class(X,"2") :- record(X), not rule1(X).',
        'rule1(X) :- record(X), not hue(X,"red"), not ab1(X).',
        "ab1(X) :- record(X), ash(X,N0), N0 > 203, N0 < 341.  % Ash % > 2.03, Ash % <= 3.4",
        "record(1).",
        "record(2).",
        "ash(1,250).",
        'hue(1,"red").',
    ]


def many_rules(count, otherwise="rest"):
    """A program of ``count`` rules; each covers the remaining records up to a number."""
    rules = [Rule(str(k % 7), (Literal("n", "<=", float(k)),)) for k in range(count)]
    return Program("y", ("n",), tuple(rules), otherwise)


def in_the_older_form(program):
    """The text in which every rule excluded every earlier one by name."""
    lines = [line for line in to_clingo(program).splitlines()[1:] if not line.startswith("undecided")]
    labels = [place for place, line in enumerate(lines) if line.startswith("y(")]
    for number, place in enumerate(labels, 1):
        head = lines[place].split(" :- ")[0]
        first = f"rule{number}(X)" if number <= len(program) else "record(X)"
        lines[place] = f"{head} :- {', '.join([first, *(f'not rule{k}(X)' for k in range(number - 1, 0, -1))])}."
    return "\n".join(["% unless-program 1", *lines])


def test_what_earlier_rules_leave_has_a_name():
    """Up to three rules exclude each other by name; from the fourth on, one atom replaces the earlier ones."""
    assert [line for line in to_clingo(many_rules(6)).splitlines() if line[0] in "yu"] == [
        'y(X,"0") :- rule1(X).',
        'y(X,"1") :- rule2(X), not rule1(X).',
        'y(X,"2") :- rule3(X), not rule2(X), not rule1(X).',
        'y(X,"3") :- rule4(X), undecided3(X).',
        'y(X,"4") :- rule5(X), not rule4(X), undecided3(X).',
        'y(X,"5") :- rule6(X), undecided5(X).',
        'y(X,"rest") :- record(X), not rule6(X), undecided5(X).',
        "undecided3(X) :- record(X), not rule1(X), not rule2(X), not rule3(X).",
        "undecided5(X) :- undecided3(X), not rule4(X), not rule5(X).",
    ]


@pytest.mark.parametrize("write", [to_clingo, to_prolog, lambda program: to_text(program, "exclusive")])
def test_the_text_grows_with_the_rules(write):
    """Twice the rules take twice the text, not four times, in every language."""
    assert len(write(many_rules(2000))) < 2.1 * len(write(many_rules(1000))) < 500_000


@pytest.mark.parametrize("count", [*range(9), 50])
@pytest.mark.parametrize("otherwise", [None, "rest"])
def test_any_number_of_rules(count, otherwise):
    """Whatever the number of rules, the first that covers a record decides, and the program reads back."""
    program = many_rules(count, otherwise)
    assert agree(program, Table((Column.of("n", [None, *range(-1, count + 1)]),)))
    assert from_clingo(to_clingo(program)) == program
    assert from_clingo(in_the_older_form(program)) == program


def test_many_records_in_batches():
    """Records run a few thousand at a time; the last batch is as right as the first."""
    table = Table((Column.of("n", range(4500)),))
    program = Program("y", ("n",), (Rule("low", (Literal("n", "<=", 2100),)), Rule("high", (Literal("n", ">", 4400),))))
    assert agree(program, table)


@pytest.mark.parametrize("depth", [1, 2, MAX_DEPTH])
def test_nesting(depth):
    """Exceptions nest as deep as a program may."""
    rule = Rule(None, (Literal("f", "==", "0"),))
    for level in range(1, depth):
        rule = Rule("a" if level == depth - 1 else None, (Literal("f", "!=", str(level)),), (rule,))
    rule = rule if depth > 1 else Rule("a", rule.default)
    program = Program("y", ("f",), (rule,))
    assert from_clingo(to_clingo(program)) == program
    assert agree(program, Table((Column.of("f", map(str, range(depth + 1))),)))


def test_the_callers_decimal_context_changes_nothing():
    """Thresholds stay exact even if the caller's decimals round to a few digits, or rounding is an error."""
    program = Program("y", ("n",), (Rule("x", (Literal("n", "<=", 1.23456789),)), Rule("z", (Literal("n", ">", 3e8),))))
    table = Table((Column.of("n", [1.2345678, 1.23456789, 1.2345679, 299999999.5, 3e8, 3e8 + 0.5]),))
    with decimal.localcontext(prec=4) as context:
        context.traps[decimal.Inexact] = True
        assert agree(program, table)
        assert from_clingo(to_clingo(program, table)) == program


def test_empty_programs_and_tables():
    """A program without rules, a table without rows or columns: nothing, or the label for the rest."""
    empty = Program("y", ())
    assert from_clingo(to_clingo(empty)) == empty
    assert run_clingo(empty, Table((Column.of("f", [1, 2]),))).tolist() == [None, None]
    assert run_clingo(Program("y", (), (), True), Table((), None, 2)).tolist() == [True, True]
    assert run_clingo(empty, Table(())).tolist() == []


def test_a_missing_column_is_named():
    """A table that lacks a column of the program is refused, even if it is empty."""
    program = Program("y", ("age",), (Rule("x", (Literal("age", ">", 1.0),)),))
    for cells in ([1], []):
        table = Table((Column.of("agee", cells),))
        for call in (run_clingo, to_clingo):
            with pytest.raises(UnknownNameError, match="uses 'age', which the table lacks; did you mean 'agee'"):
                call(program, table)


def test_what_json_cannot_hold_is_refused():
    """Two surrogates in a row, which JSON would join, are an error rather than another text."""
    with pytest.raises(ProgramError, match="surrogates"):
        to_clingo(Program("y", ("\ud83d\ude00",)))
    with pytest.raises(ProgramError, match="400 digits"):
        to_clingo(Program("y", (), (), 10**400))


def test_without_clingo(monkeypatch):
    """If clingo is not installed, the error says how to get it; writing and reading back do not need it."""
    monkeypatch.setitem(__import__("sys").modules, "clingo", None)
    program = Program("y", ("f",), (Rule("a", (Literal("f", "==", "x"),)),))
    assert from_clingo(to_clingo(program)) == program
    with pytest.raises(UnlessError, match=r"pip install 'unless\[logic\]'"):
        run_clingo(program, Table((Column.of("f", ["x"]),)))
