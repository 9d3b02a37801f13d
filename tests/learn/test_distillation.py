"""Records between records, a list that imitates a teacher, and settings by cross-validation."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

import unless
from tests.learn.test_random_tables import random_rows, table_of
from unless.learn import MemoryEngine
from unless.learn.distillation import (
    TeacherAnswers,
    count_rules_and_exceptions,
    distillation_settings,
    label_by_teacher,
    learn_distilled_list,
)
from unless.learn.synthetic_rows import add_synthetic_rows
from unless.learn.tuning import tune_settings
from unless.learn.unless_learner import UnlessSettings, fold_unless
from unless.table import Column, Labels, Table
from unless.values import cell_value


def circle(rows=300, seed=0):
    """Points inside and outside of a circle, and a teacher that knows which."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1, 1, (2, rows))
    label = np.where(x**2 + y**2 < 0.5, "in", "out")
    return Table((Column.of("x", x.tolist()), Column.of("y", y.tolist())), Labels.of("label", label.tolist()))


def knows(table):
    """The labels of points, by their places."""
    x, y = (column.numbers[column.codes] for column in table.columns)
    return TeacherAnswers(np.where(x**2 + y**2 < 0.5, 0, 1))


def accuracy(program, table):
    labels = np.array(table.target.labels, dtype=object)[table.target.codes]
    return float(np.mean(unless.predict(program, table) == labels))


class TestNeighbours:
    """New records are like old ones."""

    @pytest.mark.parametrize("seed", range(10))
    def test_old_rows_stay(self, seed):
        """The old rows come first, unchanged; new numbers lie within the old range, other values are old ones."""
        features, rows = random_rows(seed, rows=80, columns=4)
        table = table_of(features, rows)
        more = add_synthetic_rows(table, 200, seed)
        assert len(more) == 280
        assert [more.record(row) for row in range(80)] == [table.record(row) for row in range(80)]
        for old, new in zip(table.columns, more.columns, strict=True):
            values = {new.value(code) for code in new.codes[80:].tolist()}
            known = {old.value(code) for code in range(old.missing)} | {None}
            numbers = [value for value in values - known if isinstance(value, float)]
            assert values - known == set(numbers)
            assert all(old.numbers[0] <= number <= old.numbers[-1] for number in numbers)
            if (old.numbers == np.rint(old.numbers)).all():
                assert all(number.is_integer() for number in numbers)

    def test_they_lie_between(self):
        """New points keep the shape of the old ones: those of two clusters lie in one or the other."""
        rng = np.random.default_rng(0)
        x = np.concatenate([rng.normal(0, 0.1, 100), rng.normal(10, 0.1, 100)])
        new = add_synthetic_rows(Table((Column.of("x", x.tolist()),), Labels.of("y", ["a"] * 200)), 500).columns[0]
        numbers = new.numbers[new.codes[200:]]
        assert ((numbers < 1) | (numbers > 9)).all()

    def test_days_stay_days(self):
        """Between two dates there are dates, not moments."""
        days = [date(2020, 1, 1) + timedelta(days=37 * k % 400) for k in range(300)]
        table = Table((Column.of("when", [cell_value(one) for one in days]),), Labels.of("y", ["a", "b", "b"] * 100))
        new = add_synthetic_rows(table, 500).columns[0]
        assert len(new.numbers) > len(table.columns[0].numbers)
        assert not (new.numbers % new.notation.step).any()

    def test_row_order_never_matters(self):
        """The same records in another order give the same new ones."""
        table = circle()
        shuffled = table[np.random.default_rng(1).permutation(len(table))]
        one, other = (add_synthetic_rows(each, 50)[np.arange(300, 350)] for each in (table, shuffled))
        assert [one.record(row) for row in range(50)] == [other.record(row) for row in range(50)]


class TestStudent:
    """A list that imitates a teacher."""

    def test_a_teacher_that_knows_more(self):
        """From few records and a teacher that knows the circle, the list is better than from the records alone."""
        table, new = circle(150), circle(5000, seed=1)
        student = learn_distilled_list(table, None, knows, distillation_settings(UnlessSettings(), fold_unless(table)))
        assert accuracy(student, new) > accuracy(fold_unless(table), new) + 0.01

    def test_it_is_at_most_three_times_as_long(self):
        """It has at most three times the parts of the list without a teacher, and no more rules than allowed."""
        table = circle(400)
        plain = fold_unless(table)
        settings = distillation_settings(UnlessSettings(), plain)
        assert count_rules_and_exceptions(
            learn_distilled_list(table, None, knows, settings)
        ) <= 3 * count_rules_and_exceptions(plain)
        assert len(learn_distilled_list(table, None, knows, UnlessSettings(max_rules=2))) <= 2

    def test_records_keep_their_labels(self):
        """Training records count one and a half times with their own labels; the teacher labels only new ones."""
        table = circle(100)
        whole, weights = label_by_teacher(table, None, lambda rows: TeacherAnswers(np.zeros(len(rows), int)), 0)
        assert weights[:100].tolist() == [1.5] * 100
        assert set(weights[100:]) == {1.0}
        assert whole.target.codes[:100].tolist() == table.target.codes.tolist()
        assert set(whole.target.codes[100:]) == {0}

    def test_new_records_count_as_the_teacher_is_sure(self):
        """A new record counts as the lead of its label over the next one, in sixteenths, and never nothing."""
        shares = np.array([[1.0, 0.0, 0.0], [0.5, 0.1, 0.4], [0.4, 0.4, 0.2], [0.25, 0.0, 0.75]])
        answers = TeacherAnswers.of(shares.argmax(axis=1), shares)
        assert answers.leads.tolist() == pytest.approx([1.0, 0.1, 0.0, 0.5])
        table = circle(100)
        sure = TeacherAnswers(np.zeros(8_000, int), np.resize(answers.leads, 8_000))
        weights = label_by_teacher(table, None, lambda _: sure, 0)[1]
        assert weights[100:104].tolist() == [1.0, 2 / 16, 1 / 16, 0.5]
        assert TeacherAnswers.of(np.zeros(3, int), np.ones((3, 1))).leads is None

    def test_it_depends_on_the_seed_alone(self):
        """The same seed gives the same list, whatever the order of records."""
        table = circle(200)
        shuffled = table[np.random.default_rng(2).permutation(len(table))]
        programs = [
            learn_distilled_list(each, None, knows, UnlessSettings(), seed=5) for each in (table, table, shuffled)
        ]
        assert programs[0] == programs[1] == programs[2]


class TestTuned:
    """Settings by inner cross-validation."""

    def test_it_finds_what_pays(self):
        """Without noise, and with a line that needs many rules, a lower penalty is chosen."""
        rng = np.random.default_rng(0)
        x = rng.uniform(size=600)
        table = Table((Column.of("x", x.tolist()),), Labels.of("y", (np.floor(x * 40) % 2).astype(int).tolist()))
        assert tune_settings(MemoryEngine(table), UnlessSettings(penalty=5.0)).penalty < 5.0

    def test_given_settings_win_ties(self):
        """Where all settings do as well, the given ones stay."""
        table = Table((Column.of("x", range(100)),), Labels.of("y", ["a" if k < 50 else "b" for k in range(100)]))
        assert tune_settings(MemoryEngine(table), UnlessSettings()) == UnlessSettings()

    def test_row_order_never_matters(self):
        """Shuffled rows give the same settings."""
        features, rows = random_rows(4, rows=300, columns=3)
        table = table_of(features, rows)
        shuffled = table[np.random.default_rng(0).permutation(len(table))]
        assert tune_settings(MemoryEngine(table), UnlessSettings()) == tune_settings(
            MemoryEngine(shuffled), UnlessSettings()
        )

    @pytest.mark.parametrize("labels", [["a"], ["a", "b"], ["a", "a", "b"], ["a", "b", "c", "d"]])
    def test_few_records(self, labels):
        """One class, one record of a label, more labels than records in a fold: no error."""
        table = Table((Column.of("x", range(len(labels))),), Labels.of("y", labels))
        assert tune_settings(MemoryEngine(table), UnlessSettings()) == UnlessSettings()
