"""Stability: the samples, what comes back, and where thresholds are."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.test_watch import records
from unless.errors import ParameterError
from unless.estimators.learners import CommitteeLearner, FoldRMLearner, UnlessLearner, learn
from unless.estimators.relearning import refits_by, stability_of
from unless.evaluation.stability import MATCHING_OVERLAP, Stability, bootstraps, decide_records
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table
from unless.values.notation import DATE, NotatedNumber


def program(*rules: Rule, features=("x", "c")) -> Program:
    return Program("y", features, rules, "no")


def table(rows: int = 100) -> Table:
    numbers = [float(row % 50) for row in range(rows)]
    return Table(
        (Column.of("x", numbers), Column.of("c", ["ab"[row % 2] for row in range(rows)])),
        Labels.of("y", ["yes" if number > 20 else "no" for number in numbers]),
    )


def above(threshold: float, *more: Literal, unless: tuple[Rule, ...] = ()) -> Rule:
    return Rule("yes", (Literal("x", ">", threshold), *more), unless)


# Samples.


@given(st.lists(st.integers(0, 4), min_size=2, max_size=40), st.randoms(use_true_random=False), st.integers(0, 5))
def test_samples_do_not_depend_on_the_order_of_rows(cells, random, seed):
    """Every kind of record has the same weight in each sample, in whatever order the rows are, repeated ones too."""
    order = list(range(len(cells)))
    random.shuffle(order)
    labels = [str(cell % 2) for cell in cells]
    whole = Table((Column.of("x", cells),), Labels.of("y", labels))
    for one, other in zip(bootstraps(whole, 3, seed), bootstraps(whole[order], 3, seed), strict=True):
        for cell in set(cells):
            ours = one[[place for place, own in enumerate(cells) if own == cell]]
            theirs = other[[place for place, row in enumerate(order) if cells[row] == cell]]
            assert sorted(ours) == sorted(theirs)


def test_records_count_as_in_a_bootstrap():
    """A record counts 0, 1, 2 … times as Poisson's distribution says, once on average; samples and seeds differ."""
    times = np.concatenate(list(bootstraps(records(2000), 10)))
    assert times.mean() == pytest.approx(1, abs=0.03)
    for count, share in enumerate((0.3679, 0.3679, 0.1839, 0.0613)):
        assert np.mean(times == count) == pytest.approx(share, abs=0.015)
    one, other = bootstraps(records(100), 2)
    assert not np.array_equal(one, other)
    assert not np.array_equal(one, next(bootstraps(records(100), 1, seed=1)))


def test_equal_records_count_on_their_own():
    """Ten equal records are not in or out of a sample together."""
    same = Table((Column.of("x", ["a"] * 50),), Labels.of("y", ["1"] * 50))
    assert len(set(next(bootstraps(same, 1)).tolist())) > 2


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": True}, {"count": 1.5}, {"count": 1, "seed": -1}])
def test_what_is_no_number_is_refused(wrong):
    """Refits and seeds are whole numbers."""
    with pytest.raises(ParameterError, match="whole number"):
        next(bootstraps(table(), **wrong))


# What comes back.


def compared(model: Program, *others: Program, data: Table | None = None) -> Stability:
    data = table() if data is None else data
    return Stability.of(model, data, [decide_records(other, data) for other in others])


def test_the_same_program_comes_back_whole():
    """If every refit is the program itself, every rule returns with the same tests, and no decision changes."""
    own = program(above(30), Rule("no", (Literal("c", "==", "a"),)))
    found = compared(own, own, own)
    assert [(one.returns, one.same_tests, one.overlap) for one in found.rules] == [(1, 1, 1), (1, 1, 1)]
    assert found.agreement == 1
    assert found.headline == "2 refits: 100 % of decisions stay the same, 100 % of records always get the same label"
    assert found.unstable() == ()


def test_likeness_is_by_records_and_by_tests():
    """A rule with other tests that decides the same records returns; one with the same tests elsewhere does not."""
    own = program(above(30))
    same_records = program(Rule("yes", (Literal("x", ">", 20), Literal("x", ">", 30))))
    found = compared(own, same_records)
    assert (found.rules[0].returns, found.rules[0].same_tests) == (1, 1)
    reworded = program(Rule("yes", (Literal("x", ">", 30), Literal("c", "!=", "z"))))
    assert (compared(own, reworded).rules[0].returns, compared(own, reworded).rules[0].same_tests) == (1, 0)
    far = compared(own, program(above(45)))
    assert (far.rules[0].returns, far.rules[0].same_tests) == (0, 1)
    assert far.rules[0].overlap == pytest.approx(4 / 19)
    assert [one.rule for one in far.unstable()] == [0]
    other_label = compared(own, program(Rule("no", (Literal("x", ">", 30),))))
    assert (other_label.rules[0].returns, other_label.rules[0].same_tests, other_label.rules[0].overlap) == (0, 0, 0)


def test_a_category_is_part_of_the_test():
    """Another category is another test; another threshold is not."""
    own = program(above(10, Literal("c", "==", "a")))
    assert compared(own, program(above(12, Literal("c", "==", "a")))).rules[0].same_tests == 1
    assert compared(own, program(above(10, Literal("c", "==", "b")))).rules[0].same_tests == 0


def test_thresholds_are_those_of_rules_that_come_back():
    """Quantiles are over the refits in which the rule comes back and compares the same, exceptions on their own."""
    own = program(above(30, unless=(Rule(None, (Literal("x", ">", 48),)),)))
    refits = [program(above(at, unless=(Rule(None, (Literal("x", ">", 47),)),))) for at in (28, 29, 30, 31, 32)]
    found = compared(own, *refits, program(above(46)), program(Rule("yes", (Literal("x", ">", 29),))))
    rule, exception = found.thresholds
    assert (rule.exception, exception.exception) == (False, True)
    assert rule.found == 1
    assert rule.quantiles == (28, 29, 29, 31, 32)
    assert exception.found == pytest.approx(5 / 6)
    assert set(exception.quantiles) == {47}
    assert compared(own, program(above(49))).thresholds[0].quantiles is None


def test_thresholds_of_dates_stay_dates():
    """Where a number is a date, so are its quantiles, in text and in JSON."""
    days = [NotatedNumber(number * 86_400_000_000.0, DATE) for number in range(100)]
    data = Table((Column.of("when", days),), Labels.of("y", ["yes"] * 50 + ["no"] * 50))
    own = Program("y", ("when",), (Rule("yes", (Literal("when", "<=", days[49]),)),), "no")
    found = compared(own, own, data=data)
    assert found.threshold_lines()[0][3] == "1970-02-19"
    assert found.to_dict()["thresholds"][0]["quantiles"][0] == "1970-02-19"


def test_rules_without_records_and_programs_without_rules():
    """A rule that decides nothing has no records to share; a refit without rules brings nothing back."""
    found = compared(program(above(1000)), program(), program(above(1000)))
    assert found.rules[0].returns == 0
    assert found.agreement == 1
    nothing = compared(program(), program())
    assert (nothing.rules, nothing.thresholds, nothing.rows) == ((), (), [])
    with pytest.raises(ParameterError, match="no refits"):
        compared(program())


# Learning again.


@pytest.mark.parametrize("learner", [UnlessLearner(warn=False), FoldRMLearner(warn=False)])
def test_a_learner_is_measured(learner):
    """A plain rule comes back; the result depends on the seed, and not on the order of rows or on the processes."""
    data = records(300)
    model = learn(learner, data).model.program
    found = stability_of(learner, model, data, n=8)
    assert found.refits == 8
    assert max(one.returns for one in found.rules) > 0.8
    assert found.agreement > 0.8
    order = np.random.default_rng(0).permutation(300)
    assert stability_of(learner, model, data[order], n=8).to_dict() == found.to_dict()
    assert stability_of(learner, model, data, n=8, seed=1).to_dict() != found.to_dict()
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(str(found).splitlines()) > len(found.rules)


def test_processes_give_the_same():
    """Two processes find what one finds."""
    data, learner = records(120), UnlessLearner(warn=False)
    model = learn(learner, data).model.program
    one, two = (stability_of(learner, model, data, n=4, n_jobs=jobs) for jobs in (None, 2))
    assert one.to_dict() == two.to_dict()


def test_weights_are_repetitions():
    """A record of weight 3 counts as often as three records of its kind in what comes back."""
    data, learner = records(150), UnlessLearner(warn=False)
    model = learn(learner, data).model.program
    found = stability_of(learner, model, data, np.full(150, 3.0), n=4)
    assert found.refits == 4
    assert found.agreement == pytest.approx(float(found.records.mean()))


def test_a_committee_has_decisions_only():
    """Of a committee, decisions are compared, not rules."""
    data, learner = records(150), CommitteeLearner(size=3, warn=False)
    model = learn(learner, data).model.decider
    found = stability_of(learner, model, data, n=3)
    assert (found.rules, found.thresholds, found.lines(), found.threshold_lines()) == ((), (), [], [])
    assert 0.5 < found.agreement <= 1
    assert str(found) == found.headline


def test_ctrl_c_leaves_what_is_done():
    """Refits come one after another: whoever stops keeps those that are done."""
    again = refits_by(UnlessLearner(warn=False), records(100), n=10)
    done = [next(again), next(again)]
    again.close()
    data = records(100)
    own = learn(UnlessLearner(warn=False), data).model.program
    assert Stability.of(own, data, done).refits == 2


def test_a_label_that_a_sample_lacks():
    """A sample may lack a rare label; the refit is compared all the same."""
    data = records(60)
    rare = replace(data, target=Labels.of("risk", ["rare", *[str(one) for one in data.y[1:]]]))
    own = learn(UnlessLearner(warn=False), rare).model.program
    assert stability_of(UnlessLearner(warn=False), own, rare, n=6).refits == 6
    assert 0 < MATCHING_OVERLAP < 1


def test_locked_rules_are_in_every_refit():
    """The rest is learned around them, also from samples that lack their label; they are never called unstable."""
    table = records(300)
    strange = Rule("fine", (Literal("smokes", "==", "yes"), Literal("age", ">", 60.0)))
    learner = UnlessLearner(warn=False)
    model = learn(learner, table, keep=[strange]).model
    assert model.locked == (0,)
    free = list(refits_by(learner, table, n=3))
    assert not any(strange in one.program.rules for one in free)
    kept = list(refits_by(learner, table, n=3, keep=model.program, lock=model.locked))
    assert all(one.program.rules[0] == strange for one in kept)
    found = stability_of(learner, model.program, table, n=3, lock=model.locked)
    assert found.locked == (0,)
    assert found.lines()[0][1:3] == ("locked", "")
    assert not any(one.rule == 0 for one in (*found.thresholds, *found.unstable(1.1)))
    rare = replace(table, target=Labels.of("risk", ["other" if k == 7 else label for k, label in enumerate(table.y)]))
    keep = Program("risk", table.features, (Rule("other", (Literal("age", ">", 80.0),)),))
    assert len(list(refits_by(learner, rare, n=5, keep=keep, lock=(0,)))) == 5
