"""Constraints: every learner keeps to them, from memory and from blocks, and without them nothing changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.blocks.stores import cramped, cut, random_data, store_of
from tests.learn.test_random_tables import random_rows, table_of, tables
from tests.lengths import LONG, fewer
from tests.reference import naive_constrained
from unless import Constraints, Literal, Monotone, Rule, violations
from unless.blocks.block_engine import BlockEngine
from unless.errors import ParameterError, UnknownNameError
from unless.evaluation.constraint_check import is_monotone_by_literals
from unless.kernels import binning
from unless.learn import Engine, MemoryEngine, fold_unless
from unless.learn.committee_learner import CommitteeSettings, learn_committee
from unless.learn.fold import LearnConstraints
from unless.learn.literals import EVERY, LITERAL_KINDS, NET, LiteralScore, candidate_literals
from unless.learn.unless_learner import UnlessLearner, UnlessSettings
from unless.table import Column, Labels, Table

LEARNERS = {
    "FOLD-RM": unless.fold_rm,
    "FOLD-R++": lambda data, **how: unless.fold_rpp(data, _labels(data)[0], **how),
    "our own": fold_unless,
    "our own, eager": partial(fold_unless, penalty=0.1, min_support=1),
    "our own, rule by rule": partial(fold_unless, optimise=False, penalty=0.1, min_support=1),
    "our own, few rules": partial(fold_unless, penalty=0.1, min_support=1, max_rules=3),
}


def _labels(data):
    return data.labels if isinstance(data, Engine) else data.labels.labels


CUTS = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 9.0]), min_size=1, max_size=3)


@st.composite
def constraints_for(draw, features, labels):
    """Constraints on some features and labels, of which some are possible."""
    names = st.sampled_from(features)
    learn_constraints = st.builds(Monotone, names, st.sampled_from(["more", "less"]), st.sampled_from(labels))
    try:
        return Constraints(
            never=draw(st.lists(names, max_size=1)),
            only_exceptions=draw(st.lists(names, max_size=1)),
            apart=draw(st.lists(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1]), max_size=2))
            if len(features) > 1
            else (),
            monotone=draw(st.lists(learn_constraints, max_size=2)),
            max_literals=draw(st.sampled_from([None, None, 1, 2])),
            max_depth=draw(st.sampled_from([None, None, 0, 1, 2])),
            no_negation=draw(st.booleans()),
            only_cuts=draw(st.dictionaries(names, CUTS, max_size=2)),
        ).among(features, labels)
    except ParameterError:
        return Constraints(max_depth=1)


def random_constraints(rng, features, labels):
    """The same from a random number generator."""
    names, labels = list(features), list(labels)

    def some(most):
        return [names[int(rng.integers(len(names)))] for _ in range(int(rng.integers(0, most + 1)))]

    while True:
        pairs = [([*some(1), names[0]][0], [*some(1), names[-1]][0]) for _ in range(int(rng.integers(0, 3)))]
        try:
            return Constraints(
                never=some(1),
                only_exceptions=some(1),
                apart=[pair for pair in pairs if pair[0] != pair[1]],
                monotone=[
                    Monotone(name, ("more", "less")[int(rng.integers(2))], labels[int(rng.integers(len(labels)))])
                    for name in some(2)
                ],
                max_literals=[None, None, 1, 2][int(rng.integers(4))],
                max_depth=[None, None, 0, 1][int(rng.integers(4))],
                no_negation=bool(rng.integers(2)),
                only_cuts={name: rng.choice([0.5, 1.0, 3.0, 12.0, 400.0], 2).tolist() for name in some(2)},
            ).among(features, labels)
        except ParameterError:
            continue


class TestEveryProgramKeepsThem:
    """Whatever is asked for, the program has it, literally and by what it decides."""

    @given(st.data())
    @settings(max_examples=150, deadline=None)
    def test_small_tables(self, data):
        """On random tables full of ties, every learner keeps to random constraints."""
        features, rows = data.draw(tables())
        table = table_of(features, rows)
        asked = data.draw(constraints_for(features, table.labels.labels))
        for learn in LEARNERS.values():
            assert violations(learn(table, constraints=asked), asked) == ()

    @pytest.mark.parametrize("learner", LEARNERS)
    @pytest.mark.parametrize("seed", fewer(20))
    def test_larger_tables(self, seed, learner):
        """With more rows than are looked at one by one, too; directions are kept by the literals alone."""
        features, rows = random_rows(seed, rows=300, columns=4)
        table, rng = table_of(features, rows), np.random.default_rng(seed)
        asked = random_constraints(rng, features, table.labels.labels)
        program = LEARNERS[learner](table, constraints=asked)
        assert violations(program, asked) == ()
        assert all(is_monotone_by_literals(program, wish) for wish in asked.monotone)

    @pytest.mark.parametrize("seed", fewer(40))
    def test_directions_by_brute_force(self, seed):
        """Of all records there could be, none is decided against a direction, however much the labels invite to it."""
        rng = np.random.default_rng(seed)
        x, z, c = (rng.integers(0, most, 300) for most in (4, 3, 3))
        truth = rng.integers(0, 3, (4, 3, 3))
        y = np.where(rng.random(300) < 0.1, rng.integers(0, 3, 300), truth[x, z, c])
        columns = {"x": x.astype(float), "z": z.astype(float), "c": np.array(["a", "b", None], dtype=object)[c]}
        labels = Labels.of("y", np.array(["no", "maybe", "yes"])[y].tolist())
        table = Table(tuple(Column.of(name, cells.tolist()) for name, cells in columns.items()), labels)
        learn_constraints = [Monotone("x", ("more", "less")[seed % 2], "yes"), Monotone("z", "more", "maybe")][
            : 1 + seed // 2 % 2
        ]
        values = {"x": [0.0, 1.0, 2.0, 3.0], "z": [0.0, 1.0, 2.0], "c": ["a", "b", "new", None]}
        invited = False
        for learn in LEARNERS.values():
            for most in (None, 1):
                program = learn(table, constraints=Constraints(monotone=learn_constraints, max_literals=most))
                assert not any(broken(program, wish, values) for wish in learn_constraints)
            invited |= any(broken(learn(table), wish, values) is not None for wish in learn_constraints)
        assert invited

    def test_a_committee(self):
        """Each list of a committee keeps to them."""
        features, rows = random_rows(3, rows=200, columns=4)
        asked = Constraints(never="f3", only_exceptions="f1", apart=[("f0", "f2")], max_literals=2, max_depth=1)
        found = learn_committee(table_of(features, rows), settings=CommitteeSettings(size=8, constraints=asked))
        assert len(found.committee.lists) == 8
        assert any(len(program) > 1 for program in found.committee.lists)
        assert all(violations(program, asked) == () for program in found.committee.lists)


def broken(program, wish, values):
    """Two records that break a wish, among all records with these values; None if there are none."""
    others = [name for name in values if name != wish.feature]
    numbers = sorted(value for value in values[wish.feature] if isinstance(value, float))
    for cells in product(*(values[name] for name in others)):
        record = dict(zip(others, cells, strict=True))
        said = [program.label({**record, wish.feature: number}) for number in numbers]
        steps = pairwise(said if wish.direction == "more" else said[::-1])
        if any(before != wish.label and after == wish.label for before, after in steps):
            return record
    return None


class TestOneDefinition:
    """What is fast finds what the plain definitions find."""

    @given(st.data())
    @settings(max_examples=150, deadline=None)
    def test_the_naive_learners(self, data):
        """On small tables, programs are those of the slow twin, which asks of every literal whether it may be there."""
        features, rows = data.draw(tables(most=25))
        table = table_of(features, rows)
        asked = data.draw(constraints_for(features, table.labels.labels))
        examples = [(dict(zip(features, row, strict=False)), row[-1]) for row in rows]
        ratio, label = data.draw(st.sampled_from([0.0, 0.5, 1.0])), table.labels.labels[0]
        found = unless.fold_rm(table, ratio, constraints=asked)
        assert found == naive_constrained.fold_rm("y", features, examples, ratio, asked)
        found = unless.fold_rpp(table, label, ratio, constraints=asked)
        assert found == naive_constrained.fold_rpp("y", features, examples, label, ratio, asked)
        found = fold_unless(table, ratio, 0.1, 1, optimise=False, constraints=asked)
        assert found == naive_constrained.fold_unless(
            "y", features, examples, asked, ratio=ratio, penalty=0.1, min_support=1
        )

    @pytest.mark.parametrize("rows", [20, 60, 400])
    @pytest.mark.parametrize("seed", fewer(30))
    def test_searches(self, seed, rows):
        """Of the literals that are allowed, the kernels find the best by each score, as from the counts."""
        features, drawn = random_rows(seed, rows=rows, columns=4)
        rng = np.random.default_rng(seed)
        wide = Column.of("wide", rng.permutation(rows).astype(float).tolist())
        table = table_of(features, drawn)
        engine = MemoryEngine(Table((*table.columns, wide), table.target))
        pair = engine.split(engine.all_rows(), 0)
        for _ in range(6):
            allowed = bytes(rng.integers(0, EVERY + 1, 5).tolist())
            used = tuple(literal for literal in [engine.best_literal(*pair, ())] if literal is not None)
            scores = (LiteralScore("purity", 2), NET)
            others = [engine.find_literal(*pair, score, allowed=allowed) for score in scores]
            found = [engine.best_literal(*pair, used, allowed), *(one and one.literal for one in others)]
            assert found[0] == Engine.best_literal(engine, *pair, used, allowed)
            assert others == [Engine.find_literal(engine, *pair, score, allowed=allowed) for score in scores]
            for literal in found:
                assert literal is None or allowed[engine.features.index(literal.feature)] & LITERAL_KINDS[literal.op]
            assert engine.best_literal(*pair, ()) == Engine.best_literal(engine, *pair, ())  # no limit stays behind

    def test_nothing_allowed(self):
        """If nothing is allowed, nothing is found."""
        features, drawn = random_rows(1, rows=100, columns=3)
        engine = MemoryEngine(table_of(features, drawn))
        pair = engine.split(engine.all_rows(), 0)
        none = bytes(3)
        assert engine.best_literal(*pair, (), none) is None
        assert engine.find_literal(*pair, LiteralScore("purity", 1), allowed=none) is None
        assert engine.find_literal(*pair, NET, allowed=none) is None

    @pytest.mark.parametrize("learner", LEARNERS)
    @pytest.mark.parametrize("seed", fewer(30))
    def test_blocks(self, seed, learner, monkeypatch):
        """From blocks, whatever their bins, the same programs are learned as in memory."""
        rng = np.random.default_rng(seed)
        rows = int(rng.choice([30, 60, 100] if LONG else [20, 40, 60]))
        data = random_data(rng, rows)
        cramped(monkeypatch, rng)
        asked = random_constraints(rng, data.memory.features, data.memory.labels)
        text = {column.name for column in data.memory.columns if column.kind == "text" and column.notation is None}
        plain = {column.name for column in data.memory.columns if column.name not in text and column.plain}
        asked = replace(
            asked,
            monotone=[w for w in asked.monotone if w.feature not in text],
            only_cuts=[pair for pair in asked.only_cuts if pair[0] in plain],
        )
        expected = LEARNERS[learner](data.memory, constraints=asked)
        engine = BlockEngine(store_of(data, cut(rng, rows)), local=int(rng.choice([0, 5, rows // 4, rows])))
        assert LEARNERS[learner](engine, constraints=asked) == expected

    @pytest.mark.parametrize("learner", LEARNERS)
    @pytest.mark.parametrize("seed", fewer(6))
    def test_threads(self, seed, learner, monkeypatch):
        """The programs are the same for any number of threads."""
        monkeypatch.setattr(binning, "MANY", 4)
        features, rows = random_rows(seed, rows=300, columns=3)
        table = table_of(features, rows)
        asked = random_constraints(np.random.default_rng(seed), features, table.labels.labels)
        found = [LEARNERS[learner](table, constraints=asked, n_jobs=jobs) for jobs in (1, 2, 3)]
        assert found[0] == found[1] == found[2]

    @pytest.mark.parametrize("learner", LEARNERS)
    @pytest.mark.parametrize("seed", fewer(8))
    def test_no_constraints(self, seed, learner):
        """Without constraints, or with none that matter, programs are what they were."""
        features, rows = random_rows(seed, rows=200, columns=3)
        table = table_of(features, rows)
        expected = LEARNERS[learner](table)
        assert LEARNERS[learner](table, constraints=Constraints()) == expected
        if "FOLD" not in learner:  # the paper has rules without literals
            assert LEARNERS[learner](table, constraints=Constraints(max_literals=50, max_depth=150)) == expected

    @pytest.mark.parametrize("seed", fewer(8))
    def test_never_is_as_if_the_column_were_not_there(self, seed):
        """A feature that no rule may test does not even make literals less significant."""
        features, rows = random_rows(seed, rows=200, columns=4)
        table = table_of(features, rows)
        fewer_columns = Table(tuple(column for column in table.columns if column.name != "f1"), table.target)
        learn = LEARNERS["our own, rule by rule"]
        assert learn(table, constraints=Constraints(never="f1")).rules == learn(fewer_columns).rules


class TestMeaning:
    """What each of them means, on tables where it matters."""

    def table(self):
        x = [float(k % 10) for k in range(200)]
        z = [float(k // 20) for k in range(200)]
        y = ["a" if (p > 4) != (q > 7) else "b" for p, q in zip(x, z, strict=True)]
        return Table((Column.of("x", x), Column.of("z", z)), Labels.of("y", y))

    def test_exceptions_or_none(self):
        """Without levels of exceptions, rules have more literals instead, and are as right."""
        table = self.table()
        found = fold_unless(table, constraints=Constraints(max_depth=0))
        assert all(not rule.exceptions for rule in found)
        assert (unless.predict(found, table) == np.array(table.y)).all()

    def test_only_exceptions(self):
        """A feature that only exceptions may test is tested by them."""
        found = fold_unless(self.table(), constraints=Constraints(only_exceptions="z"))
        assert "z" in found.used
        assert all(literal.feature != "z" for rule in found for literal in rule.default)

    def test_full_defaults_have_exceptions(self):
        """A default that may have no more literals leaves the rest to exceptions."""
        found = unless.fold_rm(self.table(), 0.0, constraints=Constraints(max_literals=1))
        assert all(len(rule.default) <= 1 for rule in found)
        assert found.exception_count

    def test_the_last_label(self):
        """A label comes last only if the literals of the rules before allow it there; else the next most frequent."""
        engine = MemoryEngine(self.table())
        asked = Constraints(monotone=["x: more never b"])
        learner = UnlessLearner(engine, UnlessSettings(learn_constraints=LearnConstraints(asked)))
        free, bound = Rule(None, (Literal("x", "<=", 3.0),)), Rule(None, (Literal("x", ">", 3.0),))
        assert learner.last_label([3, 5], [(0, bound)]) == 1
        assert learner.last_label([3, 5], [(0, bound), (0, free)]) == 0
        assert learner.last_label([0, 5], [(0, free)]) is None
        assert learner.last_label([0, 0], []) is None
        assert learner.last_label([4, 4], []) == 0
        assert learner.rule_limits(0, {0}).admits(free)
        assert not learner.rule_limits(0, {1}).admits(free)
        assert not learner.rule_limits(0, None).admits(free)

    def test_literals_on_gaps_have_no_direction(self):
        """Missing values and categories may be tested whatever the direction."""
        cells = [None, "n/a", *[float(k) for k in range(8)]] * 20
        table = Table(
            (Column.of("x", cells),), Labels.of("y", ["b" if c is None or c == "n/a" else "a" for c in cells])
        )
        found = fold_unless(table, constraints=Constraints(monotone=["x: more never a"]))
        assert (unless.predict(found, table) == np.array(table.y)).all()


class TestWishesThatMakeNoSense:
    """What is impossible is refused, with a reason."""

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            ({"max_literals": 0}, "max_literals must be a whole number of at least 1, or None, not 0"),
            ({"max_depth": -1}, "max_depth must be a whole number of at least 0"),
            ({"max_depth": True}, "not True"),
            (
                {"never": ("x",), "monotone": "x: more never a"},
                "no rule may test 'x', so 'x: more never a' has no effect",
            ),
            ({"never": ("x",), "only_exceptions": ("x",)}, "'x' is in never and in only_exceptions"),
            ({"apart": [("x", "x")]}, "'x' cannot be apart from itself"),
            ({"apart": "xz"}, "apart must be a list"),
            ({"apart": [("x", "z", "c")]}, "pairs of features"),
            ({"monotone": "x never a"}, "'x never a' is not 'FEATURE: more never LABEL'"),
            ({"monotone": [("x", "up", "a")]}, "a direction is 'more' or 'less', not 'up'"),
            ({"monotone": ["x: more never a", "x: less never a"]}, "contradict each other"),
            ({"never": (3,)}, "never must name features, not 3"),
            ({"no_negation": "yes"}, "no_negation must be True or False, not 'yes'"),
            ({"only_cuts": "age"}, "only_cuts must map features to thresholds, such as"),
            ({"only_cuts": {"x": []}}, "only_cuts has no threshold for 'x'; name some, or use never"),
            ({"only_cuts": {"x": [True]}}, "only_cuts has True for 'x'"),
            ({"only_cuts": {"x": [float("inf")]}}, "only_cuts has inf for 'x', which is neither a number nor"),
            ({"only_cuts": {3: [1]}}, "only_cuts must name features, not 3"),
            ({"only_cuts": {"x": [1]}, "never": ("x",)}, "no rule may test 'x', so only_cuts has no effect on it"),
        ],
    )
    def test_by_themselves(self, asked, words):
        """What contradicts itself is refused at once."""
        with pytest.raises(ParameterError, match="^[^\n]*" + words.replace("(", r"\(").replace(")", r"\)")):
            Constraints(**asked)

    def test_long_texts(self):
        """A long text that is no wish is refused at once."""
        started = process_time()
        with pytest.raises(ParameterError, match="is not 'FEATURE: more never LABEL'"):
            Monotone.parse("x" + " " * 100_000 + "x")
        assert process_time() - started < 1  # by the square of the length, 25

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            ({"never": ["xx"]}, "'xx', which is not a feature; did you mean 'x'"),
            ({"monotone": "x: more never c"}, "names an unknown label; there are 'a', 'b'"),
            ({"never": ["x", "z"], "only_exceptions": ["t"]}, "leave no feature"),
            ({"monotone": "t: more never a"}, "'t' has no numbers, and its categories have no order"),
            ({"monotone": ["x: more never a", "x: more never b"]}, "leave nothing that 'x' may change"),
            ({"only_cuts": {"xx": [1]}}, "'xx', which is not a feature; did you mean 'x'"),
            ({"only_cuts": {"t": [1]}}, "only_cuts is not possible for 't', which has no numbers"),
            ({"only_cuts": {"x": ["2020-01-01"]}}, "'2020-01-01' for 'x', which is not written as its numbers"),
        ],
    )
    def test_for_the_records(self, asked, words):
        """What does not fit the records is refused before learning, by every learner."""
        columns = Column.of("x", [1.0, 2.0]), Column.of("z", [1.0, 1.0]), Column.of("t", ["p", "q"], "text")
        table = Table(columns, Labels.of("y", ["a", "b"]))
        for learn in LEARNERS.values():
            with pytest.raises((ParameterError, UnknownNameError), match=words):
                learn(table, constraints=Constraints(**asked))

    def test_not_constraints(self):
        """Something else is no constraints; a dict of parameters is."""
        table = Table((Column.of("x", [1.0, 2.0]),), Labels.of("y", ["a", "b"]))
        with pytest.raises(ParameterError, match=r"constraints are unless.Constraints"):
            unless.fold_rm(table, constraints="never x")
        with pytest.raises(ParameterError, match="constraints have no 'nver'; did you mean 'never'"):
            unless.fold_rm(table, constraints={"nver": ["x"]})
        assert unless.fold_rm(table, constraints={"max_depth": 0}).rules


class TestValues:
    """Constraints as values."""

    def test_round_trip(self):
        """What is written is read back, labels and names with odd signs included."""
        learn_constraints = [
            Monotone("a: b", "less", "x never y"),
            Monotone("f", "more", 3),
            Monotone(" f", "more", "l\n"),
        ]
        cuts = {"e": [18, 65], "when": ["2024-01-01"]}
        asked = Constraints(("a",), ("b",), [("c", "d")], learn_constraints, 3, 0, no_negation=True, only_cuts=cuts)
        assert Constraints.from_dict(asked.to_dict()) == asked
        assert not Constraints()
        assert asked
        for one in ({"max_depth": 0}, {"no_negation": True}, {"only_cuts": {"e": 18}}):
            assert Constraints(**one)
            assert Constraints.from_dict(Constraints(**one).to_dict()) == Constraints(**one)

    def test_labels_are_those_they_spell(self):
        """A label is named as text whatever its type, and may be a verb: refuses."""
        for text, labels in [("x: more never 1", (0, 1)), ("x: more never refuses", ("accept", "refuse"))]:
            found = Constraints(monotone=text).among(("x",), labels)
            assert found.monotone[0].label == labels[1]

    def test_a_file(self, tmp_path):
        """A TOML file has the names of the parameters; errors name the file."""
        path = tmp_path / "c.toml"
        path.write_text('never = ["zip"]\napart = [["a", "b"]]\nmonotone = ["x: more never no"]\nmax_depth = 1\n')
        assert Constraints.read(path) == Constraints(["zip"], (), [("a", "b")], ["x: more never no"], None, 1)
        path.write_text("no_negation = true\n[only_cuts]\nage = [18, 65]\nwhen = [2024-01-01]\n")
        assert Constraints.read(path).to_dict() == {
            "no_negation": True,
            "only_cuts": [["age", [18.0, 65.0]], ["when", ["2024-01-01"]]],
        }
        for text in ("never = 3", "nevr = []", "never = [", "max_literals = 0"):
            path.write_text(text)
            with pytest.raises(ParameterError, match=r"c\.toml: "):
                Constraints.read(path)
        with pytest.raises(unless.UnlessError, match="no file"):
            Constraints.read(tmp_path / "none.toml")


def test_candidates_have_kinds():
    """Every operator has a kind."""
    engine = MemoryEngine(Table((Column.of("x", [1.0, "a", None]),), Labels.of("y", ["a", "b", "a"])))
    counts = next(engine.counts(*engine.split(engine.all_rows(), 0)))
    assert {literal.op for literal, *_ in candidate_literals(counts)} == set(LITERAL_KINDS)
