"""New records of other types than in training are read as what they plainly mean, or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import unless
from unless import FoldRMClassifier, UnlessClassifier, predict, read_table
from unless.errors import ReadError
from unless.evaluation.metrics import align_labels
from unless.read.column_inference import flag_names
from unless.stream import predict_file
from unless.table import Labels
from unless.values import class_index, parse_flag

FLAGS = [True, True, False, True, False, False, True, False] * 10
OTHER = list(range(80))
Y = ["in" if flag else "out" for flag in FLAGS]


def _frame(cells, kind=None):
    return pd.DataFrame({"flag": pd.Series(cells, dtype=kind), "other": OTHER})


def _missing(cells):
    return [None, *cells[1:]]


BOOLEANS = {
    "booleans": _frame(FLAGS),
    "objects": _frame(FLAGS, object),
    "nullable": _frame(FLAGS, "boolean"),
    "categories": _frame(FLAGS, "category"),
    "arrow": pa.table({"flag": FLAGS, "other": OTHER}),
    "polars": pl.DataFrame({"flag": FLAGS, "other": OTHER}),
    "records": [{"flag": flag, "other": other} for flag, other in zip(FLAGS, OTHER, strict=True)],
}
NUMBERS = {
    "integers": _frame([int(flag) for flag in FLAGS]),
    "small integers": _frame([int(flag) for flag in FLAGS], "int8"),
    "floats": _frame([float(flag) for flag in FLAGS]),
    "nullable integers": _frame([int(flag) for flag in FLAGS], "Int64"),
    "polars integers": pl.DataFrame({"flag": [int(flag) for flag in FLAGS], "other": OTHER}),
}
TEXTS = {
    "True": _frame([str(flag) for flag in FLAGS]),
    "true": _frame([str(flag).lower() for flag in FLAGS]),
    "TRUE": _frame([str(flag).upper() for flag in FLAGS]),
}
SPELLED = {"1": _frame([str(int(flag)) for flag in FLAGS]), "1.0": _frame([str(float(flag)) for flag in FLAGS])}


class TestBooleans:
    """True and 1."""

    @pytest.mark.parametrize("new", [*BOOLEANS, *NUMBERS, *TEXTS, *SPELLED])
    @pytest.mark.parametrize("old", [*BOOLEANS, *TEXTS])
    def test_of_training_are_numbers_and_texts_of_new_records(self, old, new):
        """Whatever spells the two values of a column that was boolean in training is one of them."""
        frames = BOOLEANS | NUMBERS | TEXTS | SPELLED
        model = FoldRMClassifier().fit(frames[old], Y)
        assert model.program_.used == ("flag",)
        assert model.score(frames[new], Y) == 1
        assert_array_equal(predict(model.program_, read_table(frames[new], like=model)), Y)

    @pytest.mark.parametrize("new", [*BOOLEANS, *TEXTS, *SPELLED])
    @pytest.mark.parametrize("old", NUMBERS)
    def test_are_the_numbers_of_training(self, old, new):
        """The other way round: if training had numbers, True is 1 and False is 0."""
        frames = BOOLEANS | NUMBERS | TEXTS | SPELLED
        model = FoldRMClassifier().fit(frames[old], Y)
        assert model.score(frames[new], Y) == 1
        assert_array_equal(predict(model.program_, read_table(frames[new], like=model)), Y)

    @pytest.mark.parametrize("new", [*NUMBERS, *TEXTS, *SPELLED])
    def test_in_tables_and_files(self, new, tmp_path):
        """It does not matter whether a table was read with or without ``like=``."""
        model = UnlessClassifier().fit(BOOLEANS["booleans"], Y)
        frame = (NUMBERS | TEXTS | SPELLED)[new]
        assert model.score(read_table(frame), Y) == 1
        path = tmp_path / "new.csv"
        frame.to_csv(path, index=False) if isinstance(frame, pd.DataFrame) else frame.write_csv(path)
        model.save(tmp_path / "model.json")
        for like in (model, unless.load(tmp_path / "model.json"), read_table(BOOLEANS["booleans"])):
            assert_array_equal(predict(model.program_, read_table(path, like=like)), Y)

    def test_by_position(self):
        """In arrays too, of booleans, of numbers and of objects."""
        array = np.array([FLAGS, FLAGS]).T
        model = FoldRMClassifier().fit(array, Y)
        for new in (array, array.astype(int), array.astype(float), array.astype(object), array.astype(str)):
            assert model.score(new, Y) == 1
        assert FoldRMClassifier().fit(array.astype(float), Y).score(array, Y) == 1
        with pytest.warns(UserWarning, match="feature names"):
            assert FoldRMClassifier().fit(NUMBERS["integers"], Y).score(array, Y) == 1

    def test_missing_cells_stay_missing(self):
        """A flag that became missing makes the others floats, which changes nothing."""
        model = FoldRMClassifier().fit(_frame(_missing(FLAGS), "boolean"), Y)
        new = _frame(_missing([float(flag) for flag in FLAGS]), "float64")
        assert_array_equal(model.predict(new), model.predict(_frame(_missing(FLAGS), object)))

    def test_what_is_not_plain_stays_what_it_is(self):
        """The word yes is not True, 2 is not a boolean, and a column with a third category is not boolean."""
        model = FoldRMClassifier().fit(BOOLEANS["booleans"], Y)
        cells = ["yes", 2, 1, "on", "TRUE", None]
        table = read_table([{"flag": cell, "other": 0} for cell in cells], like=model)
        assert [table.record(row)["flag"] for row in range(6)] == ["yes", "2", "True", "on", "True", None]
        third = FoldRMClassifier().fit(_frame(["true", "false", "unknown", "1"] * 20), ["a", "b", "c", "d"] * 20)
        assert third.predict(_frame(["1", 1] * 40, object)).tolist() == ["d"] * 80
        assert not flag_names(["True", "true"])
        assert flag_names(["TRUE"]) == {False: "FALSE", True: "TRUE"}
        assert flag_names(["tRuE"]) == {False: "False", True: "tRuE"}
        assert parse_flag(" 1 ") is True


class TestNumbersAndNames:
    """3, 3.0, "3" and the category 3."""

    def test_a_categorical_of_integers_has_names(self):
        """A person who makes integers a category does not want them compared; labels stay integers."""
        codes = [101, 205, 333, 205] * 20
        y = ["b" if code == 205 else "a" for code in codes]
        frame = pd.DataFrame({"code": pd.Categorical(codes)})
        model = FoldRMClassifier().fit(frame, y)
        assert model.schema_.kinds == {"code": "text"}
        for new in (
            codes,
            list(map(float, codes)),
            list(map(str, codes)),
            pd.Categorical(codes),
            [f"{c}.0" for c in codes],
        ):
            assert model.score(pd.DataFrame({"code": new}), y) == 1
        assert FoldRMClassifier(numeric=["code"]).fit(frame, y).schema_.kinds == {"code": "number"}
        labels = read_table(frame.assign(x=1), "code").target
        assert labels is not None
        assert labels.labels == (101, 205, 333)
        assert read_table(pd.DataFrame({"flag": pd.Categorical(FLAGS)})).column("flag").categories == ("False", "True")

    def test_names_that_look_like_numbers(self, tmp_path):
        """Codes that got .0 when a cell became missing are the codes of training, in files too; 0123 is not 123."""
        codes = ["123", "7", "0456", "123"] * 20
        y = ["b" if code == "123" else "a" for code in codes]
        model = FoldRMClassifier().fit(pd.DataFrame({"zip": codes}), y)
        (tmp_path / "new.csv").write_text('zip\n123.0\n7.0\n""\n456\n0123\n')
        table = read_table(tmp_path / "new.csv", like=model)
        assert [table.record(row)["zip"] for row in range(5)] == ["123", "7", None, "456", "0123"]
        assert model.predict(pd.DataFrame({"zip": [123.0, None, 7.0]})).tolist() == ["b", "a", "a"]

    def test_numbers_spelled_as_text(self):
        """If training had numbers, text that spells a number is that number."""
        model = FoldRMClassifier().fit(pd.DataFrame({"n": range(80)}), ["low"] * 40 + ["high"] * 40)
        assert model.predict([{"n": "3"}, {"n": " 70.0"}, {"n": np.int8(2)}]).tolist() == ["low", "high", "low"]
        assert model.predict(read_table([{"n": "3"}, {"n": "70"}])).tolist() == ["low", "high"]


class TestLabels:
    """True labels of another type."""

    X = pd.DataFrame({"x": [1.0, 2.0] * 20})

    @pytest.mark.parametrize(
        ("trained", "given"),
        [
            ([0, 1], ["0", "1"]),
            (["0", "1"], [0, 1]),
            (["0", "1"], [0.0, 1.0]),
            ([False, True], ["False", "True"]),
            ([False, True], ["false", "TRUE"]),
            ([False, True], [0, 1]),
            ([0, 1], [False, True]),
            ([0.0, 1.0], [False, True]),
            ([1, 2], [1.0, 2.0]),
            ([False, True], ["0", "1"]),
            (["False", "True"], [0, 1]),
        ],
        ids=str,
    )
    def test_they_are_what_they_spell(self, trained, given):
        """They are compared as what they mean, in scores, in edited models and in reports."""
        model = UnlessClassifier().fit(self.X, trained * 20)
        for y in (given * 20, np.array(given * 20), pd.Series(given * 20), pl.Series(given * 20)):
            assert model.score(self.X, y) == 1
        assert_array_equal(
            model.with_program(model.program_, self.X, given * 20).statistics_.counts, model.statistics_.counts
        )
        assert align_labels(Labels.of("y", given * 20), trained).labels == tuple(trained)

    @pytest.mark.parametrize(
        ("trained", "given"), [(["no", "yes"], [0, 1]), ([0, 1], ["no", "yes"]), ([1, 2], [False, True])], ids=str
    )
    def test_those_that_are_none_are_refused(self, trained, given):
        """Instead of a score of 0: an error that shows both."""
        model = UnlessClassifier().fit(self.X, trained * 20)
        with pytest.raises(
            ReadError, match=rf"y has labels such as {given[0]!r}, .*{trained[0]!r}.* as it was in training"
        ):
            model.score(self.X, given * 20)

    def test_a_new_label_is_wrong(self):
        """One of the right type that training did not have counts as wrong."""
        model = UnlessClassifier().fit(self.X, ["a", "b"] * 20)
        assert model.score(self.X, ["a", "c"] * 20) == 0.5
        assert model.score(self.X, ["c", "d"] * 20) == 0

    def test_true_is_1_only_among_booleans(self):
        """Among 1, 2 and 3, 1 is not True."""
        assert class_index(True, [1, 2, 3]) is None
        assert class_index("1", [False, True]) == 1
        assert class_index("1", ["1.0", "true"]) is None


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_streams_are_no_different(form, block, tmp_path):
    """Predictions for files read booleans and compare labels as what they mean, however few bytes a block has."""
    model = UnlessClassifier().fit(BOOLEANS["booleans"], pd.Series(FLAGS, name="y"))
    new = pl.from_pandas(NUMBERS["integers"].assign(y=[int(flag) for flag in FLAGS]))
    write = {"csv": new.write_csv, "parquet": new.write_parquet, "jsonl": new.write_ndjson}[form]
    write(path := tmp_path / f"new.{form}")
    done = predict_file(model, path, tmp_path / "out.csv", block=block)
    assert done.labels == {True: 40, False: 40}
    assert pl.read_csv(tmp_path / "out.csv")["predicted"].cast(bool).to_list() == FLAGS
    assert done.right == 80


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_labels_have_no_score(missing):
    """A score against labels that are not there would be a wrong number."""
    X, y = pd.DataFrame({"x": range(20)}), ["a"] * 10 + ["b"] * 10
    model = UnlessClassifier().fit(X, y)
    with pytest.raises(ReadError, match="y has missing labels"):
        model.score(X, [missing, *y[1:]])
