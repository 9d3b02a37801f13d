"""The shapes of use: what counts as one record, what takes a model, how a model prints, how errors quote labels."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import unless
from unless import FoldRMClassifier, FoldRPPClassifier, Literal, Program, Proof, Rule, UnlessClassifier, UnlessCommittee
from unless.errors import ParameterError, UnknownNameError
from unless.estimators.model_file import read
from unless.explanation.vote_explanation import VoteExplanation
from unless.export import json as programs
from unless.export import to_javascript, to_python, to_sql, to_text
from unless.logic import to_clingo, to_prolog

RECORDS = [{"age": age, "town": town} for age in range(20, 60) for town in ("Oslo", "Rome")]
LABELS = [int(one["age"] > 40 and one["town"] == "Rome") for one in RECORDS]
FRAME = pd.DataFrame(RECORDS)
X, Y, FITTED = FRAME, LABELS, [UnlessClassifier()]
PROGRAM = Program("y", ("age", "town"), (Rule("old", (Literal("age", ">", 40.0),)),), "young")


@pytest.fixture(scope="module")
def committee():
    """A committee."""
    return UnlessCommittee(size=5).fit(FRAME, LABELS)


def one_record():
    """One record in every shape."""
    return [
        RECORDS[3],
        FRAME.iloc[3],
        FRAME.iloc[[3]],
        pl.DataFrame(RECORDS)[3],
        pl.DataFrame(RECORDS).row(3, named=True),
        pa.Table.from_pylist(RECORDS)[3:4],
    ]


class TestExplain:
    """One record gives one proof, several give a list."""

    @pytest.mark.parametrize("record", one_record(), ids=lambda record: type(record).__name__)
    def test_one_record_gives_one_proof(self, model, committee, record):
        """A dict, a row or a frame of one row: what `why_not` and `counterfactuals` take, `explain` takes."""
        wanted = model.explain(FRAME)[3]
        assert isinstance(wanted, Proof)
        assert model.explain(record) == unless.explain(model, record) == wanted
        assert str(model.why_not(record, 0)) == str(unless.why_not(model, record, 0))
        assert str(model.counterfactuals(record)) == str(unless.counterfactuals(model, record))
        for found in (committee.explain(record), unless.explain(committee, record)):
            assert isinstance(found, VoteExplanation)
            assert found.items == committee.explain(FRAME)[3].items

    @pytest.mark.parametrize("record", one_record(), ids=lambda record: type(record).__name__)
    def test_a_program_takes_the_same(self, record):
        """A program needs only the features that it tests."""
        proof = unless.explain(PROGRAM, record)
        assert (proof.label, proof.record["age"]) == ("young", 21.0)
        assert unless.why_not(PROGRAM, record, "old").proof == proof
        assert str(unless.counterfactuals(PROGRAM, record)[0]) == "age above 40 → old (rule 1)"

    def test_several_records_give_a_list(self, model, committee):
        """A proof for each; a list of records gives a list even if it has one."""
        for several in (FRAME[:3], RECORDS[:3], pl.DataFrame(RECORDS)[:3], unless.read_table(FRAME[:3], like=model)):
            assert [proof.label for proof in model.explain(several)] == model.predict(several).tolist()
            assert len(committee.explain(several)) == len(unless.explain(committee, several)) == 3
            assert [proof.label for proof in unless.explain(PROGRAM, several)] == ["young"] * 3
        for answer in (
            model.explain(RECORDS[:1]),
            committee.explain(RECORDS[:1]),
            unless.explain(PROGRAM, RECORDS[:1]),
        ):
            assert isinstance(answer, list)
            assert len(answer) == 1

    def test_a_row_of_an_array(self):
        """A row of an array is one record, too."""
        array = FRAME[["age"]].to_numpy()
        model = FoldRMClassifier().fit(array, array[:, 0] > 40)
        assert model.explain(array[0]) == model.explain(array)[0]
        assert model.explain(array[0]).label is False
        assert str(model.counterfactuals(array[0])) == str(model.counterfactuals(array[:1]))

    def test_a_model_from_a_file_without_its_classifier(self, model, committee, tmp_path):
        """What a file holds is a model, too."""
        for fitted in (model, committee):
            fitted.save(tmp_path / "model.json")
            assert str(unless.explain(read(tmp_path / "model.json"), RECORDS[3])) == str(fitted.explain(RECORDS[3]))

    def test_a_question_about_several_records_is_refused(self, model):
        """`why_not` and `counterfactuals` are about one record."""
        for ask in (model, PROGRAM):
            with pytest.raises(ParameterError, match="expected one record, got 2; pass them one by one"):
                unless.why_not(ask, FRAME[:2], "old")
            with pytest.raises(ParameterError, match="expected one record, got 2; pass them one by one"):
                unless.counterfactuals(ask, FRAME[:2])


WRITERS = [to_text, to_python, to_javascript, to_sql, to_clingo, to_prolog, programs.dumps]


class TestModels:
    """Whatever takes a program takes a model."""

    @pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
    def test_a_model_is_written_as_its_program(self, model, write, tmp_path):
        """Fitted, loaded, or only what a file holds; code is that of the model, which reads cells as it does."""
        model.save(tmp_path / "model.json")
        wanted = write(model if write in (to_python, to_javascript, to_sql) else model.program_)
        for one in (model, unless.load(tmp_path / "model.json"), read(tmp_path / "model.json")):
            assert write(one) == wanted

    @pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
    def test_what_has_no_rules_is_refused(self, write):
        """A classifier that is not fitted yet, or anything else."""
        with pytest.raises(ParameterError, match=r"this UnlessClassifier has no rules yet; fit it first: fit\(X, y\)"):
            write(UnlessClassifier())
        with pytest.raises(ParameterError, match="expected a Program or a fitted model, not int 3"):
            write(3)
        with pytest.raises(ParameterError, match="expected a Program or a fitted model, not LogisticRegression"):
            write(LogisticRegression())

    @pytest.mark.parametrize("write", [to_text, to_clingo, to_prolog, programs.dumps], ids=lambda one: one.__name__)
    def test_a_committee_is_not_one_list(self, committee, write):
        """What holds one list refuses a committee; the list that imitates it can be written."""
        with pytest.raises(ParameterError, match=r"a committee of 5 lists cannot be written as .*: model.program_"):
            write(committee)
        assert write(committee.program_)

    def test_questions_need_rules(self):
        """An unfitted classifier is told to be fitted."""
        with pytest.raises(ValueError, match="not fitted yet"):
            unless.explain(UnlessClassifier(), RECORDS[0])
        with pytest.raises(ParameterError, match=r"expected a Program or a fitted model, not str 'model\.json'"):
            unless.explain("model.json", RECORDS[0])


class TestPrint:
    """A model prints its rules in columns; the command prints the same (tests/cli/test_show.py)."""

    def test_rules_in_columns(self):
        """Labels begin and figures end below each other; whole numbers have no point."""
        frame = pd.DataFrame({"income": np.arange(0.0, 60_000, 500), "history": ["late", "good", None] * 40})
        labels = np.where(frame.income > 27_500, "accept", np.where(frame.history == "late", "no", "accept"))
        assert str(FoldRPPClassifier(ratio=0.6, positive="no").fit(frame, labels)) == (
            "label: 1 rule, 0 exceptions\n"
            "            decided  expected precision\n"
            " 1  no           19   0.815 (0.44–1.00)  if history is late and income ≤ 27,000\n"
            "    accept      101   0.955 (0.82–1.00)  otherwise"
        )

    def test_thresholds_are_the_shortest_text_of_their_number(self):
        """No digit is lost and none is added: what is printed is exactly the number that decides."""
        exact = [0.1, 0.30000000000000004, 2.0, 1e-7, 12.745]
        rules = tuple(Rule("a", (Literal("f", "<=", number),)) for number in exact)
        model = UnlessClassifier().fit([{"f": number} for number in range(8)], list("aaaabbbb"))
        edited = model.with_program(Program("label", ("f",), rules, "b"), [{"f": 1}, {"f": 3}], ["a", "b"])
        said = [line.split("≤")[1].strip() for line in str(edited).splitlines() if "≤" in line]
        assert said == ["0.1", "0.30000000000000004", "2", "1e-07", "12.745"]
        assert list(map(float, said)) == exact

    def test_wide_letters_keep_columns(self):
        """A letter of two columns counts as two, an accent as none."""
        model = UnlessClassifier().fit([{"f": number} for number in range(40)], ["日本"] * 20 + ["e\u0301"] * 20)
        _, first, second, third = str(model).splitlines()
        assert second.index("20") + 2 == first.index("decided") + len("decided") - 2
        assert third.index("20") == second.index("20") + 3

    def test_a_loaded_model_prints_the_same(self, model, committee, tmp_path):
        """The figures are in the file."""
        for fitted in (model, committee):
            fitted.save(tmp_path / "model.json")
            assert str(unless.load(tmp_path / "model.json")) == str(fitted)


class TestLabels:
    """Errors quote labels as they are: 0 is not '0'."""

    def test_numbers(self, model, committee):
        """An unknown label is shown with the labels that there are."""
        for ask in (model.why_not, model.counterfactuals):
            with pytest.raises(UnknownNameError, match=r"no rule gives the label 7; there are (0, 1|1, 0)$"):
                ask(RECORDS[0], 7)
            with pytest.raises(UnknownNameError, match=r"no rule gives the label 7;"):
                ask(RECORDS[0], np.int64(7))
            with pytest.raises(UnknownNameError, match=r"no rule gives the label '1'; did you mean 1\?$"):
                ask(RECORDS[0], "1")
        with pytest.raises(UnknownNameError, match=r"no class 7; there are 0, 1$"):
            committee.counterfactuals(RECORDS[0], 7)
        with pytest.raises(UnknownNameError, match=r"class_weight names 7, which is not a label .*; there are 0, 1$"):
            UnlessClassifier(class_weight={7: 1}).fit(FRAME, LABELS)
        with pytest.raises(UnknownNameError, match=r"y has 7, which is not a label of training; there are 0, 1$"):
            model.with_program(model.program_, FRAME[:1], [7])
        with pytest.raises(UnknownNameError, match=r"no label 7; there are 0, 1$"):
            unless.fold_rpp(unless.read_table(FRAME.assign(y=LABELS), target="y"), 7)

    def test_booleans_and_texts(self):
        """True is True, and a text has quotes."""
        flags = UnlessClassifier().fit(FRAME, np.array(LABELS) == 1)
        with pytest.raises(UnknownNameError, match=r"no rule gives the label 'truth'; did you mean True\?$"):
            flags.why_not(RECORDS[0], "truth")
        texts = UnlessClassifier().fit(FRAME, list(map(str, LABELS)))
        with pytest.raises(UnknownNameError, match=r"no rule gives the label 7; there are '[01]', '[01]'$"):
            texts.why_not(RECORDS[0], 7)


def test_what_is_printed_needs_no_terminal(model, monkeypatch):
    """A model prints without rich and typer, which are extras."""
    for name in ("rich", "typer"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    out = io.StringIO()
    print(model, file=out)
    assert out.getvalue().startswith("label: 2 rules, 0 exceptions\n       decided  expected precision\n 1  ")
    assert json.loads(programs.dumps(model))["format"] == "unless-program"
