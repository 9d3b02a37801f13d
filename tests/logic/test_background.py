"""Learning from background knowledge: the paper's setting, with clingo as the judge."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import unless
from tests.shared import SHARED
from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError
from unless.export import to_text
from unless.logic import Hypothesis, learn_logic
from unless.logic import background as background_room
from unless.logic.background import read_background
from unless.logic.clingo_runner import grounded
from unless.rule import Literal

ILP = SHARED.root / "ilp"

pytestmark = pytest.mark.usefixtures("clingo")

B = """
    mammal(kitty).           cat(kitty).
    mammal(john).            whale(john).
    mammal(smoky).           bear(smoky).
    mammal(charlie).         dog(charlie).
    fish(nemo).              clownfish(nemo).
"""
E = """
    habitat(charlie,land).   habitat(john,water).
    habitat(smoky,land).     habitat(nemo,water).
    habitat(kitty,land).
"""


def entailed(background: str, hypothesis: str, target: str) -> set[str]:
    """The atoms of a predicate that clingo derives from two unchanged texts."""
    control = grounded(f"{background}\n{hypothesis}")
    assert all(atom.is_fact for atom in control.symbolic_atoms)
    return {str(atom.symbol) for atom in control.symbolic_atoms.by_signature(target, 2)}


def facts(text: str) -> set[str]:
    """The facts of a text without rules."""
    return set(re.findall(r"\w+\([^)]*\)", text))


def test_the_habitats_of_the_paper():
    """The land rule and its exception are the paper's, and all five examples are entailed."""
    learned = learn_logic(B, E, "habitat")
    lines = str(learned).splitlines()
    assert lines[0] == "habitat(X,land) :- mammal(X), not ab1(X)."
    assert lines[-1] == "ab1(X) :- whale(X)."
    assert entailed(B, learned.to_clingo(), "habitat") == facts(E)
    assert learned.entailed == learned.examples == ("land", "water", "land", "water", "land")
    assert learned.right == 5
    assert learned.individuals == ("charlie", "john", "smoky", "nemo", "kitty")
    assert learned.program.features == ("mammal", "cat", "whale", "bear", "dog", "fish", "clownfish")
    assert repr(learned).startswith("<Hypothesis: B and H entail 5 of 5 examples>\nhabitat(X,land)")


def test_the_exclusive_form():
    """Without order, a rule holds only where no earlier rule does, as in the paper's second listing."""
    lines = learn_logic(B, E, "habitat").to_text("exclusive").splitlines()
    assert lines[0] == "habitat(X,land) :- habitat_1(X)."
    assert lines[2] == "habitat(X,water) :- habitat_3(X), not habitat_2(X), not habitat_1(X)."
    assert lines[3] == "habitat_1(X) :- mammal(X), not ab1(X)."


def test_predicates_print_without_values():
    """The general printer knows which features are predicates too."""
    learned = learn_logic(B, E, "habitat")
    assert (
        to_text(learned.program, unary=learned.unary).splitlines()[0] == "habitat(X,'land') :- mammal(X), not ab1(X)."
    )


@pytest.mark.parametrize("algorithm", ["fold_rm", "fold_rpp", "fold_unless"])
def test_all_learners(algorithm):
    """Every learner works from background knowledge, and what it predicts is entailed."""
    learned = learn_logic(B, E, "habitat", algorithm=algorithm, positive="land" if algorithm == "fold_rpp" else None)
    assert learned.entailed == tuple(unless.predict(learned.program, learned.table).tolist())
    assert learned.right >= 3
    assert entailed(B, learned.to_clingo(), "habitat") == {
        f"habitat({name},{label})" for name, label in zip(learned.individuals, learned.entailed, strict=True) if label
    }


def test_negation_and_recursion():
    """Rules of B may negate and refer to themselves; the predicates that they define are features."""
    background = """
        edge(a,b). edge(b,c). edge(d,e). node(a;b;c;d;e).
        reaches(X,Y) :- edge(X,Y).   reaches(X,Z) :- reaches(X,Y), edge(Y,Z).
        to_c(X) :- reaches(X,c).     stuck(X) :- node(X), not leaves(X).   leaves(X) :- edge(X,_).
        fine(X) :- node(X), not stuck(X), not to_c(X).
    """
    learned = learn_logic(background, "y(a,1). y(b,1). y(c,0). y(d,2). y(e,0).", "y", depth=0)
    assert {"to_c", "stuck", "leaves", "fine"} <= set(learned.unary)
    assert learned.right == 5
    assert entailed(background, learned.to_clingo(), "y") == {"y(a,1)", "y(b,1)", "y(c,0)", "y(d,2)", "y(e,0)"}
    assert learned.examples == (1, 1, 0, 2, 0)


def test_binary_predicates_with_values():
    """A predicate with one value per individual is a column of values; constants and strings keep their spelling."""
    background = 'colour(a,red). colour(b,red). colour(c,"Deep Blue"). colour(d,green). thing(a;b;c;d;e).'
    learned = learn_logic(background, "y(a,hot). y(b,hot). y(c,cold). y(d,cold). y(e,none).", "y")
    assert learned.table.record(2)["colour"] == "Deep Blue"
    assert learned.table.record(4)["colour"] is None
    assert "colour(X,red)" in str(learned)
    assert learned.right == 5
    assert entailed(background, learned.to_clingo(), "y") == {
        "y(a,hot)",
        "y(b,hot)",
        "y(c,cold)",
        "y(d,cold)",
        "y(e,none)",
    }


def test_a_relational_feature():
    """A rule of B can describe how an individual relates to others, with an aggregate if needed."""
    background = """
        owner(rex,ann). owner(tom,bob). owner(kit,cy). owner(max,ann). age(ann,30). age(bob,71). age(cy,80).
        owner_age(X,A) :- owner(X,P), age(P,A).   pets(X,N) :- owner(X,P), N = #count { Y : owner(Y,P) }.
    """
    learned = learn_logic(background, "calm(rex,no). calm(max,no). calm(tom,yes). calm(kit,yes).", "calm")
    assert learned.table.record(0) == {"owner": "ann", "owner_age": 30.0, "pets": 2.0}
    assert learned.right == 4


def test_numbers():
    """Numbers of B compare as numbers, negative ones too."""
    ages = {"a": -7, "b": 3, "c": 12, "d": 40, "e": 2147483647, "f": -2147483647}
    background = " ".join(f"age({name},{age})." for name, age in ages.items())
    examples = "y(a,young). y(b,young). y(f,young). y(c,old). y(d,old). y(e,old)."
    learned = learn_logic(background, examples, "y")
    assert str(learned).splitlines()[0] == "y(X,old) :- age(X,N0), N0 > 3."
    assert learned.right == 6
    assert entailed(background, learned.to_clingo(), "y") == facts(examples)


def test_numbers_and_text_in_one_predicate():
    """Text is never above a number, although clingo orders it that way."""
    background = 'v(a,1). v(b,5). v(c,7). v(d,high). v(e,"8"). v(f,6).'
    examples = "y(a,low). y(b,big). y(c,big). y(f,big). y(d,text). y(e,text)."
    learned = learn_logic(background, examples, "y")
    assert any(literal.op == ">" for rule in learned.program for literal in rule.literals())
    assert learned.table.record(5) == {"v": "8"}
    assert entailed(background, learned.to_clingo(), "y") == facts(examples)


def test_text_of_others_is_never_above_a_number_either():
    """A rule on numbers does not hold of text, even if only individuals outside the examples have text."""
    background = "v(a,1). v(b,5). v(c,7). v(new,high)."
    learned = learn_logic(background, "y(a,low). y(b,big). y(c,big).", "y")
    assert str(learned).splitlines()[0] == "y(X,big) :- v(X,N0), N0 <= 2147483647, N0 > 1."
    assert "y(new,big)" not in entailed(background, learned.to_clingo() + "record(new).", "y")


def test_several_values_per_individual():
    """A predicate with several values per individual is a column for each value: yes or missing."""
    background = "eats(a,(mice;fish)). eats(b,fish). eats(c,(mice;grass)). eats(d,grass)."
    learned = learn_logic(background, "y(a,cat). y(b,cat). y(c,cow). y(d,cow).", "y")
    assert learned.program.features == ("eats(X,fish)", "eats(X,grass)", "eats(X,mice)")
    assert str(learned).splitlines()[0] == "y(X,cat) :- eats(X,fish)."
    assert learned.right == 4


def trains(count: int) -> tuple[str, str]:
    """Trains with two cars of their own each; those with even numbers have a red car and go east."""
    cars = [f"car(t{t},c{t}_{k}). {'red' if t % 2 < k else 'blue'}(c{t}_{k})." for t in range(count) for k in (0, 1)]
    return "\n".join(cars), " ".join(f"goes(t{t},{'west' if t % 2 else 'east'})." for t in range(count))


def test_what_only_one_individual_has_is_no_feature():
    """Values that no two individuals share are names: no rule uses them, and the error says what to do."""
    background, examples = trains(40)
    message = (
        r"every value of car belongs to one example only; say in a rule .*, such as big_one\(X\) :- car\(X,Y\), big"
    )
    with pytest.raises(ReadError, match=message):
        learn_logic(background, examples, "goes", depth=0)
    with_rule = background + "has_red(X) :- car(X,C), red(C)."
    learned = learn_logic(with_rule, examples, "goes", depth=0, test=0.0)
    assert learned.program.features == ("has_red",)
    assert learned.left_out == ("car",)
    assert learned.right == 40


def test_values_that_some_share():
    """If a predicate has several values, those that two individuals share are features; the others are not."""
    background = "eats(a,(mice;fish;this)). eats(b,(fish;that)). eats(c,(mice;grass)). eats(d,grass)."
    learned = learn_logic(background, "y(a,cat). y(b,cat). y(c,cow). y(d,cow).", "y")
    assert learned.program.features == ("eats(X,fish)", "eats(X,grass)", "eats(X,mice)")
    assert learned.left_out == ()


def test_a_name_for_each_is_no_feature():
    """A predicate with a different text for each of many individuals is no feature; one with numbers is."""
    background = " ".join(f'name(a{k},"n{k}"). age(a{k},{k}).' for k in range(12))
    examples = " ".join(f"y(a{k},{'old' if k > 5 else 'young'})." for k in range(12))
    learned = learn_logic(background, examples, "y")
    assert (learned.program.features, learned.left_out) == (("age",), ("name",))
    assert str(learned).splitlines()[0] == "y(X,old) :- age(X,N0), N0 > 5."


def people(shared: int) -> tuple[str, str]:
    """A hundred named people, of whom the first few share a name, with random labels."""
    random = Random(7)
    names = " ".join(f"name(p{k},n{0 if k < shared else k}). person(p{k})." for k in range(100))
    return names, " ".join(f"y(p{k},{random.choice('ab')})." for k in range(100))


def category_literals(learned: Hypothesis) -> set[str]:
    """The categories in the rules of a hypothesis."""
    values = (literal.value for rule in learned.program for literal in rule.literals())
    return {value for value in values if isinstance(value, str)}


@pytest.mark.parametrize("algorithm", ["fold_rm", "fold_rpp", "fold_unless"])
@pytest.mark.parametrize("test", [0.0, 0.3])
def test_the_name_of_one_is_in_no_rule(algorithm, test):
    """A rule may use a name that two individuals share, but never the name of only one."""
    background, examples = people(shared=2)
    positive = "a" if algorithm == "fold_rpp" else None
    learned = learn_logic(background, examples, "y", algorithm=algorithm, positive=positive, test=test)
    assert category_literals(learned) <= {"n0", "yes"}


def test_the_name_of_one_is_no_exception():
    """No rule excludes one wrong example among many by its name, in whatever form."""
    background = " ".join(f"name(p{k},n{k // 2 if k < 20 else k}). tall(p{k})." for k in range(100))
    examples = " ".join(f"y(p{k},{'b' if k == 99 else 'a'})." for k in range(100))
    for algorithm in ("fold_rm", "fold_unless"):
        learned = learn_logic(background, examples, "y", algorithm=algorithm, test=0.0)
        assert category_literals(learned) <= {*(f"n{k}" for k in range(10)), "yes"}
        assert learned.table.record(99)["name"] == "n99"


def test_names_hide_no_other_value():
    """Every learner finds the right literal, even if literals on names would be purer."""
    groups = ["x"] * 10 + ["y"] * 10 + [f"n{k}" for k in range(20)]
    background = " ".join(f"g(p{k},{group})." for k, group in enumerate(groups))
    examples = " ".join(f"y(p{k},{'a' if group in 'xy' else 'b'})." for k, group in enumerate(groups))
    for algorithm in ("fold_rm", "fold_unless"):
        learned = learn_logic(background, examples, "y", algorithm=algorithm, test=0.0)
        assert category_literals(learned) == {"x", "y"}
        assert learned.right == 40


def test_among_few_a_value_of_one_counts():
    """Among fewer than ten individuals, a rule may use a value that only one has."""
    background = " ".join(f"g(p{k},{group})." for k, group in enumerate("xxxyyyzzw"))
    examples = " ".join(f"y(p{k},{'b' if group == 'w' else 'a'})." for k, group in enumerate("xxxyyyzzw"))
    assert category_literals(learn_logic(background, examples, "y")) == {"w"}


def test_predicates_are_chosen():
    """Learning uses the named predicates, or all others; the error about a wrong name suggests one."""
    learned = learn_logic(B, E, "habitat", features=["cat", "fish", "whale"])
    assert learned.program.features == ("cat", "whale", "fish")
    assert "mammal" not in str(learned)
    learned = learn_logic(B + "size(kitty,3). size(smoky).", E, "habitat", ignore=["mammal", "size/2"])
    assert learned.program.features == ("cat", "whale", "bear", "dog", "fish", "clownfish", "size")
    with pytest.raises(
        UnknownNameError, match=r"features: B has no predicate 'mamal' of one or .*; did you mean 'mammal'"
    ):
        learn_logic(B, E, "habitat", features=["mamal"])
    with pytest.raises(UnknownNameError, match="ignore: B has no predicate 'cat/2'"):
        learn_logic(B, E, "habitat", ignore=["cat/2"])
    with pytest.raises(ParameterError, match=r"ignore must be a list, not a text; write ignore=\['cat'\]"):
        learn_logic(B, E, "habitat", ignore="cat")
    everything = ["mammal", "cat", "whale", "bear", "dog", "fish", "clownfish"]
    for choice in ({"features": []}, {"ignore": everything}, {"features": ["cat"], "ignore": ["cat"]}):
        with pytest.raises(ParameterError, match="features and ignore leave no predicate to learn from"):
            learn_logic(B, E, "habitat", **choice)


def test_individuals_held_back():
    """A share is held back, always the same, and labelled by B and H; by default a fifth, from twenty examples on."""
    background, examples = trains(40)
    background += "has_red(X) :- car(X,C), red(C)."
    learned = learn_logic(background, examples, "goes", test=0.25, depth=0)
    assert (len(learned.individuals), len(learned.trial.individuals)) == (30, 10)
    assert not set(learned.individuals) & set(learned.trial.individuals)
    assert learned.trial.labels == learned.trial.entailed
    assert (learned.trial.quality.accuracy, learned.trial.baseline.accuracy, learned.trial.usual) == (1, 0.5, "east")
    assert learned.trial == learn_logic(background, examples, "goes", test=0.25, depth=0).trial
    assert learned.trial != learn_logic(background, examples, "goes", test=0.25, seed=1, depth=0).trial
    assert len(learn_logic(background, examples, "goes", depth=0).trial.individuals) == 8
    assert learn_logic(B, E, "habitat", test=None).trial is None
    assert learn_logic(background, examples, "goes", test=0.0, depth=0).trial is None
    assert entailed(background, learned.to_clingo(), "goes") == facts(examples)
    with pytest.raises(ParameterError, match="less than 1"):
        learn_logic(B, E, "habitat", test=1.0)


def test_memorising_shows_in_the_test():
    """If labels are random, training examples are all right, but those held back are no better than chance."""
    background = " ".join(f"p{k}(a{k}) :- q(a{k}). q(a{k})." for k in range(60))
    examples = " ".join(f"y(a{k},{'even' if k % 2 else 'odd'})." for k in range(60))
    learned = learn_logic(background, examples, "y", 0.0, test=0.3)
    assert learned.right == len(learned.individuals) == 42
    assert learned.trial.quality.accuracy <= 0.5


@pytest.mark.parametrize(
    ("background", "examples", "reason"),
    [
        (
            "father(a,b). father(b,c).",
            "above(a,b). above(b,c).",
            r"above\(a,b\) relates two .*: above/2 holds of b, as it",
        ),
        (
            "father(a,b). father(b,c). mother(d,a).",
            "above(a,b).",
            r"above\(a,b\) .*: father/2 holds of b, as it does of examples",
        ),
        (
            "drug(a1). drug(b1).",
            "better(a1,b1).",
            "drug/1 holds of b1, as it does of examples; what is learned is a label",
        ),
        (
            "parent(a,b). parent(b,c).",
            "above(a,b). above(a,c).",
            r"above\(a,b\) relates two individuals: parent/2 holds",
        ),
    ],
)
def test_a_relation_between_individuals_is_refused(background, examples, reason):
    """A target is refused if its second argument is an individual like the first, not a label."""
    with pytest.raises(ReadError, match=f"examples: .*{reason}"):
        learn_logic(background, examples, examples.split("(")[0])


def test_labels_that_b_knows_of_are_labels():
    """A label stays a label if B says something else about it, or if numbers are both labels and individuals."""
    assert learn_logic(B + "dry(land). warm(land). warm(kitty).", E, "habitat").right == 5
    assert learn_logic("even(0). even(2). odd(1). odd(3).", "y(0,1). y(1,0). y(2,1). y(3,0).", "y").right == 4


def test_new_individuals_are_labelled():
    """The rules label individuals of other background knowledge, which may have its own rules and names."""
    learned = learn_logic(B, E, "habitat")
    new = "mammal(rex). mammal(moby). whale(X) :- white(X), mammal(X). white(moby). fish(42). rock(r). bear(teddy)."
    assert learned.predict(new) == {"rex": "land", "moby": "water", "teddy": None, "42": "water"}
    assert learned.predict([new, B], ["moby", "r", "kitty", "nobody"]) == {
        "moby": "water",
        "r": None,
        "kitty": "land",
        "nobody": None,
    }
    clash = "mammal(rex). record(1). ab1(rex). habitat_1(rex). undecided3(rex)."
    assert learned.predict(clash) == {"rex": "land"}
    with pytest.raises(ReadError, match=r"none of the rules' predicates, such as mammal\(X\), holds of anything"):
        learned.predict("rock(r).")
    with pytest.raises(ReadError, match="B mentions habitat/2"):
        learned.predict("mammal(x). habitat(x,land).")
    with pytest.raises(ParameterError, match="'not a term' is not a term of clingo; write kitty, 3"):
        learned.predict(B, ["not a term"])


def test_named_individuals_are_a_list():
    """A text is not read as a list of letters, and an empty list of individuals gets no labels."""
    learned = learn_logic(B, E, "habitat")
    with pytest.raises(ParameterError, match=r"must be a list, not a text; write individuals=\['kitty'\]"):
        learned.predict(B, "kitty")
    assert learned.predict(B, []) == learned.predict("rock(r).", []) == {}


def test_text_in_place_of_a_number_is_not_above_it():
    """A value that was a number in B but is text in other background knowledge satisfies no bound."""
    learned = learn_logic("v(a,1). v(b,5). v(c,7).", "y(a,low). y(b,big). y(c,big).", "y")
    assert str(learned).splitlines()[0] == "y(X,big) :- v(X,N0), N0 > 1."
    assert learned.predict("v(d,9). v(e,high).") == {"d": "big", "e": None}


@pytest.mark.parametrize("background", [B, "", "mammal(rex)."])
def test_clingo_is_silent(background):
    """In clingo only the labels show, and there is no warning, even if B lacks predicates or H is empty."""
    clingo = pytest.importorskip("clingo")
    learned = [
        learn_logic(B, E, "habitat"),
        learn_logic(B, "habitat(zorro,land). habitat(kitty,water).", "habitat", 0.0),
        learn_logic("p(a;b;c).", "habitat(a,land). habitat(b,water). habitat(c,sky).", "habitat"),
    ]
    assert not str(learned[-1])
    for hypothesis in learned:
        said = []
        control = clingo.Control(logger=lambda _, message: said.append(message))  # noqa: B023 - called in the loop
        control.add("base", [], background + hypothesis.to_clingo())
        control.ground([("base", [])])
        with control.solve(yield_=True) as models:
            shown = [str(atom) for model in models for atom in model.symbols(shown=True)]
        assert not said
        assert all(atom.startswith("habitat(") for atom in shown)


@pytest.mark.skipif(not ILP.exists(), reason="the relational tasks are not beside the repository")
def test_the_neighbours_of_edges_are_names():
    """On the mesh task most edges have neighbours of their own; no rule uses a neighbour that only one edge has."""
    facts = (ILP / "mesh" / "exs.pl").read_text()
    examples = "\n".join(re.findall(r"pos\((mesh\(.*\))\)\.", facts)).replace(")", ").")
    learned = learn_logic(ILP / "mesh" / "bk.pl", examples, "mesh", depth=0)
    literals = [literal for rule in learned.program for literal in rule.literals() if isinstance(literal.value, str)]
    assert literals
    for literal in literals:
        holders = sum(learned.table.record(row)[literal.feature] == literal.value for row in range(len(learned.table)))
        assert holders > 1 or literal.feature in learned.unary


@pytest.mark.skipif(not ILP.exists(), reason="the relational tasks are not beside the repository")
def test_relational_tasks():
    """Without parts, on published tasks, we say what we cannot do and do not memorise: no rule names a train's cars."""

    def task(name: str) -> tuple[Path, str]:
        facts = (ILP / name / "exs.pl").read_text()
        return ILP / name / "bk.pl", re.sub(r"(pos|neg)\((\w+)\((\w+)\)\)", r"\2(\3,\1)", facts)

    learned = learn_logic(*task("trains1"), "f", depth=0)
    assert (learned.program.features, learned.left_out) == (("train",), ("has_car",))
    assert learned.trial.quality.accuracy == learned.trial.baseline.accuracy
    with pytest.raises(ReadError, match=r"bk\.pl, line 1: the decimal -?0\.117 is not accepted"):
        learn_logic(*task("mutagenesis"), "active", depth=0)
    with pytest.raises(ReadError, match=r"bk\.pl, line 516: the function term single_alk\(1\) is not accepted"):
        learn_logic(ILP / "alzheimer-amine" / "bk.pl", "great_ne(b1,a1).", "great_ne")
    related = re.sub(r"pos\((.*)\)", r"\1", (ILP / "kinship-ancestor" / "exs.pl").read_text())
    with pytest.raises(ReadError, match="relates two individuals"):
        learn_logic(ILP / "kinship-ancestor" / "bk.pl", related, "ancestor")


def test_a_predicate_is_never_missing():
    """A unary predicate is true or not: no rule says that it is missing or present."""
    background = " ".join(
        f"{p}({x})." for x, ps in zip("abcdefgh", ("pq", "p", "q", "r", "pr", "s", "", "ps"), strict=True) for p in ps
    )
    examples = " ".join(f"y({x},{k % 3})." for k, x in enumerate("abcdefgh"))
    for ratio in (0.1, 0.5, 1):
        learned = learn_logic(background, examples, "y", ratio)
        assert {literal.value for rule in learned.program for literal in rule.literals()} <= {"yes"}


def test_the_same_word_as_constant_and_string():
    """A constant and a string of the same letters are two values."""
    background = 'c(x1,red). c(x2,"red"). c(x3,"\\"red\\"").'
    learned = learn_logic(background, "y(x1,1). y(x2,2). y(x3,3).", "y")
    assert [learned.table.record(row)["c"] for row in range(3)] == ["red", '"red"', '"\\"red\\""']
    assert entailed(background, learned.to_clingo(), "y") == {"y(x1,1)", "y(x2,2)", "y(x3,3)"}


def test_names_of_b_are_left_alone():
    """If B has its own record, ab1 or target_1, the hypothesis uses other names."""
    background = B + "record(nemo). ab1(X) :- cat(X). habitat_1(john). habitat(x). p(kitty). p(kitty,1). p(john,2)."
    learned = learn_logic(background, E, "habitat")
    assert entailed(background, learned.to_clingo(), "habitat") == facts(E)
    assert {"record", "ab1", "habitat_1", "p", "p/2"} <= set(learned.program.features)
    assert "ab_1(X)" in str(learned)


@pytest.mark.parametrize("target", ["record", "record_2", "ab", "ab1", "ab_", "undecided", "undecided3"])
def test_targets_with_the_names_of_h(target):
    """The target may have a name that the hypothesis would give its own predicates."""
    background = B + "ab1(kitty). ab_1(john)."
    learned = learn_logic(background, E.replace("habitat", target), target)
    assert entailed(background, learned.to_clingo(), target) == facts(E.replace("habitat", target))


def test_individuals_that_b_does_not_mention():
    """An example that B does not mention has no features, and predicates of other individuals are no features."""
    learned = learn_logic("p(a). other(z).", "y(a,1). y(b,2).", "y")
    assert learned.program.features == ("p",)
    assert learned.entailed == (1, 2)


def test_text_and_files(tmp_path):
    """B and E may be text, paths, or the names of .lp files."""
    (tmp_path / "b.lp").write_text("\ufeff" + B, encoding="utf-8")
    (tmp_path / "e.lp").write_text(E.replace("\n", "\r\n"), encoding="utf-8", newline="")
    learned = learn_logic(str(tmp_path / "b.lp"), tmp_path / "e.lp", "habitat")
    assert learned.program == learn_logic(B, E, "habitat").program


def test_shown_and_commented():
    """Directives about what to show are skipped, and so are comments."""
    assert learn_logic(B + "#show cat/1. #defined dog/1. % {a}. #include <x>\n", E, "habitat").right == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ p(a) }.", "a choice in the head is not accepted"),
        ("p(a) ; q(a).", "a disjunction in the head"),
        ("p(X) : q(X).", "a disjunction in the head"),
        ("#sum { 1 : p(a) } > 0.", "an aggregate in the head"),
        ("&diff { a }.", "a theory atom"),
        ("p(a) :- &diff { a }.", "a theory atom"),
        ("a = b.", "a comparison in the head"),
        ("not p(a).", "negation in the head"),
        ("-p(a).", "classical negation"),
        ("p(a) :- -q(a).", "classical negation"),
        ("p(f(a)).", r"the function term f\(a\)"),
        ("p(V) :- q(X), V = f(X).", r"the function term f\(X\)"),
        ("p((a,b)).", r"the function term \(a,b\)"),
        ("p(X+1) :- q(X).", r"the arithmetic \(X\+1\) in the head"),
        ("p(-X) :- q(X).", "the arithmetic -X in the head"),
        ("p(1..3).", "an interval"),
        (
            "logp(a,-4.23).",
            'the decimal -4.23 is not accepted; clingo counts in integers, so scale it, or make it text, "-4.23"',
        ),
        ("p(X) :- q(X,Y), Y > Z-4.5.", "the decimal 4.5 is not accepted"),
        ("p(a,1.5e3) :- q(a).", "the decimal 1.5e3 is not accepted"),
        (
            "p(a,single_alk(1)).",
            r"the function term single_alk\(1\) is not accepted; .* constant, such as single_alk_1",
        ),
        ("p(@f(1)).", "an @-function"),
        ("p(a) :- X = @f(1).", "an @-function"),
        ("p(#sup).", "#sup is not accepted; it is not a value"),
        ("p(4294967297).", "4294967297, too large for the 32 bits of clingo"),
        ("#const n = 3.", "#const is not accepted; write the value itself"),
        ("#script (lua) #end.", "a script is not accepted; programs are read, never executed"),
        ('#include "b.lp".', "an include"),
        ("%* x *%", "a block comment"),
        ("#external p(a).", "#external"),
        ("#minimize { 1 }.", "an optimisation"),
        ("#program other.", "#program"),
        ("#edge (a,b).", "#edge"),
        ("p(é).", "'é' outside a string"),
        ('p("a\\q").', "this string"),
        ("n(M) :- n(N), M = N + 1.", "arithmetic in a recursive rule is not accepted; it might never end"),
        ("n(M) :- m(N), M = N + 1. m(N) :- n(N).", "arithmetic in a recursive rule"),
        ("n(M) :- M = #count { N : n(N) }.", "not stratified: n/1 depends on a count or condition of itself"),
        ("p(a) :- p(X) : p(X).", "not stratified: p/1 depends on a count or condition of itself"),
        ("p(a) :- not q(a). q(a) :- not p(a).", "not stratified: q/1 depends on its own negation"),
        ("w(X) :- p(X), not w(X).", "not stratified: w/1 depends on its own negation"),
        ("q(X) :- not p(X).", r"unsafe variables in: q\(X\):-not p\(X\)\. here 'X' is unsafe"),
        ("q(X,_).", r"unsafe variables in: q\(X,_\)\. here '_' is unsafe"),
        ("q(X) :- p(X), Y = X + 1.", "operation undefined"),
        ("p(", "syntax error"),
        ("p(a) :- y(a,1).", "B mentions y/2, the target; labels would leak"),
        ("y(a,1).", "B mentions y/2, the target; labels would leak"),
    ],
)
def test_what_b_may_not_hold(tmp_path, text, message):
    """The message about each construct gives file and line, says what it is and what to do."""
    path = tmp_path / "zoo.lp"
    path.write_text(f"p(a).\n% comment\n{text}", encoding="utf-8")
    with pytest.raises(ReadError, match=rf"zoo\.lp, line (3|4): .*{message}"):
        learn_logic(path, "y(a,1). y(b,2).", "y", depth=0)


@pytest.mark.parametrize(
    ("background", "examples", "target", "message"),
    [
        (
            ":- p(a).\np(a).",
            "y(a,1).",
            "y",
            "background: contradictory: a constraint is violated, one of those on lines 1",
        ),
        ("p(a).\0", "y(a,1).", "y", "background: it has a NUL"),
        ("p(a).", "y(a,1). y(a,2).", "y", "examples: a has two labels, 1 and 2; keep one"),
        ("p(a).", "y(a,1). y(b,two).", "y", "the labels of y are numbers and text"),
        ("p(a).", "y(a,1).\nz(b,1).", "y", "examples, line 2: z/2 is not the target y/2; move it to B"),
        ("p(a).", "y(a,1).\ny(b,1) :- p(b).", "y", "examples, line 2: a rule; examples are facts"),
        ("p(a).", "y(a).", "y", r"examples: y takes an individual and its label: y\(kitty,land\)"),
        ("p(a).", "y(X,1).", "y", "examples, line 1: unsafe variables"),
        ("p(z).", "y(a,1).", "y", "no unary or binary predicate holds of any example, such as a"),
        ("", "y(a,1).", "y", "no unary or binary predicate holds"),
        ("m(a,M) :- p(a), M = #max { 1 : q(a) }. p(a).", "y(a,1).", "y", "m has #inf, which is not a value"),
        (3, "y(a,1).", "y", "the background must be text or a path, not int"),
    ],
)
def test_what_does_not_fit(background, examples, target, message):
    """Contradictions, facts that are not examples, labels that clash: each has its own message."""
    with pytest.raises(ReadError, match=message):
        learn_logic(background, examples, target)


def test_wrong_arguments(tmp_path):
    """An error about a target, algorithm or file names it and suggests others."""
    with pytest.raises(UnknownNameError, match="examples: no examples of 'habitats'; did you mean 'habitat'"):
        learn_logic(B, E, "habitats")
    with pytest.raises(ParameterError, match="no algorithm 'foil'; there are 'fold_rm', 'fold_rpp', 'fold_unless'"):
        learn_logic(B, E, "habitat", algorithm="foil")
    with pytest.raises(ParameterError, match="set positive="):
        learn_logic(B, E, "habitat", algorithm="fold_rpp")
    with pytest.raises(ParameterError, match="ratio must be a number"):
        learn_logic(B, E, "habitat", 2)
    with pytest.raises(ParameterError, match="no style 'papers'; did you mean 'paper'"):
        learn_logic(B, E, "habitat").to_text("papers")
    with pytest.raises(MissingFileError, match=r"no file 'nowhere\.lp'"):
        learn_logic("nowhere.lp", E, "habitat")
    with pytest.raises(ReadError, match="cannot be read"):
        learn_logic(tmp_path, E, "habitat")
    (tmp_path / "latin.lp").write_bytes(b"p(\xe9).")
    with pytest.raises(ReadError, match=r"latin\.lp: not UTF-8 at byte 2"):
        learn_logic(tmp_path / "latin.lp", E, "habitat")


def test_plain_facts_are_not_taken_apart(monkeypatch):
    """Plain facts do not go through clingo's slow reader; predicates keep their order and their lines."""
    seen = []
    parsed = background_room._parsed
    monkeypatch.setattr(background_room, "_parsed", lambda text, name: seen.append(text) or parsed(text, name))
    facts = "".join(f"car(t{k},c{k}).  size(c{k},{k}).\n" for k in range(100))
    read = read_background(f'{facts}% note(a).\nbig(X) :- size(X,N),\n  N > 50. title("a. b(c).",-3). done.\n{facts}')
    assert seen[0].strip() == "% note(a).\nbig(X) :- size(X,N),\n  N > 50."
    assert read.mentions == {("car", 2): 1, ("size", 2): 1, ("big", 1): 102, ("title", 2): 103, ("done", 0): 103}
    assert len(read.rules) == 1
    control = read.ground()
    atoms = [str(atom.symbol) for atom in control.symbolic_atoms]
    assert len(atoms) == 251
    assert {'title("a. b(c).",-3)', "done", "big(c51)", "car(t0,c0)"} < set(atoms)


def test_labels_do_not_leak():
    """B is grounded without E: the examples give no features, even if B has the same individuals."""
    learned = learn_logic(B, E, "habitat")
    assert "habitat" not in learned.program.features
    assert Literal("whale", "==", "yes") in learned.program.rules[0].exceptions[0].default
