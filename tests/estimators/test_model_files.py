"""Model files: everything comes back, files of earlier versions load, and a stranger's file does no harm."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import unless
from unless import FoldRMClassifier, FoldRPPClassifier, Program, UnlessClassifier, UnlessError
from unless.errors import LimitError, MissingFileError, ParameterError, ProgramError
from unless.estimators.model_file import document as document_of
from unless.estimators.model_file import file_text, from_document
from unless.evaluation.metrics import count_rule_decisions
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.export import json as programs
from unless.limits import raised
from unless.model import DataOrigin, HoldoutResult, find_training_overlap
from unless.table import HoldoutSplit, Labels
from unless.table.holdout_split import fingerprint

DATA = Path(__file__).parents[1] / "data"
X = pd.DataFrame(
    {
        "sex": ["male", "female"] * 30,
        "class": [1, 2, 3] * 20,
        "age": [(7 * k) % 60 + 0.1 if k % 11 else np.nan for k in range(60)],
        "mixed": [1.5, "x", None, 2.5, 3.5] * 12,
    }
)
HIT = ((X["sex"] == "female") & (X["class"] < 3)) | (X["age"] < 10)
LABELS = {
    "text": HIT.map({True: "yes", False: "no"}),
    "int": HIT.map({True: 7, False: -1}),
    "float": HIT.map({True: 1.0, False: 2.0}),
    "bool": HIT,
}
NEW = pd.DataFrame(
    {"sex": ["male", None, "other"], "class": [1, 9, None], "age": [5.0, 1e9, None], "mixed": ["x", 2, "1.5"]}
)
MODELS = {
    "Unless": UnlessClassifier(penalty=0.1, min_support=np.int64(2)),
    "FOLD-RM": FoldRMClassifier(),
    "FOLD-RM, unclassified": FoldRMClassifier(otherwise=None, max_rules=1, max_seconds=float("inf")),
    "FOLD-R++": FoldRPPClassifier(ratio=np.float32(0.5)),
    "declared": UnlessClassifier(categorical=("class",), numeric=np.array(["mixed"]), verbose=0),
}


@pytest.mark.filterwarnings("ignore:values that training did not have")
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back(name, labels, tmp_path):
    """Predictions, probabilities, rules, statistics, parameters, and the type of labels."""
    y = LABELS[labels]
    model = copy.deepcopy(MODELS[name]).fit(X, y)
    model.save(tmp_path / "model.json")
    back = unless.load(tmp_path / "model.json")
    assert type(back) is type(model)
    assert str(back) == str(model)
    assert back.classes_.tolist() == model.classes_.tolist()
    assert back.predict(X).dtype.kind == model.predict(X).dtype.kind
    for records in (X, NEW):
        assert_array_equal(back.predict(records), model.predict(records))
        assert_array_equal(back.predict_proba(records), model.predict_proba(records))
        assert_array_equal(back.apply(records), model.apply(records))
        assert back.explain(records) == model.explain(records)
    assert_array_equal(back.feature_importances_, model.feature_importances_)
    assert back.rules_.equals(model.rules_)
    assert back.schema_ == model.schema_
    assert [(c.name, c.kind, c.categories) for c in back.domain_.columns] == [
        (c.name, c.kind, c.categories) for c in model.domain_.columns
    ]
    assert_array_equal(back.feature_names_in_, model.feature_names_in_)
    assert back.fit(X, y).program_ == model.program_


def test_saving_twice_gives_the_same_file(tmp_path):
    """A loaded model is saved as it was."""
    UnlessClassifier(class_weight={"yes": 2, "no": np.float32(1)}).fit(X, LABELS["text"]).save(tmp_path / "a.json")
    unless.load(tmp_path / "a.json").save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()


def test_class_weights_come_back(tmp_path):
    """Their keys keep their type."""
    weights = {np.int64(7): 2, -1: 0.5}
    UnlessClassifier(class_weight=weights).fit(X, LABELS["int"]).save(tmp_path / "model.json")
    assert unless.load(tmp_path / "model.json").class_weight == {7: 2.0, -1: 0.5}


@pytest.mark.parametrize("weights", [None, np.ones(60), np.full(60, 2.0)], ids=["none", "ones", "twos"])
def test_weighted_statistics_come_back(weights, tmp_path):
    """A file keeps whether counts are sums of weights; it says nothing about plain counts, as it always did."""
    path = tmp_path / "model.json"
    UnlessClassifier().fit(X, LABELS["text"], sample_weight=weights).save(path)
    weighted = weights is not None and bool(weights[0] == 2)
    assert unless.load(path).statistics_.weighted is weighted
    assert ("weighted" in json.loads(path.read_text())["statistics"]) is weighted


def test_a_model_of_an_array(tmp_path):
    """Columns without names still have none when they come back."""
    FoldRMClassifier().fit(X.to_numpy(object), LABELS["text"]).save(tmp_path / "model.json")
    back = unless.load(tmp_path / "model.json")
    assert not hasattr(back, "feature_names_in_")
    assert back.predict(X.to_numpy(object)).shape == (60,)


def test_a_model_file_is_a_program_file(tmp_path):
    """What reads programs reads models too; a program without statistics loads as a program."""
    model = FoldRMClassifier().fit(X, LABELS["text"])
    model.save(tmp_path / "model.json")
    assert programs.load(tmp_path / "model.json") == model.program_
    programs.save(model.program_, tmp_path / "program.json")
    assert unless.load(tmp_path / "program.json") == model.program_


def test_a_parameter_that_no_file_can_hold(tmp_path):
    """The parameter is named, and no file is written."""
    model = UnlessClassifier().fit(X, LABELS["text"]).set_params(verbose=object())
    with pytest.raises(ProgramError, match="the parameter verbose is"):
        model.save(tmp_path / "model.json")
    with pytest.raises(ProgramError, match="expected a text or a whole number or a finite number, not a list of 1"):
        model.set_params(verbose=[[1]]).save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:values that training did not have")
@pytest.mark.parametrize("path", sorted(DATA.glob("model-v*.json")), ids=lambda path: path.stem)
def test_files_of_earlier_versions_load(path):
    """A file of any released version gives the labels, probabilities and reasons that it gave then."""
    model = unless.load(path)
    then = json.loads(path.with_name(path.name.replace("model-", "answers-")).read_text())
    records = pd.DataFrame(then["records"])
    assert model.predict(records).tolist() == then["labels"]
    assert model.apply(records).tolist() == then["rules"]
    assert model.predict_proba(records).round(9).tolist() == then["probabilities"]
    assert unless.parse(then["text"], like=model.program_) == model.program_
    assert type(model).__name__ == then["learner"]


def test_a_file_without_importances(tmp_path):
    """A file of an earlier version has none: the error says so and what to do, and saving it again adds none."""
    model = unless.load(DATA / "model-v1-unless.json")
    with pytest.raises(AttributeError, match=r"not known.*fit it again.*with_program\(model.program_, X, y\)"):
        _ = model.feature_importances_
    assert not hasattr(model, "feature_importances_")
    model.save(tmp_path / "again.json")
    assert "importances" not in json.loads((tmp_path / "again.json").read_text())["statistics"]


def test_a_file_without_points(tmp_path):
    """A file of an earlier version gives the frequencies of rules as probabilities; with_program finds the points."""
    model = unless.load(DATA / "model-v1-unless.json")
    assert model.card_ is None
    model.save(tmp_path / "again.json")
    assert "points" not in json.loads((tmp_path / "again.json").read_text())["statistics"]
    then = json.loads((DATA / "answers-v1-unless.json").read_text())
    records = pd.DataFrame(then["records"])
    with pytest.raises(ParameterError, match="fit it again"):
        model.score_card(records[:1])
    found = model.with_program(model.program_, records, then["labels"])
    assert found.score_card(records[:1]).total


@pytest.mark.parametrize("key", ["base", "points"])
def test_half_a_score_card(key, tmp_path):
    """A file has the points of parts and of the base, or neither."""
    document = copy.deepcopy(DOCUMENT)
    del document["statistics"][key]
    with pytest.raises(ProgramError, match=f'statistics: there is no "{key}"'):
        _load(document, tmp_path)


DOCUMENT = json.loads(
    json.dumps(document_of(UnlessClassifier(class_weight={"yes": 1}).fit(X, LABELS["text"])._current()))
)


_TESTED = next(one for rule in DOCUMENT["rules"] for one in rule["default"] if one[1] in ("<=", ">"))
"""A literal of the rules."""


def test_a_model_that_is_too_large(tmp_path):
    """A model that is too large is refused, with the limit."""
    with raised(model=1000), pytest.raises(LimitError, match=r"model.json: too large for a model; the limit is 1 kB"):
        _load(DOCUMENT, tmp_path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("columns",), None, "columns: expected columns as they were read: an object with kinds"),
        (("columns", "kinds"), [], "these are not the features of the program"),
        (("columns", "kinds", 0, 1), "date", 'expected one of "mixed", "number", "text", not "date"'),
        (("columns", "values", 0, 0), "nobody", r"columns.values\[0\]\[0\]: \"nobody\" is not one of the features"),
        (("columns", "values", 0, 1), [1, 2, 3], "a list of at most 2 items, not a list of 3"),
        (("statistics", "learner"), "SVC", "no learner 'SVC'"),
        (("statistics", "learner"), "RuleClassifier", "no learner 'RuleClassifier'"),
        (("statistics", "parameters", 0, 0), "ratios", "has no parameter 'ratios'; did you mean 'ratio'"),
        (
            ("statistics", "parameters", 0, 1),
            {"pairs": 1},
            r"statistics.parameters\[0\]\[1\]: unknown key \"pairs\"; there are 'float'",
        ),
        (("statistics", "classes"), [], "a list of at least 1 items, not a list of 0"),
        (("statistics", "classes"), ["yes", "no"], "not sorted"),
        (("statistics", "classes"), ["no", "no"], "not sorted"),
        (("statistics", "classes"), [0, 1], "all text, all numbers"),
        (("statistics", "classes"), ["a", "b"], "is a label of the program, but not a class"),
        (("statistics", "counts"), [[1, 2]], "rows of 2 counts"),
        (("statistics", "counts", 0), [1], "rows of 2 counts"),
        (("statistics", "counts", 0, 0), -1, "from 0 to 1e200"),
        (("statistics", "counts", 0, 0), 1e201, "from 0 to 1e200"),
        (("statistics", "importances"), [1, 0], "expected 4 shares, one for each feature"),
        (("statistics", "importances", 0), -0.5, "a number from 0 to 1, not -0.5"),
        (("statistics", "weighted"), "yes", 'weighted: expected true or false, not "yes"'),
        (("statistics", "base"), [1, 2], r"statistics.base: expected 1 number; there are 2"),
        (("statistics", "base"), None, "base: expected a list, not null"),
        (("statistics", "points"), [[1]], "rows, one for each part; there are 1"),
        (("statistics", "points"), 7, "points: expected a list, not 7"),
        (("statistics", "points", 0), [], r"statistics.points\[0\]: expected 1 number; there are 0"),
        (("statistics", "points", 0, 0), 0.5, "a whole number from -1000000 to 1000000, not 0.5"),
        (("statistics", "points", 0, 0), 1_000_001, "a whole number from -1000000 to 1000000, not 1000001"),
        (("statistics", "points", 0, 0), True, "a whole number from -1000000 to 1000000, not true"),
        (("statistics", "cuts"), 7, "cuts: expected a list, not 7"),
        (("statistics", "cuts", 0, 0), "nobody", r'statistics.cuts\[0\]\[0\]: "nobody" is not one of the features'),
        (("statistics", "cuts", 0, 2), "much", "is not a number"),
        (("statistics", "cuts", 0, 1), "==", "a category, a text"),
        (
            ("statistics", "cuts"),
            DOCUMENT["statistics"]["cuts"][:1] * 2,
            r"statistics.cuts\[1\]: a cut is a literal that is in no rule",
        ),
        (("statistics", "cuts", 0), _TESTED, r"statistics.cuts\[0\]: a cut is a literal that is in no rule"),
        (("statistics", "cuts"), [], "rows, one for each part; there are"),
    ],
    ids=str,
)
def test_a_wrong_file_is_refused(place, value, message, tmp_path):
    """A wrong file is refused with the place of what is wrong."""
    document = copy.deepcopy(DOCUMENT)
    node = document
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    with pytest.raises(ProgramError, match=message):
        _load(document, tmp_path)


def test_statistics_need_columns_and_counts(tmp_path):
    """Half a model is refused."""
    without = {key: value for key, value in DOCUMENT.items() if key != "columns"}
    with pytest.raises(ProgramError, match="statistics but no columns"):
        _load(without, tmp_path)
    nothing = copy.deepcopy(DOCUMENT)
    nothing["statistics"]["counts"] = [[0, 0] for _ in nothing["statistics"]["counts"]]
    with pytest.raises(ProgramError, match="all counts are 0"):
        _load(nothing, tmp_path)
    older = copy.deepcopy(DOCUMENT)
    del older["columns"]["values"]
    assert _load(older, tmp_path).domain_.features == ()


def test_a_file_that_is_not_there(tmp_path):
    """A missing file is named, and so is the nearest name that exists."""
    UnlessClassifier().fit(X, LABELS["text"]).save(tmp_path / "model.json")
    with pytest.raises(MissingFileError, match=r"did you mean 'model.json'"):
        unless.load(tmp_path / "modell.json")


def _load(document, folder):
    (folder / "model.json").write_text(json.dumps(document))
    return unless.load(folder / "model.json")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def places(node, here=()):
    """Every place of a document."""
    yield here
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from places(value, (*here, key))


PLACES = [place for place in places(DOCUMENT) if place]


@pytest.mark.filterwarnings("ignore:values that training did not have")
@given(st.data())
@settings(max_examples=250, deadline=None)
def test_a_damaged_file_is_refused_or_works(tmp_path_factory, data):
    """Whatever is changed, left out or doubled, the result is an error of unless, or a model that predicts."""
    document = copy.deepcopy(DOCUMENT)
    for place in data.draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2)):
        _damage(document, place, data)
    try:
        model = _load(document, tmp_path_factory.getbasetemp())
    except UnlessError:
        return
    if not isinstance(model, Program):
        assert len(model.predict(X)) == len(X)
        assert np.isfinite(model.predict_proba(X)).all()
        assert str(model)
        assert model._repr_html_()
        assert len(model.rules_) == len(model.program_)


def _damage(document, place, data):
    """Change, remove or double what is at a place, if it is still there."""
    node = document
    try:
        for key in place[:-1]:
            node = node[key]
        node[place[-1]]
    except (KeyError, IndexError, TypeError):
        return
    if isinstance(node, str):
        return
    how = data.draw(st.sampled_from(["change", "remove", "double", "borrow"]))
    if how == "remove":
        del node[place[-1]]
    elif how == "double" and isinstance(node, list):
        node.insert(place[-1], copy.deepcopy(node[place[-1]]))
    elif how == "borrow":
        other = DOCUMENT
        for key in data.draw(st.sampled_from(PLACES)):
            other = other[key]
        node[place[-1]] = copy.deepcopy(other)
    else:
        node[place[-1]] = data.draw(anything)


class TestPacked:
    """Files packed by gzip."""

    def test_a_name_that_ends_with_gz_is_packed(self, tmp_path):
        """Packed, always to the same bytes, and read back whatever the name is; a program, too."""
        model = UnlessClassifier().fit(X, LABELS["int"])
        model.save(tmp_path / "model.json")
        for name in ("model.json.gz", "again.JSON.GZ"):
            model.save(tmp_path / name)
            assert str(unless.load(tmp_path / name)) == str(model)
        packed = (tmp_path / "model.json.gz").read_bytes()
        assert packed == (tmp_path / "again.JSON.GZ").read_bytes()
        assert packed[4:8] == bytes(4)  # no time
        assert gzip.decompress(packed) == (tmp_path / "model.json").read_bytes()
        (tmp_path / "unnamed").write_bytes(packed)
        assert unless.load(tmp_path / "unnamed").program_ == model.program_
        programs.save(model.program_, tmp_path / "program.json.gz")
        assert (
            unless.load(tmp_path / "program.json.gz") == programs.load(tmp_path / "program.json.gz") == model.program_
        )

    def test_a_bomb_is_refused(self, tmp_path, monkeypatch):
        """No more is unpacked than a model may have, and the error says how to allow more."""
        (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b" " * 50_000_000))
        unpacked = []
        read = gzip.GzipFile.read
        monkeypatch.setattr(gzip.GzipFile, "read", lambda self, size=-1: unpacked.append(size) or read(self, size))
        with raised(model="1 MB"):
            with pytest.raises(LimitError, match=r"bomb.json.gz: too large for a model, unpacked; the limit is 1 MB"):
                unless.load(tmp_path / "bomb.json.gz")
            with pytest.raises(LimitError, match=r"bomb.json.gz: too large for a model, unpacked"):
                programs.load(tmp_path / "bomb.json.gz")
        assert unpacked == [1_000_001] * 2

    @pytest.mark.parametrize("damage", ["short", "changed", "header"])
    def test_damaged_files(self, tmp_path, damage):
        """A file that was cut or changed is refused, and named."""
        path = tmp_path / "model.json.gz"
        UnlessClassifier().fit(X, LABELS["int"]).save(path)
        whole = bytearray(path.read_bytes())
        if damage == "changed":
            whole[-6] ^= 1  # the checksum
        path.write_bytes({"short": whole[:-30], "changed": whole, "header": b"\x1f\x8b\x09" + whole[3:]}[damage])
        with pytest.raises(ProgramError, match=r"model.json.gz: packed by gzip, and damaged: .*; save the model again"):
            unless.load(path)

    def test_what_is_inside_is_checked(self, tmp_path):
        """A packed file is as little trusted as any other."""
        path = tmp_path / "model.json.gz"
        path.write_bytes(gzip.compress(b'{"format": "other"}'))
        with pytest.raises(ProgramError, match=r'model.json.gz: not a program of unless: its format is "other"'):
            unless.load(path)
        path.write_bytes(gzip.compress(gzip.compress(b"{}")))
        with pytest.raises(ProgramError, match="not UTF-8"):
            unless.load(path)

    def test_a_mistyped_name_is_suggested(self, tmp_path):
        """Packed models are suggested, too."""
        UnlessClassifier().fit(X, LABELS["int"]).save(tmp_path / "wine.json.gz")
        with pytest.raises(MissingFileError, match=r"did you mean 'wine\.json\.gz'"):
            unless.load(tmp_path / "wien.json.gz")

    def test_a_failure_leaves_the_old_file(self, tmp_path, monkeypatch):
        """Packed files are written whole or not at all."""
        model = UnlessClassifier().fit(X, LABELS["int"])
        model.save(tmp_path / "model.json.gz")
        before = (tmp_path / "model.json.gz").read_bytes()

        def full(*_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("unless.files.os.fsync", full)
        with pytest.raises(OSError, match="No space left"):
            UnlessClassifier(max_rules=1).fit(X, LABELS["int"]).save(tmp_path / "model.json.gz")
        assert (tmp_path / "model.json.gz").read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["model.json.gz"]


def model_with_test() -> UnlessClassifier:
    """A model that knows which records of its data were held back, and what they have shown."""
    table = replace(unless.read_table(X), target=Labels.of("y", LABELS["text"]))
    split = HoldoutSplit.of(table, 0.3, 5)
    back = split.held_back(table)
    model = UnlessClassifier().fit(table[~back])
    found = count_rule_decisions(model.program_, table[back])
    origin = DataOrigin(split, fingerprint(table), len(table), "no")
    model.model_ = replace(model.model_, origin=origin, tested=HoldoutResult(origin, found))
    return model


def test_what_records_held_back_showed_comes_back(tmp_path):
    """The split, the fingerprint and the counts; the model knows its own data again, and no other."""
    model = model_with_test()
    model.save(tmp_path / "model.json")
    back = unless.load(tmp_path / "model.json")
    assert back.origin_ == back.tested_.origin == model.origin_
    assert back.tested_.accuracy == model.tested_.accuracy
    assert_array_equal(back.tested_.statistics.counts, model.tested_.statistics.counts)
    own = replace(unless.read_table(X, like=back), target=Labels.of("y", LABELS["text"]))
    assert find_training_overlap(back.model_, own).same
    assert (
        find_training_overlap(back.model_, own).held_back.sum()
        == back.tested_.held_back
        == back.tested_.confusion.sum()
    )
    assert find_training_overlap(back.model_, own[:-1]) is None
    assert find_training_overlap(back.model_, replace(own, target=None)) is None
    assert pickle.loads(pickle.dumps(back)).origin_ == model.origin_


def test_the_trade_off_comes_back(tmp_path):
    """Settings, numbers of rules, and how many records were right; an edited model has none."""
    model = UnlessClassifier().fit(X, LABELS["text"])
    assert model.trade_off_ is None
    found = TradeOff((Choice({"max_rules": 2.0}, 2.0, 30, 60), Choice({}, 3.5, 50, 60)))
    (tmp_path / "model.json").write_text(file_text(replace(model._current(), trade_off=found)))
    back = unless.load(tmp_path / "model.json")
    assert back.trade_off_ == found
    assert pickle.loads(pickle.dumps(back)).trade_off_ == found
    assert back.with_program(back.program_, X, LABELS["text"]).trade_off_ is None


def test_edited_rules_are_tested_on_the_records_held_back():
    """On the data that the model is from, and on a part of it; without records, only what is known stays."""
    model = model_with_test()
    shorter = replace(model.program_, rules=model.program_.rules[-1:])
    edited = model.with_program(shorter, X, LABELS["text"])
    assert edited.tested_.held_back == model.tested_.held_back
    assert edited.tested_.right == edited.statistics_.unseen[0, edited.classes_.tolist().index(shorter.rules[0].head)]
    assert edited.statistics_.total == model.statistics_.total
    part = model.with_program(shorter, X[1:], LABELS["text"][1:])
    assert part.origin_ == model.origin_
    assert 0 < part.tested_.held_back <= model.tested_.held_back
    assert part.tested_.held_back + part.statistics_.total == len(X) - 1
    first, second, *others = model.program_.rules
    unmeasured = model.with_program(replace(model.program_, rules=(second, first, *others)))
    assert unmeasured.tested_ is None
    assert unmeasured.origin_ == model.origin_
    assert unmeasured.with_program(shorter, X, LABELS["text"]).tested_.held_back == model.tested_.held_back


def test_a_model_without_records_held_back_says_nothing_of_them(tmp_path):
    """The classifiers learn from all records that they are given, and their files are as before."""
    model = UnlessClassifier().fit(X, LABELS["text"])
    model.save(tmp_path / "model.json")
    assert model.tested_ is None
    assert unless.load(tmp_path / "model.json").tested_ is None
    assert "tested" not in (tmp_path / "model.json").read_text()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("salt", -1, r"tested\.salt: expected a whole number from 0 to 9223372036854775807"),
        ("salt", 2**63, r"tested\.salt: expected a whole number from 0 to 9223372036854775807"),
        ("cuts", [["no", 1]], r"tested\.cuts: these are not the classes"),
        ("cuts", [["no", 1], ["yes", 4097]], r"tested\.cuts\[1\]\[1\]: expected a whole number from 0 to 4096"),
        ("cuts", [["no", 1], ["yes", 1], ["x", 1]], r"tested\.cuts: these are not the classes"),
        ("fingerprint", "abc", r"tested\.fingerprint: expected a text that matches .*, not \"abc\""),
        ("usual", "maybe", r"tested\.usual: \"maybe\" is not one of the classes"),
        ("counts", [[0.5, 1]], r"tested\.counts: expected \d+ rows"),
        ("x", 1, r"tested: unknown key"),
    ],
)
def test_what_records_held_back_showed_is_checked(key, value, message):
    """A stranger's file is refused, and the message names the place."""
    document = document_of(model_with_test()._current())
    document["statistics"]["tested"][key] = value
    with pytest.raises(ProgramError, match=message):
        from_document(document)


def test_locked_rules_come_back(tmp_path):
    """The file remembers which rules were locked; an edit keeps those that it leaves as they are."""
    kept = UnlessClassifier().fit(X, LABELS["text"])
    model = UnlessClassifier().fit(X, LABELS["text"], keep=kept, lock=[0])
    model.save(tmp_path / "model.json")
    back = unless.load(tmp_path / "model.json")
    assert back.locked_ == model.locked_ == (0,)
    assert pickle.loads(pickle.dumps(back)).locked_ == (0,)
    first, *others = back.program_.rules
    assert back.with_program(replace(back.program_, rules=(others[0], first, *others[1:]))).locked_ == (1,)
    assert back.with_program(replace(back.program_, rules=tuple(others))).locked_ == ()
    assert "locked" not in document_of(kept._current())["statistics"]
    document = document_of(back._current())
    for wrong in ([1, 0], [0, 0], [99], ["x"], 1):
        document["statistics"]["locked"] = wrong
        with pytest.raises(ProgramError, match=r"locked"):
            from_document(document)
