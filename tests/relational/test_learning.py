"""Features that are searched for: planted concepts, brute force, what must not matter."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from tests.relational.worlds import random_world
from unless import fold_rm, fold_unless
from unless.relational import (
    NUMBER,
    Relation,
    RelationalProgram,
    SearchSettings,
    World,
    evaluate,
    find_features,
    parse_definition,
)
from unless.relational.attributes import Attributes, Reach
from unless.relational.part_search import Gains, PartSearch, Question
from unless.relational.part_tables import PartTables
from unless.table import Labels


def labels_of(world: World, *texts: str) -> list[str]:
    """Labels by definitions: yes if the first holds, unless the second does."""
    held = [evaluate(world, parse_definition(text)).cells.astype(bool) for text in texts]
    return ["yes" if one[0] and not any(one[1:]) else "no" for one in zip(*held, strict=True)]


def learned(world: World, labels: list[str], **settings: int) -> RelationalProgram:
    """The program that our own learner finds."""
    found = find_features(world, Labels.of("label", labels), fold_unless, SearchSettings(**settings))
    return RelationalProgram(found.program, found.features)


CONCEPTS = [
    ("exists: part(X,A), long(A), colour(A,red)",),
    ("exists: part(X,A), long(A), size(A,B), B <= 0.5",),
    ("exists: part(X,A), size(A,B), B > 0.5, colour(A,green)",),
    ("exists: part(X,A), near(A,B), long(A), colour(B,red)",),
    ("exists: part(X,A), part(X,B), A != B, colour(A,red), long(A), size(A,C), size(B,D), C = D",),
    ("exists: part(X,A), long(A), colour(A,red)", "exists: part(X,A), colour(A,green), size(A,B), B > 0.5"),
]


@pytest.mark.parametrize("texts", CONCEPTS, ids=" unless ".join)
def test_planted_concepts_come_back(texts):
    """What decides the labels of 400 individuals decides 1,000 others, too."""
    world, other = random_world(1, 400), random_world(2, 1000)
    program = learned(world, labels_of(world, *texts))
    right = program.predict(other) == np.array(labels_of(other, *texts))
    assert right.mean() >= 0.99


def test_planted_concepts_come_back_from_noise():
    """With a twentieth of wrong labels, others are still decided as the concept says."""
    world, other = random_world(3, 600), random_world(4, 1000)
    labels = np.array(labels_of(world, *CONCEPTS[5]))
    swapped = np.random.default_rng(0).random(len(labels)) < 0.05
    labels[swapped] = np.where(labels[swapped] == "yes", "no", "yes")
    right = learned(world, labels.tolist()).predict(other) == np.array(labels_of(other, *CONCEPTS[5]))
    assert right.mean() >= 0.98


@pytest.mark.parametrize("learn", [fold_rm, fold_unless])
def test_numbers_of_parts_are_features(learn):
    """How many parts there are, and their least and greatest numbers, decide labels."""
    world = random_world(5, 300)
    for text, threshold in (("count A: part(X,A)", 1.5), ("greatest B of A: part(X,A), size(A,B)", 0.75)):
        cells = evaluate(world, parse_definition(text)).cells
        labels = ["yes" if cell > threshold else "no" for cell in cells]
        found = find_features(world, Labels.of("label", labels), learn)
        assert RelationalProgram(found.program, found.features).predict(world).tolist() == labels


@pytest.mark.parametrize("seed", range(6))
def test_columns_are_what_their_definitions_say(seed):
    """What the tables of parts give is what evaluating the definition gives."""
    world = random_world(seed, 40)
    labels = labels_of(world, CONCEPTS[seed][0])
    found = find_features(world, Labels.of("label", labels), fold_unless)
    assert len(found.table.columns) > 10
    again = found.features.table(world)
    for mine, wanted in zip(found.table.columns, again.columns, strict=True):
        assert [mine.value(code) for code in mine.codes] == [wanted.value(code) for code in wanted.codes], mine.name


def searches(world: World) -> list[PartSearch]:
    """The searches of all tables of parts."""
    attributes = Attributes(Reach.of(world, 2), 2)
    gains = Gains(len(world))
    return [PartSearch(one, attributes.world, gains) for one in PartTables(attributes, attributes.world, 2).tables]


@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_best_pair_that_brute_force_finds(seed):
    """Of all tests and pairs of tests on a part, none says more than the best conjunction that was found."""
    world = random_world(seed, 60)
    rng = np.random.default_rng(seed)
    question = Question(rng.random(60) < 0.4, rng.random(60) < 0.9)
    tried = 0
    for search in searches(world):
        gains = {one.keys: one.gain for one in search.conjunctions(question, 10**9)}
        for keys, gain in list(gains.items())[:50]:
            assert gain == pytest.approx(search.gain(keys, question))
            assert gain == pytest.approx(slow_gain(search, keys, question, world))
        yes_no = [key for keys in gains for key in keys if len(keys) == 1 and key.op == "yes"]
        for pair in combinations(yes_no, 2):
            if search.table.compares(search.part_tests(pair)):
                tried += 1
                assert search.gain(pair, question) <= max(gains.values()) + 1e-6
    assert tried > 20


def slow_gain(search: PartSearch, keys, question: Question, world: World) -> float:
    """Twice the log-likelihood ratio, from the definition of the feature."""
    some = evaluate(world, search.table.definition("exists", search.part_tests(keys))).cells[question.within]
    positive, total = question.positive[question.within], 0.0
    for side in (some, ~some):
        for label in (positive, ~positive):
            both = (side & label).sum()
            total += both * np.log(both * len(some) / (side.sum() * label.sum())) if both else 0.0
    return float(2 * total)


def shuffled(world: World, seed: int) -> World:
    """The same facts in another order, with other names and other codes of things and parts."""
    rng = np.random.default_rng(seed)
    codes = {kind: rng.permutation(world.size(kind)) for kind in ("thing", "part")}
    relations = {}
    for signature, one in world.relations.items():
        order = rng.permutation(len(one))
        columns = [codes[kind][c] if kind in codes else c for kind, c in zip(one.types, one.columns, strict=True)]
        relations[signature] = Relation(one.name, one.types, tuple(column[order] for column in columns))
    relations = dict(sorted(relations.items(), key=lambda _: rng.random()))
    names = dict(world.names) | {kind: [f"z{rng.random()}" for _ in codes[kind]] for kind in codes}
    return replace(world, relations=relations, names=names, individuals=(codes["thing"][world.individuals[0]],))


@pytest.mark.parametrize("seed", range(3))
def test_orders_and_names_do_not_matter(seed):
    """Facts in another order about things with other names give the same program."""
    world = random_world(seed, 150)
    labels = labels_of(world, *CONCEPTS[5])
    other = shuffled(world, seed)
    assert learned(world, labels).program == learned(other, labels).program


def test_individuals_held_back_change_nothing():
    """Other facts about individuals that are not learned from give the same columns."""
    world = random_world(7, 200)
    mine = np.arange(120)
    labels = Labels.of("label", labels_of(world, CONCEPTS[0][0])[:120])
    owner, part = world.relations["part", 2].columns
    back = {"thing": np.arange(200) >= 120, "part": np.isin(np.arange(world.size("part")), part[owner >= 120])}
    apart, changed = {}, {}
    for signature, one in world.relations.items():
        held = [back[kind][c] for kind, c in zip(one.types, one.columns, strict=True) if kind in back]
        inside = held[0] == held[-1]  # no part is near one of the other side
        apart[signature] = Relation(one.name, one.types, tuple(column[inside] for column in one.columns))
        stays = inside & (~held[0] | (np.arange(len(inside)) % 3 > 0))
        columns = [np.where(held[0], 9.0, c) if k == NUMBER else c for k, c in zip(one.types, one.columns, strict=True)]
        changed[signature] = Relation(one.name, one.types, tuple(column[stays] for column in columns))
    worlds = [replace(world, relations=relations).of(mine) for relations in (apart, changed)]
    found, again = (find_features(one, labels, fold_unless) for one in worlds)
    assert list(found.features.definitions) == list(again.features.definitions)
    assert found.program == again.program


def test_a_budget_of_work_ends_the_search():
    """With less work fewer conjunctions are looked at; the program still decides everybody."""
    world = random_world(8, 100)
    labels = Labels.of("label", labels_of(world, CONCEPTS[1][0]))
    little = find_features(world, labels, fold_unless, SearchSettings(work=1))
    much = find_features(world, labels, fold_unless)
    assert little.searched < much.searched
    assert len(RelationalProgram(little.program, little.features).predict(world)) == 100


def test_labels_by_chance_give_few_rules():
    """Where labels mean nothing, what was searched is taken into account: most lists have a default rule only."""
    sizes = []
    for seed in range(5):
        world = random_world(seed, 100)
        labels = np.random.default_rng(seed).choice(["yes", "no"], 100, p=[0.4, 0.6]).tolist()
        sizes.append(len(learned(world, labels).program))
    assert np.mean(sizes) <= 2


@pytest.mark.parametrize(("text", "depth"), [(CONCEPTS[0][0], 1), (CONCEPTS[3][0], 2)])
def test_a_search_is_as_deep_as_it_needs_to_be(text, depth):
    """Parts of parts are looked at only where individuals that are held back show that they matter."""
    world = random_world(1, 200)
    program = learned(world, labels_of(world, text), depth=2)
    deep = any({("near", 2), ("link", 3)} & set(one.relations) for one in program.used.definitions.values())
    assert deep == (depth == 2)


def test_what_is_left_out_is_said():
    """A table of parts with too many rows is named."""
    world = random_world(9, 60)
    attributes = Attributes(Reach.of(world, 2), 2)
    tables = PartTables(attributes, attributes.world, 2, rows=100)
    assert any("parts by" in one or "pairs of" in one for one in tables.left_out)
