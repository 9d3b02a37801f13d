"""Logic programs are read as worlds: facts, rules, types, examples, and what is refused."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import pytest

from unless.errors import ReadError, UnlessError, UnlessWarning
from unless.logic.fact_text import constant_name, read_fact_text
from unless.logic.relational_task import IGNORED, Task, read_task, read_world
from unless.relational import NUMBER, evaluate, parse_definition

pytest.importorskip("clingo")

ILP = Path(__file__).parents[3] / "shared" / "ilp"
needs_tasks = pytest.mark.skipif(not ILP.exists(), reason="the relational tasks are not beside the repository")

B = "has_car(t1,c1). has_car(t1,c2). has_car(t2,c3). long(c1). size(c1,1.5). size(c3,-2)."
E = "pos(f(t1)). neg(f(t2))."


def rows(task: Task, name: str, arity: int) -> list[tuple[object, ...]]:
    """The facts of a relation, entities by name."""
    relation = task.world.relations[name, arity]
    columns = [
        column.tolist() if kind == NUMBER else [task.world.names[kind][code] for code in column]
        for kind, column in zip(relation.types, relation.columns, strict=True)
    ]
    return list(zip(*columns, strict=True))


def test_facts_examples_and_types():
    """Facts become columns, arguments that share constants have one type, and numbers are numbers."""
    task = read_task(B, E)
    assert (task.target, task.labels, task.labelled, task.relational) == ("f", ("pos", "neg"), False, True)
    assert rows(task, "size", 2) == [("c1", 1.5), ("c3", -2.0)]
    assert task.types == {
        ("has_car", 2): ("f", "has_car.2"), ("long", 1): ("has_car.2",), ("size", 2): ("has_car.2", NUMBER)
    }  # fmt: skip
    assert evaluate(task.world, parse_definition("exists: has_car(X,A), long(A)")).cells.tolist() == [True, False]


@pytest.mark.parametrize(
    ("spelled", "name"),
    [("'a b'", "a b"), ("'abc'", "abc"), ('"abc"', '"abc"'), ('"a b"', "a b"), ("'12'", "'12'"), ("007", "7"),
     ("-1.50", "-1.5"), ("'it''s'", "it's"), ("f(1,[a])", "f(1,[a])"), ("'f(1)'", "'f(1)'"), ("''", "''")],
)  # fmt: skip
def test_each_constant_has_one_name(spelled, name):
    """Equal constants have one name, and constants that differ have different names."""
    assert constant_name(spelled) == name
    assert list(read_fact_text(f"p({spelled}, x).").facts["p", 2]) == [(name, "x")]


def test_what_is_in_the_way_is_passed_over():
    """Comments, directives, dots in numbers and in quotes, and facts over several lines are read as by Prolog."""
    text = """% a comment. with a dot
    :- style_check(-discontiguous).  :- dynamic p/2.
    p(a, 1.5). /* p(b,2). */ p(c
       , 2e3).
    'q r'("x. y", [1, b]).  % more
    s."""
    found = read_fact_text(text)
    assert found.facts == {
        ("p", 2): {("a", "1.5"): None, ("c", "2000"): None},
        ("q r", 2): {("x. y", "[1,b]"): None},
    } | {("s", 0): {(): None}}
    assert not found.rules


def test_rules_of_b_are_evaluated():
    """What B's rules entail are facts: negation, recursion, counts and quoted constants, in Prolog's spelling too."""
    background = """parent(ann,bob). parent(bob,cy). colour(ann,'light blue'). age(bob,2.5). height(cy,3).
    above(X,Y) :- parent(X,Y).   above(X,Y) :- parent(X,Z), above(Z,Y).
    blue(X) :- colour(X,'light blue').   old(X) :- above(X,_), \\+ blue(X).
    tall(X) :- height(X,N), N >= 3, N =< 4.   aged(X,A) :- age(X,A).
    children(X,N) :- parent(X,_), N = #count{Y : parent(X,Y)}.
    """
    task = read_task(background, "pos(f(ann)). neg(f(bob)). neg(f(cy)).")
    assert rows(task, "above", 2) == [("ann", "bob"), ("ann", "cy"), ("bob", "cy")]
    assert rows(task, "blue", 1) == [("ann",)]
    assert rows(task, "old", 1) == [("bob",)]
    assert rows(task, "tall", 1) == [("cy",)]
    assert rows(task, "aged", 2) == [("bob", 2.5)]
    assert rows(task, "children", 2) == [("ann", 1.0), ("bob", 1.0)]


def test_facts_with_variables_are_left_out():
    """They are left out with a warning that has their number and the first line; strict refuses them."""
    background = f"{B}\nlong(X).\nsize(X,3)."
    with pytest.warns(UnlessWarning, match=r"2 facts with variables, .* left out; the first: background, line 2: long"):
        task = read_task(background, E)
    assert len(task.world.relations["long", 1]) == 1
    with pytest.raises(ReadError, match=r"background, line 2: 2 facts with variables"):
        read_task(background, E, strict=True)


@pytest.mark.parametrize(
    ("background", "examples", "reason"),
    [
        (B, "pos(f(t1)). pos(f(t2)).", r"examples: 2 positive examples of f/1 and no negative ones: .* add .* neg\(f"),
        (B, "neg(f(t1)).", r"1 negative example of f/1 and no positive ones"),
        (B, "pos(f(t1)). neg(f(t1)).", r"f\(t1\) is a positive and a negative example; remove"),
        (B, "f(t1,a). f(t1,b).", r"f\(t1,…\) has two labels, a and b; remove one"),
        (B, "f(t1). f(t2).", r"without labels are positive examples only; write pos\(f\(…\)\)"),
        (B, "f(t1,a). f(t2,a).", "all examples have the label 'a'"),
        (B, "f(t1,t2). f(t2,t1).", "f/2 relates individuals: t1 is an individual and a label; write pos"),
        (B, "pos(f(t1)). neg(g(t2)).", "the examples are of f/1 and g/1; learn one predicate at a time: target="),
        (B, "pos(f(X)). neg(f(t2)).", r"examples, line 1: an example is a fact without variables, not pos\(f\(X\)\)"),
        (B, "pos(f(X)) :- p(X).", "examples, line 1: a rule; examples are facts"),
        (B, "pos(f(t1)). p(t1). neg(f(t2)).", "line 1: p/1 beside pos/1 and neg/1; move it to B"),
        (B, "", "the examples are of none"),
        (f"{B}\nf(t1).", E, "background, line 2: B mentions f/1, the target; labels would leak"),
        (f"{B}\nlong(X) :- f(X).", E, "background, line 2: B mentions f/1, the target"),
        (f"{B} p(X) :- long(X), not p(X).", E, "line 1: not stratified: p/1 depends on its own negation"),
        (f"{B} {{p(t1)}}.", E, "a choice in the head is not accepted"),
        (f"{B} p(X) :- size(X,N), N > 1.", E, "a rule compares the decimals of size/2, argument 2, .* scale them"),
        (f"{B} q(X,N) :- size(X,N). p(X) :- q(X,N), N > 1.", E, "the decimals of q/2"),
        ("long(c1).", E, r"no fact of B mentions any example, such as f\(t1\)"),
        (f"{B} p(a", E, r"background, line 1: a statement without a full stop at its end: p\(a"),
        ("", E, "B has no facts to learn from"),
        ("parent(a,b). parent(b,c). parent(c,d).", "pos(anc(a,b)). pos(anc(a,d)). neg(anc(d,a)).",
         r"anc seems to be recursive: chains of parent/2 lead .*; write .* reaches\(X,Y\) :- parent\(X,Y\)"),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_is_refused(background, examples, reason):
    """Each refusal names the reason and what to do."""
    with pytest.raises(UnlessError, match=reason):
        read_task(background, examples)


def test_pairs_labels_and_arguments():
    """The examples show whether they are pairs or have labels; arguments= declares it."""
    background = "p(a,1). p(b,2). p(c,2). p(d,3)."
    pairs = "pos(gt(b,a)). pos(gt(d,a)). neg(gt(a,b)). neg(gt(a,d))."
    task = read_task(background, pairs)
    assert (task.world.root, len(task.world), task.labelled, task.relational) == (("gt", "gt"), 4, False, True)
    assert read_task(background, "g(a,x). g(b,y). g(c,y).").labels == ("x", "y", "y")
    assert read_task(background, "g(a,1). g(b,0). g(c,0).").labels == (1, 0, 0)
    signed = "pos(g(a,1)). pos(g(b,2)). pos(g(c,2)). neg(g(a,2)). neg(g(b,1)). neg(g(c,1))."
    task = read_task(background, signed)
    assert (task.labels, task.labelled, task.world.root) == ((1, 2, 2), True, ("g",))
    assert len(read_task(background, signed, arguments=2).world) == 6
    with pytest.raises(UnlessError, match="arguments=3: g/2 has 2 and no label"):
        read_task(background, signed, arguments=3)
    three = read_task(background, "r(a,b,x). r(b,c,y).")
    assert (three.world.root, three.labels) == (("r", "r"), ("x", "y"))


def test_numbers_that_are_names():
    """Numbers that are the names of the examples are names, the same numbers elsewhere are values, and it is said."""
    background = "".join(f"piece({k},p{k}). size(p{k},{k % 5}). " for k in range(30))
    examples = "".join(f"{'pos' if k % 2 else 'neg'}(z({k})). " for k in range(30))
    with pytest.warns(
        UnlessWarning, match=r"argument 1 of piece/2 is taken as names of examples of z.*overrule: types="
    ):
        task = read_task(background, examples)
    assert task.types == {("piece", 2): ("z", "piece.2"), ("size", 2): ("piece.2", NUMBER)}
    declared = read_task(background, examples, types=["piece/2: z, piece", "size/2: piece, colour"])
    assert declared.types == {("piece", 2): ("z", "piece"), ("size", 2): ("piece", "colour")}
    with pytest.raises(UnlessError, match="B has no facts of siz/2; did you mean 'size/2'"):
        read_task(background, examples, types=["siz/2: piece, colour"])
    with pytest.raises(UnlessError, match="argument 2 of piece/2 is declared as numbers, but it has 'p0'"):
        read_task(background, examples, types=["piece/2: _, number"])


def test_numbers_that_are_keys_of_parts():
    """Whole numbers that name parts, each once, are not values."""
    background = "".join(f"has(t{k % 9},{100 + k}). size({100 + k},{k % 4}). long({100 + k}). " for k in range(27))
    examples = "".join(f"{'pos' if k % 2 else 'neg'}(z(t{k})). " for k in range(9))
    with pytest.warns(UnlessWarning, match="are taken as names of parts"):
        task = read_task(background, examples)
    assert task.types["has", 2] == ("z", "has.2")
    assert task.types["size", 2] == ("has.2", NUMBER)


def test_a_few_shared_constants_join_no_types():
    """Two arguments that share one constant of many have two types."""
    background = "".join(f"p(t{k},a{k}). q(a{k},b{k}). " for k in range(10)) + "q(a1,a0)."
    task = read_task(background, "".join(f"{'pos' if k % 2 else 'neg'}(z(t{k})). " for k in range(10)))
    assert task.types["q", 2][0] != task.types["q", 2][1]


def test_relations_and_arguments_are_chosen():
    """Relations are chosen or left out by name; an argument that is ignored has no values."""
    assert set(read_task(B, E, ignore=["long"]).types) == {("has_car", 2), ("size", 2)}
    assert set(read_task(B, E, features=["has_car", "size/2"]).types) == {("has_car", 2), ("size", 2)}
    assert read_task(B, E, ignore=["size/2.2"]).types["size", 2] == ("has_car.2", IGNORED)
    with pytest.raises(UnlessError, match="ignore: B has no facts of 'sise'; did you mean 'size'"):
        read_task(B, E, ignore=["sise"])


def test_other_background_knowledge_is_read_like_the_first():
    """New facts have the types of the task; without names, all entities of the type are the individuals."""
    task = read_task(B, E)
    world = read_world("has_car(t9,c8). long(c8). size(c8,high). other(x).", task.types, task.world.root)
    assert world.names["f"] == ["t9"]
    assert evaluate(world, parse_definition("exists: has_car(X,A), long(A)")).cells.tolist() == [True]
    assert not evaluate(world, parse_definition("exists: has_car(X,A), size(A,B)")).cells.any()
    assert len(read_world(B, task.types, task.world.root, ["t2", "t5"])) == 2


def test_the_order_of_facts_does_not_matter():
    """Shuffled facts give the same world."""
    facts = re.findall(r"\S+\.(?=\s|$)", B)
    random.Random(0).shuffle(facts)
    one, other = read_task(B, E), read_task(" ".join(facts), E)
    assert one.types == other.types
    for signature in one.types:
        assert rows(one, *signature) == rows(other, *signature)


@needs_tasks
@pytest.mark.parametrize(
    ("name", "width", "labels", "count"),
    [("trains1", 1, 2, 1000), ("zendo2", 1, 2, 200), ("mutagenesis", 1, 2, 188), ("alzheimer-amine", 2, 2, 686),
     ("mesh", 1, 11, 223)],
)  # fmt: skip
def test_published_tasks(name, width, labels, count):
    """The shape of each published task is found out from its folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnlessWarning)
        task = read_task(ILP / name)
    assert (len(task.world.root), len(set(task.labels)), len(task.world)) == (width, labels, count)
    assert task.relational


@needs_tasks
def test_kinship_is_refused():
    """Ancestors need a recursive rule, which is said with what to write instead."""
    with pytest.raises(ReadError, match="ancestor seems to be recursive: chains of father/2 and mother/2"):
        read_task(ILP / "kinship-ancestor")
