"""Optimising a list as a whole, thresholds half-way, and the last look: what they promise."""

from __future__ import annotations

import math
import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import unless
import unless.model.prediction
from tests.learn.test_random_tables import random_rows, table_of, tables
from tests.lengths import fewer
from tests.shared import needs_compiled
from unless.errors import Interrupted
from unless.learn import Engine, MemoryEngine, chance_test, unless_learner
from unless.learn.engine import StopLearning
from unless.learn.list_optimiser import ListOptimiser
from unless.learn.literals import NET
from unless.learn.thresholds import centre_thresholds, number_between
from unless.learn.unless_learner import UnlessLearner, UnlessSettings, fold_unless, learn_unless
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table

NUMBERS = st.floats(-1e300, 1e300) | st.floats(-1000, 1000)


def errors(program, table):
    """How many rows a program gets wrong."""
    labels = np.array(table.target.labels, dtype=object)[table.target.codes]
    return int(np.sum(unless.predict(program, table) != labels))


def chequered(length=300, width=10):
    """A line of numbers whose label changes every so often."""
    return Table(
        (Column.of("f", range(length)),), Labels.of("y", ["a" if k // width % 2 else "b" for k in range(length)])
    )


class TestEngine:
    """What the engine in memory answers is what the definitions answer."""

    @needs_compiled
    @pytest.mark.parametrize("seed", fewer(20))
    def test_questions(self, seed):
        """Rules, failing literals, stakes, gaps and the worthiest literal: by kernels and by definition."""
        rng = random.Random(seed)
        features, rows = random_rows(seed, rows=rng.choice([40, 300, 2000]), columns=rng.randint(1, 5))
        table = table_of(features, rows)
        engine = MemoryEngine(table)
        plain = {
            name: getattr(Engine, name)
            for name in (
                "covered_by_rule",
                "split_by_failing_literal",
                "gains_and_losses",
                "neighbouring_numbers",
                "of_label",
            )
        }
        rule = fold_unless(table, penalty=0.1, min_support=1, optimise=False).rules[0]
        everything = engine.all_rows()
        some = engine.covered_by_literal(everything, rule.default[0]) if rule.default else everything
        for chosen in (everything, some):
            assert same(engine.covered_by_rule(chosen, rule), plain["covered_by_rule"](engine, chosen, rule))
            for fast, slow in zip(
                engine.split_by_failing_literal(chosen, rule.default),
                plain["split_by_failing_literal"](engine, chosen, rule.default),
                strict=True,
            ):
                assert same(fast, slow)
            for fast, slow in zip(
                engine.gains_and_losses(chosen, 0, some),
                plain["gains_and_losses"](engine, chosen, 0, some),
                strict=True,
            ):
                assert same(fast, slow)
            assert same(engine.of_label(chosen, 0), plain["of_label"](engine, chosen, 0))
            for literal in rule.default:
                if literal.op in ("<=", ">"):
                    assert engine.neighbouring_numbers(chosen, literal) == plain["neighbouring_numbers"](
                        engine, chosen, literal
                    )
            positive, negative = engine.split(chosen, 0)
            for pair in ((positive, negative), (negative, positive)):
                assert engine.find_literal(*pair, NET) == Engine.find_literal(engine, *pair, NET)

    def test_an_exception_without_literals(self):
        """It applies to every row, and the next question is answered as before."""
        table = chequered()
        engine = MemoryEngine(table)
        everything, literal = engine.all_rows(), Literal("f", ">", 100.0)
        assert engine.size(engine.covered_by_rule(everything, Rule(None, (literal,), (Rule(None),)))) == 0
        assert engine.size(engine.covered_by_rule(everything, Rule(None, (literal,)))) == 199

    def test_folds_are_by_content(self):
        """Folds divide the rows, equal records stay together, and the order of rows does not matter."""
        features, rows = random_rows(3, rows=400, columns=2)
        table = table_of(features, rows)
        shuffled = np.random.default_rng(0).permutation(len(table))
        fold = fold_of(table)
        assert sorted(np.bincount(fold)) > [60] * 3
        np.testing.assert_array_equal(fold_of(table[shuffled]), fold[shuffled])
        by_record = {}
        for row, number in enumerate(fold):
            assert by_record.setdefault(tuple(table.record(row).values()), number) == number


def same(rows, others):
    """Whether two selections hold the same rows, with the same weight."""
    return sorted(rows.rows()) == sorted(others.rows()) and rows.weight() == others.weight()


def fold_of(table):
    """The fold of every row."""
    engine = MemoryEngine(table)
    found = np.empty(len(table), int)
    for number, rows in enumerate(engine.folds(engine.all_rows(), 3)):
        found[rows.rows()] = number
    return found


class TestObjective:
    """Errors plus the price of parts never rise."""

    @pytest.mark.parametrize("seed", fewer(30))
    def test_a_pass_never_costs(self, seed):
        """A pass of improvements and of insertions lowers the objective, or leaves it."""
        rng = random.Random(seed)
        features, rows = random_rows(seed, rows=rng.choice([60, 200, 500]), columns=rng.randint(1, 4))
        table = table_of(features, rows)
        engine = MemoryEngine(table)
        learner = UnlessLearner(engine, UnlessSettings(penalty=0.2, min_support=1))
        start = learner.rule_by_rule(engine.all_rows()).program
        optimiser = ListOptimiser(engine, learner, engine.all_rows(), start, price=0.7)
        cost = objective(start, table, 0.7)
        for step in (optimiser.improve, optimiser.improve):
            right = step()
            assert objective(optimiser.program(), table, 0.7) <= cost + 1e-9
            cost = objective(optimiser.program(), table, 0.7)
            assert engine.size(right) == len(table) - errors(optimiser.program(), table)
        optimiser.insert(right)
        assert objective(optimiser.program(), table, 0.7) <= cost + 1e-9

    def test_it_repairs_a_bad_list(self):
        """A list with a wrong threshold and a rule too many is mended."""
        table = Table((Column.of("f", range(100)),), Labels.of("y", ["a" if k < 50 else "b" for k in range(100)]))
        bad = Program("y", ("f",), (
            Rule("a", (Literal("f", "<=", 20.0),)), Rule("a", (Literal("f", "<=", 44.0),)), Rule("b"),
        ))  # fmt: skip
        engine = MemoryEngine(table)
        learner = UnlessLearner(engine, UnlessSettings())
        optimiser = ListOptimiser(engine, learner, engine.all_rows(), bad, price=1.0)
        optimiser.run()
        assert optimiser.program() == Program("y", ("f",), (Rule("a", (Literal("f", "<=", 49.0),)), Rule("b")))

    def test_rules_are_worth_their_price(self):
        """Fewer errors and fewer rules than the list learned rule by rule as strictly, on data with noise."""
        rng = np.random.default_rng(0)
        x, z = rng.uniform(size=2000), rng.uniform(size=2000)
        y = np.where((x + z > 1) ^ (rng.uniform(size=2000) < 0.1), "a", "b")
        table = Table((Column.of("x", x.tolist()), Column.of("z", z.tolist())), Labels.of("y", y.tolist()))
        greedy, optimised = fold_unless(table, penalty=1, optimise=False), fold_unless(table, penalty=1)
        assert errors(optimised, table) <= errors(greedy, table)
        assert size(optimised) <= size(greedy)
        assert size(fold_unless(table)) < size(optimised)  # of so many records, "auto" is stricter


def objective(program, table, price):
    return errors(program, table) + price * (size(program) - 1)


def size(program):
    return len(program) + program.exception_count


class TestMaxRules:
    """The best list of at most so many rules."""

    @pytest.mark.parametrize("most", [1, 2, 3, 5, 8, 13])
    def test_there_are_no_more(self, most):
        """There are at most so many rules, and more of them are never worse in training."""
        table = chequered()
        program = fold_unless(table, max_rules=most)
        assert len(program) <= most
        assert errors(program, table) <= errors(fold_unless(table, max_rules=1), table)

    def test_two_rules_do_what_two_can(self):
        """The rule that is worth most is kept, not the first one that is learned."""
        rng = np.random.default_rng(1)
        x = rng.uniform(0, 100, 3000)
        y = np.select([x < 2, x < 5, x < 50], ["rare", "some", "many"], "most")
        table = Table((Column.of("x", x.tolist()),), Labels.of("y", y.tolist()))
        accuracy = [1 - errors(fold_unless(table, max_rules=most), table) / 3000 for most in (1, 2, 3, 4)]
        assert accuracy[1] > 0.94
        assert accuracy == sorted(accuracy)

    def test_without_optimising_they_are_the_first(self):
        """Without optimising, learning stops early."""
        table = chequered()
        whole, few = (fold_unless(table, optimise=False, max_rules=most) for most in (None, 4))
        assert few.rules[:-1] == whole.rules[: len(few) - 1]
        assert 2 < len(few) <= 4

    @pytest.mark.parametrize("most", [1, 2, 3])
    @pytest.mark.parametrize("when", [0, 3, 10, 30, 100])
    def test_late_or_not(self, most, when):
        """A list that is stopped before it is short enough is cut, and its last rule says what is most frequent."""
        table = chequered()
        engine = MemoryEngine(table)
        asked = iter(range(when))
        engine.late = lambda: next(asked, None) is None
        program = learn_unless(engine, UnlessSettings(max_rules=most)).program
        assert len(program) <= most
        decided = unless.model.prediction.deciding_rules(program, table) == len(program) - 1
        counts = np.bincount(table.target.codes[decided], minlength=2)
        assert not decided.any() or counts[table.target.labels.index(program.rules[-1].head)] == counts.max()

    @pytest.mark.parametrize("seed", fewer(40))
    def test_the_last_rule_says_what_is_most_frequent(self, seed):
        """After rules are dropped, the last rule has the most frequent label of what it decides."""
        rng = np.random.default_rng(seed)
        cells = [Column.of(f"x{k}", rng.normal(size=200).tolist()) for k in range(3)]
        y = np.argmax(
            rng.normal(size=(200, 4))
            + np.array([column.numbers[column.codes] for column in cells]).sum(0)[:, None] * rng.normal(size=4),
            1,
        )
        table = Table(tuple(cells), Labels.of("y", y.tolist()))
        for most in (1, 2, 3):
            program = fold_unless(table, max_rules=most, penalty=0.5)
            decided = unless.model.prediction.deciding_rules(program, table) == len(program) - 1
            counts = np.bincount(table.target.codes[decided], minlength=4)
            assert not decided.any() or counts[table.target.labels.index(program.rules[-1].head)] == counts.max()


class TestThresholds:
    """Thresholds lie between the numbers of training records."""

    @given(tables(), st.booleans())
    @settings(max_examples=100, deadline=None)
    def test_training_records_are_decided_alike(self, drawn, rounded):
        """Moving thresholds changes no decision on the rows that it was moved between."""
        table = table_of(*drawn)
        engine = MemoryEngine(table)
        program = fold_unless(table, penalty=0.1, min_support=1, optimise=False)
        moved, reached = centre_thresholds(engine, engine.all_rows(), program, rounded=rounded)
        assert unless.predict(moved, table).tolist() == unless.predict(program, table).tolist()
        assert len(reached) == len(program) + 1

    @given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
    @example(1.7e308, 1.7000007665446495e308)
    def test_between(self, one, other):
        """Half-way, and rounded, a threshold is at least the lower number and below the higher one."""
        if one != other:
            low, high = sorted((one, other))
            assert low <= number_between(low, high, rounded=False) < high
            assert low <= number_between(low, high, rounded=True) < high

    @given(NUMBERS, st.floats(1e-12, 1e6) | st.floats(0, 1e300, exclude_min=True))
    @example(-1.0, 1.0)
    def test_between_tries_every_length(self, low, size):
        """No shorter number is overlooked: 0, then numbers with more and more digits are tried, however large."""
        high = low + size
        if low < high:
            margin, middle = 0.2 * (high - low), low / 2 + high / 2
            tried = (round(middle, digits) for digits in (-400, *range(-310, 340)))
            found = next((one for one in tried if low + margin <= one <= high - margin), middle)
            assert number_between(low, high, rounded=True) == found

    @pytest.mark.parametrize(
        ("low", "high", "short"),
        [
            (3.14159, 3.27, 3.2),
            (3, 4, 3.5),
            (41, 58, 50),
            (-1, 2, 0),
            (99995, 100005, 100000),
            (0.001, 0.0019, 0.0014),
            (-math.inf, 0, -math.inf),
            (0, math.inf, 0),
        ],
    )
    def test_the_shortest_number(self, low, high, short):
        """A rounded threshold has as few digits as the gap allows."""
        assert number_between(float(low), float(high), rounded=True) == short


class TestDoubt:
    """A list that could be chance has to tell something about records that it has not seen."""

    @pytest.mark.parametrize(("rows", "columns"), [(1000, 10), (200, 50), (300, 200)])
    def test_noise_has_no_rules(self, rows, columns):
        """Rules are learned from at most one of twenty tables of noise."""
        learned = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            cells = [Column.of(f"x{k}", rng.normal(size=rows).tolist()) for k in range(columns)]
            table = Table(tuple(cells), Labels.of("y", rng.integers(0, 2, rows).tolist()))
            learned += len(fold_unless(table)) > 1
        assert learned <= 1

    def test_chance_is_that_of_labels_given_out_at_random(self):
        """The number of rows that get their label by chance, and its variance, are those of all permutations."""
        said, there = [0, 0, 0, 1, 2], [0, 0, 1, 1, 2]
        hits = [sum(map(int.__eq__, said, order)) for order in permutations(there)]
        counts = [[labels.count(label) for label in range(3)] for labels in (said, there)]
        assert chance_test._expected_by_chance(*counts) == pytest.approx((np.mean(hits), np.var(hits)))

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_knowing_who_is_at_risk_is_enough(self, seed, monkeypatch):
        """A list in doubt is kept though it is right hardly more often than the frequent label (once that lost it)."""
        looks, look = [], unless_learner.beats_chance_on_holdout
        monkeypatch.setattr(
            unless_learner, "beats_chance_on_holdout", lambda *asked: looks.append(look(*asked)) or looks[-1]
        )
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=500)
        y = rng.uniform(size=500) < np.where(x > 0.6, 0.48, 0.18)
        noise = [Column.of(f"n{k}", rng.normal(size=500).tolist()) for k in range(30)]
        program = fold_unless(Table((Column.of("x", x.tolist()), *noise), Labels.of("y", y.tolist())))
        assert looks == [True]
        assert "x" in program.used

    @pytest.mark.parametrize(
        ("known", "asked", "believed"),
        [
            (["y"], 1, True),  # it knows all labels: the first fifth is enough
            (["often", "noise"], 5, False),  # enough for the first fifth, but not for all of them
            (["often"], 2, True),
            (["noise"], 5, False),
            (["bold"], 5, False),  # it knows more than chance, and is wrong more often than the most frequent label
        ],
    )
    def test_it_ends_as_soon_as_it_is_known(self, known, asked, believed):
        """Lists that know this and that of records that they have not seen; the last goes on to be asked."""
        rng = np.random.default_rng(5)
        y = rng.uniform(size=500) < 0.5
        columns = {"y": y, "often": y ^ (rng.uniform(size=500) < 0.32), "noise": rng.uniform(size=500) < 0.5}
        if known == ["bold"]:
            columns["bold"] = rng.uniform(size=500) < 0.5
            y = rng.uniform(size=500) < np.where(columns["bold"], 0.35, 0.05)
        columns["row"] = np.arange(500)  # no record is like another one, so that fifths are fifths
        cells = [Column.of(name, one.astype(float).tolist()) for name, one in columns.items()]
        engine, seen = MemoryEngine(Table(tuple(cells), Labels.of("label", y.tolist()))), []

        def learn(_):
            seen.append(known[min(len(seen), len(known) - 1)])
            holds = Rule(True, (Literal(seen[-1], ">", 0.5),))
            return Program("label", engine.features, (holds, Rule(False)))

        assert chance_test.beats_chance_on_holdout(engine, engine.all_rows(), learn) is believed
        assert len(seen) == asked

    @pytest.mark.parametrize("proofs", [[True], [False, True], [False, False]])
    def test_either_kind_of_lists_may_prove_it(self, proofs, monkeypatch):
        """Lists learned rule by rule are asked first, however few rules there may be, then optimised ones."""
        rng, asked, answers = np.random.default_rng(0), [], list(proofs)

        def answer(_engine, _rows, learn):
            asked.append((learn.__self__.settings.optimise, learn.__self__.settings.max_rules))
            return answers.pop(0)

        monkeypatch.setattr(unless_learner, "beats_chance_on_holdout", answer)
        cells = [Column.of(f"x{k}", rng.normal(size=120).tolist()) for k in range(6)]
        table = Table(tuple(cells), Labels.of("y", rng.integers(0, 2, 120).tolist()))
        assert (len(fold_unless(table, max_rules=3)) > 1) is proofs[-1]
        assert asked == [(False, None), (True, 3)][: len(proofs)]

    def test_a_signal_in_noise_is_found(self):
        """One column of fifty that tells the label in four of five records is enough."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 200)
        cells = [rng.normal(size=200) for _ in range(49)] + [y ^ (rng.uniform(size=200) < 0.2)]
        table = Table(
            tuple(Column.of(f"x{k}", column.tolist()) for k, column in enumerate(cells)), Labels.of("y", y.tolist())
        )
        assert errors(fold_unless(table), table) <= 45

    def test_without_penalty_nothing_is_doubted(self):
        """Who sets the penalty to 0 gets every rule that helps."""
        rng = np.random.default_rng(2)
        cells = [Column.of(f"x{k}", rng.normal(size=100).tolist()) for k in range(20)]
        table = Table(tuple(cells), Labels.of("y", rng.integers(0, 2, 100).tolist()))
        assert len(fold_unless(table, penalty=0, min_support=1)) > 1


class TestStopping:
    """Whatever stops the learner, the list so far is valid and kept."""

    @pytest.mark.parametrize("when", range(0, 60, 4))
    def test_ctrl_c_in_every_stage(self, when):
        """Ctrl-C during rules, improvements and insertions leaves a program that decides every record."""
        table = chequered()
        calls = iter(range(when))

        def progress(*_):
            if next(calls, None) is None:
                raise KeyboardInterrupt

        try:
            program = fold_unless(table, progress=progress)
        except Interrupted as stop:
            program = stop.program
        assert not {None} & set(unless.predict(program, table))

    @pytest.mark.parametrize("when", [0, 1, 5, 20, 50, 100, 200, 400])
    def test_late_inside_a_rule(self, when):
        """An engine that is late stops the learner at the next search, not at the next rule."""
        engine = MemoryEngine(chequered())
        asked = iter(range(when))
        engine.late = lambda: next(asked, None) is None
        learned = learn_unless(engine, UnlessSettings())
        assert learned.interrupted is None
        assert not {None} & set(unless.predict(learned.program, chequered()))
        assert next(asked, None) is None or learned.program == fold_unless(chequered())
        engine.late = lambda: True
        with pytest.raises(StopLearning):
            engine.check_stop()

    @pytest.mark.parametrize("looks", [1, 2])
    @pytest.mark.parametrize("late", [False, True])
    def test_in_the_last_look(self, late, looks, monkeypatch):
        """What stops the last look at a list, Ctrl-C or time, leaves the list as it was learned, and is told."""
        rng = np.random.default_rng(0)
        cells = [Column.of(f"x{k}", rng.normal(size=120).tolist()) for k in range(6)]
        engine = MemoryEngine(Table(tuple(cells), Labels.of("y", rng.integers(0, 2, 120).tolist())))
        doubted, look = [], unless_learner.beats_chance_on_holdout

        def stopping(*arguments):
            doubted.append(True)
            return look(*arguments)

        def stop():
            if len(doubted) == looks and not late:
                raise KeyboardInterrupt
            return len(doubted) == looks

        monkeypatch.setattr(unless_learner, "beats_chance_on_holdout", stopping)
        assert len(learn_unless(engine, UnlessSettings()).program) == 1
        assert len(doubted) == 2
        doubted.clear()
        engine.late = stop
        learned = learn_unless(engine, UnlessSettings())
        assert len(learned.program) > 1
        assert isinstance(learned.interrupted, KeyboardInterrupt) is not late

    @pytest.mark.parametrize("learn", [unless.fold_rm, lambda engine: unless.fold_rpp(engine, "a")])
    def test_the_paper_s_learners_too(self, learn):
        """FOLD-RM and FOLD-R++ keep the rules learned until it was late."""
        engine = MemoryEngine(chequered())
        asked = iter(range(12))
        engine.late = lambda: next(asked, None) is None
        program = learn(engine)
        engine.late = None
        assert 0 < len(program) < len(learn(engine))
        assert program.rules == learn(engine).rules[: len(program)]
