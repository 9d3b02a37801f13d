"""Locked rules stay as they are, and the rest is learned around them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.blocks.stores import cramped, cut, random_data, store_of
from tests.learn.test_random_tables import random_rows, table_of, tables
from tests.lengths import fewer
from tests.reference import naive
from unless import Literal, Program, Rule
from unless.blocks.block_engine import BlockEngine
from unless.errors import Interrupted, ParameterError, UnknownNameError
from unless.evaluation.metrics import count_rule_decisions
from unless.learn import Engine, MemoryEngine, fold_unless
from unless.learn.fold import LearnConstraints, learn_rm
from unless.learn.locked_rules import LockedRules
from unless.learn.unless_learner import UnlessSettings, learn_unless
from unless.table import Column, Labels, Table
from unless.values.notation import DATE

LEARNERS = {
    "FOLD-RM": unless.fold_rm,
    "FOLD-R++": lambda data, **how: unless.fold_rpp(data, _labels(data)[0], **how),
    "our own": partial(fold_unless, penalty=0.1, min_support=1),
    "our own, rule by rule": partial(fold_unless, optimise=False, penalty=0.1, min_support=1),
    "our own, unsure": fold_unless,
}


def _labels(data):
    return data.labels if isinstance(data, Engine) else data.labels.labels


@st.composite
def kept(draw, features, rows):
    """A program of rules that test values of a table, and some of its rules."""
    cells = [(name, row[k]) for row in rows[:6] for k, name in enumerate(features)]
    literals = st.sampled_from(cells).flatmap(lambda cell: st.sampled_from(_tests(*cell)))
    parts = st.lists(literals, min_size=1, max_size=2).map(tuple)
    exceptions = st.lists(st.builds(Rule, st.none(), parts), max_size=1).map(tuple)
    labels = st.sampled_from(sorted({row[-1] for row in rows}))
    rules = draw(st.lists(st.builds(Rule, labels, parts, exceptions), min_size=1, max_size=5))
    lock = draw(st.lists(st.integers(0, len(rules) - 1), min_size=1, unique=True))
    return Program("y", features, tuple(rules)), lock


def _tests(name, value):
    if value is None:
        return [Literal(name, "missing"), Literal(name, "present")]
    number = isinstance(value, float)
    return [Literal(name, op, value + 0.5 if number else value) for op in (("<=", ">") if number else ("==", "!="))]


def check(found, program, lock):
    """Locked rules are there, in order and as they were, with no more rules before each than there were."""
    place, before = -1, -1
    for index in sorted(lock):
        at = found.rules.index(program.rules[index], place + 1)
        assert at - place - 1 <= index - before - 1
        place, before = at, index


class TestTheyStay:
    """In every learner, whatever the rules are."""

    @given(st.data())
    @settings(max_examples=150, deadline=None)
    def test_small_tables(self, data):
        """On random tables, random rules stay in their places."""
        features, rows = data.draw(tables())
        program, lock = data.draw(kept(features, rows))
        table = table_of(features, rows)
        for learn in LEARNERS.values():
            check(learn(table, keep=program, lock=lock), program, lock)
            check(learn(table, keep=program), program, range(len(program)))

    @pytest.mark.parametrize("learner", LEARNERS)
    @pytest.mark.parametrize("seed", fewer(15))
    def test_refit(self, seed, learner):
        """Of a program that was learned, any rules stay while others are learned from other records."""
        features, rows = random_rows(seed, rows=400, columns=4)
        rng, half = np.random.default_rng(seed), table_of(features, rows[:200])
        program = LEARNERS[learner](half)
        able = [k for k, rule in enumerate(program) if rule.default]
        lock = [k for k in able if rng.random() < 0.5]
        found = LEARNERS[learner](table_of(features, rows), keep=program, lock=lock)
        check(found, program, lock)

    @pytest.mark.parametrize("seed", fewer(10))
    def test_limits(self, seed):
        """With a limit of rules, locked rules count, and stay; a limit that they exceed is refused."""
        features, rows = random_rows(seed, rows=300, columns=4)
        table = table_of(features, rows)
        program = fold_unless(table, penalty=0.1, min_support=1, optimise=False)
        lock = [k for k, rule in enumerate(program) if rule.default][1:6:2]
        for optimise in (True, False):
            found = fold_unless(table, penalty=0.1, keep=program, lock=lock, max_rules=len(lock) + 2, optimise=optimise)
            check(found, program, lock)
            assert len(found) <= len(lock) + 2
        if lock:
            with pytest.raises(ParameterError, match="locked"):
                fold_unless(table, keep=program, lock=lock, max_rules=len(lock))


class TestWhatIsLearned:
    """It is learned from the records that reach it."""

    @given(st.data())
    @settings(max_examples=100, deadline=None)
    def test_behind(self, data):
        """Behind rules of experts, the published learners learn what they learn from the records that are left."""
        features, rows = data.draw(tables())
        program, _ = data.draw(kept(features, rows))
        table = table_of(features, rows)
        left = [row for row in rows if program.decides(dict(zip(features, row, strict=False))) is None]
        found = unless.fold_rm(table, keep=program)
        assert found.rules[: len(program)] == program.rules
        rest = naive.fold_rm("y", features, _examples(features, left), 0.5)
        assert found.rules[len(program) :] == rest.rules
        label = table.labels.labels[0]
        rest = naive.fold_rpp("y", features, _examples(features, left), label, 0.5)
        assert unless.fold_rpp(table, label, keep=program).rules[len(program) :] == rest.rules

    @given(st.data())
    @settings(max_examples=100, deadline=None)
    def test_between(self, data):
        """In gaps there are rules that correct what comes behind, as the slow twin finds them."""
        features, rows = data.draw(tables())
        program, lock = data.draw(kept(features, rows))
        found = unless.fold_rm(table_of(features, rows), keep=program, lock=lock)
        expected = naive_around(features, _examples(features, rows), program, sorted(lock))
        assert found.rules == expected

    @pytest.mark.parametrize("learner", LEARNERS)
    def test_a_correction(self, learner):
        """A rule that was not locked is learned anew before the locked rule that needs it."""
        x, z = [float(k % 10) for k in range(200)], [float(k // 20) for k in range(200)]
        y = ["a" if p > 4 and q > 2 else "b" for p, q in zip(x, z, strict=True)]
        table = Table((Column.of("x", x), Column.of("z", z)), Labels.of("y", y))
        first = Rule("b" if learner != "FOLD-R++" else "a", (Literal("z", ">", 100.0),))
        program = Program("y", ("x", "z"), (first, Rule("b", (Literal("x", "<=", 7.0),))))
        found = LEARNERS[learner](table, keep=program, lock=[1])
        assert found.rules[1] == program.rules[1]
        assert (unless.predict(found, table) == np.array(y)).all()

    @pytest.mark.parametrize("seed", fewer(10))
    def test_statistics(self, seed):
        """What is left before each rule is what is counted afterwards, for locked rules too."""
        features, rows = random_rows(seed, rows=300, columns=3)
        table = table_of(features, rows)
        program = fold_unless(table, penalty=0.1, optimise=False)
        able = [k for k, rule in enumerate(program) if rule.default]
        engine = MemoryEngine(table)
        learn_constraints = LearnConstraints.of(engine, None, program, able[::2])
        for learned in (
            learn_rm(engine, 0.5, None, learn_constraints),
            learn_unless(engine, UnlessSettings(learn_constraints=learn_constraints)),
            learn_unless(engine, UnlessSettings(learn_constraints=learn_constraints, optimise=False, penalty=0.1)),
        ):
            left = np.array(learned.left)
            decided = np.vstack([left[:-1] - left[1:], left[-1:]])
            assert decided.tolist() == count_rule_decisions(learned.program, table).counts.tolist()


def _examples(features, rows):
    return [(dict(zip(features, row, strict=False)), row[-1]) for row in rows]


def naive_around(features, examples, program, lock):
    """FOLD-RM around locked rules, in the words of `learn.locked_rules`."""
    rules, before = [], -1
    for place, index in enumerate(lock):
        behind = [program.rules[k] for k in lock[place:]]
        for _ in range(index - before - 1):
            rule = naive_correction(features, examples, behind)
            if rule is None:
                break
            rules.append(rule)
            examples = [one for one in examples if not rule.covers(one[0])]
        rules.append(program.rules[index])
        examples = [one for one in examples if not rules[-1].covers(one[0])]
        before = index
    return (*rules, *naive.fold_rm("y", features, examples, 0.5).rules)


def naive_correction(features, examples, behind):
    """A rule for the label that most records have which the rules behind get wrong, or for the next one."""
    said = [next((rule.head for rule in behind if rule.covers(record)), None) for record, _ in examples]
    pairs = list(zip(examples, said, strict=True))
    wrong = [one for one, label in pairs if label is not None and label != one[1]]
    labels = sorted({label for _, label in wrong})
    for label in sorted(labels, key=lambda one: -sum(other == one for _, other in wrong)):
        positive = [one for one, said in pairs if one[1] == label and said != label]
        negative = [one for one in examples if one[1] != label]
        rule = naive.learn_rule(features, positive, negative, 0.5, [])
        if any(rule.covers(record) for record, other in wrong if other == label):
            return Rule(label, rule.default, rule.exceptions)
    return None


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("seed", fewer(20))
def test_blocks(seed, learner, monkeypatch):
    """From blocks the program around locked rules is the one learned in memory."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([30, 60, 100]))
    data = random_data(rng, rows)
    cramped(monkeypatch, rng)
    program = fold_unless(data.memory, penalty=0.1, min_support=1, optimise=False)
    lock = [k for k, rule in enumerate(program) if rule.default][1::2]
    expected = LEARNERS[learner](data.memory, keep=program, lock=lock)
    engine = BlockEngine(store_of(data, cut(rng, rows)), local=int(rng.choice([0, 5, rows // 4, rows])))
    assert LEARNERS[learner](engine, keep=program, lock=lock) == expected


class TestInterruptions:
    """Whatever stops a learner, locked rules are all there."""

    @pytest.mark.parametrize("learner", LEARNERS)
    def test_at_any_time(self, learner):
        """Stopped at any search, the program has all locked rules in order."""
        features, rows = random_rows(2, rows=120, columns=3)
        table = table_of(features, rows)
        program = fold_unless(table, penalty=0.1, min_support=1, optimise=False)
        lock = [k for k, rule in enumerate(program) if rule.default][1::2]
        for searches in (0, 1, 2, 5, 20):
            engine = MemoryEngine(table)
            count = iter(range(searches))
            engine.late = lambda count=count: next(count, None) is None
            found = LEARNERS[learner](engine, keep=program, lock=lock)
            check(found, program, lock)

    def test_ctrl_c(self):
        """After Ctrl-C in a gap, too."""
        features, rows = random_rows(2, rows=120, columns=3)
        table = table_of(features, rows)
        program = fold_unless(table, penalty=0.1, min_support=1, optimise=False)
        engine = MemoryEngine(table)

        def stop():
            raise KeyboardInterrupt

        engine.late = stop
        with pytest.raises(Interrupted) as caught:
            unless.fold_rm(engine, keep=program, lock=[1])
        assert caught.value.program.rules == (program.rules[1],)


class TestWhatCannotBeLocked:
    """Errors before learning, with a reason."""

    def table(self):
        return Table((Column.of("x", [1.0, 2.0]), Column.of("t", ["p", "q"])), Labels.of("y", ["a", "b"]))

    @pytest.mark.parametrize(
        ("rule", "words"),
        [
            (Rule("c", (Literal("x", ">", 1.0),)), "locked rule 1 says 'c', which is not a label; there are 'a', 'b'"),
            (
                Rule("a", (Literal("xx", ">", 1.0),)),
                "locked rule 1 tests 'xx', which is not a feature; did you mean 'x'",
            ),
            (Rule("a", (Literal("x", ">", DATE.value(0.0)),)), "its numbers are plain numbers"),
        ],
    )
    def test_other_records(self, rule, words):
        """Rules about features, labels and notations that the records do not have are refused by every learner."""
        for learn in LEARNERS.values():
            with pytest.raises((ParameterError, UnknownNameError), match=words):
                learn(self.table(), keep=[rule])

    @pytest.mark.parametrize(
        ("how", "words"),
        [
            ({"lock": [0]}, "pass keep=program"),
            ({"keep": [Rule("a", (Literal("x", ">", 1.0),))], "lock": [1]}, "lock has 1, but"),
            ({"keep": [Rule("a", (Literal("x", ">", 1.0),))], "lock": "1"}, "lock must be indices"),
            ({"keep": [Rule("a", (Literal("x", ">", 1.0),))], "lock": [True]}, "lock has True"),
            ({"keep": [Rule("a")], "lock": [0]}, "rule 1 covers every record"),
            ({"keep": "rules"}, "keep must be a Program"),
        ],
    )
    def test_other_values(self, how, words):
        """What is no program, or no rule of it, is refused."""
        with pytest.raises(ParameterError, match=words):
            unless.fold_rm(self.table(), **how)

    def test_a_rule_for_everything_is_learned_anew(self):
        """By default all rules are locked, but for one that covers everything."""
        rules = (Rule("a", (Literal("x", ">", 1.0),)), Rule("a"))
        locked = LockedRules.of(Program("y", ("x",), rules))
        assert (locked.rules, locked.gap_sizes, locked.numbers) == (rules[:1], (0,), [1])

    def test_plain_numbers_are_written_as_in_the_records(self):
        """A flag to one table is a number to another: the rule is the same."""
        flags = Table((Column.of("x", [0.0, 1.0] * 10),), Labels.of("y", ["a", "b"] * 10))
        rule = Rule("b", (Literal("x", ">", 0.5),))
        assert unless.fold_rm(flags, keep=[rule]).rules[0] == rule
