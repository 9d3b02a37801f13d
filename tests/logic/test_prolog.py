"""SWI-Prolog and s(CASP) derive what `predict` predicts."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings

import unless
from tests.logic.traps import cases, everything
from tests.shared import SHARED, needs_compiled, needs_shared
from unless.errors import ParameterError, ProgramError, UnknownNameError
from unless.logic import to_prolog
from unless.logic.engine_names import prolog_atom
from unless.logic.program_writer import PrologWriter
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table


def derived(swipl, folder, program, table, dialect="both"):
    """The labels that SWI-Prolog derives for the records of a table; None where it derives none."""
    labels = [label for label in [*(rule.head for rule in program), program.otherwise] if label is not None]
    writer = PrologWriter(program, dialect)
    text = to_prolog(program, table, dialect) + ":- dynamic spelled/2.\n"
    text += "".join(f"spelled({place},{writer.term(label)}).\n" for place, label in enumerate(labels))
    path = folder / "program.pl"
    path.write_text(text, encoding="utf-8")
    goal = f"forall((record(X),{writer.target}(X,L),spelled(K,T),T==L),(print(X-K),nl))"
    done = subprocess.run(
        [swipl, "-q", "-g", goal, "-t", "halt", str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.stderr
    found = [None] * len(table)
    for line in done.stdout.splitlines():
        row, place = map(int, line.split("-"))
        assert found[row - 1] in {None, labels[place]}
        found[row - 1] = labels[place]
    return found


@needs_shared
@needs_compiled
@pytest.mark.parametrize("name", ["wine", "ecoli", "credit-a", "anneal", "kidney", "cars", "yeast", "adult"])
def test_swi_prolog_agrees_on_real_data(swipl, tmp_path, name):
    """On every record of a dataset, or a sample of a large one, SWI-Prolog derives the predicted label."""
    table = SHARED.table(name)
    program = unless.fold_rm(table)
    sample = table[:: max(1, len(table) // 2000)]
    for dialect in ("both", "swi"):
        assert derived(swipl, tmp_path, program, sample, dialect) == unless.predict(program, sample).tolist()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(case=cases())
def test_swi_prolog_agrees_whatever_the_names_and_values(swipl, tmp_path, case):
    """No spelling of columns, values or labels changes the meaning."""
    program, table = case
    assert derived(swipl, tmp_path, program, table) == unless.predict(program, table).tolist()


def test_every_trap_at_once(swipl, tmp_path):
    """With all awkward names and values at once, SWI-Prolog derives what is predicted."""
    program, table = everything()
    assert derived(swipl, tmp_path, program, table) == unless.predict(program, table).tolist()


def test_columns_with_the_names_of_system_predicates(swipl, tmp_path):
    """Columns may be called length, is or assert, and the target may be called format."""
    names = ("length", "is", "assert", "atom_length", "append", "member", "findall", "rem", "format", "dynamic")
    rules = tuple(Rule(name, (Literal(name, ">", 1.0), Literal(name, "!=", "a"))) for name in names)
    program = Program("print_message", names, rules, "none")
    table = Table(
        tuple(Column.of(name, [place == row and 2.0 for row in range(12)]) for place, name in enumerate(names))
    )
    assert derived(swipl, tmp_path, program, table) == unless.predict(program, table).tolist()


def habitat():
    """A program with a bound, a category, an exception and a label for the rest."""
    rules = (
        Rule(
            "it's\n", (Literal("Body mass", "<=", 0.30000000000000004),), (Rule(None, (Literal("legs", "missing"),)),)
        ),
    )
    return Program("lives in", ("Body mass", "legs"), rules, "sea")


def test_the_form_for_swi_prolog():
    """Directives come first, decimals stay decimals, texts are quoted atoms, comments explain changed names."""
    table = Table((Column.of("Body mass", [1e22, -5]), Column.of("legs", ["four", None])))
    assert to_prolog(habitat(), table, "swi").splitlines() == [
        "% lives_in: lives in",
        "% body_mass: Body mass",
        "% legs_text: legs",
        "% legs_present: legs",
        ":- op(900, fy, not).",
        ":- style_check(-singleton).",
        ":- dynamic record/1.",
        ":- redefine_system_predicate(lives_in(_,_)).",
        ":- dynamic((lives_in)/2).",
        ":- redefine_system_predicate(body_mass(_,_)).",
        ":- dynamic((body_mass)/2).",
        ":- redefine_system_predicate(legs(_,_)).",
        ":- dynamic((legs)/2).",
        ":- redefine_system_predicate(legs_text(_,_)).",
        ":- dynamic((legs_text)/2).",
        "lives_in(X,'it\\'s\\n') :- rule1(X).",
        "lives_in(X,'sea') :- record(X), not rule1(X).",
        "rule1(X) :- record(X), body_mass(X,N0), N0 =< 0.30000000000000004, not ab1(X).",
        "ab1(X) :- record(X), not legs_present(X).",
        "legs_present(X) :- legs(X,_).",
        "legs_present(X) :- legs_text(X,_).",
        "record(1).",
        "record(2).",
        "body_mass(1,1.0e22).",
        "body_mass(2,-5.0).",
        "legs_text(1,'four').",
    ]


def test_the_sentences_for_scasp():
    """s(CASP) gets a sentence for each predicate, the user's own if given, and no directives if it is alone."""
    own = {"legs": "{record} walks on {value} legs", "lives in": "@(X) is at {value}"}
    lines = to_prolog(habitat(), None, "scasp", sentences=own).splitlines()
    said = [line for line in lines if line.startswith("#pred")]
    assert said == [
        "#pred lives_in(X,V) :: '@ (X) is at @(V)'.",
        "#pred record(X) :: '@(X) is a record'.",
        "#pred body_mass(X,V) :: 'the Body mass of @(X) is @(V)'.",
        "#pred legs(X,V) :: '@(X) walks on @(V) legs'.",
        "#pred legs_text(X,V) :: '@(X) walks on @(V) legs'.",
        "#pred legs_present(X) :: 'the legs of @(X) is known'.",
        "#pred rule1(X) :: 'rule 1 covers @(X)'.",
        "#pred ab1(X) :: 'exception 1 covers @(X)'.",
    ]
    assert not [line for line in lines if line.startswith(":-")]
    swi = to_prolog(habitat(), None, "swi").splitlines()
    assert [line for line in lines if line[0] not in "%#"] == [line for line in swi if line[0] not in "%:"]
    operators = ":- op(900, fy, not), op(950, xfx, ::), op(1150, fx, pred), op(1200, fx, #)."
    both = [operators if line == ":- op(900, fy, not)." else line for line in swi]
    assert set(to_prolog(habitat(), dialect="both", sentences=own).splitlines()) == {*said, *both}
    assert to_prolog(habitat()) == to_prolog(habitat(), dialect="swi")


def test_every_predicate_has_a_sentence():
    """There is also a sentence for what earlier rules leave undecided."""
    rules = tuple(Rule(str(k), (Literal("n", "<=", float(k)),)) for k in range(4))
    lines = to_prolog(Program("y", ("n",), rules), None, "scasp").splitlines()
    assert "#pred undecided3(X) :: 'no rule up to 3 covers @(X)'." in lines
    heads = {line.split(" :- ")[0].split("(")[0] for line in lines if " :- " in line}
    assert heads == {line.split()[1].split("(")[0] for line in lines if line.startswith("#pred")} - {"n", "record"}


HOOKS = ["term_expansion", "goal_expansion"]
SCASP = ["inf", "sup", "is", "mod", "rem", "prolog", "writef"]


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("place", ["target", "feature"])
def test_names_that_swi_prolog_asks_for(swipl, tmp_path, name, place):
    """A target or feature may have the name of a predicate that SWI-Prolog calls while it loads a program."""
    target, feature = (name, "f") if place == "target" else ("y", name)
    rules = (Rule("a", (Literal(feature, "==", "x"),)), Rule("b", (Literal(feature, "missing"),)))
    table = Table((Column.of(feature, ["x", "z", None]),))
    assert derived(swipl, tmp_path, Program(target, (feature,), rules, "c"), table, "swi") == ["a", "c", "b"]


@pytest.mark.parametrize("name", [*HOOKS, *SCASP])
def test_names_with_a_meaning_of_their_own_are_avoided(name):
    """No predicate has a name that means something to SWI-Prolog's loader or to s(CASP)."""
    for dialect in ("swi", "scasp", "both"):
        for target, feature in ((name, "f"), ("y", name)):
            text = to_prolog(
                Program(target, (feature,), (Rule("a", (Literal(feature, "==", "x"),)),), "b"), None, dialect
            )
            assert not re.search(rf"\b{name}\(", text)
            assert f"{name}_2(X," in text
            assert f"% {name}_2: {name}\n" in text


def test_wrong_arguments():
    """An unknown dialect, a sentence for an unknown column and a label with too many digits are refused."""
    with pytest.raises(ParameterError, match="no dialect 'scaps'; did you mean 'scasp'"):
        to_prolog(habitat(), None, "scaps")
    with pytest.raises(UnknownNameError, match="a sentence for 'leg', neither target nor feature; did you mean 'legs'"):
        to_prolog(habitat(), dialect="scasp", sentences={"leg": ""})
    with pytest.raises(ParameterError, match=r"sentences are for s\(CASP\); say so: dialect='scasp'"):
        to_prolog(habitat(), sentences={"legs": ""})
    with pytest.raises(ProgramError, match="400 digits"):
        to_prolog(Program("y", (), (), 10**400))


@pytest.mark.parametrize("dialect", ["scasp", "both"])
def test_scasp_agrees(scasp, tmp_path, dialect):
    """s(CASP) proves the predicted label of a record, and no other label."""
    program = habitat()
    table = Table((Column.of("Body mass", [0.3, 0.1 + 0.2, 0.4]), Column.of("legs", ["four", 4.0, None])))
    for row, predicted in enumerate(unless.predict(program, table).tolist(), 1):
        for label in ("it's\n", "sea"):
            path = tmp_path / "program.pl"
            query = f"?- lives_in({row},{prolog_atom(label)}).\n"
            path.write_text(to_prolog(program, table, dialect) + query, encoding="utf-8")
            done = subprocess.run([scasp, "-n1", str(path)], capture_output=True, text=True, timeout=60, check=False)
            said = done.stdout + done.stderr
            assert ("no models" not in said.lower()) == (label == predicted), said
