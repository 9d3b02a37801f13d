"""Models with edited rules: with records all is measured again, without only what is still true is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unless
from tests.strategies import CELLS, FEATURES, programs, records
from unless.errors import ParameterError, ProgramError, UnknownNameError
from unless.estimators.editing import still_true
from unless.evaluation.metrics import count_rule_decisions
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table

KINDS = {"n": "number", "t": "text", "m": "mixed", "b": "text"}
ROWS = 60
_CELLS = records(ROWS, seed=1, cells={name: CELLS[name] for name in FEATURES})
_COLUMNS = tuple(Column.of(name, _CELLS[name], KINDS[name]) for name in FEATURES)
_CLASSES = ("a", "b", "c")
TABLE = Table(_COLUMNS, Labels("y", _CLASSES, np.arange(ROWS) * 7 % 3))


@st.composite
def edits(draw):
    """A program and an edited one: rules removed, moved, changed and added, most of them at the end."""

    def of(program: Program) -> tuple[Rule, ...]:
        return tuple(replace(rule, head=draw(st.sampled_from(_CLASSES))) for rule in program.rules)

    old = of(draw(programs()))
    kept = draw(st.integers(0, len(old)))
    new = (*old[:kept], *draw(st.sampled_from([(), (Rule("a"),), of(draw(programs())), tuple(reversed(old))])))
    otherwise = st.sampled_from([None, *_CLASSES])
    return (Program("y", FEATURES, old, draw(otherwise)), Program("y", FEATURES, new, draw(otherwise)))


def agree(found: RuleStatistics, true: RuleStatistics) -> None:
    """What is known is true, and what is not known adds up."""
    known = [found.known(row) for row in range(len(true.counts))]
    assert found.labels == true.labels
    np.testing.assert_array_equal(found.counts[known], true.counts[known])
    np.testing.assert_array_equal(found.by_class, true.by_class)
    if found.unmeasured is None:
        assert all(known)
    else:
        missing = ~np.array(known)
        np.testing.assert_array_equal(found.unmeasured, true.counts[missing].sum(axis=0))


class TestStillTrue:
    """What is known of edited rules without records."""

    @given(edits())
    def test_what_is_kept_is_what_records_would_show(self, pair):
        """Every count that is kept is the one that a measurement gives."""
        old, new = pair
        agree(still_true(count_rule_decisions(old, TABLE), old, new), count_rule_decisions(new, TABLE))

    @given(edits(), edits())
    def test_edited_twice(self, pair, again):
        """After a second edit, what is kept is still true."""
        (old, new), (_, last) = pair, again
        once = still_true(count_rule_decisions(old, TABLE), old, new)
        mixed = replace(last, rules=(*new.rules[:2], *last.rules))
        agree(still_true(once, new, mixed), count_rule_decisions(mixed, TABLE))

    def test_how_much_is_kept(self):
        """The rules before the change, and the one that takes all others right after them."""
        one, two = Rule("a", (Literal("n", ">", 0.5),)), Rule("b", (Literal("t", "==", "a"),))
        old = Program("y", FEATURES, (one, two, Rule("c")))
        statistics = count_rule_decisions(old, TABLE)
        for rules, known in [
            ((one, two, Rule("c")), "yyyy"),
            ((one, Rule("c")), "yyy"),
            ((one,), "yy"),
            ((one, two, two, Rule("c")), "yynnn"),
            ((two, one), "nnn"),
            ((Rule("a"), one), "yyy"),
        ]:
            found = still_true(statistics, old, replace(old, rules=rules))
            assert "".join("ny"[found.known(row)] for row in range(len(rules) + 1)) == known, rules


X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
Y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
TEXT = "risk if smokes is yes and age > 45\n    unless age >= 58\nfine otherwise"


FITTED = [unless.UnlessClassifier(warn=False)]


class TestWithProgram:
    """``model.with_program(unless.parse(text))``."""

    def test_with_records(self, model):
        """Everything is measured again, whether or not the text knew the model."""
        for program in (unless.parse(TEXT, like=model), unless.parse(TEXT)):
            edited = model.with_program(program, X, Y)
            assert edited.program_ == unless.parse(TEXT, like=model)
            assert edited.statistics_.support.tolist() == [12.0, 68.0]
            assert edited.card_ is not None
            assert edited.feature_importances_.sum() == pytest.approx(1)

    def test_without_records(self, model, tmp_path):
        """What is not known is not there, in the file too; predictions work, and the model itself stays as it was."""
        edited = model.with_program(unless.parse(TEXT, like=model))
        assert np.isnan(edited.statistics_.support).all()
        assert (edited.card_, edited.tuned_, edited.distillation_) == (None, None, None)
        with pytest.raises(AttributeError, match="feature_importances_ are not known"):
            _ = edited.feature_importances_
        with pytest.raises(Exception, match="with_program"):
            edited.score_card(X[0])
        edited.save(tmp_path / "edited.json")
        loaded = unless.load(tmp_path / "edited.json")
        assert loaded.predict(X).tolist() == edited.predict(X).tolist()
        np.testing.assert_array_equal(loaded.predict_proba(X), edited.predict_proba(X))
        np.testing.assert_array_equal(loaded.statistics_.counts, edited.statistics_.counts)
        assert (
            loaded.predict_proba(X).argmax(axis=1) == [list(loaded.classes_).index(one) for one in loaded.predict(X)]
        ).all()
        assert "–                   –  if smokes is yes and age > 45" in str(loaded)
        assert loaded.rules_["support"].isna().all()
        assert loaded._repr_html_() is not None
        assert model.statistics_.total == 80
        assert model.card_ is not None

    def test_the_same_program_keeps_everything(self, model):
        """Nothing is lost if nothing is changed."""
        same = model.with_program(unless.parse(str(model), like=model))
        np.testing.assert_array_equal(same.statistics_.counts, model.statistics_.counts)
        assert same.card_ is model.card_

    def test_labels_and_target_are_those_of_the_model(self):
        """A text that knows no model has the label 1 and the target label; the model knows better."""
        table = unless.read_table([{"n": n, "y": str(int(n > 3))} for n in range(9)], "y")
        model = unless.UnlessClassifier(warn=False).fit(table)
        edited = model.with_program(unless.parse("1 if n > 4\n0 otherwise"), table)
        assert (edited.program_.target, edited.program_.heads) == ("y", ("1", "0"))
        assert edited.statistics_.right.tolist() == [4.0, 4.0]

    def test_what_does_not_fit(self, model):
        """Other features and labels are refused, and labels without records."""
        with pytest.raises(ProgramError, match="other features than the model: no feature 'agee'; did you mean 'age'"):
            model.with_program(unless.parse("risk if agee > 3"))
        with pytest.raises(UnknownNameError, match="'risky', which is not a label of training"):
            model.with_program(unless.parse("risky if age > 3"))
        with pytest.raises(ParameterError, match="without records"):
            model.with_program(model.program_, y=Y)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"unmeasured": [1.0]}, "statistics.unmeasured: expected 2 counts, one for each class"),
        ({"unmeasured": [1.0, -1.0]}, "statistics.unmeasured[1]: expected a number from 0 to 1e200, not -1.0"),
        ({"unmeasured": None}, "statistics.unmeasured: expected a list, not null"),
        ({"counts": [[1.0, 1.0], [1.0, 1.0]]}, "every rule has counts"),
        ({"counts": [None]}, "expected 2 rows of 2 counts"),
        ({"counts": [None, [1.0, "x"]]}, 'statistics.counts[1][1]: expected a number from 0 to 1e200, not "x"'),
        ({"counts": [None, None], "unmeasured": [0.0, 0.0]}, "all counts are 0"),
    ],
)
def test_files_of_strangers(model, tmp_path, change, said):
    """Counts that make no sense are refused with their place."""
    path = Path(tmp_path / "edited.json")
    model.with_program(unless.parse(TEXT, like=model)).save(path)
    document = json.loads(path.read_text())
    document["statistics"] |= change
    path.write_text(json.dumps(document))
    with pytest.raises(ProgramError) as caught:
        unless.load(path)
    assert said in str(caught.value)
