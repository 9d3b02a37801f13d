"""`unless learn`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from unless.logic import learn_logic

clingo = pytest.importorskip("clingo")
pytestmark = pytest.mark.usefixtures("loans")

LEARN = ("learn", "zoo.lp", "examples.lp", "--target", "habitat")

RULES = """\
habitat(X,land) :- mammal(X), not ab1(X).
habitat(X,water) :- mammal(X).
habitat(X,water) :- fish(X).
ab1(X) :- whale(X).
"""


def facts(*files: str) -> set[str]:
    """What clingo derives from files about the target."""
    control = clingo.Control()
    for file in files:
        control.load(file)
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        (model,) = ([str(atom) for atom in one.symbols(atoms=True)] for one in models)
    return {atom for atom in model if atom.startswith("habitat(")}


def test_rules_and_what_they_are_worth(run):
    """The rules are printed, then a comment: what they entail, and in which form they are."""
    done = run(*LEARN)
    assert (done.code, done.err) == (0, "")
    worth = "% with zoo.lp: entails 5 of 5 examples (clingo), stratified; --exclusive prints rules whose order "
    assert done.out == f"{RULES}{worth}does not matter\n% test: none of the 5 examples was held back\n"


def test_the_exclusive_form(run):
    """With --exclusive the rules need no order."""
    done = run(*LEARN, "--exclusive")
    found = learn_logic(Path("zoo.lp"), Path("examples.lp"), "habitat")
    *rules, worth, _ = done.out.splitlines()
    assert "\n".join(rules) == found.to_text("exclusive")
    assert worth.endswith("stratified, mutually exclusive")


def test_the_file_runs_beside_the_background(run):
    """What -o writes gives every example its label in clingo, together with the background, as it is."""
    done = run(*LEARN, "-o", "habitat.lp")
    assert done.out.startswith(RULES)
    assert done.err == "wrote habitat.lp; run it: clingo zoo.lp habitat.lp\n"
    wanted = {line.rstrip(".") for line in Path("examples.lp").read_text().splitlines() if line.startswith("habitat")}
    assert facts("zoo.lp", "habitat.lp") == wanted


def test_the_command_to_run_it_can_be_pasted(run):
    """Names that a shell would take apart are quoted in the command that is suggested."""
    Path("my zoo.lp").write_text(Path("zoo.lp").read_text())
    done = run("learn", "my zoo.lp", "examples.lp", "-t", "habitat", "-o", "it's.lp")
    assert done.err.endswith("run it: clingo 'my zoo.lp' 'it'\"'\"'s.lp'\n")


def test_to_standard_output(run):
    """With -o - standard output has the program, and the rest goes to standard error."""
    done = run(*LEARN, "-o", "-")
    assert done.out == learn_logic(Path("zoo.lp"), Path("examples.lp"), "habitat").to_clingo()
    assert done.err.startswith(RULES)


def test_several_files_of_background(run):
    """Background may be spread over files; an error names the file and the line there."""
    *first, last = Path("zoo.lp").read_text().splitlines()
    Path("a.lp").write_text("\n".join(first))  # without a newline at its end
    Path("b.lp").write_text(f"{last}\n")
    done = run("learn", "a.lp", "b.lp", "examples.lp", "-t", "habitat")
    assert done.out.startswith(RULES)
    assert "% with a.lp and b.lp: entails 5 of 5" in done.out
    Path("b.lp").write_text(f"{last}\n\n{{ bird(tux) }}.\n")
    done = run("learn", "a.lp", "b.lp", "examples.lp", "-t", "habitat")
    assert done.err == "unless: b.lp, line 3: a choice in the head is not accepted; write a rule for when it holds\n"
    Path("b.lp").write_text("bird(X) :- mammal(X), Y.\n")
    assert run("learn", "a.lp", "b.lp", "examples.lp", "-t", "habitat").err.startswith("unless: b.lp, line 1: ")
    Path("b.lp").write_text("\nheavy(X,N) :- mammal(X), N = X + 1.\n")
    assert run("learn", "a.lp", "b.lp", "examples.lp", "-t", "habitat").err.startswith("unless: b.lp, line 2: ")


def test_a_statement_does_not_go_on_in_the_next_file(run):
    """A file that ends within a rule is wrong there, whatever the next one begins with."""
    Path("a.lp").write_text("big(X) :- mammal(X),")
    done = run("learn", "a.lp", "zoo.lp", "examples.lp", "-t", "habitat")
    assert (done.code, done.err.split(":")[1]) == (1, " a.lp, line 2")


def test_rules_of_one_file_see_the_other(run):
    """Recursion through negation is found where its two halves stand in two files."""
    Path("a.lp").write_text("p(X) :- cat(X), not q(X).")
    Path("b.lp").write_text("\nq(X) :- cat(X), not p(X).")
    done = run("learn", "zoo.lp", "a.lp", "b.lp", "examples.lp", "-t", "habitat")
    assert done.err.startswith("unless: a.lp, line 1: not stratified")


def test_other_learners(run):
    """Other algorithms learn too; fold-rpp needs a label, which no other takes."""
    done = run(*LEARN, "--algorithm", "fold-rpp", "--positive", "water")
    assert "habitat(X,water) :- " in done.out
    assert run(*LEARN, "--algorithm", "unless").code == 0
    assert (run(*LEARN, "--algorithm", "fold-rpp").code, run(*LEARN, "--positive", "water").code) == (2, 2)


def test_labels_that_are_numbers(run):
    """A number names a label that is one, in quotes one that is text."""
    Path("numbers.lp").write_text("y(kitty,1). y(john,0). y(nemo,0).")
    done = run("learn", "zoo.lp", "numbers.lp", "-t", "y", "--algorithm", "fold-rpp", "--positive", "1")
    assert done.out.startswith("y(X,1) :- ")
    Path("texts.lp").write_text('y(kitty,"1"). y(john,"0"). y(nemo,"0").')
    done = run("learn", "zoo.lp", "texts.lp", "-t", "y", "--algorithm", "fold-rpp", "--positive", '"1"')
    assert done.out.startswith('y(X,"1") :- ')


def test_json_has_program_and_examples(run):
    """The document has the rules, the program for clingo, and every example with what is entailed."""
    document = json.loads(run(*LEARN, "--json").out)
    assert document["rules"] == RULES.splitlines()
    assert document["right"] == 5
    assert document["examples"][1] == {"individual": "john", "label": "water", "entailed": "water"}
    assert document["clingo"] == learn_logic(Path("zoo.lp"), Path("examples.lp"), "habitat").to_clingo()


def test_examples_are_held_back(run):
    """Of twenty examples and more a fifth is held back, and the result said; --test and --seed choose how."""
    people = "".join(f"tall(p{k}). friend(p{k},f{k}). friend(p{k},g{k}).\n" for k in range(0, 30, 3))
    Path("people.lp").write_text(people)
    Path("who.lp").write_text("".join(f"plays(p{k},{'no' if k % 3 else 'yes'}).\n" for k in range(30)))
    done = run("learn", "people.lp", "who.lp", "-t", "plays")
    assert done.out.splitlines()[-2].startswith("% with people.lp: entails 24 of 24 examples")
    test = "% test: 6 examples held back: accuracy 1.000 (0.610 to 1.000), F1 1.000 (always no: 0.667)"
    assert done.out.splitlines()[-1] == test
    assert done.err.startswith("friend is not used: every value belongs to one example only; add a rule that says")
    assert run("learn", "people.lp", "who.lp", "-t", "plays").out == done.out
    document = json.loads(
        run("learn", "people.lp", "who.lp", "-t", "plays", "--test", "0.5", "--seed", "3", "--json").out
    )
    assert len(document["examples"]) == len(document["test"]["examples"]) == 15
    assert (document["test"]["right"], document["test"]["accuracy"], document["left_out"]) == (15, 1.0, ["friend"])
    assert run("learn", "people.lp", "who.lp", "-t", "plays", "--test", "0").out.endswith("30 examples was held back\n")


def test_nothing_learned_is_said(run):
    """Where no rule was found the output says so and what to try, and the document has no rules."""
    Path("alike.lp").write_text("p(a;b;c).")
    Path("labels.lp").write_text("y(a,1). y(b,2). y(c,3).")
    done = run("learn", "alike.lp", "labels.lp", "-t", "y")
    first, worth, _ = done.out.splitlines()
    assert first.startswith("% no rule was found: no predicate distinguishes one label from the others; describe the")
    assert worth == "% with alike.lp: entails 0 of 3 examples (clingo)"
    assert run("learn", "alike.lp", "labels.lp", "-t", "y", "--exclusive").out == done.out
    document = json.loads(run("learn", "alike.lp", "labels.lp", "-t", "y", "--json").out)
    assert (document["rules"], document["right"]) == ([], 0)


def test_predicates_are_chosen(run):
    """--features names those to learn from, --ignore others, several with a comma."""
    assert "mammal" not in run(*LEARN, "--features", "cat,dog,bear", "--features", "fish").out
    assert "mammal" not in run(*LEARN, "--ignore", "mammal, whale").out
    done = run(*LEARN, "--ignore", "mamal")
    assert (done.code, "did you mean 'mammal'" in done.err) == (1, True)


def test_standard_input(run, monkeypatch):
    """One of the files may come from standard input, not two."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(Path("zoo.lp").read_text()))
    done = run("learn", "-", "examples.lp", "-t", "habitat")
    assert "% with standard input: entails 5 of 5" in done.out
    assert run("learn", "-", "-", "-t", "habitat").code == 1


def test_wrong_names(run):
    """A wrong target and a missing file are met with a suggestion."""
    assert run("learn", "zoo.lp", "examples.lp", "-t", "habitt").err == (
        "unless: examples.lp: no examples of 'habitt'; did you mean 'habitat'?\n"
    )
    done = run("learn", "zo.lp", "examples.lp", "-t", "habitat")
    assert (done.code, done.err) == (1, "unless: no file 'zo.lp'; did you mean 'zoo.lp'?\n")
